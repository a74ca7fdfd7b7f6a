//! The writer's side of change capture: the buffer, the head of the log, and the rows that are appended to it. Never decides what
//! a change means.

use super::keep::{Job, Jobs};
use super::record::Buffer;
use super::triggers;
use super::whole::{self, RowKey, Touched, Whole};
use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, OptionalExtension, params};
use std::cell::Cell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tiffin_common::frame::{Body, DigestEntry, Hash, Header, Kind, Ops, Position};
use tiffin_common::registry::{self, Owner};
use tiffin_common::{Hlc, Millis, Uuid};

/// Change capture on the one connection that writes. Owned by the writer thread.
#[derive(Debug)]
pub struct Capture {
    /// Shared with the SQL function, which runs on the same thread: never contended.
    buffer: Arc<Mutex<Buffer>>,
    jobs: Jobs,
    head: Cell<Head>,
    /// The schema version of this binary, which the database was migrated to.
    schema: u32,
}

/// A place in the buffer and the log to cut back to.
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    length: usize,
    count: u32,
    shared: u32,
    state: u64,
    head: Head,
}

/// The end of the log, and the epoch that new rows belong to.
#[derive(Debug, Clone, Copy)]
struct Head {
    epoch: Uuid,
    seq: i64,
    hash: Hash,
    hlc: Hlc,
    schema: u32,
}

/// When a row of the log was made, and by which schema.
#[derive(Debug, Clone, Copy)]
struct Made {
    hlc: Hlc,
    wall: Millis,
    schema: u32,
}

impl Capture {
    /// Registers the capture function on `conn`, makes the triggers those of this version, and reads the head of the log.
    /// To be called in a transaction, on a migrated database.
    pub fn install(conn: &Connection) -> rusqlite::Result<Capture> {
        // Without it REPLACE deletes rows and fires no delete trigger.
        conn.pragma_update(None, "recursive_triggers", true)?;
        let buffer = Arc::new(Mutex::new(Buffer::default()));
        let shared = Arc::clone(&buffer);
        let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_INNOCUOUS;
        conn.create_scalar_function("tiffin_capture", -1, flags, move |args| {
            lock(&shared).record(args)?;
            Ok(rusqlite::types::Null)
        })?;
        let jobs = Jobs::install(conn)?;
        triggers::install(conn)?;
        let head = Cell::new(load_head(conn)?);
        Ok(Capture { buffer, jobs, head, schema: tiffin_migrations::edge_schema_version() })
    }

    /// Runs `change` as `job`: it may change records as that job does.
    pub fn job<T>(&self, job: Job, change: impl FnOnce() -> T) -> T {
        self.jobs.run(job, change)
    }

    /// Lets a log that has no row yet go on from `position`, which another log of the same outlet ended with: the box replaces
    /// another.
    pub fn continue_from(&self, position: Position) {
        let head = self.head.get();
        if head.seq == 0 {
            let Position { epoch, seq, hash } = position;
            self.head.set(Head { epoch, seq, hash, ..head });
        }
    }

    /// Begins this process start's epoch: `epoch` is random and never used before. Writes its first row, which names the
    /// position it continues from, and a schema row when the schema is not the one the log knows.
    pub fn start_epoch(&self, conn: &Connection, epoch: [u8; 16], now: Millis) -> rusqlite::Result<()> {
        let before = self.head.get();
        let parent = self.position();
        let epoch = Uuid::from_bytes(epoch);
        conn.execute(
            "INSERT INTO sync_meta (epoch, parent_epoch, parent_seq, parent_hash, started_at) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![epoch, parent.map(|p| p.epoch), before.seq, parent.map(|p| p.hash.0), now],
        )?;
        self.head.set(Head { epoch, schema: self.schema, ..before });
        self.append(conn, Kind::EpochStart, now, 0, &Body::epoch_start(parent.as_ref()))?;
        if before.schema != self.schema {
            self.append(conn, Kind::Schema, now, 0, &Body::schema(before.schema, self.schema))?;
        }
        Ok(())
    }

    /// Begins another log, which goes on from `position`, with an epoch of its own. The old one's rows are gone.
    pub fn begin_anew(
        &self,
        conn: &Connection,
        position: Option<Position>,
        epoch: [u8; 16],
        now: Millis,
    ) -> rusqlite::Result<()> {
        let hlc = self.head.get().hlc;
        let start = Position { epoch: Uuid::nil(), seq: 0, hash: Hash::START };
        let Position { epoch: before, seq, hash } = position.unwrap_or(start);
        self.head.set(Head { epoch: before, seq, hash, hlc, schema: 0 });
        self.start_epoch(conn, epoch, now)
    }

