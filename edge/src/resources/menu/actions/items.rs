//! What can happen to a dish.

use super::here;
use crate::access::Actor;
use crate::db::Tx;
use crate::http::{Checks, FieldError, Stale};
use crate::resources::audit::{self, Entry};
use crate::resources::menu::rules::combos::Size;
use crate::resources::menu::rules::{ItemDraft, MenuError, MenuItem, Result, SoldBy, VariantDraft};
use crate::resources::menu::store;
use serde_json::{Value, json};
use tiffin_common::{Cents, Uuid};

/// Makes a dish.
///
/// # Errors
/// Offending fields, also references to what this outlet does not have; a sku that is taken.
pub fn create_item(tx: &Tx<'_>, actor: &Actor, draft: ItemDraft) -> Result<MenuItem> {
    let draft = check(tx, actor, draft, None)?;
    let id = store::insert_item(tx, actor.outlet_id, &draft)?;
    store::next_revision(tx, actor.outlet_id)?;
    store::find_item(tx, actor.outlet_id, id, &here(tx, actor)?)
}

/// Changes a dish. A new price is put on record.
///
/// # Errors
/// No such one; a stale version; offending fields; a sku that is taken.
pub fn update_item(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    expected: Option<i64>,
    change: impl FnOnce(ItemDraft) -> ItemDraft,
) -> Result<MenuItem> {
    let at = here(tx, actor)?;
    let before = store::find_item(tx, actor.outlet_id, id, &at)?;
    Stale::check(expected, before.version)?;
    let draft = check(tx, actor, change(before.draft.clone()), Some(&before))?;
    if draft == before.draft {
        return Ok(before);
    }
    store::update_item(tx, actor.outlet_id, id, (&before.draft, &draft))?;
    store::next_revision(tx, actor.outlet_id)?;
    if draft.image_url != before.draft.image_url {
        // Nothing leads to it any more.
        store::pictures::delete(tx, actor.outlet_id, id)?;
    }
    if prices(&draft) != prices(&before.draft) {
        let entry = Entry::new("menu.item.price", "menu_item", Some(id))
            .before(&priced(&before.draft))
            .after(&priced(&draft));
        audit::actions::record(tx, actor, entry)?;
    }
    store::find_item(tx, actor.outlet_id, id, &at)
}

/// Takes a dish off the menu for good. Orders, recipes and reports keep referring to it.
///
/// # Errors
/// No such one; a stale version; still chosen for a combo.
pub fn archive_item(tx: &Tx<'_>, actor: &Actor, id: Uuid, expected: Option<i64>) -> Result<MenuItem> {
    let before = store::find_item(tx, actor.outlet_id, id, &here(tx, actor)?)?;
    Stale::check(expected, before.version)?;
    let combos = store::list_names_of_combos_with(tx, actor.outlet_id, id)?;
    if !combos.is_empty() {
        return Err(MenuError::InUse(format!("The dish may be chosen for {}", combos.join(", "))));
    }
    store::set_item_archived(tx, actor.outlet_id, id)?;
    store::next_revision(tx, actor.outlet_id)?;
    let entry = Entry::new("menu.item.archive", "menu_item", Some(id))
        .before(&json!({"name": before.draft.name, "sku": before.draft.sku, "priceCents": before.price}));
    audit::actions::record(tx, actor, entry)?;
    Ok(before)
}

/// What the dish costs: itself, or each of its variants.
fn prices(draft: &ItemDraft) -> Vec<(&str, Cents)> {
    let variants = draft.variants.iter().map(|variant| (variant.name.as_str(), variant.price));
    std::iter::once(("", draft.price)).chain(variants).collect()
}

/// The same as it is put on record.
fn priced(draft: &ItemDraft) -> Value {
    let variants = draft.variants.iter().map(|v| json!({"name": v.name, "basePriceCents": v.price}));
    let mut said = json!({"name": draft.name, "basePriceCents": draft.price});
    if !draft.variants.is_empty() {
        said["variants"] = variants.collect();
    }
    said
}

/// The checked draft: what is wrong in itself and what it refers to in vain, all at once.
fn check(tx: &Tx<'_>, actor: &Actor, draft: ItemDraft, before: Option<&MenuItem>) -> Result<ItemDraft> {
    let mut found = references(tx, actor, &draft)?;
    found.extend(choices(tx, actor, &draft, before)?);
    let known: &[VariantDraft] = before.map_or(&[], |before| &before.draft.variants);
    for (i, variant) in draft.variants.iter().enumerate() {
        if variant.id.is_some() && !known.iter().any(|known| known.id == variant.id) {
            found.push(FieldError::new(format!("variants[{i}].id"), "is not a variant of this dish"));
        }
    }
    match draft.checked() {
        Ok(draft) if found.is_empty() => Ok(draft),
        Ok(_) => Err(MenuError::Invalid(found)),
        Err(mut fields) => {
            fields.append(&mut found);
            Err(MenuError::Invalid(fields))
        }
    }
}

