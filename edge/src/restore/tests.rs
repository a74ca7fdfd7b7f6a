//! Unit tests of putting a backup back.

use super::*;
use crate::db::{self, one};
use crate::resources::orders::{self, rules::Guest};
use crate::resources::outlets;
use crate::testing::Fixture;
use tiffin_common::Uuid;

/// A stopped branch in a directory of its own, and a backup of it.
fn branch() -> (tempfile::TempDir, DataDir, PathBuf, Uuid) {
    let fixture = Fixture::new();
    branch_of(&fixture, fixture.outlet_id)
}

fn branch_of(fixture: &Fixture, outlet: Uuid) -> (tempfile::TempDir, DataDir, PathBuf, Uuid) {
    fixture
        .write(move |tx, _| {
            outlets::actions::assign_box(tx, outlet)?;
            sync::keep_numbers(tx, &[(outlet, "INVOICE:2627".into(), 7)])
        })
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let data = DataDir::open(folder.path()).unwrap();
    copying::copy(fixture.db.path(), &data.database()).unwrap();
    let to = Destinations::of(data.path(), None);
    let backup = backup::take(&data.database(), &to, Reason::Manual, &Env::system()).unwrap();
    (folder, data, backup.path, outlet)
}

/// The branch sells on: a number, and a name.
fn sell(data: &DataDir, outlet: Uuid, number: i64) {
    let db = Db::open(&Options::new(data.database()), Env::system().inline()).unwrap();
    db.write_blocking(move |tx| -> db::Result<()> {
        tx.execute("UPDATE outlets SET name = 'Later'", [])?;
        sync::keep_numbers(tx, &[(outlet, "INVOICE:2627".into(), number)])
    })
    .unwrap();
    drop(db);
    fold(&data.database()).unwrap();
}

fn text(data: &DataDir, sql: &str) -> String {
    let conn = copying::reading(&data.database()).unwrap();
    one(&conn, sql, [], |row| row.get(0)).unwrap()
}

const LIFE: &str = "SELECT CAST(value AS TEXT) FROM counters WHERE series = 'LIFE'";

const NUMBER: &str = "SELECT CAST(value AS TEXT) FROM counters WHERE series = 'INVOICE:2627'";

fn wish(file: &Path) -> Wish<'_> {
    Wish { file, skip_numbers: 1_000, another_outlet: false }
}

#[test]
fn the_state_comes_back_the_numbers_go_on_and_what_was_there_is_kept() {
    let (_folder, data, backup, outlet) = branch();
    let before = text(&data, "SELECT name FROM outlets");
    sell(&data, outlet, 23);
    let restored = restore(&data, &wish(&backup), &Env::system()).unwrap();
    assert_eq!(text(&data, "SELECT name FROM outlets"), before);
    assert_eq!((text(&data, NUMBER), text(&data, LIFE)), ("23".to_owned(), "2".to_owned()));
    assert!(!restored.skipped);
    let aside = restored.aside.unwrap();
    assert_eq!(Backup::of(&aside, 0).unwrap().reason, Reason::Restore);
    // Back again: what was replaced is a backup like any other.
    restore(&data, &wish(&aside), &Env::system()).unwrap();
    assert_eq!(text(&data, "SELECT name FROM outlets"), "Later");
    assert_eq!(text(&data, LIFE), "3", "a life after both");
    assert!(!data.path().join("restoring.db").exists());
}

#[test]
fn a_file_that_is_no_good_changes_nothing() {
    let (_folder, data, backup, outlet) = branch();
    sell(&data, outlet, 9);
    let held = fs::read(data.database()).unwrap();
    let whole = fs::read(&backup).unwrap();
    let bad = data.path().join("bad.db.zst");
    let mut flipped = whole.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 0x40;
    let other = zstd::encode_all(&b"not a database at all, but well packed"[..], 3).unwrap();
    for bytes in [&whole[..whole.len() / 2], &flipped, &other, b"", b"SQLite format 3\0 and then nothing"] {
        fs::write(&bad, bytes).unwrap();
        restore(&data, &wish(&bad), &Env::system()).unwrap_err();
        assert_eq!(fs::read(data.database()).unwrap(), held);
        assert!(!data.path().join("restoring.db").exists());
    }
    let lock = data.lock().unwrap();
    assert!(matches!(restore(&data, &wish(&backup), &Env::system()), Err(RestoreError::Directory(_))));
    drop(lock);
}

