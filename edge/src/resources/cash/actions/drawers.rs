//! Drawers: opened with a float, used, counted.

use super::super::rules::{CashError, MovementKind, Session, SessionStatus};
use super::super::store::{self, Movement};
use crate::access::{Actor, Permission};
use crate::db::Transaction;
use crate::resources::audit::{self, Entry};
use crate::resources::auth::{self, approver::ApproverPin};
use crate::resources::outlets;
use tiffin_common::{Cents, Uuid};

/// Opens a drawer with `float` in it.
///
/// # Errors
/// [`CashError::DrawerTaken`] when it is open already.
pub fn open(
    tx: &Transaction<'_>,
    actor: &Actor,
    drawer: &str,
    float: Cents,
    note: Option<&str>,
) -> Result<Session, CashError> {
    if store::find_open(tx, actor.outlet_id, drawer)?.is_some() {
        return Err(CashError::DrawerTaken(drawer.to_owned()));
    }
    let date = outlets::store::find(tx, actor.outlet_id)?.business_date(tx.now());
    let id = store::insert(tx, actor, drawer, float, date, note)?;
    find(tx, actor, id)
}

fn find(tx: &Transaction<'_>, actor: &Actor, id: Uuid) -> Result<Session, CashError> {
    store::find(tx, actor.outlet_id, id)?.ok_or(CashError::NotFound("cash session"))
}

fn find_open(tx: &Transaction<'_>, actor: &Actor, id: Uuid) -> Result<Session, CashError> {
    let session = find(tx, actor, id)?;
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
    tx: &Transaction<'_>,
    actor: &Actor,
    id: Uuid,
    kind: MovementKind,
    amount: Cents,
    reason: &str,
    pin: &ApproverPin,
) -> Result<(), CashError> {
    let session = find_open(tx, actor, id)?;
    let approver = match kind {
        MovementKind::NoSale => auth::actions::approve(tx, actor, Permission::CashNoSale, pin)?,
        MovementKind::PayIn | MovementKind::PayOut => None,
    };
    let date = outlets::store::find(tx, actor.outlet_id)?.business_date(tx.now());
    let movement = Movement {
        id: tx.new_id(),
        kind,
        amount,
        reason: reason.to_owned(),
        at: tx.now(),
        by_id: actor.account_id,
        approver_id: approver.as_ref().map(|approver| approver.employee_id),
    };
    store::insert_movement(tx, actor, session.id, &movement, date, approver.as_ref())?;
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
pub fn close(
    tx: &Transaction<'_>,
    actor: &Actor,
    id: Uuid,
    counted: Cents,
    note: Option<&str>,
) -> Result<Session, CashError> {
    let session = find_open(tx, actor, id)?;
    let expected = store::flow(tx, session.id)?.expected(session.opening_float)?;
    let over_short = counted.minus(expected)?;
    store::close(tx, actor, session.id, expected, counted, over_short, note)?;
    let entry = Entry::new("cash.close", "cash_session", Some(session.id)).after(&serde_json::json!({
        "drawer": session.drawer, "expectedCents": expected, "countedCents": counted, "overShortCents": over_short,
    }));
    audit::actions::record(tx, actor, entry)?;
    find(tx, actor, id)
}
