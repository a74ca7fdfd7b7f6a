//! `/waste-logs`: what was thrown away, from which batch, at what cost.

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, House};

fn id(record: &Value) -> &str {
    record["id"].as_str().unwrap()
}

/// The batches of a stock item: number and what is left.
async fn batches(client: &Client, house: &House, item: &str) -> Vec<(String, Value)> {
    let list = client.get(&format!("/inventory/items/{}/batches", house.stock(item))).await.json();
    let mut found: Vec<_> = list["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|batch| (batch["batchNumber"].as_str().unwrap().to_owned(), batch["quantity"].clone()))
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

fn left(one: f64, two: f64) -> Vec<(String, Value)> {
    let number = |n: f64| if n.fract() == 0.0 { json!(n as i64) } else { json!(n) };
    vec![("Paneer-1".to_owned(), number(one)), ("Paneer-2".to_owned(), number(two))]
}

#[tokio::test]
async fn stock_goes_from_its_batches_in_their_order_and_never_more_than_there_is() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (cook, keeper) = (branch.sign_in(Role::Kitchen), branch.sign_in(Role::Storekeeper));
    let paneer = house.stock("Paneer");
    let body = |quantity: Value, unit: &str, reason: &str| json!({"inventoryItemId": paneer, "quantity": quantity, "unit": unit, "reason": reason});
    let logged = cook.post("/waste-logs", body(json!(2500), "g", "SPOILAGE")).await.expect(201).data();
    // 2 kg at 400 and half a kilo at 420.
    assert_eq!((&logged["costCents"], &logged["unit"]), (&json!(101_000), &json!("g")));
    let parts = logged["ingredients"].as_array().unwrap();
    assert_eq!((parts.len(), &parts[0]["quantity"], &parts[1]["costCents"]), (2, &json!(2), &json!(21_000)));
    assert_eq!(batches(&keeper, &house, "Paneer").await, left(0.0, 2.5));

    let more = cook.post("/waste-logs", body(json!(3), "kg", "DROPPED")).await;
    let more = more.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(more.invalid_fields(), ["quantity"]);
    assert!(more.text.contains("only 2.5 kg Paneer"), "{}", more.text);
    let wrong = cook.post("/waste-logs", body(json!(1), "l", "DROPPED")).await;
    assert_eq!(wrong.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["unit"]);
    let nothing = json!({"quantity": 0, "reason": "BORED"});
    let fields = cook.post("/waste-logs", nothing).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields();
    assert_eq!(fields, ["reason"]);
    let both =
        json!({"inventoryItemId": paneer, "menuItemId": house.dish("Dal"), "quantity": 0, "reason": "OTHER"});
    let mut fields = cook.post("/waste-logs", both).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields();
    fields.sort();
    assert_eq!(fields, ["inventoryItemId", "menuItemId", "quantity"]);
    branch.sign_in(Role::Waiter).post("/waste-logs", json!({})).await.refused(403, "FORBIDDEN");
}

#[tokio::test]
async fn what_has_expired_goes_by_its_number_or_for_the_reason() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    branch.at("2026-11-23T06:00:00.000Z");
    let keeper = branch.sign_in(Role::Storekeeper);
    let body = |quantity: f64, reason: &str, batch: Option<&str>| json!({"inventoryItemId": house.stock("Paneer"), "quantity": quantity, "reason": reason, "batchNumber": batch});
    let fresh = keeper.post("/waste-logs", body(3.5, "SPOILAGE", None)).await;
    let fresh = fresh.refused(422, "PAYLOAD_VALIDATION");
    assert!(fresh.text.contains("only 3 kg Paneer") && fresh.text.contains("EXPIRED"), "{}", fresh.text);
    keeper.post("/waste-logs", body(0.5, "STAFF_MEAL", Some("Paneer-1"))).await.expect(201);
    assert_eq!(batches(&keeper, &house, "Paneer").await, left(1.5, 3.0));
    keeper.post("/waste-logs", body(2.0, "EXPIRED", None)).await.expect(201);
    assert_eq!(batches(&keeper, &house, "Paneer").await, left(0.0, 2.5));
    let unknown = keeper.post("/waste-logs", body(1.0, "EXPIRED", Some("Paneer-9"))).await;
    assert_eq!(unknown.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["batchNumber"]);
}

