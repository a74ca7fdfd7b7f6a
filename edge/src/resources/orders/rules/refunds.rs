//! What may be given back (contract section 6): never more than was paid, per payment and per line. Never decides who may.
//!
//! A line's worth is its part of what the guest was charged: the order's total, rounding included, is spread over the lines in
//! proportion to their discounted price with service charge and tax, so that the worths of all lines add up to the total.
//! Parts of a line are counted cumulatively: whatever the order in which portions come back, the last one takes the rest.

use super::combos::PART_OF_A_COMBO;
use super::record::OrderRecord;
use crate::http::{Checks, FieldError};
use tiffin_common::{Cents, Overflow, Uuid};

/// What is to be given back, as asked for.
#[derive(Debug, Clone)]
pub enum RefundOf {
    /// An amount.
    Amount(Cents),
    /// Portions of lines.
    Items(Vec<RefundItem>),
}

/// Portions of one line.
#[derive(Debug, Clone, Copy)]
pub struct RefundItem {
    /// The line.
    pub order_item_id: Uuid,
    /// How many portions.
    pub quantity: i64,
}

/// A refund as asked for.
#[derive(Debug, Clone)]
pub struct NewRefund {
    /// The payment it is given back from; none: the newest ones.
    pub payment_id: Option<Uuid>,
    /// What.
    pub of: RefundOf,
    /// Why.
    pub reason: String,
    /// Put the ingredients of what was not made back into stock.
    pub restock: bool,
}

/// What is left of a payment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaymentLeft {
    /// The payment.
    pub id: Uuid,
    /// What has not been given back yet.
    pub left: Cents,
}

/// Portions that come back, with their worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemWorth {
    /// The index of the line in the order.
    pub line: usize,
    /// Portions.
    pub quantity: i64,
    /// What they were charged at.
    pub amount: Cents,
}

/// What each line contributes to the total, in their order.
///
/// # Errors
/// [`Overflow`].
pub fn line_worths(order: &OrderRecord) -> Result<Vec<Cents>, Overflow> {
    let mut charged = Vec::with_capacity(order.lines.len());
    for line in &order.lines {
        let worth = line.subtotal.minus(line.discount)?.plus(line.service_charge)?.plus(line.tax)?;
        charged.push(worth.get().max(0));
    }
    if charged.is_empty() { Ok(Vec::new()) } else { order.total.allocate(&charged) }
}

/// The worth of `items`, where `refunded` portions of each line (in their order) came back before.
///
/// # Errors
/// All offending fields, with the path of `items`.
pub fn item_worths(
    order: &OrderRecord,
    refunded: &[i64],
    items: &[RefundItem],
) -> Result<Vec<ItemWorth>, Vec<FieldError>> {
    let too_large = |_: Overflow| vec![FieldError::new("items", "are too many to count")];
    let worths = line_worths(order).map_err(too_large)?;
    let mut gone = refunded.to_vec();
    gone.resize(order.lines.len(), 0);
    let mut checks = Checks::new();
    let mut found = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let Some(named) = order.line(item.order_item_id) else {
            checks.add(format!("items[{index}].orderItemId"), "is not a line of this order");
            continue;
        };
        if order.combo_of(named).is_some() {
            checks.add(format!("items[{index}].orderItemId"), PART_OF_A_COMBO);
            continue;
        }
        // A combo comes back with all its components.
        let all = order.lines.iter().enumerate().filter(|(_, line)| line.is_of(named.id));
        for (position, line) in all {
            let (Some(worth), Some(before)) = (worths.get(position), gone.get_mut(position)) else {
                continue;
            };
            let left = line.quantity.saturating_sub(*before);
            if item.quantity > left || item.quantity < 1 {
                checks.add(
                    format!("items[{index}].quantity"),
                    format!("must be between 1 and {left}, which is what is left"),
                );
                break;
            }
            let after = before.saturating_add(item.quantity);
            let amount = part(*worth, *before, after, line.quantity).map_err(too_large)?;
            *before = after;
            found.push(ItemWorth { line: position, quantity: item.quantity, amount });
        }
    }
    checks.finish(found)
}

