//! Pushes: in order, twice, cut, with gaps, with rows that cannot be applied, from several outlets at once.

use crate::log::{Log, category, counter, delete, insert, new_id, update};
use sync_hub::hub::HubError;
use tiffin_common::frame::Value;
use tiffin_common::sync::{Class, RefusedReason};

/// A log of `rows` actions on one counter.
fn counting(outlet: tiffin_common::Uuid, rows: i64) -> Log {
    let (mut log, id) = (Log::new(outlet), new_id());
    log.data(&[counter(outlet, id, 1)]);
    for value in 2..=rows {
        log.data(&[update("counters", id, &[("value", Value::Integer(value))])]);
    }
    log
}

const VALUE: &str = "SELECT max(value) FROM counters";

every_store! {
    async fn rows_are_what_the_log_says(ground) {
        let log = counting(ground.outlet, 9);
        let reply = log.push(&ground.hub, 1, 4).await.unwrap();
        assert_eq!(reply.cursor.unwrap().seq, 4);
        assert_eq!(ground.number(VALUE), 3);
        let reply = log.push(&ground.hub, 5, 10).await.unwrap();
        assert_eq!(reply.cursor.map(Into::into), Some(log.head()));
        assert_eq!(ground.number(VALUE), 9);
        assert_eq!(ground.number("SELECT count(*) FROM hub_quarantine"), 0);
    }

    async fn a_push_that_is_repeated_changes_nothing(ground) {
        let mut log = counting(ground.outlet, 6);
        log.propose(&[category(ground.outlet, new_id(), "Soups")]);
        log.start();
        for (from, to) in [(1, 3), (4, 6), (7, 9)] {
            log.push(&ground.hub, from, to).await.unwrap();
        }
        let before = ground.everything();
        for from in 1..=9 {
            for to in from..=9 {
                let reply = log.push(&ground.hub, from, to).await.unwrap();
                assert_eq!(reply.cursor.unwrap().seq, 9);
            }
        }
        log.hello(&ground.hub).await;
        assert_eq!(ground.everything(), before);
    }

    async fn rows_that_overlap_are_taken_once(ground) {
        let log = counting(ground.outlet, 8);
        log.push(&ground.hub, 1, 5).await.unwrap();
        log.push(&ground.hub, 3, 9).await.unwrap();
        assert_eq!(ground.number(VALUE), 8);
        assert_eq!(ground.number("SELECT count(*) FROM hub_quarantine"), 0);
        let query = tiffin_common::sync::FramesQuery { epoch: log.head().epoch, to: 9, after: 0, limit: None, dictionary: None };
        let bytes = ground.hub.frames(ground.outlet, query).await.unwrap();
        let (batch, cut) = tiffin_common::sync::batch::decode(&bytes, 1 << 20).unwrap();
        assert!(!cut && batch.frames == log.frames, "the raw log is not what was sent");
    }

    async fn a_gap_and_another_history_are_refused_and_change_nothing(ground) {
        let log = counting(ground.outlet, 5);
        log.push(&ground.hub, 1, 3).await.unwrap();
        let before = ground.everything();
        let refused = |outcome| match outcome {
            Err(HubError::Refused(refused)) => (refused.reason, refused.cursor.unwrap().seq),
            other => panic!("{other:?}"),
        };
        assert_eq!(refused(log.push(&ground.hub, 5, 6).await), (RefusedReason::Gap, 3));
        let other = counting(ground.outlet, 5);
        assert_eq!(refused(other.push(&ground.hub, 1, 6).await), (RefusedReason::Mismatch, 3));
        assert_eq!(refused(other.push(&ground.hub, 4, 6).await), (RefusedReason::Mismatch, 3));
        assert_eq!(ground.everything(), before);
    }

    async fn of_a_body_that_was_cut_the_first_rows_are_taken(ground) {
        let log = counting(ground.outlet, 40);
        let body = log.body(1, 41);
        let mut end = 0;
        for length in (0..body.len()).step_by(7) {
            let outcome = ground.hub.push(ground.outlet, log.device, Class::Live, body[..length].to_vec().into()).await;
            match outcome {
                Ok(reply) => end = reply.cursor.map_or(0, |cursor| cursor.seq),
                Err(HubError::Decode(_)) => assert_eq!(end, 0, "a longer body gave less"),
                Err(error) => panic!("{error}"),
            }
        }
        log.drain(&ground.hub).await.unwrap();
        assert_eq!(ground.number(VALUE), 40);
        assert_eq!(ground.number("SELECT count(*) FROM hub_quarantine"), 0);
    }

    async fn a_row_that_cannot_be_applied_is_kept_apart_and_holds_up_nothing(ground) {
        let (outlet, id) = (ground.outlet, new_id());
        let mut log = Log::new(outlet);
        log.data(&[counter(outlet, id, 1)]);
        let bad = [
            // Each changes the counter first: nothing of it may stay.
            log.data(&[update("counters", id, &[("value", Value::Integer(50))]), counter(outlet, id, 2)]),
            log.data(&[update("counters", id, &[("value", Value::Integer(51))]), delete("counters", new_id())]),
            log.data(&[update("counters", id, &[("value", Value::Integer(52))]), update("orders", new_id(), &[("notes", Value::Null)])]),
            log.data(&[update("counters", id, &[("value", Value::Integer(53))]), insert("counters", &[("id", Value::Id(new_id())), ("outlet_id", Value::Id(outlet))])]),
            log.data(&[update("counters", id, &[("value", Value::Text("many"))])]),
            log.data(&[counter(new_id(), new_id(), 3)]),
            log.row(tiffin_common::frame::Kind::Data, 1, b"\x46\x09nonsense".to_vec()),
        ];
        log.data(&[update("counters", id, &[("value", Value::Integer(2))])]);
        log.push(&ground.hub, 1, i64::MAX).await.unwrap();
        assert_eq!(ground.number(VALUE), 2);
        assert_eq!(ground.number("SELECT count(*) FROM counters"), 1);
        let kept: Vec<i64> = ground.look(|from| edge::db::list(from, "SELECT seq FROM hub_quarantine ORDER BY seq", [], |row| row.get(0)));
        assert_eq!(kept, bad);
        assert_eq!(ground.hub.standings(outlet).await.unwrap().quarantined, 7);
    }

    async fn an_action_of_any_size_is_taken_whole(ground) {
        let outlet = ground.outlet;
        let mut log = Log::new(outlet);
        let ops: Vec<_> = (0..60_000).map(|value| counter(outlet, new_id(), value)).collect();
        log.data(&ops);
        log.data(&[counter(outlet, new_id(), 60_000)]);
        log.drain(&ground.hub).await.unwrap();
        assert_eq!(ground.number("SELECT count(*) FROM counters"), 60_001);
    }

    async fn what_a_newer_branch_sends_waits_and_is_applied_after_the_upgrade(ground) {
        let (outlet, id) = (ground.outlet, new_id());
        let mut log = Log::new(outlet);
        log.data(&[counter(outlet, id, 1)]);
        log.schema += 1;
        log.data(&[update("counters", id, &[("value", Value::Integer(2))])]);
        log.push(&ground.hub, 1, 3).await.unwrap();
        log.data(&[update("counters", id, &[("value", Value::Integer(3))])]);
        log.drain(&ground.hub).await.unwrap();
        let standings = ground.hub.standings(outlet).await.unwrap();
        assert_eq!((standings.cursor.unwrap().seq, standings.applied_to), (4, 2));
        assert_eq!(ground.number(VALUE), 1);
        assert_eq!(ground.hub.catch_up(outlet).await.unwrap(), 0, "not yet");

        // As after an upgrade: what is in the raw log can be read now.
        ground.tamper("DELETE FROM counters", &[]);
        ground.tamper("UPDATE hub_state SET applied_to = 0", &[]);
        assert_eq!(ground.hub.catch_up(outlet).await.unwrap(), 2);
        assert_eq!(ground.number(VALUE), 1);
    }

    async fn several_outlets_push_at_once_and_one_outlet_several_times_at_once(ground) {
        let outlets: Vec<_> = (0..6).map(|_| new_id()).collect();
        let mut pushes = tokio::task::JoinSet::new();
        for outlet in outlets.iter().copied() {
            ground.hub.stores().store().create_outlet(outlet).unwrap();
            let log = counting(outlet, 30);
            for twice in 0..3 {
                let (hub, log) = (ground.hub.clone(), log.clone());
                pushes.spawn(async move {
                    for from in (1..=31).step_by(3) {
                        // Another task may be ahead or behind: neither is an error of the store.
                        let outcome = log.push(&hub, from, from + 2 + twice).await;
                        assert!(matches!(outcome, Ok(_) | Err(HubError::Refused(_))), "{outcome:?}");
                    }
                });
            }
        }
        while let Some(done) = pushes.join_next().await {
            done.unwrap();
        }
        for outlet in outlets {
            let standings = ground.hub.standings(outlet).await.unwrap();
            assert_eq!((standings.cursor.unwrap().seq, standings.quarantined), (31, 0));
        }
    }
}
