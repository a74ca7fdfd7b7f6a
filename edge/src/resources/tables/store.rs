//! Rows of dining_tables and table_sessions. Never decides.

use super::rules::{Table, TableDraft, TableError, TablePosition, TableSession, TableStatus};
use crate::db::{self, Row, Source, Transaction, list, one, opt};
use crate::http::Page;
use chrono::NaiveDate;
use rusqlite::params;
use tiffin_common::{Millis, Uuid};

const SELECT: &str = "SELECT t.id, t.outlet_id, t.number, t.area, t.seats, t.position_x, t.position_y, t.status,
    t.qr_token, t.qr_rotated_at, t.version, t.created_at, t.updated_at,
    s.id, s.party_size, s.opened_at, s.business_date, s.approved_at,
    (SELECT count(*) FROM orders o WHERE o.table_session_id = s.id AND o.status NOT IN ('COMPLETED', 'CANCELLED'))
  FROM dining_tables t
  LEFT JOIN table_sessions s ON s.table_id = t.id AND s.closed_at IS NULL
  WHERE t.archived_at IS NULL";

fn read(row: &Row<'_>) -> db::Result<Table> {
    let position = match (row.get(5)?, row.get(6)?) {
        (Some(x), Some(y)) => Some(TablePosition { x, y }),
        _ => None,
    };
    let session = match row.get(13)? {
        None => None,
        Some(id) => Some(TableSession {
            id,
            party_size: row.get(14)?,
            opened_at: row.get(15)?,
            business_date: row.get(16)?,
            approved_at: row.get(17)?,
            open_orders: row.get(18)?,
        }),
    };
    Ok(Table {
        id: row.get(0)?,
        outlet_id: row.get(1)?,
        number: row.get(2)?,
        area: row.get(3)?,
        seats: row.get(4)?,
        position,
        status: TableStatus::of_name(row.get_ref(7)?.as_str()?),
        current_session: session,
        qr_token: row.get(8)?,
        qr_url: None,
        qr_rotated_at: row.get(9)?,
        version: row.get(10)?,
        created_at: row.get(11)?,
        updated_at: row.get(12)?,
    })
}

/// One table of the outlet.
///
/// # Errors
/// [`TableError::NotFound`]; whatever the store reports.
pub fn find(conn: &dyn Source, outlet: Uuid, id: Uuid) -> Result<Table, TableError> {
    let sql = format!("{SELECT} AND t.outlet_id = ?1 AND t.id = ?2");
    opt(conn, &sql, params![outlet, id], read)?.ok_or(TableError::NotFound)
}

/// The table of that number in the outlet.
pub fn find_by_number(conn: &dyn Source, outlet: Uuid, number: &str) -> db::Result<Option<Table>> {
    opt(conn, &format!("{SELECT} AND t.outlet_id = ?1 AND t.number = ?2"), params![outlet, number], read)
}

/// The table a QR token belongs to, in whichever outlet: the token is the right, and it names the outlet.
pub fn find_by_token(conn: &dyn Source, token: &str) -> db::Result<Option<Table>> {
    opt(conn, &format!("{SELECT} AND t.qr_token = ?1"), [token], read)
}

/// The table an open session is at.
pub fn find_by_session(conn: &dyn Source, outlet: Uuid, session: Uuid) -> db::Result<Option<Table>> {
    opt(conn, &format!("{SELECT} AND t.outlet_id = ?1 AND s.id = ?2"), params![outlet, session], read)
}

/// Which tables.
#[derive(Debug, Clone, Default)]
pub struct TableFilter {
    /// In this area.
    pub area: Option<String>,
    /// Of this status.
    pub status: Option<TableStatus>,
    /// Rows on a page.
    pub limit: u32,
    /// Rows to skip.
    pub offset: u32,
}

/// A page of tables: `2` comes before `10`, and both before `T1`.
pub fn list_tables(conn: &dyn Source, outlet: Uuid, filter: &TableFilter) -> db::Result<Page<Table>> {
    let matches = "(?2 IS NULL OR t.area = ?2) AND (?3 IS NULL OR t.status = ?3)";
    let sql = format!(
        "{SELECT} AND t.outlet_id = ?1 AND {matches}
         ORDER BY t.number GLOB '*[^0-9]*', CASE WHEN t.number GLOB '*[^0-9]*' THEN 0 ELSE length(t.number) END,
           t.number, t.id LIMIT ?4 OFFSET ?5"
    );
    let status = filter.status.map(TableStatus::name);
    let items = list(conn, &sql, params![outlet, filter.area, status, filter.limit, filter.offset], read)?;
    let sql = format!(
        "SELECT count(*) FROM dining_tables t WHERE t.archived_at IS NULL AND t.outlet_id = ?1 AND {matches}"
    );
    let total = one(conn, &sql, params![outlet, filter.area, status], |row| row.get(0))?;
    Ok(Page { items, total })
}

/// Adds a checked table.
///
/// # Errors
/// A number that is taken; whatever SQLite reports.
pub fn insert(tx: &Transaction<'_>, outlet: Uuid, draft: &TableDraft, token: &str) -> db::Result<Uuid> {
    let id = tx.new_id();
    tx.execute(
        "INSERT INTO dining_tables (id, outlet_id, number, area, seats, position_x, position_y, qr_token, qr_rotated_at,
           created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9, ?9)",
        params![
            id,
            outlet,
            draft.number,
            draft.area,
            draft.seats,
            draft.position.map(|p| p.x),
            draft.position.map(|p| p.y),
            token,
            tx.now()
        ],
    )?;
    Ok(id)
}

