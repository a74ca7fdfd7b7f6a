//! Rows of `kitchen_tickets` and `kitchen_ticket_items`. A ticket is always read and written with its items.

use crate::db::{self, Columns, Json, Row, Source, Tx, each, list as rows, one, opt, table};
use crate::http::{Page, Paging};
use crate::resources::kitchen::rules::{OfOrder, Ticket, TicketItem, TicketStatus};
use chrono::NaiveDate;
use rusqlite::{ToSql, params};
use std::collections::HashMap;
use tiffin_common::{Millis, Uuid};

/// What is read with a ticket: its station's name, and what its order says.
const NAME: &str = "s.name AS station_name, o.server_id, o.server_name, o.guest_count, o.scheduled_for, g.name AS customer_name";

const STATION: &str = "JOIN kitchen_stations s ON s.id = t.station_id
    LEFT JOIN orders o ON o.id = t.order_id AND o.outlet_id = t.outlet_id
    LEFT JOIN guests g ON g.id = t.order_id AND g.outlet_id = t.outlet_id WHERE";

// The conditions below say `+t.outlet_id`: the plus keeps the planner from walking through the outlet's whole history when
// the tickets' ids are at hand.

const OF_ORDER: &str = "+t.outlet_id = ?1 AND t.type IN ('NEW', 'ADDITION')
    AND t.id IN (SELECT ticket_id FROM kitchen_ticket_items WHERE order_id = ?2) ORDER BY t.id";

const OF_ORDER_ITEM: &str = "+t.outlet_id = ?1 AND t.type IN ('NEW', 'ADDITION')
    AND t.id IN (SELECT ticket_id FROM kitchen_ticket_items WHERE order_item_id = ?2) ORDER BY t.id";

const HELD: &str = "+t.outlet_id = ?1 AND t.status = 'HELD' AND (?3 IS NULL OR t.course = ?3)
    AND t.id IN (SELECT ticket_id FROM kitchen_ticket_items WHERE order_id = ?2) ORDER BY t.id";

const UNACKED: &str =
    "t.id IN (SELECT u.id FROM outlets o CROSS JOIN kitchen_tickets u INDEXED BY kitchen_tickets_unacked
      WHERE u.outlet_id = o.id AND u.acked_at IS NULL AND u.escalated_at IS NULL AND u.status = 'QUEUED'
        AND u.fired_at <= ?1 LIMIT 50) ORDER BY t.fired_at";

const OPEN_HERE: &str = "+t.outlet_id = ?1 AND (t.station_id = ?2 OR t.escalated_to_id = ?2)
    AND t.id IN (SELECT id FROM kitchen_tickets INDEXED BY kitchen_tickets_open
      WHERE outlet_id = ?1 AND status IN ('HELD', 'QUEUED', 'IN_PREPARATION', 'READY'))
    ORDER BY t.created_at, t.id LIMIT 1000";

const UNACKED_HERE: &str = "+t.outlet_id = ?1 AND t.status = 'QUEUED' AND t.acked_at IS NULL
    AND (t.station_id = ?2 OR t.escalated_to_id = ?2)
    AND t.id IN (SELECT id FROM kitchen_tickets INDEXED BY kitchen_tickets_open
      WHERE outlet_id = ?1 AND status IN ('HELD', 'QUEUED', 'IN_PREPARATION', 'READY'))
    ORDER BY t.created_at, t.id LIMIT 500";

const PASS: &str = "+t.outlet_id = ?1 AND t.type IN ('NEW', 'ADDITION') AND t.id IN (
      SELECT i.ticket_id FROM kitchen_ticket_items i WHERE i.order_id IN (
        SELECT order_id FROM kitchen_tickets INDEXED BY kitchen_tickets_open
        WHERE outlet_id = ?1 AND status IN ('HELD', 'QUEUED', 'IN_PREPARATION', 'READY')))
    ORDER BY t.created_at, t.id LIMIT 1000";

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
    let of_order =
        read!(row => OfOrder { server_id, server_name, guest_count, customer_name, scheduled_for });
    Ok(Ticket { station_name: row.get("station_name")?, of_order, ..Ticket::read(row)? })
}

