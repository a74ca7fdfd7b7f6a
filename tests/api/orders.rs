//! `/orders`: taking, changing, voiding, discounting, listing and tracing orders. Payments and bills are tested elsewhere.

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, House};

fn id(value: &Value) -> &str {
    value["id"].as_str().unwrap()
}

#[tokio::test]
async fn an_order_is_taken_shown_and_repeated_by_its_key() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let waiter = branch.sign_in(Role::Waiter);
    let mut body = house.at_table(4, &[("Paneer Tikka", 2), ("Bottled Water", 1)]);
    body["items"][0]["modifiers"] = json!([
        {"optionId": house.option("Extra paneer"), "priceCents": 6_000}, {"name": "well done"}
    ]);
    body["guestCount"] = json!(3);
    let placed = waiter.post_keyed("/orders", "order-1", body.clone()).await.expect(201);
    let order = placed.json();
    assert_eq!((&order["status"], &order["source"]), (&json!("PENDING"), &json!("WAITER")));
    assert_eq!(order["orderNumber"], "BLR1-261120-0001");
    assert_eq!((&order["tableNumber"], &order["tokenNumber"]), (&json!("T4"), &json!(1)));
    // (320 + 60) × 2 + 30; 5 % on the tikka.
    assert_eq!((&order["subtotalCents"], &order["taxCents"]), (&json!(79_000), &json!(3_800)));
    assert_eq!((&order["totalAmountCents"], &order["dueCents"]), (&json!(82_800), &json!(82_800)));
    assert_eq!(order["items"][0]["modifiers"][1]["name"], "well done");
    let path = format!("/orders/{}", id(&order));
    assert_eq!(waiter.get(&path).await.expect(200).json(), order);
    let detail = waiter.get(&format!("/orders/{}", id(&order))).await.json();
    assert_eq!(detail["statusHistory"][0]["to"], "PENDING");
    let taxes: i64 =
        detail["taxes"].as_array().unwrap().iter().map(|t| t["taxCents"].as_i64().unwrap()).sum();
    assert_eq!(taxes, 3_800);

    let again = waiter.post_keyed("/orders", "order-1", body.clone()).await.expect(201);
    assert_eq!(again.header("idempotency-replayed"), "true");
    assert_eq!(again.json(), order);
    body["notes"] = json!("other");
    waiter.post_keyed("/orders", "order-1", body).await.refused(422, "IDEMPOTENCY_KEY_REUSED");
    assert_eq!(branch.number("SELECT count(*) FROM orders").await, 1);
    assert_eq!(house.on_hand("Paneer").await, json!(4.6));
}

#[tokio::test]
async fn everything_wrong_with_an_order_is_named_at_once() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let cashier = branch.sign_in(Role::Cashier);
    let body =
        json!({"orderType": "EAT_IN", "items": [{"menuItemId": "x", "quantity": 0, "unitPriceCents": "5"}]});
    let mut fields = cashier.post("/orders", body).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields();
    fields.sort();
    let expected = ["items[0].menuItemId", "items[0].quantity", "items[0].unitPriceCents", "orderType"];
    assert_eq!(fields, expected);
    let none = json!({"orderType": "COUNTER", "items": []});
    let fields = cashier.post("/orders", none).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields();
    assert_eq!(fields, ["items"]);

    let mut body = house.at_table(1, &[("Dal", 1), ("Lassi", 1)]);
    body["tableNumber"] = json!("T99");
    body["items"][0]["unitPriceCents"] = json!(1);
    body["items"][1]["modifiers"] = json!([{"name": "honey", "priceCents": 500}]);
    let reply = cashier.post("/orders", body).await.refused(422, "PAYLOAD_VALIDATION");
    assert!(reply.text.contains("18000"), "the right price is named: {}", reply.text);
    let expected = ["tableNumber", "items[0].unitPriceCents", "items[1].modifiers[0].priceCents"];
    assert_eq!(reply.invalid_fields(), expected);

    let path = format!("/menu/items/{}/availability", house.dish("Dal"));
    house.owner.put(&path, json!({"status": "OUT_OF_STOCK"})).await.expect(200);
    let fields =
        cashier.post("/orders", house.counter(&[("Dal", 1)])).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(fields.invalid_fields(), ["items[0].menuItemId"]);
    assert_eq!(branch.number("SELECT count(*) FROM orders").await, 0);
}

