//! What lists and reports are made of: sums of rows by what they are told apart by. Never rounded yet.

use crate::resources::menu::rules::WeightUnit;
use crate::resources::orders::rules::DiscountKind;
use crate::resources::orders::rules::voids::VoidKind;
use chrono::NaiveDate;
use std::collections::HashMap;
use tiffin_common::{Cents, Millis, Overflow, Quantity, Uuid};

/// Sums that can be added up.
pub trait Plus: Copy + Default {
    /// Both.
    ///
    /// # Errors
    /// [`Overflow`].
    fn plus(self, other: Self) -> Result<Self, Overflow>;
}

impl Plus for i64 {
    fn plus(self, other: i64) -> Result<i64, Overflow> {
        self.checked_add(other).ok_or(Overflow)
    }
}

/// Adds structs field by field.
macro_rules! plus {
    ($($name:ident { $($field:ident)+ })+) => {
        $(impl Plus for $name {
            fn plus(self, other: $name) -> Result<$name, Overflow> {
                Ok($name { $($field: self.$field.plus(other.$field)?),+ })
            }
        })+
    };
}

pub(super) use plus;

plus! {
    Revenue { orders guests gross discount service tax rounding }
    Taken { orders guests gross discount }
    Refunded { amount service tax rounding }
    Open { orders gross tax }
    Money { payments amount tip refunds refunded }
    Taxed { taxable tax credited_taxable credited_tax }
    Sold { quantity combos gross discount cost_micros grams ounces }
    Discounted { discounts amount }
    Moved { quantity cost_micros }
    Wasted { movements quantity cost_micros }
    Delivered { receipts quantity cost_micros }
    Parties { sessions closed seated_ms }
}

table! {
    /// Orders that count as revenue.
    #[derive(Copy, Default, PartialEq, Eq)]
    #[expect(missing_docs, reason = "the figures say what they are")]
    pub struct Revenue: analytics_sales {
        pub orders: i64,
        pub guests: i64,
        pub gross: Cents,
        pub discount: Cents,
        pub service: Cents,
        pub tax: Cents,
        pub rounding: Cents,
    }
}

table! {
    /// The same, of a quarter of an hour.
    #[derive(Copy, Default, PartialEq, Eq)]
    #[expect(missing_docs, reason = "the figures say what they are")]
    pub struct Taken: analytics_hours {
        pub orders: i64,
        pub guests: i64,
        pub gross: Cents,
        pub discount: Cents,
    }
}

/// Orders taken in a quarter of an hour of a business date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quarter {
    /// The business date.
    pub date: NaiveDate,
    /// When the quarter began.
    pub start: Millis,
    /// What was taken in it.
    pub taken: Taken,
}

table! {
    /// Taken back of bills by credit notes: of the dishes, and what came with it.
    #[derive(Copy, Default, PartialEq, Eq)]
    #[expect(missing_docs, reason = "the figures say what they are")]
    pub struct Refunded: analytics_refunds {
        pub amount: Cents,
        pub service: Cents,
        pub tax: Cents,
        pub rounding: Cents,
    }
}

/// Orders that have no bill yet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Open {
    /// How many.
    pub orders: i64,
    /// What they come to before discounts, without tax.
    pub gross: Cents,
    /// Their taxes.
    pub tax: Cents,
}

table! {
    /// Money that moved: payments, what they settled, tips, refunds, what they gave back.
    #[derive(Copy, Default, PartialEq, Eq)]
    #[expect(missing_docs, reason = "the figures say what they are")]
    pub struct Money: analytics_money {
        pub payments: i64,
        pub amount: Cents,
        pub tip: Cents,
        pub refunds: i64,
        pub refunded: Cents,
    }
}

table! {
    /// Tax: what it was counted on, the tax, and of both what credit notes took back.
    #[derive(Copy, Default, PartialEq, Eq)]
    #[expect(missing_docs, reason = "the figures say what they are")]
    pub struct Taxed: analytics_taxes {
        pub taxable: Cents,
        pub tax: Cents,
        pub credited_taxable: Cents,
        pub credited_tax: Cents,
    }
}

table! {
    /// What a dish sold.
    #[derive(Copy, Default, PartialEq, Eq)]
    pub struct Sold: analytics_items {
        /// Portions of dishes.
        pub quantity: i64,
        /// Combos that they were sold in, where it is asked for by combo.
        pub combos: i64,
        /// Before discounts, without tax.
        pub gross: Cents,
        /// Discounts on it.
        pub discount: Cents,
        /// What its ingredients cost, in millionths of a cent.
        pub cost_micros: i64 => cost,
        /// Grams of it, of what was sold in kilograms or grams.
        pub grams: Quantity,
        /// Ounces of it, of what was sold in pounds or ounces.
        pub ounces: Quantity,
    }
}

