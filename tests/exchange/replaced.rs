//! A box dies and another takes its place: the directory is gone, the new one is filled from head office and opens for business with
//! the menu, the staff, what is open, and numbers that go on.

use crate::killed::copy_of;
use crate::office::Place;
use crate::site::Site;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use tiffin_tests::disk::{aside, keep_aside, replace};
use tiffin_tests::oracle::{self, Cursors};
use tiffin_tests::sample;

async fn open_orders(site: &Site) -> Vec<Value> {
    let list = site.owner().get("/orders?limit=100").await.expect(200).json();
    let orders = list["orders"].as_array().or(list["data"].as_array()).cloned().unwrap_or_default();
    let mut open: Vec<Value> = orders
        .into_iter()
        .filter(|order| !["COMPLETED", "CANCELLED"].contains(&order["status"].as_str().unwrap()))
        .map(|order| json!([order["id"], order["orderNumber"], order["totalAmountCents"], order["status"]]))
        .collect();
    open.sort_by_key(|order| order[1].to_string());
    open
}

async fn sell(site: &Site) -> (Value, Value) {
    let (order, bill) = sample::sell(site.owner(), &sample::lines(site.owner(), 1).await).await;
    (order["orderNumber"].clone(), bill["invoiceNumber"].clone())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_order_that_was_paid_again_over_an_old_disk_is_shown() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let place = Place::make(folder.path(), None);
    let hub = place.serve().await;
    let cursors = Arc::new(Cursors::default());
    let mut site = Site::make(folder.path(), "BLR1", 6, &cursors).await;
    site.proxy.to(&[hub.base()]);
    site.enrol(&hub.admin().await, false).await;
    site.start().await;
    let body = json!({"orderType": "COUNTER", "items": sample::lines(site.owner(), 1).await});
    let order = site.owner().post("/orders", body).await.expect(201).json();
    let path = format!("/orders/{}", order["id"].as_str().unwrap());
    let pay = json!({"method": "CASH", "amountCents": order["totalAmountCents"]});
    site.wait_until_confirmed().await;
    site.kill();
    keep_aside(&site.data);
    site.start().await;
    site.owner().post(&format!("{path}/payments"), pay.clone()).await.expect(201);
    site.wait_until_confirmed().await;
    site.kill();
    replace(&aside(&site.data), &site.data);

    site.proxy.network.set_up(false);
    site.start().await;
    site.owner().post(&format!("{path}/payments"), pay).await.expect(201);
    site.proxy.network.set_up(true);
    site.wait_until_confirmed().await;
    let listed = site.owner().get("/sync-reviews").await.expect(200).json();
    let shown = listed["data"].as_array().unwrap().iter().find(|review| review["reason"] == "PAID_TWICE");
    assert_eq!(shown.map(|review| &review["rowId"]), Some(&order["id"]), "{listed}");
    site.kill();
    let taken = "SELECT sum(amount_cents) FROM payments";
    let taken: i64 = oracle::open(&site.database()).query_row(taken, [], |row| row.get(0)).unwrap();
    assert_eq!(taken, 2 * order["totalAmountCents"].as_i64().unwrap(), "both payments are here");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_box_goes_on_where_the_old_one_ended() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let place = Place::make(folder.path(), None);
    let hub = place.serve().await;
    let admin = hub.admin().await;
    let cursors = Arc::new(Cursors::default());
    let mut site = Site::make(folder.path(), "BLR1", 5, &cursors).await;
    site.proxy.to(&[hub.base()]);
    site.enrol(&admin, false).await;
    // The certificate authority of its tablets, made after it was enrolled.
    let authority = site.data.join("tls/authority.pem");
    tiffin_tests::Edge::run(&["tls", "init", "--data-dir", site.data.to_str().unwrap()]);
    let believed = std::fs::read_to_string(&authority).unwrap();
    site.start().await;
    site.trade(40, &AtomicU64::new(0)).await;
    let (order, bill) = sell(&site).await;
    let open = open_orders(&site).await;
    let menu = site.owner().get("/menu").await.data();
    assert!(!open.is_empty());
    site.wait_until_confirmed().await;
    site.kill();

    // Head office keeps its key, and nobody reads it there.
    let line = believed.lines().rev().nth(1).unwrap().as_bytes();
    for entry in std::fs::read_dir(&place.data).unwrap().map(|entry| entry.unwrap().path()) {
        let holds = |bytes: Vec<u8>| bytes.windows(line.len()).any(|part| part == line);
        assert!(entry.is_dir() || !holds(std::fs::read(&entry).unwrap()), "{}", entry.display());
    }
    std::fs::remove_dir_all(&site.data).unwrap();
    site.enrol(&admin, true).await;
    site.start().await;
    assert_eq!(std::fs::read_to_string(&authority).unwrap(), believed, "tablets go on believing the box");
    assert_eq!(open_orders(&site).await, open);
    assert_eq!(site.owner().get("/menu").await.data()["categories"], menu["categories"]);
    let punch = json!({"employeePin": "1001"});
    site.owner().post("/auth/pin", punch).await.expect(200);
    let (next_order, next_bill) = sell(&site).await;
    // What the dead box sold last may be known to nobody: its numbers are nobody else's.
    assert!(next_order.as_str().unwrap().ends_with("-A0001"), "{next_order} after {order}");
    assert!(next_bill.as_str().unwrap().ends_with("A000001"), "{next_bill} after {bill}");

    // All of it comes back in time, and both ends are equal again.
    for attempt in 0.. {
        site.wait_until_confirmed().await;
        let (here, there) = (oracle::rows_of(&site.database()), copy_of(&place, &site).await);
        let found = oracle::differences(&here, &there);
        let missing = site.ledger.orders.keys().filter(|id| !here["orders"].contains_key(id)).count();
        if found.is_empty() && missing == 0 {
            break;
        }
        assert!(attempt < 600, "{missing} orders missing, {:#?}", found.iter().take(20).collect::<Vec<_>>());
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    let verified = site.owner().get("/orders/invoices/verify").await.expect(200).data();
    assert_eq!(verified["problems"].as_array().map_or(0, Vec::len), 0, "{verified}");
    // Each box signed with a key of its own.
    let lives: Vec<i64> =
        verified["keys"].as_array().unwrap().iter().map(|key| key["life"].as_i64().unwrap()).collect();
    assert_eq!(lives, [1, 2], "{verified}");
}
