//! Splitting and merging orders: nothing is cooked, deducted or charged twice.

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, House};

fn id(order: &Value) -> &str {
    order["id"].as_str().unwrap()
}

fn path(order: &Value) -> String {
    format!("/orders/{}", id(order))
}

fn cents(value: &Value, field: &str) -> i64 {
    value[field].as_i64().unwrap_or_else(|| panic!("no {field} in {value}"))
}

async fn open() -> (Branch, House, Client) {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let manager = branch.sign_in(Role::Manager);
    (branch, house, manager)
}

/// Complaint 4 and 8: what is split is neither cooked nor deducted twice, and the parts add up.
#[tokio::test]
async fn splitting_by_items_moves_portions_and_adds_up() {
    let (branch, house, manager) = open().await;
    let odd = json!({"cashRoundingCents": 100, "serviceCharge": {"bps": 750, "automatic": true, "orderTypes": ["DINE_IN", "TAKEAWAY", "DELIVERY", "COUNTER"]}});
    house.owner.patch(&format!("/outlets/{}", branch.outlet_id), odd).await.expect(200);
    let order =
        house.place(&manager, house.at_table(3, &[("Dal", 3), ("Steamed Rice", 1), ("Lassi", 2)])).await;
    let cut = json!({"type": "FIXED", "value": 1_111, "reason": "regulars"});
    manager.post(&format!("{}/discounts", path(&order)), cut).await.expect(201);
    let cut = json!({"type": "PERCENT", "value": 7.5, "itemId": order["items"][0]["id"], "reason": "late"});
    let before = manager.post(&format!("{}/discounts", path(&order)), cut).await.expect(201).data();
    let tickets = branch.number("SELECT count(*) FROM kitchen_tickets").await;
    let moves = branch.number("SELECT count(*) FROM stock_movements").await;
    let split = format!("{}/split", path(&order));
    let wrong = json!({"items": [{"orderItemId": order["items"][0]["id"], "quantity": 4}, {"orderItemId": order["id"]}]});
    let wrong = manager.post(&split, wrong).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields();
    assert_eq!(wrong, ["items[0].quantity", "items[1].orderItemId"]);
    manager
        .post(&format!("/orders/{}/split", id(&order)), json!({"seat": 1, "equally": 2}))
        .await
        .refused(422, "PAYLOAD_VALIDATION");
    let take = json!({"items": [
        {"orderItemId": order["items"][0]["id"], "quantity": 2}, {"orderItemId": order["items"][2]["id"]}
    ]});
    let parts = manager.post(&split, take).await.expect(201).data()["orders"].clone();
    assert_eq!(parts[0]["id"], order["id"]);
    assert_eq!(parts[1]["orderNumber"], "BLR1-261120-0002");
    // Each is rounded as a bill is, so together they may be a step away from the whole.
    let totals = cents(&parts[0], "totalAmountCents") + cents(&parts[1], "totalAmountCents");
    assert!((totals - cents(&before, "totalAmountCents")).abs() <= 100);
    for part in parts.as_array().unwrap() {
        let sum = cents(part, "subtotalCents") - cents(part, "discountCents")
            + cents(part, "serviceChargeCents")
            + cents(part, "taxCents")
            + cents(part, "roundingCents");
        assert_eq!(sum, cents(part, "totalAmountCents"));
    }
    assert_eq!(branch.number("SELECT count(*) FROM kitchen_tickets").await, tickets);
    assert_eq!(branch.number("SELECT count(*) FROM stock_movements").await, moves);
    // Voiding a portion that was split off gives its ingredients back once.
    let dal = parts[1]["items"].as_array().unwrap().iter().find(|item| item["name"] == "Dal").unwrap();
    let void = json!({"quantity": 2, "reason": "not wanted", "wasMade": false});
    manager
        .post(&format!("{}/items/{}/void", path(&parts[1]), dal["id"].as_str().unwrap()), void)
        .await
        .expect(200);
    assert_eq!(house.on_hand("Lentils").await, json!(7.91));
    for part in parts.as_array().unwrap() {
        manager.patch(&format!("{}/status", path(part)), json!({"status": "CANCELLED"})).await.expect(200);
    }
    assert_eq!(house.on_hand("Lentils").await, json!(8));
    assert_eq!(house.on_hand("Milk").await, json!(20));
}

