//! Numbers that meet: a box goes on from an old disk. Where it cannot ask, two bills have one number, and both stay in both ledgers with
//! all their money, listed for a person; where it can, its numbers begin anew and never meet.

use crate::killed::copy_of;
use crate::office::Place;
use crate::put_back::until;
use crate::site::Site;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tiffin_tests::disk::{aside, keep_aside, replace};
use tiffin_tests::oracle::{self, Cursors, Money};
use tiffin_tests::postgres::Database;
use tiffin_tests::{Client, sample};

/// Sales before the disk is copied, after that, and over the old one.
const BEFORE: usize = 3;
const LOST: usize = 10;
const SINCE: usize = 10;

/// A sale: number of the order, number of the bill, cents.
pub type Sale = (String, String, i64);

pub async fn sell(site: &Site, count: usize) -> Vec<Sale> {
    let lines = sample::lines(site.owner(), 1).await;
    let mut sales = Vec::new();
    for _ in 0..count {
        let (order, bill) = sample::sell(site.owner(), &lines).await;
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let cents = order["totalAmountCents"].as_i64().unwrap();
        sales.push((text(&order["orderNumber"]), text(&bill["invoiceNumber"]), cents));
    }
    sales
}

/// A branch that sold, whose disk was then put back to what it was before the last sales.
async fn put_back(site: &mut Site, admin: &Client) -> Vec<Sale> {
    site.enrol(admin, false).await;
    site.start().await;
    let mut sales = sell(site, BEFORE).await;
    site.wait_until_confirmed().await;
    site.kill();
    keep_aside(&site.data);
    site.start().await;
    sales.extend(sell(site, LOST).await);
    site.wait_until_confirmed().await;
    site.kill();
    replace(&aside(&site.data), &site.data);
    sales
}

