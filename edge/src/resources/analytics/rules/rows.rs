//! What lists and reports are made of: sums of rows by what they are told apart by. Never rounded yet.

use std::collections::HashMap;
use tiffin_common::{Cents, Millis, Overflow, Quantity, Uuid};

/// What a dish sold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sold {
    /// Portions.
    pub quantity: i64,
    /// Before discounts, without tax.
    pub gross: Cents,
    /// Discounts on it.
    pub discount: Cents,
    /// What its ingredients cost, in millionths of a cent.
    pub cost_micros: i64,
}

/// Orders taken in a quarter of an hour of a business date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quarter {
    /// The business date.
    pub date: String,
    /// When the quarter began.
    pub start: Millis,
    /// Orders.
    pub orders: i64,
    /// Guests.
    pub guests: i64,
    /// Before discounts, without tax.
    pub gross: Cents,
    /// Discounts.
    pub discount: Cents,
}

/// What discounts are told apart by.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the columns of order_discounts")]
pub struct DiscountKey {
    pub reason: String,
    pub kind: String,
    pub by: Option<Uuid>,
    pub approver: Option<Uuid>,
}

/// Portions taken off orders, of one reason and person.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the columns of order_item_voids")]
pub struct Voided {
    pub reason: String,
    pub was_made: bool,
    pub by: Option<Uuid>,
    pub approver: Option<Uuid>,
    pub count: i64,
    pub quantity: i64,
    pub amount: Cents,
}

/// What was thrown away of an item for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the columns of stock_movements")]
pub struct Wasted {
    pub item: Uuid,
    pub reason: String,
    pub count: i64,
    pub quantity: Quantity,
    pub cost_micros: i64,
}

/// What a supplier delivered of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the sums say what they are")]
pub struct Delivered {
    pub supplier: Option<Uuid>,
    pub item: Uuid,
    pub count: i64,
    pub quantity: Quantity,
    pub cost_micros: i64,
}

/// Quantity and cost (millionths of a cent), with the ledger's signs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Moved {
    /// In the item's unit.
    pub quantity: Quantity,
    /// In millionths of a cent.
    pub cost_micros: i64,
}

impl Moved {
    /// Both, added.
    ///
    /// # Errors
    /// [`Overflow`].
    pub fn plus(self, other: Moved) -> Result<Moved, Overflow> {
        Ok(Moved {
            quantity: self.quantity.plus(other.quantity)?,
            cost_micros: self.cost_micros.checked_add(other.cost_micros).ok_or(Overflow)?,
        })
    }

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
