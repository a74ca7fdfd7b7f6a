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
    let rest = json!({"items": [
        {"inventoryItemId": rice, "quantityReceived": 3, "unitCostCents": 3000},
        {"inventoryItemId": peas, "quantityReceived": 10, "unitCostCents": 500}], "confirm": true});
    let rest = keeper.post(&path, rest).await.expect(201).data();
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
    let rice = item(&keeper, "Rice", None).await;
    let order = sent(&keeper, &farm, json!([{"inventoryItemId": rice, "quantityOrdered": 10}])).await;
    let path = format!("/purchase-orders/{}/deliveries", id(&order));
    let of = |item: &str, quantity: i64| json!({"inventoryItemId": item, "quantityReceived": quantity, "unitCostCents": 1});
    let mut litres = of(&rice, 1);
    litres["unit"] = json!("l");
    let lot = |cents: i64, expiry: &str| json!({"inventoryItemId": rice, "quantityReceived": 1, "unitCostCents": cents, "batchNumber": "L", "expiryDate": expiry});
    for (items, fields) in [
        (
            json!([of(&rice, 1), of("00000000-0000-0000-0000-000000000000", 1)]),
            vec!["items[1].inventoryItemId"],
        ),
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
    invoice["confirm"] = json!(true);
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
    let path = format!("/purchase-orders/{}/deliveries", id(&order));
    let after = keeper.post(&path, json!({"items": arrived, "confirm": true})).await.expect(201).data();
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
            "averageActualDays": 1, "fillRatePercentage": 75, "returnsCount": 0, "returnedCents": 0,
            "lastDeliveryAt": "2026-11-21T12:30:00.000Z"})
    );
    let record = keeper.get(&format!("/inventory/suppliers/{farm}")).await.expect(200).data();
    assert_eq!(record["performance"], found);
    branch
        .sign_in(Role::Waiter)
        .get(&format!("/inventory/suppliers/{farm}/performance"))
        .await
        .refused(403, "FORBIDDEN");
}

/// What a storekeeper types at the back door at six in the morning: each is asked about, at once, and goes through when it is right.
#[tokio::test]
async fn what_would_ruin_a_month_wants_to_be_confirmed() {
    let branch = Branch::start().await;
    let keeper = branch.sign_in(Role::Storekeeper);
    let farm = supplier(&keeper, "Farm", 1).await;
    let (rice, peas) = (item(&keeper, "Rice", None).await, item(&keeper, "Peas", None).await);
    let ordered =
        json!([{"inventoryItemId": rice, "quantityOrdered": 4, "unit": "crate", "unitCostCents": 3000}]);
    let order = sent(&keeper, &farm, ordered).await;
    let path = format!("/purchase-orders/{}/deliveries", id(&order));
    let line = |item: &str, quantity: i64, cents: i64| json!({"inventoryItemId": item, "quantityReceived": quantity, "unitCostCents": cents});
    let mut old = line(&rice, 1, 3000);
    old["expiryDate"] = json!("2020-01-01");
    let mut body = json!({"items": [old, line(&rice, 400, 99_999_900), line(&peas, 2, 500)]});
    let asked = keeper.post_keyed(&path, "door", body.clone()).await.refused(409, "CONFIRMATION_NEEDED");
    assert_eq!(
        asked.invalid_fields(),
        [
            "items[0].expiryDate",
            "items[1].quantityReceived",
            "items[1].unitCostCents",
            "items[2].inventoryItemId"
        ]
    );
    let rows = "SELECT (SELECT count(*) FROM stock_movements) + (SELECT count(*) FROM purchase_deliveries)
                  + (SELECT count(*) FROM stock_batches)";
    assert_eq!(branch.number(rows).await, 0);
    assert_eq!(branch.number("SELECT count(*) FROM purchase_order_lines").await, 1);

    // The price was a slip of the finger; the rest is as it is.
    body["items"][1] = line(&rice, 4, 3000);
    body["confirm"] = json!(true);
    let taken = keeper.post_keyed(&path, "door-2", body).await.expect(201).data();
    assert_eq!(taken["status"], "RECEIVED");
    let extra = &taken["items"][1];
    assert_eq!((&extra["name"], &extra["isExtra"]), (&json!("Peas"), &json!(true)));
    assert_eq!((&extra["quantityReceived"], &extra["quantityOver"]), (&json!(2), &json!(0)));
    assert_eq!((&taken["items"][0]["isExtra"], &taken["totalCents"]), (&json!(false), &json!(12_000)));
    assert_eq!(stock(&keeper, &peas).await["currentStock"], 2);
    let trail = "SELECT count(*) FROM audit_log WHERE action = 'purchase_order.deliver' AND after LIKE '%expiryDate%'
                   AND after LIKE '%makes 37.5 kg of 30 kg%' AND after LIKE '%is not on this purchase order%'";
    assert_eq!(branch.number(trail).await, 1);

    // An outlet says itself how far off is far.
    let owner = branch.sign_in(Role::Owner);
    let settings = json!({"quantityToleranceBps": 5_000, "priceToleranceBps": 0});
    owner.patch(&format!("/outlets/{}", branch.outlet_id), settings).await.expect(200);
    let wrong =
        owner.patch(&format!("/outlets/{}", branch.outlet_id), json!({"quantityToleranceBps": -1})).await;
    assert_eq!(wrong.refused(422, "PAYLOAD_VALIDATION").invalid_fields(), ["quantityToleranceBps"]);
    let order =
        sent(&keeper, &farm, json!([{"inventoryItemId": rice, "quantityOrdered": 2, "unitCostCents": 400}]))
            .await;
    let path = format!("/purchase-orders/{}/deliveries", id(&order));
    let asked =
        keeper.post(&path, json!({"items": [line(&rice, 3, 401)]})).await.refused(409, "CONFIRMATION_NEEDED");
    assert_eq!(asked.invalid_fields(), ["items[0].unitCostCents"]);
    keeper.post(&path, json!({"items": [line(&rice, 3, 400)]})).await.expect(201);
}

