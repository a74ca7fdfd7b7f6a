//! Tests of what can happen to staff records.

use super::*;
use crate::access::{Role, hashing};
use crate::db::{self, Source};
use crate::http::Stale;
use crate::resources::employees::rules::EmployeeStatus;
use crate::testing::Fixture;
use tiffin_common::Cents;

/// Nobody has a shift here.
fn stays(_: &Tx<'_>, _: &Actor, _: Uuid, _: NaiveDate) -> std::result::Result<(), DbError> {
    Ok(())
}

fn record(code: &str) -> EmployeeRecord {
    EmployeeRecord { hourly_rate: Cents::new(13_000), ..EmployeeRecord::new(code, "Meera Nair", "Cashier") }
}

fn pin(fixture: &Fixture, digits: &str) -> PinHash {
    hashing::pin(digits, fixture.outlet_id, &[1; 32]).unwrap()
}

#[test]
fn codes_are_unique_and_given_when_absent() {
    let fixture = Fixture::new();
    let first = fixture.write(|tx, actor| hire(tx, actor, record(""))).unwrap();
    assert_eq!(first.record.employee_code, "EMP01");
    let again = fixture.write(|tx, actor| hire(tx, actor, record("EMP01")));
    assert!(
        matches!(again, Err(EmployeeError::Db(DbError::Taken { column, .. })) if column == "employee_code")
    );
    fixture.write(|tx, actor| hire(tx, actor, record("EMP02"))).unwrap();
    let third = fixture.write(|tx, actor| hire(tx, actor, record(" "))).unwrap();
    assert_eq!(third.record.employee_code, "EMP03");
}

#[test]
fn every_wage_is_kept() {
    let fixture = Fixture::new();
    let id = fixture.write(|tx, actor| hire(tx, actor, record("E1"))).unwrap().id;
    let raise = |record| EmployeeRecord { hourly_rate: Cents::new(15_000), ..record };
    fixture.write(move |tx, actor| change(tx, actor, id, Some(1), raise, stays)).unwrap();
    let same = |record| EmployeeRecord { station: Some("Pass".into()), ..record };
    fixture.write(move |tx, actor| change(tx, actor, id, Some(2), same, stays)).unwrap();
    assert_eq!(fixture.number("SELECT count(*) FROM employee_wages"), 2);
    let stale = fixture.write(move |tx, actor| change(tx, actor, id, Some(2), raise, stays));
    assert!(matches!(stale, Err(EmployeeError::Stale(Stale(3)))));
}

#[test]
fn a_pin_is_unique_in_the_outlet_and_free_again_when_somebody_leaves() {
    let fixture = Fixture::new();
    let [a, b] =
        ["E1", "E2"].map(|code| fixture.write(move |tx, actor| hire(tx, actor, record(code))).unwrap().id);
    let hash = pin(&fixture, "2580");
    let outlet = fixture.outlet_id;
    assert!(fixture.write(move |tx, actor| set_pin(tx, actor, a, None, &hash)).unwrap().has_pin);
    let taken = fixture.write(move |tx, actor| set_pin(tx, actor, b, None, &hash));
    assert!(matches!(taken, Err(EmployeeError::PinTaken)));

    let gone = fixture.write(move |tx, actor| archive(tx, actor, a, None, stays)).unwrap();
    assert_eq!((gone.record.status, gone.has_pin), (EmployeeStatus::Ended, false));
    assert!(gone.record.ended_on.is_some());
    let look = move |conn: &dyn Source| -> db::Result<_> {
        Ok((store::find(conn, outlet, a)?, store::find_by_pin(conn, outlet, &hash)?.map(|e| e.id)))
    };
    let (record, holder) = fixture.db.read_blocking(look).unwrap();
    assert!(record.is_none() && holder.is_none());
    fixture.write(move |tx, actor| set_pin(tx, actor, b, None, &hash)).unwrap();
    assert_eq!(fixture.db.read_blocking(look).unwrap().1, Some(b));
}

#[test]
fn another_outlets_employee_is_not_there() {
    let fixture = Fixture::new();
    let id = fixture.write(|tx, actor| hire(tx, actor, record("E1"))).unwrap().id;
    let there = Actor::system(fixture.second_outlet());
    let found = fixture.db.write_blocking(move |tx| archive(tx, &there, id, None, stays));
    assert!(matches!(found, Err(EmployeeError::NotFound("employee"))));
}

#[test]
fn nobody_touches_the_pin_of_somebody_who_is_not_below_them() {
    let fixture = Fixture::new();
    let id = fixture.write(|tx, actor| hire(tx, actor, record("E1"))).unwrap().id;
    fixture
        .write(move |tx, actor| -> db::Result<_> {
            let sql = "INSERT INTO accounts (id, outlet_id, email, name, password_hash, role, employee_id, created_at, updated_at)
                       VALUES (?1, ?2, 'o@x.test', 'Owner', '', 'OWNER', ?3, 0, 0)";
            tx.execute(sql, rusqlite::params![tx.new_id(), actor.outlet_id, id])
        })
        .unwrap();
    let hash = pin(&fixture, "2580");
    let manager = fixture.actor_as(Role::Manager);
    let refused = fixture.db.write_blocking(move |tx| set_pin(tx, &manager, id, None, &hash));
    assert!(matches!(refused, Err(EmployeeError::NotBelow)));
    let peer = fixture.actor_as(Role::Owner);
    let refused = fixture.db.write_blocking(move |tx| set_pin(tx, &peer, id, None, &hash));
    assert!(matches!(refused, Err(EmployeeError::NotBelow)));
    let own = Actor { employee_id: Some(id), ..fixture.actor_as(Role::Owner) };
    assert!(fixture.db.write_blocking(move |tx| set_pin(tx, &own, id, None, &hash)).is_ok());
}
