//! Who may call what: every route asks for a token, for its permission, and hides the records of other outlets. New routes
//! are covered by being in the route table.

use edge::access::{Access, Permission, Role, hashing};
use edge::app;
use edge::cli::sample::{data, seed};
use edge::db::{DbError, Source, opt};
use edge::resources::auth::actions::{Client as Device, sign_in};
use edge::resources::auth::rules::AuthError;
use edge::resources::notifications::{self, Audience, Notice, Severity};
use reqwest::Method;
use serde_json::{Value, json};
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;
use tiffin_common::Uuid;
use tiffin_tests::{Branch, Client, Reply};

/// Which table the ids of a path are of, with a condition where only some of its rows are meant. The longest beginning
/// counts.
const RECORDS: &[(&str, &[&str])] = &[
    ("/outlets/{id}", &["outlets"]),
    ("/notifications/{id}", &["notifications"]),
    ("/employees/{id}", &["employees"]),
    ("/auth/sessions/{id}", &["sessions"]),
    ("/menu/items/{id}", &["menu_items"]),
    ("/menu/categories/{id}", &["menu_categories"]),
    ("/menu/modifier-groups/{id}", &["modifier_groups"]),
    ("/menu/modifier-options/{id}", &["modifier_options"]),
    ("/menu/tax-categories/{id}", &["tax_categories"]),
    ("/tables/{id}", &["dining_tables"]),
    ("/inventory/items/{id}", &["stock_items"]),
    ("/inventory/recipes/{id}", &["menu_items"]),
    ("/inventory/batches/{id}", &["stock_batches"]),
    ("/inventory/suppliers/{id}", &["suppliers"]),
    ("/inventory/preparations/{id}", &["recipes WHERE name IS NOT NULL AND"]),
    ("/kitchen/stations/{id}", &["kitchen_stations"]),
    ("/kitchen/tickets/{id}", &["kitchen_tickets", "kitchen_ticket_items"]),
    ("/orders/{id}", &["orders"]),
    ("/orders/{id}/items/{itemId}", &["orders", "order_items"]),
    ("/orders/{id}/discounts/{discountId}", &["orders", "order_discounts"]),
    ("/orders/invoices/{id}", &["invoices"]),
    ("/cash-sessions/{id}", &["cash_sessions"]),
    ("/ai/conversations/{id}", &["ai_conversations"]),
    ("/purchase-orders/{id}", &["purchase_orders"]),
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
    ("/leave-requests/balances/{employeeId}", &["employees"]),
];

