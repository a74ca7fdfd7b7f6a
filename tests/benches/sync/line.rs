//! A day's backlog from a branch's own worker to head office: over loopback, and through a narrow, long, leaky line.

use edge::sync::{Hub, Settings, Worker, adopt, outlet_of};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tiffin_common::sync::{EnrolRequest, PROTOCOL};
use tiffin_common::{Millis, Uuid};
use tiffin_tests::chain::Carrier;
use tiffin_tests::link::{Line, Link};
use tiffin_tests::{Branch, HeadOffice};

/// 256 kbit/s, 600 ms there and back, 2 % lost.
const POOR: Line = Line { bits: 256_000, round_trip: Duration::from_millis(600), lost: 20 };

pub(super) async fn measure(branch: &Branch) {
    let fast = drain(branch, None, 1).await;
    println!("the worker's backlog, loopback {:>11.1} s", fast.as_secs_f64());
    let mut all = Vec::new();
    for seed in 0..3 {
        all.push(drain(branch, Some(seed), u128::from(seed) + 2).await.as_secs_f64());
    }
    let all: Vec<String> = all.iter().map(|seconds| format!("{seconds:.1}")).collect();
    println!("256 kbit/s, 600 ms, 2 % lost   {:>11} s   (aim 20; three seeds)", all.join(", "));
}

/// Enrols the branch at a new head office and lets its worker push until nothing is left.
async fn drain(branch: &Branch, seed: Option<u64>, device: u128) -> Duration {
    let office = HeadOffice::start().await;
    let near = Carrier { http: reqwest::Client::new(), base: office.base().to_owned(), key: None };
    let card = branch.db.read(|from| outlet_of(from)).await.unwrap();
    let device = Uuid::from_u128(device);
    let request = EnrolRequest {
        code: office.code(None).await,
        device_id: device,
        outlet: card,
        replace: false,
        protocol: PROTOCOL,
        schema: tiffin_migrations::edge_schema_version(),
        version: env!("CARGO_PKG_VERSION").into(),
        wall: Millis::new(0),
        pepper: None,
    };
    let enrolled = Hub::new(Arc::new(near.clone())).enrol(&request).await.unwrap();
    let target = office.base().trim_start_matches("http://").to_owned();
    let link = match seed {
        Some(seed) => Some(Link::open(target, POOR, seed).await),
        None => None,
    };
    let base = link.as_ref().map_or(office.base(), Link::base).to_owned();
    let (url, epoch) = (base.clone(), enrolled.hub_epoch);
    branch.db.write(move |tx| adopt(tx, device, &url, epoch)).await.unwrap();
    let client = Arc::new(Carrier { base, key: Some(enrolled.key), ..near });
    let folder = Some(branch.folder().to_owned());
    let mut worker = Worker::with_client(branch.db.clone(), folder, client, Settings::default());
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
