//! The menu as a file: the rows that import takes and export gives, in JSON and in CSV, such that an export taken in again
//! changes nothing. Pure: text in, rows out.
//!
//! In CSV: lists are separated by `;`, taxes are written `CGST 250; SGST 250` (`none` when exempt), modifier groups by name
//! or as JSON with their options. Cells that a spreadsheet would run as a formula carry a leading `'`, which import takes
//! off again.

use super::availability::Weekday;
use super::items::{Dietary, ItemDraft, MenuItem};
use super::{TaxCategory, TaxComponent};
use crate::http::{Change, FieldError, Patch};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use tiffin_common::{Cents, Quantity, Uuid};

/// The most rows of one import.
pub const MAX_ROWS: usize = 5_000;

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
    /// For guests.
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
    pub price_cents: Change<Cents>,
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
    /// A picture.
    #[serde(default)]
    #[schemars(length(max = 500))]
    pub image_url: Patch<String>,
    /// The choices; made when no group of that name has the same options.
    #[serde(default)]
    #[schemars(length(max = 30))]
    pub modifier_groups: Patch<Vec<ImportedGroup>>,
    /// `HH:MM`.
    #[serde(default)]
    #[schemars(length(max = 5))]
    pub available_from: Patch<String>,
    /// `HH:MM`.
    #[serde(default)]
    #[schemars(length(max = 5))]
    pub available_to: Patch<String>,
    /// Every day when null.
    #[serde(default)]
    #[schemars(length(min = 1, max = 7))]
    pub available_days: Patch<Vec<Weekday>>,
    /// Whether it is for sale at all.
    #[serde(default)]
    pub is_active: Change<bool>,
    /// Lower comes first; the place in the file for a new dish.
    #[serde(default)]
    #[schemars(range(min = -1_000_000, max = 1_000_000))]
    pub sort_order: Change<i64>,
}

/// A modifier group in a file: by name alone, or with its options.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
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
}

/// An option in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
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
}

fn yes() -> bool {
    true
}

/// A row and where it stands in its file, such as `rows[2]` (the second line of a spreadsheet).
#[derive(Debug, Clone)]
pub struct SourceRow {
    /// Where it stands.
    pub path: String,
    /// What it says.
    pub item: ImportedItem,
}

/// A dish as export gives it; the same members as [`ImportedItem`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the members of ImportedItem, described there")]
pub struct ExportedItem {
    pub category: String,
    pub name: String,
    pub kitchen_name: Option<String>,
    pub description: Option<String>,
    pub sku: Option<String>,
    pub price_cents: Cents,
    pub tax_category: Option<String>,
    pub tax_components: Option<Vec<TaxComponent>>,
    pub hsn_sac: Option<String>,
    pub station: Option<String>,
    pub course: Option<i64>,
    pub prep_minutes: Option<i64>,
    pub dietary: Option<Dietary>,
    pub allergens: Vec<String>,
    pub image_url: Option<String>,
    pub modifier_groups: Vec<ImportedGroup>,
    pub available_from: Option<String>,
    pub available_to: Option<String>,
    pub available_days: Option<Vec<Weekday>>,
    pub is_active: bool,
    pub sort_order: i64,
}

/// The columns of the CSV form, in their order.
pub const COLUMNS: [&str; 21] = [
    "category",
    "name",
    "kitchenName",
    "description",
    "sku",
    "priceCents",
    "taxCategory",
    "taxComponents",
    "hsnSac",
    "station",
    "course",
    "prepMinutes",
    "dietary",
    "allergens",
    "imageUrl",
    "modifierGroups",
    "availableFrom",
    "availableTo",
    "availableDays",
    "isActive",
    "sortOrder",
];

/// `item` as a row of a file.
pub fn exported(
    item: &MenuItem,
    category: &str,
    taxes: &HashMap<Uuid, TaxCategory>,
    stations: &HashMap<Uuid, String>,
) -> ExportedItem {
    let tax = item.tax_category_id.and_then(|id| taxes.get(&id));
    let draft = ItemDraft::from(item);
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
            })
            .collect(),
    });
    ExportedItem {
        category: category.to_owned(),
        name: draft.name,
        kitchen_name: draft.kitchen_name,
        description: draft.description,
        sku: draft.sku,
        price_cents: draft.price,
        tax_category: tax.map(|t| t.name.clone()),
        tax_components: tax.map(|t| t.components.clone()),
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
    }
}

