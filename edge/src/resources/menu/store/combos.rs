//! Rows of combo_components and combo_options. Never decides what is sold.

use super::components::{list_all_bare, list_bare};
use super::sell;
use crate::db::{self, Json, Source, Tx, list};
use crate::resources::menu::rules::combos::{
    Choice, Component, ComponentDraft, ComponentOption, ComponentOptionDraft, Size,
};
use crate::resources::menu::rules::{LocalNow, Sellable};
use std::collections::HashMap;
use tiffin_common::Uuid;

/// Says of each option what the menu says of its dish now.
fn fill<'c>(
    conn: &dyn Source,
    outlet: Uuid,
    at: &LocalNow,
    components: impl Iterator<Item = &'c mut Component>,
) -> db::Result<()> {
    let mut options: Vec<&mut ComponentOption> =
        components.flat_map(|component| component.options.iter_mut()).collect();
    let mut ids: Vec<Uuid> = options.iter().map(|option| option.menu_item_id).collect();
    ids.sort_unstable();
    ids.dedup();
    let dishes = sell::list_sellable(conn, outlet, &ids, at)?;
    let dishes: HashMap<Uuid, &Sellable> = dishes.iter().map(|dish| (dish.id, dish)).collect();
    // One whose dish is no longer sold cannot be had.
    for option in &mut options {
        if let Some(dish) = dishes.get(&option.menu_item_id) {
            dish.describe(option);
        }
    }
    Ok(())
}

/// What is chosen for a combo, in its order; nothing for a dish.
pub(super) fn list_components_of_item(
    conn: &dyn Source,
    outlet: Uuid,
    combo: Uuid,
    at: &LocalNow,
) -> db::Result<Vec<Component>> {
    let mut components = list_bare(conn, outlet, combo)?;
    fill(conn, outlet, at, components.iter_mut())?;
    Ok(components)
}

/// What is chosen for each of the outlet's combos.
pub(super) fn list_components(
    conn: &dyn Source,
    outlet: Uuid,
    at: &LocalNow,
) -> db::Result<HashMap<Uuid, Vec<Component>>> {
    let mut of_combo = list_all_bare(conn, outlet)?;
    fill(conn, outlet, at, of_combo.values_mut().flatten())?;
    Ok(of_combo)
}

/// The combos that a dish may be chosen for.
pub fn list_combos_with(conn: &dyn Source, dish: Uuid) -> db::Result<Vec<Uuid>> {
    let sql =
        "SELECT DISTINCT c.menu_item_id FROM combo_options o JOIN combo_components c ON c.id = o.component_id
      JOIN menu_items i ON i.id = c.menu_item_id AND i.archived_at IS NULL WHERE o.menu_item_id = ?1";
    list(conn, sql, [dish], |row| row.get(0))
}

/// The names of the combos on the menu that a dish may be chosen for.
pub fn list_names_of_combos_with(conn: &dyn Source, outlet: Uuid, dish: Uuid) -> db::Result<Vec<String>> {
    let sql = "SELECT DISTINCT i.name FROM combo_options o JOIN combo_components c ON c.id = o.component_id
      JOIN menu_items i ON i.id = c.menu_item_id AND i.archived_at IS NULL
      WHERE o.menu_item_id = ?2 AND o.outlet_id = ?1 ORDER BY i.name";
    list(conn, sql, [outlet, dish], |row| row.get(0))
}

/// In which sizes a dish may be chosen for combos on the menu, and their names, by which they are in order; no size: its only or its default one.
pub fn list_offers_of(
    conn: &dyn Source,
    outlet: Uuid,
    dish: Uuid,
) -> db::Result<Vec<(Option<Uuid>, String)>> {
    let sql = "SELECT DISTINCT o.variant_id, i.name FROM combo_options o JOIN combo_components c ON c.id = o.component_id
      JOIN menu_items i ON i.id = c.menu_item_id AND i.archived_at IS NULL
      WHERE o.menu_item_id = ?2 AND o.outlet_id = ?1 ORDER BY i.name";
    list(conn, sql, [outlet, dish], |row| Ok((row.get("variant_id")?, row.get("name")?)))
}

