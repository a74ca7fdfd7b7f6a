//! Rows of `print_jobs`: one queue per printer.

use crate::db::{self, Columns, Source, Tx, list as rows, opt};
use crate::resources::kitchen::rules::{Job, JobStatus, SENDING};
use rusqlite::params;
use tiffin_common::{Millis, Uuid};

pub fn insert_job(tx: &Tx<'_>, job: &Job) -> db::Result<()> {
    insert!(tx, print_jobs { ..job })
}

/// The printers something waits for.
pub fn list_open_printers(conn: &dyn Source) -> db::Result<Vec<String>> {
    rows(conn, "SELECT DISTINCT printer_address FROM print_jobs WHERE status = 'QUEUED'", [], |row| {
        row.get(0)
    })
}

/// The oldest job that waits for the printer.
pub fn next_job(conn: &dyn Source, address: &str) -> db::Result<Option<Job>> {
    let sql =
        select!(Job, "WHERE printer_address = ?1 AND status = 'QUEUED' ORDER BY created_at, id LIMIT 1");
    opt(conn, sql, [address], Job::read)
}

/// Notes that bytes are about to leave.
pub fn set_job_sending(tx: &Tx<'_>, id: Uuid) -> db::Result<()> {
    update!(tx, print_jobs { last_error: SENDING } where { id: id })
}

/// Notes a failed attempt; `sent` when bytes may have reached the paper.
pub fn set_job_failed(
    tx: &Tx<'_>,
    id: Uuid,
    sent: bool,
    error: &str,
    next_attempt_at: Millis,
) -> db::Result<()> {
    let error = if sent { format!("{SENDING}: {error}") } else { error.to_owned() };
    update!(tx, print_jobs {
        last_error: error, next_attempt_at: next_attempt_at; "attempts = attempts + 1"
    } where { id: id })
}

/// Notes what became of it.
pub fn set_job_status(tx: &Tx<'_>, id: Uuid, status: JobStatus) -> db::Result<()> {
    update!(tx, print_jobs { status: status } where { id: id })
}

/// Whether the ticket had no acknowledgement and has one now, because its station works on paper and has it.
pub fn set_paper_acked(tx: &Tx<'_>, ticket: Uuid) -> db::Result<bool> {
    let sql = "UPDATE kitchen_tickets SET acked_at = ?2, updated_at = ?2, version = version + 1
               WHERE id = ?1 AND acked_at IS NULL AND escalated_at IS NULL
                 AND station_id IN (SELECT id FROM kitchen_stations WHERE print_tickets = 1)";
    tx.execute(sql, params![ticket, tx.now()]).map(|()| tx.changed() > 0)
}

/// Deletes what was printed of an order's tickets, or expired. What still waits for its printer is gone within minutes.
pub fn delete_printed(tx: &Tx<'_>, outlet: Uuid, order: Uuid) -> db::Result<()> {
    let sql = "DELETE FROM print_jobs WHERE outlet_id = ?1 AND status <> 'QUEUED' AND ticket_id IN (
        SELECT ticket_id FROM kitchen_ticket_items WHERE outlet_id = ?1 AND order_id = ?2)";
    tx.execute(sql, [outlet, order])
}

/// Deletes what was printed or expired before `before`.
pub fn delete_jobs(tx: &Tx<'_>, before: Millis) -> db::Result<usize> {
    tx.execute("DELETE FROM print_jobs WHERE status <> 'QUEUED' AND created_at < ?1", [before])
        .map(|()| tx.changed())
}
