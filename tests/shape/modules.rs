//! A crate's modules and which of them uses which, read from the sources: files are modules, paths are uses. Never asks the
//! compiler, and never looks at unit tests.
//!
//! What counts as a use: every `use` and every path in the code that leads to another module of the crate, followed through
//! re-exports and imports to the file that defines the name: `super::Name`, which a parent re-exports from a sibling, is a use of
//! that sibling. What does not: `mod child;`, and a re-export of a descendant's name that the parent does not use itself.

use crate::{is_test, sources};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// A module's place below the crate's root, which is the empty path.
pub type Path = Vec<String>;

/// One module with what it declares and what it names.
struct Module {
    /// Names that it defines itself.
    defines: BTreeSet<String>,
    /// Names that it brings in or passes on, each with the path that it stands for.
    imports: Vec<Import>,
    /// Paths in its code, one word or more each.
    paths: Vec<Path>,
}

struct Import {
    /// `*` for everything.
    name: String,
    path: Path,
    public: bool,
}

/// Where a path leads.
#[derive(Clone, PartialEq, Eq)]
enum End {
    /// A module itself.
    Module(Path),
    /// Something that the module defines.
    Item(Path),
}

/// One module uses something of another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Use {
    pub from: Path,
    pub to: Path,
    pub name: String,
}

/// A crate's modules.
pub struct Crate {
    modules: BTreeMap<Path, Module>,
}

impl Crate {
    /// The crate whose sources lie in `folder`. `main.rs` beside a `lib.rs` is a crate of its own and is left out.
    pub fn read(folder: &str) -> Crate {
        let all = sources(folder);
        let below = |path: &str| path.trim_start_matches(folder).trim_start_matches('/').to_owned();
        Crate::of(all.iter().filter(|s| !is_test(s)).map(|s| (below(&s.path), s.text.as_str())))
    }

