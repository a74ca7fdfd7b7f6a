//! The documents as a reader uses them: what they offer to paste is pasted, what they name is asked for, at the real programs.
//! Never judges their words; how long they may be and where they link is `shape`'s.

mod commands;
mod guide;
mod keeping;
mod pasted;

use std::path::Path;
use std::process::{Command, Stdio};
use tiffin_tests::{Edge, HubProcess};

/// A file of the tree.
fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What a reader's shell has: the two programs, and a `curl` that does not take a refusal for an answer. A doctor who finds something
/// to be seen to has done its work.
const SHELL: &str = r#"set -euo pipefail
curl() { command curl --fail-with-body --max-time 60 "$@"; }
edge() { "$EDGE" "$@" || { code=$?; [ "$1" = doctor ] && [ "$code" = 1 ]; }; }
sync-hub() { "$SYNC_HUB" "$@"; }
"#;

/// Pastes `script` into a shell in `folder`, up to the first command that fails; answers what it printed.
fn paste(script: &str, folder: &Path) -> String {
    let output = Command::new("bash")
        .args(["-c", &format!("{SHELL}{script}")])
        .current_dir(folder)
        .env("EDGE", Edge::binary())
        .env("SYNC_HUB", HubProcess::binary())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{script}\nended with {}\n{told}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    told
}

/// The blocks of a README that are there to be pasted, one after another.
fn blocks(document: &str) -> String {
    let blocks = document.split("```bash\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let script: String = blocks.collect();
    assert!(!script.is_empty(), "nothing to paste");
    script
}
