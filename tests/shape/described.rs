//! What is described says what a stranger needs: every field, parameter, type and group of the published documents, and what functions
//! say of their errors. Never judges whether it is true.

use crate::{none, root, sources};
use regex::Regex;
use serde_json::Value;

/// Fewer words than these say nothing: "Whose.", "Its id.".
const WORDS: usize = 3;

/// Fewer words than these do not tell a group from another.
const WORDS_OF_GROUP: usize = 10;

fn documents() -> [(&'static str, Value); 2] {
    ["edge/openapi.json", "sync-hub/openapi.json"].map(|path| {
        let text = std::fs::read_to_string(root().join(path)).unwrap();
        (path, serde_json::from_str(&text).unwrap())
    })
}

fn says_enough(described: &Value, words: usize) -> bool {
    described["description"].as_str().is_some_and(|text| text.split_whitespace().count() >= words)
}

/// Every field in `schema` with too few words; answers how many fields there are.
fn look(schema: &Value, at: &str, found: &mut Vec<String>) -> usize {
    let mut count = 0;
    match schema {
        Value::Object(parts) => {
            for (name, field) in parts.get("properties").and_then(Value::as_object).into_iter().flatten() {
                count += 1;
                if !says_enough(field, WORDS) {
                    found.push(format!("{at}.{name}: {}", field["description"]));
                }
            }
            count +=
                parts.iter().map(|(name, part)| look(part, &format!("{at}.{name}"), found)).sum::<usize>();
        }
        Value::Array(parts) => count += parts.iter().map(|part| look(part, at, found)).sum::<usize>(),
        _ => {}
    }
    count
}

#[test]
fn every_field_says_what_it_is() {
    let mut found = Vec::new();
    for (path, document) in documents() {
        let count = look(&document["components"]["schemas"], path, &mut found);
        assert!(count > 1_000, "{path}: only {count} fields were found");
    }
    none(
        &found,
        "say in the field's doc comment what a stranger needs (unit, meaning, when it is absent), or in edge/src/access/fields.md \
         what the name means everywhere",
    );
}

#[test]
fn every_type_says_what_it_is_and_every_word_of_an_enumeration_what_it_means() {
    let mut found = Vec::new();
    for (path, document) in documents() {
        for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
            if !says_enough(schema, WORDS) {
                found.push(format!("{path} {name}: {}", schema["description"]));
            }
            let words = schema["oneOf"].as_array().into_iter().flatten();
            let silent = words.filter(|word| word.get("const").is_some() && !says_enough(word, 2));
            found.extend(silent.map(|word| format!("{path} {name}: {word}")));
        }
    }
    none(&found, "say in the doc comment what a stranger needs");
}

#[test]
fn every_parameter_says_what_it_is() {
    let mut found = Vec::new();
    for (path, document) in documents() {
        let operations = document["paths"].as_object().unwrap().iter();
        for (route, operation) in operations.flat_map(|(route, all)| {
            all.as_object().unwrap().values().map(move |operation| (route, operation))
        }) {
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            let silent = parameters.filter(|parameter| !says_enough(parameter, WORDS));
            found.extend(silent.map(|parameter| format!("{path} {route}: {}", parameter["name"])));
        }
    }
    none(&found, "a parameter says what it is");
}

#[test]
fn every_group_says_what_it_is_about() {
    let mut found = Vec::new();
    for (path, document) in documents() {
        let groups = document["tags"].as_array().unwrap();
        assert!(groups.len() > 10, "{path}: the groups were not found");
        let silent = groups.iter().filter(|group| !says_enough(group, WORDS_OF_GROUP));
        found.extend(silent.map(|group| format!("{path}: {}", group["name"])));
    }
    none(&found, "describe the group in edge/src/access/groups.md");
}

/// What a name means everywhere is said of names that are published, and of each once.
#[test]
fn words_for_fields_are_used() {
    let text = std::fs::read_to_string(root().join("edge/src/access/fields.md")).unwrap();
    let names: Vec<&str> =
        text.lines().filter_map(|line| Some(line.strip_prefix("- `")?.split_once('`')?.0)).collect();
    assert!(
        names.len() > 100 && names.is_sorted_by(|a, b| a.to_lowercase() < b.to_lowercase()),
        "in order, each once"
    );
    let all: String = documents().iter().map(|(_, document)| document.to_string()).collect();
    let unused: Vec<String> = names
        .iter()
        .filter(|name| !all.contains(&format!("\"{name}\"")))
        .map(|name| (*name).to_owned())
        .collect();
    none(&unused, "no field has this name");
}

/// What is true of every function that reads or writes says nothing.
#[test]
fn what_is_said_of_errors_says_something() {
    let said = Regex::new(r"/// # Errors\n\s*/// ([^\n]*)").unwrap();
    let nothing =
        Regex::new(r"(?i)whatever|^(the|its|their) \w+('s)?( own)?(, or the \w+'s)?\.$|^as there").unwrap();
    let (mut found, mut count) = (Vec::new(), 0);
    for folder in ["common/src", "migrations/src", "edge/src", "sync-hub/src", "tests"] {
        for source in sources(folder) {
            for said in said.captures_iter(&source.text) {
                count += 1;
                if nothing.is_match(&said[1]) {
                    found.push(format!("{}: {}", source.path, &said[1]));
                }
            }
        }
    }
    assert!(count > 300, "only {count} were found");
    none(&found, "say which error means what, or nothing: that a store may fail is known");
}
