//! Dishes sold by weight, published by head office: they arrive, and what is weighed out of them goes up.

use crate::site::{Site, dish, progress};
use serde_json::{Value, json};
use tiffin_tests::HeadOffice;

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_dish_is_sold_by_is_published_and_what_was_weighed_stands_at_head_office() {
    let hub = HeadOffice::start().await;
    let admin = hub.admin();
    let (mut site, house) = Site::trading(&hub, "BLR1").await;
    admin.post("/hub/catalogue/import", json!({"outletId": site.outlet})).await.expect(201);
    let path = format!("/hub/menu/items/{}", text(&dish(&admin, "Dal").await["id"]));
    let sizes = json!({"soldBy": "WEIGHT", "variants": [{"name": "Half", "priceCents": 9_000}]});
    let refused = admin.patch(&path, sizes).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["variants"]);
    let sold = json!({"soldBy": "WEIGHT", "weightUnit": "LB", "priceCents": 45_000});
    let publication = admin.patch(&path, sold).await.expect(200).header("x-publication-id").to_owned();
    site.until("SELECT count(*) FROM menu_items WHERE sold_by = 'WEIGHT' AND weight_unit = 'LB'", 1).await;
    progress(&admin, &publication, site.outlet, "EFFECTIVE").await;
    let local = site.dish("Dal").await;
    assert_eq!(
        (&local["soldBy"], &local["weightUnit"], &local["id"]),
        (&json!("WEIGHT"), &json!("LB"), &json!(house.dish("Dal")))
    );
    // By a file, too.
    let file = "category,name,weightUnit\nEverything,Dal,KG\n";
    let taken = admin.post_raw("/hub/menu/import", "text/csv", file).await.expect(200);
    let publication = taken.header("x-publication-id").to_owned();
    site.until("SELECT count(*) FROM menu_items WHERE sold_by = 'WEIGHT' AND weight_unit = 'KG'", 1).await;
    progress(&admin, &publication, site.outlet, "EFFECTIVE").await;

    let line =
        json!({"menuItemId": house.dish("Dal"), "quantity": 1, "weight": 1.234567, "unitPriceCents": 45_000});
    let order = house.place(&site.owner, json!({"orderType": "COUNTER", "items": [line]})).await;
    house.settle(&site.owner, &order).await;
    site.push().await;
    let there = admin.clone().with_outlet(site.outlet);
    let copy = there.get(&format!("/orders/{}", text(&order["id"]))).await.expect(200).json();
    let line = &copy["items"][0];
    assert_eq!(
        (&line["weight"], &line["weightUnit"], &line["lineTotalCents"]),
        (&json!(1.234567), &json!("KG"), &json!(55_556))
    );
    let ticket =
        there.get(&format!("/kitchen/tickets?orderId={}", text(&order["id"]))).await.expect(200).data();
    assert_eq!(ticket[0]["items"][0]["weight"], json!(1.234567));
    let sellers = "/hub/analytics/top-sellers?from=2026-11-20&to=2026-11-20";
    let sellers = admin.get(sellers).await.expect(200).data();
    let items = sellers["currencies"][0]["items"].as_array().unwrap();
    let dal = items.iter().find(|dish| dish["name"] == "Dal").unwrap();
    assert_eq!(
        (&dal["quantity"], &dal["weight"], &dal["weightUnit"]),
        (&json!(1), &json!(1.234567), &json!("KG"))
    );
}
