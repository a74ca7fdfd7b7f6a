//! Backups taken in the middle of selling, and one that was killed in the middle of itself.

use crate::{database, edge, folder, made, restaurant, texts, tried};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tiffin_tests::{Edge, sample};

/// Tills at once.
const TILLS: usize = 8;

/// What was answered: order numbers, and of each the bill once there was one.
type Answered = Arc<Mutex<HashMap<String, Option<String>>>>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_under_full_load_is_one_consistent_state() {
    let folder = folder();
    let data = restaurant(folder.path());
    let server = Edge::serve(&data, &[]).await;
    let client = sample::owner_of_plenty(&server).await;
    let lines = sample::lines(&client, 2).await;
    let (answered, stop) = (Answered::default(), Arc::new(AtomicBool::new(false)));
    let tills: Vec<_> = (0..TILLS)
        .map(|_| {
            let (client, lines) = (client.clone(), lines.clone());
            let (answered, stop) = (Arc::clone(&answered), Arc::clone(&stop));
            tokio::spawn(async move {
                while !stop.load(Ordering::SeqCst) {
                    let (order, bill) = sample::sell(&client, &lines).await;
                    let text = |value: &Value| value.as_str().unwrap().to_owned();
                    let bill = Some(text(&bill["invoiceNumber"]));
                    answered.lock().unwrap().insert(text(&order["orderNumber"]), bill);
                }
            })
        })
        .collect();
    let mut taken = Vec::new();
    for _ in 0..3 {
        let sold = |answered: &Answered| answered.lock().unwrap().len();
        let before_it = sold(&answered);
        while sold(&answered) < before_it + 20 {
            assert!(tills.iter().all(|till| !till.is_finished()), "a till gave up");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let known: HashSet<String> = answered.lock().unwrap().keys().cloned().collect();
        let backup = made(&edge(&data, &["backup"]).await);
        taken.push((backup, known));
        assert!(sold(&answered) > before_it, "the tills went on selling");
    }
    stop.store(true, Ordering::SeqCst);
    for till in tills {
        till.await.unwrap();
    }
    server.kill();
    let answered = answered.lock().unwrap().clone();
    for (n, (backup, known)) in taken.iter().enumerate() {
        let new = folder.path().join(format!("restored-{n}"));
        let told = edge(&new, &["restore", "--new", backup.to_str().unwrap(), "--skip-numbers", "0"]).await;
        assert!(told.contains("BLR1 is back"), "{told}");
        check(&new, known, &answered);
    }
    println!("{} sales, 3 backups of {} KiB", answered.len(), taken[2].0.metadata().unwrap().len() / 1024);
    assert_eq!(edge(&data, &["backup", "--list"]).await.lines().count(), 3);
}

/// The restored branch is sound, holds everything that was answered before its backup began, and nothing that was never answered.
fn check(data: &std::path::Path, known: &HashSet<String>, answered: &HashMap<String, Option<String>>) {
    let conn = database(data);
    assert_eq!(texts(&conn, "PRAGMA integrity_check"), ["ok"]);
    let number = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(number("SELECT count(*) FROM pragma_foreign_key_check"), 0);
    let held: HashSet<String> = texts(&conn, "SELECT order_number FROM orders").into_iter().collect();
    assert!(
        known.is_subset(&held),
        "answered before the backup began, and not in it: {:?}",
        known.difference(&held)
    );
    let unknown: Vec<_> = held.iter().filter(|order| !answered.contains_key(*order)).collect();
    assert!(unknown.is_empty(), "in the backup, and never answered: {unknown:?}");
    let bills: HashSet<&String> = answered.values().flatten().collect();
    for bill in texts(&conn, "SELECT number FROM invoices") {
        assert!(bills.contains(&bill), "{bill} was never answered");
    }
    for (table, column, group) in
        [("orders", "token_number", "business_date"), ("invoices", "serial", "kind, fiscal_year")]
    {
        let gaps = format!(
            "SELECT count(*) FROM (SELECT max({column}) <> count(*) OR min({column}) <> 1 AS gap
             FROM {table} GROUP BY outlet_id, {group}) WHERE gap"
        );
        assert_eq!(number(&gaps), 0, "{table}");
    }
    let counted = "SELECT count(*) FROM counters WHERE series LIKE 'INVOICE:%' AND value <> (SELECT count(*) FROM invoices)";
    assert_eq!(number(counted), 0, "the counter stands where the bills end");
    let report = sync_hub::verify::data_dir(data).unwrap();
    assert!(report.is_good(), "{:?}", report.problems);
}

#[tokio::test]
async fn a_backup_that_is_killed_leaves_nothing_that_looks_like_one() {
    let folder = folder();
    let data = folder.path().join("branch");
    Edge::run(&["init", "--sample-data", "--history-days", "3", "--data-dir", data.to_str().unwrap()]);
    let half = data.join("backups/.making-now/copy.db");
    let mut child = Command::new(Edge::binary())
        .args(["backup", "--data-dir"])
        .arg(&data)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while half.metadata().map_or(0, |meta| meta.len()) == 0 {
        assert!(Instant::now() < deadline && child.try_wait().unwrap().is_none(), "it was never half way");
        std::hint::spin_loop();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(half.exists(), "it was killed in the middle");
    assert_eq!(edge(&data, &["backup", "--list"]).await, "There is no backup yet\n");
    let whole = made(&edge(&data, &["backup"]).await);
    assert!(whole.exists() && !half.exists(), "the next one sweeps");
    let to_stick = tried(&data, &["backup", "--to", "/nowhere/at/all"]);
    assert!(!to_stick.status.success());
    assert_eq!(edge(&data, &["backup", "--list"]).await.lines().count(), 1);
}
