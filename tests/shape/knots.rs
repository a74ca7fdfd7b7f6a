//! Knots: modules that use each other in a ring, so that none of them can be read, tested or moved without the others.
//!
//! Looked for at every level of a crate's tree: among a module's children, each with all that lies below it, and the module's own
//! file as one more. So two siblings that use each other are a knot, and so are a parent whose code uses a child and that child
//! when it uses what the parent's file defines. How a use is told is said in `modules`.

use crate::modules::{Crate, Path, Use};
use std::collections::{BTreeMap, BTreeSet};

/// Source folders of the crates.
const CRATES: [&str; 3] = ["common/src", "edge/src", "sync-hub/src"];

/// What is still tied: the folder, and who is in the knot (`.` is the folder's own file). May only shrink.
const TIED: &[(&str, &str)] = &[];

/// One knot: the folder in which it lies, its members, and the uses that tie them.
struct Knot {
    folder: String,
    members: BTreeSet<String>,
    ties: BTreeSet<String>,
}

impl std::fmt::Display for Knot {
    /// As in [`TIED`], with the uses below.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let members = Vec::from_iter(self.members.iter().map(String::as_str)).join(" ");
        write!(f, "({:?}, {members:?}),", self.folder)?;
        self.ties.iter().try_for_each(|tie| write!(f, "\n    {tie}"))
    }
}

#[test]
fn modules_are_in_no_knot() {
    let knots: Vec<Knot> = CRATES.iter().flat_map(|folder| knots(folder, &Crate::read(folder))).collect();
    let lies_in = |knot: &Knot, (folder, members): &(&str, &str)| {
        let listed: BTreeSet<&str> = members.split(' ').collect();
        knot.folder == *folder && knot.members.iter().all(|member| listed.contains(member.as_str()))
    };
    let mut found: Vec<String> = knots
        .iter()
        .filter(|knot| !TIED.iter().any(|listed| lies_in(knot, listed)))
        .map(Knot::to_string)
        .collect();
    let untied = TIED.iter().filter(|listed| !knots.iter().any(|knot| lies_in(knot, listed)));
    found.extend(untied.map(|listed| format!("no longer a knot, take it off the list: {listed:?}")));
    crate::none(&found, "modules use each other in a ring");
}

/// Every knot of a crate whose sources lie in `folder`.
fn knots(folder: &str, sources: &Crate) -> Vec<Knot> {
    let mut levels: BTreeMap<Path, Vec<(String, String, Use)>> = BTreeMap::new();
    for used in sources.uses() {
        let common = used.from.iter().zip(&used.to).take_while(|(a, b)| a == b).count();
        let member = |path: &Path| path.get(common).cloned().unwrap_or_else(|| ".".to_owned());
        let (from, to) = (member(&used.from), member(&used.to));
        levels.entry(used.from[..common].to_vec()).or_default().push((from, to, used));
    }
    let mut found = Vec::new();
    for (level, uses) in levels {
        let mut next: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (from, to, _) in &uses {
            next.entry(from).or_default().insert(to);
        }
        let reached: BTreeMap<&str, BTreeSet<&str>> =
            next.keys().map(|from| (*from, reach(&next, from))).collect();
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        for (member, theirs) in &reached {
            let ring: BTreeSet<&str> = theirs
                .iter()
                .copied()
                .filter(|other| reached.get(other).is_some_and(|back| back.contains(member)))
                .collect();
            if ring.len() < 2 || !seen.insert(member) {
                continue;
            }
            seen.extend(&ring);
            let ties = uses
                .iter()
                .filter(|(from, to, _)| ring.contains(from.as_str()) && ring.contains(to.as_str()))
                .map(|(_, _, used)| {
                    format!("{} -> {}: {}", used.from.join("::"), used.to.join("::"), used.name)
                })
                .collect();
            let folder = [&[folder.to_owned()], level.as_slice()].concat().join("/");
            found.push(Knot { folder, members: ring.into_iter().map(str::to_owned).collect(), ties });
        }
    }
    found
}

/// Everything that can be reached from `from` by one use or more.
fn reach<'a>(next: &BTreeMap<&'a str, BTreeSet<&'a str>>, from: &str) -> BTreeSet<&'a str> {
    let mut found: BTreeSet<&str> = BTreeSet::new();
    let mut open: Vec<&str> = next.get(from).into_iter().flatten().copied().collect();
    while let Some(member) = open.pop() {
        if found.insert(member) {
            open.extend(next.get(member).into_iter().flatten().copied());
        }
    }
    found
}

