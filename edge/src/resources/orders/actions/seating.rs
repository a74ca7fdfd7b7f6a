//! What an order asks of tables: which one is meant, and the seating of the party there. The one place that does.

use super::super::rules::OrderError;
use crate::access::Actor;
use crate::db::{Row, Transaction, opt};
use chrono::NaiveDate;
use rusqlite::{Connection, params};
use tiffin_common::Uuid;

/// A table, as far as orders care.
#[derive(Debug, Clone)]
pub struct Table {
    /// Its id.
    pub id: Uuid,
    /// Its outlet.
    pub outlet_id: Uuid,
    /// Its number.
    pub number: String,
}

fn read(row: &Row<'_>) -> rusqlite::Result<Table> {
    Ok(Table { id: row.get(0)?, outlet_id: row.get(1)?, number: row.get(2)? })
}

/// The table of that id.
pub(super) fn find(conn: &Connection, outlet: Uuid, id: Uuid) -> Result<Option<Table>, OrderError> {
    let sql = "SELECT id, outlet_id, number FROM dining_tables WHERE id = ?1 AND outlet_id = ?2 AND archived_at IS NULL";
    Ok(opt(conn, sql, [id, outlet], read)?)
}

/// The table of that number.
pub(super) fn find_by_number(
    conn: &Connection,
    outlet: Uuid,
    number: &str,
) -> Result<Option<Table>, OrderError> {
    let sql = "SELECT id, outlet_id, number FROM dining_tables WHERE outlet_id = ?1 AND number = ?2 AND archived_at IS NULL";
    Ok(opt(conn, sql, params![outlet, number], read)?)
}

/// The table of that QR token.
///
/// # Errors
/// [`OrderError::NotFound`] for a token that was never given, or has been rotated.
pub fn find_by_token(conn: &Connection, token: &str) -> Result<Table, OrderError> {
    let sql = "SELECT id, outlet_id, number FROM dining_tables WHERE qr_token = ?1 AND archived_at IS NULL";
    opt(conn, sql, [token], read)?.ok_or(OrderError::NotFound("table"))
}

/// The seating at a table; one begins when nobody sits there.
pub(super) fn join(
    tx: &Transaction<'_>,
    actor: &Actor,
    table: Uuid,
    guests: Option<i64>,
    date: NaiveDate,
) -> Result<Uuid, OrderError> {
    let sql = "SELECT id FROM table_sessions WHERE table_id = ?1 AND closed_at IS NULL";
    if let Some(session) = opt(tx, sql, [table], |row| row.get(0))? {
        return Ok(session);
    }
    let id = tx.new_id();
    tx.execute(
        "INSERT INTO table_sessions (id, outlet_id, table_id, party_size, business_date, opened_at, opened_by)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![id, actor.outlet_id, table, guests, date.to_string(), tx.now(), actor.account_id],
    )?;
    tx.execute("UPDATE dining_tables SET status = 'OCCUPIED' WHERE id = ?1", [table])?;
    Ok(id)
}

/// An order of the seating closed: with the last one it ends.
pub(super) fn leave(tx: &Transaction<'_>, _: &Actor, session: Uuid) -> Result<(), OrderError> {
    let changed = tx.execute(
        "UPDATE table_sessions SET closed_at = ?2 WHERE id = ?1 AND closed_at IS NULL AND NOT EXISTS (
           SELECT 1 FROM orders WHERE table_session_id = ?1 AND status NOT IN ('COMPLETED', 'CANCELLED'))",
        params![session, tx.now()],
    )?;
    if changed > 0 {
        let sql = "UPDATE dining_tables SET status = 'CLEANING' WHERE id = (SELECT table_id FROM table_sessions WHERE id = ?1)";
        tx.execute(sql, [session])?;
    }
    Ok(())
}

/// Staff accepted an order of the party.
pub(super) fn approve(tx: &Transaction<'_>, _: &Actor, session: Uuid) -> Result<(), OrderError> {
    let sql = "UPDATE table_sessions SET approved_at = ?2 WHERE id = ?1 AND approved_at IS NULL";
    tx.execute(sql, params![session, tx.now()])?;
    Ok(())
}

/// The party moves to a free table.
pub(super) fn relocate(
    tx: &Transaction<'_>,
    _: &Actor,
    session: Uuid,
    table: Uuid,
) -> Result<(), OrderError> {
    let sql = "UPDATE dining_tables SET status = 'CLEANING' WHERE id = (SELECT table_id FROM table_sessions WHERE id = ?1)";
    tx.execute(sql, [session])?;
    tx.execute("UPDATE table_sessions SET table_id = ?2 WHERE id = ?1", params![session, table])?;
    tx.execute("UPDATE dining_tables SET status = 'OCCUPIED' WHERE id = ?1", [table])?;
    Ok(())
}

/// The party joins another one.
pub(super) fn join_parties(
    tx: &Transaction<'_>,
    actor: &Actor,
    from: Uuid,
    into: Uuid,
) -> Result<(), OrderError> {
    let sql = "UPDATE table_sessions SET merged_into_id = ?2 WHERE id = ?1";
    tx.execute(sql, params![from, into])?;
    leave(tx, actor, from)
}
