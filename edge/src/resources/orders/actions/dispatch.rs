//! What an order tells the stock and the kitchen, and how it follows the kitchen. Never decides what may be sold.

use super::super::rules::{
    Draft, LineRecord, OrderError, OrderRecord, OrderStatus, OrderType, Result, Source, combos, states,
};
use super::super::store;
use super::put_on_record;
use crate::access::Actor;
use crate::db::{DbError, Tx};
use crate::http::FieldError;
use crate::resources::inventory::{self, rules::StockError, rules::Use};
use crate::resources::kitchen::{
    self, rules::Holding, rules::Progress, rules::TicketLine, rules::TicketOrder, rules::TicketType,
    rules::Verb,
};
use crate::resources::menu::{self, LocalNow, rules::MenuError};
use crate::resources::outlets::rules::{Outlet, StockPolicy};
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
        .zip(combos::places(lines))
        .map(|((line, option_ids), index)| Use {
            order_item_id: line.root(),
            menu_item_id: line.menu_item_id,
            variant_id: line.variant_id,
            option_ids,
            quantity: line.quantity,
            weight: line.weight,
            index,
        })
        .collect();
    inventory::actions::deduct(tx, actor, outlet, order.id, &uses).map_err(|error| match error {
        StockError::Short(shortages) => OrderError::Invalid(
            shortages
                .iter()
                .map(|short| {
                    let is_weighed = |used: &Use<'_>| used.index == short.index && used.weight.is_some();
                    let field = if uses.iter().any(is_weighed) { "weight" } else { "quantity" };
                    FieldError::new(format!("items[{}].{field}", short.index), short.reason())
                })
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
pub(super) fn take(tx: &Tx<'_>, actor: &Actor, outlet: &Outlet, order: &OrderRecord) -> Result<()> {
    let mut lines = Vec::new();
    for line in order.lines.iter().filter(|line| line.quantity > 0) {
        if !is_taken(tx, order, line)? {
            take_more(tx, actor, line)?;
            lines.push(line.clone());
        }
    }
    deduct(tx, actor, outlet, order, &lines)
}

/// [`take`] for an order that was promised: portions are counted down as far as there are any.
pub(super) fn take_promised(tx: &Tx<'_>, actor: &Actor, outlet: &Outlet, order: &OrderRecord) -> Result<()> {
    let mut lines = Vec::new();
    for line in order.lines.iter().filter(|line| line.quantity > 0) {
        if is_taken(tx, order, line)? {
            continue;
        }
        match take_more(tx, actor, line) {
            Err(OrderError::Invalid(_)) | Ok(()) => lines.push(line.clone()),
            Err(error) => return Err(error),
        }
    }
    deduct(tx, actor, outlet, order, &lines)
}

/// Whether lines of such an order may be held: at a table, by staff, and not of what came through a channel.
pub(super) fn may_hold(order_type: OrderType, source: Source, channel: Option<Uuid>) -> bool {
    order_type == OrderType::DineIn
        && channel.is_none()
        && matches!(source, Source::Pos | Source::Waiter | Source::Phone)
}

/// What of the order may wait until it is fired.
fn holding(order: &OrderRecord, outlet: &Outlet) -> Holding {
    let is_held = order.table_number.is_some() && may_hold(order.order_type, order.source, order.channel_id);
    match (is_held, outlet.hold_courses) {
        (false, _) => Holding::Nothing,
        (true, false) => Holding::Lines,
        (true, true) => Holding::LaterCourses,
    }
}

/// Sends new lines to their stations.
pub(super) fn send(
    tx: &Tx<'_>,
    actor: &Actor,
    outlet: &Outlet,
    order: &OrderRecord,
    drafts: &[Draft],
    kind: TicketType,
) -> Result<()> {
    let combo_of = |line: &LineRecord| {
        let combo = line.combo_line_id?;
        drafts.iter().find(|draft| draft.line.id == combo).map(|draft| draft.kitchen_name.as_str())
    };
    let lines: Vec<TicketLine<'_>> = drafts
        .iter()
        .filter(|draft| !draft.line.is_combo())
        .map(|draft| TicketLine {
            combo_name: combo_of(&draft.line),
            ..ticket_line(&draft.line, &draft.kitchen_name, draft.prep_minutes)
        })
        .collect();
    let ticket = TicketOrder { holding: holding(order, outlet), ..ticket_order(order) };
    kitchen::actions::dispatch(tx, actor, &ticket, &lines, kind)?;
    Ok(())
}

/// Sends all lines of an order that has waited: a guest's that staff accept, or one for later.
pub(super) fn send_all(tx: &Tx<'_>, actor: &Actor, outlet: &Outlet, order: &OrderRecord) -> Result<()> {
    let hints = store::list_kitchen_hints(tx, order.id)?;
    let hint_of = |line: &LineRecord| hints.iter().find(|hint| hint.order_item_id == line.id);
    let name_of = |line| hint_of(line).and_then(|hint| hint.name.as_deref());
    let lines: Vec<TicketLine<'_>> = order
        .lines
        .iter()
        .filter(|line| line.quantity > 0 && !line.is_combo())
        .map(|line| TicketLine {
            combo_name: order.combo_of(line).map(|combo| name_of(combo).unwrap_or(&combo.name)),
            ..ticket_line(
                line,
                name_of(line).unwrap_or(&line.name),
                hint_of(line).and_then(|hint| hint.minutes),
            )
        })
        .collect();
    let ticket = TicketOrder { holding: holding(order, outlet), ..ticket_order(order) };
    kitchen::actions::dispatch(tx, actor, &ticket, &lines, TicketType::New)?;
    Ok(())
}

/// The order as its tickets show it; nothing of it may wait.
pub fn ticket_order(order: &OrderRecord) -> TicketOrder<'_> {
    TicketOrder {
        order_id: order.id,
        order_number: &order.order_number,
        token_number: order.token_number,
        order_type: order.order_type.name(),
        table_number: order.table_number.as_deref(),
        business_date: order.business_date,
        notes: order.notes.as_deref(),
        holding: Holding::Nothing,
        wanted_at: order.scheduled_for,
    }
}

fn ticket_line<'a>(line: &'a LineRecord, name: &'a str, prep_minutes: Option<i64>) -> TicketLine<'a> {
    TicketLine {
        order_item_id: line.id,
        menu_item_id: line.menu_item_id,
        variant_id: line.variant_id,
        name,
        quantity: line.quantity,
        weight: line.weight.zip(line.weight_unit),
        modifiers: line.modifiers.iter().map(|modifier| modifier.name.clone()).collect(),
        notes: line.notes.as_deref(),
        seat_number: line.seat_number,
        course: Some(line.course),
        station_id: line.station_id,
        combo_name: None,
        prep_minutes,
        hold: line.hold,
    }
}

/// Releases the held tickets of a course, or of all, whatever the order's state: what is held can always be cleared. Answers how many.
///
/// # Errors
/// [`OrderError::NotFound`]; [`OrderError::State`] when the order waits for staff or for its time.
pub fn fire(tx: &Tx<'_>, actor: &Actor, id: Uuid, course: Option<i64>) -> Result<usize> {
    let order = store::find_head(tx, actor.outlet_id, id)?;
    if order.waits_for_its_time() {
        return Err(OrderError::State(format!("{} is for later: change its time first", order.order_number)));
    }
    if order.awaits_approval() {
        return Err(OrderError::State(format!("{} waits to be accepted first", order.order_number)));
    }
    Ok(kitchen::actions::fire(tx, actor, id, course)?)
}

/// Refuses an order that may not be completed: something of it is held, and nobody would ever cook it.
///
/// # Errors
/// [`OrderError::Held`] naming the tickets.
pub(super) fn check_held(tx: &Tx<'_>, order: &OrderRecord) -> Result<()> {
    let held = kitchen::actions::list_held(tx, order.outlet_id, order.id)?;
    let name = |(index, ticket): (usize, &kitchen::rules::Ticket)| {
        let (number, station, course) = (ticket.ticket_number, &ticket.station_name, ticket.course);
        let reason = format!("ticket {number} of {station} is held: fire course {course}, or void its lines");
        FieldError::new(format!("heldTickets[{index}]"), reason)
    };
    if held.is_empty() { Ok(()) } else { Err(OrderError::Held(held.iter().enumerate().map(name).collect())) }
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
    for id in extra.counted() {
        menu::actions::take_limited(tx, actor, id, extra.quantity).map_err(short)?;
    }
    for option in extra.option_ids() {
        menu::actions::take_limited_option(tx, actor, option, extra.quantity).map_err(short)?;
    }
    Ok(())
}

/// Refuses more of a line whose dish cannot be had any more.
pub(super) fn demand_more(tx: &Tx<'_>, outlet: &Outlet, before: &LineRecord, now: &LocalNow) -> Result<()> {
    let dish = menu::store::list_sellable(tx, outlet.id, &[before.menu_item_id], now)?.pop();
    // A dish that was sold before it had sizes is sold on as it was.
    let dish = match (dish, before.variant_id) {
        (Some(dish), Some(id)) => dish.variant(Some(id), None).ok().flatten().map(|one| dish.in_size(one)),
        (dish, _) => dish,
    };
    let reason = match &dish {
        None => Some("is no longer on the menu"),
        Some(dish) if dish.is_short() && outlet.stock_policy == StockPolicy::AllowNegative => None,
        Some(dish) => dish.unavailable,
    };
    match reason {
        Some(reason) => Err(OrderError::field("quantity", format!("cannot be more: it {reason}"))),
        None => Ok(()),
    }
}
