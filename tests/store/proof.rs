//! Digests: compared at exactly their place in the log, told to the branch when they differ, repaired.

use crate::log::{BEGIN, Log, counter, insert, new_id, table, update};
use tiffin_common::Uuid;
use tiffin_common::digest::{RowSum, bucket_of, row_hash};
use tiffin_common::frame::{Bucket, DigestEntry, Op, Value};

/// A movement of cash: a record, which only comes to be.
fn movement<'a>(outlet: Uuid, id: Uuid, amount: i64, reason: &'a str) -> Op<'a> {
    let columns = [
        ("id", Value::Id(id)),
        ("outlet_id", Value::Id(outlet)),
        ("cash_session_id", Value::Id(Uuid::from_u128(5))),
        ("kind", Value::Text("PAY_OUT")),
        ("amount_cents", Value::Integer(amount)),
        ("reason", Value::Text(reason)),
        ("business_date", Value::Text("2026-09-21")),
        ("at", Value::Integer(BEGIN)),
        ("clock_suspect", Value::Integer(0)),
        ("is_tips", Value::Integer(0)),
    ];
    insert("cash_movements", &columns)
}

/// A payment, of which `refunded` cents were given back.
fn payment(outlet: Uuid, id: Uuid, amount: i64, refunded: i64) -> Op<'static> {
    let columns = [
        ("id", Value::Id(id)),
        ("outlet_id", Value::Id(outlet)),
        ("order_id", Value::Id(Uuid::from_u128(6))),
        ("method", Value::Text("CASH")),
        ("amount_cents", Value::Integer(amount)),
        ("tip_cents", Value::Integer(0)),
        ("change_cents", Value::Integer(0)),
        ("refunded_cents", Value::Integer(refunded)),
        ("business_date", Value::Text("2026-09-21")),
        ("at", Value::Integer(BEGIN)),
        ("by_name", Value::Text("Asha")),
        ("clock_suspect", Value::Integer(0)),
    ];
    insert("payments", &columns)
}

const ASIDE: &str = "SELECT count(*) FROM hub_quarantine";
const WITHHELD: &str = "SELECT count(*) FROM hub_withheld";

