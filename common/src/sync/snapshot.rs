//! A whole outlet for a box that takes another's place, in pages. Never decides what is in which part.

use super::At;
use crate::Uuid;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `GET snapshot`: what part of the outlet's rows a replacement asks for.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SnapshotQuery {
    /// Which part of the rows is asked for.
    pub phase: Phase,
    /// Where the last page ended.
    #[serde(default)]
    pub after: Option<String>,
}

crate::words! {
    /// The parts of a snapshot, in the order of how soon they are needed.
    pub enum Phase {
        /// Shared rows, counters, tables, stations, what is open, batches with stock: enough to open for business.
        A = "A",
        /// The last 45 days.
        B = "B",
        /// The rest.
        C = "C",
    }
}

/// A page of the outlet's rows.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SnapshotPage {
    /// The position of the rows; the same on every page, because nobody else writes.
    pub cursor: Option<At>,
    /// Inserts, packed, compressed by zstd, in base64.
    pub rows: String,
    /// How many rows these are.
    pub count: u32,
    /// Where the next page begins; none after the phase's last.
    pub next: Option<String>,
    /// On the last page of phase A: what is in stock. The ledger it is the sum of comes with the later phases.
    #[serde(default)]
    pub stock: Vec<StockCard>,
}

/// What the ledger of stock gives for one batch, or for what was taken of an item without any.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StockCard {
    /// Id of the stock item.
    pub item: Uuid,
    /// The batch; none for movements without one.
    pub batch: Option<Uuid>,
    /// The sum of the movements' quantities, in millionths. Batches that sum to nothing may be left out.
    pub quantity: i64,
    /// The sum of their costs, in millionths of a cent.
    pub cost_micros: i64,
}

/// `GET salvage`: what head office wants the outlet's box to take over from one that spoke for the outlet before it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SalvagePage {
    /// Names what is taken over: the box's log tells by it that it was; none when there is nothing.
    pub id: Option<Uuid>,
    /// The last row of the outlet's log that both boxes had.
    pub after: i64,
    /// Changes in their order, packed, compressed by zstd, in base64.
    pub rows: String,
    /// How many of them were made together, action by action: the box takes none apart. What they leave over goes together.
    #[serde(default)]
    pub actions: Vec<u32>,
    /// What the outlet's own log says was changed of these rows after `after`, in the same form: a change without its values; a row that was made
    /// as one that was deleted. Empty from a head office that does not say so yet.
    #[serde(default)]
    pub changed: String,
}
