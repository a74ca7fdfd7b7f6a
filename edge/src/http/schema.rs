//! Checks a JSON value against the published schema of its type and names every offending field. Never shows a value:
//! it may be a PIN.

use super::error::FieldError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{ValidationError, Validator};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;
use std::any::TypeId;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, LazyLock, RwLock};
use tiffin_common::text;

/// A type's schema, compiled once per process.
pub(crate) struct Compiled {
    /// The schema itself.
    pub(crate) schema: Value,
    validator: Option<Validator>,
}

type Cache = RwLock<HashMap<TypeId, Arc<Compiled>>>;
static CACHE: LazyLock<Cache> = LazyLock::new(Cache::default);

/// The compiled schema of `T` as a request type.
pub(crate) fn of<T: JsonSchema + 'static>() -> Arc<Compiled> {
    of_type(TypeId::of::<T>(), std::any::type_name::<T>(), SchemaGenerator::into_root_schema_for::<T>)
}

/// One function for all types, of which `write` is their own.
fn of_type(key: TypeId, name: &str, write: fn(SchemaGenerator) -> Schema) -> Arc<Compiled> {
    if let Ok(cache) = CACHE.read()
        && let Some(found) = cache.get(&key)
    {
        return Arc::clone(found);
    }
    let schema = write(SchemaSettings::draft2020_12().into_generator()).to_value();
    let validator = jsonschema::options().should_validate_formats(true).build(&schema);
    if let Err(error) = &validator {
        tracing::error!(%error, r#type = name, "a schema does not compile");
    }
    let compiled = Arc::new(Compiled { schema, validator: validator.ok() });
    if let Ok(mut cache) = CACHE.write() {
        cache.insert(key, Arc::clone(&compiled));
    }
    compiled
}

impl Compiled {
    /// Every field of `value` that does not fit, in document order.
    pub(crate) fn check(&self, value: &Value) -> Vec<FieldError> {
        let mut found = Vec::new();
        find_forbidden(value, &mut String::new(), &mut found);
        let Some(validator) = &self.validator else { return found };
        for error in validator.iter_errors(value) {
            explain(&error, &mut found);
        }
        found
    }
}

/// Makes each end of a line in every text of `value` one newline, as it is kept. Names of members stay as they are.
pub(crate) fn settle_lines(value: &mut Value) {
    match value {
        Value::String(line) => *line = text::with_newlines(std::mem::take(line)),
        Value::Array(values) => values.iter_mut().for_each(settle_lines),
        Value::Object(members) => members.values_mut().for_each(settle_lines),
        _ => {}
    }
}

/// Why a text with a control character in it is refused.
pub(crate) const NO_CONTROL: &str = "must not hold control characters but tab and newline";

/// Every text with what no text may hold, whatever its field says: printers, terminals and stores each make something else of it.
fn find_forbidden(value: &Value, path: &mut String, found: &mut Vec<FieldError>) {
    let length = path.len();
    match value {
        Value::String(held) if !text::is_clean(held) => found.push(FieldError::new(path.clone(), NO_CONTROL)),
        Value::Array(values) => {
            for (index, value) in values.iter().enumerate() {
                // Writing to a String cannot fail.
                let _infallible = write!(path, "[{index}]");
                find_forbidden(value, path, found);
                path.truncate(length);
            }
        }
        Value::Object(members) => {
            for (name, value) in members {
                if length > 0 {
                    path.push('.');
                }
                path.push_str(&text::clean(name));
                if !text::is_clean(name) {
                    found.push(FieldError::new(path.clone(), NO_CONTROL));
                }
                find_forbidden(value, path, found);
                path.truncate(length);
            }
        }
        _ => {}
    }
}

fn explain(error: &ValidationError<'_>, found: &mut Vec<FieldError>) {
    let path = dotted(error.instance_path().as_str());
    let reason = match error.kind() {
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
            found.push(FieldError::new(path, "is required"));
            return;
        }
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            explain_alternatives(&path, context, found);
            return;
        }
        ValidationErrorKind::Type { kind } => match kind {
            TypeKind::Single(t) => format!("must be {}", article(&t.to_string())),
            TypeKind::Multiple(set) => {
                let mut names: Vec<String> = set.iter().map(|t| article(&t.to_string())).collect();
                names.sort_by_key(|name| name == "null");
                format!("must be {}", names.join(" or "))
            }
        },
        ValidationErrorKind::Minimum { limit } => format!("must be at least {limit}"),
        ValidationErrorKind::Maximum { limit } => format!("must be at most {limit}"),
        ValidationErrorKind::ExclusiveMinimum { limit } => format!("must be more than {limit}"),
        ValidationErrorKind::ExclusiveMaximum { limit } => format!("must be less than {limit}"),
        ValidationErrorKind::MinLength { limit } => match limit {
            1 => "must not be empty".to_owned(),
            n => format!("must have at least {n} characters"),
        },
        ValidationErrorKind::MaxLength { limit } => format!("must have at most {limit} characters"),
        ValidationErrorKind::MinItems { limit } => format!("must have at least {limit} elements"),
        ValidationErrorKind::MaxItems { limit } => format!("must have at most {limit} elements"),
        ValidationErrorKind::Format { format } => format!("must be a valid {format}"),
        ValidationErrorKind::Pattern { .. } => "has a form that is not allowed".to_owned(),
        ValidationErrorKind::Constant { expected_value } => format!("must be {expected_value}"),
        ValidationErrorKind::Enum { options } => format!("must be one of {}", choices(options)),
        ValidationErrorKind::UniqueItems => "must not repeat an element".to_owned(),
        _ => "is not valid".to_owned(),
    };
    found.push(FieldError::new(path, reason));
}

