//! `GET /floor`: tables, the parties at them and what they ordered, and how far the kitchen is, in one answer.

use super::super::actions::qr::{self, Wish};
use super::super::rules::{OrderRecord, OrderStatus, OrderType};
use super::super::store::{self, Lines};
use super::view::Server;
use crate::access::{Cx, Permission};
use crate::db::{self, Source};
use crate::http::{Data, Result};
use crate::resources::kitchen::rules::{ItemStatus, TicketStatus};
use crate::resources::menu::rules::Texts;
use crate::resources::tables::rules::{TablePosition, TableShape, TableSize, TableStatus};
use crate::resources::tables::{self, Table};
use std::collections::HashMap;
use tiffin_common::{Cents, Millis, Uuid};

/// The floor of this moment.
#[apply(answer!)]
pub struct Floor {
    /// Every table, with its party and its open orders; by area in their order.
    tables: Vec<FloorTable>,
    /// Open orders at no table.
    orders: Vec<FloorOrder>,
    /// When it was read.
    generated_at: Millis,
}

/// A table with who sits there and what they ordered.
#[apply(answer!)]
pub struct FloorTable {
    /// Id of the table.
    id: Uuid,
    /// Number of the table, as on its sign.
    number: String,
    /// Where it stands.
    area: Option<String>,
    /// How many can sit.
    seats: i64,
    /// What it is doing.
    status: TableStatus,
    /// Where it is drawn.
    position: Option<TablePosition>,
    /// The form that it is drawn in.
    shape: TableShape,
    /// How large it is drawn.
    size: Option<TableSize>,
    /// How far it is turned, in degrees clockwise.
    rotation: i64,
    /// Its number in other languages: `{"hi": {"name": …}}`.
    #[serde(skip_serializing_if = "Texts::is_empty")]
    texts: Texts,
    /// The name of its area in other languages.
    #[serde(skip_serializing_if = "Texts::is_empty")]
    area_texts: Texts,
    /// Who sits there.
    party: Option<FloorParty>,
    /// Their open orders, the oldest first.
    orders: Vec<FloorOrder>,
    /// What all of them still have to pay.
    due_cents: Cents,
    /// What the party calls for and nobody has ticked off, the oldest first.
    calls: Vec<FloorCall>,
}

/// A guest calls.
#[apply(answer!)]
pub struct FloorCall {
    /// Somebody shall come, or the bill.
    what: Wish,
    /// When they called last.
    at: Millis,
}

/// The party that sits at a table.
#[apply(answer!)]
pub struct FloorParty {
    /// Id of the party's stay.
    id: Uuid,
    /// How many they are, when known.
    party_size: Option<i64>,
    /// When they sat down.
    opened_at: Millis,
    /// Who serves them: who first sent an order of theirs.
    server: Option<Server>,
}

view! {
    /// An open order.
    pub struct FloorOrder of order: &OrderRecord, counted: FloorLines, guest: Option<String> {
        /// Id of the order.
        id: Uuid,
        /// The order's number.
        order_number: String = order.order_number.clone(),
        /// What is called out.
        token_number: i64,
        /// How it reaches its guest.
        order_type: OrderType,
        /// The channel it came through; null where it came through none.
        channel_id: Option<Uuid>,
        /// The channel's own number for it.
        external_id: Option<String> = order.external_id.clone(),
        /// What to call the guest, for whoever may read orders; null where nobody said.
        customer_name: Option<String> = guest,
        /// Where it stands.
        status: OrderStatus,
        /// A guest's order that staff have not accepted.
        awaits_approval: bool = order.awaits_approval(),
        /// Who first sent it to the kitchen.
        server: Option<Server> = order.server_id.zip(order.server_name.clone()).map(Server::from),
        /// How many guests.
        guest_count: Option<i64>,
        /// What it comes to.
        total_amount_cents: Cents = order.total,
        /// Still to be paid.
        due_cents: Cents = order.shown_due(),
        /// How far the kitchen is with its lines.
        lines: FloorLines = counted,
        /// Number of the bill, once it is made.
        bill: Option<String> = order.invoice_number.clone(),
        /// Changes with every change.
        version: i64,
        /// When it was taken.
        created_at: Millis,
    }
}

