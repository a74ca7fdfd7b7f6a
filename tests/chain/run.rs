//! Many outlets against one head office: those with a backlog drain it, a few trade meanwhile; at the end every cursor stands at
//! its outlet's head and every digest agrees. Measures, never judges a time.

use super::day::Day;
use super::outlet::{Carrier, Counts, Outlet};
use edge::sync::Hub;
use futures_util::stream::{self, StreamExt};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tiffin_common::sync::Class;

/// Outlets that drain at the same time.
const AT_ONCE: usize = 48;

/// Outlets that trade while the others drain.
const LIVE: usize = 5;

/// What came of it.
#[derive(Debug)]
pub struct Figures {
    outlets: usize,
    orders: usize,
    changes: u64,
    seconds: f64,
    bytes: u64,
    pushes: u64,
    busy: u64,
    lags: Vec<Duration>,
}

impl std::fmt::Display for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let orders = (self.outlets * self.orders) as f64;
        let lag = |share: f64| {
            let last = self.lags.len().saturating_sub(1);
            self.lags.get((last as f64 * share).round() as usize).copied().unwrap_or_default()
        };
        writeln!(f, "outlets × orders            {:>9} × {}", self.outlets, self.orders)?;
        writeln!(f, "row changes an order        {:>9.0}", self.changes as f64 / orders)?;
        writeln!(f, "drained within              {:>9.1} s", self.seconds)?;
        writeln!(f, "orders a second             {:>9.0}", orders / self.seconds)?;
        writeln!(f, "row changes a second        {:>9.0}", self.changes as f64 / self.seconds)?;
        writeln!(f, "bytes an order on the wire  {:>9.0}", self.bytes as f64 / orders)?;
        writeln!(f, "pushes                      {:>9}", self.pushes)?;
        writeln!(f, "answers 429 and 503         {:>9}", self.busy)?;
        writeln!(f, "live push to confirmation   {:>9.0} ms p50", lag(0.5).as_secs_f64() * 1e3)?;
        writeln!(f, "                            {:>9.0} ms p99", lag(0.99).as_secs_f64() * 1e3)?;
        write!(f, "cursors and digests               all equal")
    }
}

/// Runs it against head office at `base`; `codes` are one-time codes for boxes, one for each outlet.
pub async fn run(base: &str, codes: Vec<String>, orders: usize) -> Figures {
    let begin = Instant::now();
    let day = Arc::new(Day::record(orders).await);
    eprintln!("recorded {} log rows, {} row changes in {:?}", day.frames.len(), day.changes, begin.elapsed());
    let live = LIVE.min(codes.len() / 2);
    let carrier = Carrier { http: reqwest::Client::new(), base: base.to_owned(), key: None };
    let begin = Instant::now();
    let outlets: Vec<(Outlet, Hub, bool)> = stream::iter(codes.into_iter().enumerate())
        .map(|(number, code)| {
            let (day, carrier) = (Arc::clone(&day), carrier.clone());
            async move {
                let is_live = number < live;
                let made = tokio::task::spawn_blocking(move || Outlet::new(&day, number as u64, is_live));
                let outlet = made.await.unwrap();
                let hub = outlet.enrol(&carrier, &code).await;
                (outlet, hub, is_live)
            }
        })
        .buffer_unordered(4)
        .collect()
        .await;
    eprintln!("made and enrolled {} outlets in {:?}", outlets.len(), begin.elapsed());
    let counts = Counts::default();
    let (traders, drainers): (Vec<_>, Vec<_>) = outlets.iter().partition(|(_, _, is_live)| *is_live);
    let begin = Instant::now();
    let draining = async {
        let counts = &counts;
        stream::iter(drainers)
            .for_each_concurrent(AT_ONCE, |(outlet, hub, _)| async move {
                outlet.drain(hub, Class::Backlog, Duration::ZERO, counts).await;
            })
            .await;
        begin.elapsed()
    };
    let trading = async {
        let counts = &counts;
        let traders = traders.into_iter().map(|(outlet, hub, _)| async move {
            outlet.drain(hub, Class::Live, Duration::from_millis(100), counts).await
        });
        futures_util::future::join_all(traders).await.concat()
    };
    let (took, mut lags) = tokio::join!(draining, trading);
    lags.sort_unstable();
    let figures = Figures {
        outlets: outlets.len(),
        orders,
        changes: day.changes * outlets.len() as u64,
        seconds: took.as_secs_f64(),
        bytes: counts.bytes.load(Ordering::Relaxed),
        pushes: counts.pushes.load(Ordering::Relaxed),
        busy: counts.busy.load(Ordering::Relaxed),
        lags,
    };
    let counts = &counts;
    stream::iter(&outlets).for_each_concurrent(8, |(outlet, hub, _)| outlet.check(hub, counts)).await;
    figures
}
