//! What is made ahead, in any order of deliveries, makings, sales, returns and waste: every ingredient is somewhere, at what it cost.

use super::*;
use crate::resources::inventory::rules::making::Making;
use crate::resources::inventory::rules::{Waste, WasteReason, Wasted};

#[derive(Debug, Clone)]
enum Act {
    Receive { item: usize, quantity: i64, cost: i64 },
    Produce { what: usize, quantity: i64, expires_in: Option<i64> },
    Order { dish: usize, portions: i64 },
    Return { line: usize, portions: i64 },
    Void { line: usize, portions: i64 },
    Throw { what: usize, quantity: i64 },
    NextDay,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        3 => (0usize..2, 1i64..5_000_000, 1i64..900_000_000)
            .prop_map(|(item, quantity, cost)| Act::Receive { item, quantity, cost }),
        4 => (0usize..2, 1i64..3_000_000, proptest::option::of(0i64..3))
            .prop_map(|(what, quantity, expires_in)| Act::Produce { what, quantity, expires_in }),
        5 => (0usize..2, 1i64..9).prop_map(|(dish, portions)| Act::Order { dish, portions }),
        2 => (0usize..9, 1i64..9).prop_map(|(line, portions)| Act::Return { line, portions }),
        2 => (0usize..9, 1i64..9).prop_map(|(line, portions)| Act::Void { line, portions }),
        2 => (0usize..2, 1i64..900_000).prop_map(|(what, quantity)| Act::Throw { what, quantity }),
        1 => Just(Act::NextDay),
    ]
}

/// Two kilos of gravy are three of tomatoes and one of butter; four of sauce are two of gravy and one of tomatoes.
struct Pots {
    items: [Uuid; 2],
    preparations: [Uuid; 2],
    dishes: [Uuid; 2],
    lines: Vec<(usize, Uuid, i64)>,
    days: i64,
    /// What of tomatoes and butter should be somewhere, in quarters of a millionth of a kilo, and how far bookings may have rounded it.
    expected: [i128; 2],
    slack: i128,
}

/// What a portion of each dish takes of tomatoes and butter, in quarters of a millionth of a kilo.
const PORTIONS: [[i128; 2]; 2] = [[600_000, 320_000], [400_000, 100_000]];

impl Pots {
    fn open(tx: &Tx<'_>, actor: &Actor) -> Result<Pots> {
        let tomato = create_item(tx, actor, item_draft("Tomatoes", "kg"))?.id;
        let butter = create_item(tx, actor, item_draft("Butter", "kg"))?.id;
        let gravy = recipe("2", "kg", vec![of(tomato, "3", "kg"), of(butter, "1", "kg")]);
        let gravy = create_preparation(tx, actor, "Gravy".into(), gravy)?.id;
        let sauce = recipe("4", "kg", vec![made_of(gravy, "2000", "g"), of(tomato, "1", "kg")]);
        let sauce = create_preparation(tx, actor, "Sauce".into(), sauce)?.id;
        let (first, second) = (dish(tx, actor, "First"), dish(tx, actor, "Second"));
        let ingredients = vec![made_of(gravy, "100", "g"), of(butter, "30", "g")];
        put_recipe(tx, actor, first, None, recipe("1", "pcs", ingredients))?;
        put_recipe(tx, actor, second, None, recipe("1", "pcs", vec![made_of(sauce, "100", "g")]))?;
        Ok(Pots {
            items: [tomato, butter],
            preparations: [gravy, sauce],
            dishes: [first, second],
            lines: Vec::new(),
            days: 0,
            expected: [0, 0],
            slack: 0,
        })
    }

    fn takes(&mut self, dish: usize, portions: i64) {
        for (expected, portion) in self.expected.iter_mut().zip(PORTIONS[dish]) {
            *expected -= portion * i128::from(portions);
        }
    }

