//! Rows of orders and their lines. Every finder is scoped by outlet; nothing is ever deleted but tax lines that no longer
//! hold, before the invoice.

mod bills;
mod entries;
mod floor;
mod guests;
mod later;
mod ledgers;
mod lists;
mod moves;
mod numbers;
mod sessions;
mod slips;
mod trace;

pub use bills::{
    InvoiceFilter, each_invoice, find_document, insert_invoice, insert_signing_key, list_credits,
    list_invoices, list_serials, list_signing_keys,
};
pub use entries::list_entries;
pub use floor::{Lines, count_lines, list_open, list_open_names};
pub use guests::{
    delete_guest, find_guest, insert_guest, list_erased, list_guests, list_old_guests, list_reachable_guests,
    set_guest, set_guest_erased,
};
pub use later::{FOR_LATER, list_due};
pub(super) use ledgers::set_discount_amount;
pub use ledgers::{
    find_drawer_of, find_open_drawer, find_order_of_payment, insert_correction, insert_discount,
    insert_history, insert_payment, insert_refund, insert_refund_item, insert_void, insert_write_off,
    is_handed_over, list_discounts, list_history, list_payments, list_refunds, list_taxes, set_discount,
    set_discount_approver, set_discount_order, set_discount_removed, sum_refunded_portions,
    sum_returned_portions, update_taxes,
};
pub use lists::{Filter, list};
pub use moves::{set_line_order, set_voids_order};
pub use numbers::{find_life, next_number};
pub use sessions::{
    find_open_session, has_bill, is_approved, list_ready_tickets, list_waiting, sum_outstanding,
};
pub use slips::{find_by_external_id, insert_slip, list_slips};
pub use trace::{Traced, list_traced};

use super::rules::{LineRecord, ModifierRecord, OrderError, OrderRecord, Result};
use crate::db::{self, Columns, Json, Tx, list as rows, opt};
use chrono::NaiveDate;
use rusqlite::params;
use tiffin_common::Uuid;

/// The order of that id with its lines and its guest.
///
/// # Errors
/// [`OrderError::NotFound`], also for another outlet's.
pub fn find(conn: &dyn db::Source, outlet: Uuid, id: Uuid) -> Result<OrderRecord> {
    let mut order = find_head(conn, outlet, id)?;
    order.lines = lines(conn, id)?;
    order.guest = find_guest(conn, outlet, id)?;
    Ok(order)
}

/// The order of that id without its lines.
///
/// # Errors
/// [`OrderError::NotFound`], also for another outlet's.
pub fn find_head(conn: &dyn db::Source, outlet: Uuid, id: Uuid) -> Result<OrderRecord> {
    let sql = select!(OrderRecord, "WHERE id = ?1 AND outlet_id = ?2");
    opt(conn, sql, [id, outlet], OrderRecord::read)?.ok_or(OrderError::NotFound("order"))
}

/// The order of that business date and token number, without its lines.
pub fn find_by_number(
    conn: &dyn db::Source,
    outlet: Uuid,
    date: NaiveDate,
    token: i64,
) -> db::Result<Option<OrderRecord>> {
    let sql = select!(
        OrderRecord,
        "WHERE outlet_id = ?1 AND business_date = ?2 AND token_number = ?3 ORDER BY id DESC"
    );
    opt(conn, sql, params![outlet, date, token], OrderRecord::read)
}

/// The newest order whose receipt has that code, without its lines.
pub fn find_by_receipt_code(conn: &dyn db::Source, code: &str) -> db::Result<Option<OrderRecord>> {
    let sql = select!(OrderRecord, "WHERE receipt_code = ?1 ORDER BY created_at DESC LIMIT 1");
    opt(conn, sql, [code], OrderRecord::read)
}

/// The orders of a table's seating, oldest first; with `open` only those that are not closed.
pub fn list_of_session(
    conn: &dyn db::Source,
    outlet: Uuid,
    session: Uuid,
    open: bool,
) -> db::Result<Vec<OrderRecord>> {
    let sql = select!(
        OrderRecord,
        "WHERE table_session_id = ?1 AND outlet_id = ?2
           AND (?3 = 0 OR status NOT IN ('COMPLETED', 'CANCELLED')) ORDER BY created_at, id LIMIT 500"
    );
    let mut orders = rows(conn, sql, params![session, outlet, open], OrderRecord::read)?;
    for order in &mut orders {
        order.lines = lines(conn, order.id)?;
        order.guest = find_guest(conn, outlet, order.id)?;
    }
    Ok(orders)
}

