//! The branch's side of the exchange with head office: sends the change log up, brings shared rows down, and stays out of the way
//! of everything else. A branch that belongs to no head office never notices it.

mod carrier;
mod client;

pub use carrier::{CarrierError, HttpCarrier};
pub use client::{Answer, Hub, HubClient, HubError, Reply, Request};
