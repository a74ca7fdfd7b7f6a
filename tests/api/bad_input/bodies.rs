//! The bad bodies: some that fit nothing, and some of the form a route wants with leaves nobody can mean.

use super::SQL;
use serde_json::{Map, Value, json};
use tiffin_tests::UNKNOWN;

fn resolve<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap(),
        None => schema,
    }
}

/// What stands at the leaves of a made body.
struct Leaves {
    text: Value,
    number: Value,
    flag: Value,
    /// Numbers are the bound of that name, where their schema has one.
    bound: &'static str,
}

/// What a body is made from.
pub(super) struct Forms<'a> {
    pub(super) document: &'a Value,
    pub(super) fields: &'a [(&'static str, String)],
}

impl Leaves {
    fn plain() -> Leaves {
        Leaves { text: json!("x"), number: json!(1), flag: json!(true), bound: "" }
    }

    /// A body of the form `schema` wants, with these leaves.
    fn fill(&self, forms: &Forms<'_>, name: &str, schema: &Value, depth: usize) -> Value {
        let schema = resolve(forms.document, schema);
        if let Some(choices) = schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
            return self.fill(forms, name, &choices[0], depth);
        }
        if let Some(only) = schema.get("const") {
            return only.clone();
        }
        if let Some(first) = schema["enum"].as_array().and_then(|list| list.first()) {
            return if self.text == "x" { first.clone() } else { self.text.clone() };
        }
        let kind = match &schema["type"] {
            Value::Array(kinds) => kinds[0].as_str(),
            kind => kind.as_str(),
        };
        match kind {
            Some("object") => {
                let empty = Map::new();
                let fields = schema["properties"].as_object().unwrap_or(&empty).iter();
                let made = fields.filter(|_| depth < 6);
                Value::Object(made.map(|(k, v)| (k.clone(), self.fill(forms, k, v, depth + 1))).collect())
            }
            Some("array") => json!([self.fill(forms, name, &schema["items"], depth + 1)]),
            Some("integer" | "number") => schema.get(self.bound).unwrap_or(&self.number).clone(),
            Some("boolean") => self.flag.clone(),
            _ if self.text == "x" => match schema["format"].as_str() {
                Some("uuid") => {
                    let known = forms.fields.iter().find(|(field, _)| *field == name);
                    json!(known.map_or(UNKNOWN, |(_, id)| id))
                }
                Some("date") => json!("2026-11-20"),
                Some("date-time") => json!("2026-11-20T12:30:00.000Z"),
                _ => self.text.clone(),
            },
            _ => self.text.clone(),
        }
    }
}

/// JSON bodies of the right form with bad leaves.
pub(super) fn made_bodies(forms: &Forms<'_>, schema: &Value) -> Vec<String> {
    let numbers = [
        "-1",
        "0",
        "9223372036854775807",
        "-9223372036854775808",
        "1e308",
        "0.0000001",
        "1000000000000000000000000000000",
        "99999999999.999999",
        "null",
        "\"5\"",
        "[]",
        "{}",
    ];
    let texts = [
        json!(""),
        json!(SQL),
        json!("\u{0}"),
        json!("\u{202e}\u{1F469}\u{200D}\u{1F373}"),
        json!("x".repeat(70_000)),
        json!("0001-01-01"),
        json!("9999-12-31"),
        json!("+262143-12-31T23:59:59Z"),
        json!(null),
        json!(7),
        json!({"$ne": 1}),
        json!([]),
    ];
    let flags = [json!("true"), json!(2), json!(null)];
    let numbers =
        numbers.map(|text| Leaves { number: serde_json::from_str(text).unwrap(), ..Leaves::plain() });
    let texts = texts.map(|text| Leaves { text, ..Leaves::plain() });
    let flags = flags.map(|flag| Leaves { flag, ..Leaves::plain() });
    let bounds = [("minimum", -1), ("maximum", 9_000_000_000_000i64), ("maximum", 1)]
        .map(|(bound, number)| Leaves { bound, number: json!(number), ..Leaves::plain() });
    let all = numbers.into_iter().chain(texts).chain(flags).chain(bounds);
    all.map(|leaves| leaves.fill(forms, "", schema, 0).to_string()).collect()
}

/// Bodies that fit nothing.
pub(super) fn raw_bodies() -> Vec<Vec<u8>> {
    let mut list: Vec<Vec<u8>> =
        ["", "{\"name\":", "{\"a\": 1e400}", "nul", "{\"a\": 1} x", "\u{feff}{}", "{\"a\": 01}"]
            .map(|text| text.as_bytes().to_vec())
            .to_vec();
    list.push([b"{\"name\": \"", &[0xc3, 0x28, 0xff][..], b"\"}"].concat());
    list.push("[".repeat(100_000).into_bytes());
    list.push(format!("{}1{}", "{\"a\":".repeat(5_000), "}".repeat(5_000)).into_bytes());
    list
}
