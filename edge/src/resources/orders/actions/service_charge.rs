//! The service charge of an order: what it bears from the start, and what somebody puts on or takes off. Guests need not pay it: whoever
//! serves them takes it off with a reason, which is on record.

use super::super::rules::{OrderError, OrderRecord, OrderType, Result, price::Terms};
use super::{changeable, reprice};
use crate::access::Actor;
use crate::db::{self, Source, Tx};
use crate::resources::audit::{self, Entry};
use crate::resources::outlets::rules::Outlet;
use crate::resources::{menu, outlets};
use tiffin_common::{Bps, Uuid};

/// The terms of a new order of that type.
pub(super) fn terms(conn: &dyn Source, outlet: &Outlet, order_type: OrderType) -> db::Result<Terms> {
    let terms = Terms {
        prices_include_tax: outlet.prices_include_tax,
        cash_rounding: outlet.cash_rounding,
        service_charge_taxed: outlet.service_charge.taxed,
        ..Terms::default()
    };
    bearing(conn, outlet, terms, outlet.service_charge.at_first(order_type))
}

/// `terms` with a service charge of `bps`.
fn bearing(conn: &dyn Source, outlet: &Outlet, terms: Terms, bps: Bps) -> db::Result<Terms> {
    let service_charge_taxed = outlet.service_charge.taxed;
    let is_taxed = service_charge_taxed && outlet.tax_scheme.is_taxed();
    let service_charge_taxes = match bps > Bps::default() && is_taxed {
        true => menu::store::find_service_taxes(conn, outlet.id)?,
        false => Vec::new(),
    };
    Ok(Terms { service_charge: bps, service_charge_taxed, service_charge_taxes, ..terms })
}

/// Puts the outlet's service charge on an order; nothing happens to one that bears it.
///
/// # Errors
/// [`OrderError::State`] when the order is closed or billed, or the outlet has none for such an order.
pub fn put_on(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<OrderRecord> {
    let mut order = changeable(tx, actor, id, None)?;
    let outlet = outlets::store::find(tx, actor.outlet_id)?;
    if order.channel_id.is_some() {
        return Err(OrderError::State("An order of a channel bears no service charge".into()));
    }
    if !outlet.service_charge.is_for(order.order_type) {
        let why = format!("The outlet has no service charge for orders of the type {}", order.order_type);
        return Err(OrderError::State(why));
    }
    if order.terms.service_charge != Bps::default() {
        return Ok(order);
    }
    order.terms = bearing(tx, &outlet, order.terms.clone(), outlet.service_charge.bps)?;
    reprice(tx, &mut order, &[])?;
    let entry = Entry::new("order.service_charge", "order", Some(id))
        .after(&serde_json::json!({"bps": order.terms.service_charge, "amountCents": order.service_charge}));
    audit::actions::record(tx, actor, entry)?;
    Ok(order)
}

/// Takes the service charge off an order.
///
/// # Errors
/// [`OrderError::State`] when the order is closed or billed, or bears none, or more has been paid than would be left to pay.
pub fn take_off(tx: &Tx<'_>, actor: &Actor, id: Uuid, reason: &str) -> Result<OrderRecord> {
    let mut order = changeable(tx, actor, id, None)?;
    if order.terms.service_charge == Bps::default() {
        return Err(OrderError::State("The order bears no service charge".into()));
    }
    let before = serde_json::json!({"bps": order.terms.service_charge, "amountCents": order.service_charge});
    order.terms.service_charge = Bps::default();
    reprice(tx, &mut order, &[])?;
    let entry = Entry::new("order.service_charge_off", "order", Some(id)).before(&before).reason(reason);
    audit::actions::record(tx, actor, entry)?;
    Ok(order)
}

/// An order that is now of another type than `before` bears what such an order may bear; the caller writes it.
///
/// # Errors
/// [`OrderError::State`] when more has been paid than would be left to pay.
pub(super) fn follow_type(
    tx: &Tx<'_>,
    outlet: &Outlet,
    order: &mut OrderRecord,
    before: OrderType,
) -> Result<()> {
    if order.channel_id.is_some() {
        return Ok(());
    }
    let charge = &outlet.service_charge;
    let wanted = match (charge.is_for(before), charge.is_for(order.order_type)) {
        (_, false) => Bps::default(),
        (false, true) => charge.at_first(order.order_type),
        (true, true) => order.terms.service_charge,
    };
    if wanted == order.terms.service_charge {
        return Ok(());
    }
    order.terms = bearing(tx, outlet, order.terms.clone(), wanted)?;
    reprice(tx, order, &[]).map(drop)
}
