//! What an order tells the stock and the kitchen, and how it follows the kitchen. Never decides what may be sold.

use super::super::rules::{Draft, LineRecord, OrderError, OrderRecord, OrderStatus, Result, states};
use super::super::store;
use super::put_on_record;
use crate::access::Actor;
use crate::db::{DbError, Tx};
use crate::http::FieldError;
use crate::resources::inventory::{self, rules::StockError, rules::Use};
use crate::resources::kitchen::{
    self, rules::Progress, rules::TicketLine, rules::TicketOrder, rules::TicketType, rules::Verb,
};
use crate::resources::menu::{self, rules::MenuError};
use crate::resources::outlets::{self, rules::Outlet};
use tiffin_common::Uuid;

/// Takes the ingredients of `lines` out of stock; what is short is named by its place in the request.
pub(super) fn deduct(
    tx: &Tx<'_>,
    actor: &Actor,
    outlet: &Outlet,
    order: &OrderRecord,
    lines: &[LineRecord],
) -> Result<()> {
    let options: Vec<Vec<Uuid>> = lines.iter().map(LineRecord::option_ids).collect();
    let uses: Vec<Use<'_>> = lines
        .iter()
        .zip(&options)
        .enumerate()
        .map(|(index, (line, option_ids))| Use {
            order_item_id: line.root(),
            menu_item_id: line.menu_item_id,
            option_ids,
            quantity: line.quantity,
            index,
        })
        .collect();
    inventory::actions::deduct(tx, actor, outlet, order.id, &uses).map_err(|error| match error {
        StockError::Short(shortages) => OrderError::Invalid(
            shortages
                .iter()
                .map(|short| FieldError::new(format!("items[{}].quantity", short.index), short.reason()))
                .collect(),
        ),
        other => other.into(),
    })
}

/// Whether the stock of a line was taken: of an order that waits for staff it was not, unless a version of before took it.
pub(super) fn is_taken(tx: &Tx<'_>, order: &OrderRecord, line: &LineRecord) -> Result<bool> {
    Ok(order.dispatched_at.is_some() || inventory::store::items::is_taken(tx, line.root())?)
}

/// Takes what an order needs that has waited: portions that are counted, and ingredients.
pub(super) fn take(tx: &Tx<'_>, actor: &Actor, order: &OrderRecord) -> Result<()> {
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let mut lines = Vec::new();
    for line in order.lines.iter().filter(|line| line.quantity > 0) {
        if !is_taken(tx, order, line)? {
            take_more(tx, actor, line)?;
            lines.push(line.clone());
        }
    }
    deduct(tx, actor, &outlet, order, &lines)
}

/// Sends new lines to their stations.
pub(super) fn send(
    tx: &Tx<'_>,
    actor: &Actor,
    order: &OrderRecord,
    drafts: &[Draft],
    kind: TicketType,
) -> Result<()> {
    let lines: Vec<TicketLine<'_>> = drafts
        .iter()
        .map(|draft| ticket_line(&draft.line, &draft.kitchen_name, draft.prep_minutes))
        .collect();
    kitchen::actions::dispatch(tx, actor, &ticket_order(order), &lines, kind)?;
    Ok(())
}

/// Sends all lines of an order that has waited: a guest's order that staff accept.
pub(super) fn send_all(tx: &Tx<'_>, actor: &Actor, order: &OrderRecord) -> Result<()> {
    let hints = store::list_kitchen_hints(tx, order.id)?;
    let lines: Vec<TicketLine<'_>> = order
        .lines
        .iter()
        .filter(|line| line.quantity > 0)
        .map(|line| {
            let hint = hints.iter().find(|hint| hint.order_item_id == line.id);
            let name = hint.and_then(|hint| hint.name.as_deref()).unwrap_or(&line.name);
            ticket_line(line, name, hint.and_then(|hint| hint.minutes))
        })
        .collect();
    kitchen::actions::dispatch(tx, actor, &ticket_order(order), &lines, TicketType::New)?;
    Ok(())
}

/// The order as its tickets show it.
pub fn ticket_order(order: &OrderRecord) -> TicketOrder<'_> {
    TicketOrder {
        order_id: order.id,
        order_number: &order.order_number,
        token_number: order.token_number,
        order_type: order.order_type.name(),
        table_number: order.table_number.as_deref(),
        business_date: order.business_date,
        notes: order.notes.as_deref(),
    }
}

fn ticket_line<'a>(line: &'a LineRecord, name: &'a str, prep_minutes: Option<i64>) -> TicketLine<'a> {
    TicketLine {
        order_item_id: line.id,
        menu_item_id: line.menu_item_id,
        name,
        quantity: line.quantity,
        modifiers: line.modifiers.iter().map(|modifier| modifier.name.clone()).collect(),
        notes: line.notes.as_deref(),
        seat_number: line.seat_number,
        course: Some(line.course),
        station_id: line.station_id,
        prep_minutes,
    }
}

/// Releases the held tickets of a course. Answers how many.
///
/// # Errors
/// [`OrderError::NotFound`]; [`OrderError::State`] when the order is closed or waits for staff.
pub fn fire(tx: &Tx<'_>, actor: &Actor, id: Uuid, course: i64) -> Result<usize> {
    let order = store::find_head(tx, actor.outlet_id, id)?;
    if order.status.is_final() {
        return Err(OrderError::State(format!("The order is {}: nothing can be fired", order.status)));
    }
    if order.dispatched_at.is_none() {
        return Err(OrderError::State(format!("{} waits to be accepted first", order.order_number)));
    }
    Ok(kitchen::actions::fire(tx, actor, id, course)?)
}

/// The guest has the order: its tickets that are ready leave the displays. One that is still queued or being cooked stays: a
/// counter order is often paid and closed before it is cooked, and nothing may vanish from the kitchen unseen.
pub(super) fn hand_over(tx: &Tx<'_>, actor: &Actor, order: Uuid) -> Result<()> {
    for ticket in store::list_ready_tickets(tx, order)? {
        kitchen::actions::act(tx, actor, ticket, Verb::Serve, |_, _, _, _| Ok(()))?;
    }
    Ok(())
}

/// The kitchen drives the order: its first ticket started, or all its tickets ready. Never goes back, never touches a closed
/// order.
pub fn follow_kitchen(tx: &Tx<'_>, actor: &Actor, order_id: Uuid, progress: Progress) -> Result<(), DbError> {
    let to = match progress {
        Progress::Started => OrderStatus::InPreparation,
        Progress::AllReady => OrderStatus::Ready,
    };
    let mut order = match store::find_head(tx, actor.outlet_id, order_id) {
        Ok(order) => order,
        Err(OrderError::Db(error)) => return Err(error),
        // A ticket without its order changes nothing.
        Err(_) => return Ok(()),
    };
    if !states::is_ahead(order.status, to) {
        return Ok(());
    }
    let from = order.status;
    order.status = to;
    store::update(tx, &mut order)?;
    put_on_record(tx, actor, &order, Some(from), None)?;
    Ok(())
}

/// Counts more portions of a line down.
pub(super) fn take_more(tx: &Tx<'_>, actor: &Actor, extra: &LineRecord) -> Result<()> {
    let short = |error| match error {
        MenuError::SoldOut { left } => OrderError::field("quantity", format!("only {left} more left")),
        other => other.into(),
    };
    menu::actions::take_limited(tx, actor, extra.menu_item_id, extra.quantity).map_err(short)?;
    for option in extra.option_ids() {
        menu::actions::take_limited_option(tx, actor, option, extra.quantity).map_err(short)?;
    }
    Ok(())
}
