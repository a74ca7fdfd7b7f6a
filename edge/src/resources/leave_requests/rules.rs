//! What leave may be asked for, which days it takes, and what is left of them. Pure.

use crate::http::{Checks, FieldError};
use crate::resources::outlets::rules::{Accrual, LeaveTerms};
use crate::resources::shifts::rules::{ShiftError, check_move, near};
use chrono::{Datelike, NaiveDate};
use std::collections::{BTreeSet, HashSet};
use tiffin_common::{Millis, Quantity, Uuid, words};

pub use crate::resources::outlets::rules::LeaveType;

/// The most days of one request.
const LONGEST: i64 = 366;

words! {
    /// How far a request has come.
    pub enum LeaveStatus {
        /// Somebody has to decide.
        Pending = "PENDING",
        /// Granted by a manager.
        Approved = "APPROVED",
        /// Not granted.
        Rejected = "REJECTED",
        /// Taken back.
        Cancelled = "CANCELLED",
    }
}

impl LeaveStatus {
    /// What may become of a request in this state.
    pub fn allowed(self) -> &'static [LeaveStatus] {
        match self {
            LeaveStatus::Pending => &[LeaveStatus::Approved, LeaveStatus::Rejected, LeaveStatus::Cancelled],
            LeaveStatus::Approved => &[LeaveStatus::Cancelled],
            LeaveStatus::Rejected | LeaveStatus::Cancelled => &[],
        }
    }

    /// Refuses what may not become of a request in this state, naming what may.
    ///
    /// # Errors
    /// [`LeaveError::Transition`].
    pub fn check_move(self, to: LeaveStatus) -> Result<()> {
        check_move("Leave", self, to, self.allowed()).map_err(LeaveError::Transition)
    }
}

/// A number of half days.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct HalfDays(pub i64);

impl HalfDays {
    /// The number of days in `days`, which has to be whole halves.
    pub fn of_days(days: Quantity) -> Option<HalfDays> {
        let halves = days.get() / 500_000;
        (days.get() % 500_000 == 0).then_some(HalfDays(halves))
    }

    /// As days: 1.5 for three halves.
    pub fn days(self) -> Quantity {
        Quantity::from_millionths(self.0.saturating_mul(500_000))
    }

    /// The two together.
    #[must_use]
    pub fn plus(self, other: HalfDays) -> HalfDays {
        HalfDays(self.0.saturating_add(other.0))
    }

    /// What is left when `other` is taken; less than nothing where that is more.
    #[must_use]
    pub fn minus(self, other: HalfDays) -> HalfDays {
        HalfDays(self.0.saturating_sub(other.0))
    }
}

table! {
    /// From one date to another, both included, or half of one date.
    #[derive(Copy, PartialEq, Eq)]
    pub struct LeaveDays: leave_requests {
        /// The first date.
        pub from: NaiveDate => from_date,
        /// The last date.
        pub to: NaiveDate => to_date,
        /// Half of the one date.
        pub is_half: bool => half_day,
    }
}

impl LeaveDays {
    /// Its dates, each with how much of it is meant.
    pub fn dates(self) -> impl Iterator<Item = (NaiveDate, HalfDays)> {
        let each = HalfDays(if self.is_half { 1 } else { 2 });
        self.from.iter_days().take_while(move |date| *date <= self.to).map(move |date| (date, each))
    }

    /// The years it lies in.
    pub fn years(self) -> impl Iterator<Item = i32> {
        self.from.year()..=self.to.year()
    }

    /// The days when they can be asked for.
    ///
    /// # Errors
    /// All offending fields.
    pub fn checked(self, today: NaiveDate) -> Result<LeaveDays, Vec<FieldError>> {
        let mut checks = Checks::new();
        checks.require(near(self.from, today), "fromDate", "must be within two years of today");
        checks.require(near(self.to, today), "toDate", "must be within two years of today");
        checks.require(self.to >= self.from, "toDate", "must not be before fromDate");
        checks.require((self.to - self.from).num_days() < LONGEST, "toDate", "must be within 366 days");
        checks.require(!self.is_half || self.from == self.to, "halfDay", "is for one date only");
        checks.finish(self)
    }
}

table! {
    /// A request, as kept.
    #[expect(missing_docs, reason = "the columns of leave_requests")]
    pub struct Leave: leave_requests {
        pub id: Uuid,
        pub employee_id: Uuid,
        pub leave_type: LeaveType,
        pub days: LeaveDays => flat,
        pub reason: String,
        pub status: LeaveStatus,
        pub was_forced: bool,
        pub requested_at: Millis,
        pub requested_by: Option<Uuid>,
        pub decided_at: Option<Millis>,
        pub decided_by_name: Option<String>,
        pub decision_reason: Option<String>,
        pub version: i64,
    }
}

table! {
    /// A day on which nobody has to work.
    #[expect(missing_docs, reason = "the columns of holidays")]
    pub struct Holiday: holidays {
        pub id: Uuid,
        pub date: NaiveDate,
        pub name: String,
        pub created_at: Millis,
    }
}

