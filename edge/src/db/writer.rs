//! The one writer: a thread that commits what is queued as one group, or the caller's own thread under a lock (`Env::inline`).
//! Never awaits anything inside a transaction; an answer is sent only after the commit is on disk.

use super::job::{Job, Task};
use super::kept::Kept;
use super::room::{Room, RoomLeft, RoomState};
use super::{DbError, Env, Options, Topic, Tx, checkpoint};
use crate::log::Capture;
use rusqlite::Connection;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tiffin_common::frame::Position;
use tokio::sync::{mpsc, oneshot, watch};

/// Requests that may wait for the writer; more are told to come back.
const QUEUE: usize = 4_096;

/// With less than this left, a failure to write is for want of room: SQLite grows its files by more.
const SPARE: u64 = 1 << 20;

/// The most a stop waits for the log to be folded in: the next start does what is left.
const LONGEST_FOLD: Duration = Duration::from_secs(20);

/// Some of a group's jobs.
type Jobs<'g> = &'g mut [Box<dyn Job>];

/// Figures of the writer since the start of the process.
#[derive(Debug, Clone, Copy, Default)]
pub struct WriterStats {
    /// Commits.
    pub groups: u64,
    /// Actions committed.
    pub actions: u64,
    /// Actions rolled back.
    pub refused: u64,
    /// Actions waiting now.
    pub queued: u64,
}

#[derive(Default)]
struct Counters {
    groups: AtomicU64,
    actions: AtomicU64,
    refused: AtomicU64,
}

/// Where an action is run.
enum Line {
    /// On the writer's thread.
    Queue(mpsc::Sender<Box<dyn Job>>),
    /// At once, on the caller's.
    Here(Box<Mutex<Thread>>),
}

pub(super) struct Writer {
    line: Line,
    topics: Arc<[watch::Sender<u64>; Topic::ALL.len()]>,
    counters: Arc<Counters>,
    room: Room,
    is_closing: Arc<AtomicBool>,
    /// Ends when the last checkpoint is done.
    folded: Mutex<Receiver<()>>,
}

impl Writer {
    /// Installs change capture, begins this process's epoch, and starts the writer and checkpoint threads. On a full disk the
    /// epoch begins with the first group that finds room; reading goes on until then.
    pub(super) fn start(conn: Connection, env: Arc<Env>, options: &Options) -> Result<Writer, DbError> {
        let capture = match begin_capture(&conn, &env, options.continues) {
            Ok(capture) => Some(capture),
            Err(DbError::Full) => None,
            Err(error) => return Err(error),
        };
        let (queue, jobs) = mpsc::channel(QUEUE);
        let topics = Arc::new(Topic::ALL.map(|_| watch::Sender::new(0)));
        let counters = Arc::new(Counters::default());
        let (wake_checkpoint, wakes) = std::sync::mpsc::sync_channel(1);
        let (folding, folded) = std::sync::mpsc::sync_channel(0);
        let is_closing = Arc::new(AtomicBool::new(false));
        let inline = env.inline;
        let thread = Thread {
            conn,
            env,
            is_full: false,
            kept: Kept::default(),
            version: Cell::new(0),
            capture,
            continues: options.continues,
            room: options.room.clone(),
            jobs,
            group_size: options.group_size.max(1),
            topics: Arc::clone(&topics),
            counters: Arc::clone(&counters),
            wake_checkpoint,
            is_closing: Arc::clone(&is_closing),
        };
        let line = if inline {
            Line::Here(Box::new(Mutex::new(thread)))
        } else {
            let (mut thread, path) = (thread, options.path.clone());
            spawn("checkpoint", move || {
                checkpoint::run(&path, &wakes);
                drop(folding);
            })?;
            spawn("writer", move || thread.run())?;
            Line::Queue(queue)
        };
        let folded = Mutex::new(folded);
        Ok(Writer { line, topics, counters, room: options.room.clone(), is_closing, folded })
    }

    /// Writes nothing any more, and waits until the log is folded into the database file: a process that ends leaves it as it is.
    pub(super) fn close(&self) {
        self.is_closing.store(true, Ordering::Release);
        // Wakes the thread.
        if self.submit(|_| Ok::<_, DbError>(()), true).is_ok() && matches!(self.line, Line::Queue(_)) {
            let folded = self.folded.lock().unwrap_or_else(PoisonError::into_inner);
            let _ended = folded.recv_timeout(LONGEST_FOLD);
        }
    }

