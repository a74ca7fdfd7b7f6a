//! `/inventory`: what is there, in which batches, what dishes take of it, and who brought it.

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, House};

async fn item(client: &Client, name: &str, unit: &str) -> String {
    let body = json!({"name": name, "category": "Dry", "unit": unit, "minStockThreshold": 2});
    client.post("/inventory/items", body).await.expect(201).data()["id"].as_str().unwrap().to_owned()
}

async fn put_in(
    client: &Client,
    item: &str,
    batch: &str,
    quantity: Value,
    cents: Value,
    expiry: Option<&str>,
) {
    let body = json!({"inventoryItemId": item, "batchNumber": batch, "quantityDelta": quantity, "unitCostCents": cents,
        "expiryDate": expiry, "reason": "OPENING"});
    client.post("/inventory/adjustments", body).await.expect(201);
}

#[tokio::test]
async fn the_typed_list_is_bare_and_counts_what_may_still_be_used() {
    let branch = Branch::start().await;
    let keeper = branch.sign_in(Role::Storekeeper);
    let (rice, milk) = (item(&keeper, "Rice", "kg").await, item(&keeper, "Milk", "l").await);
    put_in(&keeper, &rice, "r", json!(10.25), json!(6000.5), None).await;
    for (batch, expiry) in [("late", "2026-12-01"), ("soon", "2026-11-20"), ("gone", "2026-11-19")] {
        put_in(&keeper, &milk, batch, json!(1), json!(100), Some(expiry)).await;
    }
    let list = branch.sign_in(Role::Kitchen).get("/inventory/items").await.expect(200).json();
    let mut keys: Vec<&String> = list.as_object().unwrap().keys().collect();
    keys.sort();
    assert_eq!(keys, ["items", "lowStockCount", "totalCount"], "nothing around it");
    assert_eq!((&list["totalCount"], &list["lowStockCount"]), (&json!(2), &json!(1)));
    let milk_now = &list["items"][0];
    assert_eq!((&milk_now["currentStock"], &milk_now["expiredQuantity"]), (&json!(2), &json!(1)));
    assert_eq!(milk_now["isLowStock"], true, "at the threshold is low");
    let batches: Vec<&Value> =
        milk_now["activeBatches"].as_array().unwrap().iter().map(|b| &b["batchNumber"]).collect();
    assert_eq!(batches, ["soon", "late"]);
    assert_eq!(milk_now["activeBatches"][0]["expiryDate"], "2026-11-20");
    let rice_now = &list["items"][1];
    assert_eq!((&rice_now["currentStock"], &rice_now["averageCostCents"]), (&json!(10.25), &json!(6000.5)));
    assert_eq!(rice_now["stockValueCents"], 61_505);
    let low = keeper.get("/inventory/items?lowStockOnly=true").await.json();
    assert_eq!((&low["totalCount"], &low["items"][0]["name"]), (&json!(1), &json!("Milk")));
    let found = keeper.get("/inventory/items?q=RIC&category=dry&limit=1").await.json();
    assert_eq!((&found["totalCount"], &found["items"][0]["name"]), (&json!(1), &json!("Rice")));
    let page = keeper.get("/inventory/items?limit=1&offset=1").await.json();
    assert_eq!((&page["totalCount"], &page["items"][0]["name"]), (&json!(2), &json!("Rice")));
    keeper.get("/inventory/items?limit=0&lowStockOnly=maybe").await.refused(400, "BAD_REQUEST");
}

