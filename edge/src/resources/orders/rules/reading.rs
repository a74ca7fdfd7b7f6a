//! One line read against its dish: its price, its choices, what of it is sold out and what is unwise, with their paths. Never counts stock.

use super::countdown::{is_limited, limited_options};
use super::drafts::{Draft, LineRequest, ModifierRequest, Overridden, Selling};
use super::record::{LineRecord, ModifierRecord};
use super::weighed::read_weight;
use crate::http::Checks;
use crate::resources::menu::rules::{
    ModifierGroup, ModifierOption, OUT_OF_STOCK, Sellable, Warning, WarningCode,
};
use tiffin_common::{Cents, Millis, Overflow, Uuid};

/// How a line is read, where its fields stand in the body, and its place in the request.
#[derive(Clone, Copy)]
pub(super) struct Reading<'a> {
    pub(super) selling: Selling,
    pub(super) path: &'a str,
    pub(super) place: usize,
}

/// A line of a dish, in the size that is meant; none where that cannot be told.
pub(super) fn read_dish(
    request: &LineRequest,
    dish: &Sellable,
    reading: Reading<'_>,
    checks: &mut Checks,
) -> Result<Option<Draft>, Overflow> {
    match dish.variant(request.variant_id, request.sku.as_deref()) {
        Ok(None) => read_line(request, dish, reading, checks).map(Some),
        Ok(Some(variant)) => {
            let draft = read_line(request, &dish.in_size(variant), reading, checks)?;
            Ok(Some(Draft { limited: draft.limited || is_limited(&variant.availability), ..draft }))
        }
        Err((field, reason)) => {
            checks.add(format!("{}.{field}", reading.path), reason);
            Ok(None)
        }
    }
}

pub(super) fn read_line(
    request: &LineRequest,
    dish: &Sellable,
    reading: Reading<'_>,
    checks: &mut Checks,
) -> Result<Draft, Overflow> {
    let Reading { selling, path, place } = reading;
    let mut warnings = Vec::new();
    check_is_to_be_had(dish, reading, checks, &mut warnings);
    let weight = read_weight(request, dish, (path, selling.weighs), checks);
    let unit_price = request.unit_price.unwrap_or(dish.price);
    let priced = format!("{path}.unitPriceCents");
    let by_menu = dish.priced_by(unit_price);
    let other = match by_menu {
        Some(_) => None,
        None => check_price((&dish.name, dish.price), unit_price, selling, priced, checks),
    };
    let mut overridden = Vec::from_iter(other);
    let modifiers = read_modifiers(request, dish, selling, path, (checks, &mut warnings, &mut overridden));
    let limited_options = limited_options(dish, &modifiers);
    let modifiers_total = Cents::sum(modifiers.iter().map(|modifier| modifier.price))?;
    let mut line = LineRecord {
        id: Uuid::nil(),
        line_number: 0,
        menu_item_id: dish.id,
        variant_id: dish.variant_id,
        price_list_id: by_menu.flatten(),
        name: dish.name.clone(),
        hsn_sac: dish.hsn_sac.clone(),
        station_id: dish.station_id,
        unit_price,
        modifiers_total,
        quantity: request.quantity,
        voided_quantity: 0,
        course: request.course.or(dish.course).unwrap_or(1).max(1),
        seat_number: request.seat_number,
        notes: request.notes.clone(),
        tax_components: dish.tax_components.clone(),
        is_goods: dish.is_goods,
        gross: Cents::ZERO,
        subtotal: Cents::ZERO,
        discount: Cents::ZERO,
        service_charge: Cents::ZERO,
        tax: Cents::ZERO,
        split_from_id: None,
        version: 1,
        created_at: Millis::new(0),
        created_by: None,
        hold: request.hold,
        combo_id: None,
        combo_line_id: None,
        component: None,
        extra: Cents::ZERO,
        weight,
        weight_unit: weight.and(dish.weighed_in()),
        modifiers,
    };
    line.gross = line.gross_of(request.quantity)?;
    if line.gross.get() > tiffin_common::money::MAX_CENTS {
        return Err(Overflow);
    }
    Ok(Draft {
        name: dish.name.clone(),
        kitchen_name: dish.kitchen_name.clone().unwrap_or_else(|| dish.name.clone()),
        prep_minutes: dish.prep_minutes,
        overridden,
        limited: is_limited(&dish.availability),
        limited_options,
        warnings,
        place,
        line,
    })
}

/// Refuses a dish that cannot be had now; one whose stock has run out is a warning for who sells on.
fn check_is_to_be_had(
    dish: &Sellable,
    reading: Reading<'_>,
    checks: &mut Checks,
    warnings: &mut Vec<Warning>,
) {
    let Some(reason) = dish.unavailable else { return };
    let path = format!("{}.menuItemId", reading.path);
    if dish.is_short() {
        run_out(reading.selling, (path, &dish.name), checks, warnings);
    } else {
        checks.add(path, reason);
    }
}

