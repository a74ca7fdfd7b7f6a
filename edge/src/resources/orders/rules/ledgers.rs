//! What is kept beside an order: its history, taxes, voids, payments and refunds. Plain data; never a response.

use super::kinds::{OrderStatus, PaymentMethod};
use super::price::TaxLine;
use super::voids::VoidKind;
use chrono::NaiveDate;
use tiffin_common::{Cents, Millis, Quantity, Uuid, words};

table! {
    /// One change of state.
    #[expect(missing_docs, reason = "the columns of order_status_history")]
    pub struct History: order_status_history {
        pub id: Uuid,
        pub from: Option<OrderStatus> => from_status,
        pub to: OrderStatus => to_status,
        pub at: Millis,
        pub by_id: Option<Uuid>,
        pub by: String => by_name,
        pub reason: Option<String>,
    }
}

table! {
    /// A tax of one line.
    pub struct TaxRow: order_taxes {
        /// The line.
        pub order_item_id: Uuid,
        /// The tax.
        pub line: TaxLine => flat,
    }
}

table! {
    /// Portions taken off a line.
    #[expect(missing_docs, reason = "the columns of order_item_voids")]
    pub struct VoidRow: order_item_voids {
        pub id: Uuid,
        pub order_item_id: Uuid,
        pub quantity: i64,
        pub amount: Cents => amount_cents,
        pub reason: String,
        pub was_made: bool,
        pub by_id: Option<Uuid>,
        pub approver_id: Option<Uuid>,
        pub business_date: NaiveDate,
        pub at: Millis,
        pub kind: VoidKind,
        pub cost_micros: i64,
        pub weight: Option<Quantity>,
    }
}

table! {
    /// A payment.
    #[expect(missing_docs, reason = "the columns of payments")]
    pub struct PaymentRow: payments {
        pub id: Uuid,
        pub method: PaymentMethod,
        pub amount: Cents => amount_cents,
        pub tip: Cents => tip_cents,
        pub tendered: Option<Cents> => tendered_cents,
        pub change: Cents => change_cents,
        pub reference: Option<String>,
        pub channel_id: Option<Uuid>,
        pub drawer: Option<Uuid> => cash_session_id,
        pub refunded: Cents => refunded_cents,
        pub business_date: NaiveDate,
        pub at: Millis,
        pub by_id: Option<Uuid>,
        pub by: String => by_name,
        pub clock_suspect: bool,
        pub is_reversed: bool => none,
        pub corrections: Vec<CorrectionRow> => none,
    }
}

words! {
    /// What a correction does.
    pub enum CorrectionKind {
        /// Method, tip or reference were entered wrongly.
        Correct = "CORRECT",
        /// The payment did not hold: what it paid is due again.
        Reverse = "REVERSE",
    }
}

table! {
    /// A correction of a payment: what it was, and what it is.
    #[expect(missing_docs, reason = "the columns of payment_corrections")]
    pub struct CorrectionRow: payment_corrections {
        pub id: Uuid,
        pub payment_id: Uuid,
        pub kind: CorrectionKind,
        pub old_method: PaymentMethod,
        pub new_method: PaymentMethod,
        pub old_amount: Cents => old_amount_cents,
        pub new_amount: Cents => new_amount_cents,
        pub old_tip: Cents => old_tip_cents,
        pub new_tip: Cents => new_tip_cents,
        pub old_reference: Option<String>,
        pub new_reference: Option<String>,
        pub drawer: Option<Uuid> => cash_session_id,
        pub reason: String,
        pub business_date: NaiveDate,
        pub at: Millis,
        pub by_id: Option<Uuid>,
        pub by: String => by_name,
        pub approver_id: Option<Uuid>,
        pub clock_suspect: bool,
    }
}

table! {
    /// Money given back: what one payment gave of a refund.
    #[expect(missing_docs, reason = "the columns of refunds")]
    pub struct RefundRow: refunds {
        pub id: Uuid,
        pub payment_id: Uuid,
        pub credit_note_id: Option<Uuid>,
        pub credit_note_number: Option<String> => none,
        pub method: PaymentMethod,
        pub amount: Cents => amount_cents,
        pub reason: String,
        pub restock: bool,
        pub drawer: Option<Uuid> => cash_session_id,
        pub business_date: NaiveDate,
        pub at: Millis,
        pub by_id: Option<Uuid>,
        pub by: String => by_name,
        pub approver_id: Option<Uuid>,
        pub clock_suspect: bool,
    }
}

table! {
    /// What a guest will never pay of a bill.
    #[expect(missing_docs, reason = "the columns of write_offs")]
    pub struct WriteOffRow: write_offs {
        pub id: Uuid,
        pub amount: Cents => amount_cents,
        pub reason: String,
        pub business_date: NaiveDate,
        pub at: Millis,
        pub by_id: Option<Uuid>,
        pub by: String => by_name,
        pub approver_id: Option<Uuid>,
        pub clock_suspect: bool,
    }
}

table! {
    /// Portions that came back with a credit note, or with what the operator of a channel gave back of a slip.
    #[derive(Copy)]
    pub struct RefundItemRow: refund_items {
        /// The line.
        pub order_item_id: Uuid,
        /// Portions.
        pub quantity: i64,
        /// What they were charged at.
        pub amount: Cents => amount_cents,
        /// Their ingredients went back into stock.
        pub restocked: bool,
        /// Their list price, without tax.
        pub subtotal: Cents => subtotal_cents,
        /// Their discounts, without tax.
        pub discount: Cents => discount_cents,
        /// They were thrown away.
        pub wasted: bool,
    }
}
