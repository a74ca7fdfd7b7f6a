//! Signing in, refreshing, signing out, and who is signed in.

use super::super::actions::{Client, Device, Renewal, SignIn};
use super::super::rules::AuthError;
use super::super::{actions, store};
use super::{Caller, Desk, Done, User, user};
use crate::access::{Cx, hashing, tokens};
use crate::http::{Data, Json, Result};
use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    /// For `POST /auth/refresh`; a person signs in anew after 30 days, a terminal that nobody used for 90.
    refresh_token: String,
    /// Seconds the access token lives.
    expires_in: i64,
    user: User,
}

/// Signs in with email and password.
pub async fn login(
    State(desk): State<Desk>,
    Caller(ip): Caller,
    Json(body): Json<Login>,
) -> Result<Data<SignedIn>> {
    let Login { email, password, device_name } = body;
    let now = desk.db.env().clock.now();
    let asked = email.clone();
    let stored = desk
        .db
        .read(move |conn| -> Result<_, AuthError> {
            if let Some(seconds) = actions::login_lock(conn, &asked, ip, now)? {
                return Err(AuthError::Locked(seconds));
            }
            Ok(store::find_password_of(conn, &asked)?)
        })
        .await?;
    // The same work whether or not there is such an account.
    let verified = hashing::apart(move || {
        let fits = hashing::verify(&password, stored.as_deref());
        stored.filter(|_| fits)
    })
    .await?;
    let client = Client { ip, device_name };
    let outcome = desk
        .db
        .write_vital(move |tx| -> Result<_, AuthError> {
            let outcome = actions::sign_in(tx, &email, &client, verified.as_deref())?;
            let user = match &outcome {
                SignIn::Done(device) => Some(user(tx, &device.account, false)?),
                _ => None,
            };
            Ok((outcome, user))
        })
        .await?;
    match outcome {
        (SignIn::Done(device), Some(user)) => {
            let Refreshed { access_token, refresh_token, expires_in } = refreshed(&desk, device)?;
            Ok(Data::new(SignedIn { access_token, refresh_token, expires_in, user }))
        }
        (SignIn::Locked(seconds), _) => Err(AuthError::Locked(seconds).into()),
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

fn refreshed(desk: &Desk, device: Device) -> Result<Refreshed> {
    let Device { account, session_id, refresh_token } = device;
    let access_token = desk.issue(&account.principal(session_id), tokens::LIFETIME_MS)?;
    Ok(Refreshed { access_token, refresh_token, expires_in: tokens::LIFETIME_MS / 1000 })
}

/// A new access token; the refresh token is replaced.
pub async fn refresh(State(desk): State<Desk>, Json(body): Json<RefreshToken>) -> Result<Data<Refreshed>> {
    let key = desk.secrets.sealing_key.clone();
    let outcome = desk.db.write_vital(move |tx| actions::refresh(tx, &body.refresh_token, &key)).await?;
    match outcome {
        Renewal::Done(device) => Ok(Data::new(refreshed(&desk, device)?)),
        Renewal::Reused(session) => {
            desk.void([session]);
            Err(AuthError::SignedOut.into())
        }
        Renewal::Refused => Err(AuthError::SignedOut.into()),
    }
}

/// Signs this device out. An unknown token is already signed out.
pub async fn logout(State(desk): State<Desk>, Json(body): Json<RefreshToken>) -> Result<Data<Done>> {
    let session = desk.db.write_vital(move |tx| actions::sign_out(tx, &body.refresh_token)).await?;
    desk.void(session);
    Ok(Data::new(Done {}))
}

/// Who is signed in.
pub async fn get_me(cx: Cx) -> Result<Data<User>> {
    let (id, by_pin) = (cx.principal.account_id, cx.principal.by_pin);
    cx.get(move |conn, _| -> Result<_, AuthError> {
        let account = store::find(conn, id)?.ok_or(AuthError::SignedOut)?;
        Ok(user(conn, &account, by_pin)?)
    })
    .await
}
