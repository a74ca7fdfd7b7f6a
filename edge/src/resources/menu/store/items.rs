//! Rows of menu_items and of the groups they offer.

use super::{Search, availability, combos, groups, price_lists, variants};
use crate::db::{self, Columns, Json, Row, Source, Tx, list, one, opt, table};
use crate::http::Page;
use crate::resources::menu::rules::{
    ItemDraft, LocalNow, MenuError, MenuHours, MenuItem, ModifierGroup, Occasion, Result,
};
use rusqlite::params;
use std::collections::HashMap;
use std::sync::LazyLock;
use tiffin_common::Uuid;

/// All dishes of an outlet; a condition or an order may follow.
pub(super) static SELECT: LazyLock<String> = LazyLock::new(|| {
    let more = format!(
        "p.price_cents AS outlet_price, c.is_active AS category_is_active, c.windows AS category_windows, {}",
        availability::COLUMNS
    );
    let rest = "JOIN menu_categories c ON c.id = i.category_id
      LEFT JOIN menu_prices p ON p.outlet_id = i.outlet_id AND p.menu_item_id = i.id
      LEFT JOIN menu_availability a ON a.outlet_id = i.outlet_id AND a.menu_item_id = i.id
      WHERE i.outlet_id = ?1 AND i.archived_at IS NULL AND i.variant_of_id IS NULL";
    table::select::<MenuItem>("i", &more, rest)
});

/// A dish without its groups and variants.
pub(super) fn read(row: &Row<'_>, at: &LocalNow) -> db::Result<MenuItem> {
    let mut item = MenuItem::read(row)?;
    item.outlet_price = row.get("outlet_price")?;
    item.price = item.outlet_price.unwrap_or(item.draft.price);
    item.availability = availability::read(row)?.at(at.now);
    item.is_available = item.draft.is_active
        && row.get("category_is_active")?
        && !item.availability.is_out()
        && item.draft.window.contains(at)
        && MenuHours::any_holds(&row.get::<_, Json<Vec<MenuHours>>>("category_windows")?.0, at);
    item.windows = item.draft.window.all();
    Ok(item)
}

/// One dish of the outlet with its groups, variants and components, at the price that holds for every order.
///
/// # Errors
/// [`MenuError::NotFound`].
pub fn find_item(conn: &dyn Source, outlet: Uuid, id: Uuid, at: &LocalNow) -> Result<MenuItem> {
    let sql = format!("{} AND i.id = ?2", *SELECT);
    let found = opt(conn, &sql, [outlet, id], |row| read(row, at))?;
    let item = found.ok_or(MenuError::NotFound("menu item"))?;
    let item = item.with_groups(groups::list_groups_of_item(conn, outlet, id, at)?);
    let item = item.with_variants(variants::list_variants_of_item(conn, outlet, id, at)?);
    let item = item.with_components(combos::list_components_of_item(conn, outlet, id, at)?);
    let occasion = Occasion::default();
    Ok(price_lists::find_prices(conn, outlet, at, &occasion)?.prices(at, &occasion).shown(item))
}

/// Which dishes.
#[derive(Debug, Clone, Default)]
pub struct ItemFilter {
    /// Of this category.
    pub category_id: Option<Uuid>,
    /// Active, or not.
    pub is_active: Option<bool>,
    /// A part of the name in whichever language, or the sku; and the page.
    pub search: Search,
}

/// A page of dishes with their groups and variants, in the order of the menu.
pub fn list_items(
    conn: &dyn Source,
    outlet: Uuid,
    filter: &ItemFilter,
    at: &LocalNow,
) -> db::Result<Page<MenuItem>> {
    let matches = "(?2 IS NULL OR i.category_id = ?2) AND (?3 IS NULL OR i.is_active = ?3)
      AND (?4 IS NULL OR instr(lower(i.name), lower(?4)) > 0 OR i.sku = ?4
        OR EXISTS (SELECT 1 FROM json_each(i.texts) said WHERE instr(lower(said.value ->> 'name'), lower(?4)) > 0)
        OR EXISTS (SELECT 1 FROM menu_items v WHERE v.variant_of_id = i.id AND v.sku = ?4 AND v.archived_at IS NULL))";
    let sql = format!(
        "{} AND {matches} ORDER BY c.sort_order, c.name, i.sort_order, i.name, i.id LIMIT ?5 OFFSET ?6",
        *SELECT
    );
    let ItemFilter { category_id, is_active, search: Search { q, limit, offset } } = filter;
    let items =
        list(conn, &sql, params![outlet, category_id, is_active, q, limit, offset], |row| read(row, at))?;
    let items = list_whole(conn, outlet, (at, &Occasion::default()), items)?;
    let sql = format!(
        "SELECT count(*) FROM menu_items i WHERE i.outlet_id = ?1 AND i.archived_at IS NULL
           AND i.variant_of_id IS NULL AND {matches}"
    );
    let total = one(conn, &sql, params![outlet, category_id, is_active, q], |row| row.get(0))?;
    Ok(Page { items, total })
}

