//! How long news take on an ordinary day, where the outlet has a history and where it has none: an order of the branch until head office
//! holds it, a wage of head office until the branch holds it. Looks into both databases, never asks either program whether it has come.

use super::ends::{self, There};
use super::steady::Took;
use rusqlite::Connection;
use serde_json::json;
use std::path::Path;
use std::time::{Duration, Instant};
use tiffin_common::Uuid;
use tiffin_tests::{Edge, HubProcess, sample};

/// So often each is done.
const TIMES: usize = 200;

/// Between two of them, so that the one before is over in every respect.
const PAUSE: Duration = Duration::from_millis(50);

/// How long it may take at most.
const LONGEST: Duration = Duration::from_secs(60);

/// Prints how long both take between `hub` and the branch in `file`.
pub(super) async fn measure(
    hub: &HubProcess,
    edge: &Edge,
    (file, outlet): (&Path, Uuid),
    there: &There,
    what: &str,
) {
    let (up, down) = (Took::default(), Took::default());
    let owner = sample::owner(edge).await;
    let order = json!({"orderType": "COUNTER", "items": sample::lines(&owner, 3).await});
    let held = there.watch();
    for _ in 0..TIMES {
        let placed = owner.post("/orders", order.clone()).await.expect(201).json();
        let answered = Instant::now();
        let id = placed["id"].as_str().unwrap().parse().unwrap();
        come(|| held.has_order(id)).await;
        up.add(answered.elapsed());
        tokio::time::sleep(PAUSE).await;
    }
    let admin = hub.admin().await;
    let cook = json!({"name": format!("Cook of {what}"), "jobTitle": "Cook", "hourlyRateCents": 9_000});
    let hired = admin.post(&format!("/hub/employees?outletIds={outlet}"), cook).await.expect(201).data();
    let path = format!("/hub/employees/{}", hired["id"].as_str().unwrap());
    let here = ends::open(file);
    for wage in 9_001..9_001 + i64::try_from(TIMES).unwrap() {
        admin.patch(&path, json!({"hourlyRateCents": wage})).await.expect(200);
        let answered = Instant::now();
        come(|| count(&here, wage) > 0).await;
        down.add(answered.elapsed());
        tokio::time::sleep(PAUSE).await;
    }
    println!("{what}: an order until head office holds it {}", up.take());
    println!("  a wage until the branch holds it {}", down.take());
}

fn count(conn: &Connection, wage: i64) -> i64 {
    let sql = "SELECT count(*) FROM employees WHERE hourly_rate_cents = ?1 AND name LIKE 'Cook of %'";
    conn.query_row(sql, [wage], |row| row.get(0)).unwrap()
}

async fn come(mut is_there: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_there() {
        assert!(begin.elapsed() < LONGEST, "it never came");
        tokio::time::sleep(Duration::from_micros(500)).await;
    }
}
