//! Who works when: three published weeks, and one request for leave that waits.

use super::failure::{Result, making};
use crate::access::Actor;
use crate::db::Tx;
use crate::resources::employees;
use crate::resources::employees::rules::EmploymentType;
use crate::resources::leave_requests::{self, rules::LeaveDays, rules::LeaveType};
use crate::resources::shifts::actions::{create, publish};
use crate::resources::shifts::rules::plan::monday;
use crate::resources::shifts::rules::{ShiftDraft, ShiftType};
use chrono::{Days, NaiveDate};

/// The week before `today`'s, this one and the next; and somebody asks for days off in the week after.
pub(super) fn seed(tx: &Tx<'_>, actor: &Actor, today: NaiveDate) -> Result<()> {
    let this_week = monday(today);
    for week in [this_week - Days::new(7), this_week, this_week + Days::new(7)] {
        lay(tx, actor, week)?;
    }
    let asks = employees::store::find_by_code(tx, actor.outlet_id, "EMP05").map_err(making("the roster"))?;
    let from = this_week + Days::new(16);
    let wish = leave_requests::actions::LeaveRequest {
        employee_id: asks.map(|employee| employee.id),
        leave_type: LeaveType::Annual,
        days: LeaveDays { from, to: from + Days::new(2), is_half: false },
        reason: "A wedding in the family".to_owned(),
    };
    leave_requests::actions::request(tx, actor, wish).map(drop).map_err(making("leave"))
}

/// Plans and publishes the week from `monday`: everybody by turns in the morning or the evening, with one day off each, part
/// time for five hours.
pub(in crate::cli::sample) fn lay(tx: &Tx<'_>, actor: &Actor, monday: NaiveDate) -> Result<()> {
    let staff = employees::store::list_all(tx, actor.outlet_id).map_err(making("the roster"))?;
    for (place, employee) in (0u64..).zip(staff) {
        let record = &employee.record;
        if record.hired_on.is_some_and(|first| first > monday) || !employee.works_here() {
            continue;
        }
        let (kind, hours) = match place % 2 {
            0 => (ShiftType::Morning, ("10:00", "15:00")),
            _ => (ShiftType::Evening, ("18:00", "23:00")),
        };
        let hours = (record.employment_type == EmploymentType::PartTime).then_some(hours);
        for day in 0..7 {
            let mut draft = ShiftDraft::new(employee.id, monday + Days::new(day), kind);
            if day == place * 3 % 7 {
                draft.shift_type = ShiftType::Off;
            } else if let Some((start, end)) = hours {
                (draft.start_time, draft.end_time) = (start.parse().ok(), end.parse().ok());
            }
            draft.station.clone_from(&record.station);
            create(tx, actor, draft, leave_requests::store::list_absences).map_err(making(&record.name))?;
        }
    }
    publish(tx, actor, monday, monday + Days::new(6)).map(drop).map_err(making("the roster"))
}
