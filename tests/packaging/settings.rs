//! The settings that are installed: each one there is, explained, as the programs have them now.

use std::path::Path;
use std::process::Command;
use tiffin_tests::{Edge, HubProcess};

#[test]
fn the_settings_that_are_installed_are_those_there_are() {
    let packaging = Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging");
    for (program, name, file, data) in [
        (Edge::binary(), "edge", "edge.toml", "/var/lib/tiffin"),
        (HubProcess::binary(), "sync-hub", "hub.toml", "/var/lib/tiffin-hub"),
    ] {
        let output =
            Command::new(program).args(["config", "--example", "--data-dir", data]).output().unwrap();
        let now = String::from_utf8(output.stdout).unwrap();
        let installed = std::fs::read_to_string(packaging.join(file)).unwrap();
        let how = format!("cargo run -p {name} -- config --example --data-dir {data} >packaging/{file}");
        assert!(now == installed, "packaging/{file} is not what the program says; make it with:\n  {how}");
    }
}
