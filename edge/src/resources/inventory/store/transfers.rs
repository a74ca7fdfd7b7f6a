//! Rows of `stock_transfers` and their lines, which only the sender writes, and of their receipts, which only the receiver
//! writes. A transfer is seen by its two outlets and nobody else.

use super::date_text;
use crate::access::Actor;
use crate::db::{self, Row, Source, Transaction, list as rows, one, opt};
use crate::resources::inventory::rules::transfers::{
    Direction, Ending, Transfer, TransferLine, TransferStatus,
};
use rusqlite::params;
use tiffin_common::{Quantity, Uuid};

const COLUMNS: &str = "t.id, t.outlet_id, t.to_outlet_id, t.transfer_number, t.note, t.business_date, t.sent_at, t.sent_by_name,
  t.cancelled_at, t.cancelled_by_name, t.cancel_reason, r.at, r.by_name, r.note,
  (SELECT sum(l.cost_micros) FROM stock_transfer_lines l WHERE l.transfer_id = t.id),
  (SELECT count(*) FROM stock_transfer_lines l WHERE l.transfer_id = t.id)";

/// Only the outlet a transfer went to can say that it came.
const FROM: &str = "FROM stock_transfers t
  LEFT JOIN stock_transfer_receipts r ON r.transfer_id = t.id AND r.outlet_id = t.to_outlet_id";

fn ending(row: &Row<'_>, first: usize) -> db::Result<Option<Ending>> {
    let Some(at) = row.get(first)? else { return Ok(None) };
    let by_name = row.get::<_, Option<String>>(first + 1)?.unwrap_or_default();
    Ok(Some(Ending { at, by_name, note: row.get(first + 2)? }))
}

fn read(row: &Row<'_>) -> db::Result<Transfer> {
    Ok(Transfer {
        id: row.get(0)?,
        outlet_id: row.get(1)?,
        to_outlet_id: row.get(2)?,
        transfer_number: row.get(3)?,
        note: row.get(4)?,
        business_date: row.get(5)?,
        sent_at: row.get(6)?,
        sent_by_name: row.get(7)?,
        cancelled: ending(row, 8)?,
        received: ending(row, 11)?,
        cost_micros: row.get::<_, Option<i64>>(14)?.unwrap_or(0),
        lines_count: row.get(15)?,
    })
}

/// The transfer of that id, if it is from or to `outlet`.
pub fn find(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Option<Transfer>> {
    let sql =
        format!("SELECT {COLUMNS} {FROM} WHERE t.id = ?1 AND (t.outlet_id = ?2 OR t.to_outlet_id = ?2)");
    opt(conn, &sql, [id, outlet], read)
}

/// A page of the transfers from or to `outlet`, the newest first; and how many there are.
pub fn page(
    conn: &dyn Source,
    outlet: Uuid,
    direction: Option<Direction>,
    status: Option<TransferStatus>,
    limit: u32,
    offset: u32,
) -> db::Result<(Vec<Transfer>, i64)> {
    let whose = match direction {
        Some(Direction::In) => "t.to_outlet_id = ?1",
        Some(Direction::Out) => "t.outlet_id = ?1",
        None => "(t.outlet_id = ?1 OR t.to_outlet_id = ?1)",
    };
    let holds = match status {
        Some(TransferStatus::Received) => "r.id IS NOT NULL",
        Some(TransferStatus::Cancelled) => "r.id IS NULL AND t.cancelled_at IS NOT NULL",
        Some(TransferStatus::Sent) => "r.id IS NULL AND t.cancelled_at IS NULL",
        None => "true",
    };
    let sql = format!(
        "SELECT {COLUMNS} {FROM} WHERE {whose} AND {holds} ORDER BY t.sent_at DESC, t.id DESC LIMIT ?2 OFFSET ?3"
    );
    let found = rows(conn, &sql, params![outlet, limit, offset], read)?;
    let count = format!("SELECT count(*) {FROM} WHERE {whose} AND {holds}");
    Ok((found, one(conn, &count, [outlet], |row| row.get(0))?))
}

/// The lines of a transfer (found by [`find`], which tells whose it is), with what came of each.
pub fn lines(conn: &dyn Source, transfer: &Transfer) -> db::Result<Vec<TransferLine>> {
    let sql = "SELECT l.id, l.line_number, l.stock_item_id, l.name, l.sku, l.unit, l.batch_id, l.batch_number, l.expiry_date,
                 l.unit_cost, l.quantity, l.cost_micros, l.movement_id, g.quantity_received
               FROM stock_transfer_lines l
                 LEFT JOIN stock_transfer_receipts r ON r.transfer_id = l.transfer_id AND r.outlet_id = ?3
                 LEFT JOIN stock_transfer_receipt_lines g ON g.receipt_id = r.id AND g.transfer_line_id = l.id
               WHERE l.transfer_id = ?1 AND l.outlet_id = ?2 ORDER BY l.line_number";
    rows(conn, sql, [transfer.id, transfer.outlet_id, transfer.to_outlet_id], |row| {
        Ok(TransferLine {
            id: row.get(0)?,
            line_number: row.get(1)?,
            stock_item_id: row.get(2)?,
            name: row.get(3)?,
            sku: row.get(4)?,
            unit: row.get(5)?,
            batch_id: row.get(6)?,
            batch_number: row.get(7)?,
            expiry_date: row.get::<_, Option<String>>(8)?.and_then(|text| text.parse().ok()),
            unit_cost: row.get(9)?,
            quantity: row.get(10)?,
            cost_micros: row.get(11)?,
            movement_id: row.get(12)?,
            received: row.get(13)?,
        })
    })
}

/// How many transfers the outlet has sent on that business date.
pub fn count_sent(conn: &dyn Source, outlet: Uuid, date: &str) -> db::Result<i64> {
    let sql = "SELECT count(*) FROM stock_transfers WHERE outlet_id = ?1 AND business_date = ?2";
    one(conn, sql, params![outlet, date], |row| row.get(0))
}

/// A transfer's first row.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct NewRow<'a> {
    pub(in super::super) id: Uuid,
    pub(in super::super) to_outlet_id: Uuid,
    pub(in super::super) transfer_number: &'a str,
    pub(in super::super) note: Option<&'a str>,
    pub(in super::super) business_date: &'a str,
}

