//! The hub's schema on PostgreSQL. Tables come from numbered files, as everywhere, and get the columns that the branch's migrations add
//! later; views and functions hold no data and are made anew whenever their text changes. Never runs in two processes at once, never touches rows.

use std::collections::HashSet;
use tokio_postgres::Client;

mod files {
    refinery::embed_migrations!("hub_postgres");
}

/// Views and functions, in their order.
const REMADE: [&str; 3] = [
    include_str!("../hub_postgres/branch/1_compat.sql"),
    include_str!("../hub_postgres/branch/2_views.sql"),
    include_str!("../hub_postgres/branch/3_derived.sql"),
];

/// The functions that spread tables over partitions.
const SPREADING: &str = include_str!("../hub_postgres/layout/partitions.sql");

/// The script that spreads the tables over the servers of a Citus cluster.
pub const CITUS: &str = include_str!("../hub_postgres/layout/citus.sql");

/// Text is compared by its bytes, as SQLite does, whatever the database's own collation is.
const BY_BYTES: &str = "DO $$
    DECLARE found record;
    BEGIN
      FOR found IN
        SELECT a.attrelid::regclass AS relation, a.attname AS name FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
        WHERE c.relnamespace = 'hub'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.attnum > 0
          AND NOT a.attisdropped AND a.attcollation = 'pg_catalog.default'::regcollation AND c.relname <> 'refinery_schema_history'
      LOOP
        EXECUTE format('ALTER TABLE %s ALTER COLUMN %I TYPE text COLLATE \"C\"', found.relation, found.name);
      END LOOP;
    END $$";

/// The newest schema version of the hub on PostgreSQL.
pub fn hub_postgres_schema_version() -> u32 {
    super::newest(&files::migrations::runner())
}

/// The lock under which the schema is changed: one process at a time, of this program alone.
pub const HUB_POSTGRES_LOCK: i64 = 0x7469_6666_696E_0000;