    pub(super) fn submit<T, E, F>(
        &self,
        change: F,
        is_vital: bool,
    ) -> Result<oneshot::Receiver<Result<T, E>>, DbError>
    where
        F: FnOnce(&Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<DbError> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let task = Box::new(Task::new(change, reply, is_vital));
        match &self.line {
            Line::Queue(queue) => {
                queue.try_send(task).map_err(|_| DbError::Unavailable("the writer's queue is full".into()))?
            }
            // A panic cannot leave it half done: actions are caught, and everything else is undone with its group.
            Line::Here(thread) => {
                thread.lock().unwrap_or_else(PoisonError::into_inner).commit_group(&mut [task]);
            }
        }
        Ok(answer)
    }

    pub(super) fn room(&self) -> RoomLeft {
        self.room.look()
    }

    pub(super) fn changes(&self, topic: Topic) -> watch::Receiver<u64> {
        self.topics[topic as usize].subscribe()
    }

    pub(super) fn stats(&self) -> WriterStats {
        WriterStats {
            groups: self.counters.groups.load(Ordering::Relaxed),
            actions: self.counters.actions.load(Ordering::Relaxed),
            refused: self.counters.refused.load(Ordering::Relaxed),
            queued: match &self.line {
                Line::Queue(queue) => (QUEUE - queue.capacity()) as u64,
                Line::Here(_) => 0,
            },
        }
    }
}

fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> Result<(), DbError> {
    let started = std::thread::Builder::new().name(name.to_owned()).spawn(body);
    started.map(drop).map_err(DbError::unavailable)
}

fn begin_capture(conn: &Connection, env: &Env, continues: Option<Position>) -> Result<Capture, DbError> {
    conn.execute_batch("BEGIN IMMEDIATE")?;
    let begun = || -> Result<Capture, DbError> {
        let capture = Capture::install(conn)?;
        if let Some(position) = continues {
            capture.continue_from(position);
        }
        capture.start_epoch(conn, env.random_bytes(), env.clock.now())?;
        conn.execute_batch("COMMIT")?;
        Ok(capture)
    };
    let begun = begun();
    if begun.is_err() && !conn.is_autocommit() {
        conn.execute_batch("ROLLBACK")?;
    }
    begun
}

struct Thread {
    conn: Connection,
    env: Arc<Env>,
    /// Whether the last group found no room.
    is_full: bool,
    kept: Kept,
    /// What SQLite counts of the commits of other connections.
    version: Cell<i64>,
    /// None while a start has found no room to begin its epoch.
    capture: Option<Capture>,
    continues: Option<Position>,
    room: Room,
    jobs: mpsc::Receiver<Box<dyn Job>>,
    group_size: usize,
    topics: Arc<[watch::Sender<u64>; Topic::ALL.len()]>,
    counters: Arc<Counters>,
    wake_checkpoint: SyncSender<()>,
    is_closing: Arc<AtomicBool>,
}

impl Thread {
    fn run(&mut self) {
        let mut group = Vec::with_capacity(self.group_size);
        while let Some(first) = self.jobs.blocking_recv() {
            group.push(first);
            while group.len() < self.group_size {
                let Ok(next) = self.jobs.try_recv() else { break };
                group.push(next);
            }
            self.commit_group(&mut group);
            group.clear();
            if self.is_closing.load(Ordering::Acquire) {
                return;
            }
        }
    }

    fn commit_group(&mut self, group: &mut [Box<dyn Job>]) {
        let (group, refused) = self.fitting(group);
        for job in refused.iter_mut() {
            job.settle(Err(DbError::Full));
        }
        if group.is_empty() {
            return self.note(Some(&DbError::Full));
        }
        let mut signals = 0;
        let outcome = self.make_ready().and_then(|()| self.run_group(group, &mut signals));
        let outcome = outcome.map_err(|error| self.cause(error));
        if refused.is_empty() {
            self.note(outcome.as_ref().err());
        }
        if outcome.is_err() {
            self.abandon();
        }
        for job in group.iter_mut() {
            job.settle(outcome.as_ref().map(|_| ()).map_err(again));
        }
        if outcome.is_ok() {
            self.wake(signals);
        }
    }