#[tokio::test]
async fn items_are_changed_under_their_version_and_kept_while_recipes_use_them() {
    let branch = Branch::start().await;
    let keeper = branch.sign_in(Role::Storekeeper);
    let id = item(&keeper, "Cola", "pcs").await;
    keeper
        .post("/inventory/items", json!({"name": "Cola", "category": "B", "unit": "pcs"}))
        .await
        .refused(409, "CONFLICT");
    let bad = json!({"name": " ", "category": "B", "unit": "kg", "minStockThreshold": -1,
        "unitConversions": [{"unit": "g", "factor": 1000}, {"unit": "sack", "factor": 0}], "parLevel": 0.0000001});
    let refused = keeper.post("/inventory/items", bad).await.refused(422, "PAYLOAD_VALIDATION");
    assert!(!refused.invalid_fields().is_empty(), "{}", refused.text);
    let bad = json!({"name": " ", "category": "B", "unit": "kg",
        "unitConversions": [{"unit": "g", "factor": 1000}, {"unit": "sack", "factor": 0}]});
    let refused = keeper.post("/inventory/items", bad).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["name", "unitConversions[0].unit", "unitConversions[1].factor"]);
    let stale = keeper.clone().with_header("If-Match", "\"7\"");
    stale.patch(&format!("/inventory/items/{id}"), json!({"sku": "C"})).await.refused(412, "STALE_VERSION");
    let change =
        json!({"sku": "COLA", "unitConversions": [{"unit": "Crate", "factor": 24}], "rotation": "FIFO"});
    let changed = keeper.patch(&format!("/inventory/items/{id}"), change).await.expect(200).data();
    assert_eq!((&changed["version"], &changed["rotation"]), (&json!(2), &json!("FIFO")));
    assert_eq!(changed["unitConversions"], json!([{"unit": "crate", "factor": 24}]));
    let cleared = keeper.patch(&format!("/inventory/items/{id}"), json!({"sku": null})).await.data();
    assert_eq!(cleared["sku"], Value::Null);
    let mix = json!({"name": "Mix", "yield": 1, "unit": "l", "ingredients": [{"inventoryItemId": id, "quantity": 1, "unit": "crate"}]});
    let mix = keeper.post("/inventory/preparations", mix).await.expect(201).data()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    keeper.delete(&format!("/inventory/items/{id}")).await.refused(409, "CONFLICT");
    let unusable = keeper.patch(&format!("/inventory/items/{id}"), json!({"unitConversions": []})).await;
    assert_eq!(unusable.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["unitConversions"]);
    keeper.delete(&format!("/inventory/preparations/{mix}")).await.expect(200);
    keeper.delete(&format!("/inventory/items/{id}")).await.expect(200);
    keeper.get(&format!("/inventory/items/{id}")).await.refused(404, "NOT_FOUND");
    item(&keeper, "Cola", "pcs").await;
}

