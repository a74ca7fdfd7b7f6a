//! What the day must come to, computed by this test alone: recipes, prices, batches and their costs are written down here a second time, in
//! whole millionths and cents, and used up one portion after the other. Never asks the product for a figure.

use std::collections::BTreeMap;
use tiffin_tests::figures::{OPENING, price};

/// Millionths.
pub const M: i64 = 1_000_000;

/// A litre of gravy.
const GRAVY: [(&str, i64); 3] = [("Tomatoes", 1_250_000), ("Cream", 100_000), ("Spice", 20 * M)];

/// What a meal costs, whatever is chosen.
pub const MEAL: i64 = 35_000;

/// What one portion takes, or a kilogram of fish; gravy is taken as it was made, and what goes into it for the rest.
fn portion(dish: &str) -> &'static [(&'static str, i64)] {
    match dish {
        "Paneer Tikka" => &[("Paneer", 150_000), ("Spice", 5 * M)],
        "Butter Chicken" => &[("Chicken", 180_000), ("Gravy", 200_000), ("Cream", 20_000)],
        "Dal (Full)" => &[("Lentils", 90_000), ("Gravy", 50_000)],
        "Dal (Half)" => &[("Lentils", 60_000), ("Gravy", 30_000)],
        "Steamed Rice" => &[("Rice", 120_000)],
        "Lassi" => &[("Milk", 250_000)],
        "Fish" => &[("Fish", 1_100_000)],
        other => panic!("no recipe of {other}"),
    }
}

fn station(dish: &str) -> &'static str {
    match dish {
        "Paneer Tikka" => "Tandoor",
        "Lassi" => "Bar",
        _ => "Hot",
    }
}

/// What one portion costs alone; happy hour is from five to seven.
pub fn alone(dish: &str, is_happy: bool) -> i64 {
    match (dish, is_happy) {
        ("Lassi", true) => 7_000,
        ("Dal (Half)", true) => 9_000,
        ("Dal (Half)", false) => 10_000,
        ("Dal (Full)", _) => 18_000,
        _ => price(dish),
    }
}

/// What a kilogram of fish costs.
pub const FISH: i64 = 89_900;

/// The fish in the store room: how much, and what a kilogram cost.
pub const FISH_CAME: (i64, i64) = (8 * M, 60_000);

/// What somebody asks for: portions of a dish, meals with that main dish, rice and a lassi, or so much fish.
#[derive(Debug, Clone, Copy)]
pub enum Wish {
    Dish(&'static str, i64),
    Meal(&'static str, i64),
    Fish(i64),
}

/// A dish of an order: by itself or in a meal.
#[derive(Debug, Clone)]
pub struct Part {
    pub dish: &'static str,
    pub in_meal: bool,
    pub quantity: i64,
    /// Millionths of what a recipe is for: of a portion, or of a kilogram.
    pub weight: i64,
    /// Cents a portion, or for the whole fish.
    pub unit: i64,
    /// What its ingredients cost, in cents, once it is cooked.
    pub cost: i64,
}

/// An order as it ought to be.
#[derive(Debug, Clone, Default)]
pub struct Order {
    pub number: String,
    pub parts: Vec<Part>,
    pub meals: i64,
    /// Percent off everything.
    pub percent: i64,
    pub method: &'static str,
}

/// What an order comes to, or several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bill {
    pub gross: i64,
    pub discount: i64,
    pub cgst: i64,
    pub sgst: i64,
    pub total: i64,
}

/// Portions, revenue, cost.
pub type Sums = (i64, i64, i64);

/// A whole part of something.
fn exact(amount: i64, times: i64, of: i64) -> i64 {
    let product = i128::from(amount) * i128::from(times);
    assert_eq!(product % i128::from(of), 0, "{amount} × {times} / {of} is no whole number");
    i64::try_from(product / i128::from(of)).unwrap()
}

impl Part {
    fn net(&self, percent: i64) -> i64 {
        exact(self.unit * self.quantity, 100 - percent, 100)
    }
}

impl Order {
    /// CGST and SGST of 2.5 % on every part.
    pub fn bill(&self) -> Bill {
        let mut bill = Bill::default();
        for part in &self.parts {
            let (gross, net) = (part.unit * part.quantity, part.net(self.percent));
            let tax = (net * 25 + 500) / 1_000;
            bill.gross += gross;
            bill.discount += gross - net;
            bill.cgst += tax;
            bill.sgst += tax;
            bill.total += net + 2 * tax;
        }
        bill
    }
}

/// Something in the store room.
#[derive(Debug)]
struct Batch {
    item: &'static str,
    number: String,
    left: i64,
    /// Cents a unit.
    cents: i64,
    expiry: &'static str,
    /// What each order ate of it.
    eaten: BTreeMap<String, i64>,
    /// Of gravy: how much was made, and what of which batch is in it.
    made: i64,
    holds: BTreeMap<String, i64>,
}

/// The whole day.
#[derive(Debug)]
pub struct Ledger {
    /// By id.
    pub orders: BTreeMap<String, Order>,
    batches: Vec<Batch>,
    /// Portions the kitchen is to have been asked for, by station and dish.
    pub asked: BTreeMap<(&'static str, &'static str), i64>,
}

impl Ledger {
    /// The store room at the beginning.
    pub fn open() -> Ledger {
        let mut ledger = Ledger { orders: BTreeMap::new(), batches: Vec::new(), asked: BTreeMap::new() };
        for (item, batches) in OPENING {
            for (i, (quantity, cents, expiry)) in batches.iter().enumerate() {
                ledger.put(item, &format!("{item}-{}", i + 1), *quantity, *cents, expiry.unwrap_or("9999"));
            }
        }
        ledger.put("Fish", "Fish-1", FISH_CAME.0, FISH_CAME.1, "9999");
        ledger
    }