    /// Looks how much room there is: those of `group` that it is enough for, and the others.
    fn fitting<'g>(&self, group: Jobs<'g>) -> (Jobs<'g>, Jobs<'g>) {
        let left = self.room.look();
        if left.state != RoomState::Full {
            return group.split_at_mut(group.len());
        }
        group.sort_by_key(|job| !job.is_vital());
        let vital = group.iter().filter(|job| job.is_vital()).count();
        group.split_at_mut(if self.room.has_reserve(left) { vital } else { 0 })
    }

    /// Begins this start's epoch where it has not begun.
    fn make_ready(&mut self) -> Result<(), DbError> {
        if self.capture.is_none() {
            self.capture = Some(begin_capture(&self.conn, &self.env, self.continues)?);
        }
        Ok(())
    }

    /// Writes a failure into the log; a full disk once, not with every request.
    fn note(&mut self, error: Option<&DbError>) {
        match error {
            Some(DbError::Full) if !self.is_full => tracing::error!("the disk is full: nothing is written"),
            None if self.is_full => tracing::warn!("there is room on the disk again: writing goes on"),
            Some(DbError::Full) | None => {}
            Some(error) => tracing::error!(%error, "a group was not committed"),
        }
        self.is_full = matches!(error, Some(DbError::Full));
    }

    /// Runs every job in a savepoint of its own, one that is alone in none, and commits once. An error here means that nothing was
    /// committed.
    fn run_group(&self, group: &mut [Box<dyn Job>], signals: &mut u8) -> Result<(), DbError> {
        let capture = self.capture.as_ref().ok_or(DbError::Full)?;
        // A savepoint copies every page before its first change: one job is undone with its transaction, at no cost before.
        let is_alone = group.len() == 1;
        self.step("BEGIN IMMEDIATE")?;
        self.look_for_others()?;
        let mut wanted = 0;
        for job in group.iter_mut() {
            wanted += u64::from(self.run_job(job.as_mut(), capture, is_alone, signals)?);
        }
        if !self.conn.is_autocommit() {
            self.step("COMMIT")?;
        }
        self.counters.groups.fetch_add(1, Ordering::Relaxed);
        self.counters.actions.fetch_add(wanted, Ordering::Relaxed);
        self.counters.refused.fetch_add(group.len() as u64 - wanted, Ordering::Relaxed);
        Ok(())
    }

    /// Forgets what is kept when another process has written since the last group.
    fn look_for_others(&self) -> Result<(), DbError> {
        let version = self.conn.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?;
        if self.version.replace(version) != version {
            self.kept.forget();
        }
        Ok(())
    }

    /// Runs a job; whether it is to be committed. What another does is undone, with the whole transaction when it is alone in it.
    fn run_job(
        &self,
        job: &mut dyn Job,
        capture: &Capture,
        is_alone: bool,
        signals: &mut u8,
    ) -> Result<bool, DbError> {
        if !is_alone {
            self.step("SAVEPOINT action")?;
        }
        let mark = capture.mark();
        let tx = Tx::new(&self.conn, &self.env, capture, &self.kept, self.env.clock.now());
        let is_done = job.run(&tx);
        if self.conn.is_autocommit() {
            // SQLite has undone the whole group: it does so when the disk is full, or fails.
            return Err(DbError::Unavailable("SQLite undid the group".into()));
        }
        if is_done {
            if capture.seal(&self.conn, tx.now())?.is_some() {
                *signals |= Topic::Sync.bit();
            }
            *signals |= tx.signals();
        } else {
            self.step(if is_alone { "ROLLBACK" } else { "ROLLBACK TO action" })?;
            capture.cut(mark);
        }
        if !is_alone {
            self.step("RELEASE action")?;
        }
        Ok(is_done)
    }

    /// A failure with no room left on the disk is that, however SQLite calls it.
    fn cause(&self, error: DbError) -> DbError {
        let is_out = self.room.look().free_bytes.is_some_and(|free| free < SPARE);
        match error {
            DbError::Unavailable(_) | DbError::Other(_) if is_out => DbError::Full,
            other => other,
        }
    }

    fn step(&self, sql: &str) -> Result<(), DbError> {
        self.conn.prepare_cached(sql)?.execute([]).map(drop).map_err(DbError::from)
    }

    /// After a failed group: nothing of it may stay, in the database or in the capture buffer.
    fn abandon(&self) {
        if !self.conn.is_autocommit()
            && let Err(error) = self.conn.execute_batch("ROLLBACK")
        {
            tracing::error!(%error, "rollback failed");
        }
        if let Some(Err(error)) = self.capture.as_ref().map(|capture| capture.reset(&self.conn)) {
            tracing::error!(%error, "the change log's head could not be read");
        }
    }

    fn wake(&self, signals: u8) {
        for topic in Topic::ALL {
            if signals & topic.bit() != 0 {
                self.topics[topic as usize].send_modify(|count| *count = count.wrapping_add(1));
            }
        }
        // A full channel means the checkpoint thread is already awake.
        let _awake = self.wake_checkpoint.try_send(());
    }
}