/// What the branch says of rows that it holds.
fn entry(of: &str, rows: &[Op<'_>]) -> DigestEntry {
    let mut sum = RowSum::default();
    rows.iter().for_each(|row| sum.add(row_hash(table(of), row.columns.iter().copied())));
    sum.entry(bucket(of, rows))
}

fn bucket(of: &str, rows: &[Op<'_>]) -> Bucket {
    let Value::Id(id) = rows[0].columns[0].1 else { panic!("no id") };
    bucket_of(table(of), id)
}

/// A table of the floor, as a box of two schemas ago makes it: it knows no shape.
fn dining_table(outlet: Uuid, id: Uuid, seats: i64) -> Op<'static> {
    let columns = [
        ("id", Value::Id(id)),
        ("outlet_id", Value::Id(outlet)),
        ("number", Value::Text("T1")),
        ("seats", Value::Integer(seats)),
        ("status", Value::Text("AVAILABLE")),
        ("version", Value::Integer(1)),
        ("created_at", Value::Integer(BEGIN)),
        ("updated_at", Value::Integer(BEGIN)),
    ];
    insert("dining_tables", &columns)
}

every_store! {
    async fn a_branch_of_an_older_schema_is_compared_by_what_both_know(ground) {
        let (outlet, id, mut log) = (ground.outlet, new_id(), Log::new(ground.outlet));
        log.schema = 16;
        let row = [dining_table(outlet, id, 4)];
        log.data(&row);
        log.digest(&[entry("dining_tables", &row)]);
        let reply = log.drain(&ground.hub).await.unwrap();
        assert!(reply.bad.is_empty(), "what head office has besides is no difference: {reply:?}");
        assert_eq!(reply.agreed_at, Some(log.head().seq));
        assert_eq!(ground.number("SELECT count(*) FROM dining_tables WHERE shape = 'SQUARE'"), 1);

        ground.tamper("UPDATE dining_tables SET seats = 5 WHERE id = ?1", &[&id]);
        log.digest(&[entry("dining_tables", &row)]);
        let reply = log.drain(&ground.hub).await.unwrap();
        assert_eq!((reply.bad.len(), reply.bad[0].table), (1, 35), "what both know differs");
        log.repair(bucket("dining_tables", &row), &row);
        log.digest(&[entry("dining_tables", &row)]);
        assert!(log.drain(&ground.hub).await.unwrap().bad.is_empty());
        assert_eq!(ground.number("SELECT sum(seats) FROM dining_tables"), 4);

        // Of a table that a migration has changed since nothing is said.
        log.schema = 15;
        let gone = Bucket { table: table("outlets").no, day: None };
        log.digest(&[RowSum { count: 99, sum: 1 }.entry(gone)]);
        assert!(log.drain(&ground.hub).await.unwrap().bad.is_empty());
    }

    async fn what_is_equal_is_said_to_be_equal_at_every_row_of_the_log(ground) {
        let (mut log, ids) = (Log::new(ground.outlet), [new_id(), new_id()]);
        log.data(&ids.map(|id| counter(ground.outlet, id, 1)));
        for value in 2..20 {
            log.data(&[update("counters", ids[0], &[("value", Value::Integer(value))])]);
            let rows = [counter(ground.outlet, ids[0], value), counter(ground.outlet, ids[1], 1)];
            log.digest(&[entry("counters", &rows)]);
        }
        let reply = log.drain(&ground.hub).await.unwrap();
        assert!(reply.bad.is_empty());
        assert_eq!(reply.agreed_at, Some(log.head().seq));
    }

    async fn what_differs_is_told_until_it_is_repaired(ground) {
        let (mut log, ids) = (Log::new(ground.outlet), [new_id(), new_id()]);
        let rows = ids.map(|id| counter(ground.outlet, id, 1));
        log.data(&rows);
        log.drain(&ground.hub).await.unwrap();
        ground.tamper("UPDATE counters SET value = 2 WHERE id = ?1", &[&ids[0]]);
        ground.tamper("INSERT INTO counters (id, outlet_id, series, value) VALUES (?1, ?2, 'X', 1)", &[&new_id(), &ground.outlet]);
        log.digest(&[entry("counters", &rows)]);
        let told = log.drain(&ground.hub).await.unwrap().bad;
        assert_eq!((told.len(), told[0].table), (1, 70));
        let again = log.push(&ground.hub, 1, 2).await.unwrap().bad;
        assert_eq!(again, told, "an answer may have been lost");
        log.repair(bucket("counters", &rows), &rows);
        log.digest(&[entry("counters", &rows)]);
        let reply = log.drain(&ground.hub).await.unwrap();
        assert!(reply.bad.is_empty());
        assert_eq!(reply.agreed_at, Some(log.head().seq));
        assert_eq!(ground.number("SELECT sum(value) FROM counters"), 2);
    }

    async fn records_that_a_repair_lacks_or_changes_stay_and_a_person_is_told_once(ground) {
        let (outlet, mut log) = (ground.outlet, Log::new(ground.outlet));
        let ids = [new_id(), new_id(), new_id()];
        let made = [movement(outlet, ids[0], 100, "milk"), movement(outlet, ids[1], 200, "ice")];
        log.data(&made);
        // Behind the box's back one is deleted and one made smaller; a third comes that head office lacks.
        let cooked = [movement(outlet, ids[1], 2, "ice"), movement(outlet, ids[2], 300, "gas")];
        log.digest(&[entry("cash_movements", &cooked)]);
        assert_eq!(log.drain(&ground.hub).await.unwrap().bad.len(), 1);
        let repaired = log.repair(bucket("cash_movements", &cooked), &cooked);
        log.digest(&[entry("cash_movements", &cooked)]);
        let reply = log.drain(&ground.hub).await.unwrap();
        assert!(reply.bad.is_empty(), "what is known is no news, or it would be sent for ever");
        assert_eq!(ground.number("SELECT sum(amount_cents) FROM cash_movements"), 600);
        assert_eq!(ground.number("SELECT count(*) FROM cash_movements"), 3);
        assert_eq!((ground.number(WITHHELD), ground.number(ASIDE)), (2, 1));
        assert_eq!(ground.hub.standings(outlet).await.unwrap().withheld, 2);
        assert_eq!(ground.number("SELECT seq FROM hub_quarantine"), repaired);
        let reason: String = ground.look(|from| edge::db::one(from, "SELECT reason FROM hub_quarantine", [], |row| row.get(0)));
        assert!(reason.starts_with("of cash_movements the box lacks 1 rows and holds 1 otherwise"), "{reason}");
        // The same again is not told again, another one is.
        log.repair(bucket("cash_movements", &cooked), &cooked);
        log.drain(&ground.hub).await.unwrap();
        assert_eq!(ground.number(ASIDE), 1);
        log.repair(bucket("cash_movements", &cooked), &cooked[..1]);
        log.digest(&[entry("cash_movements", &cooked[..1])]);
        assert!(log.drain(&ground.hub).await.unwrap().bad.is_empty());
        assert_eq!((ground.number("SELECT count(*) FROM cash_movements"), ground.number(ASIDE)), (3, 2));
        // The box has them again: from head office, in another box's place.
        let all = [made[0].clone(), made[1].clone(), cooked[1].clone()];
        log.digest(&[entry("cash_movements", &all)]);
        assert_eq!(log.drain(&ground.hub).await.unwrap().bad.len(), 1);
        log.repair(bucket("cash_movements", &all), &all);
        log.digest(&[entry("cash_movements", &all)]);
        assert!(log.drain(&ground.hub).await.unwrap().bad.is_empty());
        assert_eq!((ground.number(WITHHELD), ground.number(ASIDE)), (0, 2));
    }

    async fn what_may_be_settled_of_a_record_is_repaired(ground) {
        let (outlet, id, mut log) = (ground.outlet, new_id(), Log::new(ground.outlet));
        log.data(&[payment(outlet, id, 500, 0)]);
        log.drain(&ground.hub).await.unwrap();
        let settled = [payment(outlet, id, 500, 200)];
        log.repair(bucket("payments", &settled), &settled);
        log.digest(&[entry("payments", &settled)]);
        assert!(log.drain(&ground.hub).await.unwrap().bad.is_empty());
        assert_eq!(ground.number("SELECT refunded_cents FROM payments"), 200);
        assert_eq!((ground.number(WITHHELD), ground.number(ASIDE)), (0, 0));
    }

    async fn records_that_a_box_has_lost_with_its_log_are_no_breach_before_it_took_them_back(ground) {
        let (outlet, ids, mut log) = (ground.outlet, [new_id(), new_id()], Log::new(ground.outlet));
        let rows = [movement(outlet, ids[0], 100, "milk"), movement(outlet, ids[1], 200, "ice")];
        let kept = log.data(&rows[..1]);
        log.data(&rows[1..]);
        log.drain(&ground.hub).await.unwrap();
        let lost_to = log.head();
        let mut old = log.restored(kept);
        old.hello(&ground.hub).await;
        old.repair(bucket("cash_movements", &rows), &rows[..1]);
        old.push(&ground.hub, kept + 1, i64::MAX).await.unwrap();
        assert_eq!((ground.number("SELECT count(*) FROM cash_movements"), ground.number(ASIDE)), (2, 0));
        old.recovered(lost_to, &rows[1..]);
        old.digest(&[entry("cash_movements", &rows)]);
        assert!(old.drain(&ground.hub).await.unwrap().bad.is_empty());
        assert_eq!((ground.number(WITHHELD), ground.number(ASIDE)), (0, 0));
    }

    async fn a_digest_of_rows_that_were_kept_apart_is_bad(ground) {
        let mut log = Log::new(ground.outlet);
        let row = counter(ground.outlet, new_id(), 1);
        log.data(&[row.clone(), update("counters", new_id(), &[("value", Value::Integer(1))])]);
        log.digest(&[entry("counters", &[row])]);
        assert_eq!(log.drain(&ground.hub).await.unwrap().bad.len(), 1);
    }
}
