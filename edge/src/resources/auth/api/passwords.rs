//! Forgetting, resetting and changing passwords over HTTP.

use super::super::rules::{AuthError, normal_code};
use super::super::{actions, store};
use super::{Caller, Desk, Done};
use crate::access::{Cx, hashing};
use crate::http::{Data, Id, Json, Problem, Result};
use crate::state::ByMail;
use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tiffin_common::{Millis, Uuid};

/// Whose password is forgotten.
#[derive(Deserialize, JsonSchema)]
pub struct ForgotPassword {
    #[schemars(email, length(max = 254))]
    email: String,
}

/// The answer to every request for a reset.
#[derive(Serialize, JsonSchema)]
pub struct ResetAsked {
    /// The same words, whether there is such an account or not.
    message: &'static str,
}

/// Asks for a reset. The answer does not tell whether there is such an account.
pub async fn forgot_password(
    State(desk): State<Desk>,
    Caller(ip): Caller,
    Json(body): Json<ForgotPassword>,
) -> Result<Data<ResetAsked>> {
    let ByMail(by_mail) = desk.by_mail;
    let key = by_mail.then(|| std::sync::Arc::clone(&desk.secrets.sealing_key));
    desk.db.write(move |tx| actions::ask_reset(tx, &body.email, &ip.to_string(), key.as_deref())).await?;
    let message = if by_mail {
        "If there is such an account, a code for it is on its way by mail. If none has come in ten minutes, ask one of the \
         outlet's managers"
    } else {
        "If there is such an account, the outlet's managers were told: ask one of them for a code"
    };
    Ok(Data::new(ResetAsked { message }))
}

/// A one-time code for somebody's account.
#[apply(answer!)]
pub struct ResetCode {
    /// To be handed over in person; it is shown this once and kept nowhere.
    code: String,
    expires_at: Millis,
}

/// Makes a one-time code for the account of an employee.
pub async fn make_reset_code(cx: Cx, State(desk): State<Desk>, Id(employee): Id) -> Result<Data<ResetCode>> {
    let actor = cx.actor();
    let (code, expires_at) = desk.db.write(move |tx| actions::make_code(tx, &actor, employee)).await?;
    Ok(Data::new(ResetCode { code, expires_at }))
}

/// A new password by a reset code.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResetPassword {
    /// The one-time code, however it is spelled.
    #[schemars(length(min = 1, max = 128))]
    token: String,
    #[schemars(length(min = 10, max = 128))]
    new_password: String,
}

/// Sets a new password with a reset code.
pub async fn reset_password(State(desk): State<Desk>, Json(body): Json<ResetPassword>) -> Result<Data<Done>> {
    let ResetPassword { token, new_password } = body;
    let (code, now) = (actions::hash_of(&normal_code(&token)), desk.db.env().clock.now());
    // Looked up before the hash is made, so that guessing costs this box nothing.
    let account = desk
        .db
        .read(move |conn| -> Result<_, AuthError> {
            store::find_reset(conn, &code, now)?.ok_or(AuthError::WrongCredentials)
        })
        .await
        .map_err(wrong_code)?;
    let hash = hash_new(&desk, new_password, about(&desk, account).await?).await?;
    let out =
        desk.db.write(move |tx| actions::reset_password(tx, &token, &hash)).await.map_err(wrong_code)?;
    desk.void(out.into_iter().chain([account]));
    Ok(Data::new(Done {}))
}

fn wrong_code(error: AuthError) -> Problem {
    match error {
        AuthError::WrongCredentials => {
            Problem::from(error).detail("The code is wrong, was used already, or is older than 30 minutes")
        }
        other => other.into(),
    }
}

/// What is known of an account's holder.
async fn about(desk: &Desk, account: Uuid) -> Result<Vec<String>> {
    let found = desk.db.read(move |conn| store::find(conn, account).map_err(AuthError::from)).await?;
    Ok(found.map(|account| vec![account.email, account.name]).unwrap_or_default())
}

async fn hash_new(desk: &Desk, password: String, about: Vec<String>) -> Result<String> {
    hashing::chosen("newPassword", password, about, desk.db.env().random_bytes()).await
}

/// A new password instead of the current one.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangePassword {
    #[schemars(length(min = 1, max = 128))]
    current_password: String,
    #[schemars(length(min = 10, max = 128))]
    new_password: String,
}

/// The stored hash of the caller's own password, which `password` must be: for what a device that was left signed in must not do.
///
/// # Errors
/// 401 for a wrong one, which is counted; 423 after too many.
pub async fn confirmed(cx: &Cx, password: String) -> Result<String> {
    let (actor, id, now) = (cx.actor(), cx.principal.account_id, cx.db.env().clock.now());
    let stored = cx.db.read(move |conn| actions::check_current(conn, id, now)).await?;
    let verified =
        hashing::apart(move || stored.filter(|hash| hashing::verify(&password, Some(hash)))).await?;
    if let Some(verified) = verified {
        return Ok(verified);
    }
    cx.db.write(move |tx| actions::wrong_current(tx, &actor, id)).await?;
    Err(Problem::from(AuthError::WrongCredentials).detail("The current password is wrong"))
}

/// Changes one's own password.
pub async fn change_password(
    cx: Cx,
    State(desk): State<Desk>,
    Json(body): Json<ChangePassword>,
) -> Result<Data<Done>> {
    let ChangePassword { current_password, new_password } = body;
    if current_password == new_password {
        return Err(Problem::field("newPassword", "must differ from the current one"));
    }
    let verified = confirmed(&cx, current_password).await?;
    let (actor, id, session) = (cx.actor(), cx.principal.account_id, cx.principal.session_id);
    let hash = hash_new(&desk, new_password, about(&desk, id).await?).await?;
    let out =
        desk.db.write(move |tx| actions::change_password(tx, &actor, &verified, &hash, session)).await?;
    desk.void(out);
    Ok(Data::new(Done {}))
}
