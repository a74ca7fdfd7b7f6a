//! `GET /attendance/timesheets`.

use super::super::rules::timesheet::TimesheetDay;
use super::super::store;
use super::records::AttendanceRecord;
use crate::access::Cx;
use crate::db::DbError;
use crate::http::{Code, Data, Problem, Query, Result};
use crate::resources::outlets;
use chrono::NaiveDate;
use std::collections::HashMap;
use tiffin_common::{Cents, Uuid};

/// The longest range of a timesheet, in days.
const LONGEST_DAYS: i64 = 366;

/// Which timesheets.
#[apply(request!)]
pub struct GetTimesheets {
    /// The first business date.
    from: NaiveDate,
    /// The last business date, at most 366 days later.
    to: NaiveDate,
    /// Of this employee.
    #[serde(default)]
    employee_id: Option<Uuid>,
}

view! {
    /// What was planned and what was worked.
    #[derive(Clone, Copy, Default)]
    pub struct TimesheetFigures of day: &TimesheetDay {
        /// Minutes that were planned as shifts.
        scheduled_minutes: i64,
        /// Worked, without breaks; whole minutes.
        worked_minutes: i64 = day.worked_ms / 60_000,
        /// On breaks; whole minutes.
        break_minutes: i64 = day.break_ms / 60_000,
        /// How late they came, where that was more than the grace.
        late_minutes: i64,
        /// How much of the work was overtime: over 9 hours in the day or 48 in the week, whichever is more.
        overtime_minutes: i64 = day.overtime_ms / 60_000,
        /// The work at the wages that held while it was done.
        cost_cents: Cents = day.cost,
        /// Whether something of it was never ended: it counts as nothing until it is corrected.
        needs_review: bool,
    }
}

/// One business date of one employee.
#[apply(answer!)]
pub struct TimesheetEntry {
    /// The business date.
    date: NaiveDate,
    #[serde(flatten)]
    figures: TimesheetFigures,
    /// Its punches, by time.
    records: Vec<AttendanceRecord>,
}

/// One employee's timesheet.
#[apply(answer!)]
pub struct Timesheet {
    /// The employee whose hours these are.
    employee_id: Uuid,
    /// Name of the employee whose hours these are.
    employee_name: String,
    /// The days on which something was planned or attended.
    days: Vec<TimesheetEntry>,
    /// The sums of the days.
    totals: TimesheetFigures,
}

/// The timesheets of a range.
#[apply(answer!)]
pub struct Timesheets {
    /// The first business date.
    from: NaiveDate,
    /// The last business date.
    to: NaiveDate,
    /// One for each employee with something in the range, by name.
    employees: Vec<Timesheet>,
    /// The sums of everybody.
    totals: TimesheetFigures,
}

impl TimesheetFigures {
    /// The sums of what is shown, so that a page adds up.
    fn sum(all: impl IntoIterator<Item = TimesheetFigures>) -> Result<TimesheetFigures, DbError> {
        let mut sum = TimesheetFigures::default();
        for one in all {
            sum.scheduled_minutes += one.scheduled_minutes;
            sum.worked_minutes += one.worked_minutes;
            sum.break_minutes += one.break_minutes;
            sum.late_minutes += one.late_minutes;
            sum.overtime_minutes += one.overtime_minutes;
            sum.cost_cents = sum.cost_cents.plus(one.cost_cents)?;
            sum.needs_review |= one.needs_review;
        }
        Ok(sum)
    }
}

/// The timesheets of a range.
pub async fn get_timesheets(cx: Cx, Query(query): Query<GetTimesheets>) -> Result<Data<Timesheets>> {
    let GetTimesheets { from, to, employee_id } = query;
    let length = to.signed_duration_since(from).num_days();
    if !(0..=LONGEST_DAYS).contains(&length) {
        return Err(Problem::new(Code::BadRequest)
            .detail("to must be from or at most 366 days later")
            .with_field("to", "must be from or at most 366 days later"));
    }
    let now = cx.db.env().clock.now();
    cx.get(move |conn, outlet| -> Result<_, DbError> {
        let outlet = outlets::store::find(conn, outlet)?;
        let days = store::list_timesheet_days(conn, &outlet, from, to, now)?;
        let records = store::list_records_between(conn, outlet.id, from, to, employee_id, now)?;
        let mut by_day: HashMap<(Uuid, NaiveDate), Vec<AttendanceRecord>> = HashMap::new();
        for record in records {
            let key = (record.employee_id, record.attendance_date);
            by_day.entry(key).or_default().push(record.into());
        }
        let wanted = days.into_iter().filter(|day| employee_id.is_none_or(|id| id == day.employee_id));
        let employees = sheets(wanted, &mut by_day)?;
        let totals = TimesheetFigures::sum(employees.iter().map(|sheet| sheet.totals))?;
        Ok(Timesheets { from, to, employees, totals })
    })
    .await
}

/// Groups `days`, which come by employee.
fn sheets(
    days: impl Iterator<Item = TimesheetDay>,
    records: &mut HashMap<(Uuid, NaiveDate), Vec<AttendanceRecord>>,
) -> Result<Vec<Timesheet>, DbError> {
    let mut sheets: Vec<Timesheet> = Vec::new();
    for day in days {
        let key = (day.employee_id, day.business_date);
        let entry = TimesheetEntry {
            date: day.business_date,
            figures: TimesheetFigures::from(&day),
            records: records.remove(&key).unwrap_or_default(),
        };
        match sheets.last_mut() {
            Some(sheet) if sheet.employee_id == day.employee_id => sheet.days.push(entry),
            _ => sheets.push(Timesheet {
                employee_id: day.employee_id,
                employee_name: day.employee_name,
                days: vec![entry],
                totals: TimesheetFigures::default(),
            }),
        }
    }
    for sheet in &mut sheets {
        sheet.totals = TimesheetFigures::sum(sheet.days.iter().map(|day| day.figures))?;
    }
    Ok(sheets)
}
