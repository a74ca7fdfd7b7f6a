//! What head office knows beyond its outlets' rows: outlets, boxes and their keys, enrolment codes, users, audit. SQL text once
//! for every store. Never an outlet's own rows, and never a secret in clear.

pub mod audit;
pub mod codes;
pub mod devices;
pub mod idempotency;
pub mod look;
pub mod meta;
pub mod nights;
pub mod outlets;
pub mod passwords;
pub mod sessions;
pub mod sign_in;
pub mod throttle;
pub mod totp;
pub mod users;

use crate::store::StoreError;
use edge::access::{Principal, Role};
use edge::db::{DbError, Env, Sql};
use edge::http::{Code, FieldError, Problem};
use tiffin_common::{Millis, Uuid};

/// Why something at the registry was refused.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// No such record, or not for this caller.
    #[error("no such {0}")]
    NotFound(&'static str),
    /// Wrong email or password, or a code that opens nothing.
    #[error("wrong credentials")]
    WrongCredentials,
    /// The password was right, and a code of an authenticator is asked for.
    #[error("a code of the authenticator is needed")]
    NeedsCode,
    /// The enrolment code opens nothing: unknown, used or expired.
    #[error("the code is not valid")]
    WrongCode,
    /// The refresh token opens nothing any more.
    #[error("sign in again")]
    SignedOut,
    /// Too many failures; opens after so many seconds.
    #[error("locked for {0} s")]
    Locked(u64),
    /// The caller may not do this.
    #[error("{0}")]
    Forbidden(&'static str),
    /// The state does not allow it.
    #[error("{0}")]
    Conflict(&'static str),
    /// The record has a newer version.
    #[error("the record has changed")]
    Stale,
    /// Offending fields.
    #[error("invalid fields")]
    Invalid(Vec<FieldError>),
    /// A key that stood for another request, and other refusals of the frame.
    #[error(transparent)]
    Refused(Box<Problem>),
    /// The store's.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<DbError> for RegistryError {
    fn from(error: DbError) -> Self {
        RegistryError::Store(error.into())
    }
}

impl From<RegistryError> for Problem {
    fn from(error: RegistryError) -> Self {
        match error {
            RegistryError::NotFound(what) => Problem::not_found(what),
            RegistryError::WrongCredentials => Problem::new(Code::InvalidCredentials),
            RegistryError::NeedsCode => Problem::new(Code::TotpRequired),
            RegistryError::WrongCode => Problem::new(Code::InvalidCredentials)
                .detail("The enrolment code is unknown, used or expired"),
            RegistryError::SignedOut => Problem::new(Code::Unauthorized).detail("Sign in again"),
            RegistryError::Locked(seconds) => Problem::new(Code::Locked).retry_after(seconds),
            RegistryError::Forbidden(why) => Problem::new(Code::Forbidden).detail(why),
            RegistryError::Conflict(why) => Problem::new(Code::Conflict).detail(why),
            RegistryError::Stale => Problem::new(Code::StaleVersion),
            RegistryError::Invalid(fields) => Problem::invalid(fields),
            RegistryError::Refused(problem) => *problem,
            RegistryError::Store(error) => store_problem(error),
        }
    }
}

/// What a failure of the store is to a client.
pub fn store_problem(error: StoreError) -> Problem {
    match error {
        StoreError::Db(error) => error.into(),
        StoreError::NoOutlet => Problem::not_found("outlet"),
        StoreError::GivenUp => Problem::new(Code::Unavailable).retry_after(1),
        StoreError::Decode(error) => {
            tracing::error!(%error, "something stored cannot be read");
            Problem::new(Code::Internal)
        }
    }
}

/// Who acts at head office, when: what every change of the registry is handed.
#[derive(Debug, Clone)]
pub struct Actor {
    /// The user; none for a box or the command line.
    pub user_id: Option<Uuid>,
    /// The name that the audit log shows.
    pub name: String,
    /// The role; none for a box or the command line.
    pub role: Option<Role>,
    /// Outlets of the user; empty for a super-admin: all.
    pub outlets: Vec<Uuid>,
    /// The signed-in device, or the client's address.
    pub device: Option<String>,
}

impl Actor {
    /// The signed-in user.
    pub fn of(principal: &Principal) -> Actor {
        Actor {
            user_id: Some(principal.account_id),
            name: principal.name.clone(),
            role: Some(principal.role),
            outlets: principal.outlets.clone(),
            device: Some(principal.session_id.to_string()),
        }
    }

    /// The command line of this machine, which may do anything.
    pub fn command_line() -> Actor {
        Actor { user_id: None, name: "command line".into(), role: None, outlets: Vec::new(), device: None }
    }

    /// Somebody or something without an account.
    pub fn named(name: impl Into<String>, device: Option<String>) -> Actor {
        Actor { name: name.into(), device, ..Actor::command_line() }
    }

    /// Whether the actor may see and run `outlet`.
    pub fn covers(&self, outlet: Uuid) -> bool {
        match self.role {
            None | Some(Role::SuperAdmin) => true,
            Some(_) => self.outlets.contains(&outlet),
        }
    }

    /// Whether the actor stands above `role`; the command line stands above all.
    pub fn outranks(&self, role: Role) -> bool {
        self.role.is_none_or(|own| own.outranks(role))
    }

    /// Whether the actor's role may give `role` to somebody.
    pub fn may_grant(&self, role: Role) -> bool {
        self.role.is_none_or(|own| own.may_grant(role))
    }
}

/// One change of the registry: where, when, and what makes ids and secrets.
#[derive(Clone, Copy)]
pub struct Change<'a> {
    /// The registry's rows.
    pub sql: &'a dyn Sql,
    /// The moment: one for all that is written.
    pub now: Millis,
    /// Ids and randomness.
    pub env: &'a Env,
}

impl<'a> Change<'a> {
    /// A change that happens now.
    pub fn begin(sql: &'a dyn Sql, env: &'a Env) -> Change<'a> {
        Change { sql, now: env.clock.now(), env }
    }

    /// A new id.
    pub fn new_id(&self) -> Uuid {
        self.env.ids.next(self.now)
    }
}
