//! Which tables and columns are exported, and what kind of value each column holds. Never anything with which somebody could sign in.

use chrono::{DateTime, Datelike, Timelike, Utc};
use rusqlite::{Connection, Result};
use tiffin_common::registry;

const SECRET: &str = "somebody could sign in with it";
const STREAM: &str = "only lets screens catch up";
const DERIVED: &str = "follows from the other tables";
const STAYS: &str = "stays on the branch's own box";
const EXCHANGE: &str = "state of the exchange with head office";

/// Tables that are not exported, and why.
pub const LEFT_OUT: &[(&str, &str)] = &[
    ("box", "about this machine only"),
    ("sessions", SECRET),
    ("refresh_tokens", SECRET),
    ("password_resets", SECRET),
    ("mail_jobs", SECRET),
    ("second_factors", SECRET),
    ("device_pairings", SECRET),
    ("devices", "about the screens that this machine knows"),
    ("station_displays", "about the screens that this machine knows"),
    ("throttles", "about this machine only"),
    ("idempotency", "answers that were given, for those who ask again"),
    ("answered_requests", "that they were given, for the box after this one"),
    ("print_jobs", "paper on its way to a printer"),
    ("employee_document_contents", "below documents/ as files"),
    ("menu_revision", STREAM),
    ("portion_needs", DERIVED),
    ("stock_filed_movements", DERIVED),
    ("stock_filing", DERIVED),
    ("order_counts", DERIVED),
    ("analytics_days", DERIVED),
    ("analytics_sales", DERIVED),
    ("analytics_hours", DERIVED),
    ("analytics_refunds", DERIVED),
    ("analytics_money", DERIVED),
    ("analytics_taxes", DERIVED),
    ("analytics_items", DERIVED),
    ("analytics_discounts", DERIVED),
    ("analytics_stock", DERIVED),
    ("analytics_waste", DERIVED),
    ("analytics_purchases", DERIVED),
    ("analytics_tables", DERIVED),
    ("sync_log", "the change log itself, whose rows are the other tables'"),
    ("sync_archive", "the change log itself, packed"),
    ("chain_outlets", EXCHANGE),
    ("sync_acks", EXCHANGE),
    ("sync_meta", EXCHANGE),
    ("sync_peer", EXCHANGE),
    ("sync_proposals", EXCHANGE),
    ("sync_scheduled", EXCHANGE),
    ("sync_withdrawn", EXCHANGE),
    ("sync_postponed", EXCHANGE),
    ("sync_reseed", EXCHANGE),
    ("sync_reviews", "values that were lost, of any table, secrets among them"),
    ("refinery_schema_history", "about the schema"),
];

/// What head office's copy of a branch lacks, and why.
pub const NOT_SENT: &[(&str, &str)] = &[
    ("ai_conversations", STAYS),
    ("ai_messages", STAYS),
    ("employee_document_contents", "is kept for the branch's own box alone"),
];

/// Columns of exported tables that are not exported, and why.
pub const LEFT_OUT_COLUMNS: &[(&str, &str, &str)] = &[
    ("employees", "pin_hash", SECRET),
    ("accounts", "password_hash", SECRET),
    ("orders", "guest_key", "which phone it came from; whoever has the phone's token sees the order"),
    ("orders", "receipt_code", "whoever has it speaks for the guest"),
    ("dining_tables", "qr_token", "whoever has it can order at that table"),
];

/// What a column's values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// As they are.
    Plain,
    /// Milliseconds since 1970.
    Moment,
    /// UUIDs.
    Id,
    /// Bytes of any length.
    Bytes,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) kind: Kind,
}

/// Tables that the change log does not capture and that are exported all the same.
const BESIDE: [&str; 4] = ["ai_conversations", "ai_messages", "stock_batch_levels", "stock_levels"];

/// The exported tables of a branch, or of head office's copy of it, by name. What a newer version captures comes in by itself.
pub(super) fn tables(conn: &Connection, is_copy: bool) -> Result<Vec<String>> {
    let mut statement = conn.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")?;
    let names: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_>>()?;
    let not_sent = if is_copy { NOT_SENT } else { &[] };
    let is_left_out = |name: &str| LEFT_OUT.iter().chain(not_sent).any(|(table, _)| *table == name);
    let is_known = |name: &str| registry::table_named(name).is_some() || BESIDE.contains(&name);
    Ok(names.into_iter().filter(|name| is_known(name) && !is_left_out(name)).collect())
}

/// What is exported of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) columns: Vec<Column>,
    /// The columns of its key, by which the rows are ordered.
    key: Vec<String>,
}

/// The exported columns of a table, and its key. Views that stand before the tables on some connections do not count.
pub(super) fn of(conn: &Connection, table: &str) -> Result<Shape> {
    let mut statement = conn.prepare("SELECT name, type, pk FROM pragma_table_info(?1, 'main')")?;
    let rows = statement.query_map([table], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, i64>(2)?))
    })?;
    let all: Vec<_> = rows.collect::<Result<_>>()?;
    let mut key: Vec<(i64, String)> = all
        .iter()
        .filter(|(_, _, place)| *place > 0)
        .map(|(name, _, place)| (*place, name.clone()))
        .collect();
    key.sort();
    let is_left_out =
        |name: &str| LEFT_OUT_COLUMNS.iter().any(|(of, column, _)| *of == table && *column == name);
    let column = |(name, declared, _): (String, String, i64)| {
        let kind = kind(&name, &declared);
        Column { name, kind }
    };
    let columns = all.into_iter().filter(|(name, ..)| !is_left_out(name)).map(column).collect();
    Ok(Shape { columns, key: key.into_iter().map(|(_, name)| name).collect() })
}

fn kind(name: &str, declared: &str) -> Kind {
    const MOMENTS: [&str; 6] =
        ["at", "until", "locked_until", "scheduled_for", "scheduled_start", "scheduled_end"];
    let is_bytes = name.ends_with("hash")
        || ["content", "payload", "body", "op", "public_key", "signature"].contains(&name);
    match declared {
        "INTEGER" if name.ends_with("_at") || MOMENTS.contains(&name) => Kind::Moment,
        "BLOB" if is_bytes => Kind::Bytes,
        "BLOB" => Kind::Id,
        _ => Kind::Plain,
    }
}

impl Shape {
    /// The text that reads the rows of `table`.
    pub(super) fn select(&self, table: &str) -> String {
        let quoted = |names: &mut dyn Iterator<Item = &String>| {
            names.map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
        };
        let columns = quoted(&mut self.columns.iter().map(|column| &column.name));
        format!("SELECT {columns} FROM \"{table}\" ORDER BY {}", quoted(&mut self.key.iter()))
    }
}

/// A moment as archives write it; none outside the years they know.
pub(super) fn zip_time(at: DateTime<Utc>) -> Option<zip::DateTime> {
    let small = |n: u32| u8::try_from(n).ok();
    let (month, day) = (small(at.month())?, small(at.day())?);
    let (hour, minute, second) = (small(at.hour())?, small(at.minute())?, small(at.second())?);
    zip::DateTime::from_date_and_time(u16::try_from(at.year()).ok()?, month, day, hour, minute, second).ok()
}
