//! What the lists and reports are made of: rows of sums, without names and without order.

use super::families::{DISCOUNTS, HOURS, ITEMS, MONEY, PURCHASES, SALES, TAXES, WASTE, grams, ounces};
use super::question::Question;
use crate::db::{self, Row, Source, list, one};
use crate::resources::analytics::rules::reports::Received;
use crate::resources::analytics::rules::reports::combos::Component;
use crate::resources::analytics::rules::rows::{
    Delivered, DiscountKey, Discounted, Money, OperatorTaxed, Quarter, Revenue, Sold, Taken, Taxed, Voided,
    Wasted,
};
use crate::resources::orders::rules::PaymentMethod;
use chrono::NaiveDate;
use rusqlite::params;
use std::collections::BTreeMap;
use tiffin_common::{Bps, Cents, Millis, Uuid};

/// An id that may be the empty one.
fn id(row: &Row<'_>, column: &str) -> db::Result<Option<Uuid>> {
    match row.get_ref(column)?.as_blob()? {
        [] => Ok(None),
        _ => row.get(column).map(Some),
    }
}

/// What operators of channels billed on the dates of `question`, and gave back: in revenue, and in no tax of the house.
pub fn sum_operator_taxed(conn: &dyn Source, question: &Question) -> db::Result<OperatorTaxed> {
    let sql = "SELECT count(*) FILTER (WHERE kind = 'SLIP') AS orders_count,
          coalesce(sum(total_cents) FILTER (WHERE kind = 'SLIP'), 0) AS sold_cents,
          coalesce(sum(total_cents) FILTER (WHERE kind = 'RETURN'), 0) AS returned_cents
        FROM order_slips WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3";
    let args = params![question.outlet.id, question.range.from, question.range.to];
    one(conn, sql, args, |row| Ok(read!(row => OperatorTaxed { orders_count, sold_cents, returned_cents })))
}

/// What each dish sold.
pub fn sum_sold(conn: &dyn Source, question: &Question) -> db::Result<BTreeMap<Uuid, Sold>> {
    question.sum_by(conn, &ITEMS, &["menu_item_id"], |row| row.get("menu_item_id"))
}

/// What each variant of each dish sold; none: what was sold of the dish in its one size.
pub fn sum_variants(
    conn: &dyn Source,
    question: &Question,
) -> db::Result<BTreeMap<(Uuid, Option<Uuid>), Sold>> {
    let keys = ["menu_item_id", "variant_id"];
    question.sum_by(conn, &ITEMS, &keys, |row| Ok((row.get("menu_item_id")?, id(row, "variant_id")?)))
}

/// What each variant of each dish sold in each combo, and alone; of a combo itself, how many were sold.
pub fn sum_components(conn: &dyn Source, question: &Question) -> db::Result<BTreeMap<Component, Sold>> {
    let keys = ["combo_id", "menu_item_id", "variant_id"];
    question.sum_by(conn, &ITEMS, &keys, |row| {
        Ok((id(row, "combo_id")?, row.get("menu_item_id")?, id(row, "variant_id")?))
    })
}

/// Orders by the quarter of an hour they were taken in.
pub fn list_quarters(conn: &dyn Source, question: &Question) -> db::Result<Vec<Quarter>> {
    let found: BTreeMap<(NaiveDate, i64), Taken> =
        question.sum_by(conn, &HOURS, &["business_date", "slot"], |row| {
            Ok((row.get("business_date")?, row.get("slot")?))
        })?;
    let quarters = found.into_iter().map(|((date, slot), taken)| {
        let start = Millis::new(slot.saturating_mul(900_000));
        Quarter { date, start, taken }
    });
    Ok(quarters.collect())
}

/// What orders came to, by how they reach their guests.
pub fn sum_order_types(conn: &dyn Source, question: &Question) -> db::Result<BTreeMap<String, Revenue>> {
    question.sum_by(conn, &SALES, &["order_type"], |row| row.get("order_type"))
}

/// Orders that were called off, and what their lines would have cost.
pub fn sum_cancelled(conn: &dyn Source, question: &Question) -> db::Result<(i64, Cents)> {
    let sql = "SELECT count(DISTINCT order_id) AS orders, coalesce(sum(amount_cents), 0) AS amount FROM order_item_voids
        WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3 AND kind = 'CANCEL'";
    one(conn, sql, params![question.outlet.id, question.range.from, question.range.to], |row| {
        Ok((row.get("orders")?, row.get("amount")?))
    })
}

