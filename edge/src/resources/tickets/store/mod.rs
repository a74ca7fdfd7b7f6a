//! Rows of tickets, their comments, and feedback. Every finder is scoped by outlet.

mod feedback;

pub use feedback::{
    Figures, Wanted, find as find_feedback, has_order, has_seating, insert as insert_feedback,
    list as list_feedback, sum_feedback, update as update_feedback,
};

use super::rules::{Comment, Draft, Priority, Ticket, TicketStatus, Viewer};
use crate::access::Actor;
use crate::db::{self, Columns, Page, Row, Source, Tx, opt, page, table};
use crate::http::Paging;
use rusqlite::params;
use tiffin_common::{Millis, Uuid};

/// The statement that reads the outlet's queries, unless archived, with what follows.
fn select(rest: &str) -> String {
    let more = "e.name AS assignee_name, (SELECT count(*) FROM ticket_comments c WHERE c.ticket_id = t.id) AS comments";
    let from =
        "LEFT JOIN employees e ON e.id = t.assignee_id WHERE t.outlet_id = ?1 AND t.archived_at IS NULL";
    table::select::<Ticket>("t", more, &format!("{from} AND {rest}"))
}

fn read(row: &Row<'_>) -> db::Result<Ticket> {
    let (assignee_name, comments) = (row.get("assignee_name")?, row.get("comments")?);
    Ok(Ticket { assignee_name, comments, ..Ticket::read(row)? })
}

/// The query of that id, unless archived.
pub fn find(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Option<Ticket>> {
    opt(conn, &select("t.id = ?2"), [outlet, id], read)
}

/// Which queries; none of a field: any.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// In this state.
    pub status: Option<TicketStatus>,
    /// This urgent.
    pub priority: Option<Priority>,
    /// About this.
    pub category: Option<String>,
    /// Seen to by this employee.
    pub assignee_id: Option<Uuid>,
    /// Only what the viewer raised or sees to.
    pub mine: bool,
}

/// A page of the queries `viewer` may read, newest first.
pub fn list(
    conn: &dyn Source,
    outlet: Uuid,
    viewer: Viewer,
    filter: Filter,
    paging: Paging,
) -> db::Result<Page<Ticket>> {
    let condition = "(?2 IS NULL OR t.status = ?2) AND (?3 IS NULL OR t.priority = ?3)
      AND (?4 IS NULL OR t.category = ?4) AND (?5 IS NULL OR t.assignee_id = ?5)
      AND (?6 OR t.raised_by = ?7 OR t.assignee_id = ?8)";
    let Filter { status, priority, category, assignee_id, mine } = filter;
    let (all, account, employee) = (viewer.manages && !mine, viewer.account, viewer.employee);
    let count = format!(
        "SELECT count(*) FROM tickets t WHERE t.outlet_id = ?1 AND t.archived_at IS NULL AND {condition}"
    );
    let sql = select(&format!("{condition} ORDER BY t.created_at DESC, t.id DESC"));
    let args = params![outlet, status, priority, category, assignee_id, all, account, employee];
    page(conn, (&sql, &count), args, paging.into(), read)
}

/// Writes a new query as raised by `actor`.
pub fn insert(tx: &Tx<'_>, actor: &Actor, draft: &Draft) -> db::Result<Uuid> {
    let (id, now) = (tx.new_id(), tx.now());
    insert!(
        tx,
        tickets {
            id: id,
            outlet_id: actor.outlet_id,
            raised_by: actor.account_id,
            raised_by_name: actor.name,
            created_at: now,
            updated_at: now,
            ..draft
        }
    )?;
    Ok(id)
}

/// Makes a query what `draft` says.
pub fn update(
    tx: &Tx<'_>,
    outlet: Uuid,
    id: Uuid,
    draft: &Draft,
    resolved_at: Option<Millis>,
) -> db::Result<()> {
    update!(tx, tickets {
        resolved_at: resolved_at, updated_at: tx.now(), ..draft; "version = version + 1"
    } where { id: id, outlet_id: outlet })
    .map(drop)
}

/// Archives a query.
pub fn set_archived(tx: &Tx<'_>, outlet: Uuid, id: Uuid) -> db::Result<()> {
    let now = tx.now();
    update!(tx, tickets { archived_at: now, updated_at: now; "version = version + 1" } where { id: id, outlet_id: outlet })
        .map(drop)
}

/// A page of what was said about a query, oldest first.
pub fn list_comments(
    conn: &dyn Source,
    outlet: Uuid,
    ticket: Uuid,
    paging: Paging,
) -> db::Result<Page<Comment>> {
    Page::read(conn, ("outlet_id = ?1 AND ticket_id = ?2", "at, id"), params![outlet, ticket], paging)
}

/// Writes what `actor` says about a query.
pub fn insert_comment(tx: &Tx<'_>, actor: &Actor, ticket: Uuid, body: &str) -> db::Result<Comment> {
    let comment = Comment {
        id: tx.new_id(),
        body: body.to_owned(),
        by_id: actor.account_id,
        by_name: actor.name.clone(),
        at: tx.now(),
    };
    insert!(tx, ticket_comments { outlet_id: actor.outlet_id, ticket_id: ticket, ..&comment })?;
    Ok(comment)
}
