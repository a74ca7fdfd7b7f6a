//! Values that are not what their column holds: the row that has one fails and so does the request, whatever the column; nothing
//! is guessed in its place. Only columns of text: the schema keeps anything else out of the others.

use edge::access::Role;
use edge::db::{DbError, one, unreadable_values};
use rusqlite::types::Value;
use tiffin_tests::{Branch, House};

/// A column, what is put there of one row, and which lists then cannot be answered.
const DAMAGES: &[(&str, &str, &str, &str)] = &[
    ("menu_items", "allergens", "[1", "/menu/items"),
    ("menu_items", "dietary", "PESCATARIAN", "/menu"),
    ("menu_items", "available_days", "[\"FREITAG\"]", "/menu"),
    ("tax_categories", "components", "{}", "/menu/tax-categories"),
    ("menu_availability", "source", "HEARSAY", "/menu/items"),
    ("stock_items", "unit_conversions", "{\"crate\":12}", "/inventory/items"),
    ("stock_batch_levels", "expiry_date", "next week", "/inventory/items"),
    ("stocktakes", "business_date", "20 Nov", "/inventory/stocktakes"),
    ("purchase_orders", "mode", "GUESSED", "/purchase-orders"),
    ("purchase_orders", "expected_delivery_date", "soon", "/purchase-orders"),
    ("waste_logs", "business_date", "2026-11-31", "/waste-logs"),
];

#[tokio::test]
async fn a_value_that_cannot_be_read_fails_its_request_and_nothing_is_guessed() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let owner = &house.owner;
    let milk = house.stock("Milk");
    let supplier = owner.post("/inventory/suppliers", serde_json::json!({"name": "Dairy"})).await.expect(201);
    let supplier = supplier.data()["id"].clone();
    let line = serde_json::json!({"inventoryItemId": milk, "quantityOrdered": 5, "unitCostCents": 4_000});
    let order = serde_json::json!({"supplierId": supplier, "items": [line]});
    owner.post("/inventory/purchase-orders", order).await.expect(201);
    let waste = serde_json::json!({"inventoryItemId": milk, "quantity": 1, "reason": "DROPPED"});
    owner.post("/waste-logs", waste).await.expect(201);
    owner.post("/inventory/stocktakes", serde_json::json!({})).await.expect(201);
    let out = serde_json::json!({"status": "OUT_OF_STOCK"});
    owner.put(&format!("/menu/items/{}/availability", house.dish("Lassi")), out).await.expect(200);
    let manager = branch.sign_in(Role::Manager);
    for (table, column, damaged, path) in DAMAGES {
        manager.get(path).await.expect(200);
        let whole = set(&branch, table, column, Value::Text((*damaged).to_owned())).await;
        let before = unreadable_values();
        manager.get(path).await.refused(500, "INTERNAL");
        assert!(unreadable_values() > before, "{table}.{column} was not counted");
        set(&branch, table, column, whole).await;
        manager.get(path).await.expect(200);
    }
}

/// Puts `value` into `column` of a table's first row, past the checks of the schema, and answers what was there.
async fn set(branch: &Branch, table: &'static str, column: &'static str, value: Value) -> Value {
    let written = branch.db.write(move |tx| -> Result<Value, DbError> {
        let first = format!("(SELECT min(rowid) FROM {table})");
        let sql = format!("SELECT {column} FROM {table} WHERE rowid = {first}");
        let there = one(tx, &sql, [], |row| row.get(0))?;
        tx.execute(&format!("UPDATE {table} SET {column} = ?1 WHERE rowid = {first}"), [value])?;
        Ok(there)
    });
    written.await.unwrap()
}
