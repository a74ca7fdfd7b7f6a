//! Signing in, refreshing, signing out, and who is signed in.

use super::super::rules::AuthError;
use super::super::{actions, store};
use super::{Caller, Desk, Done, User};
use crate::access::{Cx, hashing, tokens};
use crate::http::{Data, Json, Problem};
use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The seconds an access token lives.
const EXPIRES_IN: i64 = tokens::LIFETIME_MS / 1000;

/// Email and password of an account.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Login {
    #[schemars(email, length(max = 254))]
    email: String,
    #[schemars(length(min = 1, max = 128))]
    password: String,
    /// What the list of signed-in devices shows.
    #[schemars(length(max = 80))]
    device_name: Option<String>,
}

/// A signed-in device.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignedIn {
    /// A JWT, sent as `Authorization: Bearer`.
    access_token: String,
    /// For `POST /auth/refresh`; lives 30 days.
    refresh_token: String,
    /// Seconds the access token lives.
    expires_in: i64,
    user: User,
}

/// Signs in with email and password.
pub(in super::super) async fn login(
    State(desk): State<Desk>,
    Caller(ip): Caller,
    Json(body): Json<Login>,
) -> Result<Data<SignedIn>, Problem> {
    let Login { email, password, device_name } = body;
    let now = desk.db.env().clock.now();
    let asked = email.clone();
    let stored = desk
        .db
        .read(move |conn| -> Result<_, AuthError> {
            if let Some(seconds) = actions::login_lock(conn, &asked, ip, now)? {
                return Err(AuthError::Locked(seconds));
            }
            Ok(store::find_password(conn, &asked)?)
        })
        .await?;
    // The same work whether or not there is such an account.
    let verified = hashing::apart(move || {
        let fits = hashing::verify(&password, stored.as_deref());
        stored.filter(|_| fits)
    })
    .await?;
    let client = actions::Client { ip, device_name };
    let outcome = desk
        .db
        .write_vital(move |tx| -> Result<_, AuthError> {
            let outcome = actions::sign_in(tx, &email, &client, verified.as_deref())?;
            let user = match &outcome {
                actions::SignIn::Done { account, .. } => Some(User::of(tx, account)?),
                _ => None,
            };
            Ok((outcome, user))
        })
        .await?;
    match outcome {
        (actions::SignIn::Done { account, session_id, refresh_token }, Some(user)) => {
            let access_token = desk.issue(&account.principal(session_id), tokens::LIFETIME_MS)?;
            Ok(Data::new(SignedIn { access_token, refresh_token, expires_in: EXPIRES_IN, user }))
        }
        (actions::SignIn::Locked(seconds), _) => Err(AuthError::Locked(seconds).into()),
        _ => Err(AuthError::WrongCredentials.into()),
    }
}

/// A refresh token.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RefreshToken {
    #[schemars(length(min = 1, max = 512))]
    refresh_token: String,
}

/// The next tokens of a signed-in device.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Refreshed {
    access_token: String,
    /// Replaces the one that was sent.
    refresh_token: String,
    /// Seconds the access token lives.
    expires_in: i64,
}

/// A new access token; the refresh token is replaced.
pub(in super::super) async fn refresh(
    State(desk): State<Desk>,
    Json(body): Json<RefreshToken>,
) -> Result<Data<Refreshed>, Problem> {
    let key = desk.secrets.sealing_key.clone();
    let outcome = desk.db.write_vital(move |tx| actions::refresh(tx, &body.refresh_token, &key)).await?;
    match outcome {
        actions::Renewal::Done { account, session_id, refresh_token } => {
            let access_token = desk.issue(&account.principal(session_id), tokens::LIFETIME_MS)?;
            Ok(Data::new(Refreshed { access_token, refresh_token, expires_in: EXPIRES_IN }))
        }
        actions::Renewal::Reused { session_id } => {
            desk.void([session_id]);
            Err(AuthError::SignedOut.into())
        }
        actions::Renewal::Refused => Err(AuthError::SignedOut.into()),
    }
}

/// Signs this device out. An unknown token is already signed out.
pub(in super::super) async fn logout(
    State(desk): State<Desk>,
    Json(body): Json<RefreshToken>,
) -> Result<Data<Done>, Problem> {
    let session = desk.db.write_vital(move |tx| actions::sign_out(tx, &body.refresh_token)).await?;
    desk.void(session);
    Ok(Data::new(Done {}))
}

/// Who is signed in.
pub(in super::super) async fn get_me(cx: Cx) -> Result<Data<User>, Problem> {
    let id = cx.principal.account_id;
    let user = cx
        .read(move |conn, _| -> Result<_, AuthError> {
            let account = store::find(conn, id)?.ok_or(AuthError::SignedOut)?;
            Ok(User::of(conn, &account)?)
        })
        .await?;
    Ok(Data::new(user))
}
