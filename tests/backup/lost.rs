//! Lost secrets, a lost database, and commands as root pastes them: nothing is begun anew by accident, and what is printed works.

use crate::{edge, folder, made, restaurant, tried};
use rustix::process::geteuid;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tiffin_tests::{Edge, HubProcess, sample};

/// The server's user of an installed box; who is not root can only be himself.
const SOMEBODY: u32 = 65_534;

fn refused(output: &Output, words: &[&str]) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "it went on: {}", String::from_utf8_lossy(&output.stdout));
    for word in words {
        assert!(said.contains(word), "{word:?} is not in: {said}");
    }
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            found.extend(files_below(&entry));
        }
        found.push(entry);
    }
    found
}

#[tokio::test]
async fn lost_secrets_are_said_and_never_made_anew_by_themselves() {
    let folder = folder();
    let data = restaurant(folder.path());
    let apart = folder.path().join("secrets.json");
    edge(&data, &["tls", "init"]).await;
    let password = folder.path().join("password");
    fs::write(&password, "mango lassi at noon\n").unwrap();
    let sealed =
        ["--secrets", apart.to_str().unwrap(), "--secrets-password-file", password.to_str().unwrap()];
    let told = edge(&data, &[&["backup"][..], &sealed].concat()).await;
    assert!(told.contains("sealed with your password"), "{told}");
    let believed = fs::read(data.join("tls/authority.pem")).unwrap();
    fs::remove_dir_all(data.join("tls")).unwrap();
    let pepper = fs::read(data.join("secrets/pepper")).unwrap();
    fs::rename(data.join("secrets"), folder.path().join("gone")).unwrap();
    let words = ["edge restore", "--secrets FILE", "--new-secrets"];
    refused(&tried(&data, &["serve", "--listen", "127.0.0.1:0"]), &words);
    assert!(!data.join("secrets").exists());
    let doctor = tried(&data, &["doctor", "--json"]);
    let found = String::from_utf8(doctor.stdout).unwrap();
    assert!(doctor.status.code() == Some(2) && found.contains("secrets of this box are gone"), "{found}");
    refused(&tried(&data, &["restore", "--secrets", apart.to_str().unwrap()]), &["--secrets-password-file"]);
    assert!(!data.join("secrets").exists());
    edge(&data, &[&["restore"][..], &sealed].concat()).await;
    assert_eq!(fs::read(data.join("secrets/pepper")).unwrap(), pepper);
    assert_eq!(
        fs::read(data.join("tls/authority.pem")).unwrap(),
        believed,
        "tablets go on believing the box"
    );
    drop(Edge::serve(&data, &[]).await);
    refused(&tried(&data, &["restore", "--new-secrets"]), &["there are secrets already"]);
    fs::remove_dir_all(data.join("secrets")).unwrap();
    let told = edge(&data, &["restore", "--new-secrets"]).await;
    assert!(told.contains("every PIN must be set anew"), "{told}");
    sample::owner_of_plenty(&Edge::serve(&data, &[]).await).await;
}

#[tokio::test]
async fn a_branch_whose_database_is_gone_begins_no_second_one() {
    let folder = folder();
    let data = restaurant(folder.path());
    let backup = made(&edge(&data, &["backup"]).await);
    let away = folder.path().join("away");
    fs::rename(data.join("tiffin.db"), &away).unwrap();
    let before = files_below(&data);
    for command in [
        vec!["serve", "--listen", "127.0.0.1:0"],
        vec!["serve", "--listen", "127.0.0.1:0", "--sample-data"],
        vec!["init", "--sample-data"],
        vec!["status"],
        vec!["backup"],
    ] {
        refused(&tried(&data, &command), &["is not there", "tells of a branch", "mounted", "edge restore"]);
    }
    assert_eq!(files_below(&data), before);
    let doctor = String::from_utf8(tried(&data, &["doctor", "--json"]).stdout).unwrap();
    assert!(doctor.contains("tells of a branch"), "{doctor}");
    // A backup alone tells of it, too.
    fs::rename(data.join("secrets"), folder.path().join("secrets")).unwrap();
    refused(
        &tried(&data, &["serve", "--listen", "127.0.0.1:0"]),
        &["tells of a branch", backup.to_str().unwrap()],
    );
    fs::rename(folder.path().join("secrets"), data.join("secrets")).unwrap();
    edge(&data, &["restore", backup.to_str().unwrap()]).await;
    sample::owner_of_plenty(&Edge::serve(&data, &[]).await).await;
}

