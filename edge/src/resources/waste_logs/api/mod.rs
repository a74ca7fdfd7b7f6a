//! `/waste-logs` over HTTP: the entries, and their sums.

pub(super) mod logs;
pub(super) mod summary;