/// The tickets that `sql` finds, with their items.
fn with_items(conn: &dyn Source, sql: &str, params: &[&dyn ToSql]) -> db::Result<Vec<Ticket>> {
    let mut tickets = rows(conn, sql, params, read)?;
    let sql = select!(TicketItem as i, "i.ticket_id, m.allergens", &{
        let places: Vec<String> = (1..=CHUNK).map(|place| format!("?{place}")).collect();
        let dish = "LEFT JOIN menu_items m ON m.id = i.menu_item_id AND m.outlet_id = i.outlet_id";
        format!("{dish} WHERE i.ticket_id IN ({}) ORDER BY i.id", places.join(", "))
    });
    let at: HashMap<Uuid, usize> = tickets.iter().enumerate().map(|(i, ticket)| (ticket.id, i)).collect();
    let ids: Vec<Option<Uuid>> = tickets.iter().map(|ticket| Some(ticket.id)).collect();
    for chunk in ids.chunks(CHUNK) {
        let padded = chunk.iter().copied().chain(std::iter::repeat(None)).take(CHUNK);
        let items = rows(conn, sql, each(padded), |row| {
            let allergens: Option<Json<Vec<String>>> = row.get("allergens")?;
            let allergens = allergens.map(|all| all.0).unwrap_or_default();
            Ok((row.get::<_, Uuid>("ticket_id")?, TicketItem { allergens, ..TicketItem::read(row)? }))
        })?;
        for (ticket_id, item) in items {
            if let Some(ticket) = at.get(&ticket_id).and_then(|i| tickets.get_mut(*i)) {
                ticket.items.push(item);
            }
        }
    }
    Ok(tickets)
}

/// One ticket of the outlet.
pub fn find_ticket(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Option<Ticket>> {
    let sql = select!(Ticket as t, NAME, &format!("{STATION} t.outlet_id = ?1 AND t.id = ?2"));
    Ok(with_items(conn, sql, params![outlet, id])?.pop())
}

pub(super) const COMBOS: &str = "SELECT id, combo_id FROM order_items
    WHERE +outlet_id = ?1 AND id IN (SELECT unhex(value, '-') FROM json_each(?2)) AND combo_id IS NOT NULL";

/// The combos that these lines of orders are components of, by the lines. Orders are orders'; this only looks.
pub fn list_combos(
    conn: &dyn Source,
    outlet: Uuid,
    order_items: Vec<Uuid>,
) -> db::Result<HashMap<Uuid, Uuid>> {
    let read = |row: &Row<'_>| Ok((row.get("id")?, row.get("combo_id")?));
    Ok(rows(conn, COMBOS, params![outlet, Json(order_items)], read)?.into_iter().collect())
}

/// The cooked tickets that hold lines of the order, the oldest first.
pub fn list_of_order(conn: &dyn Source, outlet: Uuid, order: Uuid) -> db::Result<Vec<Ticket>> {
    with_items(conn, select!(Ticket as t, NAME, &format!("{STATION} {OF_ORDER}")), params![outlet, order])
}

/// The cooked tickets that hold the order's line, the oldest first.
pub fn list_of_order_item(conn: &dyn Source, outlet: Uuid, order_item: Uuid) -> db::Result<Vec<Ticket>> {
    let sql = select!(Ticket as t, NAME, &format!("{STATION} {OF_ORDER_ITEM}"));
    with_items(conn, sql, params![outlet, order_item])
}

/// The tickets of the outlet that are open, with those of their orders that have gone out: what the pass sees, the oldest first. Of
/// the station alone, what is open; at most 1000.
pub fn list_open(conn: &dyn Source, outlet: Uuid, station: Option<Uuid>) -> db::Result<Vec<Ticket>> {
    match station {
        Some(station) => {
            let sql = select!(Ticket as t, NAME, &format!("{STATION} {OPEN_HERE}"));
            with_items(conn, sql, params![outlet, station])
        }
        None => with_items(conn, select!(Ticket as t, NAME, &format!("{STATION} {PASS}")), params![outlet]),
    }
}

/// Tickets at a station that nobody has acknowledged, the oldest first; at most 500.
pub fn list_unacked_at(conn: &dyn Source, outlet: Uuid, station: Uuid) -> db::Result<Vec<Ticket>> {
    let sql = select!(Ticket as t, NAME, &format!("{STATION} {UNACKED_HERE}"));
    with_items(conn, sql, params![outlet, station])
}

/// The held tickets of the order's course, or of all its courses.
pub fn list_held(
    conn: &dyn Source,
    outlet: Uuid,
    order: Uuid,
    course: Option<i64>,
) -> db::Result<Vec<Ticket>> {
    let sql = select!(Ticket as t, NAME, &format!("{STATION} {HELD}"));
    with_items(conn, sql, params![outlet, order, course])
}

/// What nobody has acknowledged since `before`, the oldest first; at most 50.
pub fn list_unacked(conn: &dyn Source, before: Millis) -> db::Result<Vec<Ticket>> {
    with_items(conn, select!(Ticket as t, NAME, &format!("{STATION} {UNACKED}")), params![before])
}

/// When the oldest ticket was fired that nobody has acknowledged and that was not escalated.
pub fn find_oldest_unacked(conn: &dyn Source) -> db::Result<Option<Millis>> {
    let sql = "SELECT min(fired_at) FROM (SELECT (
                 SELECT fired_at FROM kitchen_tickets INDEXED BY kitchen_tickets_unacked
                 WHERE outlet_id = o.id AND acked_at IS NULL AND escalated_at IS NULL AND status = 'QUEUED'
                 ORDER BY fired_at LIMIT 1) AS fired_at FROM outlets o)";
    one(conn, sql, [], |row| row.get(0))
}