#[test]
fn a_damaged_database_is_kept_as_it_is_and_its_numbers_are_still_read() {
    let (_folder, data, backup, outlet) = branch();
    sell(&data, outlet, 31);
    let conn = Connection::open(data.database()).unwrap();
    let root: usize = one(&conn, "SELECT rootpage FROM sqlite_schema WHERE name = 'audit_log'", [], |row| {
        row.get::<_, i64>(0)
    })
    .unwrap() as usize;
    drop(conn);
    let mut bytes = fs::read(data.database()).unwrap();
    bytes[(root - 1) * 2_048..(root - 1) * 2_048 + 100].fill(0x77);
    fs::write(data.database(), &bytes).unwrap();
    assert!(matches!(health::examine(&data), Err(Unfit::Damaged { .. })));
    let restored = restore(&data, &wish(&backup), &Env::system()).unwrap();
    assert_eq!(fs::read(restored.aside.unwrap().join("tiffin.db")).unwrap(), bytes);
    assert_eq!((text(&data, NUMBER), restored.skipped), ("31".to_owned(), false));
    health::examine(&data).unwrap();
}

#[test]
fn where_nothing_tells_how_far_the_numbers_came_they_begin_anew_or_skip() {
    let (_folder, data, backup, _) = branch();
    fs::write(data.database(), vec![7; 100_000]).unwrap();
    assert!(restore(&data, &wish(&backup), &Env::system()).unwrap().skipped);
    let conn = copying::reading(&data.database()).unwrap();
    let skipped: String =
        one(&conn, "SELECT group_concat(series) FROM counters WHERE value >= 1000", [], |row| row.get(0))
            .unwrap();
    assert!(
        skipped.starts_with("PURCHASE_ORDER:"),
        "{skipped}: those of today, which have no life of their own"
    );
    assert_eq!((text(&data, NUMBER), text(&data, LIFE)), ("7".to_owned(), "2".to_owned()), "bills do");
    fs::write(data.database(), vec![7; 100_000]).unwrap();
    let moved = Wish { skip_numbers: 0, ..wish(&backup) };
    assert!(!restore(&data, &moved, &Env::system()).unwrap().skipped);
    let conn = copying::reading(&data.database()).unwrap();
    let lives: i64 =
        one(&conn, "SELECT count(*) FROM counters WHERE series = 'LIFE'", [], |row| row.get(0)).unwrap();
    assert_eq!(lives, 0, "nothing was sold since: numbers go on");
}

#[test]
fn another_outlets_backup_is_refused_unless_it_is_meant() {
    let (_folder, data, _, _) = branch();
    let fixture = Fixture::new();
    let (_other_folder, _, theirs, _) = branch_of(&fixture, fixture.second_outlet());
    let refused = restore(&data, &wish(&theirs), &Env::system());
    assert!(matches!(refused, Err(RestoreError::AnotherOutlet { .. })), "{refused:?}");
    restore(&data, &Wish { another_outlet: true, ..wish(&theirs) }, &Env::system()).unwrap();
}

const NAMED: &str = "SELECT CAST(count(name) AS TEXT) FROM guests";

#[test]
fn who_was_erased_since_the_backup_is_erased_in_it() {
    let fixture = Fixture::new();
    let outlet = fixture.outlet_id;
    let id = fixture
        .write(move |tx, _| -> db::Result<Uuid> {
            let (id, name) = (tx.new_id(), Some("Asha Rao".to_owned()));
            orders::store::insert_guest(tx, outlet, id, &Guest { name, ..Guest::default() })?;
            Ok(id)
        })
        .unwrap();
    let (_folder, data, file, _) = branch_of(&fixture, outlet);
    assert_eq!(text(&data, NAMED), "1");
    let code = text(&data, "SELECT code FROM outlets");
    // The database is lost: the list beside the backup is all that tells.
    fs::remove_file(data.database()).unwrap();
    backup::erased::keep(file.parent().unwrap(), &code, &[(id, Millis::new(7))]).unwrap();
    restore(&data, &wish(&file), &Env::system()).unwrap();
    assert_eq!(text(&data, NAMED), "0");
}
