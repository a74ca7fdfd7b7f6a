//! A till that heard no answer asks again, and the box that answered is gone: another took its place, or its disk was put back. What was
//! done is not done again.

use crate::office::Place;
use crate::site::{Site, until};
use serde_json::{Value, json};
use std::path::Path;
use tiffin_tests::Reply;
use tiffin_tests::disk::{aside, keep_aside, replace};
use tiffin_tests::oracle;
use tiffin_tests::postgres::Database;
use tiffin_tests::sample;

/// What a till has sent under keys of its own, and what of it was done.
struct Sent {
    order: Value,
    id: String,
    pay: Value,
    payment: String,
    note: Value,
}

impl Sent {
    /// To the box that will be gone.
    async fn to(site: &Site) -> Sent {
        let order = json!({"orderType": "COUNTER", "items": sample::lines(site.owner(), 1).await});
        let placed = site.owner().post_keyed("/orders", "till-order", order.clone()).await.expect(201).json();
        let id = placed["id"].as_str().unwrap().to_owned();
        let pay = json!({"method": "CASH", "amountCents": placed["totalAmountCents"]});
        let paid = site.owner().post_keyed(&format!("/orders/{id}/payments"), "till-pay", pay.clone()).await;
        let payment = paid.expect(201).data()["payment"]["id"].as_str().unwrap().to_owned();
        let note =
            json!({"subject": "Oven", "body": "It is cold.", "category": "KITCHEN", "priority": "HIGH"});
        site.owner().post_keyed("/tickets", "till-note", note.clone()).await.expect(201);
        Sent { order, id, pay, payment, note }
    }

    /// The till asks again: it hears what was done, and nothing is done again.
    async fn again_to(&self, site: &Site) {
        let count = |table: &str| -> i64 {
            let sql = format!("SELECT count(*) FROM {table}");
            oracle::open(&site.database()).query_row(&sql, [], |row| row.get(0)).unwrap()
        };
        let all = || (count("orders"), count("payments"), count("tickets"));
        // What head office holds comes while the box is open, table by table.
        until("all that was done", async || (all() == (1, 1, 1)).then_some(())).await;
        let replayed =
            |reply: &Reply| assert_eq!(reply.header("idempotency-replayed"), "true", "{}", reply.text);
        for _ in 0..2 {
            let placed =
                site.owner().post_keyed("/orders", "till-order", self.order.clone()).await.expect(201);
            replayed(&placed);
            assert_eq!(placed.json()["id"], json!(self.id));
            let path = format!("/orders/{}/payments", self.id);
            let paid = site.owner().post_keyed(&path, "till-pay", self.pay.clone()).await.expect(201);
            replayed(&paid);
            assert_eq!(paid.data()["payment"]["id"], json!(self.payment));
            // What cannot be said again is refused, not done again.
            site.owner().post_keyed("/tickets", "till-note", self.note.clone()).await.expect(409);
        }
        assert_eq!(all(), (1, 1, 1));
        // Another request under that key is another one, and so is the same under another key.
        let other =
            json!({"subject": "Fridge", "body": "It is warm.", "category": "KITCHEN", "priority": "LOW"});
        site.owner().post_keyed("/tickets", "till-note", other).await.expect(201);
        site.owner().post_keyed("/orders", "till-order-2", self.order.clone()).await.expect(201);
    }
}

async fn a_till_asks_the_next_box(place: Place, folder: &Path) {
    let hub = place.serve().await;
    let admin = hub.admin().await;
    let mut site = Site::join(folder, 71, &hub, &admin).await;
    let sent = Sent::to(&site).await;
    site.wait_until_confirmed().await;
    site.kill();
    std::fs::remove_dir_all(&site.data).unwrap();
    site.enrol(&admin, true).await;
    site.start().await;
    sent.again_to(&site).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_till_that_heard_no_answer_asks_the_box_that_took_the_others_place() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    a_till_asks_the_next_box(Place::make(folder.path(), None), folder.path()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_where_head_office_is_on_postgresql() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let database = Database::new();
    a_till_asks_the_next_box(Place::make(folder.path(), Some(database.url.clone())), folder.path()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_till_that_heard_no_answer_asks_the_box_whose_disk_was_put_back() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let place = Place::make(folder.path(), None);
    let hub = place.serve().await;
    let mut site = Site::join(folder.path(), 72, &hub, &hub.admin().await).await;
    site.wait_until_confirmed().await;
    site.kill();
    keep_aside(&site.data);
    site.start().await;
    let sent = Sent::to(&site).await;
    site.wait_until_confirmed().await;
    site.kill();
    replace(&aside(&site.data), &site.data);
    site.start().await;
    sent.again_to(&site).await;
}
