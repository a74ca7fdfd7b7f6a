//! Sessions and QR tokens against a store.

use super::*;
use crate::testing::Fixture;
use rusqlite::params;

fn table(fixture: &Fixture, number: &'static str) -> Table {
    fixture.write(move |tx, actor| create(tx, actor, TableFields::new(number, 4))).unwrap()
}

fn find(fixture: &Fixture, id: Uuid) -> Table {
    fixture.write(move |tx, actor| store::find(tx, actor.outlet_id, id)).unwrap()
}

/// An order row of a session, as orders would write it.
fn order(fixture: &Fixture, session: Uuid, number: i64, status: &'static str) -> Uuid {
    fixture
        .write(move |tx, actor| -> Result<_, TableError> {
            let id = tx.new_id();
            tx.execute(
                "INSERT INTO orders (id, outlet_id, order_number, token_number, business_date, order_type, source,
                   status, table_session_id, prices_include_tax, service_charge_bps, cash_rounding_cents, gross_cents,
                   subtotal_cents, total_cents, created_at, updated_at)
                 VALUES (?1, ?2, 'X', ?3, '2026-11-20', 'DINE_IN', 'POS', ?4, ?5, 0, 0, 0, 0, 0, 0, 0, 0)",
                params![id, actor.outlet_id, number, status, session],
            )?;
            Ok(id)
        })
        .unwrap()
}

fn join(fixture: &Fixture, table: Uuid, guests: Option<i64>) -> Result<Uuid, TableError> {
    let date = "2026-11-20".parse().unwrap();
    fixture.write(move |tx, actor| join_session(tx, actor, table, guests, date))
}

#[test]
fn a_session_runs_from_the_first_order_to_the_last_open_one() {
    let fixture = Fixture::new();
    let id = table(&fixture, "1").id;
    let session = join(&fixture, id, None).unwrap();
    assert_eq!(join(&fixture, id, Some(3)).unwrap(), session);
    let seated = find(&fixture, id);
    assert_eq!(seated.status, TableStatus::Occupied);
    assert_eq!(seated.current_session.unwrap().party_size, Some(3));
    let open = order(&fixture, session, 1, "READY");
    order(&fixture, session, 2, "COMPLETED");
    assert!(!fixture.write(move |tx, actor| leave_session(tx, actor, session)).unwrap());
    fixture
        .write(move |tx, _| {
            tx.execute("UPDATE orders SET status = 'COMPLETED' WHERE id = ?1", [open])
                .map_err(TableError::from)
        })
        .unwrap();
    assert!(fixture.write(move |tx, actor| leave_session(tx, actor, session)).unwrap());
    let left = find(&fixture, id);
    assert_eq!((left.status, left.current_session), (TableStatus::Cleaning, None));
    assert_ne!(join(&fixture, id, None).unwrap(), session);
}

#[test]
fn a_party_that_was_never_served_leaves_a_free_table() {
    let fixture = Fixture::new();
    let id = table(&fixture, "1").id;
    let session = join(&fixture, id, None).unwrap();
    order(&fixture, session, 1, "CANCELLED");
    assert!(fixture.write(move |tx, actor| leave_session(tx, actor, session)).unwrap());
    assert_eq!(find(&fixture, id).status, TableStatus::Available);
}

#[test]
fn a_printed_bill_does_not_stop_another_round() {
    let fixture = Fixture::new();
    let id = table(&fixture, "1").id;
    let session = join(&fixture, id, None).unwrap();
    fixture.write(move |tx, actor| bill_printed(tx, actor, session)).unwrap();
    assert_eq!(find(&fixture, id).status, TableStatus::BillPrinted);
    join(&fixture, id, None).unwrap();
    assert_eq!(find(&fixture, id).status, TableStatus::Occupied);
}

