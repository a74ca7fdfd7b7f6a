//! What suppliers bring: batches, what it says of them, and where it leads back to.

use super::{DAY, deliver, id, item, send, sent, supplier, write};
use edge::access::Role;
use futures_util::future::join_all;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, House};

async fn stock(client: &Client, item: &str) -> Value {
    client.get(&format!("/inventory/items/{item}")).await.expect(200).data()
}

#[tokio::test]
async fn partial_deliveries_make_batches_until_all_of_it_has_come() {
    let branch = Branch::start().await;
    let keeper = branch.sign_in(Role::Storekeeper);
    let farm = supplier(&keeper, "Farm", 1).await;
    let (rice, peas) = (item(&keeper, "Rice", None).await, item(&keeper, "Peas", None).await);
    let order = write(
        &keeper,
        &farm,
        json!([{"inventoryItemId": rice, "quantityOrdered": 4, "unit": "crate", "unitCostCents": 3000},
               {"inventoryItemId": peas, "quantityOrdered": 10, "unitCostCents": 500}]),
    )
    .await;
    let path = format!("/purchase-orders/{}/deliveries", id(&order));
    let first = json!({"items": [
        {"inventoryItemId": rice, "quantityReceived": 1, "unitCostCents": 3000, "batchNumber": "LOT-7", "expiryDate": "2026-12-24"},
        {"inventoryItemId": rice, "quantityReceived": 7500, "unit": "g", "unitCostCents": 0.42},
    ], "invoiceRef": "INV-1", "note": "one sack torn"});
    keeper.post(&path, first.clone()).await.refused(409, "INVALID_TRANSITION");
    send(&keeper, &order).await;
    let after = keeper.post(&path, first).await.expect(201).data();
    assert_eq!(after["status"], "PARTIALLY_RECEIVED");
    let rice_line = &after["items"][0];
    assert_eq!(
        (&rice_line["quantityReceived"], &rice_line["quantityOutstanding"], &rice_line["quantityOver"]),
        (&json!(2), &json!(2), &json!(0))
    );
    let delivery = &after["deliveries"][0];
    assert_eq!((&delivery["id"], &delivery["invoiceRef"]), (&after["deliveryId"], &json!("INV-1")));
    assert_eq!((&delivery["totalCents"], &delivery["note"]), (&json!(6_150), &json!("one sack torn")));
    assert_eq!(delivery["items"][1]["batchNumber"], "DEL-261120-1");
    let now = stock(&keeper, &rice).await;
    assert_eq!((&now["currentStock"], &now["stockValueCents"]), (&json!(15), &json!(6_150)));
    let batches = now["activeBatches"].as_array().unwrap();
    assert_eq!(
        (&batches[0]["batchNumber"], &batches[0]["expiryDate"]),
        (&json!("LOT-7"), &json!("2026-12-24"))
    );
    assert_eq!((&batches[0]["unitCostCents"], &batches[1]["unitCostCents"]), (&json!(400), &json!(420)));

    branch.pass(DAY);
    let keeper = branch.sign_in(Role::Storekeeper);
    let rest = deliver(
        &keeper,
        &order,
        json!([{"inventoryItemId": rice, "quantityReceived": 3, "unitCostCents": 3000},
               {"inventoryItemId": peas, "quantityReceived": 10, "unitCostCents": 500}]),
    )
    .await;
    assert_eq!(
        (&rest["status"], &rest["receivedAt"]),
        (&json!("RECEIVED"), &json!("2026-11-21T12:30:00.000Z"))
    );
    assert_eq!(
        (&rest["items"][0]["quantityReceived"], &rest["items"][0]["quantityOver"]),
        (&json!(5), &json!(1))
    );
    let ledger = keeper.get(&format!("/inventory/items/{rice}/movements?kind=RECEIPT")).await.json();
    assert_eq!(ledger["meta"]["total"], 3);
    assert_eq!(
        ledger["data"][0]["cause"],
        json!({"type": "DELIVERY", "id": rest["deliveryId"], "orderId": null, "orderItemId": null})
    );
    assert_eq!(ledger["data"][0]["reason"], order["poNumber"]);

    // More may still come until it is closed; then nothing.
    deliver(&keeper, &order, json!([{"inventoryItemId": peas, "quantityReceived": 1, "unitCostCents": 500}]))
        .await;
    keeper.post(&format!("/purchase-orders/{}/close", id(&order)), json!({})).await.expect(200);
    let late = json!({"items": [{"inventoryItemId": peas, "quantityReceived": 1, "unitCostCents": 500}]});
    keeper.post(&path, late).await.refused(409, "INVALID_TRANSITION");
    assert_eq!(stock(&keeper, &peas).await["currentStock"], 11);
    let trail =
        "SELECT count(*) FROM audit_log WHERE action IN ('purchase_order.deliver', 'purchase_order.close')";
    assert_eq!(branch.number(trail).await, 4);
}

