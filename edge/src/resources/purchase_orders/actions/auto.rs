//! Drafts from low stock: one per supplier, up to par, less what is on order already. Running it twice orders nothing twice.

use super::super::rules::lines::LineDraft;
use super::super::rules::shortage::{self, SkipReason};
use super::super::rules::{Mode, PurchaseOrder, Result};
use super::super::store;
use super::write::{NewPurchaseOrder, create};
use crate::access::Actor;
use crate::db::Tx;
use crate::http::Checks;
use crate::resources::inventory::rules::StockItem;
use crate::resources::inventory::store::{items, levels, suppliers};
use crate::resources::outlets;
use std::collections::{BTreeMap, HashSet};
use tiffin_common::{Quantity, Uuid};

/// What is looked at; everything where nothing is named.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    /// Only what this supplier delivers.
    pub supplier_id: Option<Uuid>,
    /// Only these items.
    pub stock_item_ids: Option<Vec<Uuid>>,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Drafted {
    /// The drafts, one per supplier.
    pub orders: Vec<PurchaseOrder>,
    /// Low items, and items that were named, which no draft orders.
    pub skipped: Vec<Skipped>,
}

/// An item that is not ordered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The item.
    pub stock_item_id: Uuid,
    /// Its name.
    pub name: String,
    /// Why.
    pub reason: SkipReason,
}

/// Writes the drafts.
///
/// # Errors
/// Ids that are not of the outlet.
pub fn draft_low_stock(tx: &Tx<'_>, actor: &Actor, scope: &Scope) -> Result<Drafted> {
    let looked_at = items_of(tx, actor, scope)?;
    let today = outlets::store::find(tx, actor.outlet_id)?.business_date(tx.now());
    let ids: Vec<Uuid> = looked_at.iter().map(|item| item.id).collect();
    let standing = levels::list(tx, actor.outlet_id, &ids, today)?;
    let on_order = store::list_on_order(tx, actor.outlet_id)?;
    let (mut done, mut by_supplier) = (Drafted::default(), BTreeMap::<Uuid, Vec<_>>::new());
    for item in looked_at {
        let Some(level) = standing.get(&item.id) else { continue };
        let coming = on_order.get(&item.id).copied().unwrap_or_default();
        match shortage::to_order(&item, level.current()?, coming)? {
            Ok(quantity) => match item.draft.supplier_id {
                Some(supplier) => by_supplier.entry(supplier).or_default().push((item, quantity)),
                None => done.skip(item, SkipReason::NoSupplier),
            },
            Err(SkipReason::NotLow) if scope.stock_item_ids.is_none() => {}
            Err(reason) => done.skip(item, reason),
        }
    }
    for (supplier, wanted) in by_supplier {
        if suppliers::find(tx, actor.outlet_id, supplier)?.is_none() {
            wanted.into_iter().for_each(|(item, _)| done.skip(item, SkipReason::NoSupplier));
            continue;
        }
        done.orders.push(draft(tx, actor, supplier, wanted)?);
    }
    Ok(done)
}

impl Drafted {
    fn skip(&mut self, item: StockItem, reason: SkipReason) {
        self.skipped.push(Skipped { stock_item_id: item.id, name: item.draft.name, reason });
    }
}

/// The live items that `scope` speaks of, by name.
fn items_of(tx: &Tx<'_>, actor: &Actor, scope: &Scope) -> Result<Vec<StockItem>> {
    let mut found = items::list(tx, actor.outlet_id, None, None)?;
    let mut checks = Checks::new();
    if let Some(supplier) = scope.supplier_id {
        let known = suppliers::find(tx, actor.outlet_id, supplier)?.is_some();
        checks.require(known, "supplierId", "is not a supplier of this outlet");
        found.retain(|item| item.draft.supplier_id == Some(supplier));
    }
    if let Some(named) = &scope.stock_item_ids {
        for (i, id) in named.iter().enumerate() {
            let known = items::find(tx, actor.outlet_id, *id)?.is_some();
            checks.require(known, format!("inventoryItemIds[{i}]"), "is not an item of this outlet");
        }
        let named: HashSet<Uuid> = named.iter().copied().collect();
        found.retain(|item| named.contains(&item.id));
    }
    Ok(checks.finish(found)?)
}

fn draft(
    tx: &Tx<'_>,
    actor: &Actor,
    supplier_id: Uuid,
    wanted: Vec<(StockItem, Quantity)>,
) -> Result<PurchaseOrder> {
    let line = |(item, quantity): (StockItem, Quantity)| LineDraft {
        stock_item_id: item.id,
        quantity,
        unit: None,
        unit_cost: None,
    };
    let new = NewPurchaseOrder {
        supplier_id,
        mode: Mode::Auto,
        expected_on: None,
        notes: None,
        lines: wanted.into_iter().map(line).collect(),
    };
    create(tx, actor, new)
}