/// As the packages install it: a mark lies beside the data directory, which is a disk of its own.
#[tokio::test]
async fn a_disk_that_is_not_mounted_begins_no_second_branch() {
    let folder = folder();
    let data = restaurant(folder.path());
    fs::create_dir(folder.path().join("branch-mark")).unwrap();
    drop(Edge::serve(&data, &[]).await);
    let mark = folder.path().join("branch-mark/made");
    assert_eq!(fs::read_to_string(&mark).unwrap(), "BLR1\n");
    let disk = folder.path().join("disk");
    fs::rename(&data, &disk).unwrap();
    fs::create_dir(&data).unwrap();
    for command in [
        vec!["serve", "--listen", "127.0.0.1:0"],
        vec!["serve", "--listen", "127.0.0.1:0", "--sample-data"],
        vec!["init", "--sample-data"],
        vec!["status"],
    ] {
        let words = [
            "is not there",
            mark.to_str().unwrap(),
            "mounted",
            "edge restore --data-dir",
            "move that away first",
        ];
        refused(&tried(&data, &command), &words);
    }
    assert_eq!(files_below(&data), Vec::<PathBuf>::new());
    // The disk comes, and all is as it was.
    fs::remove_dir(&data).unwrap();
    fs::rename(&disk, &data).unwrap();
    sample::owner_of_plenty(&Edge::serve(&data, &[]).await).await;
    // The way out that was said, for a machine that shall hold another branch.
    fs::rename(&data, folder.path().join("old")).unwrap();
    fs::remove_file(&mark).unwrap();
    restaurant(folder.path());
}

#[tokio::test]
async fn a_head_office_whose_secret_or_disk_is_gone_begins_no_second_one() {
    let folder = folder();
    let data = folder.path().join("office");
    fs::create_dir(folder.path().join("office-mark")).unwrap();
    HubProcess::init(&data, &[]);
    let tried = |command: &[&str]| {
        Command::new(HubProcess::binary()).args(command).arg("--data-dir").arg(&data).output().unwrap()
    };
    let serve = ["serve", "--listen", "127.0.0.1:0"];
    let code = ["enrol-code"];
    let (secret, apart) = (data.join("secrets/hub-secret"), folder.path().join("secret.json"));
    HubProcess::run(&data, &["backup", "--secrets", apart.to_str().unwrap()]);
    fs::remove_file(&secret).unwrap();
    for command in [&serve[..], &code] {
        let words = ["hub-secret is not there", "mounted", "sync-hub restore --data-dir", "--secrets FILE"];
        refused(&tried(command), &words);
    }
    assert_eq!(files_below(&data.join("secrets")), Vec::<PathBuf>::new(), "nothing new lies there");
    HubProcess::run(&data, &["restore", "--secrets", apart.to_str().unwrap()]);
    HubProcess::serve(&data, &[]).await.admin().await;

    let disk = folder.path().join("disk");
    fs::rename(&data, &disk).unwrap();
    fs::create_dir(&data).unwrap();
    for command in [&serve[..], &code] {
        let words = ["hub.db is not there", "office-mark/made", "mounted", "sync-hub restore --data-dir"];
        refused(&tried(command), &words);
    }
    let doctor = String::from_utf8(tried(&["doctor", "--json"]).stdout).unwrap();
    assert!(doctor.contains("tells of a head office"), "{doctor}");
    assert_eq!(files_below(&data), Vec::<PathBuf>::new());
    fs::remove_dir(&data).unwrap();
    fs::rename(&disk, &data).unwrap();
    HubProcess::serve(&data, &[]).await.admin().await;
}

