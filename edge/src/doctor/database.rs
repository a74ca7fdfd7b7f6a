//! The database: whether it is there, whole, of this program's schema, and whether its change log hangs together. Only reads.

use super::{Finding, Patient, open_to_read};
use crate::db::DbError;
use crate::secrets;
use crate::sync::{LogCheck, check_log};
use rusqlite::Connection;
use tiffin_common::Millis;

/// Log rows whose chain is checked: enough to show a write past the program, few enough for a large box.
const ROWS: i64 = 5_000;

/// Faults that are shown of a list.
const SHOWN: usize = 3;

const RESTORE: &str = "Stop the server, keep a copy of the whole data directory aside, and put back the newest backup: edge restore FILE. \
    A box that belongs to a head office takes back by itself what the backup lacks.";

/// Opens the database, or says why not.
pub(super) fn open(patient: &Patient<'_>) -> Result<Connection, Finding> {
    let path = patient.data.database();
    if let Some(link) = patient.data.setup_link() {
        return Err(Finding::ok("database", format!("none yet: this box waits to be set up with {link}")));
    }
    if !path.exists() && crate::backup::newest(&crate::backup::folder(patient.data.path())).is_some()
        || !path.exists() && secrets::are_there(patient.data.path())
    {
        return Err(Finding::broken(
            "database",
            "it is gone, and what lies beside it tells of a branch",
            RESTORE,
        ));
    }
    if !path.exists() {
        let found = format!("there is no branch in {}", patient.data.path().display());
        let advice = "Is --data-dir right? A new branch is made with edge init, or in the browser.";
        return Err(Finding::broken("database", found, advice));
    }
    if patient.data.unfinished().exists() {
        let advice = "Let edge init (or edge enroll --replace) come to its end, or begin again in an empty data directory.";
        return Err(Finding::broken("database", "it was never finished", advice));
    }
    open_to_read(&path).map_err(|error| unreadable(&error))
}

/// Why a database cannot be read, and what to do.
pub fn unreadable(error: &rusqlite::Error) -> Finding {
    use rusqlite::ErrorCode::{
        CannotOpen, DatabaseCorrupt, DiskFull, NotADatabase, PermissionDenied, SystemIoFailure,
    };
    let advice = match error.sqlite_error_code() {
        Some(CannotOpen | PermissionDenied) => {
            "Run edge doctor as the server's user or as root (sudo edge doctor …)."
        }
        Some(DatabaseCorrupt | NotADatabase) => RESTORE,
        Some(SystemIoFailure | DiskFull) => {
            "With a full disk it cannot be read: make room. Else look at the disk first (above)."
        }
        _ => "Look at the disk first (above). If it is well, put back a backup: edge restore FILE.",
    };
    Finding::broken("database", format!("it cannot be read: {error}"), advice)
}

/// Why rows of an open database cannot be read, and what to do.
pub fn unreadable_rows(error: &DbError) -> Finding {
    let advice = match error {
        DbError::Damaged(_) => RESTORE,
        DbError::Full => "With a full disk it cannot be read: make room.",
        _ => "Look at the disk first (above). If it is well, put back a backup: edge restore FILE.",
    };
    Finding::broken("database", format!("it cannot be read: {error}"), advice)
}

/// Reads all of it.
pub(super) fn examine(conn: &Connection) -> Vec<Finding> {
    vec![integrity(conn), schema(conn), log(conn)]
}

/// Whether SQLite finds its file whole, and every row that another names is there.
pub fn integrity(conn: &Connection) -> Finding {
    let faults = texts(conn, "PRAGMA integrity_check(20)");
    let faults = match faults {
        Ok(faults) => faults,
        Err(error) => return unreadable(&error),
    };
    if faults != ["ok"] {
        let found = format!("it is damaged: {}", shown(&faults));
        return Finding::broken("database", found, RESTORE);
    }
    match texts(conn, "SELECT \"table\" || ' → ' || parent FROM pragma_foreign_key_check LIMIT 20") {
        Ok(orphans) if orphans.is_empty() => {
            Finding::ok("database", "whole; every row that another names is there")
        }
        Ok(orphans) => Finding::broken(
            "database",
            format!("rows name others that are not there: {}", shown(&orphans)),
            RESTORE,
        ),
        Err(error) => unreadable(&error),
    }
}

fn shown(faults: &[String]) -> String {
    let first = faults.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join("; ");
    if faults.len() > SHOWN { format!("{first}; and more") } else { first }
}

fn texts(conn: &Connection, sql: &str) -> rusqlite::Result<Vec<String>> {
    conn.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
}

