//! What a day is reconciled from, order by order and drawer by drawer. Never writes.

use super::day::{Day, count_and_sum};
use crate::db::{self, Source, list as rows, one};
use crate::resources::cash::rules::reconcile::{DrawerCash, OpenBalance};
use crate::resources::cash::rules::report::DayLosses;
use crate::resources::cash::rules::sums::CountAndSum;
use chrono::NaiveDate;
use rusqlite::params;
use tiffin_common::quantity::micro_cents_to_cents;
use tiffin_common::{Cents, Uuid};

/// What each order owed of its bill, or had paid ahead, when `date` ended. Only those that are on their way or were touched later can
/// owe anything.
pub(super) fn list_open(conn: &dyn Source, outlet: Uuid, date: NaiveDate) -> db::Result<Vec<OpenBalance>> {
    let sql = "SELECT b.order_id, o.order_number, b.amount_cents FROM (
        SELECT t.id AS order_id,
          (SELECT coalesce(sum(CASE i.kind WHEN 'INVOICE' THEN i.total_cents ELSE -i.total_cents END), 0) FROM invoices i
            WHERE i.order_id = t.id AND i.business_date <= ?2)
          + (SELECT coalesce(sum(CASE s.kind WHEN 'SLIP' THEN s.total_cents ELSE -s.total_cents END), 0) FROM order_slips s
            WHERE s.order_id = t.id AND s.business_date <= ?2)
          - (SELECT coalesce(sum(p.amount_cents), 0) FROM payments p WHERE p.order_id = t.id AND p.business_date <= ?2)
          - (SELECT coalesce(sum(c.new_amount_cents - c.old_amount_cents), 0) FROM payment_corrections c
            WHERE c.order_id = t.id AND c.business_date <= ?2)
          + (SELECT coalesce(sum(r.amount_cents), 0) FROM refunds r WHERE r.order_id = t.id AND r.business_date <= ?2)
          - (SELECT coalesce(sum(w.amount_cents), 0) FROM write_offs w WHERE w.order_id = t.id AND w.business_date <= ?2)
          AS amount_cents
        FROM (
          SELECT id FROM orders WHERE outlet_id = ?1 AND status NOT IN ('COMPLETED', 'CANCELLED')
          UNION SELECT order_id FROM invoices WHERE outlet_id = ?1 AND business_date > ?2
          UNION SELECT order_id FROM order_slips WHERE outlet_id = ?1 AND business_date > ?2
          UNION SELECT order_id FROM payments WHERE outlet_id = ?1 AND business_date > ?2
          UNION SELECT order_id FROM payment_corrections WHERE outlet_id = ?1 AND business_date > ?2
          UNION SELECT order_id FROM refunds WHERE outlet_id = ?1 AND business_date > ?2
          UNION SELECT order_id FROM write_offs WHERE outlet_id = ?1 AND business_date > ?2) AS t) AS b
        CROSS JOIN orders o ON o.id = b.order_id WHERE b.amount_cents <> 0 ORDER BY o.order_number, o.id";
    rows(conn, sql, params![outlet, date], |row| {
        Ok(read!(row => OpenBalance { order_id, order_number, amount_cents }))
    })
}

/// Cash of the day by drawer.
pub(super) fn list_drawer_cash(conn: &dyn Source, day: &Day) -> db::Result<Vec<DrawerCash>> {
    let sql = "SELECT s.id, s.drawer, m.amount FROM (
        SELECT cash_session_id, sum(amount) AS amount FROM (
          SELECT cash_session_id, amount_cents + tip_cents AS amount FROM payments
          WHERE outlet_id = ?1 AND business_date = ?2 AND method = 'CASH' AND cash_session_id IS NOT NULL
          UNION ALL
          SELECT cash_session_id, CASE new_method WHEN 'CASH' THEN new_amount_cents + new_tip_cents ELSE 0 END
             - CASE old_method WHEN 'CASH' THEN old_amount_cents + old_tip_cents ELSE 0 END
          FROM payment_corrections WHERE outlet_id = ?1 AND business_date = ?2 AND cash_session_id IS NOT NULL
          UNION ALL
          SELECT cash_session_id, -amount_cents FROM refunds
          WHERE outlet_id = ?1 AND business_date = ?2 AND method = 'CASH' AND cash_session_id IS NOT NULL) AS moved
        GROUP BY cash_session_id) AS m
        CROSS JOIN cash_sessions s ON s.id = m.cash_session_id ORDER BY s.opened_at, s.id";
    rows(conn, sql, params![day.outlet, day.date], |row| {
        Ok(DrawerCash { id: row.get("id")?, drawer: row.get("drawer")?, amount: row.get("amount")? })
    })
}

