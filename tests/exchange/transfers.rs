//! Stock goes from branch to branch through head office, between real processes: cut off at any moment, called back, taken in twice by
//! a box that was put back, taken in by a box that was dead. Each exactly once.

use crate::killed::copy_of;
use crate::office::Place;
use crate::site::{Site, until};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use tiffin_tests::disk::{aside, keep_aside, replace};
use tiffin_tests::oracle::{self, Cursors};
use tiffin_tests::postgres::Database;
use tiffin_tests::{Client, Edge, HubProcess, sample, transfers};

/// Two branches of a chain.
struct Chain {
    place: Place,
    hub: HubProcess,
    admin: Client,
    from: Site,
    to: Site,
    /// What is sent, as the sender knows it.
    item: Value,
}

impl Chain {
    async fn open(folder: &Path, database: Option<&Database>) -> Chain {
        let place = Place::make(folder, database.map(|database| database.url.clone()));
        let hub = place.serve().await;
        let admin = hub.admin().await;
        let cursors = Arc::new(Cursors::default());
        let mut from = Site::make(folder, "BLR1", 1, &cursors).await;
        let mut to = Site::make(folder, "BLR2", 2, &cursors).await;
        for site in [&mut from, &mut to] {
            site.proxy.to(&[hub.base()]);
            site.enrol(&admin, false).await;
            site.start().await;
        }
        let items = from.owner().get("/inventory/items?limit=100").await.expect(200).json();
        let items = items["items"].as_array().unwrap();
        let item = items.iter().find(|item| item["currentStock"].as_f64().unwrap() > 20.0).unwrap().clone();
        // The first was told before the second was there.
        until("the outlets of the chain are known", async || {
            let list = from.owner().get("/inventory/transfers/outlets").await.expect(200).data();
            (list[0]["code"] == "BLR2"
                && list[0]["isElsewhere"] == true
                && list.as_array().unwrap().len() == 1)
                .then_some(())
        })
        .await;
        Chain { place, hub, admin, from, to, item }
    }

    async fn send(&self, quantity: f64) -> String {
        let body = json!({"toOutletId": self.to.outlet, "items": [{"inventoryItemId": self.item["id"], "quantity": quantity}]});
        let sent = self.from.owner().post("/inventory/transfers", body).await.expect(201).data();
        assert_eq!((&sent["status"], &sent["toOutlet"]["code"]), (&json!("SENT"), &json!("BLR2")));
        sent["id"].as_str().unwrap().to_owned()
    }

    /// Waits until a branch sees the transfer so.
    async fn seen(&self, site: &Site, id: &str, status: &str) -> Value {
        until(&format!("{} sees {status}", site.code), async || {
            let reply = site.owner().get(&format!("/inventory/transfers/{id}")).await;
            (reply.status == 200).then(|| reply.data()).filter(|seen| seen["status"] == status)
        })
        .await
    }

    async fn receive(&self, id: &str, body: Value) -> Value {
        self.to.owner().post(&format!("/inventory/transfers/{id}/receive"), body).await.expect(200).data()
    }

    async fn cancel(&self, id: &str) -> Value {
        let path = format!("/inventory/transfers/{id}/cancel");
        self.from.owner().post(&path, json!({"reason": "wrong van"})).await.expect(200).data()
    }

    async fn in_transit(&self) -> i64 {
        self.admin.get("/hub/transfers").await.expect(200).data()["inTransitCount"].as_i64().unwrap()
    }

    /// Waits until both have heard of everything and head office holds the same; then the books must balance.
    async fn balance(&self) {
        let branches = [self.from.database(), self.to.database()];
        until("the books balance", async || {
            self.from.wait_until_confirmed().await;
            self.to.wait_until_confirmed().await;
            let branches = [(self.from.outlet, &*branches[0]), (self.to.outlet, &*branches[1])];
            let mut wrong = transfers::problems(&branches);
            for site in [&self.from, &self.to] {
                let here = oracle::rows_of(&site.database());
                wrong.extend(oracle::differences(&here, &copy_of(&self.place, site).await));
            }
            if !wrong.is_empty() {
                eprintln!("not yet: {wrong:#?}");
            }
            wrong.is_empty().then_some(())
        })
        .await;
    }
}