/// Whether the schema is this program's.
fn schema(conn: &Connection) -> Finding {
    let sql = "SELECT coalesce(max(version), 0) FROM refinery_schema_history";
    match conn.query_row(sql, [], |row| row.get(0)) {
        Ok(version) => judge_schema(version, tiffin_migrations::edge_schema_version()),
        Err(error) => unreadable(&error),
    }
}

/// Judges the database's schema beside this program's.
pub fn judge_schema(database: u32, program: u32) -> Finding {
    match database.cmp(&program) {
        std::cmp::Ordering::Equal => {
            Finding::ok("schema", format!("version {database}, as this program has it"))
        }
        std::cmp::Ordering::Less => Finding::warn(
            "schema",
            format!("version {database}; this program's is {program}"),
            "The next start of the server brings it up to date, after a backup. A server that runs is older than this program: restart it.",
        ),
        std::cmp::Ordering::Greater => Finding::broken(
            "schema",
            format!("version {database} is newer than this program's {program}"),
            "Install the newer program again, or put back the backup that was taken before the upgrade: edge restore FILE.",
        ),
    }
}

/// Whether the end of the change log hangs together.
fn log(conn: &Connection) -> Finding {
    match check_log(conn, ROWS) {
        Ok(LogCheck { rows, fault: None }) => {
            Finding::ok("change-log", format!("the newest {rows} rows follow from each other"))
        }
        Ok(LogCheck { fault: Some(fault), .. }) => Finding::broken(
            "change-log",
            fault,
            "Something wrote past the program. Selling goes on, but head office will not take these rows: ask for help, and keep a copy \
             of the data directory.",
        ),
        Err(error) => unreadable_rows(&error),
    }
}

/// The newest moment that is on record.
pub fn newest_moment(conn: &Connection) -> Option<Millis> {
    let sql = "SELECT wall_ms FROM sync_log ORDER BY seq DESC LIMIT 1";
    conn.query_row(sql, [], |row| row.get(0)).ok().filter(|newest| *newest > Millis::new(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Level;
    use crate::testing::Fixture;

    #[test]
    fn a_program_of_another_age_is_told_apart() {
        assert_eq!(judge_schema(12, 12).level, Level::Ok);
        assert_eq!(judge_schema(11, 12).level, Level::Warn);
        assert_eq!(judge_schema(13, 12).level, Level::Broken);
    }

    #[test]
    fn rows_that_name_nothing_and_a_log_with_a_gap_are_found() {
        let fixture = Fixture::new();
        let conn = open_to_read(fixture.db.path()).unwrap();
        assert!(examine(&conn).iter().all(|finding| finding.level == Level::Ok), "{:?}", examine(&conn));
        assert!(newest_moment(&conn).is_some());
        let writer = Connection::open(fixture.db.path()).unwrap();
        writer
            .execute_batch(
                "PRAGMA foreign_keys = off;
                 DROP TRIGGER capture_keep_sync_log_update; DROP TRIGGER capture_keep_sync_log_delete;
                 INSERT INTO refresh_tokens (hash, session_id, outlet_id, created_at, expires_at) VALUES (x'01', x'02', x'03', 1, 2);
                 UPDATE sync_log SET body = x'00' WHERE seq = 2;",
            )
            .unwrap();
        let told = examine(&conn);
        let level = |check: &str| told.iter().find(|finding| finding.check == check).unwrap().level;
        assert_eq!((level("database"), level("change-log")), (Level::Broken, Level::Broken), "{told:?}");
        writer.execute_batch("DELETE FROM sync_log WHERE seq = 2").unwrap();
        assert!(log(&conn).found.contains("2"), "{:?}", log(&conn));
    }

    #[test]
    fn a_log_may_begin_late_where_head_office_has_what_came_before() {
        let fixture = Fixture::new();
        let conn = open_to_read(fixture.db.path()).unwrap();
        let writer = Connection::open(fixture.db.path()).unwrap();
        writer
            .execute_batch("DROP TRIGGER capture_keep_sync_log_delete; DELETE FROM sync_log WHERE seq <= 2")
            .unwrap();
        let found = log(&conn);
        assert_eq!((found.level, found.found.contains("rows 1 to 2")), (Level::Broken, true), "{found:?}");
        writer
            .execute_batch(
                "INSERT INTO sync_peer (id, device_id, hub_url, acked_epoch, acked_seq, acked_hash, enrolled_at)
                 VALUES (1, zeroblob(16), 'https://hub.test', zeroblob(16), 2, zeroblob(16), 1)",
            )
            .unwrap();
        assert_eq!(log(&conn).level, Level::Ok, "{:?}", log(&conn));
    }
}
