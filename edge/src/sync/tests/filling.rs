//! A box that took another's place, and what is derived of rows that are still coming; a head office that is filled again.

use super::*;
use crate::resources::analytics::worker::keep_one;
use tiffin_common::frame::Kind;

/// An item of which three were sold, on a date that is over; what is kept of it is right but for its level.
const SOLD: &str = "INSERT INTO stock_items (id, outlet_id, name, category, unit, created_at, updated_at)
      SELECT x'01970000000070008000000000000010', id, 'Rice', 'Dry', 'kg', 1, 1 FROM outlets;
    INSERT INTO stock_movements (id, outlet_id, stock_item_id, kind, quantity_delta, quantity_before, quantity_after, unit_cost,
        cost_micros, cause_type, business_date, at)
      SELECT x'01970000000070008000000000000020', id, x'01970000000070008000000000000010', 'SALE', -3, 0, -3, 0, 0, 'ORDER', '2026-11-18', 1
      FROM outlets;
    CREATE TABLE made_anew (item BLOB);
    CREATE TRIGGER made_anew AFTER DELETE ON stock_levels BEGIN INSERT INTO made_anew VALUES (OLD.stock_item_id); END;
    UPDATE sync_peer SET restore_phase = 'C', standing = 'RESTORING'";

/// A box that only the end of the last phase is missing of, and the level that it keeps.
fn nearly_filled(on_hand: i64) -> Stage {
    let stage = Stage::new();
    let conn = rusqlite::Connection::open(stage.fixture.db.path()).unwrap();
    let triggers = "SELECT group_concat('DROP TRIGGER ' || name, ';') FROM sqlite_master WHERE type = 'trigger' AND name GLOB 'capture_*'";
    let drop: String = conn.query_row(triggers, [], |row| row.get(0)).unwrap();
    conn.execute_batch(&format!("{drop};{SOLD}")).unwrap();
    let level = "INSERT INTO stock_levels (stock_item_id, outlet_id, on_hand, deficit)
        SELECT stock_item_id, outlet_id, ?1, 3 FROM stock_movements WHERE true
        ON CONFLICT (stock_item_id) DO UPDATE SET on_hand = excluded.on_hand, deficit = excluded.deficit";
    conn.execute(level, [on_hand]).unwrap();
    stage
}

#[tokio::test]
async fn tills_wait_for_a_whole_ledger_only_where_the_levels_are_not_what_it_gives() {
    for (on_hand, made_anew) in [(-3, 0), (-4, 1)] {
        let mut stage = nearly_filled(on_hand);
        stage.worker.chores_step().await;
        let number = |sql: &str| stage.fixture.number(sql);
        assert_eq!(number("SELECT count(*) FROM sync_peer WHERE restore_phase IS NULL"), 1);
        assert_eq!(number("SELECT count(*) FROM made_anew"), made_anew);
        assert_eq!(number("SELECT on_hand FROM stock_levels"), -3);
        assert_eq!(number("SELECT deficit FROM stock_levels"), 3);
    }
}

#[tokio::test]
async fn figures_of_finished_days_are_not_kept_while_rows_of_them_are_coming() {
    let mut stage = nearly_filled(-3);
    assert!(!keep_one(&stage.fixture.db).await.unwrap(), "it would be thrown away with the next row");
    stage.worker.chores_step().await;
    assert!(keep_one(&stage.fixture.db).await.unwrap());
}

#[tokio::test]
async fn small_buckets_are_sent_together_and_what_came_with_its_sum_is_not_summed_up_again() {
    let mut stage = Stage::new();
    stage.item("Thali");
    stage.worker.chores_step().await;
    for table in ["menu_categories", "menu_items"] {
        let table = tiffin_common::registry::table_named(table).unwrap().no;
        let insert = move |tx: &Tx<'_>| {
            tx.execute("INSERT INTO sync_reseed (table_no, day) VALUES (?1, NULL)", [table])
        };
        stage.fixture.db.write_blocking(insert).unwrap();
    }
    stage.worker.chores_step().await;
    assert_eq!(stage.fixture.number("SELECT count(*) FROM sync_reseed"), 0);
    let log = |kind: Kind| {
        let all = stage.fixture.db.read_blocking(|from| store::list_after(from, 0, usize::MAX, usize::MAX));
        all.unwrap().iter().filter(|frame| frame.header.kind == kind).count()
    };
    assert_eq!((log(Kind::Repair), log(Kind::Recovered)), (2, 1), "both, and that this was all");
    let sums = log(Kind::Digest);
    let client = Arc::clone(&stage.hub);
    Worker::with_hub(stage.fixture.db.clone(), client, settings()).chores_step().await;
    assert_eq!(log(Kind::Digest), sums);
}
