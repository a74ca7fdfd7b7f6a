//! `/inventory/transfers`: stock that goes to another outlet, keeps its batch, its date and its cost, and comes there once.

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_common::Uuid;
use tiffin_tests::{Branch, Client, House, Reply};

fn id(record: &Value) -> &str {
    record["id"].as_str().unwrap()
}

async fn make_item(client: &Client, name: &str, unit: &str, sku: Option<&str>) -> String {
    let body = json!({"name": name, "category": "Kitchen", "unit": unit, "sku": sku});
    id(&client.post("/inventory/items", body).await.expect(201).data()).to_owned()
}

async fn stock_of(client: &Client, item: &str) -> Value {
    client.get(&format!("/inventory/items/{item}")).await.expect(200).data()["currentStock"].clone()
}

/// The house, another outlet, and its owner.
async fn two_outlets(branch: &Branch) -> (House, Uuid, Client) {
    let house = House::open(branch).await;
    let other = branch.second_outlet().await;
    let there = branch.sign_in_at(Role::Owner, other);
    (house, other, there)
}

async fn send(house: &House, to: Uuid, items: Value) -> Value {
    let body = json!({"toOutletId": to, "items": items});
    house.owner.post("/inventory/transfers", body).await.expect(201).data()
}

async fn call_back(client: &Client, transfer: &Value, body: Value) -> Reply {
    client.post(&format!("/inventory/transfers/{}/cancel", id(transfer)), body).await
}

#[tokio::test]
async fn batches_arrive_with_their_number_date_and_cost() {
    let branch = Branch::start().await;
    let (house, other, there) = two_outlets(&branch).await;
    let paneer = make_item(&there, "Paneer", "KG", None).await;
    let items = json!([{"inventoryItemId": house.stock("Paneer"), "quantity": 3_500, "unit": "g"}]);
    let sent = send(&house, other, items).await;
    assert_eq!((&sent["transferNumber"], &sent["status"]), (&json!("TR-BLR1-261120-001"), &json!("SENT")));
    // 2 kg at 400 that go first, 1.5 kg at 420.
    assert_eq!((&sent["costCents"], &sent["linesCount"]), (&json!(143_000), &json!(2)));
    assert_eq!(house.on_hand("Paneer").await, 1.5);
    assert_eq!(stock_of(&there, &paneer).await, 0);
    let waiting = there.get("/inventory/transfers?direction=IN&status=SENT").await.expect(200).json();
    assert_eq!((&waiting["meta"]["total"], &waiting["data"][0]["direction"]), (&json!(1), &json!("IN")));
    let path = format!("/inventory/transfers/{}", id(&sent));
    house.owner.post(&format!("{path}/receive"), json!({})).await.refused(409, "CONFLICT");
    call_back(&there, &sent, json!({})).await.refused(409, "CONFLICT");
    let receive = format!("/inventory/transfers/{}/receive", id(&sent));
    let got = there.post(&receive, json!({})).await.expect(200).data();
    assert_eq!((&got["status"], &got["shortfallCostCents"]), (&json!("RECEIVED"), &json!(0)));
    assert_eq!(stock_of(&there, &paneer).await, 3.5);
    let batches = there.get(&format!("/inventory/items/{paneer}/batches")).await.json()["data"].clone();
    let batch = batches.as_array().unwrap().iter().find(|b| b["batchNumber"] == "Paneer-1").unwrap();
    assert_eq!(
        (&batch["quantity"], &batch["expiryDate"], &batch["unitCostCents"], &batch["sourceType"]),
        (&json!(2), &json!("2026-11-22"), &json!(40_000), &json!("TRANSFER")),
    );
    let again = there
        .post(&receive, json!({"items": [{"inventoryItemId": house.stock("Paneer"), "quantityReceived": 1}]}))
        .await;
    assert_eq!(again.expect(200).data(), got, "it has come, once");
    call_back(&house.owner, &sent, json!({})).await.refused(409, "CONFLICT");
    assert_eq!(stock_of(&there, &paneer).await, 3.5);
    let moved = "SELECT coalesce(sum(cost_micros), 0) FROM stock_movements WHERE kind IN ('TRANSFER_IN', 'TRANSFER_OUT')";
    assert_eq!(branch.number(moved).await, 0, "what one outlet gave is what the other got");
    let seen = house.owner.get(&format!("/inventory/transfers/{}", id(&sent))).await.expect(200).data();
    assert_eq!((&seen["status"], &seen["receivedBy"]), (&json!("RECEIVED"), &json!("OWNER")));
    let stranger = branch.sign_in_at(Role::Owner, branch.outlet("BLR3").await);
    stranger.get(&path).await.refused(404, "NOT_FOUND");
    assert_eq!(stranger.get("/inventory/transfers").await.json()["meta"]["total"], 0);
    let again = send(&house, other, json!([{"inventoryItemId": house.stock("Rice"), "quantity": 1}])).await;
    assert_eq!(again["transferNumber"], "TR-BLR1-261120-002");
}

