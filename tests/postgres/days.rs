//! Kept days on PostgreSQL: no day is kept that its rows do not say, however many processes sum up and push at once; and what is
//! kept is not looked up in the rows.

use crate::schema::made;
use crate::store::{OUTLET, op, open};
use edge::db::{Source, one};
use edge::resources::analytics::actions::keep_missing;
use edge::resources::analytics::rules::Range;
use edge::resources::analytics::store::{Question, reports, stock};
use edge::resources::outlets as branch;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc;
use sync_hub::days::{DaysError, Found, keep_some};
use sync_hub::store::{Replay, StoreError, Stores, Strictness};
use tiffin_common::frame::{Op, OpKind, Value};
use tiffin_common::{Millis, Uuid};
use tiffin_tests::Dice;
use tiffin_tests::postgres::Database;

/// An ordinary outlet's shifts.
const SHIFT_TIMES: &str = "{\"MORNING\":{\"start\":\"07:00\",\"end\":\"15:00\"},\"EVENING\":{\"start\":\"15:00\",\"end\":\"23:00\"},\"NIGHT\":{\"start\":\"23:00\",\"end\":\"07:00\"}}";

/// 21 September 2026.
const NOW: Millis = Millis::new(1_790_000_000_000);
const DATES: [&str; 4] = ["2026-09-10", "2026-09-11", "2026-09-12", "2026-09-13"];

/// The newest finished day: the first to be kept.
const YESTERDAY: &str = "2026-09-20";

/// The outlet's own row.
fn outlet() -> Op<'static> {
    let texts = [("code", "BLR1"), ("name", "Branch"), ("timezone", "Asia/Kolkata"), ("currency", "INR")];
    let more = [("shift_times", SHIFT_TIMES), ("discount_limit_bps", "{}")];
    let mut columns: Vec<_> =
        texts.into_iter().chain(more).map(|(name, text)| (name, Value::Text(text))).collect();
    columns.extend(["created_at", "updated_at"].map(|name| (name, Value::Integer(NOW.get()))));
    columns.push(("id", Value::Id(OUTLET)));
    let table = tiffin_common::registry::table_named("outlets").unwrap();
    let at = |name: &str| table.column(name).unwrap();
    let mut columns: Vec<_> = columns.into_iter().map(|(name, value)| (at(name), value)).collect();
    columns.sort_by_key(|(column, _)| *column);
    Op { table: table.no, kind: OpKind::Insert, key: Value::Null, saw: None, columns }
}

/// The bill of an order of one of the dates.
fn bill_id(order: u128, date: &str) -> Uuid {
    let at = DATES.iter().position(|known| *known == date).unwrap_or(DATES.len());
    Uuid::from_u128(1_000 + order * 10 + at as u128)
}

