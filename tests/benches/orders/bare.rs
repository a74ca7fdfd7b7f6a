//! The floor: nothing but an order's row writes and its log row, by prepared statements, in groups of up to 64 to a commit, with
//! the same pragmas on the same disk. What they are is learned from one order's own log row.

use super::Taker;
use super::shop::Shop;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use std::collections::HashSet;
use std::path::Path;
use tiffin_common::frame::{self, OpKind, Ops};
use tiffin_common::registry;
use tokio::sync::{mpsc, oneshot};

/// The largest group, as the writer's.
const GROUP: usize = 64;

/// A statement with the values it had in the order it was learned from.
struct Write {
    sql: String,
    columns: Vec<&'static str>,
    values: Vec<Value>,
}

/// Hands orders to the thread that writes them.
#[derive(Clone)]
pub(super) struct Bare {
    queue: mpsc::Sender<oneshot::Sender<()>>,
    captured: usize,
    local: usize,
}

impl Bare {
    /// Learns the writes of one order of `shop` and prepares a copy of its database at `path`.
    pub(super) async fn learn(shop: &Shop, path: &Path) -> Bare {
        // The first order of a day makes its counters; the second is like every other.
        shop.one_order().await;
        shop.one_order().await;
        let source = Connection::open(&shop.path).unwrap();
        let sql = "SELECT body FROM sync_log ORDER BY seq DESC LIMIT 1";
        let body: Vec<u8> = source.query_row(sql, [], |row| row.get(0)).unwrap();
        let mut writes = captured(&body);
        let count = writes.len();
        writes.extend(local(&source, &body));
        let local = writes.len() - count;
        source.execute("VACUUM INTO ?1", [path.to_str().unwrap()]).unwrap();
        let conn = prepare(path);
        let (queue, jobs) = mpsc::channel(4096);
        std::thread::spawn(move || run(&conn, &writes, jobs));
        Bare { queue, captured: count, local }
    }

    pub(super) fn captured(&self) -> usize {
        self.captured
    }

    pub(super) fn local(&self) -> usize {
        self.local
    }
}

impl Taker for Bare {
    async fn take(&mut self) {
        let (reply, answer) = oneshot::channel();
        self.queue.send(reply).await.unwrap();
        answer.await.unwrap();
    }
}

/// The order's captured writes as statements.
fn captured(body: &[u8]) -> Vec<Write> {
    Ops::of(body)
        .map(|op| {
            let op = op.unwrap();
            let table = registry::table(op.table).unwrap();
            let mut columns: Vec<&'static str> =
                op.columns.iter().map(|(number, _)| table.columns[*number]).collect();
            let mut values: Vec<Value> = op.columns.iter().map(|(_, value)| owned(value)).collect();
            let sql = match op.kind {
                OpKind::Insert => insert(table.name, &columns),
                OpKind::Update => {
                    let sets: Vec<String> = columns.iter().map(|column| format!("{column} = ?")).collect();
                    let sql = format!("UPDATE {} SET {} WHERE id = ?", table.name, sets.join(", "));
                    columns.push("id");
                    values.push(owned(&op.key));
                    sql
                }
                OpKind::Delete => panic!("an order deletes nothing"),
            };
            Write { sql, columns, values }
        })
        .collect()
}

fn insert(table: &str, columns: &[&str]) -> String {
    let places = vec!["?"; columns.len()].join(", ");
    format!("INSERT INTO {table} ({}) VALUES ({places})", columns.join(", "))
}

fn owned(value: &frame::Value<'_>) -> Value {
    match value {
        frame::Value::Null => Value::Null,
        frame::Value::Integer(number) => Value::Integer(*number),
        frame::Value::Real(number) => Value::Real(*number),
        frame::Value::Text(text) => Value::Text((*text).to_owned()),
        frame::Value::Id(id) => Value::Blob(id.as_bytes().to_vec()),
        frame::Value::Blob(bytes) => Value::Blob(bytes.to_vec()),
    }
}

