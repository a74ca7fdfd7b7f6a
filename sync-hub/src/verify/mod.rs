//! The proof that a branch's change log is complete: its numbers have no gap, its hashes chain, every row of it can be
//! read, and replaying it gives exactly the rows the branch holds. Reads only; never repairs.

mod pair;

pub use pair::{Pair, data_dirs, databases};

use crate::replay;
use rusqlite::fallible_streaming_iterator::FallibleStreamingIterator;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row};
use std::cmp::Ordering;
use std::path::Path;
use tiffin_common::frame::{Body, DecodeError, Hash, Header, Kind, Position};
use tiffin_common::registry::{TABLES, Table};
use tiffin_common::sync::batch::Frame;
use tiffin_common::{Hlc, Uuid};

/// The branch's database within its data directory.
const DATABASE: &str = "tiffin.db";

/// Findings of each kind that are described; the rest are counted.
const DESCRIBED: usize = 20;

/// Why the log could not be examined at all.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// SQLite could not open or read the database.
    #[error("{0}")]
    Sqlite(#[from] rusqlite::Error),
    /// A row of the log cannot be read.
    #[error("{0}")]
    Log(#[from] edge::db::DbError),
    /// The database for the replay could not be made.
    #[error("{0}")]
    Schema(String),
}

/// What one captured table looks like on both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableReport {
    /// The table.
    pub name: &'static str,
    /// Rows the branch holds.
    pub rows: u64,
    /// Rows the branch holds and the log does not give.
    pub missing: u64,
    /// Rows the log gives and the branch does not hold.
    pub extra: u64,
    /// Rows whose values differ.
    pub different: u64,
}

/// What was found.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Log rows.
    pub log_rows: u64,
    /// The first row that is still there. Beyond 1 the rows before it were let go of, or another box wrote them: the log alone then
    /// gives no rows to compare.
    pub begins: i64,
    /// Process starts among them.
    pub epochs: u64,
    /// Row changes in them.
    pub changes: u64,
    /// The last log row; none when the log is empty.
    pub head: Option<Position>,
    /// One entry for every captured table.
    pub tables: Vec<TableReport>,
    /// Everything that is wrong, the first of each sort in words.
    pub problems: Vec<String>,
    /// How many problems there were beyond those described.
    pub more: u64,
}

impl Report {
    /// Whether nothing at all is wrong.
    pub fn is_good(&self) -> bool {
        self.problems.is_empty()
    }

    fn problem(&mut self, text: impl FnOnce() -> String) {
        if self.problems.len() < DESCRIBED {
            self.problems.push(text());
        } else {
            self.more += 1;
        }
    }
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "log: {} rows, {} starts, {} changes", self.log_rows, self.epochs, self.changes)?;
        if self.begins > 1 {
            writeln!(
                f,
                "begins at {}: its chain is examined, its rows are head office's to compare",
                self.begins
            )?;
        }
        if let Some(head) = &self.head {
            writeln!(f, "head: {} in epoch {}, hash {}", head.seq, head.epoch, head.hash)?;
        }
        for table in self.tables.iter().filter(|table| table.rows + table.extra > 0) {
            let TableReport { name, rows, missing, extra, different } = table;
            let verdict = if missing + extra + different == 0 { "ok" } else { "BAD" };
            write!(f, "  {name:<28} {rows:>9} rows  {verdict}")?;
            if verdict == "BAD" {
                write!(f, "  missing {missing}, extra {extra}, different {different}")?;
            }
            writeln!(f)?;
        }
        for problem in &self.problems {
            writeln!(f, "  ! {problem}")?;
        }
        if self.more > 0 {
            writeln!(f, "  ! and {} more", self.more)?;
        }
        f.write_str(match (self.is_good(), self.begins > 1) {
            (true, false) => "OK: the log gives exactly the branch's rows",
            (true, true) => "OK: the rows that are kept chain",
            (false, _) => "BAD",
        })
    }
}

