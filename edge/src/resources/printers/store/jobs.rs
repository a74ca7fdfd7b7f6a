//! Rows of `print_jobs`: one queue for each address.

use crate::db::{self, Columns, Source, Tx, list as rows, one, opt};
use crate::http::{Page, Paging};
use crate::resources::printers::rules::{Destination, Job, JobStatus};
use rusqlite::params;
use tiffin_common::{Millis, Uuid};

/// Which pieces of paper.
#[derive(Debug, Clone, Default)]
pub struct JobFilter {
    /// Of this printer.
    pub printer_id: Option<Uuid>,
    /// About this order.
    pub order_id: Option<Uuid>,
    /// That stand at one of these; empty: anywhere.
    pub statuses: Vec<JobStatus>,
}

/// How the queue of an address stands.
#[derive(Debug, Clone)]
pub struct Standing {
    /// The address.
    pub address: String,
    /// Pieces of paper that wait.
    pub waiting: i64,
    /// Since when the oldest of them waits.
    pub since: Option<Millis>,
    /// What kept it from coming out, when it was last tried.
    pub last_error: Option<String>,
    /// When paper last came out.
    pub last_done_at: Option<Millis>,
}

/// Queues a piece of paper.
pub fn insert_job(tx: &Tx<'_>, job: &Job) -> db::Result<()> {
    insert!(tx, print_jobs { ..job })
}

/// One page of the outlet's paper, the newest first.
pub fn list_jobs(
    conn: &dyn Source,
    outlet: Uuid,
    filter: &JobFilter,
    paging: Paging,
) -> db::Result<Page<Job>> {
    let wanted = "outlet_id = ?1 AND (?2 IS NULL OR printer_id = ?2) AND (?3 IS NULL OR order_id = ?3)
        AND (?4 = '' OR instr(?4, ',' || status || ',') > 0)";
    let statuses: String = filter.statuses.iter().map(|status| format!(",{},", status.name())).collect();
    let values: [&dyn rusqlite::ToSql; 4] = [&outlet, &filter.printer_id, &filter.order_id, &statuses];
    Page::read(conn, (wanted, "created_at DESC, id DESC"), &values, paging)
}