    /// The crate of these files, each with its path below the crate's folder.
    pub fn of<'a>(files: impl IntoIterator<Item = (String, &'a str)>) -> Crate {
        let mut modules = BTreeMap::new();
        for (file, text) in files {
            let mut path: Path = file.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
            if matches!(path.last().map(String::as_str), Some("mod" | "lib")) {
                path.pop();
            }
            if path != ["main"] {
                modules.insert(path, Module::read(text));
            }
        }
        Crate { modules }
    }

    /// Every use of one module by another, once for each name.
    pub fn uses(&self) -> BTreeSet<Use> {
        let mut found = BTreeSet::new();
        for (path, module) in &self.modules {
            let mut add = |ends: Vec<End>, name: &str| {
                for end in ends {
                    let to = match end {
                        // The name of a module around the user says nothing of what is taken from it.
                        End::Module(to) if path.starts_with(&to) => continue,
                        End::Module(to) | End::Item(to) => to,
                    };
                    if to != *path {
                        found.insert(Use { from: path.clone(), to, name: name.to_owned() });
                    }
                }
            };
            for import in &module.imports {
                let ends = self.follow(path, &import.path, 0);
                let passed_on = import.public && ends.iter().all(|end| end.module().starts_with(path));
                if import.name != "*" && !passed_on {
                    add(ends, &import.path[import.path.len() - 1]);
                }
            }
            for named in &module.paths {
                let mut ends = self.follow(path, named, 0);
                // A module's bare name is nothing in code: the word is a variable or a field.
                ends.retain(|end| named.len() > 1 || matches!(end, End::Item(_)));
                add(ends, &named[named.len() - 1]);
            }
        }
        found
    }

    /// Where `named` leads, written in the module at `from`; nowhere when it leaves the crate.
    fn follow(&self, from: &Path, named: &[String], depth: usize) -> Vec<End> {
        let (first, mut rest) = (named[0].as_str(), &named[1..]);
        let mut here = match first {
            "crate" => End::Module(Vec::new()),
            "self" => End::Module(from.clone()),
            "super" => End::Module(from[..from.len().saturating_sub(1)].to_vec()),
            _ => match self.look_up(from, first, depth).as_slice() {
                [] => return Vec::new(),
                // A name that is a module and a function alike: the path says which, unless it ends here.
                ends if rest.is_empty() => return ends.to_vec(),
                ends => ends[0].clone(),
            },
        };
        while let (End::Module(module), Some(next)) = (&here, rest.first()) {
            rest = &rest[1..];
            if next == "super" {
                here = End::Module(module[..module.len().saturating_sub(1)].to_vec());
                continue;
            }
            let ends = self.look_up(module, next, depth);
            match ends.as_slice() {
                [] if next == "self" || next == "*" => {}
                // What no reader of text can see (a macro made it) is the module's own.
                [] => here = End::Item(module.clone()),
                ends if rest.is_empty() => return ends.to_vec(),
                ends => here = ends[0].clone(),
            }
        }
        vec![here]
    }

    /// What `name` is in the module at `path`: a module below it first.
    fn look_up(&self, path: &Path, name: &str, depth: usize) -> Vec<End> {
        let Some(module) = self.modules.get(path) else { return Vec::new() };
        let mut ends = Vec::new();
        let child: Path = path.iter().cloned().chain([name.to_owned()]).collect();
        if self.modules.contains_key(&child) {
            ends.push(End::Module(child));
        }
        if module.defines.contains(name) {
            ends.push(End::Item(path.clone()));
        }
        // A chain of re-exports longer than this goes round in a ring.
        if depth > 8 {
            return ends;
        }
        for import in module.imports.iter().filter(|import| import.name == name && import.path != [name]) {
            for end in self.follow(path, &import.path, depth + 1) {
                if !ends.contains(&end) {
                    ends.push(end);
                }
            }
        }
        if !ends.is_empty() {
            return ends;
        }
        for import in module.imports.iter().filter(|import| import.name == "*") {
            for end in self.follow(path, &import.path, depth + 1) {
                if let End::Module(from) = end
                    && from != *path
                {
                    ends.extend(self.look_up(&from, name, depth + 1));
                }
            }
        }
        ends
    }
}

impl End {
    fn module(&self) -> &Path {
        let (End::Module(path) | End::Item(path)) = self;
        path
    }
}

impl Module {
    fn read(text: &str) -> Module {
        let code = bare(text);
        let words: Vec<&str> = WORD.find_iter(&code).map(|found| found.as_str()).collect();
        let mut module = Module { defines: BTreeSet::new(), imports: Vec::new(), paths: Vec::new() };
        // What a macro at the top of a file is given is read as if it stood there: it defines the structs it is given.
        let (mut at, mut open) = (0, Vec::new());
        while at < words.len() {
            match words[at] {
                "#" if words[at..].starts_with(&["#", "[", "cfg", "(", "test", ")", "]"]) => {
                    at = after_item(&words, at + 7);
                    continue;
                }
                "use" if !matches!(words.get(at + 1), Some(&("<" | ","))) => {
                    let public = at > 0 && (words[at - 1] == "pub" || words[at - 1] == ")");
                    let first = module.imports.len();
                    at = module.import(&words, at + 1, &[], public);
                    for import in &mut module.imports[first..] {
                        leave(&mut import.path, &open);
                    }
                }
                "mod" if words.get(at + 2) == Some(&";") => at += 2,
                // `'static Name` defines no name.
                "fn" | "struct" | "enum" | "trait" | "type" | "const" | "static" | "union" | "mod"
                    if open.iter().all(|brace| *brace == Brace::Macro)
                        && words[..at].last() != Some(&"'") =>
                {
                    module.define(&words, at + 1);
                }
                "macro_rules" => module.define(&words, at + 2),
                "{" => open.push(match words[..at] {
                    [.., "!"] if open.is_empty() => Brace::Macro,
                    [.., "mod", _] => Brace::Module,
                    _ => Brace::Code,
                }),
                "}" => drop(open.pop()),
                word if is_name(word) && (at == 0 || !matches!(words[at - 1], "." | "::" | "'")) => {
                    let mut path = vec![word.to_owned()];
                    while words.get(at + 1) == Some(&"::") && words.get(at + 2).is_some_and(|w| is_name(w)) {
                        path.push(words[at + 2].to_owned());
                        at += 2;
                    }
                    leave(&mut path, &open);
                    module.paths.push(path);
                }
                _ => {}
            }
            at += 1;
        }
        module
    }

