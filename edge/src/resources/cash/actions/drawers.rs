//! Drawers: opened with a float, used, counted.

use super::super::rules::{
    CashError, Denomination, Movement, MovementKind, Result, Session, SessionStatus, check_denominations,
};
use super::super::store;
use crate::access::{Actor, Approver, Permission, Role};
use crate::db::Tx;
use crate::resources::audit::{self, Entry};
use crate::resources::auth::{self, rules::ApproverPin};
use crate::resources::outlets::rules::Outlet;
use crate::resources::{employees, outlets};
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
        denominations: None,
        refused_pay_outs: 0,
        counted_date: None,
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

/// Counts a pay-out of more than the drawer holds, which will be refused; answers whether it is one. The count stays where the
/// pay-out does not.
///
/// # Errors
/// As [`move_cash`], but for that.
pub fn probe(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    (amount, is_tips): (Cents, bool),
    pin: &ApproverPin,
) -> Result<bool> {
    let session = find_open(tx, actor, id)?;
    approve_pay_out(tx, actor, &session, (amount, is_tips), pin)?;
    if amount <= held(tx, &session)? {
        return Ok(false);
    }
    let refused = session.refused_pay_outs.saturating_add(1);
    store::set_refused_pay_outs(tx, actor.outlet_id, session.id, refused)?;
    let entry = Entry::new("cash.pay_out_refused", "cash_session", Some(session.id))
        .after(&serde_json::json!({"drawer": session.drawer, "amountCents": amount}));
    audit::actions::record(tx, actor, entry)?;
    Ok(true)
}

fn held(tx: &Tx<'_>, session: &Session) -> Result<Cents> {
    Ok(store::sum_flow(tx, session.id)?.expected(session.opening_float)?)
}

/// Who approved a pay-out: nobody has to where the role may take so much, with what was taken out of the drawer before unless somebody
/// approved it, and nobody has tried what the drawer holds. Tips are measured by what is owed of them instead.
fn approve_pay_out(
    tx: &Tx<'_>,
    actor: &Actor,
    session: &Session,
    (amount, is_tips): (Cents, bool),
    pin: &ApproverPin,
) -> Result<Option<Approver>> {
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let limit = |role: Option<Role>| role.and_then(|role| outlet.pay_out_limit(role));
    if limit(actor.role).is_none() {
        return Ok(None);
    }
    let (sum, is_owed) = match is_tips {
        true => (amount, amount <= store::sum_tips_owed(tx, outlet.id)?),
        false => (amount.plus(sum_within_limits(tx, &outlet, session)?)?, true),
    };
    let is_within = |role| limit(role).is_none_or(|limit| sum <= limit && is_owed);
    if is_within(actor.role) && !session.has_been_probed() {
        return Ok(None);
    }
    let allows = |role: Role| role.holds(Permission::CashOperate) && is_within(Some(role));
    Ok(Some(auth::actions::approve_if(tx, actor, "a pay-out of so much", pin, allows)?))
}

/// What was paid out of the drawer, but for tips, within the limits of those who took it: that nobody approved, and not by a role that has
/// no limit.
fn sum_within_limits(tx: &Tx<'_>, outlet: &Outlet, session: &Session) -> Result<Cents> {
    let mut sum = Cents::ZERO;
    for moved in store::list_movements(tx, session.id)? {
        if moved.kind != MovementKind::PayOut || moved.is_tips || moved.approver_id.is_some() {
            continue;
        }
        let roles = match moved.by_id {
            Some(by) => auth::actions::list_roles(tx, outlet.id, by)?,
            None => Vec::new(),
        };
        if roles.iter().all(|role| outlet.pay_out_limit(*role).is_some()) {
            sum = sum.plus(moved.amount)?;
        }
    }
    Ok(sum)
}

/// What is done to a drawer beside sales.
#[derive(Debug, Clone, Copy)]
pub struct Moved<'a> {
    /// What.
    pub kind: MovementKind,
    /// How much; nothing without a sale.
    pub amount: Cents,
    /// Why.
    pub reason: &'a str,
    /// A pay-out of tips to those they are for.
    pub is_tips: bool,
    /// Of a pay-out: whom it was given to, on account of their pay or of their tips.
    pub employee_id: Option<Uuid>,
}

