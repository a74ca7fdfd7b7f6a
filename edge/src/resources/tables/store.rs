//! Rows of dining_tables and table_sessions. Never decides.

use super::rules::{Result, Table, TableError, TableFields, TableSession, TableStatus};
use crate::db::{self, Columns, Json, Row, Source, Tx, list, one, opt, page};
use crate::http::{Page, Paging};
use crate::resources::menu::rules::Texts;
use chrono::NaiveDate;
use rusqlite::params;
use std::collections::{BTreeSet, HashMap};
use tiffin_common::{Millis, Uuid};

/// The party at a table.
const SESSION: &str = "s.id AS session_id, s.party_size, s.opened_at, s.business_date, s.approved_at, s.session_code, s.code_failures,
    (SELECT count(*) FROM orders o WHERE o.table_session_id = s.id AND o.status NOT IN ('COMPLETED', 'CANCELLED')) AS open_orders";

const JOIN: &str =
    "LEFT JOIN table_sessions s ON s.table_id = t.id AND s.closed_at IS NULL WHERE t.archived_at IS NULL";

fn read(row: &Row<'_>) -> db::Result<Table> {
    let session = |id| {
        Ok::<_, db::DbError>(read!(row => TableSession {
            id: id, party_size, opened_at, business_date, approved_at, open_orders, session_code, code_failures
        }))
    };
    let current_session = row.get::<_, Option<Uuid>>("session_id")?.map(session).transpose()?;
    Ok(Table { current_session, ..Table::read(row)? })
}

/// One table of the outlet.
///
/// # Errors
/// [`TableError::NotFound`].
pub fn find(conn: &dyn Source, outlet: Uuid, id: Uuid) -> Result<Table> {
    let sql = select!(Table as t, SESSION, &format!("{JOIN} AND t.outlet_id = ?1 AND t.id = ?2"));
    opt(conn, sql, [outlet, id], read)?.ok_or(TableError::NotFound("table"))
}

/// The table of that number in the outlet.
pub fn find_by_number(conn: &dyn Source, outlet: Uuid, number: &str) -> db::Result<Option<Table>> {
    let sql = select!(Table as t, SESSION, &format!("{JOIN} AND t.outlet_id = ?1 AND t.number = ?2"));
    opt(conn, sql, params![outlet, number], read)
}

/// The table a QR token belongs to, in whichever outlet: the token is the right, and it names the outlet.
pub fn find_by_token(conn: &dyn Source, token: &str) -> db::Result<Option<Table>> {
    opt(conn, select!(Table as t, SESSION, &format!("{JOIN} AND t.qr_token = ?1")), [token], read)
}

/// The table an open session is at.
pub fn find_by_session(conn: &dyn Source, outlet: Uuid, session: Uuid) -> db::Result<Option<Table>> {
    let sql = select!(Table as t, SESSION, &format!("{JOIN} AND t.outlet_id = ?1 AND s.id = ?2"));
    opt(conn, sql, [outlet, session], read)
}

/// A page of tables, in this area and of this status: `2` comes before `10`, and both before `T1`.
pub fn list_tables(
    conn: &dyn Source,
    outlet: Uuid,
    area: Option<&str>,
    statuses: &[TableStatus],
    paging: Paging,
) -> db::Result<Page<Table>> {
    const MATCHES: &str = "AND t.outlet_id = ?1 AND (?2 IS NULL OR t.area = ?2)
        AND (?3 = '' OR instr(?3, ',' || t.status || ',') > 0)";
    const ORDER: &str = "ORDER BY t.number GLOB '*[^0-9]*',
        CASE WHEN t.number GLOB '*[^0-9]*' THEN 0 ELSE length(t.number) END, t.number, t.id";
    let sql = select!(Table as t, SESSION, &format!("{JOIN} {MATCHES} {ORDER}"));
    let count = format!("SELECT count(*) FROM dining_tables t WHERE t.archived_at IS NULL {MATCHES}");
    let statuses: String = statuses.iter().map(|status| format!(",{},", status.name())).collect();
    page(conn, (sql, &count), params![outlet, area, statuses], paging.into(), read)
}