/// The same failure for each caller of the group: errors of SQLite cannot be cloned.
fn again(error: &DbError) -> DbError {
    match error {
        DbError::Full => DbError::Full,
        DbError::Damaged(what) => DbError::Damaged(what.clone()),
        other => DbError::unavailable(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::{Db, one};
    use crate::testing::Fixture;
    use std::sync::Barrier;

    /// When an action gives up.
    #[derive(Debug, Clone, Copy, PartialEq)]
    enum Gives {
        Never,
        BeforeItWrites,
        Late,
        ByPanicking,
    }

    /// Runs one action for each of `plan`, all in one group. What is done adds its letter to the outlet's name.
    fn together(db: &Db, plan: &[(&'static str, Gives)]) {
        let writer = db.writer().unwrap();
        let (reached, gate) = (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(2)));
        let waiting = (Arc::clone(&reached), Arc::clone(&gate));
        let hold = move |_: &Tx<'_>| -> Result<(), DbError> {
            waiting.0.wait();
            waiting.1.wait();
            Ok(())
        };
        let held = writer.submit(hold, false).unwrap();
        reached.wait();
        let submit = |&(letter, gives): &(&'static str, Gives)| {
            let action = move |tx: &Tx<'_>| {
                if gives == Gives::BeforeItWrites {
                    return Err(DbError::Full);
                }
                tx.execute("UPDATE outlets SET name = name || ?1", [letter])?;
                assert!(gives != Gives::ByPanicking, "as planned");
                if gives == Gives::Late { Err(DbError::Full) } else { Ok(()) }
            };
            (gives, writer.submit(action, false).unwrap())
        };
        let submitted: Vec<_> = plan.iter().map(submit).collect();
        gate.wait();
        held.blocking_recv().unwrap().unwrap();
        for (gives, answer) in submitted {
            assert_eq!(answer.blocking_recv().unwrap().is_ok(), gives == Gives::Never);
        }
    }

    /// The outlet's name, and how many rows the change log has.
    fn state(db: &Db) -> (String, i64) {
        let sql = "SELECT o.name, (SELECT count(*) FROM sync_log) FROM outlets o";
        db.read_blocking(|source| one(source, sql, &[], |row| Ok((row.get(0)?, row.get(1)?)))).unwrap()
    }

    #[test]
    fn who_closes_leaves_one_file_and_writes_nothing_more() {
        let fixture = Fixture::new();
        let log = fixture.db.path().with_extension("db-wal");
        let rename = |tx: &Tx<'_>| tx.execute("UPDATE outlets SET name = name || 'a'", []);
        fixture.db.write_blocking(rename).unwrap();
        assert!(std::fs::metadata(&log).unwrap().len() > 0);
        fixture.db.close();
        assert_eq!(std::fs::metadata(&log).map_or(0, |log| log.len()), 0);
        assert!(fixture.db.write_blocking(rename).is_err());
        assert!(state(&fixture.db).0.ends_with('a'));
    }

    #[test]
    fn who_gives_up_takes_nobody_along() {
        for gives in [Gives::BeforeItWrites, Gives::Late, Gives::ByPanicking] {
            let fixture = Fixture::new();
            let (name, logged) = state(&fixture.db);
            together(&fixture.db, &[("a", Gives::Never), ("b", gives), ("c", Gives::Never)]);
            assert_eq!(state(&fixture.db), (format!("{name}ac"), logged + 2), "{gives:?}");
        }
    }

    #[test]
    fn who_is_alone_is_undone_with_the_transaction() {
        let fixture = Fixture::new();
        let (name, logged) = state(&fixture.db);
        for gives in [Gives::Late, Gives::BeforeItWrites, Gives::ByPanicking] {
            together(&fixture.db, &[("a", gives)]);
        }
        assert_eq!(state(&fixture.db), (name.clone(), logged));
        together(&fixture.db, &[("b", Gives::Never)]);
        assert_eq!(state(&fixture.db), (format!("{name}b"), logged + 1));
    }
}
