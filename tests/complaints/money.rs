//! Days that cannot be closed, and money that goes back more often than it came.

use crate::{id, path};
use edge::access::Role;
use serde_json::json;
use tiffin_tests::{Branch, House};

#[tokio::test]
async fn complaint_07_the_day_cannot_be_closed() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let drawer = owner.post("/cash-sessions", json!({"openingFloatCents": 50_000})).await.expect(201).data();
    let paid = house.place(owner, house.counter(&[("Dal", 1)])).await;
    house.settle(owner, &paid).await;
    owner.patch(&format!("{}/status", path(&paid)), json!({"status": "COMPLETED"})).await.expect(200);
    let open = house.place(owner, house.at_table(1, &[("Lassi", 1)])).await;
    let close = json!({"businessDate": "2026-11-20", "early": true});
    // Refused with everything that is open, by name.
    let blocked = owner.post("/day-close", close).await.expect(409);
    assert!(blocked.text.contains(open["orderNumber"].as_str().unwrap()), "{}", blocked.text);
    assert!(blocked.text.contains("MAIN"), "{}", blocked.text);
    assert!(!blocked.text.contains(paid["orderNumber"].as_str().unwrap()), "{}", blocked.text);
    // And can go on all the same, with what is open carried over.
    let report = owner
        .post("/day-close", json!({"businessDate": "2026-11-20", "early": true, "carryOver": true}))
        .await
        .expect(201);
    assert_eq!(report.data()["carriedOver"], true);
    assert_eq!(
        owner
            .post("/day-close", json!({"businessDate": "2026-11-20", "early": true, "carryOver": true}))
            .await
            .status,
        409
    );
    // What was carried over can be finished on the next day, and that day be closed without anything in its way.
    branch.at("2026-11-21T06:00:00.000Z");
    house.settle(owner, &open).await;
    owner.patch(&format!("{}/status", path(&open)), json!({"status": "COMPLETED"})).await.expect(200);
    // Somebody else says what should be in it: whoever opened a drawer counts it unseen.
    let manager = branch.sign_in(Role::Manager);
    let counted =
        manager.get(&format!("/cash-sessions/{}", id(&drawer))).await.data()["currentExpectedCents"].clone();
    let closed =
        owner.post(&format!("/cash-sessions/{}/close", id(&drawer)), json!({"countedCents": counted})).await;
    assert_eq!(closed.data()["overShortCents"], 0);
    owner.post("/day-close", json!({"businessDate": "2026-11-21", "early": true})).await.expect(201);
    let future = owner
        .post("/day-close", json!({"businessDate": "2026-11-23"}))
        .await
        .refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(future.invalid_fields(), ["businessDate"]);
}

#[tokio::test]
async fn complaint_09_refund_the_same_thing_many_times() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    // 2 × 180.00 + 90.00 and 5 %: 472.50.
    let order = house.place(owner, house.counter(&[("Dal", 2), ("Lassi", 1)])).await;
    assert_eq!(order["totalAmountCents"], 47_250);
    let (pay, refund) = (format!("{}/payments", path(&order)), format!("{}/refunds", path(&order)));
    owner
        .post(&refund, json!({"amountCents": 1, "reason": "x", "restock": false}))
        .await
        .refused(409, "INVALID_TRANSITION");
    let card = owner.post(&pay, json!({"method": "CARD", "amountCents": 20_000})).await.expect(201).data();
    owner
        .post(&pay, json!({"method": "CASH", "amountCents": 27_251}))
        .await
        .refused(422, "PAYLOAD_VALIDATION");
    owner
        .post(&pay, json!({"method": "CASH", "amountCents": 27_250, "tenderedCents": 30_000}))
        .await
        .expect(201);
    // One portion of two, then more than the one that is left, then the one.
    let dal = id(&order["items"][0]);
    let portions =
        |n: i64| json!({"items": [{"orderItemId": dal, "quantity": n}], "reason": "cold", "restock": false});
    assert_eq!(owner.post(&refund, portions(1)).await.expect(201).data()["amountCents"], 18_900);
    owner.post(&refund, portions(2)).await.refused(422, "PAYLOAD_VALIDATION");
    owner.post(&refund, portions(1)).await.expect(201);
    owner.post(&refund, portions(1)).await.refused(422, "PAYLOAD_VALIDATION");
    // Never more than was paid, by payment and in all.
    let from_card = |cents: i64| json!({"paymentId": id(&card["payment"]), "amountCents": cents, "reason": "x", "restock": false});
    let left = owner.get(&path(&order)).await.json();
    assert_eq!(left["refundedCents"], 37_800);
    let card_left = 20_000 - left["payments"][0]["refundedCents"].as_i64().unwrap();
    owner.post(&refund, from_card(card_left + 1)).await.refused(422, "PAYLOAD_VALIDATION");
    let rest = json!({"amountCents": 47_250 - 37_800, "reason": "x", "restock": false});
    owner.post(&refund, rest.clone()).await.expect(201);
    owner.post(&refund, rest).await.refused(422, "PAYLOAD_VALIDATION");
    owner
        .post(&refund, json!({"amountCents": 1, "reason": "x", "restock": false}))
        .await
        .refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(branch.number("SELECT sum(amount_cents) FROM refunds").await, 47_250);
    assert_eq!(branch.number("SELECT count(*) FROM payments WHERE refunded_cents > amount_cents").await, 0);
    // Every credit note refers to the bill; all of them together take back exactly its tax.
    let notes = "SELECT sum(CASE kind WHEN 'INVOICE' THEN tax_cents ELSE -tax_cents END) FROM invoices";
    assert_eq!(branch.number(notes).await, 0);
    assert_eq!(owner.get("/orders/invoices/verify").await.data()["valid"], true);
}
