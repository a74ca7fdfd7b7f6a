//! Unit tests of looking at a database before it is opened.

use super::*;
use crate::testing::Fixture;
use std::fs;

/// A data directory with a whole branch in it, stopped in order.
fn branch() -> (tempfile::TempDir, DataDir) {
    let fixture = Fixture::new();
    let folder = tempfile::tempdir().unwrap();
    let data = DataDir::open(folder.path()).unwrap();
    copying::copy(fixture.db.path(), &data.database()).unwrap();
    (folder, data)
}

fn config(before_upgrade: bool) -> config::Backups {
    config::Backups { before_upgrade, ..config::Config::resolve(&Default::default()).unwrap().backups }
}

#[test]
fn a_whole_branch_is_fit_and_an_empty_directory_is_none() {
    let (_folder, data) = branch();
    assert_eq!(examine(&data).unwrap().unwrap().code, "BLR1");
    let empty = tempfile::tempdir().unwrap();
    assert!(examine(&DataDir::at(empty.path())).unwrap().is_none());
}

#[test]
fn damage_is_found_wherever_it_is_and_the_newest_backup_is_named() {
    let (_folder, data) = branch();
    let to = Destinations::of(data.path(), None);
    let backup = backup::take(&data.database(), &to, Reason::Manual, &Env::system()).unwrap();
    let whole = fs::read(data.database()).unwrap();
    let spoilt = |spoil: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = whole.clone();
        spoil(&mut bytes);
        fs::write(data.database(), bytes).unwrap();
        examine(&data).unwrap_err().to_string()
    };
    let last = whole.len() / 2_048 - 1;
    type Spoils<'a> = &'a dyn Fn(&mut Vec<u8>);
    let cases: [(&str, Spoils<'_>); 5] = [
        ("something else", &|bytes| *bytes = b"<html>not a database</html>".repeat(500)),
        ("the header", &|bytes| bytes[..64].fill(0)),
        ("a page in the middle", &|bytes| bytes[last / 2 * 2_048..last / 2 * 2_048 + 32].fill(0x5A)),
        ("its end is missing", &|bytes| bytes.truncate(bytes.len() / 2)),
        ("a few bytes", &|bytes| bytes.truncate(100)),
    ];
    for (what, spoil) in cases {
        let words = spoilt(spoil);
        assert!(words.contains("damaged") && words.contains(&backup.name()), "{what}: {words}");
        assert!(words.contains("edge restore"), "{what}: {words}");
    }
}

#[test]
fn an_emptied_file_is_damage_where_there_was_a_branch() {
    let (_folder, data) = branch();
    fs::write(data.database(), "").unwrap();
    assert!(examine(&data).unwrap().is_none());
    fs::create_dir(data.path().join("secrets")).unwrap();
    assert!(matches!(examine(&data), Err(Unfit::Damaged { .. })));
    fs::remove_file(data.database()).unwrap();
    assert!(matches!(examine(&data), Err(Unfit::Lost { .. })));
    fs::write(data.unfinished(), "").unwrap();
    assert!(examine(&data).unwrap().is_none(), "one that was never finished is no branch");
}

#[test]
fn an_older_schema_is_backed_up_first_and_a_newer_one_is_not_opened() {
    let (_folder, data) = branch();
    let set = |version: u32| {
        let conn = Connection::open(data.database()).unwrap();
        let sql = "UPDATE refinery_schema_history SET version = ?1 WHERE version = (SELECT max(version) FROM refinery_schema_history)";
        conn.execute(sql, [version]).unwrap();
    };
    let prepared = |before| {
        let conn = copying::reading(&data.database()).unwrap();
        prepare((&data, &conn), &config(before), &Env::system()).unwrap()
    };
    assert!(prepared(true).is_none(), "it is as new as the program");
    // As if the newest migration had another number: only the version is looked at here.
    let connect = Connection::open(data.database()).unwrap();
    connect.execute("DELETE FROM refinery_schema_history WHERE version = (SELECT max(version) FROM refinery_schema_history)", []).unwrap();
    drop(connect);
    assert!(prepared(false).is_none(), "nobody wants one");
    let taken = prepared(true).unwrap();
    assert_eq!(taken.reason, Reason::Upgrade);
    set(tiffin_migrations::edge_schema_version() + 1);
    let words = examine(&data).unwrap_err().to_string();
    assert!(words.contains("newer") && words.contains(&taken.name()), "{words}");
}

#[tokio::test]
async fn what_the_start_did_not_wait_for_is_looked_at_while_it_is_open() {
    let fixture = Fixture::new();
    let (_stop, stopping) = tokio::sync::watch::channel(false);
    guard::look_on(fixture.db.clone(), stopping.clone()).await;
    assert_eq!(fixture.db.damage().found(), None);
    let other = Connection::open(fixture.db.path()).unwrap();
    other.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    let size = fs::metadata(fixture.db.path()).unwrap().len();
    let file = fs::OpenOptions::new().write(true).open(fixture.db.path()).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, &[0x5A; 32], size / 2 / 2_048 * 2_048).unwrap();
    guard::look_on(fixture.db.clone(), stopping).await;
    assert!(fixture.db.damage().found().is_some());
    let read = fixture.db.read_blocking(|_| Ok::<_, crate::db::DbError>(()));
    assert!(matches!(read, Err(crate::db::DbError::Damaged(_))), "{read:?}");
}
