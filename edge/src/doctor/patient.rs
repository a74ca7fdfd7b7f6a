//! The box that is looked at, and its database opened for looking only.

use crate::config::Config;
use crate::data_dir::DataDir;
use crate::db::Env;
use crate::sync::Enrolment;
use rusqlite::{Connection, OpenFlags};

/// The box that is looked at.
pub(crate) struct Patient<'c> {
    pub(super) config: &'c Config,
    pub(super) data: DataDir,
    pub(super) env: &'c Env,
    /// Whether a server has it open.
    pub(super) served: bool,
    pub(super) enrolment: Option<Enrolment>,
}

/// Opens a database for looking only.
pub fn open_to_read(path: &std::path::Path) -> rusqlite::Result<Connection> {
    let conn = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    conn.busy_timeout(std::time::Duration::from_secs(5))?;
    // Opening alone reads nothing.
    conn.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    Ok(conn)
}
