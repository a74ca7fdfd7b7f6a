//! The tables on PostgreSQL are the branch's and the SQLite hub's own, column by column, and their keys can be spread by outlet.

use rusqlite::Connection;
use std::collections::{BTreeMap, BTreeSet};
use sync_hub::store::postgres::{PgStore, Settings};
use tiffin_common::Uuid;
use tiffin_common::registry::{LOCAL, TABLES};
use tiffin_tests::postgres::Database;

/// A column: its type in SQLite's words, whether it may be null, its default.
type Column = (String, bool, Option<String>);

/// A database with the hub's schema.
pub fn made(partitions: Option<u16>) -> Database {
    let database = Database::new();
    drop(
        PgStore::open(&Settings { partitions, ..Settings::new(&database.url) }, Uuid::from_u128(1)).unwrap(),
    );
    database
}

/// The rows of a query, split at `|`.
pub fn rows(database: &Database, sql: &str) -> Vec<Vec<String>> {
    database.sql(sql).lines().map(|line| line.split('|').map(str::to_owned).collect()).collect()
}

fn of_sqlite(conn: &Connection, table: &str) -> BTreeMap<String, Column> {
    let mut statement =
        conn.prepare("SELECT name, type, \"notnull\", pk, dflt_value FROM pragma_table_info(?1)").unwrap();
    let found = statement.query_map([table], |row| {
        let is_integer_key = row.get::<_, i64>(3)? > 0;
        Ok((row.get(0)?, (row.get(1)?, row.get::<_, bool>(2)? || is_integer_key, row.get(4)?)))
    });
    found.unwrap().map(Result::unwrap).collect()
}

fn of_postgres(database: &Database, table: &str) -> BTreeMap<String, Column> {
    let sql = format!(
        "SELECT a.attname, format_type(a.atttypid, NULL), a.attnotnull,
           coalesce(split_part(pg_get_expr(d.adbin, d.adrelid), '::', 1), '-')
         FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
         WHERE a.attrelid = '{table}'::regclass AND a.attnum > 0 AND NOT a.attisdropped"
    );
    let of_row = |row: Vec<String>| {
        let kind = match row[1].as_str() {
            "bytea" => "BLOB",
            "bigint" => "INTEGER",
            "text" => "TEXT",
            "double precision" => "REAL",
            other => panic!("{table}.{} is {other}", row[0]),
        };
        let default = (row[3] != "-").then(|| row[3].clone());
        (row[0].clone(), (kind.to_owned(), row[2] == "t", default))
    };
    rows(database, &sql).into_iter().map(of_row).collect()
}

#[test]
fn the_merged_tables_are_the_branchs() {
    let mut conn = Connection::open_in_memory().unwrap();
    tiffin_migrations::migrate_edge(&mut conn).unwrap();
    let database = made(None);
    for table in TABLES {
        let mut ours = of_postgres(&database, &format!("merged.{}", table.name));
        if table.name == "outlets" {
            assert!(ours.remove("outlet_id").is_some());
        }
        assert_eq!(ours, of_sqlite(&conn, table.name), "{}", table.name);
    }
    // Those of the kept days are derived here as they are there.
    for name in LOCAL.iter().filter(|name| name.starts_with("analytics_")) {
        assert_eq!(of_postgres(&database, &format!("merged.{name}")), of_sqlite(&conn, name), "{name}");
    }
    // Checks are kept: what the branch's schema refuses is refused here.
    let checks =
        "SELECT count(*) FROM pg_constraint WHERE contype = 'c' AND connamespace = 'merged'::regnamespace";
    let in_edge: usize = TABLES
        .iter()
        .map(|table| {
            let sql = "SELECT sql FROM sqlite_schema WHERE name = ?1";
            let text: String = conn.query_row(sql, [table.name], |row| row.get(0)).unwrap();
            text.matches("CHECK (").count()
        })
        .sum();
    // And one of portion_needs.
    assert_eq!(database.sql(checks), (in_edge + 1).to_string());
}

#[test]
fn a_column_that_a_migration_of_the_branch_adds_is_added_here() {
    for partitions in [None, Some(4)] {
        let database = made(partitions);
        let before = of_postgres(&database, "merged.employees");
        // As it was before the migration that brought the column.
        database.sql("DROP SCHEMA branch CASCADE; ALTER TABLE merged.employees DROP COLUMN station");
        let settings = Settings { partitions, ..Settings::new(&database.url) };
        drop(PgStore::open(&settings, Uuid::from_u128(1)).unwrap());
        assert_eq!(of_postgres(&database, "merged.employees"), before);
        let seen = "SELECT count(*) FROM information_schema.columns
            WHERE table_schema = 'branch' AND table_name = 'employees' AND column_name = 'station'";
        assert_eq!(database.sql(seen), "1", "the outlet's view has it, too");
    }
}

#[test]
fn texts_of_before_become_what_they_would_be_today() {
    let database = made(Some(4));
    let insert = |id: &str, number: &str| {
        format!(
            "INSERT INTO merged.dining_tables (id, outlet_id, number, area, seats, status, version, created_at, updated_at)
             VALUES ('{id}', '1', {number}, E'a\\r\\nb\\rc\\td\\x1b\\u009b', 4, 'AVAILABLE', 1, 1, 1);"
        )
    };
    database.sql(&format!("{}{}", insert("1", "E'T1\\x07'"), insert("2", "'T2 é'")));
    database.sql(include_str!("../../migrations/hub_postgres/V19__texts.sql"));
    let held = database.sql("SELECT string_agg(number || '|' || replace(area, E'\\n', '/'), ';' ORDER BY id) FROM merged.dining_tables");
    assert_eq!(held, "T1|a/b/c\td;T2 é|a/b/c\td");
}

