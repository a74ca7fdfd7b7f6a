//! Analytics: figures of a period, each defined once (rules/figures.rs says what it means, store/families.rs what it is made of)
//! and computed exactly. Reads any table, writes only its own. What holds always:
//!
//! - Revenue is of orders that were billed, on the business date of the bill: what a date that is over came to never changes. Orders without
//!   a bill are added on reading, on the outlet's present date, and shown apart. A guest's QR order that waits for staff counts once it
//!   is accepted. Tax by component is of documents alone: bills less credit notes. An order that was merged into another is CANCELLED and counts with the other; a split order and its parts count
//!   each with its own lines: nothing counts twice.
//! - A credit note counts on its own business date, of each figure its part, while its order stands under the bill it credits: a bill is
//!   withdrawn on its own date alone, and takes its credit notes along. A payment that did not hold, or was put right, counts on the
//!   date that was found out.
//! - Costs are sums of stock movements in millionths of a cent, rounded once per figure. Rows of a report are rounded so that they
//!   add up to their total.
//! - The figures of finished days are kept (`analytics_days` and the tables beside it) and dropped by triggers in the very transaction
//!   that changes one of their rows; those days, and the present one, are read from the rows by the same definition. An answer is
//!   read from one snapshot and is therefore always exact; it says of which moment, and how many of its orders are open.
//!
//! Beside the five names of every resource: `worker`, which keeps what is not kept.

pub mod actions;
pub mod api;
pub mod rules;
pub mod store;
pub mod worker;

use crate::access::{Permission, get};
use crate::state::Routes;
use api::{dishes, losses, reports, summary, times};
use axum::http::StatusCode;

/// `/analytics` (contract section 10).
pub fn routes() -> Routes {
    Routes::all([figure_routes(), report_routes(), loss_routes()])
}

fn loss_routes() -> Routes {
    Routes::group(
        "audit-log",
        [get("/audit/losses", Permission::AuditRead, losses::get_losses).summary(
            "What took money or food off the books, by person, approver, hour and table, against the average",
        )],
    )
}

fn figure_routes() -> Routes {
    Routes::group(
        "analytics",
        [
            get("/analytics/summary", Permission::AnalyticsRead, summary::get_summary)
                .summary("The figures of a period, with profit and loss, beside the period before")
                .typed::<summary::Summary>(StatusCode::OK),
            get("/analytics/daily", Permission::AnalyticsRead, summary::get_daily)
                .summary("The figures of each business date"),
            get("/analytics/hourly", Permission::AnalyticsRead, times::get_hourly)
                .summary("Sales by local hour and weekday"),
            get("/analytics/top-sellers", Permission::AnalyticsRead, dishes::get_top_sellers)
                .summary("Dishes by what they sold; with order=asc the worst sellers"),
            get("/analytics/menu-engineering", Permission::AnalyticsRead, dishes::get_menu_engineering)
                .summary("Stars, plowhorses, puzzles and dogs: popularity against margin"),
        ],
    )
}

fn report_routes() -> Routes {
    macro_rules! report {
        ($path:literal $handler:ident $summary:literal) => {
            get(concat!("/analytics/reports/", $path), Permission::AnalyticsRead, reports::$handler)
                .summary($summary)
                .query::<reports::GetReport>()
                .returns::<reports::Report>()
                .or_produces(&["text/csv"])
                .may_conflict()
        };
    }
    Routes::group(
        "analytics",
        [
            report!("sales" get_sales "Sales by business date"),
            report!("payments" get_payments "Money that moved, by method, with refunds and tips"),
            report!("tax" get_tax "Tax by component and rate, less credit notes"),
            report!("channels" get_channels "Orders by the channel they came through, with its commission and what it pays out"),
            report!("discounts" get_discounts "Discounts by reason and who gave them"),
            report!("voids" get_voids "Portions taken off orders by reason and by whom"),
            report!("inventory" get_inventory "What was in stock at the end of the last date, and its value"),
            report!("combos" get_combos "What was sold in which combo, and what was sold alone"),
            report!("variance" get_variance "Theoretical against actual use per ingredient"),
            report!("waste" get_waste "What was thrown away, by item and reason"),
            report!("labor" get_labor "Work and its cost, by employee"),
            report!("purchases" get_purchases "What was delivered, by supplier and item"),
            report!("price-variance" get_price_variance "What deliveries cost against what was expected, by supplier and item"),
            report!("supplier-invoices" get_supplier_invoices "Suppliers' invoices against what came, and what came without one"),
            report!("pnl" get_pnl "Profit and loss, line by line"),
            report!("register" get_register "Every bill and credit note"),
            report!("journal" get_journal "The books in double entry, by date, voucher and account"),
            report!("tally" get_tally "The same as Tally's vouchers; with format=portal as the XML that Tally imports")
                .or_produces(&["text/csv", "application/xml"]),
            report!("tips" get_tips "Tips as they came, were put right and paid out"),
            report!("servers" get_servers "Sales, covers, voids and tips by who first sent the order"),
            report!("corrections" get_corrections "What was put right about payments and bills"),
            report!("slips" get_slips "Order slips of channels whose operators make the bill"),
            report!("hsn" get_hsn "India: what was supplied by HSN or SAC and rate, to registered buyers and others apart"),
            report!("gstr1" get_gstr1 "India: GSTR-1; with format=portal as the file of the GST portal"),
            report!("gstr3b" get_gstr3b "India: the figures of GSTR-3B"),
            report!("cmp08" get_cmp08 "India, composition: the figures of CMP-08"),
        ],
    )
}