/// A bill of the `date`, which stands where its order says so.
fn bill(order: u128, date: &'static str) -> Op<'static> {
    let texts = [("kind", "INVOICE"), ("fiscal_year", "2627"), ("number", "1"), ("body", "{}")];
    let mut columns: Vec<(&str, Value<'_>)> =
        texts.into_iter().map(|(name, text)| (name, Value::Text(text))).collect();
    columns.extend(["serial", "total_cents", "tax_cents", "at"].map(|name| (name, Value::Integer(0))));
    columns.extend(["previous_hash", "hash"].map(|name| (name, Value::Blob(&[0; 32]))));
    columns.push(("order_id", Value::Id(Uuid::from_u128(order))));
    columns.push(("business_date", Value::Text(date)));
    op("invoices", OpKind::Insert, bill_id(order, date), &columns)
}

/// An order that counts: its bill is of the `date`.
fn order(id: u128, date: &'static str, cents: i64) -> Op<'static> {
    let mut columns: Vec<(&str, Value<'_>)> =
        ["token_number", "prices_include_tax", "service_charge_bps", "cash_rounding_cents"]
            .map(|name| (name, Value::Integer(0)))
            .into();
    columns
        .extend(["gross_cents", "subtotal_cents", "total_cents"].map(|name| (name, Value::Integer(cents))));
    columns
        .extend(["created_at", "updated_at", "dispatched_at"].map(|name| (name, Value::Integer(NOW.get()))));
    let texts =
        [("order_number", "1"), ("order_type", "COUNTER"), ("source", "POS"), ("status", "COMPLETED")];
    columns.extend(texts.map(|(name, text)| (name, Value::Text(text))));
    columns.extend(["business_date", "revenue_date"].map(|name| (name, Value::Text(date))));
    columns.push(("invoice_id", Value::Id(bill_id(id, date))));
    op("orders", OpKind::Insert, Uuid::from_u128(id), &columns)
}

fn moved(id: u128, date: &'static str) -> Op<'static> {
    op(
        "orders",
        OpKind::Update,
        Uuid::from_u128(id),
        &[("invoice_id", Value::Id(bill_id(id, date))), ("revenue_date", Value::Text(date))],
    )
}

fn push(stores: &Stores, ops: &[Op<'_>]) {
    let images = ops.iter().all(|op| op.kind != OpKind::Update);
    let rows = [Replay { ops, strictness: if images { Strictness::Images } else { Strictness::Exact } }];
    let applied = stores.outlet_blocking(OUTLET, |tx| tx.apply(&rows)).unwrap();
    applied.into_iter().for_each(|outcome| outcome.unwrap());
}

fn number(stores: &Stores, sql: &str) -> i64 {
    let read = stores
        .read_outlet_blocking(OUTLET, |from| Ok::<i64, StoreError>(one(from, sql, [], |row| row.get(0))?));
    read.unwrap()
}

/// Kept days whose figures are not those of their rows, in the reader's snapshot.
const STALE: &str = "SELECT count(*) FROM analytics_days d WHERE
    coalesce((SELECT sum(s.gross) FROM analytics_sales s WHERE s.outlet_id = d.outlet_id AND s.business_date = d.business_date), 0)
    <> coalesce((SELECT sum(o.subtotal_cents) FROM orders o WHERE o.outlet_id = d.outlet_id AND o.revenue_date = d.business_date), 0)";
const KEPT: &str = "SELECT count(*) FROM analytics_days";

#[test]
fn no_stale_day_is_left_behind_by_processes_that_push_and_sum_up_at_once() {
    for database in [made(None), made(Some(3))] {
        let (pushing, summing) = (open(&database), open(&database));
        push(&pushing, &[outlet()]);
        for n in 0..12 {
            push(&pushing, &DATES.map(|date| bill(n, date)));
            push(&pushing, &[order(n, DATES[n as usize % 4], 100)]);
        }
        let (over, kept) = (AtomicBool::new(false), AtomicU32::new(0));
        std::thread::scope(|scope| {
            // Both processes sum up, both are read.
            for stores in [&pushing, &summing] {
                scope.spawn(|| {
                    while !over.load(Ordering::SeqCst) {
                        if let Found::Missing(_) = keep_some(stores, OUTLET, NOW).unwrap() {
                            kept.fetch_add(1, Ordering::SeqCst);
                        }
                        assert_eq!(number(stores, STALE), 0);
                    }
                });
            }
            let dice = Dice::new(7);
            let begun = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                // Until days have been summed up often enough in between.
                while kept.load(Ordering::SeqCst) < 40 {
                    let (id, date) = (u128::from(dice.below(12)), *dice.pick(&DATES));
                    match dice.below(3) {
                        0 => push(&pushing, &[order(id, date, dice.below(900).cast_signed())]),
                        _ => push(&summing, &[moved(id, date)]),
                    }
                }
            }));
            over.store(true, Ordering::SeqCst);
            begun.unwrap();
        });
        while let Found::Missing(_) = keep_some(&summing, OUTLET, NOW).unwrap() {}
        assert_eq!(number(&pushing, STALE), 0);
        assert!(number(&pushing, KEPT) >= 4);
    }
}

/// Waits until one connection of the database waits for another's lock.
fn wait_for_a_waiter(database: &Database) {
    let sql = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    while database.sql(sql) == "0" {
        std::thread::yield_now();
    }
}

#[test]
fn a_push_that_meets_a_sum_waits_and_takes_the_day_off_again() {
    let database = made(None);
    let (one, other) = (open(&database), open(&database));
    push(&one, &[outlet(), order(1, DATES[0], 100), order(2, DATES[1], 100)]);
    push(&one, &[bill(1, DATES[0]), bill(1, DATES[2]), bill(2, DATES[1])]);
    let (summed, hears) = mpsc::channel();
    let (go, waits) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let waits = waits;
            let kept = one.outlet_blocking(OUTLET, |tx| -> Result<_, DaysError> {
                let kept = keep_missing(&*tx, OUTLET, NOW, 60)?;
                summed.send(()).unwrap();
                waits.recv().unwrap();
                Ok(kept)
            });
            assert!(kept.unwrap().is_some());
        });
        hears.recv().unwrap();
        scope.spawn(|| push(&other, &[moved(1, DATES[2])]));
        wait_for_a_waiter(&database);
        go.send(()).unwrap();
    });
    let gone = format!("{KEPT} WHERE business_date IN ('{}', '{}')", DATES[0], DATES[2]);
    assert_eq!((number(&one, &gone), number(&one, STALE)), (0, 0));
    assert_eq!(number(&one, &format!("{KEPT} WHERE business_date = '{}'", DATES[1])), 1);
}

