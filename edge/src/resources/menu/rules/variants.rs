//! Variants of a dish: the sizes it is sold in, such as half and full. Pure. Never has anything that is its dish's: taxes, station, choices, hours.

use super::availability::Availability;
use super::price_lists::Listed;
use super::text::{clean, clean_optional};
use super::texts::Texts;
use crate::http::Checks;
use schemars::JsonSchema;
use serde::Serialize;
use tiffin_common::{Cents, Uuid, money::MAX_CENTS};

/// The most variants a dish may have.
pub const MAX_VARIANTS: usize = 20;

table! {
    /// A variant of a dish.
    #[derive(PartialEq, Eq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct Variant: menu_items {
        /// Id of the variant: `variantId` in orders.
        pub id: Uuid,
        /// As guests see it, beside the dish's name.
        pub name: String => variant_name,
        /// What one costs in this outlet now.
        #[serde(rename = "priceCents")]
        pub price: Cents => none,
        /// The shared price, which holds where the outlet has none of its own.
        #[serde(rename = "basePriceCents")]
        pub base_price: Cents => price_cents,
        /// This outlet's own price, if it has one.
        #[serde(rename = "outletPriceCents")]
        pub outlet_price: Option<Cents> => none,
        /// The price list that says what one costs now; null: the outlet's own price holds.
        pub price_list_id: Option<Uuid> => none,
        /// Unique in the outlet, among dishes and variants.
        pub sku: Option<String>,
        /// Meant where no variant is named.
        pub is_default: bool,
        /// Kilocalories of one serving; null: the dish's.
        pub energy_kcal: Option<i64>,
        /// What one serving is; null: the dish's.
        pub serving_size: Option<String>,
        /// Its name in other languages.
        #[serde(skip_serializing_if = "Texts::is_empty")]
        pub texts: Texts => json,
        /// Whether it can be ordered now, as far as its own stock goes.
        pub is_available: bool => none,
        /// Its stock state.
        pub availability: Availability => none,
        /// The dish and the variant in one, as billed.
        #[serde(skip)]
        pub full_name: String => name,
        /// The same as cooks call it.
        #[serde(skip)]
        pub kitchen_name: Option<String>,
        /// Prices that held a moment ago.
        #[serde(skip)]
        pub honoured: Vec<Listed> => none,
    }
}

table! {
    /// What a variant is to be.
    #[derive(PartialEq, Eq)]
    pub struct VariantDraft: menu_items {
        /// The variant that is meant; a new one when none.
        pub id: Option<Uuid> => none,
        /// As guests see it; unique in its dish.
        pub name: String => variant_name,
        /// The shared price.
        pub price: Cents => price_cents,
        /// Unique in the outlet.
        pub sku: Option<String>,
        /// Meant where no variant is named.
        pub is_default: bool,
        /// Kilocalories of one serving.
        pub energy_kcal: Option<i64>,
        /// What one serving is.
        pub serving_size: Option<String>,
        /// Its name in other languages.
        pub texts: Texts => json,
    }
}

impl VariantDraft {
    /// A new variant of that name and price.
    pub fn new(name: impl Into<String>, price: Cents) -> VariantDraft {
        VariantDraft {
            id: None,
            name: name.into(),
            price,
            sku: None,
            is_default: false,
            energy_kcal: None,
            serving_size: None,
            texts: Texts::default(),
        }
    }
}

impl From<&Variant> for VariantDraft {
    fn from(variant: &Variant) -> Self {
        VariantDraft {
            id: Some(variant.id),
            name: variant.name.clone(),
            price: variant.base_price,
            sku: variant.sku.clone(),
            is_default: variant.is_default,
            energy_kcal: variant.energy_kcal,
            serving_size: variant.serving_size.clone(),
            texts: variant.texts.clone(),
        }
    }
}

