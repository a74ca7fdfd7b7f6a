//! Timesheets: what somebody worked on a business date, how much of it was overtime, and what it cost. Pure, in
//! milliseconds and cents.

use super::Planned;
use super::pay::{Dated, Off, Paid, Person};
use super::span::{Mark, Span};
use crate::resources::leave_requests::rules::{Calendar, HalfDays};
use crate::resources::outlets::rules::Overtime;
use crate::resources::shifts::rules::plan::monday;
use chrono::NaiveDate;
use std::collections::{BTreeMap, HashMap};
use tiffin_common::{Cents, Millis, Overflow, Uuid};

const MINUTE_MS: i64 = 60_000;

/// One employee's business date.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TimesheetDay {
    /// Who.
    pub employee_id: Uuid,
    /// Their name.
    pub employee_name: String,
    /// The date: of the CLOCK_IN, and of the planned shift.
    pub business_date: NaiveDate,
    /// What was planned.
    pub scheduled_minutes: i64,
    /// Worked, without breaks. 0 where it needs review.
    pub worked_ms: i64,
    /// On breaks.
    pub break_ms: i64,
    /// How late they came to their shifts, where that was more than the grace.
    pub late_minutes: i64,
    /// How much of the work was overtime.
    pub overtime_ms: i64,
    /// What it pays, by parts.
    pub paid: Paid,
    /// What it pays: the work at the wages that held while it was done, the day's share of a salary, leave and holidays that are paid.
    pub cost: Cents,
    /// Leave and holidays.
    pub off: Off,
    /// Something of it was never ended, or its times run backwards: it counts as nothing until it is corrected.
    pub needs_review: bool,
}

table! {
    /// One attendance, for a timesheet.
    pub struct Attended: attendances {
        /// Who.
        pub employee_id: Uuid,
        /// The date of its CLOCK_IN.
        pub business_date: NaiveDate,
        /// The shift it belongs to.
        pub planned: Option<Planned> => flat,
        /// Its punches.
        pub marks: Vec<Mark> => none,
        /// Whether it counts as nothing until it is corrected.
        pub needs_review: bool => none,
    }
}

/// A planned working shift, for a timesheet.
#[derive(Debug, Clone, Copy)]
pub struct Scheduled {
    /// Whose.
    pub employee_id: Uuid,
    /// The business date it begins on.
    pub business_date: NaiveDate,
    /// How long it is.
    pub minutes: i64,
}

/// What timesheets are made of. Everything since the Monday before the first day wanted: overtime looks at whole weeks.
#[derive(Debug, Default)]
pub struct Facts {
    /// What was attended.
    pub attended: Vec<Attended>,
    /// What was planned.
    pub scheduled: Vec<Scheduled>,
    /// Everybody who ever worked here.
    pub people: HashMap<Uuid, Person>,
    /// Leave that was granted, by whose and which day it takes: how much, and whether it is paid.
    pub leave: HashMap<(Uuid, NaiveDate), (HalfDays, bool)>,
    /// On which days nobody, or somebody, has to work anyway.
    pub calendar: Calendar,
    /// When work is overtime; none: never.
    pub overtime: Option<Overtime>,
    /// Whether holidays are paid to who is paid by the hour.
    pub holidays_paid: bool,
    /// The present business date: what is paid without work is until it.
    pub today: NaiveDate,
    /// So much later is on time.
    pub grace_ms: i64,
}

impl Facts {
    /// Leave and holiday of somebody on a date.
    fn off(&self, employee: Uuid, date: NaiveDate) -> Off {
        let (halves, is_paid) = self.leave.get(&(employee, date)).copied().unwrap_or_default();
        let is_holiday = self.calendar.holidays.contains(&date) && !self.calendar.rests(employee, date);
        match is_paid {
            true => Off { paid: halves, unpaid: HalfDays(0), is_holiday },
            false => Off { paid: HalfDays(0), unpaid: halves, is_holiday },
        }
    }

