//! Tests of shifts, clashes and warnings, across midnight and daylight-saving changes.

use super::plan::{Warning, WarningCode, around_week, clash, clash_field, monday, warnings};
use super::*;
use crate::resources::outlets::rules::Overtime;
use tiffin_common::Bps;

const BERLIN: Tz = chrono_tz::Europe::Berlin;

fn date(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn shift(id: u128, day: &str, times: &str) -> Shift {
    let (start, end) = times.split_once('-').unwrap_or_default();
    let shift_type = if times.is_empty() { ShiftType::Off } else { ShiftType::Evening };
    let (start_time, end_time) = (start.parse().ok(), end.parse().ok());
    let draft = ShiftDraft { start_time, end_time, ..ShiftDraft::new(Uuid::nil(), date(day), shift_type) };
    Shift::planned(Uuid::from_u128(id), draft, Millis::default())
}

fn hours(day: &str, times: &str) -> i64 {
    shift(1, day, times).span(BERLIN).unwrap().length_ms() / 3_600_000
}

#[test]
fn a_night_is_as_long_as_it_really_is() {
    assert_eq!(hours("2026-06-01", "23:00-07:00"), 8);
    assert_eq!(hours("2026-03-28", "23:00-07:00"), 7);
    assert_eq!(hours("2026-10-24", "23:00-07:00"), 9);
    assert_eq!((hours("2026-06-01", "07:00-07:00"), hours("2026-10-24", "07:00-07:00")), (24, 25));
    // 02:07 does not exist that night: it is the moment the clock goes on, 03:00.
    let early = shift(1, "2026-03-29", "00:00-02:07").span(BERLIN).unwrap();
    assert_eq!(early.end.to_string(), "2026-03-29T01:00:00.000Z");
}

#[test]
fn shifts_touch_but_never_overlap() {
    let night = shift(1, "2026-06-01", "23:00-07:00");
    let meets = |day: &str, times: &str| clash(&shift(2, day, times), [&night], BERLIN).is_some();
    assert!(!meets("2026-06-02", "07:00-15:00"));
    assert!(meets("2026-06-02", "06:59-15:00"));
    assert!(!meets("2026-06-01", "15:00-23:00"));
    assert!(meets("2026-06-01", "15:00-23:01"));
    assert!(meets("2026-06-01", ""), "a day off and work on the same date");
    assert!(!meets("2026-06-02", ""), "the night belongs to the day before");
    let off = shift(3, "2026-06-03", "");
    assert!(clash(&shift(4, "2026-06-03", ""), [&off], BERLIN).is_some(), "off twice");
    assert!(clash(&off, [&off], BERLIN).is_none(), "itself");
    let colleague = shift(5, "2026-06-01", "23:00-07:00").handed_to(Uuid::from_u128(9));
    assert!(clash(&colleague, [&night], BERLIN).is_none());
}

#[test]
fn the_hour_that_comes_twice_overlaps_nothing_twice() {
    // 02:00–03:00 comes twice on 2026-10-25; a time in it means the first.
    let first = shift(1, "2026-10-24", "22:00-02:30");
    let second = shift(2, "2026-10-25", "02:30-08:00");
    assert!(clash(&second, [&first], BERLIN).is_none());
    assert_eq!((hours("2026-10-24", "22:00-02:30"), hours("2026-10-25", "03:00-08:00")), (4, 5));
    // And in the gap of 2026-03-29: until 02:30 is until 03:00, when the next begins.
    let first = shift(1, "2026-03-28", "22:00-02:30");
    assert!(clash(&shift(2, "2026-03-29", "02:10-08:00"), [&first], BERLIN).is_none());
}

#[test]
fn a_clash_names_the_other_shift() {
    let (a, b) = (shift(1, "2026-06-01", "10:00-14:00"), shift(2, "2026-06-01", "13:00-15:00"));
    let field = clash_field(&b, &a);
    assert_eq!(field.name, "startTime");
    assert_eq!(field.reason, "clashes with the employee's EVENING shift 10:00–14:00 on 2026-06-01");
    assert_eq!(clash_field(&b, &shift(3, "2026-06-01", "")).name, "shiftType");
}

fn warned(at: usize, week: &[Shift]) -> Vec<Warning> {
    let multiplier_bps = Bps::new(20_000);
    let overtime = Overtime { daily_minutes: Some(540), weekly_minutes: Some(2_880), multiplier_bps };
    warnings(&week[at], week, BERLIN, Some(overtime))
}

fn codes(at: usize, week: &[Shift]) -> Vec<WarningCode> {
    warned(at, week).into_iter().map(|warning| warning.code).collect()
}

#[test]
fn overtime_counts_the_day_and_the_week_from_monday() {
    assert_eq!(monday(date("2026-06-07")), date("2026-06-01"));
    assert_eq!(around_week(date("2026-06-07")), (date("2026-05-31"), date("2026-06-14")));
    let days = ["01", "02", "03", "04", "05", "06"];
    let mut week: Vec<Shift> =
        days.iter().zip(1..).map(|(d, id)| shift(id, &format!("2026-06-{d}"), "09:00-17:00")).collect();
    assert_eq!(codes(0, &week), [], "48 hours are allowed");
    week.push(shift(7, "2026-06-08", "09:00-17:00"));
    assert_eq!(codes(6, &week), [], "the next week's Monday");
    week.push(shift(8, "2026-06-07", "09:00-09:30"));
    let said = warned(7, &week);
    assert_eq!(said[0].message, "48 h 30 min in the week from 2026-06-01, more than 48 h");
    let split = [shift(1, "2026-06-01", "09:00-13:00"), shift(2, "2026-06-01", "17:00-22:30")];
    assert_eq!(codes(1, &split), [WarningCode::Overtime], "a split shift wants no rest of 11 hours");
}

#[test]
fn a_seventh_day_in_a_row_warns_across_weeks() {
    let row = |days: &[&str]| -> Vec<Shift> {
        days.iter().zip(1..).map(|(day, id)| shift(id, &format!("2026-06-{day}"), "09:00-13:00")).collect()
    };
    // Thursday to Wednesday.
    let mut days = row(&["04", "05", "06", "07", "08", "09", "10"]);
    assert_eq!(
        (codes(0, &days), codes(3, &days)),
        (vec![WarningCode::SeventhDay], vec![WarningCode::SeventhDay])
    );
    assert_eq!(warned(6, &days)[0].message, "2026-06-10 is one of 7 days of work in a row");
    days.push(shift(8, "2026-06-03", ""));
    assert_eq!(codes(0, &days), [WarningCode::SeventhDay], "a day off before it is not work");
    days[3] = shift(4, "2026-06-07", "");
    assert_eq!(codes(6, &days), [], "a day off ends the row");
}

#[test]
fn rest_is_counted_in_real_time() {
    let two =
        |first: &str, second: &str| vec![shift(1, first, "15:00-23:00"), shift(2, second, "09:30-12:00")];
    let summer = two("2026-06-01", "2026-06-02");
    assert_eq!(
        (codes(0, &summer), codes(1, &summer)),
        (vec![WarningCode::ShortRest], vec![WarningCode::ShortRest])
    );
    assert_eq!(codes(1, &two("2026-10-24", "2026-10-25")), [], "the night has an hour more");
    let short = warned(1, &summer);
    assert_eq!(short[0].message, "10 h 30 min of rest before this day's work, less than 11 h");
}

#[test]
fn dates_far_away_are_refused() {
    let today = date("2026-11-20");
    assert!(near(date("2028-11-20"), today) && !near(date("2028-11-21"), today));
    assert!(near(date("2024-11-20"), today) && !near(date("0001-01-01"), today));
}
