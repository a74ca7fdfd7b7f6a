//! Whether a dish can be had at a moment: its stock state ("86", countdown) and its hours. Pure: the moment is an argument.

use super::text::clean_optional;
use crate::http::{Checks, FieldError};
use crate::resources::outlets::rules::Weekday;
use chrono::{Datelike, NaiveDateTime, Timelike};
use chrono_tz::Tz;
use schemars::JsonSchema;
use serde::Serialize;
use tiffin_common::{Millis, Uuid, words};

words! {
    /// Stock state of a dish or option.
    pub enum Status {
        /// Can be had.
        InStock = "IN_STOCK",
        /// Can be had while the count lasts.
        Limited = "LIMITED",
        /// Cannot be had ("86").
        OutOfStock = "OUT_OF_STOCK",
    }
}

words! {
    /// Who decided on a stock state.
    pub enum StockSource {
        /// Somebody set it. Nothing but a hand, or its `until`, changes it.
        Manual = "MANUAL",
        /// Nobody set it: it follows what stock and recipe allow.
        AutoRecipe = "AUTO_RECIPE",
    }
}

table! {
    /// Stock state of a dish or option at a moment.
    #[derive(PartialEq, Eq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct Availability: menu_availability {
        /// In stock, limited or out of stock.
        pub status: Status,
        /// Portions left; counts down with every order while LIMITED.
        pub quantity_left: Option<i64>,
        /// When it is back in stock by itself.
        pub until: Option<Millis>,
        /// Why, where somebody said so.
        pub reason: Option<String>,
        /// Whether a person decided it or the stock.
        pub source: StockSource,
    }
}

impl Default for Availability {
    fn default() -> Self {
        Availability::IN_STOCK
    }
}

impl Availability {
    /// What was never limited.
    pub const IN_STOCK: Availability = Availability {
        status: Status::InStock,
        quantity_left: None,
        until: None,
        reason: None,
        source: StockSource::AutoRecipe,
    };

    /// What holds at `now`: past its `until` it is back in stock.
    #[must_use]
    pub fn at(self, now: Millis) -> Availability {
        if self.until.is_some_and(|until| until <= now) { Availability::IN_STOCK } else { self }
    }

    /// What it becomes when stock suffices for a portion, or is `short_of` something; none while it stays as it is. What was
    /// set by hand stays.
    pub fn following(&self, short_of: Option<&str>) -> Option<Availability> {
        if self.source == StockSource::Manual {
            return None;
        }
        match (self.is_out(), short_of) {
            (false, Some(name)) => Some(Availability {
                status: Status::OutOfStock,
                reason: Some(format!("Not enough {name}")),
                ..Availability::IN_STOCK
            }),
            (true, None) => Some(Availability::IN_STOCK),
            _ => None,
        }
    }

    /// Whether it is out because the stock has run out, and not because somebody said so.
    pub fn is_short(&self) -> bool {
        self.is_out() && self.source == StockSource::AutoRecipe
    }

    /// Whether none can be had.
    pub fn is_out(&self) -> bool {
        match self.status {
            Status::InStock => false,
            Status::Limited => self.quantity_left.is_some_and(|left| left <= 0),
            Status::OutOfStock => true,
        }
    }
}

/// The stock state of a dish or option as it is now, as it is answered.
#[apply(answer!)]
pub struct AvailabilityState {
    /// The dish or option.
    pub id: Uuid,
    /// Whether it can be ordered now.
    pub is_available: bool,
    /// The state.
    #[serde(flatten)]
    pub availability: Availability,
}

/// A new stock state, as asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AvailabilityChange {
    /// The state.
    pub status: Status,
    /// Portions left; with LIMITED only.
    pub quantity_left: Option<i64>,
    /// When it is back by itself.
    pub until: Option<Millis>,
    /// Why.
    pub reason: Option<String>,
}

