//! Rows of modifier_groups and modifier_options.

use super::{Search, availability, found};
use crate::db::{self, Row, Source, Transaction, list, one, opt};
use crate::http::Page;
use crate::resources::menu::rules::{
    Availability, GroupDraft, LocalNow, MenuError, ModifierGroup, ModifierOption, OptionDraft,
};
use rusqlite::params;
use serde_json::{Value, json};
use std::collections::HashMap;
use tiffin_common::{Millis, Quantity, Uuid};

/// A group beside one of its options; the group's row repeats.
const COLUMNS: &str =
    "SELECT g.id, g.name, g.min_selections, g.max_selections, g.version, g.created_at, g.updated_at,
  o.id, o.name, o.price_cents, o.is_default, o.is_active, a.status, a.quantity_left, a.until, a.reason,
  a.source";
const OPTIONS: &str = "LEFT JOIN modifier_options o ON o.group_id = g.id AND o.archived_at IS NULL
  LEFT JOIN menu_availability a ON a.outlet_id = g.outlet_id AND a.option_id = o.id";

fn read(row: &Row<'_>, now: Millis) -> db::Result<(ModifierGroup, Option<ModifierOption>)> {
    let group = ModifierGroup {
        id: row.get(0)?,
        name: row.get(1)?,
        min: row.get(2)?,
        max: row.get(3)?,
        options: Vec::new(),
        version: row.get(4)?,
        created_at: row.get(5)?,
        updated_at: row.get(6)?,
    };
    let Some(id) = row.get(7)? else { return Ok((group, None)) };
    let is_active = row.get(11)?;
    let state: Availability = availability::read(row, 12)?.at(now);
    let option = ModifierOption {
        id,
        name: row.get(8)?,
        price: row.get(9)?,
        is_default: row.get(10)?,
        is_active,
        available: is_active && !state.is_out(),
        availability: state,
        recipe: None,
    };
    Ok((group, Some(option)))
}

/// Groups with their options, of rows that come group by group.
fn fold(rows: Vec<(ModifierGroup, Option<ModifierOption>)>) -> Vec<ModifierGroup> {
    let mut groups: Vec<ModifierGroup> = Vec::new();
    for (group, option) in rows {
        if groups.last().is_none_or(|last| last.id != group.id) {
            groups.push(group);
        }
        if let (Some(last), Some(option)) = (groups.last_mut(), option) {
            last.options.push(option);
        }
    }
    groups
}

/// All groups of the outlet, by name.
pub fn all_groups(conn: &dyn Source, outlet: Uuid, at: &LocalNow) -> db::Result<Vec<ModifierGroup>> {
    let sql = format!(
        "{COLUMNS} FROM modifier_groups g {OPTIONS} WHERE g.outlet_id = ?1 AND g.archived_at IS NULL
         ORDER BY g.name, g.id, o.sort_order, o.id"
    );
    list(conn, &sql, [outlet], |row| read(row, at.now)).map(fold)
}

pub(super) fn of_item_sql() -> String {
    format!(
        "{COLUMNS} FROM menu_item_modifier_groups l
         JOIN modifier_groups g ON g.id = l.group_id AND g.archived_at IS NULL {OPTIONS}
         WHERE l.menu_item_id = ?2 AND g.outlet_id = ?1 ORDER BY l.sort_order, g.id, o.sort_order, o.id"
    )
}

/// The groups of one dish, in their order. On the hot path of an order.
pub fn groups_of_item(
    conn: &dyn Source,
    outlet: Uuid,
    item: Uuid,
    at: &LocalNow,
) -> db::Result<Vec<ModifierGroup>> {
    let sql = of_item_sql();
    list(conn, &sql, params![outlet, item], |row| read(row, at.now)).map(fold)
}

