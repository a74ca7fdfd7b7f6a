//! What the kitchen makes ahead: a batch of gravy at the cost of what went in, which dishes take before the ingredients, and which every
//! trace goes through.

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, House};

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

async fn produce(house: &House, body: Value) -> Value {
    let path = format!("/inventory/preparations/{}/produce", house.stock("Gravy"));
    house.owner.post(&path, body).await.expect(201).data()
}

async fn item(client: &Client, id: &Value) -> Value {
    client.get(&format!("/inventory/items/{}", text(id))).await.expect(200).data()
}

async fn left(house: &House, item: &str) -> f64 {
    house.on_hand(item).await.as_f64().unwrap()
}

/// What is left of tomatoes, cream and spice.
async fn ingredients(house: &House) -> [f64; 3] {
    [left(house, "Tomatoes").await, left(house, "Cream").await, left(house, "Spice").await]
}

async fn batch_of(house: &House, item: &str) -> String {
    let path = format!("/inventory/items/{}/batches", house.stock(item));
    text(&house.owner.get(&path).await.json()["data"][0]["id"]).to_owned()
}

async fn trace(house: &House, batch: &str) -> Value {
    house.owner.get(&format!("/inventory/batches/{batch}/trace")).await.expect(200).data()
}

/// 2 l of gravy are 2.5 kg of tomatoes at 40, 0.2 l of cream at 200 and 40 g of spice at 0.50.
#[tokio::test]
async fn a_batch_of_gravy_costs_what_went_in_and_lies_in_the_store_room() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let preparation = format!("/inventory/preparations/{}", house.stock("Gravy"));
    let before = house.owner.get(&preparation).await.expect(200).data();
    assert_eq!((&before["inventoryItemId"], &before["preparedQuantity"]), (&Value::Null, &json!(0)));
    let made = produce(&house, json!({"quantity": 4, "expiryDate": "2026-11-21"})).await;
    assert_eq!(
        (&made["costCents"], &made["unit"], &made["warnings"]),
        (&json!(32_000), &json!("l"), &json!([]))
    );
    let batch = &made["batch"];
    assert_eq!((&batch["quantity"], &batch["unitCostCents"]), (&json!(4), &json!(8_000)));
    assert_eq!(
        (&batch["batchNumber"], &batch["sourceType"], &batch["expiryDate"]),
        (&json!("PRD-BLR1-261120-1"), &json!("PRODUCTION"), &json!("2026-11-21"))
    );
    assert_eq!(made["ingredients"].as_array().unwrap().len(), 3);
    assert_eq!(ingredients(&house).await, [5.0, 4.6, 1_920.0]);
    let after = house.owner.get(&preparation).await.expect(200).data();
    assert_eq!(
        (&after["inventoryItemId"], &after["preparedQuantity"]),
        (&batch["inventoryItemId"], &json!(4))
    );

    let gravy = item(&house.owner, &batch["inventoryItemId"]).await;
    assert_eq!((&gravy["name"], &gravy["preparationId"]), (&json!("Gravy"), &json!(house.stock("Gravy"))));
    assert_eq!((&gravy["currentStock"], &gravy["stockValueCents"]), (&json!(4), &json!(32_000)));
    let ledger = format!("/inventory/items/{}/movements", text(&batch["inventoryItemId"]));
    let movement = house.owner.get(&ledger).await.json()["data"][0].clone();
    assert_eq!((&movement["kind"], &movement["costCents"]), (&json!("PRODUCTION"), &json!(32_000)));
    assert_eq!(
        movement["cause"],
        json!({"type": "PREPARATION", "id": batch["id"], "orderId": null, "orderItemId": null})
    );

    // It is counted, thrown away and sold like any stock; making it was neither a sale nor a loss.
    let lost = json!({"inventoryItemId": batch["inventoryItemId"], "quantity": 500, "unit": "ml", "reason": "DROPPED"});
    let lost = house.owner.post("/waste-logs", lost).await.expect(201).data();
    assert_eq!(lost["costCents"], 4_000);
    house.place(&house.owner, house.counter(&[("Dal", 2)])).await;
    let figures = house.owner.get("/analytics/summary?period=TODAY").await.expect(200).json();
    // 180 g of lentils at 120 a kilo, and 100 ml of gravy at 80 a litre.
    assert_eq!(
        (&figures["cogsCents"], &figures["foodWasteCents"]),
        (&json!(2_160 + 800), &json!(4_000)),
        "{figures}"
    );
}