    /// The days from `from` to `to` of everybody: those with something planned or attended, and those that pay without work.
    fn by_day(
        &self,
        from: NaiveDate,
        to: NaiveDate,
    ) -> Result<BTreeMap<(Uuid, NaiveDate), Day<'_>>, Overflow> {
        let mut by_day: BTreeMap<(Uuid, NaiveDate), Day<'_>> = BTreeMap::new();
        for shift in &self.scheduled {
            let day = by_day.entry((shift.employee_id, shift.business_date)).or_default();
            day.scheduled_minutes = day.scheduled_minutes.checked_add(shift.minutes).ok_or(Overflow)?;
        }
        for attended in &self.attended {
            by_day.entry((attended.employee_id, attended.business_date)).or_default().attended.push(attended);
        }
        let dates = || from.iter_days().take_while(|date| *date <= to.min(self.today));
        for (id, person) in &self.people {
            for date in dates().filter(|date| person.is_employed(*date)) {
                if person.is_salaried(date) || self.off(*id, date) != Off::default() {
                    by_day.entry((*id, date)).or_default();
                }
            }
        }
        Ok(by_day)
    }
}

/// The days from `from` to `to`, by name and date; only those on which something was planned or attended or that pay without work. What
/// goes on counts until `now`.
///
/// # Errors
/// [`Overflow`].
pub fn days(
    facts: &Facts,
    from: NaiveDate,
    to: NaiveDate,
    now: Millis,
) -> Result<Vec<TimesheetDay>, Overflow> {
    let mut week = Week::default();
    let mut list = Vec::new();
    for ((employee_id, date), day) in facts.by_day(from, to)? {
        let (done, stretches) = day.done(facts.grace_ms, now);
        let overtime_ms =
            facts.overtime.map_or(0, |of| week.overtime((employee_id, monday(date)), done.worked_ms, of));
        let Some(person) = facts.people.get(&employee_id).filter(|_| (from..=to).contains(&date)) else {
            continue;
        };
        let (off, has_come) = (facts.off(employee_id, date), date <= facts.today);
        let paid = Dated { date, stretches, overtime_ms, off, has_come, person }
            .paid(facts.overtime, facts.holidays_paid)?;
        list.push(TimesheetDay {
            employee_id,
            employee_name: person.name.clone(),
            business_date: date,
            overtime_ms,
            paid,
            cost: paid.total()?,
            off,
            ..done
        });
    }
    let by_name = |day: &TimesheetDay| (day.employee_name.clone(), day.employee_id, day.business_date);
    list.sort_by_cached_key(by_name);
    Ok(list)
}

#[derive(Default)]
struct Day<'a> {
    scheduled_minutes: i64,
    attended: Vec<&'a Attended>,
}

impl Day<'_> {
    /// The day's work, breaks and lateness, and when it was worked, in order; the rest is the caller's.
    fn done(&self, grace_ms: i64, now: Millis) -> (TimesheetDay, Vec<(Millis, Millis)>) {
        let (mut break_ms, mut needs_review, mut stretches) = (0, false, Vec::new());
        let mut came: BTreeMap<Uuid, (Millis, Millis)> = BTreeMap::new();
        let length = |all: &[(Millis, Millis)]| all.iter().map(|(from, to)| to.since(*from)).sum::<i64>();
        for attended in &self.attended {
            let span = Span::of(&attended.marks);
            if let (Some(planned), Some(first)) = (attended.planned, attended.marks.first()) {
                let (_, earliest) = came.entry(planned.shift_id).or_insert((planned.start, first.at));
                *earliest = first.at.min(*earliest);
            }
            let Some(span) = span.filter(|_| !attended.needs_review) else {
                needs_review = true;
                continue;
            };
            let worked = span.worked(now);
            break_ms += span.length_ms(now) - length(&worked);
            stretches.extend(worked);
        }
        stretches.sort();
        let late = |(start, came): &(Millis, Millis)| {
            let late_ms = came.since(*start);
            if late_ms > grace_ms { late_ms / MINUTE_MS } else { 0 }
        };
        let done = TimesheetDay {
            scheduled_minutes: self.scheduled_minutes,
            worked_ms: length(&stretches),
            break_ms,
            late_minutes: came.values().map(late).sum(),
            needs_review,
            ..TimesheetDay::default()
        };
        (done, stretches)
    }
}

