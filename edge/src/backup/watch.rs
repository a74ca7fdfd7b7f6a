//! How the backups stand, for status, metrics and dashboard: read from the folders whenever somebody asks. Never takes one.

use super::nightly::Settings;
use super::taking;
use crate::db::{self, Db, opt};
use crate::state::{BackupStatus, BackupWatch};
use std::sync::Arc;
use tiffin_common::Millis;

/// How old the newest backup may be, in milliseconds: a day and a half.
const OVERDUE_MS: i64 = 36 * 3_600_000;

/// Watches the folders of `settings` for the branch in `db`.
pub fn watch(db: &Db, settings: Settings) -> db::Result<BackupWatch> {
    let sql = "SELECT min(started_at) FROM sync_meta";
    let began = db.read_blocking(|from| -> db::Result<Option<Millis>> {
        Ok(opt(from, sql, [], |row| row.get::<_, Option<Millis>>(0))?.flatten())
    })?;
    let look = move |now| look(&settings, began.unwrap_or_default(), now);
    Ok(BackupWatch(Some(Arc::new(look))))
}

fn look(settings: &Settings, began: Millis, now: Millis) -> BackupStatus {
    let newest = taking::newest(&settings.to.own);
    let second = settings.to.second.as_deref();
    let second_at = second.and_then(taking::newest).map(|backup| backup.taken_at);
    let last_at = newest.as_ref().map(|backup| backup.taken_at);
    let is_old = |at: Option<Millis>| now.since(at.unwrap_or(began)) > OVERDUE_MS;
    BackupStatus {
        last_at,
        last_bytes: newest.map(|backup| backup.bytes),
        overdue: settings.at.is_some() && is_old(last_at),
        second_place: second.is_some(),
        second_at,
        second_overdue: second.is_some() && settings.at.is_some() && is_old(second_at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backup::{Destinations, Reason, Rules};
    use crate::testing::Fixture;
    use chrono::NaiveTime;

    #[test]
    fn a_backup_is_overdue_after_a_day_and_a_half_and_the_stick_counts_by_itself() {
        let fixture = Fixture::new();
        let folder = tempfile::tempdir().unwrap();
        let stick = folder.path().join("stick");
        let to = Destinations { second: Some(stick), ..Destinations::of(folder.path(), None) };
        let settings =
            Settings { to: to.clone(), at: NaiveTime::from_hms_opt(3, 30, 0), rules: Rules::default() };
        let BackupWatch(Some(look)) = watch(&fixture.db, settings).unwrap() else { panic!() };
        let now = || crate::db::Env::clone(fixture.db.env()).clock.now();
        let first = look(now());
        assert!(first.last_at.is_none() && !first.overdue && first.second_place);
        fixture.clock.advance(2 * 86_400_000);
        assert!(look(now()).overdue);
        let taken = taking::take(fixture.db.path(), &to, Reason::Manual, fixture.db.env()).unwrap();
        let after = look(now());
        assert_eq!((after.last_at, after.last_bytes), (Some(taken.taken_at), Some(taken.bytes)));
        assert!(!after.overdue && after.second_overdue && after.second_at.is_none());
    }
}