/// One group of the outlet.
///
/// # Errors
/// [`MenuError::NotFound`]; whatever the store reports.
pub fn find_group(
    conn: &dyn Source,
    outlet: Uuid,
    id: Uuid,
    at: &LocalNow,
) -> Result<ModifierGroup, MenuError> {
    let sql = format!(
        "{COLUMNS} FROM modifier_groups g {OPTIONS} WHERE g.outlet_id = ?1 AND g.id = ?2 AND g.archived_at IS NULL
         ORDER BY o.sort_order, o.id"
    );
    let groups = fold(list(conn, &sql, params![outlet, id], |row| read(row, at.now))?);
    groups.into_iter().next().ok_or(MenuError::NotFound("modifier group"))
}

/// A page of groups, by name.
pub fn list_groups(
    conn: &dyn Source,
    outlet: Uuid,
    search: &Search,
    at: &LocalNow,
) -> db::Result<Page<ModifierGroup>> {
    let from = "FROM modifier_groups WHERE outlet_id = ?1 AND archived_at IS NULL
      AND (?2 IS NULL OR instr(lower(name), lower(?2)) > 0)";
    let sql = format!(
        "{COLUMNS} FROM (SELECT * {from} ORDER BY name, id LIMIT ?3 OFFSET ?4) g {OPTIONS}
         ORDER BY g.name, g.id, o.sort_order, o.id"
    );
    let args = params![outlet, search.q, search.limit, search.offset];
    let items = list(conn, &sql, args, |row| read(row, at.now)).map(fold)?;
    let total = one(conn, &format!("SELECT count(*) {from}"), params![outlet, search.q], |row| row.get(0))?;
    Ok(Page { items, total })
}

