//! `/inventory/stocktakes`: several people count, the kitchen goes on selling, and only what is really missing is booked.

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, House};

fn id(record: &Value) -> &str {
    record["id"].as_str().unwrap()
}

async fn open(client: &Client, body: Value) -> String {
    id(&client.post("/inventory/stocktakes", body).await.expect(201).data()).to_owned()
}

fn counted(house: &House, item: &str, quantity: Value) -> Value {
    json!({"inventoryItemId": house.stock(item), "countedQuantity": quantity})
}

async fn count(client: &Client, stocktake: &str, lines: Vec<Value>) -> Value {
    let path = format!("/inventory/stocktakes/{stocktake}/counts");
    client.post(&path, json!({"lines": lines})).await.expect(200).data()
}

async fn close(client: &Client, stocktake: &str, body: Value) -> Value {
    client.post(&format!("/inventory/stocktakes/{stocktake}/close"), body).await.expect(200).data()
}

/// The line of an item as a whole.
fn line<'a>(stocktake: &'a Value, item: &str) -> &'a Value {
    let lines = stocktake["lines"].as_array().unwrap();
    lines.iter().find(|line| line["name"] == item && line["batchNumber"].is_null()).unwrap()
}

const VARIANCE: &str =
    "SELECT coalesce(sum(cost_micros) / 1000000, 0) FROM stock_movements WHERE kind = 'STOCKTAKE'";

#[tokio::test]
async fn what_is_sold_while_counting_is_no_variance() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (manager, cook, keeper) =
        (branch.sign_in(Role::Manager), branch.sign_in(Role::Kitchen), branch.sign_in(Role::Storekeeper));
    cook.post("/inventory/stocktakes", json!({})).await.refused(403, "FORBIDDEN");
    let take = open(&manager, json!({"name": "Friday"})).await;
    let sell = || house.place(&manager, house.counter(&[("Lassi", 4), ("Steamed Rice", 5)]));
    sell().await;
    // 20 l of milk less one: a litre is missing. 10 kg of rice less 0.6: 0.1 kg too much.
    count(&cook, &take, vec![counted(&house, "Milk", json!(18))]).await;
    let rice = json!({"inventoryItemId": house.stock("Rice"), "countedQuantity": 9_500, "unit": "g"});
    count(&keeper, &take, vec![rice]).await;
    branch.pass(60_000);
    sell().await;
    let view = manager.get(&format!("/inventory/stocktakes/{take}")).await.expect(200).data();
    assert_eq!((&view["itemsCount"], &view["countedCount"]), (&json!(10), &json!(2)));
    let milk = line(&view, "Milk");
    assert_eq!(
        (&milk["expectedQuantity"], &milk["countedQuantity"], &milk["varianceQuantity"], &milk["countedBy"]),
        (&json!(19), &json!(18), &json!(-1), &json!("KITCHEN")),
    );
    assert_eq!(line(&view, "Lentils")["expectedQuantity"], 8);
    cook.post(&format!("/inventory/stocktakes/{take}/close"), json!({})).await.refused(403, "FORBIDDEN");
    let closed = close(&manager, &take, json!({})).await;
    assert_eq!((&closed["status"], &closed["uncounted"]), (&json!("CLOSED"), &json!("KEEP")));
    // A litre at 60, 100 g at 60 a kilo.
    assert_eq!(line(&closed, "Milk")["varianceCostCents"], -6_000);
    assert_eq!(
        (&line(&closed, "Rice")["varianceQuantity"], &line(&closed, "Rice")["varianceCostCents"]),
        (&json!(0.1), &json!(600))
    );
    assert_eq!(
        (&closed["varianceCostCents"], &closed["foundCostCents"], &closed["missingCostCents"]),
        (&json!(-5_400), &json!(600), &json!(-6_000)),
    );
    assert_eq!(branch.number(VARIANCE).await, -5_400);
    assert_eq!((house.on_hand("Milk").await, house.on_hand("Rice").await), (json!(17), json!(8.9)));
    assert_eq!(house.on_hand("Lentils").await, 8);
    assert_eq!(branch.number("SELECT count(*) FROM audit_log WHERE action = 'inventory.stocktake'").await, 1);
    for path in ["counts", "close", "cancel"] {
        let lines = vec![counted(&house, "Milk", json!(1))];
        let path = format!("/inventory/stocktakes/{take}/{path}");
        manager.post(&path, json!({"lines": lines})).await.refused(409, "CONFLICT");
    }
    let list = manager.get("/inventory/stocktakes?status=CLOSED").await.expect(200).json();
    assert_eq!((&list["meta"]["total"], &list["data"][0]["name"]), (&json!(1), &json!("Friday")));
}

