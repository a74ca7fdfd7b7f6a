//! A day's backlog from a branch's own worker to head office: over loopback, and through a narrow, long, leaky line.

use std::time::{Duration, Instant};
use tiffin_tests::link::{Line, Link};
use tiffin_tests::{Branch, HeadOffice};

/// 256 kbit/s, 600 ms there and back, 2 % lost.
const POOR: Line = Line { bits: 256_000, round_trip: Duration::from_millis(600), lost: 20 };

pub(super) async fn measure(branch: &Branch) {
    let fast = drain(branch, None).await;
    println!("the worker's backlog, loopback {:>11.1} s", fast.as_secs_f64());
    let mut all = Vec::new();
    for seed in 0..3 {
        all.push(drain(branch, Some(seed)).await.as_secs_f64());
    }
    let all: Vec<String> = all.iter().map(|seconds| format!("{seconds:.1}")).collect();
    println!("256 kbit/s, 600 ms, 2 % lost   {:>11} s   (aim 20; three seeds)", all.join(", "));
}

/// Enrols the branch at a new head office and lets its worker push until nothing is left.
async fn drain(branch: &Branch, seed: Option<u64>) -> Duration {
    let office = HeadOffice::start().await;
    let target = office.base().trim_start_matches("http://").to_owned();
    let link = match seed {
        Some(seed) => Some(Link::open(target, POOR, seed).await),
        None => None,
    };
    branch.enroll_by(link.as_ref().map_or(office.base(), Link::base), &office).await;
    let mut worker = branch.worker();
    worker.chores_step().await;
    let head = branch.number("SELECT max(seq) FROM sync_log").await;
    let begin = Instant::now();
    loop {
        let next = worker.push_step().await;
        if branch.number("SELECT acked_seq FROM sync_peer").await >= head {
            return begin.elapsed();
        }
        tokio::time::sleep(next.after.min(Duration::from_secs(2))).await;
    }
}
