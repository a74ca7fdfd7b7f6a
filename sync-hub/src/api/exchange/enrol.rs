//! `POST enrol`: a box becomes an outlet's with a one-time code. Never says which part of a wrong code was wrong.

use super::request::{check_version, hub_problem, read_json, whole};
use crate::api::guard::From as Caller;
use crate::registry::RegistryError;
use crate::registry::codes::{self, Enrolment};
use crate::registry::outlets;
use crate::state::AppState;
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::response::Response;
use edge::http::reply::bare;
use edge::http::{Checks, Code, Problem};
use std::str::FromStr;
use tiffin_common::Uuid;
use tiffin_common::sync::{EnrolRequest, Enrolled, OutletCard};

pub(super) async fn post_enrol(
    State(app): State<AppState>,
    Caller(ip): Caller,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Problem> {
    let request: EnrolRequest = read_json(&whole(body)?)?;
    check(&request)?;
    check_version(request.protocol, request.schema)?;
    let (text, device, now) = (request.code.clone(), request.device_id, app.env().clock.now());
    let found = app
        .look(move |from| match codes::lock(from, ip, now)? {
            Some(seconds) => Err(RegistryError::Locked(seconds)),
            None => Ok(codes::find(from, &text, device, now)?),
        })
        .await?;
    if let Some(code) = found
        && let Some(outlet) = code.outlet_id.or(request.outlet.as_ref().map(|card| card.id))
    {
        // Room first: whoever gets a key may push at once.
        app.hub.create_outlet(outlet).await.map_err(hub_problem)?;
    }
    let sealed = seal(&app, &request)?;
    let asked = request.clone();
    let outcome = app.change(move |change| codes::enrol(change, ip, &asked, sealed.as_deref())).await?;
    match outcome {
        Enrolment::Done { outlet, key, pepper, tls_authority, boxes } => {
            if request.reseed {
                app.hub.expect_all(outlet.id).await.map_err(hub_problem)?;
            }
            let cursor = app.hub.cursor(outlet.id).await.map_err(hub_problem)?;
            let pepper = pepper.and_then(|sealed| open(&app, PEPPER, outlet.id, &sealed));
            let tls_authority = tls_authority.and_then(|sealed| open(&app, AUTHORITY, outlet.id, &sealed));
            let hub_epoch = app.hub.hub_epoch();
            let cursor = cursor.map(Into::into);
            let key = key.text();
            let outlet = *outlet;
            Ok(bare(Enrolled { outlet, key, hub_epoch, cursor, pepper, lives: boxes, tls_authority }))
        }
        Enrolment::Wrong => Err(RegistryError::WrongCode.into()),
        Enrolment::Locked(seconds) => Err(RegistryError::Locked(seconds).into()),
    }
}

fn check(request: &EnrolRequest) -> Result<(), Problem> {
    let mut checks = Checks::new();
    checks.require((1..=64).contains(&request.code.len()), "code", "must have 1 to 64 characters");
    checks.require((1..=64).contains(&request.version.len()), "version", "must have 1 to 64 characters");
    let is_pepper = request.pepper.as_ref().is_none_or(|text| blake3::Hash::from_hex(text).is_ok());
    checks.require(is_pepper, "pepper", "must have 64 hexadecimal digits");
    if let Some(OutletCard { id, code, name, timezone, currency }) = &request.outlet {
        let is_code = (1..=4).contains(&code.len())
            && code.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
        checks.require(!id.is_nil(), "outlet.id", "must not be nil");
        checks.require(is_code, "outlet.code", "must have 1 to 4 of A–Z and 0–9");
        checks.require(
            (1..=200).contains(&name.chars().count()),
            "outlet.name",
            "must have 1 to 200 characters",
        );
        let is_zone = chrono_tz::Tz::from_str(timezone).is_ok();
        checks.require(is_zone, "outlet.timezone", "must be an IANA time zone");
        let is_currency = currency.len() == 3 && currency.bytes().all(|b| b.is_ascii_uppercase());
        checks.require(is_currency, "outlet.currency", "must be an ISO 4217 code");
    }
    checks.finish(()).map_err(Problem::invalid)
}

/// What is sealed of a box's secrets: the pepper of its PINs, and the certificate authority of its tablets.
const PEPPER: &str = "pepper";
const AUTHORITY: &str = "authority";

/// The longest authority with its key that is kept, in bytes.
const LONGEST_AUTHORITY: usize = 16 * 1024;

/// What a sealed secret is bound to.
fn purpose(what: &str, outlet: Uuid) -> Vec<u8> {
    [what.as_bytes(), b" ", outlet.as_bytes()].concat()
}

/// The pepper of a box that comes with the outlet's data, sealed.
fn seal(app: &AppState, request: &EnrolRequest) -> Result<Option<Vec<u8>>, Problem> {
    let (Some(card), Some(pepper)) = (&request.outlet, &request.pepper) else { return Ok(None) };
    sealed(app, PEPPER, card.id, pepper).map(Some)
}

fn sealed(app: &AppState, what: &str, outlet: Uuid, text: &str) -> Result<Vec<u8>, Problem> {
    let sealed = app.keys.sealer.seal(app.env().random_bytes(), &purpose(what, outlet), text.as_bytes());
    sealed.map_err(|error| {
        tracing::error!(%error, %outlet, what, "a secret cannot be sealed");
        Problem::new(Code::Internal)
    })
}

/// A secret for a box that comes without data. Without the pepper it works, but nobody's PIN does; without the authority tablets install
/// another one.
fn open(app: &AppState, what: &str, outlet: Uuid, sealed: &[u8]) -> Option<String> {
    let clear = app.keys.sealer.open(&purpose(what, outlet), sealed);
    let clear = clear.inspect_err(|error| tracing::error!(%error, %outlet, what, "a sealed secret"));
    String::from_utf8(clear.ok()?).ok()
}

/// Keeps the certificate authority that the tablets of `outlet` believe, sealed, where it is another than before.
///
/// # Errors
/// The store's; a text that is none.
pub(super) async fn keep_authority(app: &AppState, outlet: Uuid, pem: String) -> Result<(), Problem> {
    let is_authority = pem.len() <= LONGEST_AUTHORITY
        && ["-----BEGIN CERTIFICATE-----", "PRIVATE KEY-----"].iter().all(|mark| pem.contains(mark));
    if !is_authority {
        return Err(Problem::field("tlsAuthority", "must be a certificate and its key (PEM)"));
    }
    let held = app.look(move |from| Ok(outlets::tls_authority(from, outlet)?)).await?;
    if held.and_then(|held| open(app, AUTHORITY, outlet, &held)).is_some_and(|held| held == pem) {
        return Ok(());
    }
    let sealed = sealed(app, AUTHORITY, outlet, &pem)?;
    Ok(app.change(move |change| outlets::set_tls_authority(change, outlet, &sealed)).await?)
}
