//! What is kept beside an order: its history, discounts, voids, taxes, payments and refunds. Rows are added, never
//! rewritten; only taxes are replaced while the order may still change.

use super::super::rules::kinds::{DiscountKind, OrderStatus, PaymentMethod};
use super::super::rules::{DiscountRecord, OrderRecord, Priced};
use super::{date, text};
use crate::access::Actor;
use crate::db::{self, Source, Transaction, list as rows};
use chrono::NaiveDate;
use rusqlite::params;
use std::collections::HashMap;
use tiffin_common::{Bps, Cents, Millis, Uuid};

/// One change of state.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the columns of order_status_history")]
pub struct History {
    pub from: Option<OrderStatus>,
    pub to: OrderStatus,
    pub at: Millis,
    pub by: String,
    pub reason: Option<String>,
}

/// Puts a change of state on record.
pub fn insert_history(
    tx: &Transaction<'_>,
    actor: &Actor,
    order: &OrderRecord,
    from: Option<OrderStatus>,
    reason: Option<&str>,
) -> db::Result<History> {
    tx.execute(
        "INSERT INTO order_status_history (id, outlet_id, order_id, from_status, to_status, at, by_id, by_name, reason)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        params![
            tx.new_id(),
            order.outlet_id,
            order.id,
            from.map(OrderStatus::name),
            order.status.name(),
            tx.now(),
            actor.account_id,
            actor.name,
            reason
        ],
    )?;
    let (to, at, by) = (order.status, tx.now(), actor.name.clone());
    Ok(History { from, to, at, by, reason: reason.map(str::to_owned) })
}

/// The changes of state of an order, in their order.
pub fn history(conn: &dyn Source, order: Uuid) -> db::Result<Vec<History>> {
    rows(
        conn,
        "SELECT from_status, to_status, at, by_name, reason FROM order_status_history WHERE order_id = ?1 ORDER BY at, id",
        [order],
        |row| {
            let from: Option<String> = row.get(0)?;
            Ok(History {
                from: from.as_deref().and_then(OrderStatus::of_name),
                to: text(row, 1, OrderStatus::of_name)?,
                at: row.get(2)?,
                by: row.get(3)?,
                reason: row.get(4)?,
            })
        },
    )
}

/// A tax of one line, as kept.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the columns of order_taxes")]
pub struct TaxRow {
    pub order_item_id: Uuid,
    pub name: String,
    pub rate: Bps,
    pub taxable: Cents,
    pub tax: Cents,
}

/// The taxes of an order per line and component.
pub fn taxes(conn: &dyn Source, order: Uuid) -> db::Result<Vec<TaxRow>> {
    rows(
        conn,
        "SELECT t.order_item_id, t.name, t.rate_bps, t.taxable_cents, t.tax_cents FROM order_taxes t
         JOIN order_items l ON l.id = t.order_item_id WHERE t.order_id = ?1 ORDER BY l.line_number, t.id",
        [order],
        |row| {
            Ok(TaxRow {
                order_item_id: row.get(0)?,
                name: row.get(1)?,
                rate: row.get(2)?,
                taxable: row.get(3)?,
                tax: row.get(4)?,
            })
        },
    )
}

/// Makes the tax lines of `order` those of `priced`, touching only what differs. `fresh`: there are none yet.
pub fn replace_taxes(
    tx: &Transaction<'_>,
    order: &OrderRecord,
    priced: &Priced,
    fresh: bool,
) -> db::Result<()> {
    let mut old = if fresh { HashMap::new() } else { stored_taxes(tx, order.id)? };
    for (line, of) in order.lines.iter().zip(&priced.lines) {
        for new in &of.taxes {
            let numbers = (new.rate, new.taxable, new.tax);
            match old.remove(&(line.id, new.name.clone())) {
                Some((_, same)) if same == numbers => {}
                Some((id, _)) => {
                    let sql = "UPDATE order_taxes SET rate_bps = ?2, taxable_cents = ?3, tax_cents = ?4 WHERE id = ?1";
                    tx.execute(sql, params![id, new.rate, new.taxable, new.tax])?;
                }
                None => {
                    tx.execute(
                        "INSERT INTO order_taxes (id, outlet_id, order_id, order_item_id, name, rate_bps, taxable_cents,
                           tax_cents)
                         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                        params![
                            tx.new_id(), order.outlet_id, order.id, line.id, new.name, new.rate, new.taxable, new.tax
                        ],
                    )?;
                }
            }
        }
    }
    for (id, _) in old.into_values() {
        tx.execute("DELETE FROM order_taxes WHERE id = ?1", [id])?;
    }
    Ok(())
}

type StoredTaxes = HashMap<(Uuid, String), (Uuid, (Bps, Cents, Cents))>;

fn stored_taxes(conn: &dyn Source, order: Uuid) -> db::Result<StoredTaxes> {
    let sql = "SELECT order_item_id, name, id, rate_bps, taxable_cents, tax_cents FROM order_taxes WHERE order_id = ?1";
    let list = rows(conn, sql, [order], |row| {
        Ok(((row.get(0)?, row.get(1)?), (row.get(2)?, (row.get(3)?, row.get(4)?, row.get(5)?))))
    })?;
    Ok(list.into_iter().collect())
}

