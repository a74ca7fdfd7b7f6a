//! The store room as files: taken in all rows or none, and what recipes are called in them. What a file does not change leaves no trace.

mod items;
mod recipes;
mod suppliers;

pub use items::{StockImport, import_items};
pub use recipes::{export_recipes, import_recipes};
pub use suppliers::import_suppliers;

use crate::db::{self, Source};
use crate::http::FieldError;
use crate::http::intake::{Names, Place};
use crate::resources::inventory::rules::{Result, StockError, StockItem, Supplier};
use crate::resources::inventory::store;
use std::collections::HashMap;
use tiffin_common::Uuid;

/// Every stock item, and what a file may call it.
fn stock_items(conn: &dyn Source, outlet: Uuid) -> db::Result<(Names, HashMap<Uuid, StockItem>)> {
    let (mut names, mut present) = (Names::default(), HashMap::new());
    for item in store::items::list(conn, outlet, None, None)? {
        names.add(item.id, item.draft.sku.as_deref(), &item.draft.name);
        present.insert(item.id, item);
    }
    Ok((names, present))
}

/// Every supplier, and what a file may call them.
fn all_suppliers(conn: &dyn Source, outlet: Uuid) -> db::Result<(Names, HashMap<Uuid, Supplier>)> {
    let (mut names, mut present) = (Names::default(), HashMap::new());
    for supplier in store::suppliers::list(conn, outlet, None, (u32::MAX, 0))?.items {
        names.add(supplier.id, None, &supplier.draft.name);
        present.insert(supplier.id, supplier);
    }
    Ok((names, present))
}

/// The row that has meant each record so far: one record has one row.
#[derive(Default)]
struct Meant(HashMap<Uuid, String>);

impl Meant {
    /// Notes that the row means the record, which a file calls `what`, in its column `field`.
    fn note(&mut self, id: Uuid, place: &Place, field: &str, what: &str) -> Result<()> {
        match self.0.insert(id, place.of("")) {
            None => Ok(()),
            Some(earlier) => {
                let same = FieldError::new(field, format!("is the same {what} as {earlier}"));
                Err(StockError::Invalid(vec![same]))
            }
        }
    }
}
