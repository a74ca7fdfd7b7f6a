//! The ladder: a resource may use those before it, never after.

use crate::{none, root, sources, without_tests};
use regex::Regex;

/// The ladder, as edge/README.md draws it.
pub(crate) const LADDER: [&str; 20] = [
    "notifications",
    "audit",
    "outlets",
    "employees",
    "auth",
    "menu",
    "tables",
    "inventory",
    "kitchen",
    "orders",
    "cash",
    "purchase_orders",
    "waste_logs",
    "shifts",
    "attendance",
    "leave_requests",
    "tickets",
    "analytics",
    "dashboard",
    "ai",
];

fn rung(resource: &str) -> Option<usize> {
    LADDER.iter().position(|rung| *rung == resource)
}

#[test]
fn every_resource_stands_on_the_ladder() {
    let found: Vec<String> = std::fs::read_dir(root().join("edge/src/resources"))
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .filter(|name| rung(name).is_none())
        .collect();
    none(&found, "not on the ladder");
}

#[test]
fn nobody_reaches_up_the_ladder() {
    let single = Regex::new(r"\bresources::(\w+)").unwrap();
    let group = Regex::new(r"\bresources::\{([^;]*)\};").unwrap();
    let name = Regex::new(r"(?:^|[,{]\s*)(\w+)").unwrap();
    let mut found = Vec::new();
    for source in sources("edge/src/resources") {
        let Some((own, _)) = source.path.trim_start_matches("edge/src/resources/").split_once('/') else {
            continue;
        };
        let text = without_tests(&source);
        let mut used: Vec<String> = single.captures_iter(text).map(|c| c[1].to_owned()).collect();
        for list in group.captures_iter(text) {
            used.extend(name.captures_iter(&list[1]).map(|c| c[1].to_owned()));
        }
        for other in used {
            if rung(&other).is_some_and(|theirs| Some(theirs) > rung(own)) {
                found.push(format!("{} uses {other}", source.path));
            }
        }
    }
    none(&found, "a resource may use those before it, never after");
}
