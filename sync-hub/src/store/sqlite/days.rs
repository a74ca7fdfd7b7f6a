//! The triggers that take a day off the list of those whose figures are kept, when a row that it is made of comes, goes or changes:
//! however the row came, by replay, by repair or by a snapshot. Made of the one list of what a figure reads. Never fills a day.

use crate::store::StoreError;
use edge::resources::analytics::store::reaches::{Day, REACHES};
use rusqlite::Connection;
use std::collections::BTreeMap;

/// The branch's own triggers trust in the branch's own actions; here rows come in other ways too.
const FOUND: &str = "SELECT name, sql FROM sqlite_schema
    WHERE type = 'trigger' AND (name GLOB 'analytics_*' OR name GLOB 'hub_days_*')";

/// Makes the triggers what this version wants of them. Where they were others no day counts as kept.
pub(super) fn watch(conn: &Connection) -> Result<(), StoreError> {
    let found = conn
        .prepare(FOUND)?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<BTreeMap<String, String>, _>>()?;
    let wanted = triggers();
    if found == wanted {
        return Ok(());
    }
    let dropped: String = found.keys().map(|name| format!("DROP TRIGGER \"{name}\"; ")).collect();
    let made = wanted.into_values().collect::<Vec<_>>().join("; ");
    conn.execute_batch(&format!("BEGIN IMMEDIATE; {dropped}{made}; DELETE FROM analytics_days; COMMIT"))?;
    Ok(())
}

fn triggers() -> BTreeMap<String, String> {
    let events: [(&str, &[&str]); 3] =
        [("INSERT", &["NEW"]), ("UPDATE", &["OLD", "NEW"]), ("DELETE", &["OLD"])];
    let mut all = BTreeMap::new();
    for reach in &REACHES {
        for (event, rows) in events {
            let table = reach.table;
            let name = format!("hub_days_{table}_{}", event.to_ascii_lowercase());
            let drops: String = rows
                .iter()
                .flat_map(|row| reach.days.iter().map(move |day| (row, day)))
                .map(|(row, day)| {
                    let dates = dates(row, *day);
                    format!("DELETE FROM analytics_days WHERE outlet_id = {row}.outlet_id AND business_date {dates}; ")
                })
                .collect();
            let sql = format!(
                "CREATE TRIGGER {name} AFTER {event} ON {table} WHEN EXISTS (SELECT 1 FROM analytics_days) BEGIN {drops}END"
            );
            all.insert(name, sql);
        }
    }
    all
}

/// What the business date is compared with.
fn dates(row: &str, day: Day) -> String {
    match day {
        Day::Own => format!("= {row}.business_date"),
        Day::Of { table, key, column, only } => {
            let only = only.map(|only| format!(" AND {only}")).unwrap_or_default();
            format!("IN (SELECT business_date FROM {table} WHERE {key} = {row}.{column}{only})")
        }
    }
}
