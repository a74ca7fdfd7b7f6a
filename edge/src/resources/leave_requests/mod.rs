//! Leave: requests, balances, and what an approval does to the roster. What holds always:
//!
//! - PENDING → APPROVED, REJECTED or CANCELLED; APPROVED → CANCELLED: before the leave begins, and afterwards by
//!   whoever may grant it. Everything else is settled.
//! - Two requests of one employee that are pending or approved never share a date.
//! - Leave takes the days on which its employee would have to work: neither the house's days of rest, nor days off by the roster, nor
//!   holidays; half a day counts half. A request over New Year counts for both years, each its own days. Half days are kept as whole
//!   numbers of halves. How much a year gives, when, and what of it the next one gets, are the outlet's settings.
//! - An approval never takes more than the year's entitlement leaves, nor a whole day that was worked, unless whoever approves forces it, and
//!   then says so.
//! - Whole days of approved leave are free of work: the approval turns the employee's shifts into days off, and shifts asks
//!   [`store::list_absences`] before it plans one. Half a day leaves the shifts to the planner.

pub mod actions;
pub mod api;
pub mod rules;
pub mod store;

use crate::access::{Cx, Permission, delete, get, post, put};
use crate::http::{Id, Json};
use crate::state::Routes;
use store::Worked;

/// `/leave-requests` (contract section 9) and `/holidays`.
pub fn routes(worked: Worked) -> Routes {
    Routes::all([leave_routes(worked), holiday_routes()])
}

fn holiday_routes() -> Routes {
    Routes::group(
        "holidays",
        [
            get("/holidays", Permission::RosterRead, api::list_holidays).summary("Holidays, by date"),
            post("/holidays", Permission::RosterWrite, api::create_holiday).summary("Make a date a holiday"),
            delete("/holidays/{id}", Permission::RosterWrite, api::delete_holiday)
                .summary("Make a holiday an ordinary day"),
        ],
    )
}

fn leave_routes(worked: Worked) -> Routes {
    let approve =
        move |cx: Cx, id: Id, body: Json<api::ApproveLeave>| api::approve_leave(cx, id, body, worked);
    Routes::group(
        "leave-requests",
        [
            get("/leave-requests", Permission::LeaveRequest, api::list_leave)
                .summary("Leave, newest first: one's own, or everybody's for those who decide"),
            post("/leave-requests", Permission::LeaveRequest, api::create_leave).summary("Ask for leave"),
            get("/leave-requests/balances", Permission::LeaveRequest, api::get_balances)
                .summary("What is left of an employee's leave in a calendar year"),
            put("/leave-requests/balances/{employeeId}", Permission::LeaveApprove, api::set_entitlement)
                .summary("Give an employee an entitlement of their own for a year"),
            get("/leave-requests/{id}", Permission::LeaveRequest, api::get_leave).summary("One request"),
            post("/leave-requests/{id}/approve", Permission::LeaveApprove, approve)
                .summary("Grant leave; the employee's shifts on these days become days off"),
            post("/leave-requests/{id}/reject", Permission::LeaveApprove, api::reject_leave)
                .summary("Do not grant leave"),
            post("/leave-requests/{id}/cancel", Permission::LeaveRequest, api::cancel_leave).summary(
                "Take leave back before it begins; once it has, only who grants it may, and says why",
            ),
        ],
    )
}
