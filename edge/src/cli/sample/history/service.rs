//! What happens to one order, from the waiter's pad to the goodbye.

use super::{Branch, money};
use crate::access::{Actor, Role};
use crate::cli::sample::plan::{Kind, PlannedLine, Visit};
use crate::cli::sample::seed::{Result, making};
use crate::cli::sample::timeline::{self, Step};
use crate::db::{Tx, list};
use crate::resources::auth::rules::ApproverPin;
use crate::resources::kitchen::rules::Verb;
use crate::resources::orders::actions as orders;
use crate::resources::orders::actions::command::PlaceOrder;
use crate::resources::orders::actions::status::SetStatus;
use crate::resources::orders::actions::voids::VoidLine;
use crate::resources::orders::rules::{Guest, LineRequest, ModifierRequest, OrderStatus, OrderType, Source};
use crate::resources::{kitchen, menu};
use tiffin_common::Uuid;

/// The order of a visit that is under way.
#[derive(Debug, Clone, Default)]
pub(super) struct Live {
    pub(super) order: Option<Uuid>,
    pub(super) first_line: Option<Uuid>,
}

/// Carries out one step of `visit` at the transaction's moment.
pub(super) fn step(branch: &Branch, tx: &Tx<'_>, visit: &Visit, live: &mut Live, step: Step) -> Result<()> {
    if step == Step::Place {
        return place(branch, tx, visit, live);
    }
    let Some(order) = live.order else { return Ok(()) };
    let waiter = branch.seeded.actor(Role::Waiter);
    match step {
        Step::Place => Ok(()),
        Step::Cancel => {
            let cashier = branch.seeded.actor(Role::Cashier);
            status(tx, &cashier, order, OrderStatus::Cancelled, Some("The guest left"))
        }
        Step::Void => void(branch, tx, order, live.first_line),
        Step::Start => cook(branch, tx, order, "QUEUED", &[Verb::Ack, Verb::Start]),
        Step::NextCourse => {
            cook(branch, tx, order, "IN_PREPARATION", &[Verb::Ready])?;
            fire_all(branch, tx, order)?;
            cook(branch, tx, order, "QUEUED", &[Verb::Ack, Verb::Start])
        }
        Step::Ready => {
            cook(branch, tx, order, "QUEUED", &[Verb::Ack, Verb::Start])?;
            cook(branch, tx, order, "IN_PREPARATION", &[Verb::Ready])
        }
        Step::Serve => {
            cook(branch, tx, order, "READY", &[Verb::Serve])?;
            match visit.kind {
                Kind::DineIn | Kind::Delivery => status(tx, &waiter, order, OrderStatus::Delivered, None),
                Kind::Takeaway | Kind::Counter => Ok(()),
            }
        }
        Step::Add => {
            let lines = requests(branch, tx, visit, &visit.later)?;
            if lines.is_empty() {
                return Ok(());
            }
            orders::add_lines(tx, &waiter, order, &lines, &ApproverPin::none()).map_err(making("more"))?;
            Ok(())
        }
        Step::AddReady => {
            fire_all(branch, tx, order)?;
            cook(branch, tx, order, "QUEUED", &[Verb::Ack, Verb::Start, Verb::Ready, Verb::Serve])
        }
        Step::Pay => {
            money::settle(branch, tx, visit, order)?;
            let cashier = branch.seeded.actor(Role::Cashier);
            status(tx, &cashier, order, OrderStatus::Completed, None)
        }
        Step::Refund => money::refund(branch, tx, order),
    }
}

fn place(branch: &Branch, tx: &Tx<'_>, visit: &Visit, live: &mut Live) -> Result<()> {
    let (role, source, order_type) = match visit.kind {
        Kind::DineIn => (Role::Waiter, Source::Waiter, OrderType::DineIn),
        Kind::Takeaway => (Role::Cashier, Source::Phone, OrderType::Takeaway),
        Kind::Delivery => (Role::Integration, Source::Aggregator, OrderType::Delivery),
        Kind::Counter => (Role::Cashier, Source::Pos, OrderType::Counter),
    };
    let lines = requests(branch, tx, visit, &visit.lines)?;
    if lines.is_empty() {
        return Ok(());
    }
    let command = PlaceOrder {
        guest_key: None,
        channel_id: None,
        external_id: None,
        channel: None,
        order_type,
        source,
        table_id: visit.table.and_then(|place| branch.seeded.tables.get(place)).copied(),
        table_number: None,
        guest: Guest {
            name: visit.customer.as_ref().map(|(name, _)| name.clone()),
            phone: visit.customer.as_ref().map(|(_, phone)| phone.clone()),
            address: None,
        },
        notes: None,
        guest_count: Some(i64::from(visit.guests)),
        scheduled_for: None,
        lines,
    };
    let placed = orders::place(tx, &branch.seeded.actor(role), command, &ApproverPin::none());
    let placed = placed.map_err(making("an order"))?;
    live.order = Some(placed.order.id);
    live.first_line = placed.order.lines.first().map(|line| line.id);
    Ok(())
}

