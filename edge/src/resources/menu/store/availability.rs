//! Rows of menu_availability, menu_prices and menu_revision: what is this outlet's alone.

use crate::db::{self, Columns, Row, Source, Tx, list, one, opt};
use crate::resources::menu::rules::{Availability, Status};
use rusqlite::params;
use std::collections::HashMap;
use tiffin_common::{Cents, Millis, Uuid};

/// The columns of a state beside a dish or an option, as [`read()`] finds them.
pub(super) const COLUMNS: &str = "a.status, a.quantity_left, a.until, a.reason, a.source";

/// Reads [`COLUMNS`]; no row is in stock.
pub(super) fn read(row: &Row<'_>) -> db::Result<Availability> {
    let Some(status) = row.get("status")? else { return Ok(Availability::IN_STOCK) };
    Ok(Availability {
        status,
        quantity_left: row.get("quantity_left")?,
        until: row.get("until")?,
        reason: row.get("reason")?,
        source: row.get("source")?,
    })
}

/// The state of a dish (or of an option) at `now`.
pub fn find_availability(
    conn: &dyn Source,
    outlet: Uuid,
    (id, is_option): (Uuid, bool),
    now: Millis,
) -> db::Result<Availability> {
    let sql = if is_option {
        select!(Availability, "WHERE outlet_id = ?1 AND option_id = ?2")
    } else {
        select!(Availability, "WHERE outlet_id = ?1 AND menu_item_id = ?2")
    };
    Ok(opt(conn, sql, [outlet, id], Availability::read)?.unwrap_or_default().at(now))
}

/// The states of all dishes and options that were ever set, at `now`, by their ids.
pub fn list_states(conn: &dyn Source, outlet: Uuid, now: Millis) -> db::Result<HashMap<Uuid, Stated>> {
    let sql = select!(
        Availability as a,
        "coalesce(a.menu_item_id, a.option_id) AS target_id, a.option_id IS NOT NULL AS is_option",
        "WHERE a.outlet_id = ?1"
    );
    let found = list(conn, sql, [outlet], |row| {
        let state = Availability::read(row)?.at(now);
        Ok((row.get("target_id")?, Stated { is_option: row.get("is_option")?, state }))
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
pub fn set_availability(
    tx: &Tx<'_>,
    outlet: Uuid,
    (id, is_option): (Uuid, bool),
    state: &Availability,
    by: Option<Uuid>,
) -> db::Result<()> {
    let now = tx.now();
    if is_option {
        update!(tx, menu_availability { updated_at: now, updated_by: by, ..state; "version = version + 1" }
            where { outlet_id: outlet, option_id: id })?;
    } else {
        update!(tx, menu_availability { updated_at: now, updated_by: by, ..state; "version = version + 1" }
            where { outlet_id: outlet, menu_item_id: id })?;
    }
    if tx.changed() > 0 {
        return Ok(());
    }
    let (item, option) = if is_option { (None, Some(id)) } else { (Some(id), None) };
    insert!(
        tx,
        menu_availability {
            id: tx.new_id(),
            outlet_id: outlet,
            menu_item_id: item,
            option_id: option,
            updated_at: now,
            updated_by: by,
            ..state
        }
    )
}

/// Sets a running count: at none left the dish is out of stock, above it is limited again.
pub fn set_quantity_left(
    tx: &Tx<'_>,
    outlet: Uuid,
    (id, is_option): (Uuid, bool),
    left: i64,
) -> db::Result<()> {
    let status = if left > 0 { Status::Limited } else { Status::OutOfStock };
    let now = tx.now();
    if is_option {
        update!(tx, menu_availability { quantity_left: left, status: status, updated_at: now; "version = version + 1" }
            where { outlet_id: outlet, option_id: id })
    } else {
        update!(tx, menu_availability { quantity_left: left, status: status, updated_at: now; "version = version + 1" }
            where { outlet_id: outlet, menu_item_id: id })
    }
}

/// Sets this outlet's own price of a dish; none goes back to the shared one.
pub fn set_price(
    tx: &Tx<'_>,
    outlet: Uuid,
    item: Uuid,
    price: Option<Cents>,
    by: Option<Uuid>,
) -> db::Result<()> {
    insert!(
        tx,
        menu_prices {
            id: tx.new_id(), outlet_id: outlet, menu_item_id: item, price_cents: price, updated_at: tx.now(), updated_by: by
        },
        "ON CONFLICT (outlet_id, menu_item_id) DO UPDATE SET price_cents = excluded.price_cents, version = version + 1,
           updated_at = excluded.updated_at, updated_by = excluded.updated_by"
    )
}

/// Moves the revision on: what the menu shows has changed. Revisions follow the clock, so that a restored or replaced box
/// never repeats one that a client still holds.
pub fn next_revision(tx: &Tx<'_>, outlet: Uuid) -> db::Result<()> {
    tx.execute(
        "INSERT INTO menu_revision (outlet_id, revision) VALUES (?1, ?2)
         ON CONFLICT (outlet_id) DO UPDATE SET revision = max(revision + 1, excluded.revision)",
        params![outlet, tx.now()],
    )
}

/// The menu's revision; 0 when nothing was ever changed.
pub fn find_revision(conn: &dyn Source, outlet: Uuid) -> db::Result<i64> {
    let sql = "SELECT coalesce(max(revision), 0) FROM menu_revision WHERE outlet_id = ?1";
    one(conn, sql, [outlet], |row| row.get(0))
}
