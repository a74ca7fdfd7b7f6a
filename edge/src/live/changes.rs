//! What a part of the change log did to the rows that clients follow: each once, at its last change. A row of a list (an order's line, its
//! payment) is a change of the whole it is shown with. Only reads.

use super::position::{Position, mark_of};
use crate::db::{self, DbError, Source, list, opt};
use crate::resources::menu;
use rusqlite::params;
use std::collections::{HashMap, HashSet};
use tiffin_common::frame::{Body, Hash, Header, Kind as LogKind, Op, OpKind, Value};
use tiffin_common::registry::{self, Table};
use tiffin_common::{Hlc, Millis, Uuid, words};

words! {
    /// What can be followed.
    pub enum Topic {
        /// Orders, as `GET /orders/{orderId}` shows them.
        Orders = "orders",
        /// Tables, as `GET /tables/{id}` shows them.
        Tables = "tables",
        /// Kitchen tickets, as `GET /kitchen/tickets/{id}` shows them.
        Tickets = "tickets",
        /// Dishes, categories and modifier groups, as their GETs show them, and price lists, as their list shows them.
        Menu = "menu",
        /// Notifications, as their list shows them.
        Notifications = "notifications",
        /// What works at the branch, as `GET /status` shows it.
        Status = "status",
    }
}

/// What kind of row it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// An order.
    Order,
    /// A table of the dining room.
    Table,
    /// A kitchen ticket.
    Ticket,
    /// A dish.
    Item,
    /// A category of the menu.
    Category,
    /// A modifier group.
    Group,
    /// A price list: what it says is read with the menu.
    PriceList,
    /// A notification.
    Notification,
}

impl Kind {
    /// What an event of it is called.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Order => "order",
            Kind::Table => "table",
            Kind::Ticket => "ticket",
            Kind::Item => "menuItem",
            Kind::Category => "menuCategory",
            Kind::Group => "modifierGroup",
            Kind::PriceList => "priceList",
            Kind::Notification => "notification",
        }
    }

    /// The topic it belongs to.
    pub fn topic(self) -> Topic {
        match self {
            Kind::Order => Topic::Orders,
            Kind::Table => Topic::Tables,
            Kind::Ticket => Topic::Tickets,
            Kind::Item | Kind::Category | Kind::Group | Kind::PriceList => Topic::Menu,
            Kind::Notification => Topic::Notifications,
        }
    }

    /// Where its rows are.
    fn table(self) -> &'static str {
        match self {
            Kind::Order => "orders",
            Kind::Table => "dining_tables",
            Kind::Ticket => "kitchen_tickets",
            Kind::Item => "menu_items",
            Kind::Category => "menu_categories",
            Kind::Group => "modifier_groups",
            Kind::PriceList => "price_lists",
            Kind::Notification => "notifications",
        }
    }

    /// Whose row it is; none when it has gone.
    pub fn outlet_of(self, conn: &dyn Source, id: Uuid) -> db::Result<Option<Uuid>> {
        let sql = format!("SELECT outlet_id FROM {} WHERE id = ?1", self.table());
        opt(conn, &sql, [id], |row| row.get(0))
    }
}

/// A row that changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// Its last change.
    pub at: Position,
    /// What it is.
    pub kind: Kind,
    /// Which one.
    pub id: Uuid,
    /// Of a ticket: whether it came to be then.
    pub is_new: bool,
}

/// What a part of the log did.
#[derive(Debug)]
pub struct Part {
    /// The rows that changed, in the order of their last changes.
    pub changes: Vec<Change>,
    /// Where the part ends.
    pub end: Position,
    /// Whether the log goes on there, for all that is known.
    pub goes_on: bool,
}

/// Rows of the log, undecoded.
struct LogRow {
    header: Header,
    mark: u32,
    body: Vec<u8>,
}

/// How much of the log is looked at.
#[derive(Debug, Clone, Copy)]
pub struct Most {
    /// Rows of the log.
    pub rows: usize,
    /// Rows that changed: the part ends with the change that brings so many, within a commit too.
    pub changes: usize,
}

