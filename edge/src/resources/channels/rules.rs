//! What a channel may be. Pure.

use crate::http::{Checks, FieldError};
use schemars::JsonSchema;
use serde::Serialize;
use tiffin_common::{Bps, Millis, Uuid, words};

words! {
    /// What a channel is.
    pub enum ChannelKind {
        /// Takes orders for many houses and has its own riders.
        Aggregator = "AGGREGATOR",
        /// Brings what the house sold.
        Delivery = "DELIVERY",
        /// The house's own page or app.
        Website = "WEBSITE",
        /// Anything else.
        Other = "OTHER",
    }
}

words! {
    /// Who owes the tax of the restaurant's service that is sold through a channel.
    pub enum TaxedBy {
        /// The house, as of any order.
        Restaurant = "RESTAURANT",
        /// The operator of the channel, who makes the guest's bill: in India section 9(5).
        Operator = "OPERATOR",
    }
}

table! {
    /// Whom orders come through: an aggregator, a delivery service, the own website.
    #[derive(PartialEq, Eq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct Channel: channels {
        /// Id of the channel.
        pub id: Uuid,
        /// What a client may set.
        #[serde(flatten)]
        pub fields: ChannelFields => flat,
        /// Changes with every change.
        pub version: i64,
        /// When it was made.
        pub created_at: Millis,
        /// When it last changed.
        pub updated_at: Millis,
    }
}

table! {
    /// What a channel is to be.
    #[derive(PartialEq, Eq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct ChannelFields: channels {
        /// Unique in the outlet.
        pub name: String,
        /// What it is.
        pub kind: ChannelKind,
        /// Who owes the tax of the food.
        pub taxed_by: TaxedBy,
        /// The tax id of whoever runs it.
        pub operator_tax_id: Option<String>,
        /// What it keeps of each order, in basis points of what is charged without tax: reported, never taken off a bill.
        pub commission_bps: Bps,
        /// The price list that is for its orders, whatever channels that list names; null: only those that name it, or none.
        pub price_list_id: Option<Uuid>,
    }
}

impl ChannelFields {
    /// The fields with their texts trimmed.
    ///
    /// # Errors
    /// All offending fields.
    pub fn checked(mut self) -> Result<ChannelFields, Vec<FieldError>> {
        let mut checks = Checks::new();
        self.name = self.name.trim().to_owned();
        checks.require(!self.name.is_empty(), "name", "must not be blank");
        let id = self.operator_tax_id.take();
        self.operator_tax_id = id.map(|id| id.trim().to_owned()).filter(|id| !id.is_empty());
        checks.finish(self)
    }
}

refusals! {
    /// Why a channel was refused.
    #[derive(Debug, thiserror::Error)]
    pub enum ChannelError {}
}
