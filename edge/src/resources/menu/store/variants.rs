//! Rows of menu_items that are variants of a dish. Never decides what is sold.

use super::{availability, found};
use crate::db::{self, Columns, Row, Source, Tx, list, opt, table};
use crate::resources::menu::rules::variants::full_name;
use crate::resources::menu::rules::{ItemDraft, LocalNow, Result, Variant, VariantDraft};
use std::collections::HashMap;
use std::sync::LazyLock;
use tiffin_common::Uuid;

/// Variants, for a condition to follow.
fn select(condition: &str) -> String {
    let more = format!("i.variant_of_id, p.price_cents AS outlet_price, {}", availability::COLUMNS);
    let rest = format!(
        "LEFT JOIN menu_prices p ON p.outlet_id = i.outlet_id AND p.menu_item_id = i.id
         LEFT JOIN menu_availability a ON a.outlet_id = i.outlet_id AND a.menu_item_id = i.id
         WHERE i.outlet_id = ?1 AND i.archived_at IS NULL AND {condition}"
    );
    table::select::<Variant>("i", &more, &rest)
}

/// Put together once: an order runs it for every dish that has variants.
pub(super) static OF_ITEM: LazyLock<String> =
    LazyLock::new(|| select("i.variant_of_id = ?2 ORDER BY i.sort_order, i.id"));

fn read(row: &Row<'_>, at: &LocalNow) -> db::Result<Variant> {
    let mut variant = Variant::read(row)?;
    variant.outlet_price = row.get("outlet_price")?;
    variant.price = variant.outlet_price.unwrap_or(variant.base_price);
    variant.availability = availability::read(row)?.at(at.now);
    variant.is_available = !variant.availability.is_out();
    Ok(variant)
}

/// The variants of one dish, in their order. On the hot path of an order.
pub fn list_variants_of_item(
    conn: &dyn Source,
    outlet: Uuid,
    item: Uuid,
    at: &LocalNow,
) -> db::Result<Vec<Variant>> {
    list(conn, &OF_ITEM, [outlet, item], |row| read(row, at))
}

/// All variants of the outlet by their dishes, in their order.
pub(super) fn list_all_variants(
    conn: &dyn Source,
    outlet: Uuid,
    at: &LocalNow,
) -> db::Result<HashMap<Uuid, Vec<Variant>>> {
    static ALL: LazyLock<String> =
        LazyLock::new(|| select("i.variant_of_id IS NOT NULL ORDER BY i.variant_of_id, i.sort_order, i.id"));
    let mut of_item: HashMap<Uuid, Vec<Variant>> = HashMap::new();
    for (item, variant) in list(conn, &ALL, [outlet], |row| Ok((row.get("variant_of_id")?, read(row, at)?)))?
    {
        of_item.entry(item).or_default().push(variant);
    }
    Ok(of_item)
}

/// A variant of the outlet, and its dish.
///
/// # Errors
/// No such one.
pub fn find_variant(conn: &dyn Source, outlet: Uuid, id: Uuid, at: &LocalNow) -> Result<(Uuid, Variant)> {
    let sql = select("i.id = ?2 AND i.variant_of_id IS NOT NULL");
    let read = |row: &Row<'_>| Ok((row.get("variant_of_id")?, read(row, at)?));
    found(opt(conn, &sql, [outlet, id], read), "variant")
}

/// Sets the variants of a dish: named ones are changed, new ones added, missing ones archived. Their names have the dish's before them.
///
/// # Errors
/// A sku that is taken.
pub fn set_variants(
    tx: &Tx<'_>,
    outlet: Uuid,
    item: Uuid,
    dish: &ItemDraft,
    before: &[VariantDraft],
) -> db::Result<()> {
    let now = tx.now();
    for gone in before.iter().filter(|known| !dish.variants.iter().any(|kept| kept.id == known.id)) {
        update!(tx, menu_items { archived_at: now, updated_at: now; "version = version + 1" }
            where { id: gone.id, outlet_id: outlet })?;
    }
    for (place, variant) in (0_i64..).zip(&dish.variants) {
        let name = full_name(&dish.name, &variant.name);
        let kitchen_name = dish.kitchen_name.as_ref().map(|name| full_name(name, &variant.name));
        match variant.id {
            Some(id) => update!(tx, menu_items {
                name: name, kitchen_name: kitchen_name, category_id: dish.category_id, sort_order: place, updated_at: now, ..variant;
                "version = version + 1"
            } where { id: id, outlet_id: outlet, variant_of_id: item })?,
            None => insert!(
                tx,
                menu_items {
                    id: tx.new_id(),
                    outlet_id: outlet,
                    variant_of_id: item,
                    name: name,
                    kitchen_name: kitchen_name,
                    category_id: dish.category_id,
                    sort_order: place,
                    created_at: now,
                    updated_at: now,
                    ..variant
                }
            )?,
        }
    }
    Ok(())
}

/// The dish that `id` is a variant of; none where it is a dish itself.
pub fn find_dish_of(conn: &dyn Source, id: Uuid) -> db::Result<Option<Uuid>> {
    let found = opt(conn, "SELECT variant_of_id FROM menu_items WHERE id = ?1", [id], |row| row.get(0))?;
    Ok(found.flatten())
}
