//! Stock on its way from one outlet to another. Pure.

use super::StockItem;
use super::units::{self, Ratio};
use chrono::NaiveDate;
use tiffin_common::{Millis, Overflow, Quantity, UnitCost, Uuid, words};

words! {
    /// Where a transfer stands.
    pub enum TransferStatus {
        /// On its way.
        Sent = "SENT",
        /// It has come, perhaps not all of it.
        Received = "RECEIVED",
        /// Called back before it came.
        Cancelled = "CANCELLED",
    }
}

words! {
    /// Which way a transfer goes, as one of its outlets sees it.
    pub enum Direction {
        /// To this outlet.
        In = "IN",
        /// From this outlet.
        Out = "OUT",
    }
}

/// What is sent.
#[derive(Debug, Clone)]
pub struct NewTransfer {
    /// The outlet it goes to.
    pub to_outlet_id: Uuid,
    /// What.
    pub items: Vec<NewTransferItem>,
    /// More words.
    pub note: Option<String>,
}

/// So much of an item.
#[derive(Debug, Clone)]
pub struct NewTransferItem {
    /// The item.
    pub stock_item_id: Uuid,
    /// How much.
    pub quantity: Quantity,
    /// Unit of the quantity; the item's where absent.
    pub unit: Option<String>,
    /// Only this batch.
    pub batch_number: Option<String>,
}

/// What the receiver says of a line; a line nobody speaks of has come as it was sent.
#[derive(Debug, Clone)]
pub struct Arrival {
    /// The line.
    pub line_id: Uuid,
    /// How much came, in the sender's unit; all of it where absent.
    pub quantity: Option<Quantity>,
    /// The receiver's item, where it cannot be told by code or name.
    pub stock_item_id: Option<Uuid>,
}

table! {
    /// A transfer, as both outlets see it.
    #[expect(
        missing_docs,
        reason = "the columns of stock_transfers and stock_transfer_receipts, explained in the schema"
    )]
    pub struct Transfer: stock_transfers {
        pub id: Uuid,
        pub outlet_id: Uuid,
        pub to_outlet_id: Uuid,
        pub transfer_number: String,
        pub note: Option<String>,
        pub business_date: NaiveDate,
        pub sent_at: Millis,
        pub sent_by_name: String,
        pub cancelled_at: Option<Millis>,
        pub cancelled_by_name: Option<String>,
        pub cancel_reason: Option<String>,
        pub received_at: Option<Millis> => none,
        pub received_by_name: Option<String> => none,
        pub receipt_note: Option<String> => none,
        /// Of all lines, in millionths of a cent.
        pub cost_micros: i64 => none,
        pub lines_count: i64 => none,
    }
}

impl Transfer {
    /// Where it stands. What has come has come.
    pub fn status(&self) -> TransferStatus {
        match (self.received_at, self.cancelled_at) {
            (Some(_), _) => TransferStatus::Received,
            (None, Some(_)) => TransferStatus::Cancelled,
            (None, None) => TransferStatus::Sent,
        }
    }
}

table! {
    /// What was taken of one batch.
    #[expect(missing_docs, reason = "the columns of stock_transfer_lines, explained in the schema")]
    pub struct TransferLine: stock_transfer_lines {
        pub id: Uuid,
        pub line_number: i64,
        pub stock_item_id: Uuid,
        pub name: String,
        pub sku: Option<String>,
        pub unit: String,
        pub batch_id: Uuid,
        pub batch_number: String,
        pub expiry_date: Option<NaiveDate>,
        pub unit_cost: UnitCost,
        pub quantity: Quantity,
        pub cost_micros: i64,
        pub movement_id: Uuid,
        /// How much came, in this unit.
        pub received: Option<Quantity> => none,
    }
}

impl TransferLine {
    /// `quantity` of the line and what one unit costs, in the unit of the receiver's `item`. None where the units do not convert.
    ///
    /// # Errors
    /// When a number leaves the range.
    pub fn in_units_of(
        &self,
        item: &StockItem,
        quantity: Quantity,
    ) -> Result<Option<(Quantity, UnitCost)>, Overflow> {
        let to = &item.draft;
        let Some(factor) = units::factor(&self.unit, &to.unit, &to.unit_conversions) else { return Ok(None) };
        let quantity = Ratio::millionths(quantity).times(factor)?.round()?;
        let cost = Ratio::new(i128::from(self.unit_cost.get()), 1)?.times(factor.inverse()?)?.round()?;
        Ok(Some((quantity, UnitCost::from_millionths(cost.get()))))
    }

    /// What did not come, and what that had cost; nothing while it is on its way.
    ///
    /// # Errors
    /// When a number leaves the range.
    pub fn shortfall(&self) -> Result<(Quantity, i64), Overflow> {
        let Some(received) = self.received else { return Ok((Quantity::ZERO, 0)) };
        let kept = self.unit_cost.cost_micros(received)?;
        let lost =
            if received == self.quantity { 0 } else { self.cost_micros.checked_sub(kept).ok_or(Overflow)? };
        Ok((self.quantity.minus(received)?, lost))
    }
}
