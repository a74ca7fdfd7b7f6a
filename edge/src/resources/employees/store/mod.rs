//! Rows of `employees` and `employee_wages`. Never returns a PIN's hash.

pub(super) mod documents;

use super::rules::{Employee, EmployeeRecord, EmployeeStatus, EmploymentType};
use crate::access::{Actor, PinHash, Role};
use crate::db::{self, Row, Source, Transaction, list as rows, one, opt};
use crate::http::{Page, Paging};
use rusqlite::params;
use std::collections::HashMap;
use tiffin_common::{Cents, Millis, Uuid};

const COLUMNS: &str = "id, outlet_id, employee_code, name, phone, email, job_title, station, hourly_rate_cents, employment_type,
  hired_on, ended_on, status, pin_hash IS NOT NULL, version, created_at, updated_at";

fn read(row: &Row<'_>) -> db::Result<Employee> {
    let date = |text: Option<String>| text.and_then(|t| t.parse().ok());
    let record = EmployeeRecord {
        employee_code: row.get(2)?,
        name: row.get(3)?,
        phone: row.get(4)?,
        email: row.get(5)?,
        job_title: row.get(6)?,
        station: row.get(7)?,
        hourly_rate: row.get(8)?,
        employment_type: EmploymentType::of_name(&row.get::<_, String>(9)?).unwrap_or_default(),
        hired_on: date(row.get(10)?),
        ended_on: date(row.get(11)?),
        // What cannot be read must not open a door.
        status: EmployeeStatus::of_name(&row.get::<_, String>(12)?).unwrap_or(EmployeeStatus::Ended),
    };
    Ok(Employee {
        id: row.get(0)?,
        outlet_id: row.get(1)?,
        record,
        has_pin: row.get(13)?,
        version: row.get(14)?,
        created_at: row.get(15)?,
        updated_at: row.get(16)?,
    })
}

/// The employee of that id at `outlet`, unless archived.
pub fn find(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Option<Employee>> {
    let sql =
        format!("SELECT {COLUMNS} FROM employees WHERE outlet_id = ?1 AND id = ?2 AND archived_at IS NULL");
    opt(conn, &sql, params![outlet, id], read)
}

/// Everybody who works or ever worked at `outlet`, by code; those who were let go have ended.
pub fn everybody(conn: &dyn Source, outlet: Uuid) -> db::Result<Vec<Employee>> {
    let sql = format!("SELECT {COLUMNS} FROM employees WHERE outlet_id = ?1 ORDER BY employee_code");
    rows(conn, &sql, [outlet], read)
}

/// The employee of that code at `outlet`, unless archived.
pub fn find_by_code(conn: &dyn Source, outlet: Uuid, code: &str) -> db::Result<Option<Employee>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM employees WHERE outlet_id = ?1 AND employee_code = ?2 AND archived_at IS NULL"
    );
    opt(conn, &sql, params![outlet, code], read)
}

/// The employee at `outlet` whose PIN has that hash and who still works there.
pub fn find_by_pin(conn: &dyn Source, outlet: Uuid, hash: &PinHash) -> db::Result<Option<Employee>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM employees
         WHERE outlet_id = ?1 AND pin_hash = ?2 AND archived_at IS NULL AND status <> 'ENDED'"
    );
    opt(conn, &sql, params![outlet, hash.as_bytes()], read)
}

/// The account of an employee and its role, read here because a PIN is a way to act as them.
pub(super) fn account(conn: &dyn Source, employee: Uuid) -> db::Result<Option<(Uuid, Role)>> {
    let sql = "SELECT id, role FROM accounts WHERE employee_id = ?1";
    let found = opt(conn, sql, [employee], |row| Ok((row.get::<_, Uuid>(0)?, row.get::<_, String>(1)?)))?;
    // A role this version does not know ranks highest.
    Ok(found.map(|(id, role)| (id, Role::of_name(&role).unwrap_or(Role::SuperAdmin))))
}

/// A page of the outlet's staff by code. `q` is found in name, code, phone or job.
pub(super) fn list(
    conn: &dyn Source,
    outlet: Uuid,
    status: Option<EmployeeStatus>,
    q: Option<&str>,
    paging: Paging,
) -> db::Result<Page<Employee>> {
    let condition = "outlet_id = ?1 AND archived_at IS NULL AND (?2 IS NULL OR status = ?2)
      AND (?3 IS NULL OR instr(lower(name || ' ' || employee_code || ' ' || coalesce(phone, '') || ' ' || job_title), lower(?3)) > 0)";
    let status = status.map(EmployeeStatus::name);
    let total = one(
        conn,
        &format!("SELECT count(*) FROM employees WHERE {condition}"),
        params![outlet, status, q],
        |row| row.get(0),
    )?;
    let sql = format!(
        "SELECT {COLUMNS} FROM employees WHERE {condition} ORDER BY employee_code LIMIT ?4 OFFSET ?5"
    );
    let items = rows(conn, &sql, params![outlet, status, q, paging.limit, paging.offset], read)?;
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

pub(super) fn insert(
    tx: &Transaction<'_>,
    outlet: Uuid,
    id: Uuid,
    record: &EmployeeRecord,
) -> db::Result<()> {
    tx.execute(
        "INSERT INTO employees (id, outlet_id, created_at, updated_at, employee_code, name, phone, email, job_title, station,
           hourly_rate_cents, employment_type, hired_on, ended_on, status)
         VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
        params![
            id,
            outlet,
            tx.now(),
            record.employee_code,
            record.name,
            record.phone,
            record.email,
            record.job_title,
            record.station,
            record.hourly_rate,
            record.employment_type.name(),
            record.hired_on.map(|d| d.to_string()),
            record.ended_on.map(|d| d.to_string()),
            record.status.name(),
        ],
    )
    .map(drop)
}

