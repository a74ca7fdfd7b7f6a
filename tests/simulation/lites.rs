//! A simulated light-weight branch, and what is wrong with its books in the end.

use crate::wire::Carrier;
use edge::sync::Hub;
use rusqlite::Connection;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tiffin_common::sync::Class;
use tiffin_tests::{Dice, Lite, oracle};
use tokio::sync::Mutex;

/// A light-weight branch with its key; its "disk" outlives crashes.
pub struct LiteSite {
    /// Its host's name.
    pub name: String,
    /// The branch.
    pub lite: Mutex<Lite>,
    /// Whether it trades.
    pub trading: AtomicBool,
    pub(super) key: String,
    pub(super) seed: u64,
}

impl LiteSite {
    /// Lives until it crashes.
    pub async fn live(self: Arc<Self>) -> turmoil::Result {
        let hub = Hub::new(Arc::new(Carrier::new(&format!("net-{}", self.name), Some(self.key.clone()))));
        self.lite.lock().await.start();
        let dice =
            Dice::fork(self.seed, &format!("{} after {}", self.name, self.lite.lock().await.log.len()));
        loop {
            tokio::time::sleep(Duration::from_millis(dice.between(100, 3_000))).await;
            let mut lite = self.lite.lock().await;
            if self.trading.load(Ordering::SeqCst) {
                let movements = if dice.happens(5) { 2_000 } else { dice.between(1, 20) };
                lite.trade(movements as i64);
            }
            let most = *dice.pick(&[1, 3, 50, 1_000]);
            // What went wrong is tried again next time.
            let _error = lite.exchange(&hub, most, Class::Live).await;
        }
    }
}

/// Whether head office has all of it.
pub fn caught_up(lite: &LiteSite) -> bool {
    lite.lite.try_lock().is_ok_and(|lite| lite.confirmed == lite.log.len() as i64)
}

/// Compares a light-weight branch's books with head office's copy.
pub fn cash_problems(replica: &Path, lite: &Lite) -> Vec<String> {
    let conn: Connection = oracle::open(replica);
    let number = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap_or(-1);
    let count = number("SELECT count(*) FROM cash_movements");
    let cents = number("SELECT coalesce(sum(amount_cents), 0) FROM cash_movements");
    let counter = number("SELECT coalesce(sum(value), 0) FROM counters");
    let log = number("SELECT coalesce(sum(last_seq - first_seq + 1), 0) FROM hub_log");
    let mut problems = Vec::new();
    let expected = [("movements", lite.movements), ("cents", lite.cents), ("counter", lite.movements)];
    for ((what, expected), found) in expected.into_iter().zip([count, cents, counter]) {
        if expected != found {
            problems.push(format!("{}: {what} {found} at head office, {expected} here", lite.code));
        }
    }
    let refused = number("SELECT count(*) FROM hub_quarantine");
    if refused != 0 {
        problems.push(format!("{}: {refused} log rows in quarantine", lite.code));
    }
    if log != lite.log.len() as i64 {
        problems.push(format!("{}: {log} raw log rows at head office, {} here", lite.code, lite.log.len()));
    }
    problems
}
