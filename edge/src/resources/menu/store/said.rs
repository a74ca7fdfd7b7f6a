//! What dishes, sizes and choices that somebody ordered are called in a language, as the menu says it now. Never writes.

use crate::db::{self, Json, Source, list};
use crate::resources::menu::rules::Texts;
use crate::resources::menu::rules::variants::full_name;
use rusqlite::params;
use std::collections::{BTreeSet, HashMap};
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

pub(super) const NAMED: &str = "SELECT id, name, variant_name, texts FROM menu_items
    WHERE +outlet_id = ?1 AND id IN (SELECT unhex(value, '-') FROM json_each(?2))";

pub(super) const CHOICES: &str = "SELECT l.menu_item_id, o.name, o.texts
    FROM menu_item_modifier_groups l JOIN modifier_options o ON o.group_id = l.group_id
    WHERE +l.outlet_id = ?1 AND l.menu_item_id IN (SELECT unhex(value, '-') FROM json_each(?2)) AND o.texts <> '{}'
    ORDER BY o.id";

/// What these dishes (in these sizes), and all that may be chosen with them, are called in `language`: two queries, however many dishes.
pub fn list_said(
    conn: &dyn Source,
    outlet: Uuid,
    language: &str,
    dishes: impl IntoIterator<Item = (Uuid, Option<Uuid>)>,
) -> db::Result<Said> {
    let mut said = Said::default();
    let wanted: BTreeSet<(Uuid, Option<Uuid>)> = dishes.into_iter().collect();
    if wanted.is_empty() {
        return Ok(said);
    }
    let ids: BTreeSet<Uuid> =
        wanted.iter().flat_map(|(dish, variant)| std::iter::once(*dish).chain(*variant)).collect();
    let ids = Json(ids);
    let named = list(conn, NAMED, params![outlet, ids], |row| {
        let Json(texts) = row.get("texts")?;
        Ok((row.get("id")?, Named { name: row.get("name")?, size: row.get("variant_name")?, texts }))
    })?;
    let named: HashMap<Uuid, Named> = named.into_iter().collect();
    for (id, variant) in wanted {
        let Some(dish) = named.get(&id) else { continue };
        let (own, size) = (dish.texts.name(language), variant.and_then(|variant| named.get(&variant)));
        let of_size = size.and_then(|size| size.texts.name(language));
        if own.is_some() || of_size.is_some() {
            let own = own.unwrap_or(&dish.name);
            let size = of_size.or(size.and_then(|size| size.size.as_deref()));
            let whole = size.map_or_else(|| own.to_owned(), |size| full_name(own, size));
            said.dishes.insert((id, variant), whole);
        }
    }
    let choices = list(conn, CHOICES, params![outlet, ids], |row| {
        Ok((row.get("menu_item_id")?, row.get("name")?, row.get::<_, Json<Texts>>("texts")?.0))
    })?;
    for (dish, name, texts) in choices {
        if let Some(text) = texts.name(language) {
            said.options.insert((dish, name), text.to_owned());
        }
    }
    Ok(said)
}
