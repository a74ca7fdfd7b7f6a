//! How a supplier kept their word: promised against actual. Counted in whole numbers; rounded once, to two decimals.

use super::states::Status;
use crate::resources::inventory::rules::SupplierPerformance;
use chrono::NaiveDate;
use tiffin_common::money::round_div;
use tiffin_common::quantity::MILLION;
use tiffin_common::{Cents, Millis, Overflow, Quantity};

/// How far back orders count.
pub const WINDOW_DAYS: u64 = 365;

table! {
    /// What became of one order that was sent.
    pub struct SentOrder: purchase_orders {
        /// When it was sent.
        pub sent_on: NaiveDate,
        /// When it was promised for.
        pub expected_on: NaiveDate => expected_delivery_date,
        /// When all of it had come.
        pub received_on: Option<NaiveDate>,
        /// When something of it came last.
        pub last_delivery_at: Option<Millis> => none,
        /// Where it stands.
        pub status: Status,
        /// Of each line how much was ordered and how much has come, in the item's unit.
        pub lines: Vec<(Quantity, Quantity)> => none,
    }
}

/// `numerator ÷ denominator`, to two decimals; none when there is nothing to divide by.
fn hundredths(numerator: i128, denominator: i64) -> Result<Option<Quantity>, Overflow> {
    if denominator == 0 {
        return Ok(None);
    }
    let numerator = numerator.checked_mul(100).ok_or(Overflow)?;
    let rounded = round_div(numerator, i128::from(denominator))?;
    Quantity::from_millionths(MILLION / 100).times(rounded).map(Some)
}

/// The figures over `orders`, on business date `today`; what went back is no order's.
///
/// # Errors
/// When a number leaves the range.
pub fn of(orders: &[SentOrder], today: NaiveDate) -> Result<SupplierPerformance, Overflow> {
    let count = |holds: &dyn Fn(&SentOrder) -> bool| {
        orders.iter().fold(0i64, |n, order| n.saturating_add(i64::from(holds(order))))
    };
    let received = count(&|order| order.received_on.is_some());
    let due = count(&|order| order.received_on.is_some() || order.expected_on < today);
    let on_time = count(&|order| order.received_on.is_some_and(|day| day <= order.expected_on));
    let days = |until: &dyn Fn(&SentOrder) -> NaiveDate| {
        let complete = orders.iter().filter(|order| order.received_on.is_some());
        let sum: i64 = complete.map(|order| (until(order) - order.sent_on).num_days()).sum();
        hundredths(i128::from(sum), received)
    };
    let done = |order: &&SentOrder| matches!(order.status, Status::Received | Status::Closed);
    let (mut filled, mut lines) = (0i128, 0i64);
    for (ordered, came) in orders.iter().filter(done).flat_map(|order| &order.lines) {
        let came = i128::from(came.min(ordered).get()) * i128::from(MILLION);
        filled += i128::from(round_div(came, i128::from(ordered.get()))?);
        lines = lines.saturating_add(1);
    }
    // Millionths of a line, as a percentage.
    let fill_rate = hundredths(filled * 100, lines.checked_mul(MILLION).ok_or(Overflow)?)?;
    Ok(SupplierPerformance {
        orders_count: count(&|_| true),
        delivered_count: count(&|order| order.last_delivery_at.is_some()),
        on_time_percentage: hundredths(i128::from(on_time) * 100, due)?,
        average_promised_days: days(&|order| order.expected_on)?,
        average_actual_days: days(&|order| order.received_on.unwrap_or(order.expected_on))?,
        fill_rate_percentage: fill_rate,
        returns_count: 0,
        returned_cents: Cents::ZERO,
        last_delivery_at: orders.iter().filter_map(|order| order.last_delivery_at).max(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(expected: &str, received: Option<&str>, status: Status, came: &str) -> SentOrder {
        SentOrder {
            sent_on: "2026-11-02".parse().unwrap(),
            expected_on: expected.parse().unwrap(),
            received_on: received.map(|day| day.parse().unwrap()),
            last_delivery_at: (came != "0").then(|| Millis::new(came.len() as i64)),
            status,
            lines: vec![("8".parse().unwrap(), came.parse().unwrap())],
        }
    }

    fn shown(value: Option<Quantity>) -> Option<String> {
        value.map(|value| value.to_string())
    }

    #[test]
    fn promised_is_held_against_actual() {
        use Status::{Closed, PartiallyReceived, Received, Sent};
        let orders = [
            order("2026-11-03", Some("2026-11-03"), Received, "8"),
            order("2026-11-03", Some("2026-11-05"), Closed, "9.5"),
            order("2026-11-04", Some("2026-11-03"), Received, "8"),
            order("2026-11-05", None, Closed, "3"),
            order("2026-11-05", None, Sent, "0"),
            order("2026-11-09", None, PartiallyReceived, "1"),
        ];
        let found = of(&orders, "2026-11-08".parse().unwrap()).unwrap();
        assert_eq!((found.orders_count, found.delivered_count), (6, 5));
        assert_eq!(shown(found.on_time_percentage), Some("40".into()), "two of five that are due");
        assert_eq!(shown(found.average_promised_days), Some("1.33".into()));
        assert_eq!(shown(found.average_actual_days), Some("1.67".into()));
        assert_eq!(shown(found.fill_rate_percentage), Some("84.38".into()), "8, 8, 8 and 3 of 32");
        assert_eq!(found.last_delivery_at, Some(Millis::new(3)));
    }

    #[test]
    fn nothing_is_said_of_a_supplier_who_was_never_asked() {
        let found = of(&[], "2026-11-08".parse().unwrap()).unwrap();
        assert_eq!(
            (found.orders_count, found.on_time_percentage, found.fill_rate_percentage),
            (0, None, None)
        );
    }
}