#[tokio::test]
async fn a_dish_is_thrown_away_by_its_recipe_and_a_void_of_what_was_made_leaves_an_entry() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let manager = branch.sign_in(Role::Manager);
    let burnt =
        json!({"menuItemId": house.dish("Dal"), "quantity": 2, "reason": "PREP_ERROR", "note": "burnt"});
    let burnt = manager.post("/waste-logs", burnt).await.expect(201).data();
    // Two of: 90 g lentils at 120, 50 ml gravy of 62.5 g tomatoes at 40, 5 ml cream at 200, 1 g spice at 0.50.
    assert_eq!(
        (&burnt["costCents"], &burnt["unit"]),
        (&json!(2 * (1_080 + 250 + 100 + 50)), &json!("portions"))
    );
    assert_eq!(burnt["ingredients"].as_array().unwrap().len(), 4);
    assert_eq!(burnt["stationId"], house.station("Hot"));
    let unknown = json!({"menuItemId": house.stock("Rice"), "quantity": 1, "reason": "OTHER"});
    let unknown = manager.post("/waste-logs", unknown).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(unknown.invalid_fields(), ["menuItemId"]);
    manager.delete(&format!("/inventory/recipes/{}", house.dish("Kulfi"))).await.expect(200);
    let plain = json!({"menuItemId": house.dish("Kulfi"), "quantity": 1, "reason": "OTHER"});
    let plain = manager.post("/waste-logs", plain).await.refused(422, "PAYLOAD_VALIDATION");
    assert!(plain.text.contains("has no recipe"), "{}", plain.text);

    let order = house.place(&manager, house.counter(&[("Dal", 3)])).await;
    let void = format!("/orders/{}/items/{}/void", id(&order), id(&order["items"][0]));
    let void_two = json!({"quantity": 2, "reason": "too salty", "wasMade": true});
    manager.post(&void, void_two).await.expect(200);
    let list = manager.get("/waste-logs?reason=VOID_AFTER_PREP").await.expect(200).json();
    assert_eq!(list["meta"]["total"], 1);
    let entry = &list["data"][0];
    assert_eq!(
        (&entry["orderId"], &entry["name"], &entry["quantity"], &entry["costCents"], &entry["stationId"]),
        (&order["id"], &json!("Dal"), &json!(2), &burnt["costCents"], &burnt["stationId"]),
    );
    let ledger =
        "SELECT CAST(-sum(cost_micros) / 1000000 AS INTEGER) FROM stock_movements WHERE kind = 'WASTE'";
    let summary = manager.get("/waste-logs/summary").await.expect(200).data();
    assert_eq!(summary["costCents"], branch.number(ledger).await);
    assert_eq!((&summary["from"], &summary["to"]), (&json!("2026-11-01"), &json!("2026-11-20")));
}