#[test]
fn a_party_moves_to_a_free_table_only() {
    let fixture = Fixture::new();
    let (one, two, three) = (table(&fixture, "1").id, table(&fixture, "2").id, table(&fixture, "3").id);
    let session = join(&fixture, one, Some(2)).unwrap();
    join(&fixture, two, None).unwrap();
    let refused = fixture.write(move |tx, actor| move_session(tx, actor, session, two));
    assert!(matches!(refused, Err(TableError::State(_))));
    let moved = fixture.write(move |tx, actor| move_session(tx, actor, session, three)).unwrap();
    assert_eq!(moved.current_session.unwrap().id, session);
    assert_eq!((find(&fixture, one).status, moved.status), (TableStatus::Available, TableStatus::Occupied));
}

#[test]
fn merged_parties_are_one_and_their_tables_free() {
    let fixture = Fixture::new();
    let (one, two) = (table(&fixture, "1").id, table(&fixture, "2").id);
    let (a, b) = (join(&fixture, one, Some(2)).unwrap(), join(&fixture, two, Some(3)).unwrap());
    let merged = fixture.write(move |tx, actor| merge_sessions(tx, actor, a, &[b, a])).unwrap();
    assert_eq!(merged.current_session.unwrap().party_size, Some(5));
    let free = find(&fixture, two);
    assert_eq!((free.status, free.current_session), (TableStatus::Available, None));
}

#[test]
fn a_blocked_table_takes_no_order() {
    let fixture = Fixture::new();
    let id = table(&fixture, "1").id;
    fixture.write(move |tx, actor| set_status(tx, actor, id, None, TableStatus::Blocked)).unwrap();
    assert!(matches!(join(&fixture, id, None), Err(TableError::State(_))));
}

#[test]
fn a_rotated_token_is_dead() {
    let fixture = Fixture::new();
    let before = table(&fixture, "1");
    let (id, old) = (before.id, before.qr_token.unwrap());
    assert_eq!(old.len(), 22);
    let new = fixture.write(move |tx, actor| rotate_qr(tx, actor, id)).unwrap().qr_token.unwrap();
    let lookup = |token: String| {
        fixture.write(move |tx, _| store::find_by_token(tx, &token).map_err(TableError::from)).unwrap()
    };
    assert!(lookup(old).is_none());
    assert_eq!(lookup(new.clone()).unwrap().id, id);
    fixture.write(move |tx, actor| archive(tx, actor, id, None)).unwrap();
    assert!(lookup(new).is_none());
}

#[test]
fn another_outlets_table_does_not_exist() {
    let fixture = Fixture::new();
    let id = table(&fixture, "1").id;
    let other = fixture.second_outlet();
    let found = fixture.write(move |tx, _| store::find(tx, other, id));
    assert!(matches!(found, Err(TableError::NotFound("table"))));
}

#[test]
fn tables_are_found_by_their_indexes() {
    let fixture = Fixture::new();
    let plan = |sql: &'static str| {
        fixture
            .write(move |tx, _| -> Result<String, TableError> {
                let mut statement = tx.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
                let rows = statement.query_map([], |row| row.get::<_, String>(3)).unwrap();
                Ok(rows.collect::<Result<Vec<_>, _>>().unwrap().join("; "))
            })
            .unwrap()
    };
    let token = plan("SELECT id FROM dining_tables WHERE qr_token = 'x' AND archived_at IS NULL");
    assert!(token.contains("dining_tables_qr"), "{token}");
    let number =
        plan("SELECT id FROM dining_tables WHERE outlet_id = x'00' AND number = '1' AND archived_at IS NULL");
    assert!(number.contains("dining_tables_number"), "{number}");
    let texts: String = store::TEXTS.replace("?1", "x'00'").replace("?2", "'[]'");
    let texts = plan(texts.leak());
    assert!(texts.contains("dining_tables_number (outlet_id=? AND number=?)"), "{texts}");
    let session = plan("SELECT id FROM table_sessions WHERE table_id = x'00' AND closed_at IS NULL");
    assert!(session.contains("table_sessions_open"), "{session}");
}