    /// What the log holds after row `last`, which it still holds, becomes part of a process start of its own: the same rows, made at the
    /// same moments, after a first row that goes on from `last`. Answers how many there are. Head office must have none of them.
    pub fn start_anew_after(
        &self,
        conn: &Connection,
        last: i64,
        epoch: [u8; 16],
        now: Millis,
    ) -> rusqlite::Result<usize> {
        let mut after = conn.prepare(
            "SELECT kind, hlc, wall_ms, schema_v, n, body FROM sync_log WHERE seq > ?1 AND kind NOT IN (?2, ?3) ORDER BY seq",
        )?;
        let read = |row: &rusqlite::Row<'_>| {
            let kind = Kind::from_number(row.get(0)?).map_err(whole::unreadable)?;
            let made = Made { hlc: row.get(1)?, wall: row.get(2)?, schema: row.get(3)? };
            Ok((kind, made, row.get::<_, u32>(4)?, row.get::<_, Vec<u8>>(5)?))
        };
        let rows: Vec<_> = after
            .query_map(params![last, Kind::EpochStart as i64, Kind::Schema as i64], read)?
            .collect::<rusqlite::Result<_>>()?;
        for gone in [
            "DELETE FROM sync_log WHERE seq > ?1",
            "DELETE FROM sync_meta WHERE parent_seq >= ?1",
            "DELETE FROM sync_proposals WHERE seq > ?1",
        ] {
            self.job(Job::Recover, || conn.execute(gone, [last]))?;
        }
        let hlc = self.head.get().hlc;
        self.head.set(load_head(conn)?);
        self.start_epoch(conn, epoch, now)?;
        for (kind, made, count, body) in &rows {
            let seq = self.append_as(conn, *kind, *made, *count, body)?;
            if *kind == Kind::Proposal {
                propose(conn, seq, body)?;
            }
        }
        let head = self.head.get();
        self.head.set(Head { hlc: head.hlc.max(hlc), ..head });
        Ok(rows.len())
    }

    /// The last row of the log; none while it is empty.
    pub fn position(&self) -> Option<Position> {
        let Head { epoch, seq, hash, .. } = self.head.get();
        (seq > 0).then_some(Position { epoch, seq, hash })
    }

    /// Where the buffer ends now. Take one before a savepoint or statement that may be undone.
    pub fn mark(&self) -> Mark {
        let buffer = lock(&self.buffer);
        Mark {
            length: buffer.changes.bytes().len(),
            count: buffer.changes.count(),
            shared: buffer.shared,
            state: buffer.state,
            head: self.head.get(),
        }
    }

    /// Forgets what was captured and appended since `mark`: SQLite took it back.
    pub fn cut(&self, mark: Mark) {
        self.head.set(mark.head);
        self.forget(mark);
        let mut buffer = lock(&self.buffer);
        buffer.state += u64::from(buffer.state != mark.state);
    }

    /// Which state the shared tables are in: another number with every change of one, and with every change that is undone.
    pub fn state(&self) -> u64 {
        lock(&self.buffer).state
    }

    /// Forgets what was captured since `mark`, which stays done: head office has it already.
    pub fn forget(&self, mark: Mark) {
        let mut buffer = lock(&self.buffer);
        buffer.changes.cut(mark.length, mark.count);
        buffer.shared = buffer.shared.min(mark.shared);
    }

    /// Writes what was captured as one log row and empties the buffer; answers the row's number, or none when nothing
    /// was changed. To be called inside the action's savepoint. After an error, or when a commit fails: [`Capture::reset`].
    ///
    /// # Errors
    /// When the row cannot be written: the buffer is then as it was.
    pub fn seal(&self, conn: &Connection, now: Millis) -> rusqlite::Result<Option<i64>> {
        // Held while the row is inserted: `sync_log` is not captured, so the function is not called meanwhile.
        let mut buffer = lock(&self.buffer);
        let changes = &buffer.changes;
        if changes.count() == 0 {
            return Ok(None);
        }
        let kind = if buffer.shared > 0 { Kind::Proposal } else { Kind::Data };
        let seq = self.append(conn, kind, now, changes.count(), changes.bytes())?;
        if kind == Kind::Proposal {
            propose(conn, seq, changes.bytes())?;
        }
        buffer.clear();
        Ok(Some(seq))
    }

    /// Whether something was captured since the last row.
    pub fn has_changes(&self) -> bool {
        lock(&self.buffer).changes.count() > 0
    }

    /// What was captured so far, row by row, and empties the buffer: the caller appends it in another form.
    ///
    /// # Errors
    /// Never, as long as the buffer is its own work.
    pub fn take_touched(&self) -> rusqlite::Result<Vec<Touched>> {
        let mut buffer = lock(&self.buffer);
        let touched = whole::touched(buffer.changes.bytes());
        buffer.clear();
        touched
    }

    /// Appends a row that holds `rows` whole, as they are now; answers its number.
    pub fn append_whole(
        &self,
        conn: &Connection,
        now: Millis,
        what: Whole,
        rows: &[RowKey],
    ) -> rusqlite::Result<i64> {
        let images = whole::images(conn, rows)?;
        let body = what.body(images.bytes());
        self.append(conn, what.kind(), now, images.count(), &body)
    }

    /// Appends a digest row; answers its number.
    pub fn append_digest(
        &self,
        conn: &Connection,
        now: Millis,
        entries: &[DigestEntry],
    ) -> rusqlite::Result<i64> {
        let count = u32::try_from(entries.len()).unwrap_or(u32::MAX);
        self.append(conn, Kind::Digest, now, count, &Body::digest(entries))
    }

    /// After a transaction was rolled back: forgets what was captured and reads the head that is in the database, so that
    /// numbers stay contiguous. The epoch goes on.
    pub fn reset(&self, conn: &Connection) -> rusqlite::Result<()> {
        let mut buffer = lock(&self.buffer);
        buffer.clear();
        buffer.state += 1;
        drop(buffer);
        let Head { epoch, schema, .. } = self.head.get();
        self.head.set(Head { epoch, schema, ..load_head(conn)? });
        Ok(())
    }

    fn append(
        &self,
        conn: &Connection,
        kind: Kind,
        now: Millis,
        count: u32,
        body: &[u8],
    ) -> rusqlite::Result<i64> {
        let Head { hlc, schema, .. } = self.head.get();
        self.append_as(conn, kind, Made { hlc: hlc.tick(now), wall: now, schema }, count, body)
    }

    fn append_as(
        &self,
        conn: &Connection,
        kind: Kind,
        made: Made,
        count: u32,
        body: &[u8],
    ) -> rusqlite::Result<i64> {
        let head = self.head.get();
        let Made { hlc, wall, schema } = made;
        let header = Header { seq: head.seq + 1, epoch: head.epoch, kind, hlc, wall, schema, count };
        let hash = head.hash.next(&header, body);
        conn.prepare_cached(
            "INSERT INTO sync_log (seq, epoch, kind, hlc, wall_ms, schema_v, n, body, hash)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute(params![
            header.seq,
            header.epoch,
            kind as i64,
            header.hlc,
            header.wall,
            header.schema,
            count,
            body,
            hash.0,
        ])?;
        self.head.set(Head { seq: header.seq, hash, hlc: header.hlc, ..head });
        Ok(header.seq)
    }
}

