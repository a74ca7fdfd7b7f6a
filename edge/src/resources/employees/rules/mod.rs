//! What an employee's record may say, and which PINs are refused. Never looks at the database.

pub mod documents;
pub mod files;

use crate::access::Role;
use crate::http::{Checks, FieldError};
use chrono::NaiveDate;
use serde::Serialize;
use tiffin_common::{Cents, Millis, Uuid, words};

words! {
    /// How somebody is employed.
    #[derive(Default)]
    pub enum EmploymentType {
        /// Full time.
        #[default]
        FullTime = "FULL_TIME",
        /// Part time.
        PartTime = "PART_TIME",
        /// By the day.
        Casual = "CASUAL",
        /// For a term, or by an agency.
        Contract = "CONTRACT",
        /// In training.
        Trainee = "TRAINEE",
    }
}

words! {
    /// By what somebody is paid.
    #[derive(Default)]
    pub enum PayBasis {
        /// By the hour worked.
        #[default]
        Hourly = "HOURLY",
        /// A salary for each calendar month; the wage of an hour pays overtime alone.
        Monthly = "MONTHLY",
    }
}

words! {
    /// Whether somebody works here.
    #[derive(Default)]
    pub enum EmployeeStatus {
        /// Works here.
        #[default]
        Active = "ACTIVE",
        /// Away for a longer time; comes back.
        OnLeave = "ON_LEAVE",
        /// Has left: can neither sign in nor clock in.
        Ended = "ENDED",
    }
}

table! {
    /// The parts of an employee's record that clients write.
    #[derive(PartialEq, Eq, Serialize)]
    #[serde(rename_all = "camelCase")]
    pub struct EmployeeRecord: employees {
        /// Unique in the outlet, such as `EMP07`.
        pub employee_code: String,
        /// Full name.
        pub name: String,
        /// Telephone.
        pub phone: Option<String>,
        /// E-mail.
        pub email: Option<String>,
        /// What they do.
        pub job_title: String,
        /// Where they usually work.
        pub station: Option<String>,
        /// The wage of an hour.
        #[serde(rename = "hourlyRateCents")]
        pub hourly_rate: Cents => hourly_rate_cents,
        /// By what they are paid.
        pub pay_basis: PayBasis,
        /// The salary of a month.
        #[serde(rename = "monthlySalaryCents")]
        pub monthly_salary: Cents => monthly_salary_cents,
        /// Minutes of their ordinary day; none: the outlet's.
        pub day_minutes: Option<i64>,
        /// How they are employed.
        pub employment_type: EmploymentType,
        /// First day.
        pub hired_on: Option<NaiveDate>,
        /// Last day.
        pub ended_on: Option<NaiveDate>,
        /// Whether they work here.
        pub status: EmployeeStatus,
        /// What their PIN opens at the till, with an account or without.
        pub till_role: Option<Role>,
    }
}

impl EmployeeRecord {
    /// Somebody with that code, name and job, and the usual defaults.
    pub fn new(employee_code: &str, name: &str, job_title: &str) -> EmployeeRecord {
        EmployeeRecord {
            employee_code: employee_code.to_owned(),
            name: name.to_owned(),
            phone: None,
            email: None,
            job_title: job_title.to_owned(),
            station: None,
            hourly_rate: Cents::ZERO,
            pay_basis: PayBasis::default(),
            monthly_salary: Cents::ZERO,
            day_minutes: None,
            employment_type: EmploymentType::default(),
            hired_on: None,
            ended_on: None,
            status: EmployeeStatus::default(),
            till_role: None,
        }
    }

    /// The record, trimmed, when everything in it holds. Whoever has ended has a last day (`today` unless told otherwise);
    /// whoever has not, has none before today.
    ///
    /// # Errors
    /// All offending fields.
    pub fn checked(mut self, today: NaiveDate) -> Result<EmployeeRecord, Vec<FieldError>> {
        for text in [&mut self.employee_code, &mut self.name, &mut self.job_title] {
            *text = text.trim().to_owned();
        }
        let mut checks = Checks::new();
        for (field, text) in
            [("employeeCode", &self.employee_code), ("name", &self.name), ("jobTitle", &self.job_title)]
        {
            checks.require(!text.is_empty(), field, "must not be blank");
        }
        let is_of_house = self.till_role.is_none_or(Role::is_of_house);
        checks.require(is_of_house, "tillRole", "is no role of somebody who works in the house");
        let is_paid = self.pay_basis == PayBasis::Hourly || self.monthly_salary > Cents::ZERO;
        checks.require(is_paid, "monthlySalaryCents", "is needed of who is paid by the month");
        if self.status == EmployeeStatus::Ended {
            self.ended_on.get_or_insert(today);
        } else {
            let left = self.ended_on.is_some_and(|last| last < today);
            checks.require(!left, "endedOn", "is past, so the status must be ENDED");
        }
        if let (Some(first), Some(last)) = (self.hired_on, self.ended_on) {
            checks.require(last >= first, "endedOn", "must not be before hiredOn");
        }
        checks.finish(self)
    }
}

table! {
    /// An employee.
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    pub struct Employee: employees {
        /// Their id.
        pub id: Uuid,
        /// Where they work.
        #[serde(skip)]
        pub outlet_id: Uuid,
        /// What clients write.
        #[serde(flatten)]
        pub record: EmployeeRecord => flat,
        /// Whether a PIN was set.
        pub has_pin: bool => none,
        /// 1, 2, ….
        pub version: i64,
        /// When the record was made.
        pub created_at: Millis,
        /// When it was last changed.
        pub updated_at: Millis,
    }
}

