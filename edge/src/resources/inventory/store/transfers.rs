//! Rows of `stock_transfers` and their lines, which only the sender writes, and of their receipts, which only the receiver
//! writes. A transfer is seen by its two outlets and nobody else.

use crate::access::Actor;
use crate::db::{self, Columns, Page, Row, Source, Tx, list as rows, one, opt, page, table};
use crate::resources::inventory::rules::transfers::{Direction, Transfer, TransferLine, TransferStatus};
use chrono::NaiveDate;
use rusqlite::params;
use tiffin_common::{Quantity, Uuid};

/// What stands beside a transfer's own columns.
const BESIDE: &str = "r.at AS received_at, r.by_name AS received_by_name, r.note AS receipt_note,
  (SELECT sum(l.cost_micros) FROM stock_transfer_lines l WHERE l.transfer_id = t.id) AS cost_micros,
  (SELECT count(*) FROM stock_transfer_lines l WHERE l.transfer_id = t.id) AS lines_count";

/// Only the outlet a transfer went to can say that it came.
const RECEIPT: &str =
    "LEFT JOIN stock_transfer_receipts r ON r.transfer_id = t.id AND r.outlet_id = t.to_outlet_id";

fn read(row: &Row<'_>) -> db::Result<Transfer> {
    Ok(Transfer {
        received_at: row.get("received_at")?,
        received_by_name: row.get("received_by_name")?,
        receipt_note: row.get("receipt_note")?,
        cost_micros: row.get::<_, Option<i64>>("cost_micros")?.unwrap_or(0),
        lines_count: row.get("lines_count")?,
        ..Transfer::read(row)?
    })
}

/// The transfer of that id, if it is from or to `outlet`.
pub fn find(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Option<Transfer>> {
    let rest = format!("{RECEIPT} WHERE t.id = ?1 AND (t.outlet_id = ?2 OR t.to_outlet_id = ?2)");
    opt(conn, &table::select::<Transfer>("t", BESIDE, &rest), [id, outlet], read)
}

/// A page of the transfers from or to `outlet`, the newest first.
pub fn list(
    conn: &dyn Source,
    outlet: Uuid,
    direction: Option<Direction>,
    status: Option<TransferStatus>,
    paging: (u32, u32),
) -> db::Result<Page<Transfer>> {
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
    let from = format!("{RECEIPT} WHERE {whose} AND {holds}");
    let sql = table::select::<Transfer>("t", BESIDE, &format!("{from} ORDER BY t.sent_at DESC, t.id DESC"));
    let count = format!("SELECT count(*) FROM stock_transfers t {from}");
    page(conn, (&sql, &count), params![outlet], paging, read)
}

/// The lines of a transfer (found by [`find`], which tells whose it is), with what came of each.
pub fn list_lines(conn: &dyn Source, transfer: &Transfer) -> db::Result<Vec<TransferLine>> {
    let sql = select!(
        TransferLine as l,
        "g.quantity_received",
        "LEFT JOIN stock_transfer_receipts r ON r.transfer_id = l.transfer_id AND r.outlet_id = ?3
         LEFT JOIN stock_transfer_receipt_lines g ON g.receipt_id = r.id AND g.transfer_line_id = l.id
         WHERE l.transfer_id = ?1 AND l.outlet_id = ?2 ORDER BY l.line_number"
    );
    rows(conn, sql, [transfer.id, transfer.outlet_id, transfer.to_outlet_id], |row| {
        Ok(TransferLine { received: row.get("quantity_received")?, ..TransferLine::read(row)? })
    })
}

/// How many transfers the outlet has sent on that business date.
pub fn count_sent(conn: &dyn Source, outlet: Uuid, date: NaiveDate) -> db::Result<i64> {
    let sql = "SELECT count(*) FROM stock_transfers WHERE outlet_id = ?1 AND business_date = ?2";
    one(conn, sql, params![outlet, date], |row| row.get(0))
}

pub(in super::super) fn insert(tx: &Tx<'_>, by: Option<Uuid>, transfer: &Transfer) -> db::Result<()> {
    insert!(tx, stock_transfers { sent_by: by, ..transfer })
}

pub(in super::super) fn insert_line(
    tx: &Tx<'_>,
    outlet: Uuid,
    transfer: Uuid,
    line: &TransferLine,
) -> db::Result<()> {
    insert!(tx, stock_transfer_lines { outlet_id: outlet, transfer_id: transfer, ..line })
}

pub(in super::super) fn set_cancelled(
    tx: &Tx<'_>,
    actor: &Actor,
    transfer: Uuid,
    reason: Option<&str>,
) -> db::Result<()> {
    update!(tx, stock_transfers {
        cancelled_at: tx.now(), cancelled_by: actor.account_id, cancelled_by_name: actor.name, cancel_reason: reason
    } where { id: transfer, outlet_id: actor.outlet_id })
}

pub(in super::super) fn insert_receipt(
    tx: &Tx<'_>,
    actor: &Actor,
    transfer: &Transfer,
    note: Option<&str>,
    date: NaiveDate,
) -> db::Result<Uuid> {
    let id = tx.new_id();
    insert!(
        tx,
        stock_transfer_receipts {
            id: id,
            outlet_id: actor.outlet_id,
            transfer_id: transfer.id,
            from_outlet_id: transfer.outlet_id,
            note: note,
            business_date: date,
            at: tx.now(),
            by_id: actor.account_id,
            by_name: actor.name,
        }
    )?;
    Ok(id)
}

/// What came of a line, and where it went: no item and no batch where nothing came.
pub(in super::super) fn insert_receipt_line(
    tx: &Tx<'_>,
    outlet: Uuid,
    receipt: Uuid,
    line: Uuid,
    (item, batch): (Option<Uuid>, Option<Uuid>),
    received: Quantity,
) -> db::Result<()> {
    insert!(
        tx,
        stock_transfer_receipt_lines {
            id: tx.new_id(),
            outlet_id: outlet,
            receipt_id: receipt,
            transfer_line_id: line,
            stock_item_id: item,
            batch_id: batch,
            quantity_received: received,
        }
    )
}
