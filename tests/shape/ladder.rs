//! The ladder: a resource may use those before it, never after.

use crate::modules::Crate;
use crate::{none, root};

/// The ladder, as edge/README.md draws it.
pub(crate) const LADDER: [&str; 24] = [
    "notifications",
    "audit",
    "outlets",
    "printers",
    "channels",
    "employees",
    "auth",
    "menu",
    "tables",
    "inventory",
    "kitchen",
    "devices",
    "orders",
    "cash",
    "purchase_orders",
    "waste_logs",
    "shifts",
    "leave_requests",
    "attendance",
    "tickets",
    "analytics",
    "dashboard",
    "ai",
    "privacy",
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
    let mut found = Vec::new();
    for used in Crate::read("edge/src").uses() {
        let ([a, own, ..], [b, other, ..]) = (used.from.as_slice(), used.to.as_slice()) else { continue };
        if a == "resources" && b == "resources" && rung(other) > rung(own) {
            found.push(format!("{} uses {other}: {}", used.from.join("/"), used.name));
        }
    }
    none(&found, "a resource may use those before it, never after");
}
