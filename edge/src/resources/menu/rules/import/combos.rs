//! What is chosen for combos, in a file: dishes by sku or name. Never an id.

use crate::resources::menu::rules::combos::Component;
use crate::resources::menu::rules::items::MenuItem;
use crate::resources::menu::rules::texts::Texts;
use crate::resources::menu::rules::variants::Variant;
use std::collections::HashMap;
use tiffin_common::{Cents, Uuid};

/// What is chosen for a combo, in a file.
#[apply(value!)]
pub struct ImportedComponent {
    /// As guests see it, such as Drink.
    #[schemars(length(min = 1, max = 60))]
    pub name: String,
    /// The fewest selections.
    #[schemars(range(min = 0, max = 50))]
    pub min_selections: i64,
    /// The most selections.
    #[schemars(range(min = 1, max = 50))]
    pub max_selections: i64,
    /// What may be selected.
    #[schemars(length(max = 50))]
    pub options: Vec<ImportedChoice>,
    /// Its name in other languages; absent: as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub texts: Option<Texts>,
}

/// A dish that may be chosen for a combo, in a file.
#[apply(value!)]
pub struct ImportedChoice {
    /// The dish by its sku, or by its name where only one is called so.
    #[schemars(length(min = 1, max = 120))]
    pub item: String,
    /// The variant by its name; the default one where absent.
    #[serde(default)]
    #[schemars(length(max = 40))]
    pub variant: Option<String>,
    /// What is asked for it on top of the combo's price.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1_000_000_000_000i64))]
    pub extra_cents: Cents,
}

/// `component` with its dishes by sku, or by name where they have none.
pub(super) fn named(component: &Component, dishes: &HashMap<Uuid, &MenuItem>) -> ImportedComponent {
    let options = component.options.iter().map(|option| {
        let dish = dishes.get(&option.menu_item_id).copied();
        let item = dish.map_or(&option.name, |dish| dish.draft.sku.as_ref().unwrap_or(&dish.draft.name));
        let is_meant = |variant: &&Variant| Some(variant.id) == option.variant_id;
        let variant = dish.and_then(|dish| dish.variants.iter().find(is_meant));
        ImportedChoice {
            item: item.clone(),
            variant: variant.map(|variant| variant.name.clone()),
            extra_cents: option.extra,
        }
    });
    ImportedComponent {
        name: component.name.clone(),
        min_selections: component.min,
        max_selections: component.max,
        options: options.collect(),
        texts: Some(component.texts.clone()).filter(|texts| !texts.is_empty()),
    }
}