/// Whether `id` is a group of the outlet.
pub fn is_group(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<bool> {
    let sql = "SELECT 1 FROM modifier_groups WHERE outlet_id = ?1 AND id = ?2 AND archived_at IS NULL";
    opt(conn, sql, params![outlet, id], |_| Ok(())).map(|found| found.is_some())
}

/// The group an option of the outlet belongs to.
///
/// # Errors
/// [`MenuError::NotFound`]; whatever the store reports.
pub fn group_of_option(conn: &dyn Source, outlet: Uuid, option: Uuid) -> Result<Uuid, MenuError> {
    let sql =
        "SELECT group_id FROM modifier_options WHERE outlet_id = ?1 AND id = ?2 AND archived_at IS NULL";
    found(opt(conn, sql, params![outlet, option], |row| row.get(0)), "modifier option")
}

/// An option of the outlet and the group it belongs to.
///
/// # Errors
/// [`MenuError::NotFound`]; whatever the store reports.
pub fn find_option_group(
    conn: &dyn Source,
    outlet: Uuid,
    option: Uuid,
    at: &LocalNow,
) -> Result<(ModifierGroup, ModifierOption), MenuError> {
    let group = find_group(conn, outlet, group_of_option(conn, outlet, option)?, at)?;
    let found = group.options.iter().find(|o| o.id == option).cloned();
    found.map(|o| (group, o)).ok_or(MenuError::NotFound("modifier option"))
}

/// How many dishes have the group.
pub fn items_with_group(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<i64> {
    let sql = "SELECT count(*) FROM menu_item_modifier_groups l JOIN menu_items i ON i.id = l.menu_item_id
      WHERE l.group_id = ?2 AND i.outlet_id = ?1 AND i.archived_at IS NULL";
    one(conn, sql, params![outlet, id], |row| row.get(0))
}

/// What the options of a group do to a dish's recipe, by option. Recipes are inventory's; this only shows them.
pub fn option_recipes(conn: &dyn Source, outlet: Uuid, group: Uuid) -> db::Result<HashMap<Uuid, Value>> {
    let sql = "SELECT r.option_id, i.stock_item_id, i.sub_recipe_id, i.quantity, i.unit
      FROM modifier_options o JOIN recipes r ON r.option_id = o.id AND r.outlet_id = o.outlet_id
        AND r.archived_at IS NULL
      JOIN recipe_ingredients i ON i.recipe_id = r.id
      WHERE o.group_id = ?2 AND o.outlet_id = ?1 AND o.archived_at IS NULL ORDER BY r.id, i.sort_order";
    let rows = list(conn, sql, params![outlet, group], |row| {
        let ingredient = json!({
            "inventoryItemId": row.get::<_, Option<Uuid>>(1)?,
            "subRecipeId": row.get::<_, Option<Uuid>>(2)?,
            "quantity": row.get::<_, Quantity>(3)?,
            "unit": row.get::<_, String>(4)?,
        });
        Ok((row.get::<_, Uuid>(0)?, ingredient))
    })?;
    let mut ingredients: HashMap<Uuid, Vec<Value>> = HashMap::new();
    for (option, ingredient) in rows {
        ingredients.entry(option).or_default().push(ingredient);
    }
    Ok(ingredients.into_iter().map(|(option, list)| (option, json!({ "ingredients": list }))).collect())
}

/// Adds a checked group without its options.
pub fn insert_group(tx: &Transaction<'_>, outlet: Uuid, draft: &GroupDraft) -> db::Result<Uuid> {
    let id = tx.new_id();
    tx.execute(
        "INSERT INTO modifier_groups (id, outlet_id, name, min_selections, max_selections, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)",
        params![id, outlet, draft.name, draft.min, draft.max, tx.now()],
    )?;
    Ok(id)
}

/// Changes a group without its options.
pub fn update_group(tx: &Transaction<'_>, outlet: Uuid, id: Uuid, draft: &GroupDraft) -> db::Result<()> {
    tx.execute(
        "UPDATE modifier_groups SET name = ?3, min_selections = ?4, max_selections = ?5, version = version + 1,
           updated_at = ?6
         WHERE outlet_id = ?1 AND id = ?2",
        params![outlet, id, draft.name, draft.min, draft.max, tx.now()],
    )
    .map(drop)
}

/// Archives a group; its options go with it.
pub fn archive_group(tx: &Transaction<'_>, outlet: Uuid, id: Uuid) -> db::Result<()> {
    tx.execute(
        "UPDATE modifier_options SET archived_at = ?3 WHERE outlet_id = ?1 AND group_id = ?2 AND archived_at IS NULL",
        params![outlet, id, tx.now()],
    )?;
    tx.execute(
        "UPDATE modifier_groups SET archived_at = ?3, version = version + 1, updated_at = ?3
         WHERE outlet_id = ?1 AND id = ?2",
        params![outlet, id, tx.now()],
    )
    .map(drop)
}

/// Adds an option at place `sort_order` of a group.
pub fn insert_option(
    tx: &Transaction<'_>,
    outlet: Uuid,
    group: Uuid,
    option: &OptionDraft,
    sort_order: i64,
) -> db::Result<Uuid> {
    let id = tx.new_id();
    tx.execute(
        "INSERT INTO modifier_options (id, outlet_id, group_id, name, price_cents, is_default, is_active, sort_order)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![id, outlet, group, option.name, option.price, option.is_default, option.is_active, sort_order],
    )?;
    Ok(id)
}

/// Changes an option of a group.
pub fn update_option(
    tx: &Transaction<'_>,
    outlet: Uuid,
    id: Uuid,
    option: &OptionDraft,
    sort_order: i64,
) -> db::Result<()> {
    tx.execute(
        "UPDATE modifier_options SET name = ?3, price_cents = ?4, is_default = ?5, is_active = ?6, sort_order = ?7
         WHERE outlet_id = ?1 AND id = ?2",
        params![outlet, id, option.name, option.price, option.is_default, option.is_active, sort_order],
    )
    .map(drop)
}

/// Archives an option.
pub fn archive_option(tx: &Transaction<'_>, outlet: Uuid, id: Uuid) -> db::Result<()> {
    tx.execute(
        "UPDATE modifier_options SET archived_at = ?3 WHERE outlet_id = ?1 AND id = ?2",
        params![outlet, id, tx.now()],
    )
    .map(drop)
}
