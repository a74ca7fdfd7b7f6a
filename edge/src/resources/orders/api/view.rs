//! How orders are shown. The typed `Order` of the specification, and the detail that adds lines and ledgers to it.

use super::super::rules::{LineRecord, OrderError, OrderRecord, OrderStatus, OrderType, Source};
use super::super::store;
pub use super::ledgers::{OrderDiscount, OrderPayment, OrderRefund, OrderTax, StatusChange};
use crate::db;
use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::Serialize;
use tiffin_common::{Cents, Millis, Uuid};

/// An order (the specification's `Order`).
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Order {
    /// Id of the order.
    pub id: Uuid,
    /// The outlet that took it.
    pub outlet_id: Uuid,
    /// `{outletCode}-{yymmdd}-{nnnn}`, counted from 0001 each business date.
    pub order_number: String,
    /// The last part of the number: what is called out.
    pub token_number: i64,
    /// The trading day it belongs to.
    pub business_date: NaiveDate,
    /// The table it is served at, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table_id: Option<Uuid>,
    /// Its table's number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table_number: Option<String>,
    /// How it reaches its guest.
    pub order_type: OrderType,
    /// Where it came from.
    pub source: Source,
    /// Where it stands; PATCH `/orders/{id}/status` moves it on.
    pub status: OrderStatus,
    /// A guest's order that staff have not accepted: the kitchen does not have it yet.
    pub awaits_approval: bool,
    /// Name of the guest, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub customer_name: Option<String>,
    /// The guest's phone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub customer_phone: Option<String>,
    /// A note for all of the order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// How many guests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guest_count: Option<i64>,
    /// When the guest wants it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduled_for: Option<Millis>,
    /// Lines before discounts, without tax.
    pub subtotal_cents: Cents,
    /// Discounts, in the menu's prices.
    pub discount_cents: Cents,
    /// Service charge, in the menu's prices.
    pub service_charge_cents: Cents,
    /// All taxes of the order.
    pub tax_cents: Cents,
    /// What rounding added or took.
    pub rounding_cents: Cents,
    /// subtotal − discount + service charge + tax + rounding.
    pub total_amount_cents: Cents,
    /// Tips; not part of the total.
    pub tip_cents: Cents,
    /// Payments, less what was handed back before there was a bill.
    pub paid_cents: Cents,
    /// Given back against the bill, by credit notes.
    pub refunded_cents: Cents,
    /// Still to be paid.
    pub due_cents: Cents,
    /// The bill, once it is made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invoice_number: Option<String>,
    /// The order this one was split from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split_from_id: Option<Uuid>,
    /// The order this one was merged into.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merged_into_id: Option<Uuid>,
    /// Changes with every change.
    pub version: i64,
    /// When it was taken.
    pub created_at: Millis,
    /// When it last changed.
    pub updated_at: Millis,
    /// When it was completed or cancelled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<Millis>,
}

impl From<&OrderRecord> for Order {
    fn from(record: &OrderRecord) -> Self {
        let r = record;
        Order {
            id: r.id,
            outlet_id: r.outlet_id,
            order_number: r.order_number.clone(),
            token_number: r.token_number,
            business_date: r.business_date,
            table_id: r.table_id,
            table_number: r.table_number.clone(),
            order_type: r.order_type,
            source: r.source,
            status: r.status,
            awaits_approval: r.awaits_approval(),
            customer_name: r.customer_name.clone(),
            customer_phone: r.customer_phone.clone(),
            notes: r.notes.clone(),
            guest_count: r.guest_count,
            scheduled_for: r.scheduled_for,
            subtotal_cents: r.subtotal,
            discount_cents: r.discount,
            service_charge_cents: r.service_charge,
            tax_cents: r.tax,
            rounding_cents: r.rounding,
            total_amount_cents: r.total,
            tip_cents: r.tip,
            paid_cents: r.paid,
            refunded_cents: r.refunded,
            due_cents: if r.status == OrderStatus::Cancelled { Cents::ZERO } else { r.due() },
            invoice_number: r.invoice_number.clone(),
            split_from_id: r.split_from_id,
            merged_into_id: r.merged_into_id,
            version: r.version,
            created_at: r.created_at,
            updated_at: r.updated_at,
            closed_at: r.closed_at,
        }
    }
}

