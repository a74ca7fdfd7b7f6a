//! Rows of `kitchen_tickets` and `kitchen_ticket_items`. A ticket is always read and written with its items.

use crate::db::{self, Row, Source, Transaction, each, list as rows, one, opt};
use crate::http::{Page, Paging};
use crate::resources::kitchen::rules::{ItemStatus, Ticket, TicketItem, TicketStatus, TicketType};
use chrono::NaiveDate;
use rusqlite::{ToSql, params};
use std::collections::HashMap;
use tiffin_common::{Millis, Uuid};

const SELECT: &str = "SELECT t.id, t.outlet_id, t.station_id, s.name, t.ticket_number, t.business_date, t.order_id,
    t.order_number, t.token_number, t.order_type, t.table_number, t.type, t.course, t.status, t.priority, t.notes,
    t.copy_number, t.refers_to_id, t.target_minutes, t.created_at, t.fired_at, t.started_at, t.ready_at, t.served_at,
    t.cancelled_at, t.target_ready_at, t.acked_at, t.escalated_at, t.escalated_to_id, t.recalled_count, t.version, t.updated_at
  FROM kitchen_tickets t JOIN kitchen_stations s ON s.id = t.station_id";

// The conditions below say `+t.outlet_id`: the plus keeps the planner from walking through the outlet's whole history when
// the tickets' ids are at hand.

const OF_ORDER: &str = "+t.outlet_id = ?1 AND t.type IN ('NEW', 'ADDITION')
    AND t.id IN (SELECT ticket_id FROM kitchen_ticket_items WHERE order_id = ?2) ORDER BY t.id";

const OF_ORDER_ITEM: &str = "+t.outlet_id = ?1 AND t.type IN ('NEW', 'ADDITION')
    AND t.id IN (SELECT ticket_id FROM kitchen_ticket_items WHERE order_item_id = ?2) ORDER BY t.id";

const HELD: &str = "+t.outlet_id = ?1 AND t.status = 'HELD' AND t.course = ?3
    AND t.id IN (SELECT ticket_id FROM kitchen_ticket_items WHERE order_id = ?2) ORDER BY t.id";

const UNACKED: &str =
    "t.id IN (SELECT u.id FROM outlets o CROSS JOIN kitchen_tickets u INDEXED BY kitchen_tickets_unacked
      WHERE u.outlet_id = o.id AND u.acked_at IS NULL AND u.escalated_at IS NULL AND u.status = 'QUEUED'
        AND u.fired_at <= ?1 LIMIT 50) ORDER BY t.fired_at";

/// What every list wants.
const LISTED: &str = "+t.outlet_id = ?1 AND (?2 IS NULL OR t.station_id = ?2 OR t.escalated_to_id = ?2)
    AND (?3 = '' OR instr(?3, ',' || t.status || ',') > 0)";

const LISTED_ORDER: &str = " AND t.id IN (SELECT ticket_id FROM kitchen_ticket_items WHERE order_id = ?4)";

const LISTED_SINCE: &str = " AND t.outlet_id = ?1 AND t.business_date >= ?4 AND t.updated_at >= ?5";

/// What is open. The planner would rather walk through the outlet's whole history by another index.
const LISTED_OPEN: &str = " AND t.id IN (SELECT id FROM kitchen_tickets INDEXED BY kitchen_tickets_open
    WHERE outlet_id = ?1 AND status IN ('HELD', 'QUEUED', 'IN_PREPARATION', 'READY'))";

/// Tickets whose items are read by one statement; the statement has as many parameters, whatever the page.
const CHUNK: usize = 20;

fn read(row: &Row<'_>) -> db::Result<Ticket> {
    let date: String = row.get(5)?;
    Ok(Ticket {
        id: row.get(0)?,
        outlet_id: row.get(1)?,
        station_id: row.get(2)?,
        station_name: row.get(3)?,
        ticket_number: row.get(4)?,
        business_date: super::parsed(5, date.parse::<NaiveDate>())?,
        order_id: row.get(6)?,
        order_number: row.get(7)?,
        token_number: row.get(8)?,
        order_type: row.get(9)?,
        table_number: row.get(10)?,
        kind: super::word(row, 11, TicketType::of_name)?,
        course: row.get(12)?,
        status: super::word(row, 13, TicketStatus::of_name)?,
        priority: row.get(14)?,
        notes: row.get(15)?,
        copy_number: row.get(16)?,
        refers_to_id: row.get(17)?,
        target_minutes: row.get(18)?,
        created_at: row.get(19)?,
        fired_at: row.get(20)?,
        started_at: row.get(21)?,
        ready_at: row.get(22)?,
        served_at: row.get(23)?,
        cancelled_at: row.get(24)?,
        target_ready_at: row.get(25)?,
        acked_at: row.get(26)?,
        escalated_at: row.get(27)?,
        escalated_to_id: row.get(28)?,
        recalled_count: row.get(29)?,
        version: row.get(30)?,
        updated_at: row.get(31)?,
        items: Vec::new(),
    })
}

