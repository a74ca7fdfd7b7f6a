//! What can happen to an outlet.

use super::rules::{ChainOutlet, NewOutlet, Outlet, OutletError, Result, Settings};
use super::store;
use crate::access::Actor;
use crate::db::{self, DbError, Tx};
use crate::http::Stale;
use crate::resources::audit::{self, Entry};
use crate::resources::notifications::{self, Audience, Notice, Severity};
use tiffin_common::{Millis, Uuid};

/// What follows a change of an outlet's settings, in the same transaction. Outlets stand below what their settings govern
/// and may not call it: they are handed this.
pub type Follow = fn(&Tx<'_>, &Actor, &Outlet) -> Result<(), DbError>;

/// Makes an outlet.
///
/// # Errors
/// Offending fields, or a code that is taken.
pub fn create(tx: &Tx<'_>, _: &Actor, new: NewOutlet) -> Result<Outlet> {
    let settings = new.settings.checked().map_err(OutletError::Invalid)?;
    let id = tx.new_id();
    store::insert(tx, id, &new.code, &new.name, &settings)?;
    Ok(store::find(tx, id)?)
}

/// Makes the outlet of a new branch: the one that this box is.
///
/// # Errors
/// As [`create`].
pub fn set_up(tx: &Tx<'_>, actor: &Actor, new: NewOutlet) -> Result<Outlet> {
    let outlet = create(tx, actor, new)?;
    assign_box(tx, outlet.id)?;
    Ok(outlet)
}

/// Makes `outlet` the one that this box is.
pub fn assign_box(tx: &Tx<'_>, outlet: Uuid) -> db::Result<()> {
    store::set_box_outlet(tx, outlet)
}

/// Assigns a box that was set up before it was told which outlet it is: the one it is `enrolled` as, else the first, which was made with
/// the branch. Answers which one that was; none where the box knows, or there is no outlet.
pub fn assign_forgotten_box(tx: &Tx<'_>, enrolled: Option<Uuid>) -> db::Result<Option<Uuid>> {
    if store::find_box_outlet(tx)?.is_some() {
        return Ok(None);
    }
    let own = enrolled.or(store::find_first(tx)?);
    if let Some(outlet) = own {
        assign_box(tx, outlet)?;
    }
    Ok(own)
}

/// Head office has told which outlets the chain has.
pub fn learn_chain(tx: &Tx<'_>, chain: &[ChainOutlet]) -> db::Result<()> {
    store::set_chain(tx, chain)
}

/// A person says that it is `now`, and the box believes it until the machine's clock is right; answers how far that is off, in milliseconds.
pub fn set_clock(tx: &Tx<'_>, actor: &Actor, now: Millis) -> db::Result<i64> {
    let entry = Entry::new("clock.set", "outlet", Some(actor.outlet_id)).before(&tx.now()).after(&now);
    audit::actions::record(tx, actor, entry)?;
    let offset = tx.set_clock(now);
    store::set_clock_offset(tx, offset)?;
    Ok(offset)
}

/// A device of `outlet` has shown that it believes the certificate authority of that fingerprint: staff's machines are sent to TLS from now
/// on, and managers are told, since some may have to install the certificate first.
pub fn certificate_believed(tx: &Tx<'_>, outlet: Uuid, authority: &str) -> db::Result<()> {
    store::set_believed_authority(tx, authority)?;
    let notice = Notice {
        kind: "STAFF_ON_TLS",
        severity: Severity::Warning,
        title: "The staff's screens are called with TLS from now on".into(),
        body: "A device was paired with TLS, so those without are sent there. One that shows a warning installs the certificate \
               first: the page /certificate of this box says how. The setting staff-plain-http allow lets them stay."
            .into(),
        audience: Audience::Managers,
        entity: None,
        dedupe_key: "STAFF_ON_TLS".into(),
    };
    notifications::actions::notify(tx, outlet, notice)
}

/// Changes the settings of the actor's outlet.
///
/// # Errors
/// [`OutletError::Stale`] when `expected` is not the present version; offending fields.
pub fn update(
    tx: &Tx<'_>,
    actor: &Actor,
    expected: Option<i64>,
    change: impl FnOnce(&Outlet) -> Result<(String, Settings)>,
) -> Result<Outlet> {
    let before = match store::find(tx, actor.outlet_id) {
        Err(DbError::Missing) => return Err(OutletError::NotFound("outlet")),
        found => found?,
    };
    Stale::check(expected, before.version)?;
    let (name, settings) = change(&before)?;
    let settings = settings.checked_after(Some(&before.settings)).map_err(OutletError::Invalid)?;
    store::update(tx, before.id, &name, &settings)?;
    let after = store::find(tx, before.id)?;
    let entry = Entry::new("outlet.update", "outlet", Some(after.id)).before(&*before).after(&*after);
    audit::actions::record(tx, actor, entry)?;
    Ok(after)
}
