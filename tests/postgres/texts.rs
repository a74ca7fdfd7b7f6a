//! The branch's texts on PostgreSQL: what they mean there is what they mean on SQLite.

use crate::store::{OUTLET, apply, op, open};
use rusqlite::types::Value as Any;
use sync_hub::store::sqlite::{Limits, SqliteStore};
use sync_hub::store::{StoreError, Stores, Strictness};
use tiffin_common::Uuid;
use tiffin_common::frame::{OpKind, Value};
use tiffin_tests::postgres::Database;

#[test]
fn the_houses_texts_mean_what_they_mean_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = Stores::new(SqliteStore::open(folder.path(), Limits::default()).unwrap());
    sqlite.store().create_outlet(OUTLET).unwrap();
    let postgres = open(&Database::new());
    let name = |id, name: &'static str| {
        let columns = [
            ("number", Value::Text(name)),
            ("seats", Value::Integer(id as i64 + 1)),
            ("created_at", Value::Integer(1)),
            ("updated_at", Value::Integer(1)),
        ];
        op("dining_tables", OpKind::Insert, Uuid::from_u128(id), &columns)
    };
    let tables = [name(1, "A1"), name(2, "a2"), name(3, "12"), name(4, "Émile"), name(5, "B*")];
    let rows: Vec<_> = tables.into_iter().map(|op| (Strictness::Exact, vec![op])).collect();
    assert_eq!(apply(&postgres, &rows), apply(&sqlite, &rows));
    let texts: [(&str, Vec<Any>); 16] = [
        ("SELECT number FROM dining_tables WHERE ?1 IS NULL OR id = ?1 ORDER BY id", vec![Any::Null]),
        (
            "SELECT number FROM dining_tables WHERE (?1 IS NULL OR area = ?1) AND ?2 IS NOT NULL ORDER BY id",
            vec![Any::Null, Any::Integer(1)],
        ),
        (
            "SELECT number FROM dining_tables WHERE number LIKE ?1 ESCAPE '\\' ORDER BY id",
            vec![Any::Text("a%".into())],
        ),
        ("SELECT number FROM dining_tables WHERE number = 'a1' COLLATE NOCASE", vec![]),
        (
            "SELECT number FROM dining_tables ORDER BY number GLOB '*[^0-9]*', CAST(seats AS INTEGER), number",
            vec![],
        ),
        ("SELECT number, area IS NULL, area IS number, seats > 3 FROM dining_tables ORDER BY number", vec![]),
        (
            "SELECT sum(seats), count(*), max(id), min(number), sum(seats > 2), max(min(seats, 3), 2) FROM dining_tables GROUP BY seats ORDER BY seats",
            vec![],
        ),
        (
            "SELECT lower(number), upper(number), instr(number, '2'), length(number), hex(id) FROM dining_tables ORDER BY id",
            vec![],
        ),
        (
            "SELECT iif(seats > 2, number, 'few'), coalesce(area, '-') || seats FROM dining_tables ORDER BY id",
            vec![],
        ),
        ("SELECT value FROM json_each(?1)", vec![Any::Text("[\"a\",\"b\"]".into())]),
        ("SELECT d.number FROM outlets o CROSS JOIN dining_tables d ON d.outlet_id = o.id", vec![]),
        (
            "SELECT number FROM dining_tables WHERE +outlet_id = ?1 AND id IN (?2, ?3) ORDER BY id",
            vec![
                Any::Blob(OUTLET.as_bytes().to_vec()),
                Any::Blob(Uuid::from_u128(1).as_bytes().to_vec()),
                Any::Null,
            ],
        ),
        (
            "SELECT seats / 2, -seats / 2, seats % 2, 7 * ?1 FROM dining_tables ORDER BY id",
            vec![Any::Integer(1 << 40)],
        ),
        (
            "SELECT number FROM dining_tables ORDER BY seats DESC LIMIT ?1 OFFSET ?2",
            vec![Any::Integer(2), Any::Integer(1)],
        ),
        ("SELECT x'0aff', 'it''s ?1', ?1", vec![Any::Text("q".into())]),
        (
            "WITH few AS (SELECT number, seats FROM dining_tables WHERE seats < ?1) SELECT number FROM few UNION ALL SELECT 'all' ORDER BY 1",
            vec![Any::Integer(4)],
        ),
    ];
    for (sql, params) in texts {
        let ask = |stores: &Stores| {
            stores.read_outlet_blocking(OUTLET, |from| {
                let params: Vec<&dyn rusqlite::ToSql> = params.iter().map(|param| param as _).collect();
                let mut found: Vec<Vec<Any>> = Vec::new();
                from.rows(sql, &params, &mut |row| {
                    found.push((0..).map_while(|at| row.get(at).ok()).collect());
                    Ok(true)
                })?;
                Ok::<_, StoreError>(found)
            })
        };
        assert_eq!(ask(&postgres).unwrap(), ask(&sqlite).unwrap(), "{sql}");
    }
}
