//! Signing in, refreshing, signing out, and who is signed in.

use super::super::actions::{Client, Device, Renewal, Second, SignIn};
use super::super::rules::AuthError;
use super::super::{actions, store};
use super::cookies::{Jar, RefreshToken, WithCookie};
use super::{Caller, Desk, Done, User, user};
use crate::access::{Cx, hashing, tokens};
use crate::http::{Data, Json, Result};
use crate::resources::employees;
use axum::extract::State;
use axum::http::HeaderValue;
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
    /// The six digits of the authenticator, where the account has one.
    #[schemars(length(max = 16))]
    totp: Option<String>,
    /// Whether the refresh token goes into an HttpOnly cookie instead of the body: for pages of this server.
    #[serde(default)]
    cookie: bool,
}

/// A signed-in device.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignedIn {
    /// A JWT, sent as `Authorization: Bearer`.
    access_token: String,
    /// For `POST /auth/refresh`; a person signs in anew after 30 days, a terminal that nobody used for 90. Absent where a cookie has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    refresh_token: Option<String>,
    /// Seconds the access token lives.
    expires_in: i64,
    user: User,
}

/// Signs in with email and password.
pub async fn login(
    State(desk): State<Desk>,
    Caller(ip): Caller,
    jar: Jar,
    Json(body): Json<Login>,
) -> Result<WithCookie<SignedIn>> {
    let Login { email, password, device_name, totp, cookie } = body;
    jar.demand_own_page(cookie)?;
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
    let key = desk.secrets.sealing_key.clone();
    let outcome = desk
        .db
        .write_vital(move |tx| -> Result<_, AuthError> {
            let second = Second { code: totp.as_deref(), sealing_key: &key };
            let outcome = actions::sign_in(tx, &email, &client, verified.as_deref(), second)?;
            let user = match &outcome {
                SignIn::Done(device) => Some(user(tx, &device.account, false)?),
                _ => None,
            };
            Ok((outcome, user))
        })
        .await?;
    match outcome {
        (SignIn::Done(device), Some(user)) => {
            let (cookie, Refreshed { access_token, refresh_token, expires_in }) =
                refreshed(&desk, &jar, &device, cookie)?;
            Ok(WithCookie(cookie, Data::new(SignedIn { access_token, refresh_token, expires_in, user })))
        }
        (SignIn::NeedsCode, _) => Err(AuthError::NeedsCode.into()),
        (SignIn::Locked(seconds), _) => Err(AuthError::Locked(seconds).into()),
        _ => Err(AuthError::WrongCredentials.into()),
    }
}

/// The next tokens of a signed-in device.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Refreshed {
    /// A JWT, sent as `Authorization: Bearer`.
    pub access_token: String,
    /// Replaces the one that was sent; absent where a cookie has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refresh_token: Option<String>,
    /// Seconds the access token lives.
    pub expires_in: i64,
}

/// The tokens of a signed-in device, and the cookie that has one of them where it was asked for.
///
/// # Errors
/// 500 when a token cannot be signed.
pub fn refreshed(
    desk: &Desk,
    jar: &Jar,
    device: &Device,
    in_cookie: bool,
) -> Result<(Option<HeaderValue>, Refreshed)> {
    let access_token = desk.issue(&device.account.principal(device.session_id), tokens::LIFETIME_MS)?;
    let (refresh_token, cookie) = jar.keep(device, in_cookie, desk.db.env().clock.now());
    Ok((cookie, Refreshed { access_token, refresh_token, expires_in: tokens::LIFETIME_MS / 1000 }))
}

/// A new access token; the refresh token is replaced where it was, in the body or in the cookie.
pub async fn refresh(
    State(desk): State<Desk>,
    jar: Jar,
    Json(body): Json<RefreshToken>,
) -> Result<WithCookie<Refreshed>> {
    let (token, in_cookie) = jar.token(body)?;
    let key = desk.secrets.sealing_key.clone();
    let outcome = desk.db.write_vital(move |tx| actions::refresh(tx, &token, &key)).await?;
    match outcome {
        Renewal::Done(device) => {
            let (cookie, refreshed) = refreshed(&desk, &jar, &device, in_cookie)?;
            Ok(WithCookie(cookie, Data::new(refreshed)))
        }
        Renewal::Reused(session) => {
            desk.void([session]);
            Err(AuthError::SignedOut.into())
        }
        Renewal::Refused => Err(AuthError::SignedOut.into()),
    }
}

/// Signs this device out. An unknown token is already signed out; a cookie is taken away.
pub async fn logout(
    State(desk): State<Desk>,
    jar: Jar,
    Json(body): Json<RefreshToken>,
) -> Result<WithCookie<Done>> {
    let (token, in_cookie) = jar.token(body)?;
    let session = desk.db.write_vital(move |tx| actions::sign_out(tx, &token)).await?;
    desk.void(session);
    Ok(WithCookie(in_cookie.then(|| jar.empty()).flatten(), Data::new(Done {})))
}

/// Who is signed in.
pub async fn get_me(cx: Cx) -> Result<Data<User>> {
    let (id, by_pin, session) = (cx.principal.account_id, cx.principal.by_pin, cx.principal.session_id);
    let employee = cx.principal.employee_id.filter(|_| by_pin);
    cx.get(move |conn, outlet| -> Result<_, AuthError> {
        let found = match employee {
            Some(employee) => match employees::store::find(conn, outlet, employee)? {
                Some(employee) => actions::at_device(conn, outlet, session, &employee)?,
                None => None,
            },
            None => store::find(conn, id)?,
        };
        Ok(user(conn, &found.ok_or(AuthError::SignedOut)?, by_pin)?)
    })
    .await
}
