//! The backups: how old the newest is, and whether the second place is there. Never takes one.

use super::disk::size;
use super::{Finding, Patient};
use crate::backup::Backup;
use crate::backup::{folder, newest};
use std::path::Path;
use tiffin_common::Millis;

const HOUR_MS: i64 = 3_600_000;

pub(super) fn examine(patient: &Patient<'_>) -> Vec<Finding> {
    let now = patient.env.clock.now();
    let second = patient.config.backups.second.as_deref();
    let own = judge("backup", newest(&folder(patient.data.path())).as_ref(), now);
    std::iter::once(own).chain(second.map(|place| judge_second(place, now))).collect()
}

/// Judges the newest backup of a place.
pub fn judge(check: &'static str, newest: Option<&Backup>, now: Millis) -> Finding {
    let advice = "Take one now: edge backup, at head office sync-hub backup. See that the nightly one is on (backup-at) and that its \
                  disk has room.";
    let Some(newest) = newest else { return Finding::warn(check, "there is no backup yet", advice) };
    let hours = now.since(newest.taken_at) / HOUR_MS;
    let found =
        format!("{} of {}, {hours} hours old, {}", newest.reason.name(), newest.taken_at, size(newest.bytes));
    match hours {
        ..=36 => Finding::ok(check, found),
        37..=168 => Finding::warn(check, found, advice),
        _ => Finding::broken(check, format!("none for more than a week; {found}"), advice),
    }
}

/// Judges the second place.
pub fn judge_second(place: &Path, now: Millis) -> Finding {
    let advice = "Plug the stick in, or mount the disk again; see that the server's user may write there. Backups go on beside the data meanwhile.";
    let shown = place.display();
    if !place.is_dir() {
        return Finding::broken("second-place", format!("{shown} is not there"), advice);
    }
    let is_writable = rustix::fs::access(place, rustix::fs::Access::WRITE_OK).is_ok();
    if !is_writable {
        return Finding::broken("second-place", format!("{shown} cannot be written"), advice);
    }
    judge("second-place", newest(place).as_ref(), now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backup::{Kind, Reason};
    use crate::doctor::Level;

    const NOW: Millis = Millis::new(1_795_000_000_000);

    fn aged(hours: i64) -> Backup {
        Backup {
            path: "/b".into(),
            kind: Kind::Branch,
            code: "BLR1".into(),
            reason: Reason::Nightly,
            taken_at: NOW.after(-hours * HOUR_MS),
            bytes: 5 << 20,
            not_copied: None,
        }
    }

    #[test]
    fn a_backup_grows_old() {
        let level = |hours| judge("backup", Some(&aged(hours)), NOW).level;
        assert_eq!(
            (level(2), level(36), level(37), level(169)),
            (Level::Ok, Level::Ok, Level::Warn, Level::Broken)
        );
        assert_eq!(judge("backup", None, NOW).level, Level::Warn);
    }

    #[test]
    fn a_stick_that_was_pulled_out_is_missed() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(judge_second(&folder.path().join("stick"), NOW).level, Level::Broken);
        assert_eq!(judge_second(folder.path(), NOW).level, Level::Warn, "nothing is on it yet");
    }
}
