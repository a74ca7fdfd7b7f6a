//! The only SQL that writes purchase orders, their lines and their deliveries. Every finder is scoped by outlet.

mod deliveries;
mod figures;
mod lines;

pub use deliveries::{deliveries_of_batch, of_order as deliveries_of};
pub(super) use deliveries::{insert as insert_delivery, insert_line as insert_delivery_line};
pub use figures::sent_orders;
pub(super) use lines::{add_received, replace as replace_lines};
pub use lines::{of_order as lines_of, on_order};

use super::rules::{Mode, PurchaseOrder, Status};
use crate::access::Actor;
use crate::db::{self, Row, Source, Transaction, list as rows, one, opt};
use chrono::NaiveDate;
use rusqlite::params;
use rusqlite::types::Type;
use tiffin_common::{Cents, Uuid};

const COLUMNS: &str = "id, po_number, mode, status, supplier_id, supplier_name, expected_delivery_date, notes, total_cents,
  business_date, created_by_name, sent_at, received_at, closed_at, close_reason, version, created_at, updated_at";

/// The text of a column, read by `read`.
fn parsed<T>(row: &Row<'_>, column: usize, read: impl FnOnce(&str) -> Option<T>) -> db::Result<T> {
    read(row.get_ref(column)?.as_str()?).ok_or_else(|| {
        db::DbError::from(rusqlite::Error::FromSqlConversionFailure(
            column,
            Type::Text,
            "an unknown value".into(),
        ))
    })
}

fn date(row: &Row<'_>, column: usize) -> db::Result<NaiveDate> {
    parsed(row, column, |text| text.parse().ok())
}

/// A date that may be missing.
fn optional_date(row: &Row<'_>, column: usize) -> db::Result<Option<NaiveDate>> {
    Ok(row.get::<_, Option<String>>(column)?.and_then(|text| text.parse().ok()))
}

fn read(row: &Row<'_>) -> db::Result<PurchaseOrder> {
    Ok(PurchaseOrder {
        id: row.get(0)?,
        po_number: row.get(1)?,
        mode: parsed(row, 2, Mode::of_name)?,
        status: parsed(row, 3, Status::of_name)?,
        supplier_id: row.get(4)?,
        supplier_name: row.get(5)?,
        expected_on: date(row, 6)?,
        notes: row.get(7)?,
        total: row.get(8)?,
        business_date: date(row, 9)?,
        created_by_name: row.get(10)?,
        sent_at: row.get(11)?,
        received_at: row.get(12)?,
        closed_at: row.get(13)?,
        close_reason: row.get(14)?,
        version: row.get(15)?,
        created_at: row.get(16)?,
        updated_at: row.get(17)?,
    })
}

/// The outlet's purchase order of that id.
pub fn find(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Option<PurchaseOrder>> {
    let sql = format!("SELECT {COLUMNS} FROM purchase_orders WHERE id = ?1 AND outlet_id = ?2");
    opt(conn, &sql, [id, outlet], read)
}

/// Which purchase orders.
#[derive(Debug, Clone, Copy, Default)]
pub struct Filter {
    /// In this state.
    pub status: Option<Status>,
    /// To this supplier.
    pub supplier_id: Option<Uuid>,
    /// Written on this business date or later.
    pub from: Option<NaiveDate>,
    /// Written on this business date or earlier.
    pub to: Option<NaiveDate>,
}

/// A page of the outlet's purchase orders, the newest first; and how many there are.
pub fn page(
    conn: &dyn Source,
    outlet: Uuid,
    filter: Filter,
    limit: u32,
    offset: u32,
) -> db::Result<(Vec<PurchaseOrder>, i64)> {
    let holds = "outlet_id = ?1 AND (?2 IS NULL OR status = ?2) AND (?3 IS NULL OR supplier_id = ?3)
                 AND business_date >= coalesce(?4, '') AND business_date <= coalesce(?5, '~')";
    let (from, to) = (filter.from.map(|day| day.to_string()), filter.to.map(|day| day.to_string()));
    let status = filter.status.map(Status::name);
    let sql = format!(
        "SELECT {COLUMNS} FROM purchase_orders WHERE {holds}
         ORDER BY business_date DESC, id DESC LIMIT ?6 OFFSET ?7"
    );
    let found = rows(conn, &sql, params![outlet, status, filter.supplier_id, from, to, limit, offset], read)?;
    let count = format!("SELECT count(*) FROM purchase_orders WHERE {holds}");
    let total = one(conn, &count, params![outlet, status, filter.supplier_id, from, to], |row| row.get(0))?;
    Ok((found, total))
}

/// What the supplier still owes, by the date it is promised for: sent, not all of it received, promised for `until` or
/// earlier.
pub fn awaited(conn: &dyn Source, outlet: Uuid, until: NaiveDate) -> db::Result<Vec<PurchaseOrder>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM purchase_orders
         WHERE outlet_id = ?1 AND expected_delivery_date <= ?2 AND status IN ('SENT', 'PARTIALLY_RECEIVED')
         ORDER BY expected_delivery_date, id"
    );
    rows(conn, &sql, params![outlet, until.to_string()], read)
}

