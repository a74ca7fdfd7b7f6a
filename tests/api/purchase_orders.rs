//! `/purchase-orders`, the typed operation under `/inventory`, and what they tell of suppliers and batches.

use edge::access::Role;
use edge::db::DbError;
use edge::resources::purchase_orders::actions::tell_overdue;
use edge::resources::purchase_orders::rules::PurchaseError;
use futures_util::future::join_all;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, House};

const DAY: i64 = 24 * 3_600_000;

async fn supplier(client: &Client, name: &str, lead_time_days: i64) -> String {
    let body = json!({"name": name, "leadTimeDays": lead_time_days});
    id(&client.post("/inventory/suppliers", body).await.expect(201).data())
}

/// An item counted in kilos with a crate of 7.5, low at 2, filled up to 30.
async fn item(client: &Client, name: &str, supplier: Option<&str>) -> String {
    let body = json!({"name": name, "category": "Dry", "unit": "kg", "minStockThreshold": 2, "parLevel": 30,
        "supplierId": supplier, "unitConversions": [{"unit": "crate", "factor": 7.5}]});
    id(&client.post("/inventory/items", body).await.expect(201).data())
}

fn id(record: &Value) -> String {
    record["id"].as_str().unwrap().to_owned()
}

async fn write(client: &Client, supplier: &str, items: Value) -> Value {
    let body = json!({"supplierId": supplier, "items": items});
    client.post("/inventory/purchase-orders", body).await.expect(201).json()
}

async fn send(client: &Client, order: &Value) {
    client.post(&format!("/purchase-orders/{}/send", id(order)), json!({})).await.expect(200);
}

/// An order that was sent.
async fn sent(client: &Client, supplier: &str, items: Value) -> Value {
    let order = write(client, supplier, items).await;
    send(client, &order).await;
    order
}

async fn deliver(client: &Client, order: &Value, items: Value) -> Value {
    let path = format!("/purchase-orders/{}/deliveries", id(order));
    client.post(&path, json!({"items": items})).await.expect(201).data()
}

async fn stock(client: &Client, item: &str) -> Value {
    client.get(&format!("/inventory/items/{item}")).await.expect(200).data()
}

#[tokio::test]
async fn the_typed_operation_is_bare_and_fills_in_the_rest() {
    let branch = Branch::start().await;
    let keeper = branch.sign_in(Role::Storekeeper);
    let farm = supplier(&keeper, "Farm", 3).await;
    let (rice, peas) = (item(&keeper, "Rice", None).await, item(&keeper, "Peas", None).await);
    let minimal = json!({"supplierId": farm, "items": [{"inventoryItemId": rice, "quantityOrdered": 12.5}]});
    let made = keeper.post_keyed("/inventory/purchase-orders", "k1", minimal.clone()).await.expect(201);
    let order = made.json();
    assert!(order.get("success").is_none(), "nothing around it");
    assert_eq!((&order["poNumber"], &order["status"]), (&json!("PO-BLR1-261120-001"), &json!("DRAFT")));
    assert_eq!((&order["supplierId"], &order["mode"]), (&json!(farm), &json!("MANUAL")));
    assert_eq!(order["createdAt"], "2026-11-20T12:30:00.000Z");
    assert_eq!(order["expectedDeliveryDate"], "2026-11-23", "after three days");
    assert_eq!(
        (&order["totalCents"], &order["sentAt"], &order["version"]),
        (&json!(0), &Value::Null, &json!(1))
    );
    assert_eq!(
        (&order["items"][0]["unit"], &order["items"][0]["quantityReceived"]),
        (&json!("kg"), &json!(0))
    );
    let again = keeper.post_keyed("/inventory/purchase-orders", "k1", minimal).await.expect(201);
    assert_eq!((again.text, again.headers["idempotency-replayed"].to_str().unwrap()), (made.text, "true"));

    let body = json!({"supplierId": farm, "expectedDeliveryDate": "2026-11-21", "notes": " before noon ", "mode": "AUTO",
        "items": [{"inventoryItemId": rice, "quantityOrdered": 2, "unit": "crate", "unitCostCents": 3000.5},
                  {"inventoryItemId": peas, "quantityOrdered": 500, "unit": "g", "unitCostCents": 2}]});
    let order = keeper.post("/inventory/purchase-orders", body).await.expect(201).json();
    assert_eq!((&order["poNumber"], &order["mode"]), (&json!("PO-BLR1-261120-002"), &json!("AUTO")));
    assert_eq!(
        (&order["expectedDeliveryDate"], &order["notes"]),
        (&json!("2026-11-21"), &json!("before noon"))
    );
    assert_eq!((&order["totalCents"], &order["supplierName"]), (&json!(7_001), &json!("Farm")));
    let line = &order["items"][0];
    assert_eq!((&line["stockQuantity"], &line["stockUnit"]), (&json!(15), &json!("kg")));
    assert_eq!((&line["lineTotalCents"], &line["unitCostCents"]), (&json!(6_001), &json!(3000.5)));

    branch
        .sign_in(Role::Waiter)
        .post("/inventory/purchase-orders", json!({}))
        .await
        .refused(403, "FORBIDDEN");
    branch.sign_in(Role::Accountant).get(&format!("/purchase-orders/{}", id(&order))).await.expect(200);
}

