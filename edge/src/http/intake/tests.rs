//! What becomes of files: rows, cells, and what is said of those that cannot be read. Never a resource's own file.

use super::*;
use crate::http::Patch;
use tiffin_common::{Cents, Quantity, UnitCost, words};

words! {
    /// How it is kept.
    enum Shelf {
        /// In the cold.
        VeryCold = "VERY_COLD",
        /// As it is.
        Dry = "DRY",
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Batch {
    #[schemars(range(min = 0))]
    quantity: Quantity,
    #[serde(default)]
    unit_cost_cents: UnitCost,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Spot {
    x: i64,
    y: i64,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Said {
    name: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Thing {
    #[schemars(length(min = 1, max = 20))]
    name: String,
    #[serde(default)]
    price_cents: Option<Cents>,
    #[serde(default)]
    par: Patch<Quantity>,
    #[serde(default)]
    shelf: Option<Shelf>,
    #[serde(default)]
    #[expect(dead_code, reason = "what is read is compared as text")]
    tags: Vec<String>,
    #[serde(default)]
    spot: Patch<Spot>,
    #[serde(default)]
    is_active: Option<bool>,
    #[serde(default)]
    texts: BTreeMap<String, Said>,
    #[serde(default)]
    batches: Vec<Batch>,
}

impl Intake for Thing {
    const NEEDED: &'static [&'static str] = &["name"];
}

fn read(text: &str) -> Rows<Thing> {
    Rows::of_csv(text, 2).unwrap_or_else(|found| panic!("{found:?}"))
}

fn complaints(rows: Rows<Thing>) -> Vec<(String, String)> {
    let (report, _) = Report::begin(rows);
    let found = report.finish().err().unwrap_or_default();
    let mut found: Vec<_> = found.into_iter().map(|field| (field.name, field.reason)).collect();
    found.sort();
    found
}

#[test]
fn cells_become_what_their_members_are() {
    let rows = read(
        "Name;Price;par;shelf;tags;spot.x;spot.y;Is active;nonsense\n Rice ;120,50;1,5;very cold;a; 3;4;yes;x\nDal;;;;;;;;\n",
    );
    let rice = &rows.rows[0].item;
    assert_eq!((rice.name.as_str(), rice.price_cents), ("Rice", Some(Cents::new(12_050))));
    assert_eq!(rice.par, Patch::Set("1.5".parse().unwrap()));
    assert_eq!((rice.shelf, rice.is_active), (Some(Shelf::VeryCold), Some(true)));
    assert!(matches!(rice.spot, Patch::Set(Spot { x: 3, y: 4 })));
    let dal = &rows.rows[1].item;
    assert!(matches!((&dal.par, &dal.spot), (Patch::Clear, Patch::Clear)), "{dal:?}");
    assert_eq!(rows.ignored, ["nonsense"]);
}

#[test]
fn a_list_has_a_row_of_the_file_for_each_element() {
    let rows = read(
        "name,batches.quantity,batches.unitCost,texts.hi.name\nRice,1,0.125,चावल\nRice,2,,चावल\n,3,,\n\nDal,,,\n",
    );
    let batches = |row: usize| -> Vec<(Quantity, UnitCost)> {
        rows.rows[row].item.batches.iter().map(|b| (b.quantity, b.unit_cost_cents)).collect()
    };
    let (one, free) = ("12.5".parse().unwrap(), UnitCost::ZERO);
    let numbers = ["1", "2", "3"].map(|n| n.parse::<Quantity>().unwrap());
    assert_eq!(batches(0), [(numbers[0], one), (numbers[1], free), (numbers[2], free)]);
    assert_eq!(rows.rows[0].item.texts["hi"].name.as_deref(), Some("चावल"));
    assert_eq!(batches(1), []);
    assert_eq!(rows.rows[1].place.of("name"), "rows[6].name");
    assert_eq!(rows.rows[0].place.of("batches[2].quantity"), "rows[4].batches.quantity");
    assert_eq!(rows.rows[0].place.of(""), "rows[2]");
}

#[test]
fn every_cell_that_does_not_fit_is_named_and_the_rest_of_its_row_is_read() {
    let rows = read("name,price,shelf,batches.quantity\nRice,free,warm,1\n,1,,x\n,,,-2\n");
    assert_eq!(rows.rows.len(), 1, "a row without its name says nothing");
    assert!(rows.rows[0].is_broken);
    let expected = [
        ("rows[2].priceCents", "must be an integer or null"),
        ("rows[2].shelf", "must be one of VERY_COLD, DRY"),
        ("rows[3].batches.quantity", "must be a number"),
        ("rows[3].name", "must not be empty"),
        ("rows[4].batches.quantity", "must be at least 0"),
    ];
    let found = complaints(rows);
    let found: Vec<(&str, &str)> = found.iter().map(|(name, why)| (name.as_str(), why.as_str())).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_file_that_says_nothing_is_refused_as_a_whole() {
    let refused = |text: &str| {
        let found = Rows::<Thing>::of_csv(text, 2).err().unwrap_or_default();
        found.into_iter().map(|field| format!("{} {}", field.name, field.reason)).collect::<Vec<_>>()
    };
    assert_eq!(refused("dish,price\nx,1\n"), ["rows[1].name is required as a column"]);
    assert_eq!(refused(""), ["rows[1].name is required as a column"]);
    assert_eq!(refused("name,Price,price cents\nx,1,1\n"), ["rows[1].priceCents is there twice"]);
    assert_eq!(refused("name\n\n"), ["rows must not be empty"]);
    assert_eq!(refused("name\n\"x\n"), ["rows[2] is not valid CSV"]);
    assert_eq!(refused(&format!("name\n{}", "x\n".repeat(5_001))), ["rows must have at most 5000 elements"]);
}

#[test]
fn rows_of_json_are_named_by_their_index() {
    let rows =
        Rows::<Thing>::of_json(br#"{"items": [{"name": "a"}, {"name": 5, "batches": [{}]}]}"#).unwrap();
    let found: Vec<String> = complaints(rows).into_iter().map(|(name, _)| name).collect();
    assert_eq!(found, ["items[1].batches[0].quantity", "items[1].name"]);
    assert!(Rows::<Thing>::of_json(br#"{"items": []}"#).is_err());
    assert!(Rows::<Thing>::of_json(b"name").is_err());
}