/// Verifies the database in a branch's data directory, as it was at one moment.
///
/// # Errors
/// When the database is not there or cannot be read; findings are in the report, not errors.
pub fn data_dir(folder: &Path) -> Result<Report, VerifyError> {
    let source = Connection::open_with_flags(folder.join(DATABASE), OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    source.busy_timeout(std::time::Duration::from_secs(5))?;
    database(&source)
}

/// Verifies a branch database.
///
/// # Errors
/// As [`data_dir`].
pub fn database(source: &Connection) -> Result<Report, VerifyError> {
    let snapshot = source.unchecked_transaction()?;
    let mut copy = Connection::open_in_memory()?;
    let schema =
        tiffin_migrations::migrate_edge(&mut copy).map_err(|error| VerifyError::Schema(error.to_string()))?;
    // Rows come in the order of their changes, which satisfied the branch's foreign keys when each action ended.
    copy.pragma_update(None, "foreign_keys", false)?;
    copy.set_prepared_statement_cache_capacity(512);
    let mut report = Report::default();
    replay_log(&snapshot, &copy, schema, &mut report)?;
    let tables = if report.begins > 1 { &[] } else { TABLES };
    for table in tables {
        let compared = compare(&snapshot, &copy, table)?;
        let TableReport { name, missing, extra, different, .. } = compared;
        if missing + extra + different > 0 {
            report.problem(|| {
                format!("{name}: {missing} rows are not in the log, {extra} only there, {different} differ")
            });
        }
        report.tables.push(compared);
    }
    Ok(report)
}

/// One row of `sync_log`.
struct LogRow {
    header: Header,
    body: Vec<u8>,
    hash: Hash,
}

fn read_row(row: &Row<'_>) -> rusqlite::Result<Result<LogRow, DecodeError>> {
    let kind = match Kind::from_number(row.get("kind")?) {
        Ok(kind) => kind,
        Err(error) => return Ok(Err(error)),
    };
    let header = Header {
        seq: row.get("seq")?,
        epoch: row.get("epoch")?,
        kind,
        hlc: row.get("hlc")?,
        wall: row.get("wall_ms")?,
        schema: row.get("schema_v")?,
        count: row.get("n")?,
    };
    Ok(Ok(LogRow { header, body: row.get("body")?, hash: Hash(row.get("hash")?) }))
}

fn replay_log(
    source: &Connection,
    copy: &Connection,
    schema: u32,
    report: &mut Report,
) -> Result<(), VerifyError> {
    let changes = copy.unchecked_transaction()?;
    // A branch of an older version has none.
    let archives = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'sync_archive')";
    let has_archive: bool = source.query_row(archives, [], |row| row.get(0))?;
    let firsts: &[&str] = match has_archive {
        true => &["SELECT min(first_seq) FROM sync_archive", "SELECT min(seq) FROM sync_log"],
        false => &["SELECT min(seq) FROM sync_log"],
    };
    let firsts = firsts.iter().map(|sql| source.query_row(sql, [], |row| row.get::<_, Option<i64>>(0)));
    let first = firsts.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().min().unwrap_or(1);
    let hash = before(source, first)?;
    report.begins = first;
    let is_open = first > 1 && hash.is_none();
    let mut chain = Chain {
        next: first,
        hash: hash.unwrap_or(Hash::START),
        is_open,
        hlc: Hlc::ZERO,
        epoch: Uuid::nil(),
        schema,
    };
    let take = |row: LogRow, chain: &mut Chain, report: &mut Report| {
        chain.take(&row, report);
        if first <= 1 {
            apply(&changes, &row.header, &row.body, report);
        }
    };
    if has_archive {
        edge::sync::each_archived(source, |Frame { header, body, hash }| {
            take(LogRow { header, body, hash }, &mut chain, report);
        })?;
    }
    let mut statement = source.prepare("SELECT * FROM sync_log ORDER BY seq")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        match read_row(row)? {
            Ok(read) => take(read, &mut chain, report),
            Err(error) => {
                let seq: i64 = row.get("seq")?;
                report.log_rows += 1;
                chain.next = seq + 1;
                report.problem(|| format!("log row {seq}: {error}"));
            }
        }
    }
    drop(rows);
    drop(statement);
    changes.commit()?;
    Ok(())
}

/// What the next row of the log must follow from.
struct Chain {
    next: i64,
    hash: Hash,
    /// The row before the first one is not kept: what the first one follows from cannot be said.
    is_open: bool,
    hlc: Hlc,
    epoch: Uuid,
    schema: u32,
}