/// Refuses a price that is not the menu's, unless whoever sells may ask for another: that is answered, to be put on record.
fn check_price(
    (name, menu): (&str, Cents),
    charged: Cents,
    selling: Selling,
    path: String,
    checks: &mut Checks,
) -> Option<Overridden> {
    if charged == menu {
        return None;
    }
    let why = format!("must be {}, the price of the outlet", menu.get());
    checks.require(selling.may_override, path, why);
    Some(Overridden { name: name.to_owned(), menu, charged })
}

/// The options and notes of a line: an option costs what the menu says, unless whoever sells may ask for another price; where a group's minimum is not met and nothing of it
/// was chosen, its defaults are taken.
fn read_modifiers(
    request: &LineRequest,
    dish: &Sellable,
    selling: Selling,
    path: &str,
    (checks, warnings, overridden): (&mut Checks, &mut Vec<Warning>, &mut Vec<Overridden>),
) -> Vec<ModifierRecord> {
    let mut chosen: Vec<ModifierRecord> = Vec::with_capacity(request.modifiers.len());
    let mut counts = vec![0i64; dish.groups.len()];
    for (index, modifier) in request.modifiers.iter().enumerate() {
        let path = format!("{path}.modifiers[{index}]");
        let found = find_option(&dish.groups, modifier);
        match (found, modifier.option_id, &modifier.name) {
            (Some((group, option)), _, _) => {
                if let Some(count) = counts.get_mut(group) {
                    *count += 1;
                }
                let field = if modifier.option_id.is_some() { "optionId" } else { "name" };
                let price = modifier.price.unwrap_or(option.price);
                let priced = format!("{path}.priceCents");
                overridden.extend(check_price((&option.name, option.price), price, selling, priced, checks));
                let path = format!("{path}.{field}");
                if option.is_active && option.availability.is_short() {
                    run_out(selling, (path, &option.name), checks, warnings);
                } else {
                    checks.require(option.available, path, "is sold out");
                }
                chosen.push(ModifierRecord { price, ..record_of(option) });
            }
            (None, Some(_), _) => checks.add(format!("{path}.optionId"), "is no option of this dish"),
            (None, None, Some(name)) if !name.trim().is_empty() => {
                let price = modifier.price.unwrap_or(Cents::ZERO);
                checks.require(
                    price == Cents::ZERO || selling.may_override,
                    format!("{path}.priceCents"),
                    "must be 0: it is no option of this dish but a note for the kitchen",
                );
                chosen.push(ModifierRecord {
                    id: Uuid::nil(),
                    option_id: None,
                    name: name.trim().to_owned(),
                    price,
                });
            }
            // Both fields may be absent: what names nothing and costs nothing says nothing.
            (None, None, _) => checks.require(
                modifier.price.unwrap_or(Cents::ZERO) == Cents::ZERO,
                path,
                "needs an optionId or a name",
            ),
        }
    }
    for (group, count) in dish.groups.iter().zip(counts) {
        complete_group(group, count, &mut chosen, path, checks);
    }
    chosen
}

/// The stock of what is called `name` has run out: a warning for who sells on, else a refusal.
fn run_out(selling: Selling, (path, name): (String, &str), checks: &mut Checks, warnings: &mut Vec<Warning>) {
    match (selling.is_for_later, selling.sells_on) {
        (true, _) => {}
        (false, false) => checks.add(path, OUT_OF_STOCK),
        (false, true) => {
            let message = format!("{name}: the books say that its stock has run out");
            warnings.push(Warning { code: WarningCode::OutOfStock, path, message });
        }
    }
}

fn complete_group(
    group: &ModifierGroup,
    count: i64,
    chosen: &mut Vec<ModifierRecord>,
    path: &str,
    checks: &mut Checks,
) {
    let mut count = count;
    if count == 0 && group.min > 0 {
        for option in group.options.iter().filter(|option| option.is_default && option.available) {
            if group.max.is_none_or(|max| count < max) {
                chosen.push(record_of(option));
                count += 1;
            }
        }
    }
    let name = &group.name;
    if count < group.min {
        checks.add(format!("{path}.modifiers"), format!("must choose at least {} of {name}", group.min));
    }
    if let Some(max) = group.max.filter(|max| count > *max) {
        checks.add(format!("{path}.modifiers"), format!("must choose at most {max} of {name}"));
    }
}

fn record_of(option: &ModifierOption) -> ModifierRecord {
    ModifierRecord {
        id: Uuid::nil(),
        option_id: Some(option.id),
        name: option.name.clone(),
        price: option.price,
    }
}

/// The option a modifier means, with the index of its group: by id, otherwise by name in any case.
fn find_option<'a>(
    groups: &'a [ModifierGroup],
    wanted: &ModifierRequest,
) -> Option<(usize, &'a ModifierOption)> {
    let name = wanted.name.as_deref().map(|name| name.trim().to_lowercase());
    let fits = |option: &ModifierOption| match wanted.option_id {
        Some(id) => option.id == id,
        None => name.as_deref().is_some_and(|name| option.name.to_lowercase() == name),
    };
    let all = groups.iter().enumerate().flat_map(|(i, group)| group.options.iter().map(move |o| (i, o)));
    all.filter(|(_, option)| option.is_active).find(|(_, option)| fits(option))
}