/// The dish of that id as a combo may offer it; none where the outlet has none.
pub fn find_choice(conn: &dyn Source, outlet: Uuid, dish: Uuid) -> db::Result<Option<Choice>> {
    let sql =
        "SELECT i.kind, i.sold_by, v.id AS variant_id, v.variant_name, coalesce(v.is_default, 0) AS is_default FROM menu_items i
      LEFT JOIN menu_items v ON v.variant_of_id = i.id AND v.archived_at IS NULL
      WHERE i.id = ?2 AND i.outlet_id = ?1 AND i.archived_at IS NULL AND i.variant_of_id IS NULL";
    let rows = list(conn, sql, [outlet, dish], |row| {
        let size = match row.get("variant_id")? {
            Some(id) => Some(Size { id, name: row.get("variant_name")?, is_default: row.get("is_default")? }),
            None => None,
        };
        Ok((row.get("kind")?, row.get("sold_by")?, size))
    })?;
    let found = rows.first().map(|(kind, sold_by, _)| (*kind, *sold_by));
    let sizes = rows.into_iter().filter_map(|(_, _, size)| size);
    Ok(found.map(|(kind, sold_by)| Choice { kind, sold_by, sizes: sizes.collect() }))
}

/// Sets what is chosen for a combo: components keep their rows by their names, options by their dishes; those that are missing go.
pub(super) fn set_components(
    tx: &Tx<'_>,
    outlet: Uuid,
    combo: Uuid,
    wanted: &[ComponentDraft],
) -> db::Result<()> {
    let present = list_bare(tx, outlet, combo)?;
    let same = |name: &str, other: &str| name.to_lowercase() == other.to_lowercase();
    for gone in present.iter().filter(|known| !wanted.iter().any(|kept| same(&kept.name, &known.name))) {
        set_options(tx, outlet, gone.id, (&gone.options, &[]))?;
        tx.execute("DELETE FROM combo_components WHERE id = ?1", [gone.id])?;
    }
    for (place, draft) in (0_i64..).zip(wanted) {
        let known = present.iter().find(|known| same(&known.name, &draft.name));
        let id = match known {
            Some(known) => {
                update!(tx, combo_components {
                    name: draft.name, min_selections: draft.min, max_selections: draft.max, sort_order: place,
                    texts: Json(&draft.texts),
                } where { id: known.id, outlet_id: outlet })?;
                known.id
            }
            None => {
                let id = tx.new_id();
                insert!(
                    tx,
                    combo_components {
                        id: id,
                        outlet_id: outlet,
                        menu_item_id: combo,
                        name: draft.name,
                        min_selections: draft.min,
                        max_selections: draft.max,
                        sort_order: place,
                        texts: Json(&draft.texts)
                    }
                )?;
                id
            }
        };
        let options = known.map_or(&[][..], |known| known.options.as_slice());
        set_options(tx, outlet, id, (options, &draft.options))?;
    }
    Ok(())
}

fn set_options(
    tx: &Tx<'_>,
    outlet: Uuid,
    component: Uuid,
    (present, wanted): (&[ComponentOption], &[ComponentOptionDraft]),
) -> db::Result<()> {
    let same = |known: &ComponentOption, draft: &ComponentOptionDraft| {
        (known.menu_item_id, known.variant_id) == (draft.menu_item_id, draft.variant_id)
    };
    for gone in present.iter().filter(|known| !wanted.iter().any(|kept| same(known, kept))) {
        tx.execute("DELETE FROM combo_options WHERE id = ?1", [gone.id])?;
    }
    for (place, draft) in (0_i64..).zip(wanted) {
        match present.iter().find(|known| same(known, draft)) {
            Some(known) => update!(tx, combo_options { extra_cents: draft.extra, sort_order: place }
                where { id: known.id, outlet_id: outlet })?,
            None => insert!(
                tx,
                combo_options {
                    id: tx.new_id(),
                    outlet_id: outlet,
                    component_id: component,
                    menu_item_id: draft.menu_item_id,
                    variant_id: draft.variant_id,
                    extra_cents: draft.extra,
                    sort_order: place
                }
            )?,
        }
    }
    Ok(())
}