impl Chain {
    fn take(&mut self, row: &LogRow, report: &mut Report) {
        let LogRow { header, body, hash } = row;
        let seq = header.seq;
        report.log_rows += 1;
        if seq != self.next {
            let (from, to) = (self.next, seq - 1);
            report.problem(|| format!("rows {from} to {to} are not in the log"));
        }
        if !self.is_open && self.hash.next(header, body) != *hash {
            report.problem(|| {
                format!("log row {seq}: its hash does not follow from the row before and its content")
            });
        }
        if header.hlc <= self.hlc {
            report.problem(|| format!("log row {seq}: its logical clock does not move forward"));
        }
        if (header.epoch != self.epoch) != (header.kind == Kind::EpochStart) && !self.is_open {
            report.problem(|| format!("log row {seq}: an epoch that does not begin with its start"));
        }
        if header.schema > self.schema {
            report.problem(|| format!("log row {seq}: schema {} is newer than this program", header.schema));
        }
        report.head = Some(Position { epoch: header.epoch, seq, hash: *hash });
        report.epochs += u64::from(header.kind == Kind::EpochStart);
        (self.next, self.hash, self.is_open) = (seq + 1, *hash, false);
        (self.hlc, self.epoch) = (header.hlc, header.epoch);
    }
}

/// The hash of the row before `seq`, as the process start that follows it names it.
fn before(source: &Connection, seq: i64) -> rusqlite::Result<Option<Hash>> {
    let sql = "SELECT parent_hash FROM sync_meta WHERE parent_seq = ?1 - 1 AND parent_hash IS NOT NULL";
    source.query_row(sql, [seq], |row| row.get(0).map(Hash)).optional()
}

fn apply(copy: &Connection, header: &Header, body: &[u8], report: &mut Report) {
    let seq = header.seq;
    match Body::decode(header, body) {
        Ok(body) => {
            let is_whole = matches!(header.kind, Kind::Pulled | Kind::Recovered | Kind::Repair);
            for op in body.ops() {
                report.changes += 1;
                let applied = if is_whole { replay::apply_whole(copy, op) } else { replay::apply(copy, op) };
                if let Err(error) = applied {
                    report.problem(|| format!("log row {seq}: {error}"));
                }
            }
        }
        Err(error) => report.problem(|| format!("log row {seq}: {error}")),
    }
}

/// Walks both tables in key order, side by side.
fn compare(source: &Connection, copy: &Connection, table: &Table) -> Result<TableReport, VerifyError> {
    let columns: Vec<_> = table.live_columns().map(|(_, name)| format!("\"{name}\"")).collect();
    let sql = format!("SELECT {} FROM \"{}\" ORDER BY 1", columns.join(", "), table.name);
    let (mut here, mut there) = (source.prepare(&sql)?, copy.prepare(&sql)?);
    let (mut here, mut there) = (here.query([])?, there.query([])?);
    let mut report = TableReport { name: table.name, rows: 0, missing: 0, extra: 0, different: 0 };
    here.advance()?;
    there.advance()?;
    loop {
        let order = match (here.get(), there.get()) {
            (None, None) => return Ok(report),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(ours), Some(theirs)) => {
                let order = key(ours)?.cmp(key(theirs)?);
                if order == Ordering::Equal && !same(ours, theirs, columns.len())? {
                    report.different += 1;
                }
                order
            }
        };
        match order {
            Ordering::Less => report.missing += 1,
            Ordering::Greater => report.extra += 1,
            Ordering::Equal => {}
        }
        if order != Ordering::Greater {
            report.rows += 1;
            here.advance()?;
        }
        if order != Ordering::Less {
            there.advance()?;
        }
    }
}

/// Keys are blobs, which SQLite orders as bytes.
fn key<'r>(row: &'r Row<'_>) -> rusqlite::Result<&'r [u8]> {
    row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)
}

fn same(ours: &Row<'_>, theirs: &Row<'_>, columns: usize) -> rusqlite::Result<bool> {
    for column in 0..columns {
        if ours.get_ref(column)? != theirs.get_ref(column)? {
            return Ok(false);
        }
    }
    Ok(true)
}