/// Errors of the alternative that comes nearest: the one that fails deepest or least, the null branch of an optional
/// field last.
fn explain_alternatives(path: &str, context: &[Vec<ValidationError<'_>>], found: &mut Vec<FieldError>) {
    let is_type_error = |errors: &[ValidationError<'_>]| {
        errors.iter().any(|e| {
            matches!(e.kind(), ValidationErrorKind::Type { .. } | ValidationErrorKind::Constant { .. })
                && dotted(e.instance_path().as_str()) == path
        })
    };
    let best = context.iter().filter(|errors| !is_type_error(errors)).min_by_key(|errors| errors.len());
    let options: Vec<String> = context
        .iter()
        .flatten()
        .filter_map(|e| match e.kind() {
            ValidationErrorKind::Constant { expected_value } => Some(expected_value.as_str()?.to_owned()),
            _ => None,
        })
        .collect();
    match (best, context.first()) {
        (Some(errors), _) => errors.iter().for_each(|e| explain(e, found)),
        (None, _) if !options.is_empty() => {
            found.push(FieldError::new(path, format!("must be one of {}", options.join(", "))));
        }
        (None, Some(first)) => first.iter().for_each(|e| explain(e, found)),
        (None, None) => found.push(FieldError::new(path, "is not valid")),
    }
}

fn choices(options: &Value) -> String {
    let list = options.as_array().map(Vec::as_slice).unwrap_or_default();
    let names: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
    names.join(", ")
}

fn article(kind: &str) -> String {
    match kind {
        "array" | "integer" | "object" => format!("an {kind}"),
        "null" => "null".to_owned(),
        other => format!("a {other}"),
    }
}

/// `/items/0/quantity` → `items[0].quantity`.
pub(crate) fn dotted(pointer: &str) -> String {
    let mut path = String::new();
    for part in pointer.split('/').skip(1) {
        let part = part.replace("~1", "/").replace("~0", "~");
        if !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()) {
            // Writing to a String cannot fail.
            let _infallible = write!(path, "[{part}]");
        } else {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(&part);
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::Patch;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "UPPERCASE")]
    enum Kind {
        Hot,
        Cold,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Line {
        menu_item_id: uuid::Uuid,
        #[schemars(range(min = 1, max = 999))]
        quantity: u32,
        kind: Option<Kind>,
        #[serde(default)]
        note: Patch<String>,
    }

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Body {
        #[schemars(length(min = 1))]
        items: Vec<Line>,
        name: String,
        first: Option<Line>,
    }

    #[test]
    fn a_text_with_a_control_character_is_refused_wherever_it_stands() {
        let body = json!({"items": [{"menuItemId": "0190a3c8-2f0b-7c3e-8f4e-1a2b3c4d5e6f", "quantity": 1,
            "note": "no\u{0}onion"}], "name": "\u{9b}", "more": {"a\u{7}b": 1, "c": "\r", "d": "\t\n"}});
        let found = of::<Body>().check(&body);
        let mut names: Vec<&str> = found.iter().map(|f| f.name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, ["items[0].note", "more.ab", "more.c", "name"]);
    }

    #[test]
    fn every_offending_field_is_named_with_its_path() {
        let body = json!({
            "items": [
                {"menuItemId": "nonsense", "quantity": 0, "kind": "WARM"},
                {"quantity": "two", "note": 5},
            ],
            "first": {"menuItemId": "0190a3c8-2f0b-7c3e-8f4e-1a2b3c4d5e6f", "quantity": 1.5},
        });
        let found = of::<Body>().check(&body);
        let mut names: Vec<(&str, &str)> =
            found.iter().map(|f| (f.name.as_str(), f.reason.as_str())).collect();
        names.sort_unstable();
        assert_eq!(
            names,
            [
                ("first.quantity", "must be an integer"),
                ("items[0].kind", "must be one of HOT, COLD"),
                ("items[0].menuItemId", "must be a valid uuid"),
                ("items[0].quantity", "must be at least 1"),
                ("items[1].menuItemId", "is required"),
                ("items[1].note", "must be a string or null"),
                ("items[1].quantity", "must be an integer"),
                ("name", "is required"),
            ]
        );
    }
}
