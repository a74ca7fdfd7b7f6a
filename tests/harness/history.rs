//! Years of trade, made of a few weeks that a branch really traded: its rows again and again, each time some weeks earlier and with ids,
//! moments, dates and numbers of their own. Written into a branch's file while no server runs on it, without its change log, as a log
//! looks that was pruned. Never for tests of what the rows say: chains of hashes and running totals are those of the copied weeks.

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, params};
use std::collections::HashSet;
use std::path::Path;
use tiffin_common::registry::{KEY, Owner, RETIRED, TABLES, Table};

const DAY_MS: i64 = 86_400_000;

/// Tables of an outlet whose rows are not its trade: what it is, what it counts, what is to be done, and who works when.
const STANDING: [&str; 26] = [
    "notifications",
    "employee_documents",
    "menu_availability",
    "menu_prices",
    "menu_pictures",
    "dining_tables",
    "stock_transfers",
    "stock_transfer_lines",
    "stock_transfer_receipts",
    "stock_transfer_receipt_lines",
    "kitchen_stations",
    "printers",
    "print_layouts",
    "counters",
    "channels",
    "signing_keys",
    "holidays",
    "leave_entitlements",
    "leave_requests",
    "shifts",
    "shift_swaps",
    "attendances",
    "attendance_records",
    "attendance_corrections",
    "sync_reviews",
    "answered_requests",
];

/// Columns of numbers that people read: a copy has others.
const NUMBERS: [&str; 6] =
    ["order_number", "number", "batch_number", "po_number", "transfer_number", "invoice_ref"];

/// What is copied: rows between these ids, over so many days; and how many days history is to go back.
#[derive(Clone)]
struct Span {
    first: Vec<u8>,
    last: Vec<u8>,
    days: i64,
    back: i64,
}

/// Makes the trade of the branch in `file` so long that it has at least `orders` orders, none further than about `days` days back, and empties
/// its log but for the last rows.
pub fn lengthen(file: &Path, days: i64, orders: i64) {
    let (conn, weeks) = (Connection::open(file).unwrap(), file.with_extension("weeks"));
    conn.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA cache_size = -400000")
        .unwrap();
    // What is read is another file than what is written, or all of it would be put aside first.
    conn.execute("VACUUM INTO ?1", [weeks.to_str().unwrap()]).unwrap();
    conn.execute("ATTACH ?1 AS weeks", [weeks.to_str().unwrap()]).unwrap();
    let triggers = "SELECT name, sql FROM main.sqlite_master WHERE type = 'trigger'";
    let triggers: Vec<(String, String)> = list(&conn, triggers, |row| Ok((row.get(0)?, row.get(1)?)));
    for (name, _) in &triggers {
        conn.execute_batch(&format!("DROP TRIGGER \"{name}\"")).unwrap();
    }
    let span = Span::of(&conn, days);
    let traded = "SELECT count(*) FROM orders WHERE id BETWEEN ?1 AND ?2";
    let traded: i64 = conn.query_row(traded, params![span.first, span.last], |row| row.get(0)).unwrap();
    let there: i64 = conn.query_row("SELECT count(*) FROM orders", [], |row| row.get(0)).unwrap();
    let copies = (orders - there).max(0).div_euclid(traded) + 1;
    let tables: Vec<&Table> = TABLES.iter().filter(|table| is_trade(table)).collect();
    add_functions(&conn, &span, ids(&conn, &tables, &span));
    for table in tables {
        copy(&conn, table, &span, copies);
    }
    for (_, sql) in &triggers {
        conn.execute_batch(sql).unwrap();
    }
    let prune = "DETACH weeks; DROP TRIGGER IF EXISTS capture_keep_sync_log_delete;
        DELETE FROM sync_log WHERE seq < (SELECT max(seq) - 3 FROM sync_log);
        PRAGMA journal_mode = WAL";
    conn.execute_batch(prune).unwrap();
    std::fs::remove_file(weeks).unwrap();
}

fn is_trade(table: &Table) -> bool {
    table.owner == Owner::Outlet && !STANDING.contains(&table.name)
}