/// Whether a station still has open tickets.
pub fn has_open_tickets(conn: &dyn Source, outlet: Uuid, station: Uuid) -> db::Result<bool> {
    let sql = "SELECT 1 FROM kitchen_tickets INDEXED BY kitchen_tickets_open WHERE outlet_id = ?1 AND station_id = ?2
               AND status IN ('HELD', 'QUEUED', 'IN_PREPARATION', 'READY') LIMIT 1";
    opt(conn, sql, [outlet, station], |_| Ok(())).map(|found| found.is_some())
}

/// Which tickets a list wants.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Of this station, or escalated to it.
    pub station: Option<Uuid>,
    /// In these states; empty: any.
    pub statuses: Vec<TicketStatus>,
    /// Changed at or after this moment, and of this business date or later. None: only what is open.
    pub since: Option<(Millis, NaiveDate)>,
    /// With lines of this order: also what is closed.
    pub order: Option<Uuid>,
}

/// One page of the tickets that `filter` wants, in the order they are to be cooked.
pub fn list_tickets(
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
            params.push(Box::new(date));
            params.push(Box::new(moment));
        }
        (None, None) => condition += LISTED_OPEN,
    }
    let mut args: Vec<&dyn ToSql> = params.iter().map(AsRef::as_ref).collect();
    let count = format!("SELECT count(*) FROM kitchen_tickets t WHERE {condition}");
    let total = one(conn, &count, args.as_slice(), |row| row.get(0))?;
    let n = args.len();
    let rest = format!(
        "{STATION} {condition} ORDER BY t.priority DESC, t.created_at, t.id LIMIT ?{} OFFSET ?{}",
        n + 1,
        n + 2
    );
    args.extend([&paging.limit as &dyn ToSql, &paging.offset]);
    Ok(Page { items: with_items(conn, &table::select::<Ticket>("t", NAME, &rest), &args)?, total })
}

/// Inserts the ticket and its items; gives it the next number of its station and day.
pub fn insert_ticket(tx: &Tx<'_>, t: &mut Ticket) -> db::Result<()> {
    let next = "SELECT coalesce(max(ticket_number), 0) + 1 FROM kitchen_tickets WHERE station_id = ?1 AND business_date = ?2";
    t.ticket_number = one(tx, next, params![t.station_id, t.business_date], |row| row.get(0))?;
    let ticket = &*t;
    insert!(tx, kitchen_tickets { ..ticket })?;
    insert_all!(tx, kitchen_ticket_items { outlet_id: t.outlet_id, ticket_id: t.id, ..&t.items })
}

