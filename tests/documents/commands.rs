//! The command lines of the documents: every subcommand, flag and setting they name is there, and none is left out.

use crate::read;
use regex::Regex;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;
use tiffin_tests::{Edge, HubProcess};

/// What a program says when it is asked about itself with `words`.
fn asked(program: &PathBuf, words: &[&str]) -> String {
    let output = Command::new(program).args(words).output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The subcommands that a program lists.
fn subcommands(program: &PathBuf) -> BTreeSet<String> {
    let help = asked(program, &["--help"]);
    let list = help.split_once("Commands:\n").unwrap().1.split("\n\n").next().unwrap().to_owned();
    let names = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
    names.map(str::to_owned).collect()
}

/// A line of code split at the bars between alternatives, not at those inside brackets.
fn alternatives(line: &str) -> Vec<String> {
    let (mut depth, mut found) = (0_i32, vec![String::new()]);
    for letter in line.chars() {
        depth += i32::from("[(".contains(letter)) - i32::from("])".contains(letter));
        match letter {
            '|' if depth == 0 => found.push(String::new()),
            _ => found.last_mut().unwrap().push(letter),
        }
    }
    found
}

/// The commands of `program` in a document's blocks of code: words and flags of each.
fn commands(document: &str, program: &str) -> Vec<(Vec<String>, Vec<String>)> {
    let flag = Regex::new(r"--[a-z][a-z-]*").unwrap();
    let begin = format!("{program} ");
    let mut found = Vec::new();
    let mut fenced = false;
    for line in document.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
        }
        let code = line.trim_start();
        let is_code = fenced || line.starts_with("    ");
        if is_code && code.starts_with(&begin) {
            for one in alternatives(code.split(" # ").next().unwrap()) {
                let one = one.trim();
                let one = one.strip_prefix(&begin).unwrap_or(one);
                let words = one
                    .split([' ', '['])
                    .take_while(|word| word.starts_with(|c: char| c.is_ascii_lowercase()));
                let flags = flag.find_iter(one).map(|flag| flag.as_str().to_owned());
                found.push((words.map(str::to_owned).collect(), flags.collect()));
            }
        }
    }
    found
}

/// Checks every command of `program` that a document shows; answers the subcommands it names.
fn check(document: &str, program: &PathBuf, name: &str) -> BTreeSet<String> {
    let known = subcommands(program);
    let mut named = BTreeSet::new();
    for (words, flags) in commands(document, name) {
        let first = words.first().unwrap_or_else(|| panic!("a command of {name} without a name: {flags:?}"));
        assert!(known.contains(first), "there is no {name} {first}");
        named.insert(first.clone());
        let path: Vec<&str> = words
            .iter()
            .take(if ["tls", "devices"].contains(&first.as_str()) { 2 } else { 1 })
            .map(String::as_str)
            .collect();
        let help = asked(program, &[&path[..], &["--help"]].concat());
        for flag in flags {
            let is_there = help.split_whitespace().any(|word| word.trim_end_matches(',') == flag);
            assert!(is_there, "{name} {} has no {flag}", path.join(" "));
        }
    }
    named
}

#[test]
fn every_command_and_flag_that_is_shown_is_there() {
    let (edge, hub) = (Edge::binary(), HubProcess::binary());
    for path in ["README.md", "edge/README.md", "sync-hub/README.md", "packaging/README.md"] {
        let document = read(path);
        let of_edge = check(&document, &edge, "edge");
        let of_hub = check(&document, &hub, "sync-hub");
        // The README of a program leaves none of its commands out.
        match path {
            "edge/README.md" => assert_eq!(of_edge, subcommands(&edge)),
            "sync-hub/README.md" => assert_eq!(of_hub, subcommands(&hub)),
            _ => {}
        }
    }
}

/// Flags, settings and variables that stand in a sentence.
#[test]
fn every_setting_that_is_named_is_there() {
    let help = |program: &PathBuf| -> String {
        subcommands(program).iter().map(|command| asked(program, &[command, "--help"])).collect()
    };
    let [edge, hub] = [Edge::binary(), HubProcess::binary()].map(|program| help(&program));
    let both = format!("{edge}{hub}");
    let flag = Regex::new(r"`(--[a-z-]+)[^`]*`").unwrap();
    let variable = Regex::new(r"\bTIFFIN_(?:HUB_)?[A-Z][A-Z_]*[A-Z]\b").unwrap();
    let mut count = 0;
    for path in ["edge/README.md", "sync-hub/README.md"] {
        let document = read(path);
        for named in flag.captures_iter(&document) {
            count += 1;
            let is_there = both.split_whitespace().any(|word| word.trim_end_matches(',') == &named[1]);
            assert!(is_there, "{path} names {}", &named[1]);
        }
        for named in variable.find_iter(&document) {
            count += 1;
            let setting = named.as_str().trim_start_matches("TIFFIN_HUB_").trim_start_matches("TIFFIN_");
            let flag = format!("--{}", setting.to_lowercase().replace('_', "-"));
            assert!(both.contains(&flag), "{path} names {}", named.as_str());
        }
    }
    assert!(count > 15, "the settings were not read");
}
