//! The CSV form of the menu. Pure: text in, rows out.
//!
//! Lists are separated by `;`, taxes are written `CGST 250; SGST 250` (`none` when exempt), variants `Half 9000; *Full 16000` (in
//! cents, a `*` before the default one) or as JSON, windows and components as JSON, modifier groups by name or as JSON with their options. Cells that a spreadsheet
//! would run as a formula carry a leading `'`, which import takes off again.

use super::{ExportedItem, ImportedItem};
use crate::http::csv::CsvFile;
use crate::http::intake::Intake;
use crate::resources::menu::rules::TaxComponent;
use crate::resources::outlets::rules::TaxKind;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The columns of the CSV form, in their order.
const COLUMNS: [&str; 29] = [
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
    "energyKcal",
    "servingSize",
    "soldBy",
    "weightUnit",
];

/// The rows as CSV with a header line, with two columns for each of `languages` and of those that something is said in.
///
/// # Errors
/// When the text cannot be put together (never for rows that were exported).
pub fn write_csv(rows: &[ExportedItem], languages: &[String]) -> Result<String, csv::Error> {
    let said = rows.iter().flat_map(|row| row.texts.languages());
    let languages: BTreeSet<&str> = languages.iter().map(String::as_str).chain(said).collect();
    let of = |language: &&str| [format!("texts.{language}.name"), format!("texts.{language}.description")];
    let columns = COLUMNS.into_iter().map(str::to_owned).chain(languages.iter().flat_map(of));
    let mut file = CsvFile::new(columns)?;
    for row in rows {
        let words = |language: &&str| {
            let said = row.texts.said(language).cloned().unwrap_or_default();
            [said.name.unwrap_or_default(), said.description.unwrap_or_default()]
        };
        file.row(cells(row).into_iter().chain(languages.iter().flat_map(words)))?;
    }
    file.finish()
}

/// `CGST 250`, with its kind where the name does not tell it.
fn tax_cell(component: &TaxComponent) -> String {
    let (name, kind) = (&component.name, component.kind());
    let kind = if kind == TaxKind::of_component(name) { String::new() } else { format!(" {kind}") };
    format!("{name} {}{kind}", component.rate.get())
}

fn cells(row: &ExportedItem) -> [String; 29] {
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
        number(row.energy_kcal),
        text(&row.serving_size),
        row.sold_by.name().to_owned(),
        row.weight_unit.map(|unit| unit.name().to_owned()).unwrap_or_default(),
    ]
}

impl Intake for ImportedItem {
    const NEEDED: &'static [&'static str] = &["category", "name"];

    fn short(column: &str, cell: &str) -> Option<Value> {
        match column {
            "taxComponents" => Some(taxes(cell)),
            "variants" if !cell.starts_with('[') => Some(variants(cell)),
            "modifierGroups" if !cell.starts_with('[') => {
                let names = cell.split(';').map(str::trim).filter(|name| !name.is_empty());
                Some(names.map(|name| json!({ "name": name })).collect())
            }
            _ => None,
        }
    }
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
    use crate::http::intake::Rows;
    use tiffin_common::Cents;

    fn read(text: &str, decimals: u32) -> Rows<ImportedItem> {
        Rows::of_csv(text, decimals).unwrap_or_else(|found| panic!("{found:?}"))
    }

    #[test]
    fn headers_may_be_written_as_people_write_them() {
        let text = "\u{feff}Category;Name;Price;Is Active;Tax components\nMains;Thali;120.50;yes;\"CGST 250; SGST 250\"\n";
        let row = &read(text, 2).rows[0];
        assert_eq!(row.place.of("name"), "rows[2].name");
        assert_eq!((row.item.price_cents.0, row.item.is_active.0), (Some(Cents::new(12_050)), Some(true)));
        let taxed = |component: &TaxComponent| (component.name.clone(), component.rate.get());
        let components: Vec<_> = row.item.tax_components.set().unwrap().iter().map(taxed).collect();
        assert_eq!(components, [("CGST".to_owned(), 250), ("SGST".to_owned(), 250)]);
        let yen = read("category,name,price\nA,B,1500\nA,C,1.5\n", 0);
        assert_eq!(yen.rows[0].item.price_cents.0, Some(Cents::new(1_500)));
        assert!(yen.rows[1].is_broken);
        assert_eq!(
            taxes("Liquor tax 2000 GST"),
            json!([{"name": "Liquor tax", "rateBps": 2_000, "kind": "GST"}])
        );
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
}
