//! What a store of head office does, on PostgreSQL, plain and spread over partitions: the same as the store on SQLite, change by
//! change.

use crate::schema::made;
use edge::db::{Source, list, one};
use rusqlite::types::Value as Any;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use sync_hub::store::postgres::{PgStore, Settings};
use sync_hub::store::sqlite::{Limits, SqliteStore};
use sync_hub::store::{Replay, StoreError, Stores, Strictness, Wake};
use tiffin_common::frame::{Bucket, Op, OpKind, Value};
use tiffin_common::registry::{Table, table_named};
use tiffin_common::{Uuid, digest};
use tiffin_tests::Dice;
use tiffin_tests::postgres::Database;

pub const OUTLET: Uuid = Uuid::from_u128(0x11);

/// A store on `database` with room for [`OUTLET`].
pub fn open(database: &Database) -> Stores {
    let stores = Stores::new(PgStore::open(&Settings::new(&database.url), Uuid::from_u128(1)).unwrap());
    stores.store().create_outlet(OUTLET).unwrap();
    stores
}

/// One change; columns by name. `id` is put in, and the outlet.
pub fn op<'a>(table: &'static str, kind: OpKind, id: Uuid, columns: &[(&str, Value<'a>)]) -> Op<'a> {
    let table = table_named(table).unwrap();
    let at = |name: &str| table.column(name).unwrap();
    let mut all: Vec<_> = columns.iter().map(|(name, value)| (at(name), *value)).collect();
    if kind == OpKind::Insert {
        all.extend([(0, Value::Id(id)), (at("outlet_id"), Value::Id(OUTLET))]);
        all.sort_by_key(|(column, _)| *column);
    }
    let key = if kind == OpKind::Insert { Value::Null } else { Value::Id(id) };
    Op { table: table.no, kind, key, saw: None, columns: all }
}

/// A new number of a series.
pub fn counter(id: u128, value: i64) -> Op<'static> {
    let columns = [("series", Value::Text("ORDER")), ("value", Value::Integer(value))];
    op("counters", OpKind::Insert, Uuid::from_u128(id), &columns)
}

fn change(id: u128, value: i64) -> Op<'static> {
    op("counters", OpKind::Update, Uuid::from_u128(id), &[("value", Value::Integer(value))])
}

fn delete(id: u128) -> Op<'static> {
    op("counters", OpKind::Delete, Uuid::from_u128(id), &[])
}

/// Applies log rows in one unit; which of them were taken.
pub fn apply(stores: &Stores, rows: &[(Strictness, Vec<Op<'_>>)]) -> Vec<bool> {
    let rows: Vec<Replay<'_>> =
        rows.iter().map(|(strictness, ops)| Replay { ops, strictness: *strictness }).collect();
    let outcomes = stores.outlet_blocking(OUTLET, |tx| tx.apply(&rows)).unwrap();
    outcomes.iter().map(Result::is_ok).collect()
}

pub fn counters(stores: &Stores) -> Vec<(u128, i64)> {
    stores
        .read_outlet_blocking(OUTLET, |from| {
            let sql = "SELECT id, value FROM counters ORDER BY id";
            Ok::<_, StoreError>(list(from, sql, [], |row| {
                Ok((row.get::<_, Uuid>(0)?.as_u128(), row.get(1)?))
            })?)
        })
        .unwrap()
}

#[test]
fn a_unit_is_kept_whole_or_not_at_all() {
    let stores = open(&Database::new());
    let add = |tx: &mut dyn sync_hub::store::OutletTx| {
        tx.execute("INSERT INTO hub_state (outlet_id, seq) VALUES (?1, 7)", &[&OUTLET])
    };
    let count = || {
        stores
            .read_outlet_blocking(OUTLET, |from| {
                Ok::<i64, StoreError>(one(from, "SELECT count(*) FROM hub_state", [], |row| row.get(0))?)
            })
            .unwrap()
    };
    let given_up: Result<(), StoreError> = stores.outlet_blocking(OUTLET, |tx| {
        add(tx)?;
        Err(StoreError::GivenUp)
    });
    assert!(given_up.is_err());
    assert_eq!(count(), 0);
    // A failed statement fails the unit, also when its caller does not care.
    let swallowed: Result<(), StoreError> = stores.outlet_blocking(OUTLET, |tx| {
        add(tx)?;
        let _ = add(tx);
        Ok(())
    });
    assert!(swallowed.is_err());
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        stores.outlet_blocking::<(), StoreError>(OUTLET, |tx| {
            add(tx).unwrap();
            panic!("as a bug would");
        })
    }));
    assert!(panicked.is_err());
    assert_eq!(count(), 0);
    stores.outlet_blocking(OUTLET, |tx| Ok::<_, StoreError>(add(tx)?)).unwrap();
    assert_eq!(count(), 1);
    let nobody = Uuid::from_u128(99);
    assert!(matches!(stores.outlet_blocking(nobody, |_| Ok(())), Err(StoreError::NoOutlet)));
    assert!(matches!(stores.read_outlet_blocking(nobody, |_| Ok(())), Err(StoreError::NoOutlet)));
}

