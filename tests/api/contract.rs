//! Every operation that the specification and the contract name, by hand: each is served, documented and listed. Never made
//! from the route table, which it checks. (The hub's are the hub's.)

use edge::access::Access;
use std::collections::BTreeSet;
use tiffin_tests::Branch;

/// The operations named, by section. `{id}` stands for any parameter.
const NAMED: &[&str] = &[
    // The specification's typed operations.
    "GET /orders",
    "POST /orders",
    "GET /orders/{orderId}",
    "GET /inventory/items",
    "POST /inventory/purchase-orders",
    "GET /workforce/roster",
    "POST /workforce/attendance",
    "GET /analytics/summary",
    // Its sign-in and public operations.
    "POST /auth/login",
    "POST /auth/refresh",
    "POST /auth/forgot-password",
    "GET /orders/tables/{id}/menu",
    "POST /tickets/feedback",
    // 1. System.
    "GET /status",
    // 2. Accounts.
    "POST /auth/logout",
    "POST /auth/reset-password",
    "POST /auth/change-password",
    "POST /auth/pin",
    "GET /auth/me",
    "GET /auth/sessions",
    "DELETE /auth/sessions/{id}",
    "GET /employees/{id}/account",
    "POST /employees/{id}/account",
    "PATCH /employees/{id}/account",
    "GET /audit-log",
    // 3. Outlets.
    "GET /outlets",
    "GET /outlets/{id}",
    "PATCH /outlets/{id}",
    "POST /outlets",
    // 4. Menu.
    "GET /menu",
    "GET /menu/categories",
    "POST /menu/categories",
    "GET /menu/categories/{id}",
    "PATCH /menu/categories/{id}",
    "DELETE /menu/categories/{id}",
    "GET /menu/items",
    "POST /menu/items",
    "GET /menu/items/{id}",
    "PATCH /menu/items/{id}",
    "DELETE /menu/items/{id}",
    "GET /menu/modifier-groups",
    "POST /menu/modifier-groups",
    "GET /menu/modifier-groups/{id}",
    "PATCH /menu/modifier-groups/{id}",
    "DELETE /menu/modifier-groups/{id}",
    "GET /menu/tax-categories",
    "POST /menu/tax-categories",
    "GET /menu/tax-categories/{id}",
    "PATCH /menu/tax-categories/{id}",
    "DELETE /menu/tax-categories/{id}",
    "PUT /menu/items/{id}/availability",
    "PUT /menu/modifier-options/{id}/availability",
    "PUT /menu/items/{id}/price",
    "POST /menu/import",
    "GET /menu/export",
    // 5. Tables.
    "GET /tables",
    "POST /tables",
    "GET /tables/{id}",
    "PATCH /tables/{id}",
    "DELETE /tables/{id}",
    "PATCH /tables/{id}/status",
    "POST /tables/{id}/qr",
    "GET /tables/{id}/qr",
    "GET /tables/qr-sheet",
    "POST /tables/{id}/seat",
    "POST /tables/{id}/transfer",
    "POST /tables/{id}/merge",
    "POST /orders/tables/{id}/orders",
    "GET /orders/tables/{id}/orders",
    // 6. Orders and cash.
    "PATCH /orders/{id}/status",
    "GET /orders/invoices/verify",
    "POST /orders/{id}/items",
    "PATCH /orders/{id}/items/{id}",
    "POST /orders/{id}/items/{id}/void",
    "POST /orders/{id}/discounts",
    "DELETE /orders/{id}/discounts/{id}",
    "POST /orders/{id}/payments",
    "POST /orders/{id}/refunds",
    "POST /orders/{id}/split",
    "POST /orders/{id}/merge",
    "POST /orders/{id}/fire",
    "POST /orders/{id}/invoice",
    "GET /orders/{id}/receipt",
    "GET /cash-sessions",
    "POST /cash-sessions",
    "POST /cash-sessions/{id}/pay-in",
    "POST /cash-sessions/{id}/pay-out",
    "POST /cash-sessions/{id}/no-sale",
    "POST /cash-sessions/{id}/close",
    "POST /day-close",
    "GET /day-close/{id}",
    // 7. Kitchen.
    "GET /kitchen/stations",
    "POST /kitchen/stations",
    "GET /kitchen/stations/{id}",
    "PATCH /kitchen/stations/{id}",
    "DELETE /kitchen/stations/{id}",
    "GET /kitchen/tickets",
    "POST /kitchen/tickets/{id}/ack",
    "POST /kitchen/tickets/{id}/start",
    "POST /kitchen/tickets/{id}/ready",
    "POST /kitchen/tickets/{id}/serve",
    "POST /kitchen/tickets/{id}/recall",
    "POST /kitchen/tickets/{id}/items/{id}/start",
    "POST /kitchen/tickets/{id}/items/{id}/ready",
    "GET /kitchen/stream",
    "GET /kitchen/stats",
    // 8. Inventory, purchasing, waste.
    "POST /inventory/items",
    "GET /inventory/items/{id}",
    "PATCH /inventory/items/{id}",
    "DELETE /inventory/items/{id}",
    "GET /inventory/items/{id}/batches",
    "GET /inventory/items/{id}/movements",
    "POST /inventory/adjustments",
    "GET /inventory/stocktakes",
    "POST /inventory/stocktakes",
    "GET /inventory/stocktakes/{id}",
    "POST /inventory/stocktakes/{id}/close",
    "GET /inventory/recipes/{id}",
    "PUT /inventory/recipes/{id}",
    "GET /inventory/suppliers",
    "POST /inventory/suppliers",
    "GET /inventory/suppliers/{id}",
    "PATCH /inventory/suppliers/{id}",
    "DELETE /inventory/suppliers/{id}",
    "GET /inventory/batches/{id}/trace",
    "GET /orders/{id}/trace",
    "POST /inventory/transfers",
    "GET /purchase-orders",
    "GET /purchase-orders/{id}",
    "PATCH /purchase-orders/{id}",
    "POST /purchase-orders/auto",
    "POST /purchase-orders/{id}/send",
    "POST /purchase-orders/{id}/deliveries",
    "POST /purchase-orders/{id}/close",
    "POST /waste-logs",
    "GET /waste-logs",
    "GET /waste-logs/summary",
    // 9. Workforce.
    "GET /employees",
    "POST /employees",
    "GET /employees/{id}",
    "PATCH /employees/{id}",
    "DELETE /employees/{id}",
    "PUT /employees/{id}/pin",
    "GET /employees/{id}/documents",
    "POST /employees/{id}/documents",
    "GET /employees/{id}/documents/{id}",
    "DELETE /employees/{id}/documents/{id}",
    "GET /shifts",
    "POST /shifts",
    "PATCH /shifts/{id}",
    "DELETE /shifts/{id}",
    "POST /shifts/publish",
    "POST /shifts/copy-week",
    "GET /shifts/swaps",
    "POST /shifts/swaps",
    "POST /shifts/swaps/{id}/accept",
    "POST /shifts/swaps/{id}/approve",
    "POST /shifts/swaps/{id}/reject",
    "POST /shifts/swaps/{id}/cancel",
    "GET /attendance",
    "GET /attendance/timesheets",
    "POST /attendance/{id}/corrections",
    "POST /leave-requests",
    "GET /leave-requests",
    "POST /leave-requests/{id}/approve",
    "POST /leave-requests/{id}/reject",
    "POST /leave-requests/{id}/cancel",
    "GET /leave-requests/balances",
    // 10. Analytics.
    "GET /analytics/daily",
    "GET /analytics/hourly",
    "GET /analytics/top-sellers",
    "GET /analytics/menu-engineering",
    "GET /analytics/reports/sales",
    "GET /analytics/reports/payments",
    "GET /analytics/reports/tax",
    "GET /analytics/reports/discounts",
    "GET /analytics/reports/voids",
    "GET /analytics/reports/inventory",
    "GET /analytics/reports/variance",
    "GET /analytics/reports/waste",
    "GET /analytics/reports/labor",
    "GET /analytics/reports/purchases",
    "GET /analytics/reports/pnl",
    "GET /dashboard",
    // 11. AI.
    "POST /ai/ask",
    "GET /ai/conversations",
    "GET /ai/suggestions",
    // 12. Tickets, feedback, notifications.
    "GET /tickets",
    "POST /tickets",
    "GET /tickets/{id}",
    "PATCH /tickets/{id}",
    "DELETE /tickets/{id}",
    "GET /tickets/{id}/comments",
    "POST /tickets/{id}/comments",
    "GET /tickets/feedback",
    "PATCH /tickets/feedback/{id}",
    "GET /notifications",
    "POST /notifications/{id}/read",
    "POST /notifications/read-all",
    "GET /notifications/stream",
];

