//! How the ledgers of an order are shown: its history, payments, refunds, discounts and taxes. Never the rows themselves.

use super::super::rules::{DiscountKind, DiscountRecord, OrderStatus, PaymentMethod, discounts};
use super::super::store::{self, History};
use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::Serialize;
use tiffin_common::{Bps, Cents, Millis, Quantity, Uuid};

/// A change of state.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatusChange {
    /// Where it was; none when it was taken.
    pub from: Option<OrderStatus>,
    /// Where it went.
    pub to: OrderStatus,
    /// When it changed.
    pub at: Millis,
    /// Who did it.
    pub by: String,
    /// Why, where somebody said so.
    pub reason: Option<String>,
}

impl From<History> for StatusChange {
    fn from(entry: History) -> Self {
        let History { from, to, at, by, reason } = entry;
        StatusChange { from, to, at, by, reason }
    }
}

/// Money that came in.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrderPayment {
    /// Id of the payment.
    pub id: Uuid,
    /// What it was paid with.
    pub method: PaymentMethod,
    /// What it paid of the order.
    pub amount_cents: Cents,
    /// The tip, on top of the amount.
    pub tip_cents: Cents,
    /// Cash handed over.
    pub tendered_cents: Option<Cents>,
    /// Cash given back as change.
    pub change_cents: Cents,
    /// Of the terminal or app; never a card number.
    pub reference: Option<String>,
    /// What of it was given back.
    pub refunded_cents: Cents,
    /// The trading day it came in.
    pub business_date: NaiveDate,
    /// When it was paid.
    pub at: Millis,
    /// Who took it.
    pub by: String,
}

impl From<store::PaymentRow> for OrderPayment {
    fn from(row: store::PaymentRow) -> Self {
        OrderPayment {
            id: row.id,
            method: row.method,
            amount_cents: row.amount,
            tip_cents: row.tip,
            tendered_cents: row.tendered,
            change_cents: row.change,
            reference: row.reference,
            refunded_cents: row.refunded,
            business_date: row.business_date,
            at: row.at,
            by: row.by,
        }
    }
}

/// Money that was given back.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrderRefund {
    /// Id of the refund.
    pub id: Uuid,
    /// The payment it came from.
    pub payment_id: Uuid,
    /// How it was given back: the payment's method.
    pub method: String,
    /// How much was given back.
    pub amount_cents: Cents,
    /// Why it was given back.
    pub reason: String,
    /// Whether the ingredients went back.
    pub restock: bool,
    /// The credit note.
    pub credit_note_number: Option<String>,
    /// The trading day.
    pub business_date: NaiveDate,
    /// When it was given back.
    pub at: Millis,
    /// Who gave it.
    pub by: String,
}

impl From<store::RefundRow> for OrderRefund {
    fn from(row: store::RefundRow) -> Self {
        OrderRefund {
            id: row.id,
            payment_id: row.payment_id,
            method: row.method,
            amount_cents: row.amount,
            reason: row.reason,
            restock: row.restock,
            credit_note_number: row.credit_note_number,
            business_date: row.business_date,
            at: row.at,
            by: row.by,
        }
    }
}

/// A discount.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrderDiscount {
    /// Id of the discount.
    pub id: Uuid,
    /// Its line; none: the whole order.
    pub item_id: Option<Uuid>,
    /// Share or amount.
    pub r#type: DiscountKind,
    /// Percent, or cents.
    pub value: Quantity,
    /// What it comes to.
    pub amount_cents: Cents,
    /// Why it was given.
    pub reason: String,
    /// When it was given.
    pub at: Millis,
    /// The account that gave it.
    pub by_id: Option<Uuid>,
    /// The employee whose PIN approved it.
    pub approver_id: Option<Uuid>,
}

/// The tax of one component on one line.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrderTax {
    /// The line it is counted on.
    pub order_item_id: Uuid,
    /// The component, such as CGST.
    pub name: String,
    /// Rate in basis points: 250 is 2.5 %.
    pub rate_bps: Bps,
    /// What it is counted on, without tax.
    pub taxable_cents: Cents,
    /// The tax itself, in cents.
    pub tax_cents: Cents,
}

impl From<DiscountRecord> for OrderDiscount {
    fn from(discount: DiscountRecord) -> Self {
        OrderDiscount {
            id: discount.id,
            item_id: discount.order_item_id,
            r#type: discount.kind,
            value: discounts::shown(discount.kind, discount.value),
            amount_cents: discount.amount,
            reason: discount.reason,
            at: discount.at,
            by_id: discount.by_id,
            approver_id: discount.approver_id,
        }
    }
}

impl From<store::TaxRow> for OrderTax {
    fn from(row: store::TaxRow) -> Self {
        OrderTax {
            order_item_id: row.order_item_id,
            name: row.name,
            rate_bps: row.rate,
            taxable_cents: row.taxable,
            tax_cents: row.tax,
        }
    }
}
