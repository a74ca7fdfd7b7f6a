//! Menu items: what is sold. Pure.

use super::availability::Availability;
use super::combos::{self, Component, ComponentDraft, ItemKind};
use super::food::{Dietary, FoodMark};
use super::groups::ModifierGroup;
use super::hours::{MenuHours, Window};
use super::text::{clean, clean_optional};
use super::texts::Texts;
use super::variants::{self, Variant, VariantDraft, serving};
use super::weights::{SoldBy, WeightUnit};
use crate::http::{Checks, FieldError, Patch, Replace};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;
use tiffin_common::{Cents, Millis, Uuid, money::MAX_CENTS};

/// The most groups a dish may have, and the most allergens.
pub const MAX_GROUPS: usize = 30;

/// The most kilocalories of one serving.
const MOST_KCAL: i64 = 100_000;

table! {
    /// A dish of the menu.
    #[derive(PartialEq, Eq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct MenuItem: menu_items {
        /// Id of the dish: `menuItemId` in orders.
        pub id: Uuid,
        /// What a client may set.
        #[serde(flatten)]
        pub draft: ItemDraft => flat,
        /// What it costs in this outlet now.
        #[serde(rename = "priceCents")]
        pub price: Cents => none,
        /// This outlet's own price, if it has one.
        #[serde(rename = "outletPriceCents")]
        pub outlet_price: Option<Cents> => none,
        /// The price list that says what it costs now; null: the outlet's own price holds.
        pub price_list_id: Option<Uuid> => none,
        /// All the hours it is sold in, of which `availableFrom`, `availableTo` and `availableDays` are the first; always where there are none.
        pub windows: Vec<MenuHours> => none,
        /// Its mark, on whole menus of countries whose law wants one (India); absent elsewhere, and where nobody said what it is made of.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub food_mark: Option<FoodMark> => none,
        /// The choices, in their order.
        pub modifier_groups: Vec<ModifierGroup> => none,
        /// The sizes it is sold in, in their order; none where there is but one.
        pub variants: Vec<Variant> => none,
        /// What is chosen for it, of a combo; in its order.
        pub components: Vec<Component> => none,
        /// Whether it can be ordered now: active (with its category), in stock (it, and one of its variants; of a combo: of each component
        /// that is needed, one option), within its hours and its category's.
        pub is_available: bool => none,
        /// Its stock state.
        pub availability: Availability => none,
        /// Changes with every change.
        pub version: i64,
        /// When it was made.
        pub created_at: Millis,
        /// When it last changed.
        pub updated_at: Millis,
    }
}

table! {
    /// What a dish is to be.
    #[derive(PartialEq, Eq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct ItemDraft: menu_items {
        /// A dish, or a combo: dishes together at one price.
        pub kind: ItemKind,
        /// The category it stands in.
        pub category_id: Uuid,
        /// What guests read on menu and bill.
        pub name: String,
        /// As cooks call it.
        pub kitchen_name: Option<String>,
        /// What guests read below its name.
        pub description: Option<String>,
        /// Unique in the outlet.
        pub sku: Option<String>,
        /// The shared price, which holds where the outlet has none of its own.
        #[serde(rename = "basePriceCents")]
        pub price: Cents => price_cents,
        /// What it is taxed with.
        pub tax_category_id: Option<Uuid>,
        /// Code of goods or services for GST, on the bill.
        pub hsn_sac: Option<String>,
        /// Where it is prepared; the default station when null.
        pub station_id: Option<Uuid>,
        /// When in the meal it comes.
        pub course: Option<i64>,
        /// Minutes it takes.
        pub prep_minutes: Option<i64>,
        /// What it is made of.
        pub dietary: Option<Dietary>,
        /// What to warn of.
        pub allergens: Vec<String> => json,
        /// Address of a picture of it.
        pub image_url: Option<String>,
        /// The hours it is sold in.
        #[serde(flatten)]
        pub window: Window => flat,
        /// Whether it is for sale at all.
        pub is_active: bool,
        /// Lower comes first.
        pub sort_order: i64,
        /// Kilocalories of one serving.
        pub energy_kcal: Option<i64>,
        /// What one serving is, such as `250 g`.
        pub serving_size: Option<String>,
        /// Name and description in other languages.
        #[serde(skip_serializing_if = "Texts::is_empty")]
        pub texts: Texts => json,
        /// PIECE, or WEIGHT: then its prices are those of one `weightUnit`, and a line of an order has its weight.
        pub sold_by: SoldBy,
        /// What it is weighed in; null: it is sold by the piece.
        pub weight_unit: Option<WeightUnit>,
        /// The choices, in their order.
        #[serde(skip)]
        pub group_ids: Vec<Uuid> => none,
        /// The sizes it is sold in, in their order.
        #[serde(skip)]
        pub variants: Vec<VariantDraft> => none,
        /// What is chosen for it, of a combo.
        #[serde(skip)]
        pub components: Vec<ComponentDraft> => none,
    }
}