/// What the order writes beside: levels, display events, the stored answer, the log row.
fn local(source: &Connection, body: &[u8]) -> Vec<Write> {
    let mut writes = Vec::new();
    let ops: Vec<_> = Ops::of(body).map(Result::unwrap).collect();
    for op in ops.iter().filter(|op| op.kind == OpKind::Insert) {
        let table = registry::table(op.table).unwrap();
        let value = |name: &str| {
            op.columns
                .iter()
                .find(|(number, _)| table.columns[*number] == name)
                .map_or(Value::Null, |(_, v)| owned(v))
        };
        match table.name {
            "stock_movements" => {
                let batch = "UPDATE stock_batch_levels SET quantity = quantity + ? WHERE batch_id = ?";
                let item = "UPDATE stock_levels SET on_hand = on_hand + ? WHERE stock_item_id = ?";
                for (sql, key) in [(batch, "batch_id"), (item, "stock_item_id")] {
                    let values = vec![value("quantity_delta"), value(key)];
                    writes.push(Write { sql: sql.into(), columns: vec!["delta", key], values });
                }
            }
            "kitchen_tickets" => {
                let columns = vec!["outlet_id", "station_id", "ticket_id", "event", "at"];
                let event = Value::Text("ticket.created".into());
                let values =
                    vec![value("outlet_id"), value("station_id"), value("id"), event, value("created_at")];
                writes.push(Write { sql: insert("kitchen_events", &columns), columns, values });
            }
            _ => {}
        }
    }
    for table in ["idempotency", "sync_log"] {
        writes.push(last_row(source, table));
    }
    writes
}

/// The newest row of a table, as an insert.
fn last_row(source: &Connection, table: &'static str) -> Write {
    let columns: Vec<&'static str> = match table {
        "idempotency" => {
            vec!["account_id", "key", "outlet_id", "request_hash", "status", "body", "created_at"]
        }
        _ => vec!["seq", "epoch", "kind", "hlc", "wall_ms", "schema_v", "n", "body", "hash"],
    };
    let sql = format!("SELECT {} FROM {table} ORDER BY rowid DESC LIMIT 1", columns.join(", "));
    let read =
        |row: &rusqlite::Row<'_>| (0..columns.len()).map(|i| row.get(i)).collect::<Result<Vec<Value>, _>>();
    let values = source.query_row(&sql, [], read).unwrap();
    Write { sql: insert(table, &columns), columns, values }
}

fn prepare(path: &Path) -> Connection {
    let conn = Connection::open(path).unwrap();
    conn.pragma_update(None, "journal_mode", "WAL").unwrap();
    conn.pragma_update(None, "synchronous", "FULL").unwrap();
    conn.pragma_update(None, "wal_autocheckpoint", 4000).unwrap();
    conn.pragma_update(None, "cache_size", -8_000).unwrap();
    conn.pragma_update(None, "foreign_keys", true).unwrap();
    conn.set_prepared_statement_cache_capacity(256);
    let sql = "SELECT 'DROP TRIGGER \"' || name || '\";' FROM sqlite_master WHERE type = 'trigger'";
    let drops: Vec<String> = conn
        .prepare(sql)
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    conn.execute_batch(&drops.concat()).unwrap();
    conn
}

fn run(conn: &Connection, writes: &[Write], mut jobs: mpsc::Receiver<oneshot::Sender<()>>) {
    let made: HashSet<Vec<u8>> = writes
        .iter()
        .filter(|write| write.sql.starts_with("INSERT"))
        .filter_map(|write| match (write.columns.first(), write.values.first()) {
            (Some(&"id"), Some(Value::Blob(id))) => Some(id.clone()),
            _ => None,
        })
        .collect();
    let mut count = 0;
    while let Some(first) = jobs.blocking_recv() {
        let mut group = vec![first];
        while group.len() < GROUP {
            let Ok(next) = jobs.try_recv() else { break };
            group.push(next);
        }
        conn.execute_batch("BEGIN IMMEDIATE").unwrap();
        for _ in &group {
            count += 1;
            for write in writes {
                let values = write.columns.iter().zip(&write.values).map(|(c, v)| again(c, v, count, &made));
                conn.prepare_cached(&write.sql).unwrap().execute(params_from_iter(values)).unwrap();
            }
        }
        conn.execute_batch("COMMIT").unwrap();
        for reply in group {
            reply.send(()).unwrap();
        }
    }
}

/// The value for the `count`-th repetition: what must be unique is made so, in the order in which the product makes it.
fn again(column: &str, value: &Value, count: i64, made: &HashSet<Vec<u8>>) -> Value {
    match (column, value) {
        ("token_number" | "ticket_number" | "seq", Value::Integer(number)) => Value::Integer(number + count),
        ("order_number" | "key", Value::Text(text)) => Value::Text(format!("{text}-{count}")),
        (_, Value::Blob(id)) if made.contains(id) => {
            let mut id = id.clone();
            let low = u32::from_be_bytes([id[2], id[3], id[4], id[5]]).wrapping_add(count as u32);
            id[2..6].copy_from_slice(&low.to_be_bytes());
            Value::Blob(id)
        }
        _ => value.clone(),
    }
}
