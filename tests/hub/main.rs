//! Head office over HTTP, on SQLite: people, boxes, what may be done at once, outlets and the figures of the chain.

mod access;
mod chain;
mod contract;
mod enrolment;
mod exchange;
mod people;
mod quarantine;
mod unusual;
mod versions;

use tiffin_common::Uuid;
use tiffin_common::frame::Hash;
use tiffin_common::sync::batch::Batch;
use tiffin_tests::{BoxClient, Branch, HeadOffice};

/// A piece of the log of `branch`: what comes after row `after`.
async fn log(branch: &Branch, after: i64) -> Batch {
    let mut frames = branch.log(after - 1).await;
    let previous = if after > 0 { frames.remove(0).hash } else { Hash::START };
    frames.truncate(400);
    Batch { previous, frames }
}

/// Pushes everything that head office does not hold of `branch` yet.
async fn push_all(branch: &Branch, sender: &BoxClient) {
    sender.push_all(branch).await;
}

/// Asks head office as the box of `branch` would; the test speaks in its place then.
async fn enrol(hub: &HeadOffice, branch: &Branch) -> BoxClient {
    let request = hub.request(&hub.code(None).await, Some(&branch.card().await));
    hub.enrol(&request).await
}

/// A made-up id.
const UNKNOWN: Uuid = Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0001);
