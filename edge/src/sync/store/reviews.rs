//! Rows of `sync_reviews`: what could not be put back, or was put aside, for a person to look at. Nothing here deletes one.

use crate::access::Actor;
use crate::db::{Columns, Json, Page, Result, Source, Tx, opt};
use crate::log::with_row;
use crate::sync::review::{ListReviews, Reason, Review};
use rusqlite::params;
use serde_json::{Map, Value as JsonValue};
use tiffin_common::Uuid;
use tiffin_common::frame::Value;
use tiffin_common::registry::Table;

/// Columns that no list of differences shows.
const SECRET: [&str; 3] = ["password_hash", "pin_hash", "qr_token"];

/// What is put on the list.
pub(in super::super) struct NewReview<'a> {
    pub(in super::super) outlet: Uuid,
    pub(in super::super) table: &'static Table,
    pub(in super::super) row: Uuid,
    pub(in super::super) reason: Reason,
    pub(in super::super) lost: &'a [(usize, Value<'a>)],
    /// The row that has what it should have had; none: itself.
    pub(in super::super) kept: Option<Uuid>,
}

/// Puts it on the list; with it goes how the row stands here, or the other one.
pub(in super::super) fn insert_review(tx: &Tx<'_>, review: &NewReview<'_>) -> Result<()> {
    let mut kept = None;
    with_row(tx, review.table, review.kept.unwrap_or(review.row), |held| {
        kept = Some(shown(review.table, &held))
    })?;
    // A recovery that was begun again says the same again.
    let lost = shown(review.table, review.lost);
    let other = kept.as_ref().and_then(|kept: &JsonValue| kept.get("id")?.as_str());
    let same =
        "SELECT 1 FROM sync_reviews WHERE row_id = ?1 AND reason = ?2 AND lost = ?3 AND resolved_at IS NULL
        AND json_extract(kept, '$.id') IS ?4";
    if opt(tx, same, (review.row, review.reason, lost.to_string(), other), |_| Ok(()))?.is_some() {
        return Ok(());
    }
    insert!(
        tx,
        sync_reviews {
            id: tx.new_id(),
            outlet_id: review.outlet,
            table_name: review.table.name,
            row_id: review.row,
            reason: review.reason,
            lost: Json(lost),
            kept: Json(kept),
            at: tx.now()
        }
    )
    .map(drop)
}

fn shown(table: &Table, columns: &[(usize, Value<'_>)]) -> JsonValue {
    let mut object = Map::new();
    for (column, value) in columns {
        let Some(name) = table.columns.get(*column) else { continue };
        let value = match value {
            _ if SECRET.contains(name) => JsonValue::from("(secret)"),
            Value::Null => JsonValue::Null,
            Value::Integer(integer) => JsonValue::from(*integer),
            Value::Real(real) => JsonValue::from(*real),
            Value::Text(text) => JsonValue::from(*text),
            Value::Id(id) => JsonValue::from(id.to_string()),
            Value::Blob(bytes) => JsonValue::from(format!("{} bytes", bytes.len())),
        };
        object.insert((*name).to_owned(), value);
    }
    JsonValue::Object(object)
}

/// The list of an outlet, newest first. The text is for SQLite and PostgreSQL: head office reads its copy with it.
pub(in super::super) fn list_reviews(
    from: &dyn Source,
    outlet: Uuid,
    filter: &ListReviews,
) -> Result<Page<Review>> {
    let open = if filter.only_open() { " AND resolved_at IS NULL" } else { "" };
    let condition = format!("outlet_id = ?1{open}");
    Page::read(from, (&condition, "at DESC, id DESC"), params![outlet], filter.paging)
}

/// One of the list.
pub(in super::super) fn find_review(from: &dyn Source, outlet: Uuid, id: Uuid) -> Result<Option<Review>> {
    opt(from, select!(Review, "WHERE outlet_id = ?1 AND id = ?2"), [outlet, id], Review::read)
}

/// Somebody has looked at it; of all that are open, where no `id` is given. How many that were.
pub(in super::super) fn set_resolved(tx: &Tx<'_>, actor: &Actor, id: Option<Uuid>) -> Result<usize> {
    tx.execute(
        "UPDATE sync_reviews SET resolved_at = ?3, resolved_by = ?4
         WHERE outlet_id = ?1 AND resolved_at IS NULL AND (?2 IS NULL OR id = ?2)",
        params![actor.outlet_id, id, tx.now(), actor.account_id],
    )
    .map(|()| tx.changed())
}
