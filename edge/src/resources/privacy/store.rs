//! Where words about a guest may stand beside the guest's own row. The texts are other resources', who never see this: nothing but words
//! about a guest is ever changed in them, and records that only come to be are not among them.

use super::rules::{Erased, Traces};
use crate::db::{self, Row, Source, Tx, each, list as rows, opt};
use rusqlite::params;
use rusqlite::types::Value;
use tiffin_common::Uuid;

/// Rows that are asked for at once.
pub const AT_ONCE: usize = 200;

/// A table with texts that people type.
struct Place {
    table: &'static str,
    /// The column that says of which order or feedback its rows are; none where they are of none.
    of: Option<&'static str>,
    /// Whether anything may stand there, about anybody.
    is_open: bool,
    columns: &'static [&'static str],
}

const fn of(table: &'static str, of: &'static str, columns: &'static [&'static str]) -> Place {
    Place { table, of: Some(of), is_open: false, columns }
}

const fn open(table: &'static str, of: Option<&'static str>, columns: &'static [&'static str]) -> Place {
    Place { table, of, is_open: true, columns }
}

const PLACES: [Place; 15] = [
    open("orders", Some("id"), &["notes"]),
    of("order_items", "order_id", &["notes"]),
    of("order_item_modifiers", "order_id", &["name"]),
    of("order_status_history", "order_id", &["reason"]),
    of("order_discounts", "order_id", &["reason"]),
    of("kitchen_tickets", "order_id", &["notes"]),
    of("kitchen_ticket_items", "order_id", &["notes", "modifiers"]),
    of("feedback", "order_id", &["comment", "note"]),
    open("feedback", Some("id"), &["comment", "note"]),
    open("notifications", Some("entity_id"), &["title", "body"]),
    open("sync_reviews", Some("row_id"), &["lost", "kept"]),
    open("tickets", None, &["subject", "body"]),
    open("ticket_comments", None, &["body"]),
    open("ai_conversations", None, &["title", "context"]),
    open("ai_messages", None, &["text", "answer"]),
];

/// A text with words about a guest.
#[derive(Debug, Clone)]
pub struct Text {
    table: &'static str,
    column: &'static str,
    id: Uuid,
    /// Whether it is of an order or feedback of the guest.
    pub is_near: bool,
}

/// The rows of `sql` of the outlet, with `#` for some of `ids`, a part at a time.
fn list_of<T>(
    conn: &dyn Source,
    (outlet, ids): (Uuid, &[Uuid]),
    sql: &str,
    mut read: impl FnMut(&Row<'_>) -> db::Result<T>,
) -> db::Result<Vec<T>> {
    let mut found = Vec::new();
    for some in ids.chunks(AT_ONCE) {
        let values: Vec<Value> =
            std::iter::once(&outlet).chain(some).map(|id| Value::Blob(id.as_bytes().to_vec())).collect();
        let places: Vec<String> = (2..=values.len()).map(|place| format!("?{place}")).collect();
        found.extend(rows(conn, &sql.replace('#', &places.join(", ")), each(values.iter()), &mut read)?);
    }
    Ok(found)
}

/// `ids` with the orders that were split from them, what was said of them, and what that was said of.
pub fn list_related(conn: &dyn Source, outlet: Uuid, ids: Vec<Uuid>) -> db::Result<Vec<Uuid>> {
    const RELATED: [&str; 3] = [
        "SELECT id FROM orders WHERE outlet_id = ?1 AND split_from_id IN (#)",
        "SELECT id FROM feedback WHERE outlet_id = ?1 AND order_id IN (#)",
        "SELECT order_id AS id FROM feedback WHERE outlet_id = ?1 AND id IN (#) AND order_id IS NOT NULL",
    ];
    let (mut all, mut new) = (ids.clone(), ids);
    while !new.is_empty() {
        let mut found = Vec::new();
        for sql in RELATED {
            found.extend(list_of(conn, (outlet, &new), sql, |row| row.get::<_, Uuid>("id"))?);
        }
        found.sort_unstable();
        found.dedup();
        found.retain(|id: &Uuid| !all.contains(id));
        all.extend(&found);
        new = found;
    }
    Ok(all)
}

/// How many orders, feedbacks and documents there are among and of `ids`.
pub fn count_erased(conn: &dyn Source, outlet: Uuid, ids: &[Uuid]) -> db::Result<Erased> {
    let count = |sql: &str| -> db::Result<i64> {
        let parts = list_of(conn, (outlet, ids), sql, |row| row.get::<_, i64>("n"))?;
        Ok(parts.into_iter().fold(0, i64::saturating_add))
    };
    Ok(Erased {
        orders: count("SELECT count(*) AS n FROM orders WHERE outlet_id = ?1 AND id IN (#)")?,
        feedback: count("SELECT count(*) AS n FROM feedback WHERE outlet_id = ?1 AND id IN (#)")?,
        documents_kept: count("SELECT count(*) AS n FROM invoices WHERE outlet_id = ?1 AND order_id IN (#)")?,
    })
}

/// Texts with `near` traces in what belongs to `ids`, and with `far` ones in what may be about anybody.
pub fn list_texts(
    conn: &dyn Source,
    outlet: Uuid,
    ids: &[Uuid],
    (near, far): (&Traces, &Traces),
) -> db::Result<Vec<Text>> {
    let mut found = Vec::new();
    for &Place { table, of, is_open, columns } in &PLACES {
        for &column in columns {
            let head = format!(
                "SELECT id, {column} AS words FROM {table} WHERE outlet_id = ?1 AND {column} IS NOT NULL"
            );
            let mut keep = |row: &Row<'_>, traces: &Traces, is_near: bool| -> db::Result<()> {
                if traces.blanked(&row.get::<_, String>("words")?).is_some() {
                    found.push(Text { table, column, id: row.get("id")?, is_near });
                }
                Ok(())
            };
            if let Some(of) = of.filter(|_| !near.is_empty()) {
                list_of(conn, (outlet, ids), &format!("{head} AND {of} IN (#)"), |row| {
                    keep(row, near, true)
                })?;
            }
            if is_open && !far.is_empty() {
                rows(conn, &head, [outlet], |row| keep(row, far, false))?;
            }
        }
    }
    Ok(found)
}

/// The words of a text, as they are now.
pub fn find_text(conn: &dyn Source, outlet: Uuid, text: &Text) -> db::Result<Option<String>> {
    let Text { table, column, id, .. } = text;
    let sql = format!("SELECT {column} AS words FROM {table} WHERE id = ?1 AND outlet_id = ?2");
    opt(conn, &sql, [*id, outlet], |row| row.get::<_, Option<String>>("words")).map(Option::flatten)
}

/// Makes a text say `words`.
pub fn set_text(tx: &Tx<'_>, outlet: Uuid, text: &Text, words: &str) -> db::Result<()> {
    let Text { table, column, id, .. } = text;
    let sql = format!("UPDATE {table} SET {column} = ?3 WHERE id = ?1 AND outlet_id = ?2");
    tx.execute(&sql, params![id, outlet, words])
}