/// How many lines of an order are how far.
#[apply(answer!)]
#[derive(Default)]
pub struct FloorLines {
    /// Wait until they are fired.
    held: i64,
    /// Are with the kitchen.
    waiting: i64,
    /// Are ready to go out.
    ready: i64,
    /// Have gone out.
    served: i64,
}

impl FloorLines {
    fn add(&mut self, lines: &Lines) {
        let of = match (lines.ticket, lines.item) {
            (TicketStatus::Held, _) => &mut self.held,
            (TicketStatus::Served, _) => &mut self.served,
            (_, ItemStatus::Ready) => &mut self.ready,
            (_, _) => &mut self.waiting,
        };
        *of = of.saturating_add(lines.count);
    }
}

/// The floor of this moment.
pub async fn get_floor(cx: Cx) -> Result<Data<Floor>> {
    let (now, sees_names) = (cx.db.env().clock.now(), cx.principal.holds(Permission::OrdersRead));
    cx.get(move |conn, outlet| floor(conn, outlet, now, sees_names)).await
}

fn floor(conn: &dyn Source, outlet: Uuid, now: Millis, sees_names: bool) -> db::Result<Floor> {
    let mut lines: HashMap<Uuid, FloorLines> = HashMap::new();
    for of in store::count_lines(conn, outlet)? {
        lines.entry(of.order_id).or_default().add(&of);
    }
    // A till at which nobody stands shows no guest.
    let names = if sees_names { store::list_open_names(conn, outlet)? } else { Vec::new() };
    let mut names: HashMap<Uuid, String> = names.into_iter().collect();
    let mut at: HashMap<Option<Uuid>, Vec<FloorOrder>> = HashMap::new();
    for order in store::list_open(conn, outlet)? {
        let lines = lines.remove(&order.id).unwrap_or_default();
        let guest = names.remove(&order.id);
        at.entry(order.table_id).or_default().push(FloorOrder::of(&order, lines, guest));
    }
    let mut calls: HashMap<Uuid, Vec<FloorCall>> = HashMap::new();
    for (session, what, at) in qr::list_calls(conn, outlet)? {
        calls.entry(session).or_default().push(FloorCall { what, at });
    }
    let tables = tables::store::list_all(conn, outlet)?.into_iter().map(|table| {
        let orders = at.remove(&Some(table.id)).unwrap_or_default();
        let session = table.current_session.as_ref().map(|session| session.id);
        let calls = session.and_then(|session| calls.remove(&session)).unwrap_or_default();
        table_of(table, orders, calls)
    });
    let tables = tables.collect::<db::Result<Vec<_>>>()?;
    // Also those at a table that is no longer there: nothing that is open may be out of sight.
    let mut orders: Vec<FloorOrder> = at.into_values().flatten().collect();
    orders.sort_by_key(|order| (order.created_at, order.id));
    Ok(Floor { tables, orders, generated_at: now })
}

fn table_of(table: Table, orders: Vec<FloorOrder>, calls: Vec<FloorCall>) -> db::Result<FloorTable> {
    let due_cents = Cents::sum(orders.iter().map(|order| order.due_cents))?;
    let server = orders.iter().find_map(|order| order.server.clone());
    let party = table.current_session.map(|session| FloorParty {
        id: session.id,
        party_size: session.party_size,
        opened_at: session.opened_at,
        server,
    });
    Ok(FloorTable {
        id: table.id,
        number: table.fields.number,
        area: table.fields.area,
        seats: table.fields.seats,
        status: table.status,
        position: table.fields.position,
        shape: table.fields.shape,
        size: table.fields.size,
        rotation: table.fields.rotation,
        texts: table.fields.texts,
        area_texts: table.fields.area_texts,
        party,
        orders,
        due_cents,
        calls,
    })
}
