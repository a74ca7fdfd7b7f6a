//! Rows of `shift_swaps`. Never touches a shift.

use super::super::rules::ShiftType;
use super::super::rules::swap::{Swap, SwapKind, SwapShift, SwapStatus};
use super::{name, time};
use crate::access::Actor;
use crate::db::{self, Row, Source, Transaction, list as rows, one, opt};
use crate::http::{Page, Paging};
use rusqlite::params;
use tiffin_common::Uuid;

const SWAP: &str = "SELECT w.id, w.kind, w.status, w.from_employee_id, w.to_employee_id, w.note, w.requested_at, w.accepted_at,
    w.decided_at, w.decided_by_name, w.decision_reason, w.version,
    f.id, f.date, f.shift_type, f.start_time, f.end_time, f.station,
    t.id, t.date, t.shift_type, t.start_time, t.end_time, t.station
  FROM shift_swaps w JOIN shifts f ON f.id = w.from_shift_id LEFT JOIN shifts t ON t.id = w.to_shift_id";

fn read(row: &Row<'_>) -> db::Result<Swap> {
    let has_other = row.get::<_, Option<Uuid>>(18)?.is_some();
    Ok(Swap {
        id: row.get(0)?,
        kind: name(row, 1, SwapKind::of_name)?,
        status: name(row, 2, SwapStatus::of_name)?,
        from_shift: read_shift(row, 12)?,
        from_employee_id: row.get(3)?,
        to_employee_id: row.get(4)?,
        to_shift: has_other.then(|| read_shift(row, 18)).transpose()?,
        note: row.get(5)?,
        requested_at: row.get(6)?,
        accepted_at: row.get(7)?,
        decided_at: row.get(8)?,
        decided_by_name: row.get(9)?,
        decision_reason: row.get(10)?,
        version: row.get(11)?,
    })
}

fn read_shift(row: &Row<'_>, first: usize) -> db::Result<SwapShift> {
    Ok(SwapShift {
        id: row.get(first)?,
        date: name(row, first + 1, |text| text.parse().ok())?,
        shift_type: name(row, first + 2, ShiftType::of_name)?,
        start: time(row.get(first + 3)?),
        end: time(row.get(first + 4)?),
        station: row.get(first + 5)?,
    })
}

/// The swap of that id.
pub fn find(conn: &dyn Source, outlet_id: Uuid, id: Uuid) -> db::Result<Option<Swap>> {
    let sql = format!("{SWAP} WHERE w.id = ?1 AND w.outlet_id = ?2");
    opt(conn, &sql, [id, outlet_id], read)
}

/// A page of swaps, newest first: of `status`, where given, and with `employee` in them, where given.
pub fn list(
    conn: &dyn Source,
    outlet_id: Uuid,
    status: Option<SwapStatus>,
    employee: Option<Uuid>,
    paging: Paging,
) -> db::Result<Page<Swap>> {
    let condition = "w.outlet_id = ?1 AND (?2 IS NULL OR w.status = ?2)
      AND (?3 IS NULL OR w.from_employee_id = ?3 OR w.to_employee_id = ?3)";
    let status = status.map(SwapStatus::name);
    let count = format!("SELECT count(*) FROM shift_swaps w WHERE {condition}");
    let total = one(conn, &count, params![outlet_id, status, employee], |row| row.get(0))?;
    let sql = format!("{SWAP} WHERE {condition} ORDER BY w.requested_at DESC, w.id DESC LIMIT ?4 OFFSET ?5");
    let args = params![outlet_id, status, employee, paging.limit, paging.offset];
    Ok(Page { items: rows(conn, &sql, args, read)?, total })
}

/// The unsettled swaps that would move the shift.
pub fn open_of_shift(conn: &dyn Source, outlet_id: Uuid, shift: Uuid) -> db::Result<Vec<Swap>> {
    let sql = format!(
        "{SWAP} WHERE w.outlet_id = ?1 AND w.status IN ('REQUESTED', 'ACCEPTED')
           AND (w.from_shift_id = ?2 OR w.to_shift_id = ?2)"
    );
    rows(conn, &sql, [outlet_id, shift], read)
}

/// Writes a new swap.
pub fn insert(tx: &Transaction<'_>, actor: &Actor, swap: &Swap) -> db::Result<()> {
    tx.execute(
        "INSERT INTO shift_swaps (id, outlet_id, kind, status, from_shift_id, from_employee_id, to_employee_id, to_shift_id,
           note, requested_at, requested_by)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        params![
            swap.id,
            actor.outlet_id,
            swap.kind.name(),
            swap.status.name(),
            swap.from_shift.id,
            swap.from_employee_id,
            swap.to_employee_id,
            swap.to_shift.as_ref().map(|shift| shift.id),
            swap.note,
            tx.now(),
            actor.account_id,
        ],
    )
    .map(drop)
}

/// Notes that the colleague agrees.
pub fn set_accepted(tx: &Transaction<'_>, actor: &Actor, id: Uuid) -> db::Result<()> {
    let sql = "UPDATE shift_swaps SET status = 'ACCEPTED', accepted_at = ?3, accepted_by = ?4, version = version + 1
               WHERE id = ?1 AND outlet_id = ?2";
    tx.execute(sql, params![id, actor.outlet_id, tx.now(), actor.account_id]).map(drop)
}

/// Settles a swap.
pub fn settle(
    tx: &Transaction<'_>,
    actor: &Actor,
    id: Uuid,
    status: SwapStatus,
    reason: Option<&str>,
) -> db::Result<()> {
    tx.execute(
        "UPDATE shift_swaps SET status = ?3, decided_at = ?4, decided_by = ?5, decided_by_name = ?6, decision_reason = ?7,
           version = version + 1
         WHERE id = ?1 AND outlet_id = ?2",
        params![id, actor.outlet_id, status.name(), tx.now(), actor.account_id, actor.name, reason],
    )
    .map(drop)
}