impl ItemDraft {
    /// A dish for sale with a name and a price and nothing else.
    pub fn new(category_id: Uuid, name: impl Into<String>, price: Cents) -> ItemDraft {
        ItemDraft {
            kind: ItemKind::Item,
            category_id,
            name: name.into(),
            kitchen_name: None,
            description: None,
            sku: None,
            price,
            tax_category_id: None,
            hsn_sac: None,
            station_id: None,
            course: None,
            prep_minutes: None,
            dietary: None,
            allergens: Vec::new(),
            image_url: None,
            window: Window::default(),
            is_active: true,
            sort_order: 0,
            energy_kcal: None,
            serving_size: None,
            texts: Texts::default(),
            sold_by: SoldBy::Piece,
            weight_unit: None,
            group_ids: Vec::new(),
            variants: Vec::new(),
            components: Vec::new(),
        }
    }

    /// The draft with its texts trimmed. That its category, taxes, station and groups exist is the action's to check.
    ///
    /// # Errors
    /// All offending fields.
    pub fn checked(mut self) -> Result<ItemDraft, Vec<FieldError>> {
        let mut checks = Checks::new();
        let c = &mut checks;
        clean(&mut self.name, "name", 120, c);
        clean_optional(&mut self.kitchen_name, "kitchenName", 60, c);
        clean_optional(&mut self.description, "description", 1_000, c);
        clean_optional(&mut self.sku, "sku", 60, c);
        clean_optional(&mut self.hsn_sac, "hsnSac", 8, c);
        clean_optional(&mut self.image_url, "imageUrl", 500, c);
        clean_optional(&mut self.serving_size, "servingSize", 40, c);
        self.texts.check("texts", 120, c);
        for (i, allergen) in self.allergens.iter_mut().enumerate() {
            clean(allergen, &format!("allergens[{i}]"), 40, c);
        }
        self.check_values(c);
        self.window.settle();
        self.window.check(c);
        variants::check(&mut self.variants, c);
        self.check_kind(c);
        self.check_weight(c);
        if let Some(variant) = variants::leading(&self.variants).and_then(|at| self.variants.get(at)) {
            let same = self.price == variant.price;
            c.require(
                same,
                "priceCents",
                format!("must be {}, that of its leading variant", variant.price.get()),
            );
        }
        checks.finish(self)
    }

    /// A combo has components, and neither sizes nor choices of its own; a dish has none.
    fn check_kind(&mut self, checks: &mut Checks) {
        if self.kind == ItemKind::Item {
            checks.require(self.components.is_empty(), "components", "are for combos: set kind to COMBO");
            return;
        }
        let of_components = "are for dishes: a combo's are its components'";
        checks.require(self.variants.is_empty(), "variants", of_components);
        checks.require(self.group_ids.is_empty(), "modifierGroups", of_components);
        combos::check(&mut self.components, checks);
    }

    /// A dish that is sold by weight is a dish of one size, with a unit; one that is not has none.
    fn check_weight(&mut self, checks: &mut Checks) {
        if self.sold_by == SoldBy::Piece {
            checks.require(self.weight_unit.is_none(), "weightUnit", "is for dishes that are sold by WEIGHT");
            return;
        }
        self.weight_unit.get_or_insert_default();
        checks.require(self.kind == ItemKind::Item, "soldBy", "must be PIECE: a combo is not weighed");
        checks.require(self.variants.is_empty(), "variants", "are for dishes that are sold by PIECE");
    }

