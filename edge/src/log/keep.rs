//! Who may change records that only ever come to be: payments, refunds, bills, voids, movements of cash, the audit log, the change log.
//! The triggers of these tables ask the function `tiffin_keep`, which the writer's connection alone has and which lets a named job
//! through while it runs. Never writes anything.

use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, Error};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// What may change records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Job {
    /// A sale goes on: what of a payment was given back, which order a void is of.
    Settle = 1,
    /// What head office has confirmed is let go of, or packed.
    Prune = 2,
    /// Rows become what head office has of them, after a restore or in another box's place.
    Recover = 3,
}

/// The job that runs on the writer's connection.
#[derive(Debug, Clone, Default)]
pub(super) struct Jobs(Arc<AtomicU8>);

/// Ends its job when it goes, however that comes.
struct Running<'a>(&'a AtomicU8, u8);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.store(self.1, Ordering::Relaxed);
    }
}

impl Jobs {
    /// Registers `tiffin_keep` on `conn`.
    pub(super) fn install(conn: &Connection) -> rusqlite::Result<Jobs> {
        let jobs = Jobs::default();
        let running = Arc::clone(&jobs.0);
        let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_INNOCUOUS;
        conn.create_scalar_function("tiffin_keep", 3, flags, move |args| {
            let (table, event, settles): (String, String, bool) = (args.get(0)?, args.get(1)?, args.get(2)?);
            if may(running.load(Ordering::Relaxed), &table, &event, settles) {
                return Ok(rusqlite::types::Null);
            }
            Err(Error::UserFunctionError(format!("{table} only grows: {event} is not for anybody").into()))
        })?;
        Ok(jobs)
    }

    /// Runs `change` as `job`.
    pub(super) fn run<T>(&self, job: Job, change: impl FnOnce() -> T) -> T {
        let _running = Running(&self.0, self.0.swap(job as u8, Ordering::Relaxed));
        change()
    }
}

fn may(job: u8, table: &str, event: &str, settles: bool) -> bool {
    match job {
        job if job == Job::Settle as u8 => event == "UPDATE" && settles,
        job if job == Job::Prune as u8 => event == "DELETE" && table == "sync_log",
        job => job == Job::Recover as u8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::{DbError, Tx};
    use crate::testing::Fixture;
    use tiffin_common::registry::APPEND_ONLY;

    /// What `sql` is answered as `job`; what it would have done is undone.
    fn tried(fixture: &Fixture, job: Option<Job>, sql: &'static str) -> Result<(), DbError> {
        fixture.db.write_blocking(move |tx: &Tx<'_>| -> Result<(), DbError> {
            tx.rehearse(|| match job {
                Some(job) => tx.job(job, || tx.execute(sql, [])),
                None => tx.execute(sql, []),
            })
        })
    }

    #[test]
    fn records_are_changed_by_named_jobs_alone() {
        let fixture = Fixture::new();
        let entry =
            "INSERT INTO \"audit_log\" (id, outlet_id, at, business_date, actor_name, action, entity_type)
            VALUES (x'01', x'02', 1, '2026-11-20', 'x', 'x', 'x')";
        fixture.write(move |tx, _| tx.execute(entry, [])).unwrap();
        let (change, delete) = ("UPDATE \"audit_log\" SET reason = 'other'", "DELETE FROM \"audit_log\"");
        for job in [None, Some(Job::Settle), Some(Job::Prune)] {
            assert!(
                tried(&fixture, job, change).is_err() && tried(&fixture, job, delete).is_err(),
                "{job:?}"
            );
        }
        assert!(tried(&fixture, Some(Job::Recover), change).is_ok());
        assert!(tried(&fixture, Some(Job::Recover), delete).is_ok());
        assert!(tried(&fixture, None, change).is_err(), "a job ends with its change");
        let log = "DELETE FROM \"sync_log\" WHERE seq = 1";
        assert!(tried(&fixture, None, log).is_err() && tried(&fixture, Some(Job::Settle), log).is_err());
        assert!(tried(&fixture, Some(Job::Prune), log).is_ok());
        let outside = Connection::open(fixture.db.path()).unwrap();
        assert!(outside.execute(delete, []).unwrap_err().to_string().contains("tiffin_keep"));
    }

    #[test]
    fn settling_touches_what_may_be_settled_alone() {
        assert!(may(Job::Settle as u8, "payments", "UPDATE", true));
        assert!(!may(Job::Settle as u8, "payments", "UPDATE", false));
        assert!(!may(Job::Settle as u8, "payments", "DELETE", true));
        assert!(!may(Job::Prune as u8, "payments", "DELETE", false));
        let fixture = Fixture::new();
        for (table, _) in APPEND_ONLY {
            let triggers = format!(
                "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = '{table}' AND sql LIKE '%tiffin_keep%'"
            );
            assert_eq!(fixture.number(&triggers), 2, "{table}");
        }
    }
}
