//! Architecture tests: the shape the documents draw is the shape the code has. Exceptions are listed here, with their reason,
//! and the lists may only shrink. Never runs the server.

mod bugs;
mod described;
mod documents;
mod files;
mod knots;
mod ladder;
mod layers;
mod modules;
mod readmes;
mod rounds;
mod routes;
mod screens;
mod sizes;
mod slices;
mod tables;

use std::path::{Path, PathBuf};

/// The workspace's root.
fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// A source file: its path below the root, with `/`, and its text.
struct Source {
    path: String,
    text: String,
}

/// Every `.rs` file below `folder`, in order.
fn sources(folder: &str) -> Vec<Source> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path: PathBuf = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let path = path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
                found.push(Source { path, text });
            }
        }
    }
    assert!(!found.is_empty(), "no source below {folder}");
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// Whether a file holds only unit tests: its name or its folder's says so.
fn is_test(source: &Source) -> bool {
    let in_folder = source.path.contains("/src/") && source.path.contains("/tests/");
    in_folder || source.path.ends_with("/tests.rs") || source.path.ends_with("/testing.rs")
}

/// The part of a file before its unit tests.
fn without_tests(source: &Source) -> &str {
    if is_test(source) {
        return "";
    }
    let of_tests = |at: &usize| source.text[*at..].lines().nth(2).is_some_and(|line| line.ends_with('{'));
    let tests = source.text.match_indices("\n#[cfg(test)]\nmod ").map(|(at, _)| at).find(of_tests);
    &source.text[..tests.unwrap_or(source.text.len())]
}

/// Fails with everything that was found, one per line.
#[track_caller]
fn none(found: &[String], rule: &str) {
    assert!(found.is_empty(), "{rule}:\n{}", found.join("\n"));
}
