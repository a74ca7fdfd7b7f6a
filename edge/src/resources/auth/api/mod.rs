//! `/auth` over HTTP: what its handlers share.

pub mod accounts;
pub mod passwords;
pub mod pins;
pub mod sessions;
pub mod sign_in;

use super::rules::{Account, AuthError};
use crate::access::describe::Describe;
use crate::access::{Permission, Principal, Revocations, Role, Tokens, pin_turn};
use crate::db::{self, Db, Source};
use crate::http::client::ClientAddress;
use crate::http::{Code, Problem, Result};
use crate::resources::outlets::{self, rules::Outlet};
use crate::state::{AppState, ByMail, Secrets};
use axum::extract::{FromRef, FromRequestParts};
use axum::http::request::Parts;
use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr};
use tiffin_common::Uuid;

/// Nothing to tell but that it is done.
#[apply(answer!)]
pub struct Done {}

view! {
    /// An outlet of an account.
    pub struct UserOutlet of outlet: &Outlet {
        id: Uuid = outlet.id,
        code: String = outlet.code.clone(),
        name: String = outlet.name.clone(),
    }
}

view! {
    /// Who is signed in.
    pub struct User of account: &Account, all: &[Outlet], by_pin: bool {
        id: Uuid = account.id,
        email: String = account.email.clone(),
        name: String = account.name.clone(),
        role: Role = account.role,
        /// What the role holds; of who is known by a PIN alone, what is of the till.
        permissions: Vec<Permission> = {
            let all = account.role.permissions().into_iter();
            all.filter(|permission| !by_pin || permission.is_of_till()).collect()
        },
        /// The default one first; for a super-admin all.
        outlets: Vec<UserOutlet> = match account.role {
            Role::SuperAdmin => all.iter().map(UserOutlet::from).collect(),
            _ => {
                let of = |id: &Uuid| all.iter().find(|outlet| outlet.id == *id).map(UserOutlet::from);
                account.outlets.iter().filter_map(of).collect()
            }
        },
        #[serde(skip_serializing_if = "Option::is_none")]
        employee_id: Option<Uuid> = account.employee_id,
    }
}

/// The account as its holder sees it.
fn user(conn: &dyn Source, account: &Account, by_pin: bool) -> db::Result<User> {
    Ok(User::of(account, &outlets::store::list(conn)?, by_pin))
}

/// What sign-in works with.
#[derive(Clone, FromRef)]
pub struct Desk {
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
    fn issue(&self, principal: &Principal, lifetime_ms: i64) -> Result<String> {
        let env = self.db.env();
        let now = env.clock.now();
        let holders = [principal.session_id, principal.account_id, pin_turn(principal.session_id)];
        let at = self.revocations.issue_at(&holders, now);
        self.tokens.issue_at(principal, env.ids.next(now), at, lifetime_ms)
    }

    /// Voids the access tokens of sessions and accounts, after the commit that signed them out.
    fn void(&self, ids: impl IntoIterator<Item = Uuid>) {
        self.revocations.revoke_all(ids, self.db.env().clock.now());
    }
}

/// The client's address, as the outermost layer found it.
pub struct Caller(IpAddr);

impl Describe for Caller {}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let ip = parts.extensions.get::<ClientAddress>().map(|client| client.ip);
        Ok(Caller(ip.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED))))
    }
}

answered! {
    AuthError of "account" {
        AuthError::WrongCredentials => Problem::new(Code::InvalidCredentials),
        AuthError::WrongPin => Problem::new(Code::InvalidPin),
        AuthError::SignedOut => Problem::new(Code::Unauthorized).detail("Sign in again"),
        AuthError::Locked(seconds) => Problem::new(Code::Locked)
            .detail(format!("Too many wrong entries; try again in {seconds} s"))
            .retry_after(seconds),
        AuthError::Forbidden(why) => Problem::new(Code::Forbidden).detail(why),
        AuthError::NeedsApprover(right) => Problem::new(Code::Forbidden)
            .detail(format!("Needs an approver who holds {right}: send their approverPin")),
        AuthError::PinTooShort => Problem::new(Code::Forbidden)
            .detail("The approver's PIN has too few digits to approve with: choose a longer one (approverPinMinDigits)"),
        AuthError::ApproverMayNot(right) => {
            Problem::new(Code::Forbidden).detail(format!("The approver does not hold {right}"))
        }
    }
}
