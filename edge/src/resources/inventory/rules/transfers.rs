//! Stock on its way from one outlet to another. Pure.

use super::StockItem;
use super::units::{self, Ratio};
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use tiffin_common::{Millis, Overflow, Quantity, UnitCost, Uuid, words};

words! {
    /// Where a transfer stands.
    pub enum TransferStatus {
        /// On its way.
        Sent = "SENT",
        /// It has come, perhaps not all of it.
        Received = "RECEIVED",
        /// The sender asked to have it back; head office has not heard yet whether it still could.
        CancelRequested = "CANCEL_REQUESTED",
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
    /// The line; where absent, all lines of the item that `stock_item_id` names.
    pub line_id: Option<Uuid>,
    /// How much came, in the sender's unit; all of it where absent.
    pub quantity: Option<Quantity>,
    /// With a line the receiver's item, where it is another than code or name tell; else the line's own item.
    pub stock_item_id: Option<Uuid>,
}

table! {
    /// A transfer, as both outlets see it.
    #[expect(
        missing_docs,
        reason = "the columns of stock_transfers, stock_transfer_receipts and incoming_transfers, explained in the schema"
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
        pub recalled_at: Option<Millis>,
        pub to_outlet_code: Option<String>,
        pub to_outlet_name: Option<String>,
        /// Where head office delivered it.
        pub from_outlet_code: Option<String> => none,
        pub from_outlet_name: Option<String> => none,
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
        match (self.received_at, self.cancelled_at, self.recalled_at) {
            (Some(_), ..) => TransferStatus::Received,
            (None, Some(_), _) => TransferStatus::Cancelled,
            (None, None, Some(_)) => TransferStatus::CancelRequested,
            (None, None, None) => TransferStatus::Sent,
        }
    }

    /// Whether head office delivered it here: its sender is another box's outlet.
    pub fn is_delivered(&self) -> bool {
        self.from_outlet_code.is_some()
    }

    /// Whether it goes to another box's outlet: head office delivers it.
    pub fn is_for_delivery(&self) -> bool {
        self.to_outlet_code.is_some()
    }
}

table! {
    /// That a transfer was taken in.
    #[expect(missing_docs, reason = "the columns of stock_transfer_receipts, explained in the schema")]
    pub struct TransferReceipt: stock_transfer_receipts {
        pub note: Option<String>,
        pub at: Millis,
        pub by_name: String,
        pub undone_at: Option<Millis>,
    }
}

/// How much of a line came, as the receiver's head office tells the sender.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Came {
    /// The line.
    pub line_id: Uuid,
    /// In its unit.
    pub quantity_received: Quantity,
}

/// Another outlet of the chain that stock can be sent to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    /// Its id.
    pub id: Uuid,
    /// Its code.
    pub code: String,
    /// Its name.
    pub name: String,
    /// What it reckons in.
    pub currency: String,
    /// Whether head office delivers there; else it is an outlet of this very box.
    pub is_elsewhere: bool,
}

table! {
    /// What was taken of one batch.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
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
        pub category: Option<String>,
        /// How much came, in this unit.
        #[serde(skip)]
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

/// The id of a movement that takes back `part` of the one with the id `of`: whoever makes it twice, before and after a restored
/// backup, makes one.
pub fn taking_back(of: Uuid, part: u8) -> Uuid {
    let digest = blake3::Hasher::new().update(of.as_bytes()).update(&[part]).finalize();
    let drawn = digest.as_bytes().first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes));
    // Moment, version and variant stay.
    let fixed = of.as_u128() & !u128::from(u64::MAX >> 2);
    Uuid::from_u128(fixed | u128::from(drawn >> 2))
}

/// Who came short of what, for people: "1.5 of 2 kg Flour".
///
/// # Errors
/// When a number leaves the range.
pub fn shortfalls(lines: &[TransferLine]) -> Result<(String, i64), Overflow> {
    let (mut short, mut micros) = (Vec::new(), 0i64);
    for line in lines {
        if let Some(received) = line.received.filter(|received| *received < line.quantity) {
            short.push(format!("{} of {} {} {}", received, line.quantity, line.unit, line.name));
            micros = micros.checked_add(line.shortfall()?.1).ok_or(Overflow)?;
        }
    }
    Ok((short.join(", "), micros))
}
