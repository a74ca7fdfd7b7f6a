//! Unit tests of taking a backup.

use super::*;
use crate::backup::copying::{check, contents};
use crate::testing::Fixture;
use std::os::unix::fs::PermissionsExt;

fn unpack(backup: &Backup, to: &Path) {
    let mut file = packing::create(to).unwrap();
    packing::unpacked(File::open(&backup.path).unwrap(), &mut file).unwrap();
}

#[test]
fn a_backup_is_whole_private_and_named() {
    let fixture = Fixture::new();
    let folder = tempfile::tempdir().unwrap();
    let to = Destinations::of(folder.path(), None);
    let backup = take(fixture.db.path(), &to, Reason::Manual, fixture.db.env()).unwrap();
    assert_eq!(backup.name(), "tiffin-BLR1-20261120T123000Z-manual.db.zst");
    let again = take(fixture.db.path(), &to, Reason::Manual, fixture.db.env()).unwrap();
    assert_eq!(again.name(), "tiffin-BLR1-20261120T123001Z-manual.db.zst");
    assert_eq!(list(&to.own), [again.clone(), backup.clone()]);
    assert_eq!(newest(&to.own), Some(again));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&to.own), mode(&backup.path)), (0o700, 0o600));
    let copy = folder.path().join("copy.db");
    unpack(&backup, &copy);
    check(&copy, true).unwrap();
    let held = contents(&copy).unwrap();
    assert_eq!((held.code.as_str(), held.outlet), ("BLR1", fixture.outlet_id));
    assert_eq!(held.schema, tiffin_migrations::edge_schema_version());
    assert_eq!(held.head, fixture.number("SELECT max(seq) FROM sync_log"));
}

#[test]
fn an_interrupted_backup_leaves_nothing_that_looks_like_one_and_is_swept() {
    let fixture = Fixture::new();
    let folder = tempfile::tempdir().unwrap();
    let to = Destinations::of(folder.path(), Some(folder.path().join("stick")));
    let stick = to.second.clone().unwrap();
    // What processes that died in the middle left behind.
    for left in [
        to.own.join(".making-now/copy.db"),
        stick.join(".making-tiffin-BLR1-20261119T000000Z-nightly.db.zst"),
    ] {
        fs::create_dir_all(left.parent().unwrap()).unwrap();
        fs::write(&left, "half").unwrap();
    }
    assert_eq!((list(&to.own).len(), list(&stick).len()), (0, 0));
    let backup = take(fixture.db.path(), &to, Reason::Nightly, fixture.db.env()).unwrap();
    assert_eq!(backup.not_copied, None);
    let names = |folder: &Path| {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    assert_eq!(names(&to.own), [".lock".to_owned(), backup.name()]);
    assert_eq!(names(&stick), [backup.name()]);
    assert_eq!(fs::read(stick.join(backup.name())).unwrap(), fs::read(&backup.path).unwrap());
}

#[test]
fn a_second_place_that_is_not_there_costs_the_first_nothing() {
    let fixture = Fixture::new();
    let folder = tempfile::tempdir().unwrap();
    let to = Destinations::of(folder.path(), Some(folder.path().join("no-stick")));
    let backup = take(fixture.db.path(), &to, Reason::Nightly, fixture.db.env()).unwrap();
    assert!(backup.not_copied.as_ref().unwrap().contains("no-stick"), "{:?}", backup.not_copied);
    assert!(backup.path.exists());
}

#[test]
fn a_damaged_database_gives_no_backup() {
    let fixture = Fixture::new();
    let folder = tempfile::tempdir().unwrap();
    let to = Destinations::of(folder.path(), None);
    let whole = take(fixture.db.path(), &to, Reason::Manual, fixture.db.env()).unwrap();
    let damaged = folder.path().join("damaged.db");
    unpack(&whole, &damaged);
    let mut bytes = fs::read(&damaged).unwrap();
    for page in 2..bytes.len() / 2_048 {
        bytes[page * 2_048..page * 2_048 + 64].fill(0xAB);
    }
    fs::write(&damaged, bytes).unwrap();
    take(&damaged, &to, Reason::Manual, fixture.db.env()).unwrap_err();
    assert_eq!(list(&to.own), [whole]);
}

#[test]
fn what_was_put_aside_goes_with_the_backups_of_its_time() {
    let folder = tempfile::tempdir().unwrap();
    let newest: Millis = "2026-11-22T03:15:00.000Z".parse().unwrap();
    for night in 0..14 {
        let name = names::name(Kind::Branch, "BLR1", newest.after(-night * 86_400_000), Reason::Nightly);
        fs::write(folder.path().join(name), "x").unwrap();
    }
    let [old, young, other] = ["damaged-20261018T235959Z", "replaced-20261019T000000Z", "photos-20200101"]
        .map(|name| folder.path().join(name));
    for aside in [&old, &young, &other] {
        fs::create_dir(aside).unwrap();
        fs::write(aside.join("tiffin.db"), "x").unwrap();
    }
    assert_eq!(rotate(folder.path(), Rules::default()).unwrap(), vec![old.clone()]);
    assert!(!old.exists() && young.exists() && other.exists());
    assert_eq!(list(folder.path()).len(), 14);
}
