//! Corrections of stock.

use super::batches::StockMovement;
use super::items::{InventoryItem, view_one};
use super::today;
use crate::access::Cx;
use crate::http::{Checks, Created, FieldError, Json, Result};
use crate::resources::inventory::actions;
use crate::resources::inventory::rules::{Adjustment, Amount, StockError};
use crate::resources::outlets;
use chrono::NaiveDate;
use tiffin_common::{Quantity, UnitCost, Uuid};

/// A correction: exactly one of `quantityDelta` and `countedQuantity`.
#[apply(request!)]
pub struct CreateStockAdjustment {
    inventory_item_id: Uuid,
    /// Only this batch; a new number makes a batch.
    #[schemars(length(min = 1, max = 60))]
    batch_number: Option<String>,
    /// So much more, or less when negative.
    quantity_delta: Option<Quantity>,
    /// So much in all: of the batch named, or of the item without what has expired.
    #[schemars(range(min = 0))]
    counted_quantity: Option<Quantity>,
    /// Unit of the quantity; the item's where absent.
    #[schemars(length(min = 1, max = 20))]
    unit: Option<String>,
    /// What one unit (the item's) of found stock cost; its last cost where absent.
    #[schemars(range(min = 0))]
    unit_cost_cents: Option<UnitCost>,
    /// Of the batch it makes.
    expiry_date: Option<NaiveDate>,
    /// Why. OPENING (or words that begin with it) puts in the stock of the first day.
    #[schemars(length(min = 1, max = 120))]
    reason: String,
    #[schemars(length(max = 500))]
    note: Option<String>,
}

impl CreateStockAdjustment {
    fn checked(self) -> Result<Adjustment, Vec<FieldError>> {
        let mut checks = Checks::new();
        let amount = match (self.quantity_delta, self.counted_quantity) {
            (Some(delta), None) => Amount::Delta(delta),
            (None, Some(counted)) => Amount::Counted(counted),
            _ => {
                for name in ["quantityDelta", "countedQuantity"] {
                    checks.add(name, "exactly one of quantityDelta and countedQuantity is required");
                }
                Amount::Delta(Quantity::ZERO)
            }
        };
        checks.require(!self.reason.trim().is_empty(), "reason", "must not be blank");
        checks.finish(Adjustment {
            stock_item_id: self.inventory_item_id,
            batch_number: self.batch_number,
            amount,
            unit: self.unit,
            unit_cost: self.unit_cost_cents,
            expiry_date: self.expiry_date,
            reason: self.reason,
            note: self.note,
        })
    }
}

/// What an adjustment did.
#[apply(answer!)]
pub struct StockAdjustment {
    id: Uuid,
    inventory_item_id: Uuid,
    quantity_before: Quantity,
    quantity_after: Quantity,
    quantity_delta: Quantity,
    /// Why the stock was corrected: the reason that was sent.
    reason: String,
    note: Option<String>,
    /// The movements it made in the ledger.
    movements: Vec<StockMovement>,
    /// How the item stands now.
    item: InventoryItem,
}

/// Corrects the stock of an item or of one batch.
pub async fn create_adjustment(
    cx: Cx,
    Json(body): Json<CreateStockAdjustment>,
) -> Result<Created<StockAdjustment>> {
    let adjustment = body.checked()?;
    cx.create(move |tx, actor| -> Result<_, StockError> {
        let outlet = outlets::store::find(tx, actor.outlet_id)?;
        let done = actions::adjust(tx, actor, &outlet, &adjustment)?;
        let item = view_one(tx, outlet.id, done.item, today(tx, outlet.id, tx.now())?)?;
        Ok(StockAdjustment {
            id: done.id,
            inventory_item_id: adjustment.stock_item_id,
            quantity_before: done.before,
            quantity_after: done.after,
            quantity_delta: done.after.minus(done.before)?,
            reason: adjustment.reason,
            note: adjustment.note,
            movements: done.movements.into_iter().map(StockMovement::try_from).collect::<Result<_, _>>()?,
            item,
        })
    })
    .await
}