fn read_item(row: &Row<'_>) -> db::Result<(Uuid, TicketItem)> {
    let modifiers: String = row.get(7)?;
    let item = TicketItem {
        id: row.get(1)?,
        order_id: row.get(2)?,
        order_item_id: row.get(3)?,
        menu_item_id: row.get(4)?,
        name: row.get(5)?,
        quantity: row.get(6)?,
        modifiers: super::parsed(7, serde_json::from_str(&modifiers))?,
        notes: row.get(8)?,
        seat_number: row.get(9)?,
        status: super::word(row, 10, ItemStatus::of_name)?,
        started_at: row.get(11)?,
        ready_at: row.get(12)?,
    };
    Ok((row.get(0)?, item))
}

/// The tickets that `condition` (on `t`) finds, with their items.
fn select(conn: &dyn Source, condition: &str, params: &[&dyn ToSql]) -> db::Result<Vec<Ticket>> {
    let mut tickets = rows(conn, &format!("{SELECT} WHERE {condition}"), params, read)?;
    let places = (1..=CHUNK).map(|place| format!("?{place}")).collect::<Vec<_>>().join(", ");
    let sql = format!(
        "SELECT ticket_id, id, order_id, order_item_id, menu_item_id, name, quantity, modifiers, notes, seat_number, status,
           started_at, ready_at
         FROM kitchen_ticket_items WHERE ticket_id IN ({places}) ORDER BY id"
    );
    let at: HashMap<Uuid, usize> = tickets.iter().enumerate().map(|(i, ticket)| (ticket.id, i)).collect();
    let ids: Vec<Option<Uuid>> = tickets.iter().map(|ticket| Some(ticket.id)).collect();
    for chunk in ids.chunks(CHUNK) {
        let padded = chunk.iter().copied().chain(std::iter::repeat(None)).take(CHUNK);
        for (ticket_id, item) in rows(conn, &sql, each(padded), read_item)? {
            if let Some(ticket) = at.get(&ticket_id).and_then(|i| tickets.get_mut(*i)) {
                ticket.items.push(item);
            }
        }
    }
    Ok(tickets)
}

/// One ticket of the outlet.
pub(in super::super) fn ticket(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Option<Ticket>> {
    Ok(select(conn, "t.outlet_id = ?1 AND t.id = ?2", &[&outlet, &id])?.pop())
}

/// The cooked tickets that hold lines of the order, the oldest first.
pub(in super::super) fn of_order(conn: &dyn Source, outlet: Uuid, order: Uuid) -> db::Result<Vec<Ticket>> {
    select(conn, OF_ORDER, &[&outlet, &order])
}

/// The cooked tickets that hold the order's line, the oldest first.
pub(in super::super) fn of_order_item(
    conn: &dyn Source,
    outlet: Uuid,
    order_item: Uuid,
) -> db::Result<Vec<Ticket>> {
    select(conn, OF_ORDER_ITEM, &[&outlet, &order_item])
}

/// The held tickets of the order's course.
pub(in super::super) fn held(
    conn: &dyn Source,
    outlet: Uuid,
    order: Uuid,
    course: i64,
) -> db::Result<Vec<Ticket>> {
    select(conn, HELD, &[&outlet, &order, &course])
}

/// What nobody has acknowledged since `before`, the oldest first; at most 50.
pub(in super::super) fn unacked(conn: &dyn Source, before: Millis) -> db::Result<Vec<Ticket>> {
    select(conn, UNACKED, &[&before])
}

/// When the oldest ticket was fired that nobody has acknowledged and that was not escalated.
pub(in super::super) fn oldest_unacked(conn: &dyn Source) -> db::Result<Option<Millis>> {
    let sql = "SELECT min(fired_at) FROM (SELECT (
                 SELECT fired_at FROM kitchen_tickets INDEXED BY kitchen_tickets_unacked
                 WHERE outlet_id = o.id AND acked_at IS NULL AND escalated_at IS NULL AND status = 'QUEUED'
                 ORDER BY fired_at LIMIT 1) AS fired_at FROM outlets o)";
    one(conn, sql, [], |row| row.get(0))
}

