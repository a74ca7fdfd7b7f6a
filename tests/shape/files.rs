//! Files: where they lie, how they begin, how long they are, and that each is compiled.

use crate::{none, root, sources, without_tests};
use std::collections::BTreeSet;

/// Source folders of the product.
const FOLDERS: [&str; 5] = ["common/src", "migrations/src", "edge/src", "sync-hub/src", "tests"];

/// The longest file, in lines of code before its unit tests.
const LONGEST: usize = 400;

/// Files past [`LONGEST`], with what they may have. May only shrink.
const LONG: &[(&str, usize)] = &[];

/// The workspace's top level, dot-files and what tools insist on aside.
const TOP_LEVEL: [&str; 9] = [
    "Cargo.lock",
    "Cargo.toml",
    "README.md",
    "common",
    "edge",
    "migrations",
    "packaging",
    "sync-hub",
    "tests",
];

#[test]
fn the_top_level_is_exactly_what_the_readme_draws() {
    let insisted: BTreeSet<&str> = ["rust-toolchain.toml", "target"].into();
    let mut found: Vec<String> = std::fs::read_dir(root())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.starts_with('.') && !insisted.contains(name.as_str()))
        .filter(|name| !is_ignored(name))
        .collect();
    found.sort();
    assert_eq!(found, TOP_LEVEL);
}

/// Whether .gitignore names this top-level entry (data folders of a server that was started here).
fn is_ignored(name: &str) -> bool {
    let ignored = std::fs::read_to_string(root().join(".gitignore")).unwrap();
    ignored.lines().any(|line| line.trim_start_matches('/') == name)
}

#[test]
fn every_file_says_what_it_is() {
    let found: Vec<String> = FOLDERS
        .iter()
        .flat_map(|folder| sources(folder))
        .filter(|source| !source.text.starts_with("//! "))
        .map(|source| source.path)
        .collect();
    none(&found, "the first line of a file says what it is");
}

#[test]
fn files_are_short() {
    let mut found = Vec::new();
    for source in FOLDERS.iter().flat_map(|folder| sources(folder)) {
        let lines = without_tests(&source).lines().count();
        let allowed = LONG.iter().find(|(path, _)| *path == source.path).map_or(LONGEST, |(_, lines)| *lines);
        if lines > allowed {
            found.push(format!("{} has {lines} lines, {allowed} allowed", source.path));
        }
    }
    none(&found, "a long file becomes a folder with one file per verb");
}

#[test]
fn exceptions_are_still_needed() {
    let all: Vec<_> = FOLDERS.iter().flat_map(|folder| sources(folder)).collect();
    let stale: Vec<String> = LONG
        .iter()
        .filter(|(path, _)| {
            !all.iter().any(|s| s.path == *path && without_tests(s).lines().count() > LONGEST)
        })
        .map(|(path, _)| (*path).to_owned())
        .collect();
    none(&stale, "no longer an exception, take it off the list");
}

#[test]
fn every_file_is_compiled() {
    let mut found = Vec::new();
    for folder in ["common/src", "migrations/src", "edge/src", "sync-hub/src"] {
        let all = sources(folder);
        for source in &all {
            let Some((parent, module)) = parent_and_module(&source.path) else { continue };
            let declared = all.iter().any(|other| {
                parent.contains(&other.path)
                    && other.text.lines().any(|line| {
                        let line = line.trim();
                        line.ends_with(&format!("mod {module};")) && !line.starts_with("//")
                    })
            });
            if !declared {
                found.push(source.path.clone());
            }
        }
    }
    none(&found, "no `mod` declares this file");
}

/// The files that may declare the module a file is, and its name.
fn parent_and_module(path: &str) -> Option<(Vec<String>, String)> {
    let (folder, file) = path.rsplit_once('/')?;
    let stem = file.strip_suffix(".rs")?;
    if ["lib", "main"].contains(&stem) {
        return None;
    }
    let (folder, module) = if stem == "mod" { folder.rsplit_once('/')? } else { (folder, stem) };
    let mut parents: Vec<String> =
        ["mod", "lib", "main"].iter().map(|p| format!("{folder}/{p}.rs")).collect();
    parents.push(format!("{folder}.rs"));
    Some((parents, module.to_owned()))
}

#[test]
fn rules_are_pure() {
    let mut found = Vec::new();
    for source in sources("edge/src/resources") {
        if !(source.path.ends_with("/rules.rs") || source.path.contains("/rules/")) {
            continue;
        }
        for word in ["axum::", "rusqlite", "Utc::now", "SystemTime", "getrandom", "&Tx", "&Connection"] {
            if without_tests(&source).contains(word) {
                found.push(format!("{} uses {word}", source.path));
            }
        }
    }
    none(&found, "rules know no web, no store, no clock and no chance");
}

#[test]
fn nothing_reads_the_clock_or_chance_by_itself() {
    let mut found = Vec::new();
    for source in sources("edge/src").into_iter().chain(sources("sync-hub/src")) {
        for word in ["Utc::now(", "SystemTime::now(", "Uuid::now_v7(", "Uuid::new_v4("] {
            if without_tests(&source).contains(word) {
                found.push(format!("{} calls {word})", source.path));
            }
        }
    }
    none(&found, "clock, ids and randomness are passed in");
}
