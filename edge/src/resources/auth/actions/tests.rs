//! Accounts, devices and approvals against a real store.

use super::super::rules::{ApproverPin, AuthError, EnteredPin, NewAccount, PINS, RETRY_MS, Result, Throttle};
use super::super::store;
use super::*;
use crate::access::{Actor, Permission, PinHash, Revocations, Role, hashing};
use crate::db::{DbError, Source, Tx, one};
use crate::resources::employees;
use crate::resources::employees::rules::EmployeeRecord;
use crate::testing::Fixture;
use std::net::{IpAddr, Ipv4Addr};
use tiffin_common::{Clock, Uuid};

const KEY: [u8; 32] = [9; 32];
const NO_CODE: Second<'_> = Second { code: None, sealing_key: &KEY };
const HASH: &str = "$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAA$AAAAAAAAAAAAAAAA";

fn account(fixture: &Fixture, role: Role, employee_id: Option<Uuid>) -> Account {
    let outlet = fixture.outlet_id;
    fixture
        .write(move |tx, actor| {
            let new = NewAccount {
                email: format!("{}@Sample.test", role.name()),
                name: role.name().to_owned(),
                role,
                password_hash: HASH.into(),
                employee_id,
                outlets: vec![outlet],
            };
            create_account(tx, actor, new)
        })
        .unwrap()
}

fn employee(fixture: &Fixture, code: &'static str, pin: Option<PinHash>) -> Uuid {
    fixture
        .write(move |tx, actor| {
            let made = employees::actions::hire(tx, actor, EmployeeRecord::new(code, code, "Staff"))?;
            match pin {
                Some(pin) => employees::actions::set_pin(tx, actor, made.id, None, &pin).map(|e| e.id),
                None => Ok(made.id),
            }
        })
        .unwrap()
}

fn at_desk() -> Client {
    Client { ip: IpAddr::V4(Ipv4Addr::LOCALHOST), device_name: Some("Till 1".into()) }
}

fn try_sign_in(fixture: &Fixture, email: &'static str, verified: Option<&'static str>) -> SignIn {
    fixture.write(move |tx, _| sign_in(tx, email, &at_desk(), verified, NO_CODE)).unwrap()
}

fn signed_in(fixture: &Fixture, email: &'static str) -> (Uuid, String) {
    match try_sign_in(fixture, email, Some(HASH)) {
        SignIn::Done(device) => (device.session_id, device.refresh_token),
        other => panic!("{other:?}"),
    }
}

fn renew(fixture: &Fixture, token: &str) -> Renewal {
    let token = token.to_owned();
    fixture.write(move |tx, _| refresh(tx, &token, &KEY)).unwrap()
}

fn renewed(fixture: &Fixture, token: &str) -> String {
    match renew(fixture, token) {
        Renewal::Done(device) => device.refresh_token,
        other => panic!("{other:?}"),
    }
}

fn set_up() -> Fixture {
    Fixture::new()
}

#[test]
fn five_wrong_passwords_lock_for_a_quarter_of_an_hour_and_outlast_a_right_one() {
    let fixture = set_up();
    account(&fixture, Role::Cashier, None);
    for _ in 0..5 {
        assert!(matches!(try_sign_in(&fixture, "cashier@sample.test", None), SignIn::Wrong));
    }
    assert!(matches!(try_sign_in(&fixture, "CASHIER@sample.test", Some(HASH)), SignIn::Locked(900)));
    assert_eq!(fixture.number("SELECT count(*) FROM audit_log WHERE action = 'auth.login_failed'"), 4);
    assert_eq!(fixture.number("SELECT count(*) FROM audit_log WHERE action = 'auth.login_locked'"), 1);
    fixture.clock.advance(900_000);
    signed_in(&fixture, "cashier@sample.test");
    assert_eq!(fixture.number("SELECT count(*) FROM throttles"), 0);
}

#[test]
fn an_unknown_email_is_throttled_and_recorded_like_a_known_one() {
    let fixture = set_up();
    for _ in 0..5 {
        assert!(matches!(try_sign_in(&fixture, "nobody@sample.test", None), SignIn::Wrong));
    }
    assert!(matches!(try_sign_in(&fixture, "nobody@sample.test", None), SignIn::Locked(_)));
    assert_eq!(fixture.number("SELECT count(*) FROM audit_log WHERE action = 'auth.login_locked'"), 1);
    assert_eq!(fixture.number("SELECT count(*) FROM throttles WHERE key LIKE '%nobody%'"), 0);
}

