//! A disk that fills up in the middle of the evening: what was confirmed is there, what could not be saved is said so, everything that
//! is read goes on, and as soon as there is room the tills go on, without a restart.

use rusqlite::Connection;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tiffin_tests::disk::SmallDisk;
use tiffin_tests::{Client, Edge, Reply, sample};

/// Tills at once.
const TILLS: u64 = 6;

/// How long anything may take to come about.
const PATIENCE: Duration = Duration::from_secs(120);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn below_the_reserve_writes_are_refused_and_reads_go_on() {
    let bounds = ["--disk-warn-bytes", "33554432", "--disk-stop-bytes", "16777216"];
    let disk = fill_in_the_middle(&bounds, 12 << 20, true).await;
    drop(disk);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_any_reserve_the_last_byte_is_no_catastrophe_either() {
    let bounds = ["--disk-warn-bytes", "0", "--disk-stop-bytes", "0"];
    let disk = fill_in_the_middle(&bounds, 0, false).await;
    drop(disk);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_start_that_finds_no_room_to_read_waits_for_it_and_never_offers_to_begin_anew() {
    let disk = SmallDisk::new(96);
    let data = disk.path().join("data");
    sample::init(&data, "BLR1");
    // As an orderly stop leaves it: one file, and SQLite makes the others when it reads.
    let conn = Connection::open(data.join("tiffin.db")).unwrap();
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(conn);
    assert!(!data.join("tiffin.db-shm").exists());
    disk.fill(0);
    let edge = Edge::serve_unready(&data, &[]).await;
    for path in ["/ready", "/menu", "/status"] {
        no_room(&edge.client().get(path).await);
    }
    disk.empty();
    let deadline = Instant::now() + PATIENCE;
    while !edge
        .client()
        .try_send(edge.client().request(reqwest::Method::GET, "/ready"))
        .await
        .is_ok_and(|r| r.status == 200)
    {
        assert!(Instant::now() < deadline, "it does not open");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    sample::owner(&edge).await;
}

/// What the tills have been told.
#[derive(Default)]
struct Told {
    orders: Mutex<HashMap<String, Value>>,
    confirmed: AtomicU64,
    refused: AtomicU64,
    enough: AtomicBool,
}

async fn fill_in_the_middle(bounds: &[&str], leaves: u64, is_shown: bool) -> SmallDisk {
    let disk = SmallDisk::new(128);
    let data = disk.path().join("data");
    sample::init(&data, "BLR1");
    let edge = Edge::serve(&data, bounds).await;
    let owner = sample::owner_of_plenty(&edge).await;
    let told = Arc::new(Told::default());

    let tills = open(&owner, &told).await;
    until("orders are taken", || told.confirmed.load(Ordering::SeqCst) >= 30).await;
    disk.fill(leaves);
    refusals(&told).await;
    reads_go_on(&owner, &told, is_shown).await;
    disk.empty();
    sales(&told).await;

    disk.fill(leaves);
    refusals(&told).await;
    told.enough.store(true, Ordering::SeqCst);
    edge.kill();
    let mut unanswered = Vec::new();
    for till in tills {
        unanswered.push(till.await.unwrap());
    }
    told.enough.store(false, Ordering::SeqCst);

    let edge = Edge::serve_unready(&data, bounds).await;
    let client = owner.at(edge.base());
    let refused = client
        .post("/orders", json!({"orderType": "COUNTER", "items": sample::lines(&client, 3).await}))
        .await;
    no_room(&refused);
    reads_go_on(&client, &told, is_shown).await;
    disk.empty();
    let tills = open(&client, &told).await;
    sales(&told).await;
    for (key, body) in unanswered.into_iter().flatten() {
        let reply = client.post_keyed("/orders", &key, body).await.expect(201);
        told.orders.lock().unwrap().insert(key, reply.json());
    }
    told.enough.store(true, Ordering::SeqCst);
    for till in tills {
        assert_eq!(till.await.unwrap(), None);
    }
    edge.kill();
    check(&data, &told);
    disk
}

/// What a till asked last without an answer: its key and body.
type Unanswered = Option<(String, Value)>;

/// Tills that take orders until it is enough; a refusal for want of room is asked again under the same key.
async fn open(client: &Client, told: &Arc<Told>) -> Vec<tokio::task::JoinHandle<Unanswered>> {
    let lines = sample::lines(client, 3).await;
    let round = told.confirmed.load(Ordering::SeqCst);
    let till = |till: u64| {
        let (client, told, lines) = (client.clone(), Arc::clone(told), lines.clone());
        async move {
            for n in 0.. {
                let (key, body) =
                    (format!("{round}-{till}-{n}"), json!({"orderType": "COUNTER", "items": lines}));
                loop {
                    let request =
                        client.request(reqwest::Method::POST, "/orders").header("Idempotency-Key", &key);
                    let Ok(reply) = client.try_send(request.json(&body)).await else {
                        return Some((key, body));
                    };
                    if reply.status == 201 {
                        told.orders.lock().unwrap().insert(key, reply.json());
                        told.confirmed.fetch_add(1, Ordering::SeqCst);
                        break;
                    }
                    no_room(&reply);
                    told.refused.fetch_add(1, Ordering::SeqCst);
                    if told.enough.load(Ordering::SeqCst) {
                        return Some((key, body));
                    }
                }
                if told.enough.load(Ordering::SeqCst) {
                    return None;
                }
            }
            None
        }
    };
    (0..TILLS).map(|n| tokio::spawn(till(n))).collect()
}

/// The documented refusal, which says when to come back.
#[track_caller]
fn no_room(reply: &Reply) {
    let body = reply.clone().refused(507, "STORAGE_FULL").json();
    assert!(body["detail"].as_str().unwrap().contains("nothing was saved"), "{body}");
    assert!(body["type"].as_str().unwrap().ends_with("/problems/storage-full"), "{body}");
    assert_eq!(reply.header("retry-after"), "30");
}

async fn refusals(told: &Told) {
    let before = told.refused.load(Ordering::SeqCst);
    until("writes are refused", || told.refused.load(Ordering::SeqCst) >= before + 20).await;
}

async fn sales(told: &Told) {
    let before = told.confirmed.load(Ordering::SeqCst);
    until("orders are taken again", || told.confirmed.load(Ordering::SeqCst) >= before + 30).await;
}

async fn until(what: &str, holds: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "not in time: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// With no room, every screen still shows what there is, and says why nothing is saved.
async fn reads_go_on(client: &Client, told: &Told, is_shown: bool) {
    let order = told.orders.lock().unwrap().values().next().unwrap().clone();
    let found = client.get(&format!("/orders/{}", order["id"].as_str().unwrap())).await.expect(200).json();
    assert_eq!(found["orderNumber"], order["orderNumber"]);
    for path in ["/menu", "/orders", "/kitchen/tickets", "/dashboard"] {
        client.get(path).await.expect(200);
    }
    client.get("/health").await.expect(200);
    if is_shown {
        // A tablet whose fifteen minutes are over stays signed in.
        let body = json!({"email": sample::EMAIL, "password": sample::PASSWORD});
        let signed_in = client.post("/auth/login", body).await.data();
        let renew = json!({"refreshToken": signed_in["refreshToken"]});
        client.post("/auth/refresh", renew).await.expect(200);
        managers_are_told(client).await;
        let token = signed_in["accessToken"].as_str().unwrap().to_owned();
        let disk = client.clone().with_token(token).get("/status").await.data()["disk"].clone();
        assert_eq!(disk["state"], "FULL", "{disk}");
        assert_eq!(client.get("/dashboard").await.data()["disk"], disk);
        let figures = client.get("/metrics").await.expect(200).text;
        assert!(figures.contains("tiffin_disk_full 1\n") && figures.contains("tiffin_disk_low 1\n"));
        no_room(&client.get("/ready").await);
    }
}

async fn managers_are_told(client: &Client) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let told = client.get("/notifications").await.expect(200).json()["data"].clone();
        if told.as_array().unwrap().iter().any(|notice| notice["type"] == "DISK_FULL") {
            return;
        }
        assert!(Instant::now() < deadline, "nobody was told: {told}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// Looks behind the API: the file is sound, every confirmed order is there once and no other, and the log tells all of it.
fn check(data: &Path, told: &Told) {
    let conn = Connection::open(data.join("tiffin.db")).unwrap();
    let sound: String = conn.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok");
    let orders = told.orders.lock().unwrap();
    let count: i64 = conn.query_row("SELECT count(*) FROM orders", [], |row| row.get(0)).unwrap();
    assert_eq!(count, orders.len() as i64);
    for (key, order) in orders.iter() {
        let sql = "SELECT count(*) FROM orders WHERE order_number = ?1 AND total_cents = ?2";
        let numbers = (order["orderNumber"].as_str(), order["totalAmountCents"].as_i64());
        let found: i64 = conn.query_row(sql, numbers, |row| row.get(0)).unwrap();
        assert_eq!(found, 1, "{key} was confirmed: {order}");
    }
    let gaps = "SELECT count(*) FROM (SELECT max(token_number) <> count(*) OR min(token_number) <> 1 AS gap
                FROM orders GROUP BY outlet_id, business_date) WHERE gap";
    assert_eq!(conn.query_row(gaps, [], |row| row.get::<_, i64>(0)).unwrap(), 0, "order numbers");
    drop(conn);
    let report = sync_hub::verify::data_dir(data).unwrap();
    assert!(report.is_good(), "{:?}", report.problems);
    let refused = told.refused.load(Ordering::SeqCst);
    println!("{} orders confirmed, {refused} requests refused, none lost", orders.len());
}
