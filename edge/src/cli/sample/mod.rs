//! The sample restaurant of `edge init --sample-data`: its data, how it becomes rows, and its simulated history.
//! Writes only through the actions that HTTP uses.

pub mod data;
pub mod dice;
pub mod history;
pub mod plan;
pub mod seed;
pub mod timeline;
