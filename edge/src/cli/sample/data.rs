//! The sample restaurant as data: the types of `restaurant.json` beside this file.
//! Knows no database and no resource; `seed` turns it into rows.

use tiffin_common::{Bps, Cents, Quantity, UnitCost};

/// The whole restaurant. References between its parts are by `key`, which is unique within its list and never changes.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Restaurant {
    /// What the outlet's record says beyond the options of `edge init`.
    pub outlet: Outlet,
    /// Kinds of tax.
    pub tax_categories: Vec<TaxCategory>,
    /// Where things are prepared.
    pub stations: Vec<Station>,
    /// Who delivers.
    pub suppliers: Vec<Supplier>,
    /// What is in the store room.
    pub stock_items: Vec<StockItem>,
    /// What the kitchen makes ahead: recipes that are ingredients of others, in an order in which each uses only
    /// earlier ones.
    pub preparations: Vec<Preparation>,
    /// Choices a guest has.
    pub modifier_groups: Vec<ModifierGroup>,
    /// The chapters of the menu.
    pub categories: Vec<Category>,
    /// What is sold.
    pub menu_items: Vec<MenuItem>,
    /// Where guests sit.
    pub tables: Vec<Table>,
    /// Who works here.
    pub employees: Vec<Employee>,
    /// Who may sign in: one account per role.
    pub accounts: Vec<Account>,
}

/// Fields of the outlet.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Outlet {
    /// Used when `--outlet-name` is not given.
    pub name: String,
    /// Postal address.
    pub address: String,
    /// Telephone.
    pub phone: String,
    /// GSTIN.
    pub tax_id: String,
    /// FSSAI number.
    pub licence_number: String,
    /// GST scheme.
    pub tax_scheme: crate::resources::outlets::rules::TaxScheme,
    /// What cash totals are rounded to.
    pub cash_rounding_cents: Cents,
    /// Service charge.
    pub service_charge_bps: Bps,
}

/// A tax category with its components.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaxCategory {
    /// Reference.
    pub key: String,
    /// As printed.
    pub name: String,
    /// The taxes; none when exempt.
    pub components: Vec<TaxComponent>,
}

/// One tax of a category.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TaxComponent {
    /// CGST, SGST …
    pub name: String,
    /// Its rate.
    pub rate_bps: Bps,
}

/// A preparation station.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Station {
    /// Reference.
    pub key: String,
    /// As shown.
    pub name: String,
    /// PREP or EXPO.
    pub kind: String,
    /// Whether items without a station go there.
    pub is_default: bool,
    /// Minutes a ticket should take.
    pub target_minutes: i64,
}

/// A supplier.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Supplier {
    /// Reference.
    pub key: String,
    /// Firm.
    pub name: String,
    /// Person.
    pub contact_name: String,
    /// Telephone.
    pub phone: String,
    /// Where orders are sent.
    pub email: String,
    /// Postal address.
    pub address: String,
    /// GSTIN.
    pub tax_id: String,
    /// Days from order to delivery.
    pub lead_time_days: i64,
}

/// A stock item with its opening batches, oldest first.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StockItem {
    /// Reference.
    pub key: String,
    /// As shown.
    pub name: String,
    /// Shelf.
    pub category: String,
    /// What it is counted in: g, kg, ml, l, pcs.
    pub unit: String,
    /// Unique code.
    pub sku: String,
    /// FEFO or FIFO.
    pub rotation: String,
    /// Key of the usual supplier.
    pub supplier: String,
    /// At or below it the item is low.
    pub min_stock_threshold: Quantity,
    /// What an order fills up to.
    pub par_level: Quantity,
    /// Units it is bought in: how many stock units are in one.
    pub unit_conversions: Vec<UnitConversion>,
    /// What is there on the first day.
    pub batches: Vec<Batch>,
}

/// A larger unit of a stock item.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UnitConversion {
    /// Its name: crate, bag.
    pub unit: String,
    /// Stock units in one.
    pub factor: Quantity,
}

/// An opening batch.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Batch {
    /// In the item's unit.
    pub quantity: Quantity,
    /// What one unit cost.
    pub unit_cost_cents: UnitCost,
    /// Days from the first day to its expiry; none for what keeps for ever.
    pub shelf_life_days: Option<u32>,
}

