//! Values that are not what their column holds: the row that has one fails and so does the request, whatever the column; nothing
//! is guessed in its place. Only columns of text: the schema keeps anything else out of the others.

use super::shifts::{hire, plan, publish};
use edge::access::Role;
use edge::db::{DbError, one, unreadable_values};
use edge::log::Job;
use rusqlite::types::Value;
use serde_json::json;
use tiffin_common::Uuid;
use tiffin_tests::{Branch, Client, House, restaurant};

/// A column, what is put there of one row, and which lists then cannot be answered.
const DAMAGES: &[(&str, &str, &str, &str)] = &[
    ("menu_items", "allergens", "[1", "/menu/items"),
    ("menu_items", "dietary", "PESCATARIAN", "/menu/items"),
    ("menu_items", "available_days", "[\"FREITAG\"]", "/menu/items"),
    ("menu_items", "more_windows", "[{\"days\": [\"FREITAG\"]}]", "/menu/items"),
    ("price_lists", "days", "[\"FREITAG\"]", "/menu/price-lists"),
    ("tax_categories", "components", "{}", "/menu/tax-categories"),
    ("menu_availability", "source", "HEARSAY", "/menu/items"),
    ("stock_items", "unit_conversions", "{\"crate\":12}", "/inventory/items"),
    ("stock_batch_levels", "expiry_date", "next week", "/inventory/items"),
    ("stocktakes", "business_date", "20 Nov", "/inventory/stocktakes"),
    ("purchase_orders", "mode", "GUESSED", "/purchase-orders"),
    ("purchase_orders", "expected_delivery_date", "soon", "/purchase-orders"),
    ("waste_logs", "business_date", "2026-11-31", "/waste-logs"),
    ("tickets", "priority", "SOON", "/tickets"),
    ("tickets", "status", "SOMEWHERE", "/tickets"),
    ("feedback", "status", "READ", "/tickets/feedback"),
    ("feedback", "business_date", "yesterday", "/tickets/feedback"),
    ("dining_tables", "status", "WET", "/dashboard"),
    ("stock_movements", "kind", "STOLEN", "/analytics/summary"),
];

/// The same of a branch that has traded, of the newest row; `{}` in the path is the row's value of the last column.
const DAMAGES_OF_TRADE: &[(&str, &str, &str, &str, &str)] = &[
    ("orders", "business_date", "someday", "/orders/{}", "id"),
    ("order_items", "tax_components", "[", "/orders/{}", "order_id"),
    ("order_status_history", "from_status", "LOST", "/orders/{}", "order_id"),
    ("order_status_history", "to_status", "LOST", "/orders/{}", "order_id"),
    ("order_discounts", "business_date", "2026-02-30", "/orders/{}", "order_id"),
    ("payments", "business_date", "someday", "/orders/{}", "order_id"),
    ("refunds", "method", "BARTER", "/orders/{}", "order_id"),
    ("invoices", "body", "{", "/orders/invoices/{}", "id"),
    ("invoices", "body", "{}", "/orders/invoices?orderId={}", "order_id"),
    ("cash_sessions", "business_date", "someday", "/cash-sessions/{}", "id"),
    ("day_closes", "report", "{}", "/day-close", "id"),
    ("day_closes", "business_date", "someday", "/day-close", "id"),
    ("kitchen_tickets", "business_date", "someday", "/kitchen/tickets/{}", "id"),
    ("kitchen_ticket_items", "modifiers", "none", "/kitchen/tickets/{}", "ticket_id"),
    ("audit_log", "before", "{", "/audit-log", "id"),
    ("audit_log", "business_date", "someday", "/audit-log", "id"),
];

/// The same of a branch whose staff are planned, at work and ask for leave; `{employee}` and `{record}` are ids.
const DAMAGES_OF_STAFF: &[(&str, &str, &str, &str)] = &[
    ("shifts", "date", "2026-02-31", "/shifts"),
    ("shifts", "shift_type", "DUSK", "/shifts"),
    ("shifts", "start_time", "25:00", "/shifts"),
    ("shifts", "end_time", "late", "/shifts/swaps"),
    ("shifts", "status", "MAYBE", "/workforce/roster?startDate=2026-11-16&endDate=2026-12-06"),
    ("shift_swaps", "kind", "BARTER", "/shifts/swaps"),
    ("shift_swaps", "status", "LOST", "/shifts/swaps"),
    ("attendances", "state", "ASLEEP", "/attendance/present"),
    ("attendances", "business_date", "2026-02-31", "/attendance"),
    ("attendances", "business_date", "2026-02-31", "/attendance/timesheets?from=2026-02-01&to=2026-12-31"),
    ("attendance_records", "event_type", "WAVED", "/attendance"),
    ("attendance_records", "status", "SOON", "/attendance/{record}"),
    ("attendance_records", "business_date", "2026-02-31", "/attendance"),
    ("attendance_corrections", "business_date", "someday", "/attendance/{record}"),
    ("leave_requests", "leave_type", "MOON", "/leave-requests"),
    ("leave_requests", "from_date", "someday", "/leave-requests"),
    ("leave_requests", "status", "PERHAPS", "/leave-requests"),
    ("leave_entitlements", "leave_type", "MOON", "/leave-requests/balances?employeeId={employee}&year=2026"),
];