#[tokio::test]
async fn dishes_take_the_batch_first_and_the_ingredients_for_the_rest_and_all_of_it_comes_back() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let made = produce(&house, json!({"quantity": 0.15})).await;
    let gravy = made["batch"]["inventoryItemId"].clone();
    let before = ingredients(&house).await;
    let ready = async |house: &House| item(&house.owner, &gravy).await["currentStock"].clone();
    // 200 ml of gravy: what there is of it, and what goes into 50 ml; and 20 ml of cream of its own.
    let order = house.place(&house.owner, house.counter(&[("Butter Chicken", 1)])).await;
    assert_eq!(ready(&house).await, 0);
    let taken = ingredients(&house).await;
    assert_eq!(taken.map(|left| (left * 1e6).round()), [9_750_000.0, 4_960_000.0, 1_996e6]);
    assert_eq!(before.map(|left| (left * 1e6).round()), [9_812_500.0, 4_985_000.0, 1_997e6]);
    // With no gravy left, all of it is made of its ingredients.
    let second = house.place(&house.owner, house.counter(&[("Dal", 1)])).await;
    assert_eq!((left(&house, "Tomatoes").await * 1e6).round(), 9_687_500.0);
    for order in [&second, &order] {
        let line = format!("/orders/{}/items/{}/void", text(&order["id"]), text(&order["items"][0]["id"]));
        house.owner.post(&line, json!({"reason": "wrong table", "wasMade": false})).await.expect(200);
    }
    assert_eq!((ready(&house).await, ingredients(&house).await), (json!(0.15), before));

    // Throwing a dish away takes it as selling it does.
    let lost = json!({"menuItemId": house.dish("Dal"), "quantity": 4, "reason": "DROPPED"});
    house.owner.post("/waste-logs", lost).await.expect(201);
    assert_eq!(ready(&house).await, 0);
    assert_eq!((left(&house, "Tomatoes").await * 1e6).round(), 9_750_000.0);
}

#[tokio::test]
async fn what_expires_is_taken_last_and_never_when_its_date_has_passed() {
    let branch = Branch::start().await;
    let mut house = House::open(&branch).await;
    let late = produce(&house, json!({"quantity": 1})).await;
    let soon = produce(&house, json!({"quantity": 1, "expiryDate": "2026-11-20"})).await;
    assert_eq!(soon["batch"]["batchNumber"], "PRD-BLR1-261120-2");
    house.place(&house.owner, house.counter(&[("Dal", 4)])).await;
    let left = async |house: &House, made: &Value| {
        trace(house, text(&made["batch"]["id"])).await["batch"]["quantity"].clone()
    };
    assert_eq!((left(&house, &late).await, left(&house, &soon).await), (json!(1), json!(0.8)));
    branch.clock.advance(86_400_000);
    house.owner = branch.sign_in(Role::Owner);
    house.place(&house.owner, house.counter(&[("Dal", 4)])).await;
    assert_eq!((left(&house, &late).await, left(&house, &soon).await), (json!(0.8), json!(0.8)));
}

#[tokio::test]
async fn a_batch_of_tomatoes_is_traced_through_gravy_made_of_gravy_to_whoever_ate_of_it() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let sauce = json!({"name": "Makhani", "yield": 1, "unit": "l", "ingredients": [
        {"subRecipeId": house.stock("Gravy"), "quantity": 500, "unit": "ml"},
        {"inventoryItemId": house.stock("Cream"), "quantity": 500, "unit": "ml"}]});
    let sauce = house.owner.post("/inventory/preparations", sauce).await.expect(201).data()["id"].clone();
    let recipe = json!({"ingredients": [{"subRecipeId": sauce, "quantity": 100, "unit": "ml"}]});
    let path = format!("/inventory/recipes/{}", house.dish("Kulfi"));
    house.owner.put(&path, recipe).await.expect(200);

    let gravy = produce(&house, json!({"quantity": 1})).await;
    let path = format!("/inventory/preparations/{}/produce", text(&sauce));
    let sauce = house.owner.post(&path, json!({"quantity": 2})).await.expect(201).data();
    // All of the gravy goes into 2 l of it, with a litre of cream; nothing is taken of the tomatoes again.
    assert_eq!(sauce["costCents"], 8_000 + 20_000);
    assert_eq!(left(&house, "Tomatoes").await, 8.75);
    let first = house.place(&house.owner, house.counter(&[("Kulfi", 2)])).await;
    house.place(&house.owner, house.counter(&[("Lassi", 1)])).await;

    let found = trace(&house, &batch_of(&house, "Tomatoes").await).await;
    let made: Vec<&str> =
        found["madeInto"].as_array().unwrap().iter().map(|made| text(&made["name"])).collect();
    assert_eq!(made, ["Gravy", "Makhani"]);
    assert_eq!(found["madeInto"][1]["holdsQuantity"], 1.25);
    assert_eq!((&found["ordersCount"], &found["orders"][0]["orderId"]), (&json!(1), &first["id"]));
    // 200 ml of 2 l that hold 1.25 kg.
    assert_eq!(found["orders"][0]["quantity"], 0.125);

    let made_from = &trace(&house, text(&sauce["batch"]["id"])).await["madeFrom"];
    let names: Vec<&str> = made_from.as_array().unwrap().iter().map(|made| text(&made["name"])).collect();
    assert_eq!(names.iter().filter(|name| **name == "Tomatoes").count(), 1, "{made_from}");
    let of_order = house.owner.get(&format!("/orders/{}/trace", text(&first["id"]))).await.expect(200).data();
    let eaten = &of_order["items"][0]["ingredients"][0];
    assert_eq!(eaten["batchId"], sauce["batch"]["id"]);
    let of_gravy = |made: &&Value| made["madeBatchId"] == gravy["batch"]["id"];
    assert_eq!(eaten["madeFrom"].as_array().unwrap().iter().filter(of_gravy).count(), 3, "{eaten}");
}

