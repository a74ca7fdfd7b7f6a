//! `/hub/auth` beyond signing in: one's own password and devices, the second factor, and how somebody above lets a user in again. Never
//! answers with a secret a second time.

use super::auth::{Login, verified};
use super::done::Done;
use super::guard::{Cx, From as Caller};
use crate::registry::sign_in::{self, Client};
use crate::registry::{RegistryError, passwords, sessions, totp, users};
use crate::state::{AppState, Routes};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use edge::access::{Access, Permission, delete, get, hashing, post};
use edge::http::limit::Class;
use edge::http::{Data, Json, Paged, Paging, Path, Problem, Query};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tiffin_common::{Millis, Uuid};

pub(super) fn routes() -> Routes {
    Routes::group(
        "hub",
        [
            post("/hub/auth/change-password", Access::SignedIn, change_password)
                .summary("Changes one's own password; signs the other devices out")
                .limited(Class::Login)
                .takes::<ChangePassword>()
                .returns::<Done>(),
            post("/hub/auth/reset-password", Access::Public, reset_password)
                .summary("Sets a new password with a reset code; signs all devices out")
                .limited(Class::Login)
                .takes::<ResetPassword>()
                .returns::<Done>(),
            post("/hub/users/{id}/reset-code", Permission::AccountsManage, make_reset_code)
                .summary("A one-time code for somebody below, to hand over in person; shown this once")
                .limited(Class::Login)
                .returns::<ResetCode>(),
            post("/hub/auth/totp", Access::Public, begin_totp)
                .summary("A secret for an authenticator; the first sign-in with a code of it turns it on")
                .limited(Class::Login)
                .takes::<Login>()
                .returns::<NewTotp>(),
            get("/hub/auth/sessions", Access::SignedIn, list_sessions)
                .summary("Signed-in devices")
                .query::<ListSessions>()
                .lists::<Session>(),
            delete("/hub/auth/sessions/{id}", Access::SignedIn, delete_session)
                .summary("Signs a device out: one's own, or that of somebody below")
                .returns::<Done>(),
        ],
    )
}

/// A new password instead of the current one.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "HubChangePassword")]
struct ChangePassword {
    #[schemars(length(min = 1, max = 128))]
    current_password: String,
    #[schemars(length(min = 10, max = 128))]
    new_password: String,
}

async fn change_password(cx: Cx, Json(body): Json<ChangePassword>) -> Result<Data<Done>, Problem> {
    let ChangePassword { current_password, new_password } = body;
    if current_password == new_password {
        return Err(Problem::field("newPassword", "must differ from the current one"));
    }
    let (actor, id, session) = (cx.actor(), cx.principal.account_id, cx.principal.session_id);
    let app = cx.app;
    let now = app.env().clock.now();
    let stored = app.look(move |from| passwords::check_current(from, id, now)).await?;
    let fits =
        hashing::apart(move || stored.filter(|hash| hashing::verify(&current_password, Some(hash)))).await?;
    let Some(fits) = fits else {
        app.change_quietly(move |change| passwords::wrong_current(change, &actor, id)).await?;
        return Err(Problem::from(RegistryError::WrongCredentials).detail("The current password is wrong"));
    };
    let own = app.look(move |from| Ok(users::find(from, id)?)).await?;
    let about = own.map(|user| vec![user.email, user.name]).unwrap_or_default();
    let hash = hashing::chosen("newPassword", new_password, about, app.env().random_bytes()).await?;
    app.change(move |change| passwords::change_own(change, &actor, &fits, &hash, session)).await?;
    Ok(Data::new(Done {}))
}

/// A new password by a reset code.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "HubResetPassword")]
struct ResetPassword {
    /// The one-time code, however it is spelled.
    #[schemars(length(min = 1, max = 128))]
    token: String,
    #[schemars(length(min = 10, max = 128))]
    new_password: String,
}