#[test]
fn failures_are_what_they_are_on_sqlite() {
    use edge::db::DbError;
    let stores = open(&Database::new());
    let sql = "INSERT INTO registry_user_outlets (user_id, outlet_id, place) VALUES (?1, ?2, 1)";
    let add = || stores.registry_blocking(|tx| Ok::<_, StoreError>(tx.execute(sql, &[&OUTLET, &OUTLET])?));
    add().unwrap();
    match add() {
        Err(StoreError::Db(DbError::Taken { table, column })) => {
            assert_eq!((table.as_str(), column.as_str()), ("registry_user_outlets", "outlet_id"));
        }
        other => panic!("{other:?}"),
    }
    let wrong = stores.read_registry_blocking(|from| {
        Ok::<i64, StoreError>(one(from, "SELECT nothing FROM nowhere", [], |row| row.get(0))?)
    });
    assert!(matches!(wrong, Err(StoreError::Db(DbError::Other(_)))), "{wrong:?}");
}

#[test]
fn changes_are_taken_by_the_log_row_and_what_does_not_fit_is_left_out() {
    use Strictness::{Exact, Images, Lenient};
    for database in [made(None), made(Some(3))] {
        let stores = open(&database);
        let taken = apply(
            &stores,
            &[
                (Exact, vec![counter(1, 1), change(1, 2)]),
                (Exact, vec![counter(2, 1), counter(1, 9)]),
                (Exact, vec![change(3, 1)]),
                (Exact, vec![counter(3, 1)]),
                (Exact, vec![change(3, 4), delete(1)]),
                (Exact, vec![change(1, 5)]),
            ],
        );
        assert_eq!(taken, [true, false, false, true, true, false]);
        assert_eq!(counters(&stores), [(3, 4)]);
        let taken = apply(
            &stores,
            &[
                (Lenient, vec![counter(3, 7), change(8, 1), delete(9)]),
                (Images, vec![counter(3, 8), delete(10)]),
                (Exact, vec![counter(3, 1)]),
                (Lenient, vec![change(4, 1)]),
                (Exact, vec![counter(4, 2)]),
            ],
        );
        assert_eq!(taken, [true, true, false, true, true]);
        assert_eq!(counters(&stores), [(3, 8), (4, 2)]);
    }
}

#[test]
fn values_that_the_schema_refuses_cost_only_their_own_log_row() {
    use Strictness::Exact;
    let stores = open(&Database::new());
    let mut rows: Vec<_> = (1..100).map(|id| (Exact, vec![counter(id, 1)])).collect();
    let no_value = op("counters", OpKind::Insert, Uuid::from_u128(500), &[("series", Value::Text("x"))]);
    let unknown = [("status", Value::Text("SOMETIMES"))];
    rows[20] = (Exact, vec![counter(200, 1), no_value]);
    rows[70] = (Exact, vec![op("dining_tables", OpKind::Insert, Uuid::from_u128(501), &unknown)]);
    let taken = apply(&stores, &rows);
    let refused: Vec<_> = (0..taken.len()).filter(|at| !taken[*at]).collect();
    assert_eq!(refused, [20, 70]);
    assert_eq!(counters(&stores).len(), 97);
}

