//! What capture must never get wrong, on the real schema.

use super::Capture;
use rusqlite::{Connection, params};
use std::collections::{BTreeMap, BTreeSet};
use tiffin_common::frame::{Body, Hash, Header, Kind, OpKind, Value};
use tiffin_common::registry::{LOCAL, TABLES, table_named};
use tiffin_common::{Hlc, Millis, Uuid};

const NOW: Millis = Millis::new(1_763_640_000_000);
const OUTLET: [u8; 16] = [1; 16];

fn migrated() -> Connection {
    let mut conn = Connection::open_in_memory().unwrap();
    tiffin_migrations::migrate_edge(&mut conn).unwrap();
    conn.pragma_update(None, "foreign_keys", true).unwrap();
    conn
}

fn started() -> (Connection, Capture) {
    let conn = migrated();
    let capture = Capture::install(&conn).unwrap();
    capture.start_epoch(&conn, [7; 16], NOW).unwrap();
    (conn, capture)
}

fn category(conn: &Connection, id: u8, name: &str) -> rusqlite::Result<usize> {
    let sql =
        "INSERT INTO menu_categories (id, outlet_id, name, created_at, updated_at) VALUES (?1, ?2, ?3, 5, 5)";
    conn.execute(sql, params![[id; 16], OUTLET, name])
}

fn counter(conn: &Connection, id: u8, series: &str) -> rusqlite::Result<usize> {
    let sql = "INSERT INTO counters (id, outlet_id, series, value) VALUES (?1, ?2, ?3, 1)";
    conn.execute(sql, params![[id; 16], OUTLET, series])
}

/// A change as text: `+ counters`, `~ counters value`, `- counters`, with the names of the columns it carries.
fn describe(body: &Body<'_>) -> Vec<String> {
    let name = |op: &tiffin_common::frame::Op<'_>| {
        let table = tiffin_common::registry::table(op.table).unwrap();
        let columns: Vec<_> = op.columns.iter().map(|(column, _)| table.columns[*column]).collect();
        let sign = match op.kind {
            OpKind::Insert => '+',
            OpKind::Update => '~',
            OpKind::Delete => '-',
        };
        format!("{sign} {} {}", table.name, columns.join(" ")).trim_end().to_owned()
    };
    body.ops().iter().map(name).collect()
}

/// All log rows, after checking that they are contiguous and chained.
fn log(conn: &Connection) -> Vec<(Header, Vec<u8>)> {
    let sql = "SELECT seq, epoch, kind, hlc, wall_ms, schema_v, n, body, hash FROM sync_log ORDER BY seq";
    let mut statement = conn.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| {
        let kind = Kind::from_number(row.get(2)?).unwrap();
        let header = Header {
            seq: row.get(0)?,
            epoch: row.get(1)?,
            kind,
            hlc: row.get(3)?,
            wall: row.get(4)?,
            schema: row.get(5)?,
            count: row.get(6)?,
        };
        Ok((header, row.get::<_, Vec<u8>>(7)?, Hash(row.get(8)?)))
    });
    let (mut previous, mut hlc, mut rows_read) = (Hash::START, Hlc::ZERO, Vec::new());
    for (row, seq) in rows.unwrap().zip(1..) {
        let (header, body, hash) = row.unwrap();
        assert_eq!(header.seq, seq);
        assert_eq!(hash, previous.next(&header, &body), "the chain breaks at {seq}");
        assert!(header.hlc > hlc);
        (previous, hlc) = (hash, header.hlc);
        rows_read.push((header, body));
    }
    rows_read
}

fn last(conn: &Connection) -> (Kind, Vec<String>) {
    let (header, body) = log(conn).pop().unwrap();
    (header.kind, describe(&Body::decode(&header, &body).unwrap()))
}

#[test]
fn registry_and_schema_agree() {
    let conn = migrated();
    let mut statement = conn
        .prepare(
            "SELECT t.name, c.name FROM pragma_table_list t JOIN pragma_table_xinfo(t.name) c
             WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND c.hidden NOT IN (2, 3)",
        )
        .unwrap();
    let mut schema: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let rows =
        statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))).unwrap();
    for row in rows {
        let (table, column) = row.unwrap();
        schema.entry(table).or_default().insert(column);
    }
    for table in TABLES {
        let columns: BTreeSet<String> = table.live_columns().map(|(_, name)| name.to_owned()).collect();
        assert_eq!(Some(columns), schema.remove(table.name), "columns of {}", table.name);
    }
    for table in LOCAL {
        assert!(schema.remove(*table).is_some(), "{table} is listed as local, but there is no such table");
    }
    assert!(schema.is_empty(), "neither captured nor local: {:?}", schema.keys());
}

