//! A branch's own process and head office: enrolment beside a running server and without one, and a box that takes another's place.

use edge::db::Source;
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, Instant};
use sync_hub::store::StoreError;
use tempfile::TempDir;
use tiffin_common::Uuid;
use tiffin_common::registry::TABLES;
use tiffin_tests::{Edge, HeadOffice};

/// Runs `edge` beside a head office that lives in this process.
async fn edge(arguments: Vec<String>) -> String {
    let run = move || Edge::run(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    tokio::task::spawn_blocking(run).await.unwrap()
}

fn words(text: &[&str], folder: &Path) -> Vec<String> {
    let folder = ["--data-dir", folder.to_str().unwrap()];
    text.iter().chain(&folder).map(|word| (*word).to_owned()).collect()
}

async fn restaurant() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("branch");
    edge(words(&["init", "--sample-data", "--outlet-code", "BLR1"], &path)).await;
    (folder, path)
}

/// The exchange as the branch's screens show it, once `is_so`.
async fn status(edge: &Edge, what: &str, is_so: impl Fn(&Value) -> bool) -> Value {
    let deadline = Instant::now() + Duration::from_secs(120);
    let owner = tiffin_tests::sample::owner(edge).await;
    loop {
        let reply = owner.get("/status").await;
        let sync = reply.data()["sync"].clone();
        if is_so(&sync) {
            return sync;
        }
        assert!(Instant::now() < deadline, "{what}: {sync}");
        tokio::task::yield_now().await;
    }
}

fn is_quiet(sync: &Value) -> bool {
    sync["enrolled"] == true
        && sync["rowsWaiting"] == 0
        && sync["standing"] == "NORMAL"
        && sync["digest"] == "OK"
}

fn outlet(folder: &Path) -> Uuid {
    let conn =
        Connection::open_with_flags(folder.join("tiffin.db"), OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    conn.query_row("SELECT id FROM outlets", [], |row| row.get(0)).unwrap()
}

/// A paper that takes three parts on its way.
static PAPER: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut paper = b"%PDF-1.7\n".to_vec();
    paper.extend((0..300_000u32).map(|byte| (byte * 7 % 253) as u8));
    paper
});

