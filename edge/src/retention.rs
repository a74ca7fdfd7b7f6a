//! Forgets what nobody asks for any more: answers to old idempotency keys, devices that expired long ago, spent codes, old notifications,
//! and who guests were. (The change log's own retention is the exchange's; streams, paper and conversations look after themselves.) Never touches a
//! business record.
//!
//! SQLite fills the pages that become free before it lets the file grow, so a file that was pruned for a while stays as large as it
//! is; it is not vacuumed, which would need its size once more on the disk.

use crate::db::{self, Db, Source, Tx};
use crate::http::idempotency;
use crate::http::sse::stopped;
use crate::resources::{auth, notifications, privacy};
use std::time::Duration;
use tokio::sync::watch;

/// How often it looks.
const LOOK_EVERY: Duration = Duration::from_secs(3_600);

/// The pause between two steps: the guests go first.
const PACE: Duration = Duration::from_millis(50);

/// Rows that go in one step.
const ROWS: u32 = 500;

/// Forgets until `stopping`.
pub async fn run(db: Db, mut stopping: watch::Receiver<bool>) {
    loop {
        let rest = match step(&db).await {
            Ok(true) => PACE,
            Ok(false) => LOOK_EVERY,
            Err(error) => {
                tracing::warn!(%error, "old records could not be forgotten");
                LOOK_EVERY
            }
        };
        tokio::select! {
            () = stopped(&mut stopping) => return,
            () = tokio::time::sleep(rest) => {}
        }
    }
}

/// Forgets a little; whether there may be more. Looks on a reader first: mostly there is nothing to write.
pub async fn step(db: &Db) -> db::Result<bool> {
    let now = db.env().clock.now();
    // A clock that jumped makes nobody old.
    let is_sure = db.env().clock_doubt().is_none();
    let look = move |from: &dyn Source| -> db::Result<_> {
        let guests = if is_sure { privacy::actions::find_old(from, now)? } else { None };
        let notices = if is_sure { notifications::actions::find_old(from, now, ROWS)? } else { Vec::new() };
        let requests = if is_sure { idempotency::expired_requests(from, now, ROWS)? } else { Vec::new() };
        let answers = (idempotency::expired(from, now, ROWS)?, requests);
        Ok((answers, auth::actions::has_expired(from, now)?, guests, notices))
    };
    let ((answers, requests), devices, guests, notices) = db.read(look).await?;
    let is_all_kept = answers.is_empty() && requests.is_empty() && guests.is_none() && notices.is_empty();
    if is_all_kept && !devices {
        return Ok(false);
    }
    db.write(move |tx: &Tx<'_>| -> db::Result<bool> {
        idempotency::forget(tx, &answers)?;
        idempotency::forget_requests(tx, &requests)?;
        if devices {
            auth::actions::forget_expired(tx, ROWS)?;
        }
        if let Some(guests) = guests {
            privacy::actions::forget(tx, &guests)?;
        }
        notifications::actions::forget(tx, &notices)?;
        Ok(true)
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Fixture;
    use rusqlite::params;
    use tiffin_common::Millis;

    const DAY: i64 = 86_400_000;

    fn answer(tx: &Tx<'_>, outlet: tiffin_common::Uuid, key: i64, at: Millis) -> db::Result<()> {
        let sql =
            "INSERT INTO \"idempotency\" (owner, key, outlet_id, request_hash, status, body, created_at)
            VALUES (?1, ?2, ?1, x'00', 201, zeroblob(2000), ?3)";
        tx.execute(sql, params![outlet, key.to_string(), at])
    }

    #[tokio::test]
    async fn what_is_too_old_goes_in_small_steps_and_the_rest_stays() {
        let fixture = Fixture::new();
        let outlet = fixture.outlet_id;
        fixture
            .write(move |tx, _| -> db::Result<()> {
                for key in 0..1_200 {
                    answer(tx, outlet, key, tx.now().after(-7 * DAY - key))?;
                }
                answer(tx, outlet, -1, tx.now().after(-7 * DAY + 60_000))?;
                let session = "INSERT INTO \"sessions\" (id, outlet_id, account_id, created_at, last_used_at, expires_at)
                    SELECT ?1, ?2, id, 1, 1, ?3 FROM accounts LIMIT 1";
                for (id, expired) in [(1u8, 31 * DAY), (2, 29 * DAY)] {
                    tx.execute(session, params![[id; 16], outlet, tx.now().after(-expired)])?;
                }
                Ok(())
            })
            .unwrap();
        let count = |table: &str| fixture.number(&format!("SELECT count(*) FROM {table}"));
        let (devices, mut steps) = (count("sessions"), 0);
        while step(&fixture.db).await.unwrap() {
            steps += 1;
        }
        assert_eq!((steps, count("idempotency")), (3, 1));
        if devices > 0 {
            assert_eq!(count("sessions"), devices - 1);
        }
    }

    #[tokio::test]
    async fn notifications_go_when_nobody_has_touched_them_for_long() {
        let fixture = Fixture::new();
        let outlet = fixture.outlet_id;
        fixture
            .write(move |tx, _| -> db::Result<()> {
                let ids = tiffin_common::Ids::new(7);
                for (made, touched) in [(-500, -401), (-500, -399), (-401, -401), (-399, -399)] {
                    let (made, touched) = (tx.now().after(made * DAY), tx.now().after(touched * DAY));
                    insert!(
                        tx,
                        notifications {
                            id: ids.next(made),
                            outlet_id: outlet,
                            type: "SYNC",
                            severity: "INFO",
                            title: "t",
                            body: "b",
                            dedupe_key: format!("{made} {touched}"),
                            created_at: made,
                            updated_at: touched,
                        }
                    )?;
                }
                Ok(())
            })
            .unwrap();
        assert!(step(&fixture.db).await.unwrap());
        assert!(!step(&fixture.db).await.unwrap());
        let days = "SELECT group_concat((updated_at - created_at) / 86400000) FROM (SELECT * FROM notifications ORDER BY id)";
        let left: String =
            fixture.db.read_blocking(|from| db::one(from, days, [], |row| row.get(0))).unwrap();
        assert_eq!(left, "101,0");
    }

    #[tokio::test]
    async fn a_pruned_file_does_not_grow() {
        let fixture = Fixture::new();
        let outlet = fixture.outlet_id;
        let mut pages = Vec::new();
        for day in 0..8 {
            fixture
                .write(move |tx, _| -> db::Result<()> {
                    for key in 0..500 {
                        answer(tx, outlet, day * 1_000 + key, tx.now().after(-8 * DAY))?;
                    }
                    Ok(())
                })
                .unwrap();
            while step(&fixture.db).await.unwrap() {}
            pages.push(fixture.number("PRAGMA page_count"));
        }
        assert_eq!(pages.get(1), pages.last(), "{pages:?}");
    }
}