/// All tables of the outlet, by area in their order; at most 1000.
pub fn list_all(conn: &dyn Source, outlet: Uuid) -> db::Result<Vec<Table>> {
    const ORDER: &str = "ORDER BY t.area_order, t.area NULLS FIRST, t.number, t.id LIMIT 1000";
    let sql = select!(Table as t, SESSION, &format!("{JOIN} AND t.outlet_id = ?1 {ORDER}"));
    list(conn, sql, [outlet], read)
}

pub(super) const TEXTS: &str = "SELECT number, texts FROM dining_tables
    WHERE outlet_id = ?1 AND number IN (SELECT value FROM json_each(?2)) AND archived_at IS NULL AND texts <> '{}'";

/// What the outlet's tables of these numbers are called in other languages, by their numbers; those of which something is said.
pub fn list_texts<'n>(
    conn: &dyn Source,
    outlet: Uuid,
    numbers: impl IntoIterator<Item = &'n str>,
) -> db::Result<HashMap<String, Texts>> {
    let numbers: BTreeSet<&str> = numbers.into_iter().collect();
    let read = |row: &Row<'_>| Ok((row.get("number")?, row.get::<_, Json<Texts>>("texts")?.0));
    Ok(list(conn, TEXTS, params![outlet, Json(numbers)], read)?.into_iter().collect())
}

/// What other tables of that area say of it: what it is called in other languages, and its place among the areas; none where there is no
/// other.
pub fn find_area(conn: &dyn Source, outlet: Uuid, area: &str, but: Uuid) -> db::Result<Option<(Texts, i64)>> {
    let sql = "SELECT area_texts, area_order FROM dining_tables
        WHERE outlet_id = ?1 AND area = ?2 AND id <> ?3 AND archived_at IS NULL ORDER BY area_order DESC LIMIT 1";
    let read = |row: &Row<'_>| Ok((row.get::<_, Json<Texts>>("area_texts")?.0, row.get("area_order")?));
    opt(conn, sql, params![outlet, area, but], read)
}

/// Says at all tables of an area what it is called in other languages.
pub fn set_area_texts(tx: &Tx<'_>, outlet: Uuid, area: &str, texts: &Texts) -> db::Result<()> {
    update!(tx, dining_tables {
        area_texts: Json(texts), updated_at: tx.now(); "version = version + 1"
    } where { outlet_id: outlet, area: area; "archived_at IS NULL AND area_texts <> ?1" })
}

/// Puts the tables of an area in the place that it has among the areas.
pub fn set_area_order(tx: &Tx<'_>, outlet: Uuid, area: &str, place: i64) -> db::Result<()> {
    update!(tx, dining_tables {
        area_order: place, updated_at: tx.now(); "version = version + 1"
    } where { outlet_id: outlet, area: area; "archived_at IS NULL AND area_order <> ?1" })
}

/// Adds a checked table, whose area has that place among the areas.
pub fn insert(
    tx: &Tx<'_>,
    outlet: Uuid,
    fields: &TableFields,
    area_order: i64,
    token: &str,
) -> db::Result<Uuid> {
    let (id, now) = (tx.new_id(), tx.now());
    insert!(
        tx,
        dining_tables {
            id: id,
            outlet_id: outlet,
            area_order: area_order,
            qr_token: token,
            qr_rotated_at: now,
            created_at: now,
            updated_at: now,
            ..fields
        }
    )?;
    Ok(id)
}

/// Changes a table, whose area has that place among the areas.
pub fn update(tx: &Tx<'_>, outlet: Uuid, id: Uuid, fields: &TableFields, area_order: i64) -> db::Result<()> {
    update!(tx, dining_tables {
        area_order: area_order, updated_at: tx.now(), ..fields; "version = version + 1"
    } where { outlet_id: outlet, id: id })
}