#[tokio::test]
async fn what_cannot_be_read_of_the_staff_is_not_guessed_either() {
    let branch = Branch::start().await;
    let owner = branch.sign_in(Role::Owner);
    let [employee, colleague] = [hire(&owner, "Meera Nair").await, hire(&owner, "Dev Rao").await];
    owner.put(&format!("/employees/{employee}/pin"), json!({"pin": "2580"})).await.expect(200);
    let shift = plan(&owner, &employee, "2026-11-23", "MORNING").await;
    publish(&owner).await;
    let swap = json!({"fromShiftId": shift["id"], "toEmployeeId": colleague, "kind": "GIVE_AWAY"});
    owner.post("/shifts/swaps", swap).await.expect(201);
    let punch = json!({"employeePin": "2580", "eventType": "CLOCK_IN"});
    let punch = branch.sign_in(Role::Terminal).post("/workforce/attendance", punch).await.expect(201).json();
    let record = punch["id"].as_str().unwrap();
    let correction = json!({"newTime": punch["timestamp"], "reason": "As punched"});
    owner.post(&format!("/attendance/{record}/corrections"), correction).await.expect(201);
    let leave = json!({"employeeId": employee, "leaveType": "ANNUAL", "fromDate": "2026-12-01", "toDate": "2026-12-02",
        "reason": "A wedding"});
    owner.post("/leave-requests", leave).await.expect(201);
    let entitled = json!({"year": 2026, "leaveType": "ANNUAL", "entitledDays": 20});
    owner.put(&format!("/leave-requests/balances/{employee}"), entitled).await.expect(200);
    for (table, column, damaged, path) in DAMAGES_OF_STAFF {
        let path = path.replace("{employee}", &employee).replace("{record}", record);
        is_refused(&branch, &owner, (table, column, damaged), &path).await;
    }
}

#[tokio::test]
async fn what_cannot_be_read_of_the_trade_is_not_guessed_either() {
    let branch = restaurant::trading_restaurant().await;
    let owner = branch.sign_in(Role::Owner);
    for (table, column, damaged, path, key) in DAMAGES_OF_TRADE {
        let sql = format!("SELECT {key} FROM {table} ORDER BY rowid DESC LIMIT 1");
        let key: Uuid = branch
            .db
            .read(move |conn| one(conn, &sql, [], |row| row.get(0)))
            .await
            .unwrap_or_else(|error: DbError| panic!("{table}: {error}"));
        let path = path.replace("{}", &key.to_string());
        owner.get(&path).await.expect(200);
        let whole = set(&branch, (table, "max"), column, Value::Text((*damaged).to_owned())).await;
        let before = unreadable_values();
        owner.get(&path).await.refused(500, "INTERNAL");
        assert!(unreadable_values() > before, "{table}.{column} was not counted");
        set(&branch, (table, "max"), column, whole).await;
        owner.get(&path).await.expect(200);
    }
}

#[tokio::test]
async fn a_value_that_cannot_be_read_fails_its_request_and_nothing_is_guessed() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let milk = house.stock("Milk");
    let supplier = owner.post("/inventory/suppliers", json!({"name": "Dairy"})).await.expect(201);
    let supplier = supplier.data()["id"].clone();
    let line = json!({"inventoryItemId": milk, "quantityOrdered": 5, "unitCostCents": 4_000});
    let order = json!({"supplierId": supplier, "items": [line]});
    owner.post("/inventory/purchase-orders", order).await.expect(201);
    let waste = json!({"inventoryItemId": milk, "quantity": 1, "reason": "DROPPED"});
    owner.post("/waste-logs", waste).await.expect(201);
    owner.post("/inventory/stocktakes", json!({})).await.expect(201);
    let query = json!({"subject": "The tap drips", "body": "Since Monday"});
    owner.post("/tickets", query).await.expect(201);
    branch.give_feedback(json!({"rating": 4})).await.expect(201);
    let out = json!({"status": "OUT_OF_STOCK"});
    owner.put(&format!("/menu/items/{}/availability", house.dish("Lassi")), out).await.expect(200);
    owner.post("/menu/price-lists", json!({"name": "Lunch", "days": ["FRI"]})).await.expect(201);
    let manager = branch.sign_in(Role::Manager);
    for (table, column, damaged, path) in DAMAGES {
        is_refused(&branch, &manager, (table, column, damaged), path).await;
    }
    let metrics = branch.anonymous().get("/metrics").await.expect(200).text;
    let counted = metrics.lines().find_map(|line| line.strip_prefix("tiffin_db_unreadable_values_total "));
    assert!(counted.is_some_and(|values| values.parse::<usize>().unwrap() >= DAMAGES.len()), "{metrics}");
}

