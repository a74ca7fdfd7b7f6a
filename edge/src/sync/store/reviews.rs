//! Rows of `sync_reviews`: what could not be put back, or was put aside, for a person to look at. Nothing here deletes one.

use crate::access::Actor;
use crate::db::Result;
use crate::db::{Row, Source, Transaction, list, one, opt};
use crate::http::Page;
use crate::log::with_row;
use crate::sync::review::{ListReviews, Review};
use rusqlite::params;
use serde_json::{Map, Value as Json};
use tiffin_common::Uuid;
use tiffin_common::frame::Value;
use tiffin_common::registry::Table;

/// Columns that no list of differences shows.
const SECRET: [&str; 3] = ["password_hash", "pin_hash", "qr_token"];

const COLUMNS: &str = "id, table_name, row_id, reason, lost, kept, at, resolved_at, resolved_by";

/// What is put on the list.
pub(in super::super) struct NewReview<'a> {
    pub(in super::super) outlet: Uuid,
    pub(in super::super) table: &'static Table,
    pub(in super::super) row: Uuid,
    pub(in super::super) reason: &'static str,
    pub(in super::super) lost: &'a [(usize, Value<'a>)],
}

/// Puts it on the list; with it goes how the row stands here.
pub(in super::super) fn review(tx: &Transaction<'_>, review: &NewReview<'_>) -> Result<()> {
    let mut kept = None;
    with_row(tx, review.table, review.row, |held| kept = Some(shown(review.table, &held)))?;
    tx.execute(
        "INSERT INTO sync_reviews (id, outlet_id, table_name, row_id, reason, lost, kept, at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![
            tx.new_id(),
            review.outlet,
            review.table.name,
            review.row,
            review.reason,
            shown(review.table, review.lost).to_string(),
            kept.map(|kept| kept.to_string()),
            tx.now(),
        ],
    )
    .map(drop)
}

fn shown(table: &Table, columns: &[(usize, Value<'_>)]) -> Json {
    let mut object = Map::new();
    for (column, value) in columns {
        let Some(name) = table.columns.get(*column) else { continue };
        let value = match value {
            _ if SECRET.contains(name) => Json::from("(secret)"),
            Value::Null => Json::Null,
            Value::Integer(integer) => Json::from(*integer),
            Value::Real(real) => Json::from(*real),
            Value::Text(text) => Json::from(*text),
            Value::Id(id) => Json::from(id.to_string()),
            Value::Blob(bytes) => Json::from(format!("{} bytes", bytes.len())),
        };
        object.insert((*name).to_owned(), value);
    }
    Json::Object(object)
}

fn read(row: &Row<'_>) -> Result<Review> {
    let parse = |text: String| serde_json::from_str(&text).unwrap_or(Json::String(text));
    Ok(Review {
        id: row.get(0)?,
        table_name: row.get(1)?,
        row_id: row.get(2)?,
        reason: row.get(3)?,
        lost: parse(row.get(4)?),
        kept: row.get::<_, Option<String>>(5)?.map(parse),
        at: row.get(6)?,
        resolved_at: row.get(7)?,
        resolved_by: row.get(8)?,
    })
}

/// The list of an outlet, newest first. The text is for SQLite and PostgreSQL: head office reads its copy with it.
pub(in super::super) fn reviews(
    from: &dyn Source,
    outlet: Uuid,
    filter: &ListReviews,
) -> Result<Page<Review>> {
    let condition = if filter.only_open() { " AND resolved_at IS NULL" } else { "" };
    let count = format!("SELECT count(*) FROM sync_reviews WHERE outlet_id = ?1{condition}");
    let total = one(from, &count, [outlet], |row| row.get(0))?;
    let sql = format!(
        "SELECT {COLUMNS} FROM sync_reviews WHERE outlet_id = ?1{condition}
         ORDER BY at DESC, id DESC LIMIT ?2 OFFSET ?3"
    );
    let args = params![outlet, filter.paging.limit, filter.paging.offset];
    Ok(Page { items: list(from, &sql, args, read)?, total })
}

/// One of the list.
pub(in super::super) fn find_review(from: &dyn Source, outlet: Uuid, id: Uuid) -> Result<Option<Review>> {
    let sql = format!("SELECT {COLUMNS} FROM sync_reviews WHERE outlet_id = ?1 AND id = ?2");
    opt(from, &sql, params![outlet, id], read)
}

/// Somebody has looked at it; of all that are open, where no `id` is given. How many that were.
pub(in super::super) fn set_resolved(tx: &Transaction<'_>, actor: &Actor, id: Option<Uuid>) -> Result<usize> {
    tx.execute(
        "UPDATE sync_reviews SET resolved_at = ?3, resolved_by = ?4
         WHERE outlet_id = ?1 AND resolved_at IS NULL AND (?2 IS NULL OR id = ?2)",
        params![actor.outlet_id, id, tx.now(), actor.account_id],
    )
}
