//! Taking in a file of suppliers.

use super::{Meant, all_suppliers, stock_items};
use crate::access::Actor;
use crate::db::Tx;
use crate::http::intake::{Did, ImportCounts, Report, Rows};
use crate::resources::audit::{self, Entry};
use crate::resources::inventory::actions::suppliers::{checked, create_supplier};
use crate::resources::inventory::rules::files::ImportedSupplier;
use crate::resources::inventory::rules::{Result, StockError};
use crate::resources::inventory::store;

/// Takes in the rows of a file: suppliers are found by their id, else by their name.
///
/// # Errors
/// Every offending cell of every row, by its place.
pub fn import_suppliers(tx: &Tx<'_>, actor: &Actor, file: Rows<ImportedSupplier>) -> Result<ImportCounts> {
    let (items, _) = stock_items(tx, actor.outlet_id)?;
    let (mut names, mut present) = all_suppliers(tx, actor.outlet_id)?;
    let mut meant = Meant::default();
    let (mut report, rows) = Report::begin(file);
    for row in rows {
        report.take(tx, row, |place, item: ImportedSupplier| -> Result<Did> {
            let known = item.find(&names).and_then(|id| present.get(&id));
            let draft = item.over_before(known.map(|supplier| &supplier.draft), &items);
            let Some(before) = known else {
                let made = create_supplier(tx, actor, draft?).map_err(in_file)?;
                names.add(made.id, None, &made.draft.name);
                meant.note(made.id, place, "name", "supplier")?;
                present.insert(made.id, made);
                return Ok(Did::Created);
            };
            meant.note(before.id, place, "name", "supplier")?;
            let draft = checked(tx, actor, draft?, &before.draft.agreed_prices).map_err(in_file)?;
            let did = Did::change(&before.draft, &draft);
            if did == Did::Updated {
                store::suppliers::update(tx, actor.outlet_id, before.id, &draft)?;
                names.add(before.id, None, &draft.name);
            }
            Ok(did)
        })?;
    }
    let done = report.finish()?;
    if done.is_change() {
        audit::actions::record(tx, actor, Entry::new("supplier.import", "supplier", None).after(&done))?;
    }
    Ok(done)
}

/// A refusal with the names that a file's columns have.
fn in_file(refusal: StockError) -> StockError {
    let StockError::Invalid(mut fields) = refusal else { return refusal };
    for field in &mut fields {
        field.name = field.name.replace("inventoryItemId", "item");
    }
    StockError::Invalid(fields)
}
