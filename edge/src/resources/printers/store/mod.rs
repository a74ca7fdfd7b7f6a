//! Rows of printers, of paper and of what stands on receipts. The only SQL that writes them.

mod jobs;
mod layouts;

pub use jobs::{
    JobFilter, Standing, count_open, delete_jobs, delete_printed, find_job, find_next_job, has_fallen_back,
    insert_job, is_in_doubt, list_jobs, list_open_queues, list_standings, set_job_expired, set_job_failed,
    set_job_given_up, set_job_moved, set_job_printed, set_job_sent, set_queue_moved, set_tickets_moved,
};
pub use layouts::{find_layout, next_copy, update_layout};

use super::rules::{Printer, PrinterError, PrinterFields};
use crate::db::{self, Columns, Source, Tx, list as rows, opt};
use crate::http::{Page, Paging};
use tiffin_common::Uuid;

/// All printers of the outlet that are not archived, the oldest first: they are few.
pub fn list_all(conn: &dyn Source, outlet: Uuid) -> db::Result<Vec<Printer>> {
    let sql = select!(Printer, "WHERE outlet_id = ?1 AND archived_at IS NULL ORDER BY created_at, id");
    rows(conn, sql, [outlet], Printer::read)
}

/// One page of the outlet's printers.
pub fn list(conn: &dyn Source, outlet: Uuid, paging: Paging) -> db::Result<Page<Printer>> {
    Page::read(conn, ("outlet_id = ?1 AND archived_at IS NULL", "created_at, id"), &[&outlet], paging)
}

/// One printer that is not archived.
///
/// # Errors
/// No such one.
pub fn find(conn: &dyn Source, outlet: Uuid, id: Uuid) -> Result<Printer, PrinterError> {
    let sql = select!(Printer, "WHERE outlet_id = ?1 AND id = ?2 AND archived_at IS NULL");
    opt(conn, sql, [outlet, id], Printer::read)?.ok_or(PrinterError::NotFound("printer"))
}

/// The language of a printer.
pub fn find_language(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Option<String>> {
    let sql = "SELECT language FROM printers WHERE outlet_id = ?1 AND id = ?2";
    opt(conn, sql, [outlet, id], |row| row.get("language")).map(Option::flatten)
}

/// The ids of the outlet's kitchen stations.
pub fn list_stations(conn: &dyn Source, outlet: Uuid) -> db::Result<Vec<Uuid>> {
    let sql = "SELECT id FROM kitchen_stations WHERE outlet_id = ?1 AND archived_at IS NULL";
    rows(conn, sql, [outlet], |row| row.get("id"))
}

/// Where stations say that their printers are, with the stations' names.
pub fn list_named_by_stations(conn: &dyn Source) -> db::Result<Vec<(String, String)>> {
    let sql = "SELECT printer_address, group_concat(name, ', ') AS names FROM kitchen_stations
        WHERE archived_at IS NULL AND printer_address IS NOT NULL GROUP BY printer_address ORDER BY printer_address";
    rows(conn, sql, [], |row| Ok((row.get("printer_address")?, row.get("names")?)))
}

/// Makes a printer.
pub fn insert(tx: &Tx<'_>, outlet: Uuid, id: Uuid, fields: &PrinterFields) -> db::Result<()> {
    let now = tx.now();
    insert!(tx, printers { id: id, outlet_id: outlet, created_at: now, updated_at: now, ..fields })
}

/// Changes a printer.
pub fn update(tx: &Tx<'_>, id: Uuid, fields: &PrinterFields) -> db::Result<()> {
    update!(tx, printers { updated_at: tx.now(), ..fields; "version = version + 1" } where { id: id })
}

/// Archives a printer; others no longer fall back to it.
pub fn set_archived(tx: &Tx<'_>, outlet: Uuid, id: Uuid) -> db::Result<()> {
    update!(tx, printers {
        fallback_printer_id: None::<Uuid>, updated_at: tx.now(); "version = version + 1"
    } where { outlet_id: outlet, fallback_printer_id: id })?;
    update!(tx, printers {
        archived_at: tx.now(), updated_at: tx.now(); "version = version + 1"
    } where { outlet_id: outlet, id: id })
}
