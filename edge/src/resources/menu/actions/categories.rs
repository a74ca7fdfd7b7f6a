//! What can happen to a category.

use super::dishes;
use crate::access::Actor;
use crate::db::Tx;
use crate::http::Stale;
use crate::resources::menu::rules::{CategoryDraft, MenuCategory, MenuError, Result};
use crate::resources::menu::store;
use tiffin_common::Uuid;

/// Makes a category.
///
/// # Errors
/// Offending fields; a name that is taken.
pub fn create_category(tx: &Tx<'_>, actor: &Actor, draft: CategoryDraft) -> Result<MenuCategory> {
    let draft = draft.checked()?;
    let id = store::insert_category(tx, actor.outlet_id, &draft)?;
    store::next_revision(tx, actor.outlet_id)?;
    store::find_category(tx, actor.outlet_id, id)
}

/// Changes a category.
///
/// # Errors
/// No such one; a stale version; offending fields; a name that is taken.
pub fn update_category(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    expected: Option<i64>,
    change: impl FnOnce(CategoryDraft) -> CategoryDraft,
) -> Result<MenuCategory> {
    let before = store::find_category(tx, actor.outlet_id, id)?;
    Stale::check(expected, before.version)?;
    let draft = change(before.draft.clone()).checked()?;
    if draft == before.draft {
        return Ok(before);
    }
    store::update_category(tx, actor.outlet_id, id, &draft)?;
    store::next_revision(tx, actor.outlet_id)?;
    store::find_category(tx, actor.outlet_id, id)
}

/// Archives a category that holds no dish.
///
/// # Errors
/// No such one; a stale version; not empty.
pub fn archive_category(tx: &Tx<'_>, actor: &Actor, id: Uuid, expected: Option<i64>) -> Result<MenuCategory> {
    let before = store::find_category(tx, actor.outlet_id, id)?;
    Stale::check(expected, before.version)?;
    let held = store::count_items_in(tx, actor.outlet_id, id)?;
    if held > 0 {
        return Err(MenuError::InUse(format!("The category still holds {}", dishes(held))));
    }
    store::set_category_archived(tx, actor.outlet_id, id)?;
    store::next_revision(tx, actor.outlet_id)?;
    Ok(before)
}
