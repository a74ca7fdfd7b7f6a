//! How long each table is kept stands in the guide: of every table of both programs, once.

use crate::read;
use rusqlite::Connection;
use std::collections::BTreeSet;
use tiffin_common::registry::TABLES;

/// Records that come and go all the same.
const NOT_FOR_EVER: [&str; 3] = ["guests", "notifications", "answered_requests"];

/// The names of the guide's table number `number`, which must be said once each.
fn said(number: usize) -> BTreeSet<String> {
    let guide = read("edge/src/app/docs/guide.html");
    let table = guide.split("<table class=\"keeping\">").nth(number + 1).unwrap();
    let table = table.split("</table>").next().unwrap();
    let mut names = BTreeSet::new();
    for row in table.split("<tr><td>").skip(1) {
        let cells: Vec<&str> = row.split("<td>").collect();
        assert_eq!(cells.len(), 3, "{row}");
        for name in cells[2].split("<code>").skip(1) {
            let name = name.split("</code>").next().unwrap();
            assert!(names.insert(name.to_owned()), "{name} is said twice");
        }
    }
    names
}

fn tables(conn: &Connection) -> BTreeSet<String> {
    let sql =
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
    let mut statement = conn.prepare(sql).unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

fn migrated<V>(migrate: fn(&mut Connection) -> V) -> BTreeSet<String> {
    let mut conn = Connection::open_in_memory().unwrap();
    migrate(&mut conn);
    tables(&conn)
}

#[test]
fn the_guide_says_of_every_table_how_long_it_is_kept() {
    let branch = migrated(|conn| tiffin_migrations::migrate_edge(conn).unwrap());
    let records = |name: &str| TABLES.iter().any(|table| table.name == name) && !NOT_FOR_EVER.contains(&name);
    assert_eq!(said(0), branch.iter().filter(|name| !records(name)).cloned().collect());

    let mut office = migrated(|conn| tiffin_migrations::migrate_hub_outlet(conn).unwrap());
    office.extend(migrated(|conn| tiffin_migrations::migrate_hub_registry(conn).unwrap()));
    assert_eq!(
        said(1),
        office.difference(&branch).cloned().chain(["refinery_schema_history".into()]).collect()
    );
}
