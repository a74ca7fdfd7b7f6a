//! Head office's catalogue in memory, as it stood after a publication: what that publication and those before it made of it, without
//! what came later and without what is not yet in force. Never written back.

use super::parts::{self, PARTS, Part};
use super::rows::{self, Columns, RowChange};
use edge::db::Source;
use std::collections::HashMap;
use tiffin_common::Uuid;
use tiffin_common::frame::OpKind;
use tiffin_common::registry::Table;

/// The rows of the catalogue.
#[derive(Debug, Clone, Default)]
pub struct Catalogue {
    rows: HashMap<(u16, Uuid), Columns>,
    children: HashMap<(&'static str, &'static str, Uuid), Vec<Uuid>>,
}

impl Catalogue {
    /// As the store has it now; `from` answers for head office's own outlet alone.
    pub fn read(from: &dyn Source) -> edge::db::Result<Catalogue> {
        let mut catalogue = Catalogue::default();
        for table in PARTS.iter().filter_map(Part::table) {
            for (id, columns) in rows::read(from, table, None)? {
                catalogue.rows.insert((table.no, id), columns);
            }
        }
        catalogue.index();
        Ok(catalogue)
    }

    /// The row, when there is one.
    pub fn get(&self, table: &Table, id: Uuid) -> Option<&Columns> {
        self.rows.get(&(table.no, id))
    }

    /// All rows of `table`, by id.
    pub fn all(&self, table: &Table) -> Vec<Uuid> {
        let mut ids: Vec<Uuid> =
            self.rows.keys().filter(|(no, _)| *no == table.no).map(|(_, id)| *id).collect();
        ids.sort_unstable();
        ids
    }

    /// The rows of `part` whose `column` names `id`, by id.
    pub fn named(&self, part: &'static Part, column: &'static str, id: Uuid) -> &[Uuid] {
        self.children.get(&(part.name, column, id)).map_or(&[], Vec::as_slice)
    }

    /// Takes `undo` back in: what a publication changed, the other way round. A value that something else changed since stays.
    pub fn undo(&mut self, made: &[RowChange], undo: &[RowChange]) {
        for change in undo {
            let key = (change.table.no, change.id);
            match change.kind {
                OpKind::Insert => {
                    self.rows.entry(key).or_insert_with(|| change.columns.clone());
                }
                OpKind::Delete => {
                    self.rows.remove(&key);
                }
                OpKind::Update => {
                    if let Some(row) = self.rows.get_mut(&key) {
                        put_back(row, change, made);
                    }
                }
            }
        }
        self.index();
    }

    fn index(&mut self) {
        self.children.clear();
        for part in PARTS {
            let Some(table) = part.table() else { continue };
            for (column, number) in part.refs.iter().filter_map(|(c, _)| Some((*c, table.column(c)?))) {
                for ((no, id), columns) in &self.rows {
                    if *no != table.no {
                        continue;
                    }
                    if let Some(parent) = columns.get(&number).and_then(rows::Held::id) {
                        self.children.entry((part.name, column, parent)).or_default().push(*id);
                    }
                }
            }
        }
        self.children.values_mut().for_each(|ids| ids.sort_unstable());
    }
}

/// Gives the columns of an update their former values where they still hold what the update gave them.
fn put_back(row: &mut Columns, undo: &RowChange, made: &[RowChange]) {
    let same_row = |change: &&RowChange| change.table.no == undo.table.no && change.id == undo.id;
    for (column, former) in &undo.columns {
        let last = made.iter().rev().filter(same_row).find_map(|change| change.columns.get(column));
        let present = row.get(column).unwrap_or(&rows::Held::Null);
        if last.is_some_and(|last| last != present) {
            continue;
        }
        match former {
            rows::Held::Null => drop(row.remove(column)),
            former => drop(row.insert(*column, former.clone())),
        }
    }
}

/// Whether the row is in use: not archived.
pub fn is_live(table: &Table, columns: &Columns) -> bool {
    table.column("archived_at").is_none_or(|column| !columns.contains_key(&column))
}

/// What makes `changes` undone, given the rows as they were before: in the order in which it is to be done.
pub fn inverse(changes: &[RowChange], before: &Catalogue) -> Vec<RowChange> {
    let mut seen: Vec<(u16, Uuid)> = Vec::new();
    let mut undo = Vec::new();
    for change in changes {
        if parts::part(change.table).is_none() {
            continue;
        }
        let key = (change.table.no, change.id);
        let first = !seen.contains(&key);
        if first {
            seen.push(key);
        }
        let RowChange { table, id, .. } = *change;
        let back = match (before.get(table, id), change.kind) {
            // Whatever else happened to it, there was no such row.
            (None, _) if first => RowChange { table, id, kind: OpKind::Delete, columns: Columns::new() },
            (None, _) => continue,
            (Some(row), OpKind::Delete | OpKind::Insert) => {
                RowChange { table, id, kind: OpKind::Insert, columns: row.clone() }
            }
            (Some(row), OpKind::Update) => {
                let former = change
                    .columns
                    .keys()
                    .map(|column| (*column, row.get(column).cloned().unwrap_or(rows::Held::Null)));
                RowChange { table, id, kind: OpKind::Update, columns: former.collect() }
            }
        };
        undo.push(back);
    }
    undo.reverse();
    undo
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desk::rows::Held;
    use tiffin_common::registry::table_named;

    fn item(price: i64) -> (&'static Table, Columns) {
        let table = table_named("menu_items").unwrap();
        let price_cents = table.column("price_cents").unwrap();
        (table, Columns::from([(price_cents, Held::Integer(price))]))
    }

    fn update(id: Uuid, price: i64) -> Vec<RowChange> {
        let (table, columns) = item(price);
        vec![RowChange { table, kind: OpKind::Update, id, columns }]
    }

    #[test]
    fn a_later_publication_is_taken_back_and_an_older_value_stays_where_something_else_changed_it() {
        let id = Uuid::from_u128(1);
        let (table, columns) = item(100);
        let mut before = Catalogue::default();
        before.rows.insert((table.no, id), columns);
        let made = update(id, 120);
        let undo = inverse(&made, &before);
        assert_eq!(undo, update(id, 100));

        let mut after = before.clone();
        after.rows.insert((table.no, id), item(120).1);
        let mut later = after.clone();
        after.undo(&made, &undo);
        assert_eq!(after.get(table, id), Some(&item(100).1));

        later.rows.insert((table.no, id), item(90).1);
        later.undo(&made, &undo);
        assert_eq!(later.get(table, id), Some(&item(90).1), "somebody set another price meanwhile");
    }

    #[test]
    fn a_new_row_is_taken_back_by_deleting_it() {
        let id = Uuid::from_u128(1);
        let (table, columns) = item(100);
        let insert = RowChange { table, kind: OpKind::Insert, id, columns };
        let undo = inverse(&[insert.clone(), update(id, 5).remove(0)], &Catalogue::default());
        assert_eq!(undo.iter().map(|change| change.kind).collect::<Vec<_>>(), [OpKind::Delete]);
        let mut catalogue = Catalogue::default();
        catalogue.rows.insert((table.no, id), insert.columns.clone());
        catalogue.undo(&[insert], &undo);
        assert_eq!(catalogue.get(table, id), None);
    }
}
