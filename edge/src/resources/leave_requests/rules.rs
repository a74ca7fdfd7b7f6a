//! What leave may be asked for, how its days are counted, and what is left of them. Pure.

use crate::http::{Checks, FieldError};
use crate::resources::shifts::rules::{ShiftError, check_move, near};
use chrono::{Datelike, NaiveDate};
use tiffin_common::{Millis, Quantity, Uuid, words};

/// The most days of one request.
const LONGEST: i64 = 366;

words! {
    /// What kind of leave.
    pub enum LeaveType {
        /// Yearly holidays.
        Annual = "ANNUAL",
        /// Days of illness.
        Sick = "SICK",
        /// Short notice, personal matters.
        Casual = "CASUAL",
        /// Without pay; unlimited.
        Unpaid = "UNPAID",
        /// Anything else; unlimited.
        Other = "OTHER",
    }
}

impl LeaveType {
    /// What everybody may take in a year unless told otherwise; nothing where there is no limit.
    pub fn usual_entitlement(self) -> Option<HalfDays> {
        match self {
            LeaveType::Annual => Some(HalfDays(36)),
            LeaveType::Sick => Some(HalfDays(24)),
            LeaveType::Casual => Some(HalfDays(14)),
            LeaveType::Unpaid | LeaveType::Other => None,
        }
    }
}

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
    /// How much it is in all.
    pub fn total(self) -> HalfDays {
        if self.is_half {
            return HalfDays(1);
        }
        HalfDays((self.to - self.from).num_days().saturating_add(1).max(0).saturating_mul(2))
    }

    /// The years it lies in.
    pub fn years(self) -> impl Iterator<Item = i32> {
        self.from.year()..=self.to.year()
    }

    /// How much of it lies in `year`.
    pub fn in_year(self, year: i32) -> HalfDays {
        let bounds = NaiveDate::from_ymd_opt(year, 1, 1).zip(NaiveDate::from_ymd_opt(year, 12, 31));
        let Some((first, last)) = bounds else { return HalfDays(0) };
        if self.from > last || self.to < first {
            return HalfDays(0);
        }
        LeaveDays { from: self.from.max(first), to: self.to.min(last), ..self }.total()
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

/// What an employee has of one type in one year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Balance {
    /// Of which type.
    pub leave_type: LeaveType,
    /// In which year.
    pub year: i32,
    /// What they may take; nothing where there is no limit.
    pub entitled: Option<HalfDays>,
    /// What was approved.
    pub used: HalfDays,
    /// What is asked for and not decided.
    pub pending: HalfDays,
}

impl Balance {
    /// The balance of `leave_type` in `year`, out of the employee's own entitlement, if any, and their pending and approved
    /// requests.
    pub fn of(leave_type: LeaveType, year: i32, own: Option<HalfDays>, requests: &[Leave]) -> Balance {
        let sum = |status: LeaveStatus| {
            requests
                .iter()
                .filter(|leave| leave.leave_type == leave_type && leave.status == status)
                .fold(HalfDays(0), |total, leave| total.plus(leave.days.in_year(year)))
        };
        Balance {
            leave_type,
            year,
            entitled: leave_type.usual_entitlement().map(|usual| own.unwrap_or(usual)),
            used: sum(LeaveStatus::Approved),
            pending: sum(LeaveStatus::Pending),
        }
    }

    /// What may still be approved; nothing where there is no limit.
    pub fn left(self) -> Option<HalfDays> {
        self.entitled.map(|entitled| entitled.minus(self.used))
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

    #[test]
    fn days_are_counted_for_the_year_they_lie_in() {
        let over = days("2026-12-30", "2027-01-03", false);
        assert_eq!(over.total().days().to_string(), "5");
        assert_eq!(
            (over.in_year(2026), over.in_year(2027), over.in_year(2028)),
            (HalfDays(4), HalfDays(6), HalfDays(0))
        );
        assert_eq!(over.years().collect::<Vec<_>>(), [2026, 2027]);
        let half = days("2026-12-31", "2026-12-31", true);
        assert_eq!((half.in_year(2026), half.in_year(2027)), (HalfDays(1), HalfDays(0)));
        assert_eq!(half.total().days().to_string(), "0.5");
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
