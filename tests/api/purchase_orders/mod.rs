//! `/purchase-orders`, the typed operation under `/inventory`, and what they tell of suppliers and batches.

mod deliveries;
mod invoices;

use edge::access::Role;
use edge::db::DbError;
use edge::resources::purchase_orders::actions::tell_overdue;
use edge::resources::purchase_orders::rules::PurchaseError;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client};

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
    let keeper = branch.sign_in(Role::Storekeeper);
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
async fn an_item_is_archived_once_nothing_of_it_is_left_or_still_to_come() {
    let branch = Branch::start().await;
    let keeper = branch.sign_in(Role::Storekeeper);
    let (farm, saffron) = (supplier(&keeper, "Farm", 1).await, item(&keeper, "Saffron", None).await);
    let path = format!("/inventory/items/{saffron}");
    let adjust = async |mut change: Value| {
        change["inventoryItemId"] = json!(saffron);
        keeper.post("/inventory/adjustments", change).await.expect(201);
    };
    adjust(json!({"quantityDelta": 0.1, "unitCostCents": 30_000, "reason": "OPENING"})).await;
    let refused = keeper.delete(&path).await.refused(409, "CONFLICT");
    let why = "Saffron still has 0.1 kg on its books: adjust it to 0 first";
    assert!(refused.text.contains(why), "{}", refused.text);
    adjust(json!({"countedQuantity": 0, "reason": "COUNT"})).await;

    let order = sent(&keeper, &farm, json!([{"inventoryItemId": saffron, "quantityOrdered": 10}])).await;
    let refused = keeper.delete(&path).await.refused(409, "CONFLICT");
    let why = format!("Saffron is used by: {}", order["poNumber"].as_str().unwrap());
    assert!(refused.text.contains(&why), "{}", refused.text);
    let close = format!("/purchase-orders/{}/close", id(&order));
    keeper.post(&close, json!({"reason": "never came"})).await.expect(200);
    keeper.delete(&path).await.expect(200);
    let record = "SELECT count(*) FROM audit_log WHERE action = 'inventory.item.archive'";
    assert_eq!(branch.number(record).await, 1);
}
