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
         SELECT m.kind, m.at, m.by_id, m.approver_id, NULL, NULL, m.amount_cents, 0, m.reason FROM cash_movements m
         WHERE m.outlet_id = ?1 AND m.business_date BETWEEN ?2 AND ?3 AND m.kind IN ('PAY_OUT', 'NO_SALE')
         UNION ALL
         SELECT 'DRAWER_DIFFERENCE', s.closed_at, s.closed_by, NULL, NULL, NULL, -s.over_short_cents, 0, coalesce(s.note, '')
         FROM cash_sessions s
         WHERE s.outlet_id = ?1 AND s.business_date BETWEEN ?2 AND ?3 AND s.status = 'CLOSED' AND s.over_short_cents <> 0";
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

/// What only the audit log tells: other prices, and pay-outs of more than there was.
fn list_told(conn: &dyn Source, question: &Question) -> db::Result<Vec<Loss>> {
    let sql = "SELECT action, at, actor_id, approver_id, before, after FROM audit_log
        WHERE outlet_id = ?1 AND at >= ?2 AND at < ?3 AND action IN ('order.price_override', 'cash.pay_out_refused')";
    let (day, range) = (question.outlet.business_day(), question.range);
    list(conn, sql, params![question.outlet.id, day.start(range.from), day.end(range.to)], |row| {
        let action: String = row.get("action")?;
        let (before, after): (Json<Value>, Json<Value>) = (row.get("before")?, row.get("after")?);
        let price = |told: &Value| told["unitPriceCents"].as_i64().unwrap_or_default();
        let is_price = action == "order.price_override";
        let amount = if is_price { price(&before.0).saturating_sub(price(&after.0)) } else { 0 };
        Ok(Loss {
            kind: if is_price { LossKind::PriceOverride } else { LossKind::PayOutRefused },
            at: row.get("at")?,
            by_id: row.get("actor_id")?,
            approver_id: row.get("approver_id")?,
            order_number: None,
            table_number: None,
            amount: Cents::new(amount),
            cost_micros: 0,
            reason: after.0["item"].as_str().unwrap_or_default().to_owned(),
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
