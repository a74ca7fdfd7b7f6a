//! Taking food off a bill: what the kitchen was told of comes off with somebody's leave and a reason, and all of it is seen.

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, House};

fn path(order: &Value) -> String {
    format!("/orders/{}", order["id"].as_str().unwrap())
}

fn line_path(order: &Value, index: usize) -> String {
    format!("{}/items/{}", path(order), order["items"][index]["id"].as_str().unwrap())
}

/// Row by row what a report says, by the names of its columns.
async fn voids(client: &Client) -> Vec<Value> {
    let report = client.get("/analytics/reports/voids").await.expect(200).data();
    let names: Vec<&str> =
        report["columns"].as_array().unwrap().iter().map(|column| column["key"].as_str().unwrap()).collect();
    let row = |row: &Value| {
        let cells = names.iter().zip(row.as_array().unwrap());
        Value::Object(cells.map(|(name, cell)| ((*name).to_owned(), cell.clone())).collect())
    };
    report["rows"].as_array().unwrap().iter().map(row).collect()
}

/// Does `verb` to every ticket there is.
async fn cook(branch: &Branch, verb: &str) {
    let cook = branch.sign_in(Role::Kitchen);
    for ticket in cook.get("/kitchen/tickets").await.data().as_array().unwrap() {
        let path = format!("/kitchen/tickets/{}/{verb}", ticket["id"].as_str().unwrap());
        cook.post(&path, json!({})).await.expect(200);
    }
}

#[tokio::test]
async fn a_waiter_makes_no_fewer_of_what_was_served() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let waiter = branch.sign_in(Role::Waiter);
    let order = house.place(&waiter, house.at_table(1, &[("Steamed Rice", 4)])).await;
    branch.pass(5 * 60_000);
    waiter.patch(&format!("{}/status", path(&order)), json!({"status": "DELIVERED"})).await.expect(200);
    let line = line_path(&order, 0);
    let refused = waiter.patch(&line, json!({"quantity": 1})).await.refused(403, "FORBIDDEN");
    assert_eq!(refused.invalid_fields(), ["approverPin"], "somebody's PIN makes it possible");
    let cook = branch.sign_in(Role::Kitchen);
    let refused = cook.patch(&line, json!({"quantity": 1})).await.refused(403, "FORBIDDEN");
    assert_eq!(refused.invalid_fields(), Vec::<String>::new(), "nobody's does");
    waiter.patch(&line, json!({"quantity": 1, "reason": "typed wrong"})).await.refused(403, "FORBIDDEN");
    let pin = house.approver(&branch).await;
    let silent = waiter.patch(&line, json!({"quantity": 1, "approverPin": pin})).await;
    assert_eq!(silent.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["reason"]);
    let less = json!({"quantity": 1, "approverPin": pin, "reason": "they sent three back"});
    let left = waiter.patch(&line, less).await.expect(200).data();
    assert_eq!((&left["items"][0]["quantity"], &left["items"][0]["voidedQuantity"]), (&json!(1), &json!(3)));
    assert_eq!(house.on_hand("Rice").await, json!(9.52), "what was served is not on the shelf");
    // 3 × 120 g at 60.00 a kilogram.
    let expected = json!({
        "kind": "LESS", "reason": "they sent three back", "made": "YES", "approvedBy": "Meera Nair", "voidsCount": 1,
        "quantity": 3, "amountCents": 27_000, "costCents": 2_160, "weight": null, "weightUnit": "",
    });
    let mut found = voids(&house.owner).await.remove(0);
    found.as_object_mut().unwrap().remove("voidedBy");
    assert_eq!(found, expected);
    let by = "SELECT count(*) FROM audit_log WHERE action = 'order.line_change' AND actor_name = 'WAITER'
              AND approver_name = 'Meera Nair' AND reason = 'they sent three back'";
    assert_eq!(branch.number(by).await, 1);
}

