//! What tills asked and were answered, and what a branch must hold of it after the power was gone: what was answered is there, once; what
//! was not answered is asked again and happens once; no number is used twice or left out. Never asks the branch about itself.

use super::disk;
use futures_util::future::select_all;
use rusqlite::Connection;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use tiffin_tests::{Client, Edge, Reply, sample};
use tokio::sync::Notify;

/// Tills at once.
const TILLS: u64 = 8;

/// What a till asked, under one key.
#[derive(Debug, Clone)]
pub(super) struct Ask {
    path: String,
    key: String,
    body: Value,
}

/// What all tills know: answers by key, and what was asked without an answer.
#[derive(Default)]
pub(super) struct Ledger {
    pub(super) answered: HashMap<String, Value>,
    pub(super) asked: Vec<Ask>,
    /// Where each ask and each answer is noted when it happens.
    pub(super) journal: Option<File>,
}

impl Ledger {
    /// Notes what a till is about to ask.
    fn note_asked(&self, Ask { path, key, body }: &Ask) {
        self.note(&json!({"path": path, "key": key, "body": body}));
    }

    fn note_answered(&self, key: &str, answer: &Value) {
        self.note(&json!({"key": key, "answer": answer}));
    }

    fn note(&self, what: &Value) {
        if let Some(journal) = &self.journal {
            disk::note(journal, &what.to_string());
        }
    }

    /// Goes on by what was noted.
    pub(super) fn take(&mut self, note: &str) {
        let mut note: Value = serde_json::from_str(note).unwrap();
        let key = note["key"].as_str().unwrap().to_owned();
        let mut part = |name: &str| note[name].take();
        match part("path") {
            Value::String(path) => self.asked.push(Ask { path, key, body: part("body") }),
            _ => {
                self.asked.retain(|ask| ask.key != key);
                self.answered.insert(key, part("answer"));
            }
        }
    }

    /// What is known so far, noted nowhere.
    pub(super) fn copy(&self) -> Ledger {
        Ledger { answered: self.answered.clone(), asked: self.asked.clone(), journal: None }
    }
}

/// Lets all tills trade until `answers` more answers have come, then pulls the plug in the middle of it.
pub(super) async fn trade(
    client: &Client,
    ledger: &Arc<Mutex<Ledger>>,
    round: u64,
    answers: u64,
    edge: Edge,
) {
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
                    // It settles, which makes the bill.
                    if ask(&client, &ledger, pay).await.is_none() {
                        return;
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
    ledger.lock().unwrap().note_asked(&ask);
    let reply = send(client, &ask).await;
    let mut ledger = ledger.lock().unwrap();
    match reply {
        Some(reply) => {
            let body = reply.expect(201).json();
            ledger.note_answered(&ask.key, &body);
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
pub(super) async fn catch_up(client: &Client, ledger: &Mutex<Ledger>) {
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
pub(super) fn check_database(path: &Path, answered: &HashMap<String, Value>) {
    let conn = Connection::open(path).unwrap();
    let text = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap();
    let number = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(text("PRAGMA integrity_check"), "ok");
    assert_eq!(number("SELECT count(*) FROM pragma_foreign_key_check"), 0);
    for (kind, table) in [("order-", "orders"), ("payment-", "payments"), ("payment-", "invoices")] {
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
