//! The sample restaurant on a branch, with rows in every table; and which table the ids in a path are of. Never a row that a client,
//! the sample, or the exchange could not have made.

use crate::set_up::PASSWORD;
use crate::{Branch, Client, drawing};
use edge::access::Role;
use edge::db::{DbError, Source, Tx, opt};
use rusqlite::params;
use serde_json::{Value, json};
use tiffin_common::Uuid;

/// Which table the ids of a path are of, with a condition where only some of its rows are meant. The longest beginning
/// counts.
pub const RECORDS: &[(&str, &[&str])] = &[
    ("/outlets/{id}", &["outlets"]),
    ("/notifications/{id}", &["notifications"]),
    ("/employees/{id}", &["employees"]),
    ("/auth/sessions/{id}", &["sessions"]),
    ("/devices/{id}", &["devices"]),
    ("/menu/items/{id}", &["menu_items"]),
    ("/menu/categories/{id}", &["menu_categories"]),
    ("/menu/modifier-groups/{id}", &["modifier_groups"]),
    ("/menu/modifier-options/{id}", &["modifier_options"]),
    ("/menu/variants/{id}", &["menu_items WHERE variant_of_id IS NOT NULL AND"]),
    ("/menu/tax-categories/{id}", &["tax_categories"]),
    ("/menu/price-lists/{id}", &["price_lists"]),
    ("/tables/{id}", &["dining_tables"]),
    ("/inventory/items/{id}", &["stock_items"]),
    ("/inventory/recipes/{id}", &["menu_items"]),
    ("/inventory/batches/{id}", &["stock_batches"]),
    ("/inventory/suppliers/{id}", &["suppliers"]),
    ("/inventory/preparations/{id}", &["recipes WHERE name IS NOT NULL AND"]),
    ("/kitchen/stations/{id}", &["kitchen_stations"]),
    ("/kitchen/tickets/{id}", &["kitchen_tickets", "kitchen_ticket_items"]),
    ("/channels/{id}", &["channels"]),
    ("/printers/{id}", &["printers"]),
    ("/print-jobs/{id}", &["print_jobs"]),
    ("/orders/{orderId}", &["orders"]),
    ("/orders/{orderId}/items/{itemId}", &["orders", "order_items"]),
    ("/orders/{orderId}/discounts/{discountId}", &["orders", "order_discounts"]),
    ("/orders/{orderId}/payments/{paymentId}", &["orders", "payments"]),
    ("/orders/invoices/{id}", &["invoices"]),
    ("/cash-sessions/{id}", &["cash_sessions"]),
    ("/ai/conversations/{id}", &["ai_conversations"]),
    ("/purchase-orders/{id}", &["purchase_orders"]),
    ("/purchase-orders/{id}/invoices/{invoiceId}", &["purchase_orders", "purchase_invoices"]),
    ("/tickets/{id}", &["tickets"]),
    ("/tickets/feedback/{id}", &["feedback"]),
    ("/attendance/{id}", &["attendance_records"]),
    ("/employees/{id}/documents/{documentId}", &["employees", "employee_documents"]),
    ("/waste-logs/{id}", &["waste_logs"]),
    ("/inventory/stocktakes/{id}", &["stocktakes"]),
    ("/inventory/transfers/{id}", &["stock_transfers"]),
    ("/shifts/{id}", &["shifts"]),
    ("/shifts/swaps/{id}", &["shift_swaps"]),
    ("/leave-requests/{id}", &["leave_requests"]),
    ("/holidays/{id}", &["holidays"]),
    ("/sync-reviews/{id}", &["sync_reviews"]),
    ("/leave-requests/balances/{employeeId}", &["employees"]),
];

/// The sample restaurant, with everything else that a branch has rows of.
pub async fn open_restaurant() -> Branch {
    let branch = Branch::sample(&[]).await;
    fill_the_rest(&branch).await;
    branch
}

/// The same after three days of trade.
pub async fn trading_restaurant() -> Branch {
    let branch = Branch::sample(&["--history-days", "3"]).await;
    fill_the_rest(&branch).await;
    branch
}

