//! Rows of modifier_groups and modifier_options.

use super::{Search, availability, found};
use crate::db::{self, Columns, Json, Row, Source, Tx, list, one, opt, table};
use crate::http::Page;
use crate::resources::menu::rules::{
    GroupDraft, LocalNow, MenuError, ModifierGroup, ModifierOption, OptionDraft, Result, Texts,
};
use rusqlite::params;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::LazyLock;
use tiffin_common::{Millis, Quantity, Uuid};

/// `from` (which calls the group `g`) with every group beside each of its options, the groups in `order`. The group's row repeats.
fn sql(from: &str, order: &str) -> String {
    let group = table::columns::<ModifierGroup>("g");
    let state = availability::COLUMNS;
    format!(
        "SELECT {group}, o.id AS option_id, o.name AS option_name, o.price_cents, o.is_default, o.is_active,
           o.texts AS option_texts, {state}
         FROM {from} ORDER BY {order}, o.sort_order, o.id"
    )
}

const OPTIONS: &str = "LEFT JOIN modifier_options o ON o.group_id = g.id AND o.archived_at IS NULL
  LEFT JOIN menu_availability a ON a.outlet_id = g.outlet_id AND a.option_id = o.id";

fn read(row: &Row<'_>, now: Millis) -> db::Result<(ModifierGroup, Option<ModifierOption>)> {
    let group = ModifierGroup::read(row)?;
    let Some(id) = row.get("option_id")? else { return Ok((group, None)) };
    let is_active = row.get("is_active")?;
    let state = availability::read(row)?.at(now);
    let option = ModifierOption {
        id,
        name: row.get("option_name")?,
        price: row.get("price_cents")?,
        is_default: row.get("is_default")?,
        is_active,
        available: is_active && !state.is_out(),
        availability: state,
        texts: row.get::<_, Json<Texts>>("option_texts")?.0,
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
pub fn list_all_groups(conn: &dyn Source, outlet: Uuid, at: &LocalNow) -> db::Result<Vec<ModifierGroup>> {
    let from = format!("modifier_groups g {OPTIONS} WHERE g.outlet_id = ?1 AND g.archived_at IS NULL");
    list(conn, &sql(&from, "g.name, g.id"), [outlet], |row| read(row, at.now)).map(fold)
}

/// Put together once: an order runs it for every dish.
pub(super) static OF_ITEM: LazyLock<String> = LazyLock::new(|| {
    let from = format!(
        "menu_item_modifier_groups l JOIN modifier_groups g ON g.id = l.group_id AND g.archived_at IS NULL {OPTIONS}
         WHERE l.menu_item_id = ?2 AND g.outlet_id = ?1"
    );
    sql(&from, "l.sort_order, g.id")
});

/// The groups of one dish, in their order. On the hot path of an order.
pub fn list_groups_of_item(
    conn: &dyn Source,
    outlet: Uuid,
    item: Uuid,
    at: &LocalNow,
) -> db::Result<Vec<ModifierGroup>> {
    list(conn, &OF_ITEM, [outlet, item], |row| read(row, at.now)).map(fold)
}

/// One group of the outlet.
///
/// # Errors
/// [`MenuError::NotFound`].
pub fn find_group(conn: &dyn Source, outlet: Uuid, id: Uuid, at: &LocalNow) -> Result<ModifierGroup> {
    let from =
        format!("modifier_groups g {OPTIONS} WHERE g.outlet_id = ?1 AND g.id = ?2 AND g.archived_at IS NULL");
    let rows = list(conn, &sql(&from, "g.id"), [outlet, id], |row| read(row, at.now))?;
    fold(rows).pop().ok_or(MenuError::NotFound("modifier group"))
}

/// A page of groups, by name.
pub fn list_groups(
    conn: &dyn Source,
    outlet: Uuid,
    search: &Search,
    at: &LocalNow,
) -> db::Result<Page<ModifierGroup>> {
    let page = "FROM modifier_groups WHERE outlet_id = ?1 AND archived_at IS NULL
      AND (?2 IS NULL OR instr(lower(name), lower(?2)) > 0)";
    let from = format!("(SELECT * {page} ORDER BY name, id LIMIT ?3 OFFSET ?4) g {OPTIONS}");
    let args = params![outlet, search.q, search.limit, search.offset];
    let items = list(conn, &sql(&from, "g.name, g.id"), args, |row| read(row, at.now)).map(fold)?;
    let total = one(conn, &format!("SELECT count(*) {page}"), params![outlet, search.q], |row| row.get(0))?;
    Ok(Page { items, total })
}

/// Whether `id` is a group of the outlet.
pub fn is_group(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<bool> {
    let sql = "SELECT 1 FROM modifier_groups WHERE outlet_id = ?1 AND id = ?2 AND archived_at IS NULL";
    opt(conn, sql, [outlet, id], |_| Ok(())).map(|found| found.is_some())
}

/// An option of the outlet.
///
/// # Errors
/// [`MenuError::NotFound`].
pub fn find_option(conn: &dyn Source, outlet: Uuid, id: Uuid, at: &LocalNow) -> Result<ModifierOption> {
    let sql =
        "SELECT group_id FROM modifier_options WHERE outlet_id = ?1 AND id = ?2 AND archived_at IS NULL";
    let group = found(opt(conn, sql, [outlet, id], |row| row.get(0)), "modifier option")?;
    let options = find_group(conn, outlet, group, at)?.options;
    options.into_iter().find(|option| option.id == id).ok_or(MenuError::NotFound("modifier option"))
}

/// How many dishes have the group.
pub fn count_items_with_group(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<i64> {
    let sql = "SELECT count(*) FROM menu_item_modifier_groups l JOIN menu_items i ON i.id = l.menu_item_id
      WHERE l.group_id = ?2 AND i.outlet_id = ?1 AND i.archived_at IS NULL";
    one(conn, sql, [outlet, id], |row| row.get(0))
}

/// What the options of a group do to a dish's recipe, by option. Recipes are inventory's; this only shows them.
pub fn list_option_recipes(conn: &dyn Source, outlet: Uuid, group: Uuid) -> db::Result<HashMap<Uuid, Value>> {
    let sql = "SELECT r.option_id, i.stock_item_id, i.sub_recipe_id, i.quantity, i.unit
      FROM modifier_options o JOIN recipes r ON r.option_id = o.id AND r.outlet_id = o.outlet_id
        AND r.archived_at IS NULL
      JOIN recipe_ingredients i ON i.recipe_id = r.id
      WHERE o.group_id = ?2 AND o.outlet_id = ?1 AND o.archived_at IS NULL ORDER BY r.id, i.sort_order";
    let rows = list(conn, sql, [outlet, group], |row| {
        let ingredient = json!({
            "inventoryItemId": row.get::<_, Option<Uuid>>("stock_item_id")?,
            "subRecipeId": row.get::<_, Option<Uuid>>("sub_recipe_id")?,
            "quantity": row.get::<_, Quantity>("quantity")?,
            "unit": row.get::<_, String>("unit")?,
        });
        Ok((row.get::<_, Uuid>("option_id")?, ingredient))
    })?;
    let mut ingredients: HashMap<Uuid, Vec<Value>> = HashMap::new();
    for (option, ingredient) in rows {
        ingredients.entry(option).or_default().push(ingredient);
    }
    Ok(ingredients.into_iter().map(|(option, list)| (option, json!({ "ingredients": list }))).collect())
}

/// Adds a checked group without its options.
pub fn insert_group(tx: &Tx<'_>, outlet: Uuid, draft: &GroupDraft) -> db::Result<Uuid> {
    let (id, now) = (tx.new_id(), tx.now());
    insert!(tx, modifier_groups { id: id, outlet_id: outlet, created_at: now, updated_at: now, ..draft })?;
    Ok(id)
}

/// Changes a group without its options.
pub fn update_group(tx: &Tx<'_>, outlet: Uuid, id: Uuid, draft: &GroupDraft) -> db::Result<()> {
    update!(tx, modifier_groups { updated_at: tx.now(), ..draft; "version = version + 1" }
        where { id: id, outlet_id: outlet })
}

/// Archives a group; its options go with it.
pub fn set_group_archived(tx: &Tx<'_>, outlet: Uuid, id: Uuid) -> db::Result<()> {
    let now = tx.now();
    update!(tx, modifier_options { archived_at: now }
        where { outlet_id: outlet, group_id: id; "archived_at IS NULL" })?;
    update!(tx, modifier_groups { archived_at: now, updated_at: now; "version = version + 1" }
        where { id: id, outlet_id: outlet })
}

/// Adds an option at place `sort_order` of a group.
pub fn insert_option(
    tx: &Tx<'_>,
    outlet: Uuid,
    group: Uuid,
    option: &OptionDraft,
    sort_order: i64,
) -> db::Result<()> {
    insert!(
        tx,
        modifier_options {
            id: tx.new_id(),
            outlet_id: outlet,
            group_id: group,
            sort_order: sort_order,
            ..option
        }
    )
}

/// Changes an option of a group.
pub fn update_option(
    tx: &Tx<'_>,
    outlet: Uuid,
    id: Uuid,
    option: &OptionDraft,
    sort_order: i64,
) -> db::Result<()> {
    update!(tx, modifier_options { sort_order: sort_order, ..option } where { id: id, outlet_id: outlet })
}

/// Archives an option.
pub fn set_option_archived(tx: &Tx<'_>, outlet: Uuid, id: Uuid) -> db::Result<()> {
    update!(tx, modifier_options { archived_at: tx.now() } where { id: id, outlet_id: outlet })
}
