//! Boxes that come back from an older state, and boxes of which there are two.

use crate::ground::Ground;
use crate::log::{Log, counter, new_id, update};
use sync_hub::hub::HubError;
use tiffin_common::Uuid;
use tiffin_common::frame::{Hash, Op, OpKind, Ops, Position, Value};
use tiffin_common::sync::batch::{self, Dictionary};
use tiffin_common::sync::{Class, FramesQuery, RefusedReason, Standing};
use tiffin_tests::oracle::unpacked;

fn reason<T: std::fmt::Debug>(outcome: Result<T, HubError>) -> RefusedReason {
    match outcome {
        Err(HubError::Refused(refused)) => refused.reason,
        other => panic!("{other:?}"),
    }
}

fn set(id: Uuid, value: i64) -> Op<'static> {
    update("counters", id, &[("value", Value::Integer(value))])
}

/// A box with two counters, pushed.
async fn traded(ground: &Ground) -> (Log, [Uuid; 2]) {
    let (mut log, ids) = (Log::new(ground.outlet), [new_id(), new_id()]);
    log.data(&ids.map(|id| counter(ground.outlet, id, 1)));
    for value in 2..8 {
        log.data(&[set(ids[0], value)]);
    }
    log.drain(&ground.hub).await.unwrap();
    (log, ids)
}

fn values(ground: &Ground, ids: &[Uuid]) -> Vec<Option<i64>> {
    let value = |id: &Uuid| {
        ground.look(|from| {
            edge::db::opt(from, "SELECT value FROM counters WHERE id = ?1", [id], |row| row.get(0))
        })
    };
    ids.iter().map(value).collect()
}