#[tokio::test]
async fn a_backup_is_put_where_no_branch_is_only_when_somebody_says_so() {
    let folder = folder();
    let data = restaurant(folder.path());
    let backup = made(&edge(&data, &["backup"]).await);
    let new = folder.path().join("new");
    refused(
        &tried(&new, &["restore", backup.to_str().unwrap()]),
        &["no branch", "Nothing was changed", "--new"],
    );
    assert!(!new.exists());
    let told = edge(&new, &["restore", "--new", backup.to_str().unwrap()]).await;
    assert!(told.contains("BLR1 is back") && told.contains("every PIN must be set anew"), "{told}");
    sample::owner_of_plenty(&Edge::serve(&new, &[]).await).await;
}

/// What a command prints is pasted, by root in a folder of root's, on data that belong to the server's user.
#[tokio::test]
async fn root_pastes_what_is_printed_from_any_folder_and_the_data_stay_the_servers() {
    let folder = folder();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let data = restaurant(folder.path());
    let of_root = folder.path().join("root");
    fs::create_dir(&of_root).unwrap();
    fs::set_permissions(&of_root, fs::Permissions::from_mode(0o700)).unwrap();
    let owner = if geteuid().is_root() { SOMEBODY } else { geteuid().as_raw() };
    for path in files_below(&data).iter().chain([&data]) {
        chown(path, Some(owner), Some(owner)).unwrap();
    }
    let paste = |line: &str| {
        let path =
            format!("{}:{}", Edge::binary().parent().unwrap().display(), std::env::var("PATH").unwrap());
        let output =
            Command::new("sh").args(["-c", line]).current_dir(&of_root).env("PATH", path).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{line}: {said}{}", String::from_utf8_lossy(&output.stderr));
        let foreign: Vec<_> = files_below(&data)
            .into_iter()
            .filter(|path| path.symlink_metadata().unwrap().uid() != owner)
            .collect();
        assert!(foreign.is_empty(), "{line}: {foreign:?}");
        said
    };
    let on = format!("--data-dir {}", data.display());
    fs::write(of_root.join("password"), "a very long password\n").unwrap();
    fs::set_permissions(of_root.join("password"), fs::Permissions::from_mode(0o600)).unwrap();
    paste(&format!("edge reset-password --email me@sample.test --password-file password {on}"));
    fs::create_dir(of_root.join("stick")).unwrap();
    let told = paste(&format!("edge backup --to stick --secrets secrets.json {on}"));
    for file in [
        made(&told)
            .strip_prefix("stick")
            .map_or_else(|_| made(&told), |name| of_root.join("stick").join(name)),
        of_root.join("secrets.json"),
    ] {
        assert_eq!(file.metadata().unwrap().uid(), owner, "{}", file.display());
    }
    paste(&format!("edge export everything.zip {on}"));
    paste(&format!("edge sheet sheet.html {on}"));
    for name in ["everything.zip", "sheet.html"] {
        assert!(of_root.join(name).metadata().unwrap().len() > 1_000, "{name}");
    }
    // The lines it prints, as they stand.
    let told = paste(&format!("edge backup {on}"));
    let line = told
        .lines()
        .find_map(|line| line.split_once(": edge restore").map(|(_, rest)| format!("edge restore{rest}")));
    let told = paste(&line.unwrap_or_else(|| panic!("{told}")));
    assert!(told.contains("BLR1 is back"), "{told}");
    assert!(!of_root.join("data").exists(), "no second branch beside root");
    paste(&format!("edge restore stick/*.db.zst --skip-numbers 0 {on}"));
}
