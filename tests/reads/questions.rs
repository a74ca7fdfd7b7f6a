//! What can be asked of the reading routes: every path with ids of the restaurant, every parameter of the published document with
//! every value it may have. Never a route or a parameter by name where the document tells it.

use edge::access::Access;
use edge::state::AppState;
use reqwest::Method;
use serde_json::Value;
use std::collections::BTreeMap;
use sync_hub::reads;
use tiffin_tests::restaurant::{RECORDS, filled, record};
use tiffin_tests::{Branch, Client, Reply};

/// Values of parameters that the document knows only the type of. A date range fits the restaurant's days.
const VALUES: &[(&str, &[&str])] = &[
    ("q", &["a", "Pan", "%", "zz"]),
    ("number", &["1", "BLR"]),
    ("tableNumber", &["1", "T1"]),
    ("category", &["Kitchen", "Dairy"]),
    ("area", &["Hall"]),
    ("kind", &["SALE", "RECEIPT", "WASTE", "INVOICE"]),
    ("action", &["order.void", "auth.signed_in"]),
    ("entity", &["order"]),
    ("rating", &["5", "1"]),
    ("year", &["2026"]),
    ("limit", &["1", "7", "100"]),
    ("offset", &["1", "5"]),
    ("page", &["2"]),
];

/// Days before, within and after the restaurant's trade.
const DATES: [&str; 3] = ["2026-11-17", "2026-11-19", "2026-11-29"];

/// Paths to ask for, by route.
pub struct Questions(pub BTreeMap<String, Vec<String>>);

impl Questions {
    /// What can be asked about `branch`.
    pub async fn of(branch: &Branch, owner: &Client) -> Questions {
        let document = owner.get("/v1/openapi.json").await.expect(200).json();
        let mut all = BTreeMap::new();
        for (method, path, access) in reads::routes::<AppState>().listing() {
            assert!(method == Method::GET && access != Access::Public);
            let documented = document["paths"].as_object().unwrap().iter();
            let documented = documented.filter(|(known, _)| known.ends_with(path));
            let (_, operation) = documented.min_by_key(|(known, _)| known.len()).unwrap();
            let mut variants = Vec::new();
            for plain in filled_paths(branch, path).await {
                variants.extend(with_parameters(&plain, &operation["get"], &document, branch).await);
            }
            all.insert(path.to_owned(), variants);
        }
        Questions(all)
    }
}

/// The path with ids of records that are there, and with ids that stand for nothing.
async fn filled_paths(branch: &Branch, path: &str) -> Vec<String> {
    if !path.contains('{') {
        return vec![path.to_owned()];
    }
    if path.contains("{date}") {
        let dates = DATES.iter().chain(&["2026-11-18"]);
        return dates.map(|date| path.replace("{date}", date)).collect();
    }
    let known = RECORDS.iter().filter(|(prefix, _)| path.starts_with(prefix));
    let (_, tables) = known.max_by_key(|(prefix, _)| prefix.len()).unwrap();
    let mut paths = vec![filled(path, &[])];
    let mut ids = Vec::new();
    for table in tables.iter().take(path.matches('{').count()) {
        ids.push(record(branch, table, branch.outlet_id).await.unwrap());
    }
    paths.push(filled(path, &ids));
    if let [table] = tables {
        let more = more_of(branch, table).await;
        paths.extend(more.into_iter().map(|id| filled(path, &[id])));
    }
    paths
}

/// Up to 12 ids of `table`, from all over it.
async fn more_of(branch: &Branch, table: &'static str) -> Vec<tiffin_common::Uuid> {
    let column = if table == "outlets" { "id" } else { "outlet_id" };
    let from = if table.contains(" WHERE ") { table.to_owned() } else { format!("{table} WHERE") };
    let sql = format!("SELECT id FROM {from} {column} = ?1 ORDER BY substr(hex(id), 29), id LIMIT 12");
    let outlet = branch.outlet_id;
    let look = move |source: &dyn edge::db::Source| -> Result<_, edge::db::DbError> {
        edge::db::list(source, &sql, [outlet], |row| row.get(0))
    };
    branch.db.read(look).await.unwrap()
}