#[tokio::test]
async fn an_integration_sells_at_its_own_prices_and_a_waiter_with_a_managers_pin() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let mut body = house.counter(&[("Dal", 1)]);
    body["items"][0]["unitPriceCents"] = json!(15_000);
    body["items"][0]["modifiers"] = json!([{"name": "packing", "priceCents": 500}]);
    let order = branch.sign_in(Role::Integration).post("/orders", body.clone()).await.expect(201).json();
    assert_eq!((&order["subtotalCents"], &order["source"]), (&json!(15_500), &json!("API")));
    branch.sign_in(Role::Waiter).post("/orders", body.clone()).await.refused(422, "PAYLOAD_VALIDATION");
    body["approverPin"] = json!("9876");
    branch.sign_in(Role::Waiter).post("/orders", body).await.refused(401, "INVALID_PIN");
    assert_eq!(
        branch.number("SELECT count(*) FROM audit_log WHERE action = 'order.price_override'").await,
        1
    );
}

#[tokio::test]
async fn lines_are_added_changed_and_voided_one_by_one() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let waiter = branch.sign_in(Role::Waiter);
    let order = house.place(&waiter, house.at_table(1, &[("Dal", 1)])).await;
    let order_id = id(&order).to_owned();
    let line = json!({"items": [house.line("Lassi", 2)]});
    let add = async |line| waiter.post(&format!("/orders/{order_id}/items"), line).await;
    let (one, other) = tokio::join!(add(line.clone()), add(line));
    one.expect(201);
    other.expect(201);
    let order = waiter.get(&format!("/orders/{order_id}")).await.json();
    assert_eq!(order["items"].as_array().unwrap().len(), 3);
    assert_eq!(order["totalAmountCents"], json!((18_000 + 4 * 9_000) * 105 / 100));
    let item = id(&order["items"][1]).to_owned();

    let change = json!({"quantity": 3, "notes": "less sugar"});
    let order = waiter.patch(&format!("/orders/{order_id}/items/{item}"), change).await.expect(200).data();
    assert_eq!(
        (&order["items"][1]["quantity"], &order["items"][1]["notes"]),
        (&json!(3), &json!("less sugar"))
    );
    let stale = waiter.clone().with_header("If-Match", "\"1\"");
    stale
        .patch(&format!("/orders/{order_id}/items/{item}"), json!({"quantity": 1}))
        .await
        .refused(412, "STALE_VERSION");

    let void = json!({"quantity": 2, "reason": "spilt", "wasMade": true});
    branch.pass(61_000);
    waiter
        .post(&format!("/orders/{order_id}/items/{item}/void"), void.clone())
        .await
        .refused(403, "FORBIDDEN");
    let milk = house.on_hand("Milk").await;
    let manager = branch.sign_in(Role::Manager);
    let order = manager.post(&format!("/orders/{order_id}/items/{item}/void"), void).await.expect(200).data();
    assert_eq!(
        (&order["items"][1]["quantity"], &order["items"][1]["voidedQuantity"]),
        (&json!(1), &json!(2))
    );
    assert_eq!(house.on_hand("Milk").await, milk, "what was made is waste, not stock");
    let back = json!({"reason": "mistake", "wasMade": false});
    manager.post(&format!("/orders/{order_id}/items/{item}/void"), back.clone()).await.expect(200);
    manager
        .post(&format!("/orders/{order_id}/items/{item}/void"), back)
        .await
        .refused(409, "INVALID_TRANSITION");
    assert_eq!(branch.number("SELECT count(*) FROM order_item_voids").await, 2);
    assert_eq!(branch.number("SELECT count(*) FROM audit_log WHERE action = 'order.void'").await, 2);
}

