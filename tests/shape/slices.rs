//! The inside of the slices: each resource has the same five files, leaning on each other one way, and its store speaks of rows in
//! the same words. Never looks at unit tests.

use crate::modules::{Crate, bare};
use crate::{none, root, sources, without_tests};
use regex::Regex;
use std::collections::BTreeSet;

/// The files of a resource, from the top down: a file uses those after it, never one before it. `mod` says what the resource owns.
const FIVE: [&str; 4] = ["api", "actions", "store", "rules"];

/// Files that are none of the five, with the reason. May only shrink.
const SIXTH: &[(&str, &str, &str)] = &[
    ("ai", "assistant", "asks the model or the local engine, holding no transaction while it waits"),
    ("ai", "reads", "the API's own readable routes, called with the asker's rights"),
    ("ai", "remote", "the configured model, an API of somebody else"),
    ("analytics", "worker", "keeps the figures of finished days by itself"),
    ("devices", "worker", "hears which displays fell silent by itself"),
    ("inventory", "worker", "follows expiry and lapsed settings by itself"),
    ("kitchen", "displays", "how many follow a station, known to this process alone"),
    ("kitchen", "worker", "escalates what nobody acknowledges by itself"),
    ("notifications", "mail", "sends mail that is due by itself"),
    ("orders", "worker", "calls off what nobody accepted by itself"),
    ("printers", "line", "what can be said to a printer, and what it answers"),
    ("printers", "worker", "one queue for each printer, sent by itself"),
    ("purchase_orders", "worker", "watches for what was promised and did not come by itself"),
    ("tables", "qr", "a table's code as a picture; pure"),
];

/// How a function of a store begins that asks or tells the database something: `find` answers one row or none, `list` several,
/// `each` hands them on one by one, `count` and `sum` figures, `has` and `is` yes or no, `next` the next number; `insert` makes a
/// row, `set` changes what its name says, `update` all that a request may change, `delete` takes a row away.
const VERBS: [&str; 12] =
    ["find", "list", "each", "count", "sum", "has", "is", "next", "insert", "set", "update", "delete"];

const RESOURCES: &str = "edge/src/resources";

/// The resource and the file of it (`store` for all that lies in `store/`) that a source is part of.
fn place(path: &str) -> Option<(&str, &str)> {
    let (resource, file) = path.strip_prefix(RESOURCES)?.trim_start_matches('/').split_once('/')?;
    Some((resource, file.split('/').next()?.trim_end_matches(".rs")))
}

/// The sources of stores, each with its resource and its code.
fn stores() -> Vec<(String, String)> {
    let all = sources(RESOURCES);
    let stores = all.iter().filter_map(|source| match place(&source.path) {
        Some((resource, "store")) => Some((resource.to_owned(), bare(without_tests(source)))),
        _ => None,
    });
    stores.collect()
}

#[test]
fn every_resource_has_the_same_five_files() {
    let mut found = BTreeSet::new();
    let mut needed = BTreeSet::new();
    for source in sources(RESOURCES) {
        let Some((resource, file)) = place(&source.path) else { continue };
        if file == "mod" || FIVE.contains(&file) {
            continue;
        }
        needed.insert((resource.to_owned(), file.to_owned()));
        if !SIXTH.iter().any(|(theirs, sixth, _)| (*theirs, *sixth) == (resource, file)) {
            found.insert(format!("{resource}/{file}"));
        }
    }
    let stale = SIXTH
        .iter()
        .filter(|(resource, file, _)| !needed.contains(&((*resource).to_owned(), (*file).to_owned())));
    found.extend(stale.map(|listed| format!("no longer there, take it off the list: {listed:?}")));
    none(
        &Vec::from_iter(found),
        "a resource is mod, api, rules, actions and store; a sixth file needs a reason",
    );
}

#[test]
fn no_file_of_a_resource_uses_one_above_it() {
    let floor = |file: &str| FIVE.iter().position(|name| *name == file);
    let mut found = BTreeSet::new();
    for used in Crate::read("edge/src").uses() {
        let (Some(from), Some(to)) = (slice(&used.from), slice(&used.to)) else { continue };
        if floor(to.1).is_some_and(|theirs| floor(from.1).is_some_and(|mine| mine > theirs)) {
            found.insert((used.from[1..].join("/"), format!("{}/{}", to.0, to.1)));
        }
    }
    let wrong = found.iter().map(|(from, to)| format!("{from} uses {to}")).collect::<Vec<_>>();
    none(&wrong, "api uses actions, actions use store, store uses rules; never the other way");
}

/// The resource and the file of it that a module is part of.
fn slice(module: &[String]) -> Option<(&str, &str)> {
    match module {
        [resources, resource, file, ..] if resources == "resources" => Some((resource, file)),
        _ => None,
    }
}

#[test]
fn stores_speak_of_rows_in_the_same_words() {
    let function = Regex::new(r"\bpub(?:\([a-z: ]+\))? fn (\w+)(?:<[^(]*>)?\(([^{;]*)").unwrap();
    let mut wrong = Vec::new();
    for (resource, code) in stores() {
        for function in function.captures_iter(&code) {
            let asks = function[2].contains("dyn Source") || function[2].contains("Tx<");
            let verb = function[1].split('_').next().unwrap_or_default();
            if asks && !VERBS.contains(&verb) {
                wrong.push(format!("{resource}: {}", &function[1]));
            }
        }
    }
    none(&wrong, &format!("a function of a store begins with one of {VERBS:?}"));
}

#[test]
fn stores_read_columns_by_name() {
    let positions = Regex::new(r"\.get(?:_ref)?(?:::<[^(]*>)?\(\s*[1-9][0-9]*\s*\)").unwrap();
    no_store_has(&positions, "a column is read by its name");
}

#[test]
fn lists_answer_pages() {
    let pairs = Regex::new(r"->[^{;]*\(Vec<[^()]*>, i64\)").unwrap();
    no_store_has(&pairs, "a list answers a Page");
}

#[track_caller]
fn no_store_has(pattern: &Regex, rule: &str) {
    let held = |(resource, code): (String, String)| {
        let found: Vec<_> =
            pattern.find_iter(&code).map(|found| format!("{resource}: {}", found.as_str())).collect();
        found
    };
    none(&stores().into_iter().flat_map(held).collect::<Vec<_>>(), rule);
}

#[test]
fn one_writer_of_what_printers_obey() {
    let command = Regex::new(r"\\x1[bd]|\\u\{1[bd]\}|\b0x1[bd]\b").unwrap();
    // What a printer is asked stands with its answers.
    let may =
        |path: &str| path.starts_with("edge/src/paper/") || path == "edge/src/resources/printers/line.rs";
    let writes = |source: &crate::Source| !may(&source.path) && command.is_match(without_tests(source));
    let found: Vec<String> = ["edge/src", "sync-hub/src"]
        .iter()
        .flat_map(|folder| sources(folder))
        .filter(writes)
        .map(|source| source.path)
        .collect();
    none(&found, "rows become printer bytes in edge/src/paper alone");
}

#[test]
fn every_resource_is_looked_at() {
    let folders = std::fs::read_dir(root().join(RESOURCES)).unwrap();
    let folders = folders.filter(|entry| entry.as_ref().unwrap().path().is_dir()).count();
    let stores: BTreeSet<String> = stores().into_iter().map(|(resource, _)| resource).collect();
    // Only waste_logs has no table of its own.
    assert!(stores.len() + 1 >= folders, "{folders} resources, but stores of {stores:?} only");
}
