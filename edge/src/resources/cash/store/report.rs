//! The figures of a day, read from the ledgers of orders, cash and stock. Never writes.

use super::super::rules::reconcile::Parts;
use super::super::rules::report::{
    AfterClose, CashSum, DrawerSum, Outage, Sales, SalesOfType, TaxSum, VoidSum, ZReport,
};
use super::super::rules::sums::{CountAndSum, DocumentSum};
use super::super::rules::{Blockers, Result, Session};
use super::day::{Day, count_and_sum};
use super::{methods, reconcile, sum_flow};
use crate::db::{self, Columns, Source, list as rows, one};
use crate::resources::orders::rules::invoices::InvoiceKind;
use crate::resources::orders::rules::slips::SlipKind;
use chrono::NaiveDate;
use rusqlite::params;
use tiffin_common::quantity::micro_cents_to_cents;
use tiffin_common::{Cents, Millis, Overflow, Quantity, UnitCost, Uuid};

/// The report of `day` as things stand now; `open` is what it carries over.
///
/// # Errors
/// A sum that leaves the range of money.
pub fn sum_day(conn: &dyn Source, day: &Day, open: Blockers) -> Result<ZReport> {
    let mut sales = Sales::default();
    let sales_by_type = sales_by_type(conn, day)?;
    for part in &sales_by_type {
        sales.add(&part.sales)?;
    }
    let payments = methods::sum_all(conn, day.outlet, day.date)?;
    let net_revenue_cents = sales.gross_cents.minus(sales.discount_cents)?.minus(credited(conn, day)?)?;
    let tip_cents = Cents::sum(payments.iter().map(|method| method.tip_cents))?;
    let (invoices, credit_notes) =
        (documents(conn, day, InvoiceKind::Invoice)?, documents(conn, day, InvoiceKind::CreditNote)?);
    let (operator_taxed, operator_returned) =
        (slips(conn, day, SlipKind::Slip)?, slips(conn, day, SlipKind::Return)?);
    let channel_payouts = reconcile::sum_channel_payouts(conn, day)?;
    let (write_offs, cash) = (write_offs(conn, day)?, cash(conn, day)?);
    let before = day.date.pred_opt().unwrap_or(day.date);
    let parts = Parts {
        date: day.date,
        invoices: &invoices,
        credit_notes: &credit_notes,
        operator_taxed: &operator_taxed,
        operator_returned: &operator_returned,
        channel_payouts: &channel_payouts,
        payments: &payments,
        write_offs: &write_offs,
        tips: tip_cents,
        outside_drawers: cash.outside_drawers_cents,
        drawers: reconcile::list_drawer_cash(conn, day)?,
        before: reconcile::list_open(conn, day.outlet, before)?,
        after: reconcile::list_open(conn, day.outlet, day.date)?,
    };
    let reconciliation = parts.reconcile()?;
    let (service_back, rounding_back) = reconcile::sum_credited(conn, day)?;
    Ok(ZReport {
        service_charge_cents: sales.service_charge_cents.minus(service_back)?,
        rounding_cents: sales.rounding_cents.minus(rounding_back)?,
        tips_paid_out: reconcile::sum_tips_paid_out(conn, day)?,
        corrections: reconcile::sum_corrections(conn, day)?,
        losses: reconcile::sum_losses(conn, day, cash.over_short_cents)?,
        reconciliation,
        sales,
        sales_by_type,
        cancelled: cancelled(conn, day)?,
        net_revenue_cents,
        taxes: taxes(conn, day)?,
        payments,
        tip_cents,
        discounts: discounts(conn, day)?,
        voids: voids(conn, day)?,
        refunds: refunds(conn, day)?,
        reversals: reversals(conn, day)?,
        write_offs,
        cash,
        stock_value_cents: stock_value(conn, day.outlet)?,
        invoices,
        credit_notes,
        operator_taxed,
        operator_returned,
        channel_payouts,
        open_orders: open.orders,
        open_drawers: open.drawers,
        outages: outages(conn, day)?,
    })
}

