//! The log that grows old: packed until head office has confirmed it, kept for weeks after that, and one log for every reader.

use super::*;
use crate::db::{Source, one};
use crate::exchange::{SyncStatus, log_rows};
use std::sync::atomic::{AtomicI64, Ordering};
use tiffin_common::Clock;
use tiffin_common::frame::Hash;
use tiffin_common::sync::batch::Frame;

const DAY: i64 = 86_400_000;

/// Actions of some size: a hundred of them fill a pack.
fn trade(fixture: &Fixture, actions: usize) {
    for _ in 0..actions {
        fixture
            .write(|tx, actor| -> Result<(), DbError> {
                let sql = "INSERT INTO \"audit_log\" (id, outlet_id, at, business_date, actor_name, action, entity_type, after)
                    VALUES (?1, ?2, ?3, '2026-11-20', 'test', 'TEST', 'test', hex(randomblob(2500)))";
                tx.execute(sql, rusqlite::params![tx.new_id(), actor.outlet_id, tx.now()]).map(drop)?;
                Ok(())
            })
            .unwrap();
    }
}

fn worker(fixture: &Fixture, hub: &Arc<FakeHub>) -> Worker {
    let client = Arc::clone(hub);
    Worker::with_hub(fixture.db.clone(), client, settings())
}

/// Steps the chores until they rest.
async fn tidy(fixture: &Fixture, hub: &Arc<FakeHub>) {
    let mut worker = worker(fixture, hub);
    for _ in 0..200 {
        if worker.chores_step().await.after > Duration::from_secs(1) {
            return;
        }
    }
    panic!("the chores come to no end");
}

async fn push(fixture: &Fixture, hub: &Arc<FakeHub>) {
    let mut worker = worker(fixture, hub);
    for _ in 0..200 {
        if worker.push_step().await.nudge && waiting(fixture) == 0 {
            return;
        }
    }
    panic!("{} rows still wait", waiting(fixture));
}

fn waiting(fixture: &Fixture) -> i64 {
    let now = fixture.db.env().clock.now();
    fixture.db.read_blocking(|from| Ok::<_, DbError>(SyncStatus::read(from, now)?.rows_waiting)).unwrap()
}

/// The whole log, read piece by piece as a push reads it.
fn log(fixture: &Fixture) -> Vec<Frame> {
    let read = |from: &dyn Source| -> Result<Vec<Frame>, DbError> {
        let mut all: Vec<Frame> = Vec::new();
        loop {
            let after = all.last().map_or(0, |frame| frame.header.seq);
            let more = store::list_after(from, after, 100_000, 50)?;
            if more.is_empty() {
                return Ok(all);
            }
            assert!(more.len() <= 50);
            all.extend(more);
        }
    };
    fixture.db.read_blocking(read).unwrap()
}

fn hash_at(fixture: &Fixture, seq: i64) -> Option<Hash> {
    fixture.db.read_blocking(|from| store::find_hash(from, seq)).unwrap()
}

#[tokio::test]
async fn a_box_without_head_office_packs_its_old_log_and_can_still_send_all_of_it() {
    let fixture = Fixture::inline();
    let hub = Arc::new(FakeHub::new(fixture.outlet_id));
    trade(&fixture, 150);
    item(&fixture, "Thali");
    let proposal = fixture.number("SELECT max(seq) FROM sync_log");
    trade(&fixture, 60);
    let whole = log(&fixture);
    tidy(&fixture, &hub).await;
    assert_eq!(fixture.number("SELECT count(*) FROM sync_archive"), 0, "nothing is old");
    fixture.clock.advance(36 * DAY);
    tidy(&fixture, &hub).await;
    assert!(fixture.number("SELECT count(*) FROM sync_archive") >= 2);
    assert!(fixture.number("SELECT count(*) FROM sync_log") < 60);
    let sizes = fixture.number("SELECT sum(length(body)) FROM sync_archive");
    assert!(sizes < 210 * 5_000 * 3 / 4, "hexadecimal digits take half: {sizes}");

    assert_eq!(log(&fixture), whole);
    for frame in whole.iter().step_by(17) {
        assert_eq!(hash_at(&fixture, frame.header.seq), Some(frame.hash));
    }
    assert_eq!(waiting(&fixture), whole.len() as i64);
    let look = |from: &dyn Source| -> Result<_, DbError> {
        let last: i64 = one(from, "SELECT max(last_seq) FROM sync_archive", [], |row| row.get(0))?;
        Ok((store::find_first_kept(from)?, log_rows(from)?, last, store::find_last_told(from)?))
    };
    let (kept, rows, last, last_proposal) = fixture.db.read_blocking(look).unwrap();
    assert_eq!((kept, rows), (Some(1), whole.len() as i64));
    assert!(last > proposal && last_proposal == proposal, "what is undecided is not overlooked");

    let epoch = hub.epoch();
    fixture.write(move |tx, _| adopt(tx, epoch)).unwrap();
    push(&fixture, &hub).await;
    assert_eq!(hub.frames(), log(&fixture));
}