/// The rows as CSV with a header line.
///
/// # Errors
/// When the text cannot be put together (never for rows that were exported).
pub fn write_csv(rows: &[ExportedItem]) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    for row in rows {
        writer.write_record(cells(row).iter().map(|cell| harmless(cell)))?;
    }
    let bytes = writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn cells(row: &ExportedItem) -> [String; 21] {
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let number = |value: Option<i64>| value.map(|n| n.to_string()).unwrap_or_default();
    let taxes = row.tax_components.as_ref().map(|list| match list.as_slice() {
        [] => "none".to_owned(),
        list => list.iter().map(|c| format!("{} {}", c.name, c.rate.get())).collect::<Vec<_>>().join("; "),
    });
    let days =
        row.available_days.as_ref().map(|days| days.iter().map(|d| d.name()).collect::<Vec<_>>().join(";"));
    let groups = match row.modifier_groups.as_slice() {
        [] => String::new(),
        groups => serde_json::to_string(groups).unwrap_or_default(),
    };
    [
        row.category.clone(),
        row.name.clone(),
        text(&row.kitchen_name),
        text(&row.description),
        text(&row.sku),
        row.price_cents.get().to_string(),
        text(&row.tax_category),
        taxes.unwrap_or_default(),
        text(&row.hsn_sac),
        text(&row.station),
        number(row.course),
        number(row.prep_minutes),
        row.dietary.map(|d| d.name().to_owned()).unwrap_or_default(),
        row.allergens.join(";"),
        text(&row.image_url),
        groups,
        text(&row.available_from),
        text(&row.available_to),
        days.unwrap_or_default(),
        row.is_active.to_string(),
        row.sort_order.to_string(),
    ]
}

/// Whether a spreadsheet may run a cell that begins so, or we have marked it ourselves.
fn is_risky(start: Option<char>) -> bool {
    matches!(start, Some('=' | '+' | '-' | '@' | '\t' | '\r' | '\''))
}

fn harmless(cell: &str) -> String {
    let digits = cell.strip_prefix('-').unwrap_or_default();
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    if is_risky(cell.chars().next()) && !is_number { format!("'{cell}") } else { cell.to_owned() }
}

fn unmarked(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(rest) if is_risky(rest.chars().next()) => rest,
        _ => cell,
    }
}

/// The rows of a CSV text as JSON objects in the shape of [`ImportedItem`], each with its place. What does not fit a
/// column's type stays text, for the check of the shape to name.
///
/// # Errors
/// A file without the needed columns, with too many rows, or broken.
pub fn read_csv(text: &str) -> Result<Vec<(String, Value)>, Vec<FieldError>> {
    let text = text.trim_start_matches('\u{feff}');
    let first = text.lines().next().unwrap_or_default();
    let delimiter = if !first.contains(',') && first.contains(';') { b';' } else { b',' };
    let mut reader =
        csv::ReaderBuilder::new().flexible(true).delimiter(delimiter).from_reader(text.as_bytes());
    let broken = |row: usize| vec![FieldError::new(format!("rows[{row}]"), "is not valid CSV")];
    let headers = reader.headers().map_err(|_| broken(1))?.clone();
    let columns: Vec<Option<&'static str>> = headers.iter().map(column).collect();
    let has = |name: &str| columns.contains(&Some(name));
    let missing: Vec<FieldError> = ["category", "name"]
        .into_iter()
        .filter(|name| !has(name))
        .map(|name| FieldError::new(format!("rows[1].{name}"), "is required as a column"))
        .collect();
    if !missing.is_empty() {
        return Err(missing);
    }
    let mut rows = Vec::new();
    for (i, record) in reader.records().enumerate() {
        // The header is row 1 of a spreadsheet.
        let number = i + 2;
        let record = record.map_err(|_| broken(number))?;
        if record.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        let mut object = Map::new();
        for (name, cell) in columns.iter().zip(record.iter()) {
            if let Some(name) = name {
                put(&mut object, name, cell.trim());
            }
        }
        rows.push((format!("rows[{number}]"), Value::Object(object)));
        if rows.len() > MAX_ROWS {
            return Err(vec![FieldError::new("rows", format!("must have at most {MAX_ROWS} elements"))]);
        }
    }
    Ok(rows)
}

