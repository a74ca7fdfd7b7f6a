//! What can happen to a modifier group.

use super::{dishes, here};
use crate::access::Actor;
use crate::db::Tx;
use crate::http::{Checks, Stale};
use crate::resources::menu::rules::{GroupDraft, MenuError, ModifierGroup, Result};
use crate::resources::menu::store;
use tiffin_common::Uuid;

/// Makes a modifier group with its options.
///
/// # Errors
/// Offending fields.
pub fn create_group(tx: &Tx<'_>, actor: &Actor, draft: GroupDraft) -> Result<ModifierGroup> {
    let draft = draft.checked()?;
    let mut checks = Checks::new();
    for (i, option) in draft.options.iter().enumerate() {
        checks.require(option.id.is_none(), format!("options[{i}].id"), "is not an option of this group");
    }
    checks.finish(())?;
    let id = store::insert_group(tx, actor.outlet_id, &draft)?;
    for (place, option) in (0_i64..).zip(&draft.options) {
        store::insert_option(tx, actor.outlet_id, id, option, place)?;
    }
    store::next_revision(tx, actor.outlet_id)?;
    store::find_group(tx, actor.outlet_id, id, &here(tx, actor)?)
}

/// Changes a group. Its options become those of the draft: named ones are changed, new ones added, missing ones archived.
///
/// # Errors
/// No such one; a stale version; offending fields.
pub fn update_group(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    expected: Option<i64>,
    change: impl FnOnce(GroupDraft) -> GroupDraft,
) -> Result<ModifierGroup> {
    let at = here(tx, actor)?;
    let before = store::find_group(tx, actor.outlet_id, id, &at)?;
    Stale::check(expected, before.version)?;
    let present = GroupDraft::from(&before);
    let draft = change(present.clone()).checked()?;
    if draft == present {
        return Ok(before);
    }
    let mut checks = Checks::new();
    let known = |id: &Uuid| present.options.iter().any(|o| o.id.as_ref() == Some(id));
    for (i, option) in draft.options.iter().enumerate() {
        let belongs = option.id.as_ref().is_none_or(known);
        checks.require(belongs, format!("options[{i}].id"), "is not an option of this group");
    }
    checks.finish(())?;
    store::update_group(tx, actor.outlet_id, id, &draft)?;
    for (place, option) in (0_i64..).zip(&draft.options) {
        match option.id {
            Some(known) => store::update_option(tx, actor.outlet_id, known, option, place)?,
            None => store::insert_option(tx, actor.outlet_id, id, option, place)?,
        }
    }
    for gone in before.options.iter().filter(|o| !draft.options.iter().any(|d| d.id == Some(o.id))) {
        store::set_option_archived(tx, actor.outlet_id, gone.id)?;
    }
    store::next_revision(tx, actor.outlet_id)?;
    store::find_group(tx, actor.outlet_id, id, &at)
}

/// Archives a group that no dish has.
///
/// # Errors
/// No such one; a stale version; still in use.
pub fn archive_group(tx: &Tx<'_>, actor: &Actor, id: Uuid, expected: Option<i64>) -> Result<ModifierGroup> {
    let before = store::find_group(tx, actor.outlet_id, id, &here(tx, actor)?)?;
    Stale::check(expected, before.version)?;
    let users = store::count_items_with_group(tx, actor.outlet_id, id)?;
    if users > 0 {
        return Err(MenuError::InUse(format!("The group is offered with {}", dishes(users))));
    }
    store::set_group_archived(tx, actor.outlet_id, id)?;
    store::next_revision(tx, actor.outlet_id)?;
    Ok(before)
}
