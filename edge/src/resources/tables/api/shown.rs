//! A table as its GET shows it, for who follows tables.

use super::Table;
use crate::db::Source;
use crate::http::sse::Shown;
use crate::resources::tables::rules::{Result, TableError};
use crate::resources::tables::store;
use crate::state::PublicUrl;
use tiffin_common::Uuid;

/// The table of that id as `GET /tables/{id}` shows it to whoever manages tables, and to everybody else; none where the outlet has none.
pub fn shown(
    conn: &dyn Source,
    outlet: Uuid,
    id: Uuid,
    public_url: &PublicUrl,
) -> Result<Option<(Shown, Shown)>> {
    let table = match store::find(conn, outlet, id) {
        Ok(table) => table,
        Err(TableError::NotFound(_)) => return Ok(None),
        Err(error) => return Err(error),
    };
    let version = table.version;
    let whole = Shown::of(version, &Table::of(table.clone(), true, public_url));
    Ok(Some((whole, Shown::of(version, &Table::of(table, false, public_url)))))
}
