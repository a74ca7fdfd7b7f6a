//! `packaging/README.md`, word by word, as somebody reads it who has nothing else: each command that it names for a machine is run as it
//! stands, in its order, by root in root's folder. Never runs what builds the packages.

use crate::boxes;
use crate::machine::Machine;
use regex::Regex;
use std::path::Path;

/// What rightly does not succeed on the way through the README, and what it says instead.
const NOT_NOW: [(&str, &str); 6] = [
    // No network in the test's machine, which the doctor says.
    ("tiffin-edge doctor", "lan"),
    // From Debian's archive, over the network.
    ("apt install ca-certificates", "ca-certificates"),
    ("apt install cups-client", "cups-client"),
    // Nothing was refused.
    ("/usr/lib/tiffin-edge/upgrade again", "no version was refused"),
    // The package is installed.
    ("./install.sh", "the Debian package tiffin-edge is installed; use apt"),
    // There is no stick in this machine yet.
    ("tiffin-edge backup --to /media/stick", "/media/stick"),
];

/// The commands of the README up to how the packages are built: those of its blocks, and those that begin as one between its words.
fn commands() -> Vec<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging/README.md");
    let text = std::fs::read_to_string(file).unwrap();
    let (text, _) = text.split_once("## Building").unwrap();
    let found = Regex::new(
        r"(?m)^    (?P<block>[^#\n]+)|`(?P<word>(?:sudo|apt|dpkg|journalctl|systemctl|tiffin-[a-z]+) [^`]+)`",
    )
    .unwrap();
    let found = found.captures_iter(text).map(|one| one.name("block").or(one.name("word")).unwrap().as_str());
    // A command between words may go on in the next line.
    found.map(|command| command.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn everything_the_readme_says_can_be_done_as_it_says() {
    let parcels = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for what in ["edge", "hub", "tarball"] {
        boxes::pack(what, parcels.path());
    }
    let tarball = boxes::only(parcels.path(), "tiffin-1");
    let machine = Machine::boot(parcels.path());
    // As it lies on a stick, or in a folder of downloads.
    machine.text("cp /parcels/*.deb /root");
    machine.text(&format!(
        "tar -C /root --strip-components=1 -xzf /parcels/{}",
        tarball.file_name().unwrap().to_string_lossy()
    ));
    // Who is root already needs no leave.
    machine.text("printf '#!/bin/sh\\nexec \"$@\"\\n' >/usr/local/bin/sudo && chmod +x /usr/local/bin/sudo");
    let commands = commands();
    for known in [
        "sudo apt install ./tiffin-edge_1.0.0-1_amd64.deb",
        "sudo tiffin-edge setup-link",
        "sudo dpkg -i ./tiffin-edge_1.0.0-1_amd64.deb",
    ] {
        assert!(commands.iter().any(|command| command == known), "{known} was not found in {commands:?}");
    }
    let is_set_up = |command: &str| command.contains("backup");
    for command in &commands {
        if is_set_up(command) {
            machine.run("tiffin-edge init --sample-data").well();
        }
        let architecture = machine.text("dpkg --print-architecture");
        let said = machine.run(&format!("cd /root && yes | {}", command.replace("amd64", &architecture)));
        let plain = command.trim_start_matches("sudo ");
        match NOT_NOW.iter().find(|(name, _)| plain == *name) {
            Some((_, words)) => assert!(said.text.contains(words), "{command}: {}", said.text),
            None => assert!(said.well, "{command}: {}", said.text),
        }
    }
    for (name, _) in NOT_NOW {
        assert!(commands.iter().any(|command| command.ends_with(name)), "{name} is no longer in the README");
    }
    for server in ["tiffin-edge", "tiffin-hub"] {
        assert_eq!(machine.text(&format!("systemctl is-active {server}")), "active");
    }
}
