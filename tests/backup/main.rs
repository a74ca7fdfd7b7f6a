//! Backup, restore, export and damage, with the real programs: what a backup holds that was taken while tills were selling, what a
//! branch gets back from head office after its database was put back, and that a damaged file is never served.

mod damage;
mod exporting;
mod lost;
mod nights;
mod office;
mod postgres;
mod reconcile;
mod selling;

use rusqlite::{Connection, OpenFlags};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tiffin_tests::{Edge, sample};

/// A folder on a real disk.
fn folder() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// A sample restaurant in `folder`.
fn restaurant(folder: &Path) -> PathBuf {
    let data = folder.join("branch");
    sample::init(&data, "BLR1");
    // One file, for tests that damage it: what lies in the write-ahead log is read from there.
    let conn = Connection::open(data.join("tiffin.db")).unwrap();
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    data
}

/// Runs `edge` on `data` beside servers of this process; answers what it printed.
async fn edge(data: &Path, arguments: &[&str]) -> String {
    let on = ["--data-dir", data.to_str().unwrap()];
    let words = arguments.iter().chain(&on);
    let words: Vec<String> = words.map(|word| (*word).to_owned()).collect();
    let run = move || Edge::run(&words.iter().map(String::as_str).collect::<Vec<_>>());
    tokio::task::spawn_blocking(run).await.unwrap()
}

/// Runs `edge` on `data` and lets it fail.
fn tried(data: &Path, arguments: &[&str]) -> Output {
    Command::new(Edge::binary()).args(arguments).arg("--data-dir").arg(data).output().unwrap()
}

/// The backup that `edge backup` says it made.
fn made(told: &str) -> PathBuf {
    PathBuf::from(told.split(" (").next().unwrap())
}

fn database(data: &Path) -> Connection {
    Connection::open_with_flags(data.join("tiffin.db"), OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap()
}

fn texts(conn: &Connection, sql: &str) -> Vec<String> {
    let mut statement = conn.prepare(sql).unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

/// The exchange as the branch's screens show it, once nothing waits and both copies were found equal.
async fn quiet(edge: &Edge) -> Value {
    let deadline = Instant::now() + Duration::from_secs(120);
    let owner = tiffin_tests::sample::owner(edge).await;
    loop {
        let sync = owner.get("/status").await.data()["sync"].clone();
        let is_quiet = sync["enrolled"] == true
            && sync["rowsWaiting"] == 0
            && sync["standing"] == "NORMAL"
            && sync["digest"] == "OK";
        if is_quiet {
            return sync;
        }
        assert!(Instant::now() < deadline, "the exchange comes to no rest: {sync}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