/// Changes a table.
///
/// # Errors
/// A number that is taken; whatever SQLite reports.
pub fn update(tx: &Transaction<'_>, outlet: Uuid, id: Uuid, draft: &TableDraft) -> db::Result<()> {
    tx.execute(
        "UPDATE dining_tables SET number = ?3, area = ?4, seats = ?5, position_x = ?6, position_y = ?7,
           version = version + 1, updated_at = ?8
         WHERE outlet_id = ?1 AND id = ?2",
        params![
            outlet,
            id,
            draft.number,
            draft.area,
            draft.seats,
            draft.position.map(|p| p.x),
            draft.position.map(|p| p.y),
            tx.now()
        ],
    )
    .map(drop)
}

/// Archives a table; its token dies with it.
pub fn archive(tx: &Transaction<'_>, outlet: Uuid, id: Uuid) -> db::Result<()> {
    tx.execute(
        "UPDATE dining_tables SET archived_at = ?3, qr_token = NULL, version = version + 1, updated_at = ?3
         WHERE outlet_id = ?1 AND id = ?2",
        params![outlet, id, tx.now()],
    )
    .map(drop)
}

/// Sets the status of a table.
pub fn set_status(tx: &Transaction<'_>, outlet: Uuid, id: Uuid, status: TableStatus) -> db::Result<()> {
    tx.execute(
        "UPDATE dining_tables SET status = ?3, version = version + 1, updated_at = ?4
         WHERE outlet_id = ?1 AND id = ?2 AND status <> ?3",
        params![outlet, id, status.name(), tx.now()],
    )
    .map(drop)
}

/// Replaces the QR token of a table.
pub fn set_token(tx: &Transaction<'_>, outlet: Uuid, id: Uuid, token: &str) -> db::Result<()> {
    tx.execute(
        "UPDATE dining_tables SET qr_token = ?3, qr_rotated_at = ?4, version = version + 1, updated_at = ?4
         WHERE outlet_id = ?1 AND id = ?2",
        params![outlet, id, token, tx.now()],
    )
    .map(drop)
}

/// Opens a session at a table that has none.
pub fn insert_session(
    tx: &Transaction<'_>,
    outlet: Uuid,
    table: Uuid,
    party_size: Option<i64>,
    business_date: NaiveDate,
    by: Option<Uuid>,
) -> db::Result<Uuid> {
    let id = tx.new_id();
    tx.execute(
        "INSERT INTO table_sessions (id, outlet_id, table_id, party_size, business_date, opened_at, opened_by)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![id, outlet, table, party_size, business_date.to_string(), tx.now(), by],
    )?;
    Ok(id)
}

/// The party at a table, or the last one that has gone since `since`.
pub fn recent_session(
    conn: &dyn Source,
    outlet: Uuid,
    table: Uuid,
    since: Millis,
) -> db::Result<Option<Uuid>> {
    // By the outlet's days: a party that has just gone came today or yesterday.
    let sql = "SELECT id FROM table_sessions WHERE table_id = ?2 AND closed_at IS NULL AND outlet_id = ?1
      UNION ALL
      SELECT id FROM (SELECT id FROM table_sessions WHERE outlet_id = ?1 AND business_date >= ?4 AND table_id = ?2
        AND closed_at >= ?3 AND merged_into_id IS NULL ORDER BY closed_at DESC LIMIT 1) AS gone
      LIMIT 1";
    let day_before = since.after(-86_400_000).to_utc().date_naive().to_string();
    opt(conn, sql, params![outlet, table, since, day_before], |row| row.get(0))
}

/// Sets the size of a party.
pub fn set_party_size(
    tx: &Transaction<'_>,
    outlet: Uuid,
    session: Uuid,
    size: Option<i64>,
) -> db::Result<()> {
    let sql = "UPDATE table_sessions SET party_size = ?3 WHERE outlet_id = ?1 AND id = ?2";
    tx.execute(sql, params![outlet, session, size]).map(drop)
}

/// Notes that staff accepted the party's first QR order.
pub fn set_approved(tx: &Transaction<'_>, outlet: Uuid, session: Uuid) -> db::Result<()> {
    tx.execute(
        "UPDATE table_sessions SET approved_at = ?3 WHERE outlet_id = ?1 AND id = ?2 AND approved_at IS NULL",
        params![outlet, session, tx.now()],
    )
    .map(drop)
}

/// Takes an open session to another table.
pub fn set_table(tx: &Transaction<'_>, outlet: Uuid, session: Uuid, table: Uuid) -> db::Result<()> {
    let sql =
        "UPDATE table_sessions SET table_id = ?3 WHERE outlet_id = ?1 AND id = ?2 AND closed_at IS NULL";
    tx.execute(sql, params![outlet, session, table]).map(drop)
}

/// Closes a session; `merged_into` names the one it went on in.
pub fn close_session(
    tx: &Transaction<'_>,
    outlet: Uuid,
    session: Uuid,
    merged_into: Option<Uuid>,
) -> db::Result<()> {
    tx.execute(
        "UPDATE table_sessions SET closed_at = ?3, merged_into_id = ?4
         WHERE outlet_id = ?1 AND id = ?2 AND closed_at IS NULL",
        params![outlet, session, tx.now(), merged_into],
    )
    .map(drop)
}

/// Whether any order of the session was completed. Orders are orders'; this only looks.
pub fn has_completed_order(conn: &dyn Source, session: Uuid) -> db::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM orders WHERE table_session_id = ?1 AND status = 'COMPLETED')";
    one(conn, sql, [session], |row| row.get(0))
}