#[tokio::test]
async fn a_delivery_that_does_not_fit_changes_nothing() {
    let branch = Branch::start().await;
    let keeper = branch.sign_in(Role::Storekeeper);
    let (farm, dairy) = (supplier(&keeper, "Farm", 1).await, supplier(&keeper, "Dairy", 1).await);
    let (rice, peas) = (item(&keeper, "Rice", None).await, item(&keeper, "Peas", None).await);
    let order = sent(&keeper, &farm, json!([{"inventoryItemId": rice, "quantityOrdered": 10}])).await;
    let path = format!("/purchase-orders/{}/deliveries", id(&order));
    let of = |item: &str, quantity: i64| json!({"inventoryItemId": item, "quantityReceived": quantity, "unitCostCents": 1});
    let mut litres = of(&rice, 1);
    litres["unit"] = json!("l");
    let lot = |cents: i64, expiry: &str| json!({"inventoryItemId": rice, "quantityReceived": 1, "unitCostCents": cents, "batchNumber": "L", "expiryDate": expiry});
    for (items, fields) in [
        (json!([of(&rice, 1), of(&peas, 1)]), vec!["items[1].inventoryItemId"]),
        (json!([of(&rice, 0), litres]), vec!["items[0].quantityReceived", "items[1].unit"]),
        (json!([lot(1, "2026-12-01"), lot(1, "2026-12-02")]), vec!["items[1].batchNumber"]),
        (json!([]), vec!["items"]),
    ] {
        let refused = keeper.post(&path, json!({"items": items})).await.refused(422, "PAYLOAD_VALIDATION");
        assert_eq!(refused.invalid_fields(), fields, "{}", refused.text);
    }
    assert_eq!(branch.number("SELECT count(*) FROM stock_movements").await, 0);
    assert_eq!(branch.number("SELECT count(*) FROM purchase_deliveries").await, 0);

    let invoice = |number: &str| json!({"items": [of(&rice, 1)], "invoiceRef": number});
    keeper.post(&path, invoice("INV-9")).await.expect(201);
    let twice = keeper.post(&path, invoice(" inv-9 ")).await.refused(409, "CONFLICT");
    assert_eq!(twice.invalid_fields(), ["invoiceRef"]);
    assert_eq!(stock(&keeper, &rice).await["currentStock"], 1);
    let other = sent(&keeper, &dairy, json!([{"inventoryItemId": rice, "quantityOrdered": 10}])).await;
    keeper.post(&format!("/purchase-orders/{}/deliveries", id(&other)), invoice("INV-9")).await.expect(201);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deliveries_at_once_all_count() {
    let branch = Branch::start().await;
    let keeper = branch.sign_in(Role::Storekeeper);
    let farm = supplier(&keeper, "Farm", 1).await;
    let rice = item(&keeper, "Rice", None).await;
    let order = sent(&keeper, &farm, json!([{"inventoryItemId": rice, "quantityOrdered": 8}])).await;
    let path = format!("/purchase-orders/{}/deliveries", id(&order));
    let one = json!({"items": [{"inventoryItemId": rice, "quantityReceived": 1, "unitCostCents": 10}]});
    let replies = join_all((0..8).map(|_| keeper.post(&path, one.clone()))).await;
    assert!(replies.iter().all(|reply| reply.status == 201));
    let now = keeper.get(&format!("/purchase-orders/{}", id(&order))).await.data();
    assert_eq!((&now["status"], &now["items"][0]["quantityReceived"]), (&json!("RECEIVED"), &json!(8)));
    assert_eq!(now["deliveries"].as_array().unwrap().len(), 8);
    assert_eq!(stock(&keeper, &rice).await["currentStock"], 8);
    // One invoice from eight hands at once is taken in once.
    let mut invoice = one;
    invoice["invoiceRef"] = json!("INV-1");
    let replies = join_all((0..8).map(|_| keeper.post(&path, invoice.clone()))).await;
    assert_eq!(replies.iter().filter(|reply| reply.status == 201).count(), 1);
    assert_eq!(stock(&keeper, &rice).await["currentStock"], 9);
}

#[tokio::test]
async fn a_delivery_settles_what_was_sold_without_stock() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let keeper = branch.sign_in(Role::Storekeeper);
    let water = house.stock("Water");
    house.place(&house.owner, house.counter(&[("Bottled Water", 50)])).await;
    let farm = supplier(&keeper, "Springs", 1).await;
    let order =
        sent(&keeper, &farm, json!([{"inventoryItemId": water, "quantityOrdered": 2, "unit": "dozen"}]))
            .await;
    assert_eq!(stock(&keeper, water).await["deficitQuantity"], 2);
    let arrived = json!([{"inventoryItemId": water, "quantityReceived": 2, "unitCostCents": 24000, "batchNumber": "W9"}]);
    let after = deliver(&keeper, &order, arrived).await;
    let now = stock(&keeper, water).await;
    assert_eq!((&now["currentStock"], &now["deficitQuantity"]), (&json!(22), &json!(0)));
    assert_eq!((&now["lastCostCents"], &now["stockValueCents"]), (&json!(2_000), &json!(44_000)));

    // The batch knows where it came from, and the order that used it whom from.
    let batch = after["deliveries"][0]["items"][0]["batchId"].as_str().unwrap();
    let trace = keeper.get(&format!("/inventory/batches/{batch}/trace")).await.expect(200).data();
    let from = &trace["deliveries"][0];
    assert_eq!((&from["poNumber"], &from["purchaseOrderId"]), (&order["poNumber"], &order["id"]));
    assert_eq!((&from["deliveryId"], &from["quantity"]), (&after["deliveryId"], &json!(24)));
    assert_eq!((&from["supplierName"], &trace["supplierName"]), (&json!("Springs"), &json!("Springs")));
    let guest = house.place(&house.owner, house.counter(&[("Bottled Water", 1)])).await;
    let trace = house.owner.get(&format!("/orders/{}/trace", id(&guest))).await.expect(200).data();
    let used = &trace["items"][0]["ingredients"][0];
    assert_eq!((&used["batchNumber"], &used["supplierName"]), (&json!("W9"), &json!("Springs")));
    let opening = keeper.get(&format!("/inventory/items/{}/batches", house.stock("Rice"))).await.json();
    let opening = opening["data"][0]["id"].as_str().unwrap().to_owned();
    let trace = keeper.get(&format!("/inventory/batches/{opening}/trace")).await.data();
    assert_eq!(trace["deliveries"], json!([]));
}

