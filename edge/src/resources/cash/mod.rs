//! Cash: drawers and the close of a trading day. What holds always:
//!
//! - A drawer's expected cash is its float, plus cash payments with their cash tips, as they were put right since while it was open, minus
//!   cash refunds, plus what was paid in, minus what was paid out: all of them rows that never change. Cash tips count because they lie in the drawer until somebody
//!   pays them out, and that is a pay-out with its reason.
//! - At most one session is open per drawer. A closed one never changes.
//! - A day is closed once. The close lists what stands in its way and can carry it over: it is never a deadlock. Its numbers run
//!   1, 2, 3 … per outlet, and its report is kept as it was made; what is entered for the day later is shown beside it.
//!
//! Cash taken while no drawer is open belongs to none; the day's report shows it apart.

pub mod actions;
mod api;
pub mod rules;
pub mod store;

use crate::access::{Permission, get, post};
use crate::state::Routes;
use api::{checkout, days, drawers};

/// `/cash-sessions` and `/day-close` (contract section 6), and the checkout of who served.
pub fn routes() -> Routes {
    Routes::all([drawer_routes(), day_routes(), checkout_routes()])
}

fn checkout_routes() -> Routes {
    Routes::group(
        "employees",
        [get("/employees/{id}/checkout", Permission::OrdersRead, checkout::get_checkout).summary(
            "What who served sold, took and is owed on a date: one's own, or anybody's with payments:read",
        )],
    )
}

fn drawer_routes() -> Routes {
    Routes::group(
        "cash-sessions",
        [
            get("/cash-sessions", Permission::PaymentsRead, drawers::list_cash_sessions)
                .summary("The outlet's cash drawers, newest first"),
            post("/cash-sessions", Permission::CashOperate, drawers::create_cash_session)
                .summary("Open a cash drawer"),
            get("/cash-sessions/{id}", Permission::PaymentsRead, drawers::get_cash_session)
                .summary("A cash drawer with its movements and what should be in it"),
            post("/cash-sessions/{id}/pay-in", Permission::CashOperate, drawers::pay_in)
                .summary("Put money into the drawer"),
            post("/cash-sessions/{id}/pay-out", Permission::CashOperate, drawers::pay_out)
                .summary("Take money out of the drawer: at most what it holds; above the role's limit with an approver's PIN"),
            post("/cash-sessions/{id}/tip-out", Permission::CashOperate, drawers::tip_out)
                .summary("Pay tips out of the drawer to those they are for; as a pay-out"),
            post("/cash-sessions/{id}/no-sale", Permission::CashOperate, drawers::no_sale)
                .summary("Open the drawer without a sale; needs cash:no-sale or an approver's PIN"),
            post("/cash-sessions/{id}/close", Permission::CashOperate, drawers::close_cash_session)
                .summary("Count and close the drawer"),
        ],
    )
}

fn day_routes() -> Routes {
    Routes::group(
        "day-close",
        [
            get("/day-close", Permission::PaymentsRead, days::list_day_closes)
                .summary("Closed days, newest first"),
            post("/day-close", Permission::DayClose, days::create_day_close)
                .summary("Close a trading day; 409 lists what stands in its way"),
            get("/day-close/{date}", Permission::PaymentsRead, days::get_day_close)
                .summary("The report of a closed day, reconciled; as a page also of one that goes on")
                .returns::<days::DayClose>()
                .or_produces(&["text/html"]),
            post("/day-close/{date}/print", Permission::DayClose, days::print_day)
                .summary("Print the report of a day: Z of a closed one, X of one that goes on"),
        ],
    )
}