/// Waits until both ends hold the same rows: a branch writes by itself, too, as an alarm that is due.
pub async fn alike(place: &Place, site: &Site) {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        site.wait_until_confirmed().await;
        let found = oracle::differences(&oracle::rows_of(&site.database()), &copy_of(place, site).await);
        if found.is_empty() {
            return;
        }
        let first: Vec<_> = found.iter().take(20).collect();
        assert!(Instant::now() < deadline, "{} differences: {first:#?}", found.len());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// As [`alike`], with this many orders; answers the money in them.
pub async fn level(place: &Place, site: &mut Site, orders: usize) -> Money {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        alike(place, site).await;
        let money = oracle::money_in(&oracle::rows_of(&site.database()));
        if money.orders.0 == orders {
            assert_eq!(oracle::money_in(&copy_of(place, site).await), money);
            return money;
        }
        assert!(Instant::now() < deadline, "{orders} orders were sold; the ledger says {money:?}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

pub fn all_of(sales: &[Sale]) -> (usize, i64) {
    (sales.len(), sales.iter().map(|sale| sale.2).sum())
}

fn bills(sales: &[Sale]) -> BTreeSet<&str> {
    sales.iter().map(|sale| sale.1.as_str()).collect()
}

async fn reviews(client: &Client, path: &str) -> Vec<Value> {
    let list = client.get(&format!("{path}?limit=100")).await.expect(200).json();
    let mut list = list["data"].as_array().unwrap().clone();
    list.sort_by_key(|review| review["id"].to_string());
    list
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_from_before_the_box_was_enrolled_gives_out_no_number_again() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let place = Place::make(folder.path(), None);
    let hub = place.serve().await;
    let mut site = Site::make(folder.path(), "BLR1", 8, &Arc::new(Cursors::default())).await;
    site.proxy.to(&[hub.base()]);
    let before = folder.path().join("before.db");
    std::fs::copy(site.database(), &before).unwrap();
    site.enrol(&hub.admin().await, false).await;
    site.start().await;
    let mut sales = sell(&site, BEFORE).await;
    site.wait_until_confirmed().await;
    let mark = site.data.join("sync.mark");
    until("the file beside the database tells of them", async || {
        std::fs::read_to_string(&mark).is_ok_and(|text| text.contains("INVOICE"))
    })
    .await;
    site.kill();
    // The database alone, as somebody does who finds a copy of it.
    for name in ["tiffin.db-wal", "tiffin.db-shm"] {
        drop(std::fs::remove_file(site.data.join(name)));
    }
    std::fs::copy(&before, site.database()).unwrap();
    site.proxy.network.set_up(false);
    site.start().await;
    let since = sell(&site, 2).await;
    assert!(bills(&since).is_disjoint(&bills(&sales)), "{since:?}");
    site.proxy.network.set_up(true);
    sales.extend(since);
    let money = level(&place, &mut site, sales.len()).await;
    assert_eq!((money.bills, money.payments), (all_of(&sales), all_of(&sales)));
}

async fn met(database: Option<Database>) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let place = Place::make(folder.path(), database.as_ref().map(|database| database.url.clone()));
    let hub = place.serve().await;
    let admin = hub.admin().await;
    let mut site = Site::make(folder.path(), "BLR1", 8, &Arc::new(Cursors::default())).await;
    site.proxy.to(&[hub.base()]);
    let mut sales = put_back(&mut site, &admin).await;

    site.proxy.network.set_up(false);
    site.start().await;
    let since = sell(&site, SINCE).await;
    let shared: Vec<&str> = bills(&since).intersection(&bills(&sales)).copied().collect();
    assert_eq!(shared.len(), LOST, "nobody could know");
    site.proxy.network.set_up(true);
    let shared: BTreeSet<String> = shared.into_iter().map(str::to_owned).collect();
    sales.extend(since);

    let money = level(&place, &mut site, sales.len()).await;
    assert_eq!((money.orders, money.bills, money.payments), (all_of(&sales), all_of(&sales), all_of(&sales)));
    assert_eq!((money.strays, money.refunds.0, money.credits.0), (0, 0, 0));
    let proof = site.owner().get("/orders/invoices/verify").await.expect(200).data();
    assert_eq!(proof["valid"], true, "{proof}");
    let named: BTreeSet<String> =
        proof["sharedNumbers"].as_array().unwrap().iter().map(|n| n.as_str().unwrap().to_owned()).collect();
    assert_eq!(named, shared);
    let listed = reviews(site.owner(), "/sync-reviews").await;
    let of = |table: &str| {
        let is_it = |review: &&Value| review["tableName"] == table && review["reason"] == "NUMBER_TAKEN";
        listed.iter().filter(is_it).count()
    };
    assert_eq!((of("orders"), of("invoices"), listed.len()), (LOST, LOST, 2 * LOST), "{listed:#?}");
    for review in listed.iter().filter(|review| review["tableName"] == "invoices") {
        assert_eq!(review["lost"]["number"], review["kept"]["number"]);
        assert_ne!(review["lost"]["id"], review["kept"]["id"]);
    }
    let there = reviews(&admin, &format!("/hub/outlets/{}/reviews", site.outlet)).await;
    assert_eq!(there.len(), listed.len());
    // From here on it is known: what comes next has a number that nobody had.
    let next = sell(&site, 2).await;
    assert!(next[0].1.contains("A000001") && next[1].1.contains("A000002"), "{next:?}");
    assert!(next[0].0.ends_with("-A0001"), "{next:?}");
}

async fn asked(database: Option<Database>) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let place = Place::make(folder.path(), database.as_ref().map(|database| database.url.clone()));
    let hub = place.serve().await;
    let admin = hub.admin().await;
    let mut site = Site::make(folder.path(), "BLR1", 9, &Arc::new(Cursors::default())).await;
    site.proxy.to(&[hub.base()]);
    let mut sales = put_back(&mut site, &admin).await;

    // Head office is reached, and the tills are at work at once.
    site.start().await;
    let since = sell(&site, SINCE).await;
    assert!(since[0].1.contains("A000001") && since[0].0.ends_with("-A0001"), "{since:?}");
    assert_eq!(bills(&since).intersection(&bills(&sales)).count(), 0, "{since:?}");
    sales.extend(since);
    let money = level(&place, &mut site, sales.len()).await;
    assert_eq!((money.orders, money.bills, money.payments), (all_of(&sales), all_of(&sales), all_of(&sales)));
    assert_eq!(money.strays, 0);
    let proof = site.owner().get("/orders/invoices/verify").await.expect(200).data();
    assert_eq!(
        (&proof["valid"], proof["sharedNumbers"].as_array().map(Vec::len)),
        (&true.into(), Some(0)),
        "{proof}"
    );
    let listed = reviews(site.owner(), "/sync-reviews").await;
    let taken = listed.iter().filter(|review| review["reason"] == "NUMBER_TAKEN").count();
    assert_eq!(taken, 0, "{listed:#?}");
    // Another start is no other life.
    site.kill();
    site.start().await;
    let next = sell(&site, 1).await;
    assert!(next[0].1.ends_with(&format!("A{:06}", SINCE + 1)), "{next:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn numbers_that_met_cost_no_sale_on_files() {
    met(None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn numbers_that_met_cost_no_sale_on_postgresql() {
    met(Some(Database::new())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn numbers_do_not_meet_where_head_office_can_be_asked_on_files() {
    asked(None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn numbers_do_not_meet_where_head_office_can_be_asked_on_postgresql() {
    asked(Some(Database::new())).await;
}
