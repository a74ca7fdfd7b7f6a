//! What must hold of a branch and head office's copy of it, looked up in their databases.

use crate::site::Site;
use rusqlite::{Connection, OptionalExtension};
use std::path::Path;
use std::sync::atomic::Ordering;
use tiffin_common::Uuid;
use tiffin_tests::oracle::{differences, ledger_problems, open, rows_of, shared_differences};
use tiffin_tests::sales::sales_problems;

fn number(conn: &Connection, sql: &str) -> i64 {
    conn.query_row(sql, [], |row| row.get::<_, Option<i64>>(0)).unwrap().unwrap_or(0)
}

/// Why head office does not hold the branch's whole log, or the branch not all of head office's feed; none when both do.
pub fn unsettled(site: &Site, replica: &Path) -> Option<String> {
    let (branch, hub) = (open(&site.folder.join("tiffin.db")), open(replica));
    let left = "SELECT (SELECT count(*) FROM sync_reseed) + (restore_phase IS NOT NULL) + (lacking_since IS NOT NULL) FROM sync_peer";
    let seq = number(&branch, "SELECT max(seq) FROM sync_log");
    let (feed, left) = (number(&branch, "SELECT feed FROM sync_peer"), number(&branch, left));
    let held = number(&hub, "SELECT seq FROM hub_state");
    let fed = number(&hub, "SELECT feed FROM hub_state");
    let standing = branch.query_row("SELECT standing FROM sync_peer", [], |row| row.get::<_, String>(0));
    (seq != held || feed != fed || left != 0).then(|| {
        let name = &site.name;
        format!("{name}: row {held} of {seq}, version {feed} of {fed}, {left} to be done, {standing:?}")
    })
}

/// Everything that is wrong, once both have had time.
pub fn site_problems(site: &Site, replica: &Path) -> Vec<String> {
    let path = site.folder.join("tiffin.db");
    let (branch, hub) = (open(&path), open(replica));
    let (rows, copy) = (rows_of(&path), rows_of(replica));
    let mut problems = differences(&rows, &copy);
    problems.extend(shared_differences(&rows, &hub));
    problems.truncate(20);
    let quarantined = number(&hub, "SELECT count(*) FROM hub_quarantine");
    if quarantined > 0 {
        let first = hub.query_row("SELECT reason FROM hub_quarantine", [], |row| row.get::<_, String>(0));
        problems.push(format!("{quarantined} log rows in quarantine: {first:?}"));
    }
    // Whether the branch holds what it is to (day -1) is asked once a day: the last answer may be of the box before this one.
    let enrolled = number(&branch, "SELECT coalesce(max(enrolled_at), 0) FROM sync_peer");
    let bad = format!("SELECT count(*) FROM hub_digests WHERE ok = 0 AND NOT (day = -1 AND at < {enrolled})");
    let bad = number(&hub, &bad);
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
        if !site.remembered.load(Ordering::SeqCst) {
            problems.extend(twice(&format!("numbers of {table}"), &in_a_life));
        }
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
    for (place, rows) in [("at the branch", &rows), ("at head office", &copy)] {
        problems
            .extend(sales_problems(rows, &ledger).into_iter().map(|problem| format!("{place}: {problem}")));
    }
    problems.extend(stock_problems(&branch));
    problems.extend(alarm_problems(&branch));
    problems.into_iter().map(|problem| format!("{}: {problem}", site.name)).collect()
}

/// Stock that comes from nowhere: what was given back more than it was taken, batches that nothing brought, levels that are not the sum of
/// what happened.
fn stock_problems(branch: &Connection) -> Vec<String> {
    let checks = [
        (
            "returns give back more than was taken, or what never was",
            "SELECT count(*) FROM (SELECT reverses_id AS id, sum(quantity_delta) AS back FROM stock_movements
               WHERE reverses_id IS NOT NULL GROUP BY reverses_id) r
             LEFT JOIN stock_movements t ON t.id = r.id WHERE t.id IS NULL OR r.back > -t.quantity_delta",
        ),
        (
            "batches came from nowhere",
            "SELECT count(*) FROM stock_batches b WHERE NOT EXISTS
               (SELECT 1 FROM stock_movements m WHERE m.batch_id = b.id AND m.quantity_delta > 0)",
        ),
        (
            "batches hold less than nothing, or deficits were met twice",
            "SELECT count(*) FROM (SELECT batch_id, sum(quantity_delta) AS left FROM stock_movements GROUP BY stock_item_id, batch_id)
             WHERE batch_id IS NULL AND left > 0 OR batch_id IS NOT NULL AND left < 0",
        ),
        (
            "levels are not the sum of what happened",
            "SELECT count(*) FROM stock_levels l WHERE on_hand <>
               (SELECT coalesce(sum(quantity_delta), 0) FROM stock_movements m WHERE m.stock_item_id = l.stock_item_id)",
        ),
    ];
    let count = |(what, sql): (&str, &str)| match number(branch, sql) {
        0 => None,
        n => Some(format!("{n} {what}")),
    };
    checks.into_iter().filter_map(count).collect()
}

/// Alarms that are written again and again.
fn alarm_problems(branch: &Connection) -> Option<String> {
    let told = "SELECT max(count) FROM notifications WHERE type LIKE 'SYNC_%'";
    let most = number(branch, told);
    (most > 30).then(|| format!("managers were told the same {most} times"))
}

/// Numbers that were given out twice, told or not: a box that takes another's place begins a series of its own. Only of a chain whose disks
/// were never put back.
pub fn number_problems(site: &Site) -> Option<String> {
    let branch = open(&site.folder.join("tiffin.db"));
    let met = number(&branch, "SELECT count(*) FROM sync_reviews WHERE reason = 'NUMBER_TAKEN'");
    (met > 0).then(|| format!("{}: {met} numbers were given out twice", site.name))
}

/// Conflicts that head office won although the branch's edit was later by the logical clock. Only of a chain whose disks were never put
/// back: there each number of the log means one row.
pub fn clock_problems(site: &Site, replica: &Path) -> Vec<String> {
    let (branch, hub) = (open(&site.folder.join("tiffin.db")), open(replica));
    let sql = "SELECT c.row_id, c.column_group, c.seq, json_extract(m.groups, '$.' || c.column_group || '.h')
        FROM hub_conflicts c JOIN hub_master m ON m.table_no = c.table_no AND m.row_id = c.row_id
        WHERE c.policy = 'LATEST_HLC' AND c.winner = 'HEAD_OFFICE'
          AND json_extract(m.groups, '$.' || c.column_group || '.t') = c.master_at";
    let mut statement = hub.prepare(sql).unwrap();
    let lost = statement.query_map([], |row| {
        Ok((row.get::<_, Uuid>(0)?, row.get::<_, String>(1)?, row.get::<_, i64>(2)?, row.get::<_, i64>(3)?))
    });
    let mut problems = Vec::new();
    for (row, column, seq, theirs) in lost.unwrap().map(Result::unwrap) {
        let own = "SELECT hlc FROM sync_log WHERE seq = ?1";
        let own: Option<i64> = branch.query_row(own, [seq], |row| row.get(0)).optional().unwrap();
        if own.is_some_and(|own| own > theirs) {
            problems.push(format!("{}: the later {column} of {row} lost", site.name));
        }
    }
    problems
}
