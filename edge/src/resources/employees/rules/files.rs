//! Employees as files name them. Pure. Never a PIN: each is set by its own route.

use super::{Employee, EmployeeRecord, EmployeeStatus, EmploymentType, PayBasis};
use crate::access::Role;
use crate::http::intake::{Found, Intake, Names};
use crate::http::{Checks, FieldError, Patch, Replace};
use chrono::NaiveDate;
use tiffin_common::{Cents, Uuid};

patch! {
    /// An employee as a file names them. What is absent keeps what is there.
    pub struct ImportedEmployee of EmployeeRecord {
        /// The employee who is meant; else the one of that `employeeCode`, else, without one, the only one of that name, else a new one.
        id: Option<Uuid> => none,
        /// Unique in the outlet; the next free one for a new employee without.
        #[schemars(length(max = 20))]
        employee_code: Replace<String>,
        /// The full name.
        #[schemars(length(min = 1, max = 120))]
        name: Replace<String>,
        #[schemars(length(max = 40))]
        phone: Patch<String>,
        #[schemars(email, length(max = 254))]
        email: Patch<String>,
        /// What they do; required for a new employee.
        #[schemars(length(min = 1, max = 80))]
        job_title: Replace<String>,
        #[schemars(length(max = 80))]
        station: Patch<String>,
        /// The wage of an hour; 0 for a new employee without.
        #[schemars(range(min = 0, max = 100_000_000))]
        hourly_rate_cents: Replace<Cents> => hourly_rate,
        /// By what they are paid.
        pay_basis: Replace<PayBasis>,
        /// The salary of a calendar month; needed of who is paid by the month.
        #[schemars(range(min = 0, max = 10_000_000_000i64))]
        monthly_salary_cents: Replace<Cents> => monthly_salary,
        /// Minutes of their ordinary day; null: the outlet's.
        #[schemars(range(min = 1, max = 1_440))]
        day_minutes: Patch<i64>,
        employment_type: Replace<EmploymentType>,
        hired_on: Patch<NaiveDate>,
        ended_on: Patch<NaiveDate>,
        status: Replace<EmployeeStatus>,
        /// What their PIN opens at the till: OWNER to STOREKEEPER, up to one's own role.
        till_role: Patch<Role>,
    }
}

impl Intake for ImportedEmployee {
    const NEEDED: &'static [&'static str] = &["name"];
}

impl ImportedEmployee {
    /// The employee who is meant.
    ///
    /// # Errors
    /// Where only the name is given, and several have it.
    pub fn find(&self, staff: &Names) -> Result<Option<Uuid>, Vec<FieldError>> {
        let code = self.employee_code.0.as_deref().map(str::trim).filter(|code| !code.is_empty());
        let known = self.id.and_then(|id| staff.by_id(id));
        if let Some(id) = known.or_else(|| staff.by_code(code?)) {
            return Ok(Some(id));
        }
        match self.name.0.as_deref().filter(|_| code.is_none()).map(|name| staff.by_name(name)) {
            Some(Found::One(id)) => Ok(Some(id)),
            Some(Found::Several) => {
                Err(vec![FieldError::new("employeeCode", "is required: several have this name")])
            }
            Some(Found::None) | None => Ok(None),
        }
    }

    /// The record as the file leaves it, where it was `before`; its code may be blank where there was none.
    ///
    /// # Errors
    /// All offending fields.
    pub fn over_before(self, before: Option<&EmployeeRecord>) -> Result<EmployeeRecord, Vec<FieldError>> {
        let Some(before) = before else {
            let mut checks = Checks::new();
            checks.require(self.name.0.is_some(), "name", "is required");
            checks.require(self.job_title.0.is_some(), "jobTitle", "is required for a new employee");
            return checks.finish(self.over(EmployeeRecord::new("", "", "")));
        };
        Ok(self.over(before.clone()))
    }
}

/// An employee as export gives them: the members of [`ImportedEmployee`].
#[apply(figures!)]
#[expect(missing_docs, reason = "the members of ImportedEmployee, described there")]
pub struct ExportedEmployee {
    pub id: Uuid,
    pub employee_code: String,
    pub name: String,
    pub phone: Option<String>,
    pub email: Option<String>,
    pub job_title: String,
    pub station: Option<String>,
    /// The wage of an hour.
    pub hourly_rate_cents: Cents,
    /// By what they are paid.
    pub pay_basis: PayBasis,
    /// The salary of a calendar month.
    pub monthly_salary_cents: Cents,
    /// Minutes of their ordinary day; null: the outlet's.
    pub day_minutes: Option<i64>,
    pub employment_type: EmploymentType,
    pub hired_on: Option<NaiveDate>,
    pub ended_on: Option<NaiveDate>,
    pub status: EmployeeStatus,
    /// What their PIN opens at the till.
    pub till_role: Option<Role>,
}

impl ExportedEmployee {
    /// The columns of its CSV form.
    pub const COLUMNS: &'static [&'static str] = &[
        "id",
        "employeeCode",
        "name",
        "phone",
        "email",
        "jobTitle",
        "station",
        "hourlyRateCents",
        "payBasis",
        "monthlySalaryCents",
        "dayMinutes",
        "employmentType",
        "hiredOn",
        "endedOn",
        "status",
        "tillRole",
    ];
}

impl From<Employee> for ExportedEmployee {
    fn from(Employee { id, record, .. }: Employee) -> Self {
        ExportedEmployee {
            id,
            employee_code: record.employee_code,
            name: record.name,
            phone: record.phone,
            email: record.email,
            job_title: record.job_title,
            station: record.station,
            hourly_rate_cents: record.hourly_rate,
            pay_basis: record.pay_basis,
            monthly_salary_cents: record.monthly_salary,
            day_minutes: record.day_minutes,
            employment_type: record.employment_type,
            hired_on: record.hired_on,
            ended_on: record.ended_on,
            status: record.status,
            till_role: record.till_role,
        }
    }
}
