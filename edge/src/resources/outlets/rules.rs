//! What an outlet may be. Pure.

use crate::access::Role;
use crate::db::{self, DbError, Unreadable};
use crate::http::{Checks, FieldError};
use chrono::{NaiveDate, NaiveTime};
use chrono_tz::Tz;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Deref;
use tiffin_common::{Bps, BusinessDay, Cents, Millis, Uuid, words};

mod till;
mod times;

pub use till::{Ageing, Reason, Reasons, TillSettings};
pub use times::{ShiftTime, ShiftTimes};

words! {
    /// What an order does when stock does not suffice.
    pub enum StockPolicy {
        /// Sell, and keep the shortfall as a deficit.
        AllowNegative = "ALLOW_NEGATIVE",
        /// Refuse the order.
        Block = "BLOCK",
    }
}

words! {
    /// Which QR orders wait for staff.
    pub enum QrOrderApproval {
        /// A party's first order.
        FirstOrder = "FIRST_ORDER",
        /// Every order.
        Always = "ALWAYS",
        /// No order waits.
        Never = "NEVER",
    }
}

table! {
    /// Grace and breaks of attendance.
    #[derive(Copy, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct AttendanceSettings: outlets {
        /// Minutes a punch may be off.
        #[schemars(range(min = 0, max = 240))]
        pub grace_minutes: i64 => attendance_grace_minutes,
        /// Longest break, minutes.
        #[schemars(range(min = 0, max = 480))]
        pub max_break_minutes: i64 => attendance_max_break_minutes,
    }
}

/// How far a role may discount an order alone, in basis points. A role that is not named may not discount alone, except
/// managers and owners, who are not limited.
pub type DiscountLimits = BTreeMap<String, Bps>;

/// How much a role may take out of a drawer alone, in cents. A role that is not named may take nothing out alone, except managers
/// and owners, who are not limited.
pub type PayOutLimits = BTreeMap<String, Cents>;

/// The pay-out limits of a new outlet.
pub fn default_pay_out_limits() -> PayOutLimits {
    BTreeMap::from([(Role::Cashier.name().to_owned(), Cents::new(20_000))])
}

/// The limits of a new outlet.
pub fn default_discount_limits() -> DiscountLimits {
    [(Role::Cashier, 1_000), (Role::Waiter, 0)]
        .map(|(role, bps)| (role.name().to_owned(), Bps::new(bps)))
        .into()
}

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

table! {
    /// The settings of an outlet, as given by a client.
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    pub struct Settings: outlets {
        /// Postal address.
        pub address: Option<String>,
        /// Telephone.
        pub phone: Option<String>,
        /// IANA time zone.
        pub timezone: String,
        /// ISO 4217.
        pub currency: String,
        /// GSTIN or the like.
        pub tax_id: Option<String>,
        /// FSSAI licence or the like.
        pub licence_number: Option<String>,
        /// `HH:MM`, local time a new business date begins.
        pub business_day_starts_at: String,
        /// Whether menu prices hold the tax.
        pub prices_include_tax: bool,
        /// Service charge on what is sold.
        #[serde(rename = "serviceChargeBps")]
        pub service_charge: Bps => service_charge_bps,
        /// Totals are rounded to a multiple of this; 0 = not.
        #[serde(rename = "cashRoundingCents")]
        pub cash_rounding: Cents => cash_rounding_cents,
        /// Such as REGULAR or COMPOSITION.
        pub tax_scheme: String,
        /// What an order does when stock does not suffice.
        pub stock_policy: StockPolicy,
        /// Which QR orders wait for staff.
        pub qr_order_approval: QrOrderApproval,
        /// Grace and breaks of attendance.
        pub attendance: AttendanceSettings => flat,
        /// Shift types.
        pub shift_times: ShiftTimes => json,
        /// Discount limits by role.
        #[serde(rename = "discountLimitBps")]
        pub discount_limits: DiscountLimits => json discount_limit_bps,
        /// `MM-DD`.
        pub fiscal_year_starts_on: String,
        /// Whether dishes that stock does not suffice for go out of stock by themselves.
        pub auto_availability: bool,
        /// Digits that a PIN needs to approve with, 4 to 8.
        pub approver_pin_min_digits: i64,
        /// For how long what the kitchen was told of comes off a bill freely, while nothing is started or printed.
        pub void_grace_seconds: i64,
        /// Whether whoever counts a drawer is not told what should be in it.
        pub blind_count: bool,
        /// Pay-out limits by role.
        #[serde(rename = "payOutLimitCents")]
        pub pay_out_limits: PayOutLimits => json pay_out_limit_cents,
        /// Days after which who a guest was is forgotten.
        pub guest_data_days: i64,
        /// Whether later courses at a table wait until they are fired.
        pub hold_courses: bool,
        /// Minutes by which the kitchen is told of a scheduled order before it would have to begin.
        pub schedule_lead_minutes: i64,
        /// Whether waiters may take payments and make bills.
        pub waiters_take_payments: bool,
        /// What the screens of a till go by.
        pub till: TillSettings => json,
    }
}

