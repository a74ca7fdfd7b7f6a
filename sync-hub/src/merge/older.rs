//! What is compared with a branch of an older schema: the columns that both know, of the tables that no migration has changed since. Never
//! guesses what an older branch holds.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use tiffin_common::registry::Table;

type Columns = BTreeMap<String, BTreeSet<String>>;

/// Read off the migrations once for each schema.
static KNOWN: Mutex<BTreeMap<u32, Arc<Columns>>> = Mutex::new(BTreeMap::new());

/// The columns of `table` that a branch of schema `schema` sums up, with their numbers; none where that cannot be compared.
pub(super) fn columns(table: &'static Table, schema: u32) -> Option<Vec<(usize, &'static str)>> {
    if schema == tiffin_migrations::edge_schema_version() {
        return Some(table.live_columns().collect());
    }
    let known = known(schema)?;
    let known = known.get(table.name)?;
    let both: Vec<_> = table.live_columns().filter(|(_, name)| known.contains(*name)).collect();
    // A column that is no more is in the branch's sum, and nowhere here.
    (both.len() == known.len()).then_some(both)
}

fn known(schema: u32) -> Option<Arc<Columns>> {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(columns) = known.get(&schema) {
        return Some(Arc::clone(columns));
    }
    let columns = tiffin_migrations::edge_columns_at(schema);
    let columns = columns.inspect_err(|error| tracing::error!(%error, schema, "an older schema"));
    let columns = Arc::new(columns.ok()?);
    known.insert(schema, Arc::clone(&columns));
    Some(columns)
}
