//! The outlets head office knows, and what their boxes last said of themselves. Never an outlet's own rows.

use super::{Change, RegistryError};
use edge::db::{Row, Source, list as rows, opt};
use edge::{insert, table, update};
use tiffin_common::sync::OutletCard;
use tiffin_common::{Millis, Uuid};

/// An outlet that head office knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outlet {
    /// What a box needs to know of it.
    pub card: OutletCard,
    /// Since when head office knows it.
    pub created_at: Millis,
    /// What its box last said.
    pub presence: Option<Presence>,
}

table! {
    /// What an outlet's box last said of itself.
    #[derive(PartialEq, Eq, Default)]
    pub struct Presence: registry_presence {
        /// The box.
        pub device_id: Option<Uuid>,
        /// When.
        pub last_seen_at: Millis,
        /// Its program's version.
        pub version: Option<String>,
        /// Its schema's version.
        pub schema: Option<u32> => schema_v,
        /// Rows that wait at the box, as it said.
        pub rows_waiting: Option<i64>,
        /// Its clock minus head office's, in milliseconds.
        pub clock_offset_ms: Option<i64>,
    }
}

const SELECT: &str = "SELECT o.id, o.code, o.name, o.timezone, o.currency, o.created_at,
    p.device_id, p.last_seen_at, p.version, p.schema_v, p.rows_waiting, p.clock_offset_ms
  FROM registry_outlets o LEFT JOIN registry_presence p ON p.outlet_id = o.id";

fn read(row: &Row<'_>) -> edge::db::Result<Outlet> {
    let presence = match row.get("last_seen_at")? {
        None => None,
        Some(last_seen_at) => Some(Presence {
            device_id: row.get("device_id")?,
            last_seen_at,
            version: row.get("version")?,
            schema: row.get("schema_v")?,
            rows_waiting: row.get("rows_waiting")?,
            clock_offset_ms: row.get("clock_offset_ms")?,
        }),
    };
    let card = OutletCard {
        id: row.get("id")?,
        code: row.get("code")?,
        name: row.get("name")?,
        timezone: row.get("timezone")?,
        currency: row.get("currency")?,
    };
    Ok(Outlet { card, created_at: row.get("created_at")?, presence })
}

/// Every outlet, by its code.
pub fn list(from: &dyn Source) -> edge::db::Result<Vec<Outlet>> {
    rows(from, &format!("{SELECT} ORDER BY o.code, o.id"), [], read)
}

/// The outlet that somebody names by its id or code.
pub fn named(from: &dyn Source, name: &str) -> edge::db::Result<Option<Uuid>> {
    let fits =
        |outlet: &Outlet| outlet.card.code.eq_ignore_ascii_case(name) || outlet.card.id.to_string() == name;
    Ok(list(from)?.into_iter().find(fits).map(|outlet| outlet.card.id))
}

/// One outlet.
pub fn find(from: &dyn Source, id: Uuid) -> edge::db::Result<Option<Outlet>> {
    opt(from, &format!("{SELECT} WHERE o.id = ?1"), [id], read)
}

/// Adds an outlet.
///
/// # Errors
/// When its code is another outlet's.
pub fn insert(change: &Change<'_>, card: &OutletCard) -> Result<(), RegistryError> {
    let taken = opt(change.sql, "SELECT id FROM registry_outlets WHERE code = ?1", [&card.code], |row| {
        row.get::<_, Uuid>(0)
    })?;
    if taken.is_some() {
        return Err(RegistryError::Conflict("Another outlet has that code already"));
    }
    let OutletCard { id, code, name, timezone, currency } = card;
    insert!(
        change.sql,
        registry_outlets {
            id: id,
            code: code,
            name: name,
            timezone: timezone,
            currency: currency,
            created_at: change.now,
        }
    )?;
    Ok(())
}

/// Keeps the sealed pepper of an outlet's PINs.
pub fn set_pepper(change: &Change<'_>, id: Uuid, sealed: &[u8]) -> Result<(), RegistryError> {
    update!(change.sql, registry_outlets { pepper: sealed } where { id: id })?;
    Ok(())
}

/// The sealed pepper.
pub fn pepper(from: &dyn Source, id: Uuid) -> edge::db::Result<Option<Vec<u8>>> {
    let found = opt(from, "SELECT pepper FROM registry_outlets WHERE id = ?1", [id], |row| row.get(0));
    Ok(found?.flatten())
}

/// Keeps the sealed certificate authority of an outlet's box.
pub fn set_tls_authority(change: &Change<'_>, id: Uuid, sealed: &[u8]) -> Result<(), RegistryError> {
    update!(change.sql, registry_outlets { tls_authority: sealed } where { id: id })?;
    Ok(())
}

/// The sealed certificate authority of the outlet's box.
pub fn tls_authority(from: &dyn Source, id: Uuid) -> edge::db::Result<Option<Vec<u8>>> {
    let sql = "SELECT tls_authority FROM registry_outlets WHERE id = ?1";
    Ok(opt(from, sql, [id], |row| row.get(0))?.flatten())
}

/// Keeps what the box of `outlet` says of itself; what it does not say stays as it was.
pub fn set_presence(change: &Change<'_>, outlet: Uuid, presence: &Presence) -> Result<(), RegistryError> {
    insert!(
        change.sql,
        registry_presence { outlet_id: outlet, ..presence },
        "ON CONFLICT (outlet_id) DO UPDATE SET
           device_id = coalesce(excluded.device_id, registry_presence.device_id),
           last_seen_at = excluded.last_seen_at,
           version = coalesce(excluded.version, registry_presence.version),
           schema_v = coalesce(excluded.schema_v, registry_presence.schema_v),
           rows_waiting = coalesce(excluded.rows_waiting, registry_presence.rows_waiting),
           clock_offset_ms = coalesce(excluded.clock_offset_ms, registry_presence.clock_offset_ms)"
    )?;
    Ok(())
}
