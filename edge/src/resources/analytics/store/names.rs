//! Names of what figures are about, each kind read once per answer. Never a figure.

use crate::db::{self, Source, list};
use crate::resources::analytics::rules::rows::{Dish, Names, StockName};
use std::collections::HashMap;
use tiffin_common::Uuid;

fn read(conn: &dyn Source, sql: &str, outlet: Uuid) -> db::Result<Names> {
    let found = list(conn, sql, [outlet], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(Names::new(found))
}

/// Suppliers of the outlet.
pub fn suppliers(conn: &dyn Source, outlet: Uuid) -> db::Result<Names> {
    read(conn, "SELECT id, name FROM suppliers WHERE outlet_id = ?1", outlet)
}

/// Accounts that may act at the outlet.
pub fn accounts(conn: &dyn Source, outlet: Uuid) -> db::Result<Names> {
    let sql = "SELECT a.id, a.name FROM account_outlets o JOIN accounts a ON a.id = o.account_id WHERE o.outlet_id = ?1
               UNION SELECT id, name FROM accounts WHERE outlet_id = ?1 OR role = 'SUPER_ADMIN'";
    read(conn, sql, outlet)
}

/// Employees of the outlet.
pub fn employees(conn: &dyn Source, outlet: Uuid) -> db::Result<Names> {
    read(conn, "SELECT id, name FROM employees WHERE outlet_id = ?1", outlet)
}

/// Every dish there ever was.
pub fn dishes(conn: &dyn Source, outlet: Uuid) -> db::Result<HashMap<Uuid, Dish>> {
    let sql = "SELECT i.id, i.name, c.name, i.archived_at IS NULL AND i.is_active = 1
               FROM menu_items i JOIN menu_categories c ON c.id = i.category_id WHERE i.outlet_id = ?1";
    let found = list(conn, sql, [outlet], |row| {
        Ok((row.get(0)?, Dish { name: row.get(1)?, category: row.get(2)?, on_menu: row.get(3)? }))
    })?;
    Ok(found.into_iter().collect())
}

/// Every stock item there ever was.
pub fn stock_items(conn: &dyn Source, outlet: Uuid) -> db::Result<HashMap<Uuid, StockName>> {
    let sql = "SELECT id, name, category, unit, archived_at IS NULL FROM stock_items WHERE outlet_id = ?1";
    let found = list(conn, sql, [outlet], |row| {
        let item =
            StockName { name: row.get(1)?, category: row.get(2)?, unit: row.get(3)?, in_use: row.get(4)? };
        Ok((row.get(0)?, item))
    })?;
    Ok(found.into_iter().collect())
}
