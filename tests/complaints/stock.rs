//! Stock and its cost.

use crate::{id, path};
use edge::access::Role;
use futures_util::future::join_all;
use serde_json::{Value, json};
use tiffin_tests::{Branch, House};

async fn adjust(
    house: &House,
    item: &str,
    quantity: &str,
    unit: &str,
    cents: i64,
    batch: &str,
    expiry: Option<&str>,
) {
    let quantity: Value = serde_json::from_str(quantity).unwrap();
    let body = json!({
        "inventoryItemId": item, "quantityDelta": quantity, "unit": unit, "unitCostCents": cents, "batchNumber": batch,
        "expiryDate": expiry, "reason": "OPENING",
    });
    house.owner.post("/inventory/adjustments", body).await.expect(201);
}

/// What is left of each batch, by number.
async fn batches(house: &House, item: &str) -> Vec<(String, Value)> {
    let list =
        house.owner.get(&format!("/inventory/items/{item}/batches?limit=100")).await.expect(200).json();
    let mut found: Vec<_> = list["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|batch| (batch["batchNumber"].as_str().unwrap().to_owned(), batch["quantity"].clone()))
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

#[tokio::test]
async fn complaint_08_stock_or_cost_wrong_units_in_kits_and_fefo_across_batches() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    // Stock in kg, bought in crates of 12.5 kg, used in grams by a preparation within a preparation.
    let item = json!({
        "name": "Onions", "category": "Kitchen", "unit": "kg", "unitConversions": [{"unit": "crate", "factor": 12.5}],
    });
    let onions = owner.post("/inventory/items", item).await.expect(201).data();
    let onions = id(&onions);
    adjust(&house, onions, "1", "crate", 3_000, "expired", Some("2026-11-19")).await;
    adjust(&house, onions, "0.3", "kg", 4_000, "late", Some("2026-11-29")).await;
    adjust(&house, onions, "200", "g", 5_000, "soon", Some("2026-11-21")).await;
    let shown = house.on_hand("Onions").await;
    assert_eq!(shown, json!(0.5), "what has expired is not there");
    let paste = json!({"name": "Paste", "yield": 1, "unit": "kg", "ingredients": [
        {"inventoryItemId": onions, "quantity": 1.5, "unit": "kg"}]});
    let paste = owner.post("/inventory/preparations", paste).await.expect(201).data();
    let sauce = json!({"name": "Sauce", "yield": 500, "unit": "ml", "ingredients": [
        {"subRecipeId": id(&paste), "quantity": 100, "unit": "g"}, {"inventoryItemId": house.stock("Lemon"), "quantity": 0.5, "unit": "dozen"}]});
    let sauce = owner.post("/inventory/preparations", sauce).await.expect(201).data();
    let recipe = json!({"yield": 1, "ingredients": [{"subRecipeId": id(&sauce), "quantity": 0.5, "unit": "l"}, {"inventoryItemId": onions, "quantity": 10_000, "unit": "mg"}]});
    owner.put(&format!("/inventory/recipes/{}", house.dish("Kulfi")), recipe).await.expect(200);
    // One portion: 100 g of paste are 150 g of onions, and 10 g beside; half a dozen lemons.
    let order = house.place(owner, house.counter(&[("Kulfi", 2)])).await;
    assert_eq!(house.on_hand("Onions").await, json!(0.18));
    assert_eq!(house.on_hand("Lemon").await, json!(88));
    let left = batches(&house, onions).await;
    let quantity =
        |name: &str| left.iter().find(|(number, _)| number == name).map(|(_, quantity)| quantity.clone());
    assert_eq!(quantity("expired"), Some(json!(12.5)));
    assert_eq!(quantity("late"), Some(json!(0.18)));
    // 0.2 kg at 50.00 and 0.12 kg at 40.00: 14.80, to the millionth of a cent.
    let cost = "SELECT sum(cost_micros) FROM stock_movements m JOIN stock_items i ON i.id = m.stock_item_id
                WHERE i.name = 'Onions' AND m.kind = 'SALE'";
    assert_eq!(branch.number(cost).await, -1_480_000_000);
    // A void gives each quantity back to its own batch, and a second one nothing.
    let void = format!("{}/items/{}/void", path(&order), id(&order["items"][0]));
    owner
        .post(&void, json!({"quantity": 1, "reason": "changed their mind", "wasMade": false}))
        .await
        .expect(200);
    assert_eq!(house.on_hand("Onions").await, json!(0.34));
    owner.post(&void, json!({"reason": "changed their mind", "wasMade": false})).await.expect(200);
    assert_eq!(house.on_hand("Onions").await, json!(0.5));
    assert_eq!(house.on_hand("Lemon").await, json!(100));
    assert!(
        (400..500).contains(&owner.post(&void, json!({"reason": "again", "wasMade": false})).await.status)
    );
    let cancel = json!({"status": "CANCELLED", "reason": "left"});
    owner.patch(&format!("{}/status", path(&order)), cancel).await.expect(200);
    assert_eq!(house.on_hand("Onions").await, json!(0.5));
    let after = batches(&house, onions).await;
    let soon = after.iter().find(|(number, _)| number == "soon").unwrap();
    assert_eq!(soon.1, json!(0.2));
}

#[tokio::test]
async fn complaint_08_what_was_made_is_waste_and_is_not_given_back() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let order = house.place(owner, house.counter(&[("Paneer Tikka", 4)])).await;
    let void = format!("{}/items/{}/void", path(&order), id(&order["items"][0]));
    owner.post(&void, json!({"quantity": 1, "reason": "burnt", "wasMade": true})).await.expect(200);
    owner.post(&void, json!({"quantity": 5, "reason": "too many"})).await.refused(422, "PAYLOAD_VALIDATION");
    owner.post(&void, json!({"quantity": 2, "reason": "unwanted", "wasMade": false})).await.expect(200);
    // Four taken, two given back: one sold, one wasted.
    assert_eq!(house.on_hand("Paneer").await, json!(4.7));
    let order = owner.get(&path(&order)).await.json();
    assert_eq!(
        (&order["items"][0]["quantity"], &order["items"][0]["voidedQuantity"]),
        (&json!(1), &json!(3))
    );
    assert_eq!((&order["subtotalCents"], &order["totalAmountCents"]), (&json!(32_000), &json!(33_600)));
    // The ledger: every movement says before and after, and they follow each other.
    let paneer = house.stock("Paneer");
    let ledger =
        owner.get(&format!("/inventory/items/{paneer}/movements?limit=100")).await.expect(200).json();
    assert!(ledger["data"].as_array().unwrap().len() >= 5);
    let broken =
        "SELECT count(*) FROM stock_movements WHERE quantity_after <> quantity_before + quantity_delta";
    assert_eq!(branch.number(broken).await, 0);
}

