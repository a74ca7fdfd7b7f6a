//! The texts that are run for every push and pull are answered by an index, on SQLite.

use crate::ground::Ground;

#[test]
fn hot_texts_scan_nothing() {
    let ground = Ground::sqlite();
    for sql in [
        "SELECT epoch FROM hub_state WHERE outlet_id = ?1",
        "SELECT chunk FROM hub_log WHERE outlet_id = ?1 AND lineage = ?2 AND last_seq >= ?3 ORDER BY last_seq LIMIT 1",
        "SELECT parent_seq FROM hub_epochs WHERE outlet_id = ?1 AND epoch = ?2",
        "SELECT feed, row FROM hub_master WHERE outlet_id = ?1 AND feed > ?2 ORDER BY feed LIMIT ?3",
        "SELECT feed FROM hub_master WHERE outlet_id = ?1 AND table_no = ?2 AND row_id = ?3",
        "SELECT 1 FROM hub_feed_marks WHERE outlet_id = ?1 AND feed >= ?2 ORDER BY feed LIMIT 1",
        "SELECT table_no FROM hub_digests WHERE outlet_id = ?1 AND ok = 0 ORDER BY table_no LIMIT ?2",
        "SELECT min(effective_at) FROM hub_scheduled WHERE outlet_id = ?1 AND applied_at IS NULL AND cancelled_at IS NULL",
        "SELECT id, order_id FROM order_items WHERE id >= ?1 AND id < ?2",
        "DELETE FROM order_items WHERE id = ?1",
    ] {
        let plan: Vec<String> = ground.look(|from| {
            let parameters = sql.matches('?').count();
            let zeros = vec![0i64; parameters];
            let zeros: Vec<&dyn rusqlite::ToSql> =
                zeros.iter().map(|zero| zero as &dyn rusqlite::ToSql).collect();
            let mut plan = Vec::new();
            from.rows(&format!("EXPLAIN QUERY PLAN {sql}"), &zeros, &mut |row| {
                plan.push(row.get::<_, String>(3)?);
                Ok(true)
            })?;
            Ok(plan)
        });
        let plan = plan.join("; ");
        assert!(
            plan.contains("SEARCH") && !plan.contains("SCAN") && !plan.contains("TEMP B-TREE"),
            "{sql}: {plan}"
        );
    }
}
