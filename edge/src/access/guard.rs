//! The edge of a request: who is calling, may they, for which outlet. Answers 401 and 403 before a body is read; then
//! reads the body of a keyed POST once, to know what the key stands for. Never looks into the body.

use super::permission::{Permission, Role};
use super::principal::Principal;
use super::revocations::{Revocations, pin_turn};
use super::tokens::Tokens;
use crate::db::{Db, DbError, opt};
use crate::http::client::{Carried, Device};
use crate::http::idempotency::Idempotency;
use crate::http::observe::Served;
use crate::http::{Code, Problem, Result};
use axum::body::Body;
use axum::extract::{FromRef, Request, State};
use axum::http::{HeaderMap, Method, header};
use axum::middleware::Next;
use axum::response::Response;
use futures_util::StreamExt;
use tiffin_common::{Millis, Uuid};

/// The largest body a keyed POST may have while it is hashed: the largest any route takes (documents, 10 MiB).
const KEYED_BODY_LIMIT: usize = 10 * 1024 * 1024;

/// What the guard found out, for [`Cx`](super::Cx).
#[derive(Debug, Clone)]
pub struct Scope {
    /// The caller.
    pub principal: Principal,
    /// The outlet of this request.
    pub outlet_id: Uuid,
}

/// The parts of the state the guard needs.
#[derive(Clone)]
pub(super) struct Guard {
    tokens: Tokens,
    revocations: Revocations,
    db: Db,
    permission: Option<Permission>,
}

impl Guard {
    pub(super) fn new<S>(state: &S, permission: Option<Permission>) -> Guard
    where
        Tokens: FromRef<S>,
        Revocations: FromRef<S>,
        Db: FromRef<S>,
    {
        Guard {
            tokens: Tokens::from_ref(state),
            revocations: Revocations::from_ref(state),
            db: Db::from_ref(state),
            permission,
        }
    }

    async fn admit(&self, principal: Principal, headers: &HeaderMap) -> Result<Scope> {
        let outlet_id = self.outlet(headers, &principal).await;
        if let Some(needed) = self.permission.filter(|needed| !principal.holds(*needed))
            && !self.is_granted_here(&principal, needed, outlet_id.as_ref().ok().copied()).await?
        {
            let role = principal.role.name();
            let detail = match principal.role.holds(needed) {
                true => "A PIN opens the till alone: sign in with the password for this".to_owned(),
                false => format!("The role {role} may not do this"),
            };
            return Err(Problem::new(Code::Forbidden).detail(detail));
        }
        Ok(Scope { principal, outlet_id: outlet_id? })
    }

    /// Whether the outlet gives the caller's role a right that roles do not have by themselves: waiters may take payments where it says so.
    async fn is_granted_here(
        &self,
        principal: &Principal,
        needed: Permission,
        outlet: Option<Uuid>,
    ) -> Result<bool> {
        let Some(outlet) = outlet else { return Ok(false) };
        if (principal.role, needed) != (Role::Waiter, Permission::PaymentsTake) {
            return Ok(false);
        }
        let sql = "SELECT waiters_take_payments FROM outlets WHERE id = ?1";
        let found = self.db.of(outlet).read(move |conn| opt(conn, sql, [outlet], |row| row.get(0))).await;
        Ok(found.map_err(|error: DbError| Problem::from(error))?.unwrap_or(false))
    }

    async fn outlet(&self, headers: &HeaderMap, principal: &Principal) -> Result<Uuid> {
        let named = match headers.get("x-outlet-id") {
            None => None,
            Some(value) => Some(
                value.to_str().ok().and_then(|text| Uuid::try_parse(text.trim()).ok()).ok_or_else(|| {
                    Problem::new(Code::BadRequest)
                        .detail("x-outlet-id must be a UUID")
                        .with_field("x-outlet-id", "must be a valid uuid")
                })?,
            ),
        };
        match (principal.role, named) {
            (Role::SuperAdmin, None) => {
                Err(Problem::new(Code::OutletRequired).detail("A super-admin must send x-outlet-id"))
            }
            (Role::SuperAdmin, Some(outlet)) => self.known(outlet).await,
            (_, Some(outlet)) if principal.outlets.contains(&outlet) => Ok(outlet),
            (_, Some(_)) => Err(Problem::new(Code::OutletForbidden)),
            (_, None) => {
                principal.outlets.first().copied().ok_or_else(|| Problem::new(Code::OutletForbidden))
            }
        }
    }