/// One piece of paper.
pub fn find_job(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Option<Job>> {
    opt(conn, select!(Job, "WHERE outlet_id = ?1 AND id = ?2"), [outlet, id], Job::read)
}

/// The addresses something waits for.
pub fn list_open_queues(conn: &dyn Source) -> db::Result<Vec<String>> {
    let sql = "SELECT DISTINCT printer_address FROM print_jobs WHERE status IN ('QUEUED', 'SENT')";
    rows(conn, sql, [], |row| row.get("printer_address"))
}

/// How many wait for the address.
pub fn count_open(conn: &dyn Source, address: &str) -> db::Result<i64> {
    let sql = "SELECT count(*) AS waiting FROM print_jobs WHERE printer_address = ?1 AND status IN ('QUEUED', 'SENT')";
    one(conn, sql, [address], |row| row.get("waiting"))
}

/// Whether of a piece of paper at the address nobody knows yet whether it came out.
pub fn is_in_doubt(conn: &dyn Source, address: &str) -> db::Result<bool> {
    let sql = "SELECT 1 FROM print_jobs WHERE printer_address = ?1 AND status = 'SENT' LIMIT 1";
    opt(conn, sql, [address], |_| Ok(())).map(|found| found.is_some())
}

/// Whether paper that was meant for the printer of that name went elsewhere since `since`.
pub fn has_fallen_back(conn: &dyn Source, outlet: Uuid, from: &str, since: Millis) -> db::Result<bool> {
    let sql =
        "SELECT 1 FROM print_jobs WHERE outlet_id = ?1 AND created_at >= ?3 AND fell_back_from = ?2 LIMIT 1";
    opt(conn, sql, params![outlet, from, since], |_| Ok(())).map(|found| found.is_some())
}

/// The oldest that waits for the address.
pub fn find_next_job(conn: &dyn Source, address: &str) -> db::Result<Option<Job>> {
    let sql = select!(
        Job,
        "WHERE printer_address = ?1 AND status IN ('QUEUED', 'SENT') ORDER BY created_at, id LIMIT 1"
    );
    opt(conn, sql, [address], Job::read)
}

/// How the queues stand that have had paper lately.
pub fn list_standings(conn: &dyn Source, outlet: Uuid) -> db::Result<Vec<Standing>> {
    let sql = "SELECT printer_address AS address,
        count(*) FILTER (WHERE status IN ('QUEUED', 'SENT')) AS waiting,
        min(created_at) FILTER (WHERE status IN ('QUEUED', 'SENT')) AS since,
        max(last_error) FILTER (WHERE status IN ('QUEUED', 'SENT')) AS last_error,
        max(done_at) AS last_done_at
        FROM print_jobs WHERE outlet_id = ?1 GROUP BY printer_address ORDER BY printer_address";
    rows(conn, sql, [outlet], |row| {
        Ok(read!(row => Standing { address, waiting, since, last_error, last_done_at }))
    })
}

/// Notes that bytes are about to leave, and what the printer's counter of cuts says.
pub fn set_job_sent(tx: &Tx<'_>, id: Uuid, cuts_before: Option<i64>) -> db::Result<()> {
    update!(tx, print_jobs {
        status: JobStatus::Sent, cuts_before: cuts_before; "sends = sends + 1"
    } where { id: id })
}

/// Notes a failed attempt.
pub fn set_job_failed(tx: &Tx<'_>, id: Uuid, error: &str, next_attempt_at: Millis) -> db::Result<()> {
    update!(tx, print_jobs {
        last_error: error, next_attempt_at: next_attempt_at; "attempts = attempts + 1"
    } where { id: id })
}

/// Notes that it came out; `confirmed` when the printer said so.
pub fn set_job_printed(tx: &Tx<'_>, id: Uuid, confirmed: bool) -> db::Result<()> {
    update!(tx, print_jobs {
        status: JobStatus::Done, confirmed: confirmed, last_error: None::<String>, done_at: tx.now()
    } where { id: id })
}

/// Notes that it is tried no more, and why.
pub fn set_job_given_up(tx: &Tx<'_>, id: Uuid, why: &str) -> db::Result<()> {
    update!(tx, print_jobs { status: JobStatus::Failed, last_error: why } where { id: id })
}

/// Notes that it waited too long.
pub fn set_job_expired(tx: &Tx<'_>, id: Uuid) -> db::Result<()> {
    update!(tx, print_jobs { status: JobStatus::Expired } where { id: id })
}

/// Puts it into another printer's queue, once.
pub fn set_job_moved(tx: &Tx<'_>, id: Uuid, to: &Destination, from: &str) -> db::Result<()> {
    update!(tx, print_jobs {
        printer_id: to.printer_id, printer_address: to.address.as_str(), fell_back_from: from,
        cuts_before: None::<i64>, next_attempt_at: tx.now()
    } where { id: id })
}

/// The printer has another address: what waits for it waits there.
pub fn set_queue_moved(tx: &Tx<'_>, printer: Uuid, address: &str) -> db::Result<()> {
    let sql = "UPDATE print_jobs SET printer_address = ?2, next_attempt_at = ?3
        WHERE printer_id = ?1 AND status IN ('QUEUED', 'SENT')";
    tx.execute(sql, params![printer, address, tx.now()])
}

/// What waits of a station's tickets for the printer at `from` waits for another.
pub fn set_tickets_moved(tx: &Tx<'_>, station: Uuid, from: &str, to: &Destination) -> db::Result<()> {
    let sql = "UPDATE print_jobs SET printer_id = ?3, printer_address = ?4, next_attempt_at = ?5
        WHERE printer_address = ?2 AND status IN ('QUEUED', 'SENT')
          AND ticket_id IN (SELECT id FROM kitchen_tickets WHERE station_id = ?1)";
    tx.execute(sql, params![station, from, to.printer_id, to.address, tx.now()])
}

/// Deletes what was printed, or never will be, of an order and its tickets. What still waits is gone within minutes.
pub fn delete_printed(tx: &Tx<'_>, outlet: Uuid, order: Uuid) -> db::Result<()> {
    let sql =
        "DELETE FROM print_jobs WHERE outlet_id = ?1 AND status NOT IN ('QUEUED', 'SENT') AND (order_id = ?2
        OR ticket_id IN (SELECT ticket_id FROM kitchen_ticket_items WHERE outlet_id = ?1 AND order_id = ?2))";
    tx.execute(sql, [outlet, order])
}

/// Deletes what was printed, or never will be, and was made before `before`.
pub fn delete_jobs(tx: &Tx<'_>, before: Millis) -> db::Result<usize> {
    let sql = "DELETE FROM print_jobs WHERE status NOT IN ('QUEUED', 'SENT') AND created_at < ?1";
    tx.execute(sql, [before]).map(|()| tx.changed())
}

#[cfg(test)]
mod tests {
    use crate::testing::Fixture;

    #[test]
    fn queues_and_an_orders_paper_are_found_by_their_indexes() {
        let fixture = Fixture::new();
        let plan = |sql: &str| fixture.plan(sql).join("; ");
        let open = "SELECT id FROM print_jobs WHERE printer_address = ?1 AND status IN ('QUEUED', 'SENT')
            ORDER BY created_at, id LIMIT 1";
        assert!(plan(open).contains("print_jobs_open"), "{}", plan(open));
        let listed =
            "SELECT id FROM print_jobs WHERE outlet_id = ?1 ORDER BY created_at DESC, id DESC LIMIT 50";
        assert!(plan(listed).contains("print_jobs_by_outlet"), "{}", plan(listed));
        let named = "SELECT id FROM printers WHERE outlet_id = ?1 AND name = ?2 AND archived_at IS NULL";
        assert!(plan(named).contains("printers_by_name"), "{}", plan(named));
    }
}
