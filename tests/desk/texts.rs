//! What dishes are called in other languages, published by head office: it arrives, and both ends prove it.

use crate::site::{Site, dish, progress};
use serde_json::{Value, json};
use tiffin_tests::HeadOffice;

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn texts_and_servings_are_published_and_stay_what_they_are() {
    let hub = HeadOffice::start().await;
    let admin = hub.admin();
    let (mut site, house) = Site::trading(&hub, "BLR1").await;
    admin.post("/hub/catalogue/import", json!({"outletId": site.outlet})).await.expect(201);
    let dal = dish(&admin, "Dal").await;
    let said = json!({"energyKcal": 210, "servingSize": "300 g",
        "texts": {"hi": {"name": "दाल", "description": "काली उड़द"}, "ta": {"name": "பருப்பு"}}});
    let path = format!("/hub/menu/items/{}", text(&dal["id"]));
    let publication = admin.patch(&path, said).await.expect(200).header("x-publication-id").to_owned();
    site.until("SELECT count(*) FROM menu_items WHERE texts LIKE '%दाल%'", 1).await;
    progress(&admin, &publication, site.outlet, "EFFECTIVE").await;
    let local = site.dish("Dal").await;
    assert_eq!(local["texts"]["hi"], json!({"name": "दाल", "description": "काली उड़द"}));
    assert_eq!((&local["energyKcal"], &local["servingSize"]), (&json!(210), &json!("300 g")));
    // By a file, too: one language more, and the others stay.
    let file = "category,name,texts.mr.name\nEverything,Dal,डाळ\n";
    let taken = admin.post_raw("/hub/menu/import", "text/csv", file).await.expect(200);
    let publication = taken.header("x-publication-id").to_owned();
    site.until("SELECT count(*) FROM menu_items WHERE texts LIKE '%डाळ%'", 1).await;
    progress(&admin, &publication, site.outlet, "EFFECTIVE").await;
    let local = site.dish("Dal").await;
    assert_eq!(
        (&local["texts"]["mr"]["name"], &local["texts"]["ta"]["name"]),
        (&json!("डाळ"), &json!("பருப்பு"))
    );
    let dry = admin.post_raw("/hub/menu/import?dryRun=true", "text/csv", file).await.expect(200);
    assert_eq!((dry.data()["unchanged"].as_i64(), dry.header("x-publication-id")), (Some(1), ""));
    // What the branch says of its own goes up, and head office reads it in that language.
    let menu = site.owner.get("/menu").await.expect(200).data();
    let category = text(&menu["categories"][0]["id"]).to_owned();
    let said = json!({"texts": {"hi": {"name": "सब कुछ"}}});
    site.owner.patch(&format!("/menu/categories/{category}"), said).await.expect(200);
    let languages = json!({"languages": ["en", "hi"]});
    site.owner.patch(&format!("/outlets/{}", site.outlet), languages).await.expect(200);
    site.push().await;
    let copy = admin.clone().with_outlet(site.outlet).get("/menu?lang=hi").await.expect(200).data();
    let chapter = &copy["categories"][0];
    assert_eq!(chapter["name"], "सब कुछ");
    let names: Vec<&str> =
        chapter["items"].as_array().unwrap().iter().map(|dish| text(&dish["name"])).collect();
    assert!(names.contains(&"दाल"), "{names:?}");
    assert_eq!(site.dish("Dal").await["id"], json!(house.dish("Dal")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_on_the_menu_is_published_in_other_languages() {
    let hub = HeadOffice::start().await;
    let admin = hub.admin();
    let (mut site, house) = Site::trading(&hub, "BLR1").await;
    admin.post("/hub/catalogue/import", json!({"outletId": site.outlet})).await.expect(201);
    let named = |name: &str| json!({"hi": {"name": name}});
    let rice = dish(&admin, "Steamed Rice").await;
    let lassi = dish(&admin, "Lassi").await;
    let tikka = dish(&admin, "Paneer Tikka").await;
    let category = text(&rice["categoryId"]).to_owned();
    admin.patch(&format!("/hub/menu/categories/{category}"), json!({"texts": named("सब")})).await.expect(200);
    let group = tikka["modifierGroups"][0].clone();
    let option = json!({"id": group["options"][0]["id"], "name": "Extra paneer", "priceCents": 6_000, "texts": named("और")});
    let group = format!("/hub/menu/modifier-groups/{}", text(&group["id"]));
    admin.patch(&group, json!({"texts": named("ऊपर"), "options": [option]})).await.expect(200);
    let sizes = json!([{"name": "Half", "priceCents": 5_000, "texts": named("आधा")}, {"name": "Full", "priceCents": 9_000}]);
    let path = format!("/hub/menu/items/{}", text(&rice["id"]));
    admin.patch(&path, json!({"variants": sizes})).await.expect(200);
    let component = json!({"name": "Drink", "minSelections": 1, "maxSelections": 1, "texts": named("पेय"),
        "options": [{"menuItemId": lassi["id"]}]});
    let meal = json!({"categoryId": category, "name": "Meal", "priceCents": 40_000, "kind": "COMBO", "components": [component]});
    let publication =
        admin.post("/hub/menu/items", meal).await.expect(201).header("x-publication-id").to_owned();
    site.until("SELECT count(*) FROM combo_components WHERE texts LIKE '%पेय%'", 1).await;
    progress(&admin, &publication, site.outlet, "EFFECTIVE").await;
    let local = site.owner.get("/menu").await.expect(200).data();
    assert_eq!(local["categories"][0]["texts"], named("सब"));
    let group = site.dish("Paneer Tikka").await["modifierGroups"][0].clone();
    assert_eq!((&group["texts"], &group["options"][0]["texts"]), (&named("ऊपर"), &named("और")));
    assert_eq!(site.dish("Steamed Rice").await["variants"][0]["texts"], named("आधा"));
    assert_eq!(site.dish("Meal").await["components"][0]["texts"], named("पेय"));
    // What is the branch's own goes up with its texts.
    let said = json!({"texts": named("मेज़"), "areaTexts": named("अंदर")});
    site.owner.patch(&format!("/tables/{}", house.table(1)), said).await.expect(200);
    let station = format!("/kitchen/stations/{}", house.station("Hot"));
    site.owner.patch(&station, json!({"texts": named("चूल्हा")})).await.expect(200);
    site.push().await;
    let copy = admin.clone().with_outlet(site.outlet);
    let table = copy.get(&format!("/tables/{}", house.table(1))).await.expect(200).data();
    assert_eq!((&table["texts"], &table["areaTexts"]), (&named("मेज़"), &named("अंदर")));
    assert_eq!(copy.get(&station).await.expect(200).data()["texts"], named("चूल्हा"));
}
