//! Waste: what was thrown away, why, and what it cost. The entries and their movements are inventory's; this is how people make,
//! read and sum them. What holds always:
//!
//! - Every entry has taken its quantities out of stock, batch by batch, at what those batches cost; one of a dish by its recipe.
//! - The sums are those of the ledger's WASTE movements, to the cent, whichever way they are cut.
//! - An entry never changes. One that was wrong is reversed once: its quantities go back to their batches on that day.

pub mod actions;
mod api;
pub mod rules;

use crate::access::{Permission as P, get, post};
use crate::state::Routes;
use api::{logs, summary};

/// `/waste-logs` (contract section 8).
pub fn routes() -> Routes {
    Routes::group(
        "waste-logs",
        [
            get("/waste-logs", P::WasteRead, logs::list_waste_logs)
                .summary("What was thrown away, newest first"),
            post("/waste-logs", P::WasteLog, logs::create_waste_log)
                .summary("Throw away a stock item, or a dish by its recipe"),
            get("/waste-logs/summary", P::WasteRead, summary::get_waste_summary)
                .summary("What waste cost by reason, stock item and station"),
            get("/waste-logs/{id}", P::WasteRead, logs::get_waste_log)
                .summary("One entry with the batches it took from"),
            post("/waste-logs/{id}/reverse", P::WasteLog, logs::reverse_waste_log)
                .summary("Undo a wrong entry: each quantity goes back to its batch, once"),
        ],
    )
}
