//! `/audit/losses`: what took money or food off the books, by whom, with whose leave, when and where.

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, House};

async fn void(waiter: &Client, order: &Value, pin: Option<&str>) {
    let line = order["items"][0]["id"].as_str().unwrap();
    let path = format!("/orders/{}/items/{line}/void", order["id"].as_str().unwrap());
    let body = json!({"reason": "guest left", "wasMade": true, "approverPin": pin});
    waiter.post(&path, body).await.expect(200);
}

fn of_kind<'l>(ledger: &'l Value, kind: &str) -> &'l Value {
    let kinds = ledger["kinds"].as_array().unwrap();
    kinds.iter().find(|found| found["kind"] == kind).unwrap_or(&Value::Null)
}

#[tokio::test]
async fn a_thief_with_an_accomplices_pin_stands_out() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let pin = house.approver(&branch).await;
    let honest: Vec<Client> = (0..4).map(|_| branch.sign_in(Role::Waiter)).collect();
    let thief = branch.sign_in(Role::Waiter);
    for (table, waiter) in honest.iter().enumerate() {
        house.place(waiter, house.at_table(table + 1, &[("Steamed Rice", 1)])).await;
    }
    // What was served and paid in cash comes off the bill afterwards, three times, at table 9.
    let mut stolen = Vec::new();
    for _ in 0..3 {
        stolen.push(house.place(&thief, house.at_table(9, &[("Butter Chicken", 1)])).await);
    }
    let slip = house.place(&honest[0], house.at_table(1, &[("Lassi", 1)])).await;
    void(&honest[0], &slip, None).await;
    branch.pass(20 * 60_000);
    for order in &stolen {
        void(&thief, order, Some(pin)).await;
    }
    let cashier = branch.sign_in(Role::Cashier);
    let drawer = cashier.post("/cash-sessions", json!({"openingFloatCents": 5_000})).await.expect(201).data();
    let drawer = format!("/cash-sessions/{}", drawer["id"].as_str().unwrap());
    let out = |amount: i64| json!({"amountCents": amount, "reason": "ice"});
    cashier.post(&format!("{drawer}/pay-out"), out(1)).await.expect(201);
    cashier.post(&format!("{drawer}/pay-out"), out(9_000)).await.refused(422, "PAYLOAD_VALIDATION");
    let no_sale = json!({"reason": "change", "approverPin": pin});
    cashier.post(&format!("{drawer}/no-sale"), no_sale).await.expect(201);
    cashier.post(&format!("{drawer}/close"), json!({"countedCents": 4_900})).await.expect(200);

    let ledger = house.owner.get("/audit/losses?from=2026-11-20&to=2026-11-20").await.expect(200).data();
    let first = &ledger["people"][0];
    let thief_id = thief.account_id().unwrap().to_string();
    assert_eq!((&first["id"], &first["amountCents"]), (&json!(thief_id), &json!(3 * 38_000)));
    assert_eq!(first["isUnusual"], true, "{first}");
    assert!(first["timesAverageAmount"].as_f64().unwrap() > 4.0, "{first}");
    let pair = &ledger["pairs"][0];
    assert_eq!(
        (&pair["id"], &pair["approverName"], &pair["count"], &pair["isUnusual"]),
        (&json!(thief_id), &json!("Meera Nair"), &json!(3), &json!(true))
    );
    assert_eq!(ledger["approvers"][0]["name"], "Meera Nair");
    let table = &ledger["tables"][0];
    assert_eq!((&table["name"], &table["isUnusual"]), (&json!("T9"), &json!(true)));
    assert_eq!(ledger["hours"][0]["name"], "18", "half past noon by UTC is the evening there");
    let honest_one = honest[0].account_id().unwrap().to_string();
    let people = ledger["people"].as_array().unwrap();
    let honest_one = people.iter().find(|person| person["id"] == json!(honest_one)).unwrap();
    assert_eq!(honest_one["isUnusual"], false);
    for (kind, count, amount) in [
        ("VOID", 4, 3 * 38_000 + 9_000),
        ("PAY_OUT", 1, 1),
        ("PAY_OUT_REFUSED", 1, 0),
        ("NO_SALE", 1, 0),
        ("DRAWER_DIFFERENCE", 1, 99),
    ] {
        let found = of_kind(&ledger, kind);
        assert_eq!((&found["count"], &found["amountCents"]), (&json!(count), &json!(amount)), "{kind}");
    }
    assert!(of_kind(&ledger, "VOID")["costCents"].as_i64().unwrap() > 0);
    assert_eq!(ledger["usual"]["count"], 0);
    assert_eq!(ledger["entries"].as_array().unwrap().len(), 8);

    // A week later the evening is what is usual: 8 entries in 28 days.
    branch.at("2026-11-27T12:30:00Z");
    let owner = branch.sign_in(Role::Owner);
    let later = owner.get("/audit/losses?from=2026-11-21&to=2026-11-27").await.expect(200).data();
    assert_eq!((&later["total"]["count"], &later["usual"]["count"]), (&json!(0), &json!(2)));
    branch.sign_in(Role::Accountant).get("/audit/losses").await.expect(200);
    branch.sign_in(Role::Cashier).get("/audit/losses").await.refused(403, "FORBIDDEN");
}