/// The orders of the bills of a day, and of the slips that stand for one.
const BILLED: &str = "(SELECT o.* FROM invoices i CROSS JOIN orders o ON o.id = i.order_id AND o.invoice_id = i.id AND o.status <> 'CANCELLED'
    WHERE i.outlet_id = ?1 AND i.business_date = ?2 AND i.kind = 'INVOICE'
    UNION ALL SELECT o.* FROM order_slips s CROSS JOIN orders o ON o.id = s.order_id AND o.slip_id = s.id AND o.invoice_id IS NULL
      AND o.status <> 'CANCELLED' WHERE s.outlet_id = ?1 AND s.business_date = ?2 AND s.kind = 'SLIP') AS o";

fn sales_by_type(conn: &dyn Source, day: &Day) -> db::Result<Vec<SalesOfType>> {
    let sql = format!(
        "SELECT o.order_type, count(*) AS order_count, coalesce(sum(o.guest_count), 0) AS guest_count,
           sum(o.subtotal_cents) AS gross_cents, sum(o.discount_cents) AS discount_cents,
           sum(o.service_charge_cents) AS service_charge_cents, sum(o.tax_cents) AS tax_cents,
           sum(o.rounding_cents) AS rounding_cents, sum(o.total_cents) AS total_cents
         FROM {BILLED} GROUP BY o.order_type ORDER BY o.order_type"
    );
    rows(conn, &sql, params![day.outlet, day.date], |row| {
        let sales = read!(row => Sales {
            order_count, guest_count, gross_cents, discount_cents, service_charge_cents, tax_cents, rounding_cents, total_cents
        });
        Ok(read!(row => SalesOfType { order_type, sales: sales }))
    })
}

fn cancelled(conn: &dyn Source, day: &Day) -> db::Result<CountAndSum> {
    let sql = "SELECT count(*) AS count, coalesce(sum(total_cents), 0) AS amount_cents FROM orders
        WHERE outlet_id = ?1 AND business_date = ?2 AND status = 'CANCELLED' AND merged_into_id IS NULL
          AND (dispatched_at IS NOT NULL OR release_at IS NULL)";
    count_and_sum(conn, sql, day)
}

fn taxes(conn: &dyn Source, day: &Day) -> db::Result<Vec<TaxSum>> {
    let sql = "SELECT t.name, t.rate_bps, sum(CASE t.kind WHEN 'INVOICE' THEN t.taxable ELSE 0 END) AS taxable_cents,
          sum(CASE t.kind WHEN 'INVOICE' THEN t.tax ELSE 0 END) AS tax_cents,
          sum(CASE t.kind WHEN 'INVOICE' THEN 0 ELSE t.taxable END) AS credited_taxable_cents,
          sum(CASE t.kind WHEN 'INVOICE' THEN 0 ELSE t.tax END) AS credited_tax_cents
        FROM (SELECT n.kind, j.value ->> 'name' AS name, CAST(j.value ->> 'rateBps' AS INTEGER) AS rate_bps,
            CAST(j.value ->> 'taxableCents' AS INTEGER) AS taxable, CAST(j.value ->> 'taxCents' AS INTEGER) AS tax
          FROM invoices n CROSS JOIN json_each(n.body, '$.taxes') j
          WHERE n.outlet_id = ?1 AND n.business_date = ?2) AS t
        GROUP BY t.name, t.rate_bps ORDER BY t.name, t.rate_bps";
    rows(conn, sql, params![day.outlet, day.date], |row| {
        Ok(read!(row => TaxSum {
            name, rate_bps, taxable_cents, tax_cents, credited_taxable_cents, credited_tax_cents
        }))
    })
}

fn discounts(conn: &dyn Source, day: &Day) -> db::Result<CountAndSum> {
    let sql = format!(
        "SELECT count(*) AS count, coalesce(sum(d.net_cents), 0) AS amount_cents
         FROM {BILLED} CROSS JOIN order_discounts d ON d.order_id = o.id AND d.removed_at IS NULL"
    );
    count_and_sum(conn, &sql, day)
}