/// Whether a station still has open tickets.
pub(in super::super) fn open_at_station(conn: &dyn Source, outlet: Uuid, station: Uuid) -> db::Result<bool> {
    let sql = "SELECT 1 FROM kitchen_tickets INDEXED BY kitchen_tickets_open WHERE outlet_id = ?1 AND station_id = ?2
               AND status IN ('HELD', 'QUEUED', 'IN_PREPARATION', 'READY') LIMIT 1";
    opt(conn, sql, [outlet, station], |_| Ok(())).map(|found| found.is_some())
}

/// Which tickets a list wants.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct Filter {
    /// Of this station, or escalated to it.
    pub(in super::super) station: Option<Uuid>,
    /// In these states; empty: any.
    pub(in super::super) statuses: Vec<TicketStatus>,
    /// Changed at or after this moment, and of this business date or later. None: only what is open.
    pub(in super::super) since: Option<(Millis, NaiveDate)>,
    /// With lines of this order: also what is closed.
    pub(in super::super) order: Option<Uuid>,
}

/// One page of the tickets that `filter` wants, in the order they are to be cooked.
pub(in super::super) fn list_tickets(
    conn: &dyn Source,
    outlet: Uuid,
    filter: &Filter,
    paging: Paging,
) -> db::Result<Page<Ticket>> {
    let statuses: String = filter.statuses.iter().map(|s| format!(",{},", s.name())).collect();
    let mut params: Vec<Box<dyn ToSql>> =
        vec![Box::new(outlet), Box::new(filter.station), Box::new(statuses)];
    let mut condition = LISTED.to_owned();
    match (filter.order, filter.since) {
        (Some(order), _) => {
            condition += LISTED_ORDER;
            params.push(Box::new(order));
        }
        (None, Some((moment, date))) => {
            condition += LISTED_SINCE;
            params.push(Box::new(date.to_string()));
            params.push(Box::new(moment));
        }
        (None, None) => condition += LISTED_OPEN,
    }
    let mut args: Vec<&dyn ToSql> = params.iter().map(AsRef::as_ref).collect();
    let count = format!("SELECT count(*) FROM kitchen_tickets t WHERE {condition}");
    let total = one(conn, &count, args.as_slice(), |row| row.get(0))?;
    let n = args.len();
    let page = format!(
        "{condition} ORDER BY t.priority DESC, t.created_at, t.id LIMIT ?{} OFFSET ?{}",
        n + 1,
        n + 2
    );
    args.push(&paging.limit);
    args.push(&paging.offset);
    Ok(Page { items: select(conn, &page, &args)?, total })
}

/// Inserts the ticket and its items; gives it the next number of its station and day.
pub(in super::super) fn insert_ticket(tx: &Transaction<'_>, t: &mut Ticket) -> db::Result<()> {
    let date = t.business_date.to_string();
    let next = "SELECT coalesce(max(ticket_number), 0) + 1 FROM kitchen_tickets WHERE station_id = ?1 AND business_date = ?2";
    t.ticket_number = one(tx, next, params![t.station_id, date], |row| row.get(0))?;
    tx.execute(
        "INSERT INTO kitchen_tickets (id, outlet_id, station_id, ticket_number, business_date, order_id, order_number,
           token_number, order_type, table_number, type, course, status, priority, notes, copy_number, refers_to_id,
           target_minutes, created_at, updated_at, fired_at, target_ready_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?19, ?20, ?21)",
        params![
            t.id,
            t.outlet_id,
            t.station_id,
            t.ticket_number,
            date,
            t.order_id,
            t.order_number,
            t.token_number,
            t.order_type,
            t.table_number,
            t.kind.name(),
            t.course,
            t.status.name(),
            t.priority,
            t.notes,
            t.copy_number,
            t.refers_to_id,
            t.target_minutes,
            t.created_at,
            t.fired_at,
            t.target_ready_at,
        ],
    )?;
    t.items.iter().try_for_each(|item| insert_item(tx, t, item))
}