#[tokio::test]
async fn everything_wrong_with_an_order_is_named_at_once() {
    let branch = Branch::start().await;
    let keeper = branch.sign_in(Role::Storekeeper);
    let (farm, gone) = (supplier(&keeper, "Farm", 1).await, supplier(&keeper, "Gone", 1).await);
    keeper.delete(&format!("/inventory/suppliers/{gone}")).await.expect(200);
    let (rice, old) = (item(&keeper, "Rice", None).await, item(&keeper, "Old", None).await);
    keeper.delete(&format!("/inventory/items/{old}")).await.expect(200);
    let of = |item: &str, quantity: Value| json!({"inventoryItemId": item, "quantityOrdered": quantity});
    let litres = json!({"inventoryItemId": rice, "quantityOrdered": 1, "unit": "l"});
    for (supplier, items, fields) in [
        (&farm, json!([]), vec!["items"]),
        (
            &gone,
            json!([of(&rice, json!(1)), of(&rice, json!(2))]),
            vec!["supplierId", "items[1].inventoryItemId"],
        ),
        (
            &rice,
            json!([of(&old, json!(1)), litres]),
            vec!["supplierId", "items[0].inventoryItemId", "items[1].unit"],
        ),
        (&farm, json!([of(&rice, json!(0))]), vec!["items[0].quantityOrdered"]),
        (&farm, json!([of(&rice, json!(-1))]), vec!["items[0].quantityOrdered"]),
        (&farm, json!([{"inventoryItemId": rice}]), vec!["items[0].quantityOrdered"]),
    ] {
        let body = json!({"supplierId": supplier, "items": items});
        let refused =
            keeper.post("/inventory/purchase-orders", body).await.refused(422, "PAYLOAD_VALIDATION");
        assert_eq!(refused.invalid_fields(), fields, "{}", refused.text);
    }
    assert_eq!(branch.number("SELECT count(*) FROM purchase_orders").await, 0);
    assert_eq!(branch.number("SELECT count(*) FROM counters").await, 0, "a refusal takes no number");
}

