//! How an order is divided (contract section 6): which portions go where, what becomes of its discounts, what each of n
//! guests pays. Never cooks, deducts or prices anything.
//!
//! By item or seat, portions move to new orders, each with a number of its own. Discounts in percent hold in every part; fixed
//! ones are divided in proportion to what they apply to. Every part is priced by the ordinary rules, its total rounded as any bill's;
//! where no total is rounded and their sum would differ from the undivided one (tax is rounded per line), the odd cents stand in
//! `roundingCents` of the order that was divided: the parts add up to the original, to the cent.
//!
//! Equally: a dish cannot be cut into n bills without inventing fractions of it, and one sale is one tax invoice. So the order
//! stays whole and the answer names n shares of what is due; each is taken as a part payment.

use super::combos::PART_OF_A_COMBO;
use super::kinds::DiscountKind;
use super::record::{LineRecord, OrderRecord};
use crate::http::{Checks, FieldError};
use std::collections::HashMap;
use tiffin_common::{Cents, Overflow, Uuid};

/// How to divide, as asked for.
#[derive(Debug, Clone)]
pub enum SplitBy {
    /// These portions to one new order.
    Items(Vec<Take>),
    /// What each of these seats had to a new order of its own.
    Seats(Vec<i64>),
    /// This many equal payments.
    Equally(i64),
}

/// Portions of a line that move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Take {
    /// The line.
    pub order_item_id: Uuid,
    /// Portions.
    pub quantity: i64,
}

/// What moves to each new order. Something always stays: when all seats are named, the last one keeps the order.
///
/// # Errors
/// All offending fields.
pub fn parts(order: &OrderRecord, by: &SplitBy) -> Result<Vec<Vec<Take>>, Vec<FieldError>> {
    match by {
        SplitBy::Items(takes) => by_items(order, takes).map(|part| vec![part]),
        SplitBy::Seats(seats) => by_seats(order, seats),
        SplitBy::Equally(_) => Ok(Vec::new()),
    }
}

fn by_items(order: &OrderRecord, takes: &[Take]) -> Result<Vec<Take>, Vec<FieldError>> {
    let mut checks = Checks::new();
    let mut left: HashMap<Uuid, i64> = order.lines.iter().map(|line| (line.id, line.quantity)).collect();
    let mut part: Vec<Take> = Vec::new();
    for (index, take) in takes.iter().enumerate() {
        let Some(rest) = left.get_mut(&take.order_item_id) else {
            checks.add(format!("items[{index}].orderItemId"), "is not a line of this order");
            continue;
        };
        if order.line(take.order_item_id).is_some_and(LineRecord::is_component) {
            checks.add(format!("items[{index}].orderItemId"), PART_OF_A_COMBO);
            continue;
        }
        if take.quantity < 1 || take.quantity > *rest {
            checks.add(format!("items[{index}].quantity"), format!("must be between 1 and {rest}"));
            continue;
        }
        *rest = rest.saturating_sub(take.quantity);
        match part.iter_mut().find(|known| known.order_item_id == take.order_item_id) {
            Some(known) => known.quantity = known.quantity.saturating_add(take.quantity),
            None => part.push(*take),
        }
    }
    let stays = |line: &LineRecord| !line.is_component() && left.get(&line.id).is_some_and(|rest| *rest > 0);
    if checks.is_empty() && !order.lines.iter().any(stays) {
        checks.add("items", "must leave something on the order");
    }
    checks.finish(part.iter().flat_map(|take| with_components(order, *take)).collect())
}

/// A combo goes with all its components.
fn with_components(order: &OrderRecord, take: Take) -> impl Iterator<Item = Take> {
    let all = order.lines.iter().filter(move |line| line.is_of(take.order_item_id));
    all.map(move |line| Take { order_item_id: line.id, ..take })
}