#[test]
fn a_sum_that_meets_a_push_waits_and_sees_it() {
    let database = made(None);
    let (one, other) = (open(&database), open(&database));
    push(&one, &[outlet(), order(1, DATES[0], 100), bill(1, DATES[0]), bill(1, YESTERDAY)]);
    let (applied, hears) = mpsc::channel();
    let (go, waits) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (waits, ops) = (waits, [moved(1, YESTERDAY)]);
            let rows = [Replay { ops: &ops, strictness: Strictness::Exact }];
            let done = one.outlet_blocking(OUTLET, |tx| {
                let applied_rows = tx.apply(&rows)?;
                applied.send(()).unwrap();
                waits.recv().unwrap();
                Ok::<_, StoreError>(applied_rows)
            });
            done.unwrap().into_iter().for_each(|outcome| outcome.unwrap());
        });
        hears.recv().unwrap();
        scope.spawn(|| keep_some(&other, OUTLET, NOW).unwrap());
        wait_for_a_waiter(&database);
        go.send(()).unwrap();
    });
    assert_eq!(number(&one, STALE), 0);
    let sold = format!("SELECT gross FROM analytics_sales WHERE business_date = '{YESTERDAY}'");
    assert_eq!(number(&one, &sold), 100);
}

/// Rows of trade that were read so far on this connection.
const READ: &str = "SELECT coalesce(sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)), 0) FROM pg_stat_xact_user_tables
    WHERE schemaname = 'merged' AND relname IN ('orders', 'order_items', 'order_taxes', 'order_discounts', 'payments', 'refunds',
      'invoices', 'stock_movements', 'table_sessions')";

/// How many rows of trade a question about `range` reads.
fn reads(stores: &Stores, range: Range) -> i64 {
    let asked = stores.read_outlet_blocking(OUTLET, |from: &dyn Source| -> Result<i64, StoreError> {
        let before: i64 = one(from, READ, [], |row| row.get(0))?;
        let own = branch::store::find(from, OUTLET)?;
        let question = Question::find(from, &own, range, NOW)?;
        assert!(question.sum(from).unwrap().revenue.orders > 0);
        question.sum_open(from).unwrap();
        reports::sum_sold(from, &question).unwrap();
        reports::list_quarters(from, &question).unwrap();
        reports::sum_methods(from, &question).unwrap();
        reports::sum_taxes(from, &question).unwrap();
        reports::sum_discounts(from, &question).unwrap();
        stock::sum_by_kind(from, &question).unwrap();
        let after: i64 = one(from, READ, [], |row| row.get(0))?;
        Ok(after - before)
    });
    asked.unwrap()
}

#[test]
fn a_question_over_kept_days_reads_no_row_of_them() {
    let database = made(None);
    let stores = open(&database);
    push(&stores, &[outlet(), order(1, "2026-09-21", 100), bill(1, "2026-09-21")]);
    let date = "(date '2026-08-01' + n / 100)::text";
    let (order, bill) = ("'\\x' || md5('o' || n)", "'\\x' || md5('i' || n)");
    let dates = [("business_date", date), ("revenue_date", date)];
    database.copies("orders", 4_000, &[("id", order), ("invoice_id", bill), dates[0], dates[1]]);
    database.copies("invoices", 4_000, &[("id", bill), ("order_id", order), dates[0]]);
    database.sql("ANALYZE");
    let range = Range { from: "2026-08-02".parse().unwrap(), to: "2026-09-08".parse().unwrap() };
    assert!(reads(&stores, range) >= 3_800);
    while let Found::Missing(kept) = keep_some(&stores, OUTLET, NOW).unwrap() {
        assert!(kept.dates().count() <= 7, "a unit of work is bounded: {kept:?}");
    }
    assert_eq!(reads(&stores, range), 0);
    // The present day is read from its rows, and only it.
    let with_today = Range { to: "2026-09-21".parse().unwrap(), ..range };
    assert!((1..30).contains(&reads(&stores, with_today)));
}
