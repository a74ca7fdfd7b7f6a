//! Unit tests of the archive.

use super::*;
use crate::db;
use crate::testing::Fixture;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Read;
use zip::ZipArchive;

/// The files of an archive.
fn opened(path: &Path) -> BTreeMap<String, String> {
    let mut archive = ZipArchive::new(File::open(path).unwrap()).unwrap();
    (0..archive.len())
        .map(|i| {
            let mut file = archive.by_index(i).unwrap();
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).unwrap();
            (file.name().unwrap().into_owned(), String::from_utf8_lossy(&bytes).into_owned())
        })
        .collect()
}

#[test]
fn every_row_is_there_twice_and_no_cell_runs() {
    let fixture = Fixture::new();
    fixture
        .write(|tx, _| -> db::Result<()> {
            tx.execute("UPDATE outlets SET name = '=HYPERLINK(\"http://evil\")', phone = '-12', address = 'a,\"b\"\nc'", [])?;
            Ok(())
        })
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("all.zip");
    let manifest = write(fixture.db.path(), &path, fixture.db.env()).unwrap();
    assert!(matches!(write(fixture.db.path(), &path, fixture.db.env()), Err(ExportError::Taken(_))));
    let files = opened(&path);
    let listed: Value = serde_json::from_str(&files["manifest.json"]).unwrap();
    assert_eq!(listed["outletCode"], "BLR1");
    assert_eq!(listed["tables"].as_array().unwrap().len(), manifest.tables.len());
    for table in &manifest.tables {
        let rows = fixture.number(&format!("SELECT count(*) FROM {}", table.name)) as u64;
        let mut csv = csv::Reader::from_reader(files[&table.csv].as_bytes());
        assert_eq!(csv.headers().unwrap().len(), table.columns.len());
        assert_eq!(
            (table.rows, csv.records().map(Result::unwrap).count() as u64),
            (rows, rows),
            "{}",
            table.name
        );
        assert_eq!(files[&table.jsonl].lines().count() as u64, rows, "{}", table.name);
    }
    let outlet: Value = serde_json::from_str(files["jsonl/outlets.jsonl"].lines().next().unwrap()).unwrap();
    assert_eq!(outlet["id"], fixture.outlet_id.to_string());
    assert_eq!(outlet["created_at"], crate::testing::START);
    assert_eq!(outlet["name"], "=HYPERLINK(\"http://evil\")");
    let csv = &files["csv/outlets.csv"];
    assert!(
        csv.contains("'=HYPERLINK") && csv.contains(",-12,") && csv.contains("\"a,\"\"b\"\"\nc\""),
        "{csv}"
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
    assert_eq!(listed["filling"], false);
}

#[test]
fn nothing_that_sounds_like_a_secret_is_exported_unless_it_is_known_to_be_none() {
    /// Columns whose names sound so: employee and outlet codes, chains of bills, hashes of papers, references.
    const HARMLESS: &[&str] = &[
        "accounts.mustChangePassword",
        "employee_documents.hash",
        "invoices.hash",
        "invoices.previous_hash",
        "kitchen_tickets.token_number",
        "menu_pictures.hash",
        "orders.token_number",
        "outlets.approver_pin_min_digits",
        "signing_keys.public_key",
    ];
    let fixture = Fixture::new();
    let conn = copying::reading(fixture.db.path()).unwrap();
    for table in columns::tables(&conn, false).unwrap() {
        for column in columns::of(&conn, &table).unwrap().columns {
            let words: Vec<&str> = column.name.split('_').collect();
            let sounds = ["hash", "token", "secret", "pin", "password", "pepper", "salt", "key"];
            let full = format!("{table}.{}", column.name);
            let is_dedupe = column.name == "dedupe_key";
            let is_fine =
                is_dedupe || HARMLESS.contains(&full.as_str()) || !sounds.iter().any(|s| words.contains(s));
            assert!(is_fine, "{full} is exported: leave it out, or say here that it is none");
        }
    }
    let there = |sql: &str| fixture.number(sql) == 1;
    for (table, column, _) in LEFT_OUT_COLUMNS {
        assert!(
            there(&format!("SELECT count(*) FROM pragma_table_info('{table}') WHERE name = '{column}'")),
            "{table}.{column}"
        );
    }
    for (table, _) in LEFT_OUT.iter().chain(NOT_SENT) {
        assert!(there(&format!("SELECT count(*) FROM sqlite_schema WHERE name = '{table}'")), "{table}");
    }
    // Every table is one or the other.
    let exported = columns::tables(&conn, false).unwrap();
    let all = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
    let all: Vec<String> = crate::db::list(&conn, all, [], |row| row.get(0)).unwrap();
    let lost: Vec<_> =
        all.iter().filter(|t| !exported.contains(t) && !LEFT_OUT.iter().any(|(left, _)| left == t)).collect();
    assert!(lost.is_empty(), "neither exported nor left out: {lost:?}");
}
