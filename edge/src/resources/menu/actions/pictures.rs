//! What can happen to a dish's picture: set, and taken away. What it is made of is done before, outside the transaction.

use super::here;
use crate::access::Actor;
use crate::db::Tx;
use crate::resources::audit::{self, Entry};
use crate::resources::menu::rules::pictures::{Picture, mark};
use crate::resources::menu::rules::{ItemDraft, MenuError, MenuItem, Result};
use crate::resources::menu::store;
use serde_json::json;
use tiffin_common::Uuid;

/// Gives a dish this picture; the same again changes nothing.
///
/// # Errors
/// No such dish.
pub fn set_picture(tx: &Tx<'_>, actor: &Actor, id: Uuid, picture: &Picture) -> Result<MenuItem> {
    let address = picture.address(id);
    let before = store::find_item(tx, actor.outlet_id, id, &here(tx, actor)?)?;
    let present = store::pictures::find_hash(tx, actor.outlet_id, id)?;
    if present == Some(picture.hash) && before.draft.image_url.as_ref() == Some(&address) {
        return Ok(before);
    }
    store::pictures::set(tx, actor.outlet_id, id, picture, actor.account_id)?;
    shown_at(tx, actor, before, Some(address), present)
}

/// Takes a dish's picture away.
///
/// # Errors
/// No such dish, or it has none of its own.
pub fn remove_picture(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<MenuItem> {
    let before = store::find_item(tx, actor.outlet_id, id, &here(tx, actor)?)?;
    let present = store::pictures::find_hash(tx, actor.outlet_id, id)?;
    if present.is_none() {
        return Err(MenuError::NotFound("picture"));
    }
    store::pictures::delete(tx, actor.outlet_id, id)?;
    shown_at(tx, actor, before, None, present)
}

fn shown_at(
    tx: &Tx<'_>,
    actor: &Actor,
    before: MenuItem,
    address: Option<String>,
    present: Option<[u8; 32]>,
) -> Result<MenuItem> {
    let (id, outlet) = (before.id, actor.outlet_id);
    let name = before.draft.name.clone();
    let is_set = address.is_some();
    let draft = ItemDraft { image_url: address, ..before.draft.clone() };
    store::update_item(tx, outlet, id, (&before.draft, &draft))?;
    store::next_revision(tx, outlet)?;
    let entry = Entry::new("menu.item.image", "menu_item", Some(id))
        .before(&json!({"name": name, "picture": present.map(|hash| mark(&hash))}))
        .after(&json!({"name": name, "hasPicture": is_set}));
    audit::actions::record(tx, actor, entry)?;
    store::find_item(tx, outlet, id, &here(tx, actor)?)
}
