//! What is kept beside an order: its history, discounts, voids, taxes, payments and refunds. Rows are added, never
//! rewritten, but for taxes while the order may still change, and for what was given back of a payment, which grows.

use super::super::rules::{
    CorrectionRow, DiscountKind, DiscountRecord, History, OrderRecord, PaymentRow, Priced, RefundItemRow,
    RefundRow, TaxLine, TaxRow, VoidRow, WriteOffRow,
};
use crate::access::Actor;
use crate::db::{self, Columns, Row, Source, Tx, list as rows, opt};
use crate::log::Job;
use rusqlite::params;
use std::collections::HashMap;
use tiffin_common::{Bps, Cents, Millis, Uuid};

/// Puts a change of state on record.
pub fn insert_history(tx: &Tx<'_>, order: &OrderRecord, history: &History) -> db::Result<()> {
    insert!(tx, order_status_history { outlet_id: order.outlet_id, order_id: order.id, ..history })
}

/// The changes of state of an order, in their order.
pub fn list_history(conn: &dyn Source, order: Uuid) -> db::Result<Vec<History>> {
    rows(conn, select!(History, "WHERE order_id = ?1 ORDER BY at, id"), [order], History::read)
}

/// The taxes of an order per line and component.
pub fn list_taxes(conn: &dyn Source, order: Uuid) -> db::Result<Vec<TaxRow>> {
    let sql = select!(
        TaxRow as t,
        "JOIN order_items l ON l.id = t.order_item_id WHERE t.order_id = ?1 ORDER BY l.line_number, t.id"
    );
    rows(conn, sql, [order], TaxRow::read)
}

table! {
    /// A tax line that is new.
    struct AddedTax: order_taxes {
        id: Uuid,
        order_item_id: Uuid,
        line: TaxLine => flat,
    }
}

/// Makes the tax lines of `order` those of `priced`, touching only what differs. `fresh`: there are none yet.
pub fn update_taxes(tx: &Tx<'_>, order: &OrderRecord, priced: &Priced, fresh: bool) -> db::Result<()> {
    let mut added = Vec::new();
    let mut old = if fresh { HashMap::new() } else { stored_taxes(tx, order.id)? };
    for (line, of) in order.lines.iter().zip(&priced.lines) {
        for new in &of.taxes {
            match old.remove(&(line.id, new.name.clone(), new.rate)) {
                Some((_, same)) if same == *new => {}
                Some((id, _)) => {
                    update!(tx, order_taxes {
                        taxable_cents: new.taxable, tax_cents: new.tax,
                    } where { id: id })?;
                }
                None => added.push(AddedTax { id: tx.new_id(), order_item_id: line.id, line: new.clone() }),
            }
        }
    }
    insert_all!(tx, order_taxes { outlet_id: order.outlet_id, order_id: order.id, ..&added })?;
    for (id, _) in old.into_values() {
        tx.execute("DELETE FROM order_taxes WHERE id = ?1", [id])?;
    }
    Ok(())
}

/// Tax lines with their ids, by line, component and rate.
type StoredTaxes = HashMap<(Uuid, String, Bps), (Uuid, TaxLine)>;

/// An order's tax lines.
fn stored_taxes(conn: &dyn Source, order: Uuid) -> db::Result<StoredTaxes> {
    let list = rows(conn, select!(TaxRow as t, "t.id", "WHERE t.order_id = ?1"), [order], |row| {
        let TaxRow { order_item_id, line } = TaxRow::read(row)?;
        Ok(((order_item_id, line.name.clone(), line.rate), (row.get("id")?, line)))
    })?;
    Ok(list.into_iter().collect())
}

/// The discounts of an order that have not been removed, in their order.
pub fn list_discounts(conn: &dyn Source, order: Uuid) -> db::Result<Vec<DiscountRecord>> {
    let sql = select!(DiscountRecord, "WHERE order_id = ?1 AND removed_at IS NULL ORDER BY at, id");
    rows(conn, sql, [order], DiscountRecord::read)
}

/// Writes a new discount.
pub fn insert_discount(tx: &Tx<'_>, order: &OrderRecord, discount: &DiscountRecord) -> db::Result<()> {
    insert!(tx, order_discounts { outlet_id: order.outlet_id, order_id: order.id, ..discount })
}

