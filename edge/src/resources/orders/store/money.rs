//! Rows of payments, refunds and the portions that came back. Rows are added; only what was given back of a payment grows.

use super::super::rules::PaymentMethod;
use super::super::rules::payments::NewPayment;
use crate::access::{Actor, Approver};
use crate::db::{self, Source, Transaction, list as rows, opt};
use chrono::NaiveDate;
use rusqlite::params;
use std::collections::HashMap;
use tiffin_common::{Cents, Uuid};

/// The cash drawer a payment goes into: the actor's own open one, else MAIN, else any; none when no drawer is open.
pub fn open_drawer(conn: &dyn Source, actor: &Actor) -> db::Result<Option<Uuid>> {
    opt(
        conn,
        "SELECT id FROM cash_sessions WHERE outlet_id = ?1 AND status = 'OPEN'
         ORDER BY opened_by IS ?2 DESC, drawer = 'MAIN' DESC, opened_at LIMIT 1",
        params![actor.outlet_id, actor.account_id],
        |row| row.get(0),
    )
}

/// Writes a payment of `order`.
pub fn insert_payment(
    tx: &Transaction<'_>,
    actor: &Actor,
    order: Uuid,
    new: &NewPayment,
    change: Cents,
    drawer: Option<Uuid>,
    date: NaiveDate,
) -> db::Result<Uuid> {
    let id = tx.new_id();
    tx.execute(
        "INSERT INTO payments (id, outlet_id, order_id, method, amount_cents, tip_cents, tendered_cents, change_cents,
           reference, cash_session_id, business_date, at, by_id, by_name)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
        params![
            id,
            actor.outlet_id,
            order,
            new.method.name(),
            new.amount,
            new.tip,
            new.tendered,
            change,
            new.reference,
            drawer,
            date.to_string(),
            tx.now(),
            actor.account_id,
            actor.name,
        ],
    )?;
    Ok(id)
}

/// A part of a refund: what one payment gives back.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the columns of refunds")]
pub struct NewRefundRow<'a> {
    pub order_id: Uuid,
    pub payment_id: Uuid,
    pub credit_note_id: Uuid,
    pub method: PaymentMethod,
    pub amount: Cents,
    pub reason: &'a str,
    pub restock: bool,
    pub drawer: Option<Uuid>,
    pub date: NaiveDate,
    pub approver: Option<&'a Approver>,
}

/// Writes a refund and takes it off what is left of its payment. Answers nothing changed (0) when the payment has less left.
pub fn insert_refund(tx: &Transaction<'_>, actor: &Actor, new: &NewRefundRow<'_>) -> db::Result<usize> {
    let taken = tx.execute(
        "UPDATE payments SET refunded_cents = refunded_cents + ?2
         WHERE id = ?1 AND outlet_id = ?3 AND refunded_cents + ?2 <= amount_cents",
        params![new.payment_id, new.amount, actor.outlet_id],
    )?;
    if taken == 0 {
        return Ok(0);
    }
    tx.execute(
        "INSERT INTO refunds (id, outlet_id, order_id, payment_id, credit_note_id, method, amount_cents, reason, restock,
           cash_session_id, business_date, at, by_id, by_name, approver_id)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
        params![
            tx.new_id(),
            actor.outlet_id,
            new.order_id,
            new.payment_id,
            new.credit_note_id,
            new.method.name(),
            new.amount,
            new.reason,
            new.restock,
            new.drawer,
            new.date.to_string(),
            tx.now(),
            actor.account_id,
            actor.name,
            new.approver.map(|approver| approver.employee_id),
        ],
    )
}

/// Portions that came back with a credit note.
#[derive(Debug, Clone, Copy)]
pub struct NewRefundItem {
    /// The line.
    pub order_item_id: Uuid,
    /// Portions.
    pub quantity: i64,
    /// What they were charged at.
    pub amount: Cents,
    /// Their ingredients went back into stock.
    pub restocked: bool,
}

/// Writes the portions that came back.
pub fn insert_refund_item(
    tx: &Transaction<'_>,
    actor: &Actor,
    order: Uuid,
    credit_note: Uuid,
    item: NewRefundItem,
) -> db::Result<()> {
    tx.execute(
        "INSERT INTO refund_items (id, outlet_id, order_id, credit_note_id, order_item_id, quantity, amount_cents, restocked)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![
            tx.new_id(),
            actor.outlet_id,
            order,
            credit_note,
            item.order_item_id,
            item.quantity,
            item.amount,
            item.restocked
        ],
    )
    .map(drop)
}

/// How many portions of each line of an order have come back of its present bill; none without one.
pub fn refunded_portions(
    conn: &dyn Source,
    order: Uuid,
    invoice: Option<Uuid>,
) -> db::Result<HashMap<Uuid, i64>> {
    let sql = "SELECT r.order_item_id, sum(r.quantity) FROM refund_items r JOIN invoices i ON i.id = r.credit_note_id
               WHERE r.order_id = ?1 AND i.refers_to_id IS ?2 GROUP BY r.order_item_id";
    Ok(rows(conn, sql, params![order, invoice], |row| Ok((row.get(0)?, row.get(1)?)))?.into_iter().collect())
}