impl AvailabilityChange {
    /// The state to keep.
    ///
    /// # Errors
    /// All offending fields.
    pub fn checked(mut self) -> Result<Availability, Vec<FieldError>> {
        let mut checks = Checks::new();
        clean_optional(&mut self.reason, "reason", 200, &mut checks);
        match (self.status, self.quantity_left) {
            (Status::Limited, None) => checks.add("quantityLeft", "is required with LIMITED"),
            (Status::Limited, Some(left)) => {
                checks.require((1..=1_000_000).contains(&left), "quantityLeft", "must be from 1 to 1000000");
            }
            (_, Some(_)) => checks.add("quantityLeft", "is for LIMITED only"),
            (_, None) => {}
        }
        let in_stock = self.status == Status::InStock;
        checks.finish(Availability {
            status: self.status,
            quantity_left: self.quantity_left,
            until: self.until.filter(|_| !in_stock),
            reason: self.reason.filter(|_| !in_stock),
            source: StockSource::Manual,
        })
    }
}

/// A moment and what the outlet's wall clock shows at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalNow {
    /// The moment.
    pub now: Millis,
    local: NaiveDateTime,
}

impl LocalNow {
    /// `now` in `timezone`.
    pub fn new(now: Millis, timezone: Tz) -> LocalNow {
        LocalNow { now, local: now.to_utc().with_timezone(&timezone).naive_local() }
    }

    /// Minutes since local midnight.
    fn minute(&self) -> u32 {
        self.local.hour() * 60 + self.local.minute()
    }

    fn today(&self) -> Option<Weekday> {
        Weekday::of(self.local.date())
    }

    fn yesterday(&self) -> Option<Weekday> {
        Weekday::after_monday((self.local.weekday().num_days_from_monday() + 6) % 7)
    }
}

table! {
    /// The hours a dish is sold in, by the outlet's wall clock. Hours that pass midnight belong to the day they begin on.
    #[derive(Default, PartialEq, Eq, Serialize, JsonSchema)]
    pub struct Window: menu_items {
        /// `HH:MM` by the outlet's clock.
        #[serde(rename = "availableFrom")]
        pub from: Option<String> => available_from,
        /// `HH:MM` by the outlet's clock, exclusive.
        #[serde(rename = "availableTo")]
        pub to: Option<String> => available_to,
        /// Every day when null.
        #[serde(rename = "availableDays")]
        pub days: Option<Vec<Weekday>> => json available_days,
    }
}

/// Minutes since midnight of `HH:MM`.
fn minutes(text: &str) -> Option<u32> {
    let (hours, minutes) = text.split_once(':')?;
    let two = |part: &str| (part.len() == 2).then(|| part.parse::<u32>().ok()).flatten();
    let (hours, minutes) = (two(hours)?, two(minutes)?);
    (hours < 24 && minutes < 60).then_some(hours * 60 + minutes)
}

impl Window {
    /// Notes what is wrong with it.
    pub(super) fn check(&self, checks: &mut Checks) {
        let from = self.from.as_deref().map(minutes);
        let to = self.to.as_deref().map(minutes);
        checks.require(from != Some(None), "availableFrom", "must be a time of day, HH:MM");
        checks.require(to != Some(None), "availableTo", "must be a time of day, HH:MM");
        if let (Some(Some(from)), Some(Some(to))) = (from, to) {
            checks.require(from != to, "availableTo", "must differ from availableFrom");
        }
        if let Some(days) = &self.days {
            checks.require(!days.is_empty(), "availableDays", "must not be empty");
            let repeated = days.iter().enumerate().any(|(i, d)| days.iter().skip(i + 1).any(|e| e == d));
            checks.require(!repeated, "availableDays", "must not repeat an element");
        }
    }

    /// Whether the dish is always sold.
    pub fn is_always(&self) -> bool {
        *self == Window::default()
    }

