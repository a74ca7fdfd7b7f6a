//! Whatever is ordered, added, divided, taken off and called off of a dish in two sizes: money and stock add up by size.

use super::*;
use crate::resources::menu::rules::VariantDraft;
use crate::resources::orders::rules::split::{SplitBy, Take};
use proptest::prelude::*;

/// Price in cents and batter in grams of a half, which has a recipe of its own, and of a full, which goes by the dish's.
const SIZES: [(i64, i64); 2] = [(6_000, 60), (10_000, 100)];

#[derive(Debug, Clone)]
enum Step {
    Place(i64, i64),
    Add(usize, i64),
    Void { line: usize, quantity: i64, was_made: bool },
    Change { line: usize, quantity: i64 },
    Split { line: usize, quantity: i64 },
    Merge,
    Cancel,
}

fn steps() -> impl Strategy<Value = Vec<(usize, Step)>> {
    let step = prop_oneof![
        3 => (0i64..4, 1i64..4).prop_map(|(half, full)| Step::Place(half, full)),
        2 => (0usize..2, 1i64..4).prop_map(|(size, quantity)| Step::Add(size, quantity)),
        3 => (0usize..3, 1i64..3, any::<bool>())
            .prop_map(|(line, quantity, was_made)| Step::Void { line, quantity, was_made }),
        2 => (0usize..3, 1i64..6).prop_map(|(line, quantity)| Step::Change { line, quantity }),
        3 => (0usize..3, 1i64..3).prop_map(|(line, quantity)| Step::Split { line, quantity }),
        1 => Just(Step::Merge),
        1 => Just(Step::Cancel),
    ];
    proptest::collection::vec((0usize..3, step), 1..14)
}

impl Diner {
    /// Gives the dosa two sizes; answers their ids.
    fn resize(&self) -> [Uuid; 2] {
        let dosa = self.dosa;
        let made = self.fixture.write(move |tx, actor| -> Result<[Uuid; 2], OrderError> {
            let size = |name: &str, (price, _): (i64, i64)| VariantDraft::new(name, Cents::new(price));
            let sizes = vec![size("Half", SIZES[0]), size("Full", SIZES[1])];
            let dish = menu::actions::update_item(tx, actor, dosa, None, |draft| {
                ItemDraft { group_ids: Vec::new(), ..draft }.priced(None, Some(sizes))
            })?;
            let half = dish.variants[0].id;
            let batter = one(tx, "SELECT id FROM stock_items WHERE name = 'Batter'", [], |row| row.get(0))?;
            let ingredient = stock::IngredientDraft {
                stock_item_id: Some(batter),
                sub_recipe_id: None,
                quantity: Quantity::units(SIZES[0].1)?,
                unit: "g".into(),
            };
            let recipe = stock::RecipeDraft {
                makes: Quantity::units(1)?,
                yield_unit: "pcs".into(),
                shelf_life_days: None,
                ingredients: vec![ingredient],
            };
            inventory::actions::put_recipe(tx, actor, half, None, recipe)?;
            Ok([half, dish.variants[1].id])
        });
        made.unwrap()
    }

    fn sized(&self, sizes: [Uuid; 2], size: usize, quantity: i64) -> LineRequest {
        LineRequest { variant_id: Some(sizes[size]), ..Diner::line(self.dosa, quantity, SIZES[size].0) }
    }

    /// Takes a step with one of `orders`; a refusal changes nothing.
    fn take_step(&self, sizes: [Uuid; 2], orders: &mut Vec<Uuid>, (at, step): (usize, Step)) {
        if let Step::Place(half, full) = step {
            let lines = [half, full].into_iter().enumerate().filter(|(_, quantity)| *quantity > 0);
            let lines = lines.map(|(size, quantity)| self.sized(sizes, size, quantity)).collect();
            orders.push(self.place(lines).unwrap().order.id);
            return;
        }
        let Some(id) = orders.get(at % orders.len().max(1)).copied() else { return };
        let into = orders[0];
        let lines = if let Step::Add(size, quantity) = step {
            vec![self.sized(sizes, size, quantity)]
        } else {
            vec![]
        };
        let made = self.as_role(Role::Manager, move |tx, actor| {
            let pin = ApproverPin::none();
            let known = store::find(tx, actor.outlet_id, id)?.lines;
            let line_of =
                |line: usize| known.get(line % known.len().max(1)).map_or(Uuid::nil(), |line| line.id);
            match step {
                Step::Place(..) => {}
                Step::Add(..) => drop(add_lines(tx, actor, id, &lines, &pin)?),
                Step::Void { line, quantity, was_made } => {
                    let void =
                        VoidLine { quantity: Some(quantity), reason: "x".into(), was_made: Some(was_made) };
                    void_line(tx, actor, id, line_of(line), &void, &pin)?;
                }
                Step::Change { line, quantity } => {
                    let change =
                        lines::LineChange { quantity: Some(quantity), ..lines::LineChange::default() };
                    change_line(tx, actor, id, line_of(line), None, change, &pin)?;
                }
                Step::Split { line, quantity } => {
                    let take = Take { order_item_id: line_of(line), quantity };
                    let parts = split(tx, actor, id, &SplitBy::Items(vec![take]))?;
                    return Ok(parts.into_iter().map(|part| part.id).filter(|part| *part != id).collect());
                }
                Step::Merge if id != into => drop(merge(tx, actor, into, &[id])?),
                Step::Merge => {}
                Step::Cancel => {
                    let change = SetStatus::to(OrderStatus::Cancelled, Some("x"));
                    set_status(tx, actor, id, None, &change, &pin)?;
                }
            }
            Ok(Vec::new())
        });
        orders.extend(made.unwrap_or_default());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn money_and_stock_of_two_sizes_add_up(steps in steps()) {
        let diner = Diner::new();
        let sizes = diner.resize();
        let mut orders = Vec::new();
        let before = diner.batter_left();
        for step in steps {
            diner.take_step(sizes, &mut orders, step);
        }
        let number = |sql: String| diner.fixture.number(&sql);
        let mut sold = 0;
        let mut grams = 0;
        for (size, (price, weight)) in SIZES.into_iter().enumerate() {
            let of = format!("FROM order_items WHERE variant_id = x'{}'", sizes[size].simple());
            let open = format!("{of} AND order_id IN (SELECT id FROM orders WHERE status <> 'CANCELLED')");
            let portions = number(format!("SELECT coalesce(sum(quantity), 0) {open}"));
            prop_assert_eq!(number(format!("SELECT coalesce(sum(gross_cents), 0) {open}")), portions * price);
            let wasted = number(format!(
                "SELECT coalesce(sum(quantity), 0) / 1000000 FROM waste_logs WHERE variant_id = x'{}'", sizes[size].simple()
            ));
            sold += portions * price;
            grams += (portions + wasted) * weight;
        }
        prop_assert_eq!(number("SELECT coalesce(sum(subtotal_cents), 0) FROM orders WHERE status <> 'CANCELLED'".into()), sold);
        prop_assert_eq!(before - diner.batter_left(), grams * 1_000, "what is sold and what was thrown away, by size");
        prop_assert_eq!(number("SELECT count(*) FROM order_items WHERE variant_id IS NULL".into()), 0);
    }
}
