//! What can happen in the kitchen. Orders call these inside their own transaction: a ticket is a row of the order's
//! transaction or it does not exist. Never cooks twice: splits, merges and moves change whose a dish is, not the dish.

mod cook;
mod dispatch;
mod lines;
mod paper;
mod presence;
mod sight;
mod slips;
mod stations;
mod unacked;
mod wording;

pub use cook::{Follow, ack_all, act, act_on_item, set_priority};
pub use dispatch::{dispatch, fire};
pub use lines::{Amended, Unwanted, amend_line, cancel_line, cancel_order};
pub use paper::paper_came_out;
pub use presence::{list_missed, station_turned};
pub use sight::{seen, sight, station_in};
pub use slips::{amend_order, move_lines, reprint, retable};
pub use stations::{archive_station, create_station, update_station};
pub use unacked::escalate_unacked;
pub use wording::{language_of, put_in, worded};

use super::rules::{self, KitchenError, LineKitchen, LineStanding, Result, Ticket};
use super::store;
use crate::access::Actor;
use crate::db::{self, Source, Tx};
use std::collections::BTreeMap;
use tiffin_common::{Millis, Uuid};

/// Whether cooking of the order's line has begun: from then on a change is a void and an addition.
pub fn started(conn: &dyn Source, order_item: Uuid) -> db::Result<bool> {
    store::is_started(conn, order_item)
}

/// How far the kitchen is with the order's line at `now`.
pub fn line_standing(conn: &dyn Source, order_item: Uuid, now: Millis) -> db::Result<LineStanding> {
    store::find_line_standing(conn, order_item, now)
}

/// Where a dish is made that asks for the station `wanted`: what has none goes to the default one.
pub fn station_for(conn: &dyn Source, outlet: Uuid, wanted: Option<Uuid>) -> db::Result<Option<Uuid>> {
    let stations = store::list_all_stations(conn, outlet)?;
    Ok(rules::station_for(&stations, wanted).map(|station| station.id))
}

/// Whether `id` is a station of the outlet that is still in use.
pub fn has_station(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<bool> {
    Ok(store::find_station(conn, outlet, id)?.is_some())
}

/// How far the kitchen is with the lines of the order, by line.
pub fn line_states(conn: &dyn Source, outlet: Uuid, order: Uuid) -> db::Result<BTreeMap<Uuid, LineKitchen>> {
    Ok(rules::line_states(&store::list_of_order(conn, outlet, order)?))
}

/// The order's tickets that wait until they are fired.
pub fn list_held(conn: &dyn Source, outlet: Uuid, order: Uuid) -> db::Result<Vec<Ticket>> {
    store::list_held(conn, outlet, order, None)
}

/// The names of the outlet's stations, also of archived ones.
pub fn station_names(conn: &dyn Source, outlet: Uuid) -> db::Result<BTreeMap<Uuid, String>> {
    store::list_station_names(conn, outlet)
}

/// The ticket, as far as `actor` sees the kitchen.
fn find_seen(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<Ticket> {
    let sight = sight(tx, actor.outlet_id, actor.role, actor.account_id)?;
    seen(tx, actor.outlet_id, sight, id)
}

fn find(tx: &Tx<'_>, outlet: Uuid, id: Uuid) -> Result<Ticket> {
    store::find_ticket(tx, outlet, id)?.ok_or(KitchenError::NotFound("ticket"))
}

#[cfg(test)]
mod tests;