pub(in super::super) fn insert(tx: &Transaction<'_>, actor: &Actor, new: &NewRow<'_>) -> db::Result<()> {
    tx.execute(
        "INSERT INTO stock_transfers (id, outlet_id, to_outlet_id, transfer_number, note, business_date, sent_at, sent_by,
           sent_by_name)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        params![
            new.id,
            actor.outlet_id,
            new.to_outlet_id,
            new.transfer_number,
            new.note,
            new.business_date,
            tx.now(),
            actor.account_id,
            actor.name
        ],
    )
    .map(drop)
}

pub(in super::super) fn insert_line(
    tx: &Transaction<'_>,
    outlet: Uuid,
    transfer: Uuid,
    line: &TransferLine,
) -> db::Result<()> {
    tx.execute(
        "INSERT INTO stock_transfer_lines (id, outlet_id, transfer_id, line_number, stock_item_id, name, sku, unit, batch_id,
           batch_number, expiry_date, unit_cost, quantity, cost_micros, movement_id)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
        params![
            line.id,
            outlet,
            transfer,
            line.line_number,
            line.stock_item_id,
            line.name,
            line.sku,
            line.unit,
            line.batch_id,
            line.batch_number,
            line.expiry_date.map(date_text),
            line.unit_cost,
            line.quantity,
            line.cost_micros,
            line.movement_id
        ],
    )
    .map(drop)
}

pub(in super::super) fn set_cancelled(
    tx: &Transaction<'_>,
    actor: &Actor,
    transfer: Uuid,
    reason: Option<&str>,
) -> db::Result<()> {
    tx.execute(
        "UPDATE stock_transfers SET cancelled_at = ?3, cancelled_by = ?4, cancelled_by_name = ?5, cancel_reason = ?6
         WHERE id = ?1 AND outlet_id = ?2",
        params![transfer, actor.outlet_id, tx.now(), actor.account_id, actor.name, reason],
    )
    .map(drop)
}

pub(in super::super) fn insert_receipt(
    tx: &Transaction<'_>,
    actor: &Actor,
    transfer: &Transfer,
    note: Option<&str>,
    date: &str,
) -> db::Result<Uuid> {
    let id = tx.new_id();
    tx.execute(
        "INSERT INTO stock_transfer_receipts (id, outlet_id, transfer_id, from_outlet_id, note, business_date, at, by_id, by_name)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        params![
            id,
            actor.outlet_id,
            transfer.id,
            transfer.outlet_id,
            note,
            date,
            tx.now(),
            actor.account_id,
            actor.name
        ],
    )?;
    Ok(id)
}

/// What came of a line, and where it went: no item and no batch where nothing came.
pub(in super::super) fn insert_receipt_line(
    tx: &Transaction<'_>,
    outlet: Uuid,
    receipt: Uuid,
    line: Uuid,
    (item, batch): (Option<Uuid>, Option<Uuid>),
    received: Quantity,
) -> db::Result<()> {
    tx.execute(
        "INSERT INTO stock_transfer_receipt_lines (id, outlet_id, receipt_id, transfer_line_id, stock_item_id, batch_id,
           quantity_received)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![tx.new_id(), outlet, receipt, line, item, batch, received],
    )
    .map(drop)
}
