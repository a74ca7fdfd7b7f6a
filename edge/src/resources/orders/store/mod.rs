//! Rows of orders and their lines. Every finder is scoped by outlet; nothing is ever deleted but tax lines that no longer
//! hold, before the invoice.

mod bills;
mod ledgers;
mod lists;
mod money;
mod moves;
mod numbers;
mod sessions;
mod trace;

pub use bills::{
    InvoiceFilter, InvoiceRow, credits_of, each_invoice, given_serials, insert_invoice, invoice,
    list_invoices,
};
pub(super) use ledgers::set_discount_amount;
pub use ledgers::{
    History, PaymentRow, RefundRow, TaxRow, VoidRow, discounts, history, insert_discount, insert_history,
    insert_void, payments, refunds, remove_discount, replace_taxes, taxes,
};
pub use lists::{Filter, list};
pub use money::{
    NewRefundItem, NewRefundRow, insert_payment, insert_refund, insert_refund_item, open_drawer,
    refunded_portions,
};
pub use moves::{move_discount, move_line, move_voids, set_discount};
pub use numbers::next_number;
pub use sessions::{is_approved, open_session, outstanding, ready_tickets};
pub use trace::{Traced, trace};

use super::rules::kinds::{OrderStatus, OrderType, Source};
use super::rules::{LineRecord, ModifierRecord, OrderError, OrderRecord, Terms};
use crate::db::{self, Row, Transaction, list as rows, opt};
use chrono::NaiveDate;
use rusqlite::params;
use rusqlite::types::Type;
use tiffin_common::Uuid;

const ORDER: &str = "id, outlet_id, order_number, token_number, business_date, order_type, source, status, table_id,
  table_number, table_session_id, customer_name, customer_phone, notes, guest_count, scheduled_for, prices_include_tax,
  service_charge_bps, cash_rounding_cents, gross_cents, subtotal_cents, discount_cents, service_charge_cents, tax_cents,
  rounding_cents, total_cents, paid_cents, refunded_cents, tip_cents, invoice_id, invoice_number, dispatched_at,
  split_from_id, merged_into_id, created_by, version, created_at, updated_at, closed_at";

/// The value of `column`, read from its text.
pub(super) fn text<T>(
    row: &Row<'_>,
    column: usize,
    read: impl FnOnce(&str) -> Option<T>,
) -> rusqlite::Result<T> {
    let text = row.get_ref(column)?.as_str()?;
    read(text).ok_or_else(|| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, "an unknown name or date".into())
    })
}

/// The date in `column`.
pub(super) fn date(row: &Row<'_>, column: usize) -> rusqlite::Result<NaiveDate> {
    text(row, column, |text| text.parse().ok())
}

fn read_order(row: &Row<'_>) -> rusqlite::Result<OrderRecord> {
    Ok(OrderRecord {
        id: row.get(0)?,
        outlet_id: row.get(1)?,
        order_number: row.get(2)?,
        token_number: row.get(3)?,
        business_date: date(row, 4)?,
        order_type: text(row, 5, OrderType::of_name)?,
        source: text(row, 6, Source::of_name)?,
        status: text(row, 7, OrderStatus::of_name)?,
        table_id: row.get(8)?,
        table_number: row.get(9)?,
        table_session_id: row.get(10)?,
        customer_name: row.get(11)?,
        customer_phone: row.get(12)?,
        notes: row.get(13)?,
        guest_count: row.get(14)?,
        scheduled_for: row.get(15)?,
        terms: Terms {
            prices_include_tax: row.get(16)?,
            service_charge: row.get(17)?,
            cash_rounding: row.get(18)?,
        },
        gross: row.get(19)?,
        subtotal: row.get(20)?,
        discount: row.get(21)?,
        service_charge: row.get(22)?,
        tax: row.get(23)?,
        rounding: row.get(24)?,
        total: row.get(25)?,
        paid: row.get(26)?,
        refunded: row.get(27)?,
        tip: row.get(28)?,
        invoice_id: row.get(29)?,
        invoice_number: row.get(30)?,
        dispatched_at: row.get(31)?,
        split_from_id: row.get(32)?,
        merged_into_id: row.get(33)?,
        created_by: row.get(34)?,
        version: row.get(35)?,
        created_at: row.get(36)?,
        updated_at: row.get(37)?,
        closed_at: row.get(38)?,
        lines: Vec::new(),
    })
}

fn read_line(row: &Row<'_>) -> rusqlite::Result<LineRecord> {
    Ok(LineRecord {
        id: row.get(0)?,
        line_number: row.get(1)?,
        menu_item_id: row.get(2)?,
        name: row.get(3)?,
        hsn_sac: row.get(4)?,
        station_id: row.get(5)?,
        unit_price: row.get(6)?,
        modifiers_total: row.get(7)?,
        quantity: row.get(8)?,
        voided_quantity: row.get(9)?,
        course: row.get(10)?,
        seat_number: row.get(11)?,
        notes: row.get(12)?,
        tax_components: text(row, 13, |json| serde_json::from_str(json).ok())?,
        gross: row.get(14)?,
        discount: row.get(15)?,
        service_charge: row.get(16)?,
        tax: row.get(17)?,
        split_from_id: row.get(18)?,
        version: row.get(19)?,
        created_at: row.get(20)?,
        created_by: row.get(21)?,
        modifiers: Vec::new(),
    })
}

