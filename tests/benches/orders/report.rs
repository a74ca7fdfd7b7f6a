//! The figures as a table. Never rounds a ratio in our favour: rates and ratios are medians over the rounds, ratios taken round by
//! round, latencies those of all rounds together.

use super::Figures;
use std::time::Duration;

/// What the others are measured against.
const FLOOR: &str = "raw group commit";

/// Rounds: how much slower syncs were, connections, who, what.
#[derive(Default)]
pub(super) struct Table(Vec<(Duration, usize, &'static str, Figures)>);

impl Table {
    pub(super) fn add(&mut self, slower: Duration, connections: usize, name: &'static str, figures: Figures) {
        self.0.push((slower, connections, name, figures));
    }

    /// Prints what was measured at so many connections on so slow a disk.
    pub(super) fn print(&self, slower: Duration, connections: usize) {
        let rounds = || self.0.iter().filter(|(s, c, ..)| (*s, *c) == (slower, connections));
        let of = |name: &str| -> Vec<&Figures> {
            rounds().filter(|(_, _, who, _)| *who == name).map(|(.., figures)| figures).collect()
        };
        let floor: Vec<f64> = of(FLOOR).iter().map(|round| round.rate()).collect();
        let mut names: Vec<&str> = Vec::new();
        for (_, _, name, _) in rounds() {
            if !names.contains(name) {
                names.push(name);
            }
        }
        println!(
            "\n{:<44} orders/s  of raw   p50 ms   p99 ms   max ms   CPU ms  kB to disk (an order)",
            format!("{connections} connections, syncs {} ms slower", slower.as_millis())
        );
        for name in names {
            let own = of(name);
            let took = Latencies::of(own.iter().flat_map(|round| round.micros.iter().copied()));
            let an_order = |sum: f64| sum / took.0.len() as f64;
            println!(
                "{name:<44} {:>8.0} {:>6.0}% {:>8.2} {:>8.2} {:>8.1} {:>8.2} {:>11.0}",
                median(own.iter().map(|round| round.rate())),
                median(own.iter().zip(&floor).map(|(round, floor)| round.rate() / floor * 100.0)),
                took.ms(0.5),
                took.ms(0.99),
                took.ms(1.0),
                an_order(own.iter().map(|round| round.used.cpu_seconds * 1e3).sum()),
                an_order(own.iter().map(|round| round.used.disk_bytes as f64 / 1e3).sum()),
            );
        }
    }
}

/// How long each of many took, in microseconds, the quickest first.
pub(super) struct Latencies(Vec<u64>);

impl Latencies {
    /// Of these, in microseconds and any order.
    pub(super) fn of(micros: impl Iterator<Item = u64>) -> Latencies {
        let mut micros: Vec<u64> = micros.collect();
        micros.sort_unstable();
        Latencies(micros)
    }

    /// What so great a share of them took at most, in milliseconds.
    pub(super) fn ms(&self, share: f64) -> f64 {
        self.0[((self.0.len() - 1) as f64 * share).round() as usize] as f64 / 1e3
    }
}

/// The middle value.
pub(super) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
