//! What both ends hold of an outlet, counted and added up by SQL of this file alone. Never asks the product whether two ends are equal.

use rusqlite::{Connection, OpenFlags, OptionalExtension};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tiffin_common::Uuid;
use tiffin_common::registry::{RETIRED, TABLES, Table};
use tiffin_tests::postgres::Database;

/// By table, the number of its rows and the sums of its amounts, as text.
type Sums = BTreeMap<&'static str, String>;

/// Where head office keeps the outlet.
pub(super) enum There {
    /// A file of its own.
    File(PathBuf),
    /// A part of this database.
    Postgres(Database, Uuid),
}

/// Looks into it again and again.
pub(super) enum Watch<'a> {
    File(Connection),
    Postgres(&'a Database),
}

impl There {
    /// Where the same head office keeps another one.
    pub(super) fn beside(&self, outlet: Uuid) -> There {
        match self {
            There::File(file) => There::File(file.with_file_name(format!("{outlet}.db"))),
            There::Postgres(database, _) => There::Postgres(database.clone(), outlet),
        }
    }

    pub(super) fn watch(&self) -> Watch<'_> {
        match self {
            There::File(file) => Watch::File(open(file)),
            There::Postgres(database, _) => Watch::Postgres(database),
        }
    }
}

impl Watch<'_> {
    /// Whether an order has come. Blocks.
    pub(super) fn has_order(&self, id: Uuid) -> bool {
        match self {
            Watch::File(conn) => {
                let sql = "SELECT EXISTS (SELECT 1 FROM orders WHERE id = ?1)";
                conn.prepare_cached(sql).unwrap().query_row([id], |row| row.get(0)).unwrap()
            }
            Watch::Postgres(database) => {
                let sql = format!("SELECT count(*) FROM merged.orders WHERE id = '\\x{}'", id.simple());
                database.sql(&sql) == "1"
            }
        }
    }
}

/// Money, costs, quantities: what has been added up differs where a row does.
fn is_amount(column: &str) -> bool {
    // That one is a limit for each role.
    (column.ends_with("_cents") && column != "pay_out_limit_cents")
        || column.ends_with("_micros")
        || column.contains("quantity")
}

/// The number of rows and every sum, in one text.
fn select(table: &Table) -> String {
    let amounts = table.columns.iter().filter(|name| is_amount(name) && !name.starts_with(RETIRED));
    let sums = amounts.map(|name| format!(" || '|{name}=' || CAST(coalesce(sum({name}), 0) AS TEXT)"));
    format!("SELECT 'rows=' || CAST(count(*) AS TEXT){}", sums.collect::<String>())
}

/// Opens a file only to look.
pub(super) fn open(file: &Path) -> Connection {
    let conn = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    conn.busy_timeout(Duration::from_secs(10)).unwrap();
    conn
}

/// The only outlet of the box whose folder this is.
pub(super) fn outlet_of(data: &Path) -> Uuid {
    open(&data.join("tiffin.db")).query_row("SELECT id FROM outlets", [], |row| row.get(0)).unwrap()
}

/// The one number that this statement gives.
pub(super) fn number(file: &Path, sql: &str) -> i64 {
    open(file).query_row(sql, [], |row| row.get(0)).unwrap_or_else(|error| panic!("{sql}: {error}"))
}

/// Whether this statement says so; not where it has no row.
pub(super) fn holds(file: &Path, sql: &str) -> bool {
    let said = open(file).query_row(sql, [], |row| row.get::<_, Option<bool>>(0)).optional();
    said.unwrap_or_else(|error| panic!("{sql}: {error}")).flatten().unwrap_or(false)
}

fn of_file(file: &Path) -> Sums {
    let conn = open(file);
    let sum = |table: &'static Table| {
        let sql = format!("{} FROM {}", select(table), table.name);
        let told = conn.query_row(&sql, [], |row| row.get(0));
        (table.name, told.unwrap_or_else(|error| panic!("{sql}: {error}")))
    };
    TABLES.iter().map(sum).collect()
}

fn of_postgres(database: &Database, outlet: Uuid) -> Sums {
    let sum = |table: &'static Table| {
        let owner = if table.columns.contains(&"outlet_id") { "outlet_id" } else { "id" };
        let whose = format!("{owner} = '\\x{}'", outlet.simple());
        (table.name, database.sql(&format!("{} FROM merged.{} WHERE {whose}", select(table), table.name)))
    };
    TABLES.iter().map(sum).collect()
}

/// What differs between the branch in `here` and head office. Blocks.
pub(super) fn differences(here: &Path, there: &There) -> Vec<String> {
    let there = match there {
        There::File(file) => of_file(file),
        There::Postgres(database, outlet) => of_postgres(database, *outlet),
    };
    let here = of_file(here);
    let found = here.iter().filter(|(table, sums)| there[*table] != **sums);
    let told: Vec<String> = found
        .map(|(table, sums)| format!("{table}: {sums} at the branch, {} at head office", there[*table]))
        .collect();
    if told.is_empty() {
        println!("  both ends: orders {}\n             payments {}", here["orders"], here["payments"]);
    }
    told
}