#[tokio::test]
async fn a_transfer_called_back_returns_each_quantity_to_its_batch_once() {
    let branch = Branch::start().await;
    let (house, other, there) = two_outlets(&branch).await;
    let sent = send(
        &house,
        other,
        json!([
            {"inventoryItemId": house.stock("Paneer"), "quantity": 1, "batchNumber": "Paneer-2"},
            {"inventoryItemId": house.stock("Paneer"), "quantity": 3},
        ]),
    )
    .await;
    let lines = sent["lines"].as_array().unwrap();
    let taken: Vec<Value> = lines.iter().map(|l| json!([l["batchNumber"], l["quantity"]])).collect();
    assert_eq!(taken, [json!(["Paneer-2", 1]), json!(["Paneer-1", 2]), json!(["Paneer-2", 1])]);
    let (one, two) = tokio::join!(
        call_back(&house.owner, &sent, json!({"reason": "van broke down"})),
        call_back(&house.owner, &sent, json!({})),
    );
    let mut answers = [one.status, two.status];
    answers.sort_unstable();
    assert_eq!(answers, [200, 409]);
    assert_eq!(house.on_hand("Paneer").await, 5);
    let left = "SELECT count(*) FROM stock_batch_levels l JOIN stock_batches b ON b.id = l.batch_id
                WHERE (b.batch_number = 'Paneer-1' AND l.quantity = 2000000) OR (b.batch_number = 'Paneer-2' AND l.quantity = 3000000)";
    assert_eq!(branch.number(left).await, 2);
    there
        .post(&format!("/inventory/transfers/{}/receive", id(&sent)), json!({}))
        .await
        .refused(409, "CONFLICT");
    let list = house.owner.get("/inventory/transfers?status=CANCELLED&direction=OUT").await.json();
    assert_eq!(list["meta"]["total"], 1);
}

