//! Stock items, suppliers and recipes as files name them: everything by name, code or id. Pure.

use super::drafts::{AgreedPrice, ItemDraft, SupplierDraft};
use super::pick::Rotation;
use super::units::UnitConversion;
use crate::http::intake::{Found, Intake, Names};
use crate::http::{Checks, FieldError, Patch, Replace};
use chrono::NaiveDate;
use serde_json::{Value, json};
use tiffin_common::{Quantity, UnitCost, Uuid};

patch! {
    /// A stock item as a file names it. What is absent keeps what is there.
    pub struct ImportedStockItem of ItemDraft {
        /// The item that is meant; else the one of that `sku`, else the one of that name, else a new one.
        id: Option<Uuid> => none,
        /// The name that people read; unique in the outlet.
        #[schemars(length(min = 1, max = 120))]
        name: Replace<String>,
        /// The shelf it is sorted under; required for a new item.
        #[schemars(length(min = 1, max = 60))]
        category: Replace<String>,
        /// What it is counted in; required for a new item, and only changed while nothing has moved.
        #[schemars(length(min = 1, max = 20))]
        unit: Replace<String>,
        #[schemars(length(min = 1, max = 40))]
        sku: Patch<String>,
        rotation: Replace<Rotation>,
        #[schemars(range(min = 0))]
        min_stock_threshold: Replace<Quantity>,
        #[schemars(range(min = 0))]
        par_level: Patch<Quantity>,
        /// The usual supplier, by name or id.
        #[schemars(length(max = 120))]
        supplier: Patch<String> => none,
        /// Other units it is bought or used in. In CSV also `crate 18; bag 25`.
        #[schemars(length(max = 20))]
        unit_conversions: Replace<Vec<UnitConversion>>,
        /// What is there of it on the first day. A batch whose number is there already is left as it is.
        #[schemars(length(max = 100))]
        batches: Vec<ImportedBatch> => none,
    }
}

/// A batch that is there on the first day.
#[apply(value!)]
pub struct ImportedBatch {
    /// How much, in the item's unit.
    #[schemars(range(min = 0), extend("exclusiveMinimum" = 0))]
    pub quantity: Quantity,
    /// What one unit cost; nothing where absent.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub unit_cost_cents: Option<UnitCost>,
    /// As its label says; `OPENING`, then `OPENING-2`, where absent.
    #[serde(default)]
    #[schemars(length(min = 1, max = 60))]
    pub batch_number: Option<String>,
    /// The last date it may be used.
    #[serde(default)]
    pub expiry_date: Option<NaiveDate>,
}

impl Intake for ImportedStockItem {
    const NEEDED: &'static [&'static str] = &["name"];

    fn short(column: &str, cell: &str) -> Option<Value> {
        (column == "unitConversions" && !cell.starts_with('[')).then(|| conversions(cell))
    }
}

/// `crate 18; bag 25` as the list it means; what it cannot be stays text.
fn conversions(cell: &str) -> Value {
    let parts = cell.split(';').map(str::trim).filter(|part| !part.is_empty());
    let list: Option<Vec<Value>> = parts
        .map(|part| {
            let (unit, factor) = part.rsplit_once(' ')?;
            let factor: serde_json::Number = factor.parse().ok()?;
            Some(json!({"unit": unit.trim(), "factor": factor}))
        })
        .collect();
    list.map_or_else(|| json!(cell), Value::Array)
}

/// What a cell refers to; where it is none of them, or several, that is noted.
fn referred(word: &str, names: &Names, field: &str, what: &str, checks: &mut Checks) -> Option<Uuid> {
    match names.find(word) {
        Found::One(id) => return Some(id),
        Found::Several => checks.add(field, format!("names several {what}s; give the id")),
        Found::None => checks.add(field, format!("is not a {what} of this outlet")),
    }
    None
}

impl ImportedStockItem {
    /// The item that is meant.
    pub fn find(&self, items: &Names) -> Option<Uuid> {
        let by_sku = || self.sku.set().and_then(|sku| items.by_code(sku));
        let by_name = || match items.by_name(self.name.0.as_deref()?) {
            Found::One(id) => Some(id),
            _ => None,
        };
        self.id.and_then(|id| items.by_id(id)).or_else(by_sku).or_else(by_name)
    }

