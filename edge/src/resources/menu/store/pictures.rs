//! Rows of menu_pictures: one a dish that has a picture of its own. Never looks into one.

use crate::db::{self, Source, Tx, opt};
use crate::resources::menu::rules::pictures::{Picture, PictureSize};
use rusqlite::params;
use tiffin_common::Uuid;

/// The hash of a dish's picture; none where it has none.
pub fn find_hash(conn: &dyn Source, outlet: Uuid, item: Uuid) -> db::Result<Option<[u8; 32]>> {
    let sql = "SELECT hash FROM menu_pictures WHERE outlet_id = ?1 AND menu_item_id = ?2";
    opt(conn, sql, [outlet, item], |row| row.get("hash"))
}

/// A dish's picture and its hash. The id is the only right that is asked for: a dish is shown to whoever comes in.
pub fn find(conn: &dyn Source, item: Uuid, size: PictureSize) -> db::Result<Option<([u8; 32], Vec<u8>)>> {
    let sql = match size {
        PictureSize::Small => "SELECT hash, small AS jpeg FROM menu_pictures WHERE menu_item_id = ?1",
        PictureSize::Large => "SELECT hash, large AS jpeg FROM menu_pictures WHERE menu_item_id = ?1",
    };
    opt(conn, sql, [item], |row| Ok((row.get("hash")?, row.get("jpeg")?)))
}

/// Sets a dish's picture.
pub fn set(tx: &Tx<'_>, outlet: Uuid, item: Uuid, picture: &Picture, by: Option<Uuid>) -> db::Result<()> {
    let Picture { small, large, hash } = picture;
    let sql = "INSERT INTO menu_pictures (id, outlet_id, menu_item_id, small, large, hash, updated_at, updated_by)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
        ON CONFLICT (menu_item_id) DO UPDATE SET small = excluded.small, large = excluded.large, hash = excluded.hash,
          updated_at = excluded.updated_at, updated_by = excluded.updated_by";
    tx.execute(sql, params![tx.new_id(), outlet, item, small, large, hash, tx.now(), by])
}

/// Takes a dish's picture away, where it has one.
pub fn delete(tx: &Tx<'_>, outlet: Uuid, item: Uuid) -> db::Result<()> {
    tx.execute("DELETE FROM menu_pictures WHERE outlet_id = ?1 AND menu_item_id = ?2", [outlet, item])
}
