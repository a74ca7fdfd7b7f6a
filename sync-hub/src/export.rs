//! One outlet's rows as an archive that other programs read: the branch's own export, from the copy that head office has of it on
//! SQLite or on PostgreSQL. Only reads, and works while head office serves.

use crate::backup::{HubBackupError, sqlite};
use crate::derived;
use crate::registry::{RegistryError, outlets};
use crate::store::{StoreError, Stores};
use edge::backup::{Contents, contents_of};
use edge::db::{Env, opt};
use edge::doctor::open_to_read;
use edge::export::{ExportError, Manifest, Origin, write_from};
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use tiffin_common::Uuid;

/// Why there is no archive. The text is for the person who wanted one.
#[derive(Debug, thiserror::Error)]
pub enum OutletError {
    /// No such outlet, or nothing of it yet.
    #[error("there is no outlet {0}")]
    NoOutlet(String),
    /// The archive.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// The files of head office.
    #[error(transparent)]
    Backup(#[from] HubBackupError),
    /// The registry.
    #[error("{0}")]
    Registry(#[from] RegistryError),
    /// The store.
    #[error("{0}")]
    Store(#[from] StoreError),
}

impl From<edge::db::DbError> for OutletError {
    fn from(error: edge::db::DbError) -> Self {
        OutletError::Export(error.into())
    }
}

impl From<rusqlite::Error> for OutletError {
    fn from(error: rusqlite::Error) -> Self {
        OutletError::Export(error.into())
    }
}

/// Writes the outlet `name` (its id or code) of the head office in the folder `data` to the new archive `to`.
///
/// # Errors
/// See [`OutletError`].
pub fn of_files(data: &Path, name: &str, to: &Path, env: &Env) -> Result<Manifest, OutletError> {
    let path = file(data, name)?;
    let conn = open_to_read(&path)?;
    conn.execute_batch(derived::BEFORE_TABLES)?;
    let snapshot = conn.unchecked_transaction()?;
    let of = contents_of(&snapshot, &path).map_err(ExportError::from)?;
    Ok(write_from(&Origin { rows: &*snapshot, schema: &snapshot, of, is_copy: true }, to, env)?)
}

/// Writes the outlet `name` (its id or code) of `stores` to the new archive `to`.
///
/// # Errors
/// See [`OutletError`].
pub fn of_stores(stores: &Stores, name: &str, to: &Path, env: &Env) -> Result<Manifest, OutletError> {
    let none = || OutletError::NoOutlet(name.to_owned());
    let outlet =
        stores.read_registry_blocking(|from| outlets::named(from, name).map_err(RegistryError::from))?;
    let outlet = outlet.ok_or_else(none)?;
    let mut schema = Connection::open_in_memory()?;
    let migrated = tiffin_migrations::migrate_edge(&mut schema);
    migrated.map_err(|error| HubBackupError::Version(error.to_string()))?;
    stores.walk_outlet_blocking(outlet, |rows| {
        let code = opt(rows, "SELECT code FROM outlets WHERE id = ?1", [outlet], |row| row.get(0))?;
        let version = tiffin_migrations::edge_schema_version();
        let of = Contents { code: code.ok_or_else(none)?, outlet, schema: version, head: 0 };
        Ok(write_from(&Origin { rows, schema: &schema, of, is_copy: true }, to, env)?)
    })
}

/// The file of the outlet that somebody names by its id or code.
fn file(data: &Path, name: &str) -> Result<PathBuf, OutletError> {
    for part in sqlite::parts(data)?.into_iter().skip(1) {
        let id = part.path.file_stem().and_then(|id| Uuid::parse_str(id.to_str()?).ok());
        let conn = open_to_read(&part.path)?;
        let code = opt(&conn, "SELECT code FROM outlets WHERE id = ?1", [id], |row| row.get::<_, String>(0))?;
        let is_code = code.is_some_and(|code| code.eq_ignore_ascii_case(name));
        if is_code || id.is_some_and(|id| id.to_string() == name) {
            return Ok(part.path);
        }
    }
    Err(OutletError::NoOutlet(name.to_owned()))
}
