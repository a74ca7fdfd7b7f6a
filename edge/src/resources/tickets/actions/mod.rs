//! What can happen to queries and feedback. One function per state change; each runs in its caller's transaction.

mod feedback;
mod queries;

pub use feedback::{FeedbackSubject, follow_up, give_feedback};
pub use queries::{archive, change, comment, raise, viewer};

use super::rules::{Result, TicketError};
use crate::access::Actor;
use crate::db::Tx;
use crate::http::FieldError;
use crate::resources::{auth, employees};
use tiffin_common::Uuid;

/// The employee who is to see to something works here.
fn check_assignee(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<()> {
    let found = employees::store::find(tx, actor.outlet_id, id)?;
    if found.is_some_and(|employee| employee.works_here()) {
        return Ok(());
    }
    let reason = "is not an employee who works here";
    Err(TicketError::Invalid(vec![FieldError::new("assigneeId", reason)]))
}

/// The account of the employee who sees to something, when they have one that works.
fn account_of(tx: &Tx<'_>, actor: &Actor, employee: Option<Uuid>) -> Result<Option<Uuid>> {
    let Some(employee) = employee else { return Ok(None) };
    let found = auth::store::find_by_employee(tx, actor.outlet_id, employee)?;
    Ok(found.filter(|account| account.is_usable()).map(|account| account.id))
}
