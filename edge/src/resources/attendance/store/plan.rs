//! The roster as attendance reads it: working shifts with their moments. Never writes.

use crate::db::{self, Source};
use crate::resources::attendance::rules::Planned;
use crate::resources::attendance::rules::timesheet::Scheduled;
use crate::resources::outlets::rules::Outlet;
use crate::resources::shifts;
use crate::resources::shifts::rules::Shift;
use chrono::{Days, NaiveDate};
use tiffin_common::{Millis, Uuid};

fn planned(shift: &Shift, outlet: &Outlet) -> Option<Planned> {
    let span = shift.span(outlet.timezone)?;
    Some(Planned { shift_id: shift.id, start: span.start, end: span.end })
}

/// The day before `first` and the day after `last`: a shift is kept under the local date it begins on, which need not be the
/// business date.
fn widened(first: NaiveDate, last: NaiveDate) -> (NaiveDate, NaiveDate) {
    let day = Days::new(1);
    (first.checked_sub_days(day).unwrap_or(first), last.checked_add_days(day).unwrap_or(last))
}

/// The working shifts of an employee that begin a day before `moment` or later, until a day after it.
pub fn list_planned_around(
    conn: &dyn Source,
    outlet: &Outlet,
    employee: Uuid,
    moment: Millis,
) -> db::Result<Vec<Planned>> {
    let date = outlet.business_date(moment);
    let (from, to) = widened(date, date);
    let shifts = shifts::store::list_of_employee(conn, outlet.id, employee, from, to)?;
    Ok(shifts.iter().filter_map(|shift| planned(shift, outlet)).collect())
}

/// The working shifts of everybody that begin on the business dates `from` to `to`.
pub(super) fn list_scheduled(
    conn: &dyn Source,
    outlet: &Outlet,
    from: NaiveDate,
    to: NaiveDate,
) -> db::Result<Vec<Scheduled>> {
    let (first, last) = widened(from, to);
    let shifts = shifts::store::list_between(conn, outlet.id, first, last)?;
    let scheduled = shifts.iter().filter_map(|shift| {
        let planned = planned(shift, outlet)?;
        let business_date = outlet.business_date(planned.start);
        let minutes = planned.end.since(planned.start) / 60_000;
        Some(Scheduled { employee_id: shift.employee_id, business_date, minutes })
    });
    Ok(scheduled.filter(|shift| (from..=to).contains(&shift.business_date)).collect())
}