/// Why the schema could not be brought up to date.
#[derive(Debug, thiserror::Error)]
pub enum HubMigrateError {
    /// A numbered file failed, or one that was shipped has changed.
    #[error(transparent)]
    Migration(#[from] refinery::Error),
    /// The database refused a statement.
    #[error("{}", words(.0))]
    Database(#[from] tokio_postgres::Error),
    /// The branch's schema could not be made in memory, to compare with.
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    /// The layout cannot be had.
    #[error("{0}")]
    Layout(String),
}

fn words(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(refusal) => format!("{} ({})", refusal.message(), refusal.code().code()),
        None => error.to_string(),
    }
}

/// Brings the hub's database to the newest schema. With `partitions` a database that is still empty is spread over that many hash
/// partitions by outlet.
///
/// # Errors
/// See [`HubMigrateError`]; a half-made step is undone, and running it again goes on from there.
pub async fn migrate_hub_postgres(
    client: &mut Client,
    partitions: Option<u16>,
) -> Result<(), HubMigrateError> {
    client.execute("SELECT pg_advisory_lock($1)", &[&HUB_POSTGRES_LOCK]).await?;
    let outcome = migrate(client, partitions).await;
    client.execute("SELECT pg_advisory_unlock($1)", &[&HUB_POSTGRES_LOCK]).await?;
    outcome
}

async fn migrate(client: &mut Client, partitions: Option<u16>) -> Result<(), HubMigrateError> {
    client
        .batch_execute(
            "SET client_min_messages = warning;
             CREATE SCHEMA IF NOT EXISTS hub; CREATE SCHEMA IF NOT EXISTS merged; CREATE SCHEMA IF NOT EXISTS parts;
             SET search_path = hub, pg_catalog;
             CREATE TABLE IF NOT EXISTS hub.remade (id bigint PRIMARY KEY CHECK (id = 1), text text NOT NULL)",
        )
        .await?;
    let applied = files::migrations::runner().run_async(client).await?.applied_migrations().len();
    if applied > 0 {
        client.batch_execute(BY_BYTES).await?;
    }
    let followed = follow(client).await?;
    let spread = spread(client, partitions).await?;
    let text = REMADE.concat();
    let made = client.query_opt("SELECT text FROM hub.remade WHERE id = 1", &[]).await?;
    if applied > 0 || followed > 0 || spread > 0 || made.is_none_or(|row| row.get::<_, &str>(0) != text) {
        let change = client.transaction().await?;
        change
            .batch_execute("DROP SCHEMA IF EXISTS branch CASCADE; DROP SCHEMA IF EXISTS compat CASCADE")
            .await?;
        change.batch_execute(&text).await?;
        let sql = "INSERT INTO hub.remade (id, text) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET text = excluded.text";
        change.execute(sql, &[&text]).await?;
        change.commit().await?;
    }
    Ok(())
}

/// Adds the columns that the branch's tables have got since their own were made here: a branch's migration says them once, for all stores.
/// Answers how many.
async fn follow(client: &mut Client) -> Result<usize, HubMigrateError> {
    let present = client.query("SELECT table_name::text, column_name::text FROM information_schema.columns WHERE table_schema = 'merged'", &[]);
    let present: HashSet<(String, String)> =
        present.await?.iter().map(|row| (row.get(0), row.get(1))).collect();
    let tables: HashSet<&str> = present.iter().map(|(table, _)| table.as_str()).collect();
    let new: Vec<String> = branch_columns()?
        .into_iter()
        .filter(|column| tables.contains(column.table.as_str()))
        .filter(|column| !present.contains(&(column.table.clone(), column.name.clone())))
        .map(|column| {
            format!("ALTER TABLE merged.\"{}\" ADD COLUMN \"{}\" {};", column.table, column.name, column.kind)
        })
        .collect();
    if !new.is_empty() {
        let change = client.transaction().await?;
        // The views name their columns; they are made anew afterwards.
        change.batch_execute("DROP SCHEMA IF EXISTS branch CASCADE").await?;
        change.batch_execute(&new.concat()).await?;
        change.commit().await?;
    }
    Ok(new.len())
}

/// A column of the branch's schema, in PostgreSQL's words.
struct Column {
    table: String,
    name: String,
    kind: String,
}

/// Every column of the branch's tables.
fn branch_columns() -> Result<Vec<Column>, HubMigrateError> {
    let mut conn = rusqlite::Connection::open_in_memory()?;
    super::migrate_edge(&mut conn)?;
    let sql = "SELECT t.name, c.name, CASE c.type WHEN 'INTEGER' THEN 'bigint' WHEN 'BLOB' THEN 'bytea' ELSE 'text COLLATE \"C\"' END
          || iif(c.\"notnull\", ' NOT NULL', '') || coalesce(' DEFAULT ' || c.dflt_value, '')
        FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'";
    let mut statement = conn.prepare(sql)?;
    let columns = statement
        .query_map([], |row| Ok(Column { table: row.get(0)?, name: row.get(1)?, kind: row.get(2)? }))?;
    Ok(columns.collect::<Result<_, _>>()?)
}

/// Spreads the tables that are not yet, if the layout asks for it; answers how many.
async fn spread(client: &mut Client, partitions: Option<u16>) -> Result<i64, HubMigrateError> {
    let sql = "SELECT count(*) FROM pg_inherits WHERE inhparent = 'merged.rooms'::regclass";
    let present: i64 = client.query_one(sql, &[]).await?.get(0);
    let wanted = partitions.map_or(0, i64::from);
    if wanted != present && wanted > 0 && present > 0 {
        return Err(HubMigrateError::Layout(format!(
            "this database has {present} partitions, and {wanted} were asked for: a layout is chosen once"
        )));
    }
    let parts = i32::try_from(wanted.max(present)).unwrap_or(i32::MAX);
    if parts == 0 {
        return Ok(0);
    }
    let of_hub = hub_outlet_tables()?;
    let change = client.transaction().await?;
    change.batch_execute("DROP SCHEMA IF EXISTS branch CASCADE").await?;
    change.batch_execute(SPREADING).await?;
    let done: i64 = change.query_one("SELECT hub.spread($1, $2)", &[&parts, &of_hub]).await?.get(0);
    if done == 0 {
        return Ok(0);
    }
    change.commit().await?;
    Ok(done)
}

/// The tables that the hub keeps of each outlet beside the branch's own.
///
/// # Errors
/// When SQLite cannot make them in memory.
pub fn hub_outlet_tables() -> Result<Vec<String>, HubMigrateError> {
    let mut conn = rusqlite::Connection::open_in_memory()?;
    super::migrate_hub_outlet(&mut conn)?;
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'hub\\_%' ESCAPE '\\' AND name <> ?1 ORDER BY name";
    let mut statement = conn.prepare(sql)?;
    let names = statement.query_map([super::OUTLET_HISTORY], |row| row.get(0))?;
    Ok(names.collect::<Result<_, _>>()?)
}
