//! Payroll: what everybody is owed for a stretch of business dates, as the timesheets have it. Pure. Never knows of taxes and other
//! deductions by law.

use super::pay::Person;
use super::timesheet::TimesheetDay;
use std::collections::{BTreeMap, HashMap};
use tiffin_common::{Cents, Overflow, Uuid};

/// What moved besides wages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Beside {
    /// Tips on the orders they served.
    pub tips: Cents,
    /// Of tips paid out to them.
    pub tips_paid: Cents,
    /// Given to them on account of their pay.
    pub advances: Cents,
}

/// One person's payroll.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as the answer's fields, which say what they are")]
pub struct PayrollLine {
    pub employee_id: Uuid,
    pub employee_code: String,
    pub employee_name: String,
    pub days: i64,
    pub worked_ms: i64,
    pub overtime_ms: i64,
    pub paid_leave_halves: i64,
    pub unpaid_leave_halves: i64,
    pub holidays: i64,
    pub days_to_review: i64,
    pub ordinary: Cents,
    pub overtime: Cents,
    pub leave: Cents,
    pub holiday: Cents,
    pub gross: Cents,
    pub beside: Beside,
    pub due: Cents,
}

impl PayrollLine {
    fn add(&mut self, day: &TimesheetDay) -> Result<(), Overflow> {
        let counts = [
            (&mut self.days, i64::from(day.worked_ms > 0)),
            (&mut self.worked_ms, day.worked_ms),
            (&mut self.overtime_ms, day.overtime_ms),
            (&mut self.paid_leave_halves, day.off.paid.0),
            (&mut self.unpaid_leave_halves, day.off.unpaid.0),
            (&mut self.holidays, i64::from(day.off.is_holiday)),
            (&mut self.days_to_review, i64::from(day.needs_review)),
        ];
        for (sum, part) in counts {
            *sum = sum.checked_add(part).ok_or(Overflow)?;
        }
        let amounts = [
            (&mut self.ordinary, day.paid.ordinary),
            (&mut self.overtime, day.paid.overtime),
            (&mut self.leave, day.paid.leave),
            (&mut self.holiday, day.paid.holiday),
            (&mut self.gross, day.cost),
        ];
        for (sum, part) in amounts {
            *sum = sum.plus(part)?;
        }
        Ok(())
    }
}

/// Everybody with something in the stretch, by name.
///
/// # Errors
/// [`Overflow`].
pub fn payroll(
    days: &[TimesheetDay],
    beside: &HashMap<Uuid, Beside>,
    people: &HashMap<Uuid, Person>,
) -> Result<Vec<PayrollLine>, Overflow> {
    let mut lines: BTreeMap<Uuid, PayrollLine> = BTreeMap::new();
    for day in days {
        lines.entry(day.employee_id).or_default().add(day)?;
    }
    for (id, moved) in beside {
        lines.entry(*id).or_default().beside = *moved;
    }
    let mut list = Vec::with_capacity(lines.len());
    for (id, line) in lines {
        // Tips of an order that somebody without a record as an employee served are in the report of tips.
        let Some(person) = people.get(&id) else { continue };
        let Beside { tips, tips_paid, advances } = line.beside;
        list.push(PayrollLine {
            employee_id: id,
            employee_code: person.code.clone(),
            employee_name: person.name.clone(),
            due: line.gross.plus(tips)?.minus(tips_paid)?.minus(advances)?,
            ..line
        });
    }
    list.sort_by(|a, b| (&a.employee_name, a.employee_id).cmp(&(&b.employee_name, b.employee_id)));
    Ok(list)
}
