//! The menu as a file: the rows that import takes and export gives, in JSON and in CSV, such that an export taken in again
//! changes nothing. Pure: text in, rows out.

mod combos;
mod sheet;

pub use combos::{ImportedChoice, ImportedComponent};
pub use sheet::write_csv;

use super::combos::ItemKind;
use super::food::Dietary;
use super::hours::MenuHours;
use super::items::MenuItem;
use super::texts::{Texts, TextsPatch};
use super::variants::VariantDraft;
use super::weights::{SoldBy, WeightUnit};
use super::{TaxCategory, TaxComponent};
use crate::http::{Patch, Replace};
use crate::resources::outlets::rules::Weekday;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::HashMap;
use tiffin_common::{Cents, Uuid};

/// A dish as a file names it: everything by name. Columns that are absent keep what is there.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportedItem {
    /// Made when there is none of that name.
    #[schemars(length(min = 1, max = 120))]
    pub category: String,
    /// As billed. With the category (or by `sku`) it finds the dish that is changed.
    #[schemars(length(min = 1, max = 120))]
    pub name: String,
    /// As cooks call it.
    #[serde(default)]
    #[schemars(length(max = 60))]
    pub kitchen_name: Patch<String>,
    /// What guests read below its name.
    #[serde(default)]
    #[schemars(length(max = 1_000))]
    pub description: Patch<String>,
    /// Unique in the outlet.
    #[serde(default)]
    #[schemars(length(max = 60))]
    pub sku: Patch<String>,
    /// The shared price; required for a new dish.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1_000_000_000_000i64))]
    pub price_cents: Replace<Cents>,
    /// Made when there is none of that name and `taxComponents` says what it holds.
    #[serde(default)]
    #[schemars(length(max = 120))]
    pub tax_category: Patch<String>,
    /// The taxes of `taxCategory`.
    #[serde(default)]
    #[schemars(length(max = 10))]
    pub tax_components: Patch<Vec<TaxComponent>>,
    /// GST code, 4 to 8 digits.
    #[serde(default)]
    #[schemars(length(max = 8))]
    pub hsn_sac: Patch<String>,
    /// Name of a kitchen station.
    #[serde(default)]
    #[schemars(length(max = 120))]
    pub station: Patch<String>,
    /// When in the meal it comes.
    #[serde(default)]
    #[schemars(range(min = 1, max = 20))]
    pub course: Patch<i64>,
    /// Minutes it takes.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1_440))]
    pub prep_minutes: Patch<i64>,
    /// What it is made of.
    #[serde(default)]
    pub dietary: Patch<Dietary>,
    /// What to warn of.
    #[serde(default)]
    #[schemars(length(max = 30), inner(length(min = 1, max = 40)))]
    pub allergens: Patch<Vec<String>>,
    /// Address of a picture of it.
    #[serde(default)]
    #[schemars(length(max = 500))]
    pub image_url: Patch<String>,
    /// The choices; made when no group of that name has the same options.
    #[serde(default)]
    #[schemars(length(max = 30))]
    pub modifier_groups: Patch<Vec<ImportedGroup>>,
    /// The sizes it is sold in, all of them; those of a name that is there are changed. None where null.
    #[serde(default)]
    #[schemars(length(max = 20))]
    pub variants: Patch<Vec<ImportedVariant>>,
    /// A combo has `components`; a dish has none. Stays what it was made as.
    #[serde(default)]
    pub kind: Replace<ItemKind>,
    /// What is chosen for a combo, all of it.
    #[serde(default)]
    #[schemars(length(max = 20))]
    pub components: Patch<Vec<ImportedComponent>>,
    /// When it can be ordered from, each day: `HH:MM` on the outlet's clock.
    #[serde(default)]
    #[schemars(length(max = 5))]
    pub available_from: Patch<String>,
    /// Until when it can be ordered, each day: `HH:MM` on the outlet's clock.
    #[serde(default)]
    #[schemars(length(max = 5))]
    pub available_to: Patch<String>,
    /// Every day when null.
    #[serde(default)]
    #[schemars(length(min = 1, max = 7))]
    pub available_days: Patch<Vec<Weekday>>,
    /// All the hours it is sold in, in place of `availableFrom`, `availableTo` and `availableDays`, which are the first of them; null: those
    /// alone.
    #[serde(default)]
    #[schemars(length(max = 8))]
    pub windows: Patch<Vec<MenuHours>>,
    /// Whether it is for sale at all.
    #[serde(default)]
    pub is_active: Replace<bool>,
    /// Lower comes first; the place in the file for a new dish.
    #[serde(default)]
    #[schemars(range(min = -1_000_000, max = 1_000_000))]
    pub sort_order: Replace<i64>,
    /// Kilocalories of one serving.
    #[serde(default)]
    #[schemars(range(min = 0, max = 100_000))]
    pub energy_kcal: Patch<i64>,
    /// What one serving is, such as `250 g`.
    #[serde(default)]
    #[schemars(length(max = 40))]
    pub serving_size: Patch<String>,
    /// Name and description in other languages, in CSV `texts.hi.name`: what is absent stays, blank takes it away.
    #[serde(default)]
    pub texts: TextsPatch,
    /// PIECE, or WEIGHT: then `priceCents` is the price of one `weightUnit`.
    #[serde(default)]
    pub sold_by: Replace<SoldBy>,
    /// What it is weighed in; KG where nobody says. Only with WEIGHT.
    #[serde(default)]
    pub weight_unit: Patch<WeightUnit>,
}

