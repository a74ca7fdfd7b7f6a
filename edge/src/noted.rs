//! What commands do beside the server: each leaves a note in the data directory before it acts, and the server, which alone writes, puts it
//! on record within seconds, or at its next start. Never keeps a command from its work.

use crate::access::Actor;
use crate::db::{Db, DbError, Tx};
use crate::http::sse::stopped;
use crate::resources::audit::{self, Entry};
use crate::resources::outlets;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::net::IpAddr;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tiffin_common::clock::SystemClock;
use tiffin_common::{Clock, Millis, Uuid};
use tokio::sync::watch;

/// The folder of the notes, below the data directory.
const FOLDER: &str = "noted";

/// How often the server looks.
const EVERY: Duration = Duration::from_secs(5);

/// What somebody did with a command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// When, by the machine's clock.
    pub at: Millis,
    /// Such as `sql.read`.
    pub action: String,
    /// Who, as the machine knows them.
    pub by: String,
    /// The address they came from; `console` where they came from none.
    pub device: String,
    /// What there is to tell of it. Never a secret.
    pub detail: Value,
}

/// Whoever runs this command, on record as the author of what it writes itself.
pub fn actor(outlet: Uuid) -> Actor {
    Actor { name: who(), device: Some(from_where()), ..Actor::system(outlet) }
}

/// Leaves a note in the data directory `data` that `action` is about to be done.
pub fn leave(data: &Path, action: &str, detail: Value) {
    let at = SystemClock.now();
    let note = Note { at, action: action.to_owned(), by: who(), device: from_where(), detail };
    if let Err(error) = write(&data.join(FOLDER), &note) {
        tracing::warn!(%error, action, "is not on record");
    }
}

fn write(folder: &Path, note: &Note) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let name = format!("{:015}-{}", note.at.get(), std::process::id());
    // One command may leave several notes at once.
    let is_free = |n: &u32| !folder.join(format!("{name}-{n}.json")).exists();
    let name = format!("{name}-{}", (0..100).find(is_free).unwrap_or_default());
    let making = folder.join(format!("{name}.new"));
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&making)?;
    file.write_all(&serde_json::to_vec(note)?)?;
    file.sync_all()?;
    fs::rename(&making, folder.join(format!("{name}.json")))?;
    File::open(folder)?.sync_all()
}

/// The person: who signed in to the machine, whoever they became since.
fn who() -> String {
    let signed_in =
        fs::read_to_string("/proc/self/loginuid").ok().and_then(|text| text.trim().parse::<u32>().ok());
    let uid = signed_in.filter(|uid| *uid != u32::MAX);
    let became = || std::env::var("SUDO_UID").ok().and_then(|text| text.parse().ok());
    let uid: u32 = uid.or_else(became).unwrap_or_else(|| rustix::process::getuid().as_raw());
    let known = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let named = known.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)? == uid.to_string()).then(|| name.to_owned())
    });
    named.unwrap_or_else(|| format!("user {uid}"))
}

fn from_where() -> String {
    let far = std::env::var("SSH_CONNECTION").ok();
    let address = far.and_then(|far| far.split(' ').next()?.parse::<IpAddr>().ok());
    address.map_or_else(|| "console".to_owned(), |address| address.to_string())
}

/// The notes that wait in the data directory `data`, the oldest first, each with its file. One that cannot be read is told of and left.
pub fn waiting(data: &Path) -> Vec<(PathBuf, Note)> {
    let entries = fs::read_dir(data.join(FOLDER)).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    paths.sort();
    let read = |path: PathBuf| match fs::read(&path).map(|text| serde_json::from_slice(&text)) {
        Ok(Ok(note)) => Some((path, note)),
        unread => {
            tracing::warn!(path = %path.display(), ?unread, "a note cannot be read");
            None
        }
    };
    paths.into_iter().filter_map(read).collect()
}

/// Takes a note away that is on record.
pub fn forget(note: &Path) {
    if let Err(error) = fs::remove_file(note) {
        tracing::warn!(%error, note = %note.display(), "what is on record is noted still");
    }
}

/// Puts on record what waits in the data directory `data`, until `stopping`.
pub async fn run(db: Db, data: PathBuf, mut stopping: watch::Receiver<bool>) {
    loop {
        if let Err(error) = step(&db, &data).await {
            tracing::warn!(%error, "what commands did could not be put on record");
        }
        tokio::select! {
            () = stopped(&mut stopping) => return,
            () = tokio::time::sleep(EVERY) => {}
        }
    }
}

/// Puts on record what waits now.
///
/// # Errors
/// The store's: what is not on record waits on.
pub async fn step(db: &Db, data: &Path) -> Result<(), DbError> {
    for (path, note) in waiting(data) {
        db.write(move |tx| record(tx, note)).await?;
        forget(&path);
    }
    Ok(())
}

fn record(tx: &Tx<'_>, note: Note) -> Result<(), DbError> {
    let Some(outlet) = outlets::store::find_box_outlet(tx)? else { return Ok(()) };
    let entry = Entry::new(&note.action, "database", None).after(&note.detail);
    let actor = Actor { name: note.by, device: Some(note.device), ..Actor::system(outlet) };
    // The machine's clock may not be believed: nothing is dated ahead.
    audit::actions::record(&tx.at(note.at.min(tx.now())), &actor, entry)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Fixture;
    use serde_json::json;
    use std::os::unix::fs::PermissionsExt;

    #[tokio::test]
    async fn what_a_command_does_is_on_record_once_with_who_and_from_where() {
        let (fixture, data) = (Fixture::inline(), tempfile::tempdir().unwrap());
        leave(data.path(), "sql.read", json!({"statements": "SELECT 1"}));
        leave(data.path(), "data.export", json!({"file": "a.zip"}));
        let notes = waiting(data.path());
        assert_eq!(
            notes.iter().map(|(_, note)| note.action.as_str()).collect::<Vec<_>>(),
            ["sql.read", "data.export"]
        );
        assert!(notes.iter().all(|(_, note)| !note.by.is_empty() && !note.device.is_empty()), "{notes:?}");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&data.path().join(FOLDER)), mode(&notes[0].0)), (0o700, 0o600));
        step(&fixture.db, data.path()).await.unwrap();
        step(&fixture.db, data.path()).await.unwrap();
        assert!(waiting(data.path()).is_empty());
        let told = "SELECT count(*) FROM audit_log WHERE action = 'sql.read' AND entity_type = 'database'
            AND device IS NOT NULL AND after LIKE '%SELECT 1%'";
        assert_eq!(fixture.number(told), 1);
        assert_eq!(fixture.number("SELECT count(*) FROM audit_log WHERE action = 'data.export'"), 1);
    }

    #[tokio::test]
    async fn a_note_from_the_future_is_of_now_and_what_is_none_holds_up_nothing() {
        let (fixture, data) = (Fixture::inline(), tempfile::tempdir().unwrap());
        let far = fixture.clock.now().after(9_000_000_000);
        let note = Note {
            at: far,
            action: "backup.made".into(),
            by: "asha".into(),
            device: "console".into(),
            detail: json!({}),
        };
        write(&data.path().join(FOLDER), &note).unwrap();
        fs::write(data.path().join(FOLDER).join("000.json"), "nonsense").unwrap();
        step(&fixture.db, data.path()).await.unwrap();
        let ahead = format!("SELECT count(*) FROM audit_log WHERE at > {}", fixture.clock.now().get());
        assert_eq!(fixture.number(&ahead), 0);
        assert_eq!(fixture.number("SELECT count(*) FROM audit_log WHERE action = 'backup.made'"), 1);
    }
}
