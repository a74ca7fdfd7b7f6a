//! Rows of `employees` and `employee_wages`. Never returns a PIN's hash.

pub(super) mod documents;

use super::rules::{Employee, EmployeeRecord, EmployeeStatus, Pay};
use crate::access::{Actor, PinHash, Role};
use crate::db::{self, Columns, Row, Source, Tx, list as rows, one, opt};
use crate::http::{Page, Paging};
use chrono::NaiveDate;
use rusqlite::params;
use std::collections::HashMap;
use tiffin_common::{Millis, Uuid};

/// An employee of a query that also asks for `has_pin`.
fn read(row: &Row<'_>) -> db::Result<Employee> {
    Ok(Employee { has_pin: row.get("has_pin")?, ..Employee::read(row)? })
}

/// A query of employees.
macro_rules! employees {
    ($rest:literal) => {
        select!(Employee as e, "pin_hash IS NOT NULL AS has_pin", $rest)
    };
}

/// The employee of that id at `outlet`, unless archived.
pub fn find(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Option<Employee>> {
    let sql = employees!("WHERE outlet_id = ?1 AND id = ?2 AND archived_at IS NULL");
    opt(conn, sql, params![outlet, id], read)
}

/// Everybody who works or ever worked at `outlet`, by code; those who were let go have ended.
pub fn list_all(conn: &dyn Source, outlet: Uuid) -> db::Result<Vec<Employee>> {
    rows(conn, employees!("WHERE outlet_id = ?1 ORDER BY employee_code"), [outlet], read)
}

/// Everybody who works at `outlet` or has ended there, but for those who were archived; by code.
pub fn list_present(conn: &dyn Source, outlet: Uuid) -> db::Result<Vec<Employee>> {
    rows(
        conn,
        employees!("WHERE outlet_id = ?1 AND archived_at IS NULL ORDER BY employee_code"),
        [outlet],
        read,
    )
}

/// The employee of that code at `outlet`, unless archived.
pub fn find_by_code(conn: &dyn Source, outlet: Uuid, code: &str) -> db::Result<Option<Employee>> {
    let sql = employees!("WHERE outlet_id = ?1 AND employee_code = ?2 AND archived_at IS NULL");
    opt(conn, sql, params![outlet, code], read)
}

/// The employee at `outlet` whose PIN has that hash and who still works there.
pub fn find_by_pin(conn: &dyn Source, outlet: Uuid, hash: &PinHash) -> db::Result<Option<Employee>> {
    let sql =
        employees!("WHERE outlet_id = ?1 AND pin_hash = ?2 AND archived_at IS NULL AND status <> 'ENDED'");
    opt(conn, sql, params![outlet, hash.as_bytes()], read)
}

/// The account of an employee and its role, read here because a PIN is a way to act as them.
pub(super) fn find_account(conn: &dyn Source, employee: Uuid) -> db::Result<Option<(Uuid, Role)>> {
    let sql = "SELECT id, role FROM accounts WHERE employee_id = ?1";
    opt(conn, sql, [employee], |row| Ok((row.get("id")?, row.get("role")?)))
}

/// Whether somebody (the employee `who`, if any, acting in `role`; none: the box itself) stands above `employee`: a higher role than that
/// of their account and than theirs at the till, and never oneself.
pub fn is_above(
    conn: &dyn Source,
    who: Option<Uuid>,
    role: Option<Role>,
    employee: Uuid,
) -> db::Result<bool> {
    let Some(role) = role else { return Ok(true) };
    let account = find_account(conn, employee)?.map(|(_, theirs)| theirs);
    let sql = "SELECT till_role FROM employees WHERE id = ?1";
    let at_till: Option<Role> = opt(conn, sql, [employee], |row| row.get("till_role"))?.flatten();
    let theirs = [account, at_till];
    Ok(who != Some(employee) && theirs.into_iter().flatten().all(|theirs| role.outranks(theirs)))
}

/// A page of the outlet's staff by code. `q` is found in name, code, phone or job.
pub(super) fn list(
    conn: &dyn Source,
    outlet: Uuid,
    status: Option<EmployeeStatus>,
    q: Option<&str>,
    paging: Paging,
) -> db::Result<Page<Employee>> {
    /// Which of them; filled into both texts.
    macro_rules! matching {
        ($before:literal, $after:literal) => {
            concat!(
                $before,
                "WHERE outlet_id = ?1 AND archived_at IS NULL AND (?2 IS NULL OR status = ?2) AND (?3 IS NULL
                   OR instr(lower(name || ' ' || employee_code || ' ' || coalesce(phone, '') || ' ' || job_title), lower(?3)) > 0)",
                $after
            )
        };
    }
    let count = matching!("SELECT count(*) FROM employees ", "");
    let total = one(conn, count, params![outlet, status, q], |row| row.get(0))?;
    let sql = select!(
        Employee as e,
        "pin_hash IS NOT NULL AS has_pin",
        matching!("", " ORDER BY employee_code LIMIT ?4 OFFSET ?5")
    );
    let items = rows(conn, sql, params![outlet, status, q, paging.limit, paging.offset], read)?;
    Ok(Page { items, total })
}

