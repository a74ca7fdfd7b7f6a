//! What a menu may be: its types and the checks they pass before they are stored. Pure: no store, no clock, no HTTP frame
//! beyond the error's field list.

pub mod availability;
pub mod combos;
pub mod food;
pub mod groups;
pub mod hours;
pub mod import;
pub mod items;
pub mod pictures;
pub mod price_lists;
pub mod prices;
pub mod taxes;
mod text;
pub mod texts;
pub mod variants;
pub mod warnings;
pub mod weights;

pub use availability::{Availability, AvailabilityChange, AvailabilityState, Status, StockSource};
pub use combos::{Component, ComponentDraft, ComponentOption, ComponentOptionDraft, ItemKind};
pub use food::{Dietary, FoodMark};
pub use groups::{GroupDraft, ModifierGroup, ModifierOption, OptionDraft};
pub use hours::{LocalNow, MenuHours, Window};
pub use items::{ItemDraft, MenuItem};
pub use price_lists::{Listed, Occasion};
pub use taxes::{TaxCategory, TaxComponent, TaxDraft};
pub use texts::{Texts, TextsPatch};
pub use variants::{Variant, VariantDraft};
pub use warnings::{Warning, WarningCode};
pub use weights::{SoldBy, WeightUnit};

use crate::http::{Checks, FieldError};
use crate::resources::outlets::rules::{Profile, TaxScheme};
use schemars::JsonSchema;
use serde::Serialize;
use text::{clean, clean_optional};
use tiffin_common::{Cents, Millis, Uuid};

refusals! {
    /// Why the menu refused.
    #[derive(Debug, thiserror::Error)]
    pub enum MenuError {
        /// Something still uses the record; says what.
        #[error("{0}")]
        InUse(String),
        /// A counted-down dish or option does not suffice.
        #[error("only {left} left")]
        SoldOut {
            /// Portions left.
            left: i64,
        },
    }
}

table! {
    /// A chapter of the menu.
    #[derive(PartialEq, Eq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct MenuCategory: menu_categories {
        /// Id of the category.
        pub id: Uuid,
        /// What a client may set.
        #[serde(flatten)]
        pub draft: CategoryDraft => flat,
        /// Changes with every change.
        pub version: i64,
        /// When it was made.
        pub created_at: Millis,
        /// When it last changed.
        pub updated_at: Millis,
    }
}

table! {
    /// What a category is to be.
    #[derive(PartialEq, Eq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct CategoryDraft: menu_categories {
        /// Unique in the outlet.
        pub name: String,
        /// A line for guests below its name.
        pub description: Option<String>,
        /// Lower comes first.
        pub sort_order: i64,
        /// Whether anything in it is for sale.
        pub is_active: bool,
        /// The hours its dishes are sold in, by the outlet's clock; always where there are none.
        pub windows: Vec<MenuHours> => json,
        /// Name and description in other languages.
        #[serde(skip_serializing_if = "Texts::is_empty")]
        pub texts: Texts => json,
    }
}

impl CategoryDraft {
    /// An active category at the end of the order it is given.
    pub fn named(name: impl Into<String>, sort_order: i64) -> CategoryDraft {
        CategoryDraft {
            name: name.into(),
            description: None,
            sort_order,
            is_active: true,
            windows: Vec::new(),
            texts: Texts::default(),
        }
    }

    /// Lets the category read in `language`.
    pub fn put_in(&mut self, language: &str) {
        let texts = self.texts.clone();
        texts.put(language, &mut self.name, Some(&mut self.description));
    }

    /// The draft with its texts trimmed.
    ///
    /// # Errors
    /// All offending fields.
    pub fn checked(mut self) -> Result<CategoryDraft, Vec<FieldError>> {
        let mut checks = Checks::new();
        clean(&mut self.name, "name", 120, &mut checks);
        clean_optional(&mut self.description, "description", 1_000, &mut checks);
        MenuHours::check_all(&self.windows, 0, &mut checks);
        self.texts.check("texts", 120, &mut checks);
        checks.finish(self)
    }
}

/// The whole menu as one answer.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MenuTree {
    /// In their order.
    pub categories: Vec<MenuChapter>,
}

impl MenuTree {
    /// Lets the menu read as it does in its country, which may want marks of food, and in `language`; where there is none, as it is.
    pub fn put_in(&mut self, country: &Profile, language: Option<&str>) {
        if country.food_marks {
            for dish in self.categories.iter_mut().flat_map(|chapter| &mut chapter.items) {
                dish.food_mark = dish.draft.dietary.map(FoodMark::from);
            }
        }
        let Some(language) = language else { return };
        for chapter in &mut self.categories {
            chapter.category.draft.put_in(language);
            chapter.items.iter_mut().for_each(|dish| dish.put_in(language));
        }
        items::name_all_options(self.categories.iter_mut().flat_map(|chapter| &mut chapter.items).collect());
    }

    /// The menu without what it is called in other languages.
    pub fn drop_texts(&mut self) {
        for chapter in &mut self.categories {
            chapter.category.draft.texts = Texts::default();
            chapter.items.iter_mut().for_each(MenuItem::drop_texts);
        }
    }
}

/// A category with what it holds.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MenuChapter {
    /// The category.
    #[serde(flatten)]
    pub category: MenuCategory,
    /// In their order.
    pub items: Vec<MenuItem>,
}