/// Puts money in, takes it out, or opens the drawer without a sale.
///
/// # Errors
/// [`CashError::State`] when the drawer is closed; 403 or a wrong PIN for a no-sale or a pay-out above the role's limit without the
/// right; an offending `amountCents` for a pay-out of more than the drawer holds.
pub fn move_cash(tx: &Tx<'_>, actor: &Actor, id: Uuid, moved: Moved<'_>, pin: &ApproverPin) -> Result<()> {
    let Moved { kind, amount, reason, is_tips, employee_id } = moved;
    let session = find_open(tx, actor, id)?;
    if let Some(employee) = employee_id {
        let here = employees::store::find(tx, actor.outlet_id, employee)?;
        here.ok_or_else(|| CashError::field("employeeId", "is not an employee of this outlet"))?;
    }
    let approver = match kind {
        MovementKind::NoSale => auth::actions::approve(tx, actor, Permission::CashNoSale, pin)?,
        MovementKind::PayOut => approve_pay_out(tx, actor, &session, (amount, is_tips), pin)?,
        MovementKind::PayIn => None,
    };
    if kind == MovementKind::PayOut && amount > held(tx, &session)? {
        return Err(CashError::NotHeld);
    }
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
        is_tips,
        employee_id,
    };
    store::insert_movement(tx, actor.outlet_id, session.id, &movement)?;
    let action = match kind {
        MovementKind::PayIn => "cash.pay_in",
        MovementKind::PayOut if is_tips => "cash.tip_out",
        MovementKind::PayOut if employee_id.is_some() => "cash.advance",
        MovementKind::PayOut => "cash.pay_out",
        MovementKind::NoSale => "cash.no_sale",
    };
    let entry = Entry::new(action, "cash_session", Some(session.id))
        .after(
            &serde_json::json!({"drawer": session.drawer, "amountCents": amount, "employeeId": employee_id}),
        )
        .reason(reason)
        .approver(approver);
    Ok(audit::actions::record(tx, actor, entry)?)
}

/// How a drawer was counted.
#[derive(Debug)]
pub struct Count {
    /// What lay in it.
    pub counted: Cents,
    /// In which coins and notes.
    pub denominations: Option<Vec<Denomination>>,
    /// What was noted.
    pub note: Option<String>,
}

/// Counts and closes a drawer.
///
/// # Errors
/// [`CashError::State`] when it is closed already; offending `denominations`.
pub fn close(tx: &Tx<'_>, actor: &Actor, id: Uuid, count: Count) -> Result<()> {
    let session = find_open(tx, actor, id)?;
    if let Some(denominations) = &count.denominations {
        check_denominations(count.counted, denominations)?;
    }
    let expected = held(tx, &session)?;
    let counted = count.counted;
    let over_short = counted.minus(expected)?;
    // What is counted after its date was closed is of another: a closed date stays as it was.
    let is_late = store::find_close(tx, actor.outlet_id, session.business_date)?.is_some();
    let today = outlets::store::find(tx, actor.outlet_id)?.business_date(tx.now());
    let session = Session {
        counted_date: Some(if is_late { today } else { session.business_date }),
        status: SessionStatus::Closed,
        expected: Some(expected),
        counted: Some(counted),
        over_short: Some(over_short),
        closed_at: Some(tx.now()),
        closed_by: actor.account_id,
        note: count.note.or(session.note),
        denominations: count.denominations,
        version: session.version.saturating_add(1),
        ..session
    };
    store::set_closed(tx, actor.outlet_id, &session)?;
    let entry = Entry::new("cash.close", "cash_session", Some(session.id)).after(&serde_json::json!({
        "drawer": session.drawer, "expectedCents": expected, "countedCents": counted, "overShortCents": over_short,
    }));
    Ok(audit::actions::record(tx, actor, entry)?)
}