/// A line of an order.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrderItem {
    /// Id of the line.
    pub id: Uuid,
    /// Its place in the order, from 1.
    pub line_number: i64,
    /// The dish that was ordered.
    pub menu_item_id: Uuid,
    /// The dish as billed.
    pub name: String,
    /// What is still sold.
    pub quantity: i64,
    /// What was taken off.
    pub voided_quantity: i64,
    /// The price of one, without modifiers.
    pub unit_price_cents: Cents,
    /// The modifiers of one.
    pub modifiers_cents: Cents,
    /// (unit + modifiers) × quantity.
    pub line_total_cents: Cents,
    /// Its own discounts and its part of the order's.
    pub discount_cents: Cents,
    /// Its part of the service charge.
    pub service_charge_cents: Cents,
    /// All taxes of the line.
    pub tax_cents: Cents,
    /// When in the meal it comes.
    pub course: i64,
    /// Whose it is.
    pub seat_number: Option<i64>,
    /// For the kitchen.
    pub notes: Option<String>,
    /// Its GST code.
    pub hsn_sac: Option<String>,
    /// Options and kitchen notes.
    pub modifiers: Vec<OrderItemModifier>,
    /// Changes with every change.
    pub version: i64,
    /// When it was ordered.
    pub created_at: Millis,
}

/// A chosen option or a note for the kitchen.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrderItemModifier {
    /// Id of the modifier on this line.
    pub id: Uuid,
    /// The line it belongs to.
    pub order_item_id: Uuid,
    /// The option; none: a note for the kitchen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub option_id: Option<Uuid>,
    /// What it says.
    pub name: String,
    /// The price of one.
    pub price_cents: Cents,
}

impl From<&LineRecord> for OrderItem {
    fn from(line: &LineRecord) -> Self {
        OrderItem {
            id: line.id,
            line_number: line.line_number,
            menu_item_id: line.menu_item_id,
            name: line.name.clone(),
            quantity: line.quantity,
            voided_quantity: line.voided_quantity,
            unit_price_cents: line.unit_price,
            modifiers_cents: line.modifiers_total,
            line_total_cents: line.gross,
            discount_cents: line.discount,
            service_charge_cents: line.service_charge,
            tax_cents: line.tax,
            course: line.course,
            seat_number: line.seat_number,
            notes: line.notes.clone(),
            hsn_sac: line.hsn_sac.clone(),
            modifiers: modifiers_of(line).collect(),
            version: line.version,
            created_at: line.created_at,
        }
    }
}

fn modifiers_of(line: &LineRecord) -> impl Iterator<Item = OrderItemModifier> {
    line.modifiers.iter().map(|modifier| OrderItemModifier {
        id: modifier.id,
        order_item_id: line.id,
        option_id: modifier.option_id,
        name: modifier.name.clone(),
        price_cents: modifier.price,
    })
}

/// An order with everything that belongs to it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrderDetail {
    /// The order.
    #[serde(flatten)]
    pub order: Order,
    /// What was ordered, line by line.
    pub items: Vec<OrderItem>,
    /// The modifiers of all lines.
    pub modifiers: Vec<OrderItemModifier>,
    /// Its changes of state, in their order.
    pub status_history: Vec<StatusChange>,
    /// Money that came in.
    pub payments: Vec<OrderPayment>,
    /// Money that was given back.
    pub refunds: Vec<OrderRefund>,
    /// Discounts that hold.
    pub discounts: Vec<OrderDiscount>,
    /// Taxes per line and component.
    pub taxes: Vec<OrderTax>,
}

impl OrderDetail {
    /// An order just taken: nothing has to be read again.
    pub(in super::super) fn fresh(placed: super::super::actions::place::Placed) -> OrderDetail {
        let taxes = placed.order.lines.iter().zip(&placed.priced.lines).flat_map(|(line, priced)| {
            priced.taxes.iter().map(|tax| OrderTax {
                order_item_id: line.id,
                name: tax.name.clone(),
                rate_bps: tax.rate,
                taxable_cents: tax.taxable,
                tax_cents: tax.tax,
            })
        });
        OrderDetail {
            taxes: taxes.collect(),
            status_history: vec![placed.history.into()],
            ..OrderDetail::of(&placed.order)
        }
    }

    fn of(record: &OrderRecord) -> OrderDetail {
        OrderDetail {
            order: record.into(),
            items: record.lines.iter().map(OrderItem::from).collect(),
            modifiers: record.lines.iter().flat_map(modifiers_of).collect(),
            status_history: Vec::new(),
            payments: Vec::new(),
            refunds: Vec::new(),
            discounts: Vec::new(),
            taxes: Vec::new(),
        }
    }
}

/// The order of that id with everything that belongs to it.
///
/// # Errors
/// [`OrderError::NotFound`], also for another outlet's.
pub fn view(conn: &dyn db::Source, outlet: Uuid, id: Uuid) -> Result<OrderDetail, OrderError> {
    let record = store::load(conn, outlet, id)?;
    Ok(OrderDetail {
        status_history: store::history(conn, id)?.into_iter().map(StatusChange::from).collect(),
        payments: store::payments(conn, id)?.into_iter().map(OrderPayment::from).collect(),
        refunds: store::refunds(conn, id)?.into_iter().map(OrderRefund::from).collect(),
        discounts: store::discounts(conn, id)?.into_iter().map(OrderDiscount::from).collect(),
        taxes: store::taxes(conn, id)?.into_iter().map(OrderTax::from).collect(),
        ..OrderDetail::of(&record)
    })
}