every_store! {
    async fn a_box_that_starts_again_goes_on(ground) {
        let (mut log, ids) = traded(ground).await;
        log.start();
        assert_eq!(log.hello(&ground.hub).await.standing, Standing::Normal);
        log.data(&[set(ids[0], 99)]);
        log.drain(&ground.hub).await.unwrap();
        assert_eq!(values(ground, &ids), [Some(99), Some(1)]);
    }

    async fn a_lost_suffix_is_fetched_and_taken_back(ground) {
        let (log, ids) = traded(ground).await;
        let end = log.head();
        // Yesterday's backup: at row 4 the first counter was 3.
        let mut old = log.restored(4);
        assert_eq!(reason(old.push(&ground.hub, 5, 5).await), RefusedReason::Mismatch, "not before it said hello");
        let hello = old.hello(&ground.hub).await;
        let Standing::LostSuffix { ancestor, lost_to } = hello.standing else { panic!("{hello:?}") };
        assert_eq!((ancestor.unwrap().seq, lost_to), (4, end.into()));
        let query = FramesQuery { epoch: lost_to.epoch, to: lost_to.seq, after: 4, limit: None, dictionary: None };
        let bytes = ground.hub.frames(ground.outlet, query).await.unwrap();
        let (lost, _) = batch::decode(&bytes, 1 << 20).unwrap();
        assert_eq!(lost.frames, log.frames[4..]);

        // A sale before the recovery touches what the lost part had touched.
        let third = new_id();
        old.data(&[set(ids[0], 40), counter(ground.outlet, third, 5)]);
        old.push(&ground.hub, 5, 6).await.unwrap();
        assert!(ground.hub.standings(ground.outlet).await.unwrap().recovering);
        old.recovered(end, &[counter(ground.outlet, ids[0], 70)]);
        old.data(&[set(ids[0], 71)]);
        old.drain(&ground.hub).await.unwrap();
        let standings = ground.hub.standings(ground.outlet).await.unwrap();
        assert_eq!((standings.recovering, standings.quarantined), (false, 0));
        assert_eq!(standings.cursor, Some(old.head()));
        assert_eq!(values(ground, &[ids[0], ids[1], third]), [Some(71), Some(1), Some(5)]);

        // Whatever was on its way from before the backup arrives late: nothing changes.
        let before = ground.everything();
        for from in 1..=log.frames.len() as i64 {
            let outcome = log.push(&ground.hub, from, i64::MAX).await;
            assert!(from <= 5 || outcome.is_err(), "row {from} of the old history was taken");
        }
        assert_eq!(ground.everything(), before);
        // The abandoned rows are still there to be looked at.
        let bytes = ground.hub.frames(ground.outlet, query).await.unwrap();
        assert_eq!(batch::decode(&bytes, 1 << 20).unwrap().0.frames, log.frames[4..]);
    }

    async fn what_was_on_its_way_arrives_after_the_old_backup_said_hello(ground) {
        let (mut log, ids) = traded(ground).await;
        log.data(&[set(ids[0], 80)]);
        let mut old = log.restored(4);
        let hello = old.hello(&ground.hub).await;
        let Standing::LostSuffix { lost_to, .. } = hello.standing else { panic!("{hello:?}") };
        assert_ne!(lost_to, log.head().into());
        log.drain(&ground.hub).await.unwrap();
        // The box takes back what it was told of; the sale that came since would be at head office alone.
        old.recovered(lost_to.into(), &[counter(ground.outlet, ids[0], 70)]);
        assert_eq!(reason(old.push(&ground.hub, 5, i64::MAX).await), RefusedReason::Mismatch);
        assert_eq!(values(ground, &ids), [Some(80), Some(1)]);
        let hello = old.hello(&ground.hub).await;
        let Standing::LostSuffix { ancestor, lost_to } = hello.standing else { panic!("{hello:?}") };
        assert_eq!((ancestor.unwrap().seq, lost_to), (4, log.head().into()));
        old.recovered(log.head(), &[counter(ground.outlet, ids[0], 80)]);
        old.drain_after(ground, 4).await;
        assert_eq!(values(ground, &ids), [Some(80), Some(1)]);
        assert!(!ground.hub.standings(ground.outlet).await.unwrap().recovering);
    }

    async fn two_restores_in_a_row(ground) {
        let (log, ids) = traded(ground).await;
        let mut second = log.restored(5);
        second.hello(&ground.hub).await;
        second.recovered(log.head(), &[counter(ground.outlet, ids[0], 7)]);
        second.drain_after(ground, 5).await;
        second.data(&[set(ids[1], 20)]);
        second.drain(&ground.hub).await.unwrap();
        // The older backup again: what both others did is lost now.
        let mut third = log.restored(3);
        let hello = third.hello(&ground.hub).await;
        let Standing::LostSuffix { ancestor, lost_to } = hello.standing else { panic!("{hello:?}") };
        assert_eq!((ancestor.unwrap().seq, lost_to), (3, second.head().into()));
        let query = FramesQuery { epoch: lost_to.epoch, to: lost_to.seq, after: 3, limit: None, dictionary: None };
        // Packed as the box asks: with what it knows, as far as head office knows it too.
        let newest = Dictionary::NEWEST.number().unwrap();
        for (dictionary, expected) in [(None, 0), (Some(newest), newest), (Some(newest + 1), 0)] {
            let query = FramesQuery { dictionary, ..query };
            let bytes = ground.hub.frames(ground.outlet, query).await.unwrap();
            assert_eq!(u32::from(bytes[20]), expected);
            let lost = batch::decode(&bytes, 1 << 20).unwrap().0;
            assert_eq!(lost.frames, second.frames[3..], "the history that counts, over two lineages");
        }
        third.recovered(second.head(), &[counter(ground.outlet, ids[0], 7), counter(ground.outlet, ids[1], 20)]);
        third.drain_after(ground, 3).await;
        assert_eq!(values(ground, &ids), [Some(7), Some(20)]);
        assert_eq!(ground.hub.standings(ground.outlet).await.unwrap().cursor, Some(third.head()));
    }

    async fn a_backup_of_a_history_that_was_left_behind_can_come_back(ground) {
        let (log, ids) = traded(ground).await;
        let mut second = log.restored(3);
        second.hello(&ground.hub).await;
        second.recovered(log.head(), &[counter(ground.outlet, ids[0], 7)]);
        second.data(&[set(ids[1], 30)]);
        second.drain_after(ground, 3).await;
        // A backup of the first box, younger than the other.
        let mut third = log.restored(6);
        let hello = third.hello(&ground.hub).await;
        let Standing::LostSuffix { ancestor, lost_to } = hello.standing else { panic!("{hello:?}") };
        assert_eq!((ancestor.unwrap().seq, lost_to), (3, second.head().into()));
        third.recovered(second.head(), &[counter(ground.outlet, ids[0], 5), counter(ground.outlet, ids[1], 30)]);
        third.drain_after(ground, 3).await;
        let standings = ground.hub.standings(ground.outlet).await.unwrap();
        assert_eq!((standings.recovering, standings.quarantined), (false, 0));
        assert_eq!(values(ground, &ids), [Some(5), Some(30)]);
    }

    async fn a_clone_of_the_disk_is_found_and_kept_apart(ground) {
        let (log, ids) = traded(ground).await;
        let (mut one, mut two) = (log.clone(), log.clone());
        one.start();
        one.data(&[set(ids[0], 100)]);
        one.hello(&ground.hub).await;
        one.drain(&ground.hub).await.unwrap();
        // The other box of the same disk: it takes back what it does not have, and goes on.
        two.start();
        two.data(&[set(ids[1], 200)]);
        assert!(matches!(two.hello(&ground.hub).await.standing, Standing::LostSuffix { .. }));
        two.recovered(one.head(), &[counter(ground.outlet, ids[0], 100)]);
        two.drain_after(ground, log.head().seq).await;
        // The first is still alive.
        one.data(&[set(ids[0], 101)]);
        assert_eq!(one.hello(&ground.hub).await.standing, Standing::Fork);
        let before = values(ground, &ids);
        let at = log.head().seq + 1;
        assert_eq!(reason(one.push(&ground.hub, at, i64::MAX).await), RefusedReason::Fork);
        one.start();
        assert_eq!(one.hello(&ground.hub).await.standing, Standing::Fork, "also after it starts again");
        let body = one.body(at, i64::MAX);
        ground.hub.push(ground.outlet, one.device, Class::Salvage, body.into()).await.unwrap();
        assert_eq!(values(ground, &ids), before);
        let standings = ground.hub.standings(ground.outlet).await.unwrap();
        assert_eq!(standings.cursor, Some(two.head()), "the outlet goes on");
        assert!(standings.forks.iter().any(|fork| fork.epoch == one.head().epoch && fork.accepted.is_none()));
        assert!(standings.salvage > 0);
        // Head office decides for it after all: what was kept apart it sends itself.
        ground.hub.decide_fork(ground.outlet, one.head().epoch, true).await.unwrap();
        assert!(matches!(one.hello(&ground.hub).await.standing, Standing::LostSuffix { .. }));
        one.recovered(two.head(), &[counter(ground.outlet, ids[1], 200)]);
        one.drain_after(ground, log.head().seq).await;
        let standings = ground.hub.standings(ground.outlet).await.unwrap();
        assert_eq!((standings.cursor, standings.salvage), (Some(one.head()), 0));
    }

    async fn what_two_machines_of_one_memory_still_had_is_kept_of_both(ground) {
        let (one, _) = traded(ground).await;
        let (mut one, mut two) = (one.clone(), one);
        let after = one.head().seq;
        let rows = [new_id(), new_id(), new_id()];
        one.data(&[counter(ground.outlet, rows[0], 1)]);
        two.data(&[counter(ground.outlet, rows[1], 2)]);
        two.data(&[counter(ground.outlet, rows[2], 3)]);
        // Each tells twice, as one does that heard no answer; the numbers of their rows are the same.
        for log in [&one, &two, &one, &two] {
            let body = log.body(after + 1, after + 1).into();
            ground.hub.push(ground.outlet, log.device, Class::Salvage, body).await.unwrap();
        }
        ground.hub.push(ground.outlet, two.device, Class::Salvage, two.body(after + 2, after + 2).into()).await.unwrap();
        let waiting = async || ground.hub.standings(ground.outlet).await.unwrap().salvage;
        assert_eq!((waiting().await, ground.number("SELECT count(*) FROM hub_salvage")), (3, 3));
        // Where one may speak for the outlet after all and sends its rows itself, the other's stay.
        one.drain_after(ground, after).await;
        assert_eq!((waiting().await, ground.number("SELECT count(*) FROM hub_salvage")), (2, 2));
        ground.hub.take_over(ground.outlet, "Owner".into(), None).await.unwrap();
        let page = ground.hub.salvage(ground.outlet).await.unwrap();
        let handed = unpacked(&page.rows);
        let ids: Vec<Value<'_>> = Ops::of(&handed).map(|op| op.unwrap().columns[0].1).collect();
        assert_eq!(ids, [Value::Id(rows[1]), Value::Id(rows[2])]);
    }

    async fn a_takeover_says_what_was_changed_between_the_two_boxes_and_ends_with_its_last_part(ground) {
        let (log, ids) = traded(ground).await;
        let mut dead = log.clone();
        dead.data(&[set(ids[0], 100), set(ids[1], 100)]);
        let made = new_id();
        dead.data(&[counter(ground.outlet, made, 1)]);
        // The box that took its place, and made a row of the same name.
        let mut next = log.clone();
        next.start();
        next.data(&[set(ids[1], 200), counter(ground.outlet, made, 2)]);
        next.drain(&ground.hub).await.unwrap();
        // It was asked for more than was missing.
        let body = dead.body(log.head().seq - 1, i64::MAX);
        ground.hub.push(ground.outlet, new_id(), Class::Salvage, body.into()).await.unwrap();
        ground.hub.take_over(ground.outlet, "Owner".into(), None).await.unwrap();

        let page = ground.hub.salvage(ground.outlet).await.unwrap();
        let (rows, changed) = (unpacked(&page.rows), unpacked(&page.changed));
        assert_eq!(page.actions.iter().sum::<u32>() as usize, Ops::of(&rows).count());
        assert_eq!(page.actions[page.actions.len() - 2..], [2, 1], "as the dead box did them");
        let changed: Vec<Op<'_>> = Ops::of(&changed).map(Result::unwrap).collect();
        let [change, whole] = &changed[..] else { panic!("{changed:?}") };
        assert_eq!((change.kind, change.key), (OpKind::Update, Value::Id(ids[1])));
        assert_eq!(whole.row_id(), Some(made), "{whole:?}");
        assert!(change.columns.iter().all(|(_, value)| *value == Value::Null), "which columns, and no values");

        let part = |seq| Position { epoch: page.id.unwrap(), seq, hash: Hash::START };
        for (seq, is_done) in [(0, false), (page.after + 1, true)] {
            next.recovered(part(seq), &[counter(ground.outlet, ids[0], 100)]);
            next.drain(&ground.hub).await.unwrap();
            let left = ground.hub.salvage(ground.outlet).await.unwrap();
            assert_eq!(left.id.is_none(), is_done);
            // Part of it is no reason to take the rest for done since.
            assert!(is_done || left.changed == page.changed);
        }
    }

    async fn of_two_dead_boxes_each_had_what_the_outlets_log_was_until_it_died(ground) {
        let (log, ids) = traded(ground).await;
        let (mut first, mut second) = (log.clone(), log.clone());
        first.data(&[set(ids[0], 100)]);
        // It took the first one's place, and was lost with a row that changes what it had changed and told before.
        second.start();
        second.data(&[set(ids[1], 200)]);
        second.drain(&ground.hub).await.unwrap();
        let told = second.head().seq;
        second.data(&[set(ids[1], 201)]);
        for (dead, from) in [(&first, log.head().seq + 1), (&second, told + 1)] {
            let body = dead.body(from, i64::MAX).into();
            ground.hub.push(ground.outlet, new_id(), Class::Salvage, body).await.unwrap();
        }
        ground.hub.take_over(ground.outlet, "Owner".into(), None).await.unwrap();
        let page = ground.hub.salvage(ground.outlet).await.unwrap();
        assert_eq!((page.after, page.actions.len()), (log.head().seq, 2));
        let changed = unpacked(&page.changed);
        assert_eq!(Ops::of(&changed).count(), 0, "nobody but the second changed it since");
    }

    async fn head_office_from_a_backup_is_filled_up_again(ground) {
        let (mut log, ids) = traded(ground).await;
        // Its cursor is behind what the branch knows as confirmed: the branch sends from there.
        log.data(&[set(ids[1], 9)]);
        log.start();
        let hello = log.hello(&ground.hub).await;
        assert_eq!(hello.standing, Standing::Normal);
        log.push(&ground.hub, hello.cursor.unwrap().seq + 1, i64::MAX).await.unwrap();
        assert_eq!(values(ground, &ids), [Some(7), Some(9)]);
    }
}

impl Log {
    /// Pushes all that follows row `seq`, whatever head office holds.
    async fn drain_after(&self, ground: &Ground, seq: i64) {
        self.push(&ground.hub, seq + 1, i64::MAX).await.unwrap();
    }
}
