//! Rows of `print_jobs`: one queue per printer.

use crate::db::{self, Source, Transaction, list as rows, opt};
use rusqlite::params;
use tiffin_common::{Millis, Uuid};

/// One piece of paper to be.
#[derive(Debug, Clone)]
pub(in super::super) struct Job {
    pub(in super::super) id: Uuid,
    pub(in super::super) outlet_id: Uuid,
    pub(in super::super) printer_address: String,
    pub(in super::super) ticket_id: Option<Uuid>,
    pub(in super::super) payload: Vec<u8>,
    pub(in super::super) expires_at: Millis,
    pub(in super::super) attempts: i64,
    pub(in super::super) next_attempt_at: Millis,
    /// Bytes of an earlier attempt may have reached the paper.
    pub(in super::super) may_be_printed: bool,
}

/// What `last_error` says while bytes are on their way: found after a crash, the paper may exist.
const SENDING: &str = "sending";

pub(in super::super) fn insert_job(
    tx: &Transaction<'_>,
    outlet: Uuid,
    address: &str,
    ticket: Option<Uuid>,
    payload: &[u8],
    expires_at: Millis,
) -> db::Result<()> {
    tx.execute(
        "INSERT INTO print_jobs (id, outlet_id, printer_address, ticket_id, payload, created_at, expires_at, next_attempt_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?6)",
        params![tx.new_id(), outlet, address, ticket, payload, tx.now(), expires_at],
    )
    .map(drop)
}

/// The printers something waits for.
pub(in super::super) fn open_printers(conn: &dyn Source) -> db::Result<Vec<String>> {
    rows(conn, "SELECT DISTINCT printer_address FROM print_jobs WHERE status = 'QUEUED'", [], |row| {
        row.get(0)
    })
}

/// The oldest job that waits for the printer.
pub(in super::super) fn next_job(conn: &dyn Source, address: &str) -> db::Result<Option<Job>> {
    let sql = "SELECT id, outlet_id, ticket_id, payload, expires_at, attempts, next_attempt_at, last_error FROM print_jobs
               WHERE printer_address = ?1 AND status = 'QUEUED' ORDER BY created_at, id LIMIT 1";
    opt(conn, sql, [address], |row| {
        let last_error: Option<String> = row.get(7)?;
        Ok(Job {
            id: row.get(0)?,
            outlet_id: row.get(1)?,
            printer_address: address.to_owned(),
            ticket_id: row.get(2)?,
            payload: row.get(3)?,
            expires_at: row.get(4)?,
            attempts: row.get(5)?,
            next_attempt_at: row.get(6)?,
            may_be_printed: last_error.is_some_and(|error| error.starts_with(SENDING)),
        })
    })
}

/// Notes that bytes are about to leave.
pub(in super::super) fn set_job_sending(tx: &Transaction<'_>, id: Uuid) -> db::Result<()> {
    tx.execute("UPDATE print_jobs SET last_error = ?2 WHERE id = ?1", params![id, SENDING]).map(drop)
}

/// Notes a failed attempt; `sent` when bytes may have reached the paper.
pub(in super::super) fn set_job_failed(
    tx: &Transaction<'_>,
    id: Uuid,
    sent: bool,
    error: &str,
    next_attempt_at: Millis,
) -> db::Result<()> {
    let error = if sent { format!("{SENDING}: {error}") } else { error.to_owned() };
    tx.execute(
        "UPDATE print_jobs SET attempts = attempts + 1, last_error = ?2, next_attempt_at = ?3 WHERE id = ?1",
        params![id, error, next_attempt_at],
    )
    .map(drop)
}

/// PRINTED or EXPIRED.
pub(in super::super) fn set_job_status(
    tx: &Transaction<'_>,
    id: Uuid,
    status: &'static str,
) -> db::Result<()> {
    tx.execute("UPDATE print_jobs SET status = ?2 WHERE id = ?1", params![id, status]).map(drop)
}

/// Whether the ticket had no acknowledgement and has one now, because its station works on paper and has it.
pub(in super::super) fn ack_paper(tx: &Transaction<'_>, ticket: Uuid) -> db::Result<bool> {
    let sql = "UPDATE kitchen_tickets SET acked_at = ?2, updated_at = ?2, version = version + 1
               WHERE id = ?1 AND acked_at IS NULL AND escalated_at IS NULL
                 AND station_id IN (SELECT id FROM kitchen_stations WHERE print_tickets = 1)";
    tx.execute(sql, params![ticket, tx.now()]).map(|changed| changed > 0)
}

/// Deletes what was printed or expired before `before`.
pub(in super::super) fn forget_jobs(tx: &Transaction<'_>, before: Millis) -> db::Result<usize> {
    tx.execute("DELETE FROM print_jobs WHERE status <> 'QUEUED' AND created_at < ?1", [before])
}
