//! Whatever staff do with bills and money, in whatever order: nothing is given back twice, parts add up, the chain holds.

use super::*;
use crate::resources::menu::rules::{ComponentDraft, ComponentOptionDraft, ItemKind, SoldBy, Texts};
use crate::resources::orders::rules::ComponentRequest;
use crate::resources::orders::rules::corrections::NewCorrection;
use crate::resources::orders::rules::credits::{CreditReason, NewCreditNote};
use crate::resources::orders::rules::payments::NewPayment;
use crate::resources::orders::rules::refunds::{NewRefund, RefundItem, RefundOf};
use crate::resources::orders::rules::split::{SplitBy, Take};
use crate::resources::orders::rules::verify::Verifier;
use crate::resources::orders::rules::{Buyer, OrderRecord, PaymentMethod};
use proptest::prelude::*;

#[derive(Debug, Clone)]
enum Step {
    Place { dosa: i64, coffee: i64 },
    Add { dosa: i64 },
    Meal { meals: i64 },
    Weigh { grams: i64 },
    Cut { line: Option<usize>, percent: bool, value: i64 },
    Split { line: usize, quantity: i64 },
    Merge { other: usize },
    Pay { part: i64 },
    RefundAmount { amount: i64 },
    RefundItem { line: usize, quantity: i64, restock: bool },
    Invoice,
    Withdraw,
    Complete,
    Cancel,
    Reverse { payment: usize },
    Correct { payment: usize, method: usize, tip: i64 },
    CreditNote { amount: i64, item: Option<(usize, i64)> },
    WriteOff,
    NextDay,
}

fn steps() -> impl Strategy<Value = Vec<(usize, Step)>> {
    let step = prop_oneof![
        2 => (1i64..4, 0i64..3).prop_map(|(dosa, coffee)| Step::Place { dosa, coffee }),
        1 => (1i64..3).prop_map(|dosa| Step::Add { dosa }),
        2 => (1i64..4).prop_map(|meals| Step::Meal { meals }),
        2 => (1i64..2_000).prop_map(|grams| Step::Weigh { grams }),
        2 => (proptest::option::of(0usize..4), any::<bool>(), 1i64..3_000)
            .prop_map(|(line, percent, value)| Step::Cut { line, percent, value }),
        4 => (0usize..3, 1i64..3).prop_map(|(line, quantity)| Step::Split { line, quantity }),
        2 => (0usize..4).prop_map(|other| Step::Merge { other }),
        4 => (1i64..=4).prop_map(|part| Step::Pay { part }),
        2 => (1i64..20_000).prop_map(|amount| Step::RefundAmount { amount }),
        3 => (0usize..3, 1i64..3, any::<bool>())
            .prop_map(|(line, quantity, restock)| Step::RefundItem { line, quantity, restock }),
        1 => Just(Step::Invoice),
        1 => Just(Step::Withdraw),
        1 => Just(Step::Complete),
        1 => Just(Step::Cancel),
        2 => (0usize..3).prop_map(|payment| Step::Reverse { payment }),
        2 => (0usize..3, 0usize..4, 0i64..500).prop_map(|(payment, method, tip)| Step::Correct { payment, method, tip }),
        2 => (1i64..20_000, proptest::option::of((0usize..3, 1i64..3))).prop_map(|(amount, item)| Step::CreditNote { amount, item }),
        1 => Just(Step::WriteOff),
        2 => Just(Step::NextDay),
    ];
    proptest::collection::vec((0usize..4, step), 1..18)
}

/// Prices with tax in them, a service charge, and totals in whole rupees.
fn odd_terms(tx: &Tx<'_>, actor: &Actor) -> Result<(), outlets::rules::OutletError> {
    outlets::actions::update(tx, actor, None, |before| {
        let mut settings = before.settings.clone();
        settings.prices_include_tax = true;
        settings.service_charge.bps = Bps::new(725);
        settings.service_charge.automatic = true;
        settings.service_charge.order_types = OrderType::ALL.to_vec();
        settings.cash_rounding = Cents::new(100);
        Ok((before.name.clone(), settings))
    })
    .map(drop)
}

fn reason() -> String {
    "x".into()
}

fn take(order: &OrderRecord, line: usize, quantity: i64) -> Take {
    let order_item_id = order.lines.get(line).map_or(Uuid::nil(), |line| line.id);
    Take { order_item_id, quantity }
}

