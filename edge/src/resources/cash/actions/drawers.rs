//! Drawers: opened with a float, used, counted.

use super::super::rules::{CashError, Movement, MovementKind, Result, Session, SessionStatus};
use super::super::store;
use crate::access::{Actor, Permission};
use crate::db::Tx;
use crate::resources::audit::{self, Entry};
use crate::resources::auth::{self, rules::ApproverPin};
use crate::resources::outlets;
use tiffin_common::{Cents, Uuid};

/// Opens a drawer with `float` in it.
///
/// # Errors
/// [`CashError::DrawerTaken`] when it is open already.
pub fn open(
    tx: &Tx<'_>,
    actor: &Actor,
    drawer: String,
    float: Cents,
    note: Option<String>,
) -> Result<Session> {
    if store::find_open(tx, actor.outlet_id, &drawer)?.is_some() {
        return Err(CashError::DrawerTaken(drawer));
    }
    let session = Session {
        id: tx.new_id(),
        drawer,
        status: SessionStatus::Open,
        opening_float: float,
        expected: None,
        counted: None,
        over_short: None,
        business_date: outlets::store::find(tx, actor.outlet_id)?.business_date(tx.now()),
        opened_at: tx.now(),
        opened_by: actor.account_id,
        opened_by_name: actor.name.clone(),
        closed_at: None,
        closed_by: None,
        note,
        clock_suspect: tx.is_clock_doubtful(),
        version: 1,
    };
    store::insert(tx, actor.outlet_id, &session)?;
    Ok(session)
}

fn find_open(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<Session> {
    let session = store::find(tx, actor.outlet_id, id)?.ok_or(CashError::NotFound("cash session"))?;
    match session.status {
        SessionStatus::Open => Ok(session),
        SessionStatus::Closed => Err(CashError::State("The drawer has been counted and closed".into())),
    }
}

/// Puts money in, takes it out, or opens the drawer without a sale.
///
/// # Errors
/// [`CashError::State`] when the drawer is closed; 403 or a wrong PIN for a no-sale without the right.
pub fn move_cash(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    kind: MovementKind,
    amount: Cents,
    reason: &str,
    pin: &ApproverPin,
) -> Result<()> {
    let session = find_open(tx, actor, id)?;
    let approver = match kind {
        MovementKind::NoSale => auth::actions::approve(tx, actor, Permission::CashNoSale, pin)?,
        MovementKind::PayIn | MovementKind::PayOut => None,
    };
    let movement = Movement {
        id: tx.new_id(),
        kind,
        amount,
        reason: reason.to_owned(),
        business_date: outlets::store::find(tx, actor.outlet_id)?.business_date(tx.now()),
        at: tx.now(),
        by_id: actor.account_id,
        approver_id: approver.as_ref().map(|approver| approver.employee_id),
        clock_suspect: tx.is_clock_doubtful(),
    };
    store::insert_movement(tx, actor.outlet_id, session.id, &movement)?;
    let action = match kind {
        MovementKind::PayIn => "cash.pay_in",
        MovementKind::PayOut => "cash.pay_out",
        MovementKind::NoSale => "cash.no_sale",
    };
    let entry = Entry::new(action, "cash_session", Some(session.id))
        .after(&serde_json::json!({"drawer": session.drawer, "amountCents": amount}))
        .reason(reason)
        .approver(approver);
    Ok(audit::actions::record(tx, actor, entry)?)
}

/// Counts and closes a drawer.
///
/// # Errors
/// [`CashError::State`] when it is closed already.
pub fn close(tx: &Tx<'_>, actor: &Actor, id: Uuid, counted: Cents, note: Option<String>) -> Result<()> {
    let session = find_open(tx, actor, id)?;
    let expected = store::sum_flow(tx, session.id)?.expected(session.opening_float)?;
    let over_short = counted.minus(expected)?;
    let session = Session {
        status: SessionStatus::Closed,
        expected: Some(expected),
        counted: Some(counted),
        over_short: Some(over_short),
        closed_at: Some(tx.now()),
        closed_by: actor.account_id,
        note: note.or(session.note),
        version: session.version.saturating_add(1),
        ..session
    };
    store::set_closed(tx, actor.outlet_id, &session)?;
    let entry = Entry::new("cash.close", "cash_session", Some(session.id)).after(&serde_json::json!({
        "drawer": session.drawer, "expectedCents": expected, "countedCents": counted, "overShortCents": over_short,
    }));
    Ok(audit::actions::record(tx, actor, entry)?)
}