/// What the party orders of what it had in mind: not what the menu says is out of stock, be it the dish or an option.
fn requests(branch: &Branch, tx: &Tx<'_>, visit: &Visit, lines: &[PlannedLine]) -> Result<Vec<LineRequest>> {
    let states =
        menu::store::list_states(tx, branch.seeded.outlet.id, tx.now()).map_err(making("the menu"))?;
    let is_in = |id: &Uuid| states.get(id).is_none_or(|stated| !stated.state.is_out());
    let in_courses = timeline::in_courses(visit);
    let request = |line: &PlannedLine| {
        let option = |(group, place): &(usize, usize)| {
            branch.seeded.options.get(*group).and_then(|options| options.get(*place)).copied()
        };
        let modifiers: Vec<Uuid> = line.options.iter().filter_map(option).collect();
        let dish = branch.seeded.menu_items.get(line.item)?;
        (is_in(dish) && modifiers.iter().all(is_in)).then_some(())?;
        Some(LineRequest {
            variant_id: None,
            sku: None,
            menu_item_id: *dish,
            quantity: i64::from(line.quantity),
            weight: None,
            unit_price: None,
            modifiers: modifiers
                .into_iter()
                .map(|id| ModifierRequest { option_id: Some(id), name: None, price: None })
                .collect(),
            components: Vec::new(),
            notes: None,
            course: if in_courses { None } else { Some(1) },
            seat_number: None,
            hold: false,
        })
    };
    Ok(lines.iter().filter_map(request).collect())
}

fn status(tx: &Tx<'_>, actor: &Actor, order: Uuid, status: OrderStatus, reason: Option<&str>) -> Result<()> {
    let change = SetStatus::to(status, reason);
    orders::set_status(tx, actor, order, None, &change, &ApproverPin::none())
        .map(drop)
        .map_err(making(status.name()))
}

fn void(branch: &Branch, tx: &Tx<'_>, order: Uuid, line: Option<Uuid>) -> Result<()> {
    let Some(line) = line else { return Ok(()) };
    let void =
        VoidLine { quantity: None, reason: "The guest changed their mind".into(), was_made: Some(false) };
    let manager = branch.seeded.actor(Role::Manager);
    orders::void_line(tx, &manager, order, line, &void, &ApproverPin::none())
        .map(drop)
        .map_err(making("a void"))
}

/// Does `verbs` to every ticket of the order that is `from` now.
fn cook(branch: &Branch, tx: &Tx<'_>, order: Uuid, from: &str, verbs: &[Verb]) -> Result<()> {
    let sql = "SELECT DISTINCT t.id FROM kitchen_ticket_items i JOIN kitchen_tickets t ON t.id = i.ticket_id
               WHERE i.order_id = ?1 AND t.status = ?2 ORDER BY t.id";
    let tickets: Vec<Uuid> = list(tx, sql, (order, from), |row| row.get(0)).map_err(making("tickets"))?;
    let cook = branch.seeded.actor(Role::Kitchen);
    for ticket in tickets {
        for verb in verbs {
            kitchen::actions::act(tx, &cook, ticket, *verb, orders::follow_kitchen)
                .map_err(making("a ticket"))?;
        }
    }
    Ok(())
}

/// Fires whatever is still held.
fn fire_all(branch: &Branch, tx: &Tx<'_>, order: Uuid) -> Result<()> {
    let waiter = branch.seeded.actor(Role::Waiter);
    orders::fire(tx, &waiter, order, None).map_err(making("a course"))?;
    Ok(())
}