/// The parts of a divided order add up to it; where totals are rounded, each is rounded as any bill, by half a step at most, and all of
/// them differ by no more.
fn check_split(tx: &Tx<'_>, actor: &Actor, order: &OrderRecord, by: &SplitBy) -> Result<(), OrderError> {
    let parts = split(tx, actor, order.id, by)?;
    let (sum, step) =
        (Cents::sum(parts.iter().map(|part| part.total)).unwrap(), order.terms.cash_rounding.get());
    if step <= 1 {
        assert_eq!(sum, order.total);
    } else {
        let is_whole =
            |part: &OrderRecord| part.total.get() % step == 0 && 2 * part.rounding.get().abs() <= step;
        assert!(parts.iter().all(is_whole));
        let odd = sum.minus(order.total).unwrap().get().abs();
        assert!(odd <= step * i64::try_from(parts.len()).unwrap(), "{odd}");
    }
    assert!(
        parts.iter().all(|part| part.total >= Cents::ZERO && part.lines.iter().any(|line| line.quantity > 0))
    );
    Ok(())
}

/// What is weighed, and what is put right later: payments, bills that are not paid, and the date it is done on.
fn put_right(tx: &Tx<'_>, actor: &Actor, order: &OrderRecord, step: Step) -> Result<(), OrderError> {
    let (id, pin) = (order.id, ApproverPin::none());
    match step {
        Step::Reverse { payment } => {
            let payments = store::list_payments(tx, id)?;
            let payment = payments.get(payment).map_or(Uuid::nil(), |payment| payment.id);
            reverse(tx, actor, id, payment, "x", &pin).map(drop)
        }
        Step::Correct { payment, method, tip } => {
            let payments = store::list_payments(tx, id)?;
            let payment = payments.get(payment).map_or(Uuid::nil(), |payment| payment.id);
            let method =
                [PaymentMethod::Cash, PaymentMethod::Card, PaymentMethod::Upi, PaymentMethod::Wallet][method];
            let new = NewCorrection {
                method: Some(method),
                tip: Some(Cents::new(tip)),
                reference: None,
                reason: reason(),
            };
            correct(tx, actor, id, payment, &new, &pin).map(drop)
        }
        Step::CreditNote { amount, item } => {
            let of = item.map_or(RefundOf::Amount(Cents::new(amount)), |(line, quantity)| {
                let Take { order_item_id, quantity } = take(order, line, quantity);
                RefundOf::Items(vec![RefundItem { order_item_id, quantity }])
            });
            let new =
                NewCreditNote { reason: CreditReason::Returned, note: None, of: Some(of), restock: false };
            credit_note(tx, actor, id, &new, &pin).map(drop)
        }
        Step::Weigh { grams } => add_lines(tx, actor, id, &[Diner::sweets(tx, grams)?], &pin).map(drop),
        Step::WriteOff => write_off(tx, actor, id, "x", &pin).map(drop),
        _ => Ok(()),
    }
}

impl Diner {
    /// A meal of a dosa and two coffees, one of them at a price of its own, is on the menu.
    fn add_meal(&self) {
        let (dosa, coffee) = (self.dosa, self.coffee);
        let made = self.fixture.write(move |tx, actor| -> Result<(), menu::rules::MenuError> {
            let option = |dish, extra| ComponentOptionDraft {
                menu_item_id: dish,
                variant_id: None,
                extra: Cents::new(extra),
            };
            let component = |name: &str, options| ComponentDraft {
                name: name.into(),
                min: 1,
                max: 2,
                texts: Texts::default(),
                options,
            };
            let sql = "SELECT category_id FROM menu_items WHERE id = ?1";
            let category = one(tx, sql, [dosa], |row| row.get(0))?;
            let meal = ItemDraft {
                kind: ItemKind::Combo,
                components: vec![
                    component("Main", vec![option(dosa, 333)]),
                    component("Drink", vec![option(coffee, 0)]),
                ],
                ..ItemDraft::new(category, "Meal", Cents::new(13_331))
            };
            menu::actions::create_item(tx, actor, meal).map(drop)
        });
        made.unwrap();
    }

