//! What the loss-prevention ledger is read from: the ledgers of orders and cash, and the audit log where nothing else keeps it.

use super::question::Question;
use crate::db::{self, Json, Source, list, one};
use crate::resources::analytics::rules::losses::{Loss, LossKind};
use rusqlite::params;
use serde_json::Value;
use tiffin_common::Cents;

/// What took money or food off the books in the range, newest first.
pub fn list_losses(conn: &dyn Source, question: &Question) -> db::Result<Vec<Loss>> {
    const LEDGERS: &str =
        "SELECT v.kind AS kind, v.at AS at, v.by_id AS by_id, v.approver_id AS approver_id, o.order_number AS order_number,
           o.table_number AS table_number, v.amount_cents AS amount, v.cost_micros AS cost_micros, v.reason AS reason
         FROM order_item_voids v JOIN orders o ON o.id = v.order_id
         WHERE v.outlet_id = ?1 AND v.business_date BETWEEN ?2 AND ?3
         UNION ALL
         SELECT CASE WHEN d.type = 'PERCENT' AND d.value >= 10000 THEN 'COMP' ELSE 'DISCOUNT' END, d.at, d.by_id, d.approver_id,
           o.order_number, o.table_number, d.amount_cents, 0, d.reason
         FROM orders o JOIN order_discounts d ON d.order_id = o.id
         WHERE o.outlet_id = ?1 AND o.business_date BETWEEN ?2 AND ?3 AND d.removed_at IS NULL
         UNION ALL
         SELECT 'REFUND', r.at, r.by_id, r.approver_id, o.order_number, o.table_number, r.amount_cents, 0, r.reason
         FROM refunds r JOIN orders o ON o.id = r.order_id
         WHERE r.outlet_id = ?1 AND r.business_date BETWEEN ?2 AND ?3
         UNION ALL
         SELECT 'WRITE_OFF', w.at, w.by_id, w.approver_id, o.order_number, o.table_number, w.amount_cents, 0, w.reason
         FROM write_offs w JOIN orders o ON o.id = w.order_id
         WHERE w.outlet_id = ?1 AND w.business_date BETWEEN ?2 AND ?3
         UNION ALL
         SELECT CASE c.kind WHEN 'REVERSE' THEN 'PAYMENT_REVERSED' ELSE 'PAYMENT_CORRECTED' END, c.at, c.by_id, c.approver_id,
           o.order_number, o.table_number,
           CASE WHEN c.kind = 'REVERSE' THEN c.old_amount_cents - c.new_amount_cents
                WHEN c.old_method <> c.new_method THEN c.old_amount_cents ELSE 0 END + abs(c.old_tip_cents - c.new_tip_cents),
           0, c.reason
         FROM payment_corrections c JOIN orders o ON o.id = c.order_id
         WHERE c.outlet_id = ?1 AND c.business_date BETWEEN ?2 AND ?3
           -- A guest's tip that is entered after the payment takes nothing off.
           AND (c.kind = 'REVERSE' OR c.old_method <> c.new_method OR c.old_tip_cents <> 0)
         UNION ALL
         SELECT m.kind, m.at, m.by_id, m.approver_id, NULL, NULL, m.amount_cents, 0, m.reason FROM cash_movements m
         WHERE m.outlet_id = ?1 AND m.business_date BETWEEN ?2 AND ?3 AND m.kind IN ('PAY_OUT', 'NO_SALE')
         UNION ALL
         SELECT 'DRAWER_DIFFERENCE', s.closed_at, s.closed_by, NULL, NULL, NULL, -s.over_short_cents, 0, coalesce(s.note, '')
         FROM cash_sessions s
         WHERE s.outlet_id = ?1 AND coalesce(s.counted_date, s.business_date) BETWEEN ?2 AND ?3 AND s.status = 'CLOSED' AND s.over_short_cents <> 0";
    let range = question.range;
    let mut losses = list(conn, LEDGERS, params![question.outlet.id, range.from, range.to], |row| {
        Ok(read!(row => Loss {
            kind, at, by_id, approver_id, order_number, table_number, amount, cost_micros, reason
        }))
    })?;
    losses.extend(list_told(conn, question)?);
    losses.sort_by(|one, other| other.cmp(one));
    Ok(losses)
}

/// What only the audit log tells: other prices, pay-outs of more than there was, orders that were never sent, credit notes without a
/// refund.
fn list_told(conn: &dyn Source, question: &Question) -> db::Result<Vec<Loss>> {
    let sql = "SELECT a.action, a.at, a.actor_id, a.approver_id, a.before, a.after, a.reason, o.order_number, o.table_number,
          o.gross_cents
        FROM audit_log a LEFT JOIN orders o ON o.id = a.entity_id AND o.outlet_id = a.outlet_id
        WHERE a.outlet_id = ?1 AND a.at >= ?2 AND a.at < ?3
          AND (a.action IN ('order.price_override', 'order.credit_note', 'cash.pay_out_refused')
            OR (a.action = 'order.cancel' AND o.dispatched_at IS NULL))";
    let (day, range) = (question.outlet.business_day(), question.range);
    list(conn, sql, params![question.outlet.id, day.start(range.from), day.end(range.to)], |row| {
        let action: String = row.get("action")?;
        let (before, after): (Json<Value>, Json<Value>) = (row.get("before")?, row.get("after")?);
        let cents = |told: &Json<Value>, name: &str| told.0[name].as_i64().unwrap_or_default();
        let price = |told: &Json<Value>| cents(told, "unitPriceCents");
        let (kind, amount) = match action.as_str() {
            "order.price_override" => (LossKind::PriceOverride, price(&before).saturating_sub(price(&after))),
            "order.credit_note" => (LossKind::CreditNote, cents(&after, "amountCents")),
            "order.cancel" => {
                (LossKind::Draft, row.get::<_, Option<i64>>("gross_cents")?.unwrap_or_default())
            }
            _ => (LossKind::PayOutRefused, 0),
        };
        let item = after.0["item"].as_str().map(str::to_owned);
        Ok(Loss {
            kind,
            at: row.get("at")?,
            by_id: row.get("actor_id")?,
            approver_id: row.get("approver_id")?,
            order_number: row.get("order_number")?,
            table_number: row.get("table_number")?,
            amount: Cents::new(amount),
            cost_micros: 0,
            reason: row.get::<_, Option<String>>("reason")?.or(item).unwrap_or_default(),
        })
    })
}

/// How many people took orders or payments in the range, and how many tables had guests.
pub fn count_active(conn: &dyn Source, question: &Question) -> db::Result<(usize, usize)> {
    let sql = "SELECT
        (SELECT count(*) FROM (
           SELECT created_by AS id FROM orders
             WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3 AND created_by IS NOT NULL
               AND (dispatched_at IS NOT NULL OR release_at IS NULL)
           UNION SELECT by_id FROM payments
             WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3 AND by_id IS NOT NULL) AS active) AS people,
        (SELECT count(DISTINCT table_number) FROM orders
           WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3
             AND (dispatched_at IS NOT NULL OR release_at IS NULL)) AS tables";
    let range = question.range;
    one(conn, sql, params![question.outlet.id, range.from, range.to], |row| {
        let count =
            |name| -> db::Result<usize> { Ok(usize::try_from(row.get::<_, i64>(name)?).unwrap_or(0)) };
        Ok((count("people")?, count("tables")?))
    })
}