fn notified(site: &Site, kind: &str) -> i64 {
    let conn = oracle::open(&site.database());
    conn.query_row("SELECT count(*) FROM notifications WHERE type = ?1", [kind], |row| row.get(0)).unwrap()
}

async fn delivered(database: Option<Database>) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut chain = Chain::open(folder.path(), database.as_ref()).await;
    let before = chain.item["currentStock"].as_f64().unwrap();

    // Sent, on neither shelf; taken in, but for half a unit that both are told of.
    let id = chain.send(3.0).await;
    let seen = chain.seen(&chain.to, &id, "SENT").await;
    assert_eq!((&seen["direction"], &seen["fromOutlet"]["code"]), (&json!("IN"), &json!("BLR1")));
    assert_eq!(notified(&chain.to, "TRANSFER_SENT"), 1);
    assert_eq!(chain.in_transit().await, 1);
    let listed = chain.admin.get("/hub/transfers").await.expect(200).data();
    let senders = listed["outlets"].as_array().unwrap().iter();
    let named: Vec<&Value> =
        senders.flat_map(|one| one["transfers"].as_array().unwrap()).map(|one| &one["id"]).collect();
    assert_eq!(named, [&json!(id)], "{listed}");
    let item = seen["lines"][0]["inventoryItemId"].clone();
    let got =
        chain.receive(&id, json!({"items": [{"inventoryItemId": item, "quantityReceived": 2.5}]})).await;
    assert_eq!(got["status"], "RECEIVED");
    assert_eq!(chain.receive(&id, json!({})).await, got, "again: unchanged");
    let told = chain.seen(&chain.from, &id, "RECEIVED").await;
    assert_eq!(told["lines"][0]["quantityReceived"], 2.5);
    assert_eq!(told["shortfallCostCents"], got["shortfallCostCents"]);
    assert!(told["shortfallCostCents"].as_i64().unwrap() > 0, "{told}");
    assert_eq!((notified(&chain.from, "TRANSFER_SHORT"), notified(&chain.to, "TRANSFER_SHORT")), (1, 1));
    until("it is on its way no more", async || (chain.in_transit().await == 0).then_some(())).await;
    chain.balance().await;

    // Called back before it came: it may not be taken in any more, and is back on its shelf, once.
    chain.to.proxy.network.set_up(false);
    let id = chain.send(2.0).await;
    assert_eq!(chain.cancel(&id).await["status"], "CANCEL_REQUESTED");
    assert_eq!(chain.cancel(&id).await["status"], "CANCEL_REQUESTED");
    chain.from.wait_until_confirmed().await;
    assert_eq!(chain.in_transit().await, 1, "nobody knows yet");
    // Head office dies in between.
    let base = chain.hub.base().to_owned();
    let port = base.rsplit(':').next().unwrap().parse().unwrap();
    chain.hub.kill();
    chain.hub = chain.place.serve_on(port).await;
    chain.to.proxy.network.set_up(true);
    chain.seen(&chain.from, &id, "CANCELLED").await;
    chain.seen(&chain.to, &id, "CANCELLED").await;
    let refused = chain.to.owner().post(&format!("/inventory/transfers/{id}/receive"), json!({})).await;
    refused.refused(409, "CONFLICT");
    let path = format!("/inventory/items/{}", chain.item["id"].as_str().unwrap());
    let now = chain.from.owner().get(&path).await.expect(200).data()["currentStock"].as_f64().unwrap();
    assert_eq!(now, before - 3.0);
    chain.balance().await;

    // Taken in while cut off, before the call reached it: it has come.
    let id = chain.send(1.0).await;
    chain.seen(&chain.to, &id, "SENT").await;
    chain.to.proxy.network.set_up(false);
    chain.receive(&id, json!({})).await;
    assert_eq!(chain.cancel(&id).await["status"], "CANCEL_REQUESTED");
    chain.from.wait_until_confirmed().await;
    chain.to.proxy.network.set_up(true);
    chain.seen(&chain.from, &id, "RECEIVED").await;
    assert_eq!(notified(&chain.from, "TRANSFER_NOT_CANCELLED"), 1);
    chain.balance().await;
    assert_eq!(transfers::counts(&chain.from.database()), (3, 2, 1, 0));
}