    /// What it says is there on the first day.
    pub fn take_batches(&mut self) -> Vec<ImportedBatch> {
        std::mem::take(&mut self.batches)
    }

    /// Whether it says that something is there.
    pub fn has_batches(&self) -> bool {
        !self.batches.is_empty()
    }

    /// The item as the file leaves it, where it was `before`.
    ///
    /// # Errors
    /// All offending fields.
    pub fn over_before(
        mut self,
        before: Option<&ItemDraft>,
        suppliers: &Names,
    ) -> Result<ItemDraft, Vec<FieldError>> {
        let mut checks = Checks::new();
        let base = before.cloned().unwrap_or_else(|| {
            let given = [(&self.name, "name"), (&self.category, "category"), (&self.unit, "unit")];
            for (field, name) in given {
                checks.require(field.0.is_some(), name, "is required for a new item");
            }
            ItemDraft {
                name: String::new(),
                category: String::new(),
                unit: String::new(),
                sku: None,
                rotation: Rotation::Fefo,
                min_stock_threshold: Quantity::ZERO,
                par_level: None,
                supplier_id: None,
                unit_conversions: Vec::new(),
            }
        });
        let supplier_id = match std::mem::take(&mut self.supplier) {
            Patch::Keep => base.supplier_id,
            Patch::Clear => None,
            Patch::Set(word) => referred(&word, suppliers, "supplier", "supplier", &mut checks),
        };
        over(checks, ItemDraft { supplier_id, ..self.over(base) }.checked())
    }
}

/// The draft where nothing was found, in it or before.
fn over<T>(checks: Checks, checked: Result<T, Vec<FieldError>>) -> Result<T, Vec<FieldError>> {
    let mut found = checks.finish(()).err().unwrap_or_default();
    match checked {
        Ok(draft) if found.is_empty() => Ok(draft),
        Ok(_) => Err(found),
        Err(more) => {
            found.extend(more);
            Err(found)
        }
    }
}

patch! {
    /// A supplier as a file names it. What is absent keeps what is there.
    pub struct ImportedSupplier of SupplierDraft {
        /// The supplier that is meant; else the one of that name, else a new one.
        id: Option<Uuid> => none,
        /// The firm; unique in the outlet.
        #[schemars(length(min = 1, max = 120))]
        name: Replace<String>,
        #[schemars(length(max = 120))]
        contact_name: Patch<String>,
        #[schemars(length(max = 40))]
        phone: Patch<String>,
        #[schemars(length(max = 254))]
        email: Patch<String>,
        #[schemars(length(max = 300))]
        address: Patch<String>,
        #[schemars(length(max = 40))]
        tax_id: Patch<String>,
        /// Days from order to delivery; 1 for a new supplier.
        #[schemars(range(min = 0, max = 365))]
        lead_time_days: Replace<i64>,
        /// What was agreed to be paid, in the place of all that was.
        #[schemars(length(max = 1_000))]
        agreed_prices: Replace<Vec<ImportedPrice>> => none,
    }
}

/// What was agreed to be paid for an item, in a file.
#[apply(value!)]
pub struct ImportedPrice {
    /// The stock item, by id, sku or name.
    #[schemars(length(min = 1, max = 120))]
    pub item: String,
    /// Of which unit; the item's where absent.
    #[serde(default)]
    #[schemars(length(min = 1, max = 20))]
    pub unit: Option<String>,
    /// What one such unit costs.
    #[schemars(range(min = 0))]
    pub unit_cost_cents: UnitCost,
}

impl Intake for ImportedSupplier {
    const NEEDED: &'static [&'static str] = &["name"];
}

impl ImportedSupplier {
    /// The supplier that is meant.
    pub fn find(&self, suppliers: &Names) -> Option<Uuid> {
        let by_name = || match suppliers.by_name(self.name.0.as_deref()?) {
            Found::One(id) => Some(id),
            _ => None,
        };
        self.id.and_then(|id| suppliers.by_id(id)).or_else(by_name)
    }

