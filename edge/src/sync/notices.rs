//! What the managers are told of the exchange. Never more than one unread notice of a kind; what stays as it is is told once an hour
//! at most, because a notice is a row of the log that is sent, too.

use super::store;
use crate::db::{DbError, Tx};
use crate::exchange::Footing;
use crate::resources::notifications::actions::notify;
use crate::resources::notifications::{Audience, Notice, Severity};
use tiffin_common::Uuid;
use tiffin_common::registry::Table;

fn tell(
    tx: &Tx<'_>,
    outlet: Uuid,
    kind: &'static str,
    severity: Severity,
    title: &str,
    body: &str,
) -> Result<(), DbError> {
    let (title, body) = (title.to_owned(), body.to_owned());
    let dedupe_key = kind.to_owned();
    let notice =
        Notice { kind, severity, title, body, audience: Audience::Managers, entity: None, dedupe_key };
    notify(tx, outlet, notice)
}

/// A row could not be taken as it came.
pub(super) fn review(tx: &Tx<'_>, outlet: Uuid, table: &Table) -> Result<(), DbError> {
    let title = format!("A record of {} needs a look", table.name.replace('_', " "));
    let body = "It could not be taken over as it was; GET /sync-reviews shows both versions.";
    tell(tx, outlet, "SYNC_REVIEW", Severity::Warning, &title, body)
}

/// A lost part of the log was taken back.
pub(super) fn recovered(tx: &Tx<'_>, outlet: Uuid, rows: usize, reviews: usize) -> Result<(), DbError> {
    let title = format!("{rows} records were taken back from head office");
    let body = match reviews {
        0 => "This box's database was older than head office's copy. Everything is back.".to_owned(),
        n => format!(
            "This box's database was older than head office's copy. {n} records need a look: GET /sync-reviews shows both versions."
        ),
    };
    tell(tx, outlet, "SYNC_RECOVERED", Severity::Critical, &title, &body)
}

/// What another box had was taken over.
pub(super) fn taken_over(tx: &Tx<'_>, outlet: Uuid, rows: usize, reviews: usize) -> Result<(), DbError> {
    let title = format!("{rows} records of the box before this one were taken over");
    let body = format!("Head office ordered it. Records that need a look (GET /sync-reviews): {reviews}.");
    tell(tx, outlet, "SYNC_SALVAGE", Severity::Warning, &title, &body)
}

pub(super) fn standing(tx: &Tx<'_>, outlet: Uuid, standing: Footing) -> Result<(), DbError> {
    let (title, body) = match standing {
        Footing::Fenced => (
            "Another box has taken this one's place",
            "What is sold here reaches head office for review only. Stop this box.",
        ),
        Footing::Fork => (
            "Two boxes speak for this outlet",
            "Head office keeps what both send and must decide which of them goes on.",
        ),
        Footing::Revoked => (
            "Head office does not know this box any more",
            "Its key was withdrawn: this box is no longer the branch's. Enrol it again, or stop it: what is sold here reaches nobody.",
        ),
        Footing::TooOld => {
            ("This box's program is too old for head office", "Selling goes on. Update the box.")
        }
        Footing::Normal | Footing::Recovering | Footing::Restoring | Footing::Lacking => return Ok(()),
    };
    tell(tx, outlet, "SYNC_STANDING", Severity::Critical, title, body)
}

/// How long nothing is said of what has not changed, in milliseconds.
const QUIET_MS: i64 = 3_600_000;

/// Whether there was a notice of this kind within the hour, read or not.
fn was_told(tx: &Tx<'_>, outlet: Uuid, kind: &'static str) -> Result<bool, DbError> {
    let told = store::find_told(tx, outlet, kind)?;
    Ok(told.is_some_and(|at| (0..QUIET_MS).contains(&tx.now().since(at))))
}

/// Head office's copy differs, as it did before or not.
pub(super) fn differs(tx: &Tx<'_>, outlet: Uuid, buckets: usize, as_before: bool) -> Result<(), DbError> {
    if as_before && was_told(tx, outlet, "SYNC_DIGEST")? {
        return Ok(());
    }
    let title = format!("Head office's copy differed in {buckets} places");
    let body =
        "The rows were sent again. If this comes back, ask for help: something writes past the program.";
    tell(tx, outlet, "SYNC_DIGEST", Severity::Critical, &title, body)
}

/// Head office has lost more than this box still keeps.
pub(super) fn gone(tx: &Tx<'_>, outlet: Uuid) -> Result<(), DbError> {
    if was_told(tx, outlet, "SYNC_GONE")? {
        return Ok(());
    }
    let title = "Head office lacks changes that this box no longer keeps";
    let body = "Selling goes on. Ask head office for a code and enrol this box with --reseed: it then sends all its records again.";
    tell(tx, outlet, "SYNC_GONE", Severity::Critical, title, body)
}
