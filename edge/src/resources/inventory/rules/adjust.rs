//! What moves stock: the kinds of movements, their causes, and the commands of receipts, adjustments and order lines.

use chrono::NaiveDate;
use tiffin_common::{Quantity, UnitCost, Uuid, words};

words! {
    /// The kind of a movement of the ledger.
    pub enum Kind {
        /// Stock of the first day.
        Opening = "OPENING",
        /// Delivered; below nothing: sent back to the supplier.
        Receipt = "RECEIPT",
        /// Taken by an order line.
        Sale = "SALE",
        /// Given back by an order line.
        Return = "RETURN",
        /// Thrown away.
        Waste = "WASTE",
        /// Corrected.
        Adjustment = "ADJUSTMENT",
        /// A deficit met by a receipt: a pair that moves it from no batch to the batch.
        Settlement = "SETTLEMENT",
        /// A count set right.
        Stocktake = "STOCKTAKE",
        /// Came from another outlet.
        TransferIn = "TRANSFER_IN",
        /// Went to another outlet.
        TransferOut = "TRANSFER_OUT",
        /// Made ahead: ingredients become a batch of what they make, at what they cost.
        Production = "PRODUCTION",
    }
}

words! {
    /// Where a batch comes from.
    pub enum BatchSource {
        /// It was there on the first day.
        Opening = "OPENING",
        /// A supplier brought it.
        Delivery = "DELIVERY",
        /// It was found.
        Adjustment = "ADJUSTMENT",
        /// Another outlet sent it.
        Transfer = "TRANSFER",
        /// It was made here.
        Production = "PRODUCTION",
    }
}

impl Kind {
    /// Where a batch that this kind makes comes from.
    pub fn source(self) -> BatchSource {
        match self {
            Kind::Opening => BatchSource::Opening,
            Kind::Receipt => BatchSource::Delivery,
            Kind::TransferIn => BatchSource::Transfer,
            Kind::Production => BatchSource::Production,
            _ => BatchSource::Adjustment,
        }
    }
}

/// Why stock moves: what the ledger shows as the cause.
#[derive(Debug, Clone, Default)]
pub struct Cause {
    /// Such as `ORDER`, `ORDER_ITEM_VOID`, `ADJUSTMENT`, `DELIVERY`.
    pub kind: &'static str,
    /// The record of that kind.
    pub id: Option<Uuid>,
    /// The order, when it is one's.
    pub order_id: Option<Uuid>,
    /// The order line, when it is one's.
    pub order_item_id: Option<Uuid>,
    /// The reason given.
    pub reason: Option<String>,
    /// A note.
    pub note: Option<String>,
}

impl Cause {
    /// A cause of `kind` with a record.
    pub fn new(kind: &'static str, id: Option<Uuid>) -> Cause {
        Cause { kind, id, ..Cause::default() }
    }

    /// With the reason given.
    #[must_use]
    pub fn reason(mut self, reason: impl Into<String>) -> Cause {
        self.reason = Some(reason.into());
        self
    }
}

/// An order line that takes its ingredients.
#[derive(Debug, Clone, Copy)]
pub struct Use<'a> {
    /// The line; its movements carry it.
    pub order_item_id: Uuid,
    /// The dish.
    pub menu_item_id: Uuid,
    /// The variant of it; what it has no recipe of its own for goes by the dish's.
    pub variant_id: Option<Uuid>,
    /// The options chosen; one named twice counts twice.
    pub option_ids: &'a [Uuid],
    /// Portions.
    pub quantity: i64,
    /// What one of them weighs, of a dish whose recipe is that of one unit of its weight.
    pub weight: Option<Quantity>,
    /// The line's index in the request, for refusals.
    pub index: usize,
}

/// Which part of a line's ingredients comes back or is thrown away.
#[derive(Debug, Clone, Copy)]
pub struct Portions {
    /// The line the ingredients were taken for: where a line was split off, the line it came from.
    pub order_item_id: Uuid,
    /// How many portions.
    pub quantity: i64,
    /// How many portions of it (with all lines split off it) still hold their ingredients, these included.
    pub outstanding: i64,
}

/// Stock that comes in, in the item's unit.
#[derive(Debug, Clone)]
pub struct Receipt {
    /// The item.
    pub stock_item_id: Uuid,
    /// How much; more than nothing.
    pub quantity: Quantity,
    /// What one unit cost.
    pub unit_cost: UnitCost,
    /// The supplier's or own batch number; one is made up where none is given.
    pub batch_number: Option<String>,
    /// The last date it may be used; none for what keeps.
    pub expiry_date: Option<NaiveDate>,
    /// Who delivered it.
    pub supplier_id: Option<Uuid>,
    /// OPENING, RECEIPT, ADJUSTMENT or TRANSFER_IN.
    pub kind: Kind,
    /// Why.
    pub cause: Cause,
}

/// How much an adjustment says there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// So much more, or less when negative.
    Delta(Quantity),
    /// So much in all.
    Counted(Quantity),
}

/// A correction of stock.
#[derive(Debug, Clone)]
pub struct Adjustment {
    /// The item.
    pub stock_item_id: Uuid,
    /// Only this batch; a number that does not exist yet makes one.
    pub batch_number: Option<String>,
    /// How much.
    pub amount: Amount,
    /// The unit of the amount; the item's where absent.
    pub unit: Option<String>,
    /// What one unit (the item's) of found stock cost; the item's last cost where absent.
    pub unit_cost: Option<UnitCost>,
    /// Of the batch it makes.
    pub expiry_date: Option<NaiveDate>,
    /// Why; what begins with `opening` puts in the stock of the first day.
    pub reason: String,
    /// More words.
    pub note: Option<String>,
}

impl Adjustment {
    /// Whether it puts in the stock of the first day.
    pub fn is_opening(&self) -> bool {
        let first = self.reason.split_whitespace().next().unwrap_or_default();
        first.eq_ignore_ascii_case("OPENING")
    }
}