/// Archives a table; its token dies with it.
pub fn set_archived(tx: &Tx<'_>, outlet: Uuid, id: Uuid) -> db::Result<()> {
    update!(tx, dining_tables {
        archived_at: tx.now(), updated_at: tx.now(); "qr_token = NULL, version = version + 1"
    } where { outlet_id: outlet, id: id })
}

/// Sets the status of a table.
pub fn set_status(tx: &Tx<'_>, outlet: Uuid, id: Uuid, status: TableStatus) -> db::Result<()> {
    update!(tx, dining_tables {
        status: status, updated_at: tx.now(); "version = version + 1"
    } where { outlet_id: outlet, id: id; "status <> ?1" })
}

/// Replaces the QR token of a table.
pub fn set_token(tx: &Tx<'_>, outlet: Uuid, id: Uuid, token: &str) -> db::Result<()> {
    update!(tx, dining_tables {
        qr_token: token, qr_rotated_at: tx.now(), updated_at: tx.now(); "version = version + 1"
    } where { outlet_id: outlet, id: id })
}

/// Opens a session at a table that has none.
pub fn insert_session(
    tx: &Tx<'_>,
    outlet: Uuid,
    table: Uuid,
    party_size: Option<i64>,
    business_date: NaiveDate,
    by: Option<Uuid>,
) -> db::Result<Uuid> {
    let id = tx.new_id();
    insert!(
        tx,
        table_sessions {
            id: id,
            outlet_id: outlet,
            table_id: table,
            party_size: party_size,
            business_date: business_date,
            opened_at: tx.now(),
            opened_by: by,
            session_code: format!("{:04}", u32::from_le_bytes(tx.random()) % 10_000)
        }
    )?;
    Ok(id)
}

/// The party at a table, or the last one that has gone since `since`.
pub fn find_recent_session(
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
    let day_before = since.after(-86_400_000).to_utc().date_naive();
    opt(conn, sql, params![outlet, table, since, day_before], |row| row.get(0))
}

/// Sets the size of a party.
pub fn set_party_size(tx: &Tx<'_>, outlet: Uuid, session: Uuid, size: Option<i64>) -> db::Result<()> {
    update!(tx, table_sessions { party_size: size } where { outlet_id: outlet, id: session })
}

/// Notes that staff accepted the party's first QR order.
pub fn set_approved(tx: &Tx<'_>, outlet: Uuid, session: Uuid) -> db::Result<()> {
    update!(tx, table_sessions {
        approved_at: tx.now()
    } where { outlet_id: outlet, id: session; "approved_at IS NULL" })
}

/// Counts a wrong code of a party.
pub fn set_code_failed(tx: &Tx<'_>, outlet: Uuid, session: Uuid) -> db::Result<()> {
    let sql = "UPDATE table_sessions SET code_failures = code_failures + 1 WHERE outlet_id = ?1 AND id = ?2";
    tx.execute(sql, [outlet, session])
}

/// Takes an open session to another table.
pub fn set_table(tx: &Tx<'_>, outlet: Uuid, session: Uuid, table: Uuid) -> db::Result<()> {
    update!(tx, table_sessions {
        table_id: table
    } where { outlet_id: outlet, id: session; "closed_at IS NULL" })
}

/// Closes a session; `merged_into` names the one it went on in.
pub fn set_session_closed(
    tx: &Tx<'_>,
    outlet: Uuid,
    session: Uuid,
    merged_into: Option<Uuid>,
) -> db::Result<()> {
    update!(tx, table_sessions {
        closed_at: tx.now(), merged_into_id: merged_into
    } where { outlet_id: outlet, id: session; "closed_at IS NULL" })
}

/// Whether any order of the session was completed. Orders are orders'; this only looks.
pub fn has_completed_order(conn: &dyn Source, session: Uuid) -> db::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM orders WHERE table_session_id = ?1 AND status = 'COMPLETED')";
    one(conn, sql, [session], |row| row.get(0))
}