/// The discounts of an order that have not been removed, in their order.
pub fn discounts(conn: &dyn Source, order: Uuid) -> db::Result<Vec<DiscountRecord>> {
    rows(
        conn,
        "SELECT id, order_item_id, type, value, amount_cents, reason, by_id, approver_id, business_date, at
         FROM order_discounts WHERE order_id = ?1 AND removed_at IS NULL ORDER BY at, id",
        [order],
        |row| {
            Ok(DiscountRecord {
                id: row.get(0)?,
                order_item_id: row.get(1)?,
                kind: text(row, 2, DiscountKind::of_name)?,
                value: row.get(3)?,
                amount: row.get(4)?,
                reason: row.get(5)?,
                by_id: row.get(6)?,
                approver_id: row.get(7)?,
                business_date: date(row, 8)?,
                at: row.get(9)?,
            })
        },
    )
}

/// Writes a new discount.
pub fn insert_discount(
    tx: &Transaction<'_>,
    order: &OrderRecord,
    discount: &DiscountRecord,
) -> db::Result<()> {
    let d = discount;
    tx.execute(
        "INSERT INTO order_discounts (id, outlet_id, order_id, order_item_id, type, value, amount_cents, reason, by_id,
           approver_id, business_date, at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        params![
            d.id, order.outlet_id, order.id, d.order_item_id, d.kind.name(), d.value, d.amount, d.reason, d.by_id,
            d.approver_id, d.business_date.to_string(), d.at
        ],
    )
    .map(drop)
}

/// Sets what a discount came to.
pub(in super::super) fn set_discount_amount(tx: &Transaction<'_>, id: Uuid, amount: Cents) -> db::Result<()> {
    tx.execute("UPDATE order_discounts SET amount_cents = ?2 WHERE id = ?1", params![id, amount]).map(drop)
}

/// Takes a discount off its order; the row stays.
pub fn remove_discount(tx: &Transaction<'_>, id: Uuid) -> db::Result<()> {
    tx.execute("UPDATE order_discounts SET removed_at = ?2 WHERE id = ?1", params![id, tx.now()]).map(drop)
}

/// Portions taken off a line.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the columns of order_item_voids")]
pub struct VoidRow {
    pub order_item_id: Uuid,
    pub quantity: i64,
    pub amount: Cents,
    pub reason: String,
    pub was_made: bool,
    pub approver_id: Option<Uuid>,
    pub business_date: NaiveDate,
}

/// Puts a void on record.
pub fn insert_void(
    tx: &Transaction<'_>,
    actor: &Actor,
    order: &OrderRecord,
    void: &VoidRow,
) -> db::Result<()> {
    tx.execute(
        "INSERT INTO order_item_voids (id, outlet_id, order_id, order_item_id, quantity, amount_cents, reason, was_made,
           by_id, approver_id, business_date, at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        params![
            tx.new_id(), order.outlet_id, order.id, void.order_item_id, void.quantity, void.amount, void.reason,
            void.was_made, actor.account_id, void.approver_id, void.business_date.to_string(), tx.now()
        ],
    )
    .map(drop)
}

/// A payment, as kept.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the columns of payments")]
pub struct PaymentRow {
    pub id: Uuid,
    pub method: PaymentMethod,
    pub amount: Cents,
    pub tip: Cents,
    pub tendered: Option<Cents>,
    pub change: Cents,
    pub reference: Option<String>,
    pub refunded: Cents,
    pub business_date: NaiveDate,
    pub at: Millis,
    pub by: String,
}

/// The payments of an order, in their order.
pub fn payments(conn: &dyn Source, order: Uuid) -> db::Result<Vec<PaymentRow>> {
    rows(
        conn,
        "SELECT id, method, amount_cents, tip_cents, tendered_cents, change_cents, reference, refunded_cents, business_date,
           at, by_name FROM payments WHERE order_id = ?1 ORDER BY at, id",
        [order],
        |row| {
            Ok(PaymentRow {
                id: row.get(0)?,
                method: text(row, 1, PaymentMethod::of_name)?,
                amount: row.get(2)?,
                tip: row.get(3)?,
                tendered: row.get(4)?,
                change: row.get(5)?,
                reference: row.get(6)?,
                refunded: row.get(7)?,
                business_date: date(row, 8)?,
                at: row.get(9)?,
                by: row.get(10)?,
            })
        },
    )
}

/// Money given back, as kept.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the columns of refunds")]
pub struct RefundRow {
    pub id: Uuid,
    pub payment_id: Uuid,
    pub method: String,
    pub amount: Cents,
    pub reason: String,
    pub restock: bool,
    pub credit_note_number: Option<String>,
    pub business_date: NaiveDate,
    pub at: Millis,
    pub by: String,
}

/// The refunds of an order, in their order.
pub fn refunds(conn: &dyn Source, order: Uuid) -> db::Result<Vec<RefundRow>> {
    rows(
        conn,
        "SELECT r.id, r.payment_id, r.method, r.amount_cents, r.reason, r.restock, i.number, r.business_date, r.at, r.by_name
         FROM refunds r LEFT JOIN invoices i ON i.id = r.credit_note_id WHERE r.order_id = ?1 ORDER BY r.at, r.id",
        [order],
        |row| {
            Ok(RefundRow {
                id: row.get(0)?,
                payment_id: row.get(1)?,
                method: row.get(2)?,
                amount: row.get(3)?,
                reason: row.get(4)?,
                restock: row.get(5)?,
                credit_note_number: row.get(6)?,
                business_date: date(row, 7)?,
                at: row.get(8)?,
                by: row.get(9)?,
            })
        },
    )
}