/// The column a header means, however it is written: `Price cents`, `price_cents`, `priceCents`.
fn column(header: &str) -> Option<&'static str> {
    let plain: String = header.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    COLUMNS.iter().chain(&["price"]).copied().find(|name| name.to_ascii_lowercase() == plain)
}

fn put(object: &mut Map<String, Value>, name: &'static str, cell: &str) {
    let cell = unmarked(cell);
    let list = |cell: &str| {
        cell.split(';').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    let value = match name {
        // A blank cell says nothing where nothing cannot be.
        "priceCents" | "isActive" | "sortOrder" | "price" if cell.is_empty() => return,
        "category" | "name" => json!(cell),
        "allergens" => json!(Vec::<String>::from_iter::<Vec<String>>(list(cell))),
        _ if cell.is_empty() => Value::Null,
        "priceCents" | "course" | "prepMinutes" | "sortOrder" => {
            cell.parse::<i64>().map_or_else(|_| json!(cell), |n| json!(n))
        }
        "price" => {
            object.insert("priceCents".into(), cents(cell).map_or_else(|| json!(cell), |n| json!(n)));
            return;
        }
        "isActive" => match cell.to_ascii_lowercase().as_str() {
            "true" | "yes" | "1" => json!(true),
            "false" | "no" | "0" => json!(false),
            _ => json!(cell),
        },
        "dietary" => json!(cell.to_ascii_uppercase().replace(['-', ' '], "_")),
        "availableDays" => json!(Vec::<String>::from_iter::<Vec<String>>(list(&cell.to_ascii_uppercase()))),
        "taxComponents" => taxes(cell),
        "modifierGroups" if cell.starts_with('[') => {
            serde_json::from_str(cell).unwrap_or_else(|_| json!(cell))
        }
        "modifierGroups" => {
            let names: Vec<String> = list(cell);
            json!(names.iter().map(|name| json!({ "name": name })).collect::<Vec<_>>())
        }
        _ => json!(cell),
    };
    object.insert(name.to_owned(), value);
}

/// `120.5` in cents.
fn cents(text: &str) -> Option<i64> {
    let millionths = text.parse::<Quantity>().ok()?.get();
    (millionths % 10_000 == 0).then_some(millionths / 10_000)
}

/// `CGST 250; SGST 250` as components; text that is something else stays text.
fn taxes(cell: &str) -> Value {
    if cell.eq_ignore_ascii_case("none") {
        return json!([]);
    }
    let parts = cell.split(';').map(str::trim).filter(|part| !part.is_empty());
    let components: Option<Vec<Value>> = parts
        .map(|part| {
            let (name, rate) = part.rsplit_once(' ')?;
            Some(json!({"name": name.trim(), "rateBps": rate.parse::<i64>().ok()?}))
        })
        .collect();
    components.map_or_else(|| json!(cell), Value::Array)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_made_harmless_and_come_back() {
        for text in ["=1+1", "+44", "-x", "@sum", "'quoted", "'=1", "plain", "it's"] {
            let cell = harmless(text);
            assert!(!matches!(cell.chars().next(), Some('=' | '+' | '-' | '@')), "{cell}");
            assert_eq!(unmarked(&cell), text);
        }
        assert_eq!(harmless("-3"), "-3");
    }

    #[test]
    fn headers_may_be_written_as_people_write_them() {
        let text = "\u{feff}Category;Name;Price;Is Active;Tax components\nMains;Thali;120.50;yes;CGST 250; SGST 250\n";
        let rows = read_csv(text).unwrap();
        assert_eq!(rows[0].0, "rows[2]");
        assert_eq!(rows[0].1["priceCents"], 12_050);
        assert_eq!(rows[0].1["isActive"], true);
        assert_eq!(rows[0].1["taxComponents"], json!([{"name": "CGST", "rateBps": 250}]));
    }

    #[test]
    fn a_file_without_the_needed_columns_says_which() {
        let names: Vec<String> =
            read_csv("dish,price\nx,1\n").unwrap_err().into_iter().map(|f| f.name).collect();
        assert_eq!(names, ["rows[1].category", "rows[1].name"]);
    }

    #[test]
    fn what_does_not_fit_stays_text_for_the_check_to_name() {
        let rows = read_csv("category,name,priceCents,taxComponents\nA,B,free,GST\n").unwrap();
        assert_eq!(rows[0].1["priceCents"], "free");
        assert_eq!(rows[0].1["taxComponents"], "GST");
    }
}
