//! `edge init` from the outside: what is in the directory afterwards.

use super::*;
use crate::config::Sources;
use rusqlite::types::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use tiffin_common::clock::ManualClock;

fn config(folder: &Path) -> Config {
    let flags = [("data-dir", folder.to_str().unwrap().to_owned())].into_iter().collect();
    Config::resolve(&Sources { flags, ..Sources::default() }).unwrap()
}

fn sample(seed: u64) -> Args {
    Args::sample(SampleArgs { sample_data: true, seed: Some(seed), ..SampleArgs::default() })
}

fn with_history(seed: u64) -> Args {
    let mut args = sample(seed);
    args.sample.history_days = Some(1);
    args
}

fn init(args: &Args, folder: &Path) -> Result<String, String> {
    let mut out = Vec::new();
    run(args, &config(folder), &Env::system(), &mut out).map_err(|Failure(text)| text)?;
    Ok(String::from_utf8(out).unwrap())
}

fn open(folder: &Path) -> rusqlite::Connection {
    rusqlite::Connection::open(folder.join("tiffin.db")).unwrap()
}

fn count(conn: &rusqlite::Connection, sql: &str) -> i64 {
    conn.query_row(sql, [], |row| row.get(0)).unwrap()
}

/// Whether the box knows which outlet it is.
const KNOWS_ITSELF: &str = "SELECT count(*) FROM box WHERE outlet_id = (SELECT id FROM outlets)";

/// Columns that hold secrets, made anew each time.
const SECRET: [&str; 5] = ["password_hash", "pin_hash", "session_code", "qr_token", "receipt_code"];

/// Every row of every table but the change log, whose epoch is new at each start.
fn everything(folder: &Path) -> BTreeMap<String, Vec<Vec<Value>>> {
    let conn = open(folder);
    let tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sync%'
                  AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'refinery%' ORDER BY name";
    let names: Vec<String> = crate::db::list(&conn, tables, [], |row| row.get(0)).unwrap();
    let rows = |name: &String| {
        let mut statement = conn.prepare(&format!("SELECT * FROM {name} ORDER BY 1, 2")).unwrap();
        let shown: Vec<usize> = (0..statement.column_count())
            .filter(|at| !SECRET.contains(&statement.column_name(*at).unwrap()))
            .collect();
        let read = |row: &rusqlite::Row<'_>| shown.iter().map(|at| row.get(*at)).collect();
        statement.query_map([], read).unwrap().collect::<Result<_, _>>().unwrap()
    };
    names.iter().map(|name| (name.clone(), rows(name))).collect()
}

#[test]
fn a_sample_branch_is_a_whole_restaurant_that_opens_with_its_sample_password() {
    let folder = tempfile::tempdir().unwrap();
    let said = init(&sample(1), folder.path()).unwrap();
    assert!(said.contains("BLR1 Tiffin Indiranagar") && said.contains(SAMPLE_PASSWORD), "{said}");
    let conn = open(folder.path());
    assert!(count(&conn, "SELECT count(*) FROM menu_items") >= 40);
    assert!(count(&conn, "SELECT count(*) FROM stock_items") >= 60);
    assert!(count(&conn, "SELECT count(*) FROM kitchen_stations WHERE kind = 'PREP'") >= 3);
    assert_eq!(count(&conn, "SELECT count(*) FROM employees WHERE pin_hash IS NOT NULL"), 12);
    assert_eq!(count(&conn, "SELECT count(DISTINCT role) FROM accounts"), 10);
    let bare = "SELECT count(*) FROM menu_items i WHERE NOT EXISTS
                (SELECT 1 FROM recipes r JOIN recipe_ingredients g ON g.recipe_id = r.id WHERE r.menu_item_id = i.id)";
    assert_eq!(count(&conn, bare), 0);
    let empty = "SELECT count(*) FROM stock_items s WHERE NOT EXISTS
                 (SELECT 1 FROM stock_batches b WHERE b.stock_item_id = s.id)";
    assert_eq!(count(&conn, empty), 0);
    let stored: String = conn
        .query_row("SELECT password_hash FROM accounts WHERE email = 'manager@sample.test'", [], |row| {
            row.get(0)
        })
        .unwrap();
    assert!(hashing::verify(SAMPLE_PASSWORD, Some(&stored)));
    assert_eq!(count(&conn, KNOWS_ITSELF), 1);
    assert!(!folder.path().join("init.unfinished").exists());
    let again = init(&sample(1), folder.path()).unwrap_err();
    assert!(again.contains("already"), "{again}");
}

