//! The READMEs: short, linked, and true to what is there. Never judges what they say.

use crate::{none, root};
use regex::Regex;
use std::collections::BTreeSet;
use std::path::Path;

/// The longest first document, in lines.
const FIRST: usize = 150;

/// The longest document of a folder, in lines.
const OTHER: usize = 200;

/// Folders that hold no document of ours.
const NOT_OURS: [&str; 3] = ["target", "data", "hub-data"];

/// Every README, as its path below the root.
fn documents() -> Vec<String> {
    let (mut found, mut folders) = (Vec::new(), vec![root().to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && !name.starts_with('.') && !NOT_OURS.contains(&name.as_str()) {
                folders.push(path);
            } else if name == "README.md" {
                found.push(path.strip_prefix(root()).unwrap().to_string_lossy().into_owned());
            }
        }
    }
    found.sort();
    found
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

/// What a document links to beside it, as it is written there: path and heading.
fn links(text: &str) -> Vec<(String, Option<String>)> {
    let link = Regex::new(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)").unwrap();
    let found = link.captures_iter(text).map(|c| (c[1].to_owned(), c.get(2).map(|h| h.as_str().to_owned())));
    found.filter(|(path, _)| !path.contains("://")).collect()
}

/// The anchors of a document's headings.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter_map(|line| line.strip_prefix('#'));
    let anchor = |heading: &str| {
        let words = heading.trim_start_matches('#').trim().to_lowercase();
        words
            .chars()
            .filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c))
            .collect::<String>()
            .replace(' ', "-")
    };
    headings.map(anchor).collect()
}

#[test]
fn documents_are_short() {
    let found: Vec<String> = documents()
        .iter()
        .map(|path| (path, read(path).lines().count(), if path == "README.md" { FIRST } else { OTHER }))
        .filter(|(_, lines, most)| lines > most)
        .map(|(path, lines, most)| format!("{path} has {lines} lines, {most} allowed"))
        .collect();
    none(&found, "a document says what is needed where it stands; the rest belongs where it is used");
}

#[test]
fn links_lead_somewhere() {
    let (mut found, mut count) = (Vec::new(), 0);
    for document in documents() {
        let folder = Path::new(&document).parent().unwrap();
        let text = read(&document);
        for (path, heading) in links(&text) {
            count += 1;
            let target =
                if path.is_empty() { root().join(&document) } else { root().join(folder).join(&path) };
            if !target.exists() {
                found.push(format!("{document} links to {path}, which is not there"));
            } else if let Some(heading) = heading
                && !anchors(&std::fs::read_to_string(&target).unwrap()).contains(&heading)
            {
                found.push(format!("{document} links to {path}#{heading}, which has no such heading"));
            }
        }
    }
    assert!(count > 5, "the links were not read");
    none(&found, "a link leads to a file and a heading that are there");
}

#[test]
fn the_first_document_leads_to_all_others() {
    // From the first one, over as many others as it takes.
    let (mut seen, mut next) = (BTreeSet::new(), vec!["README.md".to_owned()]);
    while let Some(document) = next.pop() {
        let folder = Path::new(&document).parent().unwrap().to_owned();
        for (path, _) in links(&read(&document)) {
            let target = root().join(&folder).join(&path).canonicalize();
            let Ok(target) = target else { continue };
            let target =
                target.strip_prefix(root().canonicalize().unwrap()).unwrap().to_string_lossy().into_owned();
            if target.ends_with("README.md") && !seen.contains(&target) {
                next.push(target);
            }
        }
        seen.insert(document);
    }
    let all: BTreeSet<String> = documents().into_iter().collect();
    let lost: Vec<String> = all.difference(&seen).cloned().collect();
    none(&lost, "no way leads there from README.md");
    // A reader of the first one sees at once what each folder has to say.
    let direct: Vec<String> = links(&read("README.md")).into_iter().map(|(path, _)| path).collect();
    let missing: Vec<String> =
        all.into_iter().filter(|path| path.split('/').count() == 2 && !direct.contains(path)).collect();
    none(&missing, "README.md links to the document of every top-level folder");
}

/// Paths of the tree that a document names in `code`, such as `tests/shape` or `common/src/frame/pack.rs`.
#[test]
fn paths_that_are_named_are_there() {
    let code =
        Regex::new(r"`((?:common|migrations|edge|sync-hub|tests|packaging|\.ci)/[A-Za-z0-9_./-]*)`").unwrap();
    let (mut found, mut count) = (Vec::new(), 0);
    for document in documents() {
        for named in code.captures_iter(&read(&document)) {
            count += 1;
            let path = root().join(named[1].trim_end_matches('/'));
            // A module is named without its ending; `common/registry` is a module of the crate `common`.
            let (krate, rest) = named[1].split_once('/').unwrap();
            let module = root().join(krate).join("src").join(rest);
            let is_there = [&path, &module].iter().any(|p| p.exists() || p.with_extension("rs").exists());
            if !is_there {
                found.push(format!("{document} names {}", &named[1]));
            }
        }
    }
    assert!(count > 10, "the paths were not read");
    none(&found, "a path that a document names is there");
}

/// Tests that a document of the tests names in `code`, such as `pins::a_pin_opens…` or `hub/people::a_second_factor…`.
#[test]
fn tests_that_are_named_are_there() {
    let code = Regex::new(r"`(?:([a-z_]+)/)?([a-z_]+)::([a-z0-9_]+)(…?)`").unwrap();
    let (mut found, mut count) = (Vec::new(), 0);
    for document in documents().iter().filter(|document| document.starts_with("tests/")) {
        for named in code.captures_iter(&read(document)) {
            count += 1;
            let folder = named.get(1).map_or("api", |folder| folder.as_str());
            let at = format!("tests/{folder}/{}", &named[2]);
            let of = |source: &&crate::Source| {
                source.path == format!("{at}.rs") || source.path.starts_with(&format!("{at}/"))
            };
            let end = if named[4].is_empty() { "(" } else { "" };
            let name = format!("fn {}{end}", &named[3]);
            if !crate::sources("tests").iter().filter(of).any(|source| source.text.contains(&name)) {
                found.push(format!("{document} names {}", &named[0]));
            }
        }
    }
    assert!(count > 250, "only {count} tests were read");
    none(&found, "a test that a document names is there");
}

/// Modules that a program's document names in `code` without their crate, such as `orders/rules` or `db/table.rs`.
#[test]
fn modules_that_are_named_are_there() {
    let code = Regex::new(r"`([a-z_]+)/([A-Za-z0-9_./]*)`").unwrap();
    let (mut found, mut count) = (Vec::new(), 0);
    for (document, bases) in [
        ("README.md", ["edge/src", "edge/src/resources", "sync-hub/src"].as_slice()),
        ("edge/README.md", &["edge/src", "edge/src/resources"]),
        ("sync-hub/README.md", &["sync-hub/src", "edge/src"]),
    ] {
        for named in code.captures_iter(&read(document)) {
            let inside = |base: &&&str| root().join(base).join(&named[1]).is_dir();
            let mut bases = bases.iter().filter(inside).peekable();
            if bases.peek().is_none() {
                continue;
            }
            count += 1;
            let path = |base: &str| root().join(base).join(&named[1]).join(named[2].trim_end_matches('/'));
            if !bases.any(|base| path(base).exists() || path(base).with_extension("rs").exists()) {
                found.push(format!("{document} names {}", &named[0]));
            }
        }
    }
    assert!(count > 20, "only {count} modules were read");
    none(&found, "a module that a document names is there");
}
