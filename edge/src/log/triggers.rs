//! The capture triggers, generated from the registry. They are kept in the database file, so that they also stop writers
//! that are not this process. Never edits a trigger it did not name.

use super::record::{DELETE, INSERT, UPDATE};
use rusqlite::Connection;
use std::collections::BTreeMap;
use tiffin_common::registry::{KEY, Owner, TABLES, Table, settled};

/// What the names of our triggers begin with.
const PREFIX: &str = "capture_";

/// What follows the condition of our triggers, which never holds: the functions are called in it, because every connection keeps all
/// triggers in memory, and a condition takes a third of what a statement takes.
const NOTHING: &str = "BEGIN SELECT 0; END";

/// Makes the triggers in the database exactly those that the registry asks for; touches nothing when they already are.
///
/// # Errors
/// A table of the registry that the schema does not have.
pub(super) fn install(conn: &Connection) -> rusqlite::Result<()> {
    let mut present = present(conn)?;
    for (name, sql) in TABLES.iter().flat_map(of_table).chain(keepers()) {
        match present.remove(&name) {
            Some(text) if text == sql => {}
            Some(_) => conn.execute_batch(&format!("DROP TRIGGER \"{name}\"; {sql}"))?,
            None => conn.execute_batch(&sql)?,
        }
    }
    present.keys().try_for_each(|name| drop_one(conn, name))
}

/// To be called before the migrations: drops the triggers when one is pending, because it changes tables under their
/// feet. What a migration does to rows is not captured, so it must leave the rows of captured tables as they are.
pub fn make_way_for_migrations(conn: &Connection) -> rusqlite::Result<()> {
    if !present(conn)?.is_empty() && applied(conn)? < tiffin_migrations::edge_schema_version() {
        remove(conn)?;
    }
    Ok(())
}

fn applied(conn: &Connection) -> rusqlite::Result<u32> {
    conn.query_row("SELECT coalesce(max(version), 0) FROM refinery_schema_history", [], |row| row.get(0))
}

fn remove(conn: &Connection) -> rusqlite::Result<()> {
    present(conn)?.keys().try_for_each(|name| drop_one(conn, name))
}

fn drop_one(conn: &Connection, name: &str) -> rusqlite::Result<()> {
    conn.execute_batch(&format!("DROP TRIGGER \"{name}\""))
}

fn present(conn: &Connection) -> rusqlite::Result<BTreeMap<String, String>> {
    let sql =
        "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND substr(name, 1, length(?1)) = ?1";
    let mut statement = conn.prepare(sql)?;
    let rows = statement.query_map([PREFIX], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

/// Name and text of a table's three triggers.
fn of_table(table: &Table) -> [(String, String); 3] {
    let saw = if table.owner == Owner::Shared && table.is_versioned() { "OLD.\"version\"" } else { "NULL" };
    let target = format!("OLD.\"{KEY}\", {saw}");
    let new = join(table, |column| format!("NEW.\"{column}\""), "NULL");
    let both = join(table, |column| format!("OLD.\"{column}\", NEW.\"{column}\""), "NULL, NULL");
    [
        trigger(table, "insert", INSERT, &new),
        trigger(table, "update", UPDATE, &format!("{target}, {both}")),
        trigger(table, "delete", DELETE, &target),
    ]
}

/// Name and text of the triggers that keep records as they came to be: two of every append-only table and of the log. They call
/// `tiffin_keep`, which lets the writer's named jobs through alone; of an update it is told whether it only settles.
fn keepers() -> impl Iterator<Item = (String, String)> {
    let captured = TABLES.iter().filter_map(|table| Some((table, settled(table.name)?)));
    let of_table = captured.flat_map(|(table, settled)| {
        let kept = table.live_columns().map(|(_, name)| name).filter(|name| !settled.contains(name));
        let same: Vec<_> = kept.map(|name| format!("OLD.\"{name}\" IS NEW.\"{name}\"")).collect();
        [keeper(table.name, "update", &same.join(" AND ")), keeper(table.name, "delete", "0")]
    });
    of_table.chain([keeper("sync_log", "update", "0"), keeper("sync_log", "delete", "0")])
}

fn keeper(on: &str, event: &str, settles: &str) -> (String, String) {
    let name = format!("{PREFIX}keep_{on}_{event}");
    let word = event.to_uppercase();
    let sql = format!(
        "CREATE TRIGGER \"{name}\" BEFORE {word} ON \"{on}\" WHEN tiffin_keep('{on}', '{word}', {settles}) {NOTHING}"
    );
    (name, sql)
}

/// One argument (or pair) for every column number, retired ones included.
fn join(table: &Table, live: impl Fn(&str) -> String, retired: &str) -> String {
    let is_live = |column: usize| table.live_columns().any(|(live, _)| live == column);
    let argument = |(no, name): (usize, &&str)| if is_live(no) { live(name) } else { retired.to_owned() };
    table.columns.iter().enumerate().map(argument).collect::<Vec<_>>().join(", ")
}

fn trigger(table: &Table, event: &str, kind: i64, arguments: &str) -> (String, String) {
    let Table { no, name: on, .. } = table;
    let name = format!("{PREFIX}{on}_{event}");
    let event = event.to_uppercase();
    let sql = format!(
        "CREATE TRIGGER \"{name}\" AFTER {event} ON \"{on}\" WHEN tiffin_capture({no}, {kind}, {arguments}) {NOTHING}"
    );
    (name, sql)
}
