//! The published API documents are committed, so that a review shows every change of the API. Never rewritten by a test.

use crate::root;
use clap::Parser;
use serde_json::Value;

/// How many of the differences are named.
const NAMED: usize = 20;

/// What differs between two values: the JSON pointer of each place.
fn differences(committed: &Value, printed: &Value, at: &str, found: &mut Vec<String>) {
    match (committed, printed) {
        (Value::Object(old), Value::Object(new)) => {
            for (name, value) in old {
                let at = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
                match new.get(name) {
                    Some(other) => differences(value, other, &at, found),
                    None => found.push(format!("- {at}")),
                }
            }
            let added = new.keys().filter(|name| !old.contains_key(*name));
            found.extend(added.map(|name| format!("+ {at}/{}", name.replace('~', "~0").replace('/', "~1"))));
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            for (place, (value, other)) in old.iter().zip(new).enumerate() {
                differences(value, other, &format!("{at}/{place}"), found);
            }
        }
        (old, new) if old != new => found.push(format!("! {at}: {old} is now {new}")),
        _ => {}
    }
}

/// Fails where `printed` is not what is committed as `path`; `command` rewrites that file.
#[track_caller]
fn is_committed(path: &str, command: &str, printed: &[u8]) {
    let again = format!("if that is meant, rewrite {path} with\n\n    {command} > {path}\n\nand commit it");
    let committed = std::fs::read(root().join(path));
    let committed = committed.unwrap_or_else(|error| panic!("{path}: {error}; {again}"));
    if committed == printed {
        return;
    }
    let read = |bytes: &[u8]| serde_json::from_slice(bytes).unwrap_or(Value::Null);
    let mut found = Vec::new();
    differences(&read(&committed), &read(printed), "", &mut found);
    let count = found.len();
    found.truncate(NAMED);
    panic!("the API is not the one of {path} ({count} differences: {again}):\n{}", found.join("\n"));
}

#[test]
fn the_branchs_document_is_the_committed_one() {
    let mut printed = Vec::new();
    let cli = edge::cli::Cli::try_parse_from(["edge", "openapi"]).unwrap();
    edge::cli::run(cli, &mut printed).unwrap();
    is_committed("edge/openapi.json", "cargo run -q -p edge -- openapi", &printed);
}

#[test]
fn head_offices_document_is_the_committed_one() {
    let mut printed = Vec::new();
    let cli = sync_hub::cli::Cli::try_parse_from(["sync-hub", "openapi"]).unwrap();
    sync_hub::cli::run(cli, &mut printed).unwrap();
    is_committed("sync-hub/openapi.json", "cargo run -q -p sync-hub -- openapi", &printed);
}