#[test]
fn a_bucket_is_pruned_to_what_is_kept() {
    let stores = open(&Database::new());
    let table: &'static Table = table_named("counters").unwrap();
    let day = |n: u32| chrono::NaiveDate::from_ymd_opt(2026, 11, n).unwrap();
    let at = |date, n: u128| digest::ids_of_day(date).start.as_u128() + n;
    let ids = [at(day(20), 1), at(day(20), 2), at(day(20), 3), at(day(21), 1)];
    let rows: Vec<_> = ids.iter().map(|id| (Strictness::Exact, vec![counter(*id, 1)])).collect();
    apply(&stores, &rows);
    let bucket = Bucket { table: table.no, day: Some(day(20)) };
    let keep = [Uuid::from_u128(ids[1])];
    assert_eq!(stores.outlet_blocking(OUTLET, |tx| tx.prune(table, bucket, &keep)).unwrap(), 2);
    assert_eq!(counters(&stores), [(ids[1], 1), (ids[3], 1)]);
    let whole = Bucket { table: table.no, day: None };
    assert_eq!(stores.outlet_blocking(OUTLET, |tx| tx.prune(table, whole, &[])).unwrap(), 2);
}

/// All rows of the tables that the dice change.
fn everything(stores: &Stores) -> BTreeMap<&'static str, Vec<Vec<Any>>> {
    let tables = ["counters", "menu_prices", "order_item_modifiers"];
    let rows = |name: &'static str| {
        let table = table_named(name).unwrap();
        let columns: Vec<_> = table.live_columns().map(|(_, name)| name).collect();
        let sql = format!("SELECT {} FROM {name} ORDER BY id", columns.join(", "));
        let all = stores.read_outlet_blocking(OUTLET, |from| {
            Ok::<_, StoreError>(list(from, &sql, [], |row| {
                (0..columns.len()).map(|at| row.get(at)).collect()
            })?)
        });
        (name, all.unwrap())
    };
    tables.into_iter().map(rows).collect()
}

fn any_op(dice: &Dice, strictness: Strictness) -> Op<'static> {
    let id = Uuid::from_u128(u128::from(dice.below(6)) + 1);
    let number = Value::Integer(dice.below(1_000) as i64);
    let kind = [OpKind::Insert, OpKind::Update, OpKind::Update, OpKind::Delete][dice.below(4) as usize];
    let text = Value::Text(["", "Paneer", "ñandú", "a\"b,{c}"][dice.below(4) as usize]);
    let other = Value::Id(Uuid::from_u128(u128::from(dice.below(3))));
    // Of a row that may be missing only the database could say whether a null is wrong.
    let nulls = strictness == Strictness::Exact || kind == OpKind::Insert;
    let seldom_null = |value| if nulls && dice.below(8) == 0 { Value::Null } else { value };
    let (table, mut columns) = match dice.below(3) {
        0 => ("counters", vec![("series", text), ("value", seldom_null(number))]),
        1 => {
            let price = seldom_null(number);
            ("menu_prices", vec![("menu_item_id", other), ("price_cents", price), ("updated_at", number)])
        }
        _ => (
            "order_item_modifiers",
            vec![
                ("order_id", other),
                ("order_item_id", other),
                ("option_id", other),
                ("name", text),
                ("price_cents", number),
            ],
        ),
    };
    match kind {
        OpKind::Insert if table == "menu_prices" && dice.below(2) == 0 => columns.push(("updated_by", other)),
        OpKind::Update => {
            let keep = dice.below(columns.len() as u64) as usize;
            columns = vec![columns[keep]];
        }
        OpKind::Delete => columns.clear(),
        OpKind::Insert => {}
    }
    // An insert names its columns that are not null.
    if kind == OpKind::Insert {
        columns.retain(|(_, value)| *value != Value::Null);
    }
    op(table, kind, id, &columns)
}

