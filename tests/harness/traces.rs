//! A search for words through all that a database keeps. Never asks a server.

use crate::oracle;
use std::path::Path;

/// Tables that hold rows as they once were, and end with their stated age.
pub const AGED: [&str; 3] = ["sync_log", "sync_archive", "hub_log"];

/// Where one of `words` stands in the SQLite database at `path`: as `table.column`, but in [`AGED`] tables.
pub fn places(path: &Path, words: &[&str]) -> Vec<String> {
    let conn = oracle::open(path);
    let mut tables = conn.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").unwrap();
    let tables: Vec<String> = tables.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert!(tables.len() > 30, "{}: the tables were not found", path.display());
    let mut found = Vec::new();
    for table in tables.iter().filter(|table| !AGED.contains(&table.as_str())) {
        let mut statement = conn.prepare(&format!("SELECT * FROM \"{table}\"")).unwrap();
        let columns: Vec<String> = statement.column_names().into_iter().map(str::to_owned).collect();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            for (place, column) in columns.iter().enumerate() {
                let value = row.get_ref(place).unwrap();
                let bytes = value.as_bytes_or_null().ok().flatten().unwrap_or_default();
                if words.iter().any(|word| bytes.windows(word.len()).any(|part| part == word.as_bytes())) {
                    found.push(format!("{table}.{column}"));
                }
            }
        }
    }
    found.sort();
    found.dedup();
    found
}
