//! The figures as a table. Never rounds a ratio in our favour: medians over the rounds.

use super::Figures;

/// Rounds by connections: bare rows, the action, HTTP.
#[derive(Default)]
pub(super) struct Table(Vec<(usize, [Figures; 3])>);

const NAMES: [&str; 3] =
    ["bare row writes, group commit", "the action through the writer", "POST /orders over HTTP"];

impl Table {
    pub(super) fn add(&mut self, connections: usize, figures: [Figures; 3]) {
        self.0.push((connections, figures));
    }

    /// Prints medians over the rounds; ratios are taken round by round.
    pub(super) fn print(&self) {
        println!(
            "connections  what                             orders/s   p50 ms   p99 ms   of bare  of action"
        );
        let mut counts: Vec<usize> = self.0.iter().map(|(connections, _)| *connections).collect();
        counts.dedup();
        for connections in counts {
            let rounds: Vec<&[Figures; 3]> =
                self.0.iter().filter(|(c, _)| *c == connections).map(|(_, f)| f).collect();
            for (i, name) in NAMES.iter().enumerate() {
                let of = |other: usize| median(rounds.iter().map(|r| r[i].rate / r[other].rate * 100.0));
                let ms = |share| median(rounds.iter().map(|r| r[i].percentile(share).as_secs_f64() * 1e3));
                println!(
                    "{connections:>11}  {name:<31} {:>9.0} {:>8.2} {:>8.2} {:>8.0}% {:>9.0}%",
                    median(rounds.iter().map(|r| r[i].rate)),
                    ms(0.5),
                    ms(0.99),
                    of(0),
                    of(1),
                );
            }
        }
    }
}

/// The middle value.
pub(super) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// This process's resident memory.
pub(super) fn resident_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