    fn check_values(&self, checks: &mut Checks) {
        let price = self.price.get();
        checks.require((0..=MAX_CENTS).contains(&price), "priceCents", "must be from 0 to 1000000000000");
        if let Some(code) = &self.hsn_sac {
            let digits = code.bytes().all(|b| b.is_ascii_digit()) && (4..=8).contains(&code.len());
            checks.require(digits, "hsnSac", "must be 4 to 8 digits");
        }
        if let Some(course) = self.course {
            checks.require((1..=20).contains(&course), "course", "must be from 1 to 20");
        }
        if let Some(minutes) = self.prep_minutes {
            checks.require((0..=1_440).contains(&minutes), "prepMinutes", "must be from 0 to 1440");
        }
        if let Some(energy) = self.energy_kcal {
            checks.require((0..=MOST_KCAL).contains(&energy), "energyKcal", "must be from 0 to 100000");
        }
        if let Some(url) = &self.image_url {
            // A picture is shown in browsers: nothing that runs.
            let loads = ["https://", "http://", "/"].iter().any(|start| url.starts_with(start));
            checks.require(loads && !url.contains(char::is_whitespace), "imageUrl", "must be a web address");
        }
        checks.require((-1_000_000..=1_000_000).contains(&self.sort_order), "sortOrder", "is out of range");
        checks.require(self.allergens.len() <= MAX_GROUPS, "allergens", "must have at most 30 elements");
        checks.require(self.group_ids.len() <= MAX_GROUPS, "modifierGroups", "must have at most 30 elements");
        for (i, id) in self.group_ids.iter().enumerate() {
            let repeated = self.group_ids.iter().take(i).any(|earlier| earlier == id);
            checks.require(!repeated, format!("modifierGroups[{i}]"), "is named twice");
        }
    }
}

impl ItemDraft {
    /// The dish at another price, or in other sizes. It costs what its leading variant costs: where one is said, the other follows.
    #[must_use]
    pub fn priced(mut self, price: Option<Cents>, variants: Option<Vec<VariantDraft>>) -> ItemDraft {
        let follows = variants.is_none();
        self.variants = variants.unwrap_or(self.variants);
        let leading = variants::leading(&self.variants).and_then(|at| self.variants.get_mut(at));
        match (price, leading) {
            (Some(price), Some(variant)) if follows => (self.price, variant.price) = (price, price),
            (Some(price), _) => self.price = price,
            (None, Some(variant)) => self.price = variant.price,
            (None, None) => {}
        }
        self
    }
}

impl ItemDraft {
    /// The dish sold by that, and weighed in that. One that is sold by the piece now is weighed in nothing, unless somebody says so all the
    /// same.
    #[must_use]
    pub fn weighed(mut self, sold_by: Replace<SoldBy>, unit: Patch<WeightUnit>) -> ItemDraft {
        self.sold_by = sold_by.apply(self.sold_by);
        let kept = self.weight_unit.filter(|_| self.sold_by == SoldBy::Weight);
        self.weight_unit = unit.apply(kept);
        self
    }
}

impl MenuItem {
    /// Lets the dish read in `language`, with its choices and sizes.
    pub fn put_in(&mut self, language: &str) {
        let texts = self.draft.texts.clone();
        texts.put(language, &mut self.draft.name, Some(&mut self.draft.description));
        for variant in &mut self.variants {
            variant.texts.put(language, &mut variant.name, None);
        }
        self.modifier_groups.iter_mut().for_each(|group| group.put_in(language));
        for component in &mut self.components {
            component.texts.put(language, &mut component.name, None);
        }
    }