/// A modifier group in a file: by name alone, or with its options.
#[apply(value!)]
pub struct ImportedGroup {
    /// As guests see it.
    #[schemars(length(min = 1, max = 120))]
    pub name: String,
    /// The fewest choices.
    #[serde(default)]
    #[schemars(range(min = 0, max = 100))]
    pub min_selections: i64,
    /// The most choices; any number when null.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100))]
    pub max_selections: Option<i64>,
    /// None: the outlet's group of that name.
    #[serde(default)]
    #[schemars(length(max = 100))]
    pub options: Vec<ImportedOption>,
    /// Its name in other languages; absent: as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub texts: Option<Texts>,
}

/// An option in a file.
#[apply(value!)]
pub struct ImportedOption {
    /// As guests see it.
    #[schemars(length(min = 1, max = 120))]
    pub name: String,
    /// Added to the dish's price.
    #[serde(default, rename = "priceCents")]
    #[schemars(range(min = 0, max = 1_000_000_000_000i64))]
    pub price: Cents,
    /// Chosen unless told otherwise.
    #[serde(default)]
    pub is_default: bool,
    /// For sale unless told otherwise.
    #[serde(default = "yes")]
    pub is_active: bool,
    /// Its name in other languages; absent: as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub texts: Option<Texts>,
}

/// A variant in a file.
#[apply(value!)]
pub struct ImportedVariant {
    /// As guests see it, beside the dish's name.
    #[schemars(length(min = 1, max = 40))]
    pub name: String,
    /// What one costs.
    #[serde(rename = "priceCents")]
    #[schemars(range(min = 0, max = 1_000_000_000_000i64))]
    pub price: Cents,
    /// Unique in the outlet.
    #[serde(default)]
    #[schemars(length(max = 60))]
    pub sku: Option<String>,
    /// Meant where no variant is named.
    #[serde(default)]
    pub is_default: bool,
    /// Kilocalories of one serving; absent: as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 100_000))]
    pub energy_kcal: Option<i64>,
    /// What one serving is; absent: as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 40))]
    pub serving_size: Option<String>,
    /// Its name in other languages; absent: as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub texts: Option<Texts>,
}

impl ImportedVariant {
    /// `wanted` as a dish's draft has them, where `present` are there.
    pub fn drafts(wanted: Vec<ImportedVariant>, present: &[VariantDraft]) -> Vec<VariantDraft> {
        let draft = |one: ImportedVariant| {
            let same = |known: &&VariantDraft| known.name.to_lowercase() == one.name.trim().to_lowercase();
            let base = present.iter().find(same).cloned();
            let base = base.unwrap_or_else(|| VariantDraft::new("", Cents::ZERO));
            VariantDraft {
                id: base.id,
                name: one.name,
                price: one.price,
                sku: one.sku,
                is_default: one.is_default,
                energy_kcal: one.energy_kcal.or(base.energy_kcal),
                serving_size: one.serving_size.or(base.serving_size),
                texts: one.texts.unwrap_or(base.texts),
            }
        };
        wanted.into_iter().map(draft).collect()
    }
}

fn yes() -> bool {
    true
}