async fn fill_the_rest(branch: &Branch) {
    let waiter = json!({"email": "waiter@sample.test", "password": PASSWORD});
    branch.anonymous().post("/auth/login", waiter).await.expect(200);
    let forgetful = json!({"email": "waiter@sample.test"});
    branch.anonymous().post("/auth/forgot-password", forgetful).await.expect(200);
    let owner = branch.sign_in(Role::Owner);
    let board = json!({"kind": "BOARD", "name": "At the door"});
    let codes = branch.anonymous().post("/devices/pair", board).await.expect(201).data();
    owner.post("/devices/approve", json!({"userCode": codes["userCode"]})).await.expect(201);
    owner.post("/tables", json!({"number": "99", "seats": 2})).await.expect(201);
    // The code for guests' phones is the branch's alone: head office prints none.
    owner
        .patch("/print-layout", json!({"footers": {"en": "Come again"}, "guestCode": false}))
        .await
        .expect(200);
    let tree = owner.get("/menu").await.data();
    let dishes = tree["categories"].as_array().unwrap().iter().flat_map(|c| c["items"].as_array().unwrap());
    let dish = dishes.clone().find(|dish| dish["modifierGroups"] == json!([])).unwrap();
    let picture = format!("/menu/items/{}/image", dish["id"].as_str().unwrap());
    owner.put_raw(&picture, "image/png", drawing(40, 30)).await.expect(200);
    let line = json!({"menuItemId": dish["id"], "quantity": 1, "unitPriceCents": dish["priceCents"]});
    let sized = dishes.clone().filter(|dish| dish["modifierGroups"] == json!([])).nth(1).unwrap();
    let sizes = json!({"variants": [
        {"name": "Half", "priceCents": 5_000}, {"name": "Full", "priceCents": sized["priceCents"], "isDefault": true}]});
    let sized = owner
        .patch(&format!("/menu/items/{}", sized["id"].as_str().unwrap()), sizes)
        .await
        .expect(200)
        .data();
    let half = &sized["variants"][0];
    let half = json!({"menuItemId": sized["id"], "variantId": half["id"], "quantity": 1, "unitPriceCents": half["priceCents"]});
    let entries = json!([{"menuItemId": sized["id"], "adjustBps": 500}, {"categoryId": dish["categoryId"], "adjustBps": 300}]);
    let away = json!({"name": "Delivery", "orderTypes": ["DELIVERY"], "to": "23:00", "entries": entries});
    owner.post("/menu/price-lists", away).await.expect(201);
    let weighed = dishes.clone().filter(|dish| dish["modifierGroups"] == json!([])).nth(2).unwrap();
    let weighed = weigh(&owner, weighed).await;
    let order = json!({"orderType": "COUNTER", "items": [line, half, weighed]});
    let order = owner.post("/orders", order).await.expect(201).json();
    let line = format!(
        "/orders/{}/items/{}",
        order["id"].as_str().unwrap(),
        order["items"][2]["id"].as_str().unwrap()
    );
    owner.patch(&line, json!({"weight": 0.7, "reason": "typed wrong"})).await.expect(200);
    let discounts = format!("/orders/{}/discounts", order["id"].as_str().unwrap());
    owner.post(&discounts, json!({"type": "FIXED", "value": 100, "reason": "x"})).await.expect(201);
    let invoice = format!("/orders/{}/invoice", order["id"].as_str().unwrap());
    owner.post(&invoice, json!({})).await.expect(201);
    let payments = format!("/orders/{}/payments", order["id"].as_str().unwrap());
    owner.post(&payments, json!({"method": "CARD", "amountCents": 100})).await.expect(201);
    owner.post("/cash-sessions", json!({"openingFloatCents": 0})).await.expect(201);
    let stock = owner.get("/inventory/items?limit=1").await.expect(200).json()["items"][0].clone();
    let line = json!({"inventoryItemId": stock["id"], "quantityOrdered": 1});
    let purchase = json!({"supplierId": stock["supplierId"], "items": [line]});
    let purchase = owner.post("/inventory/purchase-orders", purchase).await.expect(201).json();
    let path = format!("/purchase-orders/{}", purchase["id"].as_str().unwrap());
    owner.post(&format!("{path}/send"), json!({})).await.expect(200);
    let invoice = json!({"ref": "INV-1", "totalCents": 105, "taxCents": 5});
    owner.post(&format!("{path}/invoice"), invoice).await.expect(201);
    owner.post("/tickets", json!({"subject": "x", "body": "x"})).await.expect(201);
    branch.give_feedback(json!({"rating": 5})).await.expect(201);
    let cook = owner.get("/employees").await.data()[0]["id"].clone();
    let papers = format!("/employees/{}/documents", cook.as_str().unwrap());
    let paper = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n%PDF-1.7\r\n--b--\r\n";
    owner.post_raw(&papers, "multipart/form-data; boundary=b", paper).await.expect(201);
    let came =
        json!({"employeeId": cook, "eventType": "CLOCK_IN", "time": "2026-11-20T12:00:00Z", "reason": "x"});
    owner.post("/attendance/corrections", came).await.expect(201);
    let stock = owner.get("/inventory/items?limit=1").await.json()["items"][0]["id"].clone();
    let waste = json!({"inventoryItemId": stock, "quantity": 0.001, "reason": "DROPPED"});
    owner.post("/waste-logs", waste).await.expect(201);
    owner.post("/inventory/stocktakes", json!({"inventoryItemIds": [stock]})).await.expect(201);
    let items = json!([{"inventoryItemId": stock, "quantity": 0.001}]);
    let transfer = json!({"toOutletId": branch.outlet("BLR3").await, "items": items});
    owner.post("/inventory/transfers", transfer).await.expect(201);
    owner.post("/ai/ask", json!({"question": "What is running low?"})).await.expect(200);
    let printer = json!({"name": "Till", "address": "10.0.0.9", "autoPrint": "NEVER"});
    let printer = owner.post("/printers", printer).await.expect(201).data()["id"].clone();
    owner.post("/channels", json!({"name": "Swiggy", "kind": "AGGREGATOR"})).await.expect(201);
    owner.post("/holidays", json!({"date": "2026-12-25", "name": "Christmas"})).await.expect(201);
    owner.post(&format!("/printers/{}/test", printer.as_str().unwrap()), json!({})).await.expect(201);
    ask_for_a_swap(&owner).await;
    put_on_review(branch, "BLR1/2627-000007").await;
}

