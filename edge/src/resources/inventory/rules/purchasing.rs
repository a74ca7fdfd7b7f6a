//! What purchasing tells the store room: how suppliers keep their word, and which delivery a batch came with. Never worked out
//! here: purchasing stands above and hands it down.

use chrono::NaiveDate;
use tiffin_common::{Cents, Millis, Quantity, Uuid};

/// How a supplier kept their word over the orders sent to them in the last 365 days.
#[apply(figures!)]
pub struct SupplierPerformance {
    /// Purchase orders that were sent to them.
    pub orders_count: i64,
    /// Of those, orders of which something has come.
    pub delivered_count: i64,
    /// Of the orders that are received in full or past their date, the percentage that was complete by that date; null while
    /// there are none. Two decimals.
    pub on_time_percentage: Option<Quantity>,
    /// Days from the sending to the date promised, over the orders received in full. Two decimals.
    pub average_promised_days: Option<Quantity>,
    /// Days from the sending to the delivery that made them complete, over the same orders. Two decimals.
    pub average_actual_days: Option<Quantity>,
    /// How much of what was ordered came, averaged over the lines of the orders that are received or closed; more than was
    /// ordered counts as all of it. Two decimals.
    pub fill_rate_percentage: Option<Quantity>,
    /// How often something went back to them in that time.
    pub returns_count: i64,
    /// What they owe for that, without tax.
    pub returned_cents: Cents,
    /// When they last delivered.
    pub last_delivery_at: Option<Millis>,
}

/// A delivery that put something into a batch.
#[apply(figures!)]
pub struct BatchDelivery {
    /// The delivery it came with.
    pub delivery_id: Uuid,
    /// The purchase order it was on.
    pub purchase_order_id: Uuid,
    /// Number of the purchase order.
    pub po_number: String,
    /// The number of the supplier's invoice or delivery note.
    pub invoice_ref: Option<String>,
    /// The supplier who delivered it.
    pub supplier_id: Uuid,
    /// Their name when it was ordered.
    pub supplier_name: String,
    /// How much of the batch came with it, in the item's unit.
    pub quantity: Quantity,
    /// Its business date.
    pub business_date: NaiveDate,
    /// When it came.
    pub at: Millis,
}
