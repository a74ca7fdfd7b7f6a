//! The CSV form of the menu. Pure: text in, rows out.
//!
//! Lists are separated by `;`, taxes are written `CGST 250; SGST 250` (`none` when exempt), variants `Half 9000; *Full 16000` (in
//! cents, a `*` before the default one) or as JSON, windows and components as JSON, modifier groups by name or as JSON with their options. Cells that a spreadsheet
//! would run as a formula carry a leading `'`, which import takes off again.

use super::{ExportedItem, MAX_ROWS};
use crate::http::FieldError;
use crate::http::csv::{CsvFile, unmarked};
use crate::resources::menu::rules::TaxComponent;
use crate::resources::outlets::rules::TaxKind;
use serde_json::{Map, Value, json};
use tiffin_common::Quantity;

/// The columns of the CSV form, in their order.
const COLUMNS: [&str; 25] = [
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
    "variants",
    "kind",
    "components",
    "availableFrom",
    "availableTo",
    "availableDays",
    "windows",
    "isActive",
    "sortOrder",
];

/// The rows as CSV with a header line.
///
/// # Errors
/// When the text cannot be put together (never for rows that were exported).
pub fn write_csv(rows: &[ExportedItem]) -> Result<String, csv::Error> {
    let mut file = CsvFile::new(COLUMNS)?;
    for row in rows {
        file.row(cells(row))?;
    }
    file.finish()
}

/// `CGST 250`, with its kind where the name does not tell it.
fn tax_cell(component: &TaxComponent) -> String {
    let (name, kind) = (&component.name, component.kind());
    let kind = if kind == TaxKind::of_component(name) { String::new() } else { format!(" {kind}") };
    format!("{name} {}{kind}", component.rate.get())
}

fn cells(row: &ExportedItem) -> [String; 25] {
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let number = |value: Option<i64>| value.map(|n| n.to_string()).unwrap_or_default();
    let taxes = row.tax_components.as_ref().map(|list| match list.as_slice() {
        [] => "none".to_owned(),
        list => list.iter().map(tax_cell).collect::<Vec<_>>().join("; "),
    });
    let days =
        row.available_days.as_ref().map(|days| days.iter().map(|d| d.name()).collect::<Vec<_>>().join(";"));
    let groups = match row.modifier_groups.as_slice() {
        [] => String::new(),
        groups => serde_json::to_string(groups).unwrap_or_default(),
    };
    let variants = match row.variants.as_slice() {
        [] => String::new(),
        variants => serde_json::to_string(variants).unwrap_or_default(),
    };
    let components = match row.components.as_slice() {
        [] => String::new(),
        components => serde_json::to_string(components).unwrap_or_default(),
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
        variants,
        row.kind.name().to_owned(),
        components,
        text(&row.available_from),
        text(&row.available_to),
        days.unwrap_or_default(),
        row.windows.as_ref().map(|w| serde_json::to_string(w).unwrap_or_default()).unwrap_or_default(),
        row.is_active.to_string(),
        row.sort_order.to_string(),
    ]
}

