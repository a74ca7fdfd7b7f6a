//! The morning after the line was down: every outlet comes back at once, to two head-office processes on one PostgreSQL.

use crate::counted::{Counted, Counts};
use crate::office::{self, Place};
use edge::config::{Secret, Value};
use edge::sync::{HttpCarrier, Hub, HubError};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tiffin_common::sync::Class;
use tiffin_tests::postgres::Database;
use tiffin_tests::{Dice, Lite};

/// Outlets with a backlog.
const OUTLETS: u64 = 30;
/// Log rows each of them has waiting, and rows changed in each.
const ROWS: i64 = 80;
const CHANGES: i64 = 20;
/// Outlets that only sell.
const SELLING: u64 = 2;
/// Fresh sales that must come through while backlogs drain, and how often an outlet has another backlog until they have.
const FRESH: u64 = 5;
const BACKLOGS: usize = 40;
/// Most log rows of one push of a backlog.
const PIECE: usize = 10;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_take_everybody_back_at_once() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let database = Database::new();
    let place = Place::make(folder.path(), Some(database.url.clone()));
    let (first, second) = (place.serve().await, place.serve().await);
    let admin = first.admin().await;
    let counts = Arc::new(Mutex::new(Counts::default()));
    let hub = |base: &str, key: Option<&str>| {
        let key = key.map(|key| Secret::read(key).unwrap_or_else(|_| panic!("no key: {key}")));
        Hub::new(Arc::new(Counted::new(HttpCarrier::new(base, key, None, false).unwrap(), &counts)))
    };
    let mut boxes = Vec::new();
    for number in 0..OUTLETS + SELLING {
        let lite = Lite::new(11, number);
        let code = office::code(&admin, None).await;
        let key = lite.enrol(&hub(first.base(), None), &code).await.unwrap().key;
        boxes.push((lite, key));
    }
    let draining = Arc::new(AtomicI64::new(OUTLETS as i64));
    let fresh = Arc::new(AtomicU64::new(0));
    let mut tasks = Vec::new();
    for (number, (mut lite, key)) in boxes.into_iter().enumerate() {
        // By turns at either process, and after every failure at the other.
        let hubs = [hub(first.base(), Some(&key)), hub(second.base(), Some(&key))];
        let (draining, fresh) = (Arc::clone(&draining), Arc::clone(&fresh));
        tasks.push(tokio::spawn(async move {
            let dice = Dice::new(number as u64);
            if (number as u64) < OUTLETS {
                // A fast head office is through with the first before a sale falls into it.
                for backlog in 0..BACKLOGS {
                    if backlog > 0 && fresh.load(Ordering::SeqCst) >= FRESH {
                        break;
                    }
                    (0..ROWS).for_each(|_| lite.trade(CHANGES));
                    push_until_done(&mut lite, &hubs, number, PIECE, Class::Backlog, &dice).await;
                }
                draining.fetch_sub(1, Ordering::SeqCst);
            } else {
                while draining.load(Ordering::SeqCst) > 0 {
                    lite.trade(1);
                    push_until_done(&mut lite, &hubs, number, 1_000, Class::Live, &dice).await;
                    // Counted only while others still had a backlog.
                    fresh.fetch_add(u64::from(draining.load(Ordering::SeqCst) > 0), Ordering::SeqCst);
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            }
            lite
        }));
    }
    let mut lites = Vec::new();
    for task in tasks {
        lites.push(task.await.unwrap());
    }
    let fresh = fresh.load(Ordering::SeqCst);
    {
        let counts = counts.lock().unwrap();
        println!("{fresh} fresh sales while {OUTLETS} backlogs drained; answers {:?}", counts.statuses);
        assert!(counts.wrong.is_empty(), "{:#?}", counts.wrong);
    }
    assert!(fresh >= FRESH, "only {fresh} fresh sales were taken while backlogs drained");
    check(&place, &lites).await;
}

/// Tries at either process until everything is there; waits as long as it is told to.
async fn push_until_done(
    lite: &mut Lite,
    hubs: &[Hub; 2],
    first: usize,
    piece: usize,
    class: Class,
    dice: &Dice,
) {
    for turn in first.. {
        match lite.exchange(&hubs[turn % 2], piece, class).await {
            Ok(()) => return,
            Err(HubError::Busy { retry_after }) => {
                let floor = retry_after.unwrap_or_default().min(Duration::from_secs(1));
                tokio::time::sleep(floor + Duration::from_millis(dice.below(300))).await;
            }
            Err(HubError::Offline(_)) => tokio::time::sleep(Duration::from_millis(dice.below(200))).await,
            Err(other) => panic!("{}: {other}", lite.code),
        }
    }
}

/// What PostgreSQL holds, against every outlet's own books.
async fn check(place: &Place, lites: &[Lite]) {
    let url = place.database_url.as_deref().unwrap();
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    for lite in lites {
        let outlet = lite.outlet.as_bytes().as_slice();
        let sql = "SELECT count(*)::bigint, coalesce(sum(amount_cents), 0)::bigint,
            coalesce((SELECT sum(value) FROM merged.counters WHERE outlet_id = $1), 0)::bigint
            FROM merged.cash_movements WHERE outlet_id = $1";
        let row = client.query_one(sql, &[&outlet]).await.unwrap();
        let found: (i64, i64, i64) = (row.get(0), row.get(1), row.get(2));
        assert_eq!(found, (lite.movements, lite.cents, lite.movements), "{}", lite.code);
        let refused = "SELECT count(*) FROM hub.hub_quarantine WHERE outlet_id = $1";
        let refused: i64 = client.query_one(refused, &[&outlet]).await.unwrap().get(0);
        assert_eq!(refused, 0, "{}", lite.code);
    }
}
