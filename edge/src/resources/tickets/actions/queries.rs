//! Staff queries: raised, talked about, changed, put away.

use super::super::rules::{Comment, Draft, Priority, Result, Ticket, TicketError, TicketStatus, Viewer};
use super::super::store;
use super::{account_of, check_assignee};
use crate::access::{Actor, Permission};
use crate::db::Tx;
use crate::http::{FieldError, Stale};
use crate::resources::audit::{self, Entry};
use crate::resources::notifications::actions::notify;
use crate::resources::notifications::{Audience, Notice, Severity};
use serde_json::{Value, json};
use std::collections::HashSet;
use tiffin_common::Uuid;

/// `actor` as one who looks at queries.
pub fn viewer(actor: &Actor) -> Viewer {
    Viewer {
        account: actor.account_id,
        employee: actor.employee_id,
        manages: actor.may(Permission::TicketsManage),
    }
}

/// Raises a query.
///
/// # Errors
/// Offending fields; naming who sees to it without the right to.
pub fn raise(tx: &Tx<'_>, actor: &Actor, draft: Draft) -> Result<Ticket> {
    let draft = draft.checked().map_err(TicketError::Invalid)?;
    if let Some(id) = draft.assignee_id {
        if !viewer(actor).manages {
            return Err(TicketError::Forbidden("Only who manages staff queries assigns them"));
        }
        check_assignee(tx, actor, id)?;
    }
    let id = store::insert(tx, actor, &draft)?;
    let ticket = find(tx, actor, id)?;
    tell(tx, actor, None, &ticket)?;
    Ok(ticket)
}

/// The query of that id, if `actor` may see it.
fn find(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<Ticket> {
    let found = store::find(tx, actor.outlet_id, id)?.filter(|ticket| viewer(actor).may_read(ticket));
    found.ok_or(TicketError::NotFound("ticket"))
}

fn find_at(tx: &Tx<'_>, actor: &Actor, id: Uuid, expected: Option<i64>) -> Result<Ticket> {
    let ticket = find(tx, actor, id)?;
    Stale::check(expected, ticket.version)?;
    Ok(ticket)
}

/// Makes of a query what `change` makes of it.
///
/// # Errors
/// No such one; another version than `expected`; offending fields; a state that does not follow; not the actor's to do.
pub fn change(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    expected: Option<i64>,
    change: impl FnOnce(Draft) -> Draft,
) -> Result<Ticket> {
    let before = find_at(tx, actor, id, expected)?;
    let draft = change(before.draft.clone()).checked().map_err(TicketError::Invalid)?;
    if draft == before.draft {
        return Ok(before);
    }
    viewer(actor).may_change(&before, &draft)?;
    if let Some(assignee) = draft.assignee_id.filter(|id| Some(*id) != before.draft.assignee_id) {
        check_assignee(tx, actor, assignee)?;
    }
    let resolved_at = match (draft.status.is_settled(), before.draft.status.is_settled()) {
        (true, true) => before.resolved_at,
        (true, false) => Some(tx.now()),
        (false, _) => None,
    };
    store::update(tx, actor.outlet_id, id, &draft, resolved_at)?;
    let entry = Entry::new("ticket.update", "ticket", Some(id))
        .before(&standing(&before.draft))
        .after(&standing(&draft));
    audit::actions::record(tx, actor, entry)?;
    let after = find(tx, actor, id)?;
    tell(tx, actor, Some(&before), &after)?;
    Ok(after)
}

/// What the audit log keeps of a query: where it stands, not what it says.
fn standing(draft: &Draft) -> Value {
    let Draft { status, priority, category, assignee_id, .. } = draft;
    json!({"status": status, "priority": priority, "category": category, "assigneeId": assignee_id})
}

/// Puts a query away.
///
/// # Errors
/// No such one; another version than `expected`.
pub fn archive(tx: &Tx<'_>, actor: &Actor, id: Uuid, expected: Option<i64>) -> Result<Ticket> {
    let ticket = find_at(tx, actor, id, expected)?;
    store::set_archived(tx, actor.outlet_id, id)?;
    let entry = Entry::new("ticket.archive", "ticket", Some(id)).before(&standing(&ticket.draft));
    audit::actions::record(tx, actor, entry)?;
    Ok(ticket)
}

/// Says something about a query.
///
/// # Errors
/// No such one; it is closed; nothing said.
pub fn comment(tx: &Tx<'_>, actor: &Actor, id: Uuid, body: &str) -> Result<Comment> {
    let ticket = find(tx, actor, id)?;
    let body = body.trim();
    if body.is_empty() {
        return Err(TicketError::Invalid(vec![FieldError::new("body", "must not be blank")]));
    }
    if ticket.draft.status == TicketStatus::Closed {
        return Err(TicketError::Closed);
    }
    let comment = store::insert_comment(tx, actor, id, body)?;
    let assignee = account_of(tx, actor, ticket.draft.assignee_id)?;
    let mut recipients: HashSet<Uuid> = ticket.raised_by.into_iter().chain(assignee).collect();
    recipients.retain(|account| Some(*account) != actor.account_id);
    let title = format!("{} about “{}”", actor.name, ticket.draft.subject);
    for account in recipients {
        note(tx, actor, &ticket, Audience::Account(account), "TICKET_COMMENT", title.clone())?;
    }
    Ok(comment)
}

/// Tells managers of what is urgent now and was not before, who sees to it from now on, and who raised it of its new state.
fn tell(tx: &Tx<'_>, actor: &Actor, before: Option<&Ticket>, after: &Ticket) -> Result<()> {
    let (was, is) = (before.map(|ticket| &ticket.draft), &after.draft);
    let subject = &is.subject;
    let is_news = was.is_none_or(|draft| draft.priority != Priority::Urgent || draft.status.is_settled());
    if is.priority == Priority::Urgent && !is.status.is_settled() && is_news {
        note(tx, actor, after, Audience::Managers, "TICKET_URGENT", format!("Urgent: {subject}"))?;
    }
    if was.and_then(|draft| draft.assignee_id) != is.assignee_id {
        let account = account_of(tx, actor, is.assignee_id)?.filter(|id| Some(*id) != actor.account_id);
        if let Some(account) = account {
            let title = format!("“{subject}” is yours to see to");
            note(tx, actor, after, Audience::Account(account), "TICKET_ASSIGNED", title)?;
        }
    }
    let moved = was.is_some_and(|draft| draft.status != is.status);
    if let Some(raiser) = after.raised_by.filter(|id| moved && Some(*id) != actor.account_id) {
        let title = format!("“{subject}” is {}", is.status.name().to_lowercase().replace('_', " "));
        note(tx, actor, after, Audience::Account(raiser), "TICKET_CHANGED", title)?;
    }
    Ok(())
}

fn note(
    tx: &Tx<'_>,
    actor: &Actor,
    ticket: &Ticket,
    audience: Audience,
    kind: &'static str,
    title: String,
) -> Result<()> {
    let severity = match ticket.draft.priority {
        Priority::Urgent => Severity::Critical,
        Priority::High => Severity::Warning,
        Priority::Normal | Priority::Low => Severity::Info,
    };
    let notice = Notice {
        kind,
        severity,
        title,
        body: format!("Raised by {}; see the ticket.", ticket.raised_by_name),
        audience,
        entity: Some(("ticket", ticket.id)),
        dedupe_key: format!("{kind}:{}:{audience:?}", ticket.id),
    };
    Ok(notify(tx, actor.outlet_id, notice)?)
}
