//! Who was erased by wish, beside the backups: a list of ids and moments that says nothing about anybody, so that a backup from before
//! is clean after its restore. Never forgets an entry: a copy of a backup may be of any age.

use super::error::Result;
use super::names::MAKING;
use super::packing;
use super::taking::Destinations;
use crate::db::{self, Db, DbError, Source};
use crate::http::sse::stopped;
use crate::resources::{outlets, privacy};
use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tiffin_common::{Millis, Uuid};
use tokio::sync::watch;

/// How often it looks whom else to put on the list.
const LOOK_EVERY: Duration = Duration::from_secs(10);

/// Keeps the lists beside the backups until `stopping`. It takes no input, and is safe to repeat.
pub async fn run(db: Db, to: Destinations, mut stopping: watch::Receiver<bool>) {
    loop {
        if let Err(error) = look(&db, &to).await {
            tracing::warn!(%error, "who was erased could not be read");
        }
        tokio::select! {
            () = stopped(&mut stopping) => return,
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
    }
}

/// Puts whom the database knows as erased on the lists beside the box's own backups and in the second place, where that is there.
pub async fn look(db: &Db, to: &Destinations) -> db::Result<()> {
    let (code, erased) = db.read(|from| known(from)).await?;
    if erased.is_empty() {
        return Ok(());
    }
    let to = to.clone();
    // A stick may be slow: nobody waits for it.
    let kept = tokio::task::spawn_blocking(move || keep_in_all(&to, &code, &erased));
    kept.await.map_err(|_| DbError::Unavailable("the list was stopped".into()))
}

/// Puts `erased` on the lists in all folders that are there.
fn keep_in_all(to: &Destinations, code: &str, erased: &[(Uuid, Millis)]) {
    if let Err(error) = packing::make_folder(&to.own) {
        tracing::warn!(%error, "there is no place for backups");
    }
    for folder in std::iter::once(&to.own).chain(&to.second).filter(|folder| folder.is_dir()) {
        if let Err(error) = keep(folder, code, erased) {
            tracing::warn!(%error, "who was erased could not be written beside the backups");
        }
    }
}

/// The code that the box's backups have, and who was erased.
fn known(from: &dyn Source) -> db::Result<(String, Vec<(Uuid, Millis)>)> {
    let own = outlets::store::find_box_outlet(from)?;
    let all = outlets::store::list(from)?;
    let outlet = all.iter().find(|outlet| Some(outlet.id) == own).or(all.first());
    Ok((outlet.map(|outlet| outlet.code.clone()).unwrap_or_default(), privacy::actions::list_erased(from)?))
}

fn path(folder: &Path, code: &str) -> PathBuf {
    folder.join(format!("tiffin-{code}.erased"))
}

/// Orders and feedbacks of the outlet `code` whose guests the list in `folder` has as erased, with when; none where there is no list.
///
/// # Errors
/// A list that cannot be read.
pub fn read(folder: &Path, code: &str) -> Result<Vec<(Uuid, Millis)>> {
    let path = path(folder, code);
    let text = match fs::read_to_string(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        read => read.map_err(packing::at(&path))?,
    };
    // A line that is none stands for nobody.
    let entry = |line: &str| -> Option<(Uuid, Millis)> {
        let (id, at) = line.split_once(' ')?;
        Some((id.parse().ok()?, Millis::new(at.parse().ok()?)))
    };
    Ok(text.lines().filter_map(entry).collect())
}

/// Puts `erased` on the list in `folder`.
///
/// # Errors
/// A list that cannot be read or written; it is then as it was.
pub fn keep(folder: &Path, code: &str, erased: &[(Uuid, Millis)]) -> Result<()> {
    let held = read(folder, code)?;
    let mut all: BTreeMap<Uuid, Millis> = held.iter().copied().collect();
    for (id, at) in erased {
        all.entry(*id).or_insert(*at);
    }
    if all.len() == held.len() {
        return Ok(());
    }
    let text: String = all.iter().map(|(id, at)| format!("{id} {}\n", at.get())).collect();
    let making = folder.join(format!("{MAKING}{code}.erased"));
    let mut file = packing::create(&making)?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(packing::at(&making))?;
    packing::settle(&making, &path(folder, code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_only_grows_and_is_the_outlets_own() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = ((Uuid::from_u128(1), Millis::new(10)), (Uuid::from_u128(2), Millis::new(20)));
        assert!(read(folder.path(), "BLR1").unwrap().is_empty());
        keep(folder.path(), "BLR1", &[two]).unwrap();
        keep(folder.path(), "BLR1", &[one, (two.0, Millis::new(99))]).unwrap();
        keep(folder.path(), "BLR1", &[]).unwrap();
        assert_eq!(read(folder.path(), "BLR1").unwrap(), [one, two]);
        assert!(read(folder.path(), "BLR2").unwrap().is_empty());
        assert!(super::super::list(folder.path()).is_empty(), "it is no backup");
    }
}
