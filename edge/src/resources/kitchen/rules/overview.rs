//! The kitchen as a whole: what is to be cooked of each dish, how far each order is at each station, how far each line is. Pure.

use super::{ItemStatus, Ticket, TicketStatus};
use crate::resources::menu::rules::WeightUnit;
use std::collections::BTreeMap;
use tiffin_common::{Millis, Quantity, Uuid, words};

words! {
    /// How far the kitchen is with a line; the least far first.
    pub enum LineStatus {
        /// It waits until it is fired.
        Held = "HELD",
        /// Nobody has begun.
        Queued = "QUEUED",
        /// It is being cooked.
        InPreparation = "IN_PREPARATION",
        /// It is ready to go out.
        Ready = "READY",
        /// It has gone out.
        Served = "SERVED",
    }
}

/// How far the kitchen is with a line of an order.
#[apply(answer!)]
#[derive(Clone, PartialEq, Eq)]
pub struct LineKitchen {
    /// How far it is; of several tickets, the one that is least far.
    pub status: LineStatus,
    /// When the kitchen was told to cook it.
    pub fired_at: Option<Millis>,
    /// When all of it was ready.
    pub ready_at: Option<Millis>,
}

impl LineKitchen {
    /// How far both are together: as far as what is least far, and ready when the last of it is.
    #[must_use]
    pub fn with(self, other: LineKitchen) -> LineKitchen {
        LineKitchen {
            status: self.status.min(other.status),
            fired_at: self.fired_at.or(other.fired_at),
            ready_at: self.ready_at.zip(other.ready_at).map(|(one, other)| one.max(other)),
        }
    }
}

/// A dish that is to be cooked.
#[apply(answer!)]
#[derive(PartialEq, Eq)]
pub struct OpenDish {
    /// The dish on the menu.
    pub menu_item_id: Uuid,
    /// The variant of it.
    pub variant_id: Option<Uuid>,
    /// What cooks call it.
    pub name: String,
    /// Options and wishes, as the kitchen reads them.
    pub modifiers: Vec<String>,
    /// Portions that nobody has finished.
    pub quantity: i64,
    /// Of those, portions that somebody has begun.
    pub in_preparation: i64,
    /// What they weigh together, in `weightUnit`, of a dish that is sold by weight.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<Quantity>,
    /// What it was weighed in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight_unit: Option<WeightUnit>,
}

/// What is to be cooked.
#[apply(answer!)]
pub struct AllDay {
    /// Dish by dish, what there is most of first.
    pub dishes: Vec<OpenDish>,
    /// Portions in all.
    pub quantity: i64,
}

/// How far a station is with an order.
#[apply(answer!)]
pub struct Lamp {
    /// The station that the lamp is for.
    pub station_id: Uuid,
    /// What it is called.
    pub station_name: String,
    /// How far it is; of several tickets, the one that is least far.
    pub status: LineStatus,
    /// Portions that are ready or have gone out.
    pub ready: i64,
    /// Portions of the order at this station, in all.
    pub quantity: i64,
    /// Whether one of its tickets is past its target.
    pub is_late: bool,
    /// Its tickets, the oldest first.
    pub ticket_ids: Vec<Uuid>,
}

/// An order at the pass.
#[apply(answer!)]
pub struct ExpoOrder {
    /// The order that the tickets belong to.
    pub order_id: Uuid,
    /// The order's number.
    pub order_number: String,
    /// What is called out.
    pub token_number: i64,
    /// How it reaches its guest.
    pub order_type: String,
    /// The table, when there is one.
    pub table_number: Option<String>,
    /// How many guests.
    pub guest_count: Option<i64>,
    /// What to call the guest.
    pub customer_name: Option<String>,
    /// Who first sent it to the kitchen, and carries it out.
    pub server_name: Option<String>,
    /// When the first of its tickets was made.
    pub created_at: Millis,
    /// Whether everything that was fired is ready to go out.
    pub is_ready: bool,
    /// A lamp per station, in the order the stations were told.
    pub stations: Vec<Lamp>,
}

fn status_of(ticket: &Ticket, item: ItemStatus) -> LineStatus {
    match (ticket.status, item) {
        (TicketStatus::Held, _) => LineStatus::Held,
        (TicketStatus::Served, _) => LineStatus::Served,
        (_, ItemStatus::Ready) => LineStatus::Ready,
        (_, ItemStatus::InPreparation) => LineStatus::InPreparation,
        (_, ItemStatus::Queued | ItemStatus::Cancelled) => LineStatus::Queued,
    }
}

/// How far the lines of `tickets` are, by line.
pub fn line_states(tickets: &[Ticket]) -> BTreeMap<Uuid, LineKitchen> {
    let mut states: BTreeMap<Uuid, LineKitchen> = BTreeMap::new();
    for ticket in tickets {
        for item in ticket.items.iter().filter(|item| item.is_live()) {
            let state = LineKitchen {
                status: status_of(ticket, item.status),
                fired_at: ticket.fired_at,
                ready_at: item.ready_at,
            };
            let so_far = states.entry(item.order_item_id).or_insert_with(|| state.clone());
            *so_far = so_far.clone().with(state);
        }
    }
    states
}

