//! Unit tests of the nightly backup.

use super::*;
use crate::testing::Fixture;
use std::fs;

const DAY: i64 = 86_400_000;
const HOUR: i64 = 3_600_000;

fn settings(folder: &Path) -> Settings {
    let to = Destinations::of(folder, None);
    Settings { to, at: NaiveTime::from_hms_opt(3, 30, 0), rules: Rules { days: 3, ..Rules::default() } }
}

#[test]
fn due_is_what_lies_between_the_newest_and_the_last_half_past_three() {
    let at = NaiveTime::from_hms_opt(3, 30, 0).unwrap();
    let moment = |text: &str| text.parse::<Millis>().unwrap();
    let kolkata = |now: &str, newest: &str| is_due(moment(now), at, Tz::Asia__Kolkata, moment(newest));
    assert!(!kolkata("2026-11-21T21:59:59Z", "2026-11-20T22:00:00Z"));
    assert!(kolkata("2026-11-21T22:00:00Z", "2026-11-20T22:00:00Z"));
    assert!(!kolkata("2026-11-21T22:00:01Z", "2026-11-21T22:00:00Z"));
    // Off for a week: at once, at any time of day.
    assert!(kolkata("2026-11-28T09:00:00Z", "2026-11-21T22:00:00Z"));
    // 02:30 does not exist on this night in Berlin, and 03:30 does.
    let gap = NaiveTime::from_hms_opt(2, 30, 0).unwrap();
    let berlin = |now: &str| is_due(moment(now), gap, Tz::Europe__Berlin, moment("2026-03-28T05:00:00Z"));
    assert!(!berlin("2026-03-29T01:00:00Z") && berlin("2026-03-29T01:30:00Z"));
}

#[tokio::test]
async fn a_night_takes_one_a_box_that_was_off_catches_up_and_old_ones_go() {
    let fixture = Fixture::inline();
    let folder = tempfile::tempdir().unwrap();
    let settings = settings(folder.path());
    // 18:00 of the first day.
    assert!(matches!(look(&fixture.db, &settings).await.unwrap(), Night::NotYet));
    fixture.clock.advance(10 * HOUR);
    assert!(matches!(look(&fixture.db, &settings).await.unwrap(), Night::Taken(_)));
    assert!(matches!(look(&fixture.db, &settings).await.unwrap(), Night::NotYet));
    for _ in 0..6 {
        fixture.clock.advance(DAY);
        assert!(matches!(look(&fixture.db, &settings).await.unwrap(), Night::Taken(_)));
    }
    // Three days, and one of each of the two weeks before (Saturday, and Sunday to Tuesday are thinned to one).
    let kept = taking::list(&settings.to.own).len();
    assert!((4..=5).contains(&kept), "{kept}");
    // The clock fell back by a year: a backup of the future counts for nothing, and nothing is lost.
    fixture.clock.advance(-365 * DAY);
    assert!(matches!(look(&fixture.db, &settings).await.unwrap(), Night::NotYet));
    let off = Settings { at: None, ..settings.clone() };
    fixture.clock.advance(400 * DAY);
    assert!(matches!(look(&fixture.db, &off).await.unwrap(), Night::NotYet));
    assert!(matches!(look(&fixture.db, &settings).await.unwrap(), Night::Taken(_)));
}

#[tokio::test]
async fn the_managers_hear_of_a_missing_stick_and_of_a_failure() {
    let fixture = Fixture::inline();
    let folder = tempfile::tempdir().unwrap();
    let stick = folder.path().join("stick");
    let to = Destinations { second: Some(stick.clone()), ..Destinations::of(folder.path(), None) };
    let settings = Settings { to, ..settings(folder.path()) };
    let told =
        |kind: &str| fixture.number(&format!("SELECT count(*) FROM notifications WHERE type = '{kind}'"));
    fixture.clock.advance(DAY);
    assert!(matches!(look(&fixture.db, &settings).await.unwrap(), Night::Taken(_)));
    assert_eq!((told("BACKUP_NOT_COPIED"), told("BACKUP_FAILED")), (1, 0));
    fs::create_dir(&stick).unwrap();
    fixture.clock.advance(DAY);
    assert!(matches!(look(&fixture.db, &settings).await.unwrap(), Night::Taken(_)));
    assert_eq!((told("BACKUP_NOT_COPIED"), taking::list(&stick).len()), (1, 1));
    // Where the folder should be there is something else.
    fs::remove_dir_all(folder.path().join("backups")).unwrap();
    fs::write(folder.path().join("backups"), "").unwrap();
    fixture.clock.advance(DAY);
    assert!(matches!(look(&fixture.db, &settings).await.unwrap(), Night::Failed));
    assert_eq!(told("BACKUP_FAILED"), 1);
}