    async fn known(&self, outlet: Uuid) -> Result<Uuid> {
        let found = self
            .db
            .of(outlet)
            .read(move |conn| opt(conn, "SELECT 1 FROM outlets WHERE id = ?1", [outlet], |_| Ok(())))
            .await
            .map_err(|error: DbError| Problem::from(error))?;
        found.map(|()| outlet).ok_or_else(|| Problem::new(Code::OutletForbidden).detail("No such outlet"))
    }
}

/// How long what was taken before the next person's PIN may still come in.
const LATE_MS: i64 = 180_000;

/// Who bears an access token that holds.
#[derive(Debug, Clone)]
pub struct Bearer {
    /// Whose token it is.
    pub principal: Principal,
    issued_at: Millis,
}

impl Bearer {
    /// Who sends `request`.
    fn of(request: &Request, tokens: &Tokens, revocations: &Revocations) -> Result<Bearer> {
        let (principal, issued_at) = tokens.read(bearer(request.headers())?)?;
        let bearer = Bearer { principal, issued_at };
        if bearer.is_signed_out(revocations) {
            return Err(Problem::new(Code::Unauthorized).detail("This device has been signed out"));
        }
        let now = tokens.now();
        match bearer.turn_ended(revocations, now) {
            Some(at) if !is_order(request) || now.since(at) > LATE_MS => {
                let detail = "Enter your PIN: somebody else's was entered, this one was ended, or nobody was here for a while";
                return Err(Problem::new(Code::Unauthorized).detail(detail));
            }
            None if bearer.principal.by_pin => {
                revocations.hear(pin_turn(bearer.principal.session_id), now);
            }
            _ => {}
        }
        Ok(bearer)
    }

    fn is_signed_out(&self, revocations: &Revocations) -> bool {
        let is_void = |id| revocations.is_revoked(id, self.issued_at);
        is_void(self.principal.session_id) || is_void(self.principal.account_id)
    }

    /// When the turn ended of whoever is known by a PIN alone.
    fn turn_ended(&self, revocations: &Revocations, now: Millis) -> Option<Millis> {
        let turn = self.principal.by_pin.then(|| pin_turn(self.principal.session_id))?;
        let ended = revocations.void_since(turn, self.issued_at);
        ended.or_else(|| revocations.left_alone_since(turn, self.issued_at, now))
    }

    /// `response`; what has no end of its own ends with the sign-in.
    #[must_use]
    pub fn answers(self, response: Response, tokens: &Tokens, revocations: &Revocations) -> Response {
        let kind = response.headers().get(header::CONTENT_TYPE);
        if kind.is_none_or(|kind| !kind.as_bytes().starts_with(b"text/event-stream")) {
            return response;
        }
        let (tokens, revocations) = (tokens.clone(), revocations.clone());
        let over = async move {
            let is_over = |known: &Revocations| {
                self.is_signed_out(known) || self.turn_ended(known, tokens.now()).is_some()
            };
            revocations.until(is_over).await;
        };
        response.map(|body| Body::from_stream(body.into_data_stream().take_until(Box::pin(over))))
    }
}

/// Whether it brings an order that may have been taken before: keyed, so that it counts once.
fn is_order(request: &Request) -> bool {
    let path = request.uri().path();
    let brings = path.ends_with("/orders") || (path.contains("/orders/") && path.ends_with("/items"));
    brings && request.method() == Method::POST && request.headers().contains_key("idempotency-key")
}