/// One ingredient: exactly one of `item` and `recipe`.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Ingredient {
    /// Key of a stock item.
    pub item: Option<String>,
    /// Key of a preparation.
    pub recipe: Option<String>,
    /// How much; negative in an option that leaves something out.
    pub quantity: Quantity,
    /// Of which unit.
    pub unit: String,
}

/// A recipe that other recipes use.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Preparation {
    /// Reference.
    pub key: String,
    /// As shown.
    pub name: String,
    /// How much one making gives.
    #[serde(rename = "yield")]
    pub makes: Quantity,
    /// Of which unit.
    pub unit: String,
    /// What goes in.
    pub ingredients: Vec<Ingredient>,
}

/// A modifier group.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModifierGroup {
    /// Reference.
    pub key: String,
    /// As shown.
    pub name: String,
    /// At least so many options.
    pub min_selections: i64,
    /// At most so many; none for any number.
    pub max_selections: Option<i64>,
    /// The options, in their order.
    pub options: Vec<ModifierOption>,
}

/// One option of a group.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModifierOption {
    /// Reference within the group.
    pub key: String,
    /// As shown.
    pub name: String,
    /// Added to the item's price.
    pub price_cents: Cents,
    /// Chosen when nothing is said.
    pub is_default: bool,
    /// How often guests choose it, of 100.
    pub popularity: u32,
    /// What it adds to the item's recipe, or leaves out.
    #[serde(default)]
    pub recipe: Vec<Ingredient>,
}

/// A menu category.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Category {
    /// Reference.
    pub key: String,
    /// As shown.
    pub name: String,
    /// Under the heading.
    pub description: String,
}

/// A menu item.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MenuItem {
    /// Reference.
    pub key: String,
    /// Key of its category.
    pub category: String,
    /// As the guest reads it.
    pub name: String,
    /// As the kitchen reads it.
    pub kitchen_name: String,
    /// A line for the guest.
    pub description: Option<String>,
    /// Unique code.
    pub sku: String,
    /// Price before tax.
    pub price_cents: Cents,
    /// Key of its tax category.
    pub tax_category: String,
    /// HSN or SAC code for the bill.
    pub hsn_sac: String,
    /// Key of its station.
    pub station: String,
    /// 1 starters, 2 mains, 3 desserts and hot drinks.
    pub course: i64,
    /// Minutes from start to ready.
    pub prep_minutes: i64,
    /// VEG, NON_VEG, EGG or VEGAN.
    pub dietary: String,
    /// What to warn of.
    pub allergens: Vec<String>,
    /// Keys of its modifier groups.
    pub modifier_groups: Vec<String>,
    /// How often it is ordered, relative to the others.
    pub popularity: u32,
    /// What goes into it.
    pub recipe: Recipe,
}

/// The recipe of a menu item.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Recipe {
    /// Portions one making gives.
    #[serde(rename = "yield")]
    pub makes: Quantity,
    /// What goes in.
    pub ingredients: Vec<Ingredient>,
}

/// A table.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Table {
    /// Its number, unique.
    pub number: String,
    /// Part of the house.
    pub area: String,
    /// Chairs.
    pub seats: i64,
    /// On the floor plan.
    pub position: Position,
}

/// A place on the floor plan.
#[derive(Debug, Clone, Copy, serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Position {
    /// From the left.
    pub x: i64,
    /// From the top.
    pub y: i64,
}

/// An employee.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Employee {
    /// EMP01 … EMP12.
    pub employee_code: String,
    /// Full name.
    pub name: String,
    /// What they do.
    pub job_title: String,
    /// Telephone.
    pub phone: String,
    /// Key of the station they work at.
    pub station: Option<String>,
    /// Wage of an hour.
    pub hourly_rate_cents: Cents,
    /// FULL_TIME or PART_TIME.
    pub employment_type: String,
    /// First day.
    pub hired_on: chrono::NaiveDate,
    /// Sample PIN.
    pub pin: String,
}

/// An account.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Account {
    /// What they sign in with.
    pub email: String,
    /// Role.
    pub role: String,
    /// Shown name.
    pub name: String,
    /// Code of the employee it belongs to.
    pub employee: Option<String>,
}

const TEXT: &str = include_str!("restaurant.json");

/// The sample restaurant. Errors only when the file that was compiled in is not what the types say, which a test excludes.
pub fn load() -> Result<Restaurant, serde_json::Error> {
    serde_json::from_str(TEXT)
}

#[cfg(test)]
mod tests;
