//! What a request takes, and an order takes of the disk, as history grows: the sample restaurant after so many days of trade, made
//! and served by the program as it is shipped. Never measures while the work of finished days is still being done.
//!
//!     TIFFIN_DAYS=1,365,1825 cargo bench -p tiffin-tests --bench orders -- growth

use super::branch::Branch;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use std::time::{Duration, Instant};

/// So often each request is made.
const TIMES: usize = 200;

pub(super) async fn measure(folder: &Path) {
    super::build_program();
    let days = std::env::var("TIFFIN_DAYS").unwrap_or_else(|_| "1,30,365".to_owned());
    println!("{:>5} {:>8} {:>9} {:>9}  request, p50 and p99 in ms", "days", "orders", "kB/order", "ready ms");
    for days in days.split(',') {
        let folder = folder.join(days);
        let branch = Branch::make_after(&folder, days).await;
        settle(&branch.database()).await;
        let database = branch.database();
        let (owner, tills) = (branch.owner.clone(), branch.tills.clone());
        let orders = count(&database, "SELECT count(*) FROM orders");
        drop(branch.edge);
        let size = std::fs::metadata(&database).unwrap().len();
        let begin = Instant::now();
        let edge = tiffin_tests::Edge::serve(&branch.data, &[]).await;
        let ready = begin.elapsed();
        println!("{days:>5} {orders:>8} {:>9.1} {:>9.0}", size as f64 / orders as f64 / 1e3, ms(ready));
        let owner = owner.at(edge.base());
        let mut till = tills.connect(edge.listen()).await;
        let mut took = Vec::new();
        for order in 0..TIMES {
            let begin = Instant::now();
            till.place(order % branch.bodies.len()).await;
            took.push(begin.elapsed());
        }
        print("POST /orders", took);
        let items = owner.get("/inventory/items?limit=1").await.expect(200).json();
        let ledger = format!("/inventory/items/{}/movements", items["items"][0]["id"].as_str().unwrap());
        for path in ["/dashboard", "/menu", "/orders", "/analytics/summary?period=TODAY", &ledger] {
            let mut took = Vec::new();
            for _ in 0..TIMES {
                let begin = Instant::now();
                owner.get(path).await.expect(200);
                took.push(begin.elapsed());
            }
            print(
                path.split("/inventory/items/")
                    .next()
                    .filter(|p| !p.is_empty())
                    .unwrap_or("an item's ledger"),
                took,
            );
        }
    }
}

fn print(what: &str, mut took: Vec<Duration>) {
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
