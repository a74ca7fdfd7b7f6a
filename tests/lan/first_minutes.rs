//! The first minutes of a box: its doctor while it waits to be set up, the link once more, a setting that was misspelt, a port that
//! somebody has, and a reader that goes away.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use tiffin_tests::{Console, Edge, free_address};

fn edge(data: &Path, arguments: &[&str]) -> Output {
    Command::new(Edge::binary()).args(arguments).arg("--data-dir").arg(data).output().unwrap()
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[tokio::test]
async fn a_box_that_waits_to_be_set_up_is_well_and_tells_its_link_again() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let listen = free_address().to_string();
    let mut command = Command::new(Edge::binary());
    command.args(["serve", "--listen", &listen, "--data-dir"]).arg(&data);
    let mut console = Console::start(&mut command);
    let link = console.line("/setup?code=").await;
    for asked in ["setup-link", "status"] {
        let answer = edge(&data, &[asked]);
        assert!(answer.status.success() && said(&answer).contains(&link), "{asked}: {}", said(&answer));
    }
    let report = edge(&data, &["doctor", "--json", "--listen", &listen]);
    let report: serde_json::Value = serde_json::from_slice(&report.stdout).unwrap();
    let broken: Vec<_> =
        report["findings"].as_array().unwrap().iter().filter(|one| one["level"] == "BROKEN").collect();
    assert!(broken.is_empty(), "{broken:?}");
    // The same port once more: by whom it is taken.
    let other = edge(&folder.path().join("other"), &["serve", "--listen", &listen]);
    assert!(!other.status.success() && said(&other).contains("edge (process "), "{}", said(&other));
    drop(console);
    let answer = edge(&data, &["setup-link"]);
    assert!(!answer.status.success(), "the link of a server that is gone: {}", said(&answer));
}

#[test]
fn a_setting_that_is_misspelt_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(Edge::binary());
    command.args(["setup-link", "--data-dir"]).arg(folder.path());
    command.env("TIFFIN_LISTN", "127.0.0.1:80").env("TIFFIN_HUB_LISTEN", "127.0.0.1:80");
    let words = said(&command.output().unwrap());
    assert!(words.contains("TIFFIN_LISTN") && !words.contains("TIFFIN_HUB_LISTEN"), "{words}");
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut child = Command::new(Edge::binary())
        .arg("routes")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(said(&output), "", "nothing is said of a pipe");
}

/// What others of this machine could read in `folder`, or enter.
fn loose(folder: &Path) -> Vec<String> {
    use std::os::unix::fs::PermissionsExt;
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        let meta = std::fs::symlink_metadata(&path).unwrap();
        if meta.permissions().mode() & 0o077 != 0 {
            found.push(path.display().to_string());
        }
        if meta.is_dir() {
            open.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    found
}

#[tokio::test]
async fn what_a_server_makes_or_finds_in_its_folder_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (branch, office) = (folder.path().join("branch"), folder.path().join("office"));
    super::init(&branch);
    assert_eq!(loose(&branch), Vec::<String>::new());
    let password = folder.path().join("password");
    std::fs::write(&password, "correct-horse-battery").unwrap();
    let admin =
        ["init", "--admin-email", "me@example.com", "--admin-password-file", password.to_str().unwrap()];
    tiffin_tests::HubProcess::run(&office, &admin);
    assert_eq!(loose(&office), Vec::<String>::new());
    // A copy by hand, a version before.
    for (folder, file) in [(&branch, "tiffin.db"), (&office, "hub.db")] {
        for (path, mode) in [(folder.clone(), 0o755), (folder.join(file), 0o644)] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
    }
    let _edge = Edge::serve(&branch, &[]).await;
    let _hub = tiffin_tests::HubProcess::serve(&office, &[]).await;
    assert_eq!([loose(&branch), loose(&office)], [Vec::<String>::new(), Vec::new()]);
}
