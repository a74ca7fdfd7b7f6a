//! Who writes which table: only the owner, and only in its store.

use crate::{none, root, sources, without_tests};
use regex::Regex;
use std::collections::HashMap;

/// Every table with the resource under whose heading the migrations make it.
fn owners() -> HashMap<String, String> {
    let heading = Regex::new(r"^-- -{20,} (\w+)$").unwrap();
    let create = Regex::new(r"^CREATE TABLE (\w+)").unwrap();
    let mut owners = HashMap::new();
    let mut files: Vec<_> =
        std::fs::read_dir(root().join("migrations/edge")).unwrap().map(|e| e.unwrap().path()).collect();
    // A later file may make a table anew for another owner; names would put V10 before V2.
    files.sort_by_key(|file| {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let number = name.trim_start_matches('V').split("__").next().unwrap().parse::<u32>();
        (number.unwrap_or(0), name)
    });
    for file in files {
        let mut owner = None;
        for line in std::fs::read_to_string(&file).unwrap().lines() {
            if let Some(found) = heading.captures(line) {
                owner = Some(found[1].to_owned());
            }
            if let (Some(found), Some(owner)) = (create.captures(line), &owner) {
                owners.insert(found[1].to_owned(), owner.clone());
            }
        }
    }
    owners
}

#[test]
fn only_the_owner_writes_a_table_and_only_in_its_store() {
    let owners = owners();
    assert!(owners.len() > 50, "the migrations' headings were not read");
    let write = Regex::new(r"\b(?:INSERT(?: OR \w+)? INTO|UPDATE|DELETE FROM)\s+([a-z_]+)\b").unwrap();
    let mut found = Vec::new();
    for source in sources("edge/src") {
        for table in write.captures_iter(without_tests(&source)).map(|c| c[1].to_owned()) {
            let Some(owner) = owners.get(&table) else { continue };
            let home = match owner.as_str() {
                // Beside the change log: a proposal is remembered in the very statement that records it.
                "sync" if source.path == "edge/src/log/capture.rs" => continue,
                "sync" => "edge/src/sync/store".to_owned(),
                _ => format!("edge/src/resources/{owner}/store"),
            };
            let frame = owner == "idempotency" && source.path == "edge/src/http/idempotency.rs";
            if !(source.path.starts_with(&home) || frame) {
                found.push(format!("{} writes {table}, which is {owner}'s", source.path));
            }
        }
    }
    none(&found, "only the owner's store writes a table");
}
