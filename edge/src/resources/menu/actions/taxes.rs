//! What can happen to a tax category.

use super::dishes;
use crate::access::Actor;
use crate::db::Tx;
use crate::http::Stale;
use crate::resources::audit::{self, Entry};
use crate::resources::menu::rules::{MenuError, Result, TaxCategory, TaxComponent, TaxDraft};
use crate::resources::menu::store;
use crate::resources::outlets;
use tiffin_common::Uuid;

/// Makes a tax category; where nobody says whether it is of goods, its taxes do.
///
/// # Errors
/// Offending fields; a name that is taken.
pub fn create_tax(
    tx: &Tx<'_>,
    actor: &Actor,
    name: String,
    components: Vec<TaxComponent>,
    is_goods: Option<bool>,
) -> Result<TaxCategory> {
    let is_goods = match is_goods {
        Some(said) => said,
        None => is_of_goods(tx, actor.outlet_id, &components)?,
    };
    let draft = TaxDraft { name, components, is_goods }.checked()?;
    let id = store::insert_tax(tx, actor.outlet_id, &draft)?;
    store::find_tax(tx, actor.outlet_id, id)
}

/// Whether such taxes are of goods at `outlet`: in India, those outside GST.
pub(super) fn is_of_goods(tx: &Tx<'_>, outlet: Uuid, components: &[TaxComponent]) -> Result<bool> {
    Ok(TaxDraft::is_outside_gst(components) && outlets::store::find(tx, outlet)?.profile().is_india())
}

/// Changes a tax category. Lines already ordered keep the taxes they were sold with.
///
/// # Errors
/// No such one; a stale version; offending fields; a name that is taken.
pub fn update_tax(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    expected: Option<i64>,
    change: impl FnOnce(TaxDraft) -> TaxDraft,
) -> Result<TaxCategory> {
    let before = store::find_tax(tx, actor.outlet_id, id)?;
    Stale::check(expected, before.version)?;
    let draft = change(before.draft.clone()).checked()?;
    if draft == before.draft {
        return Ok(before);
    }
    store::update_tax(tx, actor.outlet_id, id, &draft)?;
    let after = store::find_tax(tx, actor.outlet_id, id)?;
    let entry = Entry::new("menu.tax.update", "tax_category", Some(id)).before(&before).after(&after);
    audit::actions::record(tx, actor, entry)?;
    Ok(after)
}

/// Archives a tax category that no dish uses.
///
/// # Errors
/// No such one; a stale version; still in use.
pub fn archive_tax(tx: &Tx<'_>, actor: &Actor, id: Uuid, expected: Option<i64>) -> Result<TaxCategory> {
    let before = store::find_tax(tx, actor.outlet_id, id)?;
    Stale::check(expected, before.version)?;
    let users = store::count_items_taxed(tx, actor.outlet_id, id)?;
    if users > 0 {
        return Err(MenuError::InUse(format!("The tax category is used by {}", dishes(users))));
    }
    store::set_tax_archived(tx, actor.outlet_id, id)?;
    let entry = Entry::new("menu.tax.archive", "tax_category", Some(id)).before(&before);
    audit::actions::record(tx, actor, entry)?;
    Ok(before)
}
