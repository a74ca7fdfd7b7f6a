//! Rows of tickets, their comments, and feedback. Every finder is scoped by outlet.

mod feedback;

pub use feedback::{
    Figures, Wanted, find as find_feedback, for_order, for_seating, insert as insert_feedback,
    list as list_feedback, summary, update as update_feedback,
};

use super::rules::{Draft, Priority, Ticket, TicketStatus, Viewer};
use crate::access::Actor;
use crate::db::{self, Row, Source, Transaction, list as rows, one, opt};
use crate::http::{Page, Paging};
use rusqlite::params;
use rusqlite::types::Type;
use tiffin_common::{Millis, Uuid};

const TICKET: &str = "t.id, t.subject, t.body, t.category, t.priority, t.status, t.assignee_id, e.name, t.raised_by,
    t.raised_by_name, (SELECT count(*) FROM ticket_comments c WHERE c.ticket_id = t.id), t.version, t.created_at,
    t.updated_at, t.resolved_at
  FROM tickets t LEFT JOIN employees e ON e.id = t.assignee_id
  WHERE t.outlet_id = ?1 AND t.archived_at IS NULL";

/// The named value of a column.
fn name<T>(row: &Row<'_>, column: usize, read: impl FnOnce(&str) -> Option<T>) -> db::Result<T> {
    read(row.get_ref(column)?.as_str()?).ok_or_else(|| {
        db::DbError::from(rusqlite::Error::FromSqlConversionFailure(
            column,
            Type::Text,
            "an unknown name".into(),
        ))
    })
}

fn read(row: &Row<'_>) -> db::Result<Ticket> {
    let draft = Draft {
        subject: row.get(1)?,
        body: row.get(2)?,
        category: row.get(3)?,
        priority: name(row, 4, Priority::of_name)?,
        status: name(row, 5, TicketStatus::of_name)?,
        assignee_id: row.get(6)?,
    };
    Ok(Ticket {
        id: row.get(0)?,
        draft,
        assignee_name: row.get(7)?,
        raised_by: row.get(8)?,
        raised_by_name: row.get(9)?,
        comments: row.get(10)?,
        version: row.get(11)?,
        created_at: row.get(12)?,
        updated_at: row.get(13)?,
        resolved_at: row.get(14)?,
    })
}

/// The query of that id, unless archived.
pub fn find(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Option<Ticket>> {
    opt(conn, &format!("SELECT {TICKET} AND t.id = ?2"), params![outlet, id], read)
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
    let status = filter.status.map(TicketStatus::name);
    let priority = filter.priority.map(Priority::name);
    let category = filter.category;
    let all = viewer.manages && !filter.mine;
    let (assignee, account, employee) = (filter.assignee_id, viewer.account, viewer.employee);
    let count = format!(
        "SELECT count(*) FROM tickets t WHERE t.outlet_id = ?1 AND t.archived_at IS NULL AND {condition}"
    );
    let args = params![outlet, status, priority, category, assignee, all, account, employee];
    let total = one(conn, &count, args, |row| row.get(0))?;
    let sql =
        format!("SELECT {TICKET} AND {condition} ORDER BY t.created_at DESC, t.id DESC LIMIT ?9 OFFSET ?10");
    let (limit, offset) = (paging.limit, paging.offset);
    let args = params![outlet, status, priority, category, assignee, all, account, employee, limit, offset];
    Ok(Page { items: rows(conn, &sql, args, read)?, total })
}

/// Writes a new query as raised by `actor`.
pub fn insert(tx: &Transaction<'_>, actor: &Actor, draft: &Draft) -> db::Result<Uuid> {
    let id = tx.new_id();
    tx.execute(
        "INSERT INTO tickets (id, outlet_id, subject, body, category, priority, status, assignee_id, raised_by,
           raised_by_name, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?11)",
        params![
            id,
            actor.outlet_id,
            draft.subject,
            draft.body,
            draft.category,
            draft.priority.name(),
            draft.status.name(),
            draft.assignee_id,
            actor.account_id,
            actor.name,
            tx.now(),
        ],
    )?;
    Ok(id)
}

/// Makes a query what `draft` says.
pub fn update(
    tx: &Transaction<'_>,
    outlet: Uuid,
    id: Uuid,
    draft: &Draft,
    resolved_at: Option<Millis>,
) -> db::Result<()> {
    tx.execute(
        "UPDATE tickets SET subject = ?3, body = ?4, category = ?5, priority = ?6, status = ?7, assignee_id = ?8,
           resolved_at = ?9, updated_at = ?10, version = version + 1
         WHERE id = ?1 AND outlet_id = ?2",
        params![
            id,
            outlet,
            draft.subject,
            draft.body,
            draft.category,
            draft.priority.name(),
            draft.status.name(),
            draft.assignee_id,
            resolved_at,
            tx.now(),
        ],
    )
    .map(drop)
}

/// Archives a query.
pub fn archive(tx: &Transaction<'_>, outlet: Uuid, id: Uuid) -> db::Result<()> {
    let sql = "UPDATE tickets SET archived_at = ?3, updated_at = ?3, version = version + 1
               WHERE id = ?1 AND outlet_id = ?2";
    tx.execute(sql, params![id, outlet, tx.now()]).map(drop)
}

/// What somebody said about a query.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the columns of ticket_comments")]
pub struct Comment {
    pub id: Uuid,
    pub body: String,
    pub by_id: Option<Uuid>,
    pub by_name: String,
    pub at: Millis,
}

fn read_comment(row: &Row<'_>) -> db::Result<Comment> {
    Ok(Comment {
        id: row.get(0)?,
        body: row.get(1)?,
        by_id: row.get(2)?,
        by_name: row.get(3)?,
        at: row.get(4)?,
    })
}

/// A page of what was said about a query, oldest first.
pub fn comments(conn: &dyn Source, outlet: Uuid, ticket: Uuid, paging: Paging) -> db::Result<Page<Comment>> {
    let condition = "outlet_id = ?1 AND ticket_id = ?2";
    let count = format!("SELECT count(*) FROM ticket_comments WHERE {condition}");
    let total = one(conn, &count, params![outlet, ticket], |row| row.get(0))?;
    let sql = format!(
        "SELECT id, body, by_id, by_name, at FROM ticket_comments WHERE {condition}
         ORDER BY at, id LIMIT ?3 OFFSET ?4"
    );
    let items = rows(conn, &sql, params![outlet, ticket, paging.limit, paging.offset], read_comment)?;
    Ok(Page { items, total })
}

/// Writes what `actor` says about a query.
pub fn insert_comment(tx: &Transaction<'_>, actor: &Actor, ticket: Uuid, body: &str) -> db::Result<Comment> {
    let (id, at) = (tx.new_id(), tx.now());
    tx.execute(
        "INSERT INTO ticket_comments (id, outlet_id, ticket_id, body, by_id, by_name, at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![id, actor.outlet_id, ticket, body, actor.account_id, actor.name, at],
    )?;
    Ok(Comment { id, body: body.to_owned(), by_id: actor.account_id, by_name: actor.name.clone(), at })
}
