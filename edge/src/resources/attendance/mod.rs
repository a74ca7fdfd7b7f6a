//! Attendance: punches by PIN, their status, corrections and the timesheets made of them. What holds always:
//!
//! - The time of a punch is the server's, and the raw punch never changes. A correction is a row of its own; the effective
//!   time is that of the last one. A clock that has jumped is flagged on the record, and the punch is kept.
//! - A punch fits what the employee did before: OUT → IN → BREAK → IN → OUT, whatever tablet each came from. A CLOCK_OUT
//!   during a break ends both. The same event within a minute is the same tap.
//! - All punches from a CLOCK_IN to its CLOCK_OUT are one attendance, counted under the business date and the planned shift of
//!   the CLOCK_IN, also across midnight.
//! - An attendance that was not ended within 16 hours, or before the next one began, needs review, and counts as nothing until
//!   its CLOCK_OUT is added. That is decided when it is read, by one condition in the store: no worker has to notice.

pub mod actions;
pub mod api;
pub mod rules;
pub mod store;

use crate::access::{Permission, get, post};
use crate::http::limit::Class;
use crate::state::Routes;
use api::{corrections, look, payroll, punches, records, timesheets};
use axum::http::StatusCode;

/// `/attendance` and `POST /workforce/attendance` (contract section 9).
pub fn routes() -> Routes {
    Routes::group(
        "attendance",
        [
            post("/workforce/attendance", Permission::AttendancePunch, punches::punch)
                .summary("Clock in or out, or begin or end a break, by PIN")
                .typed::<punches::AttendanceResponse>(StatusCode::CREATED)
                .limited(Class::Pin),
            post("/attendance/look", Permission::AttendancePunch, look::look)
                .summary("What the employee of a PIN can punch now; writes nothing")
                .limited(Class::Pin),
            get("/attendance", Permission::AttendanceRead, records::list_attendance)
                .summary("Punches, newest first"),
            get("/attendance/me", Permission::RosterRead, records::list_own_attendance)
                .summary("The caller's own punches, newest first"),
            get("/attendance/present", Permission::AttendanceRead, records::list_present)
                .summary("Who is at work now, by name"),
            get("/attendance/timesheets", Permission::AttendanceRead, timesheets::get_timesheets)
                .summary("What everybody worked, with breaks, lateness, overtime and cost")
                .query::<timesheets::GetTimesheets>()
                .returns::<timesheets::Timesheets>()
                .or_produces(&["text/csv"]),
            get("/attendance/payroll", Permission::AttendanceRead, payroll::get_payroll)
                .summary("What everybody is owed: hours, overtime, leave, advances, tips and gross pay")
                .query::<payroll::GetPayroll>()
                .returns::<payroll::Payroll>()
                .or_produces(&["text/csv"]),
            get("/attendance/{id}", Permission::AttendanceRead, records::get_attendance)
                .summary("A punch with its corrections"),
            post(
                "/attendance/{id}/corrections",
                Permission::AttendancePunch,
                corrections::correct_attendance,
            )
            .summary("Give a punch another time; needs attendance:correct or an approver's PIN"),
            post("/attendance/corrections", Permission::AttendancePunch, corrections::add_attendance)
                .summary("Add a punch that was forgotten; needs attendance:correct or an approver's PIN"),
        ],
    )
}