#[tokio::test]
async fn a_lot_may_come_again_at_another_price() {
    let branch = Branch::start().await;
    let keeper = branch.sign_in(Role::Storekeeper);
    let farm = supplier(&keeper, "Farm", 1).await;
    let rice = item(&keeper, "Rice", None).await;
    let lot = |cents: i64| {
        json!({"items": [{"inventoryItemId": rice, "quantityReceived": 2, "unitCostCents": cents,
        "batchNumber": "L-7", "expiryDate": "2026-12-24"}], "confirm": true})
    };
    let order = sent(&keeper, &farm, json!([{"inventoryItemId": rice, "quantityOrdered": 9}])).await;
    let path = format!("/purchase-orders/{}/deliveries", id(&order));
    for cents in [400, 420, 400, 430, 420] {
        keeper.post(&path, lot(cents)).await.expect(201);
    }
    let number = order["poNumber"].as_str().unwrap();
    let now = stock(&keeper, &rice).await;
    let batches: Vec<(String, i64, i64)> = now["activeBatches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|batch| {
            let of = |name: &str| batch[name].as_i64().unwrap();
            (batch["batchNumber"].as_str().unwrap().to_owned(), of("unitCostCents"), of("quantity"))
        })
        .collect();
    assert_eq!(
        batches,
        [
            ("L-7".to_owned(), 400, 4),
            (format!("L-7 ({number})"), 420, 4),
            (format!("L-7 ({number}, 2)"), 430, 2),
        ]
    );
    assert_eq!(now["stockValueCents"], 4 * 400 + 4 * 420 + 2 * 430);
}

