//! What clients may say of stock items, suppliers and recipes, checked. Never a row that was not checked here.

use super::pick::Rotation;
use super::units::{Ratio, UnitConversion, may_convert, normal};
use crate::http::{Checks, FieldError};
use std::collections::HashSet;
use tiffin_common::{Millis, Quantity, UnitCost, Uuid};

table! {
    /// A stock item as it stands.
    pub struct StockItem: stock_items {
        /// Id.
        pub id: Uuid,
        /// What a client may set.
        pub draft: ItemDraft => flat,
        /// The preparation it is the stock of.
        pub preparation_id: Option<Uuid>,
        /// What one unit cost last.
        pub last_unit_cost: UnitCost => none,
        /// 1, 2, ….
        pub version: i64,
        /// When it was made.
        pub created_at: Millis,
        /// When it was last changed.
        pub updated_at: Millis,
    }
}

table! {
    /// What a client may set of a stock item.
    #[derive(PartialEq, Eq)]
    pub struct ItemDraft: stock_items {
        /// Unique in the outlet.
        pub name: String,
        /// Shelf.
        pub category: String,
        /// What it is counted in.
        pub unit: String,
        /// Unique code.
        pub sku: Option<String>,
        /// Which batch goes first.
        pub rotation: Rotation,
        /// At or below it the item is low.
        pub min_stock_threshold: Quantity,
        /// What an order fills up to.
        pub par_level: Option<Quantity>,
        /// The usual supplier.
        pub supplier_id: Option<Uuid>,
        /// Its own units.
        pub unit_conversions: Vec<UnitConversion> => json,
    }
}

fn text(checks: &mut Checks, value: &str, name: &str) -> String {
    let value = value.trim().to_owned();
    checks.require(!value.is_empty(), name, "must not be blank");
    value
}

impl ItemDraft {
    /// The draft when everything in it holds, trimmed.
    ///
    /// # Errors
    /// All offending fields.
    pub fn checked(mut self) -> Result<ItemDraft, Vec<FieldError>> {
        let mut checks = Checks::new();
        self.name = text(&mut checks, &self.name, "name");
        self.category = text(&mut checks, &self.category, "category");
        self.unit = normal(&self.unit);
        checks.require(!self.unit.is_empty(), "unit", "must not be blank");
        self.sku = self.sku.map(|sku| text(&mut checks, &sku, "sku"));
        checks.require(self.min_stock_threshold >= Quantity::ZERO, "minStockThreshold", "must be at least 0");
        checks.require(
            self.par_level >= Some(Quantity::ZERO) || self.par_level.is_none(),
            "parLevel",
            "must be at least 0",
        );
        let mut seen = HashSet::new();
        for (i, own) in self.unit_conversions.iter_mut().enumerate() {
            own.unit = normal(&own.unit);
            let name = format!("unitConversions[{i}]");
            checks.require(!own.unit.is_empty(), format!("{name}.unit"), "must not be blank");
            checks.require(own.factor.is_positive(), format!("{name}.factor"), "must be more than 0");
            checks.require(seen.insert(own.unit.clone()), format!("{name}.unit"), "must not repeat another");
            let free = may_convert(&own.unit, &self.unit);
            checks.require(free, format!("{name}.unit"), "converts to the item's unit by itself");
        }
        checks.finish(self)
    }
}

table! {
    /// A supplier as it stands.
    pub struct Supplier: suppliers {
        /// Id.
        pub id: Uuid,
        /// What a client may set.
        pub draft: SupplierDraft => flat,
        /// 1, 2, ….
        pub version: i64,
        /// When it was made.
        pub created_at: Millis,
        /// When it was last changed.
        pub updated_at: Millis,
    }
}

table! {
    /// What a client may set of a supplier.
    #[derive(PartialEq, Eq)]
    pub struct SupplierDraft: suppliers {
        /// Firm; unique in the outlet.
        pub name: String,
        /// Person.
        pub contact_name: Option<String>,
        /// Telephone.
        pub phone: Option<String>,
        /// Where orders are sent.
        pub email: Option<String>,
        /// Postal address.
        pub address: Option<String>,
        /// GSTIN.
        pub tax_id: Option<String>,
        /// Days from order to delivery.
        pub lead_time_days: i64,
        /// What was agreed to be paid; each item once.
        pub agreed_prices: Vec<AgreedPrice> => json,
    }
}

