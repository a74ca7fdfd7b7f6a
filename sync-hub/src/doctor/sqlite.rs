//! A head office on SQLite: its registry and each outlet's file. Only reads.

use super::contacts;
use super::told::{StoreReport, no_head_office};
use crate::opening::{OpenError, look_for_lost};
use crate::registry::{meta, outlets};
use crate::store::sqlite::{OUTLETS, REGISTRY};
use edge::doctor::database::{integrity, judge_schema, unreadable, unreadable_rows};
use edge::doctor::{Finding, Level, open_to_read};
use rusqlite::Connection;
use std::path::Path;
use tiffin_common::Millis;

/// The files below `folder`.
pub(super) fn examine(folder: &Path, now: Millis) -> StoreReport {
    let mut told = StoreReport::default();
    let path = folder.join(REGISTRY);
    if !path.exists() {
        let lost = |error: OpenError| {
            Finding::broken("database", error.to_string(), "Mount its disk, or put a backup back.")
        };
        told.findings.push(look_for_lost(folder).err().map_or_else(no_head_office, lost));
        return told;
    }
    let conn = match open_to_read(&path) {
        Ok(conn) => conn,
        Err(error) => {
            told.findings.push(unreadable(&error));
            return told;
        }
    };
    told.findings.push(integrity(&conn));
    if let Err(error) = registry(&conn, folder, now, &mut told) {
        told.findings.push(unreadable_rows(&error));
    }
    told
}

fn registry(conn: &Connection, folder: &Path, now: Millis, told: &mut StoreReport) -> edge::db::Result<()> {
    let version = "SELECT coalesce(max(version), 0) FROM refinery_schema_history";
    let version = conn.query_row(version, [], |row| row.get(0))?;
    told.findings.push(judge_schema(version, tiffin_migrations::hub_registry_schema_version()));
    told.secret_check = meta::find(conn)?.map(|meta| meta.secret_check);
    let all = outlets::list(conn)?;
    let (mut whole, mut files) = (0, 0);
    for outlet in &all {
        let file = folder.join(OUTLETS).join(format!("{}.db", outlet.card.id));
        if file.exists() {
            files += 1;
            match copy(&outlet.card.code, &file) {
                None => whole += 1,
                Some(finding) => told.findings.push(finding),
            }
        }
        let seen = outlet.presence.as_ref().map(|said| said.last_seen_at);
        let waiting = outlet.presence.as_ref().and_then(|said| said.rows_waiting);
        told.newest = told.newest.max(seen);
        told.findings.push(contacts::judge(&outlet.card.code, seen, waiting, now));
    }
    if whole == files {
        told.findings.push(Finding::ok("copies", format!("the copies of {files} outlets are whole")));
    }
    Ok(())
}

/// What is wrong with an outlet's file, if anything.
fn copy(code: &str, file: &Path) -> Option<Finding> {
    let finding = open_to_read(file).map_or_else(|error| unreadable(&error), |conn| quick(&conn));
    (finding.level != Level::Ok).then(|| Finding {
        check: "copies",
        found: format!("{code} ({}): {}", file.display(), finding.found),
        ..finding
    })
}

/// The indexes of so many files take too long: pages and rows do for a look.
fn quick(conn: &Connection) -> Finding {
    let advice = "Stop head office, move this one file aside, put back the newest backup of it, and say sync-hub restored: the branch sends \
                  again what it lacks.";
    match conn.query_row("PRAGMA quick_check(3)", [], |row| row.get::<_, String>(0)) {
        Ok(word) if word == "ok" => Finding::ok("copies", "whole"),
        Ok(fault) => Finding::broken("copies", format!("damaged: {fault}"), advice),
        Err(error) => Finding::broken("copies", error.to_string(), advice),
    }
}
