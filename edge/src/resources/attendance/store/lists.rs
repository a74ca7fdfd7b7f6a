//! Lists of attendance: pages of records, who is at work, and what timesheets are made of. A fixed number of queries, whatever
//! the range. Never writes.

use super::plan::scheduled;
use super::{
    ATTENDANCE, GOES_ON, forgotten_before, name, needs_review, read_attendance, read_planned, read_record,
    record_columns,
};
use crate::db::{self, Source, list as rows, one};
use crate::http::{Page, Paging};
use crate::resources::attendance::rules::span::Mark;
use crate::resources::attendance::rules::timesheet::{Attended, Facts, TimesheetDay, Wage, days, monday};
use crate::resources::attendance::rules::{Attendance, EventType, PunchStatus, Record, State};
use crate::resources::employees;
use crate::resources::outlets::rules::Outlet;
use chrono::NaiveDate;
use rusqlite::params;
use rusqlite::types::Type;
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
    let review = needs_review();
    let from_where = format!(
        "FROM attendance_records r JOIN attendances a ON a.id = r.attendance_id
         WHERE r.outlet_id = ?1 AND r.business_date BETWEEN ?4 AND ?5 AND (?6 IS NULL OR r.employee_id = ?6)
           AND (?7 IS NULL OR r.status = ?7) AND (?8 IS NULL OR {review} = ?8)"
    );
    let from = filter.from.map_or_else(String::new, |date| date.to_string());
    let to = filter.to.map_or_else(|| "9999-12-31".to_owned(), |date| date.to_string());
    let (employee, status) = (filter.employee_id, filter.status.map(PunchStatus::name));
    let forgotten = forgotten_before(now);
    let args = params![outlet, forgotten, now, from, to, employee, status, filter.needs_review];
    let total = one(conn, &format!("SELECT count(*) {from_where}"), args, |row| row.get(0))?;
    let sql = format!(
        "SELECT {} {from_where} ORDER BY r.business_date DESC, r.effective_at DESC, r.id DESC LIMIT ?9 OFFSET ?10",
        record_columns()
    );
    let args = params![
        outlet,
        forgotten,
        now,
        from,
        to,
        employee,
        status,
        filter.needs_review,
        paging.limit,
        paging.offset
    ];
    Ok(Page { items: rows(conn, &sql, args, read_record)?, total })
}

/// The records of the attendances that began on the business dates `from` to `to`, in the order of their times.
pub fn records_of_dates(
    conn: &dyn Source,
    outlet: Uuid,
    from: NaiveDate,
    to: NaiveDate,
    employee: Option<Uuid>,
    now: Millis,
) -> db::Result<Vec<Record>> {
    let sql = format!(
        "SELECT {} FROM attendances a JOIN attendance_records r ON r.attendance_id = a.id
         WHERE a.outlet_id = ?1 AND a.business_date BETWEEN ?4 AND ?5 AND (?6 IS NULL OR a.employee_id = ?6)
         ORDER BY r.effective_at, r.id",
        record_columns()
    );
    let args = params![outlet, forgotten_before(now), now, from.to_string(), to.to_string(), employee];
    rows(conn, &sql, args, read_record)
}

/// Somebody who is at work now.
#[derive(Debug, Clone)]
pub struct Present {
    /// What they are in the middle of.
    pub attendance: Attendance,
    /// When their break began, while they are on one.
    pub on_break_since: Option<Millis>,
}

/// Who is at work at `now`, by name. Whoever forgot to clock out is not.
pub fn present(conn: &dyn Source, outlet: Uuid, now: Millis) -> db::Result<Vec<Present>> {
    let sql = format!(
        "SELECT {ATTENDANCE}, (SELECT max(r.effective_at) FROM attendance_records r
             WHERE r.attendance_id = a.id AND r.event_type = 'BREAK_START')
         FROM attendances a WHERE a.outlet_id = ?1 AND {GOES_ON} ORDER BY a.employee_name, a.id"
    );
    rows(conn, &sql, params![outlet, forgotten_before(now), now], |row| {
        let attendance = read_attendance(row)?;
        let last_break: Option<Millis> = row.get(11)?;
        let on_break_since = last_break.filter(|_| attendance.state == State::Break);
        Ok(Present { attendance, on_break_since })
    })
}

/// The timesheet days of everybody from `from` to `to` (business dates, both included), by name and date; what goes on counts
/// until `now`. Five queries.
///
/// # Errors
/// `IntegralValueOutOfRange` when a sum leaves its range.
pub fn timesheet_days(
    conn: &dyn Source,
    outlet: &Outlet,
    from: NaiveDate,
    to: NaiveDate,
    now: Millis,
) -> db::Result<Vec<TimesheetDay>> {
    let mut wages: HashMap<Uuid, Vec<Wage>> = HashMap::new();
    for wage in employees::store::list_wages_of_all(conn, outlet.id)? {
        let since = Wage { since: wage.effective_at, hourly: wage.hourly_rate };
        wages.entry(wage.employee_id).or_default().push(since);
    }
    let facts = Facts {
        attended: attended(conn, outlet.id, monday(from), to, now)?,
        scheduled: scheduled(conn, outlet, from, to)?,
        names: employees::store::list_names(conn, outlet.id)?,
        wages,
        grace_ms: outlet.attendance.grace_minutes.saturating_mul(60_000),
    };
    days(&facts, from, to, now)
        .map_err(|_| db::DbError::from(rusqlite::Error::IntegralValueOutOfRange(0, i64::MAX)))
}

fn attended(
    conn: &dyn Source,
    outlet: Uuid,
    from: NaiveDate,
    to: NaiveDate,
    now: Millis,
) -> db::Result<Vec<Attended>> {
    let sql = format!(
        "SELECT a.id, a.employee_id, a.business_date, a.shift_id, a.scheduled_start, a.scheduled_end, {},
           r.event_type, r.effective_at
         FROM attendances a JOIN attendance_records r ON r.attendance_id = a.id
         WHERE a.outlet_id = ?1 AND a.business_date BETWEEN ?4 AND ?5 ORDER BY a.id, r.effective_at, r.id",
        needs_review()
    );
    let args = params![outlet, forgotten_before(now), now, from.to_string(), to.to_string()];
    let mut found: Vec<(Uuid, Attended)> = Vec::new();
    let marks = rows(conn, &sql, args, |row| {
        let id: Uuid = row.get(0)?;
        let mark = Mark { event: name(row, 7, EventType::of_name)?, at: row.get(8)? };
        let date = row.get_ref(2)?.as_str()?.parse().map_err(|error| {
            db::DbError::from(rusqlite::Error::FromSqlConversionFailure(
                2,
                Type::Text,
                Box::<chrono::ParseError>::new(error),
            ))
        })?;
        let attended = Attended {
            employee_id: row.get(1)?,
            business_date: date,
            planned: read_planned(row, 3)?,
            marks: vec![mark],
            needs_review: row.get(6)?,
        };
        Ok((id, attended))
    })?;
    for (id, next) in marks {
        match found.last_mut() {
            Some((last, attended)) if *last == id => attended.marks.extend(next.marks),
            _ => found.push((id, next)),
        }
    }
    Ok(found.into_iter().map(|(_, attended)| attended).collect())
}
