//! A branch's own log at head office on PostgreSQL: the same rows, whatever way it comes, and the same again when it is asked for.

use crate::schema::made;
use crate::store::open;
use bytes::Bytes;
use edge::access::Role;
use edge::db::Env;
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::Arc;
use sync_hub::hub::{Hub, HubError};
use sync_hub::store::StoreError;
use tiffin_common::clock::ManualClock;
use tiffin_common::frame::{Hash, Ops};
use tiffin_common::sync::batch::{Batch, Frame, encode};
use tiffin_common::sync::{Class, FramesQuery, Phase, SnapshotQuery};
use tiffin_common::{Millis, Uuid};
use tiffin_tests::postgres::Database;
use tiffin_tests::{Branch, House, oracle};

/// A branch that has traded a little.
async fn traded() -> (Branch, House) {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let cashier = branch.sign_in(Role::Cashier);
    for turn in 0..6 {
        let order = house.place(&cashier, house.counter(&[("Dal", 1 + turn % 3), ("Lassi", 2)])).await;
        if turn % 2 == 0 {
            house.settle(&cashier, &order).await.expect(201);
        }
        branch.pass(3 * 3_600_000);
    }
    house.place(&cashier, house.at_table(1, &[("Paneer Tikka", 2), ("Kulfi", 1)])).await;
    (branch, house)
}

fn hub(database: &Database) -> Hub {
    let env =
        Env::new(Arc::new(ManualClock::new(Millis::new(1_790_000_000_000))), Arc::new(edge::db::OsRandom));
    Hub::new(open(database), env, Uuid::from_u128(5))
}

/// Pushes `frames` in parts of `size`.
async fn push(hub: &Hub, outlet: Uuid, frames: &[Frame], size: usize) -> Result<(), HubError> {
    let mut previous = Hash::START;
    for part in frames.chunks(size) {
        let body = encode(&Batch { previous, frames: part.to_vec() }).unwrap();
        hub.push(outlet, Uuid::from_u128(6), Class::Backlog, Bytes::from(body)).await?;
        previous = part.last().unwrap().hash;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn head_office_holds_the_branchs_rows_however_the_log_is_cut() {
    let (branch, _) = traded().await;
    let frames = branch.log(0).await;
    let here = oracle::rows_of(branch.db.path());
    let outlet = branch.outlet_id;
    for (partitions, size) in [(None, frames.len()), (None, 7), (Some(3), 1), (Some(3), 40)] {
        let database = made(partitions);
        let hub = hub(&database);
        hub.create_outlet(outlet).await.unwrap();
        push(&hub, outlet, &frames, size).await.unwrap();
        // All of it once more: nothing changes.
        push(&hub, outlet, &frames, size.max(20)).await.unwrap();
        let there = oracle::rows_of_postgres(&database.url, outlet).await;
        oracle::assert_equal(&format!("in parts of {size}, {partitions:?} partitions"), &here, &there);
        let standing = hub.standings(outlet).await.unwrap();
        assert_eq!(standing.cursor.unwrap().seq, frames.len() as i64);
        assert_eq!(database.sql("SELECT count(*) FROM hub.hub_quarantine"), "0");
        let sums = "SELECT count(*) FROM hub.hub_stock_sums s FULL JOIN (SELECT stock_item_id, coalesce(batch_id, '\\x') AS batch_id,
              sum(quantity_delta) AS quantity, sum(cost_micros) AS cost FROM merged.stock_movements GROUP BY 1, 2) m
            USING (stock_item_id, batch_id) WHERE (s.quantity, s.cost_micros) IS DISTINCT FROM (m.quantity, m.cost)";
        assert_eq!(database.sql(sums), "0");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_box_gets_its_own_log_and_a_snapshot_back() {
    let (branch, _) = traded().await;
    let frames = branch.log(0).await;
    let outlet = branch.outlet_id;
    let hub = hub(&Database::new());
    hub.create_outlet(outlet).await.unwrap();
    push(&hub, outlet, &frames, 30).await.unwrap();
    let last = frames.last().unwrap().header;
    let query = FramesQuery { epoch: last.epoch, to: last.seq, after: 10, limit: Some(25), dictionary: None };
    let body = hub.frames(outlet, query).await.unwrap();
    let (batch, _) = tiffin_common::sync::batch::decode(&body, 1 << 26).unwrap();
    assert_eq!(batch.frames.first(), frames.get(10));
    let mut rows = BTreeSet::new();
    for phase in [Phase::A, Phase::B, Phase::C] {
        let mut after = None;
        loop {
            let page = hub.snapshot(outlet, SnapshotQuery { phase, after }).await.unwrap();
            // What is needed first may come once more with the rest.
            let packed = oracle::unpacked(&page.rows);
            rows.extend(Ops::of(&packed).map(|op| {
                let op = op.unwrap();
                (op.table, format!("{:?}", op.columns[0].1))
            }));
            after = page.next;
            if after.is_none() {
                break;
            }
        }
    }
    let here: usize = oracle::rows_of(branch.db.path()).values().map(|rows| rows.len()).sum();
    assert_eq!(rows.len(), here);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_take_one_outlets_pushes_and_none_is_made_twice() {
    let (branch, house) = traded().await;
    house.owner.post("/inventory/suppliers", json!({"name": "Farm"})).await.expect(201);
    let frames = branch.log(0).await;
    let outlet = branch.outlet_id;
    let database = Database::new();
    let hubs = [hub(&database), hub(&database)];
    hubs[0].create_outlet(outlet).await.unwrap();
    let racers = (0..4).map(|n| {
        let (hub, frames) = (hubs[n % 2].clone(), frames.clone());
        tokio::spawn(async move { push(&hub, outlet, &frames, 11).await })
    });
    for racer in racers.collect::<Vec<_>>() {
        racer.await.unwrap().unwrap();
    }
    let there = oracle::rows_of_postgres(&database.url, outlet).await;
    oracle::assert_equal("after a race", &oracle::rows_of(branch.db.path()), &there);
    let counted = hubs[1].stores().read_outlet_blocking(outlet, |from| {
        let sql = "SELECT count(*) FROM hub_log WHERE outlet_id = ?1";
        Ok::<i64, StoreError>(edge::db::one(from, sql, [outlet], |row| row.get(0))?)
    });
    assert_eq!(counted.unwrap(), frames.chunks(11).count() as i64);
}
