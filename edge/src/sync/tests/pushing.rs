//! Sending the log: nothing lost, nothing twice, never stuck, and never in the way of the branch's own work.

use super::hub::Mishap;
use super::*;
use tiffin_common::frame::Kind;
use tiffin_common::sync::BucketCard;
use tiffin_common::sync::batch::Dictionary;

#[tokio::test]
async fn everything_that_is_committed_arrives_once_and_is_confirmed() {
    let mut stage = Stage::new();
    stage.item("Thali");
    stage.push(9).await;
    stage.assert_equal_logs();
    stage.item("Dosa");
    stage.push(9).await;
    stage.push(9).await;
    stage.assert_equal_logs();
    assert_eq!(stage.hub.asked("hello"), 1, "one hello for a link that holds");
    let waiting = "SELECT (SELECT max(seq) FROM sync_log) - acked_seq FROM sync_peer";
    assert_eq!(stage.fixture.number(waiting), 0);
}

#[tokio::test]
async fn bodies_are_packed_with_what_both_know() {
    let newest = *Dictionary::known().last().unwrap();
    for (known, expected) in [(Vec::new(), 0), (vec![newest + 1], 0), (vec![newest, newest + 1], newest)] {
        let mut stage = Stage::new();
        stage.hub.state.lock().unwrap().dictionaries = known;
        stage.item("Thali");
        stage.push(9).await;
        stage.assert_equal_logs();
        assert_eq!(stage.hub.state.lock().unwrap().packed_with.map(u32::from), Some(expected));
    }
}

#[tokio::test]
async fn whatever_happens_to_a_request_it_is_sent_again_and_counts_once() {
    use Mishap::{Lie, Lost, Portal, Status, Unheard};
    let mishaps =
        [Lost, Unheard, Status(503), Status(429), Portal, Status(500), Status(409), Status(404), Lie];
    for mishap in mishaps {
        for after in 0..2 {
            let mut stage = Stage::new();
            stage.item("Thali");
            // Once for the hello, once for the push.
            for _ in 0..after {
                stage.worker.push_step().await;
                stage.item("Dosa");
            }
            stage.hub.mishap(mishap);
            let next = stage.worker.push_step().await;
            assert!(next.after <= Duration::from_secs(240), "{mishap:?}: the timer is armed");
            if mishap == Status(503) || mishap == Status(429) {
                assert!(next.after >= Duration::from_secs(30), "{mishap:?}: no sooner than it asks");
            }
            stage.push(9).await;
            stage.assert_equal_logs();
        }
    }
}

#[tokio::test]
async fn a_dead_head_office_costs_the_branch_nothing_and_the_waits_grow() {
    let mut stage = Stage::new();
    let mut longest = Duration::ZERO;
    for name in ["A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L"] {
        stage.hub.mishap(Mishap::Lost);
        let before = stage.fixture.number("SELECT max(seq) FROM sync_log");
        stage.item(name);
        assert_eq!(stage.fixture.number("SELECT max(seq) FROM sync_log"), before + 1);
        let next = stage.worker.push_step().await;
        assert!(next.after > Duration::ZERO && next.after <= Duration::from_secs(61));
        longest = longest.max(next.after);
    }
    assert!(longest > Duration::from_secs(2), "{longest:?}");
    stage.push(9).await;
    stage.assert_equal_logs();
}

// A release has no switches.
#[cfg(debug_assertions)]
#[tokio::test]
async fn an_error_path_that_waits_for_the_next_write_would_be_seen() {
    let mut stage = Stage::with(Bugs { no_retry_timer: true, ..Bugs::default() });
    stage.item("Thali");
    stage.hub.mishap(Mishap::Lost);
    stage.worker.push_step().await;
    let stuck = stage.worker.push_step().await;
    assert!(stuck.after > Duration::from_secs(3_600), "the switch is on, so the timer is not armed");
}

#[tokio::test]
async fn a_restored_head_office_is_refilled_from_the_log() {
    let mut stage = Stage::new();
    for name in ["A", "B", "C"] {
        stage.item(name);
    }
    stage.push(9).await;
    {
        let mut state = stage.hub.state.lock().unwrap();
        state.frames.truncate(2);
        state.epoch = Uuid::from_u128(10);
    }
    stage.item("D");
    // It finds that the rows do not follow, and says so.
    stage.hub.mishap(Mishap::Status(500));
    stage.push(9).await;
    stage.assert_equal_logs();
}