impl EmployeeRecord {
    /// Whether the two have the same job: its name, or their place and what they may do there.
    pub fn is_like(&self, other: &EmployeeRecord) -> bool {
        let is_title = self.job_title.to_lowercase() == other.job_title.to_lowercase();
        let is_place = self.station.is_some() && self.station == other.station;
        is_title || is_place && self.till_role == other.till_role
    }

    /// What they are paid.
    pub fn pay(&self) -> Pay {
        Pay { hourly: self.hourly_rate, basis: self.pay_basis, monthly: self.monthly_salary }
    }
}

table! {
    /// What somebody is paid.
    #[derive(Copy, PartialEq, Eq)]
    pub struct Pay: employee_wages {
        /// The wage of an hour.
        pub hourly: Cents => hourly_rate_cents,
        /// By what they are paid.
        pub basis: PayBasis => pay_basis,
        /// The salary of a month.
        pub monthly: Cents => monthly_salary_cents,
    }
}

impl Employee {
    /// Whether they may sign in, clock in and approve.
    pub fn works_here(&self) -> bool {
        self.record.status != EmployeeStatus::Ended
    }
}

/// A PIN that may be used.
#[derive(Clone, PartialEq, Eq)]
pub struct Pin(String);

impl Pin {
    /// Why a PIN is refused as a new one. Also of one that somebody has: nobody is told whose a PIN is, or that it is one.
    pub const EASY: &'static str = "is too easy to guess";

    /// A new PIN of six random digits.
    pub fn made_of(random: [u8; 12]) -> Pin {
        let digits = |skip: usize| -> String {
            random.iter().skip(skip).take(6).map(|byte| char::from(b'0' + byte % 10)).collect()
        };
        // One in so many random ones is a run.
        Pin::new(&digits(0)).or_else(|_| Pin::new(&digits(6))).unwrap_or_else(|_| Pin("580274".to_owned()))
    }

    /// `text` as a new PIN: 4–8 digits, not all alike, not a plain run up or down.
    ///
    /// # Errors
    /// Why it is refused.
    pub fn new(text: &str) -> Result<Pin, &'static str> {
        let pin = Pin::entered(text).ok_or("must be 4 to 8 digits")?;
        let digits = text.as_bytes();
        let all_by = |step: u8| digits.windows(2).all(|pair| (pair[0] - b'0' + step) % 10 == pair[1] - b'0');
        // Steps of 0, +1 and −1 (modulo 10, so that 7890 and 0987 are runs too).
        if [0, 1, 9].into_iter().any(all_by) {
            return Err(Pin::EASY);
        }
        Ok(pin)
    }

    /// `text` as somebody enters it, when it has the form of a PIN.
    pub fn entered(text: &str) -> Option<Pin> {
        let fits = (4..=8).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        fits.then(|| Pin(text.to_owned()))
    }

    /// The digits, for hashing.
    pub fn digits(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Pin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pin(…)")
    }
}

refusals! {
    /// Why an employee action was refused.
    #[derive(Debug, thiserror::Error)]
    pub enum EmployeeError {
        /// No such document of this employee.
        #[error("no such document")]
        NoDocument,
        /// The document's content is still at head office.
        #[error("the document's content is not here yet")]
        NoContent,
        /// Somebody else at the outlet has this PIN.
        #[error("the PIN is taken")]
        PinTaken,
        /// The employee does not stand below the actor, or it is the actor's own wage or standing.
        #[error("the employee does not stand below the actor")]
        NotBelow,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trivial_pins_are_refused_and_the_sample_pins_are_not() {
        for pin in ["1111", "000000", "1234", "4321", "0123", "7890", "0987", "98765", "123456"] {
            assert_eq!(Pin::new(pin), Err("is too easy to guess"), "{pin}");
        }
        for pin in ["", "123", "123456789", "12a4", "１２３４", "12 4", "-123"] {
            assert_eq!(Pin::new(pin), Err("must be 4 to 8 digits"), "{pin}");
        }
        for pin in 1001..=1012 {
            assert!(Pin::new(&pin.to_string()).is_ok(), "{pin}");
        }
        assert_eq!(format!("{:?}", Pin::new("1001")), "Ok(Pin(…))");
    }

    #[test]
    fn all_offending_fields_are_named() {
        let today: NaiveDate = "2026-11-20".parse().unwrap();
        let mut record = EmployeeRecord::new(" ", "", "Cook");
        record.hired_on = "2026-11-01".parse().ok();
        record.ended_on = "2026-10-01".parse().ok();
        let names: Vec<String> = record.checked(today).unwrap_err().into_iter().map(|f| f.name).collect();
        assert_eq!(names, ["employeeCode", "name", "endedOn", "endedOn"]);
    }

    #[test]
    fn whoever_has_ended_has_a_last_day() {
        let today: NaiveDate = "2026-11-20".parse().unwrap();
        let record =
            EmployeeRecord { status: EmployeeStatus::Ended, ..EmployeeRecord::new("E1", " Ravi ", "Cook") };
        let record = record.checked(today).unwrap();
        assert_eq!((record.ended_on, record.name.as_str()), (Some(today), "Ravi"));
    }
}