#[tokio::test]
async fn splitting_by_seat_and_equally() {
    let (_branch, house, manager) = open().await;
    let mut body = house.at_table(5, &[("Dal", 1), ("Lassi", 1), ("Kulfi", 1)]);
    for (index, seat) in [1, 2, 2].into_iter().enumerate() {
        body["items"][index]["seatNumber"] = json!(seat);
    }
    let order = house.place(&manager, body).await;
    let split = format!("{}/split", path(&order));
    let shares = manager.post(&split, json!({"equally": 4})).await.expect(201).data();
    assert_eq!(shares["orders"].as_array().unwrap().len(), 1);
    let amounts: Vec<i64> =
        shares["shares"].as_array().unwrap().iter().map(|share| cents(share, "amountCents")).collect();
    assert_eq!(amounts.iter().sum::<i64>(), cents(&order, "dueCents"));
    assert_eq!(amounts.len(), 4);
    assert_eq!(manager.post(&split, json!({"seat": 9})).await.expect(422).invalid_fields(), ["seat"]);
    let parts = manager.post(&split, json!({"seats": [1, 2]})).await.expect(201).data()["orders"].clone();
    assert_eq!(parts.as_array().unwrap().len(), 2, "the last seat keeps the order");
    assert_eq!(parts[1]["items"].as_array().unwrap().len(), 1);
    let sum = cents(&parts[0], "totalAmountCents") + cents(&parts[1], "totalAmountCents");
    assert_eq!(sum, cents(&order, "totalAmountCents"));
    for part in parts.as_array().unwrap() {
        house.settle(&manager, part).await;
        manager.patch(&format!("{}/status", path(part)), json!({"status": "COMPLETED"})).await.expect(200);
    }
    manager.post(&split, json!({"equally": 2})).await.refused(409, "INVALID_TRANSITION");
}

#[tokio::test]
async fn merging_moves_every_line_and_cooks_nothing_again() {
    let (branch, house, manager) = open().await;
    let first = house.place(&manager, house.at_table(6, &[("Dal", 1)])).await;
    let second = house.place(&manager, house.at_table(7, &[("Lassi", 2), ("Kulfi", 1)])).await;
    let tickets = branch.number("SELECT count(*) FROM kitchen_tickets").await;
    let merge = format!("{}/merge", path(&first));
    let wrong = json!({"orderIds": [first["id"], house.dish("Dal"), second["id"], second["id"]]});
    let wrong = manager.post(&merge, wrong).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields();
    assert_eq!(wrong, ["orderIds[0]", "orderIds[1]", "orderIds[3]"]);
    let whole = manager
        .post(&format!("/orders/{}/merge", id(&first)), json!({"orderIds": [second["id"]]}))
        .await
        .expect(200)
        .data();
    assert_eq!(whole["items"].as_array().unwrap().len(), 3);
    let sum = cents(&first, "totalAmountCents") + cents(&second, "totalAmountCents");
    assert_eq!(cents(&whole, "totalAmountCents"), sum);
    let gone = manager.get(&path(&second)).await.expect(200).json();
    assert_eq!((&gone["status"], cents(&gone, "totalAmountCents")), (&json!("CANCELLED"), 0));
    let reason = gone["statusHistory"].as_array().unwrap().last().unwrap()["reason"].clone();
    assert_eq!(reason, "Merged into BLR1-261120-0001");
    assert_eq!(branch.number("SELECT count(*) FROM kitchen_tickets WHERE type = 'NEW'").await, tickets);
    assert_eq!(house.on_hand("Milk").await, json!(19.4));
    manager.post(&merge, json!({"orderIds": [second["id"]]})).await.refused(409, "INVALID_TRANSITION");
    // The kitchen's progress reaches the order that has the lines now.
    let all = manager.get("/kitchen/tickets").await.expect(200).data();
    for ticket in all.as_array().unwrap() {
        let ticket = ticket["id"].as_str().unwrap();
        manager.post(&format!("{}/fire", path(&first)), json!({"course": 3})).await;
        manager.post(&format!("/kitchen/tickets/{ticket}/start"), json!({})).await;
        manager.post(&format!("/kitchen/tickets/{ticket}/ready"), json!({})).await;
    }
    assert_eq!(manager.get(&path(&first)).await.json()["status"], "READY");
}
