//! Tests of what can happen to the roster. The property: whatever planners and staff do in whatever order, nobody is ever in
//! two places at once, works on a day off, or on leave; over the night the clock is put back, too.

use super::*;
use crate::access::Role;
use crate::db::{DbError, Source};
use crate::resources::employees::rules::EmployeeRecord;
use crate::resources::employees::{self, rules::EmployeeError};
use crate::resources::leave_requests::rules::{LeaveDays, LeaveError, LeaveType};
use crate::resources::leave_requests::{self, store::list_absences as absences};
use crate::resources::outlets::rules::{NewOutlet, Settings};
use crate::resources::shifts::rules::plan::WarningCode;
use crate::resources::shifts::rules::swap::SwapKind;
use crate::resources::shifts::rules::{ShiftDraft, ShiftStatus, ShiftType};
use crate::testing::Fixture;
use proptest::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;
use tiffin_common::clock::ManualClock;

/// An outlet in Berlin on Monday 2026-10-12, with three employees.
struct House {
    fixture: Fixture,
    actor: Actor,
    staff: Vec<Uuid>,
}

impl House {
    fn open() -> House {
        let fixture = Fixture::new();
        let clock: &Arc<ManualClock> = &fixture.clock;
        clock.set("2026-10-12T09:00:00.000Z".parse().unwrap());
        let new = NewOutlet { settings: Settings::new("Europe/Berlin", "EUR"), ..NewOutlet::sample("BER1") };
        let outlet = fixture.write(move |tx, actor| outlets::actions::create(tx, actor, new)).unwrap().id;
        let actor = Actor::system(outlet);
        let mut house = House { fixture, actor, staff: Vec::new() };
        for code in ["E1", "E2", "E3"] {
            let hired = house.write(move |tx, actor| {
                employees::actions::hire(tx, actor, EmployeeRecord::new(code, code, "Cook"))
            });
            house.staff.push(hired.map_err(|error: EmployeeError| error.to_string()).unwrap().id);
        }
        house
    }

