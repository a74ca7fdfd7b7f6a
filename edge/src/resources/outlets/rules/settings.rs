//! The settings of an outlet: what they are for a new one, and what they may be. Pure.

use super::pay::{LeaveSettings, Weekday};
use super::profile::{Overtime, Profile, TaxScheme, country_of, is_country};
use super::service_charge::ServiceCharge;
use super::terms::{
    AttendanceSettings, DiscountLimits, PayOutLimits, QrOrderApproval, ShiftTimes, StockPolicy,
    default_discount_limits, default_pay_out_limits, parse_time,
};
use super::till::TillSettings;
use crate::access::Role;
use crate::http::{Checks, FieldError, language};
use chrono::NaiveDate;
use chrono_tz::Tz;
use serde::Serialize;
use tiffin_common::{Bps, Cents};

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
        /// The number for taxes, such as a GSTIN.
        pub tax_id: Option<String>,
        /// The number of the licence, such as FSSAI's.
        pub licence_number: Option<String>,
        /// `HH:MM`, local time a new business date begins.
        pub business_day_starts_at: String,
        /// Whether menu prices hold the tax.
        pub prices_include_tax: bool,
        /// Service charge on what is sold.
        pub service_charge: ServiceCharge => flat,
        /// Totals are rounded to a multiple of this; 0 = not.
        #[serde(rename = "cashRoundingCents")]
        pub cash_rounding: Cents => cash_rounding_cents,
        /// Under which scheme it is taxed.
        pub tax_scheme: TaxScheme,
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
        /// ISO 3166: picks the profile.
        pub country: String,
        /// By how much more than was ordered a delivery may be taken in without being confirmed.
        #[serde(rename = "quantityToleranceBps")]
        pub quantity_tolerance: Bps => quantity_tolerance_bps,
        /// By how much another price than was ordered at may be.
        #[serde(rename = "priceToleranceBps")]
        pub price_tolerance: Bps => price_tolerance_bps,
        /// When work is overtime and what it pays; none: as its country has it.
        pub overtime: Option<Overtime> => json,
        /// Days of the week on which the house rests.
        pub weekly_rest_days: Vec<Weekday> => json,
        /// The terms of leave.
        pub leave: LeaveSettings => json leave_terms,
        /// The languages that guests and cooks may read: the first is the one that names on the menu are in.
        pub languages: Vec<String> => json,
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
            service_charge: ServiceCharge::new(&country_of(timezone, currency)),
            cash_rounding: Cents::ZERO,
            tax_scheme: TaxScheme::Regular,
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
            country: country_of(timezone, currency),
            quantity_tolerance: Bps::new(1_000),
            price_tolerance: Bps::new(1_000),
            overtime: None,
            weekly_rest_days: Vec::new(),
            leave: LeaveSettings::default(),
            languages: Vec::new(),
        }
    }

    /// What its country wants.
    pub fn profile(&self) -> &'static Profile {
        Profile::of(&self.country)
    }

    /// When work is overtime and what it pays, by its own word or its country's; none: never.
    pub fn overtime_in_force(&self) -> Option<Overtime> {
        self.overtime.or(self.profile().overtime)
    }

    /// Whether the house rests on that day of the week.
    pub fn rests_on(&self, date: NaiveDate) -> bool {
        Weekday::of(date).is_some_and(|day| self.weekly_rest_days.contains(&day))
    }

    /// The settings when everything in them holds.
    ///
    /// # Errors
    /// All offending fields.
    pub fn checked(self) -> Result<Settings, Vec<FieldError>> {
        self.checked_after(None)
    }

    /// The same of a change of `before`: a tax id of before may stay as it is until it or the country changes.
    ///
    /// # Errors
    /// All offending fields.
    pub fn checked_after(mut self, before: Option<&Settings>) -> Result<Settings, Vec<FieldError>> {
        let mut checks = Checks::new();
        checks.require(is_country(&self.country), "country", "must be an ISO 3166 code such as IN");
        let profile = self.profile();
        if !profile.knows(self.tax_scheme) {
            checks.add("taxScheme", format!("is not known in {}", self.country));
        }
        let stays =
            before.is_some_and(|before| before.tax_id == self.tax_id && before.country == self.country);
        if let Some(id) = self.tax_id.as_deref().filter(|_| !stays) {
            match profile.checked_tax_id(id) {
                Ok(id) => self.tax_id = Some(id),
                Err(reason) => checks.add("taxId", reason),
            }
        }
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
        self.service_charge.check(&mut checks);
        self.till.check(&mut checks);
        self.leave.check(&mut checks);
        self.languages = self.languages.iter().map(|tag| language::normal(tag)).collect();
        checks.require(self.languages.len() <= 10, "languages", "must have at most 10 elements");
        for (i, tag) in self.languages.iter().enumerate() {
            let field = || format!("languages[{i}]");
            checks.require(language::is_known(tag), field(), "is no language such as hi");
            let repeated = self.languages.iter().take(i).any(|earlier| earlier == tag);
            checks.require(!repeated, field(), "is named twice");
        }
        if let Some(overtime) = &self.overtime {
            overtime.check(&mut checks);
        }
        checks.finish(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_offending_settings_are_named() {
        let mut settings = Settings::new("Mars/Olympus", "INR");
        settings.fiscal_year_starts_on = "02-30".into();
        settings.discount_limits.insert("CHEF".into(), Bps::new(1));
        let names: Vec<String> = settings.checked().unwrap_err().into_iter().map(|f| f.name).collect();
        assert_eq!(names, ["timezone", "fiscalYearStartsOn", "discountLimitBps.CHEF"]);
    }

    #[test]
    fn a_tax_id_and_a_scheme_are_those_of_the_country() {
        let mut settings = Settings::new("Europe/London", "GBP");
        assert_eq!(settings.country, "GB");
        settings.tax_id = Some("GB123".into());
        settings.tax_scheme = TaxScheme::Composition;
        let before = settings.clone();
        let names = |wrong: Vec<FieldError>| wrong.into_iter().map(|f| f.name).collect::<Vec<String>>();
        assert_eq!(names(settings.clone().checked().unwrap_err()), ["taxScheme", "taxId"]);
        settings.tax_scheme = TaxScheme::Regular;
        settings.clone().checked_after(Some(&before)).unwrap();
        settings.country = "XX".into();
        assert_eq!(names(settings.checked_after(Some(&before)).unwrap_err()), ["country"]);
    }
}