/// The overtime of a week so far: what exceeds the day's limit in each day, or the week's in the week, whichever is more.
#[derive(Default)]
struct Week {
    of: Option<(Uuid, NaiveDate)>,
    worked_ms: i64,
    over_days_ms: i64,
    given_ms: i64,
}

impl Week {
    /// How much of the next day's work is overtime. What neither rule had found before this day is this day's, so nothing is
    /// counted twice and the days add up to the week.
    fn overtime(&mut self, of: (Uuid, NaiveDate), worked_ms: i64, overtime: Overtime) -> i64 {
        if self.of != Some(of) {
            *self = Week { of: Some(of), ..Week::default() };
        }
        let over = |worked_ms: i64, limit: Option<i64>| {
            limit.map_or(0, |minutes| (worked_ms - minutes.saturating_mul(MINUTE_MS)).max(0))
        };
        self.worked_ms += worked_ms;
        self.over_days_ms += over(worked_ms, overtime.daily_minutes);
        let whole = self.over_days_ms.max(over(self.worked_ms, overtime.weekly_minutes));
        let added = whole - self.given_ms;
        self.given_ms = whole;
        added
    }
}

#[cfg(test)]
mod tests {
    use super::super::pay::Wage;
    use super::super::span::tests::{any_day, day};
    use super::super::{EventType, State};
    use super::*;
    use crate::resources::employees::rules::{EmploymentType, Pay, PayBasis};
    use chrono::Days;
    use proptest::prelude::*;
    use tiffin_common::Bps;

    const HOUR_MS: i64 = 60 * MINUTE_MS;
    const DAY_MS: i64 = 9 * HOUR_MS;
    const WEEK_MS: i64 = 48 * HOUR_MS;

    const WHO: Uuid = Uuid::from_u128(1);

