//! Power cuts: the real binary under load, killed without warning again and again on one data directory. What was answered is
//! there, once; what was not answered is asked again and happens once; no number is used twice or left out.
//!
//!     TIFFIN_KILLS=200 TIFFIN_SEED=7 cargo nextest run -p tiffin-tests --test durability

use futures_util::future::select_all;
use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;
use tiffin_tests::{Client, Edge, Reply, sample};
use tokio::sync::Notify;

/// Tills at once.
const TILLS: u64 = 8;

/// What a till asked, under one key.
#[derive(Debug, Clone)]
struct Ask {
    path: String,
    key: String,
    body: Value,
}

/// What all tills know: answers by key, and what was asked without an answer.
#[derive(Default)]
struct Ledger {
    answered: HashMap<String, Value>,
    asked: Vec<Ask>,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_answered_is_lost_and_nothing_happens_twice() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let kills = number("TIFFIN_KILLS").unwrap_or(50);
    let seed = number("TIFFIN_SEED").unwrap_or_else(|| u64::from(std::process::id()));
    println!("to run this again: TIFFIN_KILLS={kills} TIFFIN_SEED={seed}");
    let mut random = [0; 32];
    random[..8].copy_from_slice(&seed.to_le_bytes());
    let mut random = TestRng::from_seed(RngAlgorithm::ChaCha, &random);

    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let data = folder.path().join("data");
    sample::init(&data, "BLR1");
    let owner = sample::owner_of_plenty(&Edge::serve(&data, &[]).await).await;
    let ledger = Arc::new(Mutex::new(Ledger::default()));
    let begin = Instant::now();
    for round in 0..kills {
        let edge = Edge::serve(&data, &[]).await;
        let client = owner.clone().at(edge.base());
        catch_up(&client, &ledger).await;
        let answers = 10 + u64::from(random.next_u32() % 60);
        trade(&client, &ledger, round, answers, edge).await;
    }
    let edge = Edge::serve(&data, &[]).await;
    catch_up(&owner.at(edge.base()), &ledger).await;
    edge.kill();
    let ledger = ledger.lock().unwrap();
    println!("{kills} power cuts, {} answers, {:.0} s", ledger.answered.len(), begin.elapsed().as_secs_f64());
    check_database(&data.join("tiffin.db"), &ledger.answered);
    let report = sync_hub::verify::data_dir(&data).unwrap();
    assert!(report.is_good(), "{:?}", report.problems);
}

/// Lets all tills trade until `answers` more answers have come, then pulls the plug in the middle of it.
async fn trade(client: &Client, ledger: &Arc<Mutex<Ledger>>, round: u64, answers: u64, edge: Edge) {
    let lines = sample::lines(client, 3).await;
    let left = Arc::new(AtomicU64::new(answers));
    let enough = Arc::new(Notify::new());
    let mut tills: Vec<_> = (0..TILLS)
        .map(|till| {
            let (client, ledger, lines) = (client.clone(), Arc::clone(ledger), lines.clone());
            let (left, enough) = (Arc::clone(&left), Arc::clone(&enough));
            tokio::spawn(async move {
                for n in 0.. {
                    let name = format!("{round}-{till}-{n}");
                    let order = Ask {
                        path: "/orders".into(),
                        key: format!("order-{name}"),
                        body: json!({"orderType": "COUNTER", "items": lines}),
                    };
                    let Some(placed) = ask(&client, &ledger, order).await else { return };
                    let (id, total) = (placed["id"].as_str().unwrap(), &placed["totalAmountCents"]);
                    let pay = Ask {
                        path: format!("/orders/{id}/payments"),
                        key: format!("payment-{name}"),
                        body: json!({"method": "CASH", "amountCents": total}),
                    };
                    let bill = Ask {
                        path: format!("/orders/{id}/invoice"),
                        key: format!("invoice-{name}"),
                        body: json!({}),
                    };
                    for more in [pay, bill] {
                        if ask(&client, &ledger, more).await.is_none() {
                            return;
                        }
                    }
                    if left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1)) != Ok(1) {
                        continue;
                    }
                    enough.notify_one();
                }
            })
        })
        .collect();
    tokio::select! {
        () = enough.notified() => {}
        (ended, ..) = select_all(&mut tills) => panic!("a till gave up: {ended:?}"),
    }
    edge.kill();
    for till in tills {
        till.await.unwrap();
    }
}