fn lines(conn: &dyn db::Source, order: Uuid) -> db::Result<Vec<LineRecord>> {
    let sql = select!(LineRecord, "WHERE order_id = ?1 ORDER BY line_number");
    let mut lines = rows(conn, sql, [order], LineRecord::read)?;
    let sql = select!(ModifierRecord as m, "m.order_item_id", "WHERE order_id = ?1 ORDER BY id");
    let modifiers = rows(conn, sql, [order], |row| {
        Ok((row.get::<_, Uuid>("order_item_id")?, ModifierRecord::read(row)?))
    })?;
    for (of, modifier) in modifiers {
        if let Some(line) = lines.iter_mut().find(|line| line.id == of) {
            line.modifiers.push(modifier);
        }
    }
    Ok(lines)
}

/// Writes a new order with its guest, without its lines.
pub fn insert(tx: &Tx<'_>, order: &OrderRecord) -> db::Result<()> {
    insert!(tx, orders { ..order })?;
    insert_guest(tx, order.outlet_id, order.id, &order.guest)
}

/// Writes everything of `order` that can change, without its lines, and counts its version up.
pub fn update(tx: &Tx<'_>, order: &mut OrderRecord) -> db::Result<()> {
    order.version = order.version.saturating_add(1);
    order.updated_at = tx.now();
    let o = &*order;
    update!(tx, orders {
        service_charge_bps: o.terms.service_charge, service_charge_taxed: o.terms.service_charge_taxed,
        service_charge_taxes: Json(&o.terms.service_charge_taxes),
        status: o.status, order_type: o.order_type, business_date: o.business_date, notes: o.notes,
        scheduled_for: o.scheduled_for, release_at: o.release_at, server_id: o.server_id, server_name: o.server_name,
        table_id: o.table_id, table_number: o.table_number, table_session_id: o.table_session_id,
        revenue_date: o.revenue_date, credited_cents: o.credited, written_off_cents: o.written_off,
        guest_count: o.guest_count, gross_cents: o.gross, subtotal_cents: o.subtotal, discount_cents: o.discount,
        service_charge_cents: o.service_charge, tax_cents: o.tax, rounding_cents: o.rounding, total_cents: o.total,
        paid_cents: o.paid, refunded_cents: o.refunded, tip_cents: o.tip, invoice_id: o.invoice_id,
        invoice_number: o.invoice_number, dispatched_at: o.dispatched_at, split_from_id: o.split_from_id,
        commission_cents: o.commission, slip_id: o.slip_id, slip_number: o.slip_number,
        merged_into_id: o.merged_into_id, version: o.version, updated_at: o.updated_at, closed_at: o.closed_at,
    } where { id: o.id, outlet_id: o.outlet_id })
}

/// Writes new lines of `order` with their modifiers.
pub fn insert_lines(tx: &Tx<'_>, order: &OrderRecord, lines: &[LineRecord]) -> db::Result<()> {
    insert_all!(tx, order_items { outlet_id: order.outlet_id, order_id: order.id, ..lines })?;
    lines.iter().filter(|line| !line.modifiers.is_empty()).try_for_each(|line| {
        insert_all!(
            tx,
            order_item_modifiers {
                outlet_id: order.outlet_id,
                order_id: order.id,
                order_item_id: line.id,
                ..&line.modifiers
            }
        )
    })
}

/// Writes everything of `line` that can change, and counts its version up.
pub fn update_line(tx: &Tx<'_>, line: &mut LineRecord) -> db::Result<()> {
    line.version = line.version.saturating_add(1);
    let l = &*line;
    update!(tx, order_items {
        quantity: l.quantity, weight: l.weight, voided_quantity: l.voided_quantity, notes: l.notes, gross_cents: l.gross, subtotal_cents: l.subtotal,
        discount_cents: l.discount, service_charge_cents: l.service_charge, tax_cents: l.tax, version: l.version,
        line_number: l.line_number, seat_number: l.seat_number, hold: l.hold,
    } where { id: l.id })
}

/// How cooks call a line's dish, and how long it takes.
#[derive(Debug, Clone)]
pub struct KitchenHint {
    /// The line.
    pub order_item_id: Uuid,
    /// What cooks call it; none: as billed.
    pub name: Option<String>,
    /// Minutes it takes.
    pub minutes: Option<i64>,
}

/// How cooks call the dishes of `order`'s lines, and how long they take.
pub fn list_kitchen_hints(conn: &dyn db::Source, order: Uuid) -> db::Result<Vec<KitchenHint>> {
    let sql = "SELECT l.id AS order_item_id, m.kitchen_name AS name, d.prep_minutes AS minutes
               FROM order_items l JOIN menu_items d ON d.id = l.menu_item_id
                 JOIN menu_items m ON m.id = coalesce(l.variant_id, l.menu_item_id) WHERE l.order_id = ?1";
    rows(conn, sql, [order], |row| Ok(read!(row => KitchenHint { order_item_id, name, minutes })))
}