/// What of `tickets` is to be cooked, dish by dish; what is held is nobody's work yet.
pub fn all_day(tickets: &[Ticket]) -> AllDay {
    let mut dishes: BTreeMap<_, OpenDish> = BTreeMap::new();
    let open = tickets.iter().filter(|ticket| {
        ticket.kind.is_cooked() && matches!(ticket.status, TicketStatus::Queued | TicketStatus::InPreparation)
    });
    for item in open.flat_map(|ticket| &ticket.items) {
        if !matches!(item.status, ItemStatus::Queued | ItemStatus::InPreparation) {
            continue;
        }
        let key = (item.menu_item_id, item.variant_id, item.weight_unit, item.modifiers.as_slice());
        let dish = dishes.entry(key).or_insert_with(|| OpenDish {
            menu_item_id: item.menu_item_id,
            variant_id: item.variant_id,
            name: item.name.clone(),
            modifiers: item.modifiers.clone(),
            quantity: 0,
            in_preparation: 0,
            weight: item.weight.map(|_| Quantity::ZERO),
            weight_unit: item.weight_unit,
        });
        dish.quantity = dish.quantity.saturating_add(item.quantity);
        let weighed = item.weight.map(|weight| weight.plus(dish.weight.unwrap_or_default()));
        dish.weight = weighed.and_then(Result::ok).or(dish.weight);
        if item.status == ItemStatus::InPreparation {
            dish.in_preparation = dish.in_preparation.saturating_add(item.quantity);
        }
    }
    let mut dishes: Vec<OpenDish> = dishes.into_values().collect();
    dishes.sort_by(|one, other| other.quantity.cmp(&one.quantity).then_with(|| one.name.cmp(&other.name)));
    let quantity = dishes.iter().fold(0i64, |sum, dish| sum.saturating_add(dish.quantity));
    AllDay { dishes, quantity }
}

/// The orders of `tickets`, which come the oldest first, as the pass sees them.
pub fn expo(tickets: &[Ticket], now: Millis) -> Vec<ExpoOrder> {
    let mut orders: Vec<ExpoOrder> = Vec::new();
    for ticket in tickets.iter().filter(|t| t.kind.is_cooked() && t.status != TicketStatus::Cancelled) {
        let at = match orders.iter().position(|order| order.order_id == ticket.order_id) {
            Some(at) => at,
            None => {
                orders.push(order_of(ticket));
                orders.len().saturating_sub(1)
            }
        };
        if let Some(order) = orders.get_mut(at) {
            light(order, ticket, now);
        }
    }
    for order in &mut orders {
        let mut fired = order.stations.iter().filter(|lamp| lamp.status != LineStatus::Held).peekable();
        order.is_ready = fired.peek().is_some() && fired.all(|lamp| lamp.status >= LineStatus::Ready);
    }
    orders
}

fn order_of(ticket: &Ticket) -> ExpoOrder {
    ExpoOrder {
        order_id: ticket.order_id,
        order_number: ticket.order_number.clone(),
        token_number: ticket.token_number,
        order_type: ticket.order_type.clone(),
        table_number: ticket.table_number.clone(),
        guest_count: ticket.of_order.guest_count,
        customer_name: ticket.of_order.customer_name.clone(),
        server_name: ticket.of_order.server_name.clone(),
        created_at: ticket.created_at,
        is_ready: false,
        stations: Vec::new(),
    }
}

/// Lets the ticket's station show how far it is.
fn light(order: &mut ExpoOrder, ticket: &Ticket, now: Millis) {
    let items = || ticket.items.iter().filter(|item| item.is_live());
    let of = |item: ItemStatus| status_of(ticket, item);
    let status = items().map(|item| of(item.status)).min().unwrap_or(LineStatus::Queued);
    let portions = |least: LineStatus| {
        let counted = items().filter(|item| of(item.status) >= least);
        counted.fold(0i64, |sum, item| sum.saturating_add(item.quantity))
    };
    let (ready, quantity) = (portions(LineStatus::Ready), portions(LineStatus::Held));
    match order.stations.iter_mut().find(|lamp| lamp.station_id == ticket.station_id) {
        Some(lamp) => {
            lamp.status = lamp.status.min(status);
            lamp.ready = lamp.ready.saturating_add(ready);
            lamp.quantity = lamp.quantity.saturating_add(quantity);
            lamp.is_late |= ticket.is_late(now);
            lamp.ticket_ids.push(ticket.id);
        }
        None => order.stations.push(Lamp {
            station_id: ticket.station_id,
            station_name: ticket.station_name.clone(),
            status,
            ready,
            quantity,
            is_late: ticket.is_late(now),
            ticket_ids: vec![ticket.id],
        }),
    }
}
