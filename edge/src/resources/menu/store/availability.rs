//! Rows of menu_availability, menu_prices and menu_revision: what is this outlet's alone.

use crate::db::{self, Row, Source, Transaction, list, one, opt};
use crate::resources::menu::rules::{Availability, Status, StockSource};
use rusqlite::params;
use std::collections::HashMap;
use tiffin_common::{Cents, Millis, Uuid};

/// Reads status, quantity_left, until, reason and source from column `first` on; no row is in stock.
pub(super) fn read(row: &Row<'_>, first: usize) -> db::Result<Availability> {
    let Some(status) = row.get_ref(first)?.as_str_or_null().map_err(rusqlite::Error::from)? else {
        return Ok(Availability::IN_STOCK);
    };
    Ok(Availability {
        status: Status::of_name(status),
        quantity_left: row.get(first + 1)?,
        until: row.get(first + 2)?,
        reason: row.get(first + 3)?,
        source: StockSource::of_name(row.get_ref(first + 4)?.as_str()?),
    })
}

/// Whose state it is: the column that names it.
fn column(is_option: bool) -> &'static str {
    if is_option { "option_id" } else { "menu_item_id" }
}

/// The state of a dish (or of an option) at `now`.
pub fn availability_of(
    conn: &dyn Source,
    outlet: Uuid,
    (id, is_option): (Uuid, bool),
    now: Millis,
) -> db::Result<Availability> {
    let sql = format!(
        "SELECT status, quantity_left, until, reason, source FROM menu_availability WHERE outlet_id = ?1 AND {} = ?2",
        column(is_option)
    );
    let found = opt(conn, &sql, params![outlet, id], |row| read(row, 0))?;
    Ok(found.unwrap_or(Availability::IN_STOCK).at(now))
}

/// The states of all dishes and options that were ever set, at `now`, by their ids.
pub fn states(conn: &dyn Source, outlet: Uuid, now: Millis) -> db::Result<HashMap<Uuid, Stated>> {
    let sql = "SELECT coalesce(menu_item_id, option_id), option_id IS NOT NULL, status, quantity_left, until, reason, source
               FROM menu_availability WHERE outlet_id = ?1";
    let found = list(conn, sql, [outlet], |row| {
        Ok((row.get(0)?, Stated { is_option: row.get(1)?, state: read(row, 2)?.at(now) }))
    })?;
    Ok(found.into_iter().collect())
}

/// The state of a dish or of an option.
#[derive(Debug, Clone)]
pub struct Stated {
    /// Whether it is an option's.
    pub is_option: bool,
    /// The state.
    pub state: Availability,
}

/// Sets the state of a dish (or of an option).
pub fn insert_or_set_availability(
    tx: &Transaction<'_>,
    outlet: Uuid,
    (id, is_option): (Uuid, bool),
    state: &Availability,
    by: Option<Uuid>,
) -> db::Result<()> {
    let column = column(is_option);
    let changed = tx.execute(
        &format!(
            "UPDATE menu_availability SET status = ?3, quantity_left = ?4, until = ?5, reason = ?6, source = ?7,
               version = version + 1, updated_at = ?8, updated_by = ?9
             WHERE outlet_id = ?1 AND {column} = ?2"
        ),
        params![
            outlet,
            id,
            state.status.name(),
            state.quantity_left,
            state.until,
            state.reason,
            state.source.name(),
            tx.now(),
            by
        ],
    )?;
    if changed > 0 {
        return Ok(());
    }
    tx.execute(
        &format!(
            "INSERT INTO menu_availability (id, outlet_id, {column}, status, quantity_left, until, reason, source,
               updated_at, updated_by)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"
        ),
        params![
            tx.new_id(),
            outlet,
            id,
            state.status.name(),
            state.quantity_left,
            state.until,
            state.reason,
            state.source.name(),
            tx.now(),
            by
        ],
    )
    .map(drop)
}

/// Moves a running count by `delta` portions: at none left the dish is out of stock, above it is limited again.
pub fn take(tx: &Transaction<'_>, outlet: Uuid, (id, is_option): (Uuid, bool), left: i64) -> db::Result<()> {
    tx.execute(
        &format!(
            "UPDATE menu_availability SET quantity_left = ?3,
               status = CASE WHEN ?3 > 0 THEN 'LIMITED' ELSE 'OUT_OF_STOCK' END, version = version + 1, updated_at = ?4
             WHERE outlet_id = ?1 AND {} = ?2",
            column(is_option)
        ),
        params![outlet, id, left, tx.now()],
    )
    .map(drop)
}

/// Sets this outlet's own price of a dish; none goes back to the shared one.
pub fn set_price(
    tx: &Transaction<'_>,
    outlet: Uuid,
    item: Uuid,
    price: Option<Cents>,
    by: Option<Uuid>,
) -> db::Result<()> {
    tx.execute(
        "INSERT INTO menu_prices (id, outlet_id, menu_item_id, price_cents, updated_at, updated_by)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (outlet_id, menu_item_id) DO UPDATE SET price_cents = excluded.price_cents, version = version + 1,
           updated_at = excluded.updated_at, updated_by = excluded.updated_by",
        params![tx.new_id(), outlet, item, price, tx.now(), by],
    )
    .map(drop)
}

/// Notes that what the menu shows has changed. Revisions follow the clock, so that a restored or replaced box never
/// repeats one that a client still holds.
pub fn bump_revision(tx: &Transaction<'_>, outlet: Uuid) -> db::Result<()> {
    tx.execute(
        "INSERT INTO menu_revision (outlet_id, revision) VALUES (?1, ?2)
         ON CONFLICT (outlet_id) DO UPDATE SET revision = max(revision + 1, excluded.revision)",
        params![outlet, tx.now()],
    )
    .map(drop)
}

/// The menu's revision; 0 when nothing was ever changed.
pub fn revision(conn: &dyn Source, outlet: Uuid) -> db::Result<i64> {
    let sql = "SELECT coalesce(max(revision), 0) FROM menu_revision WHERE outlet_id = ?1";
    one(conn, sql, [outlet], |row| row.get(0))
}
