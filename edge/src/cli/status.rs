//! `edge status`: how the branch in the data directory is doing, whether a server runs or not. Only reads.

use super::open::env_of;
use super::{Failure, Out};
use crate::config::Config;
use crate::data_dir::{DataDir, DataDirError};
use crate::db::Disk;
use crate::doctor;
use crate::exchange::{Footing, SyncStatus, Verdict};
use crate::space::DiskOf;
use crate::sync::Enrolment;
use rusqlite::{Connection, OpenFlags};
use tiffin_common::clock::SystemClock;
use tiffin_common::{Clock, Millis};

pub(super) fn run(config: &Config, out: Out<'_>) -> Result<(), Failure> {
    let data = DataDir::at(&config.store.data_dir);
    writeln!(out, "data directory  {}", data.path().display())?;
    crate::health::examine(&data)?;
    if !data.is_initialised() {
        let link = data.setup_link().ok_or_else(|| super::open::not_initialised(&data))?;
        writeln!(out, "server          running, and waiting to be set up with this link:\n\n  {link}")?;
        return Ok(());
    }
    let served = matches!(data.lock(), Err(DataDirError::InUse(_)));
    writeln!(out, "server          {}", if served { "running" } else { "not running" })?;
    if let Some(doubt) = env_of(&data).clock_doubt() {
        writeln!(out, "clock           WRONG, and not followed. {doubt}")?;
    }
    let conn = Connection::open_with_flags(data.database(), OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let number = |sql: &str| {
        conn.query_row(sql, [], |row| row.get::<_, Option<i64>>(0)).map(Option::unwrap_or_default)
    };
    let mut outlets = conn.prepare("SELECT code, name, timezone FROM outlets ORDER BY code")?;
    let mut rows = outlets.query([])?;
    while let Some(row) = rows.next()? {
        let [code, name, timezone] = [0, 1, 2].map(|i| row.get::<_, String>(i));
        writeln!(out, "outlet          {} {} ({})", code?, name?, timezone?)?;
    }
    let size = |path: std::path::PathBuf| path.metadata().map_or(0, |meta| meta.len());
    let bytes = size(data.database()).saturating_add(size(data.database().with_extension("db-wal")));
    writeln!(
        out,
        "database        {} MiB, schema {}",
        bytes.div_ceil(1024 * 1024),
        tiffin_migrations::edge_schema_version()
    )?;
    if let Some(free) = DiskOf::new(data.path()).free_bytes() {
        writeln!(out, "disk            {} free", doctor::disk::size(free))?;
    }
    writeln!(out, "orders          {}", number("SELECT count(*) FROM orders")?)?;
    writeln!(
        out,
        "  still open    {}",
        number("SELECT count(*) FROM orders WHERE status NOT IN ('COMPLETED', 'CANCELLED')")?
    )?;
    writeln!(out, "change log      {} rows", number("SELECT max(seq) FROM sync_log")?)?;
    let newest = number("SELECT max(wall_ms) FROM sync_log")?;
    if newest > 0 {
        writeln!(out, "last change     {}", Millis::new(newest))?;
    }
    exchange(&data, &conn, out)
}

/// `edge setup-link`: the link to set up this box, alone on its line.
pub(super) fn setup_link(config: &Config, out: Out<'_>) -> Result<(), Failure> {
    let data = DataDir::at(&config.store.data_dir);
    let folder = data.path().display();
    match data.setup_link() {
        Some(link) => writeln!(out, "{link}")?,
        None if data.is_initialised() => return Err(Failure::new(format!("{folder} is set up already"))),
        None => return Err(Failure::new("no server waits to be set up; start it with: edge serve")),
    }
    Ok(())
}

/// The exchange with head office, as the server left it.
fn exchange(data: &DataDir, conn: &Connection, out: Out<'_>) -> Result<(), Failure> {
    let Some(enrolment) = Enrolment::load(data.path())? else {
        writeln!(out, "head office     none; this box works alone (edge enroll)")?;
        return Ok(());
    };
    writeln!(out, "head office     {}", enrolment.hub_url)?;
    let status = SyncStatus::read(conn, SystemClock.now())?;
    if !status.enrolled {
        writeln!(out, "  standing      enrolled; the server takes it up when it runs")?;
        return Ok(());
    }
    let moment = |at: Option<Millis>| at.map_or_else(|| "never".to_owned(), |at| at.to_string());
    let word = |known: Option<bool>| known.map_or("not known", |yes| if yes { "yes" } else { "no" });
    writeln!(out, "  standing      {}", status.standing.map_or("not known", Footing::name))?;
    writeln!(out, "  reachable     {}", word(status.hub_reachable))?;
    let lag = status.lag_seconds.unwrap_or_default();
    writeln!(out, "  waiting       {} log rows, the oldest for {lag} s", status.rows_waiting)?;
    writeln!(out, "  last push     {}", moment(status.last_push_at))?;
    writeln!(out, "  last pull     {}", moment(status.last_pull_at))?;
    writeln!(out, "  copies equal  {}", status.digest.map_or("not compared yet", Verdict::name))?;
    if status.open_reviews > 0 {
        writeln!(out, "  to look at    {} records (GET /sync-reviews)", status.open_reviews)?;
    }
    Ok(())
}