/// Bodies of routes that refuse an empty one before they look for the record.
const BODIES: &[(&str, &str)] = &[
    ("POST /employees/{id}/account", r#"{"email": "x@x.test", "password": "0123456789", "role": "WAITER"}"#),
    ("PUT /employees/{id}/pin", r#"{"pin": "2580"}"#),
    ("PUT /menu/items/{id}/availability", r#"{"status": "IN_STOCK"}"#),
    ("PUT /menu/items/{id}/price", r#"{"priceCents": 1}"#),
    ("PUT /menu/modifier-options/{id}/availability", r#"{"status": "IN_STOCK"}"#),
    ("PATCH /tables/{id}/status", r#"{"status": "CLEANING"}"#),
    ("POST /tables/{id}/seat", r#"{"partySize": 2}"#),
    ("PUT /inventory/recipes/{id}", r#"{"yield": 1, "ingredients": []}"#),
    ("PUT /menu/modifier-options/{id}/recipe", r#"{"ingredients": []}"#),
    ("PATCH /kitchen/tickets/{id}", r#"{"priority": 1}"#),
    ("POST /tables/{id}/transfer", r#"{"toTableId": "00000000-0000-7000-8000-000000000000"}"#),
    ("POST /tables/{id}/merge", r#"{"tableIds": ["00000000-0000-7000-8000-000000000000"]}"#),
    (
        "POST /orders/{id}/items",
        r#"{"items": [{"menuItemId": "00000000-0000-7000-8000-000000000000", "quantity": 1, "unitPriceCents": 1}]}"#,
    ),
    ("PATCH /orders/{id}/status", r#"{"status": "ACCEPTED"}"#),
    ("POST /orders/{id}/payments", r#"{"method": "CARD", "amountCents": 1}"#),
    ("POST /orders/{id}/refunds", r#"{"amountCents": 1, "reason": "x", "restock": false}"#),
    ("POST /orders/{id}/discounts", r#"{"type": "FIXED", "value": 1, "reason": "x"}"#),
    ("POST /orders/{id}/items/{itemId}/void", r#"{"reason": "x", "wasMade": false}"#),
    ("POST /orders/{id}/fire", r#"{"course": 2}"#),
    ("POST /orders/{id}/split", r#"{"equally": 2}"#),
    ("POST /orders/{id}/merge", r#"{"orderIds": ["00000000-0000-7000-8000-000000000000"]}"#),
    ("POST /orders/{id}/invoice/withdraw", r#"{"reason": "x"}"#),
    ("POST /cash-sessions/{id}/pay-in", r#"{"amountCents": 1, "reason": "x"}"#),
    ("POST /cash-sessions/{id}/pay-out", r#"{"amountCents": 1, "reason": "x"}"#),
    ("POST /cash-sessions/{id}/no-sale", r#"{"reason": "x"}"#),
    ("POST /cash-sessions/{id}/close", r#"{"countedCents": 1}"#),
    (
        "POST /purchase-orders/{id}/deliveries",
        r#"{"items": [{"inventoryItemId": "00000000-0000-7000-8000-000000000000", "quantityReceived": 1, "unitCostCents": 1}]}"#,
    ),
    ("POST /tickets/{id}/comments", r#"{"body": "x"}"#),
    ("POST /attendance/{id}/corrections", r#"{"newTime": "2026-11-20T12:00:00Z", "reason": "x"}"#),
    ("POST /waste-logs/{id}/reverse", r#"{"reason": "x"}"#),
    (
        "POST /inventory/stocktakes/{id}/counts",
        r#"{"lines": [{"inventoryItemId": "00000000-0000-7000-8000-000000000000", "countedQuantity": 1}]}"#,
    ),
    (
        "PUT /leave-requests/balances/{employeeId}",
        r#"{"year": 2026, "leaveType": "ANNUAL", "entitledDays": 20}"#,
    ),
];

/// Tables the sample restaurant leaves empty, so that a made-up id stands in. May only shrink.
const EMPTY: &[&str] = &[];

/// Routes that do not answer 404 to another outlet's id, and why. May only shrink.
const NOT_404: &[(&str, &str)] = &[];

fn routes() -> Vec<(Method, &'static str, Access)> {
    app::routes().listing()
}

fn body_of(route: &str) -> Value {
    let found = BODIES.iter().find(|(known, _)| *known == route);
    found.map_or_else(|| json!({}), |(_, body)| serde_json::from_str(body).unwrap())
}

/// The path with its parameters replaced, in their order.
fn filled(path: &str, ids: &[Uuid]) -> String {
    let mut ids = ids.iter().copied();
    let parts = path.split('/').map(|part| match (part.starts_with('{'), part) {
        (false, literal) => literal.to_owned(),
        (true, "{date}") => "2026-11-20".to_owned(),
        (true, _) => ids.next().unwrap_or_default().to_string(),
    });
    parts.collect::<Vec<_>>().join("/")
}

async fn call(client: &Client, method: &Method, path: &str, body: Value) -> Reply {
    let request = client.request(method.clone(), path);
    let request = if method == Method::GET { request } else { request.json(&body) };
    client.send(request).await
}

#[tokio::test]
async fn every_route_wants_a_token() {
    let branch = Branch::start().await;
    let (nobody, forger) = (branch.anonymous(), branch.anonymous().with_token("a.b.c".into()));
    for (method, path, access) in routes() {
        if access == Access::Public {
            continue;
        }
        let path = filled(path, &[]);
        let reply = call(&nobody, &method, &path, json!({})).await.refused(401, "UNAUTHORIZED");
        assert_eq!(reply.json()["detail"], "No token provided");
        assert_eq!(reply.header("www-authenticate"), "Bearer");
        call(&forger, &method, &path, json!({})).await.refused(401, "UNAUTHORIZED");
    }
}

#[tokio::test]
async fn every_route_wants_its_permission_and_is_content_with_it() {
    let branch = Branch::start().await;
    let clients = Role::ALL.map(|role| (role, branch.sign_in(role)));
    for (method, path, access) in routes() {
        let Access::Needs(permission) = access else { continue };
        let path = filled(path, &[]);
        for (role, client) in &clients {
            if !role.holds(permission) {
                call(client, &method, &path, json!({})).await.refused(403, "FORBIDDEN");
                continue;
            }
            // A stream has no end: that it begins is enough.
            let answer = tokio::time::timeout(
                Duration::from_millis(if path.ends_with("/stream") { 100 } else { 30_000 }),
                call(client, &method, &path, json!({})),
            );
            let status = answer.await.map_or(200, |reply| reply.status);
            assert!(status < 500 && status != 401 && status != 403, "{method} {path} as {role:?}: {status}");
        }
    }
}

/// The sample restaurant, with a signed-in device and a notification.
async fn open_restaurant(branch: &Branch) {
    let outlet = branch.outlet_id;
    let restaurant = data::load().unwrap();
    let pins = restaurant.employees.iter().map(|e| hashing::pin(&e.pin, outlet, &[1; 32]).unwrap()).collect();
    let passwords = restaurant.accounts.iter().map(|_| "not a hash".to_owned()).collect();
    let hashes = seed::Hashes { passwords, pins };
    branch.db.write(move |tx| seed::seed(tx, &restaurant, outlet, &hashes, "").map(drop)).await.unwrap();
    let device = Device { ip: IpAddr::V4(Ipv4Addr::LOCALHOST), device_name: None };
    let signed_in = branch
        .db
        .write(move |tx| sign_in(tx, "waiter@sample.test", &device, Some("not a hash")).map(drop))
        .await;
    signed_in.map_err(|error: AuthError| error.to_string()).unwrap();
    let notice = Notice {
        kind: "LOW_STOCK",
        severity: Severity::Info,
        title: "x".into(),
        body: "x".into(),
        audience: Audience::Staff,
        entity: None,
        dedupe_key: "x".into(),
    };
    branch
        .db
        .write(move |tx| notifications::actions::notify(tx, outlet, notice).map_err(DbError::from))
        .await
        .unwrap();
    let owner = branch.sign_in(Role::Owner);
    owner.post("/tables", json!({"number": "99", "seats": 2})).await.expect(201);
    let tree = owner.get("/menu").await.data();
    let dishes = tree["categories"].as_array().unwrap().iter().flat_map(|c| c["items"].as_array().unwrap());
    let dish = dishes.clone().find(|dish| dish["modifierGroups"] == json!([])).unwrap();
    let line = json!({"menuItemId": dish["id"], "quantity": 1, "unitPriceCents": dish["priceCents"]});
    let order =
        owner.post("/orders", json!({"orderType": "COUNTER", "items": [line]})).await.expect(201).json();
    let discounts = format!("/orders/{}/discounts", order["id"].as_str().unwrap());
    owner.post(&discounts, json!({"type": "FIXED", "value": 100, "reason": "x"})).await.expect(201);
    let invoice = format!("/orders/{}/invoice", order["id"].as_str().unwrap());
    owner.post(&invoice, json!({})).await.expect(201);
    owner.post("/cash-sessions", json!({"openingFloatCents": 0})).await.expect(201);
    let stock = owner.get("/inventory/items?limit=1").await.expect(200).json()["items"][0].clone();
    let line = json!({"inventoryItemId": stock["id"], "quantityOrdered": 1});
    let purchase = json!({"supplierId": stock["supplierId"], "items": [line]});
    owner.post("/inventory/purchase-orders", purchase).await.expect(201);
    owner.post("/tickets", json!({"subject": "x", "body": "x"})).await.expect(201);
    branch.anonymous().post("/tickets/feedback", json!({"rating": 5})).await.expect(201);
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
    ask_for_a_swap(&owner).await;
}

/// Two colleagues with shifts on the same evening, one asking the other.
async fn ask_for_a_swap(owner: &Client) {
    let roster = owner.get("/workforce/roster?startDate=2026-11-21&endDate=2026-11-29").await.json();
    let (worker, colleague) = (&roster["matrix"][1], &roster["matrix"][3]);
    let shifts = |row: &Value| row["shifts"].as_array().unwrap().clone();
    let pairs = shifts(worker).into_iter().zip(shifts(colleague));
    let mut pairs = pairs.filter(|(a, b)| a["shiftType"] != "OFF" && b["shiftType"] != "OFF");
    let (offered, wanted) = pairs.next().unwrap();
    let swap = json!({"kind": "SWAP", "fromShiftId": offered["id"], "toEmployeeId": colleague["employeeId"],
        "toShiftId": wanted["id"]});
    owner.post("/shifts/swaps", swap).await.expect(201);
}

/// An id of `table` at `outlet`.
async fn record(branch: &Branch, table: &'static str, outlet: Uuid) -> Option<Uuid> {
    let column = if table == "outlets" { "id" } else { "outlet_id" };
    let table = if table.contains(" WHERE ") { table.to_owned() } else { format!("{table} WHERE") };
    let sql = format!("SELECT id FROM {table} {column} = ?1 ORDER BY id LIMIT 1");
    let look = move |conn: &dyn Source| -> Result<Option<Uuid>, DbError> {
        Ok(opt(conn, &sql, [outlet], |row| row.get(0))?)
    };
    branch.db.read(look).await.unwrap()
}

#[tokio::test]
async fn the_records_of_another_outlet_are_not_there() {
    let branch = Branch::start().await;
    open_restaurant(&branch).await;
    let stranger = branch.sign_in_at(Role::Owner, branch.second_outlet().await);
    let written = "SELECT (SELECT count(*) FROM sync_log) + (SELECT count(*) FROM audit_log)";
    let before = branch.number(written).await;
    let (mut empty, mut wrong) = (Vec::new(), Vec::new());
    for (method, path, access) in routes() {
        if access == Access::Public || !path.contains('{') || path.contains("{date}") {
            continue;
        }
        let route = format!("{method} {path}");
        let known = RECORDS.iter().filter(|(prefix, _)| path.starts_with(prefix));
        let tables = known.max_by_key(|(prefix, _)| prefix.len());
        let (_, tables) =
            tables.unwrap_or_else(|| panic!("tell RECORDS which table the ids of {path} are of"));
        let mut ids = Vec::new();
        for table in tables.iter().take(path.matches('{').count()) {
            let found = record(&branch, table, branch.outlet_id).await;
            if found.is_none() && !empty.contains(table) {
                empty.push(*table);
            }
            ids.push(found.unwrap_or_default());
        }
        let reply = call(&stranger, &method, &filled(path, &ids), body_of(&route)).await;
        if reply.status != 404 || reply.json()["code"] != "ERR_NOT_FOUND" {
            wrong.push(format!("{route}: {} {}", reply.status, reply.text));
        }
    }
    empty.sort_unstable();
    assert_eq!(empty, EMPTY, "tables of the restaurant without rows");
    let excused = |line: &String, route: &str| line.starts_with(&format!("{route}:"));
    let stale = NOT_404.iter().find(|(route, _)| !wrong.iter().any(|line| excused(line, route)));
    assert_eq!(stale, None, "no longer an exception");
    wrong.retain(|line| !NOT_404.iter().any(|(route, _)| excused(line, route)));
    assert!(wrong.is_empty(), "not 404:\n{}", wrong.join("\n"));
    assert_eq!(branch.number(written).await, before, "a stranger's request has written something");
}

#[test]
fn the_permission_table_is_the_one_that_was_agreed() {
    let table: String = Permission::ALL
        .iter()
        .map(|permission| {
            let holders: Vec<&str> =
                Role::ALL.into_iter().filter(|role| role.holds(*permission)).map(Role::name).collect();
            format!("{:<24} {}\n", permission.name(), holders.join(" "))
        })
        .collect();
    let agreed = include_str!("permissions.txt");
    assert!(table == agreed, "the table has changed; if that is meant, permissions.txt becomes:\n{table}");
}
