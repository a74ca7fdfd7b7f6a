//! Orders that come through a channel: which channel that is, who reaches them, and the slip that stands for a bill where the operator makes
//! the bill.

use super::super::rules::slips::{SlipKind, SlipRow};
use super::super::rules::{OrderError, OrderRecord, OrderType, Result, price::Terms};
use super::super::store;
use super::command::PlaceOrder;
use super::{corrections, invoices, service_charge};
use crate::access::Actor;
use crate::db::{Source, Tx};
use crate::resources::auth;
use crate::resources::channels::rules::TaxedBy;
use crate::resources::channels::{self, Channel};
use crate::resources::outlets;
use crate::resources::outlets::rules::Outlet;
use tiffin_common::{Bps, Cents, Uuid};

/// The channel that `command` names; of a system that is there for one alone, that one.
///
/// # Errors
/// An offending `channelId` or `externalId`.
pub(super) fn find(conn: &dyn Source, actor: &Actor, command: &PlaceOrder) -> Result<Option<Channel>> {
    let reach = auth::actions::reach(conn, actor.role, actor.account_id)?;
    let own = reach.as_ref().map(|reach| reach.channels.as_slice());
    let wanted = match (command.channel_id, own) {
        (None, Some([only])) => Some(*only),
        (wanted, _) => wanted,
    };
    let Some(id) = wanted else {
        if own.is_some_and(|own| !own.is_empty()) {
            return Err(OrderError::field("channelId", "is needed: one of the account's channels"));
        }
        if command.external_id.is_some() {
            return Err(OrderError::field("externalId", "needs a channelId"));
        }
        return Ok(None);
    };
    if own.is_some_and(|own| !own.contains(&id)) {
        return Err(OrderError::field("channelId", "is no channel of this account"));
    }
    if !channels::store::is_there(conn, actor.outlet_id, id)? {
        return Err(OrderError::field("channelId", "is no channel of this outlet"));
    }
    Ok(Some(channels::store::find(conn, actor.outlet_id, id)?))
}

/// The order that `command` has made before: its channel has sent the same number.
///
/// # Errors
/// As [`place`](super::place()), of the channel.
pub fn find_sent(conn: &dyn Source, actor: &Actor, command: &PlaceOrder) -> Result<Option<Uuid>> {
    let (Some(channel), Some(number)) = (find(conn, actor, command)?, &command.external_id) else {
        return Ok(None);
    };
    Ok(store::find_by_external_id(conn, actor.outlet_id, channel.id, number)?)
}

/// The terms of an order of that type through `channel`: it bears no service charge, and what an operator pays out is never rounded.
pub(super) fn order_terms(
    conn: &dyn Source,
    outlet: &Outlet,
    order_type: OrderType,
    channel: Option<&Channel>,
) -> Result<Terms> {
    let terms = service_charge::terms(conn, outlet, order_type)?;
    let Some(channel) = channel else { return Ok(terms) };
    let cash_rounding = match channel.fields.taxed_by {
        TaxedBy::Operator => Cents::ZERO,
        TaxedBy::Restaurant => terms.cash_rounding,
    };
    Ok(Terms { service_charge: Bps::default(), service_charge_taxes: Vec::new(), cash_rounding, ..terms })
}

/// What an order keeps of its channel: which it is, whether its operator owes the tax, and its commission.
pub(super) fn terms_of(channel: Option<&Channel>) -> (Option<Uuid>, bool, Bps) {
    match channel {
        None => (None, false, Bps::default()),
        Some(Channel { id, fields, .. }) => {
            (Some(*id), fields.taxed_by == TaxedBy::Operator, fields.commission_bps)
        }
    }
}

/// Refuses an order beyond the reach of another system as one that is not there.
///
/// # Errors
/// [`OrderError::NotFound`].
pub fn demand_reach(conn: &dyn Source, actor: &Actor, id: Uuid) -> Result<()> {
    let reach = auth::actions::reach(conn, actor.role, actor.account_id)?;
    match auth::actions::is_within(conn, actor.outlet_id, reach.as_ref(), id)? {
        true => Ok(()),
        false => Err(OrderError::NotFound("order")),
    }
}

/// The documents of an order whose operator makes the bill, when it is completed: a slip of its food, and a bill of its goods. Nothing
/// where it has them.
pub(super) fn complete(tx: &Tx<'_>, actor: &Actor, order: &mut OrderRecord) -> Result<()> {
    if order.slip_id.is_some() || order.invoice_id.is_some() {
        return Ok(());
    }
    let goods = order.goods()?;
    if order.lines.iter().any(|line| line.quantity > 0 && !line.is_goods) {
        let slip = slip(tx, actor, order, SlipKind::Slip, order.total.minus(goods.total)?)?;
        store::insert_slip(tx, order.outlet_id, &slip)?;
        order.revenue_date = Some(slip.business_date);
        (order.slip_id, order.slip_number) = (Some(slip.id), Some(slip.number));
    }
    if goods.lines.iter().any(|line| line.quantity > 0) {
        invoices::bill_goods(tx, actor, order, &goods)?;
    }
    Ok(())
}

/// The next slip of its kind.
pub(super) fn slip(
    tx: &Tx<'_>,
    actor: &Actor,
    order: &OrderRecord,
    kind: SlipKind,
    total: Cents,
) -> Result<SlipRow> {
    let outlet = outlets::store::find(tx, order.outlet_id)?;
    let business_date = outlet.business_date(tx.now());
    let fiscal_year = outlet.fiscal_year(business_date);
    let life = store::find_life(tx, outlet.id)?;
    let serial = store::next_number(tx, outlet.id, &kind.series(&fiscal_year, life))?;
    let number = kind.number(&outlet.code, &fiscal_year, life, serial).ok_or_else(|| {
        OrderError::State(format!("The series of {fiscal_year} is full: its next number would be too long"))
    })?;
    Ok(SlipRow {
        id: tx.new_id(),
        kind,
        fiscal_year,
        serial,
        number,
        order_id: order.id,
        channel_id: order.channel_id.unwrap_or_default(),
        refers_to_id: order.slip_id.filter(|_| kind == SlipKind::Return),
        total,
        business_date,
        at: tx.now(),
        by_id: actor.account_id,
        by: actor.name.clone(),
        reason: None,
        clock_suspect: tx.is_clock_doubtful(),
    })
}

/// Takes back what channels would have paid out for an order that is called off: no money has moved.
pub(super) fn release(tx: &Tx<'_>, actor: &Actor, order: &mut OrderRecord) -> Result<()> {
    let payments = store::list_payments(tx, order.id)?;
    for payment in payments.iter().filter(|payment| payment.is_payout() && !payment.is_reversed) {
        corrections::take_back(tx, actor, order, payment, "The order was called off")?;
    }
    Ok(())
}