#[tokio::test]
async fn what_head_office_confirmed_goes_weeks_after_it_did_however_old_it_was() {
    let stage = Stage::new();
    let (fixture, hub) = (&stage.fixture, &stage.hub);
    trade(fixture, 150);
    // Cut off for a long time; what is old is packed.
    fixture.clock.advance(60 * DAY);
    trade(fixture, 5);
    tidy(fixture, hub).await;
    assert!(fixture.number("SELECT count(*) FROM sync_archive") > 0);
    push(fixture, hub).await;
    let whole = log(fixture);
    for days in [1, 20, 13] {
        tidy(fixture, hub).await;
        assert_eq!(log(fixture)[..whole.len()], whole[..], "a head office that was put back may ask for it");
        fixture.clock.advance(days * DAY);
    }
    fixture.clock.advance(2 * DAY);
    push(fixture, hub).await;
    tidy(fixture, hub).await;
    let left = log(fixture);
    let (first, acked) = (left[0].header.seq, whole.last().unwrap().header.seq);
    assert!(first <= acked && first > acked - 5, "{first} of {acked}");
    assert_eq!(fixture.number("SELECT count(*) FROM sync_archive"), 0);
    // The chain goes on from there.
    trade(fixture, 3);
    push(fixture, hub).await;
    let theirs = hub.frames();
    assert_eq!(theirs[theirs.len() - 3..], log(fixture)[log(fixture).len() - 3..]);
}

#[tokio::test]
async fn what_a_head_office_confirmed_in_another_life_does_not_count() {
    let stage = Stage::new();
    let (fixture, hub) = (&stage.fixture, &stage.hub);
    trade(fixture, 20);
    push(fixture, hub).await;
    tidy(fixture, hub).await;
    run_sql(&fixture.db, "UPDATE \"sync_peer\" SET hub_epoch = x'000000000000000000000000000000ff'");
    fixture.clock.advance(40 * DAY);
    tidy(fixture, hub).await;
    assert_eq!(log(fixture)[0].header.seq, 1);
}

#[tokio::test]
async fn what_each_life_of_head_office_confirms_is_noted_the_same_day() {
    let stage = Stage::new();
    let (fixture, hub) = (&stage.fixture, &stage.hub);
    trade(fixture, 20);
    push(fixture, hub).await;
    for life in [1, 1, 2, 2] {
        let epoch = format!("UPDATE sync_peer SET hub_epoch = x'{life:032x}'");
        rusqlite::Connection::open(fixture.db.path()).unwrap().execute(&epoch, []).unwrap();
        fixture.clock.advance(1_000);
        tidy(fixture, hub).await;
    }
    assert_eq!(fixture.number("SELECT count(*) FROM sync_acks"), 2);
    assert_eq!(fixture.number("SELECT count(DISTINCT hub_epoch) FROM sync_acks"), 2);
}

#[tokio::test]
async fn a_clock_that_jumps_lets_nothing_of_the_log_go() {
    let passed = Arc::new(AtomicI64::new(0));
    let fixture = Fixture::watched(&passed);
    let hub = Arc::new(FakeHub::new(fixture.outlet_id));
    let (epoch, start) = (hub.epoch(), fixture.clock.now());
    fixture.write(move |tx, _| adopt(tx, epoch)).unwrap();
    trade(&fixture, 20);
    // In steps, none of which is doubtful by itself.
    for hour in 0..60 {
        hub.state.lock().unwrap().wall = Some(start.after(hour * 3_600_000));
        let mut worker = worker(&fixture, &hub);
        for _ in 0..10 {
            worker.push_step().await;
            worker.chores_step().await;
        }
        passed.fetch_add(3_600_000, Ordering::Relaxed);
        fixture.clock.advance(6 * DAY);
        trade(&fixture, 1);
    }
    assert!(fixture.db.env().clock_doubt().is_none(), "it is believed");
    assert_eq!(log(&fixture)[0].header.seq, 1, "two and a half days have passed");
}
