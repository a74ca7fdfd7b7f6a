//! Discounts on a line or the whole order. Above the role's limit somebody with a wider one approves by PIN.

use super::super::rules::price::price;
use super::super::rules::{
    DiscountKind, DiscountRecord, OrderError, OrderRecord, Result, discounts as rules,
};
use super::super::store;
use super::{changeable, reductions, reprice};
use crate::access::{Actor, Approver, Permission, Role};
use crate::db::Tx;
use crate::resources::audit::{self, Entry};
use crate::resources::auth::{self, rules::ApproverPin};
use crate::resources::outlets::{self, rules::Outlet};
use tiffin_common::{Bps, Cents, Uuid};

/// What an approver is asked for.
const SO_LARGE: &str = "a discount this large";

/// A discount as asked for.
#[derive(Debug, Clone)]
pub struct GiveDiscount {
    /// Share or amount.
    pub kind: DiscountKind,
    /// Basis points or cents.
    pub value: i64,
    /// On this line; none: on the order.
    pub line_id: Option<Uuid>,
    /// Why.
    pub reason: String,
}

/// Gives a discount.
///
/// # Errors
/// 403 or a wrong PIN above the role's limit; [`OrderError::State`] when the order is closed or billed.
pub fn discount(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    give: GiveDiscount,
    pin: &ApproverPin,
) -> Result<OrderRecord> {
    let mut order = changeable(tx, actor, id, None)?;
    if give.line_id.is_some_and(|line| order.sold_as(line).iter().all(|part| part.quantity == 0)) {
        return Err(OrderError::field("itemId", "is no line of this order that is sold by itself"));
    }
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    let mut new = DiscountRecord {
        id: tx.new_id(),
        order_item_id: give.line_id,
        kind: give.kind,
        value: give.value,
        amount: Cents::ZERO,
        net: Cents::ZERO,
        reason: give.reason,
        by_id: actor.account_id,
        approver_id: None,
        business_date: outlet.business_date(tx.now()),
        at: tx.now(),
    };
    let mut all = store::list_discounts(tx, order.id)?;
    all.push(new.clone());
    let cuts = reductions(&order, &all);
    let lines = order.price_lines();
    let priced = price(&order.terms, &lines, &cuts)?;
    let within = |limit: Bps| rules::within(limit, &lines, &priced, &cuts).unwrap_or(false);
    let mut approver: Option<Approver> = None;
    if !within(limit_of(&outlet, actor.role)) {
        let is_wide_enough = |role| within(limit_of(&outlet, Some(role)));
        approver = Some(auth::actions::approve_if(tx, actor, SO_LARGE, pin, is_wide_enough)?);
    }
    new.approver_id = approver.as_ref().map(|approver| approver.employee_id);
    new.amount = priced.reductions.last().copied().unwrap_or_default();
    new.net = priced.net_reductions.last().copied().unwrap_or_default();
    store::insert_discount(tx, &order, &new)?;
    let entry = Entry::new("order.discount", "order", Some(order.id))
        .before(&serde_json::json!({"discountCents": order.discount}))
        .after(&serde_json::json!({
            "type": new.kind, "value": rules::shown(new.kind, new.value), "amountCents": new.amount, "itemId": new.order_item_id,
        }))
        .reason(&new.reason)
        .approver(approver);
    audit::actions::record(tx, actor, entry)?;
    reprice(tx, &mut order, &[])?;
    Ok(order)
}

/// Leave for what the discounts of `order` come to on its lines, which are less than they were. Nobody's where each is still within the
/// limit of whoever gave or approved it, or of the actor; else that of somebody with a wider one, who then stands for them. What leaves
/// nothing to pay takes nothing off.
///
/// # Errors
/// As [`discount`] above the role's limit.
pub(super) fn ask_leave(
    tx: &Tx<'_>,
    actor: &Actor,
    (outlet, order): (&Outlet, &OrderRecord),
    pin: &ApproverPin,
) -> Result<Option<Approver>> {
    let all = store::list_discounts(tx, order.id)?;
    if all.is_empty() {
        return Ok(None);
    }
    let (cuts, lines) = (reductions(order, &all), order.price_lines());
    let priced = price(&order.terms, &lines, &cuts)?;
    let given = all.iter().map(|one| given_within(tx, outlet, one)).collect::<Result<Vec<_>>>()?;
    let within = |limit: Bps| {
        let limits: Vec<Bps> = given.iter().map(|given| limit.max(*given)).collect();
        rules::still_within(&limits, &lines, &priced, &cuts).unwrap_or(false)
    };
    if within(limit_of(outlet, actor.role)) {
        return Ok(None);
    }
    let is_wide_enough = |role| within(limit_of(outlet, Some(role)));
    let approver = auth::actions::approve_if(tx, actor, SO_LARGE, pin, is_wide_enough)?;
    let limit = limit_of(outlet, Some(approver.role));
    for (one, given) in all.iter().zip(&given) {
        if *given < limit {
            store::set_discount_approver(tx, one.id, approver.employee_id)?;
        }
    }
    Ok(Some(approver))
}

/// How far a role may discount alone; the box itself, as far as it likes.
fn limit_of(outlet: &Outlet, role: Option<Role>) -> Bps {
    match role {
        None => Bps::new(Bps::WHOLE),
        Some(role) if role.holds(Permission::OrdersDiscount) => outlet.discount_limit(role),
        Some(_) => Bps::default(),
    }
}

/// The limit within which `given` was given: that of whoever gave it, or of whoever approved it. A share stays the share it was, whatever
/// they may give today.
fn given_within(tx: &Tx<'_>, outlet: &Outlet, given: &DiscountRecord) -> Result<Bps> {
    let mut limit = match (given.by_id, given.kind) {
        (None, _) => limit_of(outlet, None),
        (Some(_), DiscountKind::Percent) => Bps::new(given.value),
        (Some(_), DiscountKind::Fixed) => Bps::default(),
    };
    for who in given.by_id.into_iter().chain(given.approver_id) {
        for role in auth::actions::list_roles(tx, outlet.id, who)? {
            limit = limit.max(limit_of(outlet, Some(role)));
        }
    }
    Ok(limit)
}

/// Takes a discount off again.
///
/// # Errors
/// [`OrderError::NotFound`]; [`OrderError::State`] when the order is closed or billed.
pub fn remove_discount(tx: &Tx<'_>, actor: &Actor, id: Uuid, discount_id: Uuid) -> Result<OrderRecord> {
    let mut order = changeable(tx, actor, id, None)?;
    let all = store::list_discounts(tx, order.id)?;
    let found =
        all.iter().find(|discount| discount.id == discount_id).ok_or(OrderError::NotFound("discount"))?;
    store::set_discount_removed(tx, found.id)?;
    let entry = Entry::new("order.discount_removed", "order", Some(order.id)).before(
        &serde_json::json!({"type": found.kind, "amountCents": found.amount, "itemId": found.order_item_id}),
    );
    audit::actions::record(tx, actor, entry)?;
    reprice(tx, &mut order, &[])?;
    Ok(order)
}
