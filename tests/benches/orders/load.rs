//! The load: so many takers at once, each taking one order after another. Measures, never judges.

use super::Taker;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What one round showed.
#[derive(Debug, Clone)]
pub(super) struct Figures {
    /// Orders a second.
    pub(super) rate: f64,
    /// Latencies of all orders, ascending.
    latencies: Vec<Duration>,
}

impl Figures {
    /// The latency that `share` of the orders (0 to 1) stayed within.
    pub(super) fn percentile(&self, share: f64) -> Duration {
        let last = self.latencies.len() - 1;
        self.latencies[((last as f64) * share).round() as usize]
    }
}

/// Lets `connections` takers take `orders` orders together.
pub(super) async fn measure<T, F>(connections: usize, orders: usize, make: F) -> Figures
where
    T: Taker,
    F: AsyncFn(usize) -> T,
{
    let mut takers = Vec::new();
    for i in 0..connections {
        let mut taker = make(i).await;
        taker.take().await;
        takers.push(taker);
    }
    let next = Arc::new(AtomicUsize::new(0));
    let start = Instant::now();
    let tasks: Vec<_> = takers
        .into_iter()
        .map(|mut taker| {
            let next = Arc::clone(&next);
            tokio::spawn(async move {
                let mut latencies = Vec::new();
                while next.fetch_add(1, Ordering::Relaxed) < orders {
                    let begin = Instant::now();
                    taker.take().await;
                    latencies.push(begin.elapsed());
                }
                latencies
            })
        })
        .collect();
    let mut latencies = Vec::with_capacity(orders);
    for task in tasks {
        latencies.extend(task.await.unwrap());
    }
    let seconds = start.elapsed().as_secs_f64();
    latencies.sort_unstable();
    Figures { rate: latencies.len() as f64 / seconds, latencies }
}