fn references(tx: &Tx<'_>, actor: &Actor, draft: &ItemDraft) -> Result<Vec<FieldError>> {
    let mut checks = Checks::new();
    let outlet = actor.outlet_id;
    let exists = |found: Result<()>| match found {
        Ok(()) => Ok(true),
        Err(MenuError::NotFound(_)) => Ok(false),
        Err(other) => Err(other),
    };
    let category = exists(store::find_category(tx, outlet, draft.category_id).map(drop))?;
    checks.require(category, "categoryId", "is not a category of this outlet");
    if let Some(id) = draft.tax_category_id {
        let tax = exists(store::find_tax(tx, outlet, id).map(drop))?;
        checks.require(tax, "taxCategoryId", "is not a tax category of this outlet");
    }
    if let Some(id) = draft.station_id {
        checks.require(
            store::is_station(tx, outlet, id)?,
            "stationId",
            "is not a kitchen station of this outlet",
        );
    }
    for (i, id) in draft.group_ids.iter().enumerate() {
        let group = store::is_group(tx, outlet, *id)?;
        checks.require(group, format!("modifierGroups[{i}]"), "is not a modifier group of this outlet");
    }
    Ok(checks.finish(()).err().unwrap_or_default())
}

/// What is wrong with the dishes that may be chosen for a combo, and with another kind.
fn choices(
    tx: &Tx<'_>,
    actor: &Actor,
    draft: &ItemDraft,
    before: Option<&MenuItem>,
) -> Result<Vec<FieldError>> {
    let mut checks = Checks::new();
    let outlet = actor.outlet_id;
    let is_same = before.is_none_or(|before| before.draft.kind == draft.kind);
    checks.require(is_same, "kind", "cannot be changed: what was sold would be something else");
    if let Some(before) = before.filter(|before| draft.sold_by != before.draft.sold_by) {
        let combos = store::list_names_of_combos_with(tx, outlet, before.id)?;
        let is_free = draft.sold_by == SoldBy::Piece || combos.is_empty();
        checks.require(is_free, "soldBy", offered(&combos));
    }
    if let Some(before) = before.filter(|before| sizes(draft) != sizes(&before.draft)) {
        let unmet = unmet(tx, outlet, before.id, &sizes(draft))?;
        checks.require(unmet.is_none(), "variants", unmet.unwrap_or_default());
    }
    for (i, component) in draft.components.iter().enumerate() {
        for (j, option) in component.options.iter().enumerate() {
            let path = |field: &str| format!("components[{i}].options[{j}].{field}");
            let Some(choice) = store::find_choice(tx, outlet, option.menu_item_id)? else {
                checks.add(path("menuItemId"), "is not a dish of this outlet");
                continue;
            };
            let is_meant = option.variant_id.map(|id| move |size: &Size| size.id == id);
            choice.size(is_meant, (path("menuItemId"), path("variantId")), &mut checks);
        }
    }
    Ok(checks.finish(()).err().unwrap_or_default())
}

/// Why a dish that combos offer is not sold by weight.
pub(super) fn offered(combos: &[String]) -> String {
    format!("must be PIECE: the dish may be chosen for {}", combos.join(", "))
}

/// The sizes of a dish as combos offer them: each by its id, and whether it is meant where none is named.
pub(super) fn sizes(draft: &ItemDraft) -> Vec<(Option<Uuid>, bool)> {
    draft.variants.iter().map(|variant| (variant.id, variant.is_default)).collect()
}

/// Why a dish cannot come in `sizes` alone: combos offer it in another one, or in the only one it had.
pub(super) fn unmet(
    tx: &Tx<'_>,
    outlet: Uuid,
    dish: Uuid,
    sizes: &[(Option<Uuid>, bool)],
) -> Result<Option<String>> {
    let is_met = |size: &Option<Uuid>| match size {
        Some(_) => sizes.iter().any(|(id, _)| id == size),
        None => sizes.is_empty() || sizes.iter().any(|(_, is_default)| *is_default),
    };
    let mut combos = store::list_offers_of(tx, outlet, dish)?;
    combos.retain(|(size, _)| !is_met(size));
    let mut combos: Vec<String> = combos.into_iter().map(|(_, name)| name).collect();
    combos.dedup();
    let why = || format!("must keep the size that is chosen for {}", combos.join(", "));
    Ok((!combos.is_empty()).then(why))
}
