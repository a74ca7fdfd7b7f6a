//! A head office on PostgreSQL: `pg_dump` writes its backup, consistently and while it serves, and `pg_restore` reads it. What goes
//! back goes back in one transaction: never a database that is half of one and half of the other.

use super::tools::{self, DUMP, RESTORE, Running, SQL};
use super::{CODE, HubBackupError};
use crate::registry::look::{Look, look};
use crate::store::postgres::Settings;
use edge::backup::{self, Backup, BackupError, Destinations, Kind, Reason};
use edge::db::Env;
use edge::root::as_root;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tiffin_common::Uuid;
use tiffin_migrations::HUB_POSTGRES_LOCK;

/// What head office has in its database; others may have tables beside them.
const SCHEMAS: [&str; 5] = ["hub", "merged", "parts", "compat", "branch"];

/// How long a process that was just stopped may take to leave the database.
const LEAVING: Duration = Duration::from_secs(5);

/// Lines of a script in which its settings stand, and more.
const HEADING: usize = 30;

/// What was put back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// The backup of what was there before; none when there was nothing.
    pub aside: Option<Backup>,
    /// The new epoch.
    pub epoch: Uuid,
}

/// Takes a backup of the database at `url`.
///
/// # Errors
/// See [`HubBackupError`].
pub fn take(url: &str, to: &Destinations, reason: Reason, env: &Env) -> Result<Backup, HubBackupError> {
    let known = backup::list(&to.own).into_iter().find(|backup| backup.kind == Kind::Dump);
    // Compressed, and without its indexes: the last one tells, and before there is one half of the database is more than enough.
    let bytes = match known {
        Some(last) => last.bytes,
        None => asked(url)?.bytes / 2,
    };
    let folder = to.own.clone();
    let pour = |to: &mut dyn Write| {
        let mut dump = tools::on_database(DUMP, url);
        dump.args(["--format=custom", "--compress=0"])
            .args(SCHEMAS.map(|schema| format!("--schema={schema}")));
        let running = Running::start(DUMP, &mut dump, Stdio::null(), Stdio::piped())?;
        tools::pour(running, |mut dump| io::copy(&mut dump, to).map(drop))?.map_err(file(&folder))
    };
    backup::take_poured((Kind::Dump, CODE), bytes, (to, reason, env), pour, check)
}

fn file(path: &Path) -> impl FnOnce(io::Error) -> HubBackupError {
    let path = path.to_owned();
    move |error| BackupError::File { path, error }.into()
}

/// Has `pg_restore` read the contents of the dump at `path`.
fn check(path: &Path) -> Result<(), HubBackupError> {
    let (restore, feeding) = restoring(path, "--list", Stdio::null())?;
    // It need not read to the end, and then ends by itself: what it says counts.
    drop(feeding);
    restore.end()
}

/// A dump that is fed to a program.
type Feeding = JoinHandle<io::Result<u64>>;

/// `pg_restore`, fed with the dump at `path`.
fn restoring(path: &Path, what: &str, output: Stdio) -> Result<(Running, Feeding), HubBackupError> {
    let mut dump = unpacked(path)?;
    let mut restore = Command::new(RESTORE);
    let mut restore =
        Running::start(RESTORE, restore.args(["--exit-on-error", what]), Stdio::piped(), output)?;
    let input = restore.input();
    let feed = move || input.map_or(Ok(0), |mut input| io::copy(&mut dump, &mut input));
    Ok((restore, std::thread::spawn(feed)))
}

/// What the dump at `path` holds: compressed as a backup is, or as `pg_dump` itself writes it.
fn unpacked(path: &Path) -> Result<Box<dyn Read + Send>, HubBackupError> {
    let mut dump = BufReader::new(as_root(|| File::open(path)).map_err(file(path))?);
    let is_bare = dump.fill_buf().map_err(file(path))?.starts_with(b"PGDMP");
    if is_bare {
        return Ok(Box::new(dump));
    }
    Ok(Box::new(zstd::Decoder::with_buffer(dump).map_err(file(path))?))
}

/// What the database at `url` says of itself.
fn asked(url: &str) -> Result<Look, HubBackupError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| HubBackupError::Tool(error.to_string()))?;
    let unreachable = |why| HubBackupError::Tool(format!("PostgreSQL cannot be reached: {why}"));
    runtime.block_on(look(&Settings::new(url))).map_err(unreachable)
}

