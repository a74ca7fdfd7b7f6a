//! Corrections of stock: so much more or less, or so much in all, of an item or of one batch.

use super::ledger::Ledger;
use super::receive::receive_into;
use crate::access::Actor;
use crate::db::Tx;
use crate::resources::audit::{self, Entry};
use crate::resources::inventory::rules::pick::take;
use crate::resources::inventory::rules::{
    Adjustment, Amount, Cause, Kind, Receipt, Result, StockError, StockItem, units,
};
use crate::resources::inventory::store::batches::{self, Batch};
use crate::resources::inventory::store::movements::{self, Movement};
use crate::resources::inventory::store::{items, levels};
use crate::resources::outlets::rules::Outlet;
use tiffin_common::{Quantity, Uuid};

/// What an adjustment did.
#[derive(Debug, Clone)]
pub struct Adjusted {
    /// Its id: the cause of its movements.
    pub id: Uuid,
    /// The item.
    pub item: StockItem,
    /// What could be sold before, in the item's unit.
    pub before: Quantity,
    /// And after.
    pub after: Quantity,
    /// The movements written.
    pub movements: Vec<Movement>,
}

/// Corrects the stock of an item.
///
/// # Errors
/// Unknown item; offending fields, such as taking more than there is.
pub fn adjust(tx: &Tx<'_>, actor: &Actor, outlet: &Outlet, adjustment: &Adjustment) -> Result<Adjusted> {
    let item = items::find(tx, actor.outlet_id, adjustment.stock_item_id)?
        .ok_or_else(|| StockError::field("inventoryItemId", "is not an item of this outlet"))?;
    let mut ledger = Ledger::open(tx, actor, outlet, &[item.id])?;
    let batch = match &adjustment.batch_number {
        Some(number) => batches::find_by_number(tx, actor.outlet_id, item.id, number)?,
        None => None,
    };
    let before = ledger.level(item.id)?.current()?;
    let delta = delta_of(adjustment, &item, before, batch.as_ref())?;
    let id = tx.new_id();
    let cause = Cause { note: adjustment.note.clone(), ..Cause::new("ADJUSTMENT", Some(id)) };
    let cause = cause.reason(adjustment.reason.clone());
    if delta.is_positive() {
        found(&mut ledger, adjustment, &item, batch, delta, cause)?;
    } else if delta.get() < 0 {
        lost(&mut ledger, adjustment, &item, batch, delta.negated(), &cause)?;
    }
    let written = ledger.close()?;
    let level = levels::list(tx, actor.outlet_id, &[item.id], outlet.business_date(tx.now()))?;
    let after = level.get(&item.id).map_or(Ok(before), levels::Level::current)?;
    let entry = Entry::new("inventory.adjust", "inventory_item", Some(item.id))
        .before(&serde_json::json!({ "currentStock": before }))
        .after(&serde_json::json!({ "currentStock": after, "batchNumber": adjustment.batch_number }))
        .reason(adjustment.reason.clone());
    audit::actions::record(tx, actor, entry)?;
    Ok(Adjusted { id, item, before, after, movements: movements::list_of_ids(tx, &written)? })
}

/// The change in the item's unit.
fn delta_of(
    adjustment: &Adjustment,
    item: &StockItem,
    current: Quantity,
    batch: Option<&Batch>,
) -> Result<Quantity> {
    let (field, amount) = match adjustment.amount {
        Amount::Delta(delta) => ("quantityDelta", delta),
        Amount::Counted(counted) => ("countedQuantity", counted),
    };
    let unit = adjustment.unit.as_deref().unwrap_or(&item.draft.unit);
    let amount = units::convert(amount, unit, &item.draft.unit, &item.draft.unit_conversions)
        .map_err(|_| StockError::field(field, "is too large"))?
        .ok_or_else(|| StockError::field("unit", format!("does not convert to {}", item.draft.unit)))?;
    match adjustment.amount {
        Amount::Delta(_) if amount == Quantity::ZERO => Err(StockError::field(field, "must not be 0")),
        Amount::Delta(_) => Ok(amount),
        Amount::Counted(_) if amount < Quantity::ZERO => Err(StockError::field(field, "must be at least 0")),
        Amount::Counted(_) => {
            let there = match (batch, &adjustment.batch_number) {
                (Some(batch), _) => batch.quantity,
                (None, Some(_)) => Quantity::ZERO,
                (None, None) => current,
            };
            Ok(amount.minus(there)?)
        }
    }
}

/// More than was known: into the batch named, or a new one.
fn found(
    ledger: &mut Ledger<'_, '_>,
    adjustment: &Adjustment,
    item: &StockItem,
    batch: Option<Batch>,
    quantity: Quantity,
    cause: Cause,
) -> Result<()> {
    let unit_cost =
        adjustment.unit_cost.or(batch.as_ref().map(|b| b.unit_cost)).unwrap_or(item.last_unit_cost);
    let expiry_date = adjustment.expiry_date.or(batch.as_ref().and_then(|b| b.expiry_date));
    let kind = if adjustment.is_opening() { Kind::Opening } else { Kind::Adjustment };
    let receipt = Receipt {
        stock_item_id: item.id,
        quantity,
        unit_cost,
        batch_number: adjustment.batch_number.clone(),
        expiry_date,
        supplier_id: item.draft.supplier_id.filter(|_| adjustment.is_opening()),
        kind,
        cause,
    };
    receive_into(ledger, &receipt).map(drop)
}

/// Less than was known: from the batch named (expired or not), or from the batches in their order.
fn lost(
    ledger: &mut Ledger<'_, '_>,
    adjustment: &Adjustment,
    item: &StockItem,
    batch: Option<Batch>,
    quantity: Quantity,
    cause: &Cause,
) -> Result<()> {
    let mut shelf = match (batch, &adjustment.batch_number) {
        (Some(batch), _) => vec![batch.open()],
        (None, Some(_)) => return Err(StockError::field("batchNumber", "is not a batch of this item")),
        (None, None) => {
            levels::list_shelf(ledger.tx, item.id, item.draft.rotation, ledger.date, Some(quantity))?
        }
    };
    let (takings, missing) = take(&mut shelf, quantity)?;
    if missing.is_positive() {
        let there = quantity.minus(missing)?;
        let reason = format!("takes more than there is ({there} {})", item.draft.unit);
        return Err(StockError::field("quantityDelta", reason));
    }
    for taking in takings {
        let delta = taking.quantity.negated();
        ledger.post_at_cost(item.id, taking.batch_id, Kind::Adjustment, delta, taking.unit_cost, cause)?;
    }
    Ok(())
}