/// Prices that were agreed are what a purchase order begins with, then what the supplier took last, then what anybody did.
#[tokio::test]
async fn prices_are_known_before_they_are_typed() {
    let branch = Branch::start().await;
    let keeper = branch.sign_in(Role::Storekeeper);
    let (farm, market) = (supplier(&keeper, "Farm", 1).await, supplier(&keeper, "Market", 1).await);
    let (rice, peas) = (item(&keeper, "Rice", None).await, item(&keeper, "Peas", None).await);
    let both = json!([{"inventoryItemId": rice, "quantityOrdered": 2, "unit": "crate"}, {"inventoryItemId": peas, "quantityOrdered": 5}]);
    let costs = |order: &Value| -> Vec<Value> {
        order["items"].as_array().unwrap().iter().map(|line| line["unitCostCents"].clone()).collect()
    };
    let first = sent(&keeper, &market, both.clone()).await;
    assert_eq!(costs(&first), [json!(0), json!(0)]);
    deliver(
        &keeper,
        &first,
        json!([{"inventoryItemId": rice, "quantityReceived": 2, "unitCostCents": 3000},
        {"inventoryItemId": peas, "quantityReceived": 5, "unitCostCents": 80}]),
    )
    .await;
    // The farm has never said: what the items cost last.
    assert_eq!(costs(&write(&keeper, &farm, both.clone()).await), [json!(3000), json!(80)]);
    let agree = |prices: Value| json!({"agreedPrices": prices});
    let farm_path = format!("/inventory/suppliers/{farm}");
    for (prices, field) in [
        (json!([{"inventoryItemId": farm, "unitCostCents": 1}]), "agreedPrices[0].inventoryItemId"),
        (json!([{"inventoryItemId": rice, "unit": "l", "unitCostCents": 1}]), "agreedPrices[0].unit"),
        (
            json!([{"inventoryItemId": rice, "unitCostCents": 1}, {"inventoryItemId": rice, "unitCostCents": 2}]),
            "agreedPrices[1].inventoryItemId",
        ),
    ] {
        let refused = keeper.patch(&farm_path, agree(prices)).await.refused(422, "PAYLOAD_VALIDATION");
        assert_eq!(refused.invalid_fields(), [field]);
    }
    keeper
        .patch(&farm_path, agree(json!([{"inventoryItemId": rice, "unitCostCents": 420}])))
        .await
        .expect(200);
    let second = sent(&keeper, &farm, both.clone()).await;
    assert_eq!(costs(&second), [json!(3150), json!(80)], "7.5 kilos at 420");
    let late = json!({"items": [{"inventoryItemId": rice, "quantityReceived": 2, "unitCostCents": 3300},
        {"inventoryItemId": peas, "quantityReceived": 5, "unitCostCents": 90}], "confirm": true});
    keeper.post(&format!("/purchase-orders/{}/deliveries", id(&second)), late).await.expect(201);
    // Agreed is agreed, whatever was taken; of the peas the farm has now said.
    assert_eq!(costs(&write(&keeper, &farm, both.clone()).await), [json!(3150), json!(90)]);
    assert_eq!(costs(&write(&keeper, &market, both).await), [json!(3000), json!(80)]);

    let known = keeper.get(&format!("/inventory/suppliers/{farm}/prices")).await.expect(200).data();
    assert_eq!(known.as_array().unwrap().len(), 2);
    let of_rice =
        known.as_array().unwrap().iter().find(|price| price["inventoryItemId"] == json!(rice)).unwrap();
    assert_eq!(
        *of_rice,
        json!({"inventoryItemId": rice, "name": "Rice", "agreedUnit": "kg", "agreedUnitCostCents": 420, "lastUnit": "crate",
            "lastUnitCostCents": 3300, "lastDeliveredOn": "2026-11-20"})
    );

    let owner = branch.sign_in(Role::Owner);
    let report =
        owner.get("/analytics/reports/price-variance?from=2026-11-20&to=2026-11-20").await.expect(200).data();
    let row = |of: &Value| json!([of[1], of[3], of[7], of[8], of[9]]);
    let rows: Vec<Value> = report["rows"].as_array().unwrap().iter().map(row).collect();
    let row = |supplier: &str, item: &str, expected: i64, paid: i64| {
        json!([supplier, item, expected, paid, paid - expected])
    };
    assert_eq!(
        rows,
        [
            row("Farm", "Peas", 400, 450),
            row("Farm", "Rice", 6_300, 6_600),
            row("Market", "Peas", 400, 400),
            row("Market", "Rice", 6_000, 6_000),
        ]
    );
}
