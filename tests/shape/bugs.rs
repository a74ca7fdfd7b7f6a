//! Known bugs: their switches are in test builds and nowhere else, and few places of the programs ask for one.

use crate::{none, root, sources, without_tests};
use regex::Regex;
use std::collections::BTreeSet;
use tiffin_common::older::{Older, play};

/// Source folders of the programs.
const PROGRAMS: [&str; 3] = ["common/src", "edge/src", "sync-hub/src"];

/// The one place that says when there are switches.
const MACRO: &str = "edge/src/known_bugs.rs";

/// The one place that says when an older program can be played.
const OLDER: &str = "common/src/older.rs";

/// Files that ask whether a known bug is put back. Grows by a new known bug alone.
const HOOKS: &[&str] = &[
    "edge/src/sync/apply.rs",
    "edge/src/sync/digest.rs",
    "edge/src/sync/exchange.rs",
    "edge/src/sync/pull.rs",
    "edge/src/sync/push.rs",
    "edge/src/sync/recovery.rs",
    "edge/src/sync/restore.rs",
    "edge/src/sync/resumed.rs",
    "edge/src/sync/review_lane.rs",
    "sync-hub/src/exchange/admission.rs",
    "sync-hub/src/hub/apart.rs",
    "sync-hub/src/merge/apart.rs",
    "sync-hub/src/merge/apply.rs",
    "sync-hub/src/merge/lane.rs",
    "sync-hub/src/merge/place.rs",
    "sync-hub/src/merge/proposal.rs",
    "sync-hub/src/merge/push.rs",
    "sync-hub/src/merge/refill.rs",
    "sync-hub/src/merge/schedule.rs",
    "sync-hub/src/merge/transfers.rs",
    "sync-hub/src/merge/wants.rs",
];

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

#[test]
fn a_release_has_no_switches() {
    // What is not there takes no room.
    assert_eq!(size_of::<sync_hub::bugs::Bugs>() > 0, cfg!(debug_assertions));
    assert_eq!(size_of::<edge::sync::Bugs>() > 0, cfg!(debug_assertions));
    let condition = r#"all(debug_assertions, any(test, feature = "known-bugs")) => {"#;
    assert_eq!(read(MACRO).matches(condition).count(), 1);
    let before: &Older = Box::leak(Box::new(Older { schema: 1, unknown: BTreeSet::new() }));
    play(Some(before));
    assert_eq!(play(None).is_some(), cfg!(debug_assertions));
    let condition = r#"const CAN: bool = cfg!(all(debug_assertions, feature = "known-bugs"));"#;
    assert_eq!(read(OLDER).matches(condition).count(), 1);
    let feature = Regex::new(r#"feature\s*=\s*"known-bugs""#).unwrap();
    let switch = Regex::new(r"\b(struct|enum|static) (Bugs|Faults|Mistakes)\b").unwrap();
    let found: Vec<String> = PROGRAMS
        .iter()
        .flat_map(|folder| sources(folder))
        .filter(|source| ![MACRO, OLDER].contains(&source.path.as_str()))
        .filter(|source| feature.is_match(&source.text) || switch.is_match(without_tests(source)))
        .map(|source| source.path)
        .collect();
    none(&found, "switches are declared by known_bugs! alone, which leaves them out of a release");
}

#[test]
fn only_the_tests_ask_for_them() {
    let mut found = Vec::new();
    let by_default = Regex::new(r"(?m)^default\s*=").unwrap();
    for package in ["common", "migrations", "edge", "sync-hub", "tests"] {
        let manifest: String = read(&format!("{package}/Cargo.toml"));
        for line in manifest.lines().filter(|line| line.contains("known-bugs") && !line.starts_with('#')) {
            let declares = line == "known-bugs = []" && ["common", "edge", "sync-hub"].contains(&package);
            if !declares && package != "tests" {
                found.push(format!("{package}/Cargo.toml: {line}"));
            }
        }
        if by_default.is_match(&manifest) {
            found.push(format!("{package}/Cargo.toml has features by default"));
        }
    }
    // With debug assertions a release would have them after all.
    let places = ["Cargo.toml", ".cargo/config.toml", "packaging/build.sh"];
    let without = |place: &str| read(place).replace("debug-assertions = false", "");
    for (place, text) in places.map(|place| (place, without(place))) {
        for word in ["debug-assertions", "debug_assertions", "known-bugs", "--all-features", "--workspace"] {
            if text.contains(word) {
                found.push(format!("{place}: {word}"));
            }
        }
    }
    none(&found, "what is shipped is built without known bugs");
}

#[test]
fn few_places_ask_for_one() {
    let all: Vec<_> = PROGRAMS.iter().flat_map(|folder| sources(folder)).collect();
    let declared = Regex::new(r"known_bugs! \{(?s:.*?)Bugs \{((?s).*?)\n    \}").unwrap();
    let name = Regex::new(r"(?m)^ +([a-z_]+)$").unwrap();
    let bugs: BTreeSet<String> = all
        .iter()
        .filter(|source| source.path != MACRO)
        .flat_map(|source| declared.captures_iter(&source.text).map(|found| found[1].to_owned()))
        .flat_map(|names| name.captures_iter(&names).map(|found| found[1].to_owned()).collect::<Vec<_>>())
        .collect();
    assert!(bugs.len() > 8, "the declarations were not read: {bugs:?}");
    let names: Vec<&str> = bugs.iter().map(String::as_str).collect();
    let asks = Regex::new(&format!(r"\.({})\(\)", names.join("|"))).unwrap();
    let hooks: Vec<&str> = all
        .iter()
        .filter(|source| asks.is_match(without_tests(source)))
        .map(|source| source.path.as_str())
        .collect();
    assert_eq!(hooks, HOOKS, "a program reads as if there were no known bugs");
    let text: String = all.iter().map(|source| source.text.as_str()).collect();
    let unused: Vec<&str> = names.into_iter().filter(|bug| !text.contains(&format!(".{bug}()"))).collect();
    assert!(unused.is_empty(), "asked for nowhere: {unused:?}");
}
