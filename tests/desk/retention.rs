//! Publications that were over long ago go; to whom they brought what stays known.

use crate::site::{Site, dish, progress};
use serde_json::{Value, json};
use sync_hub::desk::HQ;
use sync_hub::retention;
use sync_hub::store::StoreError;
use tiffin_common::Uuid;
use tiffin_tests::{Client, HeadOffice};

const DAY: i64 = 86_400_000;

/// A number at one outlet's part of head office.
fn number(hub: &HeadOffice, outlet: Uuid, sql: &str) -> i64 {
    let look = |from: &dyn edge::db::Source| -> Result<i64, StoreError> {
        Ok(edge::db::one(from, sql, [outlet], |row| row.get(0))?)
    };
    tokio::task::block_in_place(|| hub.app.hub.stores().read_outlet_blocking(outlet, look)).unwrap()
}

/// The publications that are kept, by their numbers, and what else is kept of publications at head office.
fn kept(hub: &HeadOffice) -> (Vec<i64>, i64, i64) {
    let found = hub.app.hub.stores().read_outlet_blocking(HQ, |from| -> Result<_, StoreError> {
        let sql = "SELECT number FROM hub_publications WHERE outlet_id = ?1 ORDER BY number";
        Ok(edge::db::list(from, sql, [HQ], |row| row.get(0))?)
    });
    let targets = "SELECT count(*) FROM hub_publication_targets WHERE outlet_id = ?1";
    let rows = "SELECT count(*) FROM hub_publication_rows WHERE outlet_id = ?1";
    (found.unwrap(), number(hub, HQ, targets), number(hub, HQ, rows))
}

/// What an edit published, and where it went.
async fn edited(admin: &Client, path: &str, change: Value) -> (String, usize) {
    let made = admin.patch(path, change).await.expect(200);
    let publication = made.header("x-publication-id").to_owned();
    let shown = admin.get(&format!("/hub/publications/{publication}")).await.expect(200).data();
    (publication, shown["outlets"].as_array().unwrap().len())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_over_everywhere_goes_and_where_a_row_belongs_stays_known() {
    const DELIVERIES: &str = "SELECT count(*) FROM hub_deliveries WHERE outlet_id = ?1";
    let hub = HeadOffice::start().await;
    let admin = hub.admin();
    let (mut first, _) = Site::trading(&hub, "BLR1").await;
    let mut second = Site::open(&hub, "BLR2").await;
    // 1 takes the catalogue in, 2 and 3 bring it to the second outlet, 4 is for the first alone.
    admin.post("/hub/catalogue/import", json!({"outletId": first.outlet})).await.expect(201);
    for _ in 0..2 {
        let made = admin.post("/hub/publications", json!({"outletIds": [second.outlet]})).await.expect(201);
        let publication = made.header("x-publication-id").to_owned();
        second.until("SELECT count(*) FROM menu_items WHERE name = 'Dal'", 1).await;
        progress(&admin, &publication, second.outlet, "EFFECTIVE").await;
    }
    let path = format!("/hub/employees?outletIds={}", first.outlet);
    let hired = admin.post(&path, json!({"name": "Ravi", "jobTitle": "Waiter"})).await.expect(201);
    let ravi = format!("/hub/employees/{}", hired.data()["id"].as_str().unwrap());
    first.until("SELECT count(*) FROM employees WHERE name = 'Ravi'", 1).await;
    // 5 is for all, and the second outlet does not ask; 6 comes after it.
    let dal = format!("/hub/menu/items/{}", dish(&admin, "Dal").await["id"].as_str().unwrap());
    let (five, outlets) = edited(&admin, &dal, json!({"priceCents": 20_000})).await;
    assert_eq!(outlets, 2);
    let (six, outlets) = edited(&admin, &ravi, json!({"jobTitle": "Head waiter"})).await;
    assert_eq!(outlets, 1, "people go where they are");
    first.until("SELECT count(*) FROM employees WHERE job_title = 'Head waiter'", 1).await;
    progress(&admin, &six, first.outlet, "EFFECTIVE").await;
    progress(&admin, &five, second.outlet, "DELIVERED").await;

    retention::step(&hub.app).await;
    assert_eq!(kept(&hub).0, [1, 2, 3, 4, 5, 6], "today's are kept");
    hub.pass(500 * DAY);
    first.branch.pass(500 * DAY);
    second.branch.pass(500 * DAY);
    let admin = hub.admin();
    retention::step(&hub.app).await;
    let (numbers, targets, _) = kept(&hub);
    assert_eq!(
        (numbers, targets),
        (vec![3, 5, 6], 4),
        "the whole catalogue's last time, what waits, and what came after it"
    );
    assert_eq!(number(&hub, second.outlet, DELIVERIES), 2);
    admin.get(&format!("/hub/publications/{five}")).await.expect(200);

    second.until("SELECT price_cents FROM menu_items WHERE name = 'Dal'", 20_000).await;
    progress(&admin, &five, second.outlet, "EFFECTIVE").await;
    retention::step(&hub.app).await;
    assert_eq!(kept(&hub), (vec![3], 1, 0));
    assert_eq!((number(&hub, first.outlet, DELIVERIES), number(&hub, second.outlet, DELIVERIES)), (0, 1));
    admin.get(&format!("/hub/publications/{five}")).await.refused(404, "NOT_FOUND");
    retention::step(&hub.app).await;
    assert_eq!(kept(&hub), (vec![3], 1, 0), "where the catalogue went is needed for what comes");

    let (seven, outlets) = edited(&admin, &dal, json!({"priceCents": 21_000})).await;
    assert_eq!(outlets, 2, "a dish that was for all is");
    let (eight, outlets) = edited(&admin, &ravi, json!({"jobTitle": "Captain"})).await;
    assert_eq!(outlets, 1, "and people stay where they are");
    first.until("SELECT count(*) FROM employees WHERE job_title = 'Captain'", 1).await;
    second.until("SELECT price_cents FROM menu_items WHERE name = 'Dal'", 21_000).await;
    progress(&admin, &seven, second.outlet, "EFFECTIVE").await;
    progress(&admin, &eight, first.outlet, "EFFECTIVE").await;
}