#[tokio::test]
async fn a_recount_replaces_and_batches_can_be_counted_apart() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let keeper = branch.sign_in(Role::Storekeeper);
    let take =
        open(&keeper, json!({"inventoryItemIds": [house.stock("Paneer"), house.stock("Lemon")]})).await;
    let batch = |number: &str, quantity: Value| json!({"inventoryItemId": house.stock("Paneer"), "batchNumber": number, "countedQuantity": quantity});
    count(&keeper, &take, vec![counted(&house, "Paneer", json!(4)), counted(&house, "Lemon", json!(90))])
        .await;
    count(&keeper, &take, vec![counted(&house, "Lemon", json!(99))]).await;
    // Batch by batch after all: the count of the whole no longer stands.
    let view =
        count(&keeper, &take, vec![batch("Paneer-1", json!(1.5)), batch("Paneer-2", json!(3.25))]).await;
    assert!(line(&view, "Paneer")["countedQuantity"].is_null());
    assert_eq!((view["lines"].as_array().unwrap().len(), &view["countedCount"]), (3, &json!(2)));
    let closed = close(&keeper, &take, json!({"uncounted": "ZERO"})).await;
    let costs: Vec<&Value> =
        closed["lines"].as_array().unwrap().iter().map(|line| &line["varianceCostCents"]).collect();
    // A lemon at 5; half a kilo of the first batch at 400, a quarter more of the second at 420.
    assert_eq!(costs, [&json!(-500), &Value::Null, &json!(-20_000), &json!(10_500)]);
    assert_eq!(line(&closed, "Lemon")["timesCounted"], 2);
    assert_eq!(closed["varianceCostCents"], -10_000);
    assert_eq!(branch.number(VARIANCE).await, -10_000);
    assert_eq!((house.on_hand("Paneer").await, house.on_hand("Lemon").await), (json!(4.75), json!(99)));
    let wrong = open(&keeper, json!({"category": "kitchen"})).await;
    let lines = json!([
        {"inventoryItemId": house.dish("Dal"), "countedQuantity": 1},
        {"inventoryItemId": house.stock("Paneer"), "countedQuantity": 1, "batchNumber": "P9"},
        {"inventoryItemId": house.stock("Milk"), "countedQuantity": 1, "unit": "kg"},
        {"inventoryItemId": house.stock("Rice"), "countedQuantity": 1},
        {"inventoryItemId": house.stock("Rice"), "countedQuantity": 2},
    ]);
    let refused =
        keeper.post(&format!("/inventory/stocktakes/{wrong}/counts"), json!({"lines": lines})).await;
    assert_eq!(
        refused.refused(422, "PAYLOAD_VALIDATION").invalid_fields(),
        ["lines[0].inventoryItemId", "lines[1].batchNumber", "lines[2].unit", "lines[4].inventoryItemId"],
    );
    let view = keeper.get(&format!("/inventory/stocktakes/{wrong}")).await.data();
    assert_eq!(view["countedCount"], 0, "nothing of a refused count stays");
}

