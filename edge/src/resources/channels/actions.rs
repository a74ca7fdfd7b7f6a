//! What can happen to a channel.

use super::rules::{Channel, ChannelError, ChannelFields, Result};
use super::store;
use crate::access::Actor;
use crate::db::Tx;
use crate::http::{FieldError, Stale};
use crate::resources::audit::{self, Entry};
use tiffin_common::Uuid;

/// Makes a channel.
///
/// # Errors
/// Offending fields; a name that is taken.
pub fn create(tx: &Tx<'_>, actor: &Actor, fields: ChannelFields) -> Result<Channel> {
    let fields = fields.checked()?;
    check_list(tx, actor, fields.price_list_id)?;
    let id = tx.new_id();
    store::insert(tx, actor.outlet_id, id, &fields)?;
    let made = store::find(tx, actor.outlet_id, id)?;
    audit::actions::record(tx, actor, Entry::new("channel.create", "channel", Some(id)).after(&made))?;
    Ok(made)
}

/// Changes a channel. Orders that came keep what it was.
///
/// # Errors
/// No such one; a stale version; offending fields; a name that is taken.
pub fn update(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    expected: Option<i64>,
    change: impl FnOnce(ChannelFields) -> ChannelFields,
) -> Result<Channel> {
    let before = store::find(tx, actor.outlet_id, id)?;
    Stale::check(expected, before.version)?;
    let fields = change(before.fields.clone()).checked()?;
    if fields == before.fields {
        return Ok(before);
    }
    check_list(tx, actor, fields.price_list_id.filter(|list| before.fields.price_list_id != Some(*list)))?;
    store::update(tx, actor.outlet_id, id, &fields)?;
    let after = store::find(tx, actor.outlet_id, id)?;
    let entry = Entry::new("channel.update", "channel", Some(id)).before(&before).after(&after);
    audit::actions::record(tx, actor, entry)?;
    Ok(after)
}

/// Refuses a price list that is none of the outlet's.
fn check_list(tx: &Tx<'_>, actor: &Actor, list: Option<Uuid>) -> Result<()> {
    match list {
        Some(id) if !store::is_price_list(tx, actor.outlet_id, id)? => {
            let field = FieldError::new("priceListId", "is no price list of this outlet");
            Err(ChannelError::Invalid(vec![field]))
        }
        _ => Ok(()),
    }
}

/// Archives a channel.
///
/// # Errors
/// No such one; a stale version.
pub fn archive(tx: &Tx<'_>, actor: &Actor, id: Uuid, expected: Option<i64>) -> Result<Channel> {
    let before = store::find(tx, actor.outlet_id, id)?;
    Stale::check(expected, before.version)?;
    store::set_archived(tx, actor.outlet_id, id)?;
    audit::actions::record(tx, actor, Entry::new("channel.archive", "channel", Some(id)).before(&before))?;
    Ok(before)
}
