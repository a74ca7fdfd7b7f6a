//! How orders are shown. The typed `Order` of the specification, and the detail that adds lines and ledgers to it.

use super::super::rules::combos::as_sold;
use super::super::rules::{OrderError, OrderRecord, OrderStatus, OrderType, Result, Source, TaxRow, Warning};
use super::super::store;
use super::items::modifiers_of;
pub use super::items::{OrderItem, OrderItemModifier};
pub use super::ledgers::{OrderDiscount, OrderPayment, OrderRefund, OrderTax, StatusChange};
use crate::access::{Permission, Principal};
use crate::db;
use crate::http::sse::Shown;
use crate::resources::channels::rules::TaxedBy;
use crate::resources::kitchen::{self, rules::LineKitchen};
use chrono::NaiveDate;
use std::collections::BTreeMap;
use tiffin_common::{Cents, Millis, Uuid};

view! {
    /// An order (the specification's `Order`).
    pub struct Order of order: OrderRecord {
        /// Id of the order.
        pub id: Uuid,
        /// The outlet that took it.
        pub outlet_id: Uuid,
        /// `{outletCode}-{yymmdd}-{nnnn}`, counted from 0001 each business date.
        pub order_number: String,
        /// The last part of the number: what is called out.
        pub token_number: i64,
        /// The trading day it was taken on.
        pub business_date: NaiveDate,
        /// The trading day whose revenue it is: its bill's. Null while it has none, and counts as open on the present one.
        pub revenue_date: Option<NaiveDate>,
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
        /// Where it stands; PATCH `/orders/{orderId}/status` moves it on.
        pub status: OrderStatus,
        /// A guest's order that staff have not accepted: the kitchen does not have it yet.
        pub awaits_approval: bool = order.awaits_approval(),
        /// Name of the guest, if known.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub customer_name: Option<String> = order.guest.name.clone(),
        /// The guest's phone.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub customer_phone: Option<String> = order.guest.phone.clone(),
        /// Where it is brought.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub delivery_address: Option<String> = order.guest.address.clone(),
        /// A note for all of the order.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub notes: Option<String>,
        /// How many guests.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub guest_count: Option<i64>,
        /// When the guest wants it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub scheduled_for: Option<Millis>,
        /// Of an order for later: when the kitchen gets it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub release_at: Option<Millis>,
        /// It is for later and its moment has not come: it is in no figure, and nothing was taken from stock.
        pub is_scheduled: bool = order.waits_for_its_time(),
        /// Its moment had passed when the kitchen got it: the machine was off.
        pub released_late: bool = order.is_released_late(),
        /// Who first sent it to the kitchen.
        pub server: Option<Server> = order.server_id.zip(order.server_name.clone()).map(Server::from),
        /// Lines at list price, without tax.
        pub subtotal_cents: Cents = order.subtotal,
        /// Discounts, without tax.
        pub discount_cents: Cents = order.discount,
        /// Service charge, without tax.
        pub service_charge_cents: Cents = order.service_charge,
        /// All taxes of the order.
        pub tax_cents: Cents = order.tax,
        /// What rounding added or took.
        pub rounding_cents: Cents = order.rounding,
        /// subtotal − discount + service charge + tax + rounding.
        pub total_amount_cents: Cents = order.total,
        /// Tips; not part of the total.
        pub tip_cents: Cents = order.tip,
        /// Payments that held.
        pub paid_cents: Cents = order.paid,
        /// Given back against the bill, by credit notes.
        pub refunded_cents: Cents = order.refunded,
        /// Taken off the bill by credit notes without money going back.
        pub credited_cents: Cents = order.credited,
        /// What will never be paid.
        pub written_off_cents: Cents = order.written_off,
        /// Still to be paid.
        pub due_cents: Cents = order.shown_due(),
        /// The bill, once it is made.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub invoice_number: Option<String>,
        /// The channel it came through.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub channel_id: Option<Uuid>,
        /// The channel's own number for it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub external_id: Option<String>,
        /// Whose the tax of its food is: RESTAURANT, or the OPERATOR of its channel, who makes the bill.
        pub taxed_by: TaxedBy = if order.is_operator_taxed { TaxedBy::Operator } else { TaxedBy::Restaurant },
        /// What its channel keeps: reported, in no total.
        pub commission_cents: Cents = order.commission,
        /// The slip that stands for a bill where the operator makes the bill.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub slip_number: Option<String>,
        /// The order this one was split from.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub split_from_id: Option<Uuid>,
        /// The order this one was merged into.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub merged_into_id: Option<Uuid>,
        /// What guests show that the bill is theirs, beside its number; printed on it. Null for an order of before.
        pub receipt_code: Option<String>,
        pub clock_suspect: bool,
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
}

/// Who serves the guests of an order.
#[apply(answer!)]
#[derive(Clone)]
pub struct Server {
    /// The employee; the account where none is known.
    pub id: Uuid,
    /// What to call them.
    pub name: String,
}

impl From<(Uuid, String)> for Server {
    fn from((id, name): (Uuid, String)) -> Server {
        Server { id, name }
    }
}

impl Order {
    /// As `caller` may see it: guests' phones and addresses are for those whose work needs them.
    #[must_use]
    pub fn shown_to(self, caller: &Principal) -> Self {
        if caller.holds(Permission::GuestsRead) { self } else { self.without_reach() }
    }

    /// As whoever may not see guests' phones and addresses sees it.
    fn without_reach(self) -> Self {
        Order { customer_phone: None, delivery_address: None, ..self }
    }
}

/// An order with everything that belongs to it.
#[apply(answer!)]
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
    /// What of this request was sold although it is unwise; of an order that is only read: none.
    pub warnings: Vec<Warning>,
}