#[test]
fn a_password_that_was_changed_while_it_was_checked_no_longer_signs_in() {
    let fixture = set_up();
    let id = account(&fixture, Role::Cashier, None).id;
    fixture.write(move |tx, actor| set_password(tx, actor, id, "another", None)).unwrap();
    assert!(matches!(try_sign_in(&fixture, "cashier@sample.test", Some(HASH)), SignIn::Wrong));
}

#[test]
fn a_lost_answer_to_a_refresh_can_be_had_again() {
    let fixture = set_up();
    account(&fixture, Role::Cashier, None);
    let (_, first) = signed_in(&fixture, "cashier@sample.test");
    let second = renewed(&fixture, &first);
    fixture.clock.advance(RETRY_MS);
    assert_eq!(renewed(&fixture, &first), second);
    let third = renewed(&fixture, &second);
    assert_ne!(third, second);
    assert_eq!(fixture.number("SELECT count(*) FROM refresh_tokens"), 3);
}

#[test]
fn a_spent_token_signs_the_family_out() {
    let fixture = set_up();
    account(&fixture, Role::Cashier, None);
    let (session, first) = signed_in(&fixture, "cashier@sample.test");
    let second = renewed(&fixture, &first);
    let third = renewed(&fixture, &second);
    // Within the ten seconds, but not the immediate predecessor any more.
    assert!(matches!(renew(&fixture, &first), Renewal::Reused(id) if id == session));
    assert!(matches!(renew(&fixture, &third), Renewal::Refused));
    assert_eq!(fixture.number("SELECT count(*) FROM audit_log WHERE action = 'auth.refresh_reused'"), 1);
    // A stolen successor needs the sealing key.
    let (_, first) = signed_in(&fixture, "cashier@sample.test");
    renewed(&fixture, &first);
    let guessed = fixture.write(move |tx, _| refresh(tx, &first, &[8; 32])).unwrap();
    let Renewal::Done(Device { refresh_token, .. }) = guessed else { panic!("{guessed:?}") };
    assert!(matches!(renew(&fixture, &refresh_token), Renewal::Refused));
}

#[test]
fn a_signed_out_device_stays_signed_out() {
    let fixture = set_up();
    account(&fixture, Role::Cashier, None);
    let (session, first) = signed_in(&fixture, "cashier@sample.test");
    let token = first.clone();
    assert_eq!(fixture.write(move |tx, _| sign_out(tx, &token)).unwrap(), Some(session));
    assert!(matches!(renew(&fixture, &first), Renewal::Refused));
    assert!(matches!(renew(&fixture, "nonsense"), Renewal::Refused));
    let revocations = Revocations::default();
    let now = fixture.clock.now();
    fixture.db.read_blocking(|conn| recall(conn, &revocations, now)).unwrap();
    assert!(revocations.is_revoked(session, now));
}

#[test]
fn whoever_has_left_cannot_sign_in_or_stay_signed_in() {
    let fixture = set_up();
    let employee = employee(&fixture, "E1", None);
    let id = account(&fixture, Role::Cashier, Some(employee)).id;
    let (_, token) = signed_in(&fixture, "cashier@sample.test");
    fixture
        .write(move |tx, actor| employees::actions::archive(tx, actor, employee, None, |_, _, _, _| Ok(())))
        .unwrap();
    assert!(matches!(try_sign_in(&fixture, "cashier@sample.test", Some(HASH)), SignIn::Wrong));
    assert!(matches!(renew(&fixture, &token), Renewal::Refused));
    let (revocations, now) = (Revocations::default(), fixture.clock.now());
    fixture.db.read_blocking(|conn| recall(conn, &revocations, now)).unwrap();
    assert!(revocations.is_revoked(id, now));
}

#[test]
fn a_reset_code_works_once_and_signs_every_device_out() {
    let fixture = set_up();
    let of = employee(&fixture, "E1", None);
    account(&fixture, Role::Cashier, Some(of));
    let (session, _) = signed_in(&fixture, "cashier@sample.test");
    fixture.write(|tx, _| ask_reset(tx, "cashier@sample.test", "127.0.0.1", None)).unwrap();
    fixture.write(|tx, _| ask_reset(tx, "nobody@sample.test", "127.0.0.1", None)).unwrap();
    assert_eq!(fixture.number("SELECT count(*) FROM audit_log WHERE action = 'auth.reset_asked'"), 2);
    assert_eq!(fixture.number("SELECT count(*) FROM notifications WHERE audience = 'MANAGERS'"), 1);
    // Nothing that could be read is a code: one is made by who hands it over.
    assert_eq!(fixture.number("SELECT count(*) FROM password_resets"), 0);
    let (code, _) = fixture.write(move |tx, actor| make_code(tx, actor, of)).unwrap();
    let code = code.to_lowercase();
    let again = code.clone();
    let out = fixture.write(move |tx, _| reset_password(tx, &code, "fresh")).unwrap();
    assert_eq!(out, [session]);
    let second = fixture.write(move |tx, _| reset_password(tx, &again, "fresher"));
    assert!(matches!(second, Err(AuthError::WrongCredentials)));
}

