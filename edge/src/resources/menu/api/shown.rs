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

/// A dish as `GET /menu/items/{id}` shows it; none where the outlet has none of that id.
pub fn shown_item(conn: &dyn Source, outlet: Uuid, id: Uuid, at: &LocalNow) -> Result<Option<Shown>> {
    let item = found(store::find_item(conn, outlet, id, at))?;
    Ok(item.map(|item| Shown::of(item.version, &item)))
}

/// A category as `GET /menu/categories/{id}` shows it; none where the outlet has none of that id.
pub fn shown_category(conn: &dyn Source, outlet: Uuid, id: Uuid) -> Result<Option<Shown>> {
    let category = found(store::find_category(conn, outlet, id))?;
    Ok(category.map(|category| Shown::of(category.version, &category)))
}

/// A modifier group as `GET /menu/modifier-groups/{id}` shows it; none where the outlet has none of that id.
pub fn shown_group(conn: &dyn Source, outlet: Uuid, id: Uuid, at: &LocalNow) -> Result<Option<Shown>> {
    let group = found(group_of(conn, outlet, id, at))?;
    Ok(group.map(|group| Shown::of(group.version, &group)))
}

/// A price list as `GET /menu/price-lists` shows it; none where the outlet has none of that id.
pub fn shown_price_list(conn: &dyn Source, outlet: Uuid, id: Uuid, at: &LocalNow) -> Result<Option<Shown>> {
    let list = found(store::find_price_list(conn, outlet, id, at))?;
    let head = list.map(|list| PriceList { entries: None, ..list });
    Ok(head.map(|list| Shown::of(list.version, &list)))
}