#[test]
fn a_start_is_an_epoch_and_a_schema_row_only_when_it_is_new() {
    let (conn, first) = started();
    let kinds = |conn: &Connection| log(conn).iter().map(|(header, _)| header.kind).collect::<Vec<_>>();
    assert_eq!(kinds(&conn), [Kind::EpochStart, Kind::Schema]);
    let parent = first.position();
    drop(first);
    let before: i64 = conn.query_row("PRAGMA schema_version", [], |row| row.get(0)).unwrap();
    let second = Capture::install(&conn).unwrap();
    let after: i64 = conn.query_row("PRAGMA schema_version", [], |row| row.get(0)).unwrap();
    assert_eq!(before, after, "triggers that are right are left alone");
    second.start_epoch(&conn, [8; 16], NOW).unwrap();
    assert_eq!(kinds(&conn), [Kind::EpochStart, Kind::Schema, Kind::EpochStart]);
    let (header, body) = log(&conn).pop().unwrap();
    assert_eq!(Body::decode(&header, &body), Ok(Body::EpochStart(parent)));
    let named: Option<Uuid> = conn
        .query_row("SELECT parent_epoch FROM sync_meta WHERE epoch = ?1", [[8u8; 16]], |row| row.get(0))
        .unwrap();
    assert_eq!(named, Some(Uuid::from_bytes([7; 16])));
}

#[test]
fn an_action_is_one_row_with_only_what_it_changed() {
    let (conn, capture) = started();
    category(&conn, 1, "Starters").unwrap();
    counter(&conn, 2, "ORDER").unwrap();
    assert_eq!(capture.seal(&conn, NOW).unwrap(), Some(3));
    let expected = [
        "+ menu_categories id outlet_id name sort_order is_active version created_at updated_at windows texts",
        "+ counters id outlet_id series value",
    ];
    assert_eq!(last(&conn), (Kind::Proposal, expected.map(str::to_owned).to_vec()));

    conn.execute("UPDATE counters SET value = value + 1, series = series", []).unwrap();
    conn.execute("UPDATE counters SET value = value", []).unwrap();
    assert_eq!(capture.seal(&conn, NOW).unwrap(), Some(4));
    assert_eq!(last(&conn), (Kind::Data, vec!["~ counters value".to_owned()]));

    conn.execute("UPDATE counters SET value = value", []).unwrap();
    conn.execute("INSERT INTO menu_revision (outlet_id, revision) VALUES (?1, 1)", [OUTLET]).unwrap();
    assert_eq!(capture.seal(&conn, NOW).unwrap(), None, "nothing changed, or only what is local");
}

#[test]
fn a_proposal_names_the_version_it_saw() {
    let (conn, capture) = started();
    category(&conn, 1, "Starters").unwrap();
    conn.execute("UPDATE menu_categories SET name = 'Soups', version = version + 1, description = NULL", [])
        .unwrap();
    conn.execute("DELETE FROM menu_categories", []).unwrap();
    capture.seal(&conn, NOW).unwrap();
    let (header, body) = log(&conn).pop().unwrap();
    let body = Body::decode(&header, &body).unwrap();
    assert_eq!(body.ops().iter().map(|op| op.saw).collect::<Vec<_>>(), [None, Some(1), Some(2)]);
    assert_eq!(body.ops()[2].key, Value::Id(Uuid::from_bytes([1; 16])));
    let name = table_named("menu_categories").unwrap().column("name").unwrap();
    assert!(body.ops()[1].columns.contains(&(name, Value::Text("Soups"))));
}

#[test]
fn letter_case_alone_is_a_change_even_where_the_column_ignores_it() {
    let (conn, capture) = started();
    conn.execute(
        "INSERT INTO accounts (id, outlet_id, email, name, password_hash, role, created_at, updated_at)
         VALUES (?1, ?2, 'A@x.test', 'A', '', 'OWNER', 1, 1)",
        params![[1u8; 16], OUTLET],
    )
    .unwrap();
    capture.seal(&conn, NOW).unwrap();
    conn.execute("UPDATE accounts SET email = 'a@x.test'", []).unwrap();
    capture.seal(&conn, NOW).unwrap();
    assert_eq!(last(&conn).1, ["~ accounts email"]);
}

#[test]
fn what_a_savepoint_takes_back_is_not_recorded() {
    let (conn, capture) = started();
    counter(&conn, 1, "KEPT").unwrap();
    let mark = capture.mark();
    conn.execute_batch("SAVEPOINT s").unwrap();
    category(&conn, 2, "Undone").unwrap();
    conn.execute("DELETE FROM counters", []).unwrap();
    conn.execute_batch("ROLLBACK TO s; RELEASE s").unwrap();
    capture.cut(mark);
    capture.seal(&conn, NOW).unwrap();
    assert_eq!(last(&conn), (Kind::Data, vec!["+ counters id outlet_id series value".to_owned()]));
}

