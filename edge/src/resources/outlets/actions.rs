//! What can happen to an outlet.

use super::rules::{NewOutlet, Outlet, OutletError, Settings};
use super::store;
use crate::access::Actor;
use crate::db::{DbError, Transaction};
use crate::resources::audit::{self, Entry};

/// Makes an outlet.
///
/// # Errors
/// Offending fields, or a code that is taken.
pub fn create(tx: &Transaction<'_>, _: &Actor, new: NewOutlet) -> Result<Outlet, OutletError> {
    let settings = new.settings.checked().map_err(OutletError::Invalid)?;
    let id = tx.new_id();
    store::insert(tx, id, &new.code, &new.name, &settings)?;
    Ok(store::find(tx, id)?)
}

/// Changes the settings of the actor's outlet.
///
/// # Errors
/// [`OutletError::Stale`] when `expected` is not the present version; offending fields.
pub fn update(
    tx: &Transaction<'_>,
    actor: &Actor,
    expected: Option<i64>,
    change: impl FnOnce(&Outlet) -> Result<(String, Settings), OutletError>,
) -> Result<Outlet, OutletError> {
    let before = match store::find(tx, actor.outlet_id) {
        Err(DbError::Missing) => return Err(OutletError::NotFound),
        found => found?,
    };
    if expected.is_some_and(|version| version != before.version) {
        return Err(OutletError::Stale(before.version));
    }
    let (name, settings) = change(&before)?;
    let settings = settings.checked().map_err(OutletError::Invalid)?;
    store::update(tx, before.id, &name, &settings)?;
    let after = store::find(tx, before.id)?;
    let entry = Entry::new("outlet.update", "outlet", Some(after.id)).before(&*before).after(&*after);
    audit::actions::record(tx, actor, entry)?;
    Ok(after)
}