#[tokio::test]
async fn a_line_the_kitchen_began_is_not_changed_but_voided() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let manager = branch.sign_in(Role::Manager);
    let order = house.place(&manager, house.counter(&[("Dal", 1)])).await;
    let order_id = id(&order).to_owned();
    let item = id(&order["items"][0]).to_owned();
    let tickets = manager.get("/kitchen/tickets").await.data();
    let ticket = id(&tickets[0]).to_owned();
    manager.post(&format!("/kitchen/tickets/{ticket}/start"), json!({})).await.expect(200);
    let shown = manager.get(&format!("/orders/{order_id}")).await.json();
    assert_eq!(shown["status"], "IN_PREPARATION");
    let change = json!({"quantity": 2});
    manager
        .patch(&format!("/orders/{order_id}/items/{item}"), change)
        .await
        .refused(409, "INVALID_TRANSITION");
    manager.post(&format!("/kitchen/tickets/{ticket}/ready"), json!({})).await.expect(200);
    let shown = manager.get(&format!("/orders/{order_id}")).await.json();
    assert_eq!(shown["status"], "READY");
    let trail: Vec<&str> =
        shown["statusHistory"].as_array().unwrap().iter().map(|h| h["to"].as_str().unwrap()).collect();
    assert_eq!(trail, ["PENDING", "IN_PREPARATION", "READY"]);
    let status = json!({"status": "DELIVERED"});
    manager.patch(&format!("/orders/{order_id}/status"), status).await.expect(200);
    assert_eq!(branch.number("SELECT count(*) FROM kitchen_tickets WHERE status = 'SERVED'").await, 1);
}

#[tokio::test]
async fn discounts_are_limited_by_role_and_taken_off_again() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let cashier = branch.sign_in(Role::Cashier);
    let order = house.place(&cashier, house.counter(&[("Bottled Water", 2), ("Dal", 1)])).await;
    let order_id = id(&order).to_owned();
    let wrong = json!({"type": "PERCENT", "value": 101, "reason": "x"});
    let fields = cashier
        .post(&format!("/orders/{order_id}/discounts"), wrong)
        .await
        .refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(fields.invalid_fields(), ["value"]);
    let give = json!({"type": "PERCENT", "value": 10, "reason": "regular"});
    let order = cashier.post(&format!("/orders/{order_id}/discounts"), give.clone()).await.expect(201).data();
    assert_eq!((&order["discountCents"], &order["taxCents"]), (&json!(2_400), &json!(810)));
    assert_eq!(order["totalAmountCents"], json!(24_000 - 2_400 + 810));
    assert_eq!(order["discounts"][0]["value"], json!(10));
    cashier.post(&format!("/orders/{order_id}/discounts"), give).await.refused(403, "FORBIDDEN");
    let manager = branch.sign_in(Role::Manager);
    let item = id(&order["items"][0]);
    let fixed = json!({"type": "FIXED", "value": 1_000, "itemId": item, "reason": "flat bottle"});
    let order = manager.post(&format!("/orders/{order_id}/discounts"), fixed).await.expect(201).data();
    assert_eq!(order["discountCents"], json!(1_000 + 2_300));
    let discount = id(&order["discounts"][0]).to_owned();
    let order = manager.delete(&format!("/orders/{order_id}/discounts/{discount}")).await.expect(200).data();
    assert_eq!(order["discountCents"], json!(1_000));
    manager.delete(&format!("/orders/{order_id}/discounts/{discount}")).await.refused(404, "NOT_FOUND");

    // What the order and its lines are given counts together, whichever comes first.
    let order = house.place(&cashier, house.counter(&[("Dal", 1), ("Bottled Water", 1)])).await;
    let discounts = format!("/orders/{}/discounts", id(&order));
    let tenth = |item: Option<&str>| json!({"type": "PERCENT", "value": 10, "itemId": item, "reason": "x"});
    cashier.post(&discounts, tenth(None)).await.expect(201);
    for item in order["items"].as_array().unwrap() {
        let refused = cashier.post(&discounts, tenth(Some(id(item)))).await.refused(403, "FORBIDDEN");
        assert_eq!(refused.invalid_fields(), ["approverPin"]);
    }
}

#[tokio::test]
async fn states_go_forward_and_refusals_name_what_is_allowed() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let cashier = branch.sign_in(Role::Cashier);
    let order = house.place(&cashier, house.counter(&[("Lassi", 2)])).await;
    let order_id = id(&order).to_owned();
    let path = format!("/orders/{order_id}/status");
    cashier.patch(&format!("/orders/{order_id}/status"), json!({"status": "READY"})).await.expect(200);
    let back = cashier.patch(&path, json!({"status": "ACCEPTED"})).await.refused(409, "INVALID_TRANSITION");
    assert!(
        back.json()["detail"].as_str().unwrap().contains("DELIVERED, COMPLETED, CANCELLED"),
        "{}",
        back.text
    );
    cashier.patch(&path, json!({"status": "COMPLETED"})).await.refused(409, "INVALID_TRANSITION");
    branch.sign_in(Role::Waiter).patch(&path, json!({"status": "CANCELLED"})).await.refused(403, "FORBIDDEN");
    let cancel = json!({"status": "CANCELLED", "reason": "left"});
    cashier.patch(&path, cancel.clone()).await.refused(403, "FORBIDDEN");
    let done = branch.sign_in(Role::Manager).patch(&path, cancel).await.expect(200).data();
    assert_eq!((&done["status"], &done["dueCents"]), (&json!("CANCELLED"), &json!(0)));
    assert_eq!(done["statusHistory"][2]["reason"], "left");
    assert_eq!(house.on_hand("Milk").await, json!(19.5), "it was ready");
    cashier.patch(&path, json!({"status": "CANCELLED"})).await.refused(409, "INVALID_TRANSITION");
    let more = json!({"items": [house.line("Dal", 1)]});
    cashier.post(&format!("/orders/{order_id}/items"), more).await.refused(409, "INVALID_TRANSITION");
}