fn insert_item(tx: &Transaction<'_>, ticket: &Ticket, i: &TicketItem) -> db::Result<()> {
    let modifiers = serde_json::to_string(&i.modifiers)
        .map_err(|error| db::DbError::from(rusqlite::Error::ToSqlConversionFailure(Box::new(error))))?;
    tx.execute(
        "INSERT INTO kitchen_ticket_items (id, outlet_id, ticket_id, order_id, order_item_id, menu_item_id, name, quantity,
           modifiers, notes, seat_number, status, started_at, ready_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
        params![
            i.id,
            ticket.outlet_id,
            ticket.id,
            i.order_id,
            i.order_item_id,
            i.menu_item_id,
            i.name,
            i.quantity,
            modifiers,
            i.notes,
            i.seat_number,
            i.status.name(),
            i.started_at,
            i.ready_at,
        ],
    )
    .map(drop)
}

/// Writes what differs between `before` and `t`: the ticket, changed items, new items. `t` gets its new version.
pub(in super::super) fn save_ticket(tx: &Transaction<'_>, before: &Ticket, t: &mut Ticket) -> db::Result<()> {
    t.version = t.version.saturating_add(1);
    t.updated_at = tx.now();
    tx.execute(
        "UPDATE kitchen_tickets SET order_id = ?2, order_number = ?3, token_number = ?4, table_number = ?5, status = ?6,
           priority = ?7, copy_number = ?8, fired_at = ?9, started_at = ?10, ready_at = ?11, served_at = ?12,
           cancelled_at = ?13, target_ready_at = ?14, acked_at = ?15, escalated_at = ?16, escalated_to_id = ?17,
           recalled_count = ?18, version = ?19, updated_at = ?20
         WHERE id = ?1",
        params![
            t.id,
            t.order_id,
            t.order_number,
            t.token_number,
            t.table_number,
            t.status.name(),
            t.priority,
            t.copy_number,
            t.fired_at,
            t.started_at,
            t.ready_at,
            t.served_at,
            t.cancelled_at,
            t.target_ready_at,
            t.acked_at,
            t.escalated_at,
            t.escalated_to_id,
            t.recalled_count,
            t.version,
            t.updated_at,
        ],
    )?;
    for item in &t.items {
        match before.items.iter().find(|old| old.id == item.id) {
            Some(old) if old == item => {}
            Some(_) => update_item(tx, item)?,
            None => insert_item(tx, t, item)?,
        }
    }
    Ok(())
}

fn update_item(tx: &Transaction<'_>, i: &TicketItem) -> db::Result<()> {
    tx.execute(
        "UPDATE kitchen_ticket_items SET order_id = ?2, order_item_id = ?3, quantity = ?4, notes = ?5, status = ?6,
           started_at = ?7, ready_at = ?8
         WHERE id = ?1",
        params![
            i.id,
            i.order_id,
            i.order_item_id,
            i.quantity,
            i.notes,
            i.status.name(),
            i.started_at,
            i.ready_at
        ],
    )
    .map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Fixture;

    /// A year of tickets must not slow down the next one: every statement goes by ids or by an index of its own.
    #[test]
    fn no_statement_walks_through_the_history() {
        let fixture = Fixture::new();
        let plan = |sql: String| fixture.plan(&sql).join("; ");
        let by_id = "SEARCH t USING INDEX sqlite_autoindex_kitchen_tickets_1 (id=?)";
        let by_date = "SEARCH t USING INDEX kitchen_tickets_by_date (outlet_id=? AND business_date>?)";
        let listed = |scope: &str| format!("{SELECT} WHERE {LISTED}{scope} ORDER BY t.priority LIMIT 20");
        let next =
            "SELECT max(ticket_number) FROM kitchen_tickets t WHERE station_id = ?1 AND business_date = ?2";
        let job = "SELECT 1 FROM print_jobs WHERE printer_address = ?1 AND status = 'QUEUED' ORDER BY created_at, id";
        for (sql, expected) in [
            (format!("{SELECT} WHERE t.outlet_id = ?1 AND t.id = ?2"), by_id),
            (format!("{SELECT} WHERE {OF_ORDER}"), by_id),
            (format!("{SELECT} WHERE {OF_ORDER_ITEM}"), by_id),
            (format!("{SELECT} WHERE {HELD}"), by_id),
            (format!("{SELECT} WHERE {UNACKED}"), by_id),
            (listed(LISTED_OPEN), by_id),
            (listed(LISTED_ORDER), by_id),
            (listed(LISTED_SINCE), by_date),
            (
                next.to_owned(),
                "USING COVERING INDEX kitchen_tickets_number (station_id=? AND business_date=?)",
            ),
            (job.to_owned(), "USING INDEX print_jobs_open (printer_address=?)"),
        ] {
            let plan = plan(sql.clone());
            assert!(plan.contains(expected) && !plan.contains("SCAN t"), "{sql}: {plan}");
        }
    }
}