#[test]
fn the_same_seed_gives_the_same_rows() {
    let (first, second, other) =
        (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    init(&with_history(7), first.path()).unwrap();
    init(&with_history(7), second.path()).unwrap();
    init(&with_history(8), other.path()).unwrap();
    let made = everything(first.path());
    assert!(made.len() > 20 && made["menu_items"].len() >= 40 && made["orders"].len() >= 120);
    for (table, rows) in everything(second.path()) {
        assert_eq!(made[&table], rows, "{table}");
    }
    assert_ne!(made, everything(other.path()));
}

/// Of two days on which the manager forgets to clock out.
#[test]
fn what_the_manager_forgot_to_punch_is_put_right_by_the_owner() {
    let folder = tempfile::tempdir().unwrap();
    let mut args = sample(1);
    args.sample.history_days = Some(2);
    let clock = ManualClock::new("2026-11-05T06:00:00.000Z".parse().unwrap());
    let env = Env { clock: Arc::new(clock), ..Env::system() };
    run(&args, &config(folder.path()), &env, &mut Vec::new()).unwrap();
    let by_owner = "SELECT count(*) FROM attendance_corrections c
                    JOIN accounts corrector ON corrector.id = c.by_id AND corrector.role = 'OWNER'
                    JOIN attendance_records r ON r.id = c.record_id
                    JOIN accounts theirs ON theirs.employee_id = r.employee_id AND theirs.role = 'MANAGER'";
    assert_eq!(count(&open(folder.path()), by_owner), 1);
}

#[test]
fn after_days_of_trade_everything_is_paid_counted_and_closed() {
    let folder = tempfile::tempdir().unwrap();
    let mut args = sample(3);
    args.sample.history_days = Some(2);
    init(&args, folder.path()).unwrap();
    let conn = open(folder.path());
    let all = count(&conn, "SELECT count(*) FROM orders");
    assert!((240..=600).contains(&all), "{all}");
    for (nothing, sql) in [
        ("unfinished orders", "SELECT count(*) FROM orders WHERE status NOT IN ('COMPLETED', 'CANCELLED')"),
        ("debts", "SELECT count(*) FROM orders WHERE status = 'COMPLETED' AND total_cents <> paid_cents"),
        (
            "tickets in the kitchen",
            "SELECT count(*) FROM kitchen_tickets WHERE status NOT IN ('SERVED', 'CANCELLED')",
        ),
        ("guests", "SELECT count(*) FROM table_sessions WHERE closed_at IS NULL"),
        ("open drawers", "SELECT count(*) FROM cash_sessions WHERE status = 'OPEN'"),
        ("people still at work", "SELECT count(*) FROM attendances WHERE state <> 'OUT'"),
        ("punches by a wrong clock", "SELECT count(*) FROM attendance_records WHERE clock_suspect"),
        (
            "stock that is not in the ledger",
            "SELECT count(*) FROM stock_levels l WHERE on_hand <>
             (SELECT sum(quantity_delta) FROM stock_movements m WHERE m.stock_item_id = l.stock_item_id)",
        ),
        ("gaps in the bills", "SELECT max(serial) - count(*) FROM invoices WHERE kind = 'INVOICE'"),
    ] {
        assert_eq!(count(&conn, sql), 0, "{nothing}");
    }
    assert_eq!(count(&conn, "SELECT count(*) FROM day_closes"), 2);
    assert!(count(&conn, "SELECT count(*) FROM attendance_records") >= 60);
    let days = "SELECT count(DISTINCT business_date) FROM orders";
    assert_eq!(count(&conn, days), 2);
    let future =
        "SELECT count(*) FROM orders WHERE created_at > CAST(strftime('%s', 'now') AS INTEGER) * 1000";
    assert_eq!(count(&conn, future), 0);
}

#[test]
fn an_ordinary_branch_has_its_owner_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let mut args = Args::sample(SampleArgs::default());
    args.outlet_code = "mum2".into();
    assert!(init(&args, folder.path()).unwrap_err().contains("--owner-email"));
    args.owner_email = Some("me@example.com".into());
    assert!(init(&args, folder.path()).unwrap_err().contains("--outlet-name"));
    args.outlet_name = Some("Colaba".into());
    args.timezone = "Asia/Mumbai".into();
    assert!(init(&args, folder.path()).unwrap_err().contains("timezone"));
    args.timezone = "Asia/Kolkata".into();
    assert!(!folder.path().join("tiffin.db").exists());
    let said = init(&args, folder.path()).unwrap();
    let password = said.lines().find_map(|line| line.split("password ").nth(1)?.split(' ').next()).unwrap();
    let conn = open(folder.path());
    let (role, stored): (String, String) = conn
        .query_row("SELECT role, password_hash FROM accounts", [], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();
    assert!(role == "OWNER" && hashing::verify(password, Some(&stored)));
    assert_eq!(count(&conn, "SELECT count(*) FROM outlets WHERE code = 'MUM2'"), 1);
    assert_eq!(count(&conn, KNOWS_ITSELF), 1);
    assert_eq!(count(&conn, "SELECT count(*) FROM menu_items"), 0);
}

#[test]
fn an_interrupted_init_is_no_branch_and_can_be_run_again() {
    let folder = tempfile::tempdir().unwrap();
    init(&sample(1), folder.path()).unwrap();
    let data = DataDir::open(folder.path()).unwrap();
    assert!(data.is_initialised());
    std::fs::write(data.unfinished(), "").unwrap();
    assert!(!data.is_initialised());
    init(&sample(2), folder.path()).unwrap();
    assert!(data.is_initialised());
    let db = Db::open(&Options::new(data.database()), Env::system()).unwrap();
    drop(db);
    assert_eq!(count(&open(folder.path()), "SELECT count(*) FROM outlets"), 1);
}
