//! Which backups may go. Counts those that are there and never asks the clock: one that jumped, or a box that was off for a month,
//! costs no backup. Whatever it was taken for, a backup goes once the nightly ones have left it behind: it tells of guests who were erased.

use super::names::{Backup, Reason};
use chrono::{Datelike, Days, NaiveDate};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// How many are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// The newest of each of so many days.
    pub days: usize,
    /// Of what is older, one for each of so many weeks.
    pub weeks: usize,
    /// Those taken before upgrades.
    pub upgrades: usize,
}

impl Default for Rules {
    fn default() -> Self {
        Rules { days: 14, weeks: 3, upgrades: 3 }
    }
}

impl Rules {
    /// What may go of `backups`, in no order.
    pub(super) fn outdated(self, backups: &[Backup]) -> Vec<PathBuf> {
        let mut newest_first: Vec<&Backup> = backups.iter().collect();
        newest_first.sort_by(|a, b| (b.taken_at, &b.path).cmp(&(a.taken_at, &a.path)));
        let of = |reason| newest_first.iter().copied().filter(move |backup| backup.reason == reason);
        let mut outdated: Vec<PathBuf> =
            of(Reason::Upgrade).skip(self.upgrades).map(|backup| backup.path.clone()).collect();
        let (mut days, mut older) = (BTreeSet::new(), Vec::new());
        for backup in of(Reason::Nightly) {
            let day = backup.day();
            let is_kept = days.len() < self.days && days.insert(day);
            if is_kept {
                continue;
            }
            if days.contains(&day) { outdated.push(backup.path.clone()) } else { older.push(backup) }
        }
        outdated.extend(self.thinned(&older));
        let Some(reach) = self.reach(backups) else { return outdated };
        let behind = backups.iter().filter(|backup| backup.day() < reach);
        let behind: Vec<PathBuf> = behind.map(|backup| backup.path.clone()).collect();
        outdated.retain(|path| !behind.contains(path));
        outdated.extend(behind);
        outdated
    }

    /// The day before which nothing is kept, whatever it is of: as far back as the nightly ones and the weeks before them reach; none
    /// before there are as many nights as are kept.
    pub(super) fn reach(self, backups: &[Backup]) -> Option<NaiveDate> {
        let nights = backups.iter().filter(|backup| backup.reason == Reason::Nightly);
        let nights: BTreeSet<NaiveDate> = nights.map(Backup::day).collect();
        let first = nights.into_iter().rev().nth(self.days.checked_sub(1)?)?;
        first.checked_sub_days(Days::new(u64::try_from(self.weeks).ok()?.saturating_mul(7)))
    }

    /// Of `older` (newest first) all but the oldest of each of the newest weeks: it stays the same one from night to night.
    fn thinned(self, older: &[&Backup]) -> Vec<PathBuf> {
        let week = |backup: &Backup| {
            let week = backup.day().iso_week();
            (week.year(), week.week())
        };
        let weeks: BTreeSet<_> = older.iter().map(|backup| week(backup)).collect();
        let kept: BTreeSet<_> = weeks.into_iter().rev().take(self.weeks).collect();
        let mut seen = BTreeSet::new();
        let oldest_first = older.iter().rev();
        let gone = oldest_first.filter(|backup| !kept.contains(&week(backup)) || !seen.insert(week(backup)));
        gone.map(|backup| backup.path.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backup::names::{Kind, name};
    use std::path::Path;
    use tiffin_common::Millis;

    const DAY: i64 = 86_400_000;

    fn backup(day: i64, reason: Reason) -> Backup {
        let start: Millis = "2026-11-02T22:00:00.000Z".parse().unwrap();
        let name = name(Kind::Branch, "BLR1", start.after(day * DAY), reason);
        Backup::of(Path::new(&name), 1).unwrap()
    }

    /// What is there after each night of `nights`, when a box rotates after every backup.
    fn nights(nights: impl IntoIterator<Item = i64>) -> Vec<i64> {
        let mut there: Vec<(i64, Backup)> = Vec::new();
        for day in nights {
            there.push((day, backup(day, Reason::Nightly)));
            let all: Vec<Backup> = there.iter().map(|(_, backup)| backup.clone()).collect();
            let gone = Rules::default().outdated(&all);
            there.retain(|(_, backup)| !gone.contains(&backup.path));
        }
        there.into_iter().map(|(day, _)| day).collect()
    }

    #[test]
    fn fourteen_days_and_three_weeks_before_them() {
        // Day 0 is a Monday: 100 nights end on a Wednesday.
        let kept = nights(0..100);
        let days: Vec<i64> = (86..100).collect();
        assert_eq!(kept[kept.len() - 14..], days);
        assert_eq!(kept[..kept.len() - 14], [70, 77, 84]);
    }

    #[test]
    fn a_box_that_was_off_and_a_clock_that_jumped_lose_nothing() {
        assert_eq!(nights([0, 1, 2, 60, 61]), [0, 1, 2, 60, 61]);
        let kept = nights((0..14).chain([30_000]).chain(14..16));
        assert!((3..14).all(|day| kept.contains(&day)), "{kept:?}");
        assert!(kept.contains(&30_000));
    }

    #[test]
    fn nothing_outlasts_the_nightly_ones() {
        let reasons = [Reason::Upgrade, Reason::Manual, Reason::Restore];
        let mut all: Vec<Backup> = reasons.iter().flat_map(|r| [64, 65].map(|day| backup(day, *r))).collect();
        all.extend((86..99).map(|day| backup(day, Reason::Nightly)));
        assert_eq!(Rules::default().outdated(&all), Vec::<PathBuf>::new(), "there are too few nights");
        all.push(backup(99, Reason::Nightly));
        let mut gone = Rules::default().outdated(&all);
        gone.sort();
        let mut expected: Vec<PathBuf> = reasons.iter().map(|reason| backup(64, *reason).path).collect();
        expected.sort();
        assert_eq!(gone, expected, "35 days before the newest");
    }

    #[test]
    fn of_upgrades_three_stay_and_all_that_somebody_asked_for() {
        let all: Vec<Backup> = [Reason::Upgrade, Reason::Manual, Reason::Restore]
            .iter()
            .flat_map(|r| (0..9).map(|day| backup(day, *r)))
            .collect();
        let gone = Rules::default().outdated(&all);
        let expected: Vec<PathBuf> = (0..6).rev().map(|day| backup(day, Reason::Upgrade).path).collect();
        assert_eq!(gone, expected);
    }

    #[test]
    fn of_one_day_the_newest_stays() {
        let all = [
            backup(0, Reason::Nightly),
            Backup {
                taken_at: backup(0, Reason::Nightly).taken_at.after(9_000),
                path: "b".into(),
                ..backup(0, Reason::Nightly)
            },
        ];
        assert_eq!(Rules::default().outdated(&all), [all[0].path.clone()]);
    }
}
