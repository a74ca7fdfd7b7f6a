//! What suppliers want to be paid, held against what they brought, and what goes back to them.

use super::{deliver, id, item, sent, supplier};
use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client};

/// An order of ten kilos of rice at 4.00, of which eight have come with `invoiceRef` A-1.
async fn eight_of_ten(keeper: &Client) -> (Value, String) {
    let farm = supplier(keeper, "Farm", 1).await;
    let rice = item(keeper, "Rice", None).await;
    let order =
        sent(keeper, &farm, json!([{"inventoryItemId": rice, "quantityOrdered": 10, "unitCostCents": 400}]))
            .await;
    let path = format!("/purchase-orders/{}", id(&order));
    let came = json!({"invoiceRef": "A-1", "items": [
        {"inventoryItemId": rice, "quantityReceived": 8, "unitCostCents": 400, "batchNumber": "LOT-1"}]});
    let order = keeper.post(&format!("{path}/deliveries"), came).await.expect(201).data();
    (order, path)
}

#[tokio::test]
async fn an_invoice_is_matched_over_or_short_and_a_difference_is_accepted_by_who_may() {
    let branch = Branch::start().await;
    let (keeper, accountant) = (branch.sign_in(Role::Storekeeper), branch.sign_in(Role::Accountant));
    let (order, path) = eight_of_ten(&keeper).await;
    assert_eq!((&order["invoice"], &order["invoices"]), (&Value::Null, &json!([])));
    let enter = async |reference: &str, total: i64, tax: i64| {
        let body = json!({"ref": reference, "totalCents": total, "taxCents": tax});
        keeper.post(&format!("{path}/invoice"), body).await
    };
    // Ten were billed, at 5 %, of which eight have come.
    let entered = enter(" a-1 ", 4_200, 200).await.expect(201).data();
    let invoice = &entered["invoice"];
    assert_eq!(
        (&invoice["ref"], &invoice["totalCents"], &invoice["taxCents"]),
        (&json!("a-1"), &json!(4_200), &json!(200))
    );
    assert_eq!(
        (&invoice["status"], &invoice["deliveredCents"], &invoice["differenceCents"], &invoice["isOpen"]),
        (&json!("OVER"), &json!(3_200), &json!(800), &json!(true))
    );
    let again = enter("A-1", 1, 0).await.refused(409, "CONFLICT");
    assert_eq!(again.invalid_fields(), ["ref"]);
    assert!(again.text.contains(order["poNumber"].as_str().unwrap()), "{}", again.text);
    assert_eq!(enter("B", 1, 2).await.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["taxCents"]);
    let huge = enter("B", i64::MAX, 1_000_000_000_001).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(huge.invalid_fields(), ["taxCents", "totalCents"]);

    let of = id(invoice);
    let accept = format!("{path}/invoices/{of}/accept");
    keeper.post(&accept, json!({"reason": "x"})).await.refused(403, "FORBIDDEN");
    let accepted = accountant
        .post(
            &format!("/purchase-orders/{}/invoices/{of}/accept", id(&order)),
            json!({"reason": "the rest comes tomorrow"}),
        )
        .await
        .expect(200)
        .data();
    assert_eq!(
        (&accepted["invoice"]["isOpen"], &accepted["invoice"]["status"]),
        (&json!(false), &json!("OVER"))
    );
    assert_eq!(accepted["invoice"]["acceptedReason"], "the rest comes tomorrow");
    accountant.post(&accept, json!({"reason": "x"})).await.refused(409, "INVALID_TRANSITION");
    let entry = branch
        .sign_in(Role::Owner)
        .get("/audit-log?action=purchase_order.accept_invoice")
        .await
        .expect(200)
        .json();
    assert_eq!(entry["data"][0]["reason"], "the rest comes tomorrow", "{entry}");
    let invoice = format!("/purchase-orders/{}/invoices/{}", id(&order), id(&accepted["invoice"]));
    keeper.delete(&invoice).await.refused(409, "INVALID_TRANSITION");

    // The rest comes without a number of an invoice, and is billed by another.
    let rice = order["items"][0]["inventoryItemId"].as_str().unwrap();
    deliver(&keeper, &order, json!([{"inventoryItemId": rice, "quantityReceived": 2, "unitCostCents": 400}]))
        .await;
    let report = "/analytics/reports/supplier-invoices?from=2026-11-20&to=2026-11-20";
    let unmatched = accountant
        .get("/analytics/reports/supplier-invoices?from=2026-11-20&to=2026-11-20")
        .await
        .expect(200)
        .data();
    let rows = unmatched["rows"].as_array().unwrap();
    assert_eq!(
        (rows.len(), &rows[1][9], &rows[1][8]),
        (2, &json!("NO_INVOICE"), &json!(-800)),
        "{unmatched}"
    );
    let second = enter("A-2", 800, 0).await.expect(201).data();
    assert_eq!(
        (&second["invoices"][1]["status"], &second["invoices"][1]["isOpen"]),
        (&json!("MATCHED"), &json!(false))
    );
    let csv = accountant.get(&format!("{report}&format=csv")).await.expect(200).text;
    assert!(csv.contains("a-1") && csv.contains("OVER") && csv.contains("MATCHED"), "{csv}");

    let wrong = id(&second["invoices"][1]);
    let after =
        keeper.delete(&format!("/purchase-orders/{}/invoices/{wrong}", id(&order))).await.expect(200).data();
    assert_eq!(after["invoices"].as_array().unwrap().len(), 1);
    enter("A-2", 900, 0).await.expect(201);
    let farm = order["supplierId"].as_str().unwrap();
    let draft = super::write(&keeper, farm, json!([{"inventoryItemId": rice, "quantityOrdered": 1}])).await;
    let early = json!({"ref": "C", "totalCents": 1, "taxCents": 0});
    keeper
        .post(&format!("/purchase-orders/{}/invoice", id(&draft)), early)
        .await
        .refused(409, "INVALID_TRANSITION");
}

