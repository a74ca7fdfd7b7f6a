//! `GET /attendance/timesheets`.

use super::super::rules::timesheet::TimesheetDay;
use super::super::store;
use super::records::AttendanceRecord;
use super::{SheetFormat, check_range, on_record};
use crate::access::Cx;
use crate::db::{DbError, Source};
use crate::http::csv::{CsvFile, attachment};
use crate::http::{Data, Query, Result};
use crate::resources::outlets;
use axum::response::{IntoResponse, Response};
use chrono::NaiveDate;
use std::collections::HashMap;
use tiffin_common::{Cents, Uuid, currency};

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
    /// JSON unless told otherwise.
    #[serde(default)]
    format: SheetFormat,
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
        /// How much of the work was overtime: over the outlet's limit in the day or in the week, whichever is more.
        overtime_minutes: i64 = day.overtime_ms / 60_000,
        /// Of the cost: the hours that are no overtime, or the day's share of a salary, less unpaid leave.
        ordinary_cents: Cents = day.paid.ordinary,
        /// Of the cost: overtime, at what it pays.
        overtime_cents: Cents = day.paid.overtime,
        /// Of the cost: paid leave of who is paid by the hour.
        leave_cents: Cents = day.paid.leave,
        /// Of the cost: holidays of who is paid by the hour.
        holiday_cents: Cents = day.paid.holiday,
        /// What it costs: the work at the wages that held while it was done, salaries, paid leave and holidays.
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
    /// The days on which something was planned or attended, or that pay without work.
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
            sum.ordinary_cents = sum.ordinary_cents.plus(one.ordinary_cents)?;
            sum.overtime_cents = sum.overtime_cents.plus(one.overtime_cents)?;
            sum.leave_cents = sum.leave_cents.plus(one.leave_cents)?;
            sum.holiday_cents = sum.holiday_cents.plus(one.holiday_cents)?;
            sum.cost_cents = sum.cost_cents.plus(one.cost_cents)?;
            sum.needs_review |= one.needs_review;
        }
        Ok(sum)
    }
}

/// The timesheets of a range.
pub async fn get_timesheets(cx: Cx, Query(query): Query<GetTimesheets>) -> Result<Response> {
    let GetTimesheets { from, to, employee_id, format } = query;
    check_range(from, to)?;
    let now = cx.db.env().clock.now();
    let read = move |conn: &dyn Source, outlet: Uuid| -> Result<_, DbError> {
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
        Ok((Timesheets { from, to, employees, totals }, outlet.currency.clone()))
    };
    let (made, currency) = cx.read(read).await?;
    if format == SheetFormat::Json {
        return Ok(Data::new(made).into_response());
    }
    on_record(&cx, "attendance.export", from, to).await?;
    attachment(&format!("timesheets-{from}-{to}.csv"), made.to_csv(&currency))
}

impl Timesheets {
    /// A row for each employee's date.
    fn to_csv(&self, currency: &str) -> Result<String, csv::Error> {
        let money = ["Ordinary", "Overtime pay", "Leave pay", "Holiday pay", "Cost"]
            .map(|of| format!("{of} ({currency})"));
        let minutes = ["Scheduled", "Worked", "Breaks", "Late", "Overtime"].map(|of| format!("{of} (min)"));
        let first = ["Employee id", "Employee", "Date"].map(str::to_owned);
        let header = first.into_iter().chain(minutes).chain(money).chain(["To review".to_owned()]);
        let mut file = CsvFile::new(header)?;
        for sheet in &self.employees {
            for day in &sheet.days {
                let of = &day.figures;
                let minutes = [
                    of.scheduled_minutes,
                    of.worked_minutes,
                    of.break_minutes,
                    of.late_minutes,
                    of.overtime_minutes,
                ];
                let money =
                    [of.ordinary_cents, of.overtime_cents, of.leave_cents, of.holiday_cents, of.cost_cents];
                let first =
                    [sheet.employee_id.to_string(), sheet.employee_name.clone(), day.date.to_string()];
                let cells = first.into_iter().chain(minutes.map(|minutes| minutes.to_string()));
                let cells = cells.chain(money.map(|amount| currency::major(amount, currency)));
                file.row(cells.chain([i64::from(of.needs_review).to_string()]))?;
            }
        }
        file.finish()
    }
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