/// The knots of a crate made up of these files, in one line each.
fn knots_of(files: &[(&str, &str)]) -> Vec<String> {
    let files = [("lib.rs", "")].iter().chain(files);
    let sources = Crate::of(files.map(|(path, text)| ((*path).to_owned(), *text)));
    let name = |knot: &Knot| Vec::from_iter(knot.members.iter().map(String::as_str)).join(" ");
    knots("it", &sources).iter().map(|knot| format!("{}: {}", knot.folder, name(knot))).collect()
}

#[test]
fn siblings_that_use_each_other_are_a_knot() {
    let direct =
        [("lib.rs", "mod a;\nmod b;"), ("a.rs", "use crate::b::B;"), ("b.rs", "use super::a::{A as C};")];
    assert_eq!(knots_of(&direct), ["it: a b"]);
    let in_line = [("a.rs", "fn f() { crate::b::g(); }"), ("b.rs", "use crate::a;\nfn g() { a::f() }")];
    assert_eq!(knots_of(&in_line), ["it: a b"]);
    let deep = [
        ("a/mod.rs", "mod x;"),
        ("a/x.rs", "use crate::b::B;"),
        ("b/mod.rs", "mod y;"),
        ("b/y.rs", "use crate::a::A;"),
    ];
    assert_eq!(knots_of(&deep), ["it: a b"]);
    let round = [("a.rs", "use crate::b::B;"), ("b.rs", "use crate::c::C;"), ("c.rs", "use crate::a::A;")];
    assert_eq!(knots_of(&round), ["it: a b c"]);
}

#[test]
fn a_name_that_the_parent_passes_on_is_its_makers() {
    let parent = ("m/mod.rs", "mod a;\nmod b;\npub use a::A;\npub(super) use b::*;");
    let tied = [
        parent,
        ("m/a.rs", "use super::make;\npub struct A;"),
        ("m/b.rs", "use super::A;\npub fn make() {}"),
    ];
    assert_eq!(knots_of(&tied), ["it/m: a b"]);
    let free = [parent, ("m/a.rs", "pub struct A;"), ("m/b.rs", "use crate::m::A;")];
    assert!(knots_of(&free).is_empty());
    let brought_in =
        [("m/mod.rs", "use crate::low::Low;"), ("m/a.rs", "use super::Low;"), ("low.rs", "pub struct Low;")];
    assert!(knots_of(&brought_in).is_empty());
}

#[test]
fn a_parent_and_a_child_are_a_knot_when_each_uses_what_the_other_defines() {
    let child = ("m/a.rs", "use super::Error;\npub fn go() -> Error { Error }");
    let tied = [("m/mod.rs", "mod a;\npub struct Error;\nfn run() { a::go(); }"), child];
    assert_eq!(knots_of(&tied), ["it/m: . a"]);
    let passed_on_only = [("m/mod.rs", "mod a;\npub use a::go;\npub struct Error;"), child];
    assert!(knots_of(&passed_on_only).is_empty());
    let passed_on_and_used =
        [("m/mod.rs", "mod a;\npub use a::go;\npub struct Error;\nfn run() { go(); }"), child];
    assert_eq!(knots_of(&passed_on_and_used), ["it/m: . a"]);
}

#[test]
fn a_module_within_a_file_is_the_file() {
    let files = [
        ("m/mod.rs", "mod a;\nstruct P;\nfn f() { a::g(); }"),
        ("m/a.rs", "pub fn g() {}\nmod key {\n    use super::g;\n    fn h() { super::g(); }\n}"),
    ];
    assert!(knots_of(&files).is_empty());
    let further = ("m/a.rs", "pub fn g() {}\nmod key {\n    use super::super::P;\n}");
    assert_eq!(knots_of(&[files[0], further]), ["it/m: . a"]);
}

#[test]
fn comments_texts_and_tests_are_no_use() {
    let said =
        "//! See [`crate::b`].\nfn f() { g(\"crate::b::B\", 'b', r#\"crate::b\"#); } /* crate::b::B */";
    let tested = "#[cfg(test)]\nmod tests { use crate::b::B; }\n#[cfg(test)]\nuse crate::b::B;";
    for text in [said, tested] {
        assert!(knots_of(&[("a.rs", text), ("b.rs", "use crate::a::f;")]).is_empty(), "{text}");
    }
}