#[tokio::test]
async fn a_wrong_entry_goes_back_to_its_batches_once_and_stays() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let keeper = branch.sign_in(Role::Storekeeper);
    let body = json!({"inventoryItemId": house.stock("Paneer"), "quantity": 2.25, "reason": "THEFT_LOSS"});
    let logged = keeper.post("/waste-logs", body).await.expect(201).data();
    let one = format!("/waste-logs/{}", id(&logged));
    assert_eq!(keeper.get(&format!("/waste-logs/{}", id(&logged))).await.expect(200).data(), logged);
    branch.at("2026-11-21T06:00:00.000Z");
    let reverse = format!("{one}/reverse");
    let nothing = keeper.post(&reverse, json!({"reason": ""})).await;
    assert_eq!(nothing.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["reason"]);
    let undone =
        keeper.post(&format!("/waste-logs/{}/reverse", id(&logged)), json!({"reason": "found it"})).await;
    let undone = undone.expect(200).data();
    assert_eq!((&undone["isReversed"], &undone["reversalReason"]), (&json!(true), &json!("found it")));
    assert_eq!(batches(&keeper, &house, "Paneer").await, left(2.0, 3.0));
    keeper.post(&reverse, json!({"reason": "again"})).await.refused(409, "CONFLICT");
    assert_eq!(batches(&keeper, &house, "Paneer").await, left(2.0, 3.0));
    assert_eq!(branch.number("SELECT count(*) FROM audit_log WHERE action = 'waste.reverse'").await, 1);
    // Each day shows what its own ledger shows.
    let day = |date: &str| format!("/waste-logs/summary?from={date}&to={date}");
    let first = keeper.get(&day("2026-11-20")).await.expect(200).data();
    let second = keeper.get(&day("2026-11-21")).await.expect(200).data();
    assert_eq!((&first["costCents"], &second["costCents"]), (&json!(90_500), &json!(-90_500)));
    let both = keeper.get("/waste-logs/summary?from=2026-11-20&to=2026-11-21").await.expect(200).data();
    assert_eq!((&both["costCents"], &both["entriesCount"]), (&json!(0), &json!(0)));
    assert_eq!(both["byItem"][0]["quantity"], 0);
    keeper.get("/waste-logs/summary?from=2026-11-21&to=2026-11-20").await.refused(400, "BAD_REQUEST");
}

#[tokio::test]
async fn every_cut_of_the_summary_adds_up_to_the_cent() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    for (item, quantity, reason) in [
        ("Spice", 0.333, "SPOILAGE"),
        ("Rice", 0.000_777, "DROPPED"),
        ("Milk", 0.123_457, "SPOILAGE"),
        ("Lemon", 3.5, "OTHER"),
    ] {
        let body = json!({"inventoryItemId": house.stock(item), "quantity": quantity, "reason": reason});
        owner.post("/waste-logs", body).await.expect(201);
    }
    for (dish, portions) in [("Paneer Tikka", 0.33), ("Lassi", 1.5)] {
        let body = json!({"menuItemId": house.dish(dish), "quantity": portions, "reason": "OVERPRODUCTION"});
        owner.post("/waste-logs", body).await.expect(201);
    }
    let summary = owner.get("/waste-logs/summary?from=2026-11-20&to=2026-11-20").await.expect(200).data();
    let exact = branch.number("SELECT -sum(cost_micros) FROM stock_movements WHERE kind = 'WASTE'").await;
    assert_eq!(summary["costCents"], (exact + 500_000) / 1_000_000);
    for cut in ["byReason", "byItem", "byStation"] {
        let rows = summary[cut].as_array().unwrap();
        let sum: i64 = rows.iter().map(|row| row["costCents"].as_i64().unwrap()).sum();
        assert_eq!(summary["costCents"], sum, "{cut}");
    }
    let stations: Vec<&Value> =
        summary["byStation"].as_array().unwrap().iter().map(|row| &row["name"]).collect();
    assert_eq!(stations.len(), 3, "{stations:?}");
    assert!(stations.contains(&&json!("Tandoor")) && stations.contains(&&Value::Null));
    assert_eq!(summary["entriesCount"], 6);
    let lemons =
        format!("/waste-logs?inventoryItemId={}&from=2026-11-20&to=2026-11-20", house.stock("Lemon"));
    assert_eq!(owner.get(&lemons).await.json()["meta"]["total"], 1);
    assert_eq!(owner.get("/waste-logs?from=2026-11-21").await.json()["meta"]["total"], 0);
    let dishes = format!("/waste-logs?menuItemId={}&limit=1", house.dish("Lassi"));
    assert_eq!(owner.get(&dishes).await.expect(200).json()["data"][0]["name"], "Lassi");
}
