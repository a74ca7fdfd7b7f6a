//! Lists of attendance: pages of records, who is at work, and what timesheets are made of. A fixed number of queries, whatever
//! the range. Never writes.

use super::plan::list_scheduled;
use super::{GOES_ON, forgotten_before, needs_review, of_attendance, read_record, records};
use crate::db::{self, Columns, Source, list as rows, page};
use crate::http::{Page, Paging};
use crate::resources::attendance::rules::pay::{Person, Wage};
use crate::resources::attendance::rules::payroll::Beside;
use crate::resources::attendance::rules::span::Mark;
use crate::resources::attendance::rules::timesheet::{Attended, Facts, TimesheetDay, days};
use crate::resources::attendance::rules::{Attendance, PunchStatus, Record, State};
use crate::resources::employees::{self, rules::Employee};
use crate::resources::leave_requests::{self, rules::HalfDays};
use crate::resources::outlets::rules::Outlet;
use crate::resources::shifts::rules::plan::monday;
use chrono::NaiveDate;
use rusqlite::params;
use std::collections::HashMap;
use tiffin_common::{Millis, Uuid};

/// What a list of records is narrowed to.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Not before this business date.
    pub from: Option<NaiveDate>,
    /// Not after this business date.
    pub to: Option<NaiveDate>,
    /// Of this employee.
    pub employee_id: Option<Uuid>,
    /// With this status.
    pub status: Option<PunchStatus>,
    /// Of attendances that need review, or that do not.
    pub needs_review: Option<bool>,
}

/// A page of records, newest first.
pub fn list(
    conn: &dyn Source,
    outlet: Uuid,
    filter: &Filter,
    paging: Paging,
    now: Millis,
) -> db::Result<Page<Record>> {
    let wanted = format!(
        "JOIN attendances a ON a.id = r.attendance_id
         WHERE r.outlet_id = ?1 AND r.business_date BETWEEN coalesce(?4, '') AND coalesce(?5, '9999-12-31')
           AND (?6 IS NULL OR r.employee_id = ?6) AND (?7 IS NULL OR r.status = ?7) AND (?8 IS NULL OR {} = ?8)",
        needs_review()
    );
    let ordered = format!("{wanted} ORDER BY r.business_date DESC, r.effective_at DESC, r.id DESC");
    let sql = db::table::select::<Record>("r", &of_attendance(), &ordered);
    let count = format!("SELECT count(*) FROM attendance_records r {wanted}");
    let Filter { from, to, employee_id, status, needs_review } = filter;
    let args = params![outlet, forgotten_before(now), now, from, to, employee_id, status, needs_review];
    page(conn, (&sql, &count), args, paging.into(), read_record)
}

/// The records of the attendances that began on the business dates `from` to `to`, in the order of their times.
pub fn list_records_between(
    conn: &dyn Source,
    outlet: Uuid,
    from: NaiveDate,
    to: NaiveDate,
    employee: Option<Uuid>,
    now: Millis,
) -> db::Result<Vec<Record>> {
    let sql = records!(
        "a.outlet_id = ?1 AND a.business_date BETWEEN ?4 AND ?5 AND (?6 IS NULL OR a.employee_id = ?6)
         ORDER BY r.effective_at, r.id"
    );
    rows(conn, sql, params![outlet, forgotten_before(now), now, from, to, employee], read_record)
}

/// Somebody who is at work now.
#[derive(Debug, Clone)]
pub struct Present {
    /// What they are in the middle of.
    pub attendance: Attendance,
    /// When their break began, while they are on one.
    pub on_break_since: Option<Millis>,
}

/// A page of who is at work at `now`, by name. Whoever forgot to clock out is not.
pub fn list_present(
    conn: &dyn Source,
    outlet: Uuid,
    now: Millis,
    paging: Paging,
) -> db::Result<Page<Present>> {
    let wanted = format!("WHERE a.outlet_id = ?1 AND {GOES_ON}");
    let last_break = "(SELECT max(r.effective_at) FROM attendance_records r
      WHERE r.attendance_id = a.id AND r.event_type = 'BREAK_START') AS last_break";
    let sql =
        db::table::select::<Attendance>("a", last_break, &format!("{wanted} ORDER BY a.employee_name, a.id"));
    let count = format!("SELECT count(*) FROM attendances a {wanted}");
    let args = params![outlet, forgotten_before(now), now];
    page(conn, (&sql, &count), args, paging.into(), |row| {
        let attendance = Attendance::read(row)?;
        let last_break: Option<Millis> = row.get("last_break")?;
        let on_break_since = last_break.filter(|_| attendance.state == State::Break);
        Ok(Present { attendance, on_break_since })
    })
}

