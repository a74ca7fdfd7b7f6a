//! Dishes and prices: now, later, at several outlets, and at both ends.

use crate::site::{Site, dish, progress};
use serde_json::json;
use tiffin_tests::HeadOffice;

const HOUR: i64 = 3_600_000;

/// The price of a dish at the branch, by its name.
macro_rules! price_of {
    ($name:literal) => {
        concat!("SELECT price_cents FROM menu_items WHERE archived_at IS NULL AND name = '", $name, "'")
    };
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_price_that_is_published_arrives_and_is_seen_to() {
    let hub = HeadOffice::start().await;
    let admin = hub.admin();
    let (mut site, _) = Site::trading(&hub, "BLR1").await;
    let taken = json!({"outletId": site.outlet});
    let imported = admin.post("/hub/catalogue/import", taken.clone()).await.expect(201).data();
    assert!(imported["rowsAdded"].as_i64().unwrap() > 20, "{imported}");
    let again = admin.post("/hub/catalogue/import", taken).await.expect(201).data();
    assert_eq!(again["rowsAdded"], 0, "what is there is not taken twice");

    let dal = dish(&admin, "Dal").await;
    let body = json!({"priceCents": 19_500});
    let path = format!("/hub/menu/items/{}", dal["id"].as_str().unwrap());
    let changed = admin.patch(&path, body).await.expect(200);
    let publication = changed.header("x-publication-id").to_owned();
    assert_eq!(changed.data()["priceCents"], 19_500);
    let target = progress(&admin, &publication, site.outlet, "DELIVERED").await;
    assert!(target["deliveredAt"].is_string() && target["arrivedAt"].is_null(), "{target}");
    assert_eq!(site.dish("Dal").await["priceCents"], 18_000, "the branch has not asked yet");

    site.until(price_of!("Dal"), 19_500).await;
    let target = progress(&admin, &publication, site.outlet, "EFFECTIVE").await;
    assert!(target["arrivedAt"].is_string() && target["effectiveAt"].is_string(), "{target}");
    let local = site.dish("Dal").await;
    assert!(!local["stationId"].is_null(), "stations are the branch's own");

    let shown = admin.get(&format!("/hub/publications/{publication}")).await.expect(200).data();
    assert_eq!(shown["changes"]["shown"][0]["name"], "Dal");
    assert_eq!(shown["changes"]["shown"][0]["columns"]["price_cents"], json!({"from": 18_000, "to": 19_500}));
    let list = admin.get("/hub/publications").await.expect(200).json();
    assert_eq!(list["data"][0]["progress"]["effective"], 1, "{list}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_outlet_gets_the_catalogue_as_rows_of_its_own() {
    let hub = HeadOffice::start().await;
    let admin = hub.admin();
    let (mut first, _) = Site::trading(&hub, "BLR1").await;
    let mut second = Site::open(&hub, "BLR2").await;
    // It has one dish of that name already, cheaper, and its own idea of another.
    let category = second.owner.post("/menu/categories", json!({"name": "Mains"})).await.expect(201).data();
    let own = json!({"categoryId": category["id"], "name": "Dal", "priceCents": 15_000});
    let own = second.owner.post("/menu/items", own).await.expect(201).data();
    second.push().await;
    admin.post("/hub/catalogue/import", json!({"outletId": first.outlet})).await.expect(201);
    let published = admin.post("/hub/publications", json!({"outletIds": [second.outlet]})).await.expect(201);
    let publication = published.header("x-publication-id").to_owned();
    assert_eq!(published.data()["kind"], "CATALOGUE");
    second.until("SELECT count(*) FROM menu_items WHERE name = 'Butter Chicken'", 1).await;
    progress(&admin, &publication, second.outlet, "EFFECTIVE").await;

    let dal = second.dish("Dal").await;
    assert_eq!((&dal["id"], &dal["priceCents"]), (&own["id"], &json!(18_000)), "recognised by its name");
    let theirs = first.dish("Butter Chicken").await["id"].clone();
    assert_ne!(second.dish("Butter Chicken").await["id"], theirs, "rows belong to one outlet");
    let recipes = "SELECT count(*) FROM recipes WHERE archived_at IS NULL";
    assert_eq!(second.branch.number(recipes).await, first.branch.number(recipes).await);
    let needs = "SELECT count(*) FROM portion_needs";
    assert_eq!(second.branch.number(needs).await, first.branch.number(needs).await, "recipes can be cooked");

    // One edit reaches both, a price of a branch's own wins on the spot there.
    let id = dal["id"].as_str().unwrap();
    second.owner.put(&format!("/menu/items/{id}/price"), json!({"priceCents": 14_000})).await.expect(200);
    let dal = dish(&admin, "Dal").await;
    let path = format!("/hub/menu/items/{}", dal["id"].as_str().unwrap());
    admin.patch(&path, json!({"priceCents": 20_000})).await.expect(200);
    first.until(price_of!("Dal"), 20_000).await;
    second.until(price_of!("Dal"), 20_000).await;
    assert_eq!(first.dish("Dal").await["priceCents"], 20_000);
    let local = second.dish("Dal").await;
    assert_eq!((&local["priceCents"], &local["basePriceCents"]), (&json!(14_000), &json!(20_000)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_branch_that_is_offline_switches_on_time() {
    let hub = HeadOffice::start().await;
    let admin = hub.admin();
    let (mut site, _) = Site::trading(&hub, "BLR1").await;
    admin.post("/hub/catalogue/import", json!({"outletId": site.outlet})).await.expect(201);
    let [dal, lassi] = [dish(&admin, "Dal").await, dish(&admin, "Lassi").await];
    let at = |item: &serde_json::Value| {
        format!("/hub/menu/items/{}?effectiveAt=2026-11-20T14:30:00.000Z", item["id"].as_str().unwrap())
    };
    let later = admin.patch(&at(&dal), json!({"priceCents": 21_000})).await.expect(200);
    let later = later.header("x-publication-id").to_owned();
    let never = admin.patch(&at(&lassi), json!({"priceCents": 1})).await.expect(200);
    let never = never.header("x-publication-id").to_owned();
    progress(&admin, &later, site.outlet, "DELIVERED").await;
    progress(&admin, &never, site.outlet, "DELIVERED").await;
    site.until("SELECT count(*) FROM sync_scheduled", 2).await;
    progress(&admin, &later, site.outlet, "ARRIVED").await;

    let cancelled = admin.post(&format!("/hub/publications/{never}/cancel"), json!({})).await.expect(200);
    assert!(cancelled.data()["cancelledAt"].is_string());
    assert_eq!(dish(&admin, "Lassi").await["priceCents"], 9_000, "the catalogue is as it was");
    site.until("SELECT count(*) FROM sync_scheduled WHERE applied_at IS NULL", 1).await;

    // From here on the branch hears nothing.
    assert_eq!(site.dish("Dal").await["priceCents"], 18_000);
    hub.pass(2 * HOUR);
    site.branch.pass(2 * HOUR);
    site.chores().await;
    assert_eq!(site.dish("Dal").await["priceCents"], 21_000, "by its own clock");
    assert_eq!(site.dish("Lassi").await["priceCents"], 9_000);

    site.push().await;
    site.pull().await;
    site.push().await;
    progress(&admin, &later, site.outlet, "EFFECTIVE").await;
    progress(&admin, &never, site.outlet, "CANCELLED").await;
    let late = format!("/hub/publications/{later}/cancel");
    admin.post(&late, json!({})).await.refused(409, "INVALID_TRANSITION");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_prices_at_once_are_a_conflict_that_is_shown_and_can_be_turned_round() {
    let hub = HeadOffice::start().await;
    let admin = hub.admin();
    let (mut site, house) = Site::trading(&hub, "BLR1").await;
    admin.post("/hub/catalogue/import", json!({"outletId": site.outlet})).await.expect(201);
    let dal = dish(&admin, "Dal").await;
    let local = format!("/menu/items/{}", house.dish("Dal"));
    // Neither knows of the other.
    site.owner.patch(&local, json!({"priceCents": 17_000})).await.expect(200);
    let path = format!("/hub/menu/items/{}", dal["id"].as_str().unwrap());
    let changed = admin.patch(&path, json!({"priceCents": 19_000})).await.expect(200);
    let publication = changed.header("x-publication-id").to_owned();
    progress(&admin, &publication, site.outlet, "DELIVERED").await;
    site.push().await;
    site.until(price_of!("Dal"), 19_000).await;

    let list = admin.get("/hub/conflicts").await.expect(200).json();
    assert_eq!(list["meta"]["total"], 1, "{list}");
    let conflict = &list["data"][0];
    assert_eq!(conflict["outletId"], site.outlet.to_string());
    assert_eq!((&conflict["table"], &conflict["name"]), (&json!("menu_items"), &json!("Dal")));
    assert_eq!(conflict["winner"], "HEAD_OFFICE");
    assert_eq!(conflict["headOffice"]["values"]["price_cents"], 19_000);
    assert_eq!(conflict["branch"]["values"]["price_cents"], 17_000);
    assert!(conflict["headOffice"]["by"].is_string() && conflict["branch"]["at"].is_string(), "{conflict}");

    let id = conflict["id"].as_str().unwrap();
    admin.post(&format!("/hub/conflicts/{id}/restore"), json!({})).await.expect(200);
    site.until(price_of!("Dal"), 17_000).await;
    assert_eq!(admin.get("/hub/conflicts").await.expect(200).json()["meta"]["total"], 0);
    let all = admin.get("/hub/conflicts?state=ALL").await.expect(200).json();
    assert_eq!(all["data"][0]["settledAs"], "RESTORED");
    let again = format!("/hub/conflicts/{id}/dismiss?outletId={}", site.outlet);
    admin.post(&again, json!({})).await.refused(409, "INVALID_TRANSITION");
    let unknown = format!("/hub/conflicts/{}/restore", site.outlet);
    admin.post(&unknown, json!({})).await.refused(404, "NOT_FOUND");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_gone_stays_gone() {
    let hub = HeadOffice::start().await;
    let admin = hub.admin();
    let (mut site, house) = Site::trading(&hub, "BLR1").await;
    admin.post("/hub/catalogue/import", json!({"outletId": site.outlet})).await.expect(201);
    // The branch takes a dish off its menu; head office, which does not know, changes its price and publishes everything.
    site.owner.delete(&format!("/menu/items/{}", house.dish("Kulfi"))).await.expect(200);
    site.push().await;
    let kulfi = dish(&admin, "Kulfi").await;
    let path = format!("/hub/menu/items/{}", kulfi["id"].as_str().unwrap());
    admin.patch(&path, json!({"priceCents": 13_000})).await.expect(200);
    let all = admin.post("/hub/publications", json!({"outletIds": [site.outlet]})).await.expect(201);
    let publication = all.header("x-publication-id").to_owned();
    site.until("SELECT count(*) FROM menu_items WHERE name = 'Kulfi' AND price_cents = 13000", 1).await;
    progress(&admin, &publication, site.outlet, "EFFECTIVE").await;
    let live = "SELECT count(*) FROM menu_items WHERE name = 'Kulfi' AND archived_at IS NULL";
    site.until(live, 0).await;
    // And the other way round.
    let lassi = dish(&admin, "Lassi").await;
    admin.delete(&format!("/hub/menu/items/{}", lassi["id"].as_str().unwrap())).await.expect(200);
    site.owner
        .patch(&format!("/menu/items/{}", house.dish("Lassi")), json!({"description": "Sweet"}))
        .await
        .expect(200);
    site.until("SELECT count(*) FROM menu_items WHERE name = 'Lassi' AND archived_at IS NULL", 0).await;
    assert_eq!(site.branch.number(live).await, 0);
}