fn by_seats(order: &OrderRecord, seats: &[i64]) -> Result<Vec<Vec<Take>>, Vec<FieldError>> {
    let mut checks = Checks::new();
    let mut parts = Vec::with_capacity(seats.len());
    let mut seen = Vec::with_capacity(seats.len());
    for (index, seat) in seats.iter().enumerate() {
        let sold = order.lines.iter().filter(|line| line.quantity > 0 && line.seat_number == Some(*seat));
        let takes: Vec<Take> =
            sold.map(|line| Take { order_item_id: line.id, quantity: line.quantity }).collect();
        let path = if seats.len() == 1 { "seat".to_owned() } else { format!("seats[{index}]") };
        if takes.is_empty() {
            checks.add(path, "has nothing on this order");
        } else if seen.contains(seat) {
            checks.add(path, "is named twice");
        } else {
            seen.push(*seat);
            parts.push(takes);
        }
    }
    let sold = order.lines.iter().filter(|line| line.quantity > 0);
    let everything = sold.clone().all(|line| line.seat_number.is_some_and(|seat| seen.contains(&seat)));
    if checks.is_empty() && everything {
        if parts.len() == 1 {
            checks.add("seat", "has all of this order");
        }
        parts.pop();
    }
    checks.finish(parts)
}

/// A discount of the order that is divided.
#[derive(Debug, Clone, Copy)]
pub struct Divisible {
    /// The index of its line; none: the whole order.
    pub line: Option<usize>,
    /// Share or amount.
    pub kind: DiscountKind,
    /// Basis points or cents.
    pub value: i64,
    /// What it came to.
    pub amount: Cents,
}

/// A line of the order that is divided.
#[derive(Debug, Clone, Copy)]
pub struct Portions {
    /// (unit + modifiers) × quantity.
    pub gross: Cents,
    /// Before.
    pub quantity: i64,
    /// What moves.
    pub taken: i64,
}

/// The value each discount has in the part that leaves and in the one that stays, in their order; 0: none there.
///
/// # Errors
/// [`Overflow`].
pub fn divide(discounts: &[Divisible], lines: &[Portions]) -> Result<Vec<(i64, i64)>, Overflow> {
    let mut left: Vec<Cents> = lines.iter().map(|line| line.gross).collect();
    for discount in discounts {
        if let Some(rest) = discount.line.and_then(|index| left.get_mut(index)) {
            *rest = rest.minus(discount.amount)?.max(Cents::ZERO);
        }
    }
    let (mut leaves, mut stays) = (Cents::ZERO, Cents::ZERO);
    for (line, left) in lines.iter().zip(&left) {
        let part = if line.quantity > 0 { left.ratio(line.taken, line.quantity)? } else { Cents::ZERO };
        leaves = leaves.plus(part)?;
        stays = stays.plus(left.minus(part)?)?;
    }
    let mut values = Vec::with_capacity(discounts.len());
    for discount in discounts {
        let portions = discount.line.and_then(|index| lines.get(index));
        values.push(match (discount.kind, portions) {
            (DiscountKind::Percent, None) => (discount.value, discount.value),
            (DiscountKind::Percent, Some(line)) => (
                if line.taken > 0 { discount.value } else { 0 },
                if line.taken < line.quantity { discount.value } else { 0 },
            ),
            (DiscountKind::Fixed, None) => share(discount.value, &[leaves.get(), stays.get()])?,
            (DiscountKind::Fixed, Some(line)) => {
                share(discount.value, &[line.taken, line.quantity.saturating_sub(line.taken)])?
            }
        });
    }
    Ok(values)
}

fn share(value: i64, weights: &[i64; 2]) -> Result<(i64, i64), Overflow> {
    match Cents::new(value).allocate(weights)?.as_slice() {
        [taken, rest] => Ok((taken.get(), rest.get())),
        _ => Err(Overflow),
    }
}

/// What each of `count` guests pays of `due`, in multiples of `step` where it allows: the first ones pay the odd ones.
///
/// # Errors
/// [`Overflow`].
pub fn shares(due: Cents, count: i64, step: Cents) -> Result<Vec<Cents>, Overflow> {
    let weights = vec![1; usize::try_from(count.max(1)).map_err(|_| Overflow)?];
    let step = step.get();
    if step > 1 && due.get() % step == 0 {
        let steps = Cents::new(due.get() / step).allocate(&weights)?;
        return steps.into_iter().map(|part| part.times(step)).collect();
    }
    due.allocate(&weights)
}

