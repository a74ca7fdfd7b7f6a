//! Who may call what: every route asks for a token, for its permission, and hides the records of other outlets. New routes
//! are covered by being in the route table.

use edge::access::{Access, Permission, Role};
use edge::app;
use reqwest::Method;
use serde_json::{Value, json};
use std::time::Duration;
use tiffin_tests::restaurant::{RECORDS, filled, open_restaurant, record};
use tiffin_tests::{Branch, Client, Reply};

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
                Role::ALL.iter().copied().filter(|role| role.holds(*permission)).map(Role::name).collect();
            format!("{:<24} {}\n", permission.name(), holders.join(" "))
        })
        .collect();
    let agreed = include_str!("permissions.txt");
    assert!(table == agreed, "the table has changed; if that is meant, permissions.txt becomes:\n{table}");
}
