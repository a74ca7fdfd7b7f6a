//! What an older schema of a branch has in common with the newest: read off the migrations themselves. Never opens a database that is
//! anybody's.

use super::{HubMigrateError, edge_files, texts};
use refinery::Target;
use rusqlite::types::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The columns of each table.
type Columns = BTreeMap<String, BTreeSet<String>>;

/// The columns of each table of a branch at schema `version`; without the tables whose rows a later migration changed, so that what is
/// held of them differs though nobody did anything.
///
/// # Errors
/// A migration that fails.
pub fn edge_columns_at(version: u32) -> Result<Columns, HubMigrateError> {
    let runner = edge_files::migrations::runner();
    let is_later = |file: &&refinery::Migration| i64::from(file.version()) > i64::from(version);
    let later: Vec<String> =
        runner.get_migrations().iter().filter(is_later).filter_map(|file| file.sql().map(plain)).collect();
    let mut columns = edge_layout_at(version)?;
    columns.retain(|table, _| !later.iter().any(|file| changes(file, table)));
    Ok(columns)
}

/// The columns of each table of a branch at schema `version`.
///
/// # Errors
/// A migration that fails.
pub fn edge_layout_at(version: u32) -> Result<Columns, HubMigrateError> {
    const COLUMNS: &str =
        "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'";
    let conn = branch_at(version)?;
    let mut columns = Columns::new();
    let mut statement = conn.prepare(COLUMNS)?;
    for found in statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))? {
        let (table, column) = found?;
        columns.entry(table).or_default().insert(column);
    }
    Ok(columns)
}

/// The indexes of a branch at schema `version` that its migrations name.
///
/// # Errors
/// A migration that fails.
pub fn edge_indexes_at(version: u32) -> Result<BTreeSet<String>, HubMigrateError> {
    let conn = branch_at(version)?;
    let mut statement =
        conn.prepare("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")?;
    let names = statement.query_map([], |row| row.get(0))?;
    Ok(names.collect::<rusqlite::Result<_>>()?)
}

/// An empty branch at schema `version`, led there migration by migration.
pub(super) fn branch_at(version: u32) -> Result<rusqlite::Connection, HubMigrateError> {
    let mut conn = rusqlite::Connection::open_in_memory()?;
    texts::teach(&conn);
    let target = Target::Version(i32::try_from(version).unwrap_or(i32::MAX));
    edge_files::migrations::runner().set_target(target).run(&mut conn)?;
    Ok(conn)
}

/// What the columns of each of a branch's tables that are never null hold where nobody says anything: in rows of before them, too.
///
/// # Errors
/// A migration that fails.
pub fn edge_defaults() -> Result<BTreeMap<String, BTreeMap<String, Value>>, HubMigrateError> {
    const DEFAULTS: &str =
        "SELECT t.name, c.name, c.dflt_value FROM sqlite_schema t, pragma_table_info(t.name) c
        WHERE t.type = 'table' AND c.\"notnull\" = 1 AND c.dflt_value IS NOT NULL";
    let mut conn = rusqlite::Connection::open_in_memory()?;
    super::migrate_edge(&mut conn)?;
    let mut defaults: BTreeMap<String, BTreeMap<String, Value>> = BTreeMap::new();
    let mut statement = conn.prepare(DEFAULTS)?;
    for found in statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get::<_, String>(2)?)))? {
        let (table, column, default) = found?;
        let value = conn.query_row(&format!("SELECT {default}"), [], |row| row.get(0))?;
        defaults.entry(table).or_default().insert(column, value);
    }
    Ok(defaults)
}

/// One blank between two words.
fn plain(sql: &str) -> String {
    sql.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a migration changes rows of `table`, or makes the table anew.
fn changes(file: &str, table: &str) -> bool {
    ["UPDATE", "UPDATE OR IGNORE", "INTO", "DELETE FROM", "DROP TABLE", "RENAME TO"].iter().any(|word| {
        let words = format!("{word} {table}");
        let ends = |after: &str| !after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        file.match_indices(&words).any(|(at, _)| file.get(at + words.len()..).is_some_and(ends))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_later_schema_made_or_changed_is_not_what_the_older_had() {
        let newest = super::super::edge_schema_version();
        let today = edge_columns_at(newest).unwrap();
        let before = edge_columns_at(15).unwrap();
        assert!(today["orders"].contains("revenue_date") && today.contains_key("printers"));
        assert!(!before.contains_key("printers"), "V18 made it");
        assert!(!before.contains_key("outlets"), "V16 changed what outlets say of taxes");
        assert!(before["payments"].is_subset(&today["payments"]));
        assert!(before["counters"].contains("series"));
    }

    #[test]
    fn a_table_is_changed_by_its_whole_name_alone() {
        assert!(changes("UPDATE orders SET a = 1", "orders") && changes("INSERT INTO orders (id)", "orders"));
        assert!(!changes("UPDATE orders_old SET a = 1", "orders"));
        assert!(!changes("ALTER TABLE orders ADD COLUMN a INTEGER; CREATE INDEX b ON orders (a)", "orders"));
    }
}
