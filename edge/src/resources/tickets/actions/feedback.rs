//! What guests say, and what is done about it.

use super::super::rules::feedback::{
    Feedback, FollowUp, ORDER_DAYS, OrderNumber, SEATING_MS, Subject, Words,
};
use super::super::rules::{Result, TicketError};
use super::super::store;
use super::{account_of, check_assignee};
use crate::access::Actor;
use crate::db::Tx;
use crate::http::{FieldError, Stale};
use crate::resources::audit::{self, Entry};
use crate::resources::auth::rules::normal_code;
use crate::resources::notifications::actions::notify;
use crate::resources::notifications::{Audience, Notice, Severity};
use crate::resources::{orders, outlets, tables};
use chrono::Days;
use serde_json::json;
use tiffin_common::Uuid;

/// What a guest names.
#[derive(Debug, Clone, Default)]
pub struct FeedbackSubject {
    /// The token of a table's code.
    pub table_token: Option<String>,
    /// The number on the bill.
    pub order_number: Option<String>,
    /// The code on the bill.
    pub receipt_code: Option<String>,
}

/// One answer for everything that is not there: whether an order exists is nobody's business.
fn unknown(field: &'static str) -> TicketError {
    TicketError::Invalid(vec![FieldError::new(field, "is not known here")])
}

/// Keeps what a guest says. Everything that is named must be of `actor`'s outlet.
///
/// # Errors
/// An offending `tableToken` or `orderNumber`; [`TicketError::Given`] when that order or party has said it already.
pub fn give_feedback(tx: &Tx<'_>, actor: &Actor, named: &FeedbackSubject, words: &Words) -> Result<Feedback> {
    let mut subject = Subject::default();
    if let Some(token) = &named.table_token {
        let table = tables::store::find_by_token(tx, token)?.filter(|t| t.outlet_id == actor.outlet_id);
        let table = table.ok_or_else(|| unknown("tableToken"))?;
        let since = tx.now().after(-SEATING_MS);
        subject.table_session_id = tables::store::find_recent_session(tx, actor.outlet_id, table.id, since)?;
        subject.table_number = Some(table.fields.number);
    }
    if let Some(text) = &named.order_number {
        name_order(tx, actor, text, named.receipt_code.as_deref(), &mut subject)?;
    }
    match (subject.order_id, subject.table_session_id) {
        (Some(order), _) if store::has_order(tx, order)? => return Err(TicketError::Given("orderNumber")),
        (None, Some(session)) if store::has_seating(tx, session)? => {
            return Err(TicketError::Given("tableToken"));
        }
        _ => {}
    }
    let date = outlets::store::find(tx, actor.outlet_id)?.business_date(tx.now());
    let id = store::insert_feedback(tx, actor.outlet_id, date, &subject, words)?;
    orders::store::insert_guest(tx, actor.outlet_id, id, &words.guest)?;
    if words.is_low() {
        warn(tx, actor, id, &subject, words)?;
    }
    store::find_feedback(tx, actor.outlet_id, id)?.ok_or(TicketError::NotFound("feedback"))
}

/// Numbers can be guessed: who names one shows the code beside it, or is at the table of its party.
fn name_order(
    tx: &Tx<'_>,
    actor: &Actor,
    text: &str,
    code: Option<&str>,
    subject: &mut Subject,
) -> Result<()> {
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let oldest = outlet.business_date(tx.now()).checked_sub_days(Days::new(ORDER_DAYS));
    let number = OrderNumber::parse(text)
        .filter(|number| number.code == outlet.code && oldest.is_none_or(|oldest| number.date >= oldest))
        .ok_or_else(|| unknown("orderNumber"))?;
    let found = orders::store::find_by_number(tx, actor.outlet_id, number.date, number.token)?;
    let is_theirs = |order: &orders::rules::OrderRecord| match code {
        Some(code) => order.receipt_code.as_deref() == Some(normal_code(code).as_str()),
        None => order.table_session_id.is_some() && order.table_session_id == subject.table_session_id,
    };
    let order = found.filter(is_theirs).ok_or_else(|| unknown("orderNumber"))?;
    subject.order_id = Some(order.id);
    subject.order_number = Some(order.order_number);
    subject.table_session_id = subject.table_session_id.or(order.table_session_id);
    subject.table_number = subject.table_number.take().or(order.table_number);
    Ok(())
}

fn warn(tx: &Tx<'_>, actor: &Actor, id: Uuid, subject: &Subject, words: &Words) -> Result<()> {
    let aspects = [("food", words.food), ("service", words.service), ("cleanliness", words.cleanliness)];
    let aspects: Vec<String> =
        aspects.iter().filter_map(|(name, value)| Some(format!("{name} {}", (*value)?))).collect();
    let detail = if aspects.is_empty() { String::new() } else { format!(" ({})", aspects.join(", ")) };
    let callback = if words.callback_wanted { " The guest wants to be called." } else { "" };
    let notice = Notice {
        kind: "LOW_RATING",
        severity: if words.callback_wanted { Severity::Critical } else { Severity::Warning },
        title: format!("A guest gave {} of 5", words.rating),
        body: format!("About {}{detail}.{callback}", subject.place()),
        audience: Audience::Managers,
        entity: Some(("feedback", id)),
        dedupe_key: format!("low-rating:{id}"),
    };
    Ok(notify(tx, actor.outlet_id, notice)?)
}

/// Notes how feedback is followed up.
///
/// # Errors
/// No such one; another version than `expected`; somebody assigned who does not work here.
pub fn follow_up(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    expected: Option<i64>,
    change: impl FnOnce(FollowUp) -> FollowUp,
) -> Result<Feedback> {
    let find = || store::find_feedback(tx, actor.outlet_id, id)?.ok_or(TicketError::NotFound("feedback"));
    let before = find()?;
    Stale::check(expected, before.version)?;
    let after = change(before.follow_up.clone());
    if after == before.follow_up {
        return Ok(before);
    }
    let assigned = after.assignee_id.filter(|id| Some(*id) != before.follow_up.assignee_id);
    if let Some(assignee) = assigned {
        check_assignee(tx, actor, assignee)?;
    }
    store::update_feedback(tx, actor.outlet_id, id, &after)?;
    let entry = Entry::new("feedback.follow_up", "feedback", Some(id))
        .before(&json!({"status": before.follow_up.status, "assigneeId": before.follow_up.assignee_id}))
        .after(&json!({"status": after.status, "assigneeId": after.assignee_id}));
    audit::actions::record(tx, actor, entry)?;
    if let Some(account) = account_of(tx, actor, assigned)?.filter(|id| Some(*id) != actor.account_id) {
        let notice = Notice {
            kind: "FEEDBACK_ASSIGNED",
            severity: Severity::Info,
            title: "A guest's feedback is yours to follow up".to_owned(),
            body: format!("{} of 5 about {}.", before.words.rating, before.subject.place()),
            audience: Audience::Account(account),
            entity: Some(("feedback", id)),
            dedupe_key: format!("feedback-assigned:{id}:{account}"),
        };
        notify(tx, actor.outlet_id, notice)?;
    }
    find()
}