/// Remembers which shared rows head office has yet to decide on: what it sends of them meanwhile is not written over them.
fn propose(conn: &Connection, seq: i64, body: &[u8]) -> rusqlite::Result<()> {
    let mut remember = conn.prepare_cached(
        "INSERT INTO sync_proposals (table_no, row_id, seq) VALUES (?1, ?2, ?3)
         ON CONFLICT (table_no, row_id) DO UPDATE SET seq = excluded.seq",
    )?;
    for op in Ops::of(body) {
        let op = op.map_err(whole::unreadable)?;
        let is_shared = registry::table(op.table).is_some_and(|table| table.owner == Owner::Shared);
        if let (true, Some(id)) = (is_shared, op.row_id()) {
            remember.execute(params![op.table, id, seq])?;
        }
    }
    Ok(())
}

fn load_head(conn: &Connection) -> rusqlite::Result<Head> {
    let sql = "SELECT epoch, seq, hash, hlc, schema_v FROM sync_log ORDER BY seq DESC LIMIT 1";
    let last = conn.prepare_cached(sql)?.query_row([], |row| {
        Ok(Head {
            epoch: row.get(0)?,
            seq: row.get(1)?,
            hash: Hash(row.get(2)?),
            hlc: row.get(3)?,
            schema: row.get(4)?,
        })
    });
    let last = last.optional()?;
    let none = Head { epoch: Uuid::nil(), seq: 0, hash: Hash::START, hlc: Hlc::ZERO, schema: 0 };
    Ok(last.unwrap_or(none))
}

/// A panic while the buffer was locked can only come from SQLite running out of memory; what is in it is cut anyway.
fn lock(buffer: &Mutex<Buffer>) -> MutexGuard<'_, Buffer> {
    buffer.lock().unwrap_or_else(PoisonError::into_inner)
}
