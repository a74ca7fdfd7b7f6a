//! What can happen to drawers and days. One function per state change; each runs in its caller's transaction.

mod days;
mod drawers;

pub use days::{close_day, day_page, print_day};
pub use drawers::{Count, Moved, close, move_cash, open, probe};
