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

    let open = manager.get(&format!("/cash-sessions/{id}")).await.expect(200).data();
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
    // What went through it, row by row: not for whoever counts drawers.
    let moved = manager.get("/orders/payments?method=CASH&limit=10").await.expect(200).json();
    let kinds: Vec<_> = moved["data"].as_array().unwrap().iter().map(|row| row["kind"].clone()).collect();
    assert_eq!(kinds, ["REFUND", "PAYMENT"]);
    assert_eq!(
        (&moved["data"][0]["amountCents"], &moved["data"][1]["cashSessionId"]),
        (&json!(-1_000), &json!(id))
    );
    cashier.get("/orders/payments").await.refused(403, "FORBIDDEN");
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
    let today = json!({"businessDate": "2026-11-20", "early": true});
    let blocked = manager.post("/day-close", today.clone()).await.refused(409, "CONFLICT");
    assert_eq!(blocked.invalid_fields(), ["openOrders[0]", "openDrawers[0]"]);
    assert!(blocked.text.contains(open["orderNumber"].as_str().unwrap()));
    let future = manager.post("/day-close", json!({"businessDate": "2026-11-21", "carryOver": true})).await;
    assert_eq!(future.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["businessDate"]);
    let before = manager.post("/day-close", json!({"businessDate": "2026-11-19", "carryOver": true})).await;
    assert_eq!(before.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["businessDate"]);
    branch.sign_in(Role::Cashier).post("/day-close", today.clone()).await.refused(403, "FORBIDDEN");

    let over = json!({"businessDate": "2026-11-20", "carryOver": true, "early": true});
    let report = manager.post("/day-close", over.clone()).await.expect(201).data();
    assert_eq!((&report["zNumber"], &report["carriedOver"]), (&json!(1), &json!(true)));
    assert_eq!(report["openOrders"][0]["orderNumber"], open["orderNumber"]);
    assert_eq!(report["sales"]["orderCount"], 1);
    assert_eq!(report["sales"]["totalCents"], 18_900 + 3_000);
    assert_eq!((&report["taxes"][0]["name"], &report["taxes"][0]["taxCents"]), (&json!("CGST"), &json!(450)));
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

    // Trade goes on at once, on the next date; the report stays as it was made.
    branch.pass(60_000);
    let late = house.place(&manager, house.counter(&[("Bottled Water", 1)])).await;
    house.settle(&manager, &late).await;
    manager.patch(&format!("{}/status", path(&late)), json!({"status": "COMPLETED"})).await.expect(200);
    assert_eq!(late["businessDate"], "2026-11-21");
    assert_eq!(manager.get("/day-close/2026-11-20").await.expect(200).data(), report);

    // The next day the party pays: the money is of its own day, the number follows.
    branch.pass(12 * 3_600_000);
    house.settle(&manager, &open).await;
    manager.patch(&format!("{}/status", path(&open)), json!({"status": "COMPLETED"})).await.expect(200);
    let id = manager.get("/cash-sessions?status=OPEN").await.data()[0]["id"].as_str().unwrap().to_owned();
    manager.post(&format!("/cash-sessions/{id}/close"), json!({"countedCents": 35_350})).await.expect(200);
    let report = manager
        .post("/day-close", json!({"businessDate": "2026-11-21", "early": true}))
        .await
        .expect(201)
        .data();
    assert_eq!((&report["zNumber"], &report["carriedOver"]), (&json!(2), &json!(false)));
    assert_eq!(
        (&report["sales"]["orderCount"], &report["payments"][0]["amountCents"]),
        (&json!(2), &json!(12_450))
    );
    assert_eq!(report["cash"]["overShortCents"], 0);
    let days = manager.get("/day-close").await.expect(200).json();
    assert_eq!((&days["meta"]["total"], &days["data"][0]["zNumber"]), (&json!(2), &json!(2)));
}