#[tokio::test]
async fn what_is_short_is_noted_and_told_and_items_are_found_by_code_or_named() {
    let branch = Branch::start().await;
    let (house, other, there) = two_outlets(&branch).await;
    let bulk = make_item(&house.owner, "Flour", "kg", Some("FL-1")).await;
    let opening = json!({"inventoryItemId": bulk, "batchNumber": "F", "quantityDelta": 5, "unitCostCents": 4_000, "reason": "OPENING"});
    house.owner.post("/inventory/adjustments", opening).await.expect(201);
    let flour = make_item(&there, "Maida", "g", Some("FL-1")).await;
    let rice = make_item(&there, "Basmati", "kg", None).await;
    let sent = send(
        &house,
        other,
        json!([
            {"inventoryItemId": bulk, "quantity": 2},
            {"inventoryItemId": house.stock("Rice"), "quantity": 4},
            {"inventoryItemId": house.stock("Lemon"), "quantity": 10},
        ]),
    )
    .await;
    let receive = format!("/inventory/transfers/{}/receive", id(&sent));
    let line = |n: usize| sent["lines"][n]["id"].clone();
    let bad = json!({"items": [
        {"lineId": line(0), "quantityReceived": 2.5}, {"lineId": line(0)}, {"lineId": house.dish("Dal")},
        {"lineId": line(1), "inventoryItemId": flour}, {"lineId": line(2), "inventoryItemId": house.stock("Lemon")},
    ]});
    let mut fields = there.post(&receive, bad).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields();
    fields.sort();
    assert_eq!(fields, ["items[1].lineId", "items[2].lineId", "items[4].inventoryItemId"]);
    let body = json!({"note": "one sack torn", "items": [
        {"lineId": line(0), "quantityReceived": 1.5}, {"lineId": line(1), "inventoryItemId": rice}, {"lineId": line(2), "quantityReceived": 0},
    ]});
    let got = there.post(&receive, body).await.expect(200).data();
    // Half a kilo at 40 and ten lemons at 5.
    assert_eq!(
        (&got["shortfallCostCents"], &got["receiptNote"]),
        (&json!(2_000 + 5_000), &json!("one sack torn"))
    );
    assert_eq!(
        (&got["lines"][0]["shortfallQuantity"], &got["lines"][2]["quantityReceived"]),
        (&json!(0.5), &json!(0))
    );
    assert_eq!((stock_of(&there, &flour).await, stock_of(&there, &rice).await), (json!(1_500), json!(4)));
    let cost = there.get(&format!("/inventory/items/{flour}")).await.data()["averageCostCents"].clone();
    assert_eq!(cost, 4, "40 a kilo is 4 cents a gram");
    assert_eq!(branch.number("SELECT count(*) FROM notifications WHERE type = 'TRANSFER_SHORT'").await, 2);
}

