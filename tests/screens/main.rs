//! The screens, as their tests in JavaScript try them: pure modules by Node alone, screens in a real Chromium by Playwright against the real
//! programs, types by TypeScript. Here each file of tests is one test, so that one command runs all of them. Never a test of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder of the tests.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("screens")
}

/// What `tests/run` has installed.
fn tools() -> PathBuf {
    let given = std::env::var_os("TIFFIN_TEST_TOOLS").map(PathBuf::from);
    given.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/test-tools"))
}

/// The programs that cargo built beside this test.
fn programs() -> PathBuf {
    if let Some(folder) = std::env::var_os("TIFFIN_PROGRAMS") {
        return folder.into();
    }
    let test = std::env::current_exe().unwrap();
    test.ancestors()
        .find(|path| path.join("edge").is_file())
        .expect("build the binaries first: cargo build")
        .to_owned()
}

/// Runs Node with `args` in the folder of the tests; what it says is the test's.
fn node(args: &[&str]) {
    let mut command = Command::new("node");
    command.args(args).current_dir(folder()).stdin(Stdio::null());
    command.env("TIFFIN_TEST_TOOLS", tools()).env("TIFFIN_PROGRAMS", programs());
    let status = command.status().unwrap_or_else(|error| panic!("node: {error}; tests/run installs it"));
    assert!(status.success(), "node {} in tests/screens: {status}", args.join(" "));
}

/// The files of the folder whose names end so.
fn files(ending: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(ending)).collect();
    names.sort();
    names
}

/// One test for each file of tests in a browser.
macro_rules! in_a_browser {
    ($($name:ident = $file:literal;)+) => {
        const FILES: &[&str] = &[$($file),+];
        $(#[test]
        fn $name() {
            node(&["--test", "--test-reporter=spec", $file]);
        })+
    };
}

in_a_browser! {
    batches = "batches.test.mjs";
    clock = "clock.test.mjs";
    combos = "combos.test.mjs";
    guest = "guest.test.mjs";
    harness = "harness.test.mjs";
    hq_away = "hq-away.test.mjs";
    hq_care = "hq-care.test.mjs";
    hq_menu = "hq-menu.test.mjs";
    hq_texts = "hq-texts.test.mjs";
    hq = "hq.test.mjs";
    imports = "imports.test.mjs";
    kit = "kit.test.mjs";
    kitchen = "kitchen.test.mjs";
    lan = "lan.test.mjs";
    manage_areas = "manage-areas.test.mjs";
    manage_chain = "manage-chain.test.mjs";
    manage_cuts = "manage-cuts.test.mjs";
    manage_looks = "manage-looks.test.mjs";
    manage_menu = "manage-menu.test.mjs";
    manage_papers = "manage-papers.test.mjs";
    manage_people = "manage-people.test.mjs";
    manage_roster = "manage-roster.test.mjs";
    manage_stock = "manage-stock.test.mjs";
    manage = "manage.test.mjs";
    midnight = "midnight.test.mjs";
    pairing = "pairing.test.mjs";
    pictures = "pictures.test.mjs";
    pos_acts = "pos-acts.test.mjs";
    pos_away = "pos-away.test.mjs";
    pos_jobs = "pos-jobs.test.mjs";
    pos_looks = "pos-looks.test.mjs";
    pos_steps = "pos-steps.test.mjs";
    pos = "pos.test.mjs";
    setup = "setup.test.mjs";
    texts = "texts.test.mjs";
    weight = "weight.test.mjs";
}

#[test]
fn every_file_of_tests_is_run() {
    assert_eq!(files(".test.mjs"), FILES);
}

#[test]
fn pure_modules() {
    let mut args = vec!["--test", "--test-reporter=spec"];
    let units = files(".unit.mjs");
    assert!(!units.is_empty(), "there are no tests of pure modules");
    args.extend(units.iter().map(String::as_str));
    node(&args);
}

#[test]
fn types() {
    node(&["types.mjs"]);
}
