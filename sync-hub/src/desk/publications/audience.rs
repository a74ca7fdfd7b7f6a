//! Where a change goes when nobody says where: to the outlets that have what it touches.

use super::super::HQ;
use super::super::parts::{self, Part};
use super::super::rows::{self, Held, RowChange};
use super::retention;
use crate::store::StoreError;
use edge::db::{Row, Source, list};
use std::collections::BTreeSet;
use tiffin_common::Uuid;
use tiffin_common::frame::OpKind;
use tiffin_common::registry::Table;

/// The outlets that have the rows which `changes` touch, or their owners; none where nothing narrows them down: all.
pub fn audience(from: &dyn Source, changes: &[RowChange]) -> Result<Option<BTreeSet<Uuid>>, StoreError> {
    let mut outlets = BTreeSet::new();
    let mut narrowed = false;
    for change in changes {
        if let Some(found) = of_row(from, changes, change.table, change.id, 4)? {
            narrowed = true;
            outlets.extend(found);
        } else if change.kind != OpKind::Insert {
            return Ok(None);
        }
    }
    Ok(narrowed.then_some(outlets))
}

/// The outlets a row was published to by name; that of its owner when it was not published itself.
fn of_row(
    from: &dyn Source,
    changes: &[RowChange],
    table: &'static Table,
    id: Uuid,
    depth: u32,
) -> Result<Option<BTreeSet<Uuid>>, StoreError> {
    let sql = "SELECT p.number, p.to_all, t.target_id FROM hub_publication_rows r
                 JOIN hub_publications p ON p.outlet_id = r.outlet_id AND p.id = r.publication_id
                 LEFT JOIN hub_publication_targets t ON t.outlet_id = p.outlet_id AND t.publication_id = p.id
               WHERE r.outlet_id = ?1 AND r.table_no = ?2 AND r.row_id = ?3";
    let read = |row: &Row<'_>| {
        Ok((
            row.get::<_, i64>("number")?,
            row.get::<_, bool>("to_all")?,
            row.get::<_, Option<Uuid>>("target_id")?,
        ))
    };
    let mut found = list(from, sql, (HQ, i64::from(table.no), id), read)?;
    found.extend(retention::audience_before(from, table.no, id)?);
    let people = parts::part(table).is_some_and(|part| part.people);
    if found.iter().any(|(_, to_all, _)| *to_all && !people) {
        return Ok(None);
    }
    if let Some(first) = found.iter().map(|(number, _, _)| *number).min() {
        // And where the whole catalogue went since.
        let sql = "SELECT t.target_id FROM hub_publications p
                     JOIN hub_publication_targets t ON t.outlet_id = p.outlet_id AND t.publication_id = p.id
                   WHERE p.outlet_id = ?1 AND p.kind = 'CATALOGUE' AND p.number > ?2 AND p.people >= ?3";
        let whole = list(from, sql, (HQ, first, i64::from(people)), |row| row.get(0))?;
        return Ok(Some(found.into_iter().filter_map(|(_, _, outlet)| outlet).chain(whole).collect()));
    }
    let (Some(part), true) = (parts::part(table), depth > 0) else { return Ok(None) };
    let held = |name: &str| match changes.iter().find(|change| change.table == table && change.id == id) {
        Some(change) if change.kind == OpKind::Insert => change.get(name).and_then(Held::id),
        _ => table
            .column(name)
            .and_then(|column| rows::read(from, table, Some(("id", id))).ok()?.pop()?.1.get(&column)?.id()),
    };
    for name in part.within.into_iter().chain(part.owner) {
        if let (Some(owner), Some(table)) = (held(name), part.named_by(name).and_then(Part::table)) {
            return of_row(from, changes, table, owner, depth - 1);
        }
    }
    Ok(None)
}
