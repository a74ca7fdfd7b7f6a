//! What is put right about payments, tips, and dates that are closed early: each counts on its own date.

use super::{DAY, cents, complete, figures, of_figures, of_report, path};
use edge::access::Role;
use serde_json::json;
use tiffin_tests::{Branch, Client, House};

#[tokio::test]
async fn a_payment_entered_wrongly_is_put_right_and_no_document_is_made() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let pin = house.approver(&branch).await;
    let cashier = branch.sign_in(Role::Cashier);
    let drawer =
        cashier.post("/cash-sessions", json!({"openingFloatCents": 50_000})).await.expect(201).data();
    let drawer = format!("/cash-sessions/{}", drawer["id"].as_str().unwrap());
    let order = house.place(&cashier, house.counter(&[("Dal", 1)])).await;
    // Cash that was a card, with a tip of 1,000.00 for 10.00.
    let wrong = json!({"method": "CASH", "amountCents": 18_900, "tipCents": 100_000});
    let paid = cashier.post(&format!("{}/payments", path(&order)), wrong).await.expect(201).data();
    let correct = format!("{}/payments/{}/correct", path(&order), paid["payment"]["id"].as_str().unwrap());
    let body = json!({"method": "CARD", "tipCents": 1_000, "reference": "TXN 7", "reason": "wrong key"});
    cashier.post(&correct, body.clone()).await.refused(403, "FORBIDDEN");
    let mut approved = body.clone();
    approved["approverPin"] = json!(pin);
    let right = cashier.post(&correct, approved.clone()).await.expect(201).data();
    let payment = &right["payments"][0];
    assert_eq!(
        (&payment["method"], cents(payment, "tipCents"), cents(&right, "tipCents")),
        (&json!("CARD"), 1_000, 1_000)
    );
    assert_eq!(
        (&payment["reference"], &payment["corrections"][0]["oldMethod"]),
        (&json!("TXN 7"), &json!("CASH"))
    );
    assert_eq!((&right["refunds"], cents(&right, "dueCents")), (&json!([]), 0));
    let again = cashier.post(&correct, approved).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(again.invalid_fields(), ["method"]);
    let card =
        json!({"reference": "4111 1111 1111 1111", "method": "VOUCHER", "reason": "x", "approverPin": pin});
    assert_eq!(
        cashier.post(&correct, card).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields(),
        ["reference"]
    );
    let held = house.owner.get(&drawer).await.expect(200).data();
    assert_eq!(cents(&held, "currentExpectedCents"), 50_000);
    let report = house.owner.get("/analytics/reports/payments").await.expect(200).data();
    let rows = report["rows"].as_array().unwrap();
    let of = |method: &str| {
        rows.iter().find(|row| row[0] == method).map(|row| [row[1].clone(), row[2].clone(), row[3].clone()])
    };
    assert_eq!(of("CARD"), Some([json!(1), json!(18_900), json!(1_000)]));
    assert_eq!(of("CASH"), Some([json!(0), json!(0), json!(0)]));
    assert_eq!(branch.number("SELECT count(*) FROM invoices WHERE kind = 'CREDIT_NOTE'").await, 0);
    assert_eq!(
        branch
            .number(
                "SELECT count(*) FROM audit_log WHERE action = 'payment.correct' AND approver_id IS NOT NULL"
            )
            .await,
        1
    );

    // A tip that comes later is anybody's to add who takes payments; after the drawer is closed it counts on its own date.
    let second = house.place(&cashier, house.counter(&[("Lassi", 1)])).await;
    let paid = house.settle(&cashier, &second).await.data();
    cashier.post(&format!("{drawer}/close"), json!({"countedCents": 59_450})).await.expect(200);
    branch.pass(DAY);
    let owner = branch.sign_in(Role::Owner);
    for order in [&order, &second] {
        assert_eq!(complete(&owner, order).await, 200);
    }
    let report = owner.post("/day-close", json!({"businessDate": "2026-11-20"})).await.expect(201).data();
    let closed = figures(&owner, "2026-11-20").await;
    let cashier = branch.sign_in(Role::Cashier);
    let correct = format!("{}/payments/{}/correct", path(&second), paid["payment"]["id"].as_str().unwrap());
    let tip = json!({"tipCents": 500, "reason": "the guest came back"});
    let right = cashier.post(&correct, tip).await.expect(201).data();
    assert_eq!(
        (cents(&right, "tipCents"), &right["payments"][0]["corrections"][0]["businessDate"]),
        (500, &json!("2026-11-21"))
    );
    assert_eq!(figures(&owner, "2026-11-20").await, closed);
    assert_eq!(owner.get("/day-close/2026-11-20").await.data()["payments"], report["payments"]);
    assert_eq!(cents(&figures(&owner, "2026-11-21").await, "tips"), 500);
}

