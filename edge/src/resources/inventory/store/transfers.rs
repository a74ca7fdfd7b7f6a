//! Rows of `stock_transfers` and their lines, which only the sender writes, and of their receipts, which only the receiver
//! writes; and what head office delivers of other boxes' transfers, which nobody here writes. A transfer is seen by its two outlets
//! and nobody else.

use crate::access::Actor;
use crate::db::{self, Columns, Page, Row, Source, Tx, list as rows, one, opt, page, table};
use crate::resources::inventory::rules::transfers::{
    Came, Direction, Transfer, TransferLine, TransferReceipt, TransferStatus,
};
use crate::resources::inventory::store::movements::Taken;
use chrono::NaiveDate;
use rusqlite::params;
use tiffin_common::{Millis, Quantity, Uuid};

/// What stands beside a transfer's own columns.
const BESIDE: &str =
    "NULL AS from_outlet_code, NULL AS from_outlet_name, coalesce(r.at, o.received_at) AS received_at,
  coalesce(r.by_name, o.by_name) AS received_by_name, coalesce(r.note, o.note) AS receipt_note,
  (SELECT sum(l.cost_micros) FROM stock_transfer_lines l WHERE l.transfer_id = t.id) AS cost_micros,
  (SELECT count(*) FROM stock_transfer_lines l WHERE l.transfer_id = t.id) AS lines_count";

/// Only the outlet a transfer went to can say that it came: here, or through head office.
const RECEIPT: &str =
    "LEFT JOIN stock_transfer_receipts r ON r.transfer_id = t.id AND r.outlet_id = t.to_outlet_id
  LEFT JOIN transfer_outcomes o ON o.id = t.id AND o.outlet_id = t.outlet_id AND o.outcome = 'RECEIVED'";

/// What head office delivered, in the columns of a transfer.
const DELIVERED: &str = "SELECT t.id, t.from_outlet_id, t.outlet_id, t.transfer_number, t.note, t.business_date, t.sent_at,
  t.sent_by_name, CASE WHEN t.outcome = 'CANCELLED' THEN t.decided_at END, t.recalled_by_name, t.recall_reason, t.recalled_at,
  NULL, NULL, t.from_outlet_code, t.from_outlet_name, r.at, r.by_name, r.note, t.cost_micros, t.lines_count
  FROM incoming_transfers t LEFT JOIN stock_transfer_receipts r
    ON r.transfer_id = t.id AND r.outlet_id = t.outlet_id AND r.undone_at IS NULL";

/// Both, for which `own` and `delivered` hold.
fn seen(own: &str, delivered: &str) -> String {
    let sent = table::select::<Transfer>("t", BESIDE, &format!("{RECEIPT} WHERE {own}"));
    format!("({sent} UNION ALL {DELIVERED} WHERE {delivered}) u")
}