/// Money by the method it moved by.
pub fn sum_methods(conn: &dyn Source, question: &Question) -> db::Result<BTreeMap<PaymentMethod, Money>> {
    question.sum_by(conn, &MONEY, &["method"], |row| row.get("method"))
}

/// Tax by component and rate.
pub fn sum_taxes(conn: &dyn Source, question: &Question) -> db::Result<BTreeMap<(String, Bps), Taxed>> {
    question.sum_by(conn, &TAXES, &["name", "rate_bps"], |row| Ok((row.get("name")?, row.get("rate_bps")?)))
}

/// Discounts by reason and who gave and approved them.
pub fn sum_discounts(
    conn: &dyn Source,
    question: &Question,
) -> db::Result<BTreeMap<DiscountKey, Discounted>> {
    question.sum_by(conn, &DISCOUNTS, &["reason", "type", "by_id", "approver_id"], |row| {
        let (reason, kind) = (row.get("reason")?, row.get("type")?);
        Ok(DiscountKey { reason, kind, by: id(row, "by_id")?, approver: id(row, "approver_id")? })
    })
}

/// Portions taken off orders. There are few of them: they are read by their own date index.
pub fn sum_voids(conn: &dyn Source, question: &Question) -> db::Result<Vec<Voided>> {
    let sql = concat!(
        "SELECT v.kind, v.reason, v.was_made, v.by_id, v.approver_id, count(*) AS count, sum(v.quantity) AS quantity,
            sum(v.amount_cents) AS amount, sum(v.cost_micros) AS cost_micros, coalesce(sum(",
        grams!("coalesce(v.weight, l.weight * v.quantity)"),
        "), 0) AS grams, coalesce(sum(",
        ounces!("coalesce(v.weight, l.weight * v.quantity)"),
        "), 0) AS ounces
          FROM order_item_voids v LEFT JOIN order_items l ON l.order_id = v.order_id AND l.id = v.order_item_id
          WHERE v.outlet_id = ?1 AND v.business_date BETWEEN ?2 AND ?3
          GROUP BY v.kind, v.reason, v.was_made, v.by_id, v.approver_id"
    );
    list(conn, sql, params![question.outlet.id, question.range.from, question.range.to], |row| {
        Ok(read!(row => Voided {
            kind, reason, was_made, by_id, approver_id, count, quantity, amount, cost_micros, grams, ounces
        }))
    })
}

/// What was thrown away, by item and reason.
pub fn sum_waste(conn: &dyn Source, question: &Question) -> db::Result<BTreeMap<(Uuid, String), Wasted>> {
    question.sum_by(conn, &WASTE, &["stock_item_id", "reason"], |row| {
        Ok((row.get("stock_item_id")?, row.get("reason")?))
    })
}

/// What was delivered, by supplier and item.
pub fn sum_purchases(
    conn: &dyn Source,
    question: &Question,
) -> db::Result<BTreeMap<(Option<Uuid>, Uuid), Delivered>> {
    question.sum_by(conn, &PURCHASES, &["supplier_id", "stock_item_id"], |row| {
        Ok((id(row, "supplier_id")?, row.get("stock_item_id")?))
    })
}

/// What deliveries brought on the dates of `question`, with what it was ordered at.
pub fn list_received(conn: &dyn Source, question: &Question) -> db::Result<Vec<Received>> {
    let sql = "SELECT d.supplier_id, o.stock_item_id, l.stock_quantity AS received, l.total_cents AS paid, o.quantity AS ordered,
          o.stock_quantity AS ordered_stock, o.unit_cost
        FROM purchase_deliveries d JOIN purchase_delivery_lines l ON l.delivery_id = d.id AND l.outlet_id = d.outlet_id
          JOIN purchase_order_lines o ON o.id = l.purchase_order_line_id AND o.outlet_id = d.outlet_id
        WHERE d.outlet_id = ?1 AND d.business_date BETWEEN ?2 AND ?3 ORDER BY d.id, l.line_number";
    list(conn, sql, params![question.outlet.id, question.range.from, question.range.to], |row| {
        Ok(read!(row => Received {
            supplier_id, stock_item_id, received, paid, ordered, ordered_stock, unit_cost
        }))
    })
}