#[tokio::test]
async fn an_item_that_is_not_there_is_made_as_the_sender_has_it_and_found_again() {
    let branch = Branch::start().await;
    let (house, other, there) = two_outlets(&branch).await;
    // The same name, in a unit that does not convert: another thing.
    let lemons = make_item(&there, "Lemon", "kg", None).await;
    let items = json!([
        {"inventoryItemId": house.stock("Rice"), "quantity": 4},
        {"inventoryItemId": house.stock("Lemon"), "quantity": 10},
        {"inventoryItemId": house.stock("Paneer"), "quantity": 3},
    ]);
    let sent = send(&house, other, items.clone()).await;
    let receive = |sent: &Value| format!("/inventory/transfers/{}/receive", id(sent));
    // By the item, over both of its batches.
    let body = json!({"items": [{"inventoryItemId": house.stock("Paneer"), "quantityReceived": 2.5}]});
    let got = there.post(&receive(&sent), body).await.expect(200).data();
    let quantities: Vec<&Value> =
        got["lines"].as_array().unwrap().iter().map(|line| &line["quantityReceived"]).collect();
    assert_eq!(quantities, [&json!(4), &json!(10), &json!(2), &json!(0.5)]);
    let all = there.get("/inventory/items?limit=100").await.expect(200).json();
    let mut names: Vec<String> = all["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["name"].as_str().unwrap().to_owned())
        .collect();
    names.sort();
    assert_eq!(names, ["Lemon", "Lemon (pcs)", "Paneer", "Rice"]);
    assert_eq!(stock_of(&there, &lemons).await, 0);
    let again = json!([{"inventoryItemId": house.stock("Rice"), "quantity": 1}]);
    let sent = send(&house, other, again).await;
    there.post(&receive(&sent), json!({})).await.expect(200);
    let rice = all["items"].as_array().unwrap().iter().find(|item| item["name"] == "Rice").unwrap();
    assert_eq!(stock_of(&there, id(rice)).await, 5);
    let too_much =
        send(&house, other, json!([{"inventoryItemId": house.stock("Rice"), "quantity": 1}])).await;
    let body = json!({"items": [{"inventoryItemId": house.stock("Rice"), "quantityReceived": 1.5}]});
    there.post(&receive(&too_much), body).await.refused(422, "PAYLOAD_VALIDATION");
}

#[tokio::test]
async fn the_outlets_that_stock_can_be_sent_to_are_listed() {
    let branch = Branch::start().await;
    let (house, other, _) = two_outlets(&branch).await;
    let list = house.owner.get("/inventory/transfers/outlets").await.expect(200).data();
    assert_eq!(list, json!([{"id": other, "code": "BLR2", "name": list[0]["name"], "isElsewhere": false}]));
}

#[tokio::test]
async fn only_what_is_there_and_fresh_can_be_sent() {
    let branch = Branch::start().await;
    let (house, other, _) = two_outlets(&branch).await;
    branch.at("2026-11-23T06:00:00.000Z");
    let keeper = branch.sign_in(Role::Storekeeper);
    let items = json!([
        {"inventoryItemId": house.stock("Paneer"), "quantity": 2},
        {"inventoryItemId": house.stock("Paneer"), "quantity": 1.5},
        {"inventoryItemId": house.stock("Paneer"), "quantity": 1, "batchNumber": "Paneer-1"},
        {"inventoryItemId": house.stock("Paneer"), "quantity": 1, "batchNumber": "P"},
        {"inventoryItemId": house.stock("Milk"), "quantity": 1, "unit": "kg"},
        {"inventoryItemId": house.dish("Dal"), "quantity": 1},
        {"inventoryItemId": house.stock("Rice"), "quantity": 0},
    ]);
    let body = json!({"toOutletId": branch.outlet_id, "items": items});
    let refused = keeper.post("/inventory/transfers", body).await.refused(422, "PAYLOAD_VALIDATION");
    let expect = [
        "toOutletId",
        "items[1].quantity",
        "items[2].batchNumber",
        "items[3].batchNumber",
        "items[4].unit",
        "items[5].inventoryItemId",
        "items[6].quantity",
    ];
    assert_eq!(refused.invalid_fields(), expect);
    assert!(refused.text.contains("only 1 kg can be sent"), "{}", refused.text);
    branch.sign_in(Role::Kitchen).post("/inventory/transfers", json!({})).await.refused(403, "FORBIDDEN");
    let body =
        json!({"toOutletId": other, "items": [{"inventoryItemId": house.stock("Rice"), "quantity": 10}]});
    let sent = keeper.post("/inventory/transfers", body).await.expect(201).data();
    assert_eq!(sent["toOutlet"]["code"], "BLR2");
    assert_eq!(branch.number("SELECT count(*) FROM stock_transfer_lines").await, 1);
}

#[tokio::test]
async fn a_batch_number_that_stands_for_another_price_there_stays_apart() {
    let branch = Branch::start().await;
    let (house, other, there) = two_outlets(&branch).await;
    let rice = make_item(&there, "Rice", "kg", None).await;
    let own = json!({"inventoryItemId": rice, "batchNumber": "Rice-1", "quantityDelta": 1, "unitCostCents": 5_500, "reason": "OPENING"});
    there.post("/inventory/adjustments", own).await.expect(201);
    for _ in 0..2 {
        let sent =
            send(&house, other, json!([{"inventoryItemId": house.stock("Rice"), "quantity": 2}])).await;
        there.post(&format!("/inventory/transfers/{}/receive", id(&sent)), json!({})).await.expect(200);
    }
    let batches = there.get(&format!("/inventory/items/{rice}/batches")).await.json()["data"].clone();
    let mut numbers: Vec<&str> =
        batches.as_array().unwrap().iter().map(|b| b["batchNumber"].as_str().unwrap()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, ["Rice-1", "Rice-1 (TR-BLR1-261120-001)", "Rice-1 (TR-BLR1-261120-002)"]);
    let item = there.get(&format!("/inventory/items/{rice}")).await.data();
    assert_eq!((&item["currentStock"], &item["stockValueCents"]), (&json!(5), &json!(5_500 + 4 * 6_000)));
}
