//! Everything that is read of a business date. Never computes a figure.

use serde_json::{Value, json};
use tiffin_tests::Client;

/// The reports of the analytics, but for the shelves, which are of a moment.
const REPORTS: [&str; 19] = [
    "sales",
    "payments",
    "tax",
    "discounts",
    "voids",
    "variance",
    "waste",
    "purchases",
    "pnl",
    "register",
    "hsn",
    "gstr1",
    "gstr3b",
    "journal",
    "slips",
    "channels",
    "tips",
    "servers",
    "corrections",
];

/// What every reading says of `date`, without the moments they were made at and the dates beside it.
pub async fn of_date(client: &Client, date: &str) -> Value {
    let query = format!("from={date}&to={date}");
    let read = async |path: &str| client.get(path).await.expect(200).json();
    let mut all = json!({});
    let mut summary = read(&format!("/analytics/summary?{query}")).await;
    summary["comparison"] = Value::Null;
    all["summary"] = summary;
    for name in ["daily", "hourly", "top-sellers", "menu-engineering"] {
        all[name] = read(&format!("/analytics/{name}?{query}")).await["data"].take();
    }
    for name in REPORTS {
        all["reports"][name] = read(&format!("/analytics/reports/{name}?{query}")).await["data"].take();
    }
    all["dayClose"] = read(&format!("/day-close/{date}")).await["data"].take();
    without_moments(&mut all);
    all
}

fn without_moments(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.remove("generatedAt");
            fields.values_mut().for_each(without_moments);
        }
        Value::Array(list) => list.iter_mut().for_each(without_moments),
        _ => {}
    }
}