    /// A batch comes.
    pub fn put(&mut self, item: &'static str, number: &str, left: i64, cents: i64, expiry: &'static str) {
        let (number, eaten, holds) = (number.to_owned(), BTreeMap::new(), BTreeMap::new());
        self.batches.push(Batch { item, number, left, cents, expiry, eaten, made: 0, holds });
    }

    /// Takes of the batch that expires first: places and quantities.
    fn take(&mut self, item: &str, quantity: i64) -> Vec<(usize, i64)> {
        let mut places: Vec<usize> =
            (0..self.batches.len()).filter(|i| self.batches[*i].item == item).collect();
        places.sort_by_key(|i| (self.batches[*i].expiry, *i));
        let (mut missing, mut taken) = (quantity, Vec::new());
        for i in places {
            let part = missing.min(self.batches[i].left);
            if part > 0 {
                self.batches[i].left -= part;
                missing -= part;
                taken.push((i, part));
            }
        }
        assert_eq!(missing, 0, "more {item} was used than there was");
        taken
    }

    fn take_gravys_ingredients(&mut self, quantity: i64) -> Vec<(usize, i64)> {
        GRAVY.iter().flat_map(|(item, each)| self.take(item, exact(quantity, *each, M))).collect()
    }

    fn cost(&self, taken: &[(usize, i64)]) -> i64 {
        taken.iter().map(|(i, quantity)| exact(*quantity, self.batches[*i].cents, M)).sum()
    }

    /// Gravy is made; what it cost.
    pub fn make_gravy(&mut self, quantity: i64, number: &str, expiry: &'static str) -> i64 {
        let taken = self.take_gravys_ingredients(quantity);
        let cost = self.cost(&taken);
        self.put("Gravy", number, quantity, exact(cost, M, quantity), expiry);
        let holds = taken.iter().map(|(i, quantity)| (self.batches[*i].number.clone(), *quantity)).collect();
        let gravy = self.batches.last_mut().unwrap();
        (gravy.made, gravy.holds) = (quantity, holds);
        cost
    }

    /// Notes what was ordered.
    pub fn note(&mut self, id: &str, number: &str, wishes: &[Wish], is_happy: bool) {
        let order = self.orders.entry(id.to_owned()).or_default();
        number.clone_into(&mut order.number);
        for wish in wishes {
            match *wish {
                Wish::Dish(dish, quantity) => {
                    let unit = alone(dish, is_happy);
                    order.parts.push(Part { dish, in_meal: false, quantity, weight: M, unit, cost: 0 });
                }
                Wish::Fish(weight) => {
                    // Half a cent is one.
                    let unit = (weight * FISH + M / 2) / M;
                    let (dish, in_meal) = ("Fish", false);
                    order.parts.push(Part { dish, in_meal, quantity: 1, weight, unit, cost: 0 });
                }
                Wish::Meal(main, quantity) => {
                    let dishes = [main, "Steamed Rice", "Lassi"];
                    let all: i64 = dishes.iter().map(|dish| alone(dish, is_happy)).sum();
                    order.meals += quantity;
                    order.parts.extend(dishes.map(|dish| {
                        let unit = exact(MEAL, alone(dish, is_happy), all);
                        Part { dish, in_meal: true, quantity, weight: M, unit, cost: 0 }
                    }));
                }
            }
        }
    }

