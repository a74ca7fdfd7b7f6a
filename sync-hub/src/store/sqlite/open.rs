//! The outlets' files that are open: the ones used last, up to a bound. Makes new ones whole or not at all; never closes one
//! that is in use.

use super::file::{self, File, Limits, lock};
use crate::derived::BEFORE_TABLES;
use crate::store::StoreError;
use rusqlite::Connection;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tiffin_common::Uuid;
use tiffin_common::registry::TABLES;

#[derive(Debug)]
pub(super) struct OpenFiles {
    folder: PathBuf,
    limits: Limits,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    files: HashMap<Uuid, (Arc<File>, u64)>,
    /// Files whose schema this process has brought up to date.
    current: HashSet<Uuid>,
    clock: u64,
}

impl OpenFiles {
    pub(super) fn new(folder: PathBuf, limits: Limits) -> OpenFiles {
        OpenFiles { folder, limits, open: Mutex::default() }
    }

    pub(super) fn count(&self) -> usize {
        lock(&self.open).files.len()
    }

    fn path(&self, outlet: Uuid) -> PathBuf {
        self.folder.join(format!("{outlet}.db"))
    }

    /// The outlet's file, with the schema of this version.
    pub(super) fn get(&self, outlet: Uuid) -> Result<Arc<File>, StoreError> {
        let mut open = lock(&self.open);
        open.clock += 1;
        let now = open.clock;
        if let Some((file, used)) = open.files.get_mut(&outlet) {
            *used = now;
            return Ok(Arc::clone(file));
        }
        let path = self.path(outlet);
        if !open.current.contains(&outlet) {
            if !path.exists() {
                return Err(StoreError::NoOutlet);
            }
            file::check(&path)?;
            migrate(&path)?;
            open.current.insert(outlet);
        }
        let file = Arc::new(File::new(path, self.limits.readers, BEFORE_TABLES));
        open.files.insert(outlet, (Arc::clone(&file), now));
        let closed = open.shrink(self.limits.files);
        drop(open);
        // Closing folds the write-ahead log in, which takes a while.
        drop(closed);
        Ok(file)
    }

    /// Makes the outlet's file, unless it is there.
    pub(super) fn create(&self, outlet: Uuid) -> Result<(), StoreError> {
        let path = self.path(outlet);
        if path.exists() {
            return Ok(());
        }
        let open = lock(&self.open);
        let template = self.folder.join("template.new");
        if !path.exists() {
            let draft = self.folder.join(format!("{outlet}.new"));
            let newest = tiffin_migrations::edge_schema_version();
            let current = Connection::open(&template)
                .and_then(|conn| conn.query_row("PRAGMA user_version", [], |row| row.get::<_, u32>(0)))
                .is_ok_and(|version| version == newest);
            if !current {
                make_template(&template)?;
            }
            std::fs::copy(&template, &draft).map_err(file::io)?;
            std::fs::File::open(&draft).and_then(|file| file.sync_all()).map_err(file::io)?;
            std::fs::rename(&draft, &path).map_err(file::io)?;
            std::fs::File::open(&self.folder).and_then(|folder| folder.sync_all()).map_err(file::io)?;
        }
        drop(open);
        Ok(())
    }
}

impl Open {
    /// Takes the files out that were used longest ago and are not in use, until there are at most `most`.
    fn shrink(&mut self, most: usize) -> Vec<Arc<File>> {
        let mut closed = Vec::new();
        while self.files.len() > most {
            let idle = self.files.iter().filter(|(_, (file, _))| Arc::strong_count(file) == 1);
            let Some(oldest) = idle.min_by_key(|(_, (_, used))| *used).map(|(outlet, _)| *outlet) else {
                break;
            };
            closed.extend(self.files.remove(&oldest).map(|(file, _)| file));
        }
        closed
    }
}

/// An empty outlet's file, made once and copied: migrating takes longer than the first push.
fn make_template(path: &Path) -> Result<(), StoreError> {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        if let Err(error) = std::fs::remove_file(&name)
            && error.kind() != std::io::ErrorKind::NotFound
        {
            return Err(file::io(error));
        }
    }
    let mut conn = Connection::open(path)?;
    conn.pragma_update(None, "synchronous", false)?;
    let version = tiffin_migrations::migrate_hub_outlet(&mut conn).map_err(file::migration)?;
    loosen(&conn)?;
    unwatch(&conn)?;
    conn.pragma_update(None, "journal_mode", "WAL")?;
    conn.pragma_update(None, "user_version", version)?;
    Ok(conn.close().map_err(|(_, error)| error)?)
}

fn migrate(path: &Path) -> Result<(), StoreError> {
    let mut conn = file::open_writer(path)?;
    tiffin_migrations::migrate_hub_outlet(&mut conn).map_err(file::migration)?;
    loosen(&conn)?;
    unwatch(&conn)
}

/// Takes the triggers out by which a branch, and head office before this version, keeps its list of days: whoever applies rows does here.
fn unwatch(conn: &Connection) -> Result<(), StoreError> {
    const WATCHING: &str = "SELECT name FROM sqlite_schema
        WHERE type = 'trigger' AND (name GLOB 'analytics_*' OR name GLOB 'hub_days_*')";
    let found =
        conn.prepare(WATCHING)?.query_map([], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?;
    let drops: String = found.iter().map(|name| format!("DROP TRIGGER \"{name}\"; ")).collect();
    Ok(conn.execute_batch(&format!("BEGIN; {drops}COMMIT"))?)
}

/// Makes the branch's unique indexes plain ones: what is unique was decided by the branch, and while a branch takes back what
/// it had lost, two of its rows may bear one number here for a while.
fn loosen(conn: &Connection) -> Result<(), StoreError> {
    const UNIQUE: &str = "SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = 'index' AND sql LIKE 'CREATE UNIQUE INDEX%'";
    let mut statement = conn.prepare(UNIQUE)?;
    let rows = statement.query_map([], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
    })?;
    let found = rows.collect::<Result<Vec<_>, _>>()?;
    for (name, _, sql) in found.iter().filter(|(_, on, _)| TABLES.iter().any(|table| table.name == on)) {
        let plain = sql.replacen("UNIQUE ", "", 1);
        conn.execute_batch(&format!("BEGIN; DROP INDEX \"{name}\"; {plain}; COMMIT"))?;
    }
    Ok(())
}