/// A line of three quarters of a pound of `dish`, which is sold by weight from now on.
async fn weigh(owner: &Client, dish: &Value) -> Value {
    let path = format!("/menu/items/{}", dish["id"].as_str().unwrap());
    owner.patch(&path, json!({"soldBy": "WEIGHT", "weightUnit": "LB"})).await.expect(200);
    json!({"menuItemId": dish["id"], "quantity": 1, "weight": 0.75, "unitPriceCents": dish["priceCents"]})
}

/// A bill whose number was given out again while the disk was an old one, as a recovery puts it on the list. Answers its id.
pub async fn put_on_review(branch: &Branch, number: &'static str) -> Uuid {
    let outlet = branch.outlet_id;
    let insert = move |tx: &Tx<'_>| -> Result<Uuid, DbError> {
        let (id, row) = (tx.new_id(), tx.new_id());
        let lost = json!({"number": number, "total_cents": 12_300}).to_string();
        let sql = "INSERT INTO sync_reviews (id, outlet_id, table_name, row_id, reason, lost, at)
            VALUES (?1, ?2, 'invoices', ?3, 'NUMBER_TAKEN', ?4, ?5)";
        tx.execute(sql, params![id, outlet, row, lost, tx.now()])?;
        Ok(id)
    };
    branch.db.write(insert).await.unwrap()
}

/// Two waiters with shifts on the same evening, one asking the other.
async fn ask_for_a_swap(owner: &Client) {
    let roster = owner.get("/workforce/roster?startDate=2026-11-21&endDate=2026-11-29").await.json();
    let (worker, colleague) = (&roster["matrix"][3], &roster["matrix"][5]);
    let shifts = |row: &Value| row["shifts"].as_array().unwrap().clone();
    let pairs = shifts(worker).into_iter().zip(shifts(colleague));
    let mut pairs = pairs.filter(|(a, b)| a["shiftType"] != "OFF" && b["shiftType"] != "OFF");
    let (offered, wanted) = pairs.next().unwrap();
    let swap = json!({"kind": "SWAP", "fromShiftId": offered["id"], "toEmployeeId": colleague["employeeId"],
        "toShiftId": wanted["id"]});
    owner.post("/shifts/swaps", swap).await.expect(201);
}

/// An id of `table` at `outlet`.
pub async fn record(branch: &Branch, table: &'static str, outlet: Uuid) -> Option<Uuid> {
    let column = if table == "outlets" { "id" } else { "outlet_id" };
    let table = if table.contains(" WHERE ") { table.to_owned() } else { format!("{table} WHERE") };
    let sql = format!("SELECT id FROM {table} {column} = ?1 ORDER BY id LIMIT 1");
    let look = move |conn: &dyn Source| -> Result<Option<Uuid>, DbError> {
        opt(conn, &sql, [outlet], |row| row.get(0))
    };
    branch.db.read(look).await.unwrap()
}

/// The path with its parameters replaced, in their order.
pub fn filled(path: &str, ids: &[Uuid]) -> String {
    let mut ids = ids.iter().copied();
    let parts = path.split('/').map(|part| match (part.starts_with('{'), part) {
        (false, literal) => literal.to_owned(),
        (true, "{date}") => "2026-11-20".to_owned(),
        (true, _) => ids.next().unwrap_or_default().to_string(),
    });
    let mut filled = parts.collect::<Vec<_>>().join("/");
    // Wants to know why, where there is no body to say it in.
    if path.ends_with("/service-charge") {
        filled.push_str("?reason=x");
    }
    filled
}
