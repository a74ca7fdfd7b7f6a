//! Rows of guests: who ordered, or said how it was. The one place where a name, a phone or an address of a guest stands.

use super::super::rules::Guest;
use crate::db::{self, Columns, Row, Tx, each, list as rows, opt, table};
use rusqlite::params;
use rusqlite::types::Value;
use tiffin_common::{Millis, Uuid};

/// Writes who ordered or speaks, as far as they said; `id` is the order's or the feedback's.
pub fn insert_guest(tx: &Tx<'_>, outlet: Uuid, id: Uuid, guest: &Guest) -> db::Result<()> {
    if *guest == Guest::default() {
        return Ok(());
    }
    insert!(tx, guests { id: id, outlet_id: outlet, ..guest })
}

/// Writes who the guest of an order is now.
pub fn set_guest(tx: &Tx<'_>, outlet: Uuid, id: Uuid, guest: &Guest) -> db::Result<()> {
    let sql = "SELECT 1 FROM guests WHERE outlet_id = ?1 AND id = ?2";
    match opt(tx, sql, [outlet, id], |_| Ok(()))? {
        Some(()) => update!(tx, guests { ..guest } where { id: id, outlet_id: outlet }),
        None => insert_guest(tx, outlet, id, guest),
    }
}

/// Whose the order or feedback of that id is; nobody known where nobody said.
pub fn find_guest(conn: &dyn db::Source, outlet: Uuid, id: Uuid) -> db::Result<Guest> {
    let sql = select!(Guest, "WHERE outlet_id = ?1 AND id = ?2");
    opt(conn, sql, [outlet, id], Guest::read).map(Option::unwrap_or_default)
}

fn read(row: &Row<'_>) -> db::Result<(Uuid, Guest)> {
    Ok((row.get("id")?, Guest::read(row)?))
}

/// The guests of these orders and feedbacks, as far as there are any.
pub fn list_guests(conn: &dyn db::Source, outlet: Uuid, ids: &[Uuid]) -> db::Result<Vec<(Uuid, Guest)>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let values: Vec<Value> =
        std::iter::once(&outlet).chain(ids).map(|id| Value::Blob(id.as_bytes().to_vec())).collect();
    let places: Vec<String> = (2..=values.len()).map(|place| format!("?{place}")).collect();
    let rest = format!("WHERE g.outlet_id = ?1 AND g.id IN ({})", places.join(", "));
    rows(conn, &table::select::<Guest>("g", "g.id", &rest), each(values.iter()), read)
}

/// The outlet's guests who left a phone number.
pub fn list_reachable_guests(conn: &dyn db::Source, outlet: Uuid) -> db::Result<Vec<(Uuid, Guest)>> {
    let sql = select!(Guest as g, "g.id", "WHERE g.outlet_id = ?1 AND g.phone IS NOT NULL ORDER BY g.id");
    rows(conn, sql, [outlet], read)
}

/// Orders and feedbacks from before the id `bound` of which there is a guest, or was one until they were erased; the oldest first, at
/// most `most`.
pub fn list_old_guests(conn: &dyn db::Source, outlet: Uuid, bound: Uuid, most: u32) -> db::Result<Vec<Uuid>> {
    let sql = "SELECT id FROM guests WHERE outlet_id = ?1 AND id < ?2 ORDER BY id LIMIT ?3";
    rows(conn, sql, params![outlet, bound, most], |row| row.get(0))
}

/// Whose guests were erased by wish, with when.
pub fn list_erased(conn: &dyn db::Source, outlet: Uuid) -> db::Result<Vec<(Uuid, Millis)>> {
    let sql = "SELECT id, erased_at FROM guests WHERE outlet_id = ?1 AND erased_at IS NOT NULL ORDER BY erased_at, id";
    rows(conn, sql, [outlet], |row| Ok((row.get("id")?, row.get("erased_at")?)))
}

/// Blanks who the guest of an order or feedback was, and notes when.
pub fn set_guest_erased(tx: &Tx<'_>, outlet: Uuid, id: Uuid, at: Millis) -> db::Result<()> {
    let nobody = Guest::default();
    update!(tx, guests { erased_at: at, ..&nobody } where { id: id, outlet_id: outlet })
}

/// Forgets that the order or feedback had a guest.
pub fn delete_guest(tx: &Tx<'_>, outlet: Uuid, id: Uuid) -> db::Result<()> {
    tx.execute("DELETE FROM guests WHERE id = ?1 AND outlet_id = ?2", [id, outlet])
}
