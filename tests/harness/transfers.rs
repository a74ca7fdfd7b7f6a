//! The books of stock between branches, kept apart from the program: what left one shelf is on another, on its way, back, or stated as
//! missing; nothing comes out of nothing. Only reads databases.

use crate::oracle;
use rusqlite::{Connection, OptionalExtension, params};
use std::path::Path;
use tiffin_common::Uuid;

/// A line of a transfer as its sender has it.
struct Line {
    transfer: Uuid,
    number: String,
    line: Uuid,
    to: Uuid,
    quantity: i64,
    left: i64,
    cancelled: bool,
    recalled: bool,
    outcome: Option<String>,
}

fn lines(sender: &Connection) -> Vec<Line> {
    let sql = "SELECT t.id, t.transfer_number, l.id, t.to_outlet_id, l.quantity, t.cancelled_at IS NOT NULL, t.recalled_at IS NOT NULL,
        (SELECT coalesce(sum(m.quantity_delta), 0) FROM stock_movements m
          WHERE m.kind = 'TRANSFER_OUT' AND (m.id = l.movement_id OR m.reverses_id = l.movement_id)),
        (SELECT o.outcome FROM transfer_outcomes o WHERE o.id = t.id)
        FROM stock_transfers t JOIN stock_transfer_lines l ON l.transfer_id = t.id ORDER BY l.id";
    let mut statement = sender.prepare(sql).unwrap();
    let lines = statement.query_map([], |row| {
        Ok(Line {
            transfer: row.get(0)?,
            number: row.get(1)?,
            line: row.get(2)?,
            to: row.get(3)?,
            quantity: row.get(4)?,
            cancelled: row.get(5)?,
            recalled: row.get(6)?,
            left: -row.get::<_, i64>(7)?,
            outcome: row.get(8)?,
        })
    });
    lines.unwrap().map(Result::unwrap).collect()
}

/// What the receiver's rows say of a line: whether it knows the transfer, what its receipt says of the line, unless it was undone, and
/// what its shelves got.
fn at_receiver(receiver: &Connection, line: &Line) -> (bool, Option<i64>, i64) {
    let known = "SELECT EXISTS (SELECT 1 FROM incoming_transfers WHERE id = ?1)";
    let said = "SELECT g.quantity_received FROM stock_transfer_receipts r
        JOIN stock_transfer_receipt_lines g ON g.receipt_id = r.id AND g.transfer_line_id = ?2
        WHERE r.transfer_id = ?1 AND r.undone_at IS NULL";
    let came = "SELECT coalesce(sum(quantity_delta), 0) FROM stock_movements
        WHERE kind = 'TRANSFER_IN' AND (id = ?1 OR reverses_id = ?1)";
    (
        receiver.query_row(known, [line.transfer], |row| row.get(0)).unwrap(),
        receiver.query_row(said, params![line.transfer, line.line], |row| row.get(0)).optional().unwrap(),
        receiver.query_row(came, [line.line], |row| row.get(0)).unwrap(),
    )
}

/// What is wrong with the stock between `branches` (outlet and database), all of which have heard of everything.
pub fn problems(branches: &[(Uuid, &Path)]) -> Vec<String> {
    let open: Vec<(Uuid, Connection)> = branches.iter().map(|(id, path)| (*id, oracle::open(path))).collect();
    let mut found = Vec::new();
    let mut sent = Vec::new();
    for (_, sender) in &open {
        for line in lines(sender) {
            sent.push(line.transfer);
            let Some((_, receiver)) = open.iter().find(|(id, _)| *id == line.to) else { continue };
            let (known, received, came) = at_receiver(receiver, &line);
            let mut wrong = |what: String| found.push(format!("{}, line {}: {what}", line.number, line.line));
            let outcome = line.outcome.as_deref();
            // Either it is back on its shelf, or it left it, once.
            let left = if line.cancelled { 0 } else { line.quantity };
            if line.left != left {
                wrong(format!("{} left the shelf, {left} is right", line.left));
            }
            if came != received.unwrap_or(0) {
                wrong(format!("{received:?} was taken in, {came} is on the shelf"));
            }
            if came > line.quantity || (line.cancelled && came != 0) {
                wrong(format!("{came} came of {}, cancelled: {}", line.quantity, line.cancelled));
            }
            let told = (line.cancelled, line.recalled, received.is_some(), outcome);
            let fits = match told {
                (true, true, false, Some("CANCELLED")) | (false, _, true, Some("RECEIVED")) => true,
                (false, false, false, None) => known,
                _ => false,
            };
            if !fits {
                wrong(format!(
                    "the two outlets do not agree: (cancelled, recalled, received, told) is {told:?}, known there: {known}"
                ));
            }
        }
    }
    for (id, receiver) in &open {
        let mut statement =
            receiver.prepare("SELECT DISTINCT transfer_id FROM stock_transfer_receipts").unwrap();
        let receipts = statement.query_map([], |row| row.get::<_, Uuid>(0)).unwrap().map(Result::unwrap);
        found.extend(
            receipts.filter(|id| !sent.contains(id)).map(|t| format!("{id} took in {t}, which nobody sent")),
        );
    }
    found
}

/// How many transfers `branch` sent, and how many of them came, came back, and are on their way.
pub fn counts(branch: &Path) -> (i64, i64, i64, i64) {
    let conn = oracle::open(branch);
    let count = |holds: &str| {
        let sql = format!(
            "SELECT count(*) FROM stock_transfers t LEFT JOIN transfer_outcomes o ON o.id = t.id WHERE {holds}"
        );
        conn.query_row(&sql, [], |row| row.get::<_, i64>(0)).unwrap()
    };
    (count("1"), count("o.outcome = 'RECEIVED'"), count("o.outcome = 'CANCELLED'"), count("o.id IS NULL"))
}
