//! What a write closure is handed. Never outlives its savepoint; reads go straight to the connection, writes through
//! [`Transaction::execute`], so that a failed statement leaves nothing in the change log.

use super::{Env, Row, Source, Sql};
use crate::log::Capture;
use rusqlite::{Connection, Params, ToSql};
use std::cell::Cell;
use std::ops::Deref;
use tiffin_common::{Millis, Uuid};

/// What a commit can wake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    /// Kitchen displays.
    Kitchen,
    /// Notification streams.
    Notifications,
    /// Printers.
    Printing,
    /// Mail to be sent.
    Mail,
    /// The sync worker.
    Sync,
}

impl Topic {
    /// All of them, in the order of their numbers.
    pub const ALL: [Topic; 5] =
        [Topic::Kitchen, Topic::Notifications, Topic::Printing, Topic::Mail, Topic::Sync];

    pub(super) fn bit(self) -> u8 {
        1 << (self as u8)
    }
}

/// One action's share of the writer's transaction.
pub struct Transaction<'c> {
    conn: &'c Connection,
    env: &'c Env,
    capture: &'c Capture,
    now: Millis,
    signals: Cell<u8>,
}

impl<'c> Transaction<'c> {
    pub(super) fn new(conn: &'c Connection, env: &'c Env, capture: &'c Capture, now: Millis) -> Self {
        Transaction { conn, env, capture, now, signals: Cell::new(0) }
    }

    /// The moment of this action: one for all it writes.
    pub fn now(&self) -> Millis {
        self.now
    }

    /// A copy of this transaction whose moment is `now`: for history that is made after the fact (sample data, imports).
    #[must_use]
    pub fn at(&self, now: Millis) -> Transaction<'c> {
        Transaction { conn: self.conn, env: self.env, capture: self.capture, now, signals: Cell::new(0) }
    }

    /// A new id.
    pub fn new_id(&self) -> Uuid {
        self.env.ids.next(self.now)
    }

    /// `N` random bytes.
    pub fn random<const N: usize>(&self) -> [u8; N] {
        self.env.random_bytes()
    }

    /// Runs one writing statement and returns how many rows it changed.
    ///
    /// # Errors
    /// Whatever SQLite reports; the statement has then changed nothing and left nothing in the change log.
    pub fn execute<P: Params>(&self, sql: &str, params: P) -> rusqlite::Result<usize> {
        let mark = self.capture.mark();
        let outcome = self.conn.prepare_cached(sql).and_then(|mut statement| statement.execute(params));
        if outcome.is_err() {
            self.capture.cut(mark);
        }
        outcome
    }

    /// Wakes the listeners of `topic` once this action is durable.
    pub fn signal(&self, topic: Topic) {
        self.signals.set(self.signals.get() | topic.bit());
    }

    pub(super) fn signals(&self) -> u8 {
        self.signals.get()
    }
}

impl Deref for Transaction<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.conn
    }
}

impl Source for Transaction<'_> {
    fn rows(
        &self,
        sql: &str,
        params: &[&dyn ToSql],
        each: &mut dyn FnMut(&Row<'_>) -> rusqlite::Result<bool>,
    ) -> rusqlite::Result<()> {
        self.conn.rows(sql, params, each)
    }
}

impl Sql for Transaction<'_> {
    fn execute(&self, sql: &str, params: &[&dyn ToSql]) -> rusqlite::Result<usize> {
        Transaction::execute(self, sql, params)
    }
}
