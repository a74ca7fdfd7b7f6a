//! Taking in a file of tables: all rows or none.

use crate::access::Actor;
use crate::db::Tx;
use crate::http::FieldError;
use crate::http::intake::{Did, ImportCounts, Names, Report, Rows};
use crate::resources::audit::{self, Entry};
use crate::resources::tables::rules::{ImportedTable, Result, Table, TableError};
use crate::resources::tables::store;
use std::collections::HashMap;
use tiffin_common::Uuid;

/// Takes in the rows of a file: tables are found by their id, else by their number. What changes nothing leaves no trace.
///
/// # Errors
/// Every offending cell of every row, by its place.
pub fn import(tx: &Tx<'_>, actor: &Actor, file: Rows<ImportedTable>) -> Result<ImportCounts> {
    let outlet = actor.outlet_id;
    let mut names = Names::default();
    let mut present: HashMap<Uuid, Table> = HashMap::new();
    for table in store::list_all(tx, outlet)? {
        names.add(table.id, Some(&table.fields.number), &table.fields.number);
        present.insert(table.id, table);
    }
    let mut taken: HashMap<Uuid, String> = HashMap::new();
    let (mut report, rows) = Report::begin(file);
    for row in rows {
        report.take(tx, row, |place, item: ImportedTable| -> Result<Did> {
            let known = item.find(&names).and_then(|id| present.get(&id));
            let fields = item.over_before(known.map(|table| &table.fields))?;
            let Some(table) = known else {
                let table = super::create(tx, actor, fields)?;
                names.add(table.id, Some(&table.fields.number), &table.fields.number);
                taken.insert(table.id, place.of(""));
                present.insert(table.id, table);
                return Ok(Did::Created);
            };
            if let Some(earlier) = taken.insert(table.id, place.of("")) {
                let same = FieldError::new("number", format!("is the same table as {earlier}"));
                return Err(TableError::Invalid(vec![same]));
            }
            let did = Did::change(&table.fields, &fields);
            if did == Did::Updated {
                super::write(tx, outlet, table, fields.clone())?;
                names.add(table.id, Some(&fields.number), &fields.number);
            }
            Ok(did)
        })?;
    }
    let done = report.finish()?;
    if done.is_change() {
        audit::actions::record(tx, actor, Entry::new("table.import", "table", None).after(&done))?;
    }
    Ok(done)
}