#[tokio::test]
async fn a_supplier_is_known_by_how_they_keep_their_word() {
    let branch = Branch::start().await;
    let keeper = branch.sign_in(Role::Storekeeper);
    let farm = supplier(&keeper, "Farm", 1).await;
    let rice = item(&keeper, "Rice", None).await;
    let nothing = keeper.get(&format!("/inventory/suppliers/{farm}/performance")).await.expect(200).data();
    assert_eq!((&nothing["ordersCount"], &nothing["onTimePercentage"]), (&json!(0), &Value::Null));
    let items = json!([{"inventoryItemId": rice, "quantityOrdered": 10}]);
    let (prompt, slow) =
        (sent(&keeper, &farm, items.clone()).await, sent(&keeper, &farm, items.clone()).await);
    write(&keeper, &farm, items).await;
    let all = json!([{"inventoryItemId": rice, "quantityReceived": 10, "unitCostCents": 10}]);
    let half = json!([{"inventoryItemId": rice, "quantityReceived": 5, "unitCostCents": 10}]);
    branch.pass(DAY);
    let keeper = branch.sign_in(Role::Storekeeper);
    deliver(&keeper, &prompt, all).await;
    deliver(&keeper, &slow, half).await;
    branch.pass(2 * DAY);
    let keeper = branch.sign_in(Role::Storekeeper);
    let reason = json!({"reason": "no more to come"});
    keeper.post(&format!("/purchase-orders/{}/close", id(&slow)), reason).await.expect(200);
    let found = keeper.get(&format!("/inventory/suppliers/{farm}/performance")).await.expect(200).data();
    assert_eq!(
        found,
        json!({"ordersCount": 2, "deliveredCount": 2, "onTimePercentage": 50, "averagePromisedDays": 1,
            "averageActualDays": 1, "fillRatePercentage": 75, "lastDeliveryAt": "2026-11-21T12:30:00.000Z"})
    );
    let record = keeper.get(&format!("/inventory/suppliers/{farm}")).await.expect(200).data();
    assert_eq!(record["performance"], found);
    branch
        .sign_in(Role::Waiter)
        .get(&format!("/inventory/suppliers/{farm}/performance"))
        .await
        .refused(403, "FORBIDDEN");
}
