//! Rows of menu_items and of the groups they offer.

use super::{Search, availability, groups, json, json_opt, to_json};
use crate::db::{self, Row, Source, Transaction, list, one, opt};
use crate::http::Page;
use crate::resources::menu::rules::{
    Dietary, ItemDraft, LocalNow, MenuError, MenuItem, ModifierGroup, Window,
};
use rusqlite::params;
use std::collections::HashMap;
use tiffin_common::{Cents, Uuid};

pub(super) const SELECT: &str = "SELECT i.id, i.category_id, i.name, i.kitchen_name, i.description, i.sku,
    i.price_cents, p.price_cents, i.tax_category_id, i.hsn_sac, i.station_id, i.course, i.prep_minutes, i.dietary,
    i.allergens, i.image_url, i.available_from, i.available_to, i.available_days, i.is_active, i.sort_order, i.version,
    i.created_at, i.updated_at, c.is_active, a.status, a.quantity_left, a.until, a.reason, a.source
  FROM menu_items i
  JOIN menu_categories c ON c.id = i.category_id
  LEFT JOIN menu_prices p ON p.outlet_id = i.outlet_id AND p.menu_item_id = i.id
  LEFT JOIN menu_availability a ON a.outlet_id = i.outlet_id AND a.menu_item_id = i.id
  WHERE i.outlet_id = ?1 AND i.archived_at IS NULL";

/// A dish without its groups.
pub(super) fn read(row: &Row<'_>, at: &LocalNow) -> db::Result<MenuItem> {
    let base_price: Cents = row.get(6)?;
    let outlet_price: Option<Cents> = row.get(7)?;
    let window = Window { from: row.get(16)?, to: row.get(17)?, days: json_opt(row, 18)? };
    let is_active: bool = row.get(19)?;
    let state = availability::read(row, 25)?.at(at.now);
    let is_available = is_active && row.get(24)? && !state.is_out() && window.contains(at);
    Ok(MenuItem {
        id: row.get(0)?,
        category_id: row.get(1)?,
        name: row.get(2)?,
        kitchen_name: row.get(3)?,
        description: row.get(4)?,
        sku: row.get(5)?,
        price: outlet_price.unwrap_or(base_price),
        base_price,
        outlet_price,
        tax_category_id: row.get(8)?,
        hsn_sac: row.get(9)?,
        station_id: row.get(10)?,
        course: row.get(11)?,
        prep_minutes: row.get(12)?,
        dietary: row.get::<_, Option<String>>(13)?.and_then(|name| Dietary::of_name(&name)),
        allergens: json(row, 14)?,
        image_url: row.get(15)?,
        modifier_groups: Vec::new(),
        available_from: window.from,
        available_to: window.to,
        available_days: window.days,
        is_active,
        is_available,
        availability: state,
        sort_order: row.get(20)?,
        version: row.get(21)?,
        created_at: row.get(22)?,
        updated_at: row.get(23)?,
    })
}

/// One dish of the outlet with its groups.
///
/// # Errors
/// [`MenuError::NotFound`]; whatever the store reports.
pub fn find_item(conn: &dyn Source, outlet: Uuid, id: Uuid, at: &LocalNow) -> Result<MenuItem, MenuError> {
    let sql = format!("{SELECT} AND i.id = ?2");
    let found = opt(conn, &sql, params![outlet, id], |row| read(row, at))?;
    let mut item = found.ok_or(MenuError::NotFound("menu item"))?;
    item.modifier_groups = groups::groups_of_item(conn, outlet, id, at)?;
    Ok(item)
}

/// Which dishes.
#[derive(Debug, Clone, Default)]
pub struct ItemFilter {
    /// Of this category.
    pub category_id: Option<Uuid>,
    /// Active, or not.
    pub is_active: Option<bool>,
    /// A part of the name, or the sku; and the page.
    pub search: Search,
}

/// A page of dishes with their groups, in the order of the menu.
pub fn list_items(
    conn: &dyn Source,
    outlet: Uuid,
    filter: &ItemFilter,
    at: &LocalNow,
) -> db::Result<Page<MenuItem>> {
    let matches = "(?2 IS NULL OR i.category_id = ?2) AND (?3 IS NULL OR i.is_active = ?3)
      AND (?4 IS NULL OR instr(lower(i.name), lower(?4)) > 0 OR i.sku = ?4)";
    let sql = format!(
        "{SELECT} AND {matches} ORDER BY c.sort_order, c.name, i.sort_order, i.name, i.id LIMIT ?5 OFFSET ?6"
    );
    let q = &filter.search.q;
    let args =
        params![outlet, filter.category_id, filter.is_active, q, filter.search.limit, filter.search.offset];
    let mut items = list(conn, &sql, args, |row| read(row, at))?;
    add_groups(conn, outlet, at, &mut items)?;
    let sql = format!(
        "SELECT count(*) FROM menu_items i WHERE i.outlet_id = ?1 AND i.archived_at IS NULL AND {matches}"
    );
    let total = one(conn, &sql, params![outlet, filter.category_id, filter.is_active, q], |row| row.get(0))?;
    Ok(Page { items, total })
}