    /// The supplier as the file leaves it, where it was `before`.
    ///
    /// # Errors
    /// All offending fields.
    pub fn over_before(
        mut self,
        before: Option<&SupplierDraft>,
        items: &Names,
    ) -> Result<SupplierDraft, Vec<FieldError>> {
        let mut checks = Checks::new();
        let base = before.cloned().unwrap_or_else(|| {
            checks.require(self.name.0.is_some(), "name", "is required");
            SupplierDraft {
                name: String::new(),
                contact_name: None,
                phone: None,
                email: None,
                address: None,
                tax_id: None,
                lead_time_days: 1,
                agreed_prices: Vec::new(),
            }
        });
        let prices = std::mem::take(&mut self.agreed_prices).0.map(|prices| {
            let priced = prices.into_iter().enumerate().filter_map(|(i, price)| {
                let field = format!("agreedPrices[{i}].item");
                let inventory_item_id = referred(&price.item, items, &field, "stock item", &mut checks)?;
                Some(AgreedPrice {
                    inventory_item_id,
                    unit: price.unit,
                    unit_cost_cents: price.unit_cost_cents,
                })
            });
            priced.collect()
        });
        let agreed_prices = prices.unwrap_or_else(|| base.agreed_prices.clone());
        over(checks, SupplierDraft { agreed_prices, ..self.over(base) }.checked())
    }
}

/// A stock item as export gives it: the members of [`ImportedStockItem`] but its batches, which move on by themselves.
#[apply(figures!)]
#[expect(missing_docs, reason = "the members of ImportedStockItem, described there")]
pub struct ExportedStockItem {
    pub id: Uuid,
    pub name: String,
    pub category: String,
    pub unit: String,
    pub sku: Option<String>,
    pub rotation: Rotation,
    pub min_stock_threshold: Quantity,
    pub par_level: Option<Quantity>,
    /// Name of the usual supplier.
    pub supplier: Option<String>,
    pub unit_conversions: Vec<UnitConversion>,
}

impl ExportedStockItem {
    /// The columns of its CSV form.
    pub const COLUMNS: &'static [&'static str] = &[
        "id",
        "name",
        "category",
        "unit",
        "sku",
        "rotation",
        "minStockThreshold",
        "parLevel",
        "supplier",
        "unitConversions",
    ];
}

/// A supplier as export gives it: the members of [`ImportedSupplier`].
#[apply(figures!)]
#[expect(missing_docs, reason = "the members of ImportedSupplier, described there")]
pub struct ExportedSupplier {
    pub id: Uuid,
    pub name: String,
    pub contact_name: Option<String>,
    pub phone: Option<String>,
    pub email: Option<String>,
    pub address: Option<String>,
    pub tax_id: Option<String>,
    pub lead_time_days: i64,
    /// What was agreed to be paid, with the items' names.
    pub agreed_prices: Vec<ImportedPrice>,
}

impl ExportedSupplier {
    /// The columns of its CSV form.
    pub const COLUMNS: &'static [&'static str] = &[
        "id",
        "name",
        "contactName",
        "phone",
        "email",
        "address",
        "taxId",
        "leadTimeDays",
        "agreedPrices.item",
        "agreedPrices.unit",
        "agreedPrices.unitCostCents",
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_may_be_written_in_short() {
        let list = json!([{"unit": "crate", "factor": 18}, {"unit": "half bag", "factor": 12.5}]);
        assert_eq!(conversions("crate 18; half bag 12.5"), list);
        assert_eq!(conversions("crate"), json!("crate"));
    }

    #[test]
    fn all_that_is_wrong_with_a_new_item_is_named_at_once() {
        let item: ImportedStockItem =
            serde_json::from_value(json!({"supplier": "Nobody", "minStockThreshold": -1})).unwrap();
        let found = item.over_before(None, &Names::default()).unwrap_err();
        let mut names: Vec<&str> = found.iter().map(|field| field.name.as_str()).collect();
        names.dedup();
        assert_eq!(
            names,
            ["name", "category", "unit", "supplier", "name", "category", "unit", "minStockThreshold"]
        );
    }
}