/// What the log did after `position`, looking at no more than `most`; none where that place is not in the log any more, or
/// is in another history.
pub fn after(conn: &dyn Source, position: Position, most: Most) -> db::Result<Option<Part>> {
    let rows = read(conn, position.seq, most.rows)?;
    let is_there = match rows.first() {
        Some(first) if position.seq == 0 => first.header.seq == 1,
        Some(first) => first.header.seq == position.seq && first.mark == position.mark,
        None => position.seq == 0,
    };
    if !is_there {
        return Ok(None);
    }
    let mut goes_on = rows.len() > most.rows;
    let mut last: HashMap<(Kind, Uuid), Change> = HashMap::new();
    let mut end = position;
    'log: for row in rows {
        let told = if row.header.seq == position.seq { position.told } else { 0 };
        end = Position { seq: row.header.seq, told: row.header.count, mark: row.mark };
        // A row of the log that cannot be read is the exchange's trouble, which says so.
        let Ok(body) = Body::decode(&row.header, &row.body) else { continue };
        let mut made = HashSet::new();
        for (op, place) in body.ops().iter().zip(1_u32..) {
            made.extend(ticket_made(op));
            if place <= told {
                continue;
            }
            for (kind, id) in reached(conn, op)? {
                let is_new = kind == Kind::Ticket && made.contains(&id);
                // Who is told that a ticket is there is told so at the place where it came to be, so that who was not told is told
                // so when they come back.
                let stays = last.get(&(kind, id)).is_some_and(|before| before.is_new && !is_new);
                if !stays {
                    last.insert((kind, id), Change { at: Position { told: place, ..end }, kind, id, is_new });
                }
            }
            if last.len() >= most.changes {
                // What follows in this row, or behind it, is the next part's.
                (goes_on, end.told) = (true, place);
                break 'log;
            }
        }
    }
    let mut changes: Vec<Change> = last.into_values().collect();
    changes.sort_by_key(|change| (change.at, change.kind, change.id));
    Ok(Some(Part { changes, end, goes_on }))
}

/// What the clock alone changed on an outlet's menu after `from` and until `to`: no row of the log tells of hours or prices that begin or
/// of a state that lapses. Without a `from`, all that depends on the clock. They stand at `at`, which a client may be told of more than once.
pub fn by_the_clock(
    conn: &dyn Source,
    outlet: Uuid,
    at: Position,
    (from, to): (Option<Millis>, Millis),
) -> db::Result<Vec<Change>> {
    let turned = menu::store::list_turned(conn, outlet, (from, to))?;
    let changed = |kind| move |id| Change { at, kind, id, is_new: false };
    let items = turned.items.into_iter().map(changed(Kind::Item));
    let lists = turned.price_lists.into_iter().map(changed(Kind::PriceList));
    Ok(items.chain(turned.groups.into_iter().map(changed(Kind::Group))).chain(lists).collect())
}

/// The ticket that `op` makes; none where it makes none.
fn ticket_made(op: &Op<'_>) -> Option<Uuid> {
    let table = registry::table(op.table).filter(|_| op.kind == OpKind::Insert)?;
    op.row_id().filter(|_| table.name == "kitchen_tickets")
}

/// At most one row more than `most`, from row `seq` on.
fn read(conn: &dyn Source, seq: i64, most: usize) -> db::Result<Vec<LogRow>> {
    const FROM: &str = "SELECT seq, epoch, kind, hlc, wall_ms, schema_v, n, body, hash FROM sync_log
        WHERE seq >= ?1 ORDER BY seq LIMIT ?2";
    let limit = i64::try_from(most).unwrap_or(i64::MAX).saturating_add(1);
    list(conn, FROM, params![seq, limit], |row| {
        let kind = LogKind::from_number(row.get("kind")?).map_err(|e| DbError::Damaged(e.to_string()))?;
        let (hlc, wall): (Hlc, Millis) = (row.get("hlc")?, row.get("wall_ms")?);
        let header = Header {
            seq: row.get("seq")?,
            epoch: row.get("epoch")?,
            kind,
            hlc,
            wall,
            schema: row.get("schema_v")?,
            count: row.get("n")?,
        };
        Ok(LogRow { header, mark: mark_of(Hash(row.get("hash")?)), body: row.get("body")? })
    })
}

