//! What the checkout of who served is made of. Never writes.

use super::super::rules::checkout::Checkout;
use super::methods;
use crate::db::{self, Source, one};
use chrono::NaiveDate;
use rusqlite::params;
use tiffin_common::Uuid;

/// What `employee` sold and took on `date`.
pub fn find_checkout(
    conn: &dyn Source,
    outlet: Uuid,
    date: NaiveDate,
    employee: Uuid,
) -> db::Result<Checkout> {
    let sql = "SELECT
      (SELECT count(*) FROM invoices i CROSS JOIN orders o ON o.id = i.order_id AND o.invoice_id = i.id
         WHERE i.outlet_id = ?1 AND i.business_date = ?2 AND i.kind = 'INVOICE' AND o.server_id = ?3 AND o.status <> 'CANCELLED') AS orders,
      (SELECT coalesce(sum(o.guest_count), 0) FROM invoices i CROSS JOIN orders o ON o.id = i.order_id AND o.invoice_id = i.id
         WHERE i.outlet_id = ?1 AND i.business_date = ?2 AND i.kind = 'INVOICE' AND o.server_id = ?3 AND o.status <> 'CANCELLED') AS covers,
      (SELECT coalesce(sum(o.total_cents), 0) FROM invoices i CROSS JOIN orders o ON o.id = i.order_id AND o.invoice_id = i.id
         WHERE i.outlet_id = ?1 AND i.business_date = ?2 AND i.kind = 'INVOICE' AND o.server_id = ?3 AND o.status <> 'CANCELLED') AS sales,
      (SELECT coalesce(sum(n.total_cents), 0) FROM invoices n JOIN orders o ON o.id = n.order_id
         WHERE n.outlet_id = ?1 AND n.business_date = ?2 AND n.kind = 'CREDIT_NOTE' AND o.server_id = ?3) AS refunds,
      (SELECT count(*) FROM orders
         WHERE outlet_id = ?1 AND business_date <= ?2 AND server_id = ?3 AND status NOT IN ('COMPLETED', 'CANCELLED')) AS open_orders,
      (SELECT coalesce(sum(max(total_cents - paid_cents - credited_cents - written_off_cents, 0)), 0) FROM orders
         WHERE outlet_id = ?1 AND business_date <= ?2 AND server_id = ?3 AND status NOT IN ('COMPLETED', 'CANCELLED')) AS open_due,
      (SELECT coalesce(sum(p.tip_cents), 0) FROM payments p JOIN orders o ON o.id = p.order_id
         WHERE p.outlet_id = ?1 AND p.business_date = ?2 AND o.server_id = ?3)
        + (SELECT coalesce(sum(c.new_tip_cents - c.old_tip_cents), 0) FROM payment_corrections c JOIN orders o ON o.id = c.order_id
         WHERE c.outlet_id = ?1 AND c.business_date = ?2 AND o.server_id = ?3) AS tips,
      (SELECT coalesce(sum(amount_cents), 0) FROM cash_movements
         WHERE outlet_id = ?1 AND business_date = ?2 AND employee_id = ?3 AND is_tips = 1) AS tips_paid";
    let tenders = methods::sum_of(conn, outlet, date, employee)?;
    one(conn, sql, params![outlet, date, employee], |row| {
        Ok(
            read!(row => Checkout { orders, covers, sales, refunds, open_orders, open_due, tips, tips_paid, tenders: tenders }),
        )
    })
}
