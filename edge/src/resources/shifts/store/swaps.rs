//! Rows of `shift_swaps`. Never touches a shift.

use super::super::rules::swap::{Swap, SwapKind, SwapStatus};
use super::name;
use crate::access::Actor;
use crate::db::{Row, Transaction, list as rows, one, opt};
use crate::http::{Page, Paging};
use rusqlite::{Connection, params};
use tiffin_common::Uuid;

const COLUMNS: &str =
    "id, kind, status, from_shift_id, from_employee_id, to_employee_id, to_shift_id, note, requested_at,
  accepted_at, decided_at, decided_by_name, decision_reason, version";

fn read(row: &Row<'_>) -> rusqlite::Result<Swap> {
    Ok(Swap {
        id: row.get(0)?,
        kind: name(row, 1, SwapKind::of_name)?,
        status: name(row, 2, SwapStatus::of_name)?,
        from_shift_id: row.get(3)?,
        from_employee_id: row.get(4)?,
        to_employee_id: row.get(5)?,
        to_shift_id: row.get(6)?,
        note: row.get(7)?,
        requested_at: row.get(8)?,
        accepted_at: row.get(9)?,
        decided_at: row.get(10)?,
        decided_by_name: row.get(11)?,
        decision_reason: row.get(12)?,
        version: row.get(13)?,
    })
}

/// The swap of that id.
///
/// # Errors
/// Whatever SQLite reports.
pub fn find(conn: &Connection, outlet_id: Uuid, id: Uuid) -> rusqlite::Result<Option<Swap>> {
    let sql = format!("SELECT {COLUMNS} FROM shift_swaps WHERE id = ?1 AND outlet_id = ?2");
    opt(conn, &sql, [id, outlet_id], read)
}

/// A page of swaps, newest first: of `status`, where given, and with `employee` in them, where given.
///
/// # Errors
/// Whatever SQLite reports.
pub fn list(
    conn: &Connection,
    outlet_id: Uuid,
    status: Option<SwapStatus>,
    employee: Option<Uuid>,
    paging: Paging,
) -> rusqlite::Result<Page<Swap>> {
    let condition = "outlet_id = ?1 AND (?2 IS NULL OR status = ?2)
      AND (?3 IS NULL OR from_employee_id = ?3 OR to_employee_id = ?3)";
    let status = status.map(SwapStatus::name);
    let count = format!("SELECT count(*) FROM shift_swaps WHERE {condition}");
    let total = one(conn, &count, params![outlet_id, status, employee], |row| row.get(0))?;
    let sql = format!(
        "SELECT {COLUMNS} FROM shift_swaps WHERE {condition} ORDER BY requested_at DESC, id DESC LIMIT ?4 OFFSET ?5"
    );
    let args = params![outlet_id, status, employee, paging.limit, paging.offset];
    Ok(Page { items: rows(conn, &sql, args, read)?, total })
}

/// The unsettled swaps that would move the shift.
///
/// # Errors
/// Whatever SQLite reports.
pub fn open_of_shift(conn: &Connection, outlet_id: Uuid, shift: Uuid) -> rusqlite::Result<Vec<Swap>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM shift_swaps
         WHERE outlet_id = ?1 AND status IN ('REQUESTED', 'ACCEPTED') AND (from_shift_id = ?2 OR to_shift_id = ?2)"
    );
    rows(conn, &sql, [outlet_id, shift], read)
}

/// Writes a new swap.
///
/// # Errors
/// Whatever SQLite reports.
pub fn insert(tx: &Transaction<'_>, actor: &Actor, swap: &Swap) -> rusqlite::Result<()> {
    tx.execute(
        "INSERT INTO shift_swaps (id, outlet_id, kind, status, from_shift_id, from_employee_id, to_employee_id, to_shift_id,
           note, requested_at, requested_by)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        params![
            swap.id,
            actor.outlet_id,
            swap.kind.name(),
            swap.status.name(),
            swap.from_shift_id,
            swap.from_employee_id,
            swap.to_employee_id,
            swap.to_shift_id,
            swap.note,
            tx.now(),
            actor.account_id,
        ],
    )
    .map(drop)
}

/// Notes that the colleague agrees.
///
/// # Errors
/// Whatever SQLite reports.
pub fn set_accepted(tx: &Transaction<'_>, actor: &Actor, id: Uuid) -> rusqlite::Result<()> {
    let sql = "UPDATE shift_swaps SET status = 'ACCEPTED', accepted_at = ?3, accepted_by = ?4, version = version + 1
               WHERE id = ?1 AND outlet_id = ?2";
    tx.execute(sql, params![id, actor.outlet_id, tx.now(), actor.account_id]).map(drop)
}

/// Settles a swap.
///
/// # Errors
/// Whatever SQLite reports.
pub fn settle(
    tx: &Transaction<'_>,
    actor: &Actor,
    id: Uuid,
    status: SwapStatus,
    reason: Option<&str>,
) -> rusqlite::Result<()> {
    tx.execute(
        "UPDATE shift_swaps SET status = ?3, decided_at = ?4, decided_by = ?5, decided_by_name = ?6, decision_reason = ?7,
           version = version + 1
         WHERE id = ?1 AND outlet_id = ?2",
        params![id, actor.outlet_id, status.name(), tx.now(), actor.account_id, actor.name, reason],
    )
    .map(drop)
}
