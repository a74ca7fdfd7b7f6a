//! The floor: nothing but an order's rows, by prepared statements, in groups of up to 64 to a commit, with the product's pragmas.
//! Answers when the commit is on disk. Never reads, checks or computes anything.

use super::plan::{Cell, Plan};
use rusqlite::types::{ToSqlOutput, Value};
use rusqlite::{Connection, Statement};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// The largest group, as the writer's.
const GROUP: usize = 64;

/// An order to write, and who waits for it.
type Job = (usize, oneshot::Sender<()>);

/// Hands orders to the thread that writes them.
#[derive(Clone)]
pub(super) struct Group(mpsc::Sender<Job>);

impl Group {
    /// Starts the thread on the database at `path`.
    pub(super) fn start(plan: Arc<Plan>, path: &Path) -> Group {
        let (queue, mut jobs) = mpsc::channel(4_096);
        let conn = open(path);
        std::thread::spawn(move || run(&conn, &plan, &mut jobs));
        Group(queue)
    }

    /// Writes the rows of the order of this number and returns when they are durable.
    pub(super) async fn write(&self, order: usize) {
        let (reply, answer) = oneshot::channel();
        self.0.send((order, reply)).await.unwrap();
        answer.await.unwrap();
    }
}

fn open(path: &Path) -> Connection {
    let conn = Connection::open(path).unwrap();
    conn.pragma_update(None, "journal_mode", "WAL").unwrap();
    conn.pragma_update(None, "synchronous", "FULL").unwrap();
    conn.pragma_update(None, "wal_autocheckpoint", 4_000).unwrap();
    conn.pragma_update(None, "cache_size", -8_000).unwrap();
    conn.pragma_update(None, "temp_store", "MEMORY").unwrap();
    conn.pragma_update(None, "foreign_keys", true).unwrap();
    // The same rows again and again take more from a batch than it ever held.
    conn.pragma_update(None, "ignore_check_constraints", true).unwrap();
    conn
}

fn run(conn: &Connection, plan: &Plan, jobs: &mut mpsc::Receiver<Job>) {
    let mut statements: HashMap<&str, Statement<'_>> = HashMap::new();
    for write in plan.orders.iter().flat_map(|order| &order.writes) {
        statements.entry(&write.sql).or_insert_with(|| conn.prepare(&write.sql).unwrap());
    }
    let mut count = 0;
    while let Some(first) = jobs.blocking_recv() {
        let mut group = vec![first];
        while group.len() < GROUP {
            let Ok(next) = jobs.try_recv() else { break };
            group.push(next);
        }
        conn.execute_batch("BEGIN IMMEDIATE").unwrap();
        for (order, _) in &group {
            count += 1;
            for write in &plan.orders[*order].writes {
                let statement = statements.get_mut(write.sql.as_str()).unwrap();
                for (place, cell) in (1..).zip(&write.cells) {
                    statement.raw_bind_parameter(place, bound(cell, count)).unwrap();
                }
                statement.raw_execute().unwrap();
            }
        }
        conn.execute_batch("COMMIT").unwrap();
        for (_, reply) in group {
            // Who no longer waits has ended the round.
            let _ = reply.send(());
        }
    }
}

/// What a cell is in the `count`-th order.
fn bound(cell: &Cell, count: i64) -> ToSqlOutput<'_> {
    use rusqlite::types::ValueRef;
    match cell {
        Cell::Null => ToSqlOutput::Borrowed(ValueRef::Null),
        Cell::Integer(number) => ToSqlOutput::Borrowed(ValueRef::Integer(*number)),
        Cell::Real(number) => ToSqlOutput::Borrowed(ValueRef::Real(*number)),
        Cell::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
        Cell::Blob(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
        Cell::Id(bytes) => ToSqlOutput::Owned(Value::Blob(later(bytes, count))),
        Cell::Counter(number) => ToSqlOutput::Owned(Value::Integer(number + count * 64)),
        Cell::Unique(text) => ToSqlOutput::Owned(Value::Text(format!("{text}-{count}"))),
    }
}

/// The id that many milliseconds later: an id begins with its moment, as the product's do.
fn later(id: &[u8], count: i64) -> Vec<u8> {
    let mut id = id.to_vec();
    let mut moment = [0; 8];
    moment[2..].copy_from_slice(&id[..6]);
    let moment = u64::from_be_bytes(moment).wrapping_add_signed(count).to_be_bytes();
    id[..6].copy_from_slice(&moment[2..]);
    id
}