#[tokio::test]
async fn an_item_is_in_one_open_stocktake_only() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let take = open(owner, json!({"inventoryItemIds": [house.stock("Milk")], "name": "Fridge"})).await;
    let all = owner.post("/inventory/stocktakes", json!({})).await.refused(409, "CONFLICT");
    assert!(all.text.contains("Milk") && all.text.contains("Fridge"), "{}", all.text);
    let rice = open(owner, json!({"inventoryItemIds": [house.stock("Rice")]})).await;
    count(owner, &take, vec![counted(&house, "Milk", json!(0))]).await;
    for take in [&take, &rice] {
        owner.post(&format!("/inventory/stocktakes/{take}/cancel"), json!({})).await.expect(200);
    }
    assert_eq!(house.on_hand("Milk").await, 20);
    open(owner, json!({})).await;
    let twice = json!({"inventoryItemIds": [house.stock("Milk"), house.stock("Milk")]});
    let twice = owner.post("/inventory/stocktakes", twice).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(twice.invalid_fields(), ["inventoryItemIds[1]"]);
    let both = json!({"inventoryItemIds": [house.dish("Dal")], "category": "Kitchen"});
    let both = owner.post("/inventory/stocktakes", both).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(both.invalid_fields(), ["category"]);
    for (body, field) in [
        (json!({"inventoryItemIds": [house.dish("Dal")]}), "inventoryItemIds[0]"),
        (json!({"category": "Garage"}), "category"),
    ] {
        let refused = owner.post("/inventory/stocktakes", body).await.refused(422, "PAYLOAD_VALIDATION");
        assert_eq!(refused.invalid_fields(), [field]);
    }
}

#[tokio::test]
async fn a_blind_count_hides_what_is_expected_and_zero_empties_what_nobody_found() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (cook, manager) = (branch.sign_in(Role::Kitchen), branch.sign_in(Role::Manager));
    let body = json!({"inventoryItemIds": [house.stock("Cream"), house.stock("Chicken")], "blind": true});
    let take = open(&manager, body).await;
    let seen = count(&cook, &take, vec![counted(&house, "Cream", json!(4))]).await;
    let cream = line(&seen, "Cream");
    assert_eq!(cream["countedQuantity"], 4);
    assert!(cream["expectedQuantity"].is_null() && cream["varianceQuantity"].is_null());
    let view = cook.get(&format!("/inventory/stocktakes/{take}")).await.expect(200).data();
    assert!(line(&view, "Chicken")["expectedQuantity"].is_null());
    let view = manager.get(&format!("/inventory/stocktakes/{take}")).await.expect(200).data();
    assert_eq!(line(&view, "Chicken")["expectedQuantity"], 6);
    let closed = close(&manager, &take, json!({"uncounted": "ZERO"})).await;
    assert_eq!(line(&closed, "Chicken")["varianceQuantity"], -6);
    assert_eq!(closed["varianceCostCents"], -20_000 - 150_000);
    assert_eq!((house.on_hand("Chicken").await, house.on_hand("Cream").await), (json!(0), json!(4)));
    assert_eq!(branch.number(VARIANCE).await, -170_000);
}

#[tokio::test]
async fn a_count_settles_what_was_sold_without_stock() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    house.place(owner, house.counter(&[("Bottled Water", 50)])).await;
    let take = open(owner, json!({"inventoryItemIds": [house.stock("Water")]})).await;
    let view = count(owner, &take, vec![counted(&house, "Water", json!(6))]).await;
    assert_eq!(line(&view, "Water")["expectedQuantity"], -2);
    let closed = close(owner, &take, json!({})).await;
    assert_eq!(line(&closed, "Water")["varianceQuantity"], 8);
    assert_eq!(house.on_hand("Water").await, 6);
    assert_eq!(branch.number("SELECT deficit FROM stock_levels ORDER BY deficit DESC LIMIT 1").await, 0);
    // It was never 50 bottles that were there: found in the batch they came from.
    assert_eq!(branch.number("SELECT count(*) FROM stock_batches WHERE batch_number LIKE 'ADJ%'").await, 0);
}