#[tokio::test]
async fn a_cashier_cancels_no_delivered_order_alone_and_its_food_stays_used() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let cashier = branch.sign_in(Role::Cashier);
    let order = house.place(&cashier, house.counter(&[("Lassi", 2), ("Steamed Rice", 1)])).await;
    let status = format!("{}/status", path(&order));
    cashier.patch(&status, json!({"status": "DELIVERED"})).await.expect(200);
    let cancel = json!({"status": "CANCELLED", "reason": "never came"});
    cashier.patch(&status, cancel.clone()).await.refused(403, "FORBIDDEN");
    let pin = house.approver(&branch).await;
    let silent = json!({"status": "CANCELLED", "approverPin": pin});
    let silent = cashier.patch(&status, silent).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(silent.invalid_fields(), ["reason"]);
    let stranger = json!({"itemId": order["id"], "wasMade": false});
    let mut cancel =
        json!({"status": "CANCELLED", "reason": "never came", "approverPin": pin, "lines": [stranger]});
    let unknown = cashier.patch(&status, cancel.clone()).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(unknown.invalid_fields(), ["lines[0].itemId"]);
    // The rice had not been cooked after all, somebody says.
    cancel["lines"] = json!([{"itemId": order["items"][1]["id"], "wasMade": false}]);
    cashier.patch(&status, cancel).await.expect(200);
    assert_eq!(house.on_hand("Milk").await, json!(19.5));
    assert_eq!(house.on_hand("Rice").await, json!(10));
    let rows = voids(&house.owner).await;
    let shown: Vec<_> = rows
        .iter()
        .map(|row| {
            (
                row["kind"].as_str(),
                row["made"].as_str(),
                row["amountCents"].as_i64(),
                row["costCents"].as_i64(),
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            (Some("CANCEL"), Some("YES"), Some(18_000), Some(3_000)),
            (Some("CANCEL"), Some("NO"), Some(9_000), Some(0))
        ]
    );
    assert!(rows.iter().all(|row| row["approvedBy"] == "Meera Nair"));
    let close = json!({"businessDate": "2026-11-20", "early": true});
    let report = house.owner.post("/day-close", close).await.expect(201).data();
    let expected =
        json!({"count": 2, "quantity": 3, "amountCents": 27_000, "madeQuantity": 2, "costCents": 3_000});
    assert_eq!(report["voids"], expected);
}

#[tokio::test]
async fn a_slip_of_the_finger_is_mended_alone_within_the_grace_and_never_once_it_is_cooked() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let waiter = branch.sign_in(Role::Waiter);
    let order = house.place(&waiter, house.at_table(1, &[("Steamed Rice", 3), ("Lassi", 2)])).await;
    branch.pass(59_000);
    waiter.patch(&line_path(&order, 0), json!({"quantity": 2})).await.expect(200);
    let void = json!({"quantity": 1, "reason": "typed twice"});
    waiter.post(&format!("{}/void", line_path(&order, 1)), void.clone()).await.expect(200);
    assert_eq!(house.on_hand("Rice").await, json!(9.76));
    assert_eq!(house.on_hand("Milk").await, json!(19.75));
    branch.pass(1_000);
    waiter.patch(&line_path(&order, 0), json!({"quantity": 1})).await.refused(403, "FORBIDDEN");
    waiter.post(&format!("{}/void", line_path(&order, 1)), void.clone()).await.refused(403, "FORBIDDEN");
    let kinds: Vec<Value> = voids(&house.owner).await.into_iter().map(|row| row["kind"].clone()).collect();
    assert_eq!(kinds, [json!("LESS"), json!("VOID")], "what comes off freely is on record, too");

    let started = house.place(&waiter, house.at_table(2, &[("Steamed Rice", 3)])).await;
    cook(&branch, "start").await;
    waiter.patch(&line_path(&started, 0), json!({"quantity": 2})).await.refused(403, "FORBIDDEN");
    let settings = json!({"voidGraceSeconds": 0});
    house.owner.patch(&format!("/outlets/{}", branch.outlet_id), settings).await.expect(200);
    let at_once = house.place(&waiter, house.at_table(3, &[("Steamed Rice", 3)])).await;
    waiter.patch(&line_path(&at_once, 0), json!({"quantity": 2})).await.refused(403, "FORBIDDEN");
}