#[tokio::test]
async fn what_goes_back_leaves_its_batch_on_a_numbered_note_and_never_more_than_came() {
    let branch = Branch::start().await;
    let keeper = branch.sign_in(Role::Storekeeper);
    let (order, path) = eight_of_ten(&keeper).await;
    let rice = order["items"][0]["inventoryItemId"].as_str().unwrap().to_owned();
    let batch = order["deliveries"][0]["items"][0]["batchId"].clone();
    let bill = json!({"ref": "A-1", "totalCents": 3_360, "taxCents": 160});
    keeper.post(&format!("{path}/invoice"), bill).await.expect(201);
    let returns = format!("{path}/returns");
    let back = |quantity: Value, more: Value| {
        let mut line = json!({"batchId": batch, "quantity": quantity, "reason": "weevils"});
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"items": [line]})
    };
    let after = keeper
        .post(&format!("/purchase-orders/{}/returns", id(&order)), back(json!(2_500), json!({"unit": "g"})))
        .await
        .expect(201)
        .data();
    let note = &after["returns"][0];
    assert_eq!((&note["id"], &note["number"]), (&after["returnId"], &json!("DN/BLR1/2627-001")));
    assert_eq!((&note["totalCents"], &note["taxCents"]), (&json!(1_000), &json!(50)));
    let line = &note["items"][0];
    assert_eq!(
        (&line["batchNumber"], &line["stockQuantity"], &line["unitCostCents"], &line["reason"]),
        (&json!("LOT-1"), &json!(2.5), &json!(0.4), &json!("weevils"))
    );
    // What came of the order stays: the invoice is matched, and the note is what the supplier owes.
    assert_eq!(
        (&after["items"][0]["quantityReceived"], &after["invoice"]["status"]),
        (&json!(8), &json!("MATCHED"))
    );
    let stock = keeper.get(&format!("/inventory/items/{rice}")).await.expect(200).data();
    assert_eq!((&stock["currentStock"], &stock["stockValueCents"]), (&json!(5.5), &json!(2_200)));
    let ledger = keeper.get(&format!("/inventory/items/{rice}/movements")).await.json()["data"][0].clone();
    assert_eq!((&ledger["kind"], &ledger["quantityDelta"]), (&json!("RECEIPT"), &json!(-2.5)));
    assert_eq!((&ledger["cause"]["type"], &ledger["note"]), (&json!("SUPPLIER_RETURN"), &json!("weevils")));

    let second =
        keeper.post(&returns, back(json!(1), json!({"unitCostCents": 300}))).await.expect(201).data();
    assert_eq!(
        (&second["returns"][1]["number"], &second["returns"][1]["totalCents"]),
        (&json!("DN/BLR1/2627-002"), &json!(300))
    );
    let too_much =
        keeper.post(&returns, back(json!(4.6), json!({}))).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(too_much.invalid_fields(), ["items[0].quantity"]);
    assert!(too_much.text.contains("LOT-1: 4.5 kg"), "{}", too_much.text);
    let refused = async |items: Value| {
        keeper
            .post(&returns, json!({"items": items}))
            .await
            .refused(422, "PAYLOAD_VALIDATION")
            .invalid_fields()
    };
    let twice = json!({"batchId": batch, "quantity": 3, "reason": "x"});
    assert_eq!(refused(json!([twice, twice])).await, ["items[1].quantity"]);
    let unknown = json!([{"batchId": branch.outlet_id, "quantity": 1, "reason": "x"}]);
    assert_eq!(refused(unknown).await, ["items[0].batchId"]);
    assert_eq!(refused(json!([{"batchId": batch, "quantity": 1, "reason": " "}])).await, ["items[0].reason"]);

    let farm = order["supplierId"].as_str().unwrap();
    let kept = keeper.get(&format!("/inventory/suppliers/{farm}/performance")).await.expect(200).data();
    assert_eq!((&kept["returnsCount"], &kept["returnedCents"]), (&json!(2), &json!(1_300)));
    let accountant = branch.sign_in(Role::Accountant);
    let bought =
        accountant.get("/analytics/reports/purchases?from=2026-11-20&to=2026-11-20").await.expect(200).data();
    assert_eq!(bought["totals"]["costCents"], 3_200 - 1_400, "{bought}");
    accountant.post(&returns, back(json!(1), json!({}))).await.refused(403, "FORBIDDEN");
}