/// The share of `whole` between `from` and `to` of `parts`: shares side by side add up to the whole.
///
/// # Errors
/// [`Overflow`].
pub fn part(whole: Cents, from: i64, to: i64, parts: i64) -> Result<Cents, Overflow> {
    whole.ratio(to, parts)?.minus(whole.ratio(from, parts)?)
}

/// From which payments `amount` is given back: the named one, or the newest first. `payments` are in the order they were made.
///
/// # Errors
/// The offending field, with what could be given back.
pub fn sources(
    amount: Cents,
    payments: &[PaymentLeft],
    named: Option<Uuid>,
    field: &str,
) -> Result<Vec<(Uuid, Cents)>, Vec<FieldError>> {
    if named.is_some_and(|id| !payments.iter().any(|payment| payment.id == id)) {
        return Err(vec![FieldError::new("paymentId", "is not a payment of this order")]);
    }
    let usable = payments.iter().rev().filter(|payment| named.is_none_or(|id| payment.id == id));
    let mut wanted = amount;
    let mut found = Vec::new();
    for payment in usable {
        let take = payment.left.min(wanted);
        if take > Cents::ZERO {
            found.push((payment.id, take));
            wanted = wanted.minus(take).unwrap_or(Cents::ZERO);
        }
    }
    if wanted > Cents::ZERO {
        let most = amount.minus(wanted).unwrap_or(Cents::ZERO);
        let reason = format!("must be at most {}, which is what was paid and not given back", most.get());
        return Err(vec![FieldError::new(field, reason)]);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_newest_payment_is_given_back_first() {
        let (a, b) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let payments =
            [PaymentLeft { id: a, left: Cents::new(300) }, PaymentLeft { id: b, left: Cents::new(200) }];
        let found = sources(Cents::new(350), &payments, None, "amountCents").unwrap();
        assert_eq!(found, [(b, Cents::new(200)), (a, Cents::new(150))]);
        let error = sources(Cents::new(301), &payments, Some(a), "amountCents").unwrap_err();
        assert!(error[0].reason.contains("300"));
        assert_eq!(
            sources(Cents::new(1), &payments, Some(Uuid::from_u128(9)), "amountCents").unwrap_err()[0].name,
            "paymentId"
        );
    }

    proptest! {
        #[test]
        fn refunds_never_exceed_payments(
            paid in proptest::collection::vec(1i64..100_000, 1..5),
            asked in proptest::collection::vec((1i64..60_000, proptest::option::of(0usize..5)), 1..20),
        ) {
            let mut left: Vec<PaymentLeft> = paid.iter().enumerate()
                .map(|(i, amount)| PaymentLeft { id: Uuid::from_u128(i as u128 + 1), left: Cents::new(*amount) }).collect();
            let mut given = 0;
            for (amount, named) in asked {
                let named = named.and_then(|i| left.get(i)).map(|p| p.id);
                let Ok(from) = sources(Cents::new(amount), &left, named, "amountCents") else { continue };
                prop_assert_eq!(Cents::sum(from.iter().map(|(_, part)| *part)).unwrap().get(), amount);
                for (id, part) in from {
                    let payment = left.iter_mut().find(|p| p.id == id).unwrap();
                    payment.left = payment.left.minus(part).unwrap();
                    prop_assert!(payment.left >= Cents::ZERO);
                    given += part.get();
                }
            }
            prop_assert!(given <= paid.iter().sum::<i64>());
        }

        #[test]
        fn portions_add_up_to_their_line(whole in 0i64..10_000_000, cuts in proptest::collection::vec(1i64..5, 1..10)) {
            let parts: i64 = cuts.iter().sum();
            let mut from = 0;
            let mut sum = 0;
            for cut in cuts {
                sum += part(Cents::new(whole), from, from + cut, parts).unwrap().get();
                from += cut;
            }
            prop_assert_eq!(sum, whole);
        }
    }
}