/// Service charge and rounding that credit notes of the day took back.
pub(super) fn sum_credited(conn: &dyn Source, day: &Day) -> db::Result<(Cents, Cents)> {
    let sql = "SELECT coalesce(sum(n.service_charge_cents), 0) AS service, coalesce(sum(n.rounding_cents), 0) AS rounding FROM invoices n
        CROSS JOIN orders o ON o.id = n.order_id AND o.invoice_id = n.refers_to_id AND o.status <> 'CANCELLED'
        WHERE n.outlet_id = ?1 AND n.business_date = ?2 AND n.kind = 'CREDIT_NOTE'";
    one(conn, sql, params![day.outlet, day.date], |row| Ok((row.get("service")?, row.get("rounding")?)))
}

/// Payments that were put right on the day; what that added to tips.
pub(super) fn sum_corrections(conn: &dyn Source, day: &Day) -> db::Result<CountAndSum> {
    let sql = "SELECT count(*) AS count, coalesce(sum(new_tip_cents - old_tip_cents), 0) AS amount_cents
        FROM payment_corrections WHERE outlet_id = ?1 AND business_date = ?2 AND kind <> 'REVERSE'";
    count_and_sum(conn, sql, day)
}

/// Tips that were paid out of drawers on the day.
pub(super) fn sum_tips_paid_out(conn: &dyn Source, day: &Day) -> db::Result<CountAndSum> {
    let sql =
        "SELECT count(*) AS count, coalesce(sum(m.amount_cents), 0) AS amount_cents FROM cash_movements m
        WHERE m.outlet_id = ?1 AND m.business_date = ?2 AND m.is_tips = 1";
    count_and_sum(conn, sql, day)
}

/// What left the books of the day otherwise than by sales.
pub(super) fn sum_losses(
    conn: &dyn Source,
    day: &Day,
    over_short: Cents,
) -> super::super::rules::Result<DayLosses> {
    let of_kind = |kind: &str| {
        let sql = format!(
            "SELECT count(*) AS count, coalesce(sum(m.amount_cents), 0) AS amount_cents FROM cash_movements m
             WHERE m.outlet_id = ?1 AND m.business_date = ?2 AND m.is_tips = 0 AND m.kind = '{kind}'"
        );
        count_and_sum(conn, &sql, day)
    };
    let sql = "SELECT coalesce(sum(cost_micros), 0) FROM stock_movements
        WHERE outlet_id = ?1 AND business_date = ?2 AND kind = 'WASTE'";
    let wasted: i64 = one(conn, sql, params![day.outlet, day.date], |row| row.get(0))?;
    Ok(DayLosses {
        no_sale_count: of_kind("NO_SALE")?.count,
        pay_outs: of_kind("PAY_OUT")?,
        pay_ins: of_kind("PAY_IN")?,
        waste_cents: micro_cents_to_cents(wasted.saturating_neg())?,
        over_short_cents: over_short,
    })
}

/// What channels pay out of payments, refunds and corrections of the day, tips included.
pub(super) fn sum_channel_payouts(conn: &dyn Source, day: &Day) -> db::Result<CountAndSum> {
    let sql = "SELECT coalesce(sum(n), 0) AS count, coalesce(sum(amount), 0) AS amount_cents FROM (
          SELECT 1 AS n, amount_cents + tip_cents AS amount FROM payments
          WHERE outlet_id = ?1 AND business_date = ?2 AND method = 'OTHER' AND channel_id IS NOT NULL
          UNION ALL
          SELECT CASE WHEN k.new_method = 'OTHER' AND k.kind <> 'REVERSE' THEN 1 ELSE 0 END - CASE k.old_method WHEN 'OTHER' THEN 1 ELSE 0 END,
            CASE k.new_method WHEN 'OTHER' THEN k.new_amount_cents + k.new_tip_cents ELSE 0 END
              - CASE k.old_method WHEN 'OTHER' THEN k.old_amount_cents + k.old_tip_cents ELSE 0 END
          FROM payment_corrections k JOIN payments p ON p.id = k.payment_id
          WHERE k.outlet_id = ?1 AND k.business_date = ?2 AND p.channel_id IS NOT NULL
          UNION ALL
          SELECT 0, -r.amount_cents FROM refunds r JOIN payments p ON p.id = r.payment_id
          WHERE r.outlet_id = ?1 AND r.business_date = ?2 AND r.method = 'OTHER' AND p.channel_id IS NOT NULL) AS moved";
    count_and_sum(conn, sql, day)
}
