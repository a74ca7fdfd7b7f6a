//! The raw log of an outlet that is older than anybody could ask for: it goes, and everything else goes on.

use crate::feed::{edit, pull};
use crate::ground::Ground;
use crate::log::{BEGIN, Log, category, counter, delete, new_id, update};
use sync_hub::hub::HubError;
use tiffin_common::Millis;
use tiffin_common::frame::Value;
use tiffin_common::sync::{Class, FramesQuery, Standing};

const DAY: i64 = 86_400_000;

fn before(days: i64) -> Millis {
    Millis::new(BEGIN + days * DAY)
}

/// A log that is pushed row by row, one row a day.
async fn traded(ground: &Ground, days: i64) -> Log {
    let mut log = Log::new(ground.outlet);
    for day in 0..days {
        ground.at(BEGIN + day * DAY);
        log.data(&[counter(ground.outlet, new_id(), day)]);
        log.drain(&ground.hub).await.unwrap();
    }
    log
}

every_store! {
    async fn old_chunks_go_and_the_exchange_goes_on(ground) {
        let mut log = traded(ground, 10).await;
        assert_eq!(ground.number("SELECT count(*) FROM hub_log"), 10);
        assert_eq!(ground.hub.let_go(ground.outlet, before(4)).await.unwrap(), 4);
        assert_eq!(ground.hub.let_go(ground.outlet, before(4)).await.unwrap(), 0);
        assert_eq!(ground.number("SELECT min(first_seq) FROM hub_log"), 6);
        assert_eq!(ground.number("SELECT count(*) FROM counters"), 10, "no row of the branch goes");

        assert_eq!(log.hello(&ground.hub).await.standing, Standing::Normal);
        // A push that was answered and comes again changes nothing.
        let held = ground.everything();
        log.push(&ground.hub, 9, 11).await.unwrap();
        assert_eq!(ground.everything(), held);
        log.start();
        log.data(&[counter(ground.outlet, new_id(), 99)]);
        log.drain(&ground.hub).await.unwrap();
        assert_eq!(log.hello(&ground.hub).await.standing, Standing::Normal);

        // An old backup that the kept log reaches back to is taken back.
        let old = log.restored(8);
        let Standing::LostSuffix { ancestor, lost_to } = old.hello(&ground.hub).await.standing else { panic!() };
        assert_eq!((ancestor.unwrap().seq, lost_to.seq), (8, log.head().seq));
        let query = FramesQuery { epoch: lost_to.epoch, to: lost_to.seq, after: 8, limit: None, dictionary: None };
        assert!(ground.hub.frames(ground.outlet, query).await.is_ok());
        // One that is older still is for a person to decide, and nothing of it is taken meanwhile.
        let older = log.restored(3);
        assert_eq!(older.hello(&ground.hub).await.standing, Standing::Fork);
    }

    async fn the_end_of_the_log_and_what_was_put_aside_stay(ground) {
        let mut log = Log::new(ground.outlet);
        let id = new_id();
        log.data(&[counter(ground.outlet, id, 1)]);
        log.drain(&ground.hub).await.unwrap();
        // The same row again: it cannot be made.
        log.data(&[counter(ground.outlet, id, 2)]);
        log.drain(&ground.hub).await.unwrap();
        log.data(&[counter(ground.outlet, new_id(), 3)]);
        log.drain(&ground.hub).await.unwrap();
        assert_eq!(ground.number("SELECT count(*) FROM hub_quarantine"), 1);
        let gone: Result<u64, HubError> = ground.hub.let_go(ground.outlet, before(4_000)).await;
        assert_eq!(gone.unwrap(), 1);
        assert_eq!(ground.number("SELECT count(*) FROM hub_log"), 2);
        assert_eq!(log.hello(&ground.hub).await.standing, Standing::Normal);
    }

    async fn what_was_put_aside_holds_up_nothing(ground) {
        let mut log = Log::new(ground.outlet);
        let id = new_id();
        log.data(&[counter(ground.outlet, id, 1)]);
        log.drain(&ground.hub).await.unwrap();
        // More than are looked at in one unit of work, each in a piece of its own.
        for value in 0..520 {
            log.data(&[counter(ground.outlet, id, value)]);
            log.drain(&ground.hub).await.unwrap();
        }
        for value in 0..3 {
            log.data(&[counter(ground.outlet, new_id(), value)]);
            log.drain(&ground.hub).await.unwrap();
        }
        assert_eq!(ground.number("SELECT count(*) FROM hub_quarantine"), 520);
        let mut gone = 0;
        for _ in 0..9 {
            gone += ground.hub.let_go(ground.outlet, before(4_000)).await.unwrap();
        }
        assert_eq!(gone, 3, "the first, and those after what was put aside but the last");
        assert_eq!(log.hello(&ground.hub).await.standing, Standing::Normal);
    }

    async fn what_was_taken_over_goes_and_is_not_asked_for_again(ground) {
        let mut log = traded(ground, 3).await;
        let last = log.head().seq;
        let review = async |log: &Log, from: i64| {
            let body = log.body(from, i64::MAX).into();
            let reply = ground.hub.push(ground.outlet, log.device, Class::Salvage, body).await.unwrap();
            reply.cursor.unwrap().seq == log.head().seq
        };
        log.data(&[counter(ground.outlet, new_id(), 7)]);
        log.data(&[counter(ground.outlet, new_id(), 8)]);
        assert!(review(&log, last + 1).await);
        let taken = "INSERT INTO hub_takeovers (outlet_id, id, at, done_at, by_name) VALUES (?1, ?2, ?3, ?3, 'Owner')";
        ground.tamper(taken, &[&ground.outlet, &new_id(), &(BEGIN + 4 * DAY)]);
        ground.at(BEGIN + 500 * DAY);
        while ground.hub.let_go(ground.outlet, before(400)).await.unwrap() > 0 {}
        assert_eq!(ground.number("SELECT max(length(body)) FROM hub_salvage"), 16, "its rows are gone");

        log.data(&[counter(ground.outlet, new_id(), 9)]);
        assert!(review(&log, last + 2).await, "the last row again, and what came since");
        assert!(review(&log, last + 1).await, "all of it again, by a box that starts anew");
        assert_eq!(ground.number("SELECT count(*) FROM hub_salvage WHERE length(body) > 16"), 2);
    }

    async fn old_versions_of_the_feed_go_and_a_branch_that_shows_one_is_sent_all_rows(ground) {
        let mut log = Log::new(ground.outlet);
        let (mains, sides) = (new_id(), new_id());
        log.propose(&[category(ground.outlet, mains, "Mains"), category(ground.outlet, sides, "Sides")]);
        log.drain(&ground.hub).await.unwrap();
        edit(ground, &[update("menu_categories", mains, &[("name", Value::Text("First"))])]).await;
        let first = pull(ground, None).await;
        edit(ground, &[delete("menu_categories", sides)]).await;
        let then = pull(ground, Some(&first)).await;
        log.pulled(then.feed, &[category(ground.outlet, mains, "First"), delete("menu_categories", sides)]);
        log.drain(&ground.hub).await.unwrap();
        ground.at(BEGIN + 500 * DAY);
        edit(ground, &[update("menu_categories", mains, &[("name", Value::Text("Later"))])]).await;
        let last = pull(ground, Some(&then)).await;
        log.pulled(last.feed, &[category(ground.outlet, mains, "Later")]);
        log.drain(&ground.hub).await.unwrap();
        let deleted = "SELECT count(*) FROM hub_master WHERE deleted = 1";
        assert_eq!(ground.number(deleted), 1);
        while ground.hub.let_go(ground.outlet, before(400)).await.unwrap() > 0 {}
        assert_eq!(ground.number(deleted), 0);
        assert_eq!(ground.number("SELECT count(*) FROM hub_feed_marks"), 1);

        let same = pull(ground, Some(&last)).await;
        assert_eq!((same.reset, same.rows.len(), same.feed), (false, 0, last.feed));
        // From an old backup.
        let old = pull(ground, Some(&first)).await;
        assert_eq!((old.reset, old.rows.len()), (true, 1), "the one that is there, and not the one that is gone");
        let hello = log.hello(&ground.hub).await;
        assert_eq!(hello.feed, last.feed, "an old branch is no sign that head office is an old copy");
    }
}