impl Variant {
    /// What one serving of this size is and has, where it says so itself.
    pub fn serving(&self) -> Option<String> {
        serving(self.serving_size.as_deref(), self.energy_kcal)
    }
}

/// `250 g · 430 kcal`, or what is known of it.
pub(super) fn serving(size: Option<&str>, energy: Option<i64>) -> Option<String> {
    let energy = energy.map(|kcal| format!("{kcal} kcal"));
    match (size, energy) {
        (Some(size), Some(energy)) => Some(format!("{size} · {energy}")),
        (size, energy) => size.map(str::to_owned).or(energy),
    }
}

/// What dish and variant are called together, on bills and tickets.
pub fn full_name(dish: &str, variant: &str) -> String {
    format!("{dish} ({variant})")
}

/// The variant whose price is shown as the dish's: the default one, else the first.
pub fn leading(variants: &[VariantDraft]) -> Option<usize> {
    let default = variants.iter().position(|variant| variant.is_default);
    default.or_else(|| (!variants.is_empty()).then_some(0))
}

/// Trims the texts of `variants` and notes what is wrong with them.
pub(super) fn check(variants: &mut [VariantDraft], checks: &mut Checks) {
    checks.require(variants.len() <= MAX_VARIANTS, "variants", "must have at most 20 elements");
    let defaults = variants.iter().filter(|variant| variant.is_default).count();
    checks.require(defaults <= 1, "variants", "must not have more than one default");
    let (mut names, mut ids, mut skus) = (Vec::new(), Vec::new(), Vec::new());
    for (i, variant) in variants.iter_mut().enumerate() {
        let path = |field: &str| format!("variants[{i}].{field}");
        clean(&mut variant.name, &path("name"), 40, checks);
        clean_optional(&mut variant.sku, &path("sku"), 60, checks);
        clean_optional(&mut variant.serving_size, &path("servingSize"), 40, checks);
        variant.texts.check(&path("texts"), 40, checks);
        let energy = variant.energy_kcal.is_none_or(|energy| (0..=100_000).contains(&energy));
        checks.require(energy, path("energyKcal"), "must be from 0 to 100000");
        let key = variant.name.to_lowercase();
        checks.require(!names.contains(&key), path("name"), "is named twice");
        names.push(key);
        let in_range = (0..=MAX_CENTS).contains(&variant.price.get());
        checks.require(in_range, path("priceCents"), "must be from 0 to 1000000000000");
        if let Some(id) = variant.id {
            checks.require(!ids.contains(&id), path("id"), "is named twice");
            ids.push(id);
        }
        if let Some(sku) = &variant.sku {
            checks.require(!skus.contains(sku), path("sku"), "is named twice");
            skus.push(sku.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(name: &str, price: i64, is_default: bool) -> VariantDraft {
        VariantDraft { is_default, ..VariantDraft::new(name, Cents::new(price)) }
    }

    #[test]
    fn all_that_is_wrong_with_variants_is_named_at_once() {
        let mut variants = [
            draft("Half", 9_000, true),
            VariantDraft { sku: Some("A".into()), ..draft("half ", -1, true) },
            VariantDraft { sku: Some("A".into()), ..draft(" ", 1, false) },
        ];
        let mut checks = Checks::new();
        check(&mut variants, &mut checks);
        let names: Vec<String> = checks.finish(()).unwrap_err().into_iter().map(|field| field.name).collect();
        let expected =
            ["variants", "variants[1].name", "variants[1].priceCents", "variants[2].name", "variants[2].sku"];
        assert_eq!(names, expected);
    }

    #[test]
    fn the_default_leads_and_else_the_first() {
        let (half, full) = (draft("Half", 1, false), draft("Full", 2, false));
        assert_eq!(leading(&[]), None);
        assert_eq!(leading(&[half.clone(), full.clone()]), Some(0));
        assert_eq!(leading(&[half, VariantDraft { is_default: true, ..full }]), Some(1));
    }
}
