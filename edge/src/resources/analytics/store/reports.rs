//! What the lists and reports are made of: rows of sums, without names and without order.

use super::Question;
use super::families::{DISCOUNTS, HOURS, ITEMS, MONEY, PURCHASES, TAXES, WASTE};
use crate::db::{self, DbError, Row, Source, list};
use crate::resources::analytics::rules::Range;
use crate::resources::analytics::rules::rows::{Delivered, DiscountKey, Quarter, Sold, Voided, Wasted};
use crate::resources::attendance::{self, rules::timesheet::TimesheetDay};
use rusqlite::params;
use std::collections::BTreeMap;
use tiffin_common::{Bps, Cents, Millis, Quantity, Uuid};

/// An id that may be the empty one.
fn id(row: &Row<'_>, index: usize) -> db::Result<Option<Uuid>> {
    match row.get_ref(index)?.as_blob()? {
        [] => Ok(None),
        _ => row.get(index).map(Some),
    }
}

/// What each dish sold.
///
/// # Errors
/// A sum that leaves its range.
pub fn sold(conn: &dyn Source, question: &Question) -> Result<BTreeMap<Uuid, Sold>, DbError> {
    let sums = ["quantity", "gross", "discount", "cost"];
    let found = question.plan.read(conn, &ITEMS, &["menu_item_id"], sums, |row| row.get::<_, Uuid>(0))?;
    let sold = found.into_iter().map(|(dish, [quantity, gross, discount, cost_micros])| {
        (dish, Sold { quantity, gross: Cents::new(gross), discount: Cents::new(discount), cost_micros })
    });
    Ok(sold.collect())
}

/// Orders by the quarter of an hour they were taken in.
///
/// # Errors
/// A sum that leaves its range.
pub fn quarters(conn: &dyn Source, question: &Question) -> Result<Vec<Quarter>, DbError> {
    let sums = ["orders", "guests", "gross", "discount"];
    let found = question.plan.read(conn, &HOURS, &["business_date", "slot"], sums, |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?))
    })?;
    let quarters = found.into_iter().map(|((date, slot), [orders, guests, gross, discount])| Quarter {
        date,
        start: Millis::new(slot.saturating_mul(900_000)),
        orders,
        guests,
        gross: Cents::new(gross),
        discount: Cents::new(discount),
    });
    Ok(quarters.collect())
}

/// Money of one method: payments, what they settled, tips, refunds, what they gave back.
///
/// # Errors
/// A sum that leaves its range.
pub fn methods(conn: &dyn Source, question: &Question) -> Result<BTreeMap<String, [i64; 5]>, DbError> {
    let sums = ["payments", "amount", "tip", "refunds", "refunded"];
    question.plan.read(conn, &MONEY, &["method"], sums, |row| row.get(0))
}

/// Tax of one component and rate: what it was counted on, the tax, and of both what credit notes took back.
///
/// # Errors
/// A sum that leaves its range.
pub fn taxes(conn: &dyn Source, question: &Question) -> Result<BTreeMap<(String, Bps), [i64; 4]>, DbError> {
    let sums = ["taxable", "tax", "credited_taxable", "credited_tax"];
    question.plan.read(conn, &TAXES, &["name", "rate_bps"], sums, |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Discounts: how many, how much.
///
/// # Errors
/// A sum that leaves its range.
pub fn discounts(conn: &dyn Source, question: &Question) -> Result<BTreeMap<DiscountKey, [i64; 2]>, DbError> {
    let keys = ["reason", "type", "by_id", "approver_id"];
    question.plan.read(conn, &DISCOUNTS, &keys, ["discounts", "amount"], |row| {
        Ok(DiscountKey { reason: row.get(0)?, kind: row.get(1)?, by: id(row, 2)?, approver: id(row, 3)? })
    })
}

/// Portions taken off orders. There are few of them: they are read by their own date index.
pub fn voids(conn: &dyn Source, question: &Question) -> Result<Vec<Voided>, DbError> {
    let range = question.range;
    let found = list(
        conn,
        "SELECT reason, was_made, by_id, approver_id, count(*), sum(quantity), sum(amount_cents)
         FROM order_item_voids WHERE outlet_id = ?1 AND business_date BETWEEN ?2 AND ?3
         GROUP BY reason, was_made, by_id, approver_id",
        params![question.outlet.id, range.from.to_string(), range.to.to_string()],
        |row| {
            Ok(Voided {
                reason: row.get(0)?,
                was_made: row.get(1)?,
                by: row.get(2)?,
                approver: row.get(3)?,
                count: row.get(4)?,
                quantity: row.get(5)?,
                amount: row.get(6)?,
            })
        },
    )?;
    Ok(found)
}

/// What was thrown away.
///
/// # Errors
/// A sum that leaves its range.
pub fn waste(conn: &dyn Source, question: &Question) -> Result<Vec<Wasted>, DbError> {
    let keys = ["stock_item_id", "reason"];
    let found = question.plan.read(conn, &WASTE, &keys, ["movements", "quantity", "cost"], |row| {
        Ok((row.get::<_, Uuid>(0)?, row.get::<_, String>(1)?))
    })?;
    let wasted = found.into_iter().map(|((item, reason), [count, quantity, cost_micros])| Wasted {
        item,
        reason,
        count,
        quantity: Quantity::from_millionths(quantity),
        cost_micros,
    });
    Ok(wasted.collect())
}

/// What was delivered.
///
/// # Errors
/// A sum that leaves its range.
pub fn purchases(conn: &dyn Source, question: &Question) -> Result<Vec<Delivered>, DbError> {
    let keys = ["supplier_id", "stock_item_id"];
    let found = question.plan.read(conn, &PURCHASES, &keys, ["receipts", "quantity", "cost"], |row| {
        Ok((id(row, 0)?, row.get::<_, Uuid>(1)?))
    })?;
    let delivered = found.into_iter().map(|((supplier, item), [count, quantity, cost_micros])| Delivered {
        supplier,
        item,
        count,
        quantity: Quantity::from_millionths(quantity),
        cost_micros,
    });
    Ok(delivered.collect())
}

/// The timesheets: not kept, there are few of them, and attendance has its own definition of an hour.
pub fn worked(conn: &dyn Source, question: &Question) -> Result<Vec<TimesheetDay>, DbError> {
    let Range { from, to } = question.range;
    attendance::store::list_timesheet_days(conn, &question.outlet, from, to, question.now)
}

/// What the hours of each date cost.
pub fn labor_by_day(conn: &dyn Source, question: &Question) -> Result<Vec<(String, Cents)>, DbError> {
    Ok(worked(conn, question)?.into_iter().map(|day| (day.business_date.to_string(), day.cost)).collect())
}
