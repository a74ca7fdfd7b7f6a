//! Dishes that head office publishes in several sizes, each with its price and recipe.

use crate::site::{Site, dish, progress};
use serde_json::{Value, json};
use tiffin_tests::HeadOffice;

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dish_is_published_in_sizes_and_sold_by_them() {
    let hub = HeadOffice::start().await;
    let admin = hub.admin();
    let (mut site, house) = Site::trading(&hub, "BLR1").await;
    admin.post("/hub/catalogue/import", json!({"outletId": site.outlet})).await.expect(201);
    let dal = dish(&admin, "Dal").await;
    let path = format!("/hub/menu/items/{}", text(&dal["id"]));
    let sizes = json!({"variants": [
        {"name": "Half", "priceCents": 10_000, "sku": "DAL-H"}, {"name": "Full", "priceCents": 18_000, "isDefault": true}]});
    let made = admin.patch(&path, sizes).await.expect(200).data();
    let half = &made["variants"][0];
    let lentils = admin.get(&format!("/hub/inventory/recipes/{}", text(&dal["id"]))).await.expect(200).data();
    let lentils =
        lentils["ingredients"].as_array().unwrap().iter().find(|i| i["name"] == "Lentils").unwrap().clone();
    let recipe = json!({"ingredients": [{"inventoryItemId": lentils["inventoryItemId"], "quantity": 60, "unit": "g"}]});
    admin.put(&format!("/hub/inventory/recipes/{}", text(&half["id"])), recipe).await.expect(200);
    site.until("SELECT count(*) FROM recipes r JOIN menu_items m ON m.id = r.menu_item_id WHERE m.variant_name = 'Half'", 1).await;
    let local = site.dish("Dal").await;
    assert_eq!((&local["id"], &local["priceCents"]), (&json!(house.dish("Dal")), &json!(18_000)));
    let half_here = &local["variants"][0];
    assert_eq!((&half_here["name"], &half_here["sku"]), (&json!("Half"), &json!("DAL-H")));
    let line = json!({"menuItemId": local["id"], "variantId": half_here["id"], "quantity": 2, "unitPriceCents": 10_000});
    let order = house.place(&site.owner, json!({"orderType": "COUNTER", "items": [line]})).await;
    house.settle(&site.owner, &order).await;
    let portions = site
        .owner
        .get(&format!("/inventory/portions?menuItemId={}", text(&local["id"])))
        .await
        .expect(200)
        .json();
    assert_eq!(portions["meta"]["total"], 2, "{portions}");

    // Dearer, and called otherwise: the row stays the same one.
    let dearer = json!({"name": "Dal Tadka", "variants": [
        {"id": half["id"], "name": "Half plate", "priceCents": 11_000, "sku": "DAL-H"},
        {"id": made["variants"][1]["id"], "name": "Full", "priceCents": 18_000, "isDefault": true}]});
    let publication = admin.patch(&path, dearer).await.expect(200).header("x-publication-id").to_owned();
    site.until(
        "SELECT count(*) FROM menu_items WHERE name = 'Dal Tadka (Half plate)' AND price_cents = 11000",
        1,
    )
    .await;
    progress(&admin, &publication, site.outlet, "EFFECTIVE").await;
    assert_eq!(site.dish("Dal Tadka").await["variants"][0]["id"], half_here["id"]);

    // Head office counts by size what the branch sold.
    let sellers = admin.clone().with_outlet(site.outlet);
    let sellers =
        sellers.get("/analytics/top-sellers?from=2026-11-20&to=2026-11-20&limit=50").await.expect(200).data();
    let sold =
        sellers["items"].as_array().unwrap().iter().find(|dish| dish["menuItemId"] == local["id"]).unwrap();
    let part = &sold["variants"][0];
    assert_eq!(
        (&part["variantId"], &part["quantity"], &part["revenueCents"]),
        (&half_here["id"], &json!(2), &sold["revenueCents"])
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_size_goes_where_its_dish_went() {
    let hub = HeadOffice::start().await;
    let admin = hub.admin();
    let (mut site, other) = (Site::open(&hub, "BLR1").await, Site::open(&hub, "BLR2").await);
    let category = admin.post("/hub/menu/categories", json!({"name": "Mains"})).await.expect(201).data();
    let pulao = json!({"categoryId": category["id"], "name": "Pulao", "priceCents": 15_000});
    let here = format!("/hub/menu/items?outletIds={}", site.outlet);
    let pulao = admin.post(&here, pulao).await.expect(201).data();
    let sizes = json!({"variants": [{"name": "Half", "priceCents": 8_000}, {"name": "Full", "priceCents": 15_000, "isDefault": true}]});
    let made = admin.patch(&format!("/hub/menu/items/{}", text(&pulao["id"])), sizes).await.expect(200);
    let publication = made.header("x-publication-id").to_owned();
    site.until("SELECT count(*) FROM menu_items WHERE variant_of_id IS NOT NULL", 2).await;
    let shown = admin.get(&format!("/hub/publications/{publication}")).await.expect(200).data();
    assert_eq!(shown["outlets"].as_array().unwrap().len(), 1, "{shown}");
    let changes = shown["changes"]["shown"].as_array().unwrap();
    assert!(changes.iter().any(|change| change["name"] == "Pulao (Half)"), "{shown}");
    assert_eq!(other.branch.number("SELECT count(*) FROM menu_items").await, 0);
}
