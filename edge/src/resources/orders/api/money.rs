//! Payments, refunds, and what puts bills and payments right, over HTTP.

use super::super::actions::{self, refunds::Refunded};
use super::super::rules::corrections::NewCorrection;
use super::super::rules::credits::{CreditReason, NewCreditNote};
use super::super::rules::payments::NewPayment;
use super::super::rules::refunds::{NewRefund, RefundItem, RefundOf};
use super::super::rules::{OrderError, PaymentMethod};
use super::super::store;
use super::bills::{InvoiceDetail, detail};
use super::place::text;
use super::view::{OrderDetail, OrderPayment, OrderRefund, view};
use crate::access::{Actor, Cx};
use crate::db::Tx;
use crate::http::{Checks, Created, Data, Id, Json, Path, Problem, Result};
use crate::resources::auth::api::pins;
use crate::state::Secrets;
use axum::extract::State;
use tiffin_common::{Cents, Uuid};

/// Money that a guest pays for an order.
#[apply(request!)]
pub struct CreatePayment {
    /// How the money comes in.
    method: PaymentMethod,
    /// What it settles of the order; at most what is due.
    #[schemars(range(min = 1, max = 1_000_000_000_000i64))]
    amount_cents: Cents,
    /// On top, for the staff.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1_000_000_000_000i64))]
    tip_cents: Option<Cents>,
    /// Notes and coins handed over; the change is computed.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1_000_000_000_000i64))]
    tendered_cents: Option<Cents>,
    /// The terminal's or wallet's own number of the transaction; never a card number.
    #[serde(default)]
    #[schemars(length(max = 100))]
    reference: Option<String>,
    /// The printer beside the till, whose drawer opens and which prints the receipt; the first with the role RECEIPT where absent.
    #[serde(default)]
    printer_id: Option<Uuid>,
}

/// A payment and the order as it is now.
#[apply(answer!)]
pub struct TakenPayment {
    /// The payment as it is kept.
    payment: OrderPayment,
    /// The order as it is now.
    order: OrderDetail,
}

/// Takes a payment.
pub async fn create_payment(
    cx: Cx,
    Id(id): Id,
    Json(body): Json<CreatePayment>,
) -> Result<Created<TakenPayment>> {
    let new = NewPayment {
        method: body.method,
        amount: body.amount_cents,
        tip: body.tip_cents.unwrap_or_default(),
        tendered: body.tendered_cents,
        reference: text(body.reference),
        printer_id: body.printer_id,
    };
    cx.create_again(paid_before, move |tx, actor| -> Result<_, OrderError> {
        actions::channels::demand_reach(tx, actor, id)?;
        let payment = actions::pay(tx, actor, id, &new)?.into();
        Ok(TakenPayment { payment, order: view(tx, actor.outlet_id, id)? })
    })
    .await
}

