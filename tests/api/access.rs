//! Who may call what: every route asks for a token, for its permission, and hides the records of other outlets. New routes
//! are covered by being in the route table.

use edge::access::{Access, Permission, Role};
use edge::app;
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::Duration;
use tiffin_common::Uuid;
use tiffin_tests::paired::paired;
use tiffin_tests::restaurant::{RECORDS, filled, open_restaurant, record};
use tiffin_tests::set_up::{OWNER, PASSWORD};
use tiffin_tests::{Branch, Client, Reply, people};

/// Bodies of routes that refuse an empty one before they look for the record.
const BODIES: &[(&str, &str)] = &[
    (
        "POST /employees/{id}/account",
        r#"{"email": "x@x.test", "password": "naan tawa monsoon", "role": "WAITER"}"#,
    ),
    ("PUT /employees/{id}/pin", r#"{"pin": "2580"}"#),
    ("PUT /menu/items/{id}/availability", r#"{"status": "IN_STOCK"}"#),
    ("PUT /menu/items/{id}/price", r#"{"priceCents": 1}"#),
    ("PUT /menu/modifier-options/{id}/availability", r#"{"status": "IN_STOCK"}"#),
    ("PUT /menu/variants/{id}/availability", r#"{"status": "IN_STOCK"}"#),
    ("PUT /menu/variants/{id}/price", r#"{"priceCents": 1}"#),
    ("PATCH /tables/{id}/status", r#"{"status": "CLEANING"}"#),
    ("POST /tables/{id}/seat", r#"{"partySize": 2}"#),
    ("PUT /inventory/recipes/{id}", r#"{"yield": 1, "ingredients": []}"#),
    ("PUT /menu/modifier-options/{id}/recipe", r#"{"ingredients": []}"#),
    ("PATCH /kitchen/tickets/{id}", r#"{"priority": 1}"#),
    ("POST /tables/{id}/transfer", r#"{"toTableId": "00000000-0000-7000-8000-000000000000"}"#),
    ("POST /tables/{id}/merge", r#"{"tableIds": ["00000000-0000-7000-8000-000000000000"]}"#),
    (
        "POST /orders/{orderId}/items",
        r#"{"items": [{"menuItemId": "00000000-0000-7000-8000-000000000000", "quantity": 1, "unitPriceCents": 1}]}"#,
    ),
    ("PATCH /orders/{orderId}/status", r#"{"status": "ACCEPTED"}"#),
    ("POST /orders/{orderId}/payments", r#"{"method": "CARD", "amountCents": 1}"#),
    ("POST /orders/{orderId}/refunds", r#"{"amountCents": 1, "reason": "x", "restock": false}"#),
    ("POST /orders/{orderId}/discounts", r#"{"type": "FIXED", "value": 1, "reason": "x"}"#),
    ("POST /orders/{orderId}/items/{itemId}/void", r#"{"reason": "x", "wasMade": false}"#),
    ("POST /orders/{orderId}/fire", r#"{"course": 2}"#),
    ("POST /orders/{orderId}/split", r#"{"equally": 2}"#),
    ("POST /orders/{orderId}/merge", r#"{"orderIds": ["00000000-0000-7000-8000-000000000000"]}"#),
    ("POST /orders/{orderId}/invoice/withdraw", r#"{"reason": "x"}"#),
    ("POST /orders/{orderId}/payments/{paymentId}/correct", r#"{"reason": "x", "tipCents": 1}"#),
    ("POST /orders/{orderId}/payments/{paymentId}/reverse", r#"{"reason": "x"}"#),
    ("POST /orders/{orderId}/credit-note", r#"{"reason": "OVERCHARGED"}"#),
    ("POST /orders/{orderId}/write-off", r#"{"reason": "x"}"#),
    ("POST /cash-sessions/{id}/tip-out", r#"{"amountCents": 1, "reason": "x"}"#),
    ("POST /cash-sessions/{id}/pay-in", r#"{"amountCents": 1, "reason": "x"}"#),
    ("POST /cash-sessions/{id}/pay-out", r#"{"amountCents": 1, "reason": "x"}"#),
    ("POST /cash-sessions/{id}/no-sale", r#"{"reason": "x"}"#),
    ("POST /cash-sessions/{id}/close", r#"{"countedCents": 1}"#),
    (
        "POST /purchase-orders/{id}/deliveries",
        r#"{"items": [{"inventoryItemId": "00000000-0000-7000-8000-000000000000", "quantityReceived": 1, "unitCostCents": 1}]}"#,
    ),
    (
        "POST /purchase-orders/{id}/returns",
        r#"{"items": [{"batchId": "00000000-0000-7000-8000-000000000000", "quantity": 1, "reason": "x"}]}"#,
    ),
    ("POST /purchase-orders/{id}/invoice", r#"{"ref": "x", "totalCents": 1, "taxCents": 0}"#),
    ("POST /purchase-orders/{id}/invoices/{invoiceId}/accept", r#"{"reason": "x"}"#),
    ("POST /inventory/preparations/{id}/produce", r#"{"quantity": 1}"#),
    ("POST /tickets/{id}/comments", r#"{"body": "x"}"#),
    ("POST /attendance/{id}/corrections", r#"{"newTime": "2026-11-20T12:00:00Z", "reason": "x"}"#),
    ("POST /waste-logs/{id}/reverse", r#"{"reason": "x"}"#),
    ("POST /orders/{orderId}/slip/return", r#"{"amountCents": 1, "reason": "x"}"#),
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
    let clients = Role::ALL.iter().map(|role| (*role, branch.sign_in(*role))).collect::<Vec<_>>();
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

#[tokio::test]
async fn the_records_of_another_outlet_are_not_there() {
    let branch = open_restaurant().await;
    let other = branch.second_outlet().await;
    let strangers = Role::ALL.iter().map(|role| (*role, branch.sign_in_at(*role, other))).collect::<Vec<_>>();
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
        for (role, stranger) in &strangers {
            // To a super-admin no outlet is another's.
            let is_own = *role == Role::SuperAdmin && tables == &["outlets"];
            if is_own || matches!(access, Access::Needs(permission) if !role.holds(permission)) {
                continue;
            }
            let reply = call(stranger, &method, &filled(path, &ids), body_of(&route)).await;
            let is_there = reply.status != 404 || reply.json()["code"] != "ERR_NOT_FOUND";
            // Who holds less may be told sooner that it is not for them.
            if is_there && (reply.status != 403 || role.holds(Permission::AccountsManage)) {
                wrong.push(format!("{route} as {role:?}: {} {}", reply.status, reply.text));
            }
        }
    }
    empty.sort_unstable();
    assert_eq!(empty, EMPTY, "tables of the restaurant without rows");
    let excused = |line: &String, route: &str| line.starts_with(&format!("{route} "));
    let stale = NOT_404.iter().find(|(route, _)| !wrong.iter().any(|line| excused(line, route)));
    assert_eq!(stale, None, "no longer an exception");
    wrong.retain(|line| !NOT_404.iter().any(|(route, _)| excused(line, route)));
    assert!(wrong.is_empty(), "not 404:\n{}", wrong.join("\n"));
    assert_eq!(branch.number(written).await, before, "a stranger's request has written something");
}

/// Tables whose rows are one person's: a colleague of the same role does not see them.
const PERSONAL: &[&str] = &["ai_conversations", "leave_requests", "sessions", "shift_swaps", "tickets"];

/// Tables whose rows are the house's: whose role holds the permission sees all of them at the outlet.
const HOUSE: &[&str] = &[
    "attendance_records",
    "cash_sessions",
    "channels",
    "devices",
    "dining_tables",
    "employee_documents",
    "employees",
    "feedback",
    "holidays",
    "invoices",
    "kitchen_stations",
    "kitchen_ticket_items",
    "kitchen_tickets",
    "menu_categories",
    "menu_items",
    "menu_items WHERE variant_of_id IS NOT NULL AND",
    "modifier_groups",
    "modifier_options",
    "notifications",
    "order_discounts",
    "order_items",
    "orders",
    "outlets",
    "payments",
    "price_lists",
    "print_jobs",
    "printers",
    "purchase_invoices",
    "purchase_orders",
    "recipes WHERE name IS NOT NULL AND",
    "shifts",
    "stock_batches",
    "stock_items",
    "stock_transfers",
    "stocktakes",
    "suppliers",
    "sync_reviews",
    "tax_categories",
    "waste_logs",
];

/// Somebody of `role` with an account, signed in; and their employee's id.
async fn person(branch: &Branch, owner: &Client, code: &str, role: Role) -> (Client, String) {
    let id = people::hire(owner, code, code, "Staff").await;
    let email = format!("{}@sample.test", code.to_lowercase());
    people::give_account(owner, &id, &email, role.name()).await;
    (people::sign_in(&branch.anonymous(), &email, PASSWORD).await, id)
}

/// What is theirs, by its table: of each kind that their role may have.
async fn belongings(
    manager: &Client,
    (client, id): &(Client, String),
    (role, colleague, day): (Role, &str, u32),
) -> HashMap<&'static str, Uuid> {
    let date = format!("2026-12-{day:02}");
    let mut own = HashMap::new();
    let mut keep = |table: &'static str, row: Value| {
        own.insert(table, row["id"].as_str().unwrap().parse().unwrap());
    };
    if role.holds(Permission::LeaveRequest) {
        let leave =
            json!({"leaveType": "ANNUAL", "fromDate": "2027-01-04", "toDate": "2027-01-05", "reason": "x"});
        keep("leave_requests", client.post("/leave-requests", leave).await.expect(201).data());
    }
    if role.holds(Permission::TicketsRaise) {
        let query = json!({"subject": "Tap", "body": "It drips"});
        keep("tickets", client.post("/tickets", query).await.expect(201).data());
    }
    if role.holds(Permission::AiAsk) {
        client.post("/ai/ask", json!({"question": "What is on the menu?"})).await.expect(200);
        keep("ai_conversations", client.get("/ai/conversations").await.expect(200).data()[0].clone());
    }
    if role.holds(Permission::ShiftSwap) {
        people::plan(manager, id, &date, "MORNING", "07:00", "15:00").await;
        let shifts = format!("/shifts?from={date}&to={date}&employeeId={id}");
        let shifts = manager.get(&shifts).await.expect(200).data();
        let swap = json!({"kind": "GIVE_AWAY", "fromShiftId": shifts[0]["id"], "toEmployeeId": colleague});
        keep("shift_swaps", client.post("/shifts/swaps", swap).await.expect(201).data());
    }
    keep("sessions", client.get("/auth/sessions").await.expect(200).data()[0].clone());
    own
}

/// The tables whose rows `role` sees of everybody, since it decides about them.
fn oversees(role: Role, table: &str) -> bool {
    match table {
        "leave_requests" => role.holds(Permission::LeaveApprove),
        "tickets" => role.holds(Permission::TicketsManage),
        "shift_swaps" => role.holds(Permission::RosterWrite),
        _ => false,
    }
}

/// Asks for what is `own`ed by somebody as `colleague`, on every route for it that `role` may call: what is not refused.
async fn asked_by_a_colleague(
    colleague: &Client,
    owner: &Client,
    (role, own): (Role, &HashMap<&'static str, Uuid>),
) -> Vec<String> {
    let mut wrong = Vec::new();
    for (method, path, access) in routes() {
        let holds = match access {
            Access::Needs(permission) => role.holds(permission),
            Access::SignedIn => true,
            _ => false,
        };
        let known = RECORDS.iter().filter(|(prefix, _)| path.starts_with(prefix));
        let Some((_, tables)) = known.max_by_key(|(prefix, _)| prefix.len()).filter(|_| path.contains('{'))
        else {
            continue;
        };
        let table = tables.first().unwrap();
        assert!(PERSONAL.contains(table) != HOUSE.contains(table), "say whose rows {table} has");
        let Some(id) = own.get(table).filter(|_| holds && !oversees(role, table)) else { continue };
        let (route, filled) = (format!("{method} {path}"), filled(path, &[*id]));
        let reply = call(colleague, &method, &filled, body_of(&route)).await;
        if ![403, 404].contains(&reply.status) {
            wrong.push(format!("{route} as a colleague, {role:?}: {} {}", reply.status, reply.text));
        }
        if method == Method::GET {
            let own = call(owner, &method, &filled, json!({})).await.status;
            if own != 200 {
                wrong.push(format!("{route} of one's own, {role:?}: {own}"));
            }
        }
    }
    wrong
}

const WRITTEN: &str = "SELECT (SELECT count(*) FROM sync_log) + (SELECT count(*) FROM audit_log)";

#[tokio::test]
async fn what_is_one_persons_is_not_there_for_a_colleague_of_the_same_role() {
    let branch = Branch::start().await;
    let owner = people::sign_in(&branch.anonymous(), OWNER, PASSWORD).await;
    let mut wrong = Vec::new();
    // A super-admin is above all outlets; who is no person comes below.
    let people = Role::ALL.iter().filter(|role| role.is_of_house() || **role == Role::Accountant);
    for (place, role) in people.enumerate() {
        let code = |who: &str| format!("{who}{place}");
        let asha = person(&branch, &owner, &code("A"), *role).await;
        let (ravi, _) = person(&branch, &owner, &code("R"), *role).await;
        let (_, third) = person(&branch, &owner, &code("T"), *role).await;
        let own = belongings(&owner, &asha, (*role, &third, 1 + place as u32)).await;
        let before = branch.number(WRITTEN).await;
        wrong.extend(asked_by_a_colleague(&ravi, &asha.0, (*role, &own)).await);
        assert_eq!(branch.number(WRITTEN).await, before, "a colleague's request has written something");
    }
    for (kind, role) in [
        ("POS", Role::DevicePos),
        ("KITCHEN", Role::DeviceKitchen),
        ("CLOCK", Role::DeviceClock),
        ("BOARD", Role::DeviceBoard),
    ] {
        let [(one, _), (other, _)] =
            [paired(&branch, &owner, kind).await, paired(&branch, &owner, kind).await];
        let session = one.get("/auth/sessions").await.expect(200).data()[0]["id"].clone();
        let own = HashMap::from([("sessions", session.as_str().unwrap().parse().unwrap())]);
        let before = branch.number(WRITTEN).await;
        wrong.extend(asked_by_a_colleague(&other, &one, (role, &own)).await);
        assert_eq!(branch.number(WRITTEN).await, before, "a device's request has written something");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_permission_table_is_the_one_that_was_agreed() {
    let table: String = Permission::ALL
        .iter()
        .map(|permission| {
            let holders: Vec<&str> =
                Role::ALL.iter().copied().filter(|role| role.holds(*permission)).map(Role::name).collect();
            format!("{:<24} {}\n", permission.name(), holders.join(" "))
        })
        .collect();
    // What the guide shows is the same.
    let guide = include_str!("../../edge/src/app/docs/guide.html");
    for permission in Permission::ALL {
        let holders: Vec<&str> =
            Role::ALL.iter().filter(|role| role.holds(*permission)).map(|role| role.name()).collect();
        let row = format!(
            "<tr><td><code>{}</code></td><td>{}</td><td>{}</td></tr>",
            permission.name(),
            permission.meaning(),
            holders.join(" ")
        );
        assert!(guide.contains(&row), "the guide lacks: {row}");
    }
    assert_eq!(guide.matches("<tr><td><code>").count(), Permission::ALL.len());
    let agreed = include_str!("permissions.txt");
    assert!(table == agreed, "the table has changed; if that is meant, permissions.txt becomes:\n{table}");
}
