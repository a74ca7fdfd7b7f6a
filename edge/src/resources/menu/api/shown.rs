//! Rows of the menu as their GETs show them, for who follows it.

use super::groups::group_of;
use crate::db::Source;
use crate::http::sse::Shown;
use crate::resources::menu::rules::price_lists::PriceList;
use crate::resources::menu::rules::{LocalNow, MenuError, Result};
use crate::resources::menu::store;
use tiffin_common::Uuid;

/// What a refusal that there is no such row means here: none.
fn found<T>(read: Result<T>) -> Result<Option<T>> {
    match read {
        Ok(row) => Ok(Some(row)),
        Err(MenuError::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// A dish as `GET /menu/items/{id}` shows it, to be read in `language`; none where the outlet has none of that id.
pub fn shown_item(
    conn: &dyn Source,
    outlet: Uuid,
    id: Uuid,
    (at, language): (&LocalNow, Option<&str>),
) -> Result<Option<Shown>> {
    let Some(mut item) = found(store::find_item(conn, outlet, id, at))? else { return Ok(None) };
    if let Some(language) = language {
        item.put_in(language);
        let options = item.components.iter().flat_map(|component| &component.options);
        let dishes = options.map(|option| (option.menu_item_id, option.variant_id));
        let said = store::list_said(conn, outlet, language, dishes)?;
        item.name_options(|dish, variant| said.dish(dish, variant));
    }
    Ok(Some(Shown::of(item.version, &item)))
}

/// A category as `GET /menu/categories/{id}` shows it, to be read in `language`; none where the outlet has none of that id.
pub fn shown_category(
    conn: &dyn Source,
    outlet: Uuid,
    id: Uuid,
    language: Option<&str>,
) -> Result<Option<Shown>> {
    let Some(mut category) = found(store::find_category(conn, outlet, id))? else { return Ok(None) };
    if let Some(language) = language {
        category.draft.put_in(language);
    }
    Ok(Some(Shown::of(category.version, &category)))
}

/// A modifier group as `GET /menu/modifier-groups/{id}` shows it, to be read in `language`; none where the outlet has none of that id.
pub fn shown_group(
    conn: &dyn Source,
    outlet: Uuid,
    id: Uuid,
    (at, language): (&LocalNow, Option<&str>),
) -> Result<Option<Shown>> {
    let Some(mut group) = found(group_of(conn, outlet, id, at))? else { return Ok(None) };
    if let Some(language) = language {
        group.put_in(language);
    }
    Ok(Some(Shown::of(group.version, &group)))
}

/// A price list as `GET /menu/price-lists` shows it; none where the outlet has none of that id.
pub fn shown_price_list(conn: &dyn Source, outlet: Uuid, id: Uuid, at: &LocalNow) -> Result<Option<Shown>> {
    let list = found(store::find_price_list(conn, outlet, id, at))?;
    let head = list.map(|list| PriceList { entries: None, ..list });
    Ok(head.map(|list| Shown::of(list.version, &list)))
}
