//! The view for a pipe or a log: a line per branch every few seconds.

use crate::watch::Watch;
use std::time::{Duration, Instant};

/// How often.
const EVERY: Duration = Duration::from_secs(2);

/// Prints until `seconds` have passed, or for ever until Ctrl-C.
pub async fn run(watch: &Watch, seconds: Option<u64>) {
    let began = Instant::now();
    let print = async {
        while seconds.is_none_or(|seconds| began.elapsed().as_secs() < seconds) {
            for seen in watch.look().await {
                println!(
                    "{:>4}s {:<12} internet {:<4} sold {:>5} orders ({} failed)  waiting {:>5} rows  digest {}",
                    began.elapsed().as_secs(),
                    seen.name,
                    if seen.link_up { "up" } else { "CUT" },
                    seen.orders,
                    seen.failed,
                    seen.waiting.map_or("?".to_owned(), |rows| rows.to_string()),
                    seen.digest,
                );
            }
            tokio::time::sleep(EVERY).await;
        }
    };
    tokio::select! {
        () = print => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}