#[tokio::test]
async fn a_held_course_goes_to_the_kitchen_when_it_is_fired() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let waiter = branch.sign_in(Role::Waiter);
    let outlet = house.owner.get("/outlets").await.expect(200).data()[0].clone();
    house.owner.patch(&format!("/outlets/{}", id(&outlet)), json!({"holdCourses": true})).await.expect(200);
    let order = house.place(&waiter, house.at_table(2, &[("Dal", 1), ("Kulfi", 1)])).await;
    let order_id = id(&order).to_owned();
    assert_eq!(branch.number("SELECT count(*) FROM kitchen_tickets WHERE status = 'HELD'").await, 1);
    let fired =
        waiter.post(&format!("/orders/{order_id}/fire"), json!({"course": 3})).await.expect(200).data();
    assert_eq!(fired["ticketsFired"], 1);
    let again =
        waiter.post(&format!("/orders/{order_id}/fire"), json!({"course": 3})).await.expect(200).data();
    assert_eq!(again["ticketsFired"], 0);
}

#[tokio::test]
async fn the_list_is_paged_filtered_and_typed() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let manager = branch.sign_in(Role::Manager);
    let mut numbers = Vec::new();
    for n in 0..5 {
        let body = if n % 2 == 0 { house.counter(&[("Lassi", 1)]) } else { house.at_table(n, &[("Dal", 1)]) };
        numbers.push(house.place(&manager, body).await["orderNumber"].clone());
        branch.pass(60_000);
    }
    numbers.reverse();
    let list = manager.get("/orders?limit=2&page=2").await.expect(200).json();
    assert_eq!(list["pagination"], json!({"total": 5, "page": 2, "limit": 2, "totalPages": 3}));
    let shown: Vec<Value> =
        list["data"].as_array().unwrap().iter().map(|o| o["orderNumber"].clone()).collect();
    assert_eq!(shown, numbers[2..4]);
    let total = async |query: &str| {
        manager.get(&format!("/orders?{query}")).await.expect(200).json()["pagination"]["total"].clone()
    };
    assert_eq!(total("status=PENDING").await, 5);
    assert_eq!(total("status=READY").await, 0);
    assert_eq!(total("orderType=DINE_IN").await, 2);
    assert_eq!(total("tableNumber=T3").await, 1);
    assert_eq!(total("from=2026-11-20&to=2026-11-20").await, 5);
    assert_eq!(total("from=2026-11-21").await, 0);
    assert_eq!(total("q=BLR1-261120-0003").await, 1);
    assert_eq!(total("q=%25").await, 0);
    assert_eq!(total("source=POS&status=PENDING").await, 5);
    manager.get("/orders?limit=101").await.refused(400, "BAD_REQUEST");
    manager.get("/orders?page=0").await.refused(400, "BAD_REQUEST");
    manager.get("/orders?status=EATEN").await.refused(400, "BAD_REQUEST");
    let far = manager.get("/orders?page=1000000").await.expect(200).json();
    assert_eq!(far["data"], json!([]));
}

#[tokio::test]
async fn an_order_is_traced_to_its_batches() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let manager = branch.sign_in(Role::Manager);
    let order = house.place(&manager, house.counter(&[("Paneer Tikka", 14)])).await;
    let order_id = id(&order).to_owned();
    let trace = manager.get(&format!("/orders/{order_id}/trace")).await.expect(200).data();
    let paneer: Vec<&Value> = trace["items"][0]["ingredients"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|i| i["name"] == "Paneer")
        .collect();
    assert_eq!(paneer.len(), 2, "{trace}");
    assert_eq!((&paneer[0]["batchNumber"], &paneer[0]["quantity"]), (&json!("Paneer-1"), &json!(2)));
    assert_eq!((&paneer[1]["batchNumber"], &paneer[1]["quantity"]), (&json!("Paneer-2"), &json!(0.1)));
}

