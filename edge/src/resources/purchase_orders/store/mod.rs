//! The only SQL that writes purchase orders, their lines, deliveries, returns and invoices. Every finder is scoped by outlet.

mod deliveries;
mod figures;
mod invoices;
mod lines;
mod returns;

pub(super) use deliveries::{insert_delivery, insert_delivery_line};
pub use deliveries::{list_deliveries, list_deliveries_of_batch};
pub use figures::{find_performance, list_last_prices};
pub(super) use invoices::{delete_invoice, insert_invoice, set_accepted};
pub use invoices::{find_invoiced, is_delivered, list_billed, list_invoices};
pub(super) use lines::{insert_extra, set_lines, set_received};
pub use lines::{list_lines, list_numbers_with, list_on_order};
pub(super) use returns::insert_return;
pub use returns::list_returns;

use super::rules::{PurchaseOrder, Status};
use crate::access::Actor;
use crate::db::{self, Columns, Page, Source, Tx, list as rows, opt, page, table};
use chrono::NaiveDate;
use rusqlite::params;
use tiffin_common::{Cents, Uuid};

/// The outlet's purchase order of that id.
pub fn find(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Option<PurchaseOrder>> {
    let sql = select!(PurchaseOrder, "WHERE id = ?1 AND outlet_id = ?2");
    opt(conn, sql, [id, outlet], PurchaseOrder::read)
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

/// A page of the outlet's purchase orders, the newest first.
pub fn list(
    conn: &dyn Source,
    outlet: Uuid,
    Filter { status, supplier_id, from, to }: Filter,
    paging: (u32, u32),
) -> db::Result<Page<PurchaseOrder>> {
    let holds = "WHERE outlet_id = ?1 AND (?2 IS NULL OR status = ?2) AND (?3 IS NULL OR supplier_id = ?3)
                 AND business_date >= coalesce(?4, '') AND business_date <= coalesce(?5, '~')";
    let sql =
        table::select::<PurchaseOrder>("", "", &format!("{holds} ORDER BY business_date DESC, id DESC"));
    let count = format!("SELECT count(*) FROM purchase_orders {holds}");
    let values = params![outlet, status, supplier_id, from, to];
    page(conn, (&sql, &count), values, paging, PurchaseOrder::read)
}

/// What the supplier still owes, by the date it is promised for: sent, not all of it received, promised for `until` or
/// earlier.
pub fn list_awaited(conn: &dyn Source, outlet: Uuid, until: NaiveDate) -> db::Result<Vec<PurchaseOrder>> {
    let sql = select!(
        PurchaseOrder,
        "WHERE outlet_id = ?1 AND expected_delivery_date <= ?2 AND status IN ('SENT', 'PARTIALLY_RECEIVED')
         ORDER BY expected_delivery_date, id"
    );
    rows(conn, sql, params![outlet, until], PurchaseOrder::read)
}

/// Late orders the staff have not been told of: promised for a day before `today`.
pub fn list_untold_overdue(
    conn: &dyn Source,
    outlet: Uuid,
    today: NaiveDate,
) -> db::Result<Vec<PurchaseOrder>> {
    let sql = select!(
        PurchaseOrder,
        "WHERE outlet_id = ?1 AND expected_delivery_date < ?2 AND status IN ('SENT', 'PARTIALLY_RECEIVED')
           AND overdue_told_at IS NULL
         ORDER BY expected_delivery_date, id"
    );
    rows(conn, sql, params![outlet, today], PurchaseOrder::read)
}

pub(super) fn insert(tx: &Tx<'_>, actor: &Actor, order: &PurchaseOrder) -> db::Result<()> {
    insert!(tx, purchase_orders { outlet_id: actor.outlet_id, created_by: actor.account_id, ..order })
}

/// What may be changed of a draft.
pub(super) fn update(
    tx: &Tx<'_>,
    outlet: Uuid,
    id: Uuid,
    expected_on: NaiveDate,
    notes: Option<&str>,
    total: Cents,
) -> db::Result<()> {
    update!(tx, purchase_orders {
        expected_delivery_date: expected_on, notes: notes, total_cents: total, updated_at: tx.now(); "version = version + 1"
    } where { id: id, outlet_id: outlet })
}

pub(super) fn set_sent(tx: &Tx<'_>, outlet: Uuid, id: Uuid, today: NaiveDate) -> db::Result<()> {
    let now = tx.now();
    update!(tx, purchase_orders {
        status: Status::Sent, sent_at: now, sent_on: today, updated_at: now; "version = version + 1"
    } where { id: id, outlet_id: outlet })
}

/// Where the order stands after a delivery; the moment it was complete stays.
pub(super) fn set_delivered(
    tx: &Tx<'_>,
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
        params![id, outlet, status, tx.now(), today],
    )
}

pub(super) fn set_closed(tx: &Tx<'_>, outlet: Uuid, id: Uuid, reason: Option<&str>) -> db::Result<()> {
    let now = tx.now();
    update!(tx, purchase_orders {
        status: Status::Closed, closed_at: now, close_reason: reason, updated_at: now; "version = version + 1"
    } where { id: id, outlet_id: outlet })
}

/// Notes that the staff know the order is late. No new version: nobody edited it.
pub(super) fn set_overdue_told(tx: &Tx<'_>, outlet: Uuid, id: Uuid) -> db::Result<()> {
    update!(tx, purchase_orders { overdue_told_at: tx.now() } where { id: id, outlet_id: outlet })
}
