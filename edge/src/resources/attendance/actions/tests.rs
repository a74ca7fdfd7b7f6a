//! Whatever is punched and corrected, in whatever order: nobody is in two places, and the timesheet is the sum of the stays.

use super::*;
use crate::access::Role;
use crate::db::DbError;
use crate::http::Paging;
use crate::resources::attendance::rules::AttendanceError;
use crate::resources::auth::rules::ApproverPin;
use crate::resources::employees;
use crate::resources::employees::rules::EmployeeRecord;
use crate::resources::outlets;
use crate::testing::Fixture;
use proptest::prelude::*;
use tiffin_common::Uuid;

#[derive(Debug, Clone)]
enum Step {
    Punch(usize, EventType),
    /// Which record, to how many minutes ago.
    Correct(i64, i64),
    /// Whose, what, how many minutes ago.
    Add(usize, EventType, i64),
}

fn any_event() -> impl Strategy<Value = EventType> {
    proptest::sample::select(EventType::ALL)
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0usize..2, any_event()).prop_map(|(who, event)| Step::Punch(who, event)),
        2 => (0i64..40, 0i64..1_000).prop_map(|(which, ago)| Step::Correct(which, ago)),
        2 => (0usize..2, any_event(), 0i64..3_000).prop_map(|(who, event, ago)| Step::Add(who, event, ago)),
    ]
}

fn now(fixture: &Fixture) -> Millis {
    fixture.db.env().clock.now()
}

fn staff(fixture: &Fixture) -> Vec<Employee> {
    ["E1", "E2"]
        .map(|code| {
            fixture
                .write(move |tx, actor| {
                    employees::actions::hire(tx, actor, EmployeeRecord::new(code, code, "Cook"))
                })
                .unwrap()
        })
        .to_vec()
}

/// Carries out a step; a refusal must be one that tells the client why.
fn take(fixture: &Fixture, staff: &[Employee], step: &Step) {
    let manager = fixture.actor_as(Role::Manager);
    let none = ApproverPin::none();
    let minutes_ago = |ago: i64| now(fixture).after(-ago * 60_000);
    let outcome = match step.clone() {
        Step::Punch(who, event) => {
            let employee = staff[who].clone();
            fixture.db.write_blocking(move |tx| punch(tx, &manager, &employee, event).map(drop))
        }
        Step::Correct(which, ago) => {
            let time = minutes_ago(ago);
            fixture.db.write_blocking(move |tx| {
                let sql = "SELECT id FROM attendance_records ORDER BY id LIMIT 1 OFFSET ?1";
                let found: Option<Uuid> = crate::db::opt(tx, sql, [which], |row| row.get(0))?;
                found.map_or(Ok(()), |id| correct(tx, &manager, id, time, "x", &none).map(drop))
            })
        }
        Step::Add(who, event, ago) => {
            let added =
                Added { employee_id: staff[who].id, event, time: minutes_ago(ago), reason: "x".into() };
            fixture.db.write_blocking(move |tx| add(tx, &manager, &added, &none).map(drop))
        }
    };
    let told = matches!(outcome, Ok(()) | Err(AttendanceError::Order { .. } | AttendanceError::Invalid(_)));
    assert!(told, "{step:?}: {outcome:?}");
}

fn check(fixture: &Fixture) {
    let overlapping = "SELECT count(*) FROM attendances a JOIN attendances b ON b.employee_id = a.employee_id AND b.id <> a.id
      WHERE a.ended_at IS NOT NULL AND b.started_at > a.started_at AND b.started_at < a.ended_at";
    assert_eq!(fixture.number(overlapping), 0, "two stays at once");
    let spoilt =
        "SELECT count(*) FROM attendances WHERE is_disordered OR (state = 'OUT') <> (ended_at IS NOT NULL)";
    assert_eq!(fixture.number(spoilt), 0);
    let orphans = "SELECT count(*) FROM attendances a WHERE NOT EXISTS
      (SELECT 1 FROM attendance_records r WHERE r.attendance_id = a.id AND r.event_type = 'CLOCK_IN' AND r.effective_at = a.started_at)";
    assert_eq!(fixture.number(orphans), 0, "a stay begins with its CLOCK_IN");
    let (id, now) = (fixture.outlet_id, now(fixture));
    let (days, present) = fixture
        .db
        .read_blocking(|conn| -> Result<_, DbError> {
            let outlet = outlets::store::find(conn, id)?;
            let (from, to) = ("2026-11-01".parse().unwrap(), "2026-12-31".parse().unwrap());
            let days = store::list_timesheet_days(conn, &outlet, from, to, now)?;
            Ok((days, store::list_present(conn, id, now, Paging::default())?.items))
        })
        .unwrap();
    let mut at_work: Vec<Uuid> = present.iter().map(|p| p.attendance.employee_id).collect();
    at_work.sort();
    at_work.dedup();
    assert_eq!(at_work.len(), present.len(), "nobody is at work twice");
    let ended = fixture.number("SELECT coalesce(sum(ended_at - started_at), 0) FROM attendances");
    let going_on: i64 = present.iter().map(|p| now.since(p.attendance.started_at)).sum();
    let counted: i64 = days.iter().map(|day| day.worked_ms + day.break_ms).sum();
    assert_eq!(counted, ended + going_on);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn whatever_is_punched_and_corrected_adds_up(steps in proptest::collection::vec((any_step(), 0i64..400), 1..40)) {
        let fixture = Fixture::new();
        let staff = staff(&fixture);
        for (step, wait) in &steps {
            fixture.clock.advance(wait * 60_000);
            take(&fixture, &staff, step);
            check(&fixture);
        }
    }
}