#[tokio::test]
async fn complaint_08_a_shortfall_is_kept_and_settled_or_blocked() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    house.place(owner, house.counter(&[("Lemon Soda", 49)])).await;
    assert_eq!(house.on_hand("Water").await, json!(-1), "sold without stock, and known to be");
    adjust(&house, house.stock("Water"), "24", "pcs", 1_500, "next", None).await;
    assert_eq!(house.on_hand("Water").await, json!(23));
    owner.patch(&format!("/outlets/{}", branch.outlet_id), json!({"stockPolicy": "BLOCK"})).await.expect(200);
    let short = owner.post("/orders", house.counter(&[("Dal", 1), ("Bottled Water", 24)])).await;
    let fields = short.refused(422, "PAYLOAD_VALIDATION").invalid_fields();
    assert!(fields.iter().all(|field| field.starts_with("items[1]")), "{fields:?}");
    assert_eq!(house.on_hand("Water").await, json!(23));
    assert_eq!(house.on_hand("Lentils").await, json!(8), "a refused order takes nothing");
}

/// Where stock rules, the last portion is sold once; elsewhere staff sell on and are warned. Guests are told before ordering either way.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_portion_is_sold_once_and_the_dish_is_off_until_there_is_more() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let policy = async |policy: &str| {
        let path = format!("/outlets/{}", branch.outlet_id);
        house.owner.patch(&path, json!({"stockPolicy": policy})).await.expect(200);
    };
    policy("BLOCK").await;
    let count = json!({"inventoryItemId": house.stock("Paneer"), "countedQuantity": 0.15, "reason": "count"});
    house.owner.post("/inventory/adjustments", count).await.expect(201);
    let waiters = [branch.sign_in(Role::Waiter), branch.sign_in(Role::Waiter)];
    let order = house.counter(&[("Paneer Tikka", 1)]);
    let replies = join_all(waiters.iter().map(|waiter| waiter.post("/orders", order.clone()))).await;
    let (sold, refused): (Vec<_>, Vec<_>) = replies.into_iter().partition(|reply| reply.status == 201);
    assert_eq!((sold.len(), refused.len()), (1, 1));
    let fields = refused[0].clone().refused(422, "PAYLOAD_VALIDATION").invalid_fields();
    assert_eq!(fields, ["items[0].menuItemId"]);
    assert_eq!(house.on_hand("Paneer").await, json!(0));
    policy("ALLOW_NEGATIVE").await;
    let on = house.place(&waiters[1], order.clone()).await;
    assert_eq!(on["warnings"][0]["code"], "OUT_OF_STOCK");
    assert_eq!(house.on_hand("Paneer").await, json!(-0.15), "known to be sold without stock");
    policy("BLOCK").await;
    // It comes back with the delivery, without anybody remembering to say so.
    adjust(&house, house.stock("Paneer"), "1", "kg", 40_000, "delivery", None).await;
    house.place(&waiters[0], order).await;
}

#[tokio::test]
async fn what_the_kitchen_says_by_hand_is_never_overruled_by_the_stock() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let kitchen = branch.sign_in(Role::Kitchen);
    let availability = format!("/menu/items/{}/availability", house.dish("Paneer Tikka"));
    let order = house.counter(&[("Paneer Tikka", 1)]);
    kitchen
        .put(&availability, json!({"status": "OUT_OF_STOCK", "reason": "the tandoor is cold"}))
        .await
        .expect(200);
    adjust(&house, house.stock("Paneer"), "1", "kg", 40_000, "delivery", None).await;
    house.owner.post("/orders", order.clone()).await.refused(422, "PAYLOAD_VALIDATION");
    kitchen.put(&availability, json!({"status": "IN_STOCK"})).await.expect(200);
    let count = json!({"inventoryItemId": house.stock("Paneer"), "countedQuantity": 0, "reason": "count"});
    house.owner.post("/inventory/adjustments", count).await.expect(201);
    house.place(&house.owner, order.clone()).await;
    house.place(&house.owner, order.clone()).await;
    assert_eq!(house.on_hand("Paneer").await, json!(-0.3), "known to be sold without stock");
    kitchen.delete(&availability).await.expect(200);
    let warned = house.place(&house.owner, order).await;
    assert_eq!(
        warned["warnings"][0]["code"], "OUT_OF_STOCK",
        "by the stock again, which warns staff and refuses nothing"
    );
}
