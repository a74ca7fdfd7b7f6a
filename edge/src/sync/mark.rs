//! A small file beside the database that says how far the log had come, so that a database that was put back from an old backup
//! is noticed at the start, before it gives out a number twice. Never read by anything else.

use super::enrolment::{Enrolment, write_whole};
use super::{adoption, life, store};
use crate::db::{self, Db, DbError, Source, Tx};
use crate::exchange::Footing;
use crate::resources::orders::rules::numbers::LIFE;
use serde::{Deserialize, Serialize};
use std::path::Path;
use tiffin_common::Uuid;
use tiffin_common::frame::Position;
use tiffin_common::sync::At;

const FILE: &str = "sync.mark";

/// What may have been given out after the file was written: at most a second's numbers.
const MARGIN: i64 = 20;

/// How far the log and the numbers had come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Mark {
    /// What head office had confirmed.
    pub(super) acked: At,
    /// The highest numbers given out: outlet, series, value.
    pub(super) counters: Vec<(Uuid, String, i64)>,
}

/// Writes the file.
pub(super) fn save(folder: &Path, mark: &Mark) -> std::io::Result<()> {
    write_whole(folder, &folder.join(FILE), &serde_json::to_vec(mark)?)
}

/// Takes the file away: the log that it tells of is no more.
pub(super) fn forget(folder: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(folder.join(FILE)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn load(folder: &Path) -> Option<Mark> {
    let text = std::fs::read(folder.join(FILE)).ok()?;
    serde_json::from_slice(&text).map_err(|error| tracing::warn!(%error, "{FILE} cannot be read")).ok()
}

/// Writes the file from the database `from`, which another is about to take the place of, unless the file knows better. An error is in words.
pub fn leave_mark(from: &dyn Source, folder: &Path) -> Result<(), DbError> {
    let Some(acked) = store::find_peer(from)?.and_then(|peer| peer.acked) else { return Ok(()) };
    if load(folder).is_some_and(|mark| mark.acked.seq >= acked.seq) {
        return Ok(());
    }
    let mark = Mark { acked: acked.into(), counters: store::list_counters(from)? };
    save(folder, &mark).map_err(DbError::unavailable)
}

/// Numbers up to these were given out: none of them is given out again.
pub fn keep_numbers(tx: &Tx<'_>, given: &[(Uuid, String, i64)]) -> db::Result<()> {
    for (outlet, series, value) in given {
        store::set_counter(tx, *outlet, series, *value)?;
    }
    Ok(())
}

/// The last number of `series` that was given out; 0 when none was.
pub fn last_number(from: &dyn Source, outlet: Uuid, series: &str) -> db::Result<i64> {
    Ok(store::find_counter(from, outlet, series)?.map_or(0, |(_, value)| value))
}

/// To be called before anything is served: if the database is older than what head office has confirmed, its numbers begin a new life, and
/// the counters that no life tells apart are raised beyond every number that was given out since. Whether it was. A database from before
/// this box belonged to a head office knows of none: the enrolment beside it does.
pub fn watch_for_old_backup(db: &Db, folder: &Path) -> Result<bool, DbError> {
    let Some(mark) = load(folder) else { return Ok(false) };
    let enrolment = Enrolment::load(folder).unwrap_or_else(|error| {
        tracing::warn!(%error, "the enrolment cannot be read");
        None
    });
    let acked = Position::from(mark.acked);
    let is_old = db.read_blocking(|from| -> Result<bool, DbError> {
        let is_known = store::find_hash(from, acked.seq)? == Some(acked.hash);
        let is_pruned = store::find_first_kept(from)?.is_some_and(|first| acked.seq < first);
        let is_enrolled = enrolment.is_some() || store::find_peer(from)?.is_some();
        Ok(is_enrolled && !is_known && !is_pruned)
    })?;
    if !is_old {
        return Ok(false);
    }
    tracing::warn!(seq = acked.seq, "the database is older than what head office has confirmed");
    let change = move |tx: &Tx<'_>| -> Result<(), DbError> {
        if let Some(found) = &enrolment
            && store::find_peer(tx)?.is_none()
        {
            adoption::take_up(tx, found)?;
        }
        raise(tx, &mark)?;
        let lives = mark.counters.iter().filter(|(_, series, _)| series == LIFE).map(|(.., life)| *life);
        life::begin_once(tx, lives.max().unwrap_or(1))?;
        store::set_standing(tx, Footing::Recovering)
    };
    // A thread of its own: the caller may be one of the runtime's, which must not wait for the writer.
    let changed = std::thread::scope(|scope| scope.spawn(|| db.write_blocking(change)).join());
    changed.map_err(|_| DbError::Unavailable("the counters could not be raised".into()))??;
    Ok(true)
}

fn raise(tx: &Tx<'_>, mark: &Mark) -> Result<(), DbError> {
    for (outlet, series, value) in &mark.counters {
        // A new life has series of its own for bills and orders: a gap in those of the old one would be a lie.
        match series.split(':').next() {
            Some("ORDER" | "INVOICE" | "CREDIT_NOTE" | LIFE) => {}
            _ => store::set_counter(tx, *outlet, series, value.saturating_add(MARGIN))?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Fixture;
    use tiffin_common::frame::Hash;
    use tiffin_common::sync::HashText;

    fn mark(fixture: &Fixture, seq: i64, hash: Hash) -> Mark {
        let acked = At { epoch: Uuid::from_u128(1), seq, hash: HashText(hash) };
        let counters = vec![
            (fixture.outlet_id, "ORDER:2026-11-20".into(), 41),
            (fixture.outlet_id, "INVOICE:2026-27".into(), 7),
            (fixture.outlet_id, "TRANSFER:2026".into(), 4),
            (fixture.outlet_id, "LIFE".into(), 3),
        ];
        Mark { acked, counters }
    }

    #[test]
    fn a_database_from_before_the_enrolment_is_noticed_too() {
        let (fixture, folder) = (Fixture::new(), tempfile::tempdir().unwrap());
        save(folder.path(), &mark(&fixture, 900, Hash([9; 16]))).unwrap();
        assert!(!watch_for_old_backup(&fixture.db, folder.path()).unwrap(), "it belongs to nobody");
        Enrolment::sample(fixture.outlet_id).save(folder.path()).unwrap();
        assert!(watch_for_old_backup(&fixture.db, folder.path()).unwrap());
        let life = fixture.number("SELECT value FROM counters WHERE series = 'LIFE'");
        assert_eq!(
            (life, fixture.number("SELECT count(*) FROM sync_peer WHERE standing = 'RECOVERING'")),
            (4, 1)
        );
    }

    #[test]
    fn an_old_backup_is_noticed_and_gives_no_number_twice() {
        let fixture = Fixture::new();
        let folder = tempfile::tempdir().unwrap();
        let outlet = fixture.outlet_id;
        fixture
            .write(move |tx, _| -> Result<(), DbError> {
                store::insert_peer(
                    tx,
                    Uuid::from_u128(5),
                    "https://hub.test",
                    Uuid::from_u128(6),
                    None,
                    None,
                )?;
                store::set_counter(tx, outlet, "INVOICE:2026-27", 3)
            })
            .unwrap();
        assert!(!watch_for_old_backup(&fixture.db, folder.path()).unwrap(), "there is no file");
        let head = fixture.db.read_blocking(|conn| store::find_head(conn)).unwrap().unwrap();
        save(folder.path(), &mark(&fixture, head.seq, head.hash)).unwrap();
        assert!(!watch_for_old_backup(&fixture.db, folder.path()).unwrap(), "the database is as new");
        for (seq, hash) in [(head.seq + 900, Hash([9; 16])), (head.seq, Hash([9; 16]))] {
            save(folder.path(), &mark(&fixture, seq, hash)).unwrap();
            assert!(watch_for_old_backup(&fixture.db, folder.path()).unwrap());
        }
        let value =
            |series: &str| fixture.number(&format!("SELECT value FROM counters WHERE series = '{series}'"));
        // A life after those that were told of, once for however many starts: bills need not skip anything.
        assert_eq!((value("LIFE"), value("INVOICE:2026-27"), value("TRANSFER:2026")), (4, 3, 24));
        assert_eq!(fixture.number("SELECT count(*) FROM sync_peer WHERE standing = 'RECOVERING'"), 1);
    }
}
