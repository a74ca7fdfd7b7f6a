//! What can happen to what an outlet has today: sold out, limited, counted down, given back, priced for itself.

use super::here;
use crate::access::Actor;
use crate::db::{self, Tx};
use crate::http::FieldError;
use crate::resources::audit::{self, Entry};
use crate::resources::menu::rules::variants::leading;
use crate::resources::menu::rules::{
    Availability, AvailabilityChange, AvailabilityState, MenuError, MenuItem, ModifierOption, Result, Status,
    StockSource,
};
use crate::resources::menu::store;
use crate::resources::notifications::{self, Audience, Notice, Severity};
use serde_json::json;
use tiffin_common::{Cents, Uuid, money::MAX_CENTS};

/// Sets the stock state of a dish ("86", countdown, back again).
///
/// # Errors
/// No such one; offending fields.
pub fn set_availability(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    change: AvailabilityChange,
) -> Result<MenuItem> {
    let at = here(tx, actor)?;
    let before = store::find_item(tx, actor.outlet_id, id, &at)?;
    let state = change.checked(tx.now())?;
    apply(tx, actor, (id, false), &before.draft.name, (&before.availability, &state))?;
    store::find_item(tx, actor.outlet_id, id, &at)
}

/// Sets the stock state of a modifier option.
///
/// # Errors
/// No such one; offending fields.
pub fn set_option_availability(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    change: AvailabilityChange,
) -> Result<ModifierOption> {
    let at = here(tx, actor)?;
    let before = store::find_option(tx, actor.outlet_id, id, &at)?;
    let state = change.checked(tx.now())?;
    apply(tx, actor, (id, true), &before.name, (&before.availability, &state))?;
    store::find_option(tx, actor.outlet_id, id, &at)
}

/// Sets the stock state of a variant.
///
/// # Errors
/// No such one; offending fields.
pub fn set_variant_availability(
    tx: &Tx<'_>,
    actor: &Actor,
    id: Uuid,
    change: AvailabilityChange,
) -> Result<AvailabilityState> {
    let (_, before) = store::find_variant(tx, actor.outlet_id, id, &here(tx, actor)?)?;
    let state = change.checked(tx.now())?;
    apply(tx, actor, (id, false), &before.full_name, (&before.availability, &state))?;
    state_of(tx, actor, (id, false))
}

fn apply(
    tx: &Tx<'_>,
    actor: &Actor,
    whose: (Uuid, bool),
    name: &str,
    (before, after): (&Availability, &Availability),
) -> Result<()> {
    store::set_availability(tx, actor.outlet_id, whose, after, actor.account_id)?;
    store::next_revision(tx, actor.outlet_id)?;
    let kind = if whose.1 { "modifier_option" } else { "menu_item" };
    let entry = Entry::new("menu.availability", kind, Some(whose.0))
        .before(&json!({"name": name, "availability": before}))
        .after(&json!({"name": name, "availability": after}));
    audit::actions::record(tx, actor, entry)?;
    if after.is_out() && !before.is_out() {
        sold_out(tx, actor, whose, name, after.reason.as_deref())?;
    }
    Ok(())
}

/// Takes back what somebody set of a dish or a variant (or, with `true`, of an option): from now on it follows the stock, which the caller
/// has it looked at for.
///
/// # Errors
/// No such one.
pub fn clear_availability(tx: &Tx<'_>, actor: &Actor, whose: (Uuid, bool)) -> Result<()> {
    let (name, shown) = look_up(tx, actor, whose)?;
    if shown.availability.source == StockSource::AutoRecipe {
        return Ok(());
    }
    apply(tx, actor, whose, &name, (&shown.availability, &Availability::IN_STOCK))
}

