//! An order's lines become tickets, and held courses are fired.

use super::paper::on_paper;
use crate::access::Actor;
use crate::db::Tx;
use crate::resources::kitchen::rules::{
    Courses, ItemStatus, OfOrder, Plan, Result, Station, StationFields, Ticket, TicketItem, TicketLine,
    TicketOrder, TicketStatus, TicketType, plan,
};
use crate::resources::kitchen::store;
use tiffin_common::{Millis, Uuid};

/// Sends `lines` to their stations: one ticket per station and course, apart from those what is held. Returns the tickets' ids, none
/// of them only when there are no lines. An outlet without a station gets one: nothing is dropped.
pub fn dispatch(
    tx: &Tx<'_>,
    actor: &Actor,
    order: &TicketOrder<'_>,
    lines: &[TicketLine<'_>],
    kind: TicketType,
) -> Result<Vec<Uuid>> {
    if lines.is_empty() {
        return Ok(Vec::new());
    }
    let stations = stations(tx, actor)?;
    let so_far = match kind {
        TicketType::New => Courses::default(),
        _ => store::find_courses(tx, order.order_id)?,
    };
    let mut made = Vec::new();
    for plan in plan(&stations, lines, order.holding, so_far) {
        let mut ticket = ticket(tx, actor, order, &plan, kind);
        store::insert_ticket(tx, &mut ticket)?;
        if !plan.is_held {
            on_paper(tx, &ticket, plan.station)?;
        }
        made.push(ticket.id);
    }
    Ok(made)
}

/// The outlet's stations; makes the first one.
fn stations(tx: &Tx<'_>, actor: &Actor) -> Result<Vec<Station>> {
    let stations = store::list_all_stations(tx, actor.outlet_id)?;
    if !stations.is_empty() {
        return Ok(stations);
    }
    store::insert_station(tx, actor.outlet_id, tx.new_id(), &StationFields::first())?;
    Ok(store::list_all_stations(tx, actor.outlet_id)?)
}

fn ticket(tx: &Tx<'_>, actor: &Actor, order: &TicketOrder<'_>, plan: &Plan<'_>, kind: TicketType) -> Ticket {
    let item = |line: &&TicketLine<'_>| TicketItem {
        id: tx.new_id(),
        order_id: order.order_id,
        order_item_id: line.order_item_id,
        menu_item_id: line.menu_item_id,
        variant_id: line.variant_id,
        name: line.name.to_owned(),
        combo_name: line.combo_name.map(str::to_owned),
        quantity: line.quantity,
        weight: line.weight.map(|(weight, _)| weight),
        weight_unit: line.weight.map(|(_, unit)| unit),
        modifiers: line.modifiers.clone(),
        notes: line.notes.map(str::to_owned),
        seat_number: line.seat_number,
        status: ItemStatus::Queued,
        started_at: None,
        ready_at: None,
        allergens: Vec::new(),
    };
    let mut ticket = Ticket {
        id: tx.new_id(),
        outlet_id: actor.outlet_id,
        station_id: plan.station.id,
        station_name: plan.station.fields.name.clone(),
        ticket_number: 0,
        business_date: order.business_date,
        order_id: order.order_id,
        order_number: order.order_number.to_owned(),
        token_number: order.token_number,
        order_type: order.order_type.to_owned(),
        table_number: order.table_number.map(str::to_owned),
        kind,
        course: plan.course,
        status: TicketStatus::Held,
        priority: 0,
        notes: order.notes.map(str::to_owned),
        copy_number: 0,
        refers_to_id: None,
        target_minutes: plan.target_minutes,
        created_at: tx.now(),
        fired_at: None,
        started_at: None,
        ready_at: None,
        served_at: None,
        cancelled_at: None,
        target_ready_at: None,
        acked_at: None,
        escalated_at: None,
        escalated_to_id: None,
        recalled_count: 0,
        version: 1,
        updated_at: tx.now(),
        of_order: OfOrder::default(),
        items: plan.lines.iter().map(item).collect(),
    };
    if !plan.is_held {
        ticket.fire(tx.now());
        ticket.target_ready_at = earlier(ticket.target_ready_at, order.wanted_at);
    }
    ticket
}

/// The earlier of when it can be ready and when the guest wants it.
fn earlier(target: Option<Millis>, wanted: Option<Millis>) -> Option<Millis> {
    [target, wanted].into_iter().flatten().min()
}

/// Releases the held tickets of the order's course to the kitchen and returns how many there were: none when it was fired
/// already, so that a double tap fires once. Without a course: all of them.
pub fn fire(tx: &Tx<'_>, actor: &Actor, order: Uuid, course: Option<i64>) -> Result<usize> {
    let held = store::list_held(tx, actor.outlet_id, order, course)?;
    let count = held.len();
    for before in held {
        let mut ticket = before.clone();
        ticket.fire(tx.now());
        store::update_ticket(tx, &before, &mut ticket)?;
        let station = store::find_station(tx, actor.outlet_id, ticket.station_id)?;
        if let Some(station) = &station {
            on_paper(tx, &ticket, station)?;
        }
    }
    Ok(count)
}
