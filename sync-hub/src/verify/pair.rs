//! The comparison of a branch's rows with head office's copy of them, table by table, when both are at the same position of the
//! branch's log. Reads only, one state of each.

use super::{TableReport, VerifyError, compare};
use rusqlite::{Connection, OpenFlags, OptionalExtension};
use std::path::Path;
use tiffin_common::Uuid;
use tiffin_common::frame::{Hash, Position};
use tiffin_common::registry::TABLES;

/// What was found.
#[derive(Debug, Clone)]
pub struct Pair {
    /// The outlet.
    pub outlet: Uuid,
    /// The end of the branch's log.
    pub branch: Option<Position>,
    /// The end of what head office has applied of it.
    pub head_office: Option<Position>,
    /// One entry for every captured table: what the branch holds and head office's copy does not is missing. Empty when the two
    /// are not at the same position.
    pub tables: Vec<TableReport>,
}

impl Pair {
    /// Whether the two are at the same position.
    pub fn is_level(&self) -> bool {
        self.branch == self.head_office
    }

    /// Whether they are, and hold the same rows.
    pub fn is_equal(&self) -> bool {
        let same = |table: &TableReport| table.missing + table.extra + table.different == 0;
        self.is_level() && self.tables.iter().all(same)
    }
}

impl std::fmt::Display for Pair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let seq = |position: &Option<Position>| position.map_or(0, |position| position.seq);
        writeln!(
            f,
            "outlet {}: branch at {}, head office at {}",
            self.outlet,
            seq(&self.branch),
            seq(&self.head_office)
        )?;
        if !self.is_level() {
            return f.write_str("NOT COMPARED: the two are not at the same position");
        }
        for table in &self.tables {
            let TableReport { name, rows, missing, extra, different } = table;
            if missing + extra + different > 0 {
                writeln!(
                    f,
                    "  {name:<28} {rows:>9} rows  BAD  missing {missing}, extra {extra}, different {different}"
                )?;
            }
        }
        let rows: u64 = self.tables.iter().map(|table| table.rows).sum();
        if self.is_equal() {
            write!(f, "OK: {rows} rows are the same on both sides")
        } else {
            f.write_str("BAD")
        }
    }
}

/// Compares the database in a branch's data directory with the copy in that of a hub on SQLite.
///
/// # Errors
/// When one of them is not there or cannot be read; differences are in the answer, not errors.
pub fn data_dirs(branch: &Path, hub: &Path) -> Result<Pair, VerifyError> {
    let branch = open(&branch.join(super::DATABASE))?;
    const OWN: &str = "SELECT id FROM outlets ORDER BY id = (SELECT outlet_id FROM box) DESC, id LIMIT 1";
    let outlet: Uuid = branch.query_row(OWN, [], |row| row.get(0))?;
    let file = hub.join(crate::store::sqlite::OUTLETS).join(format!("{outlet}.db"));
    databases(outlet, &branch, &open(&file)?)
}

fn open(path: &Path) -> rusqlite::Result<Connection> {
    let conn = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    conn.busy_timeout(std::time::Duration::from_secs(5))?;
    Ok(conn)
}

/// Compares a branch's database with the outlet's file of a hub.
///
/// # Errors
/// As [`data_dirs`].
pub fn databases(outlet: Uuid, branch: &Connection, hub: &Connection) -> Result<Pair, VerifyError> {
    const HEAD: &str = "SELECT epoch, seq, hash FROM sync_log ORDER BY seq DESC LIMIT 1";
    const HELD: &str = "SELECT epoch, seq, hash FROM hub_state WHERE epoch IS NOT NULL AND applied_to = seq";
    let (branch, hub) = (branch.unchecked_transaction()?, hub.unchecked_transaction()?);
    let position = |conn: &Connection, sql: &str| {
        let read = |row: &rusqlite::Row<'_>| {
            Ok(Position { epoch: row.get(0)?, seq: row.get(1)?, hash: Hash(row.get(2)?) })
        };
        conn.query_row(sql, [], read).optional()
    };
    let (head, held) = (position(&branch, HEAD)?, position(&hub, HELD)?);
    let mut pair = Pair { outlet, branch: head, head_office: held, tables: Vec::new() };
    if pair.is_level() {
        for table in TABLES {
            pair.tables.push(compare(&branch, &hub, table)?);
        }
    }
    Ok(pair)
}
