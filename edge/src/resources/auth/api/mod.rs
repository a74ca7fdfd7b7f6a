//! `/auth` over HTTP: what its handlers share.

pub(super) mod accounts;
pub(super) mod passwords;
pub(super) mod pins;
pub(super) mod sessions;
pub(super) mod sign_in;

use super::rules::{Account, AuthError};
use crate::access::{Permission, Principal, Revocations, Role, Tokens};
use crate::db::{self, Db, Source};
use crate::http::client::ClientAddress;
use crate::http::{Code, Problem};
use crate::resources::outlets;
use crate::state::{AppState, ByMail, Secrets};
use axum::extract::{FromRef, FromRequestParts};
use axum::http::request::Parts;
use schemars::JsonSchema;
use serde::Serialize;
use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr};
use tiffin_common::Uuid;

/// Nothing to tell but that it is done.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Done {}

/// An outlet of an account.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UserOutlet {
    id: Uuid,
    code: String,
    name: String,
}

/// Who is signed in.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct User {
    id: Uuid,
    email: String,
    name: String,
    role: Role,
    /// What the role holds.
    permissions: Vec<Permission>,
    /// The default one first; for a super-admin all.
    outlets: Vec<UserOutlet>,
    #[serde(skip_serializing_if = "Option::is_none")]
    employee_id: Option<Uuid>,
}

impl User {
    /// The account as its holder sees it.
    fn of(conn: &dyn Source, account: &Account) -> db::Result<User> {
        let mut outlets = outlets::store::list(conn)?;
        if account.role != Role::SuperAdmin {
            outlets.retain(|outlet| account.outlets.contains(&outlet.id));
            outlets.sort_by_key(|outlet| account.outlets.iter().position(|id| *id == outlet.id));
        }
        Ok(User {
            id: account.id,
            email: account.email.clone(),
            name: account.name.clone(),
            role: account.role,
            permissions: account.role.permissions(),
            outlets: outlets
                .into_iter()
                .map(|outlet| UserOutlet {
                    id: outlet.id,
                    code: outlet.code.clone(),
                    name: outlet.name.clone(),
                })
                .collect(),
            employee_id: account.employee_id,
        })
    }
}

/// What sign-in works with.
#[derive(Clone, FromRef)]
pub(super) struct Desk {
    db: Db,
    tokens: Tokens,
    revocations: Revocations,
    secrets: Secrets,
    by_mail: ByMail,
}

impl FromRef<AppState> for Desk {
    fn from_ref(state: &AppState) -> Self {
        Desk {
            db: state.db.clone(),
            tokens: state.tokens.clone(),
            revocations: state.revocations.clone(),
            secrets: state.secrets.clone(),
            by_mail: state.by_mail,
        }
    }
}

impl Desk {
    /// An access token for `principal`.
    fn issue(&self, principal: &Principal, lifetime_ms: i64) -> Result<String, Problem> {
        let env = self.db.env();
        let now = env.clock.now();
        let at = self.revocations.issue_at(&[principal.session_id, principal.account_id], now);
        self.tokens.issue_at(principal, env.ids.next(now), at, lifetime_ms)
    }

    /// Voids the access tokens of sessions and accounts, after the commit that signed them out.
    fn void(&self, ids: impl IntoIterator<Item = Uuid>) {
        self.revocations.revoke_all(ids, self.db.env().clock.now());
    }
}

/// The client's address, as the outermost layer found it.
pub(super) struct Caller(IpAddr);

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let ip = parts.extensions.get::<ClientAddress>().map(|client| client.ip);
        Ok(Caller(ip.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED))))
    }
}

impl From<AuthError> for Problem {
    fn from(error: AuthError) -> Self {
        match error {
            AuthError::WrongCredentials => Problem::new(Code::InvalidCredentials),
            AuthError::WrongPin => Problem::new(Code::InvalidPin),
            AuthError::SignedOut => Problem::new(Code::Unauthorized).detail("Sign in again"),
            AuthError::Locked(seconds) => Problem::new(Code::Locked)
                .detail(format!("Too many wrong entries; try again in {seconds} s"))
                .retry_after(seconds),
            AuthError::NotFound(what) => Problem::not_found(what),
            AuthError::Stale(version) => {
                Problem::new(Code::StaleVersion).detail(format!("The account is at version {version}"))
            }
            AuthError::Invalid(fields) => Problem::invalid(fields),
            AuthError::Forbidden(why) => Problem::new(Code::Forbidden).detail(why),
            AuthError::NeedsApprover(right) => Problem::new(Code::Forbidden)
                .detail(format!("Needs an approver who holds {right}: send their approverPin")),
            AuthError::ApproverMayNot(right) => {
                Problem::new(Code::Forbidden).detail(format!("The approver does not hold {right}"))
            }
            AuthError::Db(error) => error.into(),
        }
    }
}