#[test]
fn a_failed_statement_leaves_nothing_though_some_of_its_rows_went_through() {
    let (conn, capture) = started();
    counter(&conn, 1, "A").unwrap();
    counter(&conn, 2, "B").unwrap();
    capture.seal(&conn, NOW).unwrap();
    let mark = capture.mark();
    let failed = conn.execute(
        "INSERT INTO counters (id, outlet_id, series, value)
         SELECT randomblob(16), outlet_id, iif(value < 3, 'B', 'C'), 1
         FROM (SELECT 3 AS value, ?1 AS outlet_id UNION ALL SELECT 1, ?1)",
        [OUTLET],
    );
    assert!(failed.is_err(), "the second row repeats a series");
    capture.cut(mark);
    assert_eq!(capture.seal(&conn, NOW).unwrap(), None);
}

#[test]
fn cascade_upsert_replace_and_truncate_are_seen() {
    let (conn, capture) = started();
    counter(&conn, 1, "A").unwrap();
    let upsert = "INSERT INTO counters (id, outlet_id, series, value) VALUES (?1, ?2, 'A', 1)
                  ON CONFLICT (outlet_id, series) DO UPDATE SET value = value + 1";
    conn.execute(upsert, params![[2u8; 16], OUTLET]).unwrap();
    let replace = "INSERT OR REPLACE INTO counters (id, outlet_id, series, value) VALUES (?1, ?2, 'A', 9)";
    conn.execute(replace, params![[3u8; 16], OUTLET]).unwrap();
    conn.execute("DELETE FROM counters", []).unwrap();
    capture.seal(&conn, NOW).unwrap();
    let insert = "+ counters id outlet_id series value";
    assert_eq!(last(&conn).1, [insert, "~ counters value", "- counters", insert, "- counters"]);
    // The schema has no cascade into a captured table; the rule is SQLite's own: foreign key actions fire triggers.
    conn.execute_batch("CREATE TABLE parent (id INTEGER PRIMARY KEY) STRICT; INSERT INTO parent VALUES (1);")
        .unwrap();
    conn.execute_batch(
        "DROP TABLE cash_movements;
         CREATE TABLE cash_movements (id BLOB PRIMARY KEY NOT NULL, outlet_id, cash_session_id, kind, amount_cents, reason,
           business_date, at INTEGER REFERENCES parent (id) ON DELETE CASCADE, by_id, approver_id,
           clock_suspect, is_tips, employee_id);",
    )
    .unwrap();
    let capture = Capture::install(&conn).unwrap();
    conn.execute("INSERT INTO cash_movements (id, at) VALUES (?1, 1)", [[1u8; 16]]).unwrap();
    capture.job(super::Job::Recover, || conn.execute("DELETE FROM parent", [])).unwrap();
    capture.seal(&conn, NOW).unwrap();
    assert_eq!(last(&conn).1, ["+ cash_movements id at", "- cash_movements"]);
}

#[test]
fn numbers_stay_contiguous_when_a_group_is_rolled_back() {
    let (conn, capture) = started();
    conn.execute_batch("BEGIN").unwrap();
    counter(&conn, 1, "A").unwrap();
    assert_eq!(capture.seal(&conn, NOW).unwrap(), Some(3));
    counter(&conn, 2, "B").unwrap();
    conn.execute_batch("ROLLBACK").unwrap();
    capture.reset(&conn).unwrap();
    counter(&conn, 3, "C").unwrap();
    assert_eq!(capture.seal(&conn, Millis::new(0)).unwrap(), Some(3));
    assert_eq!(capture.seal(&conn, NOW).unwrap(), None);
    assert_eq!(log(&conn).len(), 3);
}

#[test]
fn a_write_from_outside_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("branch.db");
    let mut conn = Connection::open(&path).unwrap();
    tiffin_migrations::migrate_edge(&mut conn).unwrap();
    drop(Capture::install(&conn).unwrap());
    let stranger = Connection::open(&path).unwrap();
    let refused = counter(&stranger, 1, "A").unwrap_err();
    assert!(refused.to_string().contains("no such function: tiffin_capture"), "{refused}");
    super::make_way_for_migrations(&stranger).unwrap();
    assert!(counter(&stranger, 1, "A").is_err(), "no migration is pending");
}

#[test]
fn triggers_make_way_for_a_pending_migration_and_come_back() {
    let (conn, _) = started();
    let newest = tiffin_migrations::edge_schema_version();
    conn.execute("DELETE FROM refinery_schema_history WHERE version = ?1", [newest]).unwrap();
    super::make_way_for_migrations(&conn).unwrap();
    let count = "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND sql LIKE '%tiffin_capture%'";
    assert_eq!(conn.query_row(count, [], |row| row.get::<_, i64>(0)), Ok(0));
    let capture = Capture::install(&conn).unwrap();
    counter(&conn, 1, "A").unwrap();
    assert_eq!(capture.seal(&conn, NOW).unwrap(), Some(3));
}

#[test]
fn capture_may_move_to_the_writer_thread() {
    fn is_send<T: Send>() {}
    is_send::<Capture>();
}