/// Sets what a discount came to.
pub fn set_discount_amount(tx: &Tx<'_>, id: Uuid, amount: Cents, net: Cents) -> db::Result<()> {
    update!(tx, order_discounts { amount_cents: amount, net_cents: net } where { id: id })
}

/// Sets who approved a discount.
pub fn set_discount_approver(tx: &Tx<'_>, id: Uuid, employee: Uuid) -> db::Result<()> {
    update!(tx, order_discounts { approver_id: employee } where { id: id })
}

/// Takes a discount off its order; the row stays.
pub fn set_discount_removed(tx: &Tx<'_>, id: Uuid) -> db::Result<()> {
    update!(tx, order_discounts { removed_at: tx.now() } where { id: id })
}

/// Gives a discount to the order `to`.
pub fn set_discount_order(tx: &Tx<'_>, id: Uuid, to: Uuid) -> db::Result<()> {
    update!(tx, order_discounts { order_id: to } where { id: id })
}

/// Sets a discount's kind and value: what it stands for on an order that was divided or put together.
pub fn set_discount(tx: &Tx<'_>, id: Uuid, kind: DiscountKind, value: i64) -> db::Result<()> {
    update!(tx, order_discounts { type: kind, value: value } where { id: id })
}

/// Whether somebody said since `moment` that the order is ready or with the guest.
pub fn is_handed_over(conn: &dyn Source, order: Uuid, moment: Millis) -> db::Result<bool> {
    let sql = "SELECT 1 FROM order_status_history
               WHERE order_id = ?1 AND to_status IN ('READY', 'DELIVERED') AND at >= ?2 LIMIT 1";
    opt(conn, sql, params![order, moment], |_| Ok(())).map(|found| found.is_some())
}

/// Puts a void on record.
pub fn insert_void(tx: &Tx<'_>, order: &OrderRecord, void: &VoidRow) -> db::Result<()> {
    insert!(tx, order_item_voids { outlet_id: order.outlet_id, order_id: order.id, ..void })
}

/// The cash drawer a payment goes into: the actor's own open one, else MAIN, else any; none when no drawer is open.
pub fn find_open_drawer(conn: &dyn Source, actor: &Actor) -> db::Result<Option<Uuid>> {
    let sql = "SELECT id FROM cash_sessions WHERE outlet_id = ?1 AND status = 'OPEN'
               ORDER BY opened_by IS ?2 DESC, drawer = 'MAIN' DESC, opened_at LIMIT 1";
    opt(conn, sql, params![actor.outlet_id, actor.account_id], |row| row.get(0))
}

/// Writes a payment of `order`.
pub fn insert_payment(tx: &Tx<'_>, order: &OrderRecord, payment: &PaymentRow) -> db::Result<()> {
    insert!(tx, payments { outlet_id: order.outlet_id, order_id: order.id, ..payment })
}

/// The payments of an order, in their order.
pub fn list_payments(conn: &dyn Source, order: Uuid) -> db::Result<Vec<PaymentRow>> {
    let mut payments =
        rows(conn, select!(PaymentRow, "WHERE order_id = ?1 ORDER BY at, id"), [order], PaymentRow::read)?;
    let sql = select!(CorrectionRow, "WHERE order_id = ?1 ORDER BY at, id");
    for correction in rows(conn, sql, [order], CorrectionRow::read)? {
        if let Some(payment) = payments.iter_mut().find(|payment| payment.id == correction.payment_id) {
            payment.put_right(correction);
        }
    }
    Ok(payments)
}

/// The order that a payment of the outlet was taken for.
pub fn find_order_of_payment(conn: &dyn Source, outlet: Uuid, payment: Uuid) -> db::Result<Option<Uuid>> {
    let sql = "SELECT order_id FROM payments WHERE id = ?1 AND outlet_id = ?2";
    opt(conn, sql, params![payment, outlet], |row| row.get("order_id"))
}

/// Writes what was put right about a payment of `order`.
pub fn insert_correction(tx: &Tx<'_>, order: &OrderRecord, correction: &CorrectionRow) -> db::Result<()> {
    insert!(tx, payment_corrections { outlet_id: order.outlet_id, order_id: order.id, ..correction })
}

