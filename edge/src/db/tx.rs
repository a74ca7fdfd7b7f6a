//! What a write closure is handed. Never outlives its savepoint; reads go straight to the connection, writes through
//! [`Tx::execute`], so that a failed statement leaves nothing in the change log.

use super::kept::Kept;
use super::{DbError, Env, Result, Row, Signer, Source, Sql};
use crate::log::{Capture, Job, RowKey, Touched, Whole};
use rusqlite::{Connection, Params, ToSql};
use std::cell::Cell;
use std::fmt::Debug;
use std::ops::Deref;
use std::sync::Arc;
use tiffin_common::frame::{DigestEntry, Position};
use tiffin_common::{Millis, Uuid};

/// What a commit can wake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    /// Printers.
    Printing,
    /// Mail to be sent.
    Mail,
    /// The exchange with head office, and streams: whoever reads the change log.
    Sync,
}

impl Topic {
    /// All of them, in the order of their numbers.
    pub const ALL: [Topic; 3] = [Topic::Printing, Topic::Mail, Topic::Sync];

    pub(super) fn bit(self) -> u8 {
        1 << (self as u8)
    }
}

/// One action's share of the writer's transaction.
pub struct Tx<'c> {
    conn: &'c Connection,
    env: &'c Env,
    capture: &'c Capture,
    kept: &'c Kept,
    now: Millis,
    signals: Cell<u8>,
}

impl<'c> Tx<'c> {
    pub(super) fn new(
        conn: &'c Connection,
        env: &'c Env,
        capture: &'c Capture,
        kept: &'c Kept,
        now: Millis,
    ) -> Self {
        Tx { conn, env, capture, kept, now, signals: Cell::new(0) }
    }

    /// The thing of type `T` called `id`, which `read` reads from shared tables and nothing else (no other table, no clock): not
    /// read again before one of them changes. Builds with debug assertions read it every time and compare.
    ///
    /// # Errors
    /// Those of `read`.
    pub fn keep<T, E>(
        &self,
        id: Uuid,
        read: impl Fn() -> std::result::Result<T, E>,
    ) -> std::result::Result<Arc<T>, E>
    where
        T: PartialEq + Debug + Send + Sync + 'static,
        E: Debug,
    {
        self.kept.find(self.capture.state(), id, read)
    }

    /// The moment of this action: one for all it writes.
    pub fn now(&self) -> Millis {
        self.now
    }

    /// Whether the machine's clock is not followed now.
    pub fn is_clock_doubtful(&self) -> bool {
        self.env.clock_doubt().is_some()
    }

    /// A person says what time it is; answers how far the machine's clock is off, in milliseconds. Holds from the next transaction on.
    pub fn set_clock(&self, now: Millis) -> i64 {
        self.env.watch.as_ref().map_or_else(|| now.since(self.env.clock.now()), |watch| watch.set(now))
    }