#[tokio::test]
async fn another_outlets_order_does_not_exist() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let order = house.place(&house.owner, house.counter(&[("Dal", 1)])).await;
    let order_id = id(&order).to_owned();
    let other = branch.second_outlet().await;
    let stranger = branch.sign_in_at(Role::Owner, other);
    stranger.get(&format!("/orders/{order_id}")).await.refused(404, "NOT_FOUND");
    stranger.get(&format!("/orders/{order_id}/trace")).await.refused(404, "NOT_FOUND");
    let cancel = json!({"status": "CANCELLED"});
    stranger.patch(&format!("/orders/{order_id}/status"), cancel).await.refused(404, "NOT_FOUND");
    assert_eq!(stranger.get("/orders").await.json()["pagination"]["total"], 0);
    stranger.post("/orders", house.counter(&[("Dal", 1)])).await.refused(422, "PAYLOAD_VALIDATION");
    stranger.get("/orders/nonsense").await.refused(400, "BAD_REQUEST");
}

#[tokio::test]
async fn a_refused_order_leaves_no_gap_in_the_numbers() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let policy = json!({"stockPolicy": "BLOCK"});
    house.owner.patch(&format!("/outlets/{}", branch.outlet_id), policy).await.expect(200);
    let first = house.place(&house.owner, house.counter(&[("Dal", 1)])).await;
    let short = house.owner.post("/orders", house.counter(&[("Dal", 1), ("Lassi", 500)])).await;
    assert_eq!(short.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["items[1].quantity"]);
    let second = house.place(&house.owner, house.counter(&[("Dal", 1)])).await;
    assert_eq!((&first["tokenNumber"], &second["tokenNumber"]), (&json!(1), &json!(2)));
    branch.at("2026-11-21T12:30:00Z");
    let next_day = house.place(&branch.sign_in(Role::Owner), house.counter(&[("Dal", 1)])).await;
    assert_eq!(next_day["orderNumber"], "BLR1-261121-0001");
}

#[tokio::test]
async fn a_managers_pin_lets_a_waiter_void_discount_and_charge_another_price() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let body = json!({"name": "Meera Nair", "jobTitle": "Manager"});
    let meera = house.owner.post("/employees", body).await.expect(201).data();
    let path = format!("/employees/{}", id(&meera));
    house.owner.put(&format!("{path}/pin"), json!({"pin": "258079"})).await.expect(200);
    let account = json!({"email": "meera@sample.test", "password": "long enough 1", "role": "MANAGER"});
    branch.sign_in(Role::SuperAdmin).post(&format!("{path}/account"), account).await.expect(201);

    let waiter = branch.sign_in(Role::Waiter);
    let mut body = house.counter(&[("Dal", 2)]);
    body["items"][0]["unitPriceCents"] = json!(17_000);
    body["approverPin"] = json!("258079");
    let order = waiter.post("/orders", body).await.expect(201).json();
    assert_eq!(order["subtotalCents"], json!(34_000));
    let order_path = format!("/orders/{}", id(&order));
    let discount = json!({"type": "FIXED", "value": 5_000, "reason": "late", "approverPin": "258079"});
    let order = waiter.post(&format!("{order_path}/discounts"), discount).await.expect(201).data();
    assert_eq!(order["discounts"][0]["approverId"], meera["id"]);
    let item = id(&order["items"][0]);
    branch.pass(61_000);
    let void = json!({"quantity": 1, "reason": "cold", "approverPin": "258079"});
    waiter.post(&format!("{order_path}/items/{item}/void"), void).await.expect(200);
    let cancel = json!({"status": "CANCELLED", "reason": "cold", "approverPin": "258079"});
    waiter.patch(&format!("{order_path}/status"), cancel).await.expect(200);
    let named = "SELECT count(*) FROM audit_log WHERE actor_name = 'WAITER' AND approver_name = 'Meera Nair'
                 AND action IN ('order.price_override', 'order.discount', 'order.void', 'order.cancel')";
    assert_eq!(branch.number(named).await, 4, "the audit log names both");
}
