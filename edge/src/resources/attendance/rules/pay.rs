//! What a business date pays somebody: the hours at the wages that held while they were worked, overtime, the day's share of a salary,
//! and days that are paid without work. Pure, in milliseconds and cents. Never knows of taxes and other deductions.

use crate::resources::employees::rules::{EmploymentType, Pay, PayBasis};
use crate::resources::leave_requests::rules::HalfDays;
use crate::resources::outlets::rules::Overtime;
use chrono::{Datelike, NaiveDate};
use tiffin_common::money::round_div;
use tiffin_common::{Bps, Cents, Millis, Overflow};

const HOUR_MS: i64 = 60 * 60_000;

/// What somebody is paid and since when.
#[derive(Debug, Clone, Copy)]
pub struct Wage {
    /// Since when.
    pub since: Millis,
    /// The business date of that moment: a salary and the pay of days without work hold from it on.
    pub date: NaiveDate,
    /// What.
    pub pay: Pay,
}

/// Somebody who works or worked here.
#[derive(Debug, Clone)]
pub struct Person {
    /// Their name.
    pub name: String,
    /// Their code.
    pub code: String,
    /// Their first day.
    pub first: NaiveDate,
    /// Their last day.
    pub last: Option<NaiveDate>,
    /// How they are employed.
    pub employment_type: EmploymentType,
    /// Minutes of their ordinary day.
    pub day_minutes: i64,
    /// Their wages, the oldest first.
    pub wages: Vec<Wage>,
}

impl Person {
    /// Whether they are employed on `date`.
    pub fn is_employed(&self, date: NaiveDate) -> bool {
        self.first <= date && self.last.is_none_or(|last| date <= last)
    }

    /// Whether `date` is a part of a salary.
    pub fn is_salaried(&self, date: NaiveDate) -> bool {
        self.pay_on(date).basis == PayBasis::Monthly
    }

    /// What they are paid on `date`; before the first wage the first one holds.
    pub fn pay_on(&self, date: NaiveDate) -> Pay {
        let held = self.wages.iter().rfind(|wage| wage.date <= date).or(self.wages.first());
        held.map_or(Pay { hourly: Cents::ZERO, basis: PayBasis::Hourly, monthly: Cents::ZERO }, |wage| {
            wage.pay
        })
    }
}

/// Why a date may pay without work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Off {
    /// Leave that is paid.
    pub paid: HalfDays,
    /// Leave that is not.
    pub unpaid: HalfDays,
    /// A holiday on which they would have worked.
    pub is_holiday: bool,
}

/// What a date pays.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Paid {
    /// The hours that are no overtime, or the day's share of the salary.
    pub ordinary: Cents,
    /// The hours that are overtime, at what they pay.
    pub overtime: Cents,
    /// Paid leave of who is paid by the hour; in a salary it is contained.
    pub leave: Cents,
    /// A holiday of who is paid by the hour.
    pub holiday: Cents,
}

impl Paid {
    /// All of it.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn total(&self) -> Result<Cents, Overflow> {
        Cents::sum([self.ordinary, self.overtime, self.leave, self.holiday])
    }
}

/// A business date of somebody.
#[derive(Debug)]
pub struct Dated<'a> {
    /// The date.
    pub date: NaiveDate,
    /// What was worked, in order.
    pub stretches: Vec<(Millis, Millis)>,
    /// How much of it was overtime: its end.
    pub overtime_ms: i64,
    /// Days without work.
    pub off: Off,
    /// Whether the date has come: salaries and days without work are paid then.
    pub has_come: bool,
    /// Who.
    pub person: &'a Person,
}

impl Dated<'_> {
    /// What it pays where overtime pays so.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn paid(&self, overtime: Option<Overtime>, holidays_paid: bool) -> Result<Paid, Overflow> {
        let pay = self.person.pay_on(self.date);
        let wages = &self.person.wages;
        let earned = |all: &[(Millis, Millis)]| all.iter().map(|of| earnings(*of, wages)).sum::<i128>();
        let over = earned(&tail(&self.stretches, self.overtime_ms));
        let bps = i128::from(overtime.map_or(Bps::WHOLE, |overtime| overtime.multiplier_bps.get()));
        let whole = i128::from(Bps::WHOLE);
        let of_hours = |amount: i128| round_div(amount, i128::from(HOUR_MS) * whole).map(Cents::new);
        let overtime = of_hours(over * bps)?;
        let is_due = self.has_come && self.person.is_employed(self.date);
        if self.person.is_salaried(self.date) {
            let ordinary = if is_due { self.share(pay.monthly)? } else { Cents::ZERO };
            return Ok(Paid { ordinary, overtime, ..Paid::default() });
        }
        // Rounded once for the day, whatever the number of stretches: ordinary hours are what overtime leaves of it.
        let all = of_hours((earned(&self.stretches) - over) * whole + over * bps)?;
        let off = |halves: i64| {
            let minutes = i128::from(self.person.day_minutes) * i128::from(halves);
            round_div(i128::from(pay.hourly.get()) * minutes, 120).map(Cents::new)
        };
        let is_holiday = is_due && self.off.is_holiday && holidays_paid;
        let has_holidays = is_holiday && self.person.employment_type != EmploymentType::Casual;
        Ok(Paid {
            ordinary: all.minus(overtime)?,
            overtime,
            leave: if is_due { off(self.off.paid.0)? } else { Cents::ZERO },
            holiday: if has_holidays { off(2)? } else { Cents::ZERO },
        })
    }

    /// The date's share of the salary of its calendar month, less unpaid leave. The shares of a month add up to the salary.
    fn share(&self, salary: Cents) -> Result<Cents, Overflow> {
        let length = i128::from(self.date.num_days_in_month());
        let until = |day: u32| round_div(i128::from(salary.get()) * i128::from(day), length);
        let share = Cents::new(until(self.date.day())? - until(self.date.day0())?);
        share.ratio(2_i64.saturating_sub(self.off.unpaid.0).max(0), 2)
    }
}