/// Gives every dish its groups: two queries, however many dishes.
pub(super) fn add_groups(
    conn: &dyn Source,
    outlet: Uuid,
    at: &LocalNow,
    items: &mut [MenuItem],
) -> db::Result<()> {
    let groups = groups::all_groups(conn, outlet, at)?;
    let groups: HashMap<Uuid, ModifierGroup> = groups.into_iter().map(|group| (group.id, group)).collect();
    let sql = "SELECT menu_item_id, group_id FROM menu_item_modifier_groups WHERE outlet_id = ?1
      ORDER BY menu_item_id, sort_order, group_id";
    let mut of_item: HashMap<Uuid, Vec<Uuid>> = HashMap::new();
    for (item, group) in
        list(conn, sql, [outlet], |row| Ok((row.get::<_, Uuid>(0)?, row.get::<_, Uuid>(1)?)))?
    {
        of_item.entry(item).or_default().push(group);
    }
    for item in items {
        let ids = of_item.get(&item.id).map(Vec::as_slice).unwrap_or_default();
        item.modifier_groups = ids.iter().filter_map(|id| groups.get(id).cloned()).collect();
    }
    Ok(())
}

/// Whether `id` is a station of the outlet's kitchen. Stations are the kitchen's; this only looks.
pub fn is_station(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<bool> {
    let sql = "SELECT 1 FROM kitchen_stations WHERE outlet_id = ?1 AND id = ?2 AND archived_at IS NULL";
    opt(conn, sql, params![outlet, id], |_| Ok(())).map(|found| found.is_some())
}

/// Id and name of the outlet's stations.
pub fn stations(conn: &dyn Source, outlet: Uuid) -> db::Result<Vec<(Uuid, String)>> {
    let sql =
        "SELECT id, name FROM kitchen_stations WHERE outlet_id = ?1 AND archived_at IS NULL ORDER BY id";
    list(conn, sql, [outlet], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Adds a checked dish with its groups.
///
/// # Errors
/// A sku that is taken; whatever SQLite reports.
pub fn insert_item(tx: &Transaction<'_>, outlet: Uuid, draft: &ItemDraft) -> db::Result<Uuid> {
    let id = tx.new_id();
    tx.execute(
        "INSERT INTO menu_items (id, outlet_id, category_id, created_at, updated_at, name, price_cents)
         VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6)",
        params![id, outlet, draft.category_id, tx.now(), draft.name, draft.price],
    )?;
    write(tx, outlet, id, draft, 0)?;
    set_groups(tx, outlet, id, &draft.group_ids)?;
    Ok(id)
}

/// Changes a dish without its groups.
///
/// # Errors
/// A sku that is taken; whatever SQLite reports.
pub fn update_item(tx: &Transaction<'_>, outlet: Uuid, id: Uuid, draft: &ItemDraft) -> db::Result<()> {
    write(tx, outlet, id, draft, 1)
}

fn write(tx: &Transaction<'_>, outlet: Uuid, id: Uuid, draft: &ItemDraft, step: i64) -> db::Result<()> {
    tx.execute(
        "UPDATE menu_items SET category_id = ?3, name = ?4, kitchen_name = ?5, description = ?6, sku = ?7,
           price_cents = ?8, tax_category_id = ?9, hsn_sac = ?10, station_id = ?11, course = ?12, prep_minutes = ?13,
           dietary = ?14, allergens = ?15, image_url = ?16, available_from = ?17, available_to = ?18,
           available_days = ?19, is_active = ?20, sort_order = ?21, version = version + ?22, updated_at = ?23
         WHERE outlet_id = ?1 AND id = ?2",
        params![
            outlet,
            id,
            draft.category_id,
            draft.name,
            draft.kitchen_name,
            draft.description,
            draft.sku,
            draft.price,
            draft.tax_category_id,
            draft.hsn_sac,
            draft.station_id,
            draft.course,
            draft.prep_minutes,
            draft.dietary.map(Dietary::name),
            to_json(&draft.allergens),
            draft.image_url,
            draft.window.from,
            draft.window.to,
            draft.window.days.as_ref().map(to_json),
            draft.is_active,
            draft.sort_order,
            step,
            tx.now(),
        ],
    )
    .map(drop)
}

/// Archives a dish: history keeps referring to it.
pub fn archive_item(tx: &Transaction<'_>, outlet: Uuid, id: Uuid) -> db::Result<()> {
    tx.execute(
        "UPDATE menu_items SET archived_at = ?3, version = version + 1, updated_at = ?3
         WHERE outlet_id = ?1 AND id = ?2",
        params![outlet, id, tx.now()],
    )
    .map(drop)
}

/// Sets the groups of a dish, in their order.
pub fn set_groups(tx: &Transaction<'_>, outlet: Uuid, item: Uuid, groups: &[Uuid]) -> db::Result<()> {
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
        tx.execute(
            "INSERT INTO menu_item_modifier_groups (id, outlet_id, menu_item_id, group_id, sort_order)
             VALUES (?1, ?2, ?3, ?4, ?5)",
            params![tx.new_id(), outlet, item, group, place],
        )?;
    }
    Ok(())
}
