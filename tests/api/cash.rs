//! `/cash-sessions` and `/day-close`.

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, House};

fn path(order: &Value) -> String {
    format!("/orders/{}", order["id"].as_str().unwrap())
}

async fn open_drawer(client: &Client, body: Value) -> String {
    client.post("/cash-sessions", body).await.expect(201).data()["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_drawer_is_opened_used_counted_and_never_changed_again() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (cashier, manager) = (branch.sign_in(Role::Cashier), branch.sign_in(Role::Manager));
    let id = open_drawer(&cashier, json!({"openingFloatCents": 50_000})).await;
    let taken =
        cashier.post("/cash-sessions", json!({"openingFloatCents": 0})).await.refused(409, "CONFLICT");
    assert_eq!(taken.invalid_fields(), ["drawer"]);
    let negative = cashier.post("/cash-sessions", json!({"openingFloatCents": -1, "drawer": "BAR"})).await;
    assert_eq!(negative.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["openingFloatCents"]);

    let order = house.place(&cashier, house.counter(&[("Dal", 2)])).await;
    let payments = format!("{}/payments", path(&order));
    let cash = json!({"method": "CASH", "amountCents": 30_000, "tipCents": 200, "tenderedCents": 50_000});
    cashier.post(&payments, cash).await.expect(201);
    cashier.post(&payments, json!({"method": "CARD", "amountCents": 7_800})).await.expect(201);
    let refund = json!({"amountCents": 8_800, "reason": "cold"});
    manager.post(&format!("{}/refunds", path(&order)), refund).await.expect(201);

    let drawer = format!("/cash-sessions/{id}");
    let pay = |amount: i64| json!({"amountCents": amount, "reason": "change from the bank"});
    cashier.post(&format!("/cash-sessions/{id}/pay-in"), pay(2_000)).await.expect(201);
    cashier.post(&format!("/cash-sessions/{id}/pay-out"), pay(500)).await.expect(201);
    let nothing =
        cashier.post(&format!("/cash-sessions/{id}/pay-out"), json!({"amountCents": 0})).await.expect(422);
    let mut fields = nothing.invalid_fields();
    fields.sort();
    assert_eq!(fields, ["amountCents", "reason"]);
    let no_sale = json!({"reason": "coins"});
    cashier.post(&format!("/cash-sessions/{id}/no-sale"), no_sale.clone()).await.refused(403, "FORBIDDEN");
    manager.post(&format!("/cash-sessions/{id}/no-sale"), no_sale).await.expect(201);
    assert_eq!(branch.number("SELECT count(*) FROM audit_log WHERE action = 'cash.no_sale'").await, 1);

    let open = cashier.get(&format!("/cash-sessions/{id}")).await.expect(200).data();
    // 50000 + 30000 + 200 + 2000 − 500, less 1000 of the refund: the newest payment, the card, gave back its 7800 first.
    assert_eq!(open["currentExpectedCents"], 80_700);
    assert_eq!(open["movements"].as_array().unwrap().len(), 3);
    let closed = cashier.post(&format!("/cash-sessions/{id}/close"), json!({"countedCents": 80_600})).await;
    let closed = closed.expect(200).data();
    assert_eq!((&closed["expectedCents"], &closed["overShortCents"]), (&json!(80_700), &json!(-100)));
    cashier
        .post(&format!("/cash-sessions/{id}/close"), json!({"countedCents": 80_700}))
        .await
        .refused(409, "CONFLICT");
    cashier.post(&format!("/cash-sessions/{id}/pay-in"), pay(1)).await.refused(409, "CONFLICT");
    let list = cashier.get("/cash-sessions?status=CLOSED").await.expect(200).json();
    assert_eq!(list["meta"]["total"], 1);
    open_drawer(&cashier, json!({"openingFloatCents": 0})).await;
    branch.sign_in(Role::Accountant).get(&drawer).await.expect(200);
    branch.sign_in(Role::Waiter).get("/cash-sessions").await.refused(403, "FORBIDDEN");
}

/// Complaint 7: the day cannot be closed.
#[tokio::test]
async fn a_day_with_open_orders_and_drawers_names_them_and_can_be_carried_over() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let manager = branch.sign_in(Role::Manager);
    open_drawer(&manager, json!({"openingFloatCents": 1_000})).await;
    let paid = house.place(&manager, house.counter(&[("Dal", 1), ("Bottled Water", 1)])).await;
    house.settle(&manager, &paid).await;
    manager.patch(&format!("{}/status", path(&paid)), json!({"status": "COMPLETED"})).await.expect(200);
    let open = house.place(&manager, house.at_table(1, &[("Lassi", 1)])).await;
    let today = json!({"businessDate": "2026-11-20"});
    let blocked = manager.post("/day-close", today.clone()).await.refused(409, "CONFLICT");
    assert_eq!(blocked.invalid_fields(), ["openOrders[0]", "openDrawers[0]"]);
    assert!(blocked.text.contains(open["orderNumber"].as_str().unwrap()));
    let future = manager.post("/day-close", json!({"businessDate": "2026-11-21", "carryOver": true})).await;
    assert_eq!(future.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["businessDate"]);
    branch.sign_in(Role::Cashier).post("/day-close", today.clone()).await.refused(403, "FORBIDDEN");

    let over = json!({"businessDate": "2026-11-20", "carryOver": true});
    let report = manager.post("/day-close", over.clone()).await.expect(201).data();
    assert_eq!((&report["zNumber"], &report["carriedOver"]), (&json!(1), &json!(true)));
    assert_eq!(report["openOrders"][0]["orderNumber"], open["orderNumber"]);
    assert_eq!(report["sales"]["orderCount"], 2);
    assert_eq!(report["sales"]["totalCents"], 18_900 + 3_000 + 9_450);
    assert_eq!((&report["taxes"][0]["name"], &report["taxes"][0]["taxCents"]), (&json!("CGST"), &json!(675)));
    assert_eq!(
        (&report["payments"][0]["method"], &report["payments"][0]["netCents"]),
        (&json!("CASH"), &json!(21_900))
    );
    assert_eq!(report["invoices"]["firstNumber"], "BLR1/2627-000001");
    assert_eq!(report["cash"]["sessions"][0]["expectedCents"], 22_900);
    assert!(report["stockValueCents"].as_i64().unwrap() > 0);
    assert_eq!(manager.get("/day-close/2026-11-20").await.expect(200).data(), report);
    manager.post("/day-close", over).await.refused(409, "CONFLICT");
    manager.get("/day-close/2026-11-19").await.refused(404, "NOT_FOUND");
    manager.get("/day-close/yesterday").await.refused(400, "BAD_REQUEST");

    // Trade may go on: it is shown beside the report, which stays as it was made.
    branch.pass(60_000);
    let late = house.place(&manager, house.counter(&[("Bottled Water", 1)])).await;
    house.settle(&manager, &late).await;
    manager.patch(&format!("{}/status", path(&late)), json!({"status": "COMPLETED"})).await.expect(200);
    let mut seen = manager.get("/day-close/2026-11-20").await.expect(200).data();
    assert_eq!(
        (&seen["afterClose"]["orderCount"], &seen["afterClose"]["paymentCents"]),
        (&json!(1), &json!(3_000))
    );
    seen["afterClose"] = report["afterClose"].clone();
    assert_eq!(seen, report);

    // The next day the party pays: the money is of its own day, the number follows.
    branch.pass(12 * 3_600_000);
    house.settle(&manager, &open).await;
    manager.patch(&format!("{}/status", path(&open)), json!({"status": "COMPLETED"})).await.expect(200);
    let id = manager.get("/cash-sessions?status=OPEN").await.data()[0]["id"].as_str().unwrap().to_owned();
    manager.post(&format!("/cash-sessions/{id}/close"), json!({"countedCents": 35_350})).await.expect(200);
    let report = manager.post("/day-close", json!({"businessDate": "2026-11-21"})).await.expect(201).data();
    assert_eq!((&report["zNumber"], &report["carriedOver"]), (&json!(2), &json!(false)));
    assert_eq!(
        (&report["sales"]["orderCount"], &report["payments"][0]["amountCents"]),
        (&json!(0), &json!(9_450))
    );
    assert_eq!(report["cash"]["overShortCents"], 0);
    let days = manager.get("/day-close").await.expect(200).json();
    assert_eq!((&days["meta"]["total"], &days["data"][0]["zNumber"]), (&json!(2), &json!(2)));
}