#[tokio::test]
async fn what_is_taken_off_leaves_no_discount_above_the_limit_of_whoever_gave_it() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (cashier, waiter) = (house.employed(&branch, Role::Cashier).await, branch.sign_in(Role::Waiter));
    // A tenth of the order, which a cashier may give.
    let discounted = async || {
        let order = house.place(&cashier, house.counter(&[("Dal", 1), ("Steamed Rice", 18)])).await;
        let tenth = json!({"type": "FIXED", "value": 18_000, "reason": "regular"});
        cashier.post(&format!("{}/discounts", path(&order)), tenth).await.expect(201);
        order
    };
    let order = discounted().await;
    let (dal, rice) = (line_path(&order, 0), line_path(&order, 1));
    let void = |pin: Option<&str>| json!({"reason": "typed wrong", "approverPin": pin});
    for client in [&cashier, &waiter] {
        let refused = client.post(&format!("{rice}/void"), void(None)).await.refused(403, "FORBIDDEN");
        assert_eq!(refused.invalid_fields(), ["approverPin"]);
        let refused = client.patch(&rice, json!({"quantity": 1})).await.refused(403, "FORBIDDEN");
        assert_eq!(refused.invalid_fields(), ["approverPin"]);
    }
    let shown = cashier.get(&path(&order)).await.expect(200).json();
    assert_eq!((&shown["subtotalCents"], &shown["discountCents"]), (&json!(180_000), &json!(18_000)));
    assert_eq!(house.on_hand("Rice").await, json!(7.84), "nothing has changed");
    assert!(voids(&house.owner).await.is_empty());
    // What leaves a tenth or less is a slip of the finger as any other, and so is what leaves nothing.
    let share = json!({"type": "PERCENT", "value": 10, "reason": "regular"});
    let other = house.place(&cashier, house.counter(&[("Dal", 1), ("Steamed Rice", 9)])).await;
    cashier.post(&format!("{}/discounts", path(&other)), share).await.expect(201);
    waiter.patch(&line_path(&other, 1), json!({"quantity": 1})).await.expect(200);
    waiter.post(&format!("{}/void", line_path(&other, 1)), void(None)).await.expect(200);
    let status = format!("{}/status", path(&discounted().await));
    cashier.patch(&status, json!({"status": "CANCELLED", "reason": "typed wrong"})).await.expect(200);
    // Whoever approves stands for the discount from then on; a manager is not asked.
    let pin = house.approver(&branch).await;
    let left = waiter.post(&format!("{rice}/void"), void(Some(pin))).await.expect(200).data();
    assert_eq!((&left["discountCents"], &left["totalAmountCents"]), (&json!(18_000), &json!(0)));
    let by = "SELECT count(*) FROM audit_log WHERE action = 'order.void' AND approver_name = 'Meera Nair'";
    assert_eq!(branch.number(by).await, 1);
    assert!(left["discounts"][0]["approverId"].is_string());
    waiter.patch(&dal, json!({"notes": "no onion"})).await.expect(200);
    let order = discounted().await;
    branch.sign_in(Role::Manager).patch(&line_path(&order, 1), json!({"quantity": 1})).await.expect(200);
    // A line that is less is judged by itself, little as its discount is of the order.
    let order = house.place(&cashier, house.counter(&[("Dal", 10), ("Steamed Rice", 10)])).await;
    let on_line =
        json!({"type": "FIXED", "value": 9_000, "itemId": order["items"][1]["id"], "reason": "cold"});
    cashier.post(&format!("{}/discounts", path(&order)), on_line).await.expect(201);
    cashier.patch(&line_path(&order, 1), json!({"quantity": 1})).await.refused(403, "FORBIDDEN");
    cashier.patch(&line_path(&order, 0), json!({"quantity": 9})).await.expect(200);
}

#[tokio::test]
async fn what_nobody_says_was_made_counts_as_made_by_time_and_by_paper() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let manager = branch.sign_in(Role::Manager);
    let off = async |order: &Value, said: Value| {
        let mut body = json!({"reason": "not wanted", "quantity": 1});
        if said != Value::Null {
            body["wasMade"] = said;
        }
        manager.post(&format!("{}/void", line_path(order, 0)), body).await.expect(200);
        house.on_hand("Milk").await
    };
    let order = house.place(&manager, house.counter(&[("Lassi", 4)])).await;
    branch.pass(11 * 60_000);
    assert_eq!(off(&order, Value::Null).await, json!(19.25), "nobody has begun");
    branch.pass(60_000);
    assert_eq!(off(&order, Value::Null).await, json!(19.25), "after twelve minutes it should be ready");
    assert_eq!(off(&order, json!(false)).await, json!(19.5), "somebody knows better");

    let paper = json!({"printerAddress": "192.168.1.50:9100", "printTickets": true});
    let station = format!("/kitchen/stations/{}", house.station("Bar"));
    house.owner.patch(&station, paper).await.expect(200);
    let printed = house.place(&manager, house.counter(&[("Lassi", 2)])).await;
    branch.pass(61_000);
    assert_eq!(off(&printed, Value::Null).await, json!(19), "paper does not say when cooks begin");
}

#[tokio::test]
async fn another_system_takes_its_own_orders_back_and_no_others() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (channel, other) = (branch.sign_in(Role::Integration), branch.sign_in(Role::Integration));
    let order = house.place(&channel, house.counter(&[("Lassi", 2)])).await;
    cook(&branch, "start").await;
    let status = format!("{}/status", path(&order));
    let cancel = json!({"status": "CANCELLED", "reason": "the guest called it off"});
    other.patch(&status, cancel.clone()).await.expect(404);
    channel.patch(&status, cancel.clone()).await.expect(200);
    assert_eq!(house.on_hand("Milk").await, json!(19.5));
    let ours = house.place(&branch.sign_in(Role::Waiter), house.counter(&[("Lassi", 1)])).await;
    channel.patch(&format!("{}/status", path(&ours)), cancel).await.expect(404);
    let void = json!({"reason": "no"});
    channel.post(&format!("{}/void", line_path(&ours, 0)), void).await.refused(403, "FORBIDDEN");
}