#[cfg(test)]
mod tests {
    use super::super::price::{PriceLine, Reduction, Terms, price};
    use super::*;
    use crate::resources::menu::rules::TaxComponent;
    use proptest::prelude::*;
    use tiffin_common::Bps;

    #[test]
    fn shares_add_up_and_are_payable_in_cash() {
        let shares_of = |due, n, step| -> Vec<i64> {
            shares(Cents::new(due), n, Cents::new(step)).unwrap().iter().map(|c| c.get()).collect()
        };
        assert_eq!(shares_of(1000, 3, 0), [334, 333, 333]);
        assert_eq!(shares_of(1000, 3, 100), [400, 300, 300]);
        assert_eq!(shares_of(1050, 2, 100), [525, 525]);
    }

    proptest! {
        #[test]
        fn splits_add_up(
            lines in proptest::collection::vec((1i64..50_000, 1i64..6, 0i64..6), 1..8),
            cuts in proptest::collection::vec((proptest::option::of(0usize..8), any::<bool>(), 1i64..9_000), 0..4),
            included in any::<bool>(), service in 0i64..1_500,
        ) {
            let taxes: Vec<TaxComponent> = [("CGST", 250), ("SGST", 250)]
                .map(|(name, rate)| TaxComponent { name: name.into(), rate: Bps::new(rate), kind: None }).to_vec();
            let terms = Terms { prices_include_tax: included, service_charge: Bps::new(service), service_charge_taxed: true, ..Terms::default() };
            let portions: Vec<Portions> = lines.iter()
                .map(|(unit, q, t)| Portions { gross: Cents::new(unit * q), quantity: *q, taken: *t.min(q) }).collect();
            let cuts: Vec<Reduction> = cuts.iter().filter(|(line, _, _)| line.is_none_or(|l| l < portions.len()))
                .map(|(line, percent, value)| Reduction {
                    line: *line, kind: if *percent { DiscountKind::Percent } else { DiscountKind::Fixed }, value: *value,
                }).collect();
            let bill = |pick: &dyn Fn(&Portions) -> i64, values: &[i64]| {
                let lines: Vec<PriceLine> = portions.iter().zip(&lines)
                    .map(|(p, (unit, _, _))| PriceLine { gross: Cents::new(unit * pick(p)), taxes: &taxes, is_goods: false, by_operator: false, part_of: None }).collect();
                let cuts: Vec<Reduction> = cuts.iter().zip(values).map(|(c, v)| Reduction { value: *v, ..*c }).collect();
                price(&terms, &lines, &cuts).unwrap()
            };
            let own: Vec<i64> = cuts.iter().map(|c| c.value).collect();
            let whole = bill(&|p| p.quantity, &own);
            let divisible: Vec<Divisible> = cuts.iter().zip(&whole.reductions)
                .map(|(c, amount)| Divisible { line: c.line, kind: c.kind, value: c.value, amount: *amount }).collect();
            let values = divide(&divisible, &portions).unwrap();
            for ((taken, rest), cut) in values.iter().zip(&cuts) {
                if cut.kind == DiscountKind::Fixed { prop_assert_eq!(taken + rest, cut.value); }
            }
            let leaves = bill(&|p| p.taken, &values.iter().map(|v| v.0).collect::<Vec<_>>());
            let stays = bill(&|p| p.quantity - p.taken, &values.iter().map(|v| v.1).collect::<Vec<_>>());
            prop_assert_eq!(leaves.gross.get() + stays.gross.get(), whole.gross.get());
            // What the rounding line has to carry: a few cents of rounded taxes and discounts, never a sum.
            let odd = whole.total.get() - leaves.total.get() - stays.total.get();
            let most = i64::try_from(lines.len() * 4 + cuts.len() * 3 + 4).unwrap();
            prop_assert!(odd.abs() <= most, "odd {} of {}", odd, whole.total.get());
        }
    }
}