    /// What it is called as it stands here, in each of its sizes and, where no size is named, in the leading one.
    pub fn called(&self) -> Vec<((Uuid, Option<Uuid>), String)> {
        let name = &self.draft.name;
        let sizes = self.variants.iter().map(|size| (Some(size.id), variants::full_name(name, &size.name)));
        let leading = variants::leading(&self.draft.variants).and_then(|at| self.variants.get(at));
        let alone = leading.map_or_else(|| name.clone(), |size| variants::full_name(name, &size.name));
        sizes.chain([(None, alone)]).map(|(size, name)| ((self.id, size), name)).collect()
    }

    /// Calls what may be chosen for a combo as `named` calls its dish, in its size.
    pub fn name_options<'n>(&mut self, named: impl Fn(Uuid, Option<Uuid>) -> Option<&'n str>) {
        for option in self.components.iter_mut().flat_map(|component| &mut component.options) {
            if let Some(name) = named(option.menu_item_id, option.variant_id) {
                name.clone_into(&mut option.name);
            }
        }
    }

    /// What one serving is and has, as chains must show it: `250 g · 430 kcal`.
    pub fn serving(&self) -> Option<String> {
        serving(self.draft.serving_size.as_deref(), self.draft.energy_kcal)
    }

    /// The dish without what it is called in other languages.
    pub fn drop_texts(&mut self) {
        self.draft.texts = Texts::default();
        self.variants.iter_mut().for_each(|variant| variant.texts = Texts::default());
        for group in &mut self.modifier_groups {
            group.texts = Texts::default();
            group.options.iter_mut().for_each(|option| option.texts = Texts::default());
        }
        self.components.iter_mut().for_each(|component| component.texts = Texts::default());
    }

    /// The dish with these choices.
    #[must_use]
    pub fn with_groups(mut self, groups: Vec<ModifierGroup>) -> MenuItem {
        self.draft.group_ids = groups.iter().map(|group| group.id).collect();
        self.modifier_groups = groups;
        self
    }

    /// The dish in these sizes: it costs what the leading one costs, and is to be had where one of them is.
    #[must_use]
    pub fn with_variants(mut self, variants: Vec<Variant>) -> MenuItem {
        self.draft.variants = variants.iter().map(VariantDraft::from).collect();
        if let Some(leading) = variants::leading(&self.draft.variants).and_then(|at| variants.get(at)) {
            (self.price, self.outlet_price) = (leading.price, leading.outlet_price);
            self.draft.price = leading.base_price;
            self.is_available &= variants.iter().any(|variant| variant.is_available);
        }
        self.variants = variants;
        self
    }

    /// The combo with what is chosen for it: it is to be had where each component that is needed can be filled.
    #[must_use]
    pub fn with_components(mut self, components: Vec<Component>) -> MenuItem {
        self.draft.components = components.iter().map(ComponentDraft::from).collect();
        if self.draft.kind == ItemKind::Combo {
            self.is_available &= components.iter().all(Component::can_be_filled);
        }
        self.components = components;
        self
    }
}

/// Calls what may be chosen for combos among `dishes` as their dishes are called there.
pub(super) fn name_all_options(mut dishes: Vec<&mut MenuItem>) {
    if dishes.iter().all(|dish| dish.components.is_empty()) {
        return;
    }
    let names: HashMap<(Uuid, Option<Uuid>), String> = dishes.iter().flat_map(|dish| dish.called()).collect();
    for dish in &mut dishes {
        dish.name_options(|id, variant| names.get(&(id, variant)).map(String::as_str));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_wrong_with_a_dish_is_named_at_once() {
        let draft = ItemDraft {
            hsn_sac: Some("99-63".into()),
            course: Some(0),
            image_url: Some("javascript:alert(1)".into()),
            window: Window { from: Some("9".into()), ..Window::default() },
            allergens: vec![" ".into()],
            group_ids: vec![Uuid::nil(), Uuid::nil()],
            ..ItemDraft::new(Uuid::nil(), " ", Cents::new(-1))
        };
        let mut names: Vec<String> = draft.checked().unwrap_err().into_iter().map(|f| f.name).collect();
        names.sort_unstable();
        let expected = [
            "allergens[0]",
            "availableFrom",
            "course",
            "hsnSac",
            "imageUrl",
            "modifierGroups[1]",
            "name",
            "priceCents",
        ];
        assert_eq!(names, expected);
    }
}