fn voids(conn: &dyn Source, day: &Day) -> Result<VoidSum> {
    let sql = "SELECT count(*) AS count, coalesce(sum(quantity), 0) AS quantity,
          coalesce(sum(amount_cents), 0) AS amount_cents,
          coalesce(sum(CASE WHEN was_made = 1 THEN quantity END), 0) AS made_quantity,
          coalesce(sum(cost_micros), 0) AS cost_micros
        FROM order_item_voids WHERE outlet_id = ?1 AND business_date = ?2";
    let (sum, cost_micros): (VoidSum, i64) = one(conn, sql, params![day.outlet, day.date], |row| {
        let sum =
            read!(row => VoidSum { count, quantity, amount_cents, made_quantity, cost_cents: Cents::ZERO });
        Ok((sum, row.get("cost_micros")?))
    })?;
    Ok(VoidSum { cost_cents: micro_cents_to_cents(cost_micros)?, ..sum })
}

fn refunds(conn: &dyn Source, day: &Day) -> db::Result<CountAndSum> {
    let sql = "SELECT count(DISTINCT credit_note_id) AS count, coalesce(sum(amount_cents), 0) AS amount_cents
        FROM refunds WHERE outlet_id = ?1 AND business_date = ?2";
    count_and_sum(conn, sql, day)
}

/// Payments that were found not to hold.
fn reversals(conn: &dyn Source, day: &Day) -> db::Result<CountAndSum> {
    let sql = "SELECT count(*) AS count, coalesce(sum(old_amount_cents), 0) AS amount_cents
        FROM payment_corrections WHERE outlet_id = ?1 AND business_date = ?2 AND kind = 'REVERSE'";
    count_and_sum(conn, sql, day)
}

fn write_offs(conn: &dyn Source, day: &Day) -> db::Result<CountAndSum> {
    let sql = "SELECT count(*) AS count, coalesce(sum(amount_cents), 0) AS amount_cents
        FROM write_offs WHERE outlet_id = ?1 AND business_date = ?2";
    count_and_sum(conn, sql, day)
}

/// The slips of a kind.
fn slips(conn: &dyn Source, day: &Day, kind: SlipKind) -> db::Result<CountAndSum> {
    let sql = "SELECT count(*) AS count, coalesce(sum(total_cents), 0) AS amount_cents
        FROM order_slips WHERE outlet_id = ?1 AND business_date = ?2 AND kind = ?3";
    one(conn, sql, params![day.outlet, day.date, kind], |row| {
        Ok(read!(row => CountAndSum { count, amount_cents }))
    })
}

/// What credit notes of the day took back of the dishes of bills that stand: what refunds are to revenue.
fn credited(conn: &dyn Source, day: &Day) -> db::Result<Cents> {
    let sql = "SELECT (SELECT coalesce(sum(n.total_cents - n.tax_cents - n.service_charge_cents - n.rounding_cents), 0) FROM invoices n
        CROSS JOIN orders o ON o.id = n.order_id AND o.invoice_id = n.refers_to_id AND o.status <> 'CANCELLED'
        WHERE n.outlet_id = ?1 AND n.business_date = ?2 AND n.kind = 'CREDIT_NOTE')
      + (SELECT coalesce(sum(total_cents), 0) FROM order_slips
        WHERE outlet_id = ?1 AND business_date = ?2 AND kind = 'RETURN')";
    one(conn, sql, params![day.outlet, day.date], |row| row.get(0))
}

/// Cash of a day that came in, less what was given back, while no drawer was open.
pub fn sum_outside_drawers(conn: &dyn Source, day: &Day) -> db::Result<Cents> {
    let sql = "SELECT (SELECT coalesce(sum(amount_cents + tip_cents), 0) FROM payments
            WHERE outlet_id = ?1 AND business_date = ?2 AND method = 'CASH' AND cash_session_id IS NULL)
        + (SELECT coalesce(sum(CASE new_method WHEN 'CASH' THEN new_amount_cents + new_tip_cents ELSE 0 END
             - CASE old_method WHEN 'CASH' THEN old_amount_cents + old_tip_cents ELSE 0 END), 0) FROM payment_corrections
            WHERE outlet_id = ?1 AND business_date = ?2 AND cash_session_id IS NULL)
        - (SELECT coalesce(sum(amount_cents), 0) FROM refunds
            WHERE outlet_id = ?1 AND business_date = ?2 AND method = 'CASH' AND cash_session_id IS NULL)";
    one(conn, sql, params![day.outlet, day.date], |row| row.get(0))
}