    fn run(&mut self, tx: &Tx<'_>, actor: &Actor, policy: StockPolicy, act: &Act, n: usize) -> Outcome {
        let tx = &tx.at(tx.now().after(self.days * 86_400_000));
        let outlet = &outlet(tx, actor, policy);
        let today = outlet.business_date(tx.now());
        self.slack += 40;
        match *act {
            Act::NextDay => self.days += 1,
            Act::Receive { item, quantity, cost } => {
                let of = (Quantity::from_millionths(quantity), UnitCost::from_millionths(cost));
                receive(tx, actor, outlet, &incoming(self.items[item], of.0, of.1, &format!("b{n}"), None))?;
                self.expected[item] += 4 * i128::from(quantity);
            }
            Act::Produce { what, quantity, expires_in } => {
                let expiry_date = expires_in.map(|days| today + Days::new(days.unsigned_abs()));
                let making = Making { quantity: Quantity::from_millionths(quantity), expiry_date };
                refused(produce(tx, actor, outlet, self.preparations[what], &making))?;
            }
            Act::Order { dish, portions } => {
                let id = tx.new_id();
                match deduct(tx, actor, outlet, tx.new_id(), &[line(id, self.dishes[dish], portions)]) {
                    Ok(()) => {
                        self.lines.push((dish, id, portions));
                        self.takes(dish, portions);
                    }
                    Err(StockError::Short(_)) if policy == StockPolicy::Block => {}
                    Err(other) => return Err(other),
                }
            }
            Act::Return { line, portions } | Act::Void { line, portions } => {
                let Some((dish, id, outstanding)) = self.lines.get_mut(line) else { return Ok(()) };
                let (dish, quantity) = (*dish, portions.min(*outstanding));
                let part = Portions { order_item_id: *id, quantity, outstanding: *outstanding };
                *outstanding -= quantity;
                match act {
                    Act::Return { .. } => {
                        return_line(tx, actor, outlet, part, &void())?;
                        self.takes(dish, -quantity);
                    }
                    _ => waste_line(tx, actor, outlet, &made(self.dishes[dish], part), &void()).map(drop)?,
                }
            }
            Act::Throw { what, quantity } => {
                let shelf = items::find_shelf(tx, actor.outlet_id, self.preparations[what])?;
                let Some(shelf) = shelf else { return Ok(()) };
                let what_of = Wasted::Item { id: shelf.id, unit: None, batch_number: None };
                let quantity = Quantity::from_millionths(quantity);
                let waste = Waste { what: what_of, quantity, reason: WasteReason::Dropped, note: None };
                if refused(log_waste(tx, actor, outlet, &waste))? {
                    let of_unit: [i128; 2] = [[6, 2], [4, 1]][what];
                    for (expected, of_unit) in self.expected.iter_mut().zip(of_unit) {
                        *expected -= of_unit * i128::from(quantity.get());
                    }
                }
            }
        }
        Ok(())
    }

    fn assert_all_is_somewhere(&self, tx: &Tx<'_>, actor: &Actor) {
        let on_hand = |item: Uuid| {
            let sql = "SELECT on_hand FROM stock_levels WHERE stock_item_id = ?1";
            i128::from(crate::db::one(tx, sql, [item], |row| row.get::<_, i64>(0)).unwrap())
        };
        let shelf = |preparation: Uuid| {
            items::find_shelf(tx, actor.outlet_id, preparation).unwrap().map_or(0, |item| on_hand(item.id))
        };
        let (gravy, sauce) = (shelf(self.preparations[0]), shelf(self.preparations[1]));
        let there = [
            4 * on_hand(self.items[0]) + 6 * gravy + 4 * sauce,
            4 * on_hand(self.items[1]) + 2 * gravy + sauce,
        ];
        for (there, expected) in there.into_iter().zip(self.expected) {
            assert!((there - expected).abs() <= self.slack, "{there} is there, of {expected}");
        }
    }
}

/// Whether it was done: too little of something is a refusal as expected.
fn refused<T>(done: Result<T>) -> Result<bool> {
    match done {
        Ok(_) => Ok(true),
        Err(StockError::Invalid(_)) => Ok(false),
        Err(other) => Err(other),
    }
}

fn assert_costs(tx: &Tx<'_>) {
    let made =
        "SELECT count(*) FROM (SELECT 1 FROM stock_movements WHERE kind = 'PRODUCTION' GROUP BY cause_id
                HAVING sum(cost_micros) <> 0 OR count(DISTINCT cause_id) <> 1)";
    assert_eq!(count(tx, made), 0, "what goes in is what comes out");
    let batches = "SELECT count(*) FROM (SELECT sum(m.cost_micros) AS cost, sum(m.quantity_delta) AS quantity, b.unit_cost
                     FROM stock_movements m JOIN stock_batches b ON b.id = m.batch_id GROUP BY b.id)
                   WHERE quantity < 0 OR abs(cost - quantity * unit_cost / 1000000) >= 10000";
    assert_eq!(
        count(tx, batches),
        0,
        "what is left of a batch is worth what it cost, to a hundredth of a cent"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn every_ingredient_is_somewhere_at_what_it_cost(acts in proptest::collection::vec(act(), 1..40), block in any::<bool>()) {
        let policy = if block { StockPolicy::Block } else { StockPolicy::AllowNegative };
        Fixture::new()
            .write(move |tx, actor| -> Outcome {
                let mut pots = Pots::open(tx, actor)?;
                for (n, act) in acts.iter().enumerate() {
                    pots.run(tx, actor, policy, act, n)?;
                }
                pots.assert_all_is_somewhere(tx, actor);
                assert_costs(tx);
                assert_levels_are_the_ledger(tx, actor.outlet_id);
                let later = tx.at(tx.now().after(pots.days * 86_400_000));
                availability::follow(&later, actor, &outlet(tx, actor, policy), None)?;
                assert_eq!(due(tx, &outlet(tx, actor, policy), later.now(), None)?, []);
                Ok(())
            })
            .unwrap();
    }
}

#[test]
fn what_is_ready_is_read_where_it_lies_and_a_making_by_its_date() {
    let fixture = Fixture::new();
    let ready = fixture.plan(levels::sum_shelf_sql()).join("\n");
    assert!(
        ready.contains("USING INDEX stock_batch_levels_fefo (stock_item_id=? AND expiry_date>?)"),
        "{ready}"
    );
    let making = fixture.plan(makings::ORIGINS).join("\n");
    let by_date = "USING INDEX stock_movements_by_date (outlet_id=? AND business_date=? AND kind=?)";
    assert!(making.contains(by_date), "{making}");
}
