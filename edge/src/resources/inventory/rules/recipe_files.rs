//! Recipes as files name them: dishes, options, preparations and ingredients by id, code or name. Pure.

use super::drafts::{IngredientDraft, RecipeDraft};
use super::recipe::Target;
use super::units::normal;
use crate::http::intake::{Found, Intake, Names};
use crate::http::{Checks, FieldError, Patch, Replace};
use std::collections::HashMap;
use tiffin_common::quantity::MILLION;
use tiffin_common::{Quantity, Uuid};

/// A recipe as a file names it: of a dish, of an option, or a preparation. It takes the place of the recipe that was there.
#[apply(filters!)]
pub struct ImportedRecipe {
    /// The dish (or a variant) by id, sku or name; with `option`: a dish that offers it.
    #[schemars(length(min = 1, max = 120))]
    pub dish: Option<String>,
    /// A variant of that dish, by id, sku or name; absent: the dish, by which variants without a recipe of their own go.
    #[schemars(length(min = 1, max = 120))]
    pub variant: Option<String>,
    /// A modifier option by id or name.
    #[schemars(length(min = 1, max = 120))]
    pub option: Option<String>,
    /// The group of that option by name or id, where several options have its name.
    #[schemars(length(min = 1, max = 120))]
    pub modifier_group: Option<String>,
    /// What the kitchen makes ahead; made when there is none of that name.
    #[schemars(length(min = 1, max = 120))]
    pub preparation: Option<String>,
    /// How much one making gives: portions of a dish, 1 unless told; required for a new preparation.
    #[schemars(range(min = 0), extend("exclusiveMinimum" = 0))]
    pub r#yield: Replace<Quantity>,
    /// Of which unit a preparation gives that much; required for a new one.
    #[schemars(length(min = 1, max = 20))]
    pub unit: Replace<String>,
    /// Of a preparation: how many days more than the one it is made on a batch may be used.
    #[schemars(range(min = 0, max = 3_650))]
    pub shelf_life_days: Patch<i64>,
    /// What goes in; required for a new recipe.
    #[schemars(length(max = 100))]
    pub ingredients: Replace<Vec<ImportedIngredient>>,
}

/// An ingredient in a file: exactly one of `item` and `preparation`.
#[apply(value!)]
pub struct ImportedIngredient {
    /// A stock item by id, sku or name …
    #[serde(default)]
    #[schemars(length(min = 1, max = 120))]
    pub item: Option<String>,
    /// … or a preparation by id or name.
    #[serde(default)]
    #[schemars(length(min = 1, max = 120))]
    pub preparation: Option<String>,
    /// How much one making takes; negative in an option that leaves something out.
    pub quantity: Quantity,
    /// Of which unit.
    #[schemars(length(min = 1, max = 20))]
    pub unit: String,
}

impl Intake for ImportedRecipe {
    const NEEDED: &'static [&'static str] = &[];
}

/// What recipes may name.
#[derive(Debug, Default)]
pub struct Larder {
    /// Stock items.
    pub items: Names,
    /// Preparations.
    pub preparations: Names,
    /// Dishes, and variants by their ids, codes and names in full.
    pub dishes: Names,
    /// The variants of each dish.
    pub variants: HashMap<Uuid, Names>,
    /// Modifier groups with their options.
    pub groups: Vec<Choices>,
    /// The groups that each dish offers.
    pub offered: HashMap<Uuid, Vec<Uuid>>,
}

/// A modifier group with its options.
#[derive(Debug)]
pub struct Choices {
    /// Its id.
    pub id: Uuid,
    /// Its name, which others may have, too.
    pub name: String,
    /// Its options.
    pub options: Names,
}

fn one(found: Found, field: &str, what: &str, checks: &mut Checks) -> Option<Uuid> {
    match found {
        Found::One(id) => return Some(id),
        Found::Several => checks.add(field, format!("names several {what}s; give the sku or the id")),
        Found::None => checks.add(field, format!("is not a {what} of this outlet")),
    }
    None
}