#[test]
fn neither_rows_nor_work_tell_a_known_email_from_an_unknown_one() {
    let fixture = set_up();
    account(&fixture, Role::Owner, None);
    account(&fixture, Role::Cashier, None);
    account(&fixture, Role::Waiter, None);
    // Rows that statements changed, also those that were taken back.
    let work = |act: fn(&Tx<'_>) -> Result<()>| {
        fixture.write(move |tx, _| {
            let count = |tx: &Tx<'_>| one(tx, "SELECT total_changes()", [], |row| row.get::<_, i64>(0));
            let before = count(tx)?;
            act(tx)?;
            Ok::<_, AuthError>(count(tx)? - before)
        })
    };
    for [known, unknown] in [
        [
            work(|tx| ask_reset(tx, "cashier@sample.test", "127.0.0.1", None)),
            work(|tx| ask_reset(tx, "nobody@sample.test", "127.0.0.1", None)),
        ],
        [
            work(|tx| ask_reset(tx, "waiter@sample.test", "127.0.0.1", Some(&KEY))),
            work(|tx| ask_reset(tx, "nobody@sample.test", "127.0.0.1", Some(&KEY))),
        ],
        [
            work(|tx| sign_in(tx, "cashier@sample.test", &at_desk(), None, NO_CODE).map(drop)),
            work(|tx| sign_in(tx, "nobody@sample.test", &at_desk(), None, NO_CODE).map(drop)),
        ],
    ] {
        let (known, unknown) = (known.unwrap(), unknown.unwrap());
        assert!(known > 1 && known == unknown, "{known} and {unknown}");
    }
    assert_eq!(fixture.number("SELECT count(*) FROM audit_log WHERE action = 'auth.reset_asked'"), 4);
    // What the unknown one asked for was taken back.
    assert_eq!(fixture.number("SELECT count(*) FROM password_resets"), 1);
    assert_eq!(fixture.number("SELECT count(*) FROM notifications"), 1);
    assert_eq!(fixture.number("SELECT count(*) FROM mail_jobs WHERE recipient = 'waiter@sample.test'"), 1);
    assert_eq!(fixture.number("SELECT count(*) FROM mail_jobs"), 1);
    assert_eq!(fixture.number("SELECT count(*) FROM throttles"), 2);
}

#[test]
fn a_code_for_somebody_above_the_managers_is_not_theirs_to_see() {
    let fixture = set_up();
    account(&fixture, Role::Owner, None);
    fixture.write(|tx, _| ask_reset(tx, "owner@sample.test", "127.0.0.1", None)).unwrap();
    assert_eq!(fixture.number("SELECT count(*) FROM notifications WHERE audience = 'OWNERS'"), 1);
}

#[test]
fn nobody_gives_a_role_above_their_own_or_changes_their_own_account() {
    let fixture = set_up();
    let [of_manager, of_waiter, of_owner] = ["E1", "E2", "E3"].map(|code| employee(&fixture, code, None));
    let manager = account(&fixture, Role::Manager, Some(of_manager));
    account(&fixture, Role::Waiter, Some(of_waiter));
    account(&fixture, Role::Owner, Some(of_owner));
    let change = |employee, change: AccountChange| {
        let actor = actor_of(&manager, None);
        fixture.db.write_blocking(move |tx| change_account(tx, &actor, employee, None, &change))
    };
    let to = |role| AccountChange { role: Some(role), ..AccountChange::default() };
    assert!(matches!(change(of_waiter, to(Role::Owner)), Err(AuthError::Forbidden(_))));
    assert!(matches!(change(of_owner, to(Role::Waiter)), Err(AuthError::Forbidden(_))));
    assert!(matches!(change(of_manager, to(Role::Manager)), Err(AuthError::Forbidden(_))));
    let (after, _) = change(of_waiter, to(Role::Cashier)).unwrap();
    assert_eq!((after.role, after.version), (Role::Cashier, 2));

    let elsewhere = fixture.second_outlet();
    let outlets = AccountChange { outlets: Some(vec![elsewhere]), ..AccountChange::default() };
    assert!(matches!(change(of_waiter, outlets), Err(AuthError::Invalid(_))));
    let closed = AccountChange { active: Some(false), ..AccountChange::default() };
    let (session, _) = signed_in(&fixture, "waiter@sample.test");
    let (after, signed_out) = change(of_waiter, closed).unwrap();
    assert_eq!((after.is_usable(), signed_out), (false, vec![session]));
    // Up to one's own role; from then on they are equals.
    change(of_waiter, to(Role::Manager)).unwrap();
    assert!(matches!(change(of_waiter, to(Role::Waiter)), Err(AuthError::Forbidden(_))));
}

