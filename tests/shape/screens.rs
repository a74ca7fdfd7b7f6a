//! The files of the screens: sizes, who imports whom, no way for a text to become markup, words and colours in their own places, and how
//! much a browser loads before it shows anything.

use crate::{none, root};
use flate2::Compression;
use flate2::write::GzEncoder;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

/// Where screens lie.
const FOLDERS: [&str; 2] = ["edge/screens", "sync-hub/screens"];

/// The longest module, in lines; the drawing kit's own is shorter.
const LONGEST: usize = 300;
const LONGEST_VIEW: usize = 250;

/// What a browser loads before a screen shows: modules, and bytes of modules and styles, compressed. A guest's phone may be slow.
const MODULES: usize = 25;
const BYTES: usize = 120_000;
const GUEST_MODULES: usize = 10;
const GUEST_BYTES: usize = 60_000;

/// Ways for a text to become markup or a script, and boxes that block a till.
const FORBIDDEN: &str = r#"\b(innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|setAttribute\("style"|srcdoc|window\.alert|alert\(|confirm\("|prompt\()"#;

/// Every file of a screen by its path there (`kit/view.js`), with the folder it lies in.
fn files() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for folder in FOLDERS {
        let folder = root().join(folder);
        let mut waiting = vec![folder.clone()];
        while let Some(at) = waiting.pop() {
            let Ok(entries) = std::fs::read_dir(&at) else { continue };
            for entry in entries {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    waiting.push(path);
                } else if path.extension().is_some_and(|ending| ending == "js" || ending == "css") {
                    let name = path.strip_prefix(&folder).unwrap().to_string_lossy().into_owned();
                    found.insert(name, std::fs::read_to_string(&path).unwrap());
                }
            }
        }
    }
    assert!(found.len() > 20, "the files of the screens were not found");
    found
}

/// The code of a module without its comments.
fn code(text: &str) -> String {
    let comments = Regex::new(r"(?s)/\*.*?\*/|(?m)^\s*//[^\n]*|\s//\s[^\n]*").unwrap();
    comments.replace_all(text, "").into_owned()
}