/// Files the paper for somebody; where it is then.
async fn filed(edge: &Edge) -> String {
    let owner = tiffin_tests::sample::owner(edge).await;
    let staff = owner.get("/employees").await.expect(200).data();
    let papers = format!("/employees/{}/documents", staff[0]["id"].as_str().unwrap());
    let mut form =
        b"--b\r\ncontent-disposition: form-data; name=\"file\"; filename=\"contract.pdf\"\r\n\r\n".to_vec();
    form.extend(PAPER.iter());
    form.extend(b"\r\n--b--\r\n");
    let made = owner.post_raw(&papers, "multipart/form-data; boundary=b", form).await.expect(201).data();
    format!("{papers}/{}", made["id"].as_str().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_box_enrols_beside_its_running_server_and_another_takes_its_place() {
    let hub = HeadOffice::start().await;
    let (_folder, old) = restaurant().await;
    let server = Edge::serve(&old, &[]).await;
    let alone = status(&server, "alone", |sync| sync["enrolled"] == false).await;
    assert_eq!(alone["hubReachable"], Value::Null, "what is not known is null");
    let code = hub.code(None).await;
    let told = edge(words(&["enroll", "--hub", hub.base(), "--code", &code], &old)).await;
    assert!(told.contains("BLR1") && !told.contains("tfk_"), "{told}");
    let quiet = status(&server, "everything is at head office and equal", is_quiet).await;
    assert_eq!(quiet["hubReachable"], true);
    let paper = filed(&server).await;
    let held = |hub: &HeadOffice| {
        let look = |from: &dyn Source| -> Result<i64, StoreError> {
            Ok(edge::db::one(from, "SELECT coalesce(sum(length(content)), 0) FROM hub_papers", [], |row| {
                row.get(0)
            })?)
        };
        hub.app.hub.stores().read_outlet_blocking(outlet(&old), look).unwrap()
    };
    let deadline = Instant::now() + Duration::from_secs(120);
    while tokio::task::block_in_place(|| held(&hub)) < PAPER.len() as i64 {
        assert!(Instant::now() < deadline, "the paper does not arrive");
        tokio::task::yield_now().await;
    }
    status(&server, "with the paper", is_quiet).await;
    let told = edge(words(&["status"], &old)).await;
    assert!(told.contains("standing      NORMAL") && told.contains("copies equal  OK"), "{told}");
    server.kill();

    // The box is gone; another takes its place from an empty folder.
    let outlet = outlet(&old);
    let new = old.with_file_name("new");
    let code = hub.code(Some(outlet)).await;
    let told = edge(words(&["enroll", "--replace", "--hub", hub.base(), "--code", &code], &new)).await;
    assert!(told.contains("open for business"), "{told}");
    let server = Edge::serve(&new, &[]).await;
    status(&server, "everything is here again", is_quiet).await;
    let owner = tiffin_tests::sample::owner(&server).await;
    let deadline = Instant::now() + Duration::from_secs(120);
    loop {
        let reply = owner.get(&paper).await;
        if reply.status == 200 {
            assert_eq!(reply.bytes, *PAPER, "the paper is the one that was filed");
            break;
        }
        assert_eq!(reply.status, 503, "until it is here");
        assert!(Instant::now() < deadline, "the paper does not come back");
        tokio::task::yield_now().await;
    }
    assert_eq!(missing(&old, &new), Vec::<String>::new(), "rows of the old box that the new one lacks");
    let pepper = |folder: &Path| std::fs::read_to_string(folder.join("secrets/pepper")).unwrap();
    assert_eq!(pepper(&old), pepper(&new), "or no PIN would be known");
    let levels = |folder: &Path| numbers(folder, "SELECT on_hand FROM stock_levels ORDER BY stock_item_id");
    assert_eq!(levels(&old), levels(&new));
    let first = numbers(&new, "SELECT min(seq) FROM sync_log");
    assert!(first[0] > 1, "the log goes on where the old one ended");
    // The old box is shut out when it comes back.
    let late = Edge::serve(&old, &[]).await;
    status(&late, "the old box knows", |sync| sync["standing"] == "FENCED" || sync["standing"] == "REVOKED")
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_box_enrols_while_its_server_is_stopped() {
    let hub = HeadOffice::start().await;
    let (_folder, data) = restaurant().await;
    let code = hub.code(None).await;
    edge(words(&["enroll", "--hub", hub.base(), "--code", &code], &data)).await;
    let told = edge(words(&["status"], &data)).await;
    assert!(told.contains("enrolled; the server takes it up when it runs"), "{told}");
    let server = Edge::serve(&data, &[]).await;
    status(&server, "everything is at head office and equal", is_quiet).await;
}

fn numbers(folder: &Path, sql: &str) -> Vec<i64> {
    let conn =
        Connection::open_with_flags(folder.join("tiffin.db"), OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let mut statement = conn.prepare(sql).unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

/// Rows of the old box that the new one does not hold exactly so, by table. What says when a box was last looked at may differ.
fn missing(old: &Path, new: &Path) -> Vec<String> {
    let conn = Connection::open_with_flags(new.join("tiffin.db"), OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    conn.execute("ATTACH ?1 AS old", [old.join("tiffin.db").to_str().unwrap()]).unwrap();
    let lacking = |table: &str| {
        let sql =
            format!("SELECT count(*) FROM (SELECT * FROM old.{table} EXCEPT SELECT * FROM main.{table})");
        conn.query_row(&sql, [], |row| row.get::<_, i64>(0)).unwrap()
    };
    let tables = TABLES.iter().map(|table| (table.name, lacking(table.name))).filter(|(_, rows)| *rows > 0);
    tables.map(|(name, rows)| format!("{name}: {rows}")).collect()
}
