//! `/auth` over HTTP: what its handlers share.

pub mod accounts;
pub mod cookies;
pub mod factors;
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
use tiffin_common::{Uuid, words};

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

words! {
    /// Whose an account is.
    pub enum AccountKind {
        /// Somebody's, who signs in with a password or is known at the till by a PIN.
        Person = "PERSON",
        /// A paired device's, which has neither.
        Device = "DEVICE",
    }
}

view! {
    /// Who is signed in.
    pub struct User of account: &Account, all: &[Outlet], by_pin: bool, has_totp: bool {
        id: Uuid = account.id,
        /// Whose the account is.
        kind: AccountKind = if account.role.is_device() { AccountKind::Device } else { AccountKind::Person },
        /// What they sign in with; none of a device, nor of who is known by a PIN alone.
        #[serde(skip_serializing_if = "Option::is_none")]
        email: Option<String> =
            Some(account.email.clone()).filter(|email| !email.is_empty() && !account.role.is_device()),
        name: String = account.name.clone(),
        role: Role = account.role,
        /// What the role holds; of who is known by a PIN alone, what is of the till.
        permissions: Vec<Permission> = {
            let all = account.role.permissions().into_iter();
            all.filter(|permission| !by_pin || permission.is_of_till()).collect()
        },
        /// Whether a code of an authenticator is asked for beside the password.
        totp: bool = has_totp,
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
    let totp = super::actions::has_factor(conn, account.id)?;
    Ok(User::of(account, &outlets::store::list(conn)?, by_pin, totp))
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
    /// The store.
    pub fn db(&self) -> &Db {
        &self.db
    }

    /// An access token for `principal`.
    ///
    /// # Errors
    /// 500 when it cannot be signed.
    pub fn issue(&self, principal: &Principal, lifetime_ms: i64) -> Result<String> {
        let env = self.db.env();
        let now = env.clock.now();
        let holders = [principal.session_id, principal.account_id, pin_turn(principal.session_id)];
        let at = self.revocations.issue_at(&holders, now);
        self.tokens.issue_at(principal, env.ids.next(now), at, lifetime_ms)
    }

    /// Voids the access tokens of sessions and accounts, after the commit that signed them out.
    pub fn void(&self, ids: impl IntoIterator<Item = Uuid>) {
        self.revocations.revoke_all(ids, self.db.env().clock.now());
    }
}

/// The client's address, as the outermost layer found it.
pub struct Caller(pub IpAddr);

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
        AuthError::NeedsCode => Problem::new(Code::TotpRequired),
        AuthError::FactorThere => Problem::new(Code::Conflict)
            .detail("There is a second factor already: somebody above can take it away"),
        AuthError::Locked(seconds) => Problem::new(Code::Locked)
            .detail(format!("Too many wrong entries; try again in {seconds} s"))
            .retry_after(seconds),
        AuthError::Forbidden(why) => Problem::new(Code::Forbidden).detail(why),
        AuthError::NeedsApprover(right) => Problem::new(Code::Forbidden)
            .detail(format!("Needs an approver who holds {right}: send their approverPin"))
            .with_field("approverPin", format!("is needed, of somebody who holds {right}")),
        AuthError::PinTooShort => Problem::new(Code::Forbidden)
            .detail("The approver's PIN has too few digits to approve with: choose a longer one (approverPinMinDigits)"),
        AuthError::ApproverMayNot(right) => {
            Problem::new(Code::Forbidden).detail(format!("The approver does not hold {right}"))
        }
    }
}