/// `path` can be answered, but not while the first row of a table is damaged, which is counted.
async fn is_refused(
    branch: &Branch,
    client: &Client,
    (table, column, damaged): (&'static str, &'static str, &str),
    path: &str,
) {
    client.get(path).await.expect(200);
    let whole = set(branch, (table, "min"), column, Value::Text(damaged.to_owned())).await;
    let before = unreadable_values();
    client.get(path).await.refused(500, "INTERNAL");
    assert!(unreadable_values() > before, "{table}.{column} was not counted");
    set(branch, (table, "min"), column, whole).await;
    client.get(path).await.expect(200);
}

#[tokio::test]
async fn a_role_or_a_state_that_cannot_be_read_opens_no_door() {
    let branch = Branch::start().await;
    let owner = branch.sign_in(Role::Owner);
    let body = json!({"employeeCode": "E9", "name": "Meera Nair", "jobTitle": "Waiter"});
    let employee = owner.post("/employees", body).await.expect(201).data()["id"].as_str().unwrap().to_owned();
    owner.put(&format!("/employees/{employee}/pin"), json!({"pin": "2580"})).await.expect(200);
    let credentials = json!({"email": "meera@sample.test", "password": "correct horse battery"});
    let mut account = credentials.clone();
    account["role"] = "WAITER".into();
    owner.post(&format!("/employees/{employee}/account"), account).await.expect(201);
    let (anyone, terminal) = (branch.anonymous(), branch.sign_in(Role::Terminal));
    let tokens = anyone.post("/auth/login", credentials.clone()).await.expect(200).data();
    let refresh = json!({"refreshToken": tokens["refreshToken"]});
    let pin = json!({"employeePin": "2580"});
    for (table, column, damaged) in [("accounts", "role", "CHEF"), ("employees", "status", "PERHAPS")] {
        let held = "SELECT (SELECT count(*) FROM sessions) + (SELECT count(*) FROM refresh_tokens)";
        let (before, met) = (branch.number(held).await, unreadable_values());
        let whole = set(&branch, (table, "max"), column, Value::Text(damaged.to_owned())).await;
        anyone.post("/auth/login", credentials.clone()).await.refused(500, "INTERNAL");
        anyone.post("/auth/refresh", refresh.clone()).await.refused(500, "INTERNAL");
        terminal.post("/auth/pin", pin.clone()).await.refused(500, "INTERNAL");
        assert!(unreadable_values() >= met + 3, "{table}.{column} was not counted");
        assert_eq!(branch.number(held).await, before, "{table}.{column} let somebody in");
        set(&branch, (table, "max"), column, whole).await;
        terminal.post("/auth/pin", pin.clone()).await.expect(200);
    }
    anyone.post("/auth/refresh", refresh).await.expect(200);
}

/// Puts `value` into `column` of a table's first or last row, past the checks of the schema, and answers what was there.
async fn set(
    branch: &Branch,
    (table, end): (&'static str, &'static str),
    column: &'static str,
    value: Value,
) -> Value {
    let written = branch.db.write(move |tx| -> Result<Value, DbError> {
        let first = format!("(SELECT {end}(rowid) FROM {table})");
        let sql = format!("SELECT {column} FROM {table} WHERE rowid = {first}");
        let there = one(tx, &sql, [], |row| row.get(0))?;
        tx.pragma_update(None, "ignore_check_constraints", true)?;
        let sql = format!("UPDATE {table} SET {column} = ?1 WHERE rowid = {first}");
        let changed = tx.job(Job::Recover, || tx.execute(&sql, [value]));
        tx.pragma_update(None, "ignore_check_constraints", false)?;
        changed.map(|()| there)
    });
    written.await.unwrap()
}
