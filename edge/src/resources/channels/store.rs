//! Rows of channels.

use super::rules::{Channel, ChannelError, ChannelFields, Result};
use crate::db::{self, Columns, Source, Tx, list as rows, opt};
use crate::http::{Page, Paging};
use tiffin_common::Uuid;

/// One page of the outlet's channels, by name.
pub fn list(conn: &dyn Source, outlet: Uuid, paging: Paging) -> db::Result<Page<Channel>> {
    Page::read(conn, ("outlet_id = ?1 AND archived_at IS NULL", "name, id"), &[&outlet], paging)
}

/// One channel that is not archived.
///
/// # Errors
/// No such one.
pub fn find(conn: &dyn Source, outlet: Uuid, id: Uuid) -> Result<Channel> {
    let sql = select!(Channel, "WHERE outlet_id = ?1 AND id = ?2 AND archived_at IS NULL");
    opt(conn, sql, [outlet, id], Channel::read)?.ok_or(ChannelError::NotFound("channel"))
}

/// Whether it is a channel of the outlet that is not archived.
pub fn is_there(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<bool> {
    let sql = "SELECT 1 FROM channels WHERE outlet_id = ?1 AND id = ?2 AND archived_at IS NULL";
    Ok(opt(conn, sql, [outlet, id], |_| Ok(()))?.is_some())
}

/// The price list that is for the orders of a channel, which may be archived; none: there is no such channel.
pub fn find_list(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Option<Option<Uuid>>> {
    let sql = "SELECT price_list_id FROM channels WHERE outlet_id = ?1 AND id = ?2";
    opt(conn, sql, [outlet, id], |row| row.get(0))
}

/// Whether it is a price list of the outlet. Price lists are the menu's; this only looks.
pub fn is_price_list(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<bool> {
    let sql = "SELECT 1 FROM price_lists WHERE outlet_id = ?1 AND id = ?2 AND archived_at IS NULL";
    Ok(opt(conn, sql, [outlet, id], |_| Ok(()))?.is_some())
}

/// All channels that the outlet ever had, those that are archived too: for the names of figures.
pub fn list_all(conn: &dyn Source, outlet: Uuid) -> db::Result<Vec<Channel>> {
    rows(conn, select!(Channel, "WHERE outlet_id = ?1 ORDER BY name, id"), [outlet], Channel::read)
}

pub(super) fn insert(tx: &Tx<'_>, outlet: Uuid, id: Uuid, fields: &ChannelFields) -> db::Result<()> {
    let now = tx.now();
    insert!(tx, channels { id: id, outlet_id: outlet, created_at: now, updated_at: now, ..fields })
}

pub(super) fn update(tx: &Tx<'_>, outlet: Uuid, id: Uuid, fields: &ChannelFields) -> db::Result<()> {
    update!(tx, channels { updated_at: tx.now(), ..fields; "version = version + 1" }
        where { id: id, outlet_id: outlet })
}

pub(super) fn set_archived(tx: &Tx<'_>, outlet: Uuid, id: Uuid) -> db::Result<()> {
    let now = tx.now();
    update!(tx, channels { archived_at: now, updated_at: now; "version = version + 1" }
        where { id: id, outlet_id: outlet })
}