/// The path without and with each parameter; the required ones always.
async fn with_parameters(plain: &str, operation: &Value, document: &Value, branch: &Branch) -> Vec<String> {
    let empty = Vec::new();
    let parameters = operation["parameters"].as_array().unwrap_or(&empty).iter();
    let queries: Vec<_> = parameters.filter(|parameter| parameter["in"] == "query").collect();
    let mut needed = Vec::new();
    let mut optional = Vec::new();
    for parameter in &queries {
        let name = parameter["name"].as_str().unwrap();
        let values = values(name, &parameter["schema"], document, branch).await;
        if parameter["required"] == true {
            needed.push((name, values));
        } else {
            optional.push((name, values));
        }
    }
    let base: Vec<String> =
        needed.iter().map(|(name, values)| format!("{name}={}", edge_value(name, values))).collect();
    let with = |more: Vec<String>| {
        let all: Vec<String> = base.iter().cloned().chain(more).collect();
        if all.is_empty() { plain.to_owned() } else { format!("{plain}?{}", all.join("&")) }
    };
    let mut variants = vec![with(Vec::new())];
    for (name, values) in &optional {
        variants.extend(values.iter().map(|value| with(vec![format!("{name}={value}")])));
    }
    let has = |name: &str| optional.iter().any(|(known, _)| *known == name);
    if has("from") && has("to") {
        let date = |at: usize| DATES[at];
        for (from, to) in [(0, 1), (1, 1), (0, 2)] {
            let range =
                |end: &str| vec![format!("from={}{end}", date(from)), format!("to={}{end}", date(to))];
            variants.push(with(range("")));
            if has("period") {
                variants.push(with([range(""), vec!["period=CUSTOM".to_owned()]].concat()));
            }
            for (name, values) in optional.iter().filter(|(name, _)| !["from", "to", "period"].contains(name))
            {
                let one = values.first().map(|value| format!("{name}={value}"));
                variants.push(with([range(""), one.into_iter().collect()].concat()));
            }
        }
    }
    variants
}

/// The first day for a beginning, the last for an end, the first value otherwise.
fn edge_value<'v>(name: &str, values: &'v [String]) -> &'v str {
    let ends = name == "to" || name.starts_with("end");
    let value = if ends { values.last() } else { values.first() };
    value.map_or("", String::as_str)
}

async fn values(name: &str, schema: &Value, document: &Value, branch: &Branch) -> Vec<String> {
    if let Some((_, known)) = VALUES.iter().find(|(known, _)| *known == name) {
        return known.iter().map(|value| (*value).replace('%', "%25")).collect();
    }
    let table = match name {
        "employeeId" | "assigneeId" => Some("employees"),
        "inventoryItemId" => Some("stock_items"),
        "menuItemId" => Some("menu_items"),
        "tableId" => Some("dining_tables"),
        "channelId" => Some("channels"),
        "supplierId" => Some("suppliers"),
        "orderId" => Some("orders"),
        "stationId" => Some("kitchen_stations"),
        "actor" => Some("accounts"),
        _ => None,
    };
    if let Some(table) = table {
        return record(branch, table, branch.outlet_id).await.iter().map(ToString::to_string).collect();
    }
    let mut found = Vec::new();
    collect(schema, document, &mut found);
    found
}

/// What the schema lets a value be.
fn collect(schema: &Value, document: &Value, found: &mut Vec<String>) {
    if let Some(reference) = schema["$ref"].as_str() {
        return collect(document.pointer(&reference[1..]).unwrap(), document, found);
    }
    for key in ["anyOf", "oneOf", "allOf"] {
        for part in schema[key].as_array().into_iter().flatten() {
            collect(part, document, found);
        }
    }
    for value in schema["enum"].as_array().into_iter().flatten().chain(schema.get("const")) {
        found.extend(value.as_str().map(str::to_owned));
    }
    let is = |name: &str| {
        schema["type"] == name
            || schema["type"].as_array().is_some_and(|all| all.iter().any(|one| one == name))
    };
    if is("boolean") {
        found.extend(["true".to_owned(), "false".to_owned()]);
    }
    match schema["format"].as_str() {
        Some("date") => found.extend(DATES.map(str::to_owned)),
        Some("date-time") => found.extend(DATES.map(|date| format!("{date}T12:00:00Z"))),
        _ => {}
    }
}

/// Whether an answer tells of any row: a list that has one, anything that is no list.
pub fn says_something(reply: &Reply) -> bool {
    let Ok(body) = serde_json::from_str::<Value>(&reply.text) else { return !reply.text.is_empty() };
    let list = body["data"].as_array().or(body["items"].as_array());
    list.is_none_or(|list| !list.is_empty())
}