async fn put_back(database: Option<Database>) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut chain = Chain::open(folder.path(), database.as_ref()).await;
    // Taken in, and again by the same box on yesterday's disk, cut off: once.
    let id = chain.send(3.0).await;
    chain.seen(&chain.to, &id, "SENT").await;
    chain.to.wait_until_confirmed().await;
    chain.to.kill();
    keep_aside(&chain.to.data);
    chain.to.start().await;
    chain.receive(&id, json!({})).await;
    chain.seen(&chain.from, &id, "RECEIVED").await;
    chain.to.wait_until_confirmed().await;
    chain.to.kill();
    replace(&aside(&chain.to.data), &chain.to.data);
    chain.to.proxy.network.set_up(false);
    chain.to.start().await;
    let lines = chain.seen(&chain.to, &id, "SENT").await["lines"].clone();
    let less = json!({"items": [{"lineId": lines[0]["id"], "quantityReceived": 3.0}]});
    chain.receive(&id, less).await;
    chain.to.proxy.network.set_up(true);
    chain.balance().await;

    // The sender's disk is put back to before it heard that what it sent came back.
    chain.from.wait_until_confirmed().await;
    chain.from.kill();
    keep_aside(&chain.from.data);
    chain.from.start().await;
    let id = chain.send(2.0).await;
    chain.seen(&chain.to, &id, "SENT").await;
    chain.cancel(&id).await;
    chain.seen(&chain.from, &id, "CANCELLED").await;
    chain.from.wait_until_confirmed().await;
    chain.from.kill();
    replace(&aside(&chain.from.data), &chain.from.data);
    chain.from.start().await;
    chain.seen(&chain.from, &id, "CANCELLED").await;
    chain.balance().await;
}

async fn replaced(database: Option<Database>) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut chain = Chain::open(folder.path(), database.as_ref()).await;
    let id = chain.send(3.0).await;
    chain.seen(&chain.to, &id, "SENT").await;
    chain.to.wait_until_confirmed().await;
    // The receiver's box takes it in, and dies before anybody hears of it.
    chain.to.proxy.network.set_up(false);
    chain.receive(&id, json!({})).await;
    chain.to.kill();
    let dead = folder.path().join("dead");
    std::fs::rename(&chain.to.data, &dead).unwrap();
    chain.to.proxy.network.set_up(true);
    chain.to.enrol(&chain.admin, true).await;
    chain.to.start().await;
    chain.seen(&chain.to, &id, "SENT").await;
    chain.cancel(&id).await;
    chain.seen(&chain.from, &id, "CANCELLED").await;
    // What the dead box still had is salvage; taken over, its stock is booked out again.
    let old = Edge::serve(&dead, &[]).await;
    let _owner = sample::owner(&old).await;
    let outlet = format!("/hub/outlets/{}", chain.to.outlet);
    until("its receipt is readable", async || {
        let path = format!("{outlet}/salvage?limit=100&table=stock_transfer_receipts");
        let list = chain.admin.get(&path).await.expect(200).json();
        list["data"].as_array().is_some_and(|rows| rows.len() == 1).then_some(())
    })
    .await;
    old.kill();
    chain.admin.post(&format!("{outlet}/salvage/take"), json!({})).await.expect(200);
    until("it is taken over and undone", async || {
        (notified(&chain.to, "TRANSFER_UNDONE") == 1).then_some(())
    })
    .await;
    chain.seen(&chain.to, &id, "CANCELLED").await;
    chain.balance().await;
    // And the new box works as any other.
    let id = chain.send(1.0).await;
    chain.seen(&chain.to, &id, "SENT").await;
    chain.receive(&id, json!({})).await;
    chain.seen(&chain.from, &id, "RECEIVED").await;
    chain.balance().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stock_reaches_another_branch_once_on_files() {
    delivered(None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stock_reaches_another_branch_once_on_postgresql() {
    delivered(Some(Database::new())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stock_is_taken_in_once_by_a_box_that_was_put_back_on_files() {
    put_back(None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stock_is_taken_in_once_by_a_box_that_was_put_back_on_postgresql() {
    put_back(Some(Database::new())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_replaced_box_had_taken_in_is_salvage_on_files() {
    replaced(None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_replaced_box_had_taken_in_is_salvage_on_postgresql() {
    replaced(Some(Database::new())).await;
}