    /// Sweets at an odd price are sold by the kilogram, of which each takes 100 g of batter.
    fn add_sweets(&self) {
        let dosa = self.dosa;
        let made = self.fixture.write(move |tx, actor| -> Result<Uuid, menu::rules::MenuError> {
            let sql = "SELECT category_id FROM menu_items WHERE id = ?1";
            let category = one(tx, sql, [dosa], |row| row.get(0))?;
            let sweets = ItemDraft {
                sold_by: SoldBy::Weight,
                ..ItemDraft::new(category, "Sweets", Cents::new(9_999))
            };
            Ok(menu::actions::create_item(tx, actor, sweets)?.id)
        });
        let sweets = made.unwrap();
        let stocked = self.fixture.write(move |tx, actor| -> Result<(), stock::StockError> {
            let batter = one(tx, "SELECT id FROM stock_items", [], |row| row.get(0))?;
            let ingredient = stock::IngredientDraft {
                stock_item_id: Some(batter),
                sub_recipe_id: None,
                quantity: Quantity::units(100)?,
                unit: "g".into(),
            };
            let (makes, yield_unit) = (Quantity::units(1)?, "pcs".into());
            let recipe = stock::RecipeDraft {
                makes,
                yield_unit,
                shelf_life_days: None,
                ingredients: vec![ingredient],
            };
            inventory::actions::put_recipe(tx, actor, sweets, None, recipe).map(drop)
        });
        stocked.unwrap();
    }

    /// A line of so many grams of them.
    fn sweets(tx: &Tx<'_>, grams: i64) -> Result<LineRequest, OrderError> {
        let sweets = one(tx, "SELECT id FROM menu_items WHERE name = 'Sweets'", [], |row| row.get(0))?;
        let weight = Some(Quantity::from_millionths(grams * 1_000));
        Ok(LineRequest { weight, ..Diner::line(sweets, 1, 9_999) })
    }

    /// A line of so many meals.
    fn meal(tx: &Tx<'_>, (dosa, coffee): (Uuid, Uuid), quantity: i64) -> Result<LineRequest, OrderError> {
        let meal = one(tx, "SELECT id FROM menu_items WHERE name = 'Meal'", [], |row| row.get(0))?;
        let chosen = |name: &str, dish| ComponentRequest {
            name: name.into(),
            menu_item_id: dish,
            variant_id: None,
            modifiers: Vec::new(),
        };
        Ok(LineRequest {
            components: vec![chosen("Main", dosa), chosen("Drink", coffee), chosen("Drink", coffee)],
            ..Diner::line(meal, quantity, 13_331)
        })
    }

    /// Does one step to one of `ids`; a step that is refused changes nothing.
    fn settle_step(&self, ids: &[Uuid], (which, step): (usize, Step)) {
        let (dosa, coffee) = (self.dosa, self.coffee);
        let at = |index: usize| ids[index % ids.len()];
        let (id, other) = (at(which), if let Step::Merge { other } = step { at(other) } else { Uuid::nil() });
        if let Step::NextDay = step {
            self.fixture.clock.advance(24 * 3_600_000);
        }
        let done = self.as_role(Role::Manager, move |tx, actor| {
            let order = store::find(tx, actor.outlet_id, id)?;
            let pin = ApproverPin::none();
            let set = |status| {
                // What had not been made goes back into stock, however late it is.
                let made = match status {
                    OrderStatus::Cancelled => order.lines.iter().map(|line| (line.id, false)).collect(),
                    _ => Vec::new(),
                };
                let change = SetStatus { made, ..SetStatus::to(status, Some("left")) };
                set_status(tx, actor, id, None, &change, &ApproverPin::none()).map(drop)
            };
            let give_back = |of, restock| {
                refund(tx, actor, id, &NewRefund { payment_id: None, of, reason: reason(), restock }, &pin)
                    .map(drop)
            };
            match step {
                Step::Place { dosa: d, coffee: c } => {
                    let mut lines = vec![Diner::line(dosa, d, 10_000)];
                    lines.extend((c > 0).then(|| Diner::line(coffee, c, 5_000)));
                    place(tx, actor, Diner::order(lines), &pin).map(drop)
                }
                Step::Add { dosa: d } => {
                    add_lines(tx, actor, id, &[Diner::line(dosa, d, 10_000)], &pin).map(drop)
                }
                Step::Meal { meals } => {
                    add_lines(tx, actor, id, &[Diner::meal(tx, (dosa, coffee), meals)?], &pin).map(drop)
                }
                Step::Cut { line, percent, value } => {
                    let kind = if percent { DiscountKind::Percent } else { DiscountKind::Fixed };
                    let line_id = line.map(|line| take(&order, line, 1).order_item_id);
                    let give = GiveDiscount { kind, value, line_id, reason: reason() };
                    discount(tx, actor, id, give, &pin).map(drop)
                }
                Step::Split { line, quantity } => {
                    check_split(tx, actor, &order, &SplitBy::Items(vec![take(&order, line, quantity)]))
                }
                Step::Merge { .. } => merge(tx, actor, id, &[other]).map(drop),
                Step::Pay { part } => {
                    let amount = order.due().ratio(1, part)?.max(Cents::new(1));
                    let new = NewPayment {
                        method: if part % 2 == 0 { PaymentMethod::Cash } else { PaymentMethod::Upi },
                        amount,
                        tip: Cents::new(part),
                        tendered: None,
                        reference: None,
                        printer_id: None,
                    };
                    pay(tx, actor, id, &new).map(drop)
                }
                Step::RefundAmount { amount } => give_back(RefundOf::Amount(Cents::new(amount)), false),
                Step::RefundItem { line, quantity, restock } => {
                    let Take { order_item_id, quantity } = take(&order, line, quantity);
                    give_back(RefundOf::Items(vec![RefundItem { order_item_id, quantity }]), restock)
                }
                Step::Invoice => invoice(tx, actor, id, &Buyer::default(), None).map(drop),
                Step::Withdraw => withdraw(tx, actor, id, "x", &pin).map(drop),
                Step::Complete => set(OrderStatus::Completed),
                Step::Cancel => set(OrderStatus::Cancelled),
                later => put_right(tx, actor, &order, later),
            }
        });
        assert!(!matches!(done, Err(OrderError::Db(_))), "{done:?}");
    }