impl Settings {
    /// The settings of a new outlet in `timezone` that trades in `currency` (contract section 3's defaults).
    pub fn new(timezone: &str, currency: &str) -> Settings {
        Settings {
            address: None,
            phone: None,
            timezone: timezone.to_owned(),
            currency: currency.to_owned(),
            tax_id: None,
            licence_number: None,
            business_day_starts_at: "04:00".into(),
            prices_include_tax: false,
            service_charge: Bps::default(),
            cash_rounding: Cents::ZERO,
            tax_scheme: "REGULAR".into(),
            stock_policy: StockPolicy::AllowNegative,
            qr_order_approval: QrOrderApproval::FirstOrder,
            attendance: AttendanceSettings { grace_minutes: 5, max_break_minutes: 60 },
            shift_times: ShiftTimes::default(),
            discount_limits: default_discount_limits(),
            fiscal_year_starts_on: "04-01".into(),
            auto_availability: true,
            approver_pin_min_digits: 6,
            void_grace_seconds: 60,
            blind_count: true,
            pay_out_limits: default_pay_out_limits(),
            guest_data_days: 365,
            hold_courses: false,
            schedule_lead_minutes: 10,
            waiters_take_payments: false,
            till: TillSettings::default(),
        }
    }

    /// The settings when everything in them holds.
    ///
    /// # Errors
    /// All offending fields.
    pub fn checked(self) -> Result<Settings, Vec<FieldError>> {
        let mut checks = Checks::new();
        checks.require(self.timezone.parse::<Tz>().is_ok(), "timezone", "must be an IANA time zone");
        let first_day = format!("2024-{}", self.fiscal_year_starts_on);
        checks.require(first_day.parse::<NaiveDate>().is_ok(), "fiscalYearStartsOn", "must be a day, MM-DD");
        checks.require(
            parse_time(&self.business_day_starts_at).is_some(),
            "businessDayStartsAt",
            "must be HH:MM",
        );
        for role in self.discount_limits.keys() {
            let known = Role::of_name(role).is_some();
            checks.require(known, format!("discountLimitBps.{role}"), "is not a role");
        }
        for (role, limit) in &self.pay_out_limits {
            let name = format!("payOutLimitCents.{role}");
            checks.require(Role::of_name(role).is_some(), name.clone(), "is not a role");
            checks.require(*limit >= Cents::ZERO, name, "must be at least 0");
        }
        self.till.check(&mut checks);
        checks.finish(self)
    }
}

impl NewOutlet {
    /// An ordinary outlet in Bengaluru.
    pub fn sample(code: &str) -> NewOutlet {
        let settings = Settings::new("Asia/Kolkata", "INR");
        NewOutlet { code: code.to_owned(), name: format!("Outlet {code}"), settings }
    }
}

/// Reads `HH:MM`.
pub fn parse_time(text: &str) -> Option<NaiveTime> {
    NaiveTime::parse_from_str(text, "%H:%M").ok()
}

refusals! {
    /// Why an outlet action was refused.
    #[derive(Debug, thiserror::Error)]
    pub enum OutletError {}
}

#[cfg(test)]
mod tests {
    use super::*;
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

    #[test]
    fn all_offending_settings_are_named() {
        let mut settings = Settings::new("Mars/Olympus", "INR");
        settings.fiscal_year_starts_on = "02-30".into();
        settings.discount_limits.insert("CHEF".into(), Bps::new(1));
        let names: Vec<String> = settings.checked().unwrap_err().into_iter().map(|f| f.name).collect();
        assert_eq!(names, ["timezone", "fiscalYearStartsOn", "discountLimitBps.CHEF"]);
    }
}
