//! What a store tells the doctor of itself, whichever it is. Never asks it.

use crate::registry::nights::Nights;
use edge::doctor::Finding;
use tiffin_common::Millis;

/// What a store told of itself.
#[derive(Default)]
pub(super) struct StoreReport {
    pub(super) findings: Vec<Finding>,
    /// Stands for the secret it was made with.
    pub(super) secret_check: Option<Vec<u8>>,
    /// The newest moment it has on record.
    pub(super) newest: Option<Millis>,
    /// The clock of the database server minus this machine's, in milliseconds.
    pub(super) clock_offset_ms: Option<i64>,
    /// PostgreSQL's version, and what is known there of the nightly backups.
    pub(super) server: Option<u32>,
    pub(super) nights: Option<Nights>,
}

/// That there is none where it was looked for.
pub(super) fn no_head_office() -> Finding {
    let advice = "Is it the right database? A new head office is made with: sync-hub init --admin-email you@example.com";
    Finding::broken("schema", "there is no head office in this database", advice)
}