    /// The kitchen is asked for an order, and what it takes leaves the store room.
    pub fn cook(&mut self, id: &str) {
        let mut order = self.orders[id].clone();
        for part in &mut order.parts {
            *self.asked.entry((station(part.dish), part.dish)).or_default() += part.quantity;
            for (item, each) in portion(part.dish) {
                let mut quantity = exact(*each, part.weight, M) * part.quantity;
                let mut taken = Vec::new();
                if *item == "Gravy" {
                    let ready = quantity.min(self.left("Gravy"));
                    taken.extend(self.take("Gravy", ready));
                    quantity -= ready;
                    taken.extend(self.take_gravys_ingredients(quantity));
                } else {
                    taken.extend(self.take(item, quantity));
                }
                part.cost += self.cost(&taken);
                for (i, quantity) in taken {
                    *self.batches[i].eaten.entry(order.number.clone()).or_default() += quantity;
                }
            }
        }
        self.orders.insert(id.to_owned(), order);
    }

    fn left(&self, item: &str) -> i64 {
        self.batches.iter().filter(|batch| batch.item == item).map(|batch| batch.left).sum()
    }

    /// What is left of each batch of an item.
    pub fn batches_of(&self, item: &str) -> BTreeMap<String, i64> {
        let of = self.batches.iter().filter(|batch| batch.item == item && batch.left > 0);
        of.map(|batch| (batch.number.clone(), batch.left)).collect()
    }

    /// What the store room is worth, in cents.
    pub fn stock_value(&self) -> i64 {
        let value = |batch: &Batch| i128::from(batch.left) * i128::from(batch.cents);
        let exact: i128 = self.batches.iter().map(value).sum();
        i64::try_from((exact + i128::from(M / 2)) / i128::from(M)).unwrap()
    }

    /// Who ate how much of a batch, also in gravy.
    pub fn eaters(&self, number: &str) -> BTreeMap<String, i64> {
        let of = self.batches.iter().find(|batch| batch.number == number).unwrap();
        let mut all = of.eaten.clone();
        for gravy in &self.batches {
            let Some(held) = gravy.holds.get(number) else { continue };
            for (order, quantity) in &gravy.eaten {
                *all.entry(order.clone()).or_default() += exact(*quantity, *held, gravy.made);
            }
        }
        all
    }

    /// All bills.
    pub fn bills(&self) -> Bill {
        self.orders.values().map(Order::bill).fold(Bill::default(), |sum, bill| Bill {
            gross: sum.gross + bill.gross,
            discount: sum.discount + bill.discount,
            cgst: sum.cgst + bill.cgst,
            sgst: sum.sgst + bill.sgst,
            total: sum.total + bill.total,
        })
    }

    /// What was sold, by what `name` calls a part.
    pub fn sold<K: Ord>(&self, name: impl Fn(&Part) -> K) -> BTreeMap<K, Sums> {
        let mut sums = BTreeMap::new();
        for order in self.orders.values() {
            for part in &order.parts {
                let sum: &mut Sums = sums.entry(name(part)).or_default();
                *sum = (sum.0 + part.quantity, sum.1 + part.net(order.percent), sum.2 + part.cost);
            }
        }
        sums
    }

    /// How much fish was sold.
    pub fn fish(&self) -> i64 {
        let parts = self.orders.values().flat_map(|order| &order.parts);
        parts.filter(|part| part.dish == "Fish").map(|part| part.weight).sum()
    }

    /// What came in, by method.
    pub fn money(&self) -> BTreeMap<&'static str, i64> {
        let mut money = BTreeMap::new();
        for order in self.orders.values() {
            *money.entry(order.method).or_default() += order.bill().total;
        }
        money
    }
}