    fn write<T, E>(
        &self,
        change: impl FnOnce(&Tx<'_>, &Actor) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<DbError> + Send + 'static,
    {
        let actor = self.actor.clone();
        self.fixture.db.write_blocking(move |tx| change(tx, &actor))
    }

    fn plan(&self, who: usize, day: &str, times: &str) -> Result<Planned, ShiftError> {
        let draft = draft(self.staff[who], date(day), times);
        self.write(move |tx, actor| create(tx, actor, draft, absences))
    }

    fn publish(&self) -> Published {
        self.write(|tx, actor| publish(tx, actor, date("2026-10-12"), date("2026-11-08"))).unwrap()
    }

    fn shifts(&self) -> Vec<Shift> {
        let outlet = self.actor.outlet_id;
        let look = move |conn: &dyn Source| {
            store::list_between(conn, outlet, date("2026-01-01"), date("2026-12-31"))
        };
        self.fixture.db.read_blocking(look).unwrap()
    }

    fn swap(&self, wish: SwapRequest) -> Result<(Swap, Vec<Warning>), ShiftError> {
        let swap = self.write(move |tx, actor| request(tx, actor, wish, absences))?.id;
        self.write(move |tx, actor| accept(tx, actor, swap))?;
        self.write(move |tx, actor| approve(tx, actor, swap, absences))
    }

    fn leave(&self, who: usize, from: NaiveDate, to: NaiveDate, is_half: bool) -> Result<(), LeaveError> {
        let wish = leave_requests::actions::LeaveRequest {
            employee_id: Some(self.staff[who]),
            leave_type: LeaveType::Other,
            days: LeaveDays { from, to, is_half },
            reason: "x".into(),
        };
        self.write(move |tx, actor| {
            let asked = leave_requests::actions::request(tx, actor, wish)?;
            leave_requests::actions::approve(
                tx,
                actor,
                asked.id,
                None,
                (false, |_, _, _, _, _| Ok(Vec::new())),
            )
            .map(drop)
        })
    }

    /// Fails unless nobody is in two places at once, works on a day off or on leave.
    fn audit(&self) {
        let shifts = self.shifts();
        let mut by_employee: HashMap<Uuid, Vec<&Shift>> = HashMap::new();
        shifts.iter().for_each(|shift| by_employee.entry(shift.employee_id).or_default().push(shift));
        for (employee, theirs) in by_employee {
            let mut spans: Vec<_> =
                theirs.iter().filter_map(|shift| shift.span(chrono_tz::Europe::Berlin)).collect();
            spans.sort_by_key(|span| span.start);
            assert!(spans.iter().all(|span| span.length_ms() > 0));
            assert!(spans.windows(2).all(|pair| pair[0].end <= pair[1].start), "{theirs:#?}");
            for off in theirs.iter().filter(|shift| !shift.is_work()) {
                let beside = theirs.iter().filter(|shift| shift.date == off.date).count();
                assert_eq!(beside, 1, "{theirs:#?}");
            }
            let (outlet, dates) = (self.actor.outlet_id, (date("2026-01-01"), date("2026-12-31")));
            let away = self
                .fixture
                .db
                .read_blocking(move |conn| absences(conn, outlet, Some(employee), dates.0, dates.1));
            let away = away.unwrap();
            let at_work = theirs.iter().filter(|shift| shift.is_work());
            let both = at_work.filter(|shift| Absence::on(&away, employee, shift.date).is_some()).count();
            assert_eq!(both, 0, "{theirs:#?} {away:#?}");
        }
    }
}

fn date(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn draft(employee: Uuid, date: NaiveDate, times: &str) -> ShiftDraft {
    let kind = if times == "OFF" { ShiftType::Off } else { ShiftType::Evening };
    let (start, end) = times.split_once('-').unwrap_or_default();
    let (start_time, end_time) = (start.parse().ok(), end.parse().ok());
    ShiftDraft { start_time, end_time, ..ShiftDraft::new(employee, date, kind) }
}

#[track_caller]
fn fields<T: std::fmt::Debug>(outcome: Result<T, ShiftError>) -> Vec<String> {
    match outcome {
        Err(ShiftError::Invalid(fields) | ShiftError::Conflict(fields)) => {
            fields.into_iter().map(|field| field.name).collect()
        }
        other => panic!("not refused: {other:?}"),
    }
}

#[test]
fn a_shift_takes_the_outlets_times_and_warns() {
    let house = House::open();
    let kinds = [ShiftType::Morning, ShiftType::Evening, ShiftType::Night];
    for (day, kind) in ["2026-10-13", "2026-10-14", "2026-10-15"].into_iter().zip(kinds) {
        let draft = ShiftDraft::new(house.staff[0], date(day), kind);
        assert!(
            house.write(move |tx, actor| create(tx, actor, draft, absences)).unwrap().warnings.is_empty()
        );
    }
    let times: Vec<String> = house.shifts().iter().map(Shift::describe).collect();
    assert_eq!(times[2], "NIGHT shift 23:00–07:00 on 2026-10-15");
    let early = house.plan(0, "2026-10-16", "12:00-22:00").unwrap();
    let codes: Vec<WarningCode> = early.warnings.iter().map(|warning| warning.code).collect();
    assert_eq!(codes, [WarningCode::Overtime, WarningCode::ShortRest]);
    assert_eq!(fields(house.plan(0, "2026-10-16", "06:00-09:00")), ["startTime"]);
    assert_eq!(fields(house.plan(0, "2026-10-16", "OFF")), ["shiftType"]);
    let stranger = draft(Uuid::nil(), date("2026-10-16"), "09:00-12:00");
    assert_eq!(fields(house.write(move |tx, actor| create(tx, actor, stranger, absences))), ["employeeId"]);
    assert_eq!(fields(house.plan(0, "2026-03-29", "02:00-02:30")), ["endTime"], "the clock leaves them out");
}

#[test]
fn leave_refuses_shifts_and_turns_them_off() {
    let house = House::open();
    for times in ["09:00-12:00", "18:00-22:00"] {
        house.plan(0, "2026-10-20", times).unwrap();
    }
    house.plan(0, "2026-10-21", "OFF").unwrap();
    house.leave(0, date("2026-10-19"), date("2026-10-21"), false).unwrap();
    let left: Vec<String> = house.shifts().iter().map(Shift::describe).collect();
    assert_eq!(left, ["day off on 2026-10-20", "day off on 2026-10-21"]);
    assert_eq!(fields(house.plan(0, "2026-10-19", "09:00-12:00")), ["date"]);
    house.plan(0, "2026-10-22", "09:00-12:00").unwrap();
    house.leave(0, date("2026-10-22"), date("2026-10-22"), true).unwrap();
    assert_eq!(house.shifts().len(), 3, "half a day leaves the shift to the planner");
}

#[test]
fn a_week_is_copied_but_for_what_does_not_fit() {
    let house = House::open();
    house.plan(0, "2026-10-13", "09:00-17:00").unwrap();
    house.plan(0, "2026-10-14", "OFF").unwrap();
    house.plan(1, "2026-10-18", "23:00-07:00").unwrap();
    house.plan(1, "2026-10-26", "06:00-08:00").unwrap();
    house.leave(0, date("2026-10-20"), date("2026-10-20"), false).unwrap();
    let copy = |overwrite| {
        house.write(move |tx, actor| {
            copy_week(tx, actor, (date("2026-10-12"), date("2026-10-19")), overwrite, absences)
        })
    };
    let done = copy(false).unwrap();
    let reasons: Vec<&str> = done.skipped.iter().map(|skipped| skipped.reason.as_str()).collect();
    assert_eq!(done.copied, 1);
    assert_eq!(reasons[0], "the employee is on OTHER leave from 2026-10-20 to 2026-10-20");
    assert!(reasons[1].starts_with("clashes with the employee's EVENING shift 06:00–08:00 on 2026-10-26"));
    assert_eq!(copy(false).unwrap().copied, 0, "what is there already is not there twice");
    let again = copy(true).unwrap();
    assert_eq!((again.copied, again.removed), (1, 1));
    house.publish();
    assert_eq!(copy(true).unwrap().removed, 0, "what is published stays");
    let tuesday = (date("2026-10-13"), date("2026-10-12"));
    let bad = house.write(move |tx, actor| copy_week(tx, actor, tuesday, false, absences));
    assert_eq!(fields(bad), ["fromWeekStart"]);
}

#[test]
fn shifts_change_hands_only_when_everybody_has_agreed() {
    let house = House::open();
    let mine = house.plan(0, "2026-10-20", "09:00-17:00").unwrap().shift;
    let theirs = house.plan(1, "2026-10-20", "OFF").unwrap().shift;
    let wish = move |to: Uuid, kind: SwapKind, to_shift: Option<Uuid>| SwapRequest {
        kind,
        from_shift_id: mine.id,
        to_employee_id: to,
        to_shift_id: to_shift,
        note: None,
    };
    let (a, b, c) = (house.staff[0], house.staff[1], house.staff[2]);
    let give = move |to| wish(to, SwapKind::GiveAway, None);
    assert_eq!(fields(house.swap(give(b))), ["fromShiftId"], "a draft");
    house.publish();
    assert_eq!(fields(house.swap(give(a))), ["toEmployeeId"], "oneself");
    assert_eq!(fields(house.swap(give(b))), ["toEmployeeId"], "b has the day off");
    assert_eq!(fields(house.swap(wish(b, SwapKind::Swap, None))), ["toShiftId"]);

    let waiter = Actor { employee_id: Some(c), role: Some(Role::Waiter), ..house.actor.clone() };
    let refused = house.fixture.db.write_blocking(move |tx| request(tx, &waiter, give(b), absences));
    assert!(matches!(refused, Err(ShiftError::Forbidden(_))), "somebody else's shift");
    let (swap, _) = house.swap(wish(b, SwapKind::Swap, Some(theirs.id))).unwrap();
    assert_eq!(swap.status, SwapStatus::Approved);
    let holders: HashMap<Uuid, Uuid> = house.shifts().iter().map(|s| (s.id, s.employee_id)).collect();
    assert_eq!((holders[&mine.id], holders[&theirs.id]), (b, a));
    let again = house.write(move |tx, actor| approve(tx, actor, swap.id, absences));
    assert!(matches!(again, Err(ShiftError::Transition(_))));

    // One open swap per shift; it ends when the shift changes, not when a word about it does.
    let back = house.write(move |tx, actor| request(tx, actor, give(c), absences)).unwrap();
    assert_eq!(fields(house.swap(give(c))), ["fromShiftId"]);
    let station = |shift: &Shift| ShiftDraft { station: Some("Pass".into()), ..shift.draft.clone() };
    house.write(move |tx, actor| change(tx, actor, mine.id, None, station, absences)).unwrap();
    let back = back.id;
    house.write(move |tx, actor| accept(tx, actor, back)).unwrap();
    let later = |shift: &Shift| ShiftDraft { end_time: "18:00".parse().ok(), ..shift.draft.clone() };
    let changed = house.write(move |tx, actor| change(tx, actor, mine.id, Some(4), later, absences)).unwrap();
    assert_eq!(changed.shift.status, ShiftStatus::Published);
    let ended = house.write(move |tx, actor| approve(tx, actor, back, absences));
    assert!(matches!(ended, Err(ShiftError::Transition(_))));
    house.fixture.clock.set("2026-10-20T08:00:00.000Z".parse().unwrap());
    assert_eq!(fields(house.swap(give(c))), ["fromShiftId"], "it has begun");
    assert_eq!(house.fixture.number("SELECT count(*) FROM audit_log WHERE action = 'shift_swap.approve'"), 1);
}

/// One thing somebody does; most of it is refused.
#[derive(Debug, Clone)]
enum Step {
    Plan { who: usize, day: u64, times: (u32, u32), off: bool },
    Change { nth: usize, who: Option<usize>, days: u64, times: (u32, u32), off: bool },
    Remove { nth: usize },
    Copy { from: u64, to: u64, overwrite: bool },
    Publish,
    Swap { from: usize, to: usize, give: bool },
    Leave { who: usize, day: u64, more: u64, half: bool },
}

fn step() -> impl Strategy<Value = Step> {
    let times = || (0u32..48, 0u32..48);
    prop_oneof![
        8 => (0usize..3, 0u64..21, times(), prop::bool::weighted(0.2))
            .prop_map(|(who, day, times, off)| Step::Plan { who, day, times, off }),
        4 => (any::<usize>(), prop::option::of(0usize..3), 0u64..21, times(), prop::bool::weighted(0.2))
            .prop_map(|(nth, who, days, times, off)| Step::Change { nth, who, days, times, off }),
        1 => any::<usize>().prop_map(|nth| Step::Remove { nth }),
        2 => (0u64..3, 0u64..3, any::<bool>()).prop_map(|(from, to, overwrite)| Step::Copy { from, to, overwrite }),
        1 => Just(Step::Publish),
        5 => (any::<usize>(), any::<usize>(), any::<bool>()).prop_map(|(from, to, give)| Step::Swap { from, to, give }),
        1 => (0usize..3, 0u64..21, 0u64..3, any::<bool>())
            .prop_map(|(who, day, more, half)| Step::Leave { who, day, more, half }),
    ]
}

impl Step {
    fn run(self, house: &House) {
        // Three weeks with the night of 2026-10-25 in them.
        let day = |n: u64| date("2026-10-13") + chrono::Days::new(n);
        let clock = |half_hours: u32| format!("{:02}:{:02}", half_hours / 2, half_hours % 2 * 30);
        let text = |(from, to): (u32, u32), off: bool| {
            if off { "OFF".to_owned() } else { format!("{}-{}", clock(from), clock(to)) }
        };
        let shifts = house.shifts();
        let at = |nth: usize| shifts.get(nth % shifts.len().max(1)).cloned();
        // What is refused is refused; the audit tells whether it should have been.
        match self {
            Step::Plan { who, day: n, times, off } => {
                let draft = draft(house.staff[who], day(n), &text(times, off));
                drop(house.write(move |tx, actor| create(tx, actor, draft, absences)));
            }
            Step::Change { nth, who, days, times, off } => {
                let Some(shift) = at(nth) else { return };
                let employee = who.map_or(shift.employee_id, |who| house.staff[who]);
                let draft = draft(employee, day(days), &text(times, off));
                drop(house.write(move |tx, actor| change(tx, actor, shift.id, None, |_| draft, absences)));
            }
            Step::Remove { nth } => {
                let Some(shift) = at(nth) else { return };
                drop(house.write(move |tx, actor| remove(tx, actor, shift.id, None)));
            }
            Step::Copy { from, to, overwrite } => {
                let monday = |week: u64| date("2026-10-12") + chrono::Days::new(week * 7);
                let weeks = (monday(from), monday(to));
                drop(house.write(move |tx, actor| copy_week(tx, actor, weeks, overwrite, absences)));
            }
            Step::Publish => drop(house.publish()),
            Step::Swap { from, to, give } => {
                let (Some(from), Some(to)) = (at(from), at(to)) else { return };
                let kind = if give { SwapKind::GiveAway } else { SwapKind::Swap };
                drop(house.swap(SwapRequest {
                    kind,
                    from_shift_id: from.id,
                    to_employee_id: to.employee_id,
                    to_shift_id: (!give).then_some(to.id),
                    note: None,
                }));
            }
            Step::Leave { who, day: n, more, half } => {
                let to = if half { day(n) } else { day(n + more) };
                drop(house.leave(who, day(n), to, half));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn nobody_is_ever_in_two_places_at_once(steps in prop::collection::vec(step(), 1..60)) {
        let house = House::open();
        for step in steps {
            step.run(&house);
            house.audit();
        }
    }
}