#[tokio::test]
async fn adjustments_leave_a_ledger_with_before_after_batch_cost_and_cause() {
    let branch = Branch::start().await;
    let keeper = branch.sign_in(Role::Storekeeper);
    let id = item(&keeper, "Flour", "kg").await;
    put_in(&keeper, &id, "a", json!(5), json!(4000), Some("2026-12-01")).await;
    put_in(&keeper, &id, "b", json!(5), json!(4100), None).await;
    let lost = json!({"inventoryItemId": id, "quantityDelta": -5500, "unit": "g", "reason": "SPILT", "note": "the shelf broke"});
    let lost = keeper.post("/inventory/adjustments", lost).await.expect(201).data();
    assert_eq!(
        (&lost["quantityBefore"], &lost["quantityAfter"], &lost["quantityDelta"]),
        (&json!(10), &json!(4.5), &json!(-5.5))
    );
    let counted = json!({"inventoryItemId": id, "countedQuantity": 4, "reason": "COUNT"});
    let counted = keeper.post("/inventory/adjustments", counted).await.expect(201).data();
    assert_eq!(counted["item"]["currentStock"], 4);
    let ledger = keeper
        .get(&format!("/inventory/items/{id}/movements?kind=ADJUSTMENT&from=2026-11-20&to=2026-11-20"))
        .await
        .json();
    assert_eq!(ledger["meta"]["total"], 3);
    let first = &ledger["data"][2];
    assert_eq!(
        (&first["quantityBefore"], &first["quantityAfter"], &first["batchNumber"]),
        (&json!(10), &json!(5), &json!("a"))
    );
    assert_eq!((&first["costCents"], &first["cause"]["type"]), (&json!(-20_000), &json!("ADJUSTMENT")));
    assert_eq!((&first["note"], &first["businessDate"]), (&json!("the shelf broke"), &json!("2026-11-20")));
    let batches = keeper.get(&format!("/inventory/items/{id}/batches")).await.json();
    assert_eq!((&batches["meta"]["total"], &batches["data"][0]["batchNumber"]), (&json!(2), &json!("b")));
    let open = keeper.get(&format!("/inventory/items/{id}/batches?openOnly=true&limit=5")).await.json();
    assert_eq!(open["meta"]["total"], 1);
    for (body, fields) in [
        (json!({"inventoryItemId": id, "reason": "x"}), vec!["quantityDelta", "countedQuantity"]),
        (json!({"inventoryItemId": id, "quantityDelta": -5, "reason": "x"}), vec!["quantityDelta"]),
        (json!({"inventoryItemId": id, "quantityDelta": 0, "reason": "x"}), vec!["quantityDelta"]),
        (json!({"inventoryItemId": id, "quantityDelta": 1, "unit": "l", "reason": "x"}), vec!["unit"]),
        (
            json!({"inventoryItemId": id, "quantityDelta": -1, "batchNumber": "zzz", "reason": "x"}),
            vec!["batchNumber"],
        ),
        (
            json!({"inventoryItemId": id, "quantityDelta": 1, "batchNumber": "b", "unitCostCents": 1, "reason": "x"}),
            vec!["batchNumber"],
        ),
        (
            json!({"inventoryItemId": id, "quantityDelta": 1e300, "reason": ""}),
            vec!["quantityDelta", "reason"],
        ),
    ] {
        let mut found = keeper
            .post("/inventory/adjustments", body)
            .await
            .refused(422, "PAYLOAD_VALIDATION")
            .invalid_fields();
        found.sort();
        let mut fields = fields;
        fields.sort_unstable();
        assert_eq!(found, fields);
    }
    let entries = branch.sign_in(Role::Manager).get("/audit-log?action=inventory.adjust").await.json();
    assert_eq!(entries["meta"]["total"], 4);
    let waiter = branch.sign_in(Role::Waiter);
    waiter.post("/inventory/adjustments", json!({})).await.refused(403, "FORBIDDEN");
}

#[tokio::test]
async fn one_adjustment_key_books_once() {
    let branch = Branch::start().await;
    let keeper = branch.sign_in(Role::Storekeeper);
    let id = item(&keeper, "Tea", "g").await;
    let body = json!({"inventoryItemId": id, "quantityDelta": 7, "reason": "FOUND"});
    let first = keeper.post_keyed("/inventory/adjustments", "k1", body.clone()).await.expect(201);
    let again = keeper.post_keyed("/inventory/adjustments", "k1", body).await.expect(201);
    assert_eq!((first.text, again.header("idempotency-replayed")), (again.text.clone(), "true"));
    assert_eq!(keeper.get(&format!("/inventory/items/{id}")).await.data()["currentStock"], 7);
}