    fn order_ids(&self) -> Vec<Uuid> {
        let read = self.fixture.db.read_blocking(|conn| -> Result<Vec<Uuid>, DbError> {
            crate::db::list(conn, "SELECT id FROM orders ORDER BY token_number", [], |row| row.get(0))
        });
        read.unwrap()
    }

    /// What holds after every step, as SQL that answers 1.
    fn check_money(&self) {
        for (what, sql) in [
            ("every total adds up", "SELECT min(subtotal_cents - discount_cents + service_charge_cents + tax_cents
                + rounding_cents = total_cents AND total_cents >= 0) FROM orders"),
            ("tax lines are the tax", "SELECT min(o.tax_cents = (SELECT coalesce(sum(t.tax_cents), 0) FROM order_taxes t
                WHERE t.order_id = o.id)) FROM orders o"),
            ("tax lines are of the order's lines", "SELECT count(*) = 0 FROM order_taxes t JOIN order_items l
                ON l.id = t.order_item_id WHERE l.order_id <> t.order_id"),
            ("lines are the gross", "SELECT min(o.gross_cents = (SELECT coalesce(sum(l.gross_cents), 0) FROM order_items l
                WHERE l.order_id = o.id)) FROM orders o"),
            ("combos are what their components are", "SELECT count(*) = 0 FROM order_items p JOIN order_items c ON c.id = p.combo_line_id
                WHERE p.quantity <> c.quantity OR p.order_id <> c.order_id OR c.gross_cents <> 0 OR
                  (SELECT sum(a.gross_cents) FROM order_items a WHERE a.combo_line_id = c.id) <> (13331 + 333) * c.quantity"),
            ("discounts are the discount", "SELECT min(o.discount_cents = (SELECT coalesce(sum(d.net_cents), 0)
                FROM order_discounts d WHERE d.order_id = o.id AND d.removed_at IS NULL)) FROM orders o"),
            ("what is kept is what came in less what went out", "SELECT min(o.paid_cents - o.refunded_cents =
                (SELECT coalesce(sum(p.amount_cents), 0) FROM payments p WHERE p.order_id = o.id) -
                (SELECT coalesce(sum(c.old_amount_cents - c.new_amount_cents), 0) FROM payment_corrections c WHERE c.order_id = o.id) -
                (SELECT coalesce(sum(r.amount_cents), 0) FROM refunds r WHERE r.order_id = o.id)) FROM orders o"),
            ("tips are those that were given", "SELECT min(o.tip_cents =
                (SELECT coalesce(sum(p.tip_cents), 0) FROM payments p WHERE p.order_id = o.id) +
                (SELECT coalesce(sum(c.new_tip_cents - c.old_tip_cents), 0) FROM payment_corrections c WHERE c.order_id = o.id))
                FROM orders o"),
            ("lines are what the bill says", "SELECT coalesce(min(o.total_cents = i.total_cents AND o.tax_cents = i.tax_cents AND o.total_cents =
                o.rounding_cents + (SELECT sum(l.subtotal_cents - l.discount_cents + l.service_charge_cents + l.tax_cents)
                  FROM order_items l WHERE l.order_id = o.id)), 1) FROM orders o JOIN invoices i ON i.id = o.invoice_id"),
            ("bills less credit notes are tenders, write-offs and what is open", "SELECT coalesce(min(i.total_cents -
                (SELECT coalesce(sum(c.total_cents), 0) FROM invoices c WHERE c.refers_to_id = i.id) =
                o.paid_cents - o.refunded_cents + o.written_off_cents +
                max(o.total_cents - o.paid_cents - o.credited_cents - o.written_off_cents, 0)), 1)
                FROM orders o JOIN invoices i ON i.id = o.invoice_id"),
            ("a bill's date is its order's", "SELECT count(*) = 0 FROM orders o LEFT JOIN invoices i ON i.id = o.invoice_id
                WHERE o.revenue_date IS NOT i.business_date"),
            ("credit notes are of a bill", "SELECT count(*) = 0 FROM invoices WHERE kind = 'CREDIT_NOTE' AND refers_to_id IS NULL"),
            ("what a credit note takes back adds up", "SELECT coalesce(min(total_cents = tax_cents + service_charge_cents + rounding_cents
                + (body ->> '$.subtotalCents') - (body ->> '$.discountCents')), 1) FROM invoices"),
            ("nothing is COMPLETED without its money", "SELECT count(*) = 0 FROM orders WHERE status = 'COMPLETED'
                AND total_cents > paid_cents + credited_cents + written_off_cents"),
            ("bills are not cancelled", "SELECT count(*) = 0 FROM orders WHERE status = 'CANCELLED' AND invoice_id IS NOT NULL"),
            ("nobody pays too much", "SELECT min(paid_cents <= total_cents AND paid_cents >= 0
                AND refunded_cents BETWEEN 0 AND paid_cents) FROM orders"),
            ("no payment gives back more than it was", "SELECT coalesce(min(refunded_cents <= amount_cents AND refunded_cents =
                (SELECT coalesce(sum(r.amount_cents), 0) FROM refunds r WHERE r.payment_id = payments.id)), 1) FROM payments"),
            ("no line comes back more often than it was sold", "SELECT count(*) = 0 FROM (SELECT sum(r.quantity) AS back,
                l.quantity AS sold FROM refund_items r JOIN order_items l ON l.id = r.order_item_id
                JOIN invoices i ON i.id = r.credit_note_id GROUP BY l.id, i.refers_to_id) WHERE back > sold"),
            ("no bill is credited beyond itself", "SELECT count(*) = 0 FROM (SELECT i.total_cents AS total, i.tax_cents AS tax,
                sum(c.total_cents) AS back, sum(c.tax_cents) AS back_tax FROM invoices c JOIN invoices i ON i.id = c.refers_to_id
                GROUP BY i.id) WHERE back > total OR back_tax > tax OR (back = total AND back_tax <> tax)"),
            ("cancelled orders keep no money", "SELECT count(*) = 0 FROM orders WHERE status = 'CANCELLED'
                AND paid_cents > refunded_cents"),
            ("what is sold is what left the larder", "SELECT 1150000 - (SELECT on_hand FROM stock_levels) = (
                SELECT coalesce(sum(coalesce(l.weight / 10, 100000) * (l.quantity - (SELECT coalesce(sum(r.quantity), 0)
                  FROM refund_items r WHERE r.order_item_id = l.id AND r.restocked = 1))), 0)
                FROM order_items l JOIN orders o ON o.id = l.order_id WHERE l.name IN ('Dosa', 'Sweets') AND o.status <> 'CANCELLED')"),
            ("what is weighed costs its price times its weight", "SELECT count(*) = 0 FROM order_items WHERE name = 'Sweets'
                AND gross_cents <> quantity * ((9999 * weight + 500000) / 1000000)"),
        ] {
            assert_eq!(self.fixture.number(sql), 1, "{what}");
        }
    }

    fn check_chain(&self) {
        let outlet = self.fixture.outlet_id;
        let read = self.fixture.db.read_blocking(move |conn| -> Result<Vec<String>, DbError> {
            let mut verifier = Verifier::new(outlet, store::list_signing_keys(conn, outlet)?);
            store::each_invoice(conn, outlet, |row| verifier.look(&row))?;
            Ok(verifier.finish(&store::list_serials(conn, outlet)?).problems)
        });
        assert_eq!(read.unwrap(), Vec::<String>::new());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn whatever_staff_do_with_money_it_adds_up(steps in steps(), rounding in any::<bool>()) {
        let diner = Diner::new();
        if rounding {
            diner.fixture.write(odd_terms).unwrap();
        }
        diner.add_meal();
        diner.add_sweets();
        diner.place(vec![Diner::line(diner.dosa, 3, 10_000), Diner::line(diner.coffee, 2, 5_000)]).unwrap();
        for step in steps {
            diner.settle_step(&diner.order_ids(), step);
            diner.check_money();
        }
        diner.check_chain();
    }
}