    fn date(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    fn at(text: &str) -> Millis {
        text.parse().unwrap()
    }

    fn wage(since: Millis, cents: i64) -> Wage {
        let pay = Pay { hourly: Cents::new(cents), basis: PayBasis::Hourly, monthly: Cents::ZERO };
        Wage { since, date: since.to_utc().date_naive(), pay }
    }

    fn person(wages: Vec<Wage>) -> Person {
        Person {
            name: "Meera".into(),
            code: "EMP01".into(),
            first: date("2020-01-01"),
            last: None,
            employment_type: EmploymentType::FullTime,
            day_minutes: 480,
            wages,
        }
    }

    fn facts(attended: Vec<Attended>, wages: &[(&str, i64)]) -> Facts {
        let wages = wages.iter().map(|(since, cents)| wage(at(since), *cents)).collect();
        let multiplier_bps = Bps::new(20_000);
        Facts {
            attended,
            people: [(WHO, person(wages))].into(),
            overtime: Some(Overtime {
                daily_minutes: Some(540),
                weekly_minutes: Some(2_880),
                multiplier_bps,
            }),
            today: date("2026-12-31"),
            grace_ms: 5 * 60_000,
            ..Facts::default()
        }
    }

    fn worked(day: &str, from: &str, hours: i64) -> Attended {
        let start = at(from);
        let end = start.after(hours * HOUR_MS);
        let marks = [(EventType::ClockIn, start), (EventType::ClockOut, end)];
        let marks = marks.map(|(event, at)| Mark { event, at }).to_vec();
        Attended { employee_id: WHO, business_date: date(day), planned: None, marks, needs_review: false }
    }

    fn overtime(hours: &[i64]) -> Vec<i64> {
        let attended = hours.iter().enumerate().map(|(i, hours)| {
            let day = format!("2026-11-{:02}", 16 + i);
            worked(&day, &format!("{day}T03:00:00Z"), *hours)
        });
        let facts = facts(attended.collect(), &[]);
        let list = days(&facts, date("2026-11-16"), date("2026-11-29"), at("2026-12-31T00:00:00Z")).unwrap();
        list.iter().map(|day| day.overtime_ms / HOUR_MS).collect()
    }

    #[test]
    fn overtime_is_by_day_or_by_week_and_never_both() {
        assert_eq!(overtime(&[10, 9, 8]), [1, 0, 0]);
        assert_eq!(overtime(&[8, 8, 8, 8, 8, 8, 8]), [0, 0, 0, 0, 0, 0, 8]);
        // 3 by days, 12 by the week: 12 in all.
        assert_eq!(overtime(&[12, 8, 8, 8, 8, 8, 8]), [3, 0, 0, 0, 0, 1, 8]);
        // 15 by days, 12 by the week: 15 in all.
        assert_eq!(overtime(&[12, 12, 12, 12, 12]), [3, 3, 3, 3, 3]);
        // A new Monday begins from nothing.
        assert_eq!(overtime(&[8, 8, 8, 8, 8, 8, 0, 8]), [0, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn the_days_before_the_range_count_towards_its_first_week() {
        let attended = (16..22).map(|day| {
            let text = format!("2026-11-{day}");
            worked(&text, &format!("{text}T03:00:00Z"), 9)
        });
        let facts = facts(attended.collect(), &[]);
        let list = days(&facts, date("2026-11-21"), date("2026-11-21"), at("2026-12-31T00:00:00Z")).unwrap();
        assert_eq!(list.iter().map(|day| day.overtime_ms / HOUR_MS).collect::<Vec<_>>(), [6]);
        assert_eq!(monday(date("2026-11-22")), date("2026-11-16"));
        assert_eq!(monday(date("2026-11-16")), date("2026-11-16"));
    }

    #[test]
    fn a_raise_in_the_middle_of_a_shift_splits_it_and_is_rounded_once() {
        let attended = vec![worked("2026-11-16", "2026-11-16T03:00:00Z", 3)];
        let wages = [("2026-01-01T00:00:00Z", 10_001), ("2026-11-16T04:30:00Z", 12_000)];
        let list = days(
            &facts(attended, &wages),
            date("2026-11-16"),
            date("2026-11-16"),
            at("2026-12-01T00:00:00Z"),
        );
        // 1.5 × 100.01 + 1.5 × 120.00 = 330.015
        assert_eq!(list.unwrap()[0].cost, Cents::new(33_002));
        let early = [("2026-11-16T05:00:00Z", 10_000)];
        let attended = vec![worked("2026-11-16", "2026-11-16T03:00:00Z", 3)];
        let list = days(
            &facts(attended, &early),
            date("2026-11-16"),
            date("2026-11-16"),
            at("2026-12-01T00:00:00Z"),
        );
        assert_eq!(list.unwrap()[0].cost, Cents::new(30_000), "the first wage holds before it too");
    }

    #[test]
    fn a_forgotten_clock_out_counts_as_nothing_and_says_so() {
        let forgotten = Attended { needs_review: true, ..worked("2026-11-16", "2026-11-16T03:00:00Z", 8) };
        let other = worked("2026-11-16", "2026-11-16T12:00:00Z", 2);
        let facts = facts(vec![forgotten, other], &[("2026-01-01T00:00:00Z", 10_000)]);
        let list = days(&facts, date("2026-11-16"), date("2026-11-16"), at("2026-12-01T00:00:00Z")).unwrap();
        assert!(list[0].needs_review);
        assert_eq!((list[0].worked_ms, list[0].cost), (2 * HOUR_MS, Cents::new(20_000)));
    }

    #[test]
    fn lateness_is_counted_once_for_a_shift_and_only_past_the_grace() {
        let start = at("2026-11-16T03:00:00Z");
        let planned = Some(Planned { shift_id: Uuid::from_u128(9), start, end: start.after(8 * HOUR_MS) });
        let come = |from: &str| Attended { planned, ..worked("2026-11-16", from, 1) };
        let late = |attended| {
            let facts = facts(attended, &[]);
            let now = at("2026-12-01T00:00:00Z");
            days(&facts, date("2026-11-16"), date("2026-11-16"), now).unwrap()[0].late_minutes
        };
        assert_eq!(late(vec![come("2026-11-16T03:05:00Z")]), 0);
        assert_eq!(late(vec![come("2026-11-16T03:17:59Z")]), 17);
        assert_eq!(late(vec![come("2026-11-16T03:17:59Z"), come("2026-11-16T06:00:00Z")]), 17);
    }

    #[test]
    fn daylight_saving_adds_and_takes_nothing() {
        // Berlin, the night of 25 October 2026 has 25 hours: 22:00 to 06:00 is nine hours of work.
        let night = worked("2026-10-24", "2026-10-24T20:00:00Z", 9);
        let list = days(
            &facts(vec![night], &[]),
            date("2026-10-24"),
            date("2026-10-24"),
            at("2026-12-01T00:00:00Z"),
        );
        assert_eq!(list.unwrap()[0].worked_ms, 9 * HOUR_MS);
    }

    #[test]
    fn who_did_not_come_has_a_day_of_nothing() {
        let scheduled = vec![Scheduled { employee_id: WHO, business_date: date("2026-11-16"), minutes: 480 }];
        let facts = Facts { scheduled, ..facts(Vec::new(), &[]) };
        let list = days(&facts, date("2026-11-16"), date("2026-11-16"), at("2026-12-01T00:00:00Z")).unwrap();
        assert_eq!((list[0].scheduled_minutes, list[0].worked_ms, list[0].needs_review), (480, 0, false));
    }

    proptest! {
        #[test]
        fn the_days_add_up_to_the_whole(
            list in proptest::collection::vec((any_day(), 0u64..14), 0..20),
            wages in proptest::collection::vec((0i64..1_000_000_000, 0i64..50_000), 1..4),
        ) {
            let now = Millis::new(1_100_000_000);
            let monday = date("2026-11-16");
            let attended: Vec<Attended> = list.into_iter().map(|(marks, day)| Attended {
                employee_id: WHO,
                business_date: monday + Days::new(day),
                planned: None,
                marks,
                needs_review: false,
            }).collect();
            let mut wages: Vec<Wage> =
                wages.into_iter().map(|(since, cents)| wage(Millis::new(since), cents)).collect();
            wages.sort_by_key(|wage| wage.since);
            let length: i64 = attended.iter().map(|a| Span::of(&a.marks).unwrap().length_ms(now)).sum();
            let facts = Facts { people: [(WHO, person(wages.clone()))].into(), ..facts(attended, &[]) };
            let all = days(&facts, monday, monday + Days::new(13), now).unwrap();
            prop_assert_eq!(all.iter().map(|d| d.worked_ms + d.break_ms).sum::<i64>(), length);
            let mut weeks: BTreeMap<NaiveDate, (i64, i64, i64)> = BTreeMap::new();
            for day in &all {
                prop_assert!(day.worked_ms >= 0 && day.break_ms >= 0 && day.cost >= Cents::ZERO);
                prop_assert!((0..=day.worked_ms).contains(&day.overtime_ms));
                let week = weeks.entry(super::monday(day.business_date)).or_default();
                week.0 += day.worked_ms;
                week.1 += (day.worked_ms - DAY_MS).max(0);
                week.2 += day.overtime_ms;
                let dearest = wages.iter().map(|wage| 2 * wage.pay.hourly.get()).max().unwrap();
                prop_assert!(i128::from(day.cost.get()) <= i128::from(dearest) * i128::from(day.worked_ms) / i128::from(HOUR_MS) + 1);
            }
            for (worked, over_days, overtime) in weeks.into_values() {
                prop_assert_eq!(overtime, over_days.max(worked - WEEK_MS));
            }
            // Each day asked for alone is the same day.
            for day in &all {
                let alone = days(&facts, day.business_date, day.business_date, now).unwrap();
                prop_assert_eq!(&alone[..], std::slice::from_ref(day));
            }
        }
    }

    #[test]
    fn nothing_is_made_of_a_day_out_of_order() {
        let mut marks = day(1_000, &[(EventType::BreakStart, 5)]);
        marks[1].at = Millis::new(1);
        assert_eq!(
            marks.iter().try_fold(State::Out, |state, mark| state.after(mark.event)),
            Some(State::Break)
        );
        let attended = Attended { marks, ..worked("2026-11-16", "2026-11-16T03:00:00Z", 8) };
        let list = days(
            &facts(vec![attended], &[]),
            date("2026-11-16"),
            date("2026-11-16"),
            at("2026-12-01T00:00:00Z"),
        );
        assert!(list.unwrap()[0].needs_review);
    }
}