#[tokio::test]
async fn a_fenced_box_tells_its_managers_and_leaves_what_it_has_for_review() {
    let mut stage = Stage::new();
    stage.push(9).await;
    stage.item("Thali");
    stage.hub.mishap(Mishap::Status(410));
    stage.worker.push_step().await;
    stage.worker.push_step().await;
    let salvaged = stage.hub.state.lock().unwrap().salvaged.len();
    assert!(salvaged > 0, "what was not confirmed goes to the review lane");
    assert_eq!(stage.fixture.number("SELECT count(*) FROM sync_peer WHERE standing = 'FENCED'"), 1);
    assert_eq!(stage.fixture.number("SELECT count(*) FROM notifications WHERE type = 'SYNC_STANDING'"), 1);
    assert_eq!(stage.hub.asked("push salvage"), 1);
}

#[tokio::test]
async fn a_fenced_box_that_had_no_link_before_leaves_what_it_has_for_review_too() {
    let mut stage = Stage::new();
    stage.push(9).await;
    stage.item("Thali");
    for mishap in [Mishap::Lost, Mishap::Lost, Mishap::Status(410), Mishap::Lost, Mishap::Status(410)] {
        stage.hub.mishap(mishap);
        stage.worker.push_step().await;
    }
    stage.worker.push_step().await;
    assert!(!stage.hub.state.lock().unwrap().salvaged.is_empty());
}

#[tokio::test]
async fn a_difference_is_repaired_once_and_told() {
    let mut stage = Stage::new();
    let outlet = stage.fixture.outlet_id;
    stage.item("Thali");
    stage.push(9).await;
    let table = tiffin_common::registry::table_named("menu_items").unwrap().no;
    stage.hub.state.lock().unwrap().bad = vec![BucketCard { table, day: None }];
    stage.item("Dosa");
    stage.push(9).await;
    stage.worker.chores_step().await;
    stage.push(9).await;
    let frames = stage.hub.frames();
    let repairs = frames.iter().filter(|frame| frame.header.kind == Kind::Repair).collect::<Vec<_>>();
    assert_eq!(repairs.len(), 1);
    assert_eq!(repairs[0].header.count, 2, "both dishes, whole");
    assert_eq!(stage.fixture.number("SELECT count(*) FROM notifications WHERE type = 'SYNC_DIGEST'"), 1);
    // The sum that follows agrees.
    assert_eq!(stage.fixture.number("SELECT count(*) FROM sync_peer WHERE digest = 'OK'"), 1);
    // The same again within the hour is told, not sent.
    stage.hub.state.lock().unwrap().bad = vec![BucketCard { table, day: None }];
    run_sql(&stage.fixture.db, "UPDATE menu_items SET name = name || '!'");
    stage.push(9).await;
    stage.worker.chores_step().await;
    stage.push(9).await;
    let repairs = stage.hub.frames().iter().filter(|frame| frame.header.kind == Kind::Repair).count();
    assert_eq!((repairs, outlet), (1, stage.fixture.outlet_id));
}

#[tokio::test]
async fn a_difference_that_stays_is_told_once_an_hour_and_never_because_it_was_told() {
    const TOLD: &str = "SELECT coalesce(sum(count), 0) FROM notifications WHERE type = 'SYNC_DIGEST'";
    let mut stage = Stage::new();
    stage.item("Thali");
    stage.push(9).await;
    let table = tiffin_common::registry::table_named("menu_items").unwrap().no;
    {
        let mut state = stage.hub.state.lock().unwrap();
        (state.bad, state.stays_bad) = (vec![BucketCard { table, day: None }], true);
    }
    for (dish, told) in [("Dosa", 1), ("Idli", 1), ("Vada", 2)] {
        stage.item(dish);
        let before = stage.hub.asked("push");
        for _ in 0..30 {
            stage.push(9).await;
            stage.worker.chores_step().await;
        }
        let pushes = stage.hub.asked("push") - before;
        assert!(pushes <= 6, "{dish}: {pushes} pushes of a dish, an alarm, a repair and a sum");
        assert_eq!(stage.fixture.number(TOLD), told, "{dish}");
        // It starts anew and remembers nothing; the third time an hour has passed.
        let client = Arc::clone(&stage.hub);
        stage.worker = Worker::with_hub(stage.fixture.db.clone(), client, settings());
        stage.fixture.clock.advance(1_801_000);
    }
}