/// The order of that id with its lines.
///
/// # Errors
/// [`OrderError::NotFound`], also for another outlet's.
pub fn load(conn: &dyn db::Source, outlet: Uuid, id: Uuid) -> Result<OrderRecord, OrderError> {
    let mut order = head(conn, outlet, id)?;
    order.lines = lines(conn, id)?;
    Ok(order)
}

/// The order of that id without its lines.
///
/// # Errors
/// [`OrderError::NotFound`], also for another outlet's.
pub fn head(conn: &dyn db::Source, outlet: Uuid, id: Uuid) -> Result<OrderRecord, OrderError> {
    let sql = format!("SELECT {ORDER} FROM orders WHERE id = ?1 AND outlet_id = ?2");
    opt(conn, &sql, [id, outlet], read_order)?.ok_or(OrderError::NotFound("order"))
}

/// The order of that business date and token number, without its lines.
///
/// # Errors
/// Whatever SQLite reports.
pub fn find_by_number(
    conn: &dyn db::Source,
    outlet: Uuid,
    date: NaiveDate,
    token: i64,
) -> rusqlite::Result<Option<OrderRecord>> {
    let sql = format!(
        "SELECT {ORDER} FROM orders WHERE outlet_id = ?1 AND business_date = ?2 AND token_number = ?3"
    );
    opt(conn, &sql, params![outlet, date.to_string(), token], read_order)
}

/// The orders of a table's seating, oldest first; with `open` only those that are not closed.
///
/// # Errors
/// Whatever SQLite reports.
pub fn of_session(
    conn: &dyn db::Source,
    outlet: Uuid,
    session: Uuid,
    open: bool,
) -> rusqlite::Result<Vec<OrderRecord>> {
    let sql = format!(
        "SELECT {ORDER} FROM orders WHERE table_session_id = ?1 AND outlet_id = ?2
           AND (?3 = 0 OR status NOT IN ('COMPLETED', 'CANCELLED')) ORDER BY created_at, id LIMIT 500"
    );
    let mut orders = rows(conn, &sql, params![session, outlet, open], read_order)?;
    for order in &mut orders {
        order.lines = lines(conn, order.id)?;
    }
    Ok(orders)
}

fn lines(conn: &dyn db::Source, order: Uuid) -> rusqlite::Result<Vec<LineRecord>> {
    let mut lines = rows(
        conn,
        "SELECT id, line_number, menu_item_id, name, hsn_sac, station_id, unit_price_cents, modifiers_cents, quantity,
           voided_quantity, course, seat_number, notes, tax_components, gross_cents, discount_cents, service_charge_cents,
           tax_cents, split_from_id, version, created_at, created_by
         FROM order_items WHERE order_id = ?1 ORDER BY line_number",
        [order],
        read_line,
    )?;
    let modifiers = rows(
        conn,
        "SELECT order_item_id, id, option_id, name, price_cents FROM order_item_modifiers WHERE order_id = ?1 ORDER BY id",
        [order],
        |row| {
            let modifier = ModifierRecord {
                id: row.get(1)?,
                option_id: row.get(2)?,
                name: row.get(3)?,
                price: row.get(4)?,
            };
            Ok((row.get::<_, Uuid>(0)?, modifier))
        },
    )?;
    for (of, modifier) in modifiers {
        if let Some(line) = lines.iter_mut().find(|line| line.id == of) {
            line.modifiers.push(modifier);
        }
    }
    Ok(lines)
}

/// Writes a new order, without its lines.
///
/// # Errors
/// Whatever SQLite reports.
pub fn insert(tx: &Transaction<'_>, order: &OrderRecord) -> rusqlite::Result<()> {
    let o = order;
    tx.execute(
        "INSERT INTO orders (id, outlet_id, order_number, token_number, business_date, order_type, source, status, table_id,
           table_number, table_session_id, customer_name, customer_phone, notes, guest_count, scheduled_for,
           prices_include_tax, service_charge_bps, cash_rounding_cents, gross_cents, subtotal_cents, discount_cents,
           service_charge_cents, tax_cents, rounding_cents, total_cents, paid_cents, refunded_cents, tip_cents, invoice_id,
           invoice_number, dispatched_at, split_from_id, merged_into_id, created_by, version, created_at, updated_at,
           closed_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23,
           ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35, ?36, ?37, ?38, ?39)",
        params![
            o.id, o.outlet_id, o.order_number, o.token_number, o.business_date.to_string(), o.order_type.name(),
            o.source.name(), o.status.name(), o.table_id, o.table_number, o.table_session_id, o.customer_name,
            o.customer_phone, o.notes, o.guest_count, o.scheduled_for, o.terms.prices_include_tax,
            o.terms.service_charge, o.terms.cash_rounding, o.gross, o.subtotal, o.discount, o.service_charge, o.tax,
            o.rounding, o.total, o.paid, o.refunded, o.tip, o.invoice_id, o.invoice_number, o.dispatched_at,
            o.split_from_id, o.merged_into_id, o.created_by, o.version, o.created_at, o.updated_at, o.closed_at,
        ],
    )
    .map(drop)
}

