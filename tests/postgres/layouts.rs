//! Hash partitions by outlet: every table of the outlets is spread, questions touch one part, and the layout is chosen once.

use crate::schema::{made, of_outlets, rows};
use sync_hub::store::postgres::{PgStore, Settings};
use tiffin_common::Uuid;
use tiffin_tests::postgres::Database;

/// A plan of the branch's own text within an outlet's transaction.
fn plan(database: &Database, sql: &str) -> String {
    database.sql(&format!(
        "BEGIN; SELECT set_config('tiffin.outlet', '{}', true); SET LOCAL search_path = compat, branch, hub, pg_catalog;
         SET LOCAL enable_seqscan = off; EXPLAIN (COSTS off) {sql}; COMMIT",
        Uuid::from_u128(7).simple()
    ))
}

#[test]
fn every_outlets_table_is_spread() {
    let database = made(Some(4));
    let sql = "SELECT n.nspname || '.' || c.relname, count(h.inhrelid) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        LEFT JOIN pg_inherits h ON h.inhparent = c.oid WHERE n.nspname IN ('merged', 'hub') AND c.relkind IN ('r', 'p') GROUP BY 1";
    let parts: std::collections::BTreeMap<String, String> =
        rows(&database, sql).into_iter().map(|mut row| (row.remove(0), row.remove(0))).collect();
    for table in of_outlets(&database) {
        assert_eq!(parts.get(&table).map(String::as_str), Some("4"), "{table}");
    }
    assert_eq!(parts["hub.registry_users"], "0");
}

#[test]
fn a_question_about_an_outlet_reads_one_part_by_its_index() {
    let database = made(Some(4));
    let newest =
        plan(&database, "SELECT id FROM orders WHERE created_at > 5 ORDER BY created_at DESC LIMIT 20");
    assert!(newest.contains("Subplans Removed: 3"), "{newest}");
    assert!(newest.contains("outlet_id_created_at_idx"), "{newest}");
    let lines = plan(
        &database,
        "SELECT i.id FROM orders o JOIN order_items i ON i.order_id = o.id WHERE o.id = '\\x01' ORDER BY i.line_number",
    );
    assert!(lines.contains("order_items") && lines.contains("outlet_id_order_id_line_number"), "{lines}");
    let plain =
        plan(&made(None), "SELECT id FROM orders WHERE status = 'COMPLETED' ORDER BY created_at LIMIT 20");
    assert!(plain.contains("Index Scan using orders_outlet_id") && !plain.contains("Sort"), "{plain}");
}

#[test]
fn a_layout_is_chosen_once_and_before_the_first_row() {
    let open = |database: &Database, partitions| {
        PgStore::open(&Settings { partitions, ..Settings::new(&database.url) }, Uuid::from_u128(1))
            .map(drop)
            .map_err(|error| error.to_string())
    };
    let spread = made(Some(4));
    open(&spread, None).unwrap();
    open(&spread, Some(4)).unwrap();
    assert!(open(&spread, Some(8)).unwrap_err().contains("4 partitions"));
    let filled = made(None);
    filled.sql("INSERT INTO merged.rooms VALUES ('\\x01')");
    assert!(open(&filled, Some(4)).unwrap_err().contains("has rows"));
    open(&filled, None).unwrap();
}
