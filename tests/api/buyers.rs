//! Whom a bill is made out to, and when it is made: by asking for it, or by the payment that settles the order.

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, House};

const GSTIN: &str = "27AAPFU0939F1ZV";

fn path(order: &Value) -> String {
    format!("/orders/{}", order["id"].as_str().unwrap())
}

#[tokio::test]
async fn a_checked_tax_id_makes_a_bill_between_businesses() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let order = house.place(owner, house.at_table(1, &[("Dal", 1)])).await;
    let bill = format!("{}/invoice", path(&order));
    for wrong in ["27AAPFU0939F1ZW", "72AAPFU0939F1ZV", "GB123456789"] {
        let refused = owner.post(&bill, json!({"customerTaxId": wrong})).await;
        assert_eq!(refused.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["customerTaxId"]);
    }
    assert_eq!(branch.number("SELECT count(*) FROM invoices").await, 0);
    let buyer = json!({
        "customerTaxId": "27aapfu0939f1zv", "customerLegalName": "Falcon Foods LLP", "customerAddress": "4 Fort Road\nMumbai",
    });
    let made = owner.post(&bill, buyer.clone()).await.expect(201).data();
    assert_eq!(
        (&made["customerTaxId"], &made["customerLegalName"]),
        (&json!(GSTIN), &json!("Falcon Foods LLP"))
    );
    assert_eq!(owner.post(&bill, buyer).await.expect(200).data()["id"], made["id"]);
}

#[tokio::test]
async fn the_route_answers_the_bill_that_is_there_and_no_other() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let order = house.place(owner, house.at_table(1, &[("Dal", 1)])).await;
    let bill = format!("{}/invoice", path(&order));
    let buyer = json!({"customerTaxId": GSTIN, "customerLegalName": "Falcon Foods LLP"});
    let made = owner.post(&bill, buyer.clone()).await.expect(201).data();
    for same in [buyer, json!({}), json!({"customerTaxId": "27 aapfu 0939 f1zv"})] {
        let found = owner.post(&bill, same).await.expect(200).data();
        assert_eq!((&found["id"], &found["hash"]), (&made["id"], &made["hash"]));
    }
    for (field, other) in [
        ("customerTaxId", json!({"customerTaxId": "29AAGCB7383J1Z4"})),
        ("customerLegalName", json!({"customerTaxId": GSTIN, "customerLegalName": "Falcon"})),
        ("customerAddress", json!({"customerAddress": "elsewhere"})),
    ] {
        let refused = owner.post(&bill, other).await.refused(409, "CONFLICT");
        assert_eq!(refused.invalid_fields(), [field]);
    }
    let text = owner.get(&format!("{}/receipt?format=text", path(&order))).await.expect(200).text;
    assert!(text.contains(GSTIN) && text.contains("Falcon Foods LLP"), "{text}");
    let other = house.place(owner, house.counter(&[("Lassi", 1)])).await;
    owner.post(&format!("{}/invoice", path(&other)), json!({})).await.expect(201);
    let listed = owner.get("/orders/invoices?b2b=true").await.expect(200).json();
    assert_eq!(listed["meta"]["total"], 1);
    let row = &listed["data"][0];
    assert_eq!((&row["customerTaxId"], &row["b2b"]), (&json!(GSTIN), &json!(true)));
    assert_eq!(owner.get("/orders/invoices?b2b=false").await.expect(200).json()["meta"]["total"], 1);
    // A credit note is made out to the same business.
    let note = json!({"reason": "OVERCHARGED", "amountCents": 1_000});
    let note = owner.post(&format!("{}/credit-note", path(&order)), note).await.expect(201).data();
    assert_eq!(note["customerTaxId"], GSTIN);
    assert_eq!(owner.get("/orders/invoices/verify").await.data()["valid"], true);
}

#[tokio::test]
async fn a_guest_who_is_no_business_stands_in_no_bill() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let order = house.place(owner, house.at_table(1, &[("Dal", 1)])).await;
    let bill = format!("{}/invoice", path(&order));
    let named = json!({"customerLegalName": "Asha Rao", "customerAddress": "12 MG Road"});
    let made = owner.post(&bill, named.clone()).await.expect(201).data();
    assert_eq!((&made["customerName"], &made["customerLegalName"]), (&json!("Asha Rao"), &Value::Null));
    owner.post(&bill, named).await.expect(200);
    assert_eq!(
        branch
            .number("SELECT count(*) FROM invoices WHERE body LIKE '%Asha%' OR body LIKE '%MG Road%'")
            .await,
        0
    );
    let text = owner.get(&format!("{}/receipt?format=text", path(&order))).await.expect(200).text;
    assert!(text.contains("Asha Rao") && text.contains("12 MG Road"), "{text}");
}

#[tokio::test]
async fn the_payment_that_settles_an_order_makes_its_bill() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let cashier = branch.sign_in(Role::Cashier);
    let order = house.place(&cashier, house.counter(&[("Dal", 1)])).await;
    let payments = format!("{}/payments", path(&order));
    let part = cashier.post(&payments, json!({"method": "UPI", "amountCents": 900})).await.expect(201).data();
    assert_eq!(part["order"]["invoiceNumber"], Value::Null);
    let rest =
        cashier.post(&payments, json!({"method": "CASH", "amountCents": 18_000})).await.expect(201).data();
    assert_eq!(rest["order"]["invoiceNumber"], "BLR1/2627-000001");
    assert_eq!(rest["order"]["revenueDate"], "2026-11-20");
    // From then on it is a bill like any other.
    let cancel = json!({"status": "CANCELLED", "reason": "changed their mind"});
    house.owner.patch(&format!("{}/status", path(&order)), cancel).await.refused(409, "INVALID_TRANSITION");
    let more = json!({"items": [house.line("Dal", 1)]});
    cashier.post(&format!("{}/items", path(&order)), more).await.refused(409, "INVALID_TRANSITION");
}
