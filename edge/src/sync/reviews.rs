//! What a recovery or head office's rows could not settle by themselves: both versions of a row, kept until a person has looked at
//! them. Settling one changes nothing but that: what is to be done with the row is done on its own screen.

pub use super::review::{ListReviews, Review};

use super::store;
use crate::access::Actor;
use crate::db::{self, Source, Tx};
use crate::http::Page;
use crate::resources::audit::{self, Entry};
use tiffin_common::Uuid;

/// The reviews of an outlet, newest first; of a branch or of head office's copy of one.
pub fn list(from: &dyn Source, outlet: Uuid, filter: &ListReviews) -> db::Result<Page<Review>> {
    store::list_reviews(from, outlet, filter)
}

/// Somebody has looked at it and leaves a note; settled once, it stays settled. None when there is no such one.
pub fn resolve(tx: &Tx<'_>, actor: &Actor, id: Uuid, note: Option<&str>) -> db::Result<Option<Review>> {
    let Some(review) = store::find_review(tx, actor.outlet_id, id)? else { return Ok(None) };
    if store::set_resolved(tx, actor, Some(id))? > 0 {
        let entry = Entry::new("sync_review.resolve", "sync_review", Some(id)).after(&review);
        audit::actions::record(tx, actor, noted(entry, note))?;
    }
    store::find_review(tx, actor.outlet_id, id)
}

/// Settles all that are open; how many that were.
pub fn resolve_all(tx: &Tx<'_>, actor: &Actor, note: Option<&str>) -> db::Result<usize> {
    let resolved = store::set_resolved(tx, actor, None)?;
    if resolved > 0 {
        let entry = Entry::new("sync_review.resolve_all", "sync_review", None);
        audit::actions::record(tx, actor, noted(entry.after(&resolved), note))?;
    }
    Ok(resolved)
}

fn noted(entry: Entry, note: Option<&str>) -> Entry {
    note.map_or(entry.clone(), |note| entry.reason(note))
}
