//! What the checkout of who served is made of. Never writes.

use super::super::rules::checkout::Checkout;
use super::super::rules::sums::MethodSum;
use crate::db::{self, Source, list as rows, one};
use chrono::NaiveDate;
use rusqlite::params;
use tiffin_common::{Cents, Uuid};

/// Whether row `$row` was entered by the employee ?3: by their account, or by their PIN alone.
macro_rules! by_them {
    ($row:literal) => {
        concat!(
            "(",
            $row,
            ".by_id = ?3 OR ",
            $row,
            ".by_id IN (SELECT id FROM accounts WHERE employee_id = ?3))"
        )
    };
}

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
    let tenders = list_tenders(conn, outlet, date, employee)?;
    one(conn, sql, params![outlet, date, employee], |row| {
        Ok(
            read!(row => Checkout { orders, covers, sales, refunds, open_orders, open_due, tips, tips_paid, tenders: tenders }),
        )
    })
}

/// What `employee` took and gave back on `date` by method, as it was put right.
fn list_tenders(
    conn: &dyn Source,
    outlet: Uuid,
    date: NaiveDate,
    employee: Uuid,
) -> db::Result<Vec<MethodSum>> {
    const SQL: &str = concat!(
        "SELECT method, CAST(sum(paid) AS INTEGER) AS payment_count, CAST(sum(amount) AS INTEGER) AS amount_cents,
           CAST(sum(tip) AS INTEGER) AS tip_cents, CAST(sum(given) AS INTEGER) AS refund_count, CAST(sum(back) AS INTEGER) AS refunded_cents
         FROM (
           SELECT p.method, 1 AS paid, p.amount_cents AS amount, p.tip_cents AS tip, 0 AS given, 0 AS back FROM payments p
             WHERE p.outlet_id = ?1 AND p.business_date = ?2 AND ",
        by_them!("p"),
        " UNION ALL
           SELECT c.old_method, CASE WHEN c.kind = 'REVERSE' OR c.old_method <> c.new_method THEN -1 ELSE 0 END, -c.old_amount_cents,
             -c.old_tip_cents, 0, 0 FROM payment_corrections c JOIN payments p ON p.id = c.payment_id
             WHERE c.outlet_id = ?1 AND c.business_date = ?2 AND ",
        by_them!("p"),
        " UNION ALL
           SELECT c.new_method, CASE WHEN c.kind <> 'REVERSE' AND c.old_method <> c.new_method THEN 1 ELSE 0 END, c.new_amount_cents,
             c.new_tip_cents, 0, 0 FROM payment_corrections c JOIN payments p ON p.id = c.payment_id
             WHERE c.outlet_id = ?1 AND c.business_date = ?2 AND ",
        by_them!("p"),
        " UNION ALL
           SELECT r.method, 0, 0, 0, 1, r.amount_cents FROM refunds r WHERE r.outlet_id = ?1 AND r.business_date = ?2 AND ",
        by_them!("r"),
        ") AS moved GROUP BY method ORDER BY method"
    );
    let mut sums = rows(conn, SQL, params![outlet, date, employee], |row| {
        Ok(read!(row => MethodSum {
            method, payment_count, amount_cents, tip_cents, refund_count, refunded_cents, net_cents: Cents::ZERO
        }))
    })?;
    for sum in &mut sums {
        sum.net_cents = sum.amount_cents.plus(sum.tip_cents)?.minus(sum.refunded_cents)?;
    }
    Ok(sums)
}