/// A payment that the box before this one took.
fn paid_before(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<Data<TakenPayment>, OrderError> {
    let missing = || OrderError::NotFound("payment");
    let order = store::find_order_of_payment(tx, actor.outlet_id, id)?.ok_or_else(missing)?;
    actions::channels::demand_reach(tx, actor, order)?;
    let payment = store::list_payments(tx, order)?.into_iter().find(|payment| payment.id == id);
    let payment = payment.ok_or_else(missing)?.into();
    Ok(Data::new(TakenPayment { payment, order: view(tx, actor.outlet_id, order)? }))
}

/// Portions that come back.
#[apply(request!)]
pub struct CreateRefundItem {
    /// The line that portions come back of.
    order_item_id: Uuid,
    /// How many portions.
    #[schemars(range(min = 1, max = 10_000))]
    quantity: i64,
}

/// A refund: an amount, or portions.
#[apply(request!)]
pub struct CreateRefund {
    /// The payment it is given back from; the newest ones where absent.
    #[serde(default)]
    payment_id: Option<Uuid>,
    /// How much to give back, where no `items` say it.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1_000_000_000_000i64))]
    amount_cents: Option<Cents>,
    /// Which portions come back.
    #[serde(default)]
    #[schemars(length(min = 1, max = 200))]
    items: Option<Vec<CreateRefundItem>>,
    /// Why it is given back; on the credit note.
    #[schemars(length(min = 1, max = 300))]
    reason: String,
    /// Put the ingredients of what was not made back into stock.
    #[serde(default)]
    restock: bool,
    /// The PIN of somebody who may refund.
    #[serde(default)]
    #[schemars(length(min = 1, max = 12))]
    approver_pin: Option<String>,
}

/// A refund: its credit note, the money by payment, and the order as it is now.
#[apply(answer!)]
pub struct MadeRefund {
    /// The credit note.
    #[serde(flatten)]
    credit_note: InvoiceDetail,
    /// What was given back.
    amount_cents: Cents,
    /// The credit note's number.
    credit_note_number: String,
    /// The money, payment by payment.
    refunds: Vec<OrderRefund>,
    /// What was taken back of the order's slip with it: its food, which the operator of the channel gives back.
    slip_return: Option<SlipReturn>,
    /// The order as it is now.
    order: OrderDetail,
}

/// What was taken back of a slip.
#[apply(answer!)]
pub struct SlipReturn {
    /// Its number, of a series of its own.
    number: String,
    /// How much of the slip it takes back.
    amount_cents: Cents,
}

/// What comes back: an amount, or portions.
pub(super) fn back(amount: Option<Cents>, items: Option<Vec<CreateRefundItem>>) -> Option<RefundOf> {
    let portion =
        |item: CreateRefundItem| RefundItem { order_item_id: item.order_item_id, quantity: item.quantity };
    amount
        .map(RefundOf::Amount)
        .or_else(|| items.map(|items| RefundOf::Items(items.into_iter().map(portion).collect())))
}

impl CreateRefund {
    fn checked(self) -> Result<NewRefund> {
        let mut checks = Checks::new();
        if self.amount_cents.is_some() == self.items.is_some() {
            let reason = match self.amount_cents {
                Some(_) => "cannot be given together with items",
                None => "is required, or items",
            };
            checks.add("amountCents", reason);
        }
        let of = back(self.amount_cents, self.items).unwrap_or(RefundOf::Items(Vec::new()));
        checks.require(!self.reason.trim().is_empty(), "reason", "must say why");
        let new = NewRefund {
            payment_id: self.payment_id,
            of,
            reason: self.reason.trim().to_owned(),
            restock: self.restock,
        };
        checks.finish(new).map_err(Problem::invalid)
    }
}

/// Gives money back.
pub async fn create_refund(
    cx: Cx,
    State(secrets): State<Secrets>,
    Id(id): Id,
    Json(mut body): Json<CreateRefund>,
) -> Result<Created<MadeRefund>> {
    let pin = body.approver_pin.take();
    let new = body.checked()?;
    let pin = pins::approver(&cx, &secrets, pin).await?;
    cx.create(move |tx, actor| -> Result<_, OrderError> {
        actions::channels::demand_reach(tx, actor, id)?;
        let Refunded { note, slip_return } = actions::refund(tx, actor, id, &new, &pin)?;
        let credit_note = detail(tx, actor.outlet_id, note)?;
        let number = credit_note.number().to_owned();
        let rows = store::list_refunds(tx, id)?;
        let made = rows.into_iter().filter(|row| row.credit_note_number.as_deref() == Some(number.as_str()));
        Ok(MadeRefund {
            amount_cents: credit_note.total(),
            refunds: made.map(OrderRefund::from).collect(),
            slip_return: slip_return.map(|slip| SlipReturn { number: slip.number, amount_cents: slip.total }),
            order: view(tx, actor.outlet_id, id)?,
            credit_note_number: number,
            credit_note,
        })
    })
    .await
}

/// What is taken off a bill that is not paid.
#[apply(request!)]
pub struct CreateCreditNote {
    /// Why the bill is lowered; on the credit note.
    reason: CreditReason,
    /// More about it; on the credit note.
    #[serde(default)]
    #[schemars(length(min = 1, max = 300))]
    note: Option<String>,
    /// How much; all that is due where neither it nor items are given.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1_000_000_000_000i64))]
    amount_cents: Option<Cents>,
    /// Portions that came back, instead of an amount.
    #[serde(default)]
    #[schemars(length(min = 1, max = 200))]
    items: Option<Vec<CreateRefundItem>>,
    /// Put the ingredients of what was not made back into stock; otherwise they are waste.
    #[serde(default)]
    restock: bool,
    /// The PIN of somebody who may give refunds.
    #[serde(default)]
    #[schemars(length(min = 1, max = 12))]
    approver_pin: Option<String>,
}

/// A credit note, and the order after it.
#[apply(answer!)]
pub struct MadeCreditNote {
    /// The credit note.
    #[serde(flatten)]
    credit_note: InvoiceDetail,
    /// The order as it is now.
    order: OrderDetail,
}

/// Takes something off a bill that is not paid.
pub async fn create_credit_note(
    cx: Cx,
    State(secrets): State<Secrets>,
    Id(id): Id,
    Json(body): Json<CreateCreditNote>,
) -> Result<Created<MadeCreditNote>> {
    if body.amount_cents.is_some() && body.items.is_some() {
        return Err(Problem::field("amountCents", "cannot be given together with items"));
    }
    let pin = pins::approver(&cx, &secrets, body.approver_pin).await?;
    let of = back(body.amount_cents, body.items);
    let new = NewCreditNote { reason: body.reason, note: text(body.note), of, restock: body.restock };
    cx.create(move |tx, actor| -> Result<_, OrderError> {
        actions::channels::demand_reach(tx, actor, id)?;
        let note = actions::credit_note(tx, actor, id, &new, &pin)?;
        let credit_note = detail(tx, actor.outlet_id, note)?;
        Ok(MadeCreditNote { credit_note, order: view(tx, actor.outlet_id, id)? })
    })
    .await
}

/// Why, and who approves.
#[apply(request!)]
pub struct WithReason {
    /// Why; in the audit log.
    #[schemars(length(min = 1, max = 300))]
    reason: String,
    /// The PIN of somebody who may give refunds.
    #[serde(default)]
    #[schemars(length(min = 1, max = 12))]
    approver_pin: Option<String>,
}

/// Gives up what is due of a bill.
pub async fn write_order_off(
    cx: Cx,
    State(secrets): State<Secrets>,
    Id(id): Id,
    Json(body): Json<WithReason>,
) -> Result<Created<OrderDetail>> {
    let pin = pins::approver(&cx, &secrets, body.approver_pin).await?;
    let reason = said(&body.reason)?;
    cx.create(move |tx, actor| -> Result<_, OrderError> {
        actions::channels::demand_reach(tx, actor, id)?;
        actions::write_off(tx, actor, id, &reason, &pin)?;
        view(tx, actor.outlet_id, id)
    })
    .await
}

/// A reason that says something.
fn said(reason: &str) -> Result<String> {
    let reason = reason.trim();
    if reason.is_empty() {
        return Err(Problem::field("reason", "must say why"));
    }
    Ok(reason.to_owned())
}

/// What is put right about a payment; what is absent stays.
#[apply(request!)]
pub struct CorrectPayment {
    /// How the money really came in.
    #[serde(default)]
    method: Option<PaymentMethod>,
    /// The tip as it should be; 0 gives it back. Added where there was none, it needs nobody's approval.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1_000_000_000_000i64))]
    tip_cents: Option<Cents>,
    /// Of the terminal or app; never a card number.
    #[serde(default)]
    #[schemars(length(max = 100))]
    reference: Option<String>,
    /// Why; in the audit log.
    #[schemars(length(min = 1, max = 300))]
    reason: String,
    /// The PIN of somebody who may give refunds.
    #[serde(default)]
    #[schemars(length(min = 1, max = 12))]
    approver_pin: Option<String>,
}

/// Puts a payment right.
pub async fn correct_payment(
    cx: Cx,
    State(secrets): State<Secrets>,
    Path((id, payment)): Path<(Uuid, Uuid)>,
    Json(body): Json<CorrectPayment>,
) -> Result<Created<OrderDetail>> {
    let pin = pins::approver(&cx, &secrets, body.approver_pin).await?;
    let (reason, reference) = (said(&body.reason)?, text(body.reference));
    let new = NewCorrection { method: body.method, tip: body.tip_cents, reference, reason };
    cx.create(move |tx, actor| -> Result<_, OrderError> {
        actions::channels::demand_reach(tx, actor, id)?;
        actions::correct(tx, actor, id, payment, &new, &pin)?;
        view(tx, actor.outlet_id, id)
    })
    .await
}

/// Takes a payment back that did not hold.
pub async fn reverse_payment(
    cx: Cx,
    State(secrets): State<Secrets>,
    Path((id, payment)): Path<(Uuid, Uuid)>,
    Json(body): Json<WithReason>,
) -> Result<Created<OrderDetail>> {
    let pin = pins::approver(&cx, &secrets, body.approver_pin).await?;
    let reason = said(&body.reason)?;
    cx.create(move |tx, actor| -> Result<_, OrderError> {
        actions::channels::demand_reach(tx, actor, id)?;
        actions::reverse(tx, actor, id, payment, &reason, &pin)?;
        view(tx, actor.outlet_id, id)
    })
    .await
}