#[tokio::test]
async fn recipes_and_preparations_are_checked_where_they_are_set() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let dish = house.dish("Paneer Tikka");
    let recipe = owner.get(&format!("/inventory/recipes/{dish}")).await.data();
    assert_eq!((&recipe["menuItemId"], &recipe["yield"]), (&json!(dish), &json!(1)));
    assert!(
        recipe["costCents"].as_i64().unwrap() > 0 && recipe["ingredients"][0]["name"].is_string(),
        "{recipe}"
    );
    let (rice, milk) = (house.stock("Rice"), house.stock("Milk"));
    let wrong = json!({"yield": 0, "ingredients": [{"inventoryItemId": rice, "quantity": 0, "unit": "g"}, {"quantity": 1, "unit": "g"}]});
    let refused =
        owner.put(&format!("/inventory/recipes/{dish}"), wrong).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["yield", "ingredients[0].quantity", "ingredients[1]"]);
    let wrong = json!({"ingredients": [{"inventoryItemId": rice, "quantity": 1, "unit": "ml"}, {"inventoryItemId": dish, "quantity": 1, "unit": "g"}]});
    let refused =
        owner.put(&format!("/inventory/recipes/{dish}"), wrong).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["ingredients[0].unit", "ingredients[1].inventoryItemId"]);
    let inner = json!({"name": "Inner", "yield": 2, "unit": "kg", "ingredients": [{"inventoryItemId": rice, "quantity": 1, "unit": "kg"}]});
    let inner = owner.post("/inventory/preparations", inner).await.expect(201).data();
    assert_eq!(inner["costCents"], 3_000);
    let inner = inner["id"].as_str().unwrap().to_owned();
    let outer = json!({"name": "Outer", "yield": 1, "unit": "kg", "ingredients": [{"subRecipeId": inner, "quantity": 500, "unit": "g"}]});
    let outer = owner.post("/inventory/preparations", outer).await.expect(201).data()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let circle = json!({"ingredients": [{"subRecipeId": outer, "quantity": 1, "unit": "kg"}]});
    owner.patch(&format!("/inventory/preparations/{inner}"), circle).await.refused(422, "PAYLOAD_VALIDATION");
    let renamed = owner
        .patch(&format!("/inventory/preparations/{inner}"), json!({"name": "Within", "yield": 4}))
        .await
        .data();
    assert_eq!(
        (&renamed["name"], &renamed["costCents"], &renamed["version"]),
        (&json!("Within"), &json!(1_500), &json!(2))
    );
    owner.delete(&format!("/inventory/preparations/{inner}")).await.refused(409, "CONFLICT");
    assert_eq!(owner.get("/inventory/preparations?q=wit").await.json()["meta"]["total"], 1);
    assert_eq!(owner.get(&format!("/inventory/preparations/{outer}")).await.data()["costCents"], 750);
    let new = json!({"yield": 2, "ingredients": [{"subRecipeId": outer, "quantity": 0.5, "unit": "kg"}, {"inventoryItemId": milk, "quantity": 100, "unit": "ml"}]});
    let set = owner.put(&format!("/inventory/recipes/{dish}"), new).await.expect(200).data();
    assert_eq!((&set["version"], &set["costCents"]), (&json!(2), &json!(188 + 300)));
    owner.delete(&format!("/inventory/recipes/{dish}")).await.expect(200);
    owner.get(&format!("/inventory/recipes/{dish}")).await.refused(404, "NOT_FOUND");
    let option = house.option("No spice");
    let less = owner.get(&format!("/menu/modifier-options/{option}/recipe")).await.data();
    assert_eq!((&less["optionId"], &less["ingredients"][0]["quantity"]), (&json!(option), &json!(-5)));
    let more = json!({"ingredients": [{"inventoryItemId": milk, "quantity": -1, "unit": "l"}]});
    owner.put(&format!("/menu/modifier-options/{option}/recipe"), more.clone()).await.expect(200);
    owner.delete(&format!("/menu/modifier-options/{option}/recipe")).await.expect(200);
    owner.put(&format!("/menu/modifier-options/{rice}/recipe"), more).await.refused(404, "NOT_FOUND");
}

#[tokio::test]
async fn a_recall_finds_the_orders_a_batch_went_into() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let order = house.place(&house.owner, house.counter(&[("Paneer Tikka", 2)])).await;
    let batches =
        house.owner.get(&format!("/inventory/items/{}/batches", house.stock("Paneer"))).await.json();
    let first = batches["data"].as_array().unwrap().iter().find(|b| b["batchNumber"] == "Paneer-1").unwrap();
    let id = first["id"].as_str().unwrap();
    let trace = house.owner.get(&format!("/inventory/batches/{id}/trace")).await.data();
    assert_eq!((&trace["ordersCount"], &trace["itemName"]), (&json!(1), &json!("Paneer")));
    assert_eq!(trace["orders"][0]["orderNumber"], order["orderNumber"]);
    let left = first["quantity"].as_f64().unwrap() + trace["orders"][0]["quantity"].as_f64().unwrap();
    assert!((left - 2.0).abs() < 1e-9, "what is left and what was sold is what came");
}