/// The modules that `name` imports at once, and with `later` also those that it imports when they are needed.
fn imports(name: &str, text: &str, later: bool) -> Vec<String> {
    let at_once = Regex::new(r#"(?m)^(?:import|export|\} from) ?[^"\n]*"(\.[^"]+\.js)""#).unwrap();
    let needed = Regex::new(r#"import\("(\.[^"]+\.js)"\)"#).unwrap();
    let mut paths: Vec<&str> =
        at_once.captures_iter(text).map(|found| found.get(1).unwrap().as_str()).collect();
    if later {
        paths.extend(needed.captures_iter(text).map(|found| found.get(1).unwrap().as_str()));
    }
    paths.iter().map(|path| resolve(name, path)).collect()
}

/// `path` as the file `name` means it.
fn resolve(name: &str, path: &str) -> String {
    let mut parts: Vec<&str> = name.split('/').collect();
    parts.pop();
    for part in path.split('/').filter(|part| *part != ".") {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

fn is_module(name: &str) -> bool {
    name.ends_with(".js")
}

fn is_words(name: &str) -> bool {
    name.contains("/words/")
}

#[test]
fn every_file_of_a_screen_says_what_it_is() {
    let silent = files().into_iter().filter(|(_, text)| {
        let first = text.lines().next().unwrap_or_default();
        !first.starts_with("// ") && !first.starts_with("/* ")
    });
    none(&silent.map(|(name, _)| name).collect::<Vec<_>>(), "the first line says what a file is");
}

#[test]
fn modules_are_short() {
    let long = files().into_iter().filter(|(name, _)| is_module(name) && !is_words(name)).filter_map(
        |(name, text)| {
            let most = if name == "kit/view.js" { LONGEST_VIEW } else { LONGEST };
            let lines = text.lines().count();
            (lines > most).then(|| format!("{name}: {lines} lines, at most {most}"))
        },
    );
    none(&long.collect::<Vec<_>>(), "a module is short");
}

#[test]
fn a_screen_imports_the_kit_and_itself_and_nothing_twice_round() {
    let files = files();
    let mut found = Vec::new();
    let folder = |name: &str| name.split('/').next().unwrap_or_default().to_owned();
    let mut next: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, text) in files.iter().filter(|(name, _)| is_module(name)) {
        for path in imports(name, text, true) {
            if folder(&path) != folder(name) && folder(&path) != "kit" {
                found.push(format!("{name} imports {path}"));
            }
            if !files.contains_key(&path) {
                found.push(format!("{name} imports {path}, which is no file"));
            }
        }
        next.insert(name.clone(), imports(name, text, false));
    }
    for name in next.keys() {
        if reach(&next, name).contains(name) {
            found.push(format!("{name} imports itself by way of others"));
        }
    }
    none(&found, "a screen imports the kit and itself, downwards only");
}

/// All that `from` imports, itself only where it comes round.
fn reach(next: &BTreeMap<String, Vec<String>>, from: &str) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut waiting: Vec<&String> = next.get(from).into_iter().flatten().collect();
    while let Some(name) = waiting.pop() {
        if seen.insert(name.clone()) {
            waiting.extend(next.get(name).into_iter().flatten());
        }
    }
    seen
}

#[test]
fn no_text_becomes_markup() {
    let forbidden = Regex::new(FORBIDDEN).unwrap();
    let mut found = Vec::new();
    for (name, text) in files().iter().filter(|(name, _)| is_module(name) && !is_words(name)) {
        found.extend(forbidden.find_iter(&code(text)).map(|at| format!("{name}: {}", at.as_str())));
    }
    none(&found, "a text becomes a text node, a dialog is the kit's");
}

#[test]
fn words_stand_in_the_files_of_words() {
    // Two words one after the other, the first with a capital: a sentence.
    let sentence = Regex::new(r#"["`][A-Z][a-z]+ [a-z]+[^"`\n]*["`]"#).unwrap();
    let mut found = Vec::new();
    for (name, text) in files().iter().filter(|(name, _)| is_module(name) && !is_words(name)) {
        found.extend(sentence.find_iter(&code(text)).map(|at| format!("{name}: {}", at.as_str())));
    }
    none(&found, "no text outside the files of words");
}

#[test]
fn colours_stand_in_one_file() {
    let colour = Regex::new(r"#[0-9a-fA-F]{3,8}\b[^{]*;").unwrap();
    let mut found = Vec::new();
    for (name, text) in files().iter().filter(|(name, _)| name.ends_with(".css") && *name != "kit/tokens.css")
    {
        found.extend(colour.find_iter(text).map(|at| format!("{name}: {}", at.as_str())));
    }
    none(&found, "a colour has a name in kit/tokens.css, by day and by night");
}

#[test]
fn a_screen_is_there_with_few_modules_and_few_bytes() {
    let files = files();
    let next: BTreeMap<String, Vec<String>> = files
        .iter()
        .filter(|(name, _)| is_module(name))
        .map(|(name, text)| (name.clone(), imports(name, text, false)))
        .collect();
    let mut found = Vec::new();
    for entry in next.keys().filter(|name| name.ends_with("/main.js")) {
        let screen = entry.trim_end_matches("/main.js");
        let (most, bytes) = if screen == "guest" { (GUEST_MODULES, GUEST_BYTES) } else { (MODULES, BYTES) };
        let mut loaded = reach(&next, entry);
        loaded.insert(entry.clone());
        // The words come with them, and the styles.
        let modules = loaded.len();
        let words = ["kit/words/hi.js".to_owned(), format!("{screen}/words/hi.js")];
        let styles = ["kit/tokens.css".to_owned(), "kit/parts.css".to_owned(), format!("{screen}/main.css")];
        let all = loaded.iter().chain(&words).chain(&styles).filter_map(|name| files.get(name));
        let packed: usize = all.map(|text| packed(text)).sum();
        if modules > most {
            found.push(format!("{screen}: {modules} modules, at most {most}"));
        }
        if packed > bytes {
            found.push(format!("{screen}: {packed} bytes compressed, at most {bytes}"));
        }
    }
    none(&found, "a first view is small");
}

/// How many bytes a text has, compressed.
fn packed(text: &str) -> usize {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap().len()
}