/// Writes what will never be paid of `order`.
pub fn insert_write_off(tx: &Tx<'_>, order: &OrderRecord, written_off: &WriteOffRow) -> db::Result<()> {
    insert!(tx, write_offs { outlet_id: order.outlet_id, order_id: order.id, ..written_off })
}

/// The drawer that `payment` went into, or as cash would have: one that is still open, and was at its moment.
pub fn find_drawer_of(conn: &dyn Source, actor: &Actor, payment: &PaymentRow) -> db::Result<Option<Uuid>> {
    let drawer = match payment.drawer {
        Some(drawer) => Some(drawer),
        None => find_open_drawer(conn, actor)?,
    };
    let sql = "SELECT id FROM cash_sessions WHERE id = ?1 AND outlet_id = ?2 AND status = 'OPEN' AND opened_at <= ?3";
    drawer.map_or(Ok(None), |drawer| {
        opt(conn, sql, params![drawer, actor.outlet_id, payment.at], |row| row.get(0))
    })
}

/// Writes a refund and takes it off what is left of its payment; false, and nothing written, when the payment has less left.
pub fn insert_refund(tx: &Tx<'_>, order: &OrderRecord, refund: &RefundRow) -> db::Result<bool> {
    let sql = "UPDATE payments SET refunded_cents = refunded_cents + ?2
        WHERE id = ?1 AND outlet_id = ?3 AND refunded_cents + ?2 <= amount_cents";
    let params = params![refund.payment_id, refund.amount, order.outlet_id];
    tx.job(Job::Settle, || tx.execute(sql, params))?;
    if tx.changed() == 0 {
        return Ok(false);
    }
    insert!(tx, refunds { outlet_id: order.outlet_id, order_id: order.id, ..refund })?;
    Ok(true)
}

/// The refunds of an order, in their order.
pub fn list_refunds(conn: &dyn Source, order: Uuid) -> db::Result<Vec<RefundRow>> {
    let sql = select!(
        RefundRow as r,
        "i.number AS credit_note_number",
        "LEFT JOIN invoices i ON i.id = r.credit_note_id WHERE r.order_id = ?1 ORDER BY r.at, r.id"
    );
    rows(conn, sql, [order], |row| {
        Ok(RefundRow { credit_note_number: row.get("credit_note_number")?, ..RefundRow::read(row)? })
    })
}

/// Writes the portions that came back.
pub fn insert_refund_item(
    tx: &Tx<'_>,
    order: &OrderRecord,
    credit_note: Uuid,
    item: &RefundItemRow,
) -> db::Result<()> {
    insert!(
        tx,
        refund_items {
            id: tx.new_id(),
            outlet_id: order.outlet_id,
            order_id: order.id,
            credit_note_id: credit_note,
            ..item
        }
    )
}

/// How many portions of each line of an order have come back of its present bill; none without one.
pub fn sum_refunded_portions(
    conn: &dyn Source,
    order: Uuid,
    invoice: Option<Uuid>,
) -> db::Result<HashMap<Uuid, i64>> {
    let sql = "SELECT r.order_item_id, sum(r.quantity) AS quantity FROM refund_items r
               JOIN invoices i ON i.id = r.credit_note_id
               WHERE r.order_id = ?1 AND i.refers_to_id IS ?2 GROUP BY r.order_item_id";
    Ok(rows(conn, sql, params![order, invoice], portions)?.into_iter().collect())
}

/// How many portions of each line of an order have come back of its slip.
pub fn sum_returned_portions(conn: &dyn Source, order: Uuid) -> db::Result<HashMap<Uuid, i64>> {
    let sql = "SELECT r.order_item_id, sum(r.quantity) AS quantity FROM refund_items r
               JOIN order_slips s ON s.id = r.credit_note_id WHERE r.order_id = ?1 GROUP BY r.order_item_id";
    Ok(rows(conn, sql, [order], portions)?.into_iter().collect())
}

fn portions(row: &Row<'_>) -> db::Result<(Uuid, i64)> {
    Ok((row.get("order_item_id")?, row.get("quantity")?))
}
