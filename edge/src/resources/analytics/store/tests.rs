//! Every family is read by its date index, from the same text for kept days and for rows.

use super::days::select;
use super::families::ALL;
use super::reaches::{Day, REACHES};
use crate::db::{DbError, list};
use crate::testing::Fixture;
use std::collections::BTreeSet;

fn plan(fixture: &Fixture, sql: &str) -> String {
    let read = fixture.db.read_blocking(|conn| -> Result<Vec<String>, DbError> {
        let id: &[u8] = &[1; 16];
        let params = rusqlite::params![id, "2026-11-01", "2026-11-30"];
        list(conn, &format!("EXPLAIN QUERY PLAN {sql}"), params, |row| row.get("detail"))
    });
    read.unwrap().join("; ")
}

#[test]
fn no_figure_is_looked_for_in_all_of_history() {
    let fixture = Fixture::new();
    for family in ALL {
        let keys: Vec<&str> = std::iter::once("business_date").chain(family.keys.iter().copied()).collect();
        let raw = plan(&fixture, &select(family, false, &keys, family.sums));
        let scans: Vec<&str> = raw.split("; ").filter(|step| step.starts_with("SCAN")).collect();
        let harmless = |step: &&str| step.contains("VIRTUAL TABLE") || *step == "SCAN counted";
        assert!(scans.iter().all(harmless), "{}: {raw}", family.table);
        assert!(raw.contains("business_date>? AND business_date<?"), "{}: {raw}", family.table);
        let kept = plan(&fixture, &select(family, true, &[], family.sums));
        assert!(kept.contains("PRIMARY KEY (outlet_id=? AND business_date>?"), "{}: {kept}", family.table);
    }
}

#[test]
fn a_family_names_its_columns_as_its_table_does() {
    let fixture = Fixture::new();
    for family in ALL {
        let columns = fixture.db.read_blocking(|conn| -> Result<Vec<String>, DbError> {
            let sql = format!("SELECT name FROM pragma_table_info('{}')", family.table);
            list(conn, &sql, [], |row| row.get(0))
        });
        let named: Vec<&str> = ["outlet_id", "business_date"]
            .into_iter()
            .chain(family.keys.iter().copied())
            .chain(family.sums.iter().copied())
            .collect();
        assert_eq!(columns.unwrap(), named, "{}", family.table);
    }
}

/// The tables that a text reads.
fn tables(sql: &str) -> BTreeSet<&str> {
    let mut words =
        sql.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    let mut found = BTreeSet::new();
    while let Some(word) = words.next() {
        if ["FROM", "JOIN"].contains(&word) {
            found.extend(words.next().filter(|table| *table != "json_each"));
        }
    }
    found
}

#[test]
fn every_table_that_a_figure_reads_reaches_its_days() {
    let read: BTreeSet<&str> = ALL.iter().flat_map(|family| tables(family.rows)).collect();
    let listed: BTreeSet<&str> = REACHES.iter().map(|reach| reach.table).collect();
    assert_eq!(read, listed);
    let fixture = Fixture::new();
    let columns = |table: &str| {
        let read = fixture.db.read_blocking(|conn| -> Result<Vec<String>, DbError> {
            list(conn, &format!("SELECT name FROM pragma_table_info('{table}')"), [], |row| row.get(0))
        });
        read.unwrap()
    };
    let dated: BTreeSet<&str> =
        REACHES.iter().filter(|reach| reach.days.contains(&Day::Own)).map(|reach| reach.table).collect();
    for reach in &REACHES {
        let own = columns(reach.table);
        for day in reach.days {
            match day {
                Day::Own => assert!(own.contains(&"business_date".to_owned()), "{}", reach.table),
                Day::Of { table, key, column, .. } => {
                    assert!(own.contains(&(*column).to_owned()), "{}.{column}", reach.table);
                    assert!(columns(table).contains(&(*key).to_owned()), "{table}.{key}");
                    assert!(dated.contains(table), "{table} has dates of its own");
                }
            }
        }
    }
    // What drops kept days at the branch is among them.
    let fixture = Fixture::new();
    let watched = fixture.db.read_blocking(|conn| -> Result<Vec<String>, DbError> {
        let sql = "SELECT tbl_name FROM sqlite_schema WHERE type = 'trigger' AND name GLOB 'analytics_*'";
        list(conn, sql, [], |row| row.get(0))
    });
    assert!(watched.unwrap().iter().all(|table| listed.contains(table.as_str())));
}