/// The caller of a request whose token was read before it came to its route.
#[derive(Debug, Clone)]
struct Recognised(Box<Bearer>);

/// Who sends `request`, as [`recognise`] or else its token says.
///
/// # Errors
/// 401.
pub fn recognised(request: &mut Request, tokens: &Tokens, revocations: &Revocations) -> Result<Bearer> {
    match request.extensions_mut().remove::<Recognised>() {
        Some(Recognised(bearer)) => Ok(*bearer),
        None => Bearer::of(request, tokens, revocations),
    }
}

/// The layer of all routes: knows whose request it is, where a token says so, before anything is counted. Refuses nothing.
pub async fn recognise(
    State((tokens, revocations)): State<(Tokens, Revocations)>,
    mut request: Request,
    next: Next,
) -> Response {
    if let Ok(bearer) = Bearer::of(&request, &tokens, &revocations) {
        if let Some(carried) = request.extensions().get::<Carried>() {
            carried.vouch();
        }
        request.extensions_mut().insert(Device(bearer.principal.session_id));
        request.extensions_mut().insert(Recognised(Box::new(bearer)));
    }
    next.run(request).await
}

/// The text after `Authorization: Bearer`.
///
/// # Errors
/// 401 when there is none.
pub fn bearer(headers: &HeaderMap) -> Result<&str> {
    let Some(value) = headers.get(header::AUTHORIZATION) else {
        return Err(Problem::new(Code::Unauthorized).detail("No token provided"));
    };
    let text = value.to_str().ok().and_then(|text| text.split_once(' '));
    text.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, token)| token.trim())
        .ok_or_else(|| Problem::new(Code::Unauthorized).detail("Send Authorization: Bearer <token>"))
}

/// The layer of a signed route.
pub(super) async fn signed(State(guard): State<Guard>, mut request: Request, next: Next) -> Result<Response> {
    let bearer = recognised(&mut request, &guard.tokens, &guard.revocations)?;
    let scope = guard.admit(bearer.principal.clone(), request.headers()).await?;
    let mut request = keyed(request, &guard.tokens).await?;
    let account = (scope.principal.account_id, scope.outlet_id);
    request.extensions_mut().insert(Device(scope.principal.session_id));
    request.extensions_mut().insert(scope);
    let mut response = bearer.answers(next.run(request).await, &guard.tokens, &guard.revocations);
    response.extensions_mut().insert(Served { account: account.0, outlet: account.1 });
    Ok(response)
}

/// The layer of a public route.
pub(super) async fn public(State(tokens): State<Tokens>, request: Request, next: Next) -> Result<Response> {
    Ok(next.run(keyed(request, &tokens).await?).await)
}

/// Adds the [`Idempotency`] of a POST that carries a key.
///
/// # Errors
/// 400 for a key that is none, 413 for a body past any bound.
pub async fn keyed(request: Request, tokens: &Tokens) -> Result<Request> {
    if request.method() != Method::POST {
        return Ok(request);
    }
    let Some(key) = Idempotency::key_of(request.headers())? else { return Ok(request) };
    let (mut parts, body) = request.into_parts();
    let bytes = axum::body::to_bytes(body, KEYED_BODY_LIMIT).await.map_err(|error| {
        let too_long =
            std::error::Error::source(&error).is_some_and(|e| e.is::<http_body_util::LengthLimitError>());
        Problem::new(if too_long { Code::PayloadTooLarge } else { Code::BadRequest })
    })?;
    let path = parts.uri.path().trim_start_matches("/api");
    let request_hash = tokens.fingerprint(parts.method.as_str(), path, &bytes);
    let lasting = tokens.lasting(&key, parts.method.as_str(), path, &bytes);
    parts.extensions.insert(Idempotency { key, request_hash, lasting });
    Ok(Request::from_parts(parts, Body::from(bytes)))
}
