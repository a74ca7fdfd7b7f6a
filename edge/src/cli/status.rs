//! `edge status`: how the branch in the data directory is doing, whether a server runs or not. Only reads.

use super::{Failure, Out};
use crate::config::Config;
use crate::data_dir::{DataDir, DataDirError};
use rusqlite::{Connection, OpenFlags};
use tiffin_common::Millis;

pub(super) fn run(config: &Config, out: Out<'_>) -> Result<(), Failure> {
    let data = DataDir::at(&config.store.data_dir);
    writeln!(out, "data directory  {}", data.path().display())?;
    if !data.is_initialised() {
        return Err(super::not_initialised(&data));
    }
    let served = matches!(data.lock(), Err(DataDirError::InUse(_)));
    writeln!(out, "server          {}", if served { "running" } else { "not running" })?;
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
    Ok(())
}