impl OrderDetail {
    /// An order just taken: nothing has to be read again.
    pub fn fresh(placed: super::super::actions::place::Placed) -> OrderDetail {
        let taxes = placed.order.lines.iter().zip(placed.priced.lines).flat_map(|(line, priced)| {
            let taxes = priced.taxes.into_iter();
            taxes.map(|tax| OrderTax::from(TaxRow { order_item_id: line.id, line: tax }))
        });
        OrderDetail {
            taxes: taxes.collect(),
            status_history: vec![placed.history.into()],
            warnings: placed.warnings,
            ..OrderDetail::of(placed.order, &placed.kitchen)
        }
    }

    fn of(mut record: OrderRecord, kitchen: &BTreeMap<Uuid, LineKitchen>) -> OrderDetail {
        let lines = std::mem::take(&mut record.lines);
        OrderDetail {
            order: record.into(),
            modifiers: lines.iter().flat_map(modifiers_of).collect(),
            items: as_sold(&lines).into_iter().map(|sold| OrderItem::of(sold, kitchen)).collect(),
            status_history: Vec::new(),
            payments: Vec::new(),
            refunds: Vec::new(),
            discounts: Vec::new(),
            taxes: Vec::new(),
            warnings: Vec::new(),
        }
    }
}

/// An order as `GET /orders/{orderId}` shows it, for who follows orders.
#[derive(Debug)]
pub struct ShownOrder {
    /// To whom may see guests' phones and addresses.
    pub whole: Shown,
    /// To everybody else.
    pub without_reach: Shown,
    /// The channel it came through.
    pub channel_id: Option<Uuid>,
    /// The account that took it.
    pub created_by: Option<Uuid>,
}

/// The order of that id as its GET shows it; none where the outlet has no such order.
pub fn shown(conn: &dyn db::Source, outlet: Uuid, id: Uuid) -> Result<Option<ShownOrder>> {
    let (channel_id, created_by) = match store::find_head(conn, outlet, id) {
        Ok(order) => (order.channel_id, order.created_by),
        Err(OrderError::NotFound(_)) => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut detail = view(conn, outlet, id)?;
    let version = detail.order.version;
    let whole = Shown::of(version, &detail);
    detail.order = detail.order.without_reach();
    Ok(Some(ShownOrder { whole, without_reach: Shown::of(version, &detail), channel_id, created_by }))
}

/// The order of that id with everything that belongs to it.
///
/// # Errors
/// No such order, also for another outlet's.
pub fn view(conn: &dyn db::Source, outlet: Uuid, id: Uuid) -> Result<OrderDetail> {
    let record = store::find(conn, outlet, id)?;
    let kitchen = kitchen::actions::line_states(conn, outlet, id)?;
    Ok(OrderDetail {
        status_history: store::list_history(conn, id)?.into_iter().map(StatusChange::from).collect(),
        payments: store::list_payments(conn, id)?.into_iter().map(OrderPayment::from).collect(),
        refunds: store::list_refunds(conn, id)?.into_iter().map(OrderRefund::from).collect(),
        discounts: store::list_discounts(conn, id)?.into_iter().map(OrderDiscount::from).collect(),
        taxes: store::list_taxes(conn, id)?.into_iter().map(OrderTax::from).collect(),
        ..OrderDetail::of(record, &kitchen)
    })
}
