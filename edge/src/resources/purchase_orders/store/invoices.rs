//! Rows of `purchase_invoices`.

use super::super::rules::PurchaseOrder;
use super::super::rules::invoices::{Billed, Brought, SupplierInvoice};
use crate::access::Actor;
use crate::db::{self, Columns, Source, Tx, list as rows, one};
use chrono::NaiveDate;
use rusqlite::params;
use tiffin_common::{Cents, Uuid};

/// The invoices of an order, in the order they were entered.
pub fn list_invoices(conn: &dyn Source, outlet: Uuid, order: Uuid) -> db::Result<Vec<SupplierInvoice>> {
    let sql = select!(SupplierInvoice, "WHERE purchase_order_id = ?1 AND outlet_id = ?2 ORDER BY id");
    rows(conn, sql, [order, outlet], SupplierInvoice::read)
}

/// The number of the purchase order that an invoice of the supplier under that number was entered on, if any was.
pub fn find_invoiced(
    conn: &dyn Source,
    outlet: Uuid,
    supplier: Uuid,
    reference: &str,
) -> db::Result<Option<String>> {
    let sql = "SELECT o.po_number FROM purchase_invoices i JOIN purchase_orders o ON o.id = i.purchase_order_id
               WHERE i.supplier_id = ?1 AND i.outlet_id = ?2 AND i.invoice_ref = ?3 COLLATE NOCASE ORDER BY i.id LIMIT 1";
    db::opt(conn, sql, params![supplier, outlet, reference], |row| row.get("po_number"))
}

/// Whether something was taken in under that number of an invoice of the supplier.
pub fn is_delivered(conn: &dyn Source, outlet: Uuid, supplier: Uuid, reference: &str) -> db::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM purchase_deliveries
               WHERE supplier_id = ?1 AND outlet_id = ?2 AND invoice_ref = ?3 COLLATE NOCASE)";
    one(conn, sql, params![supplier, outlet, reference], |row| row.get(0))
}

/// The orders of which something was delivered or billed on these dates, by date and number.
pub fn list_billed(
    conn: &dyn Source,
    outlet: Uuid,
    from: NaiveDate,
    to: NaiveDate,
) -> db::Result<Vec<Billed>> {
    let sql = select!(
        PurchaseOrder,
        "WHERE outlet_id = ?1 AND id IN (
           SELECT purchase_order_id FROM purchase_deliveries WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3
           UNION SELECT purchase_order_id FROM purchase_invoices WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3)
         ORDER BY business_date, po_number, id"
    );
    let orders = rows(conn, sql, params![outlet, from, to], PurchaseOrder::read)?;
    let sql = "SELECT invoice_ref, total_cents, business_date FROM purchase_deliveries
               WHERE purchase_order_id = ?1 AND outlet_id = ?2 ORDER BY id";
    orders
        .into_iter()
        .map(|order| {
            let deliveries = rows(conn, sql, [order.id, outlet], |row| {
                let brought = Brought { reference: row.get("invoice_ref")?, total: row.get("total_cents")? };
                Ok((row.get("business_date")?, brought))
            })?;
            Ok(Billed { invoices: list_invoices(conn, outlet, order.id)?, deliveries, order })
        })
        .collect()
}

pub(in super::super) fn insert_invoice(
    tx: &Tx<'_>,
    actor: &Actor,
    order: &PurchaseOrder,
    invoice: &SupplierInvoice,
) -> db::Result<()> {
    insert!(
        tx,
        purchase_invoices {
            outlet_id: actor.outlet_id,
            purchase_order_id: order.id,
            supplier_id: order.supplier_id,
            by_id: actor.account_id,
            ..invoice
        }
    )
}

/// Notes who accepted a difference, and why.
pub(in super::super) fn set_accepted(
    tx: &Tx<'_>,
    actor: &Actor,
    invoice: Uuid,
    difference: Cents,
    reason: &str,
) -> db::Result<()> {
    update!(tx, purchase_invoices {
        accepted_difference_cents: difference, accepted_at: tx.now(), accepted_by: actor.account_id,
        accepted_by_name: actor.name, accepted_reason: reason
    } where { id: invoice, outlet_id: actor.outlet_id })
}

pub(in super::super) fn delete_invoice(tx: &Tx<'_>, outlet: Uuid, invoice: Uuid) -> db::Result<()> {
    tx.execute("DELETE FROM purchase_invoices WHERE id = ?1 AND outlet_id = ?2", [invoice, outlet])
}