/// The rows of a CSV text as JSON objects in the shape of an imported item, each with its place. What does not fit a
/// column's type stays text, for the check of the shape to name.
///
/// # Errors
/// A file without the needed columns, with too many rows, or broken.
pub fn read_csv(text: &str, decimals: u32) -> Result<Vec<(String, Value)>, Vec<FieldError>> {
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
                put(&mut object, name, cell.trim(), decimals);
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

fn put(object: &mut Map<String, Value>, name: &'static str, cell: &str, decimals: u32) {
    let cell = unmarked(cell);
    let list = |cell: &str| {
        cell.split(';').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    let value = match name {
        // A blank cell says nothing where nothing cannot be.
        "priceCents" | "isActive" | "sortOrder" | "price" | "kind" if cell.is_empty() => return,
        "category" | "name" => json!(cell),
        "allergens" => json!(Vec::<String>::from_iter::<Vec<String>>(list(cell))),
        _ if cell.is_empty() => Value::Null,
        "priceCents" | "course" | "prepMinutes" | "sortOrder" => {
            cell.parse::<i64>().map_or_else(|_| json!(cell), |n| json!(n))
        }
        "price" => {
            object
                .insert("priceCents".into(), cents(cell, decimals).map_or_else(|| json!(cell), |n| json!(n)));
            return;
        }
        "isActive" => match cell.to_ascii_lowercase().as_str() {
            "true" | "yes" | "1" => json!(true),
            "false" | "no" | "0" => json!(false),
            _ => json!(cell),
        },
        "kind" => json!(cell.to_ascii_uppercase()),
        "dietary" => json!(cell.to_ascii_uppercase().replace(['-', ' '], "_")),
        "availableDays" => json!(Vec::<String>::from_iter::<Vec<String>>(list(&cell.to_ascii_uppercase()))),
        "taxComponents" => taxes(cell),
        "variants" if !cell.starts_with('[') => variants(cell),
        "modifierGroups" | "variants" | "windows" | "components" if cell.starts_with('[') => {
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

/// `120.5` in the smallest unit of a currency with that many decimals.
fn cents(text: &str, decimals: u32) -> Option<i64> {
    let millionths = text.parse::<Quantity>().ok()?.get();
    let smallest = 10_i64.checked_pow(6_u32.checked_sub(decimals)?)?;
    (millionths % smallest == 0).then_some(millionths / smallest)
}

/// `CGST 250; SGST 250` as components; text that is something else stays text.
fn taxes(cell: &str) -> Value {
    if cell.eq_ignore_ascii_case("none") {
        return json!([]);
    }
    let parts = cell.split(';').map(str::trim).filter(|part| !part.is_empty());
    let components: Option<Vec<Value>> = parts
        .map(|part| {
            let (first, last) = part.rsplit_once(' ')?;
            let (part, kind) = match TaxKind::of_name(last) {
                Some(kind) => (first.trim_end(), Some(kind)),
                None => (part, None),
            };
            let (name, rate) = part.rsplit_once(' ')?;
            let mut component = json!({"name": name.trim(), "rateBps": rate.parse::<i64>().ok()?});
            if let (Some(kind), Some(component)) = (kind, component.as_object_mut()) {
                component.insert("kind".into(), json!(kind));
            }
            Some(component)
        })
        .collect();
    components.map_or_else(|| json!(cell), Value::Array)
}

/// `Half 9000; *Full 16000` as the list it means; what it cannot be stays text.
fn variants(cell: &str) -> Value {
    let parts = cell.split(';').map(str::trim).filter(|part| !part.is_empty());
    let variants: Option<Vec<Value>> = parts
        .map(|part| {
            let (name, price) = part.rsplit_once(' ')?;
            let default = name.strip_prefix('*');
            let name = default.unwrap_or(name).trim();
            Some(json!({"name": name, "priceCents": price.parse::<i64>().ok()?, "isDefault": default.is_some()}))
        })
        .collect();
    variants.map_or_else(|| json!(cell), Value::Array)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_may_be_written_as_people_write_them() {
        let text = "\u{feff}Category;Name;Price;Is Active;Tax components\nMains;Thali;120.50;yes;CGST 250; SGST 250\n";
        let rows = read_csv(text, 2).unwrap();
        assert_eq!(rows[0].0, "rows[2]");
        assert_eq!(rows[0].1["priceCents"], 12_050);
        let yen = read_csv("category,name,price\nA,B,1500\nA,C,1.5\n", 0).unwrap();
        assert_eq!([&yen[0].1["priceCents"], &yen[1].1["priceCents"]], [&json!(1_500), &json!("1.5")]);
        assert_eq!(rows[0].1["isActive"], true);
        assert_eq!(rows[0].1["taxComponents"], json!([{"name": "CGST", "rateBps": 250}]));
        assert_eq!(
            taxes("Liquor tax 2000 GST"),
            json!([{"name": "Liquor tax", "rateBps": 2_000, "kind": "GST"}])
        );
    }

    #[test]
    fn a_file_without_the_needed_columns_says_which() {
        let names: Vec<String> =
            read_csv("dish,price\nx,1\n", 2).unwrap_err().into_iter().map(|f| f.name).collect();
        assert_eq!(names, ["rows[1].category", "rows[1].name"]);
    }

    #[test]
    fn variants_may_be_written_in_short() {
        assert_eq!(
            variants("Half 9000; *Full plate 16000"),
            json!([
                {"name": "Half", "priceCents": 9_000, "isDefault": false},
                {"name": "Full plate", "priceCents": 16_000, "isDefault": true},
            ])
        );
        assert_eq!(variants("Half"), json!("Half"));
    }

    #[test]
    fn what_does_not_fit_stays_text_for_the_check_to_name() {
        let rows = read_csv("category,name,priceCents,taxComponents\nA,B,free,GST\n", 2).unwrap();
        assert_eq!(rows[0].1["priceCents"], "free");
        assert_eq!(rows[0].1["taxComponents"], "GST");
    }
}