fn insert_item(tx: &Tx<'_>, ticket: &Ticket, item: &TicketItem) -> db::Result<()> {
    insert!(tx, kitchen_ticket_items { outlet_id: ticket.outlet_id, ticket_id: ticket.id, ..item })
}

/// Writes what differs between `before` and `t`: the ticket, changed items, new items. `t` gets its new version.
pub fn update_ticket(tx: &Tx<'_>, before: &Ticket, t: &mut Ticket) -> db::Result<()> {
    t.version = t.version.saturating_add(1);
    t.updated_at = tx.now();
    update!(tx, kitchen_tickets {
        order_id: t.order_id, order_number: t.order_number, token_number: t.token_number, table_number: t.table_number,
        order_type: t.order_type, notes: t.notes, status: t.status, priority: t.priority, copy_number: t.copy_number, fired_at: t.fired_at, started_at: t.started_at,
        ready_at: t.ready_at, served_at: t.served_at, cancelled_at: t.cancelled_at, target_ready_at: t.target_ready_at,
        acked_at: t.acked_at, escalated_at: t.escalated_at, escalated_to_id: t.escalated_to_id,
        recalled_count: t.recalled_count, version: t.version, updated_at: t.updated_at,
    } where { id: t.id })?;
    for item in &t.items {
        match before.items.iter().find(|old| old.id == item.id) {
            Some(old) if old == item => {}
            Some(_) => update_item(tx, item)?,
            None => insert_item(tx, t, item)?,
        }
    }
    Ok(())
}

fn update_item(tx: &Tx<'_>, i: &TicketItem) -> db::Result<()> {
    update!(tx, kitchen_ticket_items {
        order_id: i.order_id, order_item_id: i.order_item_id, quantity: i.quantity, notes: i.notes, status: i.status, weight: i.weight,
        started_at: i.started_at, ready_at: i.ready_at,
    } where { id: i.id })
}

/// Whether the ticket had no acknowledgement and has one now, because its station works on paper and has it.
pub fn set_paper_acked(tx: &Tx<'_>, ticket: Uuid) -> db::Result<()> {
    let sql = "UPDATE kitchen_tickets SET acked_at = ?2, updated_at = ?2, version = version + 1
               WHERE id = ?1 AND acked_at IS NULL AND escalated_at IS NULL
                 AND station_id IN (SELECT id FROM kitchen_stations WHERE print_tickets = 1)";
    tx.execute(sql, params![ticket, tx.now()])
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
        let select = |rest: &str| table::select::<Ticket>("t", NAME, &format!("{STATION} {rest}"));
        let listed = |scope: &str| select(&format!("{LISTED}{scope} ORDER BY t.priority LIMIT 20"));
        let next =
            "SELECT max(ticket_number) FROM kitchen_tickets t WHERE station_id = ?1 AND business_date = ?2";
        let job = "SELECT 1 FROM print_jobs WHERE ticket_id = ?1";
        for (sql, expected) in [
            (select("t.outlet_id = ?1 AND t.id = ?2"), by_id),
            (select(OF_ORDER), by_id),
            (select(OF_ORDER_ITEM), by_id),
            (select(HELD), by_id),
            (select(UNACKED), by_id),
            (select(OPEN_HERE), by_id),
            (select(UNACKED_HERE), by_id),
            (select(PASS), by_id),
            (listed(LISTED_OPEN), by_id),
            (listed(LISTED_ORDER), by_id),
            (listed(LISTED_SINCE), by_date),
            (
                next.to_owned(),
                "USING COVERING INDEX kitchen_tickets_number (station_id=? AND business_date=?)",
            ),
            (job.to_owned(), "print_jobs_by_ticket (ticket_id=?)"),
        ] {
            let plan = plan(sql.clone());
            assert!(plan.contains(expected) && !plan.contains("SCAN t"), "{sql}: {plan}");
        }
    }
}
