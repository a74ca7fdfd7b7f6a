//! The layers of each crate: a module at the top of the crate uses those of lower layers and no other. The layers within the
//! branch's resources are in `ladder`.

use crate::ladder::LADDER;
use crate::modules::Crate;
use crate::{none, root, sources, without_tests};
use regex::Regex;
use std::collections::BTreeSet;

/// What lies on nothing comes first. A layer's modules do not use each other.
const COMMON: &[&[&str]] = &[
    &["older"],
    &["clock", "money", "registry", "text", "words"],
    &["business_date", "currency", "hlc", "ids", "quantity"],
    &["conflict", "frame"],
    &["digest", "sync"],
];

/// As [`COMMON`].
const EDGE: &[&[&str]] = &[
    &["config", "data_dir", "log", "paper", "root"],
    &["known_bugs", "db"],
    &["exchange", "http"],
    &["access", "service_manager", "ui"],
    &["serve", "state"],
    &["resources", "secrets"],
    &["clock", "noted", "retention", "sync"],
    &["lan", "live", "space"],
    &["backup"],
    &["doctor", "export", "health"],
    &["app", "restore"],
    &["cli"],
];

/// Modules of the branch's server that work without its state, though they lie above it: also where no server runs.
const WITHOUT_STATE: [&str; 3] = ["sync", "lan", "doctor"];

/// As [`COMMON`].
const SYNC_HUB: &[&[&str]] = &[
    &["bugs", "config", "derived", "live", "replay"],
    &["store"],
    &["merge", "reads", "registry", "verify"],
    &["exchange", "hub", "secrets"],
    &["desk", "opening"],
    &["state"],
    &["api", "backup", "courier", "days", "noted", "retention", "screens", "upgraded"],
    &["app", "doctor", "export"],
    &["serve"],
    &["cli"],
];

/// Uses in the crate below `folder` that do not lead to a lower layer, and modules that are in none.
fn upwards(folder: &str, layers: &[&[&str]]) -> Vec<String> {
    let layer = |module: &str| layers.iter().position(|layer| layer.contains(&module));
    let uses = Crate::read(folder).uses();
    assert!(uses.len() > 20, "the uses of {folder} were not read");
    let mut found = Vec::new();
    for used in &uses {
        // What the crate's root defines lies below all.
        let (Some(from), Some(to)) = (used.from.first(), used.to.first()) else { continue };
        if from != to && layer(from).is_none_or(|own| layer(to).is_none_or(|below| below >= own)) {
            let (from, to) = (used.from.join("::"), used.to.join("::"));
            found.push(format!("{folder}: {from} uses {to}: {}", used.name));
        }
    }
    let entries = std::fs::read_dir(root().join(folder)).unwrap();
    let names =
        entries.map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned());
    let roots = ["lib", "main", "testing"];
    let there: BTreeSet<String> =
        names.filter(|name| layer(name).is_some() || !roots.contains(&name.as_str())).collect();
    let known: BTreeSet<String> = layers.concat().into_iter().map(str::to_owned).collect();
    found.extend(
        there.symmetric_difference(&known).map(|name| format!("{folder}: {name} is in no layer, or is gone")),
    );
    found
}

#[test]
fn common_points_downwards() {
    none(&upwards("common/src", COMMON), "a module uses those of lower layers only");
}

#[test]
fn the_branch_points_downwards() {
    none(&upwards("edge/src", EDGE), "a module uses those of lower layers only");
    let uses = Crate::read("edge/src").uses();
    let found: Vec<String> = uses
        .iter()
        .filter(|used| used.from.first().is_some_and(|from| WITHOUT_STATE.contains(&from.as_str())))
        .filter(|used| used.to.first().is_some_and(|to| to == "state"))
        .map(|used| format!("{} uses the state: {}", used.from.join("::"), used.name))
        .collect();
    none(&found, "what works where no server runs takes no state");
}

#[test]
fn head_office_points_downwards() {
    none(&upwards("sync-hub/src", SYNC_HUB), "a module uses those of lower layers only");
}

/// A text in one line, without the marks of a doc comment.
fn in_one_line(path: &str) -> String {
    let text = std::fs::read_to_string(root().join(path)).unwrap();
    let words = text.split_whitespace().filter(|word| *word != "//!");
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn the_layers_and_the_ladder_are_drawn_as_they_are() {
    let drawn = |layers: &[&[&str]], between: &str| {
        layers.iter().map(|layer| layer.join(", ")).collect::<Vec<_>>().join(between)
    };
    let mut found = Vec::new();
    for (path, drawn) in [
        ("edge/README.md", drawn(EDGE, " → ")),
        ("edge/src/lib.rs", drawn(EDGE, " → ")),
        ("edge/README.md", LADDER.join(" · ")),
        ("sync-hub/README.md", drawn(SYNC_HUB, " → ")),
        ("sync-hub/src/lib.rs", drawn(SYNC_HUB, " → ")),
    ] {
        if !in_one_line(path).contains(&drawn) {
            found.push(format!("{path} should say: {drawn}"));
        }
    }
    none(&found, "what is drawn is what is checked here");
}

#[test]
fn head_office_makes_up_no_branch() {
    let whole = Regex::new(r"edge::state::(\{[^}]*\b)?AppState\b").unwrap();
    let found: Vec<String> = sources("sync-hub/src")
        .into_iter()
        .filter(|source| whole.is_match(without_tests(source)))
        .map(|source| source.path)
        .collect();
    none(&found, "the branch's reading routes need its reading state and no other part of a branch");
}
