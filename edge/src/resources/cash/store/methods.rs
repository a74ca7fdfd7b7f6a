//! What came in and went back on a date by method of payment, as it was put right: at the outlet, or by somebody's hand. Never writes.

use super::super::rules::sums::MethodSum;
use crate::db::{self, Bind, Source, list};
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

/// The sums of outlet ?1 on date ?2; the three say which of the payments `p`, corrections `c` and refunds `r` count.
macro_rules! sums {
    ($payments:expr, $corrections:expr, $refunds:expr) => {
        concat!(
            "SELECT method, CAST(sum(paid) AS INTEGER) AS payment_count, CAST(sum(amount) AS INTEGER) AS amount_cents,
               CAST(sum(tip) AS INTEGER) AS tip_cents, CAST(sum(given) AS INTEGER) AS refund_count,
               CAST(sum(back) AS INTEGER) AS refunded_cents
             FROM (
               SELECT p.method, 1 AS paid, p.amount_cents AS amount, p.tip_cents AS tip, 0 AS given, 0 AS back FROM payments p
               WHERE p.outlet_id = ?1 AND p.business_date = ?2",
            $payments,
            " UNION ALL
               SELECT c.old_method, CASE WHEN c.kind = 'REVERSE' OR c.old_method <> c.new_method THEN -1 ELSE 0 END,
                 -c.old_amount_cents, -c.old_tip_cents, 0, 0 FROM payment_corrections c
               WHERE c.outlet_id = ?1 AND c.business_date = ?2",
            $corrections,
            " UNION ALL
               SELECT c.new_method, CASE WHEN c.kind <> 'REVERSE' AND c.old_method <> c.new_method THEN 1 ELSE 0 END,
                 c.new_amount_cents, c.new_tip_cents, 0, 0 FROM payment_corrections c
               WHERE c.outlet_id = ?1 AND c.business_date = ?2",
            $corrections,
            " UNION ALL
               SELECT r.method, 0, 0, 0, 1, r.amount_cents FROM refunds r WHERE r.outlet_id = ?1 AND r.business_date = ?2",
            $refunds,
            ") AS moved GROUP BY method ORDER BY method"
        )
    };
}

/// What the outlet took and gave back on `date`.
pub(super) fn sum_all(conn: &dyn Source, outlet: Uuid, date: NaiveDate) -> db::Result<Vec<MethodSum>> {
    read(conn, sums!("", "", ""), params![outlet, date])
}

/// What `employee` took and gave back on `date`. What was put right counts for who had taken it.
pub(super) fn sum_of(
    conn: &dyn Source,
    outlet: Uuid,
    date: NaiveDate,
    employee: Uuid,
) -> db::Result<Vec<MethodSum>> {
    const SQL: &str = sums!(
        concat!(" AND ", by_them!("p")),
        concat!(" AND EXISTS (SELECT 1 FROM payments p WHERE p.id = c.payment_id AND ", by_them!("p"), ")"),
        concat!(" AND ", by_them!("r"))
    );
    read(conn, SQL, params![outlet, date, employee])
}

fn read(conn: &dyn Source, sql: &'static str, of: impl Bind) -> db::Result<Vec<MethodSum>> {
    let mut sums = list(conn, sql, of, |row| {
        Ok(read!(row => MethodSum {
            method, payment_count, amount_cents, tip_cents, refund_count, refunded_cents, net_cents: Cents::ZERO
        }))
    })?;
    for sum in &mut sums {
        sum.net_cents = sum.amount_cents.plus(sum.tip_cents)?.minus(sum.refunded_cents)?;
    }
    Ok(sums)
}