/// A change of one row.
struct Touch<'a> {
    conn: &'a dyn Source,
    table: &'static Table,
    op: &'a Op<'a>,
    id: Uuid,
}

impl Touch<'_> {
    /// Whether it makes the row, or sets one of these columns.
    fn sets(&self, columns: &[&str]) -> bool {
        let is_one = |(number, _): &(usize, Value<'_>)| {
            self.table.columns.get(*number).is_some_and(|name| columns.contains(name))
        };
        self.op.kind == OpKind::Insert || self.op.columns.iter().any(is_one)
    }

    /// The id in a column of the row: as the change set it, or as it is now.
    fn named(&self, column: &str) -> db::Result<Option<Uuid>> {
        let is_it = |number: usize| self.table.columns.get(number).is_some_and(|name| *name == column);
        match self.op.columns.iter().find(|(number, _)| is_it(*number)) {
            Some((_, Value::Id(id))) => return Ok(Some(*id)),
            Some(_) => return Ok(None),
            None if self.op.kind == OpKind::Insert => return Ok(None),
            None => {}
        }
        let sql = format!("SELECT {column} FROM {} WHERE id = ?1", self.table.name);
        Ok(opt(self.conn, &sql, [self.id], |row| row.get(0))?.flatten())
    }

    /// The row that a column names.
    fn whole(&self, kind: Kind, column: &str) -> db::Result<Vec<(Kind, Uuid)>> {
        Ok(self.named(column)?.map(|id| (kind, id)).into_iter().collect())
    }

    /// The tickets with lines of an order.
    fn tickets_of(&self, order: Uuid) -> db::Result<Vec<(Kind, Uuid)>> {
        let sql = "SELECT DISTINCT ticket_id FROM kitchen_ticket_items WHERE order_id = ?1";
        list(self.conn, sql, [order], |row| Ok((Kind::Ticket, row.get(0)?)))
    }

    /// The orders whose lines are on a ticket.
    fn orders_of(&self, ticket: Uuid) -> db::Result<Vec<(Kind, Uuid)>> {
        let sql = "SELECT DISTINCT order_id FROM kitchen_ticket_items WHERE ticket_id = ?1";
        let orders = list(self.conn, sql, [ticket], |row| row.get::<_, Option<Uuid>>(0))?;
        Ok(orders.into_iter().flatten().map(|order| (Kind::Order, order)).collect())
    }

    /// The tables of an order's outlet where a party sits: one of them may be the one that the order has left, which the log does not name.
    /// Where nobody stayed behind, the end of the party says so.
    fn left(&self) -> db::Result<Vec<(Kind, Uuid)>> {
        // From the tables: they are few, and parties that have gone are many.
        let sql = "SELECT t.id FROM dining_tables t CROSS JOIN table_sessions s ON s.table_id = t.id AND s.closed_at IS NULL
            WHERE t.outlet_id = (SELECT outlet_id FROM orders WHERE id = ?1)";
        list(self.conn, sql, [self.id], |row| Ok((Kind::Table, row.get(0)?)))
    }

    /// What of an order is shown with its tickets and its table.
    fn order(&self) -> db::Result<Vec<(Kind, Uuid)>> {
        let mut rows = vec![(Kind::Order, self.id)];
        if self.sets(&["status", "table_id", "table_session_id"]) {
            rows.extend(self.whole(Kind::Table, "table_id")?);
        }
        let is_known = self.op.kind == OpKind::Update;
        if is_known && self.sets(&["table_session_id"]) {
            rows.extend(self.left()?);
        }
        if is_known && self.sets(&["server_id", "server_name", "guest_count", "scheduled_for"]) {
            rows.extend(self.tickets_of(self.id)?);
        }
        Ok(rows)
    }

    /// A guest is an order's, or stands with what somebody said of their visit.
    fn guest(&self) -> db::Result<Vec<(Kind, Uuid)>> {
        let sql = "SELECT 1 FROM orders WHERE id = ?1";
        if opt(self.conn, sql, [self.id], |_| Ok(()))?.is_none() {
            return Ok(Vec::new());
        }
        let mut rows = vec![(Kind::Order, self.id)];
        if self.sets(&["name"]) {
            rows.extend(self.tickets_of(self.id)?);
        }
        Ok(rows)
    }
}

