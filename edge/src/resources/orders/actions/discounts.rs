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
use crate::resources::outlets;
use tiffin_common::{Bps, Cents, Uuid};

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
    let own = actor.role.map_or(Bps::new(Bps::WHOLE), |role| outlet.discount_limit(role));
    let mut approver: Option<Approver> = None;
    if !within(own) {
        let wide_enough =
            |role: Role| role.holds(Permission::OrdersDiscount) && within(outlet.discount_limit(role));
        approver = Some(auth::actions::approve_if(tx, actor, "a discount this large", pin, wide_enough)?);
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
