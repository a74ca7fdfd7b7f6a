//! Rows of `purchase_returns` and their lines. Only ever inserted into.

use super::super::rules::PurchaseOrder;
use super::super::rules::returns::{PurchaseReturn, ReturnLine};
use crate::access::Actor;
use crate::db::{self, Columns, Source, Tx, list as rows, one};
use chrono::NaiveDate;
use rusqlite::params;
use std::collections::HashMap;
use tiffin_common::{Cents, Uuid};

/// What went back of an order, the oldest first.
pub fn list_returns(conn: &dyn Source, outlet: Uuid, order: Uuid) -> db::Result<Vec<PurchaseReturn>> {
    let sql = select!(
        ReturnLine as l,
        "l.return_id",
        "JOIN purchase_returns r ON r.id = l.return_id
         WHERE r.purchase_order_id = ?1 AND r.outlet_id = ?2 ORDER BY l.return_id, l.line_number"
    );
    let found = rows(conn, sql, [order, outlet], |row| {
        Ok((row.get::<_, Uuid>("return_id")?, ReturnLine::read(row)?))
    })?;
    let mut lines: HashMap<Uuid, Vec<ReturnLine>> = HashMap::new();
    for (back, line) in found {
        lines.entry(back).or_default().push(line);
    }
    let sql = select!(PurchaseReturn, "WHERE purchase_order_id = ?1 AND outlet_id = ?2 ORDER BY id");
    rows(conn, sql, [order, outlet], |row| {
        let back = PurchaseReturn::read(row)?;
        Ok(PurchaseReturn { lines: lines.remove(&back.id).unwrap_or_default(), ..back })
    })
}

/// How often something went back to a supplier on `since` or later, and what they owe for it.
pub(super) fn sum_returns(
    conn: &dyn Source,
    outlet: Uuid,
    supplier: Uuid,
    since: NaiveDate,
) -> db::Result<(i64, Cents)> {
    let sql = "SELECT count(*) AS returns, coalesce(sum(total_cents), 0) AS total FROM purchase_returns
               WHERE supplier_id = ?1 AND outlet_id = ?2 AND business_date >= ?3";
    one(conn, sql, params![supplier, outlet, since], |row| Ok((row.get("returns")?, row.get("total")?)))
}

/// Writes a debit note with its lines.
pub(in super::super) fn insert_return(
    tx: &Tx<'_>,
    actor: &Actor,
    order: &PurchaseOrder,
    back: &PurchaseReturn,
) -> db::Result<()> {
    insert!(
        tx,
        purchase_returns {
            outlet_id: actor.outlet_id,
            purchase_order_id: order.id,
            supplier_id: order.supplier_id,
            by_id: actor.account_id,
            ..back
        }
    )?;
    for (number, line) in (1i64..).zip(&back.lines) {
        insert!(
            tx,
            purchase_return_lines {
                outlet_id: actor.outlet_id,
                return_id: back.id,
                line_number: number,
                ..line
            }
        )?;
    }
    Ok(())
}
