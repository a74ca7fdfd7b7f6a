//! Combos: dishes that are sold together at one price, such as a burger, a side and a drink. What a combo lets guests choose, and whether it
//! can be had. Pure. Never has choices or sizes of its own: those are its components' dishes'.

use super::text::clean;
use super::texts::Texts;
use super::weights::SoldBy;
use crate::http::Checks;
use schemars::JsonSchema;
use serde::Serialize;
use tiffin_common::{Cents, Uuid, money::MAX_CENTS, words};

/// The most components a combo may have.
pub const MAX_COMPONENTS: usize = 20;

/// The most options a component may have, and the most selections.
pub const MAX_OPTIONS: usize = 50;

words! {
    /// What is sold.
    #[derive(Default)]
    pub enum ItemKind {
        /// A dish.
        #[default]
        Item = "ITEM",
        /// Dishes together, at one price.
        Combo = "COMBO",
    }
}

table! {
    /// What is chosen for a combo.
    #[derive(PartialEq, Eq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct Component: combo_components {
        /// Id of the component.
        pub id: Uuid,
        /// As guests see it, such as Drink; unique in its combo.
        pub name: String,
        /// The fewest selections.
        #[serde(rename = "minSelections")]
        pub min: i64 => min_selections,
        /// The most selections; one option may be selected so often.
        #[serde(rename = "maxSelections")]
        pub max: i64 => max_selections,
        /// Its name in other languages, by which it may be chosen, too.
        #[serde(default, skip_serializing_if = "Texts::is_empty")]
        pub texts: Texts => json,
        /// What may be selected, in their order.
        pub options: Vec<ComponentOption> => none,
    }
}

table! {
    /// A dish that may be chosen for a combo.
    #[derive(PartialEq, Eq, Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct ComponentOption: combo_options {
        /// Id of the option.
        pub id: Uuid,
        /// The dish: `menuItemId` of the order line's component.
        pub menu_item_id: Uuid,
        /// The variant of it; null: the dish is sold in one size, or in its default one.
        pub variant_id: Option<Uuid>,
        /// Dish and variant, as billed.
        pub name: String => none,
        /// What is asked for it on top of the combo's price.
        #[serde(rename = "extraCents")]
        pub extra: Cents => extra_cents,
        /// What it costs alone in this outlet now: components share the combo's price in proportion to this.
        #[serde(rename = "priceCents")]
        pub price: Cents => none,
        /// Whether it can be had now.
        pub is_available: bool => none,
    }
}

/// What is to be chosen for a combo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComponentDraft {
    /// As guests see it; unique in its combo. It tells the component from the others when the combo is changed.
    pub name: String,
    /// The fewest selections.
    pub min: i64,
    /// The most selections.
    pub max: i64,
    /// Its name in other languages.
    pub texts: Texts,
    /// What may be selected, in their order.
    pub options: Vec<ComponentOptionDraft>,
}

/// What may be selected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComponentOptionDraft {
    /// The dish.
    pub menu_item_id: Uuid,
    /// The variant of it.
    pub variant_id: Option<Uuid>,
    /// What is asked for it on top of the combo's price.
    pub extra: Cents,
}

impl ComponentDraft {
    /// The one of that name.
    pub fn find<'d>(drafts: &'d [ComponentDraft], name: &str) -> Option<&'d ComponentDraft> {
        let name = name.trim().to_lowercase();
        drafts.iter().find(|draft| draft.name.to_lowercase() == name)
    }
}

impl From<&Component> for ComponentDraft {
    fn from(component: &Component) -> Self {
        let options = component.options.iter().map(|option| ComponentOptionDraft {
            menu_item_id: option.menu_item_id,
            variant_id: option.variant_id,
            extra: option.extra,
        });
        ComponentDraft {
            name: component.name.clone(),
            min: component.min,
            max: component.max,
            texts: component.texts.clone(),
            options: options.collect(),
        }
    }
}

impl Component {
    /// Whether it leaves the combo on sale: nothing of it is needed, or something of it can be had.
    pub fn can_be_filled(&self) -> bool {
        self.min == 0 || self.options.iter().any(|option| option.is_available)
    }

