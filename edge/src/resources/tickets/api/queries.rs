//! Staff queries over HTTP.

use super::super::rules::{Comment, Draft, OTHER, Priority, Ticket, TicketError, TicketStatus, Viewer};
use super::super::{actions, store};
use crate::access::Cx;
use crate::db::Source;
use crate::http::{Created, Data, Id, Json, Paged, Paging, Patch, Query, Replace, Result, Updated};
use tiffin_common::{Millis, Uuid};

view! {
    /// A query of the staff.
    #[schemars(rename = "Ticket")]
    pub struct TicketView of ticket: Ticket {
        id: Uuid,
        subject: String = ticket.draft.subject,
        body: String = ticket.draft.body,
        /// What it is about, in the house's own words.
        category: String = ticket.draft.category,
        /// How urgent it is.
        priority: Priority = ticket.draft.priority,
        status: TicketStatus = ticket.draft.status,
        /// The employee who sees to it.
        assignee_id: Option<Uuid> = ticket.draft.assignee_id,
        assignee_name: Option<String>,
        /// The account that raised it.
        raised_by: Option<Uuid>,
        raised_by_name: String,
        /// How much was said about it.
        comments_count: i64 = ticket.comments,
        version: i64,
        created_at: Millis,
        updated_at: Millis,
        /// When it was last resolved or closed, while it is.
        resolved_at: Option<Millis>,
    }
}

view! {
    /// What somebody said about a query.
    pub struct TicketComment of comment: Comment {
        id: Uuid,
        body: String,
        /// The account that wrote it.
        by: Option<Uuid> = comment.by_id,
        by_name: String,
        at: Millis,
    }
}

/// A query with what was said about it.
#[apply(answer!)]
pub struct TicketDetail {
    #[serde(flatten)]
    ticket: TicketView,
    /// The first hundred comments, oldest first; `GET /tickets/{id}/comments` has all.
    comments: Vec<TicketComment>,
}

/// Filters of the list.
#[apply(request!)]
pub struct ListTickets {
    /// Only queries of this status.
    status: Option<TicketStatus>,
    /// Only queries of this priority.
    priority: Option<Priority>,
    /// Only queries of this category.
    category: Option<String>,
    /// Seen to by this employee.
    assignee_id: Option<Uuid>,
    /// Only what the caller raised or sees to; without `tickets:manage` that is always so.
    #[serde(default)]
    mine: bool,
    #[serde(flatten)]
    paging: Paging,
}

/// Lists queries.
pub async fn list_tickets(cx: Cx, Query(query): Query<ListTickets>) -> Result<Paged<TicketView>> {
    let ListTickets { status, priority, category, assignee_id, mine, paging } = query;
    let filter = store::Filter { status, priority, category, assignee_id, mine };
    let viewer = actions::viewer(&cx.actor());
    cx.list(paging, move |conn, outlet| store::list(conn, outlet, viewer, filter, paging)).await
}

/// A new query.
#[apply(request!)]
pub struct CreateTicket {
    /// In a line.
    #[schemars(length(min = 1, max = 200))]
    subject: String,
    /// What it is about, in full.
    #[schemars(length(min = 1, max = 5_000))]
    body: String,
    /// In a word, such as MAINTENANCE, IT, HR, PAYROLL, SUPPLIES or SAFETY; OTHER unless given.
    #[schemars(length(min = 1, max = 40))]
    category: Option<String>,
    /// NORMAL unless given.
    priority: Option<Priority>,
    /// The employee who is to see to it; needs `tickets:manage`.
    assignee_id: Option<Uuid>,
}

/// Raises a query.
pub async fn create_ticket(cx: Cx, Json(body): Json<CreateTicket>) -> Result<Created<TicketView>> {
    let draft = Draft {
        subject: body.subject,
        body: body.body,
        category: body.category.unwrap_or_else(|| OTHER.to_owned()),
        priority: body.priority.unwrap_or(Priority::Normal),
        status: TicketStatus::Open,
        assignee_id: body.assignee_id,
    };
    cx.create(move |tx, actor| actions::raise(tx, actor, draft)).await
}

/// The query of that id, if the caller may see it.
fn find(conn: &dyn Source, outlet: Uuid, id: Uuid, viewer: Viewer) -> Result<Ticket, TicketError> {
    let found = store::find(conn, outlet, id)?.filter(|ticket| viewer.may_read(ticket));
    found.ok_or(TicketError::NotFound("ticket"))
}

/// One query.
pub async fn get_ticket(cx: Cx, Id(id): Id) -> Result<Data<TicketDetail>> {
    let viewer = actions::viewer(&cx.actor());
    let (ticket, comments) = cx
        .read(move |conn, outlet| -> Result<_, TicketError> {
            let ticket = find(conn, outlet, id, viewer)?;
            let comments = store::list_comments(conn, outlet, id, Paging { limit: 100, offset: 0 })?;
            Ok((ticket, comments.items))
        })
        .await?;
    let comments = comments.into_iter().map(TicketComment::from).collect();
    Ok(Data::new(TicketDetail { ticket: ticket.into(), comments }))
}

/// A change of a query.
#[apply(request!)]
pub struct UpdateTicket {
    #[serde(default)]
    #[schemars(length(min = 1, max = 200))]
    subject: Replace<String>,
    #[serde(default)]
    #[schemars(length(min = 1, max = 5_000))]
    body: Replace<String>,
    /// What it is about, in the house's own words.
    #[serde(default)]
    #[schemars(length(min = 1, max = 40))]
    category: Replace<String>,
    #[serde(default)]
    priority: Replace<Priority>,
    #[serde(default)]
    status: Replace<TicketStatus>,
    #[serde(default)]
    assignee_id: Patch<Uuid>,
}

impl UpdateTicket {
    fn over(self, current: Draft) -> Draft {
        Draft {
            subject: self.subject.apply(current.subject),
            body: self.body.apply(current.body),
            category: self.category.apply(current.category),
            priority: self.priority.apply(current.priority),
            status: self.status.apply(current.status),
            assignee_id: self.assignee_id.apply(current.assignee_id),
        }
    }
}

/// Changes a query.
pub async fn update_ticket(
    cx: Cx,
    Id(id): Id,
    Json(body): Json<UpdateTicket>,
) -> Result<Updated<TicketView>> {
    cx.change(move |tx, actor, expected| {
        let change = |draft| body.over(draft);
        actions::change(tx, actor, id, expected, change)
    })
    .await
}

/// Puts a query away.
pub async fn delete_ticket(cx: Cx, Id(id): Id) -> Result<Updated<TicketView>> {
    cx.change(move |tx, actor, expected| actions::archive(tx, actor, id, expected)).await
}

/// What was said about a query.
pub async fn list_ticket_comments(
    cx: Cx,
    Id(id): Id,
    Query(paging): Query<Paging>,
) -> Result<Paged<TicketComment>> {
    let viewer = actions::viewer(&cx.actor());
    cx.list(paging, move |conn, outlet| -> Result<_, TicketError> {
        find(conn, outlet, id, viewer)?;
        Ok(store::list_comments(conn, outlet, id, paging)?)
    })
    .await
}

/// Something to say about a query.
#[apply(request!)]
pub struct CreateTicketComment {
    #[schemars(length(min = 1, max = 5_000))]
    body: String,
}

/// Says something about a query.
pub async fn create_ticket_comment(
    cx: Cx,
    Id(id): Id,
    Json(body): Json<CreateTicketComment>,
) -> Result<Created<TicketComment>> {
    cx.create(move |tx, actor| actions::comment(tx, actor, id, &body.body)).await
}