table! {
    /// A dish as an order needs it: what it costs now, what it is taxed with, what may be chosen with it.
    #[derive(PartialEq, Eq)]
    pub struct Sellable: menu_items {
        /// The dish.
        pub id: Uuid,
        /// The category it stands in.
        pub category_id: Uuid,
        /// As billed.
        pub name: String,
        /// As cooks call it.
        pub kitchen_name: Option<String>,
        /// Its GST code.
        pub hsn_sac: Option<String>,
        /// Where it is prepared; the default station when none.
        pub station_id: Option<Uuid>,
        /// When in the meal it comes.
        pub course: Option<i64>,
        /// Minutes it takes.
        pub prep_minutes: Option<i64>,
        /// Its price now, without modifiers.
        pub price: Cents => none,
        /// The price list that says so; none: it is the outlet's own.
        pub price_list_id: Option<Uuid> => none,
        /// Prices that held a moment ago, and whose they were: who was told so is not refused.
        pub honoured: Vec<Listed> => none,
        /// Its taxes; none when exempt or without a tax category.
        pub tax_components: Vec<TaxComponent> => none,
        /// Goods, and no restaurant service.
        pub is_goods: bool => none,
        /// Whether it can be had now.
        pub availability: Availability => none,
        /// Why it cannot be ordered now, if so: sold out, or outside its hours.
        pub unavailable: Option<&'static str> => none,
        /// The choices.
        pub groups: Vec<ModifierGroup> => none,
        /// The sizes it is sold in, if there are several.
        pub variants: Vec<Variant> => none,
        /// The variant that this is; none: the dish itself.
        pub variant_id: Option<Uuid> => none,
        /// Whether it is a combo.
        pub kind: ItemKind,
        /// What its price is the price of.
        pub sold_by: SoldBy,
        /// The unit of its weight, where it is sold by that.
        pub weight_unit: Option<WeightUnit>,
        /// What is chosen for it, of a combo; without what the menu says of the dishes.
        pub components: Vec<Component> => none,
        /// The hours it is sold in.
        pub window: Window => flat,
    }
}

/// Why a dish that is sold out cannot be ordered.
pub const OUT_OF_STOCK: &str = "is out of stock";

impl Sellable {
    /// The unit that it is weighed in; none: it is sold by the piece.
    pub fn weighed_in(&self) -> Option<WeightUnit> {
        (self.sold_by == SoldBy::Weight).then(|| self.weight_unit.unwrap_or_default())
    }

    /// Whether nothing but the stock stands against it: whoever sells on although the books say that it has run out may.
    pub fn is_short(&self) -> bool {
        self.unavailable == Some(OUT_OF_STOCK) && self.availability.is_short()
    }

    /// What of the dish is meant: the variant of that id or sku, else the default one; none where the dish has no variants.
    ///
    /// # Errors
    /// The field that is wrong, and why.
    pub fn variant(
        &self,
        id: Option<Uuid>,
        sku: Option<&str>,
    ) -> Result<Option<&Variant>, (&'static str, &'static str)> {
        let found = |wanted: &dyn Fn(&Variant) -> bool| self.variants.iter().find(|variant| wanted(variant));
        match (id, sku) {
            (Some(id), _) => match found(&|variant| variant.id == id) {
                Some(variant) => Ok(Some(variant)),
                None => Err(("variantId", "is no variant of this dish")),
            },
            (None, Some(sku)) if !self.variants.is_empty() => {
                match found(&|variant| variant.sku.as_deref() == Some(sku)) {
                    Some(variant) => Ok(Some(variant)),
                    None => Err(("sku", "is no variant of this dish")),
                }
            }
            (None, _) if self.variants.is_empty() => Ok(None),
            (None, _) => match found(&|variant| variant.is_default) {
                Some(variant) => Ok(Some(variant)),
                None => Err(("variantId", "is required: the dish is sold in several sizes")),
            },
        }
    }

    /// Says of a combo's option what the dish, in the variant that is meant, is called and costs, and whether that can be had.
    pub fn describe(&self, option: &mut ComponentOption) {
        let size = self.variant(option.variant_id, None);
        let variant = size.ok().flatten();
        let is_out = variant.is_some_and(|variant| !variant.is_available);
        option.name = variant.map_or_else(|| self.name.clone(), |variant| variant.full_name.clone());
        option.price = variant.map_or(self.price, |variant| variant.price);
        option.is_available = size.is_ok() && self.unavailable.is_none() && !is_out;
    }

    /// The dish as it is sold in that size.
    #[must_use]
    pub fn in_size(&self, variant: &Variant) -> Sellable {
        let mut sold = self.clone();
        sold.name.clone_from(&variant.full_name);
        sold.kitchen_name.clone_from(&variant.kitchen_name);
        (sold.price, sold.variant_id) = (variant.price, Some(variant.id));
        sold.price_list_id = variant.price_list_id;
        sold.honoured.clone_from(&variant.honoured);
        if sold.unavailable.is_none() && variant.availability.is_out() {
            sold.unavailable = Some(OUT_OF_STOCK);
            sold.availability = variant.availability.clone();
        }
        sold
    }

    /// Whose price `price` is, where it is one of the menu's: that which holds, or one that held a moment ago.
    pub fn priced_by(&self, price: Cents) -> Option<Option<Uuid>> {
        if price == self.price {
            return Some(self.price_list_id);
        }
        self.honoured.iter().find(|listed| listed.price == price).map(|listed| listed.price_list_id)
    }

    /// The dish as a house under `scheme` sells it: without tax where its bills carry none.
    pub fn taxed(mut self, scheme: TaxScheme) -> Sellable {
        if !scheme.is_taxed() {
            self.tax_components.clear();
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_trimmed_and_blank_ones_cleared() {
        let draft = CategoryDraft { description: Some("  ".into()), ..CategoryDraft::named(" Mains ", 1) };
        let draft = draft.checked().unwrap();
        assert_eq!((draft.name.as_str(), draft.description), ("Mains", None));
    }
}
