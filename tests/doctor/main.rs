//! The care of a box, with the real binaries: what a doctor finds, and a disk that fills up in the middle of trade.

mod clock;
mod findings;
mod space;
