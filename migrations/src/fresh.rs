//! A new branch database is made as it is today, by one text instead of all that led to it: half of what `init` took, and of what each
//! test takes that begins with one. Never says anything of its own: the text is what the migrations make, and a test holds it to that.

use refinery::Migration;
use refinery::error::WrapMigrationError;
use rusqlite::Connection;

/// What the migrations up to [`UP_TO`] make of an empty database; those after it follow. Made anew whenever enough have, by hand:
/// `TIFFIN_WRITE_SCHEMA=1 cargo test -p tiffin-migrations`.
const SCHEMA: &str = include_str!("edge_schema.sql");

/// The last of the migrations that are in [`SCHEMA`].
const UP_TO: i32 = 42;

/// Makes the schema where there is nothing yet, in one transaction, and records those of `files` that led to it as applied. Leaves any other
/// database alone.
///
/// # Errors
/// A failed statement.
pub(super) fn make(conn: &mut Connection, files: &[Migration]) -> Result<(), refinery::Error> {
    begin(conn, files).migration_err("error making a new database", None)
}

fn begin(conn: &mut Connection, files: &[Migration]) -> rusqlite::Result<()> {
    if conn.query_row("SELECT EXISTS (SELECT 1 FROM sqlite_schema)", [], |row| row.get(0))? {
        return Ok(());
    }
    let tx = conn.transaction()?;
    tx.execute_batch(SCHEMA)?;
    {
        // As refinery writes it itself.
        let mut applied = tx.prepare(
            "INSERT INTO refinery_schema_history (version, name, applied_on, checksum)
             VALUES (?1, ?2, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?3)",
        )?;
        for file in files.iter().filter(|file| file.version() <= UP_TO) {
            applied.execute((file.version(), file.name(), file.checksum().to_string()))?;
        }
    }
    tx.commit()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::older::branch_at;
    use crate::{edge_schema_version, migrate_edge};

    fn list(conn: &Connection, sql: &str) -> Vec<String> {
        let mut statement = conn.prepare(sql).unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    /// The statements that make the schema, in the order in which they were made.
    fn statements(conn: &Connection) -> Vec<String> {
        list(
            conn,
            "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid",
        )
    }

    #[test]
    fn the_text_is_what_the_migrations_make() {
        let conn = branch_at(UP_TO.unsigned_abs()).unwrap();
        let about = format!(
            "-- The branch's schema as migrations 1 to {UP_TO} make it of nothing: `fresh.rs` says how it is made, and a test holds it to them."
        );
        let wanted = format!("{about}\n{};\n", statements(&conn).join(";\n"));
        if std::env::var_os("TIFFIN_WRITE_SCHEMA").is_some() {
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/edge_schema.sql");
            std::fs::write(path, &wanted).unwrap();
        } else {
            assert!(wanted == SCHEMA, "TIFFIN_WRITE_SCHEMA=1 cargo test -p tiffin-migrations makes it anew");
        }
        // A text of statements is all there is: no migration puts a row into an empty database.
        let tables =
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'refinery_schema_history'";
        for table in list(&conn, tables) {
            let sql = format!("SELECT count(*) FROM \"{table}\"");
            let rows: i64 = conn.query_row(&sql, [], |row| row.get(0)).unwrap();
            assert_eq!(rows, 0, "{table}");
        }
    }

    #[test]
    fn a_new_database_is_the_one_that_was_led_there() {
        const APPLIED: &str =
            "SELECT version || ' ' || name || ' ' || checksum FROM refinery_schema_history ORDER BY version";
        let old = branch_at(edge_schema_version()).unwrap();
        let mut new = Connection::open_in_memory().unwrap();
        migrate_edge(&mut new).unwrap();
        assert_eq!(statements(&new), statements(&old));
        assert_eq!(list(&new, APPLIED), list(&old, APPLIED));
        // It goes on as any other.
        migrate_edge(&mut new).unwrap();
    }
}