/// A dish as export gives it; the same members as [`ImportedItem`].
#[apply(figures!)]
#[expect(missing_docs, reason = "the members of ImportedItem, described there")]
pub struct ExportedItem {
    /// Name of the category it stands in.
    pub category: String,
    pub name: String,
    pub kitchen_name: Option<String>,
    pub description: Option<String>,
    pub sku: Option<String>,
    pub price_cents: Cents,
    /// Name of its tax category.
    pub tax_category: Option<String>,
    /// The taxes of that category, to make it where it is not there.
    pub tax_components: Option<Vec<TaxComponent>>,
    pub hsn_sac: Option<String>,
    /// Name of the kitchen station that cooks it.
    pub station: Option<String>,
    /// In which course it is served, from 1.
    pub course: Option<i64>,
    pub prep_minutes: Option<i64>,
    pub dietary: Option<Dietary>,
    pub allergens: Vec<String>,
    pub image_url: Option<String>,
    /// Names of its modifier groups.
    pub modifier_groups: Vec<ImportedGroup>,
    /// The sizes it is sold in.
    pub variants: Vec<ImportedVariant>,
    /// Whether it is a dish or a combo.
    pub kind: ItemKind,
    /// What is chosen for it, of a combo.
    pub components: Vec<ImportedComponent>,
    pub available_from: Option<String>,
    pub available_to: Option<String>,
    pub available_days: Option<Vec<Weekday>>,
    /// All the hours it is sold in, where there are more than the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub windows: Option<Vec<MenuHours>>,
    pub is_active: bool,
    pub sort_order: i64,
    /// Kilocalories of one serving.
    pub energy_kcal: Option<i64>,
    /// What one serving is.
    pub serving_size: Option<String>,
    /// Name and description in other languages.
    pub texts: Texts,
    /// What its price is the price of.
    pub sold_by: SoldBy,
    /// What it is weighed in; null: it is sold by the piece.
    pub weight_unit: Option<WeightUnit>,
}

/// `item` as a row of a file.
pub fn exported(
    item: &MenuItem,
    category: &str,
    taxes: &HashMap<Uuid, TaxCategory>,
    stations: &HashMap<Uuid, String>,
    dishes: &HashMap<Uuid, &MenuItem>,
) -> ExportedItem {
    let tax = item.draft.tax_category_id.and_then(|id| taxes.get(&id));
    let draft = item.draft.clone();
    let groups = item.modifier_groups.iter().map(|group| ImportedGroup {
        name: group.name.clone(),
        min_selections: group.min,
        max_selections: group.max,
        options: group
            .options
            .iter()
            .map(|o| ImportedOption {
                name: o.name.clone(),
                price: o.price,
                is_default: o.is_default,
                is_active: o.is_active,
                texts: Some(o.texts.clone()).filter(|texts| !texts.is_empty()),
            })
            .collect(),
        texts: Some(group.texts.clone()).filter(|texts| !texts.is_empty()),
    });
    let variants = item.draft.variants.iter().map(|variant| ImportedVariant {
        name: variant.name.clone(),
        price: variant.price,
        sku: variant.sku.clone(),
        is_default: variant.is_default,
        energy_kcal: variant.energy_kcal,
        serving_size: variant.serving_size.clone(),
        texts: Some(variant.texts.clone()).filter(|texts| !texts.is_empty()),
    });
    let windows = (!draft.window.more.is_empty()).then(|| draft.window.all());
    ExportedItem {
        variants: variants.collect(),
        windows,
        kind: draft.kind,
        components: item.components.iter().map(|component| combos::named(component, dishes)).collect(),
        category: category.to_owned(),
        name: draft.name,
        kitchen_name: draft.kitchen_name,
        description: draft.description,
        sku: draft.sku,
        price_cents: draft.price,
        tax_category: tax.map(|t| t.draft.name.clone()),
        tax_components: tax.map(|t| t.draft.components.clone()),
        hsn_sac: draft.hsn_sac,
        station: draft.station_id.and_then(|id| stations.get(&id).cloned()),
        course: draft.course,
        prep_minutes: draft.prep_minutes,
        dietary: draft.dietary,
        allergens: draft.allergens,
        image_url: draft.image_url,
        modifier_groups: groups.collect(),
        available_from: draft.window.from,
        available_to: draft.window.to,
        available_days: draft.window.days,
        is_active: draft.is_active,
        sort_order: draft.sort_order,
        energy_kcal: draft.energy_kcal,
        serving_size: draft.serving_size,
        texts: draft.texts,
        sold_by: draft.sold_by,
        weight_unit: draft.weight_unit,
    }
}