#[tokio::test]
async fn dishes_can_be_made_while_there_is_gravy_or_what_goes_into_it() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let made = produce(&house, json!({"quantity": 0.12})).await;
    let none = json!({"inventoryItemId": house.stock("Tomatoes"), "countedQuantity": 0, "reason": "COUNT"});
    house.owner.post("/inventory/adjustments", none).await.expect(201);
    let dal = async || {
        let path = format!("/inventory/portions?menuItemId={}", house.dish("Dal"));
        house.owner.get(&path).await.expect(200).json()["data"][0].clone()
    };
    let there = dal().await;
    assert_eq!(
        (&there["portionsLeft"], &there["availability"]["status"]),
        (&json!(2), &json!("IN_STOCK")),
        "{there}"
    );
    assert_eq!(there["limitingItem"]["name"], "Tomatoes");
    house.place(&house.owner, house.counter(&[("Dal", 2)])).await;
    let gone = dal().await;
    assert_eq!((&gone["portionsLeft"], &gone["availability"]["status"]), (&json!(0), &json!("OUT_OF_STOCK")));
    // A count finds more of it.
    let found =
        json!({"inventoryItemId": made["batch"]["inventoryItemId"], "countedQuantity": 1, "reason": "COUNT"});
    house.owner.post("/inventory/adjustments", found).await.expect(201);
    let back = dal().await;
    assert_eq!((&back["portionsLeft"], &back["availability"]["status"]), (&json!(20), &json!("IN_STOCK")));
}

#[tokio::test]
async fn what_is_short_is_warned_of_or_refused_as_the_outlet_sells() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let path = format!("/inventory/preparations/{}/produce", house.stock("Gravy"));
    let made = produce(&house, json!({"quantity": 10})).await;
    assert_eq!(made["warnings"][0]["code"], "OUT_OF_STOCK");
    assert_eq!(made["warnings"][0]["message"], "Tomatoes: 2.5 kg more than there is");
    assert_eq!(made["costCents"], 80_000, "at what it cost last");
    let outlet = format!("/outlets/{}", branch.outlet_id);
    house.owner.patch(&outlet, json!({"stockPolicy": "BLOCK"})).await.expect(200);
    let short = house.owner.post(&path, json!({"quantity": 1})).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(short.invalid_fields(), ["quantity"]);
    assert!(short.text.contains("not enough stock: Tomatoes"), "{}", short.text);
    let refused = async |body: Value| {
        house.owner.post(&path, body).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields()
    };
    assert_eq!(refused(json!({"quantity": 0})).await, ["quantity"]);
    assert_eq!(refused(json!({"quantity": 1, "expiryDate": "2026-11-19"})).await, ["expiryDate"]);
    house
        .owner
        .post(&format!("/inventory/preparations/{}/produce", branch.outlet_id), json!({"quantity": 1}))
        .await
        .refused(404, "NOT_FOUND");
    // Cooks make it; who serves does not.
    let cook = branch.sign_in(Role::Kitchen);
    cook.post(&path, json!({"quantity": 0})).await.refused(422, "PAYLOAD_VALIDATION");
    branch.sign_in(Role::Waiter).post(&path, json!({"quantity": 1})).await.refused(403, "FORBIDDEN");
}