#[tokio::test]
async fn discounts_refunds_and_other_prices_are_losses_too() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let mut body = house.counter(&[("Dal", 1)]);
    body["items"][0]["unitPriceCents"] = json!(15_000);
    let cheap = house.place(owner, body).await;
    let path = format!("/orders/{}", cheap["id"].as_str().unwrap());
    let comp = json!({"type": "PERCENT", "value": 100, "reason": "birthday"});
    owner.post(&format!("{path}/discounts"), comp).await.expect(201);
    let paid = house.place(owner, house.counter(&[("Lassi", 2)])).await;
    let path = format!("/orders/{}", paid["id"].as_str().unwrap());
    let off = json!({"type": "FIXED", "value": 1_000, "reason": "late"});
    owner.post(&format!("{path}/discounts"), off).await.expect(201);
    house.settle(owner, &paid).await;
    owner.post(&format!("{path}/refunds"), json!({"amountCents": 500, "reason": "cold"})).await.expect(201);
    let ledger = owner.get("/audit/losses").await.expect(200).data();
    for (kind, amount) in [("PRICE_OVERRIDE", 3_000), ("COMP", 15_000), ("DISCOUNT", 1_000), ("REFUND", 500)]
    {
        assert_eq!(of_kind(&ledger, kind)["amountCents"], json!(amount), "{kind}: {ledger}");
    }
    let reasons: Vec<&Value> =
        ledger["entries"].as_array().unwrap().iter().map(|entry| &entry["reason"]).collect();
    assert!(reasons.contains(&&json!("birthday")), "{reasons:?}");
}

#[tokio::test]
async fn what_is_put_right_given_up_or_never_sent_is_in_the_ledger() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let pin = house.approver(&branch).await;
    let cashier = branch.sign_in(Role::Cashier);
    let path = |order: &Value| format!("/orders/{}", order["id"].as_str().unwrap());
    // Cash goes into the pocket and the book says card; another payment "bounced"; a tip that comes later is no loss.
    let corrected = house.place(&cashier, house.at_table(3, &[("Dal", 1)])).await;
    let paid = house.settle(&cashier, &corrected).await.data();
    let payment = format!("{}/payments/{}", path(&corrected), paid["payment"]["id"].as_str().unwrap());
    let card = json!({"method": "CARD", "reason": "it was a card", "approverPin": pin});
    cashier.post(&format!("{payment}/correct"), card).await.expect(201);
    let reversed = house.place(&cashier, house.counter(&[("Lassi", 2)])).await;
    let paid = house.settle(&cashier, &reversed).await.data();
    let payment = format!("{}/payments/{}", path(&reversed), paid["payment"]["id"].as_str().unwrap());
    let tip = json!({"tipCents": 500, "reason": "on the slip"});
    cashier.post(&format!("{payment}/correct"), tip).await.expect(201);
    let bounced = json!({"reason": "bounced", "approverPin": pin});
    cashier.post(&format!("{payment}/reverse"), bounced.clone()).await.expect(201);
    // A bill is lowered, another is given up.
    let lowered = house.place(&cashier, house.counter(&[("Kulfi", 1)])).await;
    cashier.post(&format!("{}/invoice", path(&lowered)), json!({})).await.expect(201);
    let note = json!({"reason": "OVERCHARGED", "amountCents": 1_000, "approverPin": pin});
    cashier.post(&format!("{}/credit-note", path(&lowered)), note).await.expect(201);
    let left = house.place(&cashier, house.at_table(4, &[("Dal", 1)])).await;
    cashier.post(&format!("{}/invoice", path(&left)), json!({})).await.expect(201);
    let gone = json!({"reason": "ran off", "approverPin": pin});
    cashier.post(&format!("{}/write-off", path(&left)), gone).await.expect(201);
    // A guest's order is refused that the kitchen never saw: nobody knows whether it was served all the same.
    let table = house.owner.get(&format!("/tables/{}", house.table(7))).await.data();
    let asked = format!("/orders/tables/{}/orders", table["qrToken"].as_str().unwrap());
    let guest = json!({"items": [{"menuItemId": house.dish("Butter Chicken"), "quantity": 1}]});
    let waiting = branch.anonymous().post(&asked, guest).await.expect(201).data();
    let off = json!({"status": "CANCELLED", "reason": "they left"});
    let order = waiting["order"]["id"].as_str().or(waiting["id"].as_str()).unwrap();
    cashier.patch(&format!("/orders/{order}/status"), off).await.expect(200);

    let ledger = house.owner.get("/audit/losses").await.expect(200).data();
    for (kind, count, amount) in [
        ("PAYMENT_CORRECTED", 1, 18_900),
        ("PAYMENT_REVERSED", 1, 18_900 + 500),
        ("CREDIT_NOTE", 1, 1_000),
        ("WRITE_OFF", 1, 18_900),
        ("DRAFT", 1, 38_000),
    ] {
        let found = of_kind(&ledger, kind);
        assert_eq!(
            (&found["count"], &found["amountCents"]),
            (&json!(count), &json!(amount)),
            "{kind}: {ledger}"
        );
    }
    // Each names who did it, whose PIN it was, the order and its table.
    let entries = ledger["entries"].as_array().unwrap();
    let of = |kind: &str| entries.iter().find(|entry| entry["kind"] == kind).unwrap();
    let cashier_id = json!(cashier.account_id().unwrap().to_string());
    for kind in ["PAYMENT_CORRECTED", "PAYMENT_REVERSED", "CREDIT_NOTE", "WRITE_OFF"] {
        assert_eq!((&of(kind)["byId"], &of(kind)["approver"]), (&cashier_id, &json!("Meera Nair")), "{kind}");
    }
    assert_eq!((&of("DRAFT")["byId"], &of("DRAFT")["tableNumber"]), (&cashier_id, &json!("T7")));
    assert_eq!(of("PAYMENT_CORRECTED")["tableNumber"], "T3");
    assert_eq!(of("CREDIT_NOTE")["orderNumber"], lowered["orderNumber"]);
    assert_eq!(of("DRAFT")["reason"], "they left");
    let pair = &ledger["pairs"][0];
    assert_eq!((&pair["approverName"], &pair["count"]), (&json!("Meera Nair"), &json!(4)));
}