    /// Whether it is called so, in whichever language.
    pub fn is_called(&self, name: &str) -> bool {
        let wanted = name.trim().to_lowercase();
        self.name.to_lowercase() == wanted || self.texts.names().any(|own| own.to_lowercase() == wanted)
    }
}

/// What a dish is, as far as it matters to a combo that offers it.
#[derive(Debug)]
pub struct Choice {
    /// A dish, or a combo.
    pub kind: ItemKind,
    /// What its price is the price of.
    pub sold_by: SoldBy,
    /// The sizes it is sold in.
    pub sizes: Vec<Size>,
}

/// A size of such a dish.
#[derive(Debug)]
pub struct Size {
    /// Id of the variant.
    pub id: Uuid,
    /// As guests see it.
    pub name: String,
    /// Meant where none is named.
    pub is_default: bool,
}

impl Choice {
    /// The size that `is_meant` tells; none: its only or its default one. What keeps the dish from being offered so is noted at `dish`, what
    /// is wrong with the size at `size`.
    pub fn size(
        &self,
        is_meant: Option<impl Fn(&Size) -> bool>,
        (dish, size): (String, String),
        checks: &mut Checks,
    ) -> Option<Uuid> {
        checks.require(self.kind == ItemKind::Item, dish.clone(), "is a combo itself");
        checks.require(self.sold_by == SoldBy::Piece, dish, "is sold by weight");
        let Some(is_meant) = is_meant else {
            let is_clear = self.sizes.is_empty() || self.sizes.iter().any(|size| size.is_default);
            checks.require(is_clear, size, "is required: the dish is sold in several sizes");
            return None;
        };
        let found = self.sizes.iter().find(|one| is_meant(one));
        checks.require(found.is_some(), size, "is no variant of this dish");
        found.map(|size| size.id)
    }
}

/// Trims the texts of a combo's components and notes what is wrong with them.
pub(super) fn check(components: &mut [ComponentDraft], checks: &mut Checks) {
    let fits = (1..=MAX_COMPONENTS).contains(&components.len());
    checks.require(fits, "components", "must have from 1 to 20 elements");
    let asks = components.iter().any(|component| component.min > 0);
    checks.require(
        asks || !fits,
        "components",
        "must ask for something: one needs minSelections of 1 or more",
    );
    let mut names = Vec::new();
    for (i, component) in components.iter_mut().enumerate() {
        check_component(component, &format!("components[{i}]"), checks);
        let key = component.name.to_lowercase();
        checks.require(!names.contains(&key), format!("components[{i}].name"), "is named twice");
        // An order may call it by any of them.
        let mut own: Vec<String> = component.texts.names().map(str::to_lowercase).collect();
        let is_taken = own.iter().any(|name| names.contains(name));
        checks.require(!is_taken, format!("components[{i}].texts"), "is what another component is called");
        names.push(key);
        names.append(&mut own);
    }
}

fn check_component(component: &mut ComponentDraft, path: &str, checks: &mut Checks) {
    clean(&mut component.name, &format!("{path}.name"), 60, checks);
    component.texts.check(&format!("{path}.texts"), 60, checks);
    let (min, max) = (component.min, component.max);
    checks.require((0..=50).contains(&min), format!("{path}.minSelections"), "must be from 0 to 50");
    checks.require((1..=50).contains(&max), format!("{path}.maxSelections"), "must be from 1 to 50");
    checks.require(max >= min, format!("{path}.maxSelections"), "must not be below minSelections");
    let fits = (1..=MAX_OPTIONS).contains(&component.options.len());
    checks.require(fits, format!("{path}.options"), "must have from 1 to 50 elements");
    for (i, option) in component.options.iter().enumerate() {
        let path = format!("{path}.options[{i}]");
        let same = |other: &&ComponentOptionDraft| {
            (other.menu_item_id, other.variant_id) == (option.menu_item_id, option.variant_id)
        };
        let is_repeated = component.options.iter().take(i).any(|other| same(&other));
        checks.require(!is_repeated, format!("{path}.menuItemId"), "is named twice");
        let in_range = (0..=MAX_CENTS).contains(&option.extra.get());
        checks.require(in_range, format!("{path}.extraCents"), "must be from 0 to 1000000000000");
    }
}