/// Asks once. None when the power went.
async fn ask(client: &Client, ledger: &Mutex<Ledger>, ask: Ask) -> Option<Value> {
    let reply = send(client, &ask).await;
    let mut ledger = ledger.lock().unwrap();
    match reply {
        Some(reply) => {
            let body = reply.expect(201).json();
            ledger.answered.insert(ask.key, body.clone());
            Some(body)
        }
        None => {
            ledger.asked.push(ask);
            None
        }
    }
}

async fn send(client: &Client, ask: &Ask) -> Option<Reply> {
    let request = client.request(reqwest::Method::POST, &ask.path).header("Idempotency-Key", &ask.key);
    client.try_send(request.json(&ask.body)).await.ok()
}

/// After the power is back: what had no answer is asked again and happens once; of what was answered, a sample is asked
/// again and gets its first answer.
async fn catch_up(client: &Client, ledger: &Mutex<Ledger>) {
    let (asked, sample) = {
        let mut ledger = ledger.lock().unwrap();
        let sample: Vec<(String, Value)> = ledger
            .answered
            .iter()
            .filter(|(key, _)| key.starts_with("order-"))
            .take(5)
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect();
        (std::mem::take(&mut ledger.asked), sample)
    };
    for again in asked {
        let reply = send(client, &again).await.unwrap().expect(201);
        ledger.lock().unwrap().answered.insert(again.key, reply.json());
    }
    for (key, first) in sample {
        let id = first["id"].as_str().unwrap();
        let now = client.get(&format!("/orders/{id}")).await.expect(200).json();
        assert_eq!(now["orderNumber"], first["orderNumber"], "{key}");
    }
}

/// Looks behind the API: the file is sound, and every count and number is as the answers say.
fn check_database(path: &Path, answered: &HashMap<String, Value>) {
    let conn = Connection::open(path).unwrap();
    let text = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap();
    let number = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(text("PRAGMA integrity_check"), "ok");
    assert_eq!(number("SELECT count(*) FROM pragma_foreign_key_check"), 0);
    for (kind, table) in [("order-", "orders"), ("payment-", "payments"), ("invoice-", "invoices")] {
        let answers = answered.keys().filter(|key| key.starts_with(kind)).count();
        assert_eq!(number(&format!("SELECT count(*) FROM {table}")), answers as i64, "{table}");
    }
    let gaps = "SELECT count(*) FROM (SELECT max(token_number) <> count(*) OR min(token_number) <> 1 AS gap
                FROM orders GROUP BY outlet_id, business_date) WHERE gap";
    assert_eq!(number(gaps), 0, "order numbers");
    let gaps = "SELECT count(*) FROM (SELECT max(serial) <> count(*) OR min(serial) <> 1 AS gap
                FROM invoices GROUP BY outlet_id, kind, fiscal_year) WHERE gap";
    assert_eq!(number(gaps), 0, "invoice numbers");
    for (key, answer) in answered.iter().filter(|(key, _)| key.starts_with("order-")) {
        let sql = "SELECT count(*) FROM orders WHERE order_number = ?1 AND total_cents = ?2";
        let found: i64 = conn
            .query_row(
                sql,
                rusqlite::params![answer["orderNumber"].as_str(), answer["totalAmountCents"].as_i64()],
                |row| row.get(0),
            )
            .unwrap();
        assert_eq!(found, 1, "{key} was answered: {answer}");
    }
}