#[tokio::test]
async fn suppliers_are_kept_by_the_storekeeper() {
    let branch = Branch::start().await;
    let keeper = branch.sign_in(Role::Storekeeper);
    let body = json!({"name": "Nandi Dairy", "email": "dispatch@nandi.example", "leadTimeDays": 2});
    let made = keeper.post("/inventory/suppliers", body.clone()).await.expect(201).data();
    let id = made["id"].as_str().unwrap();
    keeper.post("/inventory/suppliers", body).await.refused(409, "CONFLICT");
    let bad = keeper.post("/inventory/suppliers", json!({"name": "", "leadTimeDays": 9999})).await;
    assert_eq!(bad.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["leadTimeDays", "name"]);
    let changed = keeper
        .patch(&format!("/inventory/suppliers/{id}"), json!({"phone": "1", "email": null}))
        .await
        .data();
    assert_eq!(
        (&changed["version"], &changed["email"], &changed["leadTimeDays"]),
        (&json!(2), &Value::Null, &json!(2))
    );
    keeper
        .patch(&format!("/inventory/suppliers/{id}"), json!({"email": "nonsense"}))
        .await
        .refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(keeper.get(&format!("/inventory/suppliers/{id}")).await.data()["phone"], "1");
    assert_eq!(keeper.get("/inventory/suppliers?q=nandi").await.json()["meta"]["total"], 1);
    keeper.delete(&format!("/inventory/suppliers/{id}")).await.expect(200);
    keeper.get(&format!("/inventory/suppliers/{id}")).await.refused(404, "NOT_FOUND");
}

/// complaints.md row 13.
#[tokio::test]
async fn another_outlets_stock_is_unknown() {
    let branch = Branch::start().await;
    let keeper = branch.sign_in(Role::Storekeeper);
    let id = item(&keeper, "Salt", "kg").await;
    put_in(&keeper, &id, "s", json!(1), json!(10), None).await;
    let batches = keeper.get(&format!("/inventory/items/{id}/batches")).await.json();
    let batch = batches["data"][0]["id"].as_str().unwrap();
    let other = branch.second_outlet().await;
    let stranger = branch.sign_in_at(Role::Owner, other);
    assert_eq!(stranger.get("/inventory/items").await.json()["totalCount"], 0);
    stranger.get(&format!("/inventory/items/{id}")).await.refused(404, "NOT_FOUND");
    stranger.get(&format!("/inventory/items/{id}/batches")).await.refused(404, "NOT_FOUND");
    stranger.get(&format!("/inventory/items/{id}/movements")).await.refused(404, "NOT_FOUND");
    stranger
        .patch(&format!("/inventory/items/{id}"), json!({"name": "Mine"}))
        .await
        .refused(404, "NOT_FOUND");
    stranger.delete(&format!("/inventory/items/{id}")).await.refused(404, "NOT_FOUND");
    stranger.get(&format!("/inventory/batches/{batch}/trace")).await.refused(404, "NOT_FOUND");
    let body = json!({"inventoryItemId": id, "quantityDelta": 1, "reason": "x"});
    stranger.post("/inventory/adjustments", body).await.refused(422, "PAYLOAD_VALIDATION");
    stranger.get("/inventory/items/not-an-id").await.refused(400, "BAD_REQUEST");
}

/// A dish of one gram of something there are `grams` of.
async fn rare_dish(house: &House, grams: i64) -> (String, String) {
    let owner = &house.owner;
    let stock = item(owner, "Saffron", "g").await;
    put_in(owner, &stock, "s1", json!(grams), json!(30_000), None).await;
    let category = owner.post("/menu/categories", json!({"name": "Rare"})).await.expect(201).data();
    let dish = json!({"categoryId": category["id"], "name": "Saffron milk", "priceCents": 25_000});
    let dish = owner.post("/menu/items", dish).await.expect(201).data()["id"].as_str().unwrap().to_owned();
    let recipe = json!({"ingredients": [{"inventoryItemId": stock, "quantity": 1000, "unit": "mg"}]});
    owner.put(&format!("/inventory/recipes/{dish}"), recipe).await.expect(200);
    (stock, dish)
}

