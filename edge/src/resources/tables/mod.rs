//! Dining tables, the parties that sit at them, and the QR codes that let guests order.
//!
//! What holds: a table's number is unique in its outlet; a table has at most one open session, which is one party from its
//! first order (or seating) to the closing of its last open order; a QR token belongs to the table and says nothing about
//! the party, so what a guest sees follows the session; a rotated token is dead at once. Orders are moved by orders: this
//! resource only moves the session.

pub mod actions;
mod api;
pub mod qr;
pub mod rules;
pub mod store;

pub use api::shown;
pub use rules::{Table, TableError, TableSession, TableStatus};

use crate::access::{Permission as P, delete, get, patch, post};
use crate::http::intake::ExportFile;
use crate::state::Routes;
use rules::ExportedTable;

/// `/tables` (contract section 5), without transfer and merge, which move orders.
pub fn routes() -> Routes {
    Routes::group(
        "tables",
        [
            get("/tables", P::TablesRead, api::list_tables)
                .summary("Tables by number, with the party at each"),
            post("/tables", P::TablesWrite, api::create_table).summary("Add a table with a QR code"),
            post("/tables/import", P::TablesWrite, api::import_tables)
                .summary("Take in tables as JSON or text/csv; all rows or none, every bad cell named"),
            get("/tables/export", P::TablesWrite, api::export_tables)
                .summary("All tables in the form that import takes, as JSON or CSV")
                .returns::<ExportFile<ExportedTable>>()
                .or_produces(&["text/csv"]),
            get("/tables/qr-sheet", P::TablesWrite, api::get_qr_sheet)
                .summary("A printable page of all QR codes")
                .produces("text/html"),
            patch("/tables/plan", P::TablesWrite, api::update_plan)
                .summary("Draw tables otherwise, and order the areas"),
            post("/tables/qr-sheet/print", P::TablesWrite, api::print_qr_sheet)
                .summary("Print the QR codes of all tables, or of one, on a printer's paper"),
            get("/tables/{id}", P::TablesRead, api::get_table).summary("One table"),
            patch("/tables/{id}", P::TablesWrite, api::update_table).summary("Change a table"),
            delete("/tables/{id}", P::TablesWrite, api::delete_table)
                .summary("Archive a table nobody sits at; its QR code dies"),
            patch("/tables/{id}/status", P::TablesOperate, api::set_table_status)
                .summary("Set a table's status"),
            post("/tables/{id}/seat", P::TablesOperate, api::seat_table)
                .summary("Seat a party: opens the table's session"),
            post("/tables/{id}/qr", P::TablesWrite, api::rotate_table_qr)
                .summary("Make a new QR code; the old one dies at once"),
            get("/tables/{id}/qr", P::TablesWrite, api::get_table_qr)
                .summary("The QR code as a picture, SVG or PNG")
                .produces("image/svg+xml")
                .or_produces(&["image/png"]),
        ],
    )
}
