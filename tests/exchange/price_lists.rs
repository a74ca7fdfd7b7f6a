//! A price list that head office publishes to two branches of processes of their own: both sell by it, and every row of either is at head
//! office.

use crate::killed::copy_of;
use crate::office::Place;
use crate::site::{Site, until};
use serde_json::{Value, json};
use std::sync::Arc;
use tiffin_tests::oracle::{self, Cursors};
use tiffin_tests::postgres::Database;

/// A dish that is sold without choices, in one size.
fn plain(menu: &Value) -> Value {
    let dishes = menu["categories"].as_array().unwrap().iter().flat_map(|c| c["items"].as_array().unwrap());
    let is_plain = |dish: &&Value| dish["modifierGroups"] == json!([]) && dish["variants"] == json!([]);
    dishes.clone().find(is_plain).unwrap().clone()
}

async fn published(database: Option<Database>) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let place = Place::make(folder.path(), database.as_ref().map(|database| database.url.clone()));
    let hub = place.serve().await;
    let admin = hub.admin().await;
    let cursors = Arc::new(Cursors::default());
    let mut sites = Vec::new();
    for (code, seed) in [("BLR1", 1), ("BLR2", 2)] {
        let mut site = Site::make(folder.path(), code, seed, &cursors).await;
        site.proxy.to(&[hub.base()]);
        site.enrol(&admin, false).await;
        site.start().await;
        site.wait_until_confirmed().await;
        sites.push(site);
    }
    admin.post("/hub/catalogue/import", json!({"outletId": sites[0].outlet})).await.expect(201);
    let whole = json!({"outletIds": [sites[1].outlet]});
    let whole = admin.post("/hub/publications", whole).await.expect(201).data();
    let dish = plain(&admin.get("/hub/menu").await.expect(200).data());
    let away = json!({"name": "Away", "orderTypes": ["TAKEAWAY"], "entries": [
        {"menuItemId": dish["id"], "priceCents": 12_345}, {"categoryId": dish["categoryId"], "adjustBps": 1_000}]});
    let made = admin.post("/hub/menu/price-lists", away).await.expect(201);
    let publication = made.header("x-publication-id").to_owned();
    for id in [whole["id"].as_str().unwrap(), &publication] {
        until("it is in force at its outlets", async || {
            let shown = admin.get(&format!("/hub/publications/{id}")).await.expect(200).data();
            (shown["progress"]["effective"] == shown["outlets"].as_array().unwrap().len()).then_some(())
        })
        .await;
    }
    for site in &mut sites {
        let owner = site.owner().clone();
        let menu = owner.get("/menu?orderType=TAKEAWAY").await.expect(200).data();
        let dishes =
            menu["categories"].as_array().unwrap().iter().flat_map(|c| c["items"].as_array().unwrap());
        let local = dishes.clone().find(|local| local["name"] == dish["name"]).unwrap();
        assert_eq!(local["priceCents"], 12_345, "{}: {local}", site.code);
        let order = json!({"orderType": "TAKEAWAY", "items": [{"menuItemId": local["id"], "quantity": 2, "unitPriceCents": 12_345}]});
        let order = owner.post("/orders", order).await.expect(201).json();
        assert_eq!(order["items"][0]["priceListId"], local["priceListId"]);
        site.wait_until_confirmed().await;
        let there = admin.clone().with_outlet(site.outlet);
        let list = format!("/menu/price-lists/{}", local["priceListId"].as_str().unwrap());
        let (here, copy) = (owner.get(&list).await.expect(200), there.get(&list).await.expect(200));
        assert_eq!(here.data(), copy.data());
        site.kill();
        oracle::assert_equal(site.code, &oracle::rows_of(&site.database()), &copy_of(&place, site).await);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn branches_sell_by_the_price_list_of_head_office_on_files() {
    published(None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn branches_sell_by_the_price_list_of_head_office_on_postgresql() {
    published(Some(Database::new())).await;
}
