//! What can happen to a price list, and the lists as an order asks them.

use super::here;
use crate::access::Actor;
use crate::db::{self, Source, Tx};
use crate::http::{Checks, FieldError, Stale};
use crate::resources::audit::{self, Entry};
use crate::resources::channels;
use crate::resources::menu::rules::price_lists::{
    MAX_LISTS, PriceEntry, PriceList, PriceListDraft, check_entries,
};
use crate::resources::menu::rules::prices::PriceLists;
use crate::resources::menu::rules::{MenuError, Result};
use crate::resources::menu::store;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::Arc;
use tiffin_common::Uuid;

/// Changed entries that the audit log shows; it counts all.
const SHOWN: usize = 100;

/// The outlet's price lists: read once, and again when something shared has changed. On the hot path of an order.
pub fn price_lists(tx: &Tx<'_>, outlet: Uuid) -> db::Result<Arc<PriceLists>> {
    tx.keep(outlet, || store::find_all_prices(tx, outlet))
}

/// Makes a price list.
///
/// # Errors
/// Offending fields, also references to what this outlet does not have; one list too many.
pub fn create_price_list(
    tx: &Tx<'_>,
    actor: &Actor,
    draft: PriceListDraft,
    entries: Vec<PriceEntry>,
) -> Result<PriceList> {
    let draft = check(tx, actor, draft, &[], Some(&entries))?;
    if store::count_price_lists(tx, actor.outlet_id)? >= MAX_LISTS {
        return Err(MenuError::InUse(format!("The outlet has {MAX_LISTS} price lists already")));
    }
    let id = store::insert_price_list(tx, actor.outlet_id, &draft, &entries)?;
    let made = store::find_price_list(tx, actor.outlet_id, id, &here(tx, actor)?)?;
    written(tx, actor, "menu.price-list.create", None, Some(&made))?;
    Ok(made)
}

/// Changes a price list; with `entries` it says these and nothing else.
///
/// # Errors
/// No such one; a stale version; offending fields, also references to what this outlet does not have.
pub fn update_price_list(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    expected: Option<i64>,
    change: impl FnOnce(PriceListDraft) -> PriceListDraft,
    entries: Option<Vec<PriceEntry>>,
) -> Result<PriceList> {
    let at = here(tx, actor)?;
    let before = store::find_price_list(tx, actor.outlet_id, id, &at)?;
    Stale::check(expected, before.version)?;
    let entries = entries.filter(|entries| Some(entries) != before.entries.as_ref());
    let known = before.draft.channel_ids.clone().unwrap_or_default();
    let draft = check(tx, actor, change(before.draft.clone()), &known, entries.as_deref())?;
    if draft == before.draft && entries.is_none() {
        return Ok(before);
    }
    store::update_price_list(tx, actor.outlet_id, id, &draft, entries.as_deref())?;
    let after = store::find_price_list(tx, actor.outlet_id, id, &at)?;
    written(tx, actor, "menu.price-list.update", Some(&before), Some(&after))?;
    Ok(after)
}

/// Archives a price list: nothing costs what it says any more.
///
/// # Errors
/// No such one; a stale version.
pub fn archive_price_list(tx: &Tx<'_>, actor: &Actor, id: Uuid, expected: Option<i64>) -> Result<PriceList> {
    let before = store::find_price_list(tx, actor.outlet_id, id, &here(tx, actor)?)?;
    Stale::check(expected, before.version)?;
    store::set_price_list_archived(tx, actor.outlet_id, id)?;
    written(tx, actor, "menu.price-list.archive", Some(&before), None)?;
    Ok(before)
}

/// Moves the menu's revision on, and puts on record what became of a list.
fn written(
    tx: &Tx<'_>,
    actor: &Actor,
    what: &'static str,
    before: Option<&PriceList>,
    after: Option<&PriceList>,
) -> Result<()> {
    store::next_revision(tx, actor.outlet_id)?;
    let id = before.or(after).map(|list| list.id);
    let mut entry = Entry::new(what, "price_list", id);
    if let Some(list) = before {
        entry = entry.before(&shown(list, after));
    }
    if let Some(list) = after {
        entry = entry.after(&shown(list, before));
    }
    Ok(audit::actions::record(tx, actor, entry)?)
}

/// A list as it is put on record: what it is, and what it says otherwise than `other` does.
fn shown(list: &PriceList, other: Option<&PriceList>) -> Value {
    let known = other.and_then(|other| other.entries.as_deref()).unwrap_or_default();
    let own = list.entries.iter().flatten();
    let changed: Vec<&PriceEntry> = own.filter(|entry| !known.contains(entry)).take(SHOWN).collect();
    json!({"list": list.draft, "entriesCount": list.entries_count, "changedEntries": changed})
}

/// The checked draft: what is wrong in itself and what it refers to in vain, all at once. Channels of `known` were there before.
fn check(
    tx: &Tx<'_>,
    actor: &Actor,
    draft: PriceListDraft,
    known: &[Uuid],
    entries: Option<&[PriceEntry]>,
) -> Result<PriceListDraft> {
    let mut found = channel_fields(tx, actor.outlet_id, &draft, known)?;
    if let Some(entries) = entries {
        found.extend(check_entries(entries).err().unwrap_or_default());
        found.extend(entry_fields(tx, actor.outlet_id, entries)?);
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

/// The channels that are none of the outlet's. Where it has none at all, they are another outlet's: head office has a list for them.
fn channel_fields(
    conn: &dyn Source,
    outlet: Uuid,
    draft: &PriceListDraft,
    known: &[Uuid],
) -> Result<Vec<FieldError>> {
    let there: HashSet<Uuid> =
        channels::store::list_all(conn, outlet)?.into_iter().map(|channel| channel.id).collect();
    let mut checks = Checks::new();
    for (i, id) in draft.channel_ids.iter().flatten().enumerate() {
        let is_known = there.is_empty() || there.contains(id) || known.contains(id);
        checks.require(is_known, format!("channelIds[{i}]"), "is no channel of this outlet");
    }
    Ok(checks.finish(()).err().unwrap_or_default())
}

/// The entries whose dish, variant or category is not on the outlet's menu.
fn entry_fields(conn: &dyn Source, outlet: Uuid, entries: &[PriceEntry]) -> Result<Vec<FieldError>> {
    let targets = store::list_targets(conn, outlet)?;
    let mut checks = Checks::new();
    for (i, entry) in entries.iter().enumerate() {
        let named = [
            ("menuItemId", entry.menu_item_id, &targets.items, "is no dish of this outlet"),
            ("variantId", entry.variant_id, &targets.variants, "is no variant of a dish of this outlet"),
            ("categoryId", entry.category_id, &targets.categories, "is no category of this outlet"),
        ];
        for (field, id, there, why) in named {
            checks.require(id.is_none_or(|id| there.contains(&id)), format!("entries[{i}].{field}"), why);
        }
    }
    Ok(checks.finish(()).err().unwrap_or_default())
}