/// The dishes, each with its groups, variants and components, at the prices of such an order: a few queries, however many dishes, and what combos need of theirs.
pub(super) fn list_whole(
    conn: &dyn Source,
    outlet: Uuid,
    (at, occasion): (&LocalNow, &Occasion),
    items: Vec<MenuItem>,
) -> db::Result<Vec<MenuItem>> {
    let groups = groups::list_all_groups(conn, outlet, at)?;
    let groups: HashMap<Uuid, ModifierGroup> = groups.into_iter().map(|group| (group.id, group)).collect();
    let sql = "SELECT menu_item_id, group_id FROM menu_item_modifier_groups WHERE outlet_id = ?1
      ORDER BY menu_item_id, sort_order, group_id";
    let pairs = list(conn, sql, [outlet], |row| Ok((row.get("menu_item_id")?, row.get("group_id")?)))?;
    let mut of_item: HashMap<Uuid, Vec<ModifierGroup>> = HashMap::new();
    for (item, group) in pairs {
        let group: Option<&ModifierGroup> = groups.get::<Uuid>(&group);
        of_item.entry(item).or_default().extend(group.cloned());
    }
    let mut variants = variants::list_all_variants(conn, outlet, at)?;
    let lists = price_lists::find_prices(conn, outlet, at, occasion)?;
    let prices = lists.prices(at, occasion);
    let mut components = combos::list_components(conn, outlet, at)?;
    let whole = |item: MenuItem| {
        let (groups, variants) = (of_item.remove(&item.id), variants.remove(&item.id));
        let components = components.remove(&item.id).unwrap_or_default();
        let item = item.with_groups(groups.unwrap_or_default());
        prices.shown(item.with_variants(variants.unwrap_or_default()).with_components(components))
    };
    Ok(items.into_iter().map(whole).collect())
}

/// Whether `id` is a station of the outlet's kitchen. Stations are the kitchen's; this only looks.
pub fn is_station(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<bool> {
    let sql = "SELECT 1 FROM kitchen_stations WHERE outlet_id = ?1 AND id = ?2 AND archived_at IS NULL";
    opt(conn, sql, [outlet, id], |_| Ok(())).map(|found| found.is_some())
}

/// Id and name of the outlet's stations.
pub fn list_stations(conn: &dyn Source, outlet: Uuid) -> db::Result<Vec<(Uuid, String)>> {
    let sql =
        "SELECT id, name FROM kitchen_stations WHERE outlet_id = ?1 AND archived_at IS NULL ORDER BY id";
    list(conn, sql, [outlet], |row| Ok((row.get("id")?, row.get("name")?)))
}

/// Adds a checked dish with its groups and variants.
///
/// # Errors
/// A sku that is taken.
pub fn insert_item(tx: &Tx<'_>, outlet: Uuid, draft: &ItemDraft) -> db::Result<Uuid> {
    let (id, now) = (tx.new_id(), tx.now());
    insert!(tx, menu_items { id: id, outlet_id: outlet, created_at: now, updated_at: now, ..draft })?;
    set_groups(tx, outlet, id, &draft.group_ids)?;
    variants::set_variants(tx, outlet, id, draft, &[])?;
    combos::set_components(tx, outlet, id, &draft.components)?;
    Ok(id)
}

/// Changes a dish with its groups and variants, which was `before`.
///
/// # Errors
/// A sku that is taken.
pub fn update_item(
    tx: &Tx<'_>,
    outlet: Uuid,
    id: Uuid,
    (before, draft): (&ItemDraft, &ItemDraft),
) -> db::Result<()> {
    update!(tx, menu_items { updated_at: tx.now(), ..draft; "version = version + 1" }
        where { id: id, outlet_id: outlet })?;
    set_groups(tx, outlet, id, &draft.group_ids)?;
    let is_renamed = (&before.name, &before.kitchen_name, before.category_id)
        != (&draft.name, &draft.kitchen_name, draft.category_id);
    if is_renamed || before.variants != draft.variants {
        variants::set_variants(tx, outlet, id, draft, &before.variants)?;
    }
    if before.components != draft.components {
        combos::set_components(tx, outlet, id, &draft.components)?;
    }
    Ok(())
}

/// Archives a dish with its variants: history keeps referring to it.
pub fn set_item_archived(tx: &Tx<'_>, outlet: Uuid, id: Uuid) -> db::Result<()> {
    let now = tx.now();
    update!(tx, menu_items { archived_at: now, updated_at: now; "version = version + 1" }
        where { variant_of_id: id, outlet_id: outlet; "archived_at IS NULL" })?;
    update!(tx, menu_items { archived_at: now, updated_at: now; "version = version + 1" }
        where { id: id, outlet_id: outlet })
}

/// Sets the groups of a dish, in their order.
fn set_groups(tx: &Tx<'_>, outlet: Uuid, item: Uuid, groups: &[Uuid]) -> db::Result<()> {
    let sql = "SELECT group_id FROM menu_item_modifier_groups WHERE menu_item_id = ?1 ORDER BY sort_order, group_id";
    let present: Vec<Uuid> = list(tx, sql, [item], |row| row.get(0))?;
    if present == groups {
        return Ok(());
    }
    tx.execute(
        "DELETE FROM menu_item_modifier_groups WHERE outlet_id = ?1 AND menu_item_id = ?2",
        params![outlet, item],
    )?;
    for (place, group) in (0_i64..).zip(groups) {
        insert!(
            tx,
            menu_item_modifier_groups {
                id: tx.new_id(),
                outlet_id: outlet,
                menu_item_id: item,
                group_id: *group,
                sort_order: place
            }
        )?;
    }
    Ok(())
}
