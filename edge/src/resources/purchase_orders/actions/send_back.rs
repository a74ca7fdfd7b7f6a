//! What was delivered goes back to the supplier: a debit note, and stock off the batches it names. Never touches what has come of the
//! order: what is to come in its place is another delivery.

use super::super::rules::returns::{self, Brought, PurchaseReturn, ReturnDraft};
use super::super::rules::{PurchaseError, Result, invoices};
use super::super::store;
use super::find;
use crate::access::Actor;
use crate::db::Tx;
use crate::http::Checks;
use crate::resources::audit::{self, Entry};
use crate::resources::inventory;
use crate::resources::inventory::rules::{Cause, StockItem};
use crate::resources::inventory::store::{batches, items};
use crate::resources::orders::rules::numbers::letter;
use crate::resources::orders::store::{find_life, next_number};
use crate::resources::outlets;
use serde_json::json;
use std::collections::HashMap;
use tiffin_common::{Cents, Quantity, Uuid};

/// The cause of its movements.
const CAUSE: &str = "SUPPLIER_RETURN";

/// What goes back.
#[derive(Debug, Clone)]
pub struct NewReturn {
    /// Batch by batch.
    pub lines: Vec<ReturnDraft>,
    /// A note.
    pub note: Option<String>,
}

/// Sends something back and answers the debit note's id.
///
/// # Errors
/// Offending fields: a batch that did not come with the order, more than came of it or is left.
pub fn send_back(tx: &Tx<'_>, actor: &Actor, id: Uuid, new: NewReturn) -> Result<Uuid> {
    let order = find(tx, actor, id)?;
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let lines = store::list_lines(tx, outlet.id, id)?;
    let deliveries = store::list_deliveries(tx, outlet.id, id)?;
    let before = store::list_returns(tx, outlet.id, id)?;
    let brought = Brought { lines: &lines, deliveries: &deliveries, returns: &before };
    let mut found: HashMap<Uuid, (StockItem, Quantity)> = HashMap::new();
    for draft in &new.lines {
        let Some(item) = brought.item_of(draft.batch_id) else { continue };
        let item = items::find(tx, outlet.id, item)?;
        if let (Some(item), Some(batch)) = (item, batches::find(tx, outlet.id, draft.batch_id)?) {
            found.insert(draft.batch_id, (item, batch.quantity));
        }
    }
    let mut checks = Checks::new();
    checks.require(!new.lines.is_empty(), "items", "must not be empty");
    let lines = returns::checked(&new.lines, &brought, &found, &mut checks, &|| tx.new_id())?;
    checks.finish(())?;
    let total = Cents::sum(lines.iter().map(|line| line.total))?;
    let today = outlet.business_date(tx.now());
    let (year, letter) = (outlet.fiscal_year(today), letter(find_life(tx, outlet.id)?));
    let serial = next_number(tx, outlet.id, &returns::series(&year, letter))?;
    let back = PurchaseReturn {
        id: tx.new_id(),
        number: returns::number(&outlet.code, &year, letter, serial),
        note: new.note,
        total,
        tax: invoices::tax_on(&store::list_invoices(tx, outlet.id, id)?, total)?,
        business_date: today,
        at: tx.now(),
        by_name: actor.name.clone(),
        lines,
    };
    store::insert_return(tx, actor, &order, &back)?;
    for line in &back.lines {
        let cause = Cause::new(CAUSE, Some(back.id)).reason(back.number.clone());
        let cause = Cause { note: Some(line.reason.clone()), ..cause };
        let batch = batches::find(tx, outlet.id, line.batch_id)?.ok_or(PurchaseError::NotFound("batch"))?;
        inventory::actions::take_back(tx, actor, &outlet, &batch, line.stock_quantity, &cause)?;
    }
    let entry = Entry::new("purchase_order.return", "purchase_order", Some(id)).after(&json!({
        "poNumber": order.po_number, "number": back.number, "totalCents": back.total, "taxCents": back.tax
    }));
    audit::actions::record(tx, actor, entry)?;
    Ok(back.id)
}