fn order_of(dish: &str, quantity: i64) -> Value {
    json!({"orderType": "COUNTER", "items": [{"menuItemId": dish, "quantity": quantity, "unitPriceCents": 25_000}]})
}

#[tokio::test]
async fn thirty_two_tills_sell_the_last_ten_portions_once() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (stock, dish) = rare_dish(&house, 10).await;
    let outlet = format!("/outlets/{}", branch.outlet_id);
    house.owner.patch(&outlet, json!({"stockPolicy": "BLOCK"})).await.expect(200);
    let tills = (0..32).map(|_| house.owner.post("/orders", order_of(&dish, 1)));
    let replies = futures_util::future::join_all(tills).await;
    assert_eq!(replies.iter().filter(|reply| reply.status == 201).count(), 10);
    for reply in replies.into_iter().filter(|reply| reply.status != 201) {
        let fields = reply.refused(422, "PAYLOAD_VALIDATION").invalid_fields();
        assert!(fields[0].starts_with("items[0]."), "{fields:?}");
    }
    assert_eq!(house.on_hand("Saffron").await, 0);
    let sales = house.owner.get(&format!("/inventory/items/{stock}/movements?kind=SALE")).await.json();
    assert_eq!(sales["meta"]["total"], 10);
}

/// complaints.md row 8: void, then cancel, then cancel again: every batch is as it was.
#[tokio::test]
async fn a_void_and_a_cancellation_give_each_portion_back_once() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let paneer = house.stock("Paneer");
    let levels = || async {
        let batches = house.owner.get(&format!("/inventory/items/{paneer}/batches")).await.json();
        let mut levels: Vec<String> = batches["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|b| format!("{} {}", b["batchNumber"], b["quantity"]))
            .collect();
        levels.sort();
        levels
    };
    let before = levels().await;
    let placed = house.place(&house.owner, house.counter(&[("Paneer Tikka", 13)])).await;
    let path = format!("/orders/{}", placed["id"].as_str().unwrap());
    assert_ne!(levels().await, before);
    let order = house.owner.get(&path).await.expect(200).json();
    let line = order["items"][0]["id"].as_str().unwrap();
    let void = json!({"quantity": 4, "reason": "typed twice", "wasMade": false});
    house.owner.post(&format!("{path}/items/{line}/void"), void).await.data();
    let cancel = json!({"status": "CANCELLED", "reason": "left"});
    house.owner.patch(&format!("{path}/status"), cancel.clone()).await.expect(200);
    house.owner.patch(&format!("{path}/status"), cancel).await.refused(409, "INVALID_TRANSITION");
    assert_eq!(levels().await, before);
}

#[tokio::test]
async fn what_is_sold_without_stock_is_owed_and_settled() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (stock, dish) = rare_dish(&house, 2).await;
    house.owner.post("/orders", order_of(&dish, 5)).await.expect(201);
    let owed = house.owner.get(&format!("/inventory/items/{stock}")).await.data();
    assert_eq!(
        (&owed["currentStock"], &owed["deficitQuantity"], &owed["isLowStock"]),
        (&json!(-3), &json!(3), &json!(true))
    );
    let told = house.owner.get("/notifications").await.json();
    let told: Vec<&Value> =
        told["data"].as_array().unwrap().iter().filter(|n| n["type"] == "NEGATIVE_STOCK").collect();
    assert_eq!((told.len(), &told[0]["entity"]["id"]), (1, &json!(stock)));
    put_in(&house.owner, &stock, "s2", json!(10), json!(31_000), None).await;
    let settled = house.owner.get(&format!("/inventory/items/{stock}")).await.data();
    assert_eq!((&settled["currentStock"], &settled["deficitQuantity"]), (&json!(7), &json!(0)));
    assert_eq!(settled["activeBatches"][0]["quantity"], 7);
}