/// How many employees the outlet ever had, for the next code.
pub(super) fn count(conn: &dyn Source, outlet: Uuid) -> db::Result<i64> {
    one(conn, "SELECT count(*) FROM employees WHERE outlet_id = ?1", [outlet], |row| row.get(0))
}

/// Whether `code` was ever given at the outlet.
pub(super) fn has_code(conn: &dyn Source, outlet: Uuid, code: &str) -> db::Result<bool> {
    let sql = "SELECT 1 FROM employees WHERE outlet_id = ?1 AND employee_code = ?2";
    Ok(opt(conn, sql, params![outlet, code], |_| Ok(()))?.is_some())
}

pub(super) fn insert(tx: &Tx<'_>, outlet: Uuid, id: Uuid, record: &EmployeeRecord) -> db::Result<()> {
    let now = tx.now();
    insert!(tx, employees { id: id, outlet_id: outlet, created_at: now, updated_at: now, ..record })
}

pub(super) fn update(tx: &Tx<'_>, id: Uuid, record: &EmployeeRecord) -> db::Result<()> {
    update!(tx, employees { updated_at: tx.now(), ..record; "version = version + 1" } where { id: id })
}

pub(super) fn set_pin(tx: &Tx<'_>, id: Uuid, hash: Option<&PinHash>) -> db::Result<()> {
    let hash = hash.map(PinHash::as_bytes);
    update!(tx, employees { pin_hash: hash, updated_at: tx.now(); "version = version + 1" } where { id: id })
}

pub(super) fn set_archived(tx: &Tx<'_>, id: Uuid) -> db::Result<()> {
    let sql = "UPDATE employees SET archived_at = ?2, pin_hash = NULL, updated_at = ?2 WHERE id = ?1";
    tx.execute(sql, params![id, tx.now()])
}

/// Keeps the wage that holds from now on.
pub(super) fn insert_wage(tx: &Tx<'_>, actor: &Actor, employee: Uuid, pay: Pay) -> db::Result<()> {
    let wage = Wage {
        id: tx.new_id(),
        employee_id: employee,
        pay,
        effective_at: tx.now(),
        set_by: actor.account_id,
    };
    insert!(tx, employee_wages { outlet_id: actor.outlet_id, ..&wage })
}

table! {
    /// A wage and since when it holds.
    #[derive(Copy)]
    #[expect(missing_docs, reason = "the columns of employee_wages")]
    pub struct Wage: employee_wages {
        pub id: Uuid,
        pub employee_id: Uuid,
        pub pay: Pay => flat,
        pub effective_at: Millis,
        pub set_by: Option<Uuid>,
    }
}

/// Every wage anybody at the outlet ever had, the oldest first.
pub fn list_wages_of_all(conn: &dyn Source, outlet: Uuid) -> db::Result<Vec<Wage>> {
    rows(conn, select!(Wage, "WHERE outlet_id = ?1 ORDER BY effective_at, id"), [outlet], Wage::read)
}

/// A page of the wages of one employee, the newest first.
pub(super) fn list_wages(conn: &dyn Source, employee: Uuid, paging: Paging) -> db::Result<Page<Wage>> {
    let count = "SELECT count(*) FROM employee_wages WHERE employee_id = ?1";
    let total = one(conn, count, [employee], |row| row.get(0))?;
    let sql = select!(Wage, "WHERE employee_id = ?1 ORDER BY effective_at DESC, id DESC LIMIT ?2 OFFSET ?3");
    Ok(Page { items: rows(conn, sql, params![employee, paging.limit, paging.offset], Wage::read)?, total })
}

/// Where somebody works or worked, and until when, where that is known.
pub fn find_end(conn: &dyn Source, id: Uuid) -> db::Result<Option<(Uuid, NaiveDate)>> {
    let sql = "SELECT outlet_id, ended_on FROM employees WHERE id = ?1 AND ended_on IS NOT NULL";
    opt(conn, sql, [id], |row| Ok((row.get("outlet_id")?, row.get("ended_on")?)))
}

/// The name of everybody who ever worked at the outlet.
pub fn list_names(conn: &dyn Source, outlet: Uuid) -> db::Result<HashMap<Uuid, String>> {
    let sql = "SELECT id, name FROM employees WHERE outlet_id = ?1";
    rows(conn, sql, [outlet], |row| Ok((row.get("id")?, row.get("name")?)))
        .map(|list| list.into_iter().collect())
}
