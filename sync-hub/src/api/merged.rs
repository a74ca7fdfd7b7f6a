//! One OpenAPI document of several that were made by themselves: types that are called alike and are not the same get names of their own.
//! Never changes what is there already.

use serde_json::{Map, Value};
use std::collections::BTreeSet;

const TYPES: &str = "#/components/schemas/";

/// What of a document belongs into another, beside its tags.
const PLACES: [&str; 4] =
    ["/paths", "/components/schemas", "/components/responses", "/components/securitySchemes"];

/// Puts `part` into `whole`. A type of `part` that `whole` has otherwise is called `prefix` and its name.
pub fn merge(whole: &mut Value, mut part: Value, prefix: &str) {
    let others = others(&types_of(whole), &types_of(&part));
    rename(&mut part, &others, prefix);
    if let Some(types) = part.pointer_mut("/components/schemas").and_then(Value::as_object_mut) {
        for name in &others {
            if let Some(schema) = types.remove(name) {
                types.insert(format!("{prefix}{name}"), schema);
            }
        }
    }
    for place in PLACES {
        let more = part.pointer_mut(place).and_then(Value::as_object_mut).map(std::mem::take);
        if let (Some(all), Some(more)) = (whole.pointer_mut(place).and_then(Value::as_object_mut), more) {
            for (name, value) in more {
                all.entry(name).or_insert(value);
            }
        }
    }
    let more = part["tags"].as_array_mut().map(std::mem::take).unwrap_or_default();
    if let Some(tags) = whole["tags"].as_array_mut() {
        tags.extend(more);
    }
}

fn types_of(document: &Value) -> Map<String, Value> {
    document.pointer("/components/schemas").and_then(Value::as_object).cloned().unwrap_or_default()
}

/// The names that both have and of which `part` means something else, be it in a type that such a one names.
fn others(whole: &Map<String, Value>, part: &Map<String, Value>) -> BTreeSet<String> {
    let both = || part.iter().filter(|(name, _)| whole.contains_key(*name));
    let differ = |(name, schema): &(&String, &Value)| whole.get(*name) != Some(schema);
    let mut found: BTreeSet<String> = both().filter(differ).map(|(name, _)| name.clone()).collect();
    loop {
        let means_another =
            |(name, schema): &(&String, &Value)| !found.contains(*name) && names_any(schema, &found);
        let more: Vec<String> = both().filter(means_another).map(|(name, _)| name.clone()).collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more);
    }
}

fn names_any(value: &Value, names: &BTreeSet<String>) -> bool {
    match value {
        Value::String(text) => text.strip_prefix(TYPES).is_some_and(|name| names.contains(name)),
        Value::Array(items) => items.iter().any(|item| names_any(item, names)),
        Value::Object(fields) => fields.values().any(|field| names_any(field, names)),
        _ => false,
    }
}

fn rename(value: &mut Value, names: &BTreeSet<String>, prefix: &str) {
    match value {
        Value::String(text) => {
            if let Some(name) = text.strip_prefix(TYPES).filter(|name| names.contains(*name)) {
                *text = format!("{TYPES}{prefix}{name}");
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, names, prefix)),
        Value::Object(fields) => fields.values_mut().for_each(|field| rename(field, names, prefix)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_type_that_is_called_alike_and_is_another_has_a_name_of_its_own() {
        let to = |name: &str| json!({"$ref": format!("{TYPES}{name}")});
        let mut whole = json!({"tags": [{"name": "a"}], "paths": {"/a": to("Sort")}, "components": {"schemas": {
            "Order": {"enum": ["asc"]}, "Sort": {"by": to("Order")}, "Same": {"type": "string"}}}});
        let part = json!({"tags": [{"name": "b"}], "paths": {"/b": to("List"), "/c": to("Sort")}, "components": {"schemas": {
            "Order": {"type": "object"}, "List": {"of": to("Order")}, "Sort": {"by": to("Order")}, "Same": {"type": "string"}}}});
        merge(&mut whole, part, "Branch");
        let types = &whole["components"]["schemas"];
        assert_eq!(types["Order"], json!({"enum": ["asc"]}));
        assert_eq!(types["BranchOrder"], json!({"type": "object"}));
        assert_eq!((&types["List"]["of"], &types["Sort"]["by"]), (&to("BranchOrder"), &to("Order")));
        assert_eq!(types["BranchSort"]["by"], to("BranchOrder"), "it means another order");
        assert_eq!((&whole["paths"]["/a"], &whole["paths"]["/c"]), (&to("Sort"), &to("BranchSort")));
        assert_eq!((whole["tags"].as_array().unwrap().len(), types.as_object().unwrap().len()), (2, 6));
    }
}
