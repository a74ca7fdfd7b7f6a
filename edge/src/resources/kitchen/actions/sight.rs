//! What the caller sees of the kitchen, and that nobody does anything to what they do not see.

use crate::access::Role;
use crate::db::{self, Source};
use crate::resources::kitchen::rules::{KitchenError, Result, Sight, StationKind, Ticket};
use crate::resources::kitchen::store;
use tiffin_common::Uuid;

/// What an account of `role` sees of the outlet's kitchen. A paired display ends at its station, which somebody may change while it is
/// signed in; one that is no device any more sees nothing.
pub fn sight(
    conn: &dyn Source,
    outlet: Uuid,
    role: Option<Role>,
    account: Option<Uuid>,
) -> db::Result<Sight> {
    match role {
        Some(Role::DeviceBoard) => Ok(Sight::Board),
        Some(Role::DeviceKitchen) => match store::find_display(conn, outlet, account)? {
            None => Ok(Sight::Station(Uuid::nil())),
            Some(None) => Ok(Sight::Whole),
            Some(Some(own)) => match store::find_station(conn, outlet, own)? {
                Some(station) if station.fields.kind == StationKind::Prep => Ok(Sight::Station(own)),
                // The pass; or a station that is no more, whose dishes are cooked elsewhere now.
                _ => Ok(Sight::Whole),
            },
        },
        _ => Ok(Sight::Whole),
    }
}

/// The station that is asked about, within `sight`: none for all of it. The pass sees everything.
///
/// # Errors
/// `KitchenError::NotFound` for no station of the outlet's, and for one that is not in sight.
pub fn station_in(
    conn: &dyn Source,
    outlet: Uuid,
    sight: Sight,
    asked: Option<Uuid>,
) -> Result<Option<Uuid>> {
    let Some(id) = asked else { return Ok(sight.station()) };
    let station = store::find_station(conn, outlet, id)?.ok_or(KitchenError::NotFound("station"))?;
    match sight.station() {
        Some(own) if own != id => Err(KitchenError::NotFound("station")),
        _ => Ok((station.fields.kind == StationKind::Prep).then_some(id)),
    }
}

/// The ticket of that id, as `sight` shows it.
///
/// # Errors
/// `KitchenError::NotFound`, also for one that is not in sight.
pub fn seen(conn: &dyn Source, outlet: Uuid, sight: Sight, id: Uuid) -> Result<Ticket> {
    let found = store::find_ticket(conn, outlet, id)?.filter(|ticket| sight.covers(ticket));
    found.map(|ticket| sight.of_ticket(ticket)).ok_or(KitchenError::NotFound("ticket"))
}
