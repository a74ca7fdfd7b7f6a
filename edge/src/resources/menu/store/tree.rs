//! The whole menu in six queries, however long it is, and the conditions its ETag stands for. Never writes.

use super::price_lists::list_heads;
use super::{Search, availability, categories, items};
use crate::db::{self, Columns, Json, Source, list, one};
use crate::resources::menu::rules::{LocalNow, MenuChapter, MenuHours, MenuItem, MenuTree, Occasion, Window};
use rusqlite::params;
use std::collections::HashMap;
use tiffin_common::{Millis, Uuid};

/// The dishes that have hours.
macro_rules! with_hours {
    () => {
        "WHERE outlet_id = ?1 AND archived_at IS NULL
           AND (available_from IS NOT NULL OR available_to IS NOT NULL OR available_days IS NOT NULL OR more_windows <> '[]')"
    };
}

/// The menu at a moment, at the prices of such an order. With `public`, what a guest may order now: active categories that hold
/// something, dishes that can be had, options that can be had.
pub fn find_tree(
    conn: &dyn Source,
    outlet: Uuid,
    at: &LocalNow,
    occasion: &Occasion,
    public: bool,
) -> db::Result<MenuTree> {
    let everything = Search { q: None, limit: u32::MAX, offset: 0 };
    let chapters = categories::list_categories(conn, outlet, &everything)?.items;
    let sql = format!("{} ORDER BY i.category_id, i.sort_order, i.name, i.id", *items::SELECT);
    let dishes = list(conn, &sql, [outlet], |row| items::read(row, at))?;
    let mut dishes = items::list_whole(conn, outlet, (at, occasion), dishes)?;
    if public {
        dishes.retain(|dish| dish.is_available);
        for group in dishes.iter_mut().flat_map(|dish| dish.modifier_groups.iter_mut()) {
            group.options.retain(|option| option.available);
        }
        for dish in &mut dishes {
            dish.variants.retain(|variant| variant.is_available);
        }
    }
    let mut of_chapter: HashMap<Uuid, Vec<MenuItem>> = HashMap::new();
    for dish in dishes {
        of_chapter.entry(dish.draft.category_id).or_default().push(dish);
    }
    let chapters = chapters
        .into_iter()
        .map(|category| MenuChapter { items: of_chapter.remove(&category.id).unwrap_or_default(), category });
    let shown =
        chapters.filter(|chapter| !public || (chapter.category.draft.is_active && !chapter.items.is_empty()));
    Ok(MenuTree { categories: shown.collect() })
}

/// The hours at which any dish is sold: of a menu of any length, by the index of the few dishes that have some.
fn hours_sql() -> &'static str {
    select!(Window, concat!(with_hours!(), " GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4"))
}

/// All that the tree depends on, without building it: the revision, which hours are running, which price lists hold, which limits have
/// run out. Two moments with the same text show the same menu.
pub fn find_conditions(
    conn: &dyn Source,
    outlet: Uuid,
    at: &LocalNow,
    occasion: &Occasion,
) -> db::Result<String> {
    let revision = availability::find_revision(conn, outlet)?;
    let hours = list(conn, hours_sql(), [outlet], Window::read)?;
    let hours = hours.iter().map(|window| window.contains(at));
    let chapters = list_category_hours(conn, outlet)?;
    let chapters = chapters.iter().map(|(_, windows)| MenuHours::any_holds(windows, at));
    let lists = list_heads(conn, outlet)?;
    let lists = lists.iter().map(|one| one.is_for(occasion) && one.draft.holds(at));
    let running = [signs(hours), signs(chapters), signs(lists)].join("/");
    let sql =
        "SELECT count(*) FROM menu_availability WHERE outlet_id = ?1 AND until IS NOT NULL AND until <= ?2";
    let expired: i64 = one(conn, sql, params![outlet, at.now], |row| row.get(0))?;
    Ok(format!("{outlet}/{revision}/{running}/{expired}"))
}

fn signs(hold: impl Iterator<Item = bool>) -> String {
    hold.map(|holds| if holds { '1' } else { '0' }).collect()
}

/// The categories that have hours, by their ids.
fn list_category_hours(conn: &dyn Source, outlet: Uuid) -> db::Result<Vec<(Uuid, Vec<MenuHours>)>> {
    let sql = "SELECT id, windows FROM menu_categories
        WHERE outlet_id = ?1 AND archived_at IS NULL AND windows <> '[]' ORDER BY id";
    list(conn, sql, [outlet], |row| Ok((row.get("id")?, row.get::<_, Json<Vec<MenuHours>>>("windows")?.0)))
}

/// What looks otherwise at another moment, though nobody changed it.
#[derive(Debug, Default)]
pub struct Turned {
    /// Dishes.
    pub items: Vec<Uuid>,
    /// Modifier groups.
    pub groups: Vec<Uuid>,
    /// Price lists.
    pub price_lists: Vec<Uuid>,
}

/// The dishes whose hours (or whose category's) began or ended after `from` and until `to`, the price lists that did, and those and the
/// groups of which a state lapsed meanwhile. Without a `from`: all that have hours, and all of which a state has lapsed.
pub fn list_turned(
    conn: &dyn Source,
    outlet: Uuid,
    (from, to): (Option<Millis>, Millis),
) -> db::Result<Turned> {
    let local = |moment| super::find_local_now(conn, outlet, moment);
    let (before, now) = (from.map(local).transpose()?, local(to)?);
    let sql = select!(Window as i, "i.id AS item_id", with_hours!());
    let hours = list(conn, sql, [outlet], |row| Ok((row.get("item_id")?, Window::read(row)?)))?;
    let mut turned = Turned::default();
    let has_turned =
        |holds: &dyn Fn(&LocalNow) -> bool| before.is_none_or(|before| holds(&before) != holds(&now));
    for (id, window) in hours {
        if has_turned(&|at| window.contains(at)) {
            turned.items.push(id);
        }
    }
    for (id, windows) in list_category_hours(conn, outlet)? {
        if has_turned(&|at| MenuHours::any_holds(&windows, at)) {
            turned.items.extend(categories::list_items_in(conn, outlet, id)?);
        }
    }
    for one in list_heads(conn, outlet)? {
        if one.draft.is_timed() && has_turned(&|at| one.draft.holds(at)) {
            turned.price_lists.push(one.id);
        }
    }
    let sql =
        "SELECT coalesce(i.variant_of_id, a.menu_item_id) AS item_id, o.group_id FROM menu_availability a
        LEFT JOIN menu_items i ON i.id = a.menu_item_id AND i.outlet_id = a.outlet_id
        LEFT JOIN modifier_options o ON o.id = a.option_id AND o.outlet_id = a.outlet_id
        WHERE a.outlet_id = ?1 AND a.until > ?2 AND a.until <= ?3";
    let lapsed = list(conn, sql, params![outlet, from.unwrap_or_default(), to], |row| {
        Ok((row.get::<_, Option<Uuid>>("item_id")?, row.get::<_, Option<Uuid>>("group_id")?))
    })?;
    for (item, group) in lapsed {
        turned.items.extend(item);
        turned.groups.extend(group);
    }
    for item in turned.items.clone() {
        turned.items.extend(super::list_combos_with(conn, item)?);
    }
    Ok(turned)
}

#[cfg(test)]
mod tests {
    use super::hours_sql;
    use crate::testing::Fixture;

    #[test]
    fn a_menu_that_is_known_is_recognized_without_reading_its_dishes() {
        let plan = Fixture::new().plan(hours_sql());
        assert!(plan.iter().any(|step| step.contains("menu_items_with_hours")), "{plan:?}");
    }
}