#[tokio::test]
async fn whoever_counts_a_drawer_is_not_told_what_should_be_in_it() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let (cashier, manager) = (branch.sign_in(Role::Cashier), branch.sign_in(Role::Manager));
    let id = open_drawer(&cashier, json!({"openingFloatCents": 10_000})).await;
    let path = format!("/cash-sessions/{id}");
    let order = house.place(&cashier, house.counter(&[("Dal", 1)])).await;
    house.settle(&cashier, &order).await;
    let moved = json!({"amountCents": 100, "reason": "change"});
    let answers = [
        cashier.get(&path).await.expect(200).data(),
        cashier.post(&format!("{path}/pay-in"), moved.clone()).await.expect(201).data(),
        cashier.post(&format!("{path}/pay-out"), moved).await.expect(201).data(),
    ];
    for answer in answers {
        assert_eq!(answer["currentExpectedCents"], Value::Null);
        for told in ["expectedCents", "paymentsCents", "tipsCents", "refundsCents"] {
            assert_eq!(answer[told], Value::Null, "{told}: {answer}");
        }
    }
    for who in [&manager, &branch.sign_in(Role::Accountant)] {
        let seen = who.get(&path).await.expect(200).data();
        assert_eq!((&seen["currentExpectedCents"], &seen["paymentsCents"]), (&json!(28_900), &json!(18_900)));
    }
    // Whoever opened one counts it, a manager too; nor does a day's report tell of a drawer that was carried over.
    let own = open_drawer(&manager, json!({"openingFloatCents": 0, "drawer": "BAR"})).await;
    let own = manager.get(&format!("/cash-sessions/{own}")).await.expect(200).data();
    assert_eq!(own["currentExpectedCents"], Value::Null);
    let over = json!({"businessDate": "2026-11-20", "carryOver": true, "early": true});
    let report = manager.post("/day-close", over).await.expect(201).data();
    assert_eq!(report["cash"]["sessions"].as_array().unwrap().len(), 2);
    let shown = cashier.get("/day-close/2026-11-20").await.expect(200).data();
    assert_eq!(shown["cash"]["sessions"], json!([]));

    let notes =
        |count: i64| json!([{"valueCents": 10_000, "count": count}, {"valueCents": 100, "count": 89}]);
    let mut count = json!({"countedCents": 28_900, "denominations": notes(3)});
    let odd = cashier.post(&format!("{path}/close"), count.clone()).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(odd.invalid_fields(), ["denominations"]);
    count["denominations"] = notes(2);
    let closed = cashier.post(&format!("{path}/close"), count).await.expect(200).data();
    assert_eq!((&closed["expectedCents"], &closed["overShortCents"]), (&json!(28_900), &json!(0)));
    assert_eq!(closed["denominations"], notes(2));
    let told = json!({"blindCount": false});
    house.owner.patch(&format!("/outlets/{}", branch.outlet_id), told).await.expect(200);
    let open = open_drawer(&cashier, json!({"openingFloatCents": 500})).await;
    let open = cashier.get(&format!("/cash-sessions/{open}")).await.expect(200).data();
    assert_eq!(open["currentExpectedCents"], 500);
}

#[tokio::test]
async fn no_more_is_paid_out_than_the_role_may_and_the_drawer_holds() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let pin = house.approver(&branch).await;
    let limits = json!({"payOutLimitCents": {"CASHIER": 5_000}});
    let path = format!("/outlets/{}", branch.outlet_id);
    house
        .owner
        .patch(&path, json!({"payOutLimitCents": {"CHEF": -1}}))
        .await
        .refused(422, "PAYLOAD_VALIDATION");
    house.owner.patch(&path, limits).await.expect(200);
    let cashier = branch.sign_in(Role::Cashier);
    let id = open_drawer(&cashier, json!({"openingFloatCents": 7_000})).await;
    let pay_out = format!("/cash-sessions/{id}/pay-out");
    let out = |amount: i64| json!({"amountCents": amount, "reason": "vegetables"});
    let approved = |amount: i64| json!({"amountCents": amount, "reason": "vegetables", "approverPin": pin});
    cashier.post(&pay_out, out(5_001)).await.refused(403, "FORBIDDEN");
    cashier.post(&pay_out, approved(5_001)).await.expect(201);
    let keyed = cashier.post_keyed(&pay_out, "milk", out(1_500)).await.expect(201);
    let again = cashier.post_keyed(&pay_out, "milk", out(1_500)).await.expect(201);
    assert_eq!(again.json(), keyed.json(), "what was paid out once is answered again, not tried");
    // 499 are left. Two tries tell nothing but that, the third wants an approver, and nobody takes out what is not there.
    for amount in [3_500, 500] {
        let refused = cashier.post(&pay_out, out(amount)).await.refused(422, "PAYLOAD_VALIDATION");
        assert_eq!(refused.invalid_fields(), ["amountCents"]);
        assert!(!refused.text.contains("499"), "{}", refused.text);
    }
    cashier.post(&pay_out, out(1)).await.refused(403, "FORBIDDEN");
    cashier.post(&pay_out, approved(500)).await.refused(422, "PAYLOAD_VALIDATION");
    house.owner.post(&pay_out, out(500)).await.refused(422, "PAYLOAD_VALIDATION");
    cashier.post(&pay_out, approved(499)).await.expect(201);
    let refused = "SELECT count(*) FROM audit_log WHERE action = 'cash.pay_out_refused'";
    assert_eq!(branch.number(refused).await, 4);
    let named = "SELECT count(*) FROM cash_movements WHERE kind = 'PAY_OUT' AND approver_id IS NOT NULL";
    assert_eq!(branch.number(named).await, 2);
}