    /// A copy of this transaction whose moment is `now`: for history that is made after the fact (sample data, imports).
    #[must_use]
    pub fn at(&self, now: Millis) -> Tx<'c> {
        Tx { now, signals: Cell::new(0), ..*self }
    }

    /// A new id.
    pub fn new_id(&self) -> Uuid {
        self.env.ids.next(self.now)
    }

    /// `N` random bytes.
    pub fn random<const N: usize>(&self) -> [u8; N] {
        self.env.random_bytes()
    }

    /// What this box signs with; none where it signs nothing.
    pub fn signer(&self) -> Option<&Signer> {
        self.env.signer.as_deref()
    }

    /// Runs one writing statement; [`changed`](Self::changed) tells how many rows it changed.
    ///
    /// # Errors
    /// When the statement fails: it has then changed nothing and left nothing in the change log.
    pub fn execute<P: Params>(&self, sql: &str, params: P) -> Result<()> {
        if self.conn.is_autocommit() {
            // A full disk can make SQLite undo the whole group in the middle: what comes after would stand alone.
            return Err(DbError::Full);
        }
        let mark = self.capture.mark();
        let outcome = self.conn.prepare_cached(sql).and_then(|mut statement| statement.execute(params));
        if outcome.is_err() {
            self.capture.cut(mark);
        }
        Ok(outcome.map(drop)?)
    }

    /// How many rows the last writing statement changed.
    pub fn changed(&self) -> usize {
        usize::try_from(self.conn.changes()).unwrap_or(usize::MAX)
    }

    /// Runs `change` as `job`, which may change records that otherwise only come to be.
    pub fn job<T>(&self, job: Job, change: impl FnOnce() -> T) -> T {
        self.capture.job(job, change)
    }

    /// Runs `change`, which is not recorded in the change log: head office has these rows already.
    pub fn unrecorded<T, E>(&self, change: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        let mark = self.capture.mark();
        let outcome = change();
        self.capture.forget(mark);
        outcome
    }

    /// Runs `change` so that an error of it undoes it and leaves the action's other changes as they are.
    pub fn attempt<T, E: From<DbError>>(&self, change: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        self.nested(change, |outcome| outcome.is_err())
    }

    /// Runs `change` and undoes it, whatever comes of it: for work that must be done though nothing may follow from it. Who was
    /// signalled wakes all the same.
    pub fn rehearse<T, E: From<DbError>>(&self, change: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        self.nested(change, |_| true)
    }

    fn nested<T, E: From<DbError>>(
        &self,
        change: impl FnOnce() -> Result<T, E>,
        is_undone: impl FnOnce(&Result<T, E>) -> bool,
    ) -> Result<T, E> {
        self.step("SAVEPOINT attempt")?;
        let mark = self.capture.mark();
        let outcome = change();
        if is_undone(&outcome) {
            self.step("ROLLBACK TO attempt")?;
            self.capture.cut(mark);
        }
        self.step("RELEASE attempt")?;
        outcome
    }

    fn step(&self, sql: &str) -> Result<()> {
        Ok(self.conn.prepare_cached(sql)?.execute([]).map(drop)?)
    }

    /// The end of the change log, without what this action has captured.
    pub fn position(&self) -> Option<Position> {
        self.capture.position()
    }

    /// Whether this action has changed anything that head office is told.
    pub fn has_changes(&self) -> bool {
        self.capture.has_changes()
    }

    /// The rows this action has changed so far. They are then no longer recorded as changes: the caller records them whole.
    pub fn take_touched(&self) -> Result<Vec<Touched>> {
        Ok(self.capture.take_touched()?)
    }

    /// Appends `rows`, whole and as they are now, to the change log; answers the log row's number.
    pub fn record_whole(&self, what: Whole, rows: &[RowKey]) -> Result<i64> {
        self.signal(Topic::Sync);
        Ok(self.capture.append_whole(self.conn, self.now, what, rows)?)
    }

    /// Begins another change log, which goes on from `position`. The old one's rows must be gone.
    pub fn begin_log_anew(&self, position: Option<Position>) -> Result<()> {
        self.signal(Topic::Sync);
        Ok(self.capture.begin_anew(self.conn, position, self.env.random_bytes(), self.now)?)
    }

    /// Gives what the change log holds after row `last` a process start of its own; answers how many rows that were.
    pub fn start_anew_after(&self, last: i64) -> Result<usize> {
        self.signal(Topic::Sync);
        Ok(self.capture.start_anew_after(self.conn, last, self.env.random_bytes(), self.now)?)
    }

    /// Appends a digest to the change log; answers the log row's number.
    pub fn record_digest(&self, entries: &[DigestEntry]) -> Result<i64> {
        self.signal(Topic::Sync);
        Ok(self.capture.append_digest(self.conn, self.now, entries)?)
    }

    /// Wakes the listeners of `topic` once this action is durable.
    pub fn signal(&self, topic: Topic) {
        self.signals.set(self.signals.get() | topic.bit());
    }

    pub(super) fn signals(&self) -> u8 {
        self.signals.get()
    }
}

impl Deref for Tx<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.conn
    }
}

impl Source for Tx<'_> {
    fn rows(
        &self,
        sql: &str,
        params: &[&dyn ToSql],
        each: &mut dyn FnMut(&Row<'_>) -> Result<bool>,
    ) -> Result<()> {
        self.conn.rows(sql, params, each)
    }
}

impl Sql for Tx<'_> {
    fn execute(&self, sql: &str, params: &[&dyn ToSql]) -> Result<usize> {
        Tx::execute(self, sql, params).map(|()| self.changed())
    }
}
