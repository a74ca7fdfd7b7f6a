//! Printers and paper (second edition, section G). What holds always:
//!
//! - Paper is a row of the transaction of what it tells of; a worker prints it afterwards, so nothing ever waits for a printer.
//! - Each address has a queue of its own with a ceiling; no printer delays another.
//! - What may have come out already says COPY n when it is sent again, unless the printer can tell that it did: then it is not sent.
//! - What is too old never prints by itself, what has a fallback goes there once, and a drawer opens once or not at all.
//!
//! Beside the five files of every resource: `line` (what can be said to a printer) and `worker` (what happens without a request).

pub mod actions;
mod api;
pub mod line;
pub mod rules;
pub mod store;
pub mod worker;

pub use api::PrintJob;

use crate::access::{Permission, delete, get, patch, post};
use crate::state::Routes;

/// `/printers`, `/print-jobs` and `/print-layout`.
pub fn routes() -> Routes {
    let (read, write) = (Permission::PrintersRead, Permission::PrintersWrite);
    Routes::group(
        "printers",
        [
            get("/printers", read, api::list_printers).summary("The outlet's printers"),
            post("/printers", write, api::create_printer).summary("Make a printer"),
            get("/printers/{id}", read, api::get_printer).summary("One printer"),
            patch("/printers/{id}", write, api::update_printer).summary("Change a printer"),
            delete("/printers/{id}", write, api::delete_printer)
                .summary("Archive a printer no paper waits for"),
            post("/printers/{id}/test", write, api::test_printer).summary("Print a test page"),
            get("/print-jobs", read, api::list_print_jobs)
                .summary("Paper and what became of it, the newest first"),
            get("/print-jobs/{id}", read, api::get_print_job).summary("One piece of paper"),
            get("/print-layout", read, api::get_layout).summary("What stands above and below receipts"),
            patch("/print-layout", write, api::update_layout)
                .summary("Change what stands above and below receipts"),
        ],
    )
}