fn read(row: &Row<'_>) -> db::Result<Transfer> {
    Ok(Transfer {
        from_outlet_code: row.get("from_outlet_code")?,
        from_outlet_name: row.get("from_outlet_name")?,
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
    let own = "t.id = ?1 AND (t.outlet_id = ?2 OR t.to_outlet_id = ?2)";
    let sql = format!("SELECT * FROM {}", seen(own, "t.id = ?1 AND t.outlet_id = ?2"));
    opt(conn, &sql, [id, outlet], read)
}

/// A page of the transfers from or to `outlet`, the newest first.
pub fn list(
    conn: &dyn Source,
    outlet: Uuid,
    direction: Option<Direction>,
    status: Option<TransferStatus>,
    paging: (u32, u32),
) -> db::Result<Page<Transfer>> {
    let (own, delivered) = match direction {
        Some(Direction::In) => ("t.to_outlet_id = ?1", "t.outlet_id = ?1"),
        Some(Direction::Out) => ("t.outlet_id = ?1", "t.from_outlet_id = ?1"),
        None => ("(t.outlet_id = ?1 OR t.to_outlet_id = ?1)", "t.outlet_id = ?1"),
    };
    let holds = match status {
        Some(TransferStatus::Received) => "received_at IS NOT NULL",
        Some(TransferStatus::Cancelled) => "received_at IS NULL AND cancelled_at IS NOT NULL",
        Some(TransferStatus::CancelRequested) => {
            "received_at IS NULL AND cancelled_at IS NULL AND recalled_at IS NOT NULL"
        }
        Some(TransferStatus::Sent) => "received_at IS NULL AND cancelled_at IS NULL AND recalled_at IS NULL",
        None => "true",
    };
    let from = format!("FROM {} WHERE {holds}", seen(own, delivered));
    let sql = format!("SELECT * {from} ORDER BY sent_at DESC, id DESC");
    page(conn, (&sql, &format!("SELECT count(*) {from}")), params![outlet], paging, read)
}

/// The lines of a transfer (found by [`find`], which tells whose it is), with what came of each.
pub fn list_lines(conn: &dyn Source, transfer: &Transfer) -> db::Result<Vec<TransferLine>> {
    let mut lines = if transfer.is_delivered() {
        let sql = "SELECT lines FROM incoming_transfers WHERE id = ?1 AND outlet_id = ?2";
        let read = |row: &Row<'_>| Ok(row.get::<_, db::Json<Vec<TransferLine>>>("lines")?.0);
        opt(conn, sql, [transfer.id, transfer.to_outlet_id], read)?.unwrap_or_default()
    } else {
        let sql = select!(TransferLine, "WHERE transfer_id = ?1 AND outlet_id = ?2 ORDER BY line_number");
        rows(conn, sql, [transfer.id, transfer.outlet_id], TransferLine::read)?
    };
    if transfer.received_at.is_some() {
        let came = list_came(conn, transfer)?;
        for line in &mut lines {
            line.received = came.iter().find(|came| came.line_id == line.id).map(|c| c.quantity_received);
        }
    }
    Ok(lines)
}

/// What `outlet` says of its taking a transfer in.
pub fn find_receipt(conn: &dyn Source, outlet: Uuid, transfer: Uuid) -> db::Result<Option<TransferReceipt>> {
    let sql = select!(TransferReceipt, "WHERE transfer_id = ?1 AND outlet_id = ?2");
    opt(conn, sql, [transfer, outlet], TransferReceipt::read)
}

/// What came of each line, as the rows of the receiver, `outlet`, tell.
pub fn list_came_here(conn: &dyn Source, outlet: Uuid, transfer: Uuid) -> db::Result<Vec<Came>> {
    let sql = "SELECT g.transfer_line_id, g.quantity_received FROM stock_transfer_receipts r
        JOIN stock_transfer_receipt_lines g ON g.receipt_id = r.id
        WHERE r.transfer_id = ?1 AND r.outlet_id = ?2 AND r.undone_at IS NULL";
    rows(conn, sql, [transfer, outlet], |row| {
        Ok(Came { line_id: row.get("transfer_line_id")?, quantity_received: row.get("quantity_received")? })
    })
}

/// What came of each line, as the receiver's own rows tell, or head office.
pub fn list_came(conn: &dyn Source, transfer: &Transfer) -> db::Result<Vec<Came>> {
    let came = list_came_here(conn, transfer.to_outlet_id, transfer.id)?;
    if !came.is_empty() {
        return Ok(came);
    }
    let told = "SELECT lines FROM transfer_outcomes WHERE id = ?1 AND outlet_id = ?2";
    let read = |row: &Row<'_>| Ok(row.get::<_, db::Json<Vec<Came>>>("lines")?.0);
    Ok(opt(conn, told, [transfer.id, transfer.outlet_id], read)?.unwrap_or_default())
}

/// How many of the outlet's transfers are on their way, on neither shelf, and what they had cost in millionths of a cent.
pub fn sum_in_transit(conn: &dyn Source, outlet: Uuid) -> db::Result<(i64, i64)> {
    let from = seen("t.outlet_id = ?1", "t.from_outlet_id = ?1");
    let sql = format!(
        "SELECT count(*) AS transfers, coalesce(sum(cost_micros), 0) AS cost FROM {from}
         WHERE received_at IS NULL AND cancelled_at IS NULL"
    );
    one(conn, &sql, [outlet], |row| Ok((row.get("transfers")?, row.get("cost")?)))
}

/// How many transfers the outlet has sent on that business date.
pub fn count_sent(conn: &dyn Source, outlet: Uuid, date: NaiveDate) -> db::Result<i64> {
    let sql = "SELECT count(*) FROM stock_transfers WHERE outlet_id = ?1 AND business_date = ?2";
    one(conn, sql, params![outlet, date], |row| row.get(0))
}

/// Transfers that `outlet` sent, head office has decided are cancelled, and that have not come back to their shelves yet, with the
/// moment of the decision.
pub fn list_to_give_back(conn: &dyn Source, outlet: Uuid) -> db::Result<Vec<(Uuid, Millis)>> {
    let sql = "SELECT o.id, o.decided_at FROM transfer_outcomes o JOIN stock_transfers t ON t.id = o.id AND t.outlet_id = o.outlet_id
        WHERE o.outlet_id = ?1 AND o.outcome = 'CANCELLED' AND t.cancelled_at IS NULL ORDER BY o.id";
    rows(conn, sql, [outlet], |row| Ok((row.get("id")?, row.get("decided_at")?)))
}

/// Receipts of `outlet` for transfers that head office had decided were called back: taken in by a box that had not heard of it.
pub fn list_to_undo(conn: &dyn Source, outlet: Uuid) -> db::Result<Vec<Uuid>> {
    let sql = "SELECT r.id FROM incoming_transfers i JOIN stock_transfer_receipts r ON r.transfer_id = i.id AND r.outlet_id = i.outlet_id
        WHERE i.outlet_id = ?1 AND i.outcome = 'CANCELLED' AND r.undone_at IS NULL ORDER BY r.id";
    rows(conn, sql, [outlet], |row| row.get("id"))
}

/// What a receipt put on the shelves: the movements of its lines.
pub fn list_put_in(conn: &dyn Source, outlet: Uuid, receipt: Uuid) -> db::Result<Vec<Taken>> {
    let sql = "SELECT m.id, m.stock_item_id, m.batch_id, m.order_id, m.order_item_id, m.unit_cost,
        m.quantity_delta AS quantity, m.cost_micros
        FROM stock_transfer_receipt_lines g JOIN stock_movements m ON m.id = g.transfer_line_id AND m.outlet_id = g.outlet_id
        WHERE g.receipt_id = ?1 AND g.outlet_id = ?2 AND m.kind = 'TRANSFER_IN' ORDER BY m.id";
    rows(conn, sql, [receipt, outlet], super::movements::read_taken)
}

/// Whether somebody has a stock item of that id, in whatever outlet and archived or not.
pub fn has_item_id(conn: &dyn Source, id: Uuid) -> db::Result<bool> {
    one(conn, "SELECT EXISTS (SELECT 1 FROM stock_items WHERE id = ?1)", [id], |row| row.get(0))
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

/// It came back at `at`.
pub(in super::super) fn set_cancelled(
    tx: &Tx<'_>,
    outlet: Uuid,
    transfer: Uuid,
    at: Millis,
) -> db::Result<()> {
    update!(tx, stock_transfers { cancelled_at: at } where { id: transfer, outlet_id: outlet })
}

/// Who wants it back, and why; `recalled_at` where head office is to say whether that can be.
pub(in super::super) fn set_called_back(
    tx: &Tx<'_>,
    actor: &Actor,
    transfer: Uuid,
    recalled_at: Option<Millis>,
    reason: Option<&str>,
) -> db::Result<()> {
    update!(tx, stock_transfers {
        recalled_at: recalled_at, cancelled_by: actor.account_id, cancelled_by_name: actor.name, cancel_reason: reason
    } where { id: transfer, outlet_id: actor.outlet_id })
}

pub(in super::super) fn set_undone(tx: &Tx<'_>, outlet: Uuid, receipt: Uuid) -> db::Result<()> {
    update!(tx, stock_transfer_receipts { undone_at: tx.now() } where { id: receipt, outlet_id: outlet })
}

/// The receipt has the transfer's id, and each of its lines that line's: made twice, before and after a restored backup, it is one.
pub(in super::super) fn insert_receipt(
    tx: &Tx<'_>,
    actor: &Actor,
    transfer: &Transfer,
    note: Option<&str>,
    date: NaiveDate,
) -> db::Result<()> {
    insert!(
        tx,
        stock_transfer_receipts {
            id: transfer.id,
            outlet_id: actor.outlet_id,
            transfer_id: transfer.id,
            from_outlet_id: transfer.outlet_id,
            note: note,
            business_date: date,
            at: tx.now(),
            by_id: actor.account_id,
            by_name: actor.name,
        }
    )
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
            id: line,
            outlet_id: outlet,
            receipt_id: receipt,
            transfer_line_id: line,
            stock_item_id: item,
            batch_id: batch,
            quantity_received: received,
        }
    )
}