/// What was agreed to be paid to a supplier for an item.
#[apply(value!)]
pub struct AgreedPrice {
    /// The item of the store room that it is the price of.
    pub inventory_item_id: Uuid,
    /// Of which unit; the item's where absent.
    #[serde(default)]
    #[schemars(length(min = 1, max = 20))]
    pub unit: Option<String>,
    /// What one such unit costs.
    #[schemars(range(min = 0))]
    pub unit_cost_cents: UnitCost,
}

impl SupplierDraft {
    /// The draft when everything in it holds, trimmed.
    ///
    /// # Errors
    /// All offending fields.
    pub fn checked(mut self) -> Result<SupplierDraft, Vec<FieldError>> {
        let mut checks = Checks::new();
        self.name = text(&mut checks, &self.name, "name");
        let mail = self
            .email
            .as_deref()
            .is_none_or(|mail| mail.split_once('@').is_some_and(|(a, b)| !a.is_empty() && !b.is_empty()));
        checks.require(mail, "email", "must be an email address");
        checks.require((0..=365).contains(&self.lead_time_days), "leadTimeDays", "must be between 0 and 365");
        let mut seen = HashSet::new();
        for (i, price) in self.agreed_prices.iter_mut().enumerate() {
            price.unit = price.unit.take().map(|unit| normal(&unit));
            let name = format!("agreedPrices[{i}].inventoryItemId");
            checks.require(seen.insert(price.inventory_item_id), name, "must not repeat another price");
        }
        checks.finish(self)
    }
}

table! {
    /// One ingredient as a client names it: exactly one of the two ids.
    #[derive(PartialEq, Eq)]
    pub struct IngredientDraft: recipe_ingredients {
        /// A stock item …
        pub stock_item_id: Option<Uuid>,
        /// … or a preparation.
        pub sub_recipe_id: Option<Uuid>,
        /// How much one making takes.
        pub quantity: Quantity,
        /// Of which unit.
        pub unit: String,
    }
}

table! {
    /// What a client may set of a recipe.
    #[derive(PartialEq, Eq)]
    pub struct RecipeDraft: recipes {
        /// How much one making gives.
        pub makes: Quantity => yield_quantity,
        /// Of which unit: `pcs` (portions) for a dish.
        pub yield_unit: String,
        /// Of a preparation: how many days more than the one it is made on a batch may be used.
        pub shelf_life_days: Option<i64>,
        /// What goes in.
        pub ingredients: Vec<IngredientDraft> => none,
    }
}

impl RecipeDraft {
    /// The draft when everything in it holds that can be seen without the stock. `may_remove`: an option's recipe may have
    /// negative quantities.
    ///
    /// # Errors
    /// All offending fields.
    pub fn checked(mut self, may_remove: bool) -> Result<RecipeDraft, Vec<FieldError>> {
        let mut checks = Checks::new();
        checks.require(self.makes.is_positive(), "yield", "must be more than 0");
        self.yield_unit = normal(&self.yield_unit);
        checks.require(!self.yield_unit.is_empty(), "unit", "must not be blank");
        let keeps = self.shelf_life_days.is_none_or(|days| (0..=3_650).contains(&days));
        checks.require(keeps, "shelfLifeDays", "must be from 0 to 3650");
        for (i, ingredient) in self.ingredients.iter_mut().enumerate() {
            let name = format!("ingredients[{i}]");
            let one = ingredient.stock_item_id.is_some() != ingredient.sub_recipe_id.is_some();
            checks.require(one, &name, "must name exactly one of inventoryItemId and subRecipeId");
            ingredient.unit = normal(&ingredient.unit);
            checks.require(!ingredient.unit.is_empty(), format!("{name}.unit"), "must not be blank");
            if may_remove {
                let some = ingredient.quantity != Quantity::ZERO;
                checks.require(some, format!("{name}.quantity"), "must not be 0");
            } else {
                checks.require(
                    ingredient.quantity.is_positive(),
                    format!("{name}.quantity"),
                    "must be more than 0",
                );
            }
        }
        if Ratio::units(self.makes).and_then(Ratio::inverse).is_err() {
            checks.require(!self.makes.is_positive(), "yield", "is out of range");
        }
        checks.finish(self)
    }
}
