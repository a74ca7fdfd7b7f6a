//! The whole menu in five queries, however long it is, and the conditions its ETag stands for. Never writes.

use super::{Search, availability, categories, items};
use crate::db::{self, Columns, Source, list, one};
use crate::resources::menu::rules::{LocalNow, MenuChapter, MenuItem, MenuTree, Window};
use rusqlite::params;
use std::collections::HashMap;
use tiffin_common::Uuid;

/// The menu at a moment. With `public`, what a guest may order now: active categories that hold something, dishes that
/// can be had, options that can be had.
pub fn find_tree(conn: &dyn Source, outlet: Uuid, at: &LocalNow, public: bool) -> db::Result<MenuTree> {
    let everything = Search { q: None, limit: u32::MAX, offset: 0 };
    let chapters = categories::list_categories(conn, outlet, &everything)?.items;
    let sql = format!("{} ORDER BY i.category_id, i.sort_order, i.name, i.id", *items::SELECT);
    let mut dishes = list(conn, &sql, [outlet], |row| items::read(row, at))?;
    if public {
        dishes.retain(|dish| dish.is_available);
    }
    let mut dishes = items::list_with_groups(conn, outlet, at, dishes)?;
    if public {
        for group in dishes.iter_mut().flat_map(|dish| dish.modifier_groups.iter_mut()) {
            group.options.retain(|option| option.available);
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

/// All that the tree depends on, without building it: the revision, which hours are running, which limits have run out.
/// Two moments with the same text show the same menu.
pub fn find_conditions(conn: &dyn Source, outlet: Uuid, at: &LocalNow) -> db::Result<String> {
    let revision = availability::find_revision(conn, outlet)?;
    let sql = select!(
        Window,
        "WHERE outlet_id = ?1 AND archived_at IS NULL
           AND (available_from IS NOT NULL OR available_to IS NOT NULL OR available_days IS NOT NULL)
         GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
    );
    let hours = list(conn, sql, [outlet], Window::read)?;
    let hours = hours.iter().map(|window| if window.contains(at) { '1' } else { '0' });
    let sql =
        "SELECT count(*) FROM menu_availability WHERE outlet_id = ?1 AND until IS NOT NULL AND until <= ?2";
    let expired: i64 = one(conn, sql, params![outlet, at.now], |row| row.get(0))?;
    Ok(format!("{outlet}/{revision}/{}/{expired}", hours.collect::<String>()))
}
