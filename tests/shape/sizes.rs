//! How much code there is: lines of the sources that are neither blank nor a comment nor a unit test. Prints its figures, and
//! fails when a crate grows past its ceiling.

use crate::{is_test, none, sources};

/// Source folders with the lines they may have and the lines they are meant to have. A ceiling is lowered whenever
/// lines are saved, and raised only by what a new capability takes, in the change that brings it.
const CEILINGS: [(&str, usize, usize); 3] =
    [("common/src", 2_860, 2_600), ("edge/src", 89_125, 63_000), ("sync-hub/src", 20_645, 16_500)];

#[test]
fn no_crate_grows_past_its_ceiling() {
    let mut found = Vec::new();
    for (folder, ceiling, aim) in CEILINGS {
        let lines: usize = sources(folder)
            .iter()
            .filter(|source| !is_test(source))
            .map(|source| code_lines(&source.text))
            .sum();
        println!("{folder}: {lines} lines of code, at most {ceiling}, meant to be {aim}");
        if lines > ceiling {
            found.push(format!("{folder} has {lines} lines of code, {ceiling} allowed"));
        }
    }
    none(&found, "say it once");
}

/// The lines of `text` that are code. An item of unit tests ends, as rustfmt sets it, with the first line at its own depth that
/// closes it.
fn code_lines(text: &str) -> usize {
    let mut count = 0;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let code = line.trim_start();
        if code == "#[cfg(test)]" {
            let depth = line.len() - code.len();
            let ends = |line: &&str| {
                let rest = line.get(depth..).unwrap_or_default();
                !rest.starts_with([' ', '#']) && (rest.ends_with(['}', ';', ',']))
            };
            lines.by_ref().find(ends);
        } else if !code.is_empty() && !code.starts_with("//") {
            count += 1;
        }
    }
    count
}

#[test]
fn blanks_comments_and_tests_are_no_code() {
    let text = "//! File.\n\n/// One.\nfn one() {\n    // Why.\n    two();\n}\n\n#[cfg(test)]\nuse a::{\n    b,\n};\n\nimpl A {\n    #[cfg(test)]\n    fn t() {\n        f();\n    }\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn t() {}\n}\n";
    assert_eq!(code_lines(text), 5);
}
