//! What a request takes, and an order takes of the disk, as history grows: the sample restaurant after so many days of trade, made
//! and served by the program as it is shipped. Beyond a month the month is written again and again, without its change log. Never measures
//! while the work of finished days is still being done.
//!
//!     TIFFIN_DAYS=1,365,1825 cargo bench -p tiffin-tests --bench orders -- growth

use super::branch::Branch;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use std::time::{Duration, Instant};
use tiffin_tests::{Client, Edge, history};

/// So often each request is made.
const TIMES: usize = 200;

/// Days that are really traded, at most.
const TRADED: i64 = 30;

pub(super) async fn measure(folder: &Path) {
    super::build_program();
    let days = std::env::var("TIFFIN_DAYS").unwrap_or_else(|_| "1,30,365".to_owned());
    println!("{:>5} {:>8} {:>9} {:>9}  request, p50 and p99 in ms", "days", "orders", "kB/order", "ready ms");
    for days in days.split(',').map(|days| days.parse().unwrap()) {
        let folder = folder.join(format!("{days}"));
        after(&folder, days).await;
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

/// Prints what it is like after so many days.
async fn after(folder: &Path, days: i64) {
    let branch = Branch::make_after(folder, &days.min(TRADED).to_string()).await;
    let database = branch.database();
    let (owner, tills) = (branch.owner.clone(), branch.tills.clone());
    drop(branch.edge);
    if days > TRADED {
        let (file, traded) = (database.clone(), count(&database, "SELECT count(*) FROM orders"));
        let lengthen = move || history::lengthen(&file, days, traded * days / TRADED);
        tokio::task::spawn_blocking(lengthen).await.unwrap();
    }
    let edge = Edge::serve(&branch.data, &[]).await;
    settle(&database).await;
    edge.into_server().stop();
    let orders = count(&database, "SELECT count(*) FROM orders");
    let size = std::fs::metadata(&database).unwrap().len();
    let begin = Instant::now();
    let edge = Edge::serve(&branch.data, &[]).await;
    let ready = begin.elapsed();
    println!("{days:>5} {orders:>8} {:>9.1} {:>9.0}", size as f64 / orders as f64 / 1e3, ms(ready));
    let mut till = tills.connect(edge.listen()).await;
    time("POST /orders", async |order| drop(till.place(order % branch.bodies.len()).await)).await;
    read(&owner.at(edge.base())).await;
}

/// What is read all day.
async fn read(owner: &Client) {
    let items = owner.get("/inventory/items?limit=1").await.expect(200).json();
    let ledger = format!("/inventory/items/{}/movements", items["items"][0]["id"].as_str().unwrap());
    let paths = [
        ("GET /dashboard", "/dashboard"),
        ("GET /menu", "/menu"),
        ("GET /orders", "/orders"),
        ("summary of today", "/analytics/summary?period=TODAY"),
        ("an item's ledger", &ledger),
    ];
    for (what, path) in paths {
        time(what, async |_| drop(owner.get(path).await.expect(200))).await;
    }
}

/// Asks so often and prints how long it took.
async fn time(what: &str, mut ask: impl AsyncFnMut(usize)) {
    let mut took = Vec::new();
    for turn in 0..TIMES {
        let begin = Instant::now();
        ask(turn).await;
        took.push(begin.elapsed());
    }
    took.sort_unstable();
    let at = |percent: usize| ms(took[(took.len() - 1) * percent / 100]);
    println!("{:>36}{what:<32} {:>8.2} {:>8.2}", "", at(50), at(99));
}

fn ms(took: Duration) -> f64 {
    took.as_secs_f64() * 1e3
}

/// Waits until the figures of all finished days are kept.
async fn settle(database: &Path) {
    let missing = "SELECT count(DISTINCT business_date) FROM orders
        WHERE business_date < (SELECT max(business_date) FROM orders)
          AND business_date NOT IN (SELECT business_date FROM analytics_days WHERE kept = 1)";
    while count(database, missing) > 0 {
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// What another reader of the file counts.
fn count(database: &Path, sql: &str) -> i64 {
    let conn = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    conn.busy_timeout(Duration::from_secs(10)).unwrap();
    conn.query_row(sql, [], |row| row.get(0)).unwrap()
}
