//! The layers of `common` and `sync-hub`: a module at the top of the crate uses those of lower layers and no other. What of the
//! branch's server lies on what is said in `ladder`.

use crate::modules::Crate;
use crate::{none, root, sources, without_tests};
use regex::Regex;
use std::collections::BTreeSet;

/// What lies on nothing comes first. A layer's modules do not use each other.
const COMMON: &[&[&str]] = &[
    &["clock", "money", "registry", "words"],
    &["business_date", "hlc", "ids", "quantity"],
    &["conflict", "frame"],
    &["digest", "sync"],
];

/// As [`COMMON`].
const SYNC_HUB: &[&[&str]] = &[
    &["config", "derived", "live", "replay"],
    &["store"],
    &["merge", "reads", "registry", "verify"],
    &["exchange", "hub", "secrets"],
    &["desk", "opening"],
    &["state"],
    &["api", "backup", "days"],
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
    let there: BTreeSet<String> =
        names.filter(|name| layer(name).is_some() || name != "lib" && name != "main").collect();
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
fn head_office_points_downwards() {
    none(&upwards("sync-hub/src", SYNC_HUB), "a module uses those of lower layers only");
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