impl Span {
    /// From the first order to the last closed day: nothing in it is open any more.
    fn of(conn: &Connection, back: i64) -> Span {
        let ends = "SELECT (SELECT min(id) FROM orders), (SELECT max(id) FROM day_closes)";
        let (first, last): (Vec<u8>, Vec<u8>) =
            conn.query_row(ends, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        let days = (moment(&last) - moment(&first)) / DAY_MS + 1;
        Span { first, last, days, back }
    }

    /// How many days before the original copy `number` lies: where there is no more room the weeks are traded once more.
    fn back(&self, number: i64) -> i64 {
        self.days * (1 + (number - 1) % (self.back / self.days).max(1))
    }
}

/// The milliseconds in an id.
fn moment(id: &[u8]) -> i64 {
    id[..6].iter().fold(0, |ms, byte| ms << 8 | i64::from(*byte))
}

/// The ids of all rows that are copied: what names one of them names its copy.
fn ids(conn: &Connection, tables: &[&Table], span: &Span) -> HashSet<[u8; 16]> {
    let mut ids = HashSet::new();
    for table in tables {
        let sql = format!("SELECT {KEY} FROM {} WHERE {KEY} BETWEEN ?1 AND ?2", table.name);
        let mut statement = conn.prepare(&sql).unwrap();
        let read = statement.query_map(params![span.first, span.last], |row| row.get::<_, [u8; 16]>(0));
        ids.extend(read.unwrap().map(Result::unwrap));
    }
    ids
}

/// `moved(id, copy)` and `back(copy)`, for statements.
fn add_functions(conn: &Connection, span: &Span, ids: HashSet<[u8; 16]>) {
    let place = span.clone();
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    let moved = move |given: &Context<'_>| -> rusqlite::Result<Value> {
        let number = given.get::<i64>(1)?;
        let ValueRef::Blob(bytes) = given.get_raw(0) else { return given.get(0) };
        let Ok(mut id) = <[u8; 16]>::try_from(bytes) else { return Ok(Value::Blob(bytes.to_vec())) };
        if ids.contains(&id) {
            let earlier = moment(&id) - place.back(number) * DAY_MS;
            id[..6].copy_from_slice(&earlier.to_be_bytes()[2..]);
            // As another maker of ids.
            let other = u16::try_from(number).unwrap().to_be_bytes();
            id[14..].iter_mut().zip(other).for_each(|(byte, part)| *byte ^= part);
        }
        Ok(Value::Blob(id.to_vec()))
    };
    conn.create_scalar_function("moved", 2, flags, moved).unwrap();
    let place = span.clone();
    conn.create_scalar_function("back", 1, flags, move |given| Ok(place.back(given.get(0)?))).unwrap();
}

/// Copies the rows of a table.
fn copy(conn: &Connection, table: &Table, span: &Span, copies: i64) {
    let columns: Vec<&str> =
        table.columns.iter().copied().filter(|column| !column.starts_with(RETIRED)).collect();
    let of_copy: Vec<String> = columns.iter().map(|column| expression(column)).collect();
    let sql = format!(
        "WITH RECURSIVE copies(c) AS (SELECT 1 UNION ALL SELECT c + 1 FROM copies WHERE c < ?3)
         INSERT INTO main.{name} ({}) SELECT {} FROM copies CROSS JOIN weeks.{name} WHERE {KEY} BETWEEN ?1 AND ?2",
        columns.join(", "),
        of_copy.join(", "),
        name = table.name,
    );
    let done = conn.execute(&sql, params![span.first, span.last, copies]);
    done.unwrap_or_else(|error| panic!("{}: {error}", table.name));
}

/// What a copy has in a column.
fn expression(column: &str) -> String {
    if column == KEY || column.ends_with("_id") {
        format!("moved({column}, c)")
    } else if column == "at" || column.ends_with("_at") {
        // A moment in milliseconds.
        format!("CASE typeof({column}) WHEN 'integer' THEN {column} - back(c) * {DAY_MS} ELSE {column} END")
    } else if column == "date" || column.ends_with("_date") {
        format!("date({column}, '-' || back(c) || ' days')")
    } else if NUMBERS.contains(&column) {
        format!("{column} || '/' || c")
    } else {
        column.to_owned()
    }
}

fn list<T>(
    conn: &Connection,
    sql: &str,
    read: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
) -> Vec<T> {
    let mut statement = conn.prepare(sql).unwrap();
    statement.query_map([], read).unwrap().map(Result::unwrap).collect()
}
