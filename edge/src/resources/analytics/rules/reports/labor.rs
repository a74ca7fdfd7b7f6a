//! The report of work. Never an hour without its employee.

use crate::report_row;
use crate::resources::analytics::rules::report::{Column, Table, Unit};
use crate::resources::attendance::rules::timesheet::TimesheetDay;
use std::collections::BTreeMap;
use tiffin_common::{Cents, Overflow, Uuid};

const LABOR: &[Column] = &[
    Column::new("employeeId", "Employee id", Unit::Text),
    Column::new("employee", "Employee", Unit::Text),
    Column::new("daysCount", "Days", Unit::Count),
    Column::new("scheduledMinutes", "Scheduled", Unit::Minutes),
    Column::new("workedMinutes", "Worked", Unit::Minutes),
    Column::new("breakMinutes", "Breaks", Unit::Minutes),
    Column::new("lateMinutes", "Late", Unit::Minutes),
    Column::new("overtimeMinutes", "Overtime", Unit::Minutes),
    Column::new("needsReviewCount", "Days to review", Unit::Count),
    Column::new("costCents", "Cost", Unit::Cents),
];

#[derive(Default)]
struct Staff {
    name: String,
    /// Days, scheduled minutes, worked, breaks (ms), late minutes, overtime (ms), days to review.
    sums: [i64; 7],
    cost: Cents,
}

/// Work of each employee.
///
/// # Errors
/// [`Overflow`].
pub fn labor(days: Vec<TimesheetDay>) -> Result<Table, Overflow> {
    let mut staff: BTreeMap<Uuid, Staff> = BTreeMap::new();
    for day in days {
        let of = staff.entry(day.employee_id).or_default();
        let parts = [
            i64::from(day.worked_ms > 0),
            day.scheduled_minutes,
            day.worked_ms,
            day.break_ms,
            day.late_minutes,
            day.overtime_ms,
            i64::from(day.needs_review),
        ];
        for (sum, part) in of.sums.iter_mut().zip(parts) {
            *sum = sum.checked_add(part).ok_or(Overflow)?;
        }
        of.cost = of.cost.plus(day.cost)?;
        of.name = day.employee_name;
    }
    let mut list: Vec<(Uuid, Staff)> = staff.into_iter().collect();
    list.sort_by(|(a_id, a), (b_id, b)| (&a.name, a_id).cmp(&(&b.name, b_id)));
    let rows = list.into_iter().map(|(id, staff)| {
        let [days, scheduled, worked, breaks, late, overtime, review] = staff.sums;
        let minutes = |ms: i64| ms / 60_000;
        report_row![
            id.to_string(),
            staff.name,
            days,
            scheduled,
            minutes(worked),
            minutes(breaks),
            late,
            minutes(overtime),
            review,
            staff.cost
        ]
    });
    Table::new(LABOR, rows.collect())
}