/// Late orders the staff have not been told of: promised for a day before `today`.
pub fn untold_overdue(conn: &dyn Source, outlet: Uuid, today: NaiveDate) -> db::Result<Vec<PurchaseOrder>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM purchase_orders
         WHERE outlet_id = ?1 AND expected_delivery_date < ?2 AND status IN ('SENT', 'PARTIALLY_RECEIVED')
           AND overdue_told_at IS NULL
         ORDER BY expected_delivery_date, id"
    );
    rows(conn, &sql, params![outlet, today.to_string()], read)
}

pub(super) fn insert(tx: &Transaction<'_>, actor: &Actor, order: &PurchaseOrder) -> db::Result<()> {
    tx.execute(
        "INSERT INTO purchase_orders (id, outlet_id, po_number, mode, supplier_id, supplier_name, expected_delivery_date,
           notes, total_cents, business_date, created_by, created_by_name, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?13)",
        params![
            order.id,
            actor.outlet_id,
            order.po_number,
            order.mode.name(),
            order.supplier_id,
            order.supplier_name,
            order.expected_on.to_string(),
            order.notes,
            order.total,
            order.business_date.to_string(),
            actor.account_id,
            actor.name,
            tx.now()
        ],
    )
    .map(drop)
}

/// What may be changed of a draft.
pub(super) fn update(
    tx: &Transaction<'_>,
    outlet: Uuid,
    id: Uuid,
    expected_on: NaiveDate,
    notes: Option<&str>,
    total: Cents,
) -> db::Result<()> {
    tx.execute(
        "UPDATE purchase_orders SET expected_delivery_date = ?3, notes = ?4, total_cents = ?5, updated_at = ?6,
           version = version + 1
         WHERE id = ?1 AND outlet_id = ?2",
        params![id, outlet, expected_on.to_string(), notes, total, tx.now()],
    )
    .map(drop)
}

pub(super) fn set_sent(tx: &Transaction<'_>, outlet: Uuid, id: Uuid, today: NaiveDate) -> db::Result<()> {
    tx.execute(
        "UPDATE purchase_orders SET status = 'SENT', sent_at = ?3, sent_on = ?4, updated_at = ?3, version = version + 1
         WHERE id = ?1 AND outlet_id = ?2",
        params![id, outlet, tx.now(), today.to_string()],
    )
    .map(drop)
}

/// Where the order stands after a delivery; the moment it was complete stays.
pub(super) fn set_delivered(
    tx: &Transaction<'_>,
    outlet: Uuid,
    id: Uuid,
    status: Status,
    today: NaiveDate,
) -> db::Result<()> {
    tx.execute(
        "UPDATE purchase_orders SET status = ?3, updated_at = ?4, version = version + 1,
           received_at = coalesce(received_at, CASE WHEN ?3 = 'RECEIVED' THEN ?4 END),
           received_on = coalesce(received_on, CASE WHEN ?3 = 'RECEIVED' THEN ?5 END)
         WHERE id = ?1 AND outlet_id = ?2",
        params![id, outlet, status.name(), tx.now(), today.to_string()],
    )
    .map(drop)
}

pub(super) fn set_closed(
    tx: &Transaction<'_>,
    outlet: Uuid,
    id: Uuid,
    reason: Option<&str>,
) -> db::Result<()> {
    tx.execute(
        "UPDATE purchase_orders SET status = 'CLOSED', closed_at = ?3, close_reason = ?4, updated_at = ?3,
           version = version + 1
         WHERE id = ?1 AND outlet_id = ?2",
        params![id, outlet, tx.now(), reason],
    )
    .map(drop)
}

/// Notes that the staff know the order is late. No new version: nobody edited it.
pub(super) fn set_overdue_told(tx: &Transaction<'_>, outlet: Uuid, id: Uuid) -> db::Result<()> {
    tx.execute(
        "UPDATE purchase_orders SET overdue_told_at = ?3 WHERE id = ?1 AND outlet_id = ?2",
        params![id, outlet, tx.now()],
    )
    .map(drop)
}