    /// Whether the dish is sold at `at`.
    pub fn contains(&self, at: &LocalNow) -> bool {
        let on = |day: Option<Weekday>| match (&self.days, day) {
            (None, _) => true,
            (Some(days), Some(day)) => days.contains(&day),
            (Some(_), None) => false,
        };
        let from = self.from.as_deref().and_then(minutes).unwrap_or(0);
        let to = self.to.as_deref().and_then(minutes).filter(|to| *to != 0).unwrap_or(24 * 60);
        let minute = at.minute();
        if from < to {
            return on(at.today()) && (from..to).contains(&minute);
        }
        (minute >= from && on(at.today())) || (minute < to && on(at.yesterday()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> LocalNow {
        LocalNow::new(text.parse().unwrap(), Tz::Asia__Kolkata)
    }

    fn window(from: &str, to: &str, days: Option<Vec<Weekday>>) -> Window {
        Window { from: Some(from.into()), to: Some(to.into()), days }
    }

    #[test]
    fn hours_are_the_outlets_wall_clock() {
        let breakfast = window("07:00", "11:00", None);
        assert!(breakfast.contains(&at("2026-11-20T01:30:00Z")));
        assert!(breakfast.contains(&at("2026-11-20T05:29:59Z")));
        assert!(!breakfast.contains(&at("2026-11-20T05:30:00Z")));
        assert!(!breakfast.contains(&at("2026-11-20T01:29:59Z")));
        assert!(Window::default().contains(&at("2026-11-20T05:30:00Z")));
    }

    #[test]
    fn hours_past_midnight_belong_to_the_day_they_begin_on() {
        // Friday 22:00 to Saturday 02:00 in Kolkata.
        let late = window("22:00", "02:00", Some(vec![Weekday::Fri]));
        assert!(late.contains(&at("2026-11-20T17:00:00Z")));
        assert!(late.contains(&at("2026-11-20T20:00:00Z")));
        assert!(!late.contains(&at("2026-11-20T20:31:00Z")));
        assert!(!late.contains(&at("2026-11-19T20:00:00Z")));
        assert!(!late.contains(&at("2026-11-21T17:00:00Z")));
    }

    #[test]
    fn an_open_end_reaches_midnight() {
        let dinner = Window { from: Some("18:00".into()), ..Window::default() };
        assert!(dinner.contains(&at("2026-11-20T18:29:00Z")));
        assert!(!dinner.contains(&at("2026-11-20T18:30:00Z")));
        assert!(window("18:00", "00:00", None).contains(&at("2026-11-20T18:29:00Z")));
    }

    #[test]
    fn past_its_until_it_is_back_in_stock() {
        let out = Availability {
            status: Status::OutOfStock,
            until: Some(Millis::new(10)),
            ..Availability::IN_STOCK
        };
        assert!(out.clone().at(Millis::new(9)).is_out());
        assert!(!out.at(Millis::new(10)).is_out());
    }

    #[test]
    fn what_nobody_set_follows_the_stock_and_what_somebody_set_does_not() {
        let out = Availability::IN_STOCK.following(Some("Paneer")).unwrap();
        assert!(out.is_out() && out.source == StockSource::AutoRecipe);
        assert_eq!(out.reason.as_deref(), Some("Not enough Paneer"));
        assert_eq!(out.following(Some("Paneer")), None);
        assert_eq!(out.following(None), Some(Availability::IN_STOCK));
        assert_eq!(Availability::IN_STOCK.following(None), None);
        for status in [Status::InStock, Status::Limited, Status::OutOfStock] {
            let set = Availability { status, source: StockSource::Manual, ..Availability::IN_STOCK };
            assert_eq!((set.following(None), set.following(Some("Paneer"))), (None, None));
            // Once it has lapsed, stock decides again.
            let lapsed = Availability { until: Some(Millis::new(1)), ..set }.at(Millis::new(1));
            assert!(lapsed.following(Some("Paneer")).is_some());
        }
    }

    #[test]
    fn a_count_is_for_limited_only() {
        let change =
            |status, quantity_left| AvailabilityChange { status, quantity_left, until: None, reason: None };
        assert!(change(Status::Limited, None).checked().is_err());
        assert!(change(Status::Limited, Some(0)).checked().is_err());
        assert!(change(Status::InStock, Some(3)).checked().is_err());
        assert!(change(Status::Limited, Some(3)).checked().is_ok());
    }

    #[test]
    fn odd_windows_are_refused() {
        let reasons = |w: Window| {
            let mut checks = Checks::new();
            w.check(&mut checks);
            checks.finish(()).map_or_else(|f| f.len(), |()| 0)
        };
        assert_eq!(reasons(window("7:00", "25:00", Some(vec![]))), 3);
        assert_eq!(reasons(window("07:00", "07:00", Some(vec![Weekday::Mon, Weekday::Mon]))), 2);
        assert_eq!(reasons(window("22:00", "02:00", None)), 0);
    }
}