#[tokio::test]
async fn card_numbers_are_written_down_nowhere() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let mut order = house.counter(&[("Dal", 1)]);
    order["notes"] = json!("card 4111 1111 1111 1111");
    assert_eq!(
        house.owner.post("/orders", order.clone()).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields(),
        ["notes"]
    );
    order["notes"] = json!("call 9111111111111115");
    order["items"][0]["notes"] = json!("5500-0000-0000-0004");
    assert_eq!(
        house.owner.post("/orders", order.clone()).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields(),
        ["items[0].notes"]
    );
    order["items"][0]["notes"] = json!("no salt");
    order["customerPhone"] = json!("4111111111111111");
    let placed = house.place(&house.owner, order).await;
    let line = format!("{}/items/{}", path(&placed), placed["items"][0]["id"].as_str().unwrap());
    let noted = house.owner.patch(&line, json!({"notes": "378282246310005"})).await;
    assert_eq!(noted.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["notes"]);
    // A UPI reference of twelve digits is fine.
    let upi = json!({"method": "UPI", "amountCents": 100, "reference": "416839125407"});
    house.owner.post(&format!("{}/payments", path(&placed)), upi).await.expect(201);
}

/// COMPLETED with no money after a card that did not hold.
#[tokio::test]
async fn a_payment_that_did_not_hold_is_due_again() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let order = house.place(owner, house.counter(&[("Dal", 1)])).await;
    let card = json!({"method": "CARD", "amountCents": 18_900, "tipCents": 300});
    let payments = format!("{}/payments", path(&order));
    let paid = owner.post(&payments, card.clone()).await.expect(201).data();
    assert_eq!(complete(owner, &order).await, 200);
    let reverse = format!("{payments}/{}/reverse", paid["payment"]["id"].as_str().unwrap());
    branch
        .sign_in(Role::Cashier)
        .post(&reverse, json!({"reason": "bounced"}))
        .await
        .refused(403, "FORBIDDEN");
    assert_eq!(
        owner.post(&reverse, json!({})).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields(),
        ["reason"]
    );
    let open = owner.post(&reverse, json!({"reason": "bounced"})).await.expect(201).data();
    assert_eq!(
        (&open["status"], cents(&open, "dueCents"), cents(&open, "tipCents")),
        (&json!("DELIVERED"), 18_900, 0)
    );
    assert_eq!(open["payments"][0]["isReversed"], true);
    owner.post(&reverse, json!({"reason": "bounced"})).await.refused(409, "INVALID_TRANSITION");
    assert_eq!(complete(owner, &order).await, 409);
    assert_eq!(cents(&figures(owner, "2026-11-20").await, "money"), 0);
    let refund = json!({"amountCents": 100, "reason": "x"});
    owner.post(&format!("{}/refunds", path(&order)), refund).await.refused(422, "PAYLOAD_VALIDATION");
    owner.post(&payments, card).await.expect(201);
    assert_eq!(complete(owner, &order).await, 200);
    assert_eq!(branch.number("SELECT count(*) FROM invoices").await, 1);
    let today = figures(owner, "2026-11-20").await;
    assert_eq!((cents(&today, "net"), cents(&today, "money")), (18_000, 19_200));
    let unknown = format!("{payments}/{}/reverse", order["id"].as_str().unwrap());
    owner.post(&unknown, json!({"reason": "x"})).await.refused(404, "NOT_FOUND");
}

#[tokio::test]
async fn tips_are_paid_out_of_the_drawer() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let cashier = branch.sign_in(Role::Cashier);
    let drawer =
        cashier.post("/cash-sessions", json!({"openingFloatCents": 10_000})).await.expect(201).data();
    let drawer = format!("/cash-sessions/{}", drawer["id"].as_str().unwrap());
    let order = house.place(&cashier, house.counter(&[("Dal", 1)])).await;
    let paid = json!({"method": "CARD", "amountCents": 18_900, "tipCents": 20_000});
    cashier.post(&format!("{}/payments", path(&order)), paid).await.expect(201);
    let out = |amount: i64| json!({"amountCents": amount, "reason": "tips of the evening"});
    cashier.post(&format!("{drawer}/tip-out"), out(1_500)).await.expect(201);
    cashier.post(&format!("{drawer}/tip-out"), out(9_000)).await.refused(422, "PAYLOAD_VALIDATION");
    cashier.post(&format!("{drawer}/tip-out"), out(30_000)).await.refused(403, "FORBIDDEN");
    let held = house.owner.get(&drawer).await.expect(200).data();
    assert_eq!(
        (
            cents(&held, "currentExpectedCents"),
            cents(&held, "tipsPaidOutCents"),
            cents(&held, "paidOutCents")
        ),
        (8_500, 1_500, 0)
    );
}