impl ImportedRecipe {
    /// What the recipe is of, and what stands for it in refusals.
    ///
    /// # Errors
    /// The offending fields.
    pub fn target(&self, larder: &Larder) -> Result<Target, Vec<FieldError>> {
        let mut checks = Checks::new();
        let target = match (&self.dish, &self.option, &self.preparation) {
            (Some(dish), None, None) => self.dish(dish, larder, &mut checks).map(Target::Dish),
            (_, Some(option), None) => self.option(option, larder, &mut checks).map(Target::Option),
            (None, None, Some(name)) => Some(Target::Preparation(name.trim().to_owned())),
            _ => {
                checks.add("dish", "is required, or an option or a preparation");
                None
            }
        };
        let has_dish = self.dish.is_some() && self.option.is_none();
        checks.require(has_dish || self.variant.is_none(), "variant", "needs its dish");
        checks.require(
            self.option.is_some() || self.modifier_group.is_none(),
            "modifierGroup",
            "needs its option",
        );
        match (checks.finish(()), target) {
            (Ok(()), Some(target)) => Ok(target),
            (found, _) => Err(found.err().unwrap_or_default()),
        }
    }

    fn dish(&self, dish: &str, larder: &Larder, checks: &mut Checks) -> Option<Uuid> {
        let dish = one(larder.dishes.find(dish), "dish", "dish", checks)?;
        let Some(variant) = &self.variant else { return Some(dish) };
        let found = larder.variants.get(&dish).map_or(Found::None, |variants| variants.find(variant));
        one(found, "variant", "variant of this dish", checks)
    }

    /// The option of that name in the groups that the row leaves: those of its dish, of that name or id, or all.
    fn option(&self, option: &str, larder: &Larder, checks: &mut Checks) -> Option<Uuid> {
        let offered = match &self.dish {
            Some(dish) => {
                let dish = one(larder.dishes.find(dish), "dish", "dish", checks)?;
                Some(larder.offered.get(&dish).map(Vec::as_slice).unwrap_or_default())
            }
            None => None,
        };
        let is_meant = |group: &&Choices| {
            let named = self.modifier_group.as_deref().is_none_or(|word| {
                group.name.to_lowercase() == word.trim().to_lowercase() || group.id.to_string() == word.trim()
            });
            named && offered.is_none_or(|offered| offered.contains(&group.id))
        };
        let groups: Vec<&Choices> = larder.groups.iter().filter(is_meant).collect();
        if groups.is_empty() {
            checks.add("modifierGroup", "is not a modifier group of this outlet, or of this dish");
            return None;
        }
        let mut found = groups.iter().filter_map(|group| match group.options.find(option) {
            Found::One(id) => Some(id),
            Found::Several | Found::None => None,
        });
        let found = match (found.next(), found.next()) {
            (None, _) => Found::None,
            (Some(id), None) => Found::One(id),
            (Some(_), Some(_)) => Found::Several,
        };
        if found == Found::Several {
            checks.add("option", "is in several groups; give its modifierGroup, or a dish that offers it");
            return None;
        }
        one(found, "option", "modifier option", checks)
    }

