//! The load: so many takers at once, each taking one order after another, for so long. Measures, never judges.

use super::Taker;
use super::usage::Usage;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// What one round showed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Figures {
    /// How long the round took, in seconds.
    pub(super) seconds: f64,
    /// How long each order took, in microseconds, in no order.
    pub(super) micros: Vec<u64>,
    /// What the process that took the orders used meanwhile.
    #[serde(default)]
    pub(super) used: Usage,
}

impl Figures {
    /// Orders a second.
    pub(super) fn rate(&self) -> f64 {
        self.micros.len() as f64 / self.seconds
    }
}

/// Lets `takers` take orders at the same time, for `long`. `usage` says what their server has used so far.
pub(super) async fn measure<T: Taker>(
    mut takers: Vec<T>,
    long: Duration,
    usage: impl Fn() -> Usage,
) -> Figures {
    // The first order of a connection finds everything cold.
    for taker in &mut takers {
        taker.take().await;
    }
    let before = usage();
    let start = Instant::now();
    let tasks: Vec<_> = takers
        .into_iter()
        .map(|mut taker| {
            tokio::spawn(async move {
                let mut micros = Vec::new();
                while start.elapsed() < long {
                    let begin = Instant::now();
                    taker.take().await;
                    micros.push(u64::try_from(begin.elapsed().as_micros()).unwrap());
                }
                micros
            })
        })
        .collect();
    let mut micros = Vec::new();
    for task in tasks {
        micros.extend(task.await.unwrap());
    }
    Figures { seconds: start.elapsed().as_secs_f64(), micros, used: usage().since(before) }
}
