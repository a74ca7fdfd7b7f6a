//! Names of what figures are about, each kind read once per answer. Never a figure.

use crate::db::{self, Source, list};
use crate::resources::analytics::rules::rows::{Dish, Names, StockName};
use std::collections::HashMap;
use tiffin_common::Uuid;

fn read(conn: &dyn Source, sql: &str, outlet: Uuid) -> db::Result<Names> {
    Ok(Names::new(list(conn, sql, [outlet], |row| Ok((row.get("id")?, row.get("name")?)))?))
}

/// Suppliers of the outlet.
pub fn list_suppliers(conn: &dyn Source, outlet: Uuid) -> db::Result<Names> {
    read(conn, "SELECT id, name FROM suppliers WHERE outlet_id = ?1", outlet)
}

/// Accounts that may act at the outlet, and employees: without an account they act under their own id.
pub fn list_accounts(conn: &dyn Source, outlet: Uuid) -> db::Result<Names> {
    let sql = "SELECT a.id, a.name FROM account_outlets o JOIN accounts a ON a.id = o.account_id WHERE o.outlet_id = ?1
               UNION SELECT id, name FROM accounts WHERE outlet_id = ?1 OR role = 'SUPER_ADMIN'
               UNION SELECT id, name FROM employees WHERE outlet_id = ?1";
    read(conn, sql, outlet)
}

/// Employees of the outlet.
pub fn list_employees(conn: &dyn Source, outlet: Uuid) -> db::Result<Names> {
    read(conn, "SELECT id, name FROM employees WHERE outlet_id = ?1", outlet)
}

/// Every dish there ever was, and every variant of one.
pub fn list_dishes(conn: &dyn Source, outlet: Uuid) -> db::Result<HashMap<Uuid, Dish>> {
    let sql = "SELECT i.id, i.name, c.name AS category, i.archived_at IS NULL AND i.is_active = 1 AND i.variant_of_id IS NULL AS on_menu, i.kind = 'COMBO' AS is_combo, i.weight_unit
               FROM menu_items i JOIN menu_categories c ON c.id = i.category_id WHERE i.outlet_id = ?1";
    let found = list(conn, sql, [outlet], |row| {
        Ok((row.get("id")?, read!(row => Dish { name, category, on_menu, is_combo, weight_unit })))
    })?;
    Ok(HashMap::from_iter(found))
}

/// Every stock item there ever was.
pub fn list_stock_items(conn: &dyn Source, outlet: Uuid) -> db::Result<HashMap<Uuid, StockName>> {
    let sql = "SELECT id, name, category, unit, archived_at IS NULL AS in_use FROM stock_items WHERE outlet_id = ?1";
    let found = list(conn, sql, [outlet], |row| {
        Ok((row.get("id")?, read!(row => StockName { name, category, unit, in_use })))
    })?;
    Ok(HashMap::from_iter(found))
}
