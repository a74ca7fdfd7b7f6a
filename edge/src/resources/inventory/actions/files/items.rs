//! Taking in a file of stock items, with what is there of them on the first day.

use super::{Meant, all_suppliers, stock_items};
use crate::access::Actor;
use crate::db::Tx;
use crate::http::FieldError;
use crate::http::intake::{Did, ImportCounts, Place, Report, Rows};
use crate::resources::audit::{self, Entry};
use crate::resources::inventory::actions::availability;
use crate::resources::inventory::actions::items::{create_item, write_item};
use crate::resources::inventory::actions::ledger::Ledger;
use crate::resources::inventory::actions::receive::receive_into;
use crate::resources::inventory::rules::files::{ImportedBatch, ImportedStockItem};
use crate::resources::inventory::rules::{Cause, Kind, Receipt, Result, StockError};
use crate::resources::inventory::store::batches;
use crate::resources::outlets;
use std::collections::HashSet;
use tiffin_common::{UnitCost, Uuid};

/// What an import of stock items did, or would do.
#[apply(figures!)]
#[derive(Default)]
pub struct StockImport {
    /// What became of the items.
    #[serde(flatten)]
    pub items: ImportCounts,
    /// Batches that were booked as opening stock.
    pub batches_created: usize,
    /// Batches whose number was there already: they are left as they are.
    pub batches_kept: usize,
}

/// The batches that a row says are there of an item.
struct Opening {
    place: Place,
    item: Uuid,
    supplier: Option<Uuid>,
    batches: Vec<ImportedBatch>,
}

/// Takes in the rows of a file: items are found by their id, else by their sku, else by their name.
///
/// # Errors
/// Every offending cell of every row, by its place.
pub fn import_items(tx: &Tx<'_>, actor: &Actor, file: Rows<ImportedStockItem>) -> Result<StockImport> {
    let (suppliers, _) = all_suppliers(tx, actor.outlet_id)?;
    let (mut names, mut present) = stock_items(tx, actor.outlet_id)?;
    let mut meant = Meant::default();
    let (mut report, rows) = Report::begin(file);
    let (mut openings, mut needs_are_others) = (Vec::new(), false);
    for row in rows {
        let mut opening = None;
        let stands = report.take(tx, row, |place, mut item: ImportedStockItem| -> Result<Did> {
            let batches = item.take_batches();
            let known = item.find(&names).and_then(|id| present.get(&id));
            let draft = item.over_before(known.map(|item| &item.draft), &suppliers);
            let (id, did, supplier) = match known {
                None => {
                    let made = create_item(tx, actor, draft?)?;
                    names.add(made.id, made.draft.sku.as_deref(), &made.draft.name);
                    meant.note(made.id, place, "name", "item")?;
                    let (id, supplier) = (made.id, made.draft.supplier_id);
                    present.insert(id, made);
                    (id, Did::Created, supplier)
                }
                Some(before) => {
                    meant.note(before.id, place, "name", "item")?;
                    let draft = draft?;
                    let did = Did::change(&before.draft, &draft);
                    if did == Did::Updated {
                        needs_are_others |= write_item(tx, actor, before, &draft)?;
                        names.add(before.id, draft.sku.as_deref(), &draft.name);
                    }
                    (before.id, did, draft.supplier_id)
                }
            };
            if !batches.is_empty() {
                opening = Some(Opening { place: place.clone(), item: id, supplier, batches });
            }
            Ok(did)
        })?;
        openings.extend(opening.filter(|_| stands));
    }
    let done = book(tx, actor, openings, report)?;
    let is_change = done.items.is_change() || done.batches_created > 0;
    if needs_are_others {
        availability::rebuild_needs(tx, actor)?;
    }
    if is_change {
        let entry = Entry::new("inventory.import", "inventory_item", None).after(&done);
        audit::actions::record(tx, actor, entry)?;
    }
    Ok(done)
}

/// Books the batches that are not there yet, all in one ledger.
fn book(tx: &Tx<'_>, actor: &Actor, openings: Vec<Opening>, mut report: Report) -> Result<StockImport> {
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let items: Vec<Uuid> = openings.iter().map(|opening| opening.item).collect();
    let mut ledger = Ledger::open(tx, actor, &outlet, &items)?;
    let cause = Cause::new("ADJUSTMENT", Some(tx.new_id())).reason("OPENING");
    let mut done = StockImport::default();
    for Opening { place, item, supplier, batches } in openings {
        let (mut numbers, mut unnamed) = (HashSet::new(), 0usize);
        for (i, batch) in batches.into_iter().enumerate() {
            let mut note = |field: &str, reason: &str| {
                report.note(&place, vec![FieldError::new(format!("batches[{i}].{field}"), reason)]);
            };
            let number = batch.batch_number.clone().unwrap_or_else(|| {
                unnamed += 1;
                if unnamed == 1 { "OPENING".to_owned() } else { format!("OPENING-{unnamed}") }
            });
            if !numbers.insert(number.clone()) {
                note("batchNumber", "is there twice");
                continue;
            }
            if let Some(same) = batches::find_by_number(tx, actor.outlet_id, item, &number)? {
                let is_same = batch.expiry_date.is_none_or(|date| same.expiry_date == Some(date))
                    && batch.unit_cost_cents.is_none_or(|cost| same.unit_cost == cost);
                if is_same {
                    done.batches_kept += 1;
                } else {
                    note("batchNumber", "is another batch of this item, with another expiry or cost");
                }
                continue;
            }
            let receipt = Receipt {
                stock_item_id: item,
                quantity: batch.quantity,
                unit_cost: batch.unit_cost_cents.unwrap_or(UnitCost::ZERO),
                batch_number: Some(number),
                expiry_date: batch.expiry_date,
                supplier_id: supplier,
                kind: Kind::Opening,
                cause: cause.clone(),
            };
            match receive_into(&mut ledger, &receipt) {
                Ok(_) => done.batches_created += 1,
                Err(StockError::Invalid(fields)) => fields.iter().for_each(|f| note(&f.name, &f.reason)),
                Err(other) => return Err(other),
            }
        }
    }
    done.items = report.finish()?;
    ledger.close()?;
    Ok(done)
}
