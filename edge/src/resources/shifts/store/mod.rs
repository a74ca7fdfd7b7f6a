//! Rows of `shifts` and `shift_swaps`. Every finder is scoped by outlet and passes over what was taken off the roster; never
//! decides anything.

pub mod swaps;

use super::rules::{Absence, Shift, ShiftStatus};
use crate::access::Actor;
use crate::db::{self, Columns, Source, Tx, list as rows, opt};
use crate::http::{Page, Paging};
use chrono::NaiveDate;
use rusqlite::params;
use tiffin_common::Uuid;

/// Who is on approved leave at an outlet from one date to another: one employee, or everybody. Leave stands above shifts and
/// hands this down.
pub type Absences = fn(&dyn Source, Uuid, Option<Uuid>, NaiveDate, NaiveDate) -> db::Result<Vec<Absence>>;

/// The shift of that id.
pub fn find(conn: &dyn Source, outlet_id: Uuid, id: Uuid) -> db::Result<Option<Shift>> {
    let sql = select!(Shift, "WHERE id = ?1 AND outlet_id = ?2 AND archived_at IS NULL");
    opt(conn, sql, [id, outlet_id], Shift::read)
}

/// All shifts of an employee that begin on the dates `from` to `to`, both included, drafts and days off too; by beginning.
pub fn list_of_employee(
    conn: &dyn Source,
    outlet_id: Uuid,
    employee_id: Uuid,
    from: NaiveDate,
    to: NaiveDate,
) -> db::Result<Vec<Shift>> {
    let sql = select!(
        Shift,
        "WHERE employee_id = ?1 AND date BETWEEN ?2 AND ?3 AND outlet_id = ?4 AND archived_at IS NULL
         ORDER BY date, start_time IS NOT NULL, start_time, id"
    );
    rows(conn, sql, params![employee_id, from, to, outlet_id], Shift::read)
}

/// All shifts of an employee that begin after the date `last`; by beginning.
pub fn list_after(
    conn: &dyn Source,
    outlet_id: Uuid,
    employee_id: Uuid,
    last: NaiveDate,
) -> db::Result<Vec<Shift>> {
    let sql = select!(
        Shift,
        "WHERE employee_id = ?1 AND date > ?2 AND outlet_id = ?3 AND archived_at IS NULL
         ORDER BY date, start_time IS NOT NULL, start_time, id"
    );
    rows(conn, sql, params![employee_id, last, outlet_id], Shift::read)
}

/// All shifts of the outlet that begin on the dates `from` to `to`, both included; by beginning.
pub fn list_between(
    conn: &dyn Source,
    outlet_id: Uuid,
    from: NaiveDate,
    to: NaiveDate,
) -> db::Result<Vec<Shift>> {
    let sql = select!(
        Shift,
        "WHERE outlet_id = ?1 AND date BETWEEN ?2 AND ?3 AND archived_at IS NULL
         ORDER BY date, start_time IS NOT NULL, start_time, id"
    );
    rows(conn, sql, params![outlet_id, from, to], Shift::read)
}

/// What a list of shifts is narrowed to.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Not before this date.
    pub from: Option<NaiveDate>,
    /// Not after this date.
    pub to: Option<NaiveDate>,
    /// Of this employee.
    pub employee_id: Option<Uuid>,
    /// In this state.
    pub status: Option<ShiftStatus>,
}

/// A page of shifts, by beginning.
pub fn list(conn: &dyn Source, outlet_id: Uuid, filter: &Filter, paging: Paging) -> db::Result<Page<Shift>> {
    let condition = "outlet_id = ?1 AND date >= coalesce(?2, '') AND date <= coalesce(?3, '9999-12-31')
      AND (?4 IS NULL OR employee_id = ?4) AND (?5 IS NULL OR status = ?5) AND archived_at IS NULL";
    let order = "date, start_time IS NOT NULL, start_time, id";
    let args = params![outlet_id, filter.from, filter.to, filter.employee_id, filter.status];
    Page::read(conn, (condition, order), args, paging)
}

/// Writes a new shift.
pub fn insert(tx: &Tx<'_>, actor: &Actor, shift: &Shift) -> db::Result<()> {
    let by = actor.account_id;
    insert!(tx, shifts { outlet_id: actor.outlet_id, created_by: by, updated_by: by, ..shift }).map(drop)
}

/// Writes what may change of a shift.
pub fn update(tx: &Tx<'_>, actor: &Actor, shift: &Shift) -> db::Result<()> {
    update!(tx, shifts {
        off_reason: shift.off_reason, leave_request_id: shift.leave_request_id, updated_at: tx.now(),
        updated_by: actor.account_id, ..&shift.draft; "version = version + 1"
    } where { id: shift.id, outlet_id: actor.outlet_id })
    .map(drop)
}

/// Takes a shift off the roster; swaps still name it.
pub fn set_archived(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> db::Result<()> {
    let now = tx.now();
    update!(tx, shifts {
        archived_at: now, updated_at: now, updated_by: actor.account_id; "version = version + 1"
    } where { id: id, outlet_id: actor.outlet_id })
    .map(drop)
}

/// Shows a draft to the staff.
pub fn set_published(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> db::Result<()> {
    let now = tx.now();
    update!(tx, shifts {
        status: ShiftStatus::Published, published_at: now, updated_at: now, updated_by: actor.account_id;
        "version = version + 1"
    } where { id: id, outlet_id: actor.outlet_id })
    .map(drop)
}
