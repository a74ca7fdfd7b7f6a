//! Purchase orders, their lines and their deliveries as they stand.

use super::lines::NewLine;
use super::states::{Mode, Status};
use super::{PurchaseError, Result};
use chrono::NaiveDate;
use tiffin_common::{Cents, Millis, Overflow, Quantity, UnitCost, Uuid};

table! {
    /// A purchase order, without its lines.
    pub struct PurchaseOrder: purchase_orders {
        /// Id.
        pub id: Uuid,
        /// `PO-{outletCode}-{yymmdd}-{nnn}`.
        pub po_number: String,
        /// How it came to be.
        pub mode: Mode,
        /// Where it stands.
        pub status: Status,
        /// Who delivers.
        pub supplier_id: Uuid,
        /// Their name when it was written.
        pub supplier_name: String,
        /// When it is promised for.
        pub expected_on: NaiveDate => expected_delivery_date,
        /// For the supplier.
        pub notes: Option<String>,
        /// The sum of its lines.
        pub total: Cents => total_cents,
        /// The business date it was written on.
        pub business_date: NaiveDate,
        /// Who wrote it.
        pub created_by_name: String,
        /// When it was sent.
        pub sent_at: Option<Millis>,
        /// When all of it had come.
        pub received_at: Option<Millis>,
        /// When it was closed.
        pub closed_at: Option<Millis>,
        /// Why it was closed.
        pub close_reason: Option<String>,
        /// 1, 2, ….
        pub version: i64,
        /// When it was written.
        pub created_at: Millis,
        /// When it was last changed.
        pub updated_at: Millis,
    }
}

impl PurchaseOrder {
    /// Refuses unless the state `to` may follow.
    ///
    /// # Errors
    /// [`PurchaseError::Transition`].
    pub fn check_next(&self, to: Status) -> Result<()> {
        let from = self.status;
        if from.next().contains(&to) { Ok(()) } else { Err(PurchaseError::Transition { from, to }) }
    }
}

table! {
    /// One item of a purchase order.
    pub struct OrderLine: purchase_order_lines {
        /// Id.
        pub id: Uuid,
        /// What is ordered.
        pub ordered: NewLine => flat,
        /// What has come, in the item's unit.
        pub received_stock_quantity: Quantity,
        /// Whether it came without being ordered; its quantity is then what came first.
        pub is_extra: bool,
    }
}

impl OrderLine {
    /// A line of what came without being ordered.
    pub fn extra(id: Uuid, ordered: NewLine) -> OrderLine {
        OrderLine { id, ordered, received_stock_quantity: Quantity::ZERO, is_extra: true }
    }

    /// What has come, in the unit it was ordered in.
    ///
    /// # Errors
    /// When it leaves the range.
    pub fn received(&self) -> Result<Quantity, Overflow> {
        let NewLine { quantity, stock_quantity, .. } = &self.ordered;
        if self.received_stock_quantity == *stock_quantity {
            return Ok(*quantity);
        }
        self.received_stock_quantity.ratio(quantity.get(), stock_quantity.get())
    }

    /// What is still to come, in the item's unit.
    ///
    /// # Errors
    /// When it leaves the range.
    pub fn outstanding_stock(&self) -> Result<Quantity, Overflow> {
        Ok(self.ordered.stock_quantity.minus(self.received_stock_quantity)?.max(Quantity::ZERO))
    }
}

/// Where an order stands after a delivery.
pub fn after_delivery(lines: &[OrderLine]) -> Status {
    let complete = lines.iter().all(|line| line.received_stock_quantity >= line.ordered.stock_quantity);
    if complete { Status::Received } else { Status::PartiallyReceived }
}

table! {
    /// What a supplier brought at one time.
    pub struct Delivery: purchase_deliveries {
        /// Id: the cause of its movements of stock.
        pub id: Uuid,
        /// The number of the supplier's invoice or delivery note.
        pub invoice_ref: Option<String>,
        /// A note.
        pub note: Option<String>,
        /// The sum of its lines.
        pub total: Cents => total_cents,
        /// Its business date.
        pub business_date: NaiveDate,
        /// When.
        pub at: Millis,
        /// Who took it in.
        pub by_name: String,
        /// What was brought.
        pub lines: Vec<DeliveryLine> => none,
    }
}

table! {
    /// What was brought of one item into one batch.
    pub struct DeliveryLine: purchase_delivery_lines {
        /// Id.
        pub id: Uuid,
        /// The order's line.
        pub order_line_id: Uuid => purchase_order_line_id,
        /// The batch.
        pub batch_id: Uuid,
        /// Its number.
        pub batch_number: String,
        /// Its last date.
        pub expiry_date: Option<NaiveDate>,
        /// How much, in `unit`.
        pub quantity: Quantity,
        /// What it was delivered in.
        pub unit: String,
        /// What one such unit cost.
        pub unit_cost: UnitCost,
        /// What it cost in all.
        pub total: Cents => total_cents,
        /// How much, in the item's unit.
        pub stock_quantity: Quantity,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A line of `quantity` `unit`, `stock_quantity` `stock_unit` in stock, of which `received` has come.
    pub(crate) fn line(quantity: &str, stock_quantity: &str, received: &str) -> OrderLine {
        OrderLine {
            id: Uuid::nil(),
            ordered: NewLine {
                stock_item_id: Uuid::nil(),
                name: "Tomatoes".into(),
                quantity: quantity.parse().unwrap(),
                unit: "crate".into(),
                unit_cost: UnitCost::ZERO,
                total: Cents::ZERO,
                stock_quantity: stock_quantity.parse().unwrap(),
                stock_unit: "kg".into(),
            },
            received_stock_quantity: received.parse().unwrap(),
            is_extra: false,
        }
    }

    #[test]
    fn what_came_is_told_in_the_unit_of_the_order() {
        let received = |text| line("2", "24", text).received().unwrap().to_string();
        assert_eq!(
            (received("24"), received("18"), received("30")),
            ("2".into(), "1.5".into(), "2.5".into())
        );
        // A third of a crate is no decimal: rounded, but all of it is all of it.
        assert_eq!(line("0.333333", "4", "4").received().unwrap().to_string(), "0.333333");
        let outstanding = |text| line("2", "24", text).outstanding_stock().unwrap().to_string();
        assert_eq!((outstanding("18"), outstanding("30")), ("6".into(), "0".into()));
    }
}
