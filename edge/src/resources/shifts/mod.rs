//! Shifts: who works when, published as the roster, swapped between colleagues. What holds always:
//!
//! - Two shifts of one employee never overlap in real time, daylight-saving changes included; a day off stands alone on its
//!   date. A shift whose end is not after its start ends the next day. It counts for the date it begins on.
//! - Nobody is planned on a date of their approved leave. Leave stands above shifts on the ladder and hands a function down.
//! - Drafts are the planners' own. A published shift stays published, and whoever works it is told of every change.
//! - Shifts change hands by a swap only once the colleague has accepted and a planner approved, and all of the above holds
//!   again at that moment, and only between those of the same job. A shift that changes otherwise ends the swaps it was part of.
//! - Whoever has ended keeps no shift after their last day, whether the branch or head office ended them.
//!
//! Overtime, short rest and a seventh day in a row are warnings, never refusals.

pub mod actions;
pub mod api;
pub mod rules;
pub mod store;

pub use rules::{Absence, Shift};

use crate::access::{Cx, Permission, delete, get, patch, post};
use crate::http::{Id, Json};
use crate::state::Routes;
use api::{roster, shifts, swaps, weeks};
use store::Absences;

/// `/shifts` and `/workforce/roster` (contract section 9).
pub fn routes(absences: Absences) -> Routes {
    Routes::all([roster_routes(), shift_routes(absences), swap_routes(absences)])
}

fn roster_routes() -> Routes {
    Routes::group(
        "workforce",
        [get("/workforce/roster", Permission::RosterRead, roster::get_roster)
            .summary("Who works when; drafts are shown to those who plan")
            .typed::<roster::RosterMatrix>(axum::http::StatusCode::OK)],
    )
}

fn shift_routes(absences: Absences) -> Routes {
    let create = move |cx: Cx, body: Json<shifts::CreateShift>| shifts::create_shift(cx, body, absences);
    let update =
        move |cx: Cx, id: Id, body: Json<shifts::UpdateShift>| shifts::update_shift(cx, id, body, absences);
    let copy = move |cx: Cx, body: Json<weeks::CopyWeek>| weeks::copy_week(cx, body, absences);
    Routes::group(
        "shifts",
        [
            get("/shifts", Permission::RosterRead, shifts::list_shifts)
                .summary("Shifts by date; drafts are shown to those who plan"),
            post("/shifts", Permission::RosterWrite, create).summary("Plan a shift, as a draft"),
            post("/shifts/publish", Permission::RosterWrite, weeks::publish_shifts)
                .summary("Show the drafts of some days to the staff"),
            post("/shifts/copy-week", Permission::RosterWrite, copy)
                .summary("Copy a week as drafts; what does not fit is left out and named"),
            get("/shifts/{id}", Permission::RosterRead, shifts::get_shift).summary("One shift"),
            patch("/shifts/{id}", Permission::RosterWrite, update)
                .summary("Change a shift; a published one stays published and its employee is told"),
            delete("/shifts/{id}", Permission::RosterWrite, shifts::delete_shift)
                .summary("Take a shift off the roster"),
        ],
    )
}

fn swap_routes(absences: Absences) -> Routes {
    let create = move |cx: Cx, body: Json<swaps::CreateSwap>| swaps::create_swap(cx, body, absences);
    let approve = move |cx: Cx, id: Id| swaps::approve_swap(cx, id, absences);
    Routes::group(
        "shifts",
        [
            get("/shifts/swaps", Permission::ShiftSwap, swaps::list_swaps)
                .summary("Swaps, newest first: one's own, or all for those who plan"),
            post("/shifts/swaps", Permission::ShiftSwap, create).summary("Offer a shift to a colleague"),
            get("/shifts/swaps/{id}", Permission::ShiftSwap, swaps::get_swap).summary("One swap"),
            post("/shifts/swaps/{id}/accept", Permission::ShiftSwap, swaps::accept_swap)
                .summary("The colleague agrees"),
            post("/shifts/swaps/{id}/approve", Permission::RosterWrite, approve)
                .summary("The shifts change hands, if everything still fits"),
            post("/shifts/swaps/{id}/reject", Permission::ShiftSwap, swaps::reject_swap)
                .summary("The colleague or a manager says no"),
            post("/shifts/swaps/{id}/cancel", Permission::ShiftSwap, swaps::cancel_swap)
                .summary("Whoever asked takes it back"),
        ],
    )
}