#[test]
fn an_approver_is_known_by_pin_and_must_hold_the_permission() {
    let fixture = set_up();
    let [boss, peer, gone] =
        ["2580", "1470", "3690"].map(|digits| hashing::pin(digits, fixture.outlet_id, &KEY).unwrap());
    let of_boss = employee(&fixture, "E1", Some(boss));
    let of_peer = employee(&fixture, "E2", Some(peer));
    let of_gone = employee(&fixture, "E3", Some(gone));
    account(&fixture, Role::Manager, Some(of_boss));
    account(&fixture, Role::Waiter, Some(of_peer));
    account(&fixture, Role::Owner, Some(of_gone));
    fixture
        .write(move |tx, actor| employees::actions::archive(tx, actor, of_gone, None, |_, _, _, _| Ok(())))
        .unwrap();
    let cashier = fixture.actor_as(Role::Cashier);
    let ask = |actor: Actor, pin: ApproverPin| {
        fixture.db.write_blocking(move |tx| approve(tx, &actor, Permission::OrdersVoid, &pin))
    };
    let of = |hash| ApproverPin(Some(EnteredPin { hash, digits: 6 }));
    assert!(matches!(
        ask(cashier.clone(), ApproverPin::none()),
        Err(AuthError::NeedsApprover("orders:void"))
    ));
    assert!(matches!(ask(cashier.clone(), of(peer)), Err(AuthError::ApproverMayNot(_))));
    assert!(matches!(ask(cashier.clone(), of(gone)), Err(AuthError::WrongPin)));
    let approver = ask(cashier.clone(), of(boss)).unwrap().unwrap();
    assert_eq!((approver.employee_id, approver.role), (of_boss, Role::Manager));
    assert!(ask(fixture.actor_as(Role::Manager), ApproverPin::none()).unwrap().is_none());
    // The same digits at another outlet are another PIN.
    let there = Actor { outlet_id: fixture.second_outlet(), ..cashier };
    assert!(matches!(ask(there, of(boss)), Err(AuthError::WrongPin)));
}

#[test]
fn five_wrong_pins_lock_the_device_and_thirty_the_account() {
    let fixture = set_up();
    let id = account(&fixture, Role::Terminal, None).id;
    let now = fixture.clock.now();
    let mut locks = Vec::new();
    for device in 0..6 {
        let session = Uuid::from_u128(device);
        for _ in 0..5 {
            let actor = Actor {
                account_id: Some(id),
                device: Some(session.to_string()),
                ..fixture.actor_as(Role::Terminal)
            };
            fixture.db.write_blocking(move |tx| wrong_pin(tx, &actor)).unwrap();
        }
        let look = move |conn: &dyn Source| {
            Ok::<_, DbError>((
                pin_lock(conn, session, id, now)?,
                pin_lock(conn, Uuid::from_u128(99), id, now)?,
            ))
        };
        locks.push(fixture.db.read_blocking(look).unwrap());
    }
    assert_eq!(locks[4], (Some(300), None));
    assert_eq!(locks[5], (Some(300), Some(300)));
    assert_eq!(Throttle::default().locked_for(PINS, now), None);
    assert_eq!(fixture.number("SELECT count(*) FROM audit_log WHERE action = 'auth.pin_locked'"), 6);
}

#[test]
fn one_email_and_one_employee_have_one_account() {
    let fixture = set_up();
    let employee = employee(&fixture, "E1", None);
    account(&fixture, Role::Cashier, Some(employee));
    let outlet = fixture.outlet_id;
    let new = move |email: &str, employee_id| NewAccount {
        email: email.to_owned(),
        name: "x".into(),
        role: Role::Waiter,
        password_hash: HASH.into(),
        employee_id,
        outlets: vec![outlet],
    };
    let same_email = new("Cashier@SAMPLE.test", None);
    let taken = fixture.write(move |tx, actor| create_account(tx, actor, same_email));
    assert!(matches!(taken, Err(AuthError::Db(DbError::Taken { column, .. })) if column == "email"));
    let same_employee = new("other@sample.test", Some(employee));
    let taken = fixture.write(move |tx, actor| create_account(tx, actor, same_employee));
    assert!(matches!(taken, Err(AuthError::Db(DbError::Taken { column, .. })) if column == "employee_id"));
    assert!(
        fixture.db.read_blocking(|conn| store::find_by_email(conn, "CASHIER@sample.test")).unwrap().is_some()
    );
}
