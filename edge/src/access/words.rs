//! The words of the published documents that are said once for many routes: what a group is about, and what a field's name means
//! wherever its own declaration says no more. Never knows a route or a type.

use serde_json::Value;

const GROUPS: &str = include_str!("groups.md");
const FIELDS: &str = include_str!("fields.md");

/// What `group` is about; nothing for a group that nobody described.
pub(super) fn group(group: &str) -> String {
    let mut sections = GROUPS.split("\n## ").filter_map(|section| section.split_once('\n'));
    let found = sections.find(|(name, _)| *name == group);
    found.map(|(_, text)| text.split_whitespace().collect::<Vec<_>>().join(" ")).unwrap_or_default()
}

/// What a field or parameter of this name means.
pub(super) fn field(name: &str) -> Option<&'static str> {
    let mut fields = FIELDS.lines().filter_map(|line| line.strip_prefix("- `")?.split_once("`: "));
    fields.find(|(field, _)| *field == name).map(|(_, meaning)| meaning)
}

/// Gives the fields of `schema`, and of all schemas inside it, that say nothing of themselves the meaning of their name.
pub(super) fn describe(schema: &mut Value) {
    match schema {
        Value::Object(schema) => {
            let fields = schema.get_mut("properties").and_then(Value::as_object_mut);
            for (name, field) in fields.into_iter().flatten() {
                if let (Some(field), Some(meaning)) = (field.as_object_mut(), self::field(name)) {
                    field.entry("description").or_insert_with(|| meaning.into());
                }
            }
            schema.values_mut().for_each(describe);
        }
        Value::Array(schemas) => schemas.iter_mut().for_each(describe),
        _ => {}
    }
}
