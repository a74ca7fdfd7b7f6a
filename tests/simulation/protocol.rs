//! Head office and single boxes, request by request: what no weather brings about by chance.

use crate::clock::{Flow, WallClock};
use crate::lites::cash_problems;
use crate::mistakes::{self, Mistakes};
use crate::office::Office;
use crate::wire::Direct;
use crate::world::{START, in_memory, outside};
use edge::http::shutdown::Shutdown;
use edge::sync::{Hub, HubError};
use std::path::PathBuf;
use tiffin_common::sync::Class;
use tiffin_tests::oracle::open;
use tiffin_tests::{Dice, Lite};

/// A head office in this process, with boxes enrolled.
pub struct Counter {
    office: Office,
    /// The boxes, each with its way to head office.
    pub boxes: Vec<(Lite, Hub)>,
    _folder: tempfile::TempDir,
}

impl Counter {
    /// One with `count` boxes.
    pub async fn open(seed: u64, count: u64, mistakes: Mistakes) -> Counter {
        let folder = in_memory();
        let clock = WallClock::new(&Flow::default(), START.parse().unwrap());
        let office = Office::new(folder.path().join("hub"), clock, seed, mistakes);
        let app = office.open(&Shutdown::new());
        let router = sync_hub::app::router(app.clone());
        let mut boxes = Vec::new();
        for number in 0..count {
            let lite = Lite::new(seed, number);
            let code = office.code(&app, None).await;
            let key = lite
                .enrol(&Hub::new(std::sync::Arc::new(Direct::new(router.clone()))), &code)
                .await
                .unwrap()
                .key;
            let direct = Direct::with_key(router.clone(), key);
            boxes.push((lite, Hub::new(std::sync::Arc::new(direct))));
        }
        Counter { office, boxes, _folder: folder }
    }

    /// Head office's copy of a box's outlet.
    pub fn replica(&self, number: usize) -> PathBuf {
        self.office.folder.join("outlets").join(format!("{}.db", self.boxes[number].0.outlet))
    }
}

/// A box whose disk was put back goes on without a word about it; answers whether head office takes its rows for the lost ones.
pub async fn another_history_is_taken(mistakes: Mistakes) -> bool {
    let mut counter = Counter::open(3, 1, mistakes).await;
    let (lite, hub) = &mut counter.boxes[0];
    (0..9).for_each(|_| lite.trade(2));
    lite.exchange(hub, 100, Class::Live).await.unwrap();
    lite.log.truncate(5);
    (0..3).for_each(|_| lite.trade(7));
    match lite.send(hub, 5, 8, Class::Live).await {
        Ok(_) => true,
        Err(HubError::Refused(_)) => false,
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn another_history_under_the_same_numbers_is_refused() {
    assert!(!outside(another_history_is_taken(mistakes::NONE)));
}

#[test]
fn rows_that_come_again_in_any_order_change_nothing() {
    outside(async {
        let mut counter = Counter::open(4, 1, mistakes::NONE).await;
        let dice = Dice::new(4);
        let (lite, hub) = &mut counter.boxes[0];
        (0..40).for_each(|_| lite.trade(3));
        lite.exchange(hub, 7, Class::Live).await.unwrap();
        for _ in 0..60 {
            let from = dice.below(lite.log.len() as u64) as usize;
            let to = dice.between(from as u64 + 1, lite.log.len() as u64 + 1) as usize;
            let reply = lite.send(hub, from, to, *dice.pick(&[Class::Live, Class::Backlog])).await.unwrap();
            assert_eq!(reply.cursor.unwrap().seq, lite.log.len() as i64);
        }
        let (lite, replica) = (&counter.boxes[0].0, counter.replica(0));
        assert_eq!(cash_problems(&replica, lite), Vec::<String>::new());
    });
}

#[test]
fn one_poisoned_row_delays_nobody() {
    outside(async {
        let mut counter = Counter::open(5, 1, mistakes::NONE).await;
        let (lite, hub) = &mut counter.boxes[0];
        (0..500).for_each(|_| lite.trade(1));
        lite.poison();
        (0..500).for_each(|_| lite.trade(1));
        lite.exchange(hub, 300, Class::Backlog).await.unwrap();
        let found = cash_problems(&counter.replica(0), &counter.boxes[0].0);
        assert_eq!(found, ["L0: 1 log rows in quarantine"]);
    });
}

#[test]
fn a_giant_transaction_arrives_whole() {
    outside(async {
        let mut counter = Counter::open(6, 1, mistakes::NONE).await;
        let (lite, hub) = &mut counter.boxes[0];
        lite.trade(1);
        lite.trade(60_000);
        lite.trade(1);
        lite.exchange(hub, 1, Class::Backlog).await.unwrap();
        let found = cash_problems(&counter.replica(0), &counter.boxes[0].0);
        assert_eq!(found, Vec::<String>::new());
    });
}

#[test]
fn no_key_writes_another_outlets_rows() {
    outside(async {
        let mut counter = Counter::open(7, 2, mistakes::NONE).await;
        let other = counter.boxes[1].0.outlet;
        let hub = counter.boxes[1].1.clone();
        counter.boxes[1].0.trade(5);
        counter.boxes[1].0.exchange(&hub, 10, Class::Live).await.unwrap();
        let (lite, hub) = &mut counter.boxes[0];
        lite.trespass(other);
        lite.trade(2);
        lite.exchange(hub, 10, Class::Live).await.unwrap();
        for number in 0..2 {
            let conn = open(&counter.replica(number));
            let stolen = "SELECT count(*) FROM counters WHERE series = 'STOLEN'";
            assert_eq!(conn.query_row(stolen, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
        }
        assert_eq!(cash_problems(&counter.replica(1), &counter.boxes[1].0), Vec::<String>::new());
        let (refused, lite) = (cash_problems(&counter.replica(0), &counter.boxes[0].0), &counter.boxes[0].0);
        assert_eq!(refused, [format!("{}: 1 log rows in quarantine", lite.code)]);
    });
}

#[test]
fn a_box_one_schema_behind_is_taken_as_it_is() {
    outside(async {
        let mut counter = Counter::open(8, 1, mistakes::NONE).await;
        let (lite, hub) = &mut counter.boxes[0];
        lite.schema -= 1;
        (0..30).for_each(|_| lite.trade(4));
        lite.exchange(hub, 10, Class::Live).await.unwrap();
        assert_eq!(cash_problems(&counter.replica(0), &counter.boxes[0].0), Vec::<String>::new());
    });
}

#[test]
fn rows_of_a_newer_schema_are_held_until_the_upgrade() {
    outside(async {
        let mut counter = Counter::open(9, 1, mistakes::NONE).await;
        let (lite, hub) = &mut counter.boxes[0];
        (0..10).for_each(|_| lite.trade(4));
        lite.exchange(hub, 10, Class::Live).await.unwrap();
        let (seq, movements) = (lite.log.len() as i64, lite.movements);
        lite.schema += 1;
        lite.start();
        (0..10).for_each(|_| lite.trade(4));
        lite.exchange(hub, 10, Class::Live).await.unwrap();
        assert_eq!(lite.confirmed, lite.log.len() as i64, "all of it is durable at head office");
        let conn = open(&counter.replica(0));
        let number = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!(number("SELECT applied_to FROM hub_state"), seq);
        assert_eq!(number("SELECT seq FROM hub_state"), counter.boxes[0].0.confirmed);
        assert_eq!(number("SELECT count(*) FROM cash_movements"), movements, "none is applied by guesswork");
        assert_eq!(number("SELECT count(*) FROM hub_quarantine"), 0);
    });
}
