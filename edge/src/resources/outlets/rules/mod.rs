//! What an outlet may be. Pure.

mod pay;
pub mod profile;
mod service_charge;
mod settings;
pub mod tax_id;
mod terms;
mod till;

pub use pay::{Accrual, LeaveSettings, LeaveTerms, LeaveType, Weekday};
pub use profile::{Overtime, Profile, TaxKind, TaxScheme};
pub use service_charge::{OrderType, ServiceCharge};
pub use settings::Settings;
pub use terms::{
    AttendanceSettings, DiscountLimits, PayOutLimits, QrOrderApproval, ShiftTime, ShiftTimes, StockPolicy,
    default_discount_limits, parse_time,
};
pub use till::{Ageing, Reason, Reasons, TillSettings};

use crate::access::Role;
use crate::db::{self, DbError, Unreadable};
use chrono::{NaiveDate, NaiveTime};
use chrono_tz::Tz;
use serde::Serialize;
use std::ops::Deref;
use tiffin_common::{Bps, BusinessDay, Cents, Millis, Uuid};

table! {
    /// An outlet's row.
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    pub struct OutletRow: outlets {
        /// Its id.
        pub id: Uuid,
        /// 1–4 of A–Z 0–9; begins every number.
        pub code: String,
        /// Its name.
        pub name: String,
        /// How it trades.
        #[serde(flatten)]
        pub settings: Settings => flat,
        /// 1, 2, ….
        pub version: i64,
        /// When it was made.
        pub created_at: Millis,
        /// When it was last changed.
        pub updated_at: Millis,
    }
}

/// An outlet, with its time understood. Everything else of its row and settings is read as if it were its own.
#[derive(Debug, Clone)]
pub struct Outlet {
    /// Its row.
    pub row: OutletRow,
    /// Its time zone.
    pub timezone: Tz,
    /// Local time a new business date begins.
    pub business_day_starts_at: NaiveTime,
    /// The last business date that was closed before it ended, and when: the next one began at once.
    pub closed_early: Option<(NaiveDate, Millis)>,
}

table! {
    /// An outlet of the chain, as head office tells of it.
    #[derive(PartialEq, Eq)]
    pub struct ChainOutlet: chain_outlets {
        /// Its id.
        pub id: Uuid,
        /// Its short code.
        pub code: String,
        /// What people call it.
        pub name: String,
        /// ISO 4217 code of what it reckons in.
        pub currency: String,
    }
}

impl TryFrom<OutletRow> for Outlet {
    type Error = DbError;

    fn try_from(row: OutletRow) -> db::Result<Outlet> {
        let wrong = |column| Unreadable::new("outlets", column, row.id, "it is no time that is known here");
        let timezone = row.settings.timezone.parse().map_err(|_| wrong("timezone"))?;
        let starts_at = parse_time(&row.settings.business_day_starts_at);
        let business_day_starts_at = starts_at.ok_or_else(|| wrong("business_day_starts_at"))?;
        Ok(Outlet { timezone, business_day_starts_at, closed_early: None, row })
    }
}

impl Deref for Outlet {
    type Target = OutletRow;

    fn deref(&self) -> &OutletRow {
        &self.row
    }
}

impl Deref for OutletRow {
    type Target = Settings;

    fn deref(&self) -> &Settings {
        &self.settings
    }
}

impl Outlet {
    /// How the outlet counts its days.
    pub fn business_day(&self) -> BusinessDay {
        BusinessDay::new(self.timezone, self.business_day_starts_at)
    }

    /// The business date `moment` belongs to: the clock's, or the next one where it was closed early before that.
    pub fn business_date(&self, moment: Millis) -> NaiveDate {
        let date = self.business_day().date_of(moment);
        match self.closed_early {
            Some((closed, at)) if closed == date && moment >= at => closed.succ_opt().unwrap_or(date),
            _ => date,
        }
    }

    /// How far `role` may discount alone.
    pub fn discount_limit(&self, role: Role) -> Bps {
        match role {
            Role::SuperAdmin | Role::Owner | Role::Manager => Bps::new(Bps::WHOLE),
            other => self.discount_limits.get(other.name()).copied().unwrap_or_default(),
        }
    }

    /// How much `role` may take out of a drawer alone; none: any amount.
    pub fn pay_out_limit(&self, role: Role) -> Option<Cents> {
        match role {
            Role::SuperAdmin | Role::Owner | Role::Manager => None,
            other => Some(self.pay_out_limits.get(other.name()).copied().unwrap_or(Cents::ZERO)),
        }
    }

    /// The fiscal year of `date` as invoice numbers write it: `2627` for 2026-27.
    pub fn fiscal_year(&self, date: NaiveDate) -> String {
        use chrono::Datelike;
        let begins = if date.format("%m-%d").to_string() >= self.fiscal_year_starts_on { 0 } else { 1 };
        let first = (date.year() - begins).rem_euclid(100);
        format!("{first:02}{:02}", (first + 1) % 100)
    }
}

/// What a new outlet is made of; also what a PATCH leads to.
#[derive(Debug, Clone)]
pub struct NewOutlet {
    /// See [`Outlet`].
    pub code: String,
    /// See [`Outlet`].
    pub name: String,
    /// See [`Outlet`].
    pub settings: Settings,
}

impl NewOutlet {
    /// An ordinary outlet in Bengaluru.
    pub fn sample(code: &str) -> NewOutlet {
        let settings = Settings::new("Asia/Kolkata", "INR");
        NewOutlet { code: code.to_owned(), name: format!("Outlet {code}"), settings }
    }
}

refusals! {
    /// Why an outlet action was refused.
    #[derive(Debug, thiserror::Error)]
    pub enum OutletError {}
}

#[cfg(test)]
mod tests {
    use crate::testing::Fixture;

    #[test]
    fn a_fiscal_year_is_named_by_both_its_years() {
        let fixture = Fixture::new();
        let id = fixture.outlet_id;
        let outlet = fixture.db.read_blocking(|conn| super::super::store::find(conn, id)).unwrap();
        let year = |date: &str| outlet.fiscal_year(date.parse().unwrap());
        assert_eq!([year("2026-04-01"), year("2027-03-31"), year("2026-03-31")], ["2627", "2627", "2526"]);
        assert_eq!(year("2099-12-31"), "9900");
    }
}
