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
    for (table, column) in [("orders", "order_number"), ("invoices", "number")] {
        // The last bytes of an id are those of the process start that made it: two that did not know of each other may share a number.
        let in_a_life = format!(
            "SELECT count(*) FROM (SELECT 1 FROM {table} GROUP BY outlet_id, {column}, substr(id, 12) HAVING count(*) > 1)"
        );
        problems.extend(twice(&format!("numbers of {table}"), &in_a_life));
        let untold = format!(
            "SELECT count(*) FROM (SELECT {column} AS number FROM {table} GROUP BY outlet_id, {column} HAVING count(*) > 1)
             WHERE number NOT IN (SELECT json_extract(lost, '$.{column}') FROM sync_reviews
               WHERE table_name = '{table}' AND reason = 'NUMBER_TAKEN')"
        );
        problems.extend(twice(&format!("numbers of {table}, untold,"), &untold));
    }
    let foreign = "SELECT count(*) FROM orders WHERE outlet_id <> ?1";
    if hub.query_row(foreign, [site.outlet], |row| row.get::<_, i64>(0)).unwrap() > 0 {
        problems.push("another outlet's orders are in head office's copy".into());
    }
    let ledger = site.ledger.blocking_lock();
    problems.extend(ledger.problems.clone());
    problems.extend(ledger_problems(&branch, &ledger));
    problems.into_iter().map(|problem| format!("{}: {problem}", site.name)).collect()
}
