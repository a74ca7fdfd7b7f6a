//! What the exchange with head office costs, each figure beside its limit in the same run: capturing an order, its bytes on the
//! wire, the codec, head office's apply rate on SQLite and PostgreSQL, and a backlog through a poor line. Never asserts a time.
//!
//!     cargo bench -p tiffin-tests --bench sync

mod capture;
mod hub;
mod line;
mod wire;

use tiffin_tests::chain::Day;

/// Orders of the recorded day: a long day of a busy branch.
const ORDERS: usize = 480;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let (branch, day) = runtime.block_on(async {
        let branch = tiffin_tests::Branch::start().await;
        let day = Day::record_at(&branch, ORDERS).await;
        (branch, day)
    });
    println!("{ORDERS} orders: {} log rows, {} row changes\n", day.frames.len(), day.changes);
    runtime.block_on(wire::measure(&day));
    capture::measure(&day);
    runtime.block_on(async move {
        hub::measure(&day).await;
        line::measure(&branch).await;
    });
}

/// The middle of several measurements.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
