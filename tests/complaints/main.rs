//! What users of other systems suffer, as tests: one per row of the list in `design/complaints.md` that concerns a branch,
//! named after it. (10, 14 and 15 concern a branch together with its hub.)

mod busy_hour;
mod clock;
mod concurrency;
mod kitchen;
mod money;
mod orders;
mod stock;
mod tables;

use serde_json::Value;

/// The path of an order (or of anything else below `/orders`).
fn path(order: &Value) -> String {
    format!("/orders/{}", id(order))
}

fn id(record: &Value) -> &str {
    record["id"].as_str().unwrap()
}