/// Puts the dump at `from` in the place of the head office in the database at `url`, with a new epoch. What was there is kept as a
/// backup of its own.
///
/// # Errors
/// See [`HubBackupError`]. Nothing was changed then.
pub fn restore(url: &str, from: &Path, to: &Destinations, env: &Env) -> Result<Restored, HubBackupError> {
    // To its end, where the checksum is.
    io::copy(&mut unpacked(from)?, &mut io::sink()).map_err(file(from))?;
    check(from)?;
    let is_there = left(url)?.schema.is_some();
    let aside = is_there.then(|| take(url, to, Reason::Restore, env)).transpose()?;
    let epoch = Uuid::from_bytes(env.random_bytes());
    let mut psql = tools::on_database(SQL, url);
    psql.args(["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--output=/dev/null", "--file=-"]);
    let mut database = Running::start(SQL, &mut psql, Stdio::piped(), Stdio::null())?;
    let told = match database.input() {
        Some(mut input) => tell(&mut input, from, epoch),
        None => Ok(Ok(())),
    };
    // Without the last word, which only comes after a whole dump, the database undoes everything.
    database.end()?;
    told?.map_err(file(from))?;
    Ok(Restored { aside, epoch })
}

/// Whom the database that is replaced knows as erased since is kept aside …
const ERASED: &str = "CREATE TEMPORARY TABLE erased (outlet_id bytea, id bytea, erased_at bigint) ON COMMIT DROP;
    DO $$ BEGIN
      IF to_regclass('merged.guests') IS NOT NULL THEN
        INSERT INTO pg_temp.erased SELECT outlet_id, id, erased_at FROM merged.guests WHERE erased_at IS NOT NULL;
      END IF;
    END $$;\n";

/// … and erased again, in the dump of an older version where their names stood then. What else the branches changed of them, they send again.
const ERASE: &str = "DO $$ BEGIN
      IF to_regclass('merged.guests') IS NOT NULL THEN
        UPDATE merged.guests g SET name = NULL, phone = NULL, address = NULL, erased_at = e.erased_at
          FROM pg_temp.erased e WHERE g.outlet_id = e.outlet_id AND g.id = e.id;
      ELSIF to_regclass('merged.feedback') IS NOT NULL THEN
        UPDATE merged.orders o SET customer_name = NULL, customer_phone = NULL
          FROM pg_temp.erased e WHERE o.outlet_id = e.outlet_id AND o.id = e.id;
        UPDATE merged.feedback f SET customer_name = NULL, customer_phone = NULL
          FROM pg_temp.erased e WHERE f.outlet_id = e.outlet_id AND f.id = e.id;
      END IF;
    END $$;\n";

/// Tells the database to become what the dump at `from` holds.
fn tell(input: &mut dyn Write, from: &Path, epoch: Uuid) -> Result<io::Result<()>, HubBackupError> {
    // The lock keeps processes that start meanwhile from looking before all is there.
    let begin = format!(
        "BEGIN; SELECT pg_advisory_xact_lock({HUB_POSTGRES_LOCK}); SET client_min_messages = warning; {ERASED} \
         DROP SCHEMA IF EXISTS {} CASCADE;\n",
        SCHEMAS.join(", ")
    );
    if let Err(refused) = input.write_all(begin.as_bytes()) {
        return Ok(Err(refused));
    }
    let (restore, feeding) = restoring(from, "--file=-", Stdio::piped())?;
    if let Err(refused) = tools::pour(restore, |script| repeat(script, input))? {
        return Ok(Err(refused));
    }
    // A dump that could be read no more must not pass for a whole one.
    if let Err(refused) = feeding.join().unwrap_or_else(|_| Err(io::Error::other("it was not read"))) {
        return Ok(Err(refused));
    }
    // In the same transaction: no process may ever see the old state under the old epoch.
    let end = format!("{ERASE}UPDATE hub.hub_meta SET hub_epoch = '\\x{}'; COMMIT;\n", epoch.simple());
    Ok(input.write_all(end.as_bytes()).and_then(|()| input.flush()))
}

/// Repeats a script, but for a setting that older servers do not know.
fn repeat(script: impl Read, to: &mut dyn Write) -> io::Result<()> {
    let mut script = BufReader::new(script);
    let mut line = Vec::new();
    for _ in 0..HEADING {
        line.clear();
        script.read_until(b'\n', &mut line)?;
        if !line.starts_with(b"SET transaction_timeout") {
            to.write_all(&line)?;
        }
    }
    io::copy(&mut script, to).map(drop)
}

/// What the database at `url` says of itself, once no process of head office is connected to it any more.
fn left(url: &str) -> Result<Look, HubBackupError> {
    let deadline = Instant::now() + LEAVING;
    loop {
        let look = asked(url)?;
        if look.sessions == 0 {
            return Ok(look);
        }
        if Instant::now() > deadline {
            return Err(HubBackupError::Serving(look.sessions));
        }
        std::thread::sleep(LEAVING / 50);
    }
}