/// The dish that a row of `menu_items` is, or is a variant of.
fn dish_of(conn: &dyn Source, id: Uuid) -> db::Result<Uuid> {
    Ok(menu::store::find_dish_of(conn, id)?.unwrap_or(id))
}

/// The dishes of `rows`, which may be variants of them, and the combos that they may be chosen for.
fn dishes_of(conn: &dyn Source, rows: Vec<(Kind, Uuid)>) -> db::Result<Vec<(Kind, Uuid)>> {
    let mut found = Vec::with_capacity(rows.len());
    for (kind, id) in rows {
        let dish = dish_of(conn, id)?;
        found.push((kind, dish));
        found.extend(menu::store::list_combos_with(conn, dish)?.into_iter().map(|combo| (kind, combo)));
    }
    Ok(found)
}

/// The rows that `op` is a change of.
fn reached(conn: &dyn Source, op: &Op<'_>) -> db::Result<Vec<(Kind, Uuid)>> {
    let (Some(table), Some(id)) = (registry::table(op.table), op.row_id()) else {
        return Ok(Vec::new());
    };
    let touch = Touch { conn, table, op, id };
    let both = |mut rows: Vec<(Kind, Uuid)>, more: Vec<(Kind, Uuid)>| {
        rows.extend(more);
        Ok(rows)
    };
    match table.name {
        "orders" => touch.order(),
        "guests" => touch.guest(),
        "order_items"
        | "order_item_modifiers"
        | "order_item_voids"
        | "order_status_history"
        | "order_discounts"
        | "order_taxes"
        | "payments"
        | "payment_corrections"
        | "refunds"
        | "refund_items"
        | "write_offs"
        | "order_slips" => touch.whole(Kind::Order, "order_id"),
        "kitchen_tickets" if op.kind == OpKind::Insert => Ok(vec![(Kind::Ticket, id)]),
        "kitchen_tickets" => both(vec![(Kind::Ticket, id)], touch.orders_of(id)?),
        "kitchen_ticket_items" => {
            both(touch.whole(Kind::Ticket, "ticket_id")?, touch.whole(Kind::Order, "order_id")?)
        }
        "dining_tables" => Ok(vec![(Kind::Table, id)]),
        "table_sessions" => touch.whole(Kind::Table, "table_id"),
        "menu_items" => dishes_of(conn, vec![(Kind::Item, id)]),
        "menu_prices" => dishes_of(conn, touch.whole(Kind::Item, "menu_item_id")?),
        "menu_item_modifier_groups" | "combo_components" => touch.whole(Kind::Item, "menu_item_id"),
        "combo_options" => match touch.named("component_id")? {
            Some(component) => {
                let sql = "SELECT menu_item_id FROM combo_components WHERE id = ?1";
                let combo = opt(conn, sql, [component], |row| row.get(0))?;
                Ok(combo.map(|combo| (Kind::Item, combo)).into_iter().collect())
            }
            None => Ok(Vec::new()),
        },
        "menu_availability" => match touch.named("option_id")? {
            Some(option) => {
                let sql = "SELECT group_id FROM modifier_options WHERE id = ?1";
                let group = opt(conn, sql, [option], |row| row.get(0))?;
                Ok(group.map(|group| (Kind::Group, group)).into_iter().collect())
            }
            None => dishes_of(conn, touch.whole(Kind::Item, "menu_item_id")?),
        },
        "menu_categories" => Ok(vec![(Kind::Category, id)]),
        "modifier_groups" => Ok(vec![(Kind::Group, id)]),
        "modifier_options" => touch.whole(Kind::Group, "group_id"),
        "price_lists" => Ok(vec![(Kind::PriceList, id)]),
        "price_list_entries" => touch.whole(Kind::PriceList, "price_list_id"),
        "notifications" => Ok(vec![(Kind::Notification, id)]),
        _ => Ok(Vec::new()),
    }
}