/// What was entered for `date` after the moment `closed`.
pub fn sum_after_close(
    conn: &dyn Source,
    outlet: Uuid,
    date: NaiveDate,
    closed: Millis,
) -> db::Result<AfterClose> {
    // A part that an order was split into later has its date, and was not taken anew.
    let sql = "SELECT
        (SELECT count(*) FROM orders WHERE outlet_id = ?1 AND business_date = ?2 AND created_at > ?3
          AND status <> 'CANCELLED' AND (dispatched_at IS NOT NULL OR release_at IS NULL) AND split_from_id IS NULL) AS order_count,
        (SELECT coalesce(sum(total_cents), 0) FROM orders WHERE outlet_id = ?1 AND business_date = ?2
          AND created_at > ?3 AND status <> 'CANCELLED' AND (dispatched_at IS NOT NULL OR release_at IS NULL) AND split_from_id IS NULL)
          AS order_total_cents,
        (SELECT coalesce(sum(amount_cents), 0) FROM payments WHERE outlet_id = ?1 AND business_date = ?2
          AND at > ?3) AS payment_cents,
        (SELECT coalesce(sum(amount_cents), 0) FROM refunds WHERE outlet_id = ?1 AND business_date = ?2
          AND at > ?3) AS refund_cents";
    one(conn, sql, params![outlet, date, closed], |row| {
        Ok(read!(row => AfterClose { order_count, order_total_cents, payment_cents, refund_cents }))
    })
}

fn cash(conn: &dyn Source, day: &Day) -> Result<CashSum> {
    let sql = select!(
        Session,
        "WHERE outlet_id = ?1 AND business_date <= ?2 AND (closed_at IS NULL OR closed_at >= ?3) ORDER BY opened_at, id"
    );
    let sessions = rows(conn, sql, params![day.outlet, day.date, day.start], Session::read)?;
    let mut sum = CashSum { outside_drawers_cents: sum_outside_drawers(conn, day)?, ..CashSum::default() };
    for session in sessions {
        let flow = sum_flow(conn, session.id)?;
        let no_sales = "SELECT count(*) FROM cash_movements WHERE cash_session_id = ?1 AND kind = 'NO_SALE'";
        let expected = match session.expected {
            Some(expected) => expected,
            None => flow.expected(session.opening_float)?,
        };
        let is_of_day = session.count_date() == day.date;
        if let (Some(counted), Some(over_short), true) = (session.counted, session.over_short, is_of_day) {
            sum.expected_cents = sum.expected_cents.plus(expected)?;
            sum.counted_cents = sum.counted_cents.plus(counted)?;
            sum.over_short_cents = sum.over_short_cents.plus(over_short)?;
        }
        sum.sessions.push(DrawerSum {
            id: session.id,
            drawer: session.drawer,
            status: session.status,
            opened_by: session.opened_by_name,
            opening_float_cents: session.opening_float,
            flow,
            no_sale_count: one(conn, no_sales, [session.id], |row| row.get(0))?,
            expected_cents: expected,
            counted_cents: session.counted,
            over_short_cents: session.over_short,
        });
    }
    Ok(sum)
}

/// What the stock on hand cost, batch by batch, rounded once at the end.
fn stock_value(conn: &dyn Source, outlet: Uuid) -> Result<Cents> {
    let sql =
        "SELECT l.quantity, b.unit_cost FROM stock_batch_levels l JOIN stock_batches b ON b.id = l.batch_id
        WHERE l.outlet_id = ?1 AND l.quantity > 0";
    let batches = rows(conn, sql, [outlet], |row| {
        Ok((row.get::<_, Quantity>("quantity")?, row.get::<_, UnitCost>("unit_cost")?))
    })?;
    let mut micros = 0i64;
    for (quantity, unit_cost) in batches {
        micros = micros.checked_add(unit_cost.cost_micros(quantity)?).ok_or(Overflow)?;
    }
    Ok(micro_cents_to_cents(micros)?)
}

fn documents(conn: &dyn Source, day: &Day, kind: InvoiceKind) -> db::Result<DocumentSum> {
    let number_at = |end: &str| {
        format!(
            "(SELECT number FROM invoices WHERE outlet_id = ?1 AND business_date = ?2 AND kind = ?3
              ORDER BY fiscal_year {end}, serial {end} LIMIT 1)"
        )
    };
    let sql = format!(
        "SELECT count(*) AS count, coalesce(sum(total_cents), 0) AS total_cents, coalesce(sum(tax_cents), 0) AS tax_cents,
           {} AS first_number, {} AS last_number
         FROM invoices WHERE outlet_id = ?1 AND business_date = ?2 AND kind = ?3",
        number_at("ASC"),
        number_at("DESC")
    );
    one(conn, &sql, params![day.outlet, day.date, kind], |row| {
        Ok(read!(row => DocumentSum { count, total_cents, tax_cents, first_number, last_number }))
    })
}

