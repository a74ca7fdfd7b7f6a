//! Taking in a file of employees: all rows or none. Whom it changes is changed as by hand: nobody their own wage, nobody an equal.

use super::{Ended, change, hire};
use crate::access::Actor;
use crate::db::Tx;
use crate::http::FieldError;
use crate::http::intake::{Did, ImportCounts, Names, Report, Rows};
use crate::resources::audit::{self, Entry};
use crate::resources::employees::rules::files::ImportedEmployee;
use crate::resources::employees::rules::{EmployeeError, EmployeeRecord, Result};
use crate::resources::employees::store;
use crate::resources::outlets;
use std::collections::HashMap;
use tiffin_common::Uuid;

/// Takes in the rows of a file: employees are found by their id, else by their code, else by a name that only they have. Answers also
/// those whose standing changed: what they can still do with a token in hand ends.
///
/// # Errors
/// Every offending cell of every row, by its place.
pub fn import(
    tx: &Tx<'_>,
    actor: &Actor,
    file: Rows<ImportedEmployee>,
    ended: Ended,
) -> Result<(ImportCounts, Vec<Uuid>)> {
    let today = outlets::store::find(tx, actor.outlet_id)?.business_date(tx.now());
    let mut names = Names::default();
    let mut present: HashMap<Uuid, EmployeeRecord> = HashMap::new();
    for employee in store::list_present(tx, actor.outlet_id)? {
        names.add(employee.id, Some(&employee.record.employee_code), &employee.record.name);
        present.insert(employee.id, employee.record);
    }
    let (mut taken, mut others) = (HashMap::new(), Vec::new());
    let (mut report, rows) = Report::begin(file);
    for row in rows {
        report.take(tx, row, |place, item: ImportedEmployee| -> Result<Did> {
            let known = item.find(&names)?.and_then(|id| present.get(&id).map(|record| (id, record)));
            let record = item.over_before(known.map(|(_, record)| record))?;
            let Some((id, before)) = known else {
                let hired = hire(tx, actor, record).map_err(in_file)?;
                taken.insert(hired.id, place.of(""));
                names.add(hired.id, Some(&hired.record.employee_code), &hired.record.name);
                present.insert(hired.id, hired.record);
                return Ok(Did::Created);
            };
            if let Some(earlier) = taken.insert(id, place.of("")) {
                let same = FieldError::new("name", format!("is the same employee as {earlier}"));
                return Err(EmployeeError::Invalid(vec![same]));
            }
            let record = record.checked(today)?;
            let did = Did::change(before, &record);
            if did == Did::Updated {
                if (record.status, record.till_role) != (before.status, before.till_role) {
                    others.push(id);
                }
                names.add(id, Some(&record.employee_code), &record.name);
                change(tx, actor, id, None, |_| record, ended).map_err(in_file)?;
            }
            Ok(did)
        })?;
    }
    let done = report.finish()?;
    if done.is_change() {
        audit::actions::record(tx, actor, Entry::new("employee.import", "employee", None).after(&done))?;
    }
    Ok((done, others))
}

/// That somebody may not change a person is said in their row.
fn in_file(refusal: EmployeeError) -> EmployeeError {
    match refusal {
        EmployeeError::NotBelow => {
            EmployeeError::Invalid(vec![FieldError::new("", "only somebody above them may change this")])
        }
        other => other,
    }
}