/// Writes everything of `order` that can change, without its lines, and counts its version up.
///
/// # Errors
/// Whatever SQLite reports.
pub fn update(tx: &Transaction<'_>, order: &mut OrderRecord) -> rusqlite::Result<()> {
    order.version = order.version.saturating_add(1);
    order.updated_at = tx.now();
    let o = &*order;
    tx.execute(
        "UPDATE orders SET status = ?3, table_id = ?4, table_number = ?5, table_session_id = ?6, gross_cents = ?7,
           subtotal_cents = ?8, discount_cents = ?9, service_charge_cents = ?10, tax_cents = ?11, rounding_cents = ?12,
           total_cents = ?13, paid_cents = ?14, refunded_cents = ?15, tip_cents = ?16, invoice_id = ?17,
           invoice_number = ?18, dispatched_at = ?19, split_from_id = ?20, merged_into_id = ?21, version = ?22,
           updated_at = ?23, closed_at = ?24, guest_count = ?25
         WHERE id = ?1 AND outlet_id = ?2",
        params![
            o.id, o.outlet_id, o.status.name(), o.table_id, o.table_number, o.table_session_id, o.gross, o.subtotal,
            o.discount, o.service_charge, o.tax, o.rounding, o.total, o.paid, o.refunded, o.tip, o.invoice_id,
            o.invoice_number, o.dispatched_at, o.split_from_id, o.merged_into_id, o.version, o.updated_at, o.closed_at,
            o.guest_count,
        ],
    )
    .map(drop)
}

/// Writes a new line of `order` with its modifiers.
///
/// # Errors
/// Whatever SQLite reports.
pub fn insert_line(tx: &Transaction<'_>, order: &OrderRecord, line: &LineRecord) -> rusqlite::Result<()> {
    let l = line;
    let taxes = serde_json::to_string(&l.tax_components)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
    tx.execute(
        "INSERT INTO order_items (id, outlet_id, order_id, line_number, menu_item_id, name, hsn_sac, station_id,
           unit_price_cents, modifiers_cents, quantity, voided_quantity, course, seat_number, notes, tax_components,
           gross_cents, discount_cents, service_charge_cents, tax_cents, split_from_id, version, created_at, created_by)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23,
           ?24)",
        params![
            l.id, order.outlet_id, order.id, l.line_number, l.menu_item_id, l.name, l.hsn_sac, l.station_id, l.unit_price,
            l.modifiers_total, l.quantity, l.voided_quantity, l.course, l.seat_number, l.notes, taxes, l.gross, l.discount,
            l.service_charge, l.tax, l.split_from_id, l.version, l.created_at, l.created_by,
        ],
    )?;
    for modifier in &l.modifiers {
        tx.execute(
            "INSERT INTO order_item_modifiers (id, outlet_id, order_id, order_item_id, option_id, name, price_cents)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            params![
                modifier.id, order.outlet_id, order.id, l.id, modifier.option_id, modifier.name, modifier.price
            ],
        )?;
    }
    Ok(())
}

/// Writes everything of `line` that can change, and counts its version up.
///
/// # Errors
/// Whatever SQLite reports.
pub fn update_line(tx: &Transaction<'_>, line: &mut LineRecord) -> rusqlite::Result<()> {
    line.version = line.version.saturating_add(1);
    let l = &*line;
    tx.execute(
        "UPDATE order_items SET quantity = ?2, voided_quantity = ?3, notes = ?4, gross_cents = ?5, discount_cents = ?6,
           service_charge_cents = ?7, tax_cents = ?8, version = ?9, line_number = ?10, seat_number = ?11
         WHERE id = ?1",
        params![
            l.id, l.quantity, l.voided_quantity, l.notes, l.gross, l.discount, l.service_charge, l.tax, l.version,
            l.line_number, l.seat_number,
        ],
    )
    .map(drop)
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
///
/// # Errors
/// Whatever SQLite reports.
pub fn kitchen_hints(conn: &dyn db::Source, order: Uuid) -> rusqlite::Result<Vec<KitchenHint>> {
    rows(
        conn,
        "SELECT l.id, m.kitchen_name, m.prep_minutes FROM order_items l JOIN menu_items m ON m.id = l.menu_item_id
         WHERE l.order_id = ?1",
        [order],
        |row| Ok(KitchenHint { order_item_id: row.get(0)?, name: row.get(1)?, minutes: row.get(2)? }),
    )
}
