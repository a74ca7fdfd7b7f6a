//! The database schemas, embedded in the binaries. Never edits a shipped file: refinery checks their sums.

mod fresh;
mod older;
mod postgres;
mod texts;

use std::sync::LazyLock;

pub use older::{edge_columns_at, edge_defaults, edge_indexes_at, edge_layout_at};
pub use postgres::{
    CITUS, HUB_POSTGRES_LOCK, HubMigrateError, hub_outlet_tables, hub_postgres_schema_version,
    migrate_hub_postgres,
};

/// The branch's migrations.
mod edge_files {
    refinery::embed_migrations!("edge");
}

/// The registry of a hub on SQLite.
mod registry_files {
    refinery::embed_migrations!("hub_registry");
}

/// What the hub on SQLite keeps of an outlet beside the branch's own tables.
mod outlet_files {
    refinery::embed_migrations!("hub_outlet");
}

/// Where the hub's migrations of an outlet's file are recorded: the branch's have the usual table.
const OUTLET_HISTORY: &str = "hub_schema_history";

/// Brings the registry of a hub on SQLite to the newest schema.
///
/// # Errors
/// As [`migrate_edge`].
pub fn migrate_hub_registry(conn: &mut rusqlite::Connection) -> Result<(), refinery::Error> {
    texts::teach(conn);
    registry_files::migrations::runner().run(conn).map(drop)
}

/// Brings an outlet's file of a hub on SQLite to the newest schema: the branch's tables, then the hub's own beside them.
///
/// # Errors
/// As [`migrate_edge`].
pub fn migrate_hub_outlet(conn: &mut rusqlite::Connection) -> Result<u32, refinery::Error> {
    let version = migrate_edge(conn)?;
    outlet_files::migrations::runner().set_migration_table_name(OUTLET_HISTORY).run(conn)?;
    Ok(version)
}

/// Brings a branch database to the newest schema and returns its version. Each file runs in a transaction of its own; a new database is
/// made at once.
///
/// # Errors
/// A failed statement, or a shipped migration whose text differs from the one applied.
pub fn migrate_edge(conn: &mut rusqlite::Connection) -> Result<u32, refinery::Error> {
    texts::teach(conn);
    let runner = edge_files::migrations::runner();
    fresh::make(conn, runner.get_migrations())?;
    runner.run(conn)?;
    Ok(edge_schema_version())
}

/// The newest schema version of the hub's registry on SQLite.
pub fn hub_registry_schema_version() -> u32 {
    newest(&registry_files::migrations::runner())
}

/// The newest schema version this binary knows.
pub fn edge_schema_version() -> u32 {
    // To look through all files for it takes a tenth of an exchange that has little to say.
    static TODAY: LazyLock<u32> = LazyLock::new(|| newest(&edge_files::migrations::runner()));
    tiffin_common::older::played().map_or_else(|| *TODAY, |older| older.schema)
}

fn newest(files: &refinery::Runner) -> u32 {
    files.get_migrations().iter().map(|m| m.version()).max().map_or(0, |v| v as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use refinery::Target;
    use rusqlite::Connection;

    #[test]
    fn last_costs_outlive_their_column() {
        let mut conn = Connection::open_in_memory().unwrap();
        edge_files::migrations::runner().set_target(Target::Version(9)).run(&mut conn).unwrap();
        conn.execute_batch(
            "INSERT INTO stock_items (id, outlet_id, name, category, unit, last_unit_cost, created_at, updated_at)
             VALUES (x'01', x'00', 'Rice', 'Dry', 'kg', 6000, 1, 1), (x'02', x'00', 'Salt', 'Dry', 'kg', 900, 1, 1);
             INSERT INTO stock_levels (stock_item_id, outlet_id, on_hand) VALUES (x'01', x'00', 5);",
        )
        .unwrap();
        migrate_edge(&mut conn).unwrap();
        let sql = "SELECT on_hand, last_unit_cost FROM stock_levels ORDER BY stock_item_id";
        let mut statement = conn.prepare(sql).unwrap();
        let kept: Vec<(i64, i64)> = statement
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        assert_eq!(kept, [(5, 6000), (0, 900)]);
    }

    #[test]
    fn guests_of_before_stand_in_a_table_of_their_own() {
        let mut conn = Connection::open_in_memory().unwrap();
        edge_files::migrations::runner().set_target(Target::Version(13)).run(&mut conn).unwrap();
        conn.execute_batch(
            "INSERT INTO orders (id, outlet_id, order_number, token_number, business_date, order_type, source, status, prices_include_tax,
               service_charge_bps, cash_rounding_cents, gross_cents, subtotal_cents, total_cents, customer_phone, created_at, updated_at)
             VALUES (x'01', x'00', 'B-1', 1, '2026-11-20', 'COUNTER', 'POS', 'COMPLETED', 0, 0, 0, 1, 1, 1, '98450' || char(7), 1, 1),
                    (x'02', x'00', 'B-2', 2, '2026-11-20', 'COUNTER', 'POS', 'COMPLETED', 0, 0, 0, 1, 1, 1, NULL, 1, 1);
             INSERT INTO feedback (id, outlet_id, rating, customer_name, business_date, created_at, updated_at)
             VALUES (x'03', x'00', 5, 'Asha Rao', '2026-11-20', 1, 1);",
        )
        .unwrap();
        migrate_edge(&mut conn).unwrap();
        let sql = "SELECT hex(id), name, phone FROM guests ORDER BY id";
        let mut statement = conn.prepare(sql).unwrap();
        let kept: Vec<(String, Option<String>, Option<String>)> = statement
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(kept, [("01".to_owned(), None, text("98450")), ("03".to_owned(), text("Asha Rao"), None)]);
    }

    #[test]
    fn texts_of_before_become_what_they_would_be_today_unless_they_would_be_doubles() {
        let mut conn = Connection::open_in_memory().unwrap();
        edge_files::migrations::runner().set_target(Target::Version(13)).run(&mut conn).unwrap();
        conn.execute_batch(
            "INSERT INTO tickets (id, outlet_id, subject, body, category, priority, raised_by_name, created_at, updated_at)
             VALUES (x'01', x'00', 'Tap' || char(0), 'one' || char(13, 10) || 'two' || char(13) || 'three', 'x', 'LOW', 'A' || char(155), 1, 1);
             INSERT INTO dining_tables (id, outlet_id, number, seats, qr_token, created_at, updated_at)
             VALUES (x'01', x'00', 'T1', 4, 'a', 1, 1), (x'02', x'00', 'T1' || char(7), 4, 'b', 1, 1);",
        )
        .unwrap();
        migrate_edge(&mut conn).unwrap();
        let text = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap();
        assert_eq!(
            text("SELECT subject || '|' || body || '|' || raised_by_name FROM tickets"),
            "Tap|one\ntwo\nthree|A"
        );
        assert_eq!(text("SELECT group_concat(number, '|') FROM dining_tables ORDER BY id"), "T1|T1\u{7}");
    }
}
