//! Combos that head office publishes: they bring the dishes that may be chosen for them, and are sold under the branch's own ids.

use crate::site::{Site, dish, progress};
use serde_json::{Value, json};
use tiffin_tests::HeadOffice;

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_combo_is_published_with_its_dishes_and_sold_by_them() {
    let hub = HeadOffice::start().await;
    let admin = hub.admin();
    let (mut site, house) = Site::trading(&hub, "BLR1").await;
    admin.post("/hub/catalogue/import", json!({"outletId": site.outlet})).await.expect(201);
    let dal = dish(&admin, "Dal").await;
    let papad = json!({"categoryId": dal["categoryId"], "name": "Papad", "priceCents": 2_000});
    let papad = admin.post("/hub/menu/items", papad).await.expect(201).data();
    let thali = json!({
        "categoryId": dal["categoryId"], "name": "Thali", "priceCents": 22_000, "kind": "COMBO",
        "components": [
            {"name": "Main", "minSelections": 1, "maxSelections": 1, "options": [{"menuItemId": dal["id"]}]},
            {"name": "Side", "minSelections": 0, "maxSelections": 2, "options": [{"menuItemId": papad["id"], "extraCents": 500}]},
        ],
    });
    let made = admin.post("/hub/menu/items", thali).await.expect(201);
    let publication = made.header("x-publication-id").to_owned();
    let made = made.data();
    site.until("SELECT count(*) FROM combo_options", 2).await;
    progress(&admin, &publication, site.outlet, "EFFECTIVE").await;
    let local = site.dish("Thali").await;
    assert_eq!((&local["kind"], &local["isAvailable"]), (&json!("COMBO"), &json!(true)), "{local}");
    let options = |at: usize| local["components"][at]["options"][0].clone();
    assert_eq!(options(0)["menuItemId"], json!(house.dish("Dal")), "the branch's own dal");
    assert_eq!((&options(1)["name"], &options(1)["extraCents"]), (&json!("Papad"), &json!(500)));
    let components = json!([
        {"name": "Main", "menuItemId": options(0)["menuItemId"]}, {"name": "Side", "menuItemId": options(1)["menuItemId"]}]);
    let line =
        json!({"menuItemId": local["id"], "quantity": 2, "unitPriceCents": 22_000, "components": components});
    let order = house.place(&site.owner, json!({"orderType": "COUNTER", "items": [line]})).await;
    // 22000 over 18000 and 2000 alone, and what the papad asks on top.
    assert_eq!(order["items"][0]["components"][0]["unitPriceCents"], 19_800);
    assert_eq!(order["items"][0]["components"][1]["unitPriceCents"], 2_700);
    house.settle(&site.owner, &order).await;

    // Another choice: the rows of the others stay the same ones.
    let side = json!({"components": [
        {"name": "Main", "minSelections": 1, "maxSelections": 1, "options": [{"menuItemId": dal["id"]}]},
        {"name": "Side", "minSelections": 1, "maxSelections": 1, "options": [{"menuItemId": papad["id"], "extraCents": 700}]},
    ]});
    let path = format!("/hub/menu/items/{}", text(&made["id"]));
    let publication = admin.patch(&path, side).await.expect(200).header("x-publication-id").to_owned();
    site.until("SELECT count(*) FROM combo_options WHERE extra_cents = 700", 1).await;
    progress(&admin, &publication, site.outlet, "EFFECTIVE").await;
    let changed = site.dish("Thali").await;
    assert_eq!(changed["components"][1]["options"][0]["id"], options(1)["id"]);
    assert_eq!(changed["components"][1]["minSelections"], 1);
    let publication = admin.patch(&path, json!({"components": [made_main(&dal)]})).await.expect(200);
    let publication = publication.header("x-publication-id").to_owned();
    site.until("SELECT count(*) FROM combo_components", 1).await;
    progress(&admin, &publication, site.outlet, "EFFECTIVE").await;

    // Head office has the very rows, and counts by combo what the branch sold.
    site.push().await;
    let seen = admin.clone().with_outlet(site.outlet);
    let report = "/analytics/reports/combos?from=2026-11-20&to=2026-11-20";
    let (there, here) =
        (seen.get(report).await.expect(200).data(), site.owner.get(report).await.expect(200).data());
    assert_eq!((&there["rows"], &there["totals"]), (&here["rows"], &here["totals"]));
    assert_eq!(
        (&there["totals"]["combosCount"], &there["totals"]["revenueCents"]),
        (&json!(2), &json!(45_000))
    );
}

fn made_main(dal: &Value) -> Value {
    json!({"name": "Main", "minSelections": 1, "maxSelections": 1, "options": [{"menuItemId": dal["id"]}]})
}
