//! The parts of the chain simulator: a recorded day, outlets that replay it, and a run of many of them.

mod day;
mod outlet;
mod run;

pub use day::{Day, other_id};
pub use outlet::{Carrier, Counts, Outlet};
pub use run::{Figures, run};