/// What discounts are told apart by.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the columns of order_discounts")]
pub struct DiscountKey {
    pub reason: String,
    pub kind: DiscountKind,
    pub by: Option<Uuid>,
    pub approver: Option<Uuid>,
}

table! {
    /// Discounts: how many, how much.
    #[derive(Copy, Default, PartialEq, Eq)]
    #[expect(missing_docs, reason = "the figures say what they are")]
    pub struct Discounted: analytics_discounts {
        pub discounts: i64,
        pub amount: Cents,
    }
}

/// Portions taken off orders, of one reason and person.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the columns of order_item_voids")]
pub struct Voided {
    pub kind: VoidKind,
    pub reason: String,
    pub was_made: bool,
    pub by_id: Option<Uuid>,
    pub approver_id: Option<Uuid>,
    pub count: i64,
    pub quantity: i64,
    pub amount: Cents,
    pub cost_micros: i64,
    pub grams: Quantity,
    pub ounces: Quantity,
}

table! {
    /// What was thrown away of an item for one reason.
    #[derive(Copy, Default, PartialEq, Eq)]
    #[expect(missing_docs, reason = "the figures say what they are")]
    pub struct Wasted: analytics_waste {
        pub movements: i64,
        pub quantity: Quantity,
        pub cost_micros: i64 => cost,
    }
}

table! {
    /// What a supplier delivered of an item.
    #[derive(Copy, Default, PartialEq, Eq)]
    #[expect(missing_docs, reason = "the figures say what they are")]
    pub struct Delivered: analytics_purchases {
        pub receipts: i64,
        pub quantity: Quantity,
        pub cost_micros: i64 => cost,
    }
}

table! {
    /// Parties at tables.
    #[derive(Copy, Default, PartialEq, Eq)]
    #[expect(missing_docs, reason = "the figures say what they are")]
    pub struct Parties: analytics_tables {
        pub sessions: i64,
        pub closed: i64,
        pub seated_ms: i64,
    }
}

table! {
    /// Quantity and cost (millionths of a cent), with the ledger's signs.
    #[derive(Copy, Default, PartialEq, Eq)]
    pub struct Moved: analytics_stock {
        /// In the item's unit.
        pub quantity: Quantity,
        /// In millionths of a cent.
        pub cost_micros: i64 => cost,
    }
}

impl Moved {
    /// Both, with the other sign.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn negated(self) -> Result<Moved, Overflow> {
        let cost_micros = self.cost_micros.checked_neg().ok_or(Overflow)?;
        Ok(Moved { quantity: self.quantity.negated(), cost_micros })
    }
}

/// A dish as figures name it.
#[derive(Debug, Clone, Default)]
pub struct Dish {
    /// Its name.
    pub name: String,
    /// Its category's name.
    pub category: String,
    /// Whether it is on the menu.
    pub on_menu: bool,
    /// Whether it is a combo: what it sells are its components' dishes.
    pub is_combo: bool,
    /// What it is weighed in now; none: it is sold by the piece.
    pub weight_unit: Option<WeightUnit>,
}

/// A stock item as figures name it.
#[derive(Debug, Clone, Default)]
pub struct StockName {
    /// Its name.
    pub name: String,
    /// Its category.
    pub category: String,
    /// What it is counted in.
    pub unit: String,
    /// Whether it is still used.
    pub in_use: bool,
}

/// What operators of channels billed: it is in the revenue, they owe its tax, and it is in no tax of the house.
#[apply(figures!)]
#[derive(Default)]
pub struct OperatorTaxed {
    /// Orders with a slip.
    pub orders_count: i64,
    /// What their slips come to, without tax.
    pub sold_cents: Cents,
    /// What operators gave back to guests since, on these dates.
    pub returned_cents: Cents,
}

/// Names by id.
#[derive(Debug, Default)]
pub struct Names(HashMap<Uuid, String>);

impl Names {
    /// These.
    pub fn new(names: impl IntoIterator<Item = (Uuid, String)>) -> Names {
        Names(names.into_iter().collect())
    }

    /// The name of that id; empty when there is none.
    pub fn get(&self, id: Option<Uuid>) -> String {
        id.and_then(|id| self.0.get(&id)).cloned().unwrap_or_default()
    }
}
