//! Whether a dish can be had at a moment: its stock state ("86", countdown). Pure: the moment is an argument.

use super::text::clean_optional;
use crate::http::{Checks, FieldError};
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
        /// Portions left; counts down with every order while LIMITED. Of a dish that is sold by weight: how often it is still sold, whatever
        /// each weighs; how much of it there is is the stock's to say.
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
    /// The state to keep from `now` on.
    ///
    /// # Errors
    /// All offending fields.
    pub fn checked(mut self, now: Millis) -> Result<Availability, Vec<FieldError>> {
        let mut checks = Checks::new();
        checks.require(self.until.is_none_or(|until| until > now), "until", "must not be in the past");
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

#[cfg(test)]
mod tests {
    use super::*;

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
        let now = Millis::new(1);
        assert!(change(Status::Limited, None).checked(now).is_err());
        assert!(change(Status::Limited, Some(0)).checked(now).is_err());
        assert!(change(Status::InStock, Some(3)).checked(now).is_err());
        assert!(change(Status::Limited, Some(3)).checked(now).is_ok());
    }
}
