//! What only the SQLite store has: files, how many are open, how they come to be. What every store does is in `store::contract`.

use super::*;
use crate::store::Stores;
use edge::db::one;

fn open(folder: &Path, files: usize) -> Stores {
    Stores::new(SqliteStore::open(folder, Limits { files, readers: 1 }).unwrap())
}

fn count(stores: &Stores, outlet: Uuid) -> Result<i64, StoreError> {
    stores.read_outlet_blocking(outlet, |from| {
        Ok(one(from, "SELECT count(*) FROM hub_log", [], |row| row.get(0))?)
    })
}

#[test]
fn an_outlet_without_a_file_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let stores = open(folder.path(), 2);
    assert!(matches!(count(&stores, Uuid::from_u128(1)), Err(StoreError::NoOutlet)));
    stores.store().create_outlet(Uuid::from_u128(1)).unwrap();
    stores.store().create_outlet(Uuid::from_u128(1)).unwrap();
    assert_eq!(count(&stores, Uuid::from_u128(1)).unwrap(), 0);
}

#[test]
fn only_so_many_files_are_open_and_what_was_written_is_there_when_they_are_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path(), Limits { files: 2, readers: 1 }).unwrap();
    let outlets: Vec<Uuid> = (1..=6).map(Uuid::from_u128).collect();
    for outlet in &outlets {
        store.create_outlet(*outlet).unwrap();
        store
            .outlet(*outlet, &mut |tx| {
                tx.execute("INSERT INTO hub_state (outlet_id, seq) VALUES (?1, 7)", &[outlet])?;
                Ok(())
            })
            .unwrap();
        assert!(store.open_files() <= 2);
    }
    for outlet in &outlets {
        let look = &mut |from: &dyn Source| {
            let seq: i64 =
                one(from, "SELECT seq FROM hub_state WHERE outlet_id = ?1", [outlet], |row| row.get(0))?;
            assert_eq!(seq, 7);
            Ok(())
        };
        store.read_outlet(*outlet, look).unwrap();
    }
}

#[test]
fn one_process_serves_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let first = SqliteStore::open(folder.path(), Limits::default()).unwrap();
    assert!(SqliteStore::open(folder.path(), Limits::default()).is_err());
    drop(first);
    SqliteStore::open(folder.path(), Limits::default()).unwrap();
}

#[test]
fn what_is_unique_is_the_branchs_business() {
    let folder = tempfile::tempdir().unwrap();
    let stores = open(folder.path(), 2);
    let outlet = Uuid::from_u128(1);
    stores.store().create_outlet(outlet).unwrap();
    let unique = "SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND sql LIKE 'CREATE UNIQUE%' AND tbl_name = 'invoices'";
    let unique: i64 = stores
        .read_outlet_blocking(outlet, |from| Ok::<_, StoreError>(one(from, unique, [], |row| row.get(0))?))
        .unwrap();
    assert_eq!(unique, 0);
}

#[test]
fn an_error_undoes_the_whole_unit() {
    let folder = tempfile::tempdir().unwrap();
    let stores = open(folder.path(), 2);
    let outlet = Uuid::from_u128(1);
    stores.store().create_outlet(outlet).unwrap();
    let given_up: Result<(), StoreError> = stores.outlet_blocking(outlet, |tx| {
        tx.execute("INSERT INTO hub_state (outlet_id) VALUES (?1)", &[&outlet])?;
        Err(StoreError::GivenUp)
    });
    assert!(given_up.is_err());
    let rows: i64 = stores
        .outlet_blocking(outlet, |tx| {
            Ok::<_, StoreError>(one(&*tx, "SELECT count(*) FROM hub_state", [], |row| row.get(0))?)
        })
        .unwrap();
    assert_eq!(rows, 0);
}

#[test]
fn a_file_of_before_loses_the_triggers_that_kept_days_and_sums() {
    const BEFORE: &str = "DELETE FROM hub_schema_history WHERE version >= 19;
        CREATE TRIGGER hub_stock_in AFTER INSERT ON stock_movements BEGIN SELECT 1; END;
        CREATE TRIGGER hub_stock_out AFTER DELETE ON stock_movements BEGIN SELECT 1; END;
        CREATE TRIGGER hub_stock_over AFTER UPDATE ON stock_movements BEGIN SELECT 1; END;
        CREATE TRIGGER hub_days_orders_insert AFTER INSERT ON orders BEGIN SELECT 1; END";
    const LEFT: &str = "SELECT group_concat(name) FROM sqlite_schema WHERE type = 'trigger' AND name NOT GLOB 'orders_counted_*'";
    let (folder, outlet) = (tempfile::tempdir().unwrap(), Uuid::from_u128(1));
    open(folder.path(), 2).store().create_outlet(outlet).unwrap();
    let file = Connection::open(folder.path().join(OUTLETS).join(format!("{outlet}.db"))).unwrap();
    file.execute_batch(BEFORE).unwrap();
    drop(file);
    let left: Option<String> = open(folder.path(), 2)
        .read_outlet_blocking(outlet, |from| Ok::<_, StoreError>(one(from, LEFT, [], |row| row.get(0))?))
        .unwrap();
    assert_eq!(left, None);
}