#[tokio::test]
async fn many_small_pay_outs_do_not_pass_for_none() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let pin = house.approver(&branch).await;
    let (cashier, manager) = (branch.sign_in(Role::Cashier), house.employed(&branch, Role::Manager).await);
    let id = open_drawer(&cashier, json!({"openingFloatCents": 500_000})).await;
    let drawer = format!("/cash-sessions/{id}");
    let (pay_out, tip_out) = (format!("{drawer}/pay-out"), format!("{drawer}/tip-out"));
    let out = |amount: i64| json!({"amountCents": amount, "reason": "vegetables"});
    let approved = |amount: i64| json!({"amountCents": amount, "reason": "vegetables", "approverPin": pin});
    // A manager's own, and what one approved, are nobody's limit.
    manager.post(&pay_out, out(30_000)).await.expect(201);
    cashier.post(&pay_out, approved(30_000)).await.expect(201);
    cashier.post(&pay_out, out(15_000)).await.expect(201);
    let refused = cashier.post(&pay_out, out(5_001)).await.refused(403, "FORBIDDEN");
    assert_eq!(refused.invalid_fields(), ["approverPin"]);
    cashier.post(&pay_out, out(5_000)).await.expect(201);
    cashier.post(&pay_out, out(1)).await.refused(403, "FORBIDDEN");
    cashier.post(&pay_out, approved(1)).await.expect(201);

    // Tips are measured by what came in of them.
    let order = house.place(&cashier, house.counter(&[("Dal", 1)])).await;
    let cash = json!({"method": "CASH", "amountCents": 18_900, "tipCents": 1_000});
    cashier.post(&format!("{}/payments", path(&order)), cash).await.expect(201);
    cashier.post(&tip_out, out(700)).await.expect(201);
    let refused = cashier.post(&tip_out, out(301)).await.refused(403, "FORBIDDEN");
    assert_eq!(refused.invalid_fields(), ["approverPin"]);
    cashier.post(&tip_out, out(300)).await.expect(201);
    cashier.post(&tip_out, out(1)).await.refused(403, "FORBIDDEN");
    cashier.post(&tip_out, approved(1)).await.expect(201);
    manager.post(&tip_out, out(1)).await.expect(201);
    // A drawer that was counted begins anew.
    cashier.post(&format!("{drawer}/close"), json!({"countedCents": 0})).await.expect(200);
    let next = open_drawer(&cashier, json!({"openingFloatCents": 50_000})).await;
    cashier.post(&format!("/cash-sessions/{next}/pay-out"), out(20_000)).await.expect(201);
}

#[tokio::test]
async fn vouchers_have_numbers_and_cash_comes_back_in_coins_there_are() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let step = json!({"cashRoundingCents": 100});
    house.owner.patch(&format!("/outlets/{}", branch.outlet_id), step).await.expect(200);
    let order = house.place(&house.owner, house.counter(&[("Dal", 1)])).await;
    let payments = format!("{}/payments", path(&order));
    let voucher = json!({"method": "VOUCHER", "amountCents": 8_900});
    let refused = house.owner.post(&payments, voucher).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["reference"]);
    let voucher = json!({"method": "VOUCHER", "amountCents": 8_900, "reference": "DIWALI-17"});
    house.owner.post(&payments, voucher).await.expect(201);
    let cash = json!({"method": "CASH", "amountCents": 10_000});
    house.owner.post(&payments, cash).await.expect(201);
    let refunds = format!("{}/refunds", path(&order));
    let back = |amount: i64| json!({"amountCents": amount, "reason": "cold"});
    let odd = house.owner.post(&refunds, back(1_050)).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(odd.invalid_fields(), ["amountCents"]);
    house.owner.post(&refunds, back(1_100)).await.expect(201);
}