/// The timesheet days of everybody from `from` to `to` (business dates, both included), by name and date; what goes on counts
/// until `now`. Nine queries.
///
/// # Errors
/// A sum that leaves its range.
pub fn list_timesheet_days(
    conn: &dyn Source,
    outlet: &Outlet,
    from: NaiveDate,
    to: NaiveDate,
    now: Millis,
) -> db::Result<Vec<TimesheetDay>> {
    let calendar = leave_requests::store::find_calendar(conn, outlet, None, from, to)?;
    let mut leave: HashMap<(Uuid, NaiveDate), (HalfDays, bool)> = HashMap::new();
    for granted in leave_requests::store::list_approved(conn, outlet.id, from, to)? {
        let is_paid = outlet.leave.pays(granted.leave_type);
        for (date, halves) in calendar.taken(granted.employee_id, granted.days) {
            leave.insert((granted.employee_id, date), (halves, is_paid));
        }
    }
    let facts = Facts {
        attended: attended(conn, outlet.id, monday(from), to, now)?,
        scheduled: list_scheduled(conn, outlet, from, to)?,
        people: list_people(conn, outlet)?,
        leave,
        calendar,
        overtime: outlet.overtime_in_force(),
        holidays_paid: outlet.leave.holidays_paid,
        today: outlet.business_date(now),
        grace_ms: outlet.attendance.grace_minutes.saturating_mul(60_000),
    };
    Ok(days(&facts, from, to, now)?)
}

/// Everybody who works or worked at the outlet, with what they are paid.
pub fn list_people(conn: &dyn Source, outlet: &Outlet) -> db::Result<HashMap<Uuid, Person>> {
    let mut wages: HashMap<Uuid, Vec<Wage>> = HashMap::new();
    for wage in employees::store::list_wages_of_all(conn, outlet.id)? {
        let (since, date) = (wage.effective_at, outlet.business_date(wage.effective_at));
        wages.entry(wage.employee_id).or_default().push(Wage { since, date, pay: wage.pay });
    }
    let of = |employee: Employee| {
        let first = employee.record.hired_on;
        let person = Person {
            first: first.unwrap_or_else(|| outlet.business_date(employee.created_at)),
            last: employee.record.ended_on,
            employment_type: employee.record.employment_type,
            day_minutes: employee.record.day_minutes.unwrap_or(outlet.leave.day_minutes),
            wages: wages.remove(&employee.id).unwrap_or_default(),
            name: employee.record.name,
            code: employee.record.employee_code,
        };
        (employee.id, person)
    };
    Ok(employees::store::list_all(conn, outlet.id)?.into_iter().map(of).collect())
}

/// What moved besides wages from `from` to `to`, by employee: tips on the orders they served, as they were put right; what was paid out
/// to them of tips, and given to them on account of their pay.
pub fn list_beside(
    conn: &dyn Source,
    outlet: Uuid,
    from: NaiveDate,
    to: NaiveDate,
) -> db::Result<HashMap<Uuid, Beside>> {
    let sql = "SELECT t.employee_id AS employee_id, CAST(sum(t.tips) AS INTEGER) AS tips, CAST(sum(t.tips_paid) AS INTEGER) AS tips_paid,
          CAST(sum(t.advances) AS INTEGER) AS advances
        FROM (
          SELECT o.server_id AS employee_id, p.tip_cents AS tips, 0 AS tips_paid, 0 AS advances
            FROM payments p JOIN orders o ON o.id = p.order_id
            WHERE p.outlet_id = ?1 AND p.business_date BETWEEN ?2 AND ?3 AND p.tip_cents <> 0
          UNION ALL
          SELECT o.server_id, c.new_tip_cents - c.old_tip_cents, 0, 0
            FROM payment_corrections c JOIN orders o ON o.id = c.order_id
            WHERE c.outlet_id = ?1 AND c.business_date BETWEEN ?2 AND ?3 AND c.new_tip_cents <> c.old_tip_cents
          UNION ALL
          SELECT m.employee_id, 0, CASE m.is_tips WHEN 1 THEN m.amount_cents ELSE 0 END, CASE m.is_tips WHEN 1 THEN 0 ELSE m.amount_cents END
            FROM cash_movements m
            WHERE m.outlet_id = ?1 AND m.business_date BETWEEN ?2 AND ?3 AND m.kind = 'PAY_OUT'
        ) AS t WHERE t.employee_id IS NOT NULL GROUP BY t.employee_id";
    let found = rows(conn, sql, params![outlet, from, to], |row| {
        Ok((row.get("employee_id")?, read!(row => Beside { tips, tips_paid, advances })))
    })?;
    Ok(found.into_iter().collect())
}

fn attended(
    conn: &dyn Source,
    outlet: Uuid,
    from: NaiveDate,
    to: NaiveDate,
    now: Millis,
) -> db::Result<Vec<Attended>> {
    let sql = select!(
        Attended as a,
        &format!("a.id, {} AS needs_review, r.event_type, r.effective_at", needs_review()),
        "JOIN attendance_records r ON r.attendance_id = a.id
         WHERE a.outlet_id = ?1 AND a.business_date BETWEEN ?4 AND ?5 ORDER BY a.id, r.effective_at, r.id"
    );
    let args = params![outlet, forgotten_before(now), now, from, to];
    let mut found: Vec<(Uuid, Attended)> = Vec::new();
    let marks = rows(conn, sql, args, |row| {
        let marks = vec![Mark { event: row.get("event_type")?, at: row.get("effective_at")? }];
        let needs_review = row.get("needs_review")?;
        Ok((row.get("id")?, Attended { marks, needs_review, ..Attended::read(row)? }))
    })?;
    for (id, next) in marks {
        match found.last_mut() {
            Some((last, attended)) if *last == id => attended.marks.extend(next.marks),
            _ => found.push((id, next)),
        }
    }
    Ok(found.into_iter().map(|(_, attended)| attended).collect())
}
