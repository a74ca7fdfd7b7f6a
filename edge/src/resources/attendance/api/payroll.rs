//! `GET /attendance/payroll`.

use super::super::rules::payroll::{PayrollLine, payroll};
use super::super::store;
use super::{SheetFormat, check_range, on_record};
use crate::access::Cx;
use crate::db::{DbError, Source};
use crate::http::csv::{CsvFile, attachment};
use crate::http::{Data, Query, Result};
use crate::resources::leave_requests::rules::HalfDays;
use crate::resources::outlets;
use axum::response::{IntoResponse, Response};
use chrono::NaiveDate;
use tiffin_common::{Cents, Quantity, Uuid, currency};

/// Which payroll.
#[apply(request!)]
pub struct GetPayroll {
    /// The first business date.
    from: NaiveDate,
    /// The last business date, at most 366 days later.
    to: NaiveDate,
    /// JSON unless told otherwise.
    #[serde(default)]
    format: SheetFormat,
}

view! {
    /// What somebody is owed for the range.
    #[schemars(rename = "PayrollPerson")]
    pub struct PersonView of line: PayrollLine {
        employee_id: Uuid,
        employee_code: String,
        employee_name: String,
        /// Days on which they worked.
        days: i64,
        /// Worked, without breaks; whole minutes.
        worked_minutes: i64 = line.worked_ms / 60_000,
        /// How much of it was overtime.
        overtime_minutes: i64 = line.overtime_ms / 60_000,
        /// Leave with pay: days on which they would have had to work.
        paid_leave_days: Quantity = HalfDays(line.paid_leave_halves).days(),
        /// Leave without pay, likewise.
        unpaid_leave_days: Quantity = HalfDays(line.unpaid_leave_halves).days(),
        /// Holidays on which they would have had to work.
        holidays: i64,
        /// Days on which something was never ended: it counts as nothing until it is corrected.
        days_to_review: i64,
        /// The hours that are no overtime, or the salary less unpaid leave.
        ordinary_cents: Cents = line.ordinary,
        /// Overtime, at what it pays.
        overtime_cents: Cents = line.overtime,
        /// Paid leave of who is paid by the hour.
        leave_cents: Cents = line.leave,
        /// Holidays of who is paid by the hour.
        holiday_cents: Cents = line.holiday,
        /// ordinaryCents + overtimeCents + leaveCents + holidayCents, before taxes and other deductions: the cost of the timesheets.
        gross_pay_cents: Cents = line.gross,
        /// Tips on the orders they served.
        tips_cents: Cents = line.beside.tips,
        /// Of tips paid out to them.
        tips_paid_out_cents: Cents = line.beside.tips_paid,
        /// Given to them on account of their pay.
        advances_cents: Cents = line.beside.advances,
        /// grossPayCents + tipsCents − tipsPaidOutCents − advancesCents.
        due_cents: Cents = line.due,
    }
}

/// The payroll of a range.
#[apply(answer!)]
pub struct Payroll {
    /// The first business date.
    from: NaiveDate,
    /// The last business date; salaries, leave and holidays are in it until the present one.
    to: NaiveDate,
    /// What money is in.
    currency: String,
    /// Everybody with something in the range, by name.
    employees: Vec<PersonView>,
    /// The sum of grossPayCents.
    gross_pay_cents: Cents,
    /// The sum of dueCents.
    due_cents: Cents,
}

/// The payroll of a range.
pub async fn get_payroll(cx: Cx, Query(query): Query<GetPayroll>) -> Result<Response> {
    let GetPayroll { from, to, format } = query;
    check_range(from, to)?;
    let now = cx.db.env().clock.now();
    let read = move |conn: &dyn Source, outlet: Uuid| -> Result<_, DbError> {
        let outlet = outlets::store::find(conn, outlet)?;
        let days = store::list_timesheet_days(conn, &outlet, from, to, now)?;
        let beside = store::list_beside(conn, outlet.id, from, to)?;
        let lines = payroll(&days, &beside, &store::list_people(conn, &outlet)?)?;
        Ok(Payroll {
            from,
            to,
            currency: outlet.currency.clone(),
            gross_pay_cents: Cents::sum(lines.iter().map(|line| line.gross))?,
            due_cents: Cents::sum(lines.iter().map(|line| line.due))?,
            employees: lines.into_iter().map(Into::into).collect(),
        })
    };
    let made = cx.read(read).await?;
    if format == SheetFormat::Json {
        return Ok(Data::new(made).into_response());
    }
    on_record(&cx, "payroll.export", from, to).await?;
    attachment(&format!("payroll-{from}-{to}.csv"), made.to_csv())
}

impl Payroll {
    /// A row for each employee.
    fn to_csv(&self) -> Result<String, csv::Error> {
        const MONEY: [&str; 9] = [
            "Ordinary",
            "Overtime pay",
            "Leave pay",
            "Holiday pay",
            "Gross pay",
            "Tips",
            "Tips paid out",
            "Advances",
            "Due",
        ];
        let first = ["Employee id", "Code", "Employee", "Days", "Worked (min)", "Overtime (min)"];
        let more = ["Paid leave (days)", "Unpaid leave (days)", "Holidays", "Days to review"];
        let money = MONEY.map(|of| format!("{of} ({})", self.currency));
        let mut file = CsvFile::new(first.into_iter().chain(more).map(str::to_owned).chain(money))?;
        for of in &self.employees {
            let who = [of.employee_id.to_string(), of.employee_code.clone(), of.employee_name.clone()];
            let worked = [of.days, of.worked_minutes, of.overtime_minutes].map(|count| count.to_string());
            let off = [of.paid_leave_days, of.unpaid_leave_days].map(|days| days.to_string());
            let counts = [of.holidays, of.days_to_review].map(|count| count.to_string());
            let money = [
                of.ordinary_cents,
                of.overtime_cents,
                of.leave_cents,
                of.holiday_cents,
                of.gross_pay_cents,
                of.tips_cents,
                of.tips_paid_out_cents,
                of.advances_cents,
                of.due_cents,
            ];
            let money = money.map(|amount| currency::major(amount, &self.currency));
            file.row(who.into_iter().chain(worked).chain(off).chain(counts).chain(money))?;
        }
        file.finish()
    }
}
