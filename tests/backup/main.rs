//! Backup, restore, export and damage, with the real programs: what a backup holds that was taken while tills were selling, what a
//! branch gets back from head office after its database was put back, and that a damaged file is never served.

mod damage;
mod exporting;
mod office;
mod reconcile;
mod selling;

use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tiffin_tests::{Client, Edge};

/// A folder on a real disk.
fn folder() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// A sample restaurant in `folder`.
fn restaurant(folder: &Path) -> PathBuf {
    let data = folder.join("branch");
    Edge::run(&["init", "--sample-data", "--data-dir", data.to_str().unwrap()]);
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

async fn serve(data: &Path) -> Edge {
    Edge::serve(data, &["--limit-general", "off"]).await
}

/// The owner, signed in; nothing goes out of stock.
async fn owner(edge: &Edge) -> Client {
    let body = json!({"email": "owner@sample.test", "password": "tiffin-sample"});
    let data = edge.client().post("/auth/login", body).await.expect(200).data();
    let client = edge.client().with_token(data["accessToken"].as_str().unwrap().to_owned());
    let outlet = format!("/outlets/{}", data["user"]["outlets"][0]["id"].as_str().unwrap());
    client.patch(&outlet, json!({"autoAvailability": false})).await.expect(200);
    client
}

/// Two dishes of the menu that need no choice, as lines of an order.
async fn lines(client: &Client) -> Value {
    let menu = client.get("/menu").await.data();
    let items = menu["categories"].as_array().unwrap().iter().flat_map(|c| c["items"].as_array().unwrap());
    let is_free =
        |item: &&Value| item["modifierGroups"].as_array().unwrap().iter().all(|g| g["minSelections"] == 0);
    let line =
        |item: &Value| json!({"menuItemId": item["id"], "quantity": 1, "unitPriceCents": item["priceCents"]});
    items.filter(is_free).filter(|item| item["isAvailable"] == true).take(2).map(line).collect()
}

/// Sells once: order, payment, bill. Answers order and bill.
async fn sell(client: &Client, lines: &Value) -> (Value, Value) {
    let order =
        client.post("/orders", json!({"orderType": "COUNTER", "items": lines})).await.expect(201).json();
    let id = order["id"].as_str().unwrap();
    let pay = json!({"method": "CASH", "amountCents": order["totalAmountCents"]});
    client.post(&format!("/orders/{id}/payments"), pay).await.expect(201);
    let bill = client.post(&format!("/orders/{id}/invoice"), json!({})).await.expect(201).data();
    (order, bill)
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
    loop {
        let sync = edge.client().get("/status").await.data()["sync"].clone();
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