#[test]
fn the_hubs_own_tables_are_those_of_the_sqlite_hub() {
    let database = made(None);
    let folder = tempfile::tempdir().unwrap();
    let mut outlet = Connection::open_in_memory().unwrap();
    tiffin_migrations::migrate_hub_outlet(&mut outlet).unwrap();
    let mut registry = Connection::open(folder.path().join("registry")).unwrap();
    tiffin_migrations::migrate_hub_registry(&mut registry).unwrap();
    let mut of_registry = registry
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%schema_history'")
        .unwrap();
    let of_registry: Vec<String> =
        of_registry.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    for name in tiffin_migrations::hub_outlet_tables().unwrap() {
        assert_eq!(of_postgres(&database, &format!("hub.{name}")), of_sqlite(&outlet, &name), "{name}");
    }
    for name in of_registry {
        assert_eq!(of_postgres(&database, &format!("hub.{name}")), of_sqlite(&registry, &name), "{name}");
    }
    let by_locale = "SELECT count(*) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
        WHERE c.relnamespace IN ('hub'::regnamespace, 'merged'::regnamespace) AND c.relkind = 'r' AND a.attnum > 0
          AND a.attcollation = 'pg_catalog.default'::regcollation AND c.relname <> 'refinery_schema_history'";
    assert_eq!(database.sql(by_locale), "0", "text is compared by bytes");
}

/// Every table whose rows are one outlet's.
pub fn of_outlets(database: &Database) -> BTreeSet<String> {
    let sql = "SELECT 'merged.' || c.relname FROM pg_class c
        WHERE c.relnamespace = 'merged'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition";
    let merged = rows(database, sql).into_iter().map(|mut row| row.remove(0));
    let of_hub =
        tiffin_migrations::hub_outlet_tables().unwrap().into_iter().map(|name| format!("hub.{name}"));
    merged.chain(of_hub).collect()
}

#[test]
fn every_key_begins_with_the_outlet_and_no_foreign_key_crosses_one() {
    let database = made(None);
    let keys = rows(
        &database,
        "SELECT n.nspname || '.' || c.relname, i.indisprimary, a.attname, i.indisunique,
           'outlet_id' = ANY (SELECT k.attname FROM pg_attribute k WHERE k.attrelid = c.oid AND k.attnum = ANY (i.indkey))
         FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
         JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
         WHERE n.nspname IN ('merged', 'hub')",
    );
    let tables = of_outlets(&database);
    assert!(tables.len() > 80, "{}", tables.len());
    for table in &tables {
        let of_table: Vec<_> = keys.iter().filter(|key| key[0] == *table).collect();
        assert!(of_table.iter().any(|key| key[1] == "t"), "{table} has no primary key");
        for key in of_table {
            assert_eq!(key[2], "outlet_id", "an index of {table} begins with {}", key[2]);
            assert!(key[3] == "f" || key[4] == "t", "a unique key of {table} is without outlet_id");
        }
    }
    let foreign = "SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND connamespace IN ('merged'::regnamespace, 'hub'::regnamespace)";
    assert_eq!(database.sql(foreign), "0");
}

#[test]
fn the_citus_script_names_exactly_the_outlets_tables() {
    let named: Vec<String> = tiffin_migrations::CITUS
        .lines()
        .filter_map(|line| line.strip_prefix("SELECT create_distributed_table('"))
        .map(|line| {
            let (table, rest) = line.split_once('\'').unwrap();
            assert!(rest.starts_with(", 'outlet_id'"), "{table}");
            assert!(table == "merged.rooms" || rest.contains("colocate_with => 'merged.rooms'"), "{table}");
            table.to_owned()
        })
        .collect();
    assert_eq!(named.iter().cloned().collect::<BTreeSet<_>>(), of_outlets(&made(None)));
    assert_eq!(named.first().map(String::as_str), Some("merged.rooms"));
}

#[test]
fn processes_that_migrate_at_once_wait_for_each_other() {
    let database = Database::new();
    let open = || PgStore::open(&Settings::new(&database.url), Uuid::from_u128(1)).map(drop);
    std::thread::scope(|scope| {
        let racers: Vec<_> = (0..4).map(|_| scope.spawn(open)).collect();
        racers.into_iter().for_each(|racer| racer.join().unwrap().unwrap());
    });
    let files =
        std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../migrations/hub_postgres")).unwrap();
    let files =
        files.filter(|file| file.as_ref().unwrap().file_name().to_str().unwrap().starts_with('V')).count();
    assert_eq!(database.sql("SELECT count(*) FROM hub.refinery_schema_history"), files.to_string());
}

#[test]
fn views_are_made_anew_when_their_text_changes_and_only_then() {
    let database = made(None);
    let oid = || database.sql("SELECT 'branch.orders'::regclass::oid");
    let open = || drop(PgStore::open(&Settings::new(&database.url), Uuid::from_u128(1)).unwrap());
    let before = oid();
    open();
    assert_eq!(oid(), before);
    database.sql("UPDATE hub.remade SET text = 'of an older version'; DROP VIEW branch.menu_revision");
    open();
    assert_ne!(oid(), before);
    assert_eq!(database.sql("SELECT to_regclass('branch.menu_revision') IS NOT NULL"), "t");
}
