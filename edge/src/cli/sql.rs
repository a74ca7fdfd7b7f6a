//! `edge sql`: the supported way to look into the database, and to change it by hand. Changes go through the server's own
//! writer, so that the change log has them, and are in the audit log; without `--write` nothing can change, and
//! who looked at what is on record all the same. Records that only come to
//! be (payments, bills, the logs) are changed by nobody, and who tries is on record, too.

use super::open::{not_initialised, open_alone};
use super::{Failure, Out, Result};
use crate::config::Config;
use crate::data_dir::DataDir;
use crate::db::{Db, DbError, Tx};
use crate::noted;
use crate::resources::audit::{self, Entry};
use crate::resources::outlets;
use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::types::ValueRef;
use rusqlite::{Batch, Connection, OpenFlags, Statement};
use serde_json::json;
use std::io::Read;
use std::path::PathBuf;

/// How much of the statements the audit log keeps.
const SHOWN: usize = 4_000;

/// Reading works beside a running server; writing needs it stopped.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The statements, separated by semicolons; standard input when neither this nor --file is given
    statements: Option<String>,
    /// Read the statements from this file
    #[arg(long, conflicts_with = "statements")]
    file: Option<PathBuf>,
    /// Allow changes: all statements in one transaction, recorded in the change log
    #[arg(long)]
    write: bool,
}

pub(super) fn run(args: &Args, config: &Config, out: Out<'_>) -> Result<()> {
    let text = text(args)?;
    if args.write {
        let (db, data, _lock) = open_alone(config)?;
        let tried = json!({"statements": said(&text)});
        return write(&db, text, out).inspect_err(|_| noted::leave(data.path(), "sql.refused", tried));
    }
    let data = DataDir::at(&config.store.data_dir);
    if !data.database().exists() {
        return Err(not_initialised(&data));
    }
    crate::health::examine(&data)?;
    noted::leave(data.path(), "sql.read", json!({"statements": said(&text)}));
    let conn = Connection::open_with_flags(data.database(), OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    // Reading only is also the connection's own rule, not only the file's.
    conn.pragma_update(None, "query_only", true)?;
    let mut batch = Batch::new(&conn, &text);
    while let Some(mut statement) = batch.next()? {
        print(&mut statement, out)?;
    }
    Ok(())
}

/// What the audit log keeps of the statements.
fn said(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}

/// One transaction for all statements: an error in the last leaves nothing of the first.
fn write(db: &Db, text: String, out: Out<'_>) -> Result<()> {
    let printed = db.write_blocking(move |tx| -> Result<Vec<u8>, Refused> {
        let mut printed = Vec::new();
        let mut batch = Batch::new(tx, &text);
        while let Some(mut statement) = batch.next()? {
            execute(tx, &mut statement, &mut printed)?;
        }
        if let Some(outlet) = outlets::store::find_box_outlet(tx)? {
            let entry = Entry::new("sql.write", "database", None).after(&json!({"statements": said(&text)}));
            audit::actions::record(tx, &noted::actor(outlet), entry)?;
        }
        Ok(printed)
    })?;
    out.write_all(&printed)?;
    Ok(())
}

fn execute(tx: &Tx<'_>, statement: &mut Statement<'_>, out: Out<'_>) -> Result<(), Refused> {
    if statement.column_count() > 0 {
        return print(statement, out);
    }
    let sql = statement.expanded_sql().unwrap_or_default();
    let word = sql.split_whitespace().next().unwrap_or_default().to_ascii_uppercase();
    if !["INSERT", "UPDATE", "DELETE", "REPLACE", "WITH"].contains(&word.as_str()) {
        let reason =
            format!("{word} is not for this command: it changes rows, not the schema or the transaction");
        return Err(Refused::Words(reason));
    }
    tx.execute(&sql, [])?;
    writeln!(out, "{} rows changed", tx.changed()).map_err(|e| Refused::Words(e.to_string()))
}

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error("{0}")]
    Words(String),
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    #[error(transparent)]
    Store(#[from] DbError),
}

fn text(args: &Args) -> Result<String> {
    match (&args.statements, &args.file) {
        (Some(text), _) => Ok(text.clone()),
        (None, Some(path)) => {
            std::fs::read_to_string(path).map_err(|e| Failure::new(format!("{}: {e}", path.display())))
        }
        (None, None) => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text)?;
            Ok(text)
        }
    }
}

/// The rows of a query, tab-separated under their names.
fn print(statement: &mut Statement<'_>, out: Out<'_>) -> Result<(), Refused> {
    let mut line = |text: String| writeln!(out, "{text}").map_err(|e| Refused::Words(e.to_string()));
    let names = statement.column_names().join("\t");
    let columns = statement.column_count();
    let mut rows = statement.query([])?;
    line(names)?;
    while let Some(row) = rows.next()? {
        let cells: Result<Vec<String>, rusqlite::Error> =
            (0..columns).map(|i| row.get_ref(i).map(shown)).collect();
        line(cells?.join("\t"))?;
    }
    Ok(())
}

/// A value as text; ids as ids.
fn shown(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "NULL".into(),
        ValueRef::Integer(n) => n.to_string(),
        ValueRef::Real(n) => n.to_string(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).replace(['\t', '\n'], " "),
        ValueRef::Blob(bytes) => match tiffin_common::Uuid::from_slice(bytes) {
            Ok(id) => id.to_string(),
            Err(_) => format!("x'{}'", bytes.iter().map(|b| format!("{b:02x}")).collect::<String>()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Fixture;

    #[test]
    fn changes_are_one_transaction_and_recorded() {
        let fixture = Fixture::new();
        let before = fixture.number("SELECT max(seq) FROM sync_log");
        let mut out = Vec::new();
        let text =
            "UPDATE outlets SET name = 'A;b'; SELECT name, id FROM outlets; UPDATE outlets SET phone = '1'";
        write(&fixture.db, text.into(), &mut out).unwrap();
        let out = String::from_utf8(out).unwrap();
        assert_eq!(out, format!("1 rows changed\nname\tid\nA;b\t{}\n1 rows changed\n", fixture.outlet_id));
        assert_eq!(fixture.number("SELECT max(seq) FROM sync_log"), before + 1);
    }

    #[test]
    fn records_stay_and_what_is_changed_by_hand_is_on_record() {
        let fixture = Fixture::new();
        write(&fixture.db, "UPDATE outlets SET phone = '1'".into(), &mut Vec::new()).unwrap();
        let told = "SELECT count(*) FROM audit_log WHERE action = 'sql.write' AND actor_name <> '' AND device IS NOT NULL AND after LIKE '%phone%'";
        assert_eq!(fixture.number(told), 1);
        for text in ["DELETE FROM audit_log", "UPDATE audit_log SET reason = 'x'", "DELETE FROM sync_log"] {
            assert!(write(&fixture.db, text.into(), &mut Vec::new()).is_err(), "{text}");
        }
        assert_eq!(fixture.number(told), 1);
    }

    #[test]
    fn an_error_or_a_schema_change_leaves_nothing() {
        let fixture = Fixture::new();
        for second in ["UPDATE nowhere SET a = 1", "DROP TABLE outlets", "COMMIT"] {
            let text = format!("UPDATE outlets SET name = 'changed'; {second}");
            assert!(write(&fixture.db, text, &mut Vec::new()).is_err(), "{second}");
        }
        assert_eq!(fixture.number("SELECT count(*) FROM outlets WHERE name = 'changed'"), 0);
    }
}