#[tokio::test]
async fn a_draft_is_changed_under_its_version_and_not_once_it_is_sent() {
    let branch = Branch::start().await;
    let keeper = branch.sign_in(Role::Storekeeper);
    let farm = supplier(&keeper, "Farm", 1).await;
    let (rice, peas) = (item(&keeper, "Rice", None).await, item(&keeper, "Peas", None).await);
    let order = write(&keeper, &farm, json!([{"inventoryItemId": rice, "quantityOrdered": 1}])).await;
    let stale = keeper.clone().with_header("If-Match", "\"7\"");
    stale.patch(&format!("/purchase-orders/{}", id(&order)), json!({})).await.refused(412, "STALE_VERSION");
    let change = json!({"notes": "fresh", "expectedDeliveryDate": "2026-11-25",
        "items": [{"inventoryItemId": peas, "quantityOrdered": 3, "unitCostCents": 100}]});
    let current = keeper.clone().with_header("If-Match", "\"1\"");
    let changed = current.patch(&format!("/purchase-orders/{}", id(&order)), change).await.expect(200).data();
    assert_eq!((&changed["version"], &changed["totalCents"]), (&json!(2), &json!(300)));
    assert_eq!((&changed["items"][0]["inventoryItemId"], &changed["notes"]), (&json!(peas), &json!("fresh")));
    let path = format!("/purchase-orders/{}", id(&order));
    let cleared = keeper.patch(&path, json!({"notes": null})).await.expect(200).data();
    assert_eq!((&cleared["notes"], &cleared["expectedDeliveryDate"]), (&Value::Null, &json!("2026-11-25")));
    let wrong =
        json!({"items": [{"inventoryItemId": farm, "quantityOrdered": 1}], "expectedDeliveryDate": null});
    keeper.patch(&path, wrong).await.refused(422, "PAYLOAD_VALIDATION");
    send(&keeper, &order).await;
    keeper.patch(&path, json!({"notes": "late"})).await.refused(409, "INVALID_TRANSITION");
    let twice = keeper.post(&format!("{path}/send"), json!({})).await.refused(409, "INVALID_TRANSITION");
    assert_eq!(twice.invalid_fields(), ["status"]);
    assert_eq!(branch.number("SELECT count(*) FROM audit_log WHERE action = 'purchase_order.send'").await, 1);
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
async fn an_order_is_closed_short_with_a_reason() {
    let branch = Branch::start().await;
    let keeper = branch.sign_in(Role::Storekeeper);
    let farm = supplier(&keeper, "Farm", 1).await;
    let rice = item(&keeper, "Rice", None).await;
    let order = sent(&keeper, &farm, json!([{"inventoryItemId": rice, "quantityOrdered": 8}])).await;
    deliver(&keeper, &order, json!([{"inventoryItemId": rice, "quantityReceived": 5, "unitCostCents": 10}]))
        .await;
    let path = format!("/purchase-orders/{}/close", id(&order));
    let refused = keeper.post(&path, json!({"reason": " "})).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["reason"]);
    let closed = keeper.post(&path, json!({"reason": "harvest failed"})).await.expect(200).data();
    assert_eq!((&closed["status"], &closed["closeReason"]), (&json!("CLOSED"), &json!("harvest failed")));
    assert_eq!(closed["items"][0]["quantityOutstanding"], 3);
    keeper.post(&path, json!({"reason": "again"})).await.refused(409, "INVALID_TRANSITION");
    let draft = write(&keeper, &farm, json!([{"inventoryItemId": rice, "quantityOrdered": 8}])).await;
    keeper.post(&format!("/purchase-orders/{}/close", id(&draft)), json!({})).await.expect(200);
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
async fn low_stock_is_drafted_by_supplier_and_only_once() {
    let branch = Branch::start().await;
    let keeper = branch.sign_in(Role::Storekeeper);
    let (farm, dairy) = (supplier(&keeper, "Farm", 2).await, supplier(&keeper, "Dairy", 1).await);
    let rice = item(&keeper, "Rice", Some(&farm)).await;
    let (milk, ice) = (item(&keeper, "Milk", Some(&dairy)).await, item(&keeper, "Ice", None).await);
    let done = keeper.post("/purchase-orders/auto", json!({})).await.expect(201).data();
    let orders = done["purchaseOrders"].as_array().unwrap();
    assert_eq!(orders.len(), 2);
    assert!(orders.iter().all(|order| order["mode"] == "AUTO" && order["status"] == "DRAFT"));
    let rice_order = orders.iter().find(|order| order["supplierId"] == json!(farm)).unwrap();
    assert_eq!(
        (&rice_order["items"][0]["inventoryItemId"], &rice_order["items"][0]["quantityOrdered"]),
        (&json!(rice), &json!(30))
    );
    assert_eq!(rice_order["expectedDeliveryDate"], "2026-11-22");
    assert_eq!(done["skipped"], json!([{"inventoryItemId": ice, "name": "Ice", "reason": "NO_SUPPLIER"}]));
    let again = keeper.post("/purchase-orders/auto", json!({"supplierId": dairy})).await.expect(201).data();
    assert_eq!((&again["purchaseOrders"], &again["skipped"][0]["reason"]), (&json!([]), &json!("ON_ORDER")));
    let wrong = json!({"supplierId": rice, "inventoryItemIds": [milk, farm]});
    let wrong = keeper.post("/purchase-orders/auto", wrong).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(wrong.invalid_fields(), ["supplierId", "inventoryItemIds[1]"]);
}

#[tokio::test]
async fn the_list_is_filtered_and_paged() {
    let branch = Branch::start().await;
    let keeper = branch.sign_in(Role::Storekeeper);
    let (farm, dairy) = (supplier(&keeper, "Farm", 1).await, supplier(&keeper, "Dairy", 1).await);
    let rice = item(&keeper, "Rice", None).await;
    let items = json!([{"inventoryItemId": rice, "quantityOrdered": 1}]);
    let first = sent(&keeper, &farm, items.clone()).await;
    write(&keeper, &dairy, items.clone()).await;
    branch.pass(3 * DAY);
    write(&keeper, &farm, items).await;
    let numbers = async |query: &str| -> Vec<String> {
        let list = keeper.get(&format!("/purchase-orders?{query}")).await.expect(200).json();
        let rows = list["data"].as_array().unwrap();
        rows.iter().map(|row| row["poNumber"].as_str().unwrap()["PO-BLR1-".len()..].to_owned()).collect()
    };
    assert_eq!(numbers("").await, ["261123-001", "261120-002", "261120-001"]);
    assert_eq!(numbers("status=SENT").await, ["261120-001"]);
    assert_eq!(numbers(&format!("supplierId={dairy}")).await, ["261120-002"]);
    assert_eq!(numbers("from=2026-11-21&to=2026-11-23").await, ["261123-001"]);
    assert_eq!(numbers("to=2026-11-20&limit=1&offset=1").await, ["261120-001"]);
    keeper.get("/purchase-orders?status=LOST").await.refused(400, "BAD_REQUEST");
    let late = keeper.get(&format!("/purchase-orders/{}", id(&first))).await.data();
    assert_eq!(late["isOverdue"], true);
    let stranger = branch.sign_in_at(Role::Owner, branch.second_outlet().await);
    assert_eq!(stranger.get("/purchase-orders").await.json()["meta"]["total"], 0);
    stranger.get(&format!("/purchase-orders/{}", id(&first))).await.refused(404, "NOT_FOUND");

    let outlet = branch.outlet_id;
    let told = branch.db.write(move |tx| -> Result<usize, PurchaseError> { tell_overdue(tx, outlet) }).await;
    assert_eq!(told.map_err(|error| error.to_string()).map_err(DbError::Unavailable).unwrap(), 1);
    let notices = keeper.get("/notifications").await.json();
    assert_eq!(
        (&notices["data"][0]["type"], &notices["data"][0]["entity"]["id"]),
        (&json!("PO_OVERDUE"), &first["id"])
    );
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
    deliver(&keeper, &prompt, all).await;
    deliver(&keeper, &slow, half).await;
    branch.pass(2 * DAY);
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
