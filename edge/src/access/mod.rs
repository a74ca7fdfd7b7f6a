//! Who may do what: principals, the permission table, access tokens, and the route table that ties a handler to its
//! permission. Never reads a resource's tables.

pub mod cx;
pub mod describe;
mod guard;
pub mod hashing;
mod intake;
pub mod once;
pub mod openapi;
pub mod operation;
pub mod password;
pub mod permission;
pub mod principal;
pub mod revocations;
pub mod routes;
pub mod seal;
pub mod tokens;
pub mod totp;
mod words;

pub use cx::Cx;
pub use guard::{Bearer, Scope, bearer, keyed, recognise, recognised};
pub use hashing::PinHash;
pub use once::{Again, Made};
pub use permission::{Permission, Role};
pub use principal::{Actor, Approver, Principal};
pub use revocations::{Revocations, pin_turn};
pub use routes::{Access, Route, Routes, delete, get, get_here, patch, post, put};
pub use tokens::Tokens;