/// The times between the last change of one process and the start of the next, where they touch the day.
fn outages(conn: &dyn Source, day: &Day) -> db::Result<Vec<Outage>> {
    let sql = "SELECT l.wall_ms AS last_recorded_at, m.started_at AS restarted_at
        FROM sync_meta m JOIN sync_log l ON l.seq = m.parent_seq
        WHERE m.parent_epoch IS NOT NULL AND m.started_at >= ?1 AND l.wall_ms < ?2 AND m.started_at > l.wall_ms
        ORDER BY m.started_at";
    rows(conn, sql, params![day.start, day.end], |row| {
        Ok(read!(row => Outage { last_recorded_at, restarted_at }))
    })
}

#[cfg(test)]
mod tests {
    use super::super::list_blockers;
    use super::*;
    use crate::testing::Fixture;

    #[test]
    fn an_empty_day_has_a_report_of_nothing() {
        let fixture = Fixture::new();
        let day = Day {
            outlet: fixture.outlet_id,
            date: "2026-11-20".parse().unwrap(),
            start: Millis::new(0),
            end: Millis::new(i64::MAX),
        };
        let read = fixture.db.read_blocking(move |conn| -> Result<ZReport> {
            let open = list_blockers(conn, day.outlet, day.date)?;
            sum_day(conn, &day, open)
        });
        let report = read.unwrap();
        assert_eq!((report.sales, report.stock_value_cents), (Sales::default(), Cents::ZERO));
        assert!(report.payments.is_empty() && report.outages.is_empty());
    }

    #[test]
    fn a_day_is_read_by_its_indexes() {
        let fixture = Fixture::new();
        let queries = [
            "SELECT count(*) FROM payment_corrections WHERE outlet_id = x'' AND business_date = ''",
            "SELECT sum(new_amount_cents) FROM payment_corrections WHERE cash_session_id = x''",
            "SELECT count(*) FROM write_offs WHERE outlet_id = x'' AND business_date = ''",
            "SELECT count(*) FROM invoices i CROSS JOIN orders o ON o.id = i.order_id AND o.invoice_id = i.id
               WHERE i.outlet_id = x'' AND i.business_date = '' AND i.kind = 'INVOICE'",
            "SELECT count(*) FROM orders WHERE outlet_id = x'' AND business_date = '' AND status <> 'CANCELLED'",
            "SELECT count(*) FROM orders WHERE outlet_id = x'' AND status NOT IN ('COMPLETED', 'CANCELLED') AND business_date <= ''",
            "SELECT sum(amount_cents) FROM payments WHERE outlet_id = x'' AND business_date = ''",
            "SELECT sum(amount_cents) FROM payments WHERE cash_session_id = x''",
            "SELECT sum(amount_cents) FROM refunds WHERE outlet_id = x'' AND business_date = ''",
            "SELECT count(*) FROM order_item_voids WHERE outlet_id = x'' AND business_date = ''",
            "SELECT sum(total_cents) FROM invoices WHERE outlet_id = x'' AND business_date = '' AND kind = ''",
            "SELECT id FROM invoices WHERE outlet_id = x'' ORDER BY at DESC LIMIT 20",
            "SELECT hash FROM invoices WHERE outlet_id = x'' AND kind = '' AND fiscal_year = '' ORDER BY serial DESC LIMIT 1",
        ];
        for sql in queries {
            let read = fixture.db.read_blocking(|conn| -> db::Result<Vec<String>> {
                rows(conn, &format!("EXPLAIN QUERY PLAN {sql}"), [], |row| row.get("detail"))
            });
            let plan = read.unwrap().join("; ");
            assert!(
                plan.contains("INDEX") && !plan.contains("SCAN") && !plan.contains("TEMP B-TREE"),
                "{sql}: {plan}"
            );
        }
    }
}
