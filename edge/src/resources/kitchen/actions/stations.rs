//! Stations: made, changed, archived; always one default once there is any.

use super::paper::printer_of;
use crate::access::Actor;
use crate::config::Printers;
use crate::db::Tx;
use crate::http::{FieldError, Stale};
use crate::resources::audit::{self, Entry};
use crate::resources::kitchen::rules::{KitchenError, Result, Station, StationFields};
use crate::resources::kitchen::store;
use crate::resources::printers::{self, actions::printer_of_station};
use tiffin_common::Uuid;

/// Makes a station; the first one is the default, whatever it says.
///
/// # Errors
/// Offending fields; a name that is taken.
pub fn create_station(
    tx: &Tx<'_>,
    actor: &Actor,
    mut fields: StationFields,
    reach: &Printers,
) -> Result<Station> {
    let others = store::list_all_stations(tx, actor.outlet_id)?;
    fields.is_default |= others.is_empty();
    let fields = fields.checked(&others, false, reach).map_err(KitchenError::Invalid)?;
    if fields.is_default {
        store::set_no_default(tx, actor.outlet_id)?;
    }
    let id = tx.new_id();
    store::insert_station(tx, actor.outlet_id, id, &fields)?;
    let station = find(tx, actor, id)?;
    let entry = Entry::new("station.create", "kitchen_station", Some(id)).after(&station);
    audit::actions::record(tx, actor, entry)?;
    Ok(station)
}

/// Changes a station. Tickets that wait for its printer wait where its paper comes out now.
///
/// # Errors
/// [`KitchenError::NotFound`], [`KitchenError::Stale`], offending fields, a name that is taken.
pub fn update_station(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    expected: Option<i64>,
    change: impl FnOnce(StationFields) -> StationFields,
    reach: &Printers,
) -> Result<Station> {
    let before = find(tx, actor, id)?;
    Stale::check(expected, before.version)?;
    let mut others = store::list_all_stations(tx, actor.outlet_id)?;
    others.retain(|station| station.id != id);
    let fields = change(before.fields.clone());
    if before.fields.is_default && !fields.is_default {
        let reason = "make another station the default instead";
        return Err(KitchenError::Invalid(vec![FieldError::new("isDefault", reason)]));
    }
    let has_printer = printer_of_station(tx, actor.outlet_id, id, None)?.is_some();
    let fields = fields.checked(&others, has_printer, reach).map_err(KitchenError::Invalid)?;
    if fields.is_default && !before.fields.is_default {
        store::set_no_default(tx, actor.outlet_id)?;
    }
    store::update_station(tx, id, &fields)?;
    let after = find(tx, actor, id)?;
    let places = (printer_of(tx, actor.outlet_id, &before)?, printer_of(tx, actor.outlet_id, &after)?);
    if let (Some(from), Some(to)) = places {
        printers::actions::move_tickets(tx, id, &from, &to)?;
    }
    let entry = Entry::new("station.update", "kitchen_station", Some(id)).before(&before).after(&after);
    audit::actions::record(tx, actor, entry)?;
    Ok(after)
}

/// Archives a station. Its tickets keep it; dishes that name it go to the default station from now on.
///
/// # Errors
/// [`KitchenError::NotFound`], [`KitchenError::Stale`]; [`KitchenError::Conflict`] while it has open tickets, or as the
/// default while there are others.
pub fn archive_station(tx: &Tx<'_>, actor: &Actor, id: Uuid, expected: Option<i64>) -> Result<Station> {
    let station = find(tx, actor, id)?;
    Stale::check(expected, station.version)?;
    if store::has_open_tickets(tx, actor.outlet_id, id)? {
        return Err(KitchenError::Conflict("The station still has open tickets"));
    }
    if station.fields.is_default && store::list_all_stations(tx, actor.outlet_id)?.len() > 1 {
        return Err(KitchenError::Conflict("Make another station the default first"));
    }
    store::set_station_archived(tx, actor.outlet_id, id)?;
    printers::actions::forget_station(tx, actor, id)?;
    let entry = Entry::new("station.archive", "kitchen_station", Some(id)).before(&station);
    audit::actions::record(tx, actor, entry)?;
    Ok(station)
}

fn find(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<Station> {
    store::find_station(tx, actor.outlet_id, id)?.ok_or(KitchenError::NotFound("station"))
}