/// The days of a stretch on which nobody, or somebody, has to work anyway: leave takes none of them.
#[derive(Debug, Clone, Default)]
pub struct Calendar {
    /// Days on which the house rests.
    pub rest: HashSet<NaiveDate>,
    /// Holidays.
    pub holidays: BTreeSet<NaiveDate>,
    /// Days off by the roster, and whose; those that leave made are none.
    pub off: HashSet<(Uuid, NaiveDate)>,
}

impl Calendar {
    /// Whether `employee` rests on `date`, a holiday or not.
    pub fn rests(&self, employee: Uuid, date: NaiveDate) -> bool {
        self.rest.contains(&date) || self.off.contains(&(employee, date))
    }

    /// The days that leave takes, each with how much of it.
    pub fn taken(&self, employee: Uuid, days: LeaveDays) -> impl Iterator<Item = (NaiveDate, HalfDays)> {
        let is_free = move |date| self.rests(employee, date) || self.holidays.contains(&date);
        days.dates().filter(move |(date, _)| !is_free(*date))
    }

    /// How much leave takes of days that `counts` finds.
    pub fn sum(&self, employee: Uuid, days: LeaveDays, counts: impl Fn(NaiveDate) -> bool) -> HalfDays {
        let counted = self.taken(employee, days).filter(|(date, _)| counts(*date));
        counted.fold(HalfDays(0), |sum, (_, halves)| sum.plus(halves))
    }
}

/// What an employee has of one type in one year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Balance {
    /// Of which type.
    pub leave_type: LeaveType,
    /// In which year.
    pub year: i32,
    /// What the year gives; nothing where there is no limit.
    pub entitled: Option<HalfDays>,
    /// What was left of the year before and may still be taken.
    pub carried: HalfDays,
    /// What of the year's may be taken by now.
    pub accrued: HalfDays,
    /// What was approved.
    pub used: HalfDays,
    /// What is asked for and not decided.
    pub pending: HalfDays,
}

/// Whose year a balance is of.
#[derive(Debug, Clone, Copy)]
pub struct Year<'a> {
    /// Which year.
    pub year: i32,
    /// As it is on this day.
    pub as_of: NaiveDate,
    /// Since when they work here.
    pub since: NaiveDate,
    /// Their pending and approved requests.
    pub requests: &'a [Leave],
    /// On which days they have to work.
    pub calendar: &'a Calendar,
}

impl Year<'_> {
    /// What of `entitled` may be taken by `as_of`.
    fn accrued(&self, accrual: Accrual, entitled: HalfDays, as_of: NaiveDate) -> HalfDays {
        if accrual == Accrual::Yearly {
            return entitled;
        }
        let begun = i64::from(match as_of.year().cmp(&self.year) {
            std::cmp::Ordering::Less => 0,
            std::cmp::Ordering::Equal => as_of.month(),
            std::cmp::Ordering::Greater => 12,
        });
        let before = if self.since.year() == self.year { i64::from(self.since.month0()) } else { 0 };
        HalfDays(entitled.0.saturating_mul(begun.saturating_sub(before).max(0)) / 12)
    }

    /// The balance of `leave_type` under `terms` (none: it has no limit), with the employee's own entitlement, if any, and what was
    /// `carried` over.
    pub fn balance(
        &self,
        leave_type: LeaveType,
        terms: Option<&LeaveTerms>,
        own: Option<HalfDays>,
        carried: HalfDays,
    ) -> Balance {
        let sum = |status: LeaveStatus| {
            let of_type = |leave: &&Leave| leave.leave_type == leave_type && leave.status == status;
            let counted = |leave: &Leave| {
                self.calendar.sum(leave.employee_id, leave.days, |date| date.year() == self.year)
            };
            self.requests.iter().filter(of_type).fold(HalfDays(0), |total, leave| total.plus(counted(leave)))
        };
        let usual = |terms: &LeaveTerms| HalfDays::of_days(terms.entitled_days).unwrap_or_default();
        let entitled = terms.map(|terms| own.unwrap_or_else(|| usual(terms)));
        let accrual = terms.map_or(Accrual::Yearly, |terms| terms.accrual);
        Balance {
            leave_type,
            year: self.year,
            entitled,
            carried,
            accrued: self.accrued(accrual, entitled.unwrap_or_default(), self.as_of),
            used: sum(LeaveStatus::Approved),
            pending: sum(LeaveStatus::Pending),
        }
    }

    /// What of a balance of this year the next one begins with: what was carried into this year is taken first, and lapses.
    pub fn carries_over(&self, balance: &Balance, terms: &LeaveTerms) -> HalfDays {
        let end = NaiveDate::from_ymd_opt(self.year, 12, 31).unwrap_or(self.as_of);
        let own = self.accrued(terms.accrual, balance.entitled.unwrap_or_default(), end);
        let left = own.minus(balance.used.minus(balance.carried).max(HalfDays(0)));
        left.max(HalfDays(0)).min(HalfDays::of_days(terms.carry_over_days).unwrap_or_default())
    }
}