pub(super) fn update(tx: &Transaction<'_>, id: Uuid, record: &EmployeeRecord) -> db::Result<()> {
    tx.execute(
        "UPDATE employees SET updated_at = ?2, employee_code = ?3, name = ?4, phone = ?5, email = ?6, job_title = ?7,
           station = ?8, hourly_rate_cents = ?9, employment_type = ?10, hired_on = ?11, ended_on = ?12, status = ?13,
           version = version + 1
         WHERE id = ?1",
        params![
            id,
            tx.now(),
            record.employee_code,
            record.name,
            record.phone,
            record.email,
            record.job_title,
            record.station,
            record.hourly_rate,
            record.employment_type.name(),
            record.hired_on.map(|d| d.to_string()),
            record.ended_on.map(|d| d.to_string()),
            record.status.name(),
        ],
    )
    .map(drop)
}

pub(super) fn set_pin(tx: &Transaction<'_>, id: Uuid, hash: Option<&PinHash>) -> db::Result<()> {
    let sql = "UPDATE employees SET pin_hash = ?2, updated_at = ?3, version = version + 1 WHERE id = ?1";
    tx.execute(sql, params![id, hash.map(PinHash::as_bytes), tx.now()]).map(drop)
}

pub(super) fn set_archived(tx: &Transaction<'_>, id: Uuid) -> db::Result<()> {
    let sql = "UPDATE employees SET archived_at = ?2, pin_hash = NULL, updated_at = ?2 WHERE id = ?1";
    tx.execute(sql, params![id, tx.now()]).map(drop)
}

/// Keeps the wage that holds from now on.
pub(super) fn insert_wage(
    tx: &Transaction<'_>,
    actor: &Actor,
    employee: Uuid,
    hourly_rate: Cents,
) -> db::Result<()> {
    tx.execute(
        "INSERT INTO employee_wages (id, outlet_id, employee_id, hourly_rate_cents, effective_at, set_by)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![tx.new_id(), actor.outlet_id, employee, hourly_rate, tx.now(), actor.account_id],
    )
    .map(drop)
}

/// A wage and since when it holds.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "the columns of employee_wages")]
pub struct Wage {
    pub id: Uuid,
    pub employee_id: Uuid,
    pub hourly_rate: Cents,
    pub effective_at: Millis,
    pub set_by: Option<Uuid>,
}

const WAGE: &str = "id, employee_id, hourly_rate_cents, effective_at, set_by";

fn read_wage(row: &Row<'_>) -> db::Result<Wage> {
    Ok(Wage {
        id: row.get(0)?,
        employee_id: row.get(1)?,
        hourly_rate: row.get(2)?,
        effective_at: row.get(3)?,
        set_by: row.get(4)?,
    })
}

/// Every wage anybody at the outlet ever had, the oldest first.
pub fn wages_of_all(conn: &dyn Source, outlet: Uuid) -> db::Result<Vec<Wage>> {
    let sql = format!("SELECT {WAGE} FROM employee_wages WHERE outlet_id = ?1 ORDER BY effective_at, id");
    rows(conn, &sql, [outlet], read_wage)
}

/// A page of the wages of one employee, the newest first.
pub(super) fn wages(conn: &dyn Source, employee: Uuid, paging: Paging) -> db::Result<Page<Wage>> {
    let count = "SELECT count(*) FROM employee_wages WHERE employee_id = ?1";
    let total = one(conn, count, [employee], |row| row.get(0))?;
    let sql = format!(
        "SELECT {WAGE} FROM employee_wages WHERE employee_id = ?1 ORDER BY effective_at DESC, id DESC LIMIT ?2 OFFSET ?3"
    );
    Ok(Page { items: rows(conn, &sql, params![employee, paging.limit, paging.offset], read_wage)?, total })
}

/// The name of everybody who ever worked at the outlet.
pub fn names(conn: &dyn Source, outlet: Uuid) -> db::Result<HashMap<Uuid, String>> {
    let sql = "SELECT id, name FROM employees WHERE outlet_id = ?1";
    rows(conn, sql, [outlet], |row| Ok((row.get(0)?, row.get(1)?))).map(|list| list.into_iter().collect())
}