#[tokio::test]
async fn an_item_of_its_name_becomes_its_stock_where_it_can_and_is_in_the_way_where_it_cannot() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let own = json!({"name": "Gravy", "category": "Prepared", "unit": "ml"});
    let own = house.owner.post("/inventory/items", own).await.expect(201).data();
    let made = produce(&house, json!({"quantity": 2})).await;
    assert_eq!((&made["batch"]["inventoryItemId"], &made["unit"]), (&own["id"], &json!("ml")));
    assert_eq!((&made["batch"]["quantity"], &made["batch"]["unitCostCents"]), (&json!(2_000), &json!(8)));
    house.place(&house.owner, house.counter(&[("Dal", 1)])).await;
    assert_eq!(item(&house.owner, &own["id"]).await["currentStock"], 1_950);
    let renamed = format!("/inventory/preparations/{}", house.stock("Gravy"));
    house.owner.patch(&renamed, json!({"unit": "kg"})).await.refused(422, "PAYLOAD_VALIDATION");
    house.owner.patch(&renamed, json!({"name": "Red gravy"})).await.expect(200);
    assert_eq!(item(&house.owner, &own["id"]).await["name"], "Red gravy");

    let paste = json!({"name": "Rice", "yield": 1, "unit": "kg", "ingredients": [
        {"inventoryItemId": house.stock("Rice"), "quantity": 1, "unit": "kg"}]});
    let paste = house.owner.post("/inventory/preparations", paste).await.expect(201).data();
    let path = format!("/inventory/preparations/{}/produce", text(&paste["id"]));
    house.owner.post(&path, json!({"quantity": 1})).await.refused(409, "CONFLICT");
}

#[tokio::test]
async fn a_cook_reads_what_a_batch_takes_makes_it_and_reads_what_became_of_it() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let cook = branch.sign_in(Role::Kitchen);
    let gravy = cook.get("/inventory/preparations").await.expect(200).json()["data"][0].clone();
    let path = format!("/inventory/preparations/{}", house.stock("Gravy"));
    let shown = cook.get(&path).await.expect(200).data();
    assert_eq!((&shown["ingredients"], &shown["name"]), (&gravy["ingredients"], &json!("Gravy")));
    let made = cook.post(&format!("{path}/produce"), json!({"quantity": 1})).await.expect(201).data();
    let stock = text(&made["batch"]["inventoryItemId"]);
    let batches = cook.get(&format!("/inventory/items/{stock}/batches")).await.expect(200).data();
    assert_eq!(batches[0]["id"], made["batch"]["id"]);
    cook.get(&format!("/inventory/batches/{}/trace", text(&made["batch"]["id"]))).await.expect(200);
    // What goes in is not theirs to say.
    cook.patch(&path, json!({"yield": 3})).await.refused(403, "FORBIDDEN");
}

#[tokio::test]
async fn a_batch_keeps_as_long_as_its_preparation_says_unless_told_otherwise() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let path = format!("/inventory/preparations/{}", house.stock("Gravy"));
    let expiry = async |body: Value| produce(&house, body).await["batch"]["expiryDate"].clone();
    assert_eq!(expiry(json!({"quantity": 1})).await, Value::Null, "it keeps");
    let kept = house.owner.patch(&path, json!({"shelfLifeDays": 2})).await.expect(200).data();
    assert_eq!((&kept["shelfLifeDays"], &kept["yield"]), (&json!(2), &json!(2)));
    assert_eq!(expiry(json!({"quantity": 1})).await, "2026-11-22");
    assert_eq!(expiry(json!({"quantity": 1, "expiryDate": "2026-11-21"})).await, "2026-11-21");
    let same = house.owner.patch(&path, json!({"yield": 2})).await.expect(200).data();
    assert_eq!(same["shelfLifeDays"], 2, "what is not named stays");
    let long = house.owner.patch(&path, json!({"shelfLifeDays": 3_651})).await;
    assert_eq!(long.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["shelfLifeDays"]);
    // By a file, too; a dish is not made ahead.
    let file = house.owner.get("/inventory/recipes/export?format=csv").await.expect(200).text;
    assert!(file.lines().next().unwrap().contains(",unit,shelfLifeDays,"), "{file}");
    let import = "/inventory/recipes/import";
    let same = house.owner.post_raw(import, "text/csv", file).await.expect(200).data();
    assert_eq!(same["unchanged"], same["rows"], "{same}");
    let shorter = "preparation,shelfLifeDays\nGravy,0\n";
    house.owner.post_raw(import, "text/csv", shorter).await.expect(200);
    assert_eq!(expiry(json!({"quantity": 1})).await, "2026-11-20");
    let dish = "dish,shelfLifeDays\nDal,1\n";
    let refused = house.owner.post_raw(import, "text/csv", dish).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["rows[2].shelfLifeDays"]);
    let keeps = house.owner.patch(&path, json!({"shelfLifeDays": null})).await.expect(200).data();
    assert_eq!(keeps["shelfLifeDays"], Value::Null);
}

#[tokio::test]
async fn what_a_preparation_is_kept_as_stays_as_long_as_the_preparation() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let made = produce(&house, json!({"quantity": 1})).await;
    let kept = format!("/inventory/items/{}", text(&made["batch"]["inventoryItemId"]));
    let refused = house.owner.delete(&kept).await.refused(409, "CONFLICT");
    assert!(refused.text.contains("Gravy is used by: Gravy"), "{}", refused.text);
}