#[test]
fn whatever_comes_both_stores_take_the_same_and_hold_the_same() {
    let seeds: u64 = std::env::var("TIFFIN_STORE_SEEDS").map_or(12, |seeds| seeds.parse().unwrap());
    let database = made(Some(2));
    for seed in 0..seeds {
        let folder = tempfile::tempdir().unwrap();
        let sqlite = Stores::new(SqliteStore::open(folder.path(), Limits::default()).unwrap());
        sqlite.store().create_outlet(OUTLET).unwrap();
        let postgres = open(&database);
        postgres
            .outlet_blocking(OUTLET, |tx| {
                for table in ["counters", "menu_prices", "order_item_modifiers"] {
                    tx.execute(&format!("DELETE FROM {table}"), &[])?;
                }
                Ok::<_, StoreError>(())
            })
            .unwrap();
        let dice = Dice::new(seed);
        for push in 0..12 {
            let rows: Vec<_> = (0..1 + dice.below(12))
                .map(|_| {
                    let strictness =
                        [Strictness::Exact, Strictness::Exact, Strictness::Lenient, Strictness::Images]
                            [dice.below(4) as usize];
                    (
                        strictness,
                        (0..1 + dice.below(4)).map(|_| any_op(&dice, strictness)).collect::<Vec<_>>(),
                    )
                })
                .collect();
            let at = format!("seed {seed}, push {push}: {rows:?}");
            assert_eq!(apply(&postgres, &rows), apply(&sqlite, &rows), "{at}");
            assert_eq!(everything(&postgres), everything(&sqlite), "{at}");
        }
    }
}

#[test]
fn units_of_one_outlet_follow_each_other_and_outlets_do_not_wait() {
    let database = Database::new();
    let (one_process, other) = (open(&database), open(&database));
    let away = Uuid::from_u128(0x22);
    one_process.store().create_outlet(away).unwrap();
    apply(&one_process, &[(Strictness::Exact, vec![counter(1, 0)])]);
    std::thread::scope(|scope| {
        for stores in [&one_process, &other] {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..25 {
                        stores
                            .outlet_blocking(OUTLET, |tx| {
                                let value: i64 =
                                    one(&*tx, "SELECT value FROM counters", [], |row| row.get(0))?;
                                tx.execute("UPDATE counters SET value = ?1", &[&(value + 1)])?;
                                Ok::<_, StoreError>(())
                            })
                            .unwrap();
                    }
                });
            }
        }
    });
    assert_eq!(counters(&one_process), [(1, 200)]);
    // While one outlet's unit is open, another's goes on.
    one_process
        .outlet_blocking(OUTLET, |_| other.outlet_blocking(away, |_| Ok::<_, StoreError>(())))
        .unwrap();
}

#[test]
fn an_outlet_sees_its_own_rows_and_a_snapshot_stays_what_it_is() {
    let database = Database::new();
    let stores = open(&database);
    let away = Uuid::from_u128(0x22);
    stores.store().create_outlet(away).unwrap();
    apply(&stores, &[(Strictness::Exact, vec![counter(1, 5)])]);
    let count =
        |from: &dyn Source| one(from, "SELECT count(*) FROM counters", [], |row| row.get::<_, i64>(0));
    assert_eq!(stores.read_outlet_blocking(away, |from| Ok::<_, StoreError>(count(from)?)).unwrap(), 0);
    stores
        .read_outlet_blocking(OUTLET, |from| {
            assert_eq!(count(from)?, 1);
            apply(&stores, &[(Strictness::Exact, vec![counter(2, 5)])]);
            assert_eq!(count(from)?, 1);
            Ok::<_, StoreError>(())
        })
        .unwrap();
    assert_eq!(counters(&stores).len(), 2);
    // Outside of a unit nothing is anybody's.
    assert!(
        stores
            .read_registry_blocking(|from| Ok::<_, StoreError>(count(from)?))
            .map_or(true, |rows| rows == 0)
    );
}

#[test]
fn what_one_process_tells_the_other_hears() {
    let database = Database::new();
    let (teller, hearer) =
        (open(&database), PgStore::open(&Settings::new(&database.url), Uuid::from_u128(2)).unwrap());
    let hearer = Stores::new(hearer);
    let mut here = teller.store().wakes();
    let mut there = hearer.store().wakes();
    let heard = Arc::new(AtomicU32::new(0));
    // The listener may still be on its way: told until it is heard.
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while there.blocking_recv().unwrap() != Wake::Feed(OUTLET) {}
            heard.store(1, Ordering::SeqCst);
        });
        while heard.load(Ordering::SeqCst) == 0 {
            teller.store().wake(Wake::Feed(OUTLET));
            assert_eq!(here.blocking_recv().unwrap(), Wake::Feed(OUTLET));
            std::thread::yield_now();
        }
    });
}
