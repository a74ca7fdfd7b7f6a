//! Which state may follow which (contract section 6, "States"). Never asks about money: COMPLETED with something due is
//! refused by the action.

use super::kinds::{OrderStatus, OrderType};

/// Where a state stands on the way from PENDING to COMPLETED.
fn rank(status: OrderStatus) -> usize {
    match status {
        OrderStatus::Pending => 0,
        OrderStatus::Accepted => 1,
        OrderStatus::InPreparation => 2,
        OrderStatus::Ready => 3,
        OrderStatus::Delivered => 4,
        OrderStatus::Completed => 5,
        OrderStatus::Cancelled => 6,
    }
}

/// The states that may follow `from`. Staff may skip forward (a drink needs no kitchen); others go step by step, where
/// READY → COMPLETED is a step of orders handed over at once. Nobody goes back.
pub fn next(from: OrderStatus, order_type: OrderType, staff: bool) -> Vec<OrderStatus> {
    if from.is_final() {
        return Vec::new();
    }
    let handed_over = matches!(order_type, OrderType::Counter | OrderType::Takeaway);
    OrderStatus::ALL
        .iter()
        .copied()
        .filter(|to| match to {
            OrderStatus::Cancelled => true,
            OrderStatus::Completed if from == OrderStatus::Ready && handed_over => true,
            to if staff => rank(*to) > rank(from),
            to => rank(*to) == rank(from) + 1,
        })
        .collect()
}

/// Whether `to` lies ahead of `from`: what the kitchen's progress may set.
pub fn is_ahead(from: OrderStatus, to: OrderStatus) -> bool {
    !from.is_final() && rank(to) > rank(from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use OrderStatus as S;

    #[test]
    fn both_ends_are_final() {
        for staff in [true, false] {
            assert!(next(S::Completed, OrderType::DineIn, staff).is_empty());
            assert!(next(S::Cancelled, OrderType::DineIn, staff).is_empty());
        }
    }

    #[test]
    fn staff_skip_forward_but_never_go_back() {
        for from in OrderStatus::ALL.iter().copied().filter(|s| !s.is_final()) {
            let allowed = next(from, OrderType::DineIn, true);
            assert!(allowed.contains(&S::Cancelled));
            assert!(allowed.iter().all(|to| rank(*to) > rank(from)));
        }
        assert!(next(S::Pending, OrderType::DineIn, true).contains(&S::Delivered));
    }

    #[test]
    fn handed_over_orders_need_no_delivery() {
        assert!(next(S::Ready, OrderType::Counter, false).contains(&S::Completed));
        assert!(!next(S::Ready, OrderType::DineIn, false).contains(&S::Completed));
        assert_eq!(next(S::Ready, OrderType::DineIn, false), [S::Delivered, S::Cancelled]);
    }
}
