//! What dishes, sizes and choices that somebody ordered are called in a language, as the menu says it now. Never writes.

use crate::db::{self, Json, Source, list, opt};
use crate::resources::menu::rules::Texts;
use crate::resources::menu::rules::variants::full_name;
use std::collections::HashMap;
use tiffin_common::Uuid;

/// What is said in a language; what is not, is as it was ordered.
#[derive(Debug, Default)]
pub struct Said {
    dishes: HashMap<(Uuid, Option<Uuid>), String>,
    options: HashMap<(Uuid, String), String>,
}

impl Said {
    /// What a dish, in a size, is called.
    pub fn dish(&self, dish: Uuid, variant: Option<Uuid>) -> Option<&str> {
        self.dishes.get(&(dish, variant)).map(String::as_str)
    }

    /// What a choice is called that was ordered with a dish.
    pub fn option(&self, dish: Uuid, name: &str) -> Option<&str> {
        self.options.get(&(dish, name.to_owned())).map(String::as_str)
    }
}

/// A row of the menu: its name, the size that it is, and what both are called.
struct Named {
    name: String,
    size: Option<String>,
    texts: Texts,
}

fn find_named(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Option<Named>> {
    let sql = "SELECT name, variant_name, texts FROM menu_items WHERE outlet_id = ?1 AND id = ?2";
    opt(conn, sql, [outlet, id], |row| {
        let Json(texts) = row.get("texts")?;
        Ok(Named { name: row.get("name")?, size: row.get("variant_name")?, texts })
    })
}

/// What these dishes (in these sizes), and all that may be chosen with them, are called in `language`.
pub fn list_said(
    conn: &dyn Source,
    outlet: Uuid,
    language: &str,
    dishes: impl IntoIterator<Item = (Uuid, Option<Uuid>)>,
) -> db::Result<Said> {
    let mut said = Said::default();
    for (id, variant) in dishes {
        if said.dishes.contains_key(&(id, variant)) {
            continue;
        }
        let Some(dish) = find_named(conn, outlet, id)? else { continue };
        let own = dish.texts.name(language);
        let size = variant.map(|variant| find_named(conn, outlet, variant)).transpose()?.flatten();
        let of_size = size.as_ref().and_then(|size| size.texts.name(language));
        if own.is_some() || of_size.is_some() {
            let own = own.unwrap_or(&dish.name);
            let size = of_size.or(size.as_ref().and_then(|size| size.size.as_deref()));
            let whole = size.map_or_else(|| own.to_owned(), |size| full_name(own, size));
            said.dishes.insert((id, variant), whole);
        }
        let sql = "SELECT o.name, o.texts FROM menu_item_modifier_groups l JOIN modifier_options o ON o.group_id = l.group_id
            WHERE l.outlet_id = ?1 AND l.menu_item_id = ?2 AND o.texts <> '{}'";
        for (name, Json(texts)) in list(conn, sql, [outlet, id], |row| {
            Ok((row.get::<_, String>("name")?, row.get::<_, Json<Texts>>("texts")?))
        })? {
            if let Some(text) = texts.name(language) {
                said.options.insert((id, name), text.to_owned());
            }
        }
    }
    Ok(said)
}