#[tokio::test]
async fn digests_describe_the_rows_at_their_own_position() {
    use crate::sync::digest;
    let mut stage = Stage::new();
    stage.item("Thali");
    stage.worker.chores_step().await;
    stage.push(9).await;
    let frames = stage.hub.frames();
    let digest = frames.iter().rfind(|frame| frame.header.kind == Kind::Digest).unwrap();
    let body = tiffin_common::frame::Body::decode(&digest.header, &digest.body).unwrap();
    let tiffin_common::frame::Body::Digest(entries) = body else { panic!() };
    assert!(!entries.is_empty());
    for entry in entries {
        let table = tiffin_common::registry::table(entry.bucket.table).unwrap();
        let sum = stage.fixture.write(move |tx, _| digest::sum(tx, table, entry.bucket)).unwrap();
        assert_eq!(sum.entry(entry.bucket), entry, "{}", table.name);
    }
    // Nothing changed since: nothing is summed up again.
    let before = stage.hub.frames().len();
    let client = Arc::clone(&stage.hub);
    let mut later = Worker::with_hub(stage.fixture.db.clone(), client, settings());
    later.chores_step().await;
    stage.push(9).await;
    assert_eq!(stage.hub.frames().len(), before);
}

#[tokio::test]
async fn old_log_goes_only_when_it_is_confirmed_and_summed_up() {
    let mut stage = Stage::new();
    for name in ["A", "B", "C"] {
        stage.item(name);
    }
    stage.fixture.clock.advance(40 * 86_400_000);
    stage.worker.chores_step().await;
    assert_eq!(stage.fixture.number("SELECT min(seq) FROM sync_log"), 1, "nothing is confirmed");
    let head = stage.fixture.number("SELECT max(seq) FROM sync_log");
    stage.push(9).await;
    stage.push(9).await;
    stage.fixture.write(move |tx, _| store::set_digest_seq(tx, head)).unwrap();
    let later = || {
        let (db, client) = (stage.fixture.db.clone(), Arc::clone(&stage.hub));
        Worker::with_hub(db, client, settings())
    };
    later().chores_step().await;
    assert_eq!(stage.fixture.number("SELECT min(seq) FROM sync_log"), 1, "it was only just confirmed");
    stage.fixture.clock.advance(36 * 86_400_000);
    later().chores_step().await;
    assert_eq!(stage.fixture.number("SELECT min(seq) FROM sync_log"), head, "the last one stays");
    stage.item("D");
    stage.push(9).await;
    assert_eq!(
        stage.hub.frames().last().map(|frame| frame.header.seq),
        Some(stage.fixture.number("SELECT max(seq) FROM sync_log"))
    );
    assert_eq!(stage.fixture.number("SELECT count(*) FROM sync_log"), 2);
}

#[tokio::test]
async fn a_database_that_the_exchange_finds_damaged_is_not_served_any_more() {
    use std::os::unix::fs::FileExt;
    let mut stage = Stage::new();
    stage.item("Thali");
    let conn = rusqlite::Connection::open(stage.fixture.db.path()).unwrap();
    let number = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    let root = number("SELECT rootpage FROM sqlite_schema WHERE name = 'sync_log'");
    let place = (root - 1) * number("PRAGMA page_size");
    number("PRAGMA wal_checkpoint(TRUNCATE)");
    let file = std::fs::OpenOptions::new().write(true).open(stage.fixture.db.path()).unwrap();
    file.write_all_at(&[0x5A; 512], place.cast_unsigned()).unwrap();
    stage.worker.push_step().await;
    let db = &stage.fixture.db;
    assert!(db.damage().found().is_some_and(|what| what.contains("malformed")), "{:?}", db.damage());
    assert!(matches!(db.read_blocking(|from| store::find_peer(from)), Err(DbError::Damaged(_))));
}
