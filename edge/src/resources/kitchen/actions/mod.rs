//! What can happen in the kitchen. Orders call these inside their own transaction: a ticket is a row of the order's
//! transaction or it does not exist. Never cooks twice: splits, merges and moves change whose a dish is, not the dish.

mod cook;
mod dispatch;
mod lines;
mod paper;
mod slips;
mod stations;
mod unacked;

pub use cook::{Follow, act, act_on_item, set_priority};
pub use dispatch::{dispatch, fire};
pub use lines::{amend_line, cancel_line, cancel_order};
pub use paper::{forget_printed, print, send_to_paper};
pub(super) use paper::{paper_came_out, paper_expired, paper_failed};
pub use slips::{move_lines, reprint, retable};
pub use stations::{archive_station, create_station, update_station};
pub use unacked::escalate_unacked;

use super::rules::{self, KitchenError, LineStanding, Result, Ticket};
use super::store;
use crate::db::{self, Source, Topic, Tx};
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

/// The names of the outlet's stations, also of archived ones.
pub fn station_names(conn: &dyn Source, outlet: Uuid) -> db::Result<BTreeMap<Uuid, String>> {
    store::list_station_names(conn, outlet)
}

/// Deletes events and finished paper older than `before`.
pub fn forget(tx: &Tx<'_>, before: Millis) -> db::Result<usize> {
    Ok(store::delete_events(tx, before)?.saturating_add(store::delete_jobs(tx, before)?))
}

fn find(tx: &Tx<'_>, outlet: Uuid, id: Uuid) -> Result<Ticket> {
    store::find_ticket(tx, outlet, id)?.ok_or(KitchenError::NotFound("ticket"))
}

/// Tells the displays of a new ticket.
fn announce(tx: &Tx<'_>, ticket: &Ticket, event: &'static str) -> db::Result<()> {
    store::insert_event(tx, ticket.outlet_id, ticket.station_id, ticket.id, event)?;
    if let Some(fallback) = ticket.escalated_to_id {
        store::insert_event(tx, ticket.outlet_id, fallback, ticket.id, event)?;
    }
    tx.signal(Topic::Kitchen);
    Ok(())
}

/// Writes a changed ticket and tells the displays.
fn save(tx: &Tx<'_>, before: &Ticket, ticket: &mut Ticket) -> db::Result<()> {
    store::update_ticket(tx, before, ticket)?;
    announce(tx, ticket, "ticket.updated")
}

#[cfg(test)]
mod tests;