async fn reset_password(
    State(app): State<AppState>,
    Caller(ip): Caller,
    Json(body): Json<ResetPassword>,
) -> Result<Data<Done>, Problem> {
    let ResetPassword { token, new_password } = body;
    let wrong = |error: RegistryError| match error {
        RegistryError::WrongCredentials => {
            Problem::from(error).detail("The code is wrong, was used already, or is older than 30 minutes")
        }
        other => other.into(),
    };
    let (asked, now) = (token.clone(), app.env().clock.now());
    // Looked up before the hash is made, so that guessing costs head office nothing.
    let found = app.look(move |from| passwords::find_code(from, &asked, now)).await?;
    let Some(user) = found else {
        app.change_quietly(move |change| passwords::refused(change, ip)).await?;
        return Err(wrong(RegistryError::WrongCredentials));
    };
    let about = vec![user.email, user.name];
    let hash = hashing::chosen("newPassword", new_password, about, app.env().random_bytes()).await?;
    app.change(move |change| passwords::reset(change, &token, &hash, ip)).await.map_err(wrong)?;
    Ok(Data::new(Done {}))
}

/// A one-time code for somebody's password.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "HubResetCode")]
struct ResetCode {
    /// To be handed over in person; it is shown this once and kept nowhere.
    code: String,
    expires_at: Millis,
}

async fn make_reset_code(cx: Cx, Path(id): Path<Uuid>) -> Result<Data<ResetCode>, Problem> {
    let actor = cx.actor();
    let (code, expires_at) = cx.app.change(move |change| passwords::make_code(change, &actor, id)).await?;
    Ok(Data::new(ResetCode { code, expires_at }))
}

/// What an authenticator is told, once.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "HubNewTotp")]
struct NewTotp {
    /// To be typed into an authenticator: 32 letters and digits.
    secret: String,
    /// The same as an `otpauth:` link, to be shown as a QR code.
    uri: String,
}

async fn begin_totp(
    State(app): State<AppState>,
    Caller(ip): Caller,
    Json(body): Json<Login>,
) -> Result<Data<NewTotp>, Problem> {
    let fits = verified(&app, &body.email, body.password, ip).await?;
    let client = Client { ip, device_name: body.device_name };
    let sealer = app.keys.sealer.clone();
    let begun = app.change_quietly(move |change| {
        match sign_in::known(change, &body.email, &client, fits.as_deref())? {
            Ok(user) => totp::begin(change, &sealer, user.id, &user.email).map(Ok),
            Err(refused) => Ok(Err(refused)),
        }
    });
    match begun.await? {
        Ok((secret, uri)) => Ok(Data::new(NewTotp { secret, uri })),
        Err(sign_in::SignIn::Locked(seconds)) => Err(RegistryError::Locked(seconds).into()),
        Err(_) => Err(RegistryError::WrongCredentials.into()),
    }
}

/// Whose devices.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "HubListSessions")]
struct ListSessions {
    /// The devices of this user, for those who manage accounts; one's own when absent.
    user_id: Option<Uuid>,
    #[serde(flatten)]
    paging: Paging,
}

/// A signed-in device of head office's people.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "HubSession")]
struct Session {
    id: Uuid,
    device_name: Option<String>,
    created_at: Millis,
    last_used_at: Millis,
    /// Signed out then, whatever happens before.
    expires_at: Millis,
    /// Whether it is the device that asks.
    current: bool,
}

async fn list_sessions(cx: Cx, Query(filter): Query<ListSessions>) -> Result<Paged<Session>, Problem> {
    let ListSessions { user_id, paging } = filter;
    if user_id.is_some_and(|id| id != cx.principal.account_id)
        && !cx.principal.holds(Permission::AccountsManage)
    {
        return Err(Problem::not_found("user"));
    }
    let (actor, own, current) = (cx.actor(), cx.principal.account_id, cx.principal.session_id);
    let now = cx.app.env().clock.now();
    let look = move |from: &dyn edge::db::Source| -> Result<_, RegistryError> {
        let of = user_id.filter(|id| *id != own).map(|id| users::visible(from, &actor, id)).transpose()?;
        Ok(sessions::list(from, of.map_or(own, |user| user.id), now)?)
    };
    let all = cx.app.look(look).await?;
    let total = i64::try_from(all.len()).unwrap_or(i64::MAX);
    let shown = all.into_iter().skip(paging.offset as usize).take(paging.limit as usize);
    let items = shown
        .map(|session| {
            let sessions::Session { id, device_name, created_at, last_used_at, expires_at } = session;
            Session { id, device_name, created_at, last_used_at, expires_at, current: id == current }
        })
        .collect();
    Ok(Paged::new(edge::http::Page { items, total }, paging))
}

async fn delete_session(cx: Cx, Path(id): Path<Uuid>) -> Result<Response, Problem> {
    cx.change(StatusCode::OK, move |change, actor| {
        passwords::end_session(change, actor, id).map(|()| Done {})
    })
    .await
}
