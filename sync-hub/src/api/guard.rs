//! The edge of a request of head office's people: who is calling, and may they. Answers 401 and 403 before a body is read. Never
//! knows an outlet: handlers ask whether the caller covers it.

use crate::registry::{Actor, Change, RegistryError, idempotency};
use crate::state::AppState;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::MethodRouter;
use edge::access::describe::Describe;
use edge::access::{Access, Principal, keyed, recognised};
use edge::http::client::{ClientAddress, Device};
use edge::http::idempotency::Idempotency;
use edge::http::observe::Served;
use edge::http::reply::{json, respond};
use edge::http::{Code, Data, Problem};
use serde::Serialize;
use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr};
use tiffin_common::Uuid;

/// Puts a route behind its guard.
pub fn layer(app: &AppState) -> impl Fn(Access, MethodRouter<AppState>) -> MethodRouter<AppState> {
    let app = app.clone();
    move |access, handler| handler.route_layer(from_fn_with_state((app.clone(), access), admit))
}

async fn admit(
    State((app, access)): State<(AppState, Access)>,
    mut request: Request,
    next: Next,
) -> Result<Response, Problem> {
    if access == Access::Public {
        return Ok(next.run(keyed(request, &app.tokens).await?).await);
    }
    let bearer = recognised(&mut request, &app.tokens, &app.revocations)?;
    let principal = bearer.principal.clone();
    if let Access::Needs(permission) = access
        && !principal.role.holds(permission)
    {
        let role = principal.role.name();
        return Err(Problem::new(Code::Forbidden).detail(format!("The role {role} may not do this")));
    }
    let served = Served { account: principal.account_id, outlet: Uuid::nil() };
    let mut request = keyed(request, &app.tokens).await?;
    request.extensions_mut().insert(Device(principal.session_id));
    request.extensions_mut().insert(principal);
    let mut response = bearer.answers(next.run(request).await, &app.tokens, &app.revocations);
    response.extensions_mut().insert(served);
    Ok(response)
}

/// The context of one signed request.
pub struct Cx {
    /// The caller.
    pub principal: Principal,
    /// Head office.
    pub app: AppState,
    if_match: Option<i64>,
    idempotency: Option<Idempotency>,
}

impl Describe for Cx {}

impl FromRequestParts<AppState> for Cx {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, Problem> {
        let principal = parts.extensions.remove::<Principal>().ok_or_else(|| {
            tracing::error!("a handler asks for its caller on a public route");
            Problem::new(Code::Internal)
        })?;
        Ok(Cx {
            principal,
            app: app.clone(),
            if_match: edge::access::cx::if_match(&parts.headers)?,
            idempotency: parts.extensions.remove::<Idempotency>(),
        })
    }
}

impl Cx {
    /// Who acts.
    pub fn actor(&self) -> Actor {
        Actor::of(&self.principal)
    }

    /// The version the client expects, from `If-Match`.
    pub fn expected_version(&self) -> Option<i64> {
        self.if_match
    }

    /// The outlets the caller may see; none: all.
    pub fn visible(&self) -> Option<Vec<Uuid>> {
        let is_super = self.principal.role == edge::access::Role::SuperAdmin;
        (!is_super).then(|| self.principal.outlets.clone())
    }

    /// Refuses an outlet that is not the caller's, as one that is not there.
    ///
    /// # Errors
    /// 404.
    pub fn cover(&self, outlet: Uuid) -> Result<(), Problem> {
        if self.actor().covers(outlet) { Ok(()) } else { Err(Problem::not_found("outlet")) }
    }

    /// One change of the registry in one transaction, once per idempotency key; answers with its enveloped result.
    pub async fn change<T, F>(self, status: StatusCode, work: F) -> Result<Response, Problem>
    where
        F: FnOnce(&Change<'_>, &Actor) -> Result<T, RegistryError> + Send + 'static,
        T: Serialize + Send + 'static,
    {
        let (actor, key, sealer) = (self.actor(), self.idempotency, self.app.keys.sealer.clone());
        let owner = self.principal.account_id;
        let work = move |change: &Change<'_>| -> Result<_, RegistryError> {
            if let Some(key) = &key
                && let Some((status, body)) = idempotency::find(change, &sealer, owner, key)?
            {
                return Ok((status, body, true));
            }
            let body = json(&Data::new(work(change, &actor)?))
                .map_err(|problem| RegistryError::Refused(Box::new(problem)))?;
            if let Some(key) = &key {
                idempotency::keep(change, &sealer, owner, key, status.as_u16(), &body)?;
            }
            Ok((status.as_u16(), body, false))
        };
        let (status, body, replayed) = self.app.change(work).await?;
        Ok(respond(status, body, replayed))
    }
}

/// The address of the client.
pub struct From(pub IpAddr);

impl Describe for From {}

impl<S: Send + Sync> FromRequestParts<S> for From {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let client = parts.extensions.get::<ClientAddress>();
        Ok(From(client.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |client| client.ip)))
    }
}
