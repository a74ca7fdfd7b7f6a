//! How a device is paired: it asks, a person decides, it fetches its tokens (RFC 8628).

use super::super::actions::{self, Codes, Poll};
use super::super::rules::{CODE_LIFETIME_MS, DeviceError, DeviceKind, INTERVAL_MS, Standing, Wanted};
use super::super::store;
use super::DeviceView;
use crate::access::Cx;
use crate::db::{Db, Source};
use crate::http::client::TlsTrust;
use crate::http::reply::bare;
use crate::http::{Created, Data, Json, Result, Updated};
use crate::resources::auth::actions::{self as accounts, Client, hash_of};
use crate::resources::auth::api::cookies::{Jar, WithCookie};
use crate::resources::auth::api::sign_in::{Refreshed, refreshed};
use crate::resources::auth::api::{Caller, Desk, Done};
use crate::resources::auth::rules::{AuthError, normal_code};
use crate::state::Secrets;
use axum::extract::{FromRef, State};
use axum::http::StatusCode;
use std::net::IpAddr;
use tiffin_common::Uuid;

/// A device that asks to be paired.
#[apply(request!)]
pub struct PairDevice {
    /// What it is for, which decides what it may do.
    kind: DeviceKind,
    /// What people shall call it, such as `Till at the door`.
    #[schemars(length(min = 1, max = 80))]
    name: String,
}

/// What a device that asks to be paired goes on with.
#[apply(answer!)]
pub struct DeviceCodes {
    /// Shown on the screen, for a manager to type in: eight letters and digits, `XXXX-XXXX`.
    user_code: String,
    /// For `POST /devices/token`; nobody is shown it.
    device_code: String,
    /// Seconds both hold.
    expires_in: i64,
    /// Seconds between two questions.
    interval: i64,
}

/// Gives the device that asks from `ip` its codes.
///
/// # Errors
/// Offending fields; too many that ask.
pub async fn ask(db: &Db, ip: IpAddr, device: PairDevice) -> Result<Codes> {
    let wanted = Wanted { kind: device.kind, name: device.name, address: ip.to_string() };
    Ok(db.write(move |tx| actions::ask(tx, wanted)).await?)
}

/// Gives a device its codes.
pub async fn pair_device(
    State(db): State<Db>,
    Caller(ip): Caller,
    Json(body): Json<PairDevice>,
) -> Result<Created<DeviceCodes>> {
    let codes = ask(&db, ip, body).await?;
    let mut response = bare(Data::new(DeviceCodes {
        user_code: codes.user,
        device_code: codes.device,
        expires_in: CODE_LIFETIME_MS / 1_000,
        interval: INTERVAL_MS / 1_000,
    }));
    *response.status_mut() = StatusCode::CREATED;
    Ok(Created::new(response))
}

/// The code on a device's screen.
#[apply(request!)]
pub struct ApproveDevice {
    /// As it was typed: case, spaces and dashes make no difference.
    #[schemars(length(min = 1, max = 40))]
    user_code: String,
    /// Whose tickets a KITCHEN device shows; all when absent.
    station_id: Option<Uuid>,
}

/// The code on a device's screen.
#[apply(request!)]
pub struct DenyDevice {
    /// As it was typed: case, spaces and dashes make no difference.
    #[schemars(length(min = 1, max = 40))]
    user_code: String,
}

/// The hash of the code that was typed in, where some device was given it.
///
/// # Errors
/// 404 for a code that no device was given, which is counted; 423 after too many.
async fn typed(cx: &Cx, text: &str) -> Result<[u8; 32]> {
    let hash = hash_of(&normal_code(text));
    let (actor, now) = (cx.actor(), cx.db.env().clock.now());
    let look = {
        let actor = actor.clone();
        move |conn: &dyn Source| -> Result<bool, DeviceError> {
            match accounts::code_lock(conn, &actor, now)? {
                Some(seconds) => Err(AuthError::Locked(seconds).into()),
                None => Ok(store::find_by_user_code(conn, &hash, now)?.is_some()),
            }
        }
    };
    if cx.db.read(look).await? {
        return Ok(hash);
    }
    cx.db.write(move |tx| accounts::wrong_code(tx, &actor)).await?;
    Err(DeviceError::NotFound("code").into())
}

/// Lets the device in that shows this code.
pub async fn approve_device(cx: Cx, Json(body): Json<ApproveDevice>) -> Result<Created<DeviceView>> {
    let code = typed(&cx, &body.user_code).await?;
    cx.create(move |tx, actor| actions::approve(tx, actor, &code, body.station_id)).await
}

/// Refuses the device that shows this code.
pub async fn deny_device(cx: Cx, Json(body): Json<DenyDevice>) -> Result<Updated<Done>> {
    let code = typed(&cx, &body.user_code).await?;
    cx.update(move |tx, actor| actions::deny(tx, actor, &code).map(|()| Done {})).await
}

/// What a device asks for its tokens with.
#[apply(request!)]
pub struct AskToken {
    /// From `POST /devices/pair`.
    #[schemars(length(min = 1, max = 128))]
    device_code: String,
    /// Whether the refresh token goes into an HttpOnly cookie instead of the body: for pages of this server.
    #[serde(default)]
    cookie: bool,
}

/// The tokens of a paired device.
#[apply(answer!)]
pub struct DeviceTokens {
    #[serde(flatten)]
    tokens: Refreshed,
    /// What it was paired as.
    device: DeviceView,
}

/// How it stands with the device of `code`. Only looks: asking too often is for who asks for tokens.
///
/// # Errors
/// When the database cannot be read.
pub async fn look(desk: &Desk, code: &str) -> Result<Standing> {
    let (code, now) = (hash_of(code), desk.db().env().clock.now());
    let find = move |conn: &dyn Source| store::find_by_device_code(conn, &code);
    let found = desk.db().read(find).await?;
    Ok(found.map_or(Standing::Expired, |pairing| pairing.standing(now)))
}

/// Asks for the tokens of the device of `code`; over TLS it shows that it believes this box's certificate.
///
/// # Errors
/// When nothing can be written.
pub async fn fetch(desk: &Desk, trust: &TlsTrust, jar: &Jar, ip: IpAddr, code: String) -> Result<Poll> {
    let client = Client { ip, device_name: None };
    let key = Secrets::from_ref(desk).sealing_key;
    let shows = trust.to_be_shown().filter(|_| jar.is_over_tls);
    let has_news = shows.is_some();
    let poll =
        desk.db().write_vital(move |tx| actions::poll(tx, &code, client, (&key, shows.as_deref()))).await?;
    if has_news && matches!(poll, Poll::Done(_)) {
        trust.show();
    }
    Ok(poll)
}

/// Signs in a device that was approved.
pub async fn poll_token(
    State(desk): State<Desk>,
    State(trust): State<TlsTrust>,
    Caller(ip): Caller,
    jar: Jar,
    Json(body): Json<AskToken>,
) -> Result<WithCookie<DeviceTokens>> {
    jar.demand_own_page(body.cookie)?;
    match fetch(&desk, &trust, &jar, ip, body.device_code).await? {
        Poll::No(standing) => Err(DeviceError::NoTokens(standing).into()),
        Poll::Done(found) => {
            let (signed_in, device) = *found;
            let (cookie, tokens) = refreshed(&desk, &jar, &signed_in, body.cookie)?;
            Ok(WithCookie(cookie, Data::new(DeviceTokens { tokens, device: device.into() })))
        }
    }
}
