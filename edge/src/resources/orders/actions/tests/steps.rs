//! Whatever staff do to an order, in whatever order: money and stock add up after every step.

use super::*;
use proptest::prelude::*;

/// What staff may do to an order, in any order.
#[derive(Debug, Clone)]
enum Step {
    Add { dosa: bool, quantity: i64 },
    Change { line: usize, quantity: i64 },
    Void { line: usize, quantity: i64, was_made: bool },
    Discount { line: Option<usize>, percent: bool, value: i64 },
    Undiscount,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let add = (any::<bool>(), 1i64..4).prop_map(|(dosa, quantity)| Step::Add { dosa, quantity });
    let change = (0usize..6, 1i64..6).prop_map(|(line, quantity)| Step::Change { line, quantity });
    let void = (0usize..6, 1i64..4, any::<bool>()).prop_map(|(line, quantity, was_made)| Step::Void {
        line,
        quantity,
        was_made,
    });
    let cut = (proptest::option::of(0usize..6), any::<bool>(), 1i64..3_000)
        .prop_map(|(line, percent, value)| Step::Discount { line, percent, value });
    proptest::collection::vec(
        prop_oneof![3 => add, 3 => change, 3 => void, 2 => cut, 1 => Just(Step::Undiscount)],
        1..12,
    )
}

impl Diner {
    /// Does one step as a manager; a step that is refused changes nothing.
    fn step(&self, id: Uuid, step: Step) {
        let (dosa, coffee) = (self.dosa, self.coffee);
        let done = self.as_role(Role::Manager, move |tx, actor| {
            let order = store::find(tx, actor.outlet_id, id)?;
            let line = |index: usize| order.lines.get(index).map_or(Uuid::nil(), |line| line.id);
            let pin = ApproverPin::none();
            match step {
                Step::Add { dosa: true, quantity } => {
                    add_lines(tx, actor, id, &[Diner::line(dosa, quantity, 10_000)], &pin).map(drop)
                }
                Step::Add { quantity, .. } => {
                    add_lines(tx, actor, id, &[Diner::line(coffee, quantity, 5_000)], &pin).map(drop)
                }
                Step::Change { line: index, quantity } => {
                    let change =
                        lines::LineChange { quantity: Some(quantity), ..lines::LineChange::default() };
                    change_line(tx, actor, id, line(index), None, change, &pin).map(drop)
                }
                Step::Void { line: index, quantity, was_made } => {
                    let void =
                        VoidLine { quantity: Some(quantity), reason: "x".into(), was_made: Some(was_made) };
                    void_line(tx, actor, id, line(index), &void, &pin).map(drop)
                }
                Step::Discount { line: index, percent, value } => {
                    let kind = if percent { DiscountKind::Percent } else { DiscountKind::Fixed };
                    let give = GiveDiscount { kind, value, line_id: index.map(line), reason: "x".into() };
                    discount(tx, actor, id, give, &pin).map(drop)
                }
                Step::Undiscount => {
                    let first =
                        store::list_discounts(tx, id)?.first().map_or(Uuid::nil(), |discount| discount.id);
                    remove_discount(tx, actor, id, first).map(drop)
                }
            }
        });
        assert!(!matches!(done, Err(OrderError::Db(_))), "{done:?}");
    }

    /// What holds after every step, as SQL that answers 1.
    fn check(&self) {
        for (what, sql) in [
            ("the total adds up", "SELECT min(subtotal_cents - discount_cents + service_charge_cents + tax_cents
                + rounding_cents = total_cents) FROM orders"),
            ("tax lines are the tax", "SELECT (SELECT coalesce(sum(tax_cents), 0) FROM order_taxes) =
                (SELECT sum(tax_cents) FROM orders)"),
            ("lines are the gross", "SELECT (SELECT sum(gross_cents) FROM order_items) = (SELECT sum(gross_cents) FROM orders)"),
            ("line discounts are the discount", "SELECT (SELECT sum(discount_cents) FROM order_items) =
                (SELECT sum(discount_cents) FROM orders)"),
            ("discounts are the discount", "SELECT (SELECT coalesce(sum(amount_cents), 0) FROM order_discounts
                WHERE removed_at IS NULL) = (SELECT sum(discount_cents) FROM orders)"),
            ("what is sold or wasted is what left the larder", "SELECT 1150000 - (SELECT on_hand FROM stock_levels) =
                100000 * ((SELECT coalesce(sum(quantity), 0) FROM order_items WHERE name = 'Dosa') +
                  (SELECT coalesce(sum(v.quantity), 0) FROM order_item_voids v JOIN order_items l ON l.id = v.order_item_id
                   WHERE v.was_made = 1 AND l.name = 'Dosa'))"),
        ] {
            assert_eq!(self.fixture.number(sql), 1, "{what}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn whatever_staff_do_money_and_stock_add_up(steps in steps()) {
        let diner = Diner::new();
        let id = diner.place(vec![Diner::line(diner.dosa, 2, 10_000)]).unwrap().order.id;
        for step in steps {
            diner.step(id, step);
            diner.check();
        }
        diner.set_status(id, OrderStatus::Cancelled).unwrap();
        prop_assert_eq!(
            1_150_000 - diner.batter_left(),
            100_000 * diner.fixture.number("SELECT coalesce(sum(v.quantity), 0) FROM order_item_voids v
                JOIN order_items l ON l.id = v.order_item_id WHERE v.was_made = 1 AND l.name = 'Dosa'")
        );
    }
}