impl Balance {
    /// What may still be approved; nothing where there is no limit.
    pub fn left(self) -> Option<HalfDays> {
        self.entitled.map(|_| self.carried.plus(self.accrued).minus(self.used))
    }
}

refusals! {
    /// Why leave is refused.
    #[derive(Debug, thiserror::Error)]
    pub enum LeaveError {
        /// Not the caller's to do.
        #[error("{0}")]
        Forbidden(&'static str),
        /// The state does not allow it; says what is allowed.
        #[error("{0}")]
        Transition(String),
        /// The roster refuses.
        #[error(transparent)]
        Roster(#[from] ShiftError),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(from: &str, to: &str, is_half: bool) -> LeaveDays {
        LeaveDays { from: from.parse().unwrap(), to: to.parse().unwrap(), is_half }
    }

    const WHO: Uuid = Uuid::from_u128(1);

    fn date(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn days_are_counted_for_the_year_they_lie_in() {
        let calendar = Calendar::default();
        let in_year = |days: LeaveDays, year| calendar.sum(WHO, days, |date| date.year() == year);
        let over = days("2026-12-30", "2027-01-03", false);
        assert_eq!(calendar.sum(WHO, over, |_| true).days().to_string(), "5");
        assert_eq!(
            (in_year(over, 2026), in_year(over, 2027), in_year(over, 2028)),
            (HalfDays(4), HalfDays(6), HalfDays(0))
        );
        assert_eq!(over.years().collect::<Vec<_>>(), [2026, 2027]);
        let half = days("2026-12-31", "2026-12-31", true);
        assert_eq!((in_year(half, 2026), in_year(half, 2027)), (HalfDays(1), HalfDays(0)));
    }

    #[test]
    fn a_day_off_a_day_of_rest_and_a_holiday_take_no_leave() {
        let other = Uuid::from_u128(2);
        let calendar = Calendar {
            rest: [date("2026-12-27")].into(),
            holidays: [date("2026-12-25")].into(),
            off: [(WHO, date("2026-12-24")), (other, date("2026-12-28"))].into(),
        };
        let whole = days("2026-12-24", "2026-12-28", false);
        let taken: Vec<String> = calendar.taken(WHO, whole).map(|(date, _)| date.to_string()).collect();
        assert_eq!(taken, ["2026-12-26", "2026-12-28"]);
        assert_eq!(calendar.sum(other, whole, |_| true), HalfDays(4));
        assert_eq!(calendar.sum(WHO, days("2026-12-25", "2026-12-25", true), |_| true), HalfDays(0));
    }

    #[test]
    fn leave_grows_with_the_months_and_part_of_it_is_carried_over() {
        let days = |text: &str| text.parse::<Quantity>().unwrap();
        let (entitled_days, carry_over_days) = (days("18"), days("5"));
        let terms = LeaveTerms { entitled_days, accrual: Accrual::Monthly, carry_over_days, paid: true };
        let calendar = Calendar::default();
        let of = |year, as_of: &str, carried| {
            let year = Year {
                year,
                as_of: date(as_of),
                since: date("2025-07-15"),
                requests: &[],
                calendar: &calendar,
            };
            let balance = year.balance(LeaveType::Annual, Some(&terms), None, HalfDays(carried));
            (balance.left().unwrap().0, year.carries_over(&balance, &terms).0)
        };
        // 36 halves a year are three a month; six months of the first year.
        assert_eq!(of(2025, "2025-06-30", 0), (0, 10));
        assert_eq!(of(2025, "2025-08-01", 0), (6, 10));
        assert_eq!(of(2026, "2026-01-01", 10), (13, 10));
        assert_eq!(of(2026, "2027-01-01", 10), (46, 10));
        assert_eq!(of(2027, "2026-12-31", 10), (10, 10));
    }

    #[test]
    fn halves_are_exact() {
        let of = |text: &str| text.parse::<Quantity>().ok().and_then(HalfDays::of_days);
        assert_eq!((of("1.5"), of("18"), of("0.25")), (Some(HalfDays(3)), Some(HalfDays(36)), None));
    }

    #[test]
    fn all_offending_days_are_named() {
        let today = "2026-11-20".parse().unwrap();
        let names = |days: LeaveDays| -> Vec<String> {
            days.checked(today).unwrap_err().into_iter().map(|field| field.name).collect()
        };
        assert_eq!(names(days("2026-12-02", "2026-12-01", true)), ["toDate", "halfDay"]);
        assert_eq!(names(days("2026-12-01", "2027-12-02", false)), ["toDate"]);
        assert_eq!(names(days("1999-12-01", "1999-12-01", false)), ["fromDate", "toDate"]);
        assert!(days("2026-12-01", "2027-12-01", false).checked(today).is_ok());
    }

    #[test]
    fn settled_is_settled() {
        for from in [LeaveStatus::Rejected, LeaveStatus::Cancelled] {
            assert!(LeaveStatus::ALL.iter().all(|to| from.check_move(*to).is_err()));
        }
        assert!(LeaveStatus::Approved.check_move(LeaveStatus::Cancelled).is_ok());
        assert!(LeaveStatus::Approved.check_move(LeaveStatus::Rejected).is_err());
    }
}
