//! The reading of dishes that an order does: few statements, prepared once. Never writes.

use super::{availability, components, groups, variants};
use crate::db::{self, Columns, Json, Row, Source, opt, table};
use crate::resources::menu::rules::{ItemKind, LocalNow, MenuHours, OUT_OF_STOCK, Sellable, TaxComponent};
use std::sync::LazyLock;
use tiffin_common::Uuid;

/// Put together once: an order runs it for every dish.
pub(super) static SELECT: LazyLock<String> = LazyLock::new(|| {
    let more = format!(
        "coalesce(p.price_cents, i.price_cents) AS price, t.components, coalesce(t.is_goods, 0) AS is_goods,
         c.windows AS category_windows, {},
         EXISTS (SELECT 1 FROM menu_item_modifier_groups l WHERE l.menu_item_id = i.id) AS has_groups,
         EXISTS (SELECT 1 FROM menu_items v WHERE v.variant_of_id = i.id AND v.archived_at IS NULL) AS has_variants",
        availability::COLUMNS
    );
    let rest = "JOIN menu_categories c ON c.id = i.category_id AND c.is_active = 1 AND c.archived_at IS NULL
      LEFT JOIN tax_categories t ON t.id = i.tax_category_id
      LEFT JOIN menu_prices p ON p.outlet_id = i.outlet_id AND p.menu_item_id = i.id
      LEFT JOIN menu_availability a ON a.outlet_id = i.outlet_id AND a.menu_item_id = i.id
      WHERE i.id = ?2 AND i.outlet_id = ?1 AND i.is_active = 1 AND i.archived_at IS NULL AND i.variant_of_id IS NULL";
    table::select::<Sellable>("i", &more, rest)
});

/// The dish, whether it has choices, and whether it has variants.
fn read(row: &Row<'_>, at: &LocalNow) -> db::Result<(Sellable, bool, bool)> {
    let mut dish = Sellable::read(row)?;
    dish.price = row.get("price")?;
    let taxes: Option<Json<Vec<TaxComponent>>> = row.get("components")?;
    dish.tax_components = taxes.map(|taxes| taxes.0).unwrap_or_default();
    dish.is_goods = row.get("is_goods")?;
    dish.availability = availability::read(row)?.at(at.now);
    let chapter: Json<Vec<MenuHours>> = row.get("category_windows")?;
    let is_served = dish.window.contains(at) && MenuHours::any_holds(&chapter.0, at);
    dish.unavailable = match (dish.availability.is_out(), is_served) {
        (true, false) if dish.availability.is_short() => Some("is not sold at this hour"),
        (true, _) => Some(OUT_OF_STOCK),
        (false, false) => Some("is not sold at this hour"),
        (false, true) => None,
    };
    Ok((dish, row.get("has_groups")?, row.get("has_variants")?))
}

/// The dishes of `ids` at the outlet's own prices that it sells (active, not archived, in an active category), each once, in the order they
/// were first named. What is missing is not for sale. One statement a dish, one more
/// where it has choices, one where it has variants, and two for a combo.
pub fn list_sellable(
    conn: &dyn Source,
    outlet: Uuid,
    ids: &[Uuid],
    at: &LocalNow,
) -> db::Result<Vec<Sellable>> {
    let mut dishes: Vec<Sellable> = Vec::with_capacity(ids.len());
    for (i, id) in ids.iter().enumerate() {
        if ids.iter().take(i).any(|earlier| earlier == id) {
            continue;
        }
        let found = opt(conn, &SELECT, [outlet, *id], |row| read(row, at))?;
        let Some((mut dish, has_groups, has_variants)) = found else { continue };
        if has_groups {
            dish.groups = groups::list_groups_of_item(conn, outlet, *id, at)?;
        }
        if has_variants {
            dish.variants = variants::list_variants_of_item(conn, outlet, *id, at)?;
        }
        if dish.kind == ItemKind::Combo {
            dish.components = components::list_bare(conn, outlet, *id)?;
        }
        dishes.push(dish);
    }
    Ok(dishes)
}
