//! The test harness: a branch in this process on port 0, and clients that speak HTTP to it. Never listens beyond loopback.

#[path = "harness/branch.rs"]
mod branch;
#[path = "harness/client.rs"]
mod client;
#[path = "harness/figures.rs"]
pub mod figures;
#[path = "harness/house.rs"]
mod house;
#[path = "harness/postgres.rs"]
pub mod postgres;
#[path = "harness/process.rs"]
mod process;
#[path = "harness/stage.rs"]
mod stage;
#[path = "harness/stream.rs"]
mod stream;

pub use branch::Branch;
pub use client::{Client, Reply};
pub use house::House;
pub use process::Edge;
pub use stage::{Stage, UNKNOWN};
pub use stream::Events;