/// The last `length` milliseconds of `stretches`.
fn tail(stretches: &[(Millis, Millis)], length: i64) -> Vec<(Millis, Millis)> {
    let mut left = length;
    let mut found = Vec::new();
    for (from, to) in stretches.iter().rev() {
        if left <= 0 {
            break;
        }
        let taken = left.min(to.since(*from));
        found.push((to.after(-taken), *to));
        left -= taken;
    }
    found
}

/// The milliseconds of a stretch, each times the wage of an hour that holds in it. Before the first wage the first one holds.
fn earnings((from, to): (Millis, Millis), wages: &[Wage]) -> i128 {
    let pieces = wages.iter().enumerate().map(|(place, wage)| {
        let begins = if place == 0 { from } else { from.max(wage.since) };
        let ends = wages.get(place + 1).map_or(to, |next| to.min(next.since));
        i128::from(ends.since(begins).max(0)) * i128::from(wage.pay.hourly.get())
    });
    pieces.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(basis: PayBasis) -> Person {
        let date = |text: &str| text.parse::<NaiveDate>().unwrap();
        let pay = Pay { hourly: Cents::new(10_000), basis, monthly: Cents::new(3_100_001) };
        let wage = Wage { since: Millis::new(0), date: date("1970-01-01"), pay };
        Person {
            name: "Meera".into(),
            code: "EMP01".into(),
            first: date("2026-01-05"),
            last: Some(date("2026-03-31")),
            employment_type: EmploymentType::FullTime,
            day_minutes: 450,
            wages: vec![wage],
        }
    }

    fn paid(person: &Person, date: &str, off: Off) -> Paid {
        let date = date.parse().unwrap();
        Dated { date, stretches: Vec::new(), overtime_ms: 0, off, has_come: true, person }
            .paid(None, true)
            .unwrap()
    }

    #[test]
    fn the_shares_of_a_month_are_its_salary_and_unpaid_days_their_shares_less() {
        let person = person(PayBasis::Monthly);
        let day = |day: u32, off| paid(&person, &format!("2026-03-{day:02}"), off).total().unwrap().get();
        assert_eq!((1..=31).map(|of| day(of, Off::default())).sum::<i64>(), 3_100_001);
        assert_eq!(day(1, Off::default()), 100_000);
        let unpaid = |halves| Off { unpaid: HalfDays(halves), ..Off::default() };
        assert_eq!((day(1, unpaid(1)), day(1, unpaid(2))), (50_000, 0));
        let outside = ["2026-01-04", "2026-04-01"].map(|date| paid(&person, date, Off::default()));
        assert_eq!(outside, [Paid::default(); 2]);
    }

    #[test]
    fn a_day_without_work_pays_the_ordinary_day_by_the_hour() {
        let mut person = person(PayBasis::Hourly);
        let leave = Off { paid: HalfDays(1), ..Off::default() };
        assert_eq!(paid(&person, "2026-02-02", leave).leave, Cents::new(37_500));
        let holiday = Off { is_holiday: true, ..Off::default() };
        assert_eq!(paid(&person, "2026-02-02", holiday).holiday, Cents::new(75_000));
        person.employment_type = EmploymentType::Casual;
        assert_eq!(paid(&person, "2026-02-02", holiday), Paid::default());
    }

    #[test]
    fn overtime_is_the_end_of_the_day() {
        let at = |hour: i64| Millis::new(hour * HOUR_MS);
        assert_eq!(tail(&[(at(1), at(4)), (at(5), at(7))], 3 * HOUR_MS), [(at(5), at(7)), (at(3), at(4))]);
        assert_eq!(tail(&[(at(1), at(4))], 0), []);
    }
}
