//! The test harness: a branch in this process on port 0, and clients that speak HTTP to it. Never listens beyond loopback.

#[path = "harness/branch.rs"]
mod branch;
#[path = "chain/mod.rs"]
pub mod chain;
#[path = "harness/client.rs"]
mod client;
#[path = "harness/console.rs"]
mod console;
#[path = "corpus/mod.rs"]
pub mod corpus;
#[path = "harness/dice.rs"]
mod dice;
#[path = "harness/disk.rs"]
pub mod disk;
#[path = "harness/drawing.rs"]
mod drawing;
#[path = "harness/figures.rs"]
pub mod figures;
#[path = "harness/history.rs"]
pub mod history;
#[path = "harness/house.rs"]
mod house;
#[path = "harness/hub.rs"]
mod hub;
#[path = "harness/link.rs"]
pub mod link;
#[path = "harness/lite.rs"]
mod lite;
#[path = "harness/oracle.rs"]
pub mod oracle;
#[path = "harness/paired.rs"]
pub mod paired;
#[path = "harness/people.rs"]
pub mod people;
#[path = "harness/postgres.rs"]
pub mod postgres;
#[path = "harness/printer.rs"]
pub mod printer;
#[path = "harness/process.rs"]
mod process;
#[path = "harness/proxy.rs"]
pub mod proxy;
#[path = "harness/restaurant.rs"]
pub mod restaurant;
#[path = "harness/sales.rs"]
pub mod sales;
#[path = "harness/sample.rs"]
pub mod sample;
#[path = "harness/set_up.rs"]
pub mod set_up;
#[path = "harness/sheet.rs"]
mod sheet;
#[path = "harness/shim.rs"]
pub mod shim;
#[path = "harness/stage.rs"]
mod stage;
#[path = "harness/stream.rs"]
mod stream;
#[path = "harness/traces.rs"]
pub mod traces;
#[path = "harness/trade.rs"]
pub mod trade;
#[path = "harness/transfers.rs"]
pub mod transfers;
#[path = "harness/wire.rs"]
mod wire;

pub use branch::{Branch, START};
pub use client::{Client, Reply};
pub use console::{Console, until};
pub use dice::Dice;
pub use drawing::drawing;
pub use house::House;
pub use hub::{BoxClient, HeadOffice};
pub use lite::Lite;
pub use process::{Edge, HubProcess, Machine, Server, first_of_hub, free_address, most_memory, terminate};
pub use stage::{Stage, UNKNOWN};
pub use stream::{Event, Events};