    /// The recipe as the file leaves it, where it was `before`.
    ///
    /// # Errors
    /// The offending fields, with the places of their ingredients.
    pub fn over_before(
        self,
        target: &Target,
        before: Option<RecipeDraft>,
        larder: &Larder,
    ) -> Result<RecipeDraft, Vec<FieldError>> {
        let mut checks = Checks::new();
        let one_portion = Quantity::from_millionths(MILLION);
        let (is_option, is_made_ahead) =
            (matches!(target, Target::Option(_)), matches!(target, Target::Preparation(_)));
        if is_made_ahead {
            let known = before.is_some();
            checks.require(known || self.r#yield.0.is_some(), "yield", "is required for a new preparation");
            checks.require(known || self.unit.0.is_some(), "unit", "is required for a new preparation");
        } else {
            let in_portions = self.unit.0.as_deref().is_none_or(|unit| normal(unit) == "pcs");
            checks.require(in_portions, "unit", "must be pcs: a dish gives portions");
            let is_one = !is_option || self.r#yield.0.is_none_or(|portions| portions == one_portion);
            checks.require(is_one, "yield", "must be 1: an option is of one portion");
            let says_nothing = !matches!(self.shelf_life_days, Patch::Set(_));
            checks.require(says_nothing, "shelfLifeDays", "is for what is made ahead");
        }
        checks.require(
            before.is_some() || self.ingredients.0.is_some(),
            "ingredients",
            "is required for a new recipe",
        );
        let base = before.unwrap_or_else(|| RecipeDraft {
            makes: one_portion,
            yield_unit: "pcs".to_owned(),
            shelf_life_days: None,
            ingredients: Vec::new(),
        });
        let named = self.ingredients.0.map(|list| {
            let list = list.into_iter().enumerate();
            list.map(|(i, ingredient)| ingredient.draft(i, larder, &mut checks)).collect()
        });
        let draft = RecipeDraft {
            makes: self.r#yield.apply(base.makes),
            yield_unit: self.unit.apply(base.yield_unit),
            shelf_life_days: self.shelf_life_days.apply(base.shelf_life_days),
            ingredients: named.unwrap_or(base.ingredients),
        };
        let found = checks.finish(()).err().unwrap_or_default();
        match draft.checked(is_option) {
            Ok(draft) if found.is_empty() => Ok(draft),
            Ok(_) => Err(found),
            Err(more) => {
                // An ingredient that names nothing is named above.
                let own = more.into_iter().filter(|field| !field.name.ends_with(']'));
                Err(found.into_iter().chain(own).collect())
            }
        }
    }
}

impl ImportedIngredient {
    fn draft(self, index: usize, larder: &Larder, checks: &mut Checks) -> IngredientDraft {
        let field = |name: &str| format!("ingredients[{index}].{name}");
        let (mut stock_item_id, mut sub_recipe_id) = (None, None);
        match (&self.item, &self.preparation) {
            (Some(item), None) => {
                stock_item_id = one(larder.items.find(item), &field("item"), "stock item", checks);
            }
            (None, Some(name)) => {
                let found = larder.preparations.find(name);
                sub_recipe_id = one(found, &field("preparation"), "preparation", checks);
            }
            _ => checks.add(field("item"), "exactly one of item and preparation is required"),
        }
        IngredientDraft { stock_item_id, sub_recipe_id, quantity: self.quantity, unit: self.unit }
    }
}

/// A recipe as export gives it: the members of [`ImportedRecipe`].
#[apply(figures!)]
pub struct ExportedRecipe {
    /// Name of the dish, its sku or id where others have that name; of an option, a dish that offers it where others have its group's name.
    pub dish: Option<String>,
    /// Name of the variant.
    pub variant: Option<String>,
    /// Name of the modifier option.
    pub option: Option<String>,
    /// Name of the option's group, or its id where it alone tells it.
    pub modifier_group: Option<String>,
    /// Name of what the kitchen makes ahead.
    pub preparation: Option<String>,
    /// How much one making gives.
    pub r#yield: Quantity,
    /// Of which unit it gives that much.
    pub unit: String,
    /// How many days more than the one it is made on a batch may be used.
    pub shelf_life_days: Option<i64>,
    /// What goes in, by name.
    pub ingredients: Vec<ImportedIngredient>,
}

impl ExportedRecipe {
    /// The columns of its CSV form.
    pub const COLUMNS: &'static [&'static str] = &[
        "dish",
        "variant",
        "modifierGroup",
        "option",
        "preparation",
        "yield",
        "unit",
        "shelfLifeDays",
        "ingredients.item",
        "ingredients.preparation",
        "ingredients.quantity",
        "ingredients.unit",
    ];
}
