//! Handles of the lower layers that handlers may ask for, one part at a time. Never a resource, never logic.

use crate::access::{Revocations, Tokens};
use crate::config::Ai;
use crate::db::Db;
use crate::http::limit::Limits;
use crate::http::observe::Frame;
use axum::extract::FromRef;
use std::sync::Arc;
use tokio::sync::watch;

/// The parts. Extractors ask for one of them, never for the whole.
#[derive(Clone, FromRef)]
pub struct AppState {
    /// The store.
    pub db: Db,
    /// Access tokens.
    pub tokens: Tokens,
    /// Voided access tokens.
    pub revocations: Revocations,
    /// Rate limits.
    pub limits: Limits,
    /// Secrets kept outside the database.
    pub secrets: Secrets,
    /// The address guests and other systems reach this box at, without a trailing slash.
    pub public_url: PublicUrl,
    /// Whether mail can be sent.
    pub by_mail: ByMail,
    /// Turns true when the process is asked to stop: streams end.
    pub stopping: Stopping,
    /// What the layers around every handler need.
    pub frame: Frame,
    /// The model that helps the assistant.
    pub ai: Ai,
}

/// The routes of this application.
pub type Routes = crate::access::Routes<AppState>;

/// The address guests and other systems reach this box at, without a trailing slash.
#[derive(Debug, Clone)]
pub struct PublicUrl(pub Arc<str>);

/// Whether mail can be sent: codes go by it then, and by notification otherwise.
#[derive(Debug, Clone, Copy)]
pub struct ByMail(pub bool);

/// Turns true when the process is asked to stop.
#[derive(Debug, Clone)]
pub struct Stopping(pub watch::Receiver<bool>);

/// Secrets of this box: made at the first start, kept 0600 outside the database and its backups.
#[derive(Clone)]
pub struct Secrets {
    /// Mixed into every PIN hash.
    pub pepper: Arc<[u8; 32]>,
    /// Seals the successors of refresh tokens for the seconds they must be repeatable.
    pub sealing_key: Arc<[u8; 32]>,
}