/// What is named beside the API's prefix, without a token (contract section 1).
const SYSTEM: &[&str] = &["/health", "/ready", "/openapi.json", "/docs", "/metrics"];

/// Named and not there yet. What has come must leave this list; nothing may be added.
const PENDING: &[&str] = &[];

/// `{ticketId}` and `{id}` are the same to a caller.
fn shape(operation: &str) -> String {
    let parts = operation.split('/').map(|part| if part.starts_with('{') { "{id}" } else { part });
    parts.collect::<Vec<_>>().join("/")
}

#[tokio::test]
async fn every_operation_that_is_promised_is_served_documented_and_listed() {
    let branch = Branch::start().await;
    let document = branch.anonymous().get("/openapi.json").await.expect(200).json();
    let mut documented = BTreeSet::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for method in operations.as_object().unwrap().keys() {
            documented.insert(shape(&format!("{} {path}", method.to_uppercase())));
        }
    }
    let listing = edge::app::routes().listing();
    let listed: BTreeSet<String> =
        listing.iter().map(|(method, path, _)| shape(&format!("{method} {path}"))).collect();
    assert_eq!(documented, listed, "the document and `edge routes` name the same operations");
    let named: BTreeSet<String> = NAMED.iter().map(|operation| shape(operation)).collect();
    assert_eq!(named.len(), NAMED.len(), "an operation is named twice");
    let missing: Vec<&String> = named.difference(&listed).collect();
    assert_eq!(missing, PENDING, "what is promised and not served, and what is still pending");
    for path in SYSTEM {
        branch.anonymous().get(path).await.expect(200);
    }
}

#[tokio::test]
async fn operations_of_the_document_say_who_may_call_them() {
    let branch = Branch::start().await;
    let document = branch.anonymous().get("/openapi.json").await.json();
    for (method, path, access) in edge::app::routes().listing() {
        let operation = &document["paths"][path][method.as_str().to_lowercase()];
        let is_open = operation["security"] == serde_json::json!([]);
        assert_eq!(is_open, access == Access::Public, "{method} {path}: {operation}");
        assert!(operation["summary"].as_str().is_some_and(|text| !text.is_empty()), "{method} {path}");
        assert!(!operation["responses"].as_object().unwrap().is_empty(), "{method} {path}");
    }
}