#[tokio::test]
async fn a_date_is_closed_early_once_and_the_next_begins_at_once() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let sell = async |owner: &Client| {
        let order = house.place(owner, house.counter(&[("Lassi", 1)])).await;
        house.settle(owner, &order).await;
        assert_eq!(complete(owner, &order).await, 200);
        order
    };
    sell(owner).await;
    let day = |date: &str, early: bool| json!({"businessDate": date, "early": early});
    owner.post("/day-close", day("2026-11-20", false)).await.refused(409, "CONFLICT");
    let report = owner.post("/day-close", day("2026-11-20", true)).await.expect(201).data();
    assert_eq!((&report["early"], cents(&report["sales"], "orderCount")), (&json!(true), 1));
    branch.pass(60_000);
    let next = sell(owner).await;
    assert_eq!((&next["businessDate"], cents(&next, "tokenNumber")), (&json!("2026-11-21"), 1));
    assert_eq!(owner.get("/dashboard").await.data()["businessDate"], "2026-11-21");
    assert_eq!(of_figures(&figures(owner, "2026-11-20").await), of_report(&report));
    owner.post("/day-close", day("2026-11-21", true)).await.refused(409, "CONFLICT");
    // Into another month than the local one: never.
    branch.at("2026-11-30T12:00:00Z");
    let owner = branch.sign_in(Role::Owner);
    owner.post("/day-close", day("2026-11-30", true)).await.refused(409, "CONFLICT");
    owner.post("/day-close", day("2026-11-21", false)).await.expect(201);
}

#[tokio::test]
async fn what_is_not_there_is_not_put_right() {
    let branch = Branch::start().await;
    let owner = branch.sign_in(Role::Owner);
    let id = "01a1f8ef-6140-7000-8002-254b2e60e85c";
    let why = || json!({"reason": "x", "tipCents": 1, "amountCents": 1});
    owner.post(&format!("/orders/{id}/payments/{id}/correct"), why()).await.refused(404, "NOT_FOUND");
    owner.post(&format!("/orders/{id}/payments/{id}/reverse"), why()).await.refused(404, "NOT_FOUND");
    owner.post(&format!("/orders/{id}/write-off"), why()).await.refused(404, "NOT_FOUND");
    owner
        .post(&format!("/orders/{id}/credit-note"), json!({"reason": "RETURNED"}))
        .await
        .refused(404, "NOT_FOUND");
    owner.post(&format!("/cash-sessions/{id}/tip-out"), why()).await.refused(404, "NOT_FOUND");
}

/// Coins are the same on the way back: what portions were charged at is rounded as the bill was, and the last one takes what is left.
#[tokio::test]
async fn portions_are_paid_back_in_coins() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let outlet = format!("/outlets/{}", branch.outlet_id);
    owner.patch(&outlet, json!({"cashRoundingCents": 100})).await.expect(200);
    for (method, parts) in [("CASH", [17_600, 17_600, 17_500]), ("CARD", [17_567, 17_566, 17_567])] {
        // 540.00 less 7 %, with 5 %: 527.32, rounded to 527.00.
        let order = house.place(owner, house.counter(&[("Dal", 3)])).await;
        let cut = json!({"type": "PERCENT", "value": 7, "reason": "regulars"});
        owner.post(&format!("{}/discounts", path(&order)), cut).await.expect(201);
        let payment = json!({"method": method, "amountCents": 52_700});
        owner.post(&format!("{}/payments", path(&order)), payment).await.expect(201);
        let one = json!([{"orderItemId": order["items"][0]["id"], "quantity": 1}]);
        for part in parts {
            let back = json!({"items": one, "reason": "cold"});
            let made = owner.post(&format!("{}/refunds", path(&order)), back).await.expect(201).data();
            assert_eq!((cents(&made, "amountCents"), cents(&made, "totalCents")), (part, part), "{method}");
            assert_eq!(made["refunds"][0]["amountCents"], part);
        }
        let done = owner.get(&path(&order)).await.json();
        assert_eq!(done["refundedCents"], 52_700);
    }
    let today = figures(owner, "2026-11-20").await;
    for name in ["net", "tax", "taxReport", "service", "rounding", "sales", "money"] {
        assert_eq!(cents(&today, name), 0, "{name}");
    }
    // Less than half a coin cannot be handed over.
    owner.patch(&outlet, json!({"cashRoundingCents": 10_000})).await.expect(200);
    let order = house.place(owner, house.counter(&[("Dal", 1), ("Bottled Water", 1)])).await;
    house.settle(owner, &order).await;
    let water = json!([{"orderItemId": order["items"][1]["id"], "quantity": 1}]);
    let refused =
        owner.post(&format!("{}/refunds", path(&order)), json!({"items": water, "reason": "warm"})).await;
    assert_eq!(refused.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["items"]);
}
