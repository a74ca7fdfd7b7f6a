//! When an outlet asks for a service charge, and how much. What it comes to on an order is the order's to count.

use crate::http::Checks;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tiffin_common::{Bps, words};

words! {
    /// How an order reaches its guest.
    pub enum OrderType {
        /// At a table.
        DineIn = "DINE_IN",
        /// Packed, taken along.
        Takeaway = "TAKEAWAY",
        /// Brought to the guest's door.
        Delivery = "DELIVERY",
        /// Handed over at the counter.
        Counter = "COUNTER",
    }
}

table! {
    /// The service charge of an outlet.
    #[derive(PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct ServiceCharge: outlets {
        /// In basis points of the discounted lines: 1,000 is 10 %; 0: there is none.
        pub bps: Bps => service_charge_bps,
        /// The types of order that may bear it.
        pub order_types: Vec<OrderType> => json service_charge_order_types,
        /// Whether such orders bear it from the start; otherwise somebody puts it on.
        pub automatic: bool => service_charge_automatic,
        /// Whether it bears tax: that of the restaurant's service.
        pub taxed: bool => service_charge_taxed,
    }
}

impl ServiceCharge {
    /// That of a new outlet in `country`: none, and in India never by itself.
    pub fn new(country: &str) -> ServiceCharge {
        ServiceCharge {
            bps: Bps::default(),
            order_types: vec![OrderType::DineIn],
            automatic: country != "IN",
            taxed: true,
        }
    }

    /// Whether an order of that type may bear it.
    pub fn is_for(&self, order_type: OrderType) -> bool {
        self.bps > Bps::default() && self.order_types.contains(&order_type)
    }

    /// What an order of that type bears from the start.
    pub fn at_first(&self, order_type: OrderType) -> Bps {
        if self.automatic && self.is_for(order_type) { self.bps } else { Bps::default() }
    }

    pub(super) fn check(&self, checks: &mut Checks) {
        for (index, of) in self.order_types.iter().enumerate() {
            let is_new = !self.order_types.iter().take(index).any(|earlier| earlier == of);
            checks.require(is_new, format!("serviceCharge.orderTypes[{index}]"), "is named twice");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_asked_for_where_and_when_the_outlet_says() {
        let india = ServiceCharge { bps: Bps::new(1_000), ..ServiceCharge::new("IN") };
        assert_eq!(india.at_first(OrderType::DineIn), Bps::default());
        assert!(india.is_for(OrderType::DineIn) && !india.is_for(OrderType::Takeaway));
        let berlin = ServiceCharge { bps: Bps::new(1_000), ..ServiceCharge::new("DE") };
        assert_eq!(berlin.at_first(OrderType::DineIn), Bps::new(1_000));
        assert_eq!(berlin.at_first(OrderType::Delivery), Bps::default());
        assert!(!ServiceCharge::new("DE").is_for(OrderType::DineIn));
    }
}
