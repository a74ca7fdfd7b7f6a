//! What must hold of a branch and head office's copy of it, looked up in their databases.

use crate::site::Site;
use rusqlite::Connection;
use std::path::Path;
use tiffin_tests::oracle::{differences, ledger_problems, open, rows_of, shared_differences};

fn number(conn: &Connection, sql: &str) -> i64 {
    conn.query_row(sql, [], |row| row.get::<_, Option<i64>>(0)).unwrap().unwrap_or(0)
}

/// Whether head office holds the branch's whole log, and the branch all of head office's feed.
pub fn is_settled(site: &Site, replica: &Path) -> bool {
    let (branch, hub) = (open(&site.folder.join("tiffin.db")), open(replica));
    let (seq, feed) = ("SELECT max(seq) FROM sync_log", "SELECT feed FROM sync_peer");
    let (held, fed) = ("SELECT seq FROM hub_state", "SELECT feed FROM hub_state");
    number(&branch, seq) == number(&hub, held) && number(&branch, feed) == number(&hub, fed)
}

/// Everything that is wrong, once both have had time.
pub fn site_problems(site: &Site, replica: &Path) -> Vec<String> {
    let path = site.folder.join("tiffin.db");
    let (branch, hub) = (open(&path), open(replica));
    let rows = rows_of(&path);
    let mut problems = differences(&rows, &rows_of(replica));
    problems.extend(shared_differences(&rows, &hub));
    problems.truncate(20);
    let quarantined = number(&hub, "SELECT count(*) FROM hub_quarantine");
    if quarantined > 0 {
        let first = hub.query_row("SELECT reason FROM hub_quarantine", [], |row| row.get::<_, String>(0));
        problems.push(format!("{quarantined} log rows in quarantine: {first:?}"));
    }
    let bad = number(&hub, "SELECT count(*) FROM hub_digests WHERE ok = 0");
    if bad > 0 {
        problems.push(format!("{bad} digests do not agree"));
    }
    let twice = |what: &str, sql: &str| match number(&branch, sql) {
        0 => None,
        n => Some(format!("{n} {what} mean two things")),
    };
    problems.extend(twice(
        "order numbers",
        "SELECT count(*) FROM (SELECT 1 FROM orders GROUP BY outlet_id, order_number HAVING count(*) > 1)",
    ));
    problems.extend(twice(
        "invoice numbers",
        "SELECT count(*) FROM (SELECT 1 FROM invoices GROUP BY outlet_id, number HAVING count(*) > 1)",
    ));
    let foreign = "SELECT count(*) FROM orders WHERE outlet_id <> ?1";
    if hub.query_row(foreign, [site.outlet], |row| row.get::<_, i64>(0)).unwrap() > 0 {
        problems.push("another outlet's orders are in head office's copy".into());
    }
    let ledger = site.ledger.blocking_lock();
    problems.extend(ledger.problems.clone());
    problems.extend(ledger_problems(&branch, &ledger));
    problems.into_iter().map(|problem| format!("{}: {problem}", site.name)).collect()
}
