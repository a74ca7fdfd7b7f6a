//! Handles of the lower layers that handlers may ask for, one part at a time. Never a resource, never logic.

use crate::access::{Revocations, Tokens};
use crate::config::{Ai, Printers};
use crate::db::Db;
use crate::http::client::TlsTrust;
use crate::http::limit::Limits;
use crate::http::observe::Frame;
use axum::extract::FromRef;
use std::sync::Arc;
use tiffin_common::Millis;
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
    /// Where printers may be.
    pub printers: Printers,
    /// How the backups stand.
    pub backups: BackupWatch,
    /// How long the certificate holds.
    pub certificate: CertificateWatch,
    /// Whether devices believe it.
    pub trust: TlsTrust,
}

/// What a handler that only reads may ask for: so little that head office, which has copies of the rows and no secret of a branch, can
/// provide it as well.
#[derive(Clone, FromRef)]
pub struct Reading {
    /// The rows.
    pub db: Db,
    /// The address in links.
    pub public_url: PublicUrl,
    /// How the backups stand.
    pub backups: BackupWatch,
}

impl FromRef<AppState> for Reading {
    fn from_ref(state: &AppState) -> Self {
        Reading { db: state.db.clone(), public_url: state.public_url.clone(), backups: state.backups.clone() }
    }
}

/// The routes of this application.
pub type Routes = crate::access::Routes<AppState, Reading>;

/// The address guests and other systems reach this box at, without a trailing slash.
#[derive(Debug, Clone)]
pub struct PublicUrl(pub Arc<str>);

/// Whether mail can be sent: codes go by it then, and by notification otherwise.
#[derive(Debug, Clone, Copy)]
pub struct ByMail(pub bool);

/// How the backups stand at a moment; none where there is nothing to back up. What takes them hands this down.
#[derive(Clone, Default)]
pub struct BackupWatch(pub Option<Arc<LookAtBackups>>);

/// What looks.
pub type LookAtBackups = dyn Fn(Millis) -> BackupStatus + Send + Sync;

/// Until when the TLS certificate in use holds; none without TLS. What keeps the certificate hands this down.
#[derive(Clone, Default)]
pub struct CertificateWatch(pub Option<Arc<LookAtCertificate>>);

/// What looks.
pub type LookAtCertificate = dyn Fn() -> Millis + Send + Sync;

/// How the backups stand.
#[apply(figures!)]
pub struct BackupStatus {
    /// When the newest backup on this box was taken; null when there is none.
    pub last_at: Option<Millis>,
    /// Size of the newest backup, in bytes.
    pub last_bytes: Option<u64>,
    /// Whether nightly ones are wanted and the newest is older than a day and a half.
    pub overdue: bool,
    /// Whether a second place is set, such as a stick.
    pub second_place: bool,
    /// When the newest backup there was taken; null when there is none, or the place is not there.
    pub second_at: Option<Millis>,
    /// Whether nightly ones are wanted and the newest there is older than a day and a half.
    pub second_overdue: bool,
}

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