/// Sets what follows from the stock. Not put on record: the movement that it follows from is.
pub fn follow_stock(tx: &Tx<'_>, actor: &Actor, whose: (Uuid, bool), state: &Availability) -> Result<()> {
    store::set_availability(tx, actor.outlet_id, whose, state, None)?;
    store::next_revision(tx, actor.outlet_id)?;
    if !state.is_out() {
        return Ok(());
    }
    match look_up(tx, actor, whose) {
        Ok((name, _)) => Ok(sold_out(tx, actor, whose, &name, state.reason.as_deref())?),
        // Nobody misses what has been archived.
        Err(MenuError::NotFound(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

/// How a dish or a variant (or, with `true`, an option) stands now.
///
/// # Errors
/// No such one.
pub fn state_of(tx: &Tx<'_>, actor: &Actor, whose: (Uuid, bool)) -> Result<AvailabilityState> {
    look_up(tx, actor, whose).map(|(_, state)| state)
}

fn look_up(tx: &Tx<'_>, actor: &Actor, (id, is_option): (Uuid, bool)) -> Result<(String, AvailabilityState)> {
    let at = here(tx, actor)?;
    let (name, is_available, availability) = if is_option {
        let option = store::find_option(tx, actor.outlet_id, id, &at)?;
        (option.name, option.available, option.availability)
    } else {
        match store::find_item(tx, actor.outlet_id, id, &at) {
            Ok(item) => (item.draft.name, item.is_available, item.availability),
            Err(MenuError::NotFound(_)) => {
                let (_, variant) = store::find_variant(tx, actor.outlet_id, id, &at)?;
                (variant.full_name, variant.is_available, variant.availability)
            }
            Err(error) => return Err(error),
        }
    };
    Ok((name, AvailabilityState { id, is_available, availability }))
}

fn sold_out(
    tx: &Tx<'_>,
    actor: &Actor,
    (id, is_option): (Uuid, bool),
    name: &str,
    reason: Option<&str>,
) -> db::Result<()> {
    let notice = Notice {
        kind: "SOLD_OUT",
        severity: Severity::Info,
        title: format!("{name} is sold out"),
        body: reason.unwrap_or("It cannot be ordered until it is back in stock.").to_owned(),
        audience: Audience::Staff,
        entity: Some((if is_option { "modifier_option" } else { "menu_item" }, id)),
        dedupe_key: format!("sold-out:{id}"),
    };
    notifications::actions::notify(tx, actor.outlet_id, notice)
}

/// Takes `quantity` portions of a dish or a variant that is counted down; does nothing to one that is not, nor to one that is out because its
/// stock has run out: whether that is sold on is the caller's to say. At none left it is out of stock.
///
/// # Errors
/// [`MenuError::SoldOut`] when fewer are left, or somebody said that none can be had.
pub fn take_limited(tx: &Tx<'_>, actor: &Actor, id: Uuid, quantity: i64) -> Result<()> {
    take(tx, actor, (id, false), quantity)
}

/// [`take_limited`] of a modifier option.
///
/// # Errors
/// As [`take_limited`].
pub fn take_limited_option(tx: &Tx<'_>, actor: &Actor, id: Uuid, quantity: i64) -> Result<()> {
    take(tx, actor, (id, true), quantity)
}

fn take(tx: &Tx<'_>, actor: &Actor, whose: (Uuid, bool), quantity: i64) -> Result<()> {
    let state = store::find_availability(tx, actor.outlet_id, whose, tx.now())?;
    let left = match (state.status, state.quantity_left) {
        (Status::InStock, _) | (Status::Limited, None) => return Ok(()),
        (Status::OutOfStock, _) if state.is_short() => return Ok(()),
        (Status::OutOfStock, _) => return Err(MenuError::SoldOut { left: 0 }),
        (Status::Limited, Some(left)) => left,
    };
    let rest = left.checked_sub(quantity).filter(|rest| *rest >= 0).ok_or(MenuError::SoldOut { left })?;
    store::set_quantity_left(tx, actor.outlet_id, whose, rest)?;
    store::next_revision(tx, actor.outlet_id)?;
    if rest == 0 {
        let (name, _) = look_up(tx, actor, whose)?;
        sold_out(tx, actor, whose, &name, None)?;
    }
    Ok(())
}

/// Gives back `quantity` portions of a dish or a variant that is, or was until it ran out, counted down (a void, a cancelled order).
pub fn give_back(tx: &Tx<'_>, actor: &Actor, id: Uuid, quantity: i64) -> Result<()> {
    put_back(tx, actor, (id, false), quantity)
}

/// [`give_back`] of a modifier option.
pub fn give_back_option(tx: &Tx<'_>, actor: &Actor, id: Uuid, quantity: i64) -> Result<()> {
    put_back(tx, actor, (id, true), quantity)
}

fn put_back(tx: &Tx<'_>, actor: &Actor, whose: (Uuid, bool), quantity: i64) -> Result<()> {
    let state = store::find_availability(tx, actor.outlet_id, whose, tx.now())?;
    // A dish that was "86"ed by hand has no count: nothing given back brings it into stock again.
    let (Status::Limited | Status::OutOfStock, Some(left)) = (state.status, state.quantity_left) else {
        return Ok(());
    };
    store::set_quantity_left(tx, actor.outlet_id, whose, left.saturating_add(quantity))?;
    store::next_revision(tx, actor.outlet_id)?;
    Ok(())
}

/// Sets this outlet's own price of a dish; none goes back to the shared one. Put on record.
///
/// # Errors
/// No such one; an amount out of range.
pub fn set_price(tx: &Tx<'_>, actor: &Actor, id: Uuid, price: Option<Cents>) -> Result<MenuItem> {
    let at = here(tx, actor)?;
    let before = store::find_item(tx, actor.outlet_id, id, &at)?;
    // The price of a dish is that of its leading variant.
    let leading = leading(&before.draft.variants).and_then(|at| before.variants.get(at));
    let (whose, name) = leading.map_or((id, &before.draft.name), |variant| (variant.id, &variant.full_name));
    change_price(tx, actor, (whose, name), (before.outlet_price, price))?;
    store::find_item(tx, actor.outlet_id, id, &at)
}

/// Sets this outlet's own price of a variant; none goes back to the shared one. Put on record. Answers the dish.
///
/// # Errors
/// No such one; an amount out of range.
pub fn set_variant_price(tx: &Tx<'_>, actor: &Actor, id: Uuid, price: Option<Cents>) -> Result<MenuItem> {
    let at = here(tx, actor)?;
    let (item, before) = store::find_variant(tx, actor.outlet_id, id, &at)?;
    change_price(tx, actor, (id, &before.full_name), (before.outlet_price, price))?;
    store::find_item(tx, actor.outlet_id, item, &at)
}

fn change_price(
    tx: &Tx<'_>,
    actor: &Actor,
    (id, name): (Uuid, &str),
    (before, price): (Option<Cents>, Option<Cents>),
) -> Result<()> {
    if price.is_some_and(|p| !(0..=MAX_CENTS).contains(&p.get())) {
        let field = FieldError::new("priceCents", "must be from 0 to 1000000000000");
        return Err(MenuError::Invalid(vec![field]));
    }
    if before == price {
        return Ok(());
    }
    store::set_price(tx, actor.outlet_id, id, price, actor.account_id)?;
    store::next_revision(tx, actor.outlet_id)?;
    let entry = Entry::new("menu.item.outlet-price", "menu_item", Some(id))
        .before(&json!({"name": name, "outletPriceCents": before}))
        .after(&json!({"name": name, "outletPriceCents": price}));
    Ok(audit::actions::record(tx, actor, entry)?)
}
