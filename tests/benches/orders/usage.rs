//! What a process takes of the machine, as the kernel counts it. Never of other processes than the one that is named.

use serde::{Deserialize, Serialize};

/// Ticks of a second in `/proc/PID/stat`: fixed on Linux.
const TICKS: f64 = 100.0;

/// What a process has used since its start, or between two moments.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Usage {
    /// Processor time, in its programs and in the kernel for them.
    pub(super) cpu_seconds: f64,
    /// Bytes it caused to be written to the disk: `write_bytes` of `/proc/PID/io`, whole pages of its files.
    pub(super) disk_bytes: u64,
}

impl Usage {
    /// Of the process `pid` so far.
    pub(super) fn of(pid: u32) -> Usage {
        let read = |file: &str| std::fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap();
        let (stat, io) = (read("stat"), read("io"));
        // The name, in brackets, may hold blanks; the state comes after it, 11 fields on the times.
        let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
        let ticks = |field: usize| fields[field].parse::<f64>().unwrap();
        let disk = io.lines().find_map(|line| line.strip_prefix("write_bytes: ")).unwrap();
        Usage { cpu_seconds: (ticks(11) + ticks(12)) / TICKS, disk_bytes: disk.parse().unwrap() }
    }

    /// What was used since `earlier`.
    pub(super) fn since(self, earlier: Usage) -> Usage {
        Usage {
            cpu_seconds: self.cpu_seconds - earlier.cpu_seconds,
            disk_bytes: self.disk_bytes - earlier.disk_bytes,
        }
    }
}