    fn define(&mut self, words: &[&str], at: usize) {
        if let Some(name) = words.get(at).filter(|name| is_name(name)) {
            self.defines.insert((*name).to_owned());
        }
    }

    /// Reads one tree of a `use` from `at` on and answers where it ends.
    fn import(&mut self, words: &[&str], mut at: usize, before: &[String], public: bool) -> usize {
        let mut path = before.to_vec();
        while at < words.len() {
            match words[at] {
                "::" => {}
                "{" => {
                    at += 1;
                    while words[at] != "}" {
                        at = self.import(words, at, &path, public);
                        at += usize::from(words[at] == ",");
                    }
                    return at + 1;
                }
                "as" => {
                    self.imports.push(Import { name: words[at + 1].to_owned(), path, public });
                    return at + 2;
                }
                "," | ";" | "}" => break,
                word => path.push(word.to_owned()),
            }
            at += 1;
        }
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        if let Some(name) = path.last().cloned() {
            self.imports.push(Import { name, path, public });
        }
        at
    }
}

/// What a brace opened.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Brace {
    Code,
    /// A macro's arguments at the top of the file.
    Macro,
    /// A module within the file.
    Module,
}

/// Out of a module within the file, `super` leads to the file itself.
fn leave(path: &mut Path, open: &[Brace]) {
    let within = open.iter().filter(|brace| **brace == Brace::Module).count();
    let out = path.iter().take(within).take_while(|word| *word == "super").count();
    if out > 0 && out == within && path.get(out).is_none_or(|next| next != "super") {
        path.splice(..out, ["self".to_owned()]);
    } else {
        path.drain(..out);
    }
}

/// Words and signs of the code.
static WORD: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[A-Za-z_][A-Za-z0-9_]*|::|\S").unwrap());

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// The place after the item that begins at `at`: its attributes, then all up to its `;` or its last `}`.
fn after_item(words: &[&str], mut at: usize) -> usize {
    let (mut braces, mut others) = (0_usize, 0_usize);
    while at < words.len() {
        match words[at] {
            "{" => braces += 1,
            "(" | "[" => others += 1,
            ")" | "]" => others = others.saturating_sub(1),
            "}" => {
                braces = braces.saturating_sub(1);
                if braces == 0 && others == 0 && words.get(at + 1) != Some(&";") {
                    return at + 1;
                }
            }
            ";" if braces == 0 && others == 0 => return at + 1,
            _ => {}
        }
        at += 1;
    }
    at
}

/// The code without comments, and without what stands in strings and characters.
pub fn bare(text: &str) -> String {
    static NOISE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r#"(?s)//[^\n]*|/\*.*?\*/|"#,
            r##"\bb?r#"(.*?)"#|\bb?r"[^"]*"|"##,
            r#"b?"(?:[^"\\]|\\.)*"|"#,
            r#"b?'(?:[^'\\\n]|\\[^\n][^'\n]*)'"#,
        ))
        .unwrap()
    });
    let kept = |found: &regex::Captures<'_>| match found[0].starts_with('/') {
        true => "\n".repeat(found[0].matches('\n').count()),
        false => format!("\"{}\"", "\n".repeat(found[0].matches('\n').count())),
    };
    NOISE.replace_all(text, kept).into_owned()
}
