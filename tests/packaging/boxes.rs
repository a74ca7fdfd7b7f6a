//! What comes in the boxes: packages and tarballs of the binaries that are under test, and of versions that are newer, or broken.
//! Never builds a program.

use std::path::{Path, PathBuf};
use std::process::Command;
use tiffin_tests::Edge;

/// A "new version" that changes the data and then cannot go on. `PROGRAM` and `HOME` are filled in.
const BREAKS: &str = r#"#!/bin/sh
case $1 in
  --version) echo "PROGRAM 66.6.6" ;;
  serve) HOME/previous/PROGRAM CHANGE; echo "cannot go on"; exit 1 ;;
  *) exec HOME/previous/PROGRAM "$@" ;;
esac
"#;

/// A "new version" that starts and never gets ready.
const HANGS: &str = r#"#!/bin/sh
case $1 in
  --version) echo "PROGRAM 66.6.6" ;;
  serve) exec sleep 1000 ;;
  *) exit 1 ;;
esac
"#;

fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}{}", String::from_utf8_lossy(&output.stdout));
}

/// Packs `what` (edge, hub, tarball) of the binaries beside this test into `folder`.
pub fn pack(what: &str, folder: &Path) {
    let built = Edge::binary().parent().unwrap().to_owned();
    let profile = match built.file_name().and_then(|name| name.to_str()).unwrap() {
        "debug" => "dev",
        name => name,
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../packaging/build.sh");
    let mut build = Command::new(script);
    build.args(["--no-build", "--profile", profile, "--out"]).arg(folder).arg(what);
    run(build.env("CARGO_TARGET_DIR", built.parent().unwrap()));
}

/// The one file in `folder` that begins with `name`.
pub fn only(folder: &Path, name: &str) -> PathBuf {
    let mut found: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.file_name().is_some_and(|file| file.to_string_lossy().starts_with(name)));
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

/// What a version does.
#[derive(Debug, Clone, Copy)]
pub enum Does {
    /// The same as the one before; its binary differs by a few bytes.
    Works,
    /// Changes the data with this command of the version before, then ends.
    Breaks(&'static str),
    /// Never gets ready.
    Hangs,
}

/// Makes the program at `file`, which is installed with its helper in `home`, do that.
pub fn alter(file: &Path, home: &str, does: Does, version: &str) {
    let program = file.file_name().unwrap().to_string_lossy();
    let script = match does {
        Does::Works => None,
        Does::Breaks(change) => Some(BREAKS.replace("CHANGE", change).replace("HOME", home)),
        Does::Hangs => Some(HANGS.to_owned()),
    };
    let bytes = match script {
        Some(script) => script.replace("PROGRAM", &program).into_bytes(),
        // Bytes behind the last section are not loaded.
        None => [&std::fs::read(file).unwrap(), version.as_bytes()].concat(),
    };
    std::fs::write(file, bytes).unwrap();
}

/// Makes `package` with another version that does something else; `NAME-VERSION.deb` beside it.
pub fn repack(package: &Path, program: &str, version: &str, does: Does) {
    let name = package.file_name().unwrap().to_string_lossy().split('_').next().unwrap().to_owned();
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let tree = folder.path().join("tree");
    run(Command::new("dpkg-deb").arg("-R").arg(package).arg(&tree));
    alter(&tree.join("usr/bin").join(program), &format!("/usr/lib/{name}"), does, version);
    let control = tree.join("DEBIAN/control");
    let text = std::fs::read_to_string(&control).unwrap();
    let lines = text.lines().map(|line| {
        if line.starts_with("Version: ") { format!("Version: {version}\n") } else { format!("{line}\n") }
    });
    std::fs::write(&control, lines.collect::<String>()).unwrap();
    let made = package.with_file_name(format!("{name}-{version}.deb"));
    let mut build = Command::new("dpkg-deb");
    run(build.args(["--root-owner-group", "-Zgzip", "-z1", "-b"]).arg(&tree).arg(made));
}

/// Fails where lintian finds an error in `package`.
pub fn is_flawless(package: &Path) {
    let output =
        Command::new("lintian").arg("--fail-on=error").arg("--allow-root").arg(package).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
