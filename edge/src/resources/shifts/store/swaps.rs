//! Rows of `shift_swaps`. Never touches a shift.

use super::super::rules::Shift;
use super::super::rules::swap::{Swap, SwapStatus};
use crate::access::Actor;
use crate::db::{self, Columns, Source, Tx, list as rows, one, opt};
use crate::http::{Page, Paging};
use rusqlite::params;
use tiffin_common::Uuid;

/// The swap of that id.
pub fn find(conn: &dyn Source, outlet_id: Uuid, id: Uuid) -> db::Result<Option<Swap>> {
    opt(conn, select!(Swap, "WHERE id = ?1 AND outlet_id = ?2"), [id, outlet_id], Swap::read)
}

/// A shift of a swap as it is now, also once it was taken off the roster.
pub fn find_shift(conn: &dyn Source, id: Uuid) -> db::Result<Shift> {
    one(conn, select!(Shift, "WHERE id = ?1"), [id], Shift::read)
}

/// A page of swaps, newest first: of `status`, where given, and with `employee` in them, where given.
pub fn list(
    conn: &dyn Source,
    outlet_id: Uuid,
    status: Option<SwapStatus>,
    employee: Option<Uuid>,
    paging: Paging,
) -> db::Result<Page<Swap>> {
    let condition = "outlet_id = ?1 AND (?2 IS NULL OR status = ?2)
      AND (?3 IS NULL OR from_employee_id = ?3 OR to_employee_id = ?3)";
    Page::read(conn, (condition, "requested_at DESC, id DESC"), params![outlet_id, status, employee], paging)
}

/// The unsettled swaps that would move the shift.
pub fn list_open_of_shift(conn: &dyn Source, outlet_id: Uuid, shift: Uuid) -> db::Result<Vec<Swap>> {
    let sql = select!(
        Swap,
        "WHERE outlet_id = ?1 AND status IN ('REQUESTED', 'ACCEPTED') AND (from_shift_id = ?2 OR to_shift_id = ?2)"
    );
    rows(conn, sql, [outlet_id, shift], Swap::read)
}

/// Writes a new swap.
pub fn insert(tx: &Tx<'_>, actor: &Actor, swap: &Swap) -> db::Result<()> {
    insert!(tx, shift_swaps { outlet_id: actor.outlet_id, requested_by: actor.account_id, ..swap }).map(drop)
}

/// Notes that the colleague agrees.
pub fn set_accepted(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> db::Result<()> {
    update!(tx, shift_swaps {
        status: SwapStatus::Accepted, accepted_at: tx.now(), accepted_by: actor.account_id; "version = version + 1"
    } where { id: id, outlet_id: actor.outlet_id })
    .map(drop)
}

/// Settles a swap.
pub fn set_settled(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    status: SwapStatus,
    reason: Option<&str>,
) -> db::Result<()> {
    update!(tx, shift_swaps {
        status: status, decided_at: tx.now(), decided_by: actor.account_id, decided_by_name: actor.name,
        decision_reason: reason; "version = version + 1"
    } where { id: id, outlet_id: actor.outlet_id })
    .map(drop)
}
