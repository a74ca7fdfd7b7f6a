//! Price lists and hours that head office publishes: where they go, what goes with them, and what an outlet keeps for itself.

use crate::site::{Site, dish, progress};
use serde_json::{Value, json};
use tiffin_tests::HeadOffice;

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

const LISTS: &str = "SELECT count(*) FROM price_lists WHERE archived_at IS NULL";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_price_list_goes_where_it_is_sent_and_puts_no_dish_on_a_menu() {
    let hub = HeadOffice::start().await;
    let admin = hub.admin();
    let (mut site, house) = Site::trading(&hub, "BLR1").await;
    let mut other = Site::open(&hub, "BLR2").await;
    admin.post("/hub/catalogue/import", json!({"outletId": site.outlet})).await.expect(201);
    let (dal, lassi) = (dish(&admin, "Dal").await, dish(&admin, "Lassi").await);
    let happy = json!({"name": "Happy hour", "to": "19:00", "entries": [
        {"menuItemId": dal["id"], "priceCents": 15_000}, {"menuItemId": lassi["id"], "adjustBps": -1_000}]});
    let here = format!("/hub/menu/price-lists?outletIds={}", site.outlet);
    let made = admin.post(&here, happy).await.expect(201);
    let publication = made.header("x-publication-id").to_owned();
    let made = made.data();
    site.until("SELECT count(*) FROM price_list_entries", 2).await;
    progress(&admin, &publication, site.outlet, "EFFECTIVE").await;
    let shown = admin.get(&format!("/hub/publications/{publication}")).await.expect(200).data();
    let names: Vec<&str> =
        shown["changes"]["shown"].as_array().unwrap().iter().map(|change| text(&change["name"])).collect();
    assert!(names.contains(&"Happy hour") && names.contains(&"Dal"), "{shown}");
    assert_eq!(site.dish("Dal").await["priceCents"], 15_000);
    let order = json!({"orderType": "COUNTER", "items": [{"menuItemId": house.dish("Dal"), "quantity": 1, "unitPriceCents": 15_000}]});
    house.place(&site.owner, order).await;

    // All its entries are replaced: what goes, goes at the branch.
    let path = format!("/hub/menu/price-lists/{}", text(&made["id"]));
    let entries = json!({"priority": 3, "entries": [{"menuItemId": dal["id"], "priceCents": 14_000}]});
    admin.patch(&path, entries).await.expect(200);
    site.until("SELECT count(*) FROM price_list_entries WHERE price_cents = 14000", 1).await;
    assert_eq!(site.branch.number("SELECT count(*) FROM price_list_entries").await, 1);
    assert_eq!(site.dish("Lassi").await["priceCents"], 9_000);
    // It went to the one outlet alone. Sent to another that has no such dish, it brings none.
    other.pull().await;
    assert_eq!(other.branch.number(LISTS).await, 0);
    let elsewhere = format!("{path}?outletIds={}", other.outlet);
    admin.patch(&elsewhere, json!({"name": "Happy hours"})).await.expect(200);
    other.until(LISTS, 1).await;
    assert_eq!(other.branch.number("SELECT count(*) FROM menu_items").await, 0);
    assert_eq!(other.branch.number("SELECT count(*) FROM price_list_entries").await, 0);
    // With the whole catalogue it has the dishes, and what they cost.
    admin.post("/hub/publications", json!({"outletIds": [other.outlet]})).await.expect(201);
    other.until("SELECT count(*) FROM price_list_entries", 1).await;
    assert_eq!(other.dish("Dal").await["priceCents"], 14_000);
    admin.delete(&path).await.expect(200);
    other.until(LISTS, 0).await;
    assert_eq!(other.dish("Dal").await["priceCents"], 18_000);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_channels_of_a_list_stay_the_outlets_and_hours_are_published() {
    let hub = HeadOffice::start().await;
    let admin = hub.admin();
    let (mut site, _) = Site::trading(&hub, "BLR1").await;
    admin.post("/hub/catalogue/import", json!({"outletId": site.outlet})).await.expect(201);
    let made = json!({"name": "Aggregators", "entries": []});
    let made = admin.post("/hub/menu/price-lists", made).await.expect(201).data();
    site.until(LISTS, 1).await;
    let swiggy = site.owner.post("/channels", json!({"name": "Swiggy", "kind": "AGGREGATOR"})).await;
    let swiggy = swiggy.expect(201).data()["id"].clone();
    let list = site.owner.get("/menu/price-lists").await.expect(200).data()[0].clone();
    let path = format!("/menu/price-lists/{}", text(&list["id"]));
    site.owner.patch(&path, json!({"channelIds": [swiggy]})).await.expect(200);
    site.push().await;
    let publication = admin.post("/hub/publications", json!({"outletIds": [site.outlet]})).await;
    let publication = publication.expect(201).data()["id"].clone();
    let changed = format!("/hub/menu/price-lists/{}", text(&made["id"]));
    admin.patch(&changed, json!({"days": ["SUN"]})).await.expect(200);
    site.until("SELECT count(*) FROM price_lists WHERE days IS NOT NULL", 1).await;
    progress(&admin, text(&publication), site.outlet, "EFFECTIVE").await;
    let kept = site.owner.get(&path).await.expect(200).data();
    assert_eq!((&kept["channelIds"], &kept["days"]), (&json!([swiggy]), &json!(["SUN"])));

    let windows = json!({"windows": [{"from": "08:00", "to": "11:00"}, {"from": "17:00", "to": "23:00"}]});
    let dal = dish(&admin, "Dal").await;
    admin.patch(&format!("/hub/menu/items/{}", text(&dal["id"])), windows.clone()).await.expect(200);
    admin.patch(&format!("/hub/menu/categories/{}", text(&dal["categoryId"])), windows).await.expect(200);
    site.until("SELECT count(*) FROM menu_categories WHERE windows <> '[]'", 1).await;
    let local = site.dish("Dal").await;
    assert_eq!((&local["availableFrom"], &local["windows"][1]["from"]), (&json!("08:00"), &json!("17:00")));
}
