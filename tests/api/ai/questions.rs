//! Questions as managers phrase them, on a restaurant whose numbers are known because the test made them: each figure is
//! computed here from what was done, never asked of the API. The questions themselves are in `questions.txt`.

use super::{ask, fact, text};
use edge::access::Role;
use serde_json::{Value, json};
use std::collections::HashMap;
use tiffin_tests::{Branch, Client, House};

/// What a portion's ingredients cost, in cents, by its recipe and the prices of the first batches.
const COSTS: &[(&str, i64)] = &[
    ("Butter Chicken", 6_500),
    ("Dal", 1_480),
    ("Lassi", 1_500),
    ("Paneer Tikka", 6_250),
    ("Steamed Rice", 720),
    ("Bottled Water", 1_500),
    ("Lemon Soda", 2_000),
    ("Kulfi", 600),
];

/// What was sold on a day: dish, portions.
type Sold = &'static [(&'static str, i64)];
const FRIDAY: [Sold; 3] = [
    &[("Butter Chicken", 3), ("Lassi", 2)],
    &[("Paneer Tikka", 2), ("Dal", 1), ("Steamed Rice", 2)],
    &[("Bottled Water", 5)],
];
const TODAY: [Sold; 3] = [&[("Butter Chicken", 1), ("Dal", 4)], &[("Lemon Soda", 6)], &[("Kulfi", 1)]];

/// The figures a question may ask for, by name.
struct Known(HashMap<String, Value>);

impl Known {
    fn put(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }
}

/// `part` of `whole` in percent with two decimals, half away from zero.
fn percent(part: i64, whole: i64) -> Value {
    let hundredths = (part * 20_000 + whole * part.signum()) / (whole * 2);
    serde_json::from_str(&decimal(hundredths, 2)).unwrap()
}

/// A number of `places` decimals, without zeros that say nothing.
fn decimal(units: i64, places: usize) -> String {
    let (sign, text) = (if units < 0 { "-" } else { "" }, format!("{:0>1$}", units.abs(), places + 1));
    let (whole, fraction) = text.split_at(text.len() - places);
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}

fn portions(orders: &[Sold], dish: &str) -> i64 {
    orders.iter().flat_map(|order| order.iter()).filter(|(name, _)| *name == dish).map(|(_, n)| n).sum()
}

fn sum(orders: &[Sold], each: impl Fn(&str) -> i64) -> i64 {
    orders.iter().flat_map(|order| order.iter()).map(|(dish, n)| each(dish) * n).sum()
}

fn cost(dish: &str) -> i64 {
    COSTS.iter().find(|(name, _)| *name == dish).unwrap().1
}

async fn waste(house: &House, item: &str, quantity: &str, reason: &str) {
    let quantity: Value = serde_json::from_str(quantity).unwrap();
    let body = json!({"inventoryItemId": house.stock(item), "quantity": quantity, "reason": reason});
    house.owner.post("/waste-logs", body).await.expect(201);
}

async fn hire(house: &House, code: &str, name: &str, rate: i64) -> Value {
    let body = json!({"employeeCode": code, "name": name, "jobTitle": "Cook", "hourlyRateCents": rate});
    house.owner.post("/employees", body).await.expect(201).data()["id"].clone()
}

async fn punch(house: &House, who: &Value, event: &str, time: &str) {
    let body = json!({"employeeId": who, "eventType": event, "time": time, "reason": "tablet was off"});
    house.owner.post("/attendance/corrections", body).await.expect(201);
}

async fn pay(house: &House, order: &Value, method: &str) -> i64 {
    let path = format!("/orders/{}", order["id"].as_str().unwrap());
    let due = house.owner.get(&path).await.json()["dueCents"].as_i64().unwrap();
    house
        .owner
        .post(&format!("{path}/payments"), json!({"method": method, "amountCents": due}))
        .await
        .expect(201);
    due
}

/// Orders tomatoes of the supplier and takes them in at `cents` a kilo.
async fn buy_tomatoes(house: &House, supplier: &Value, kilos: i64, cents: i64) {
    let path = order_from(house, supplier, "Tomatoes", kilos, cents).await;
    let item = json!({"inventoryItemId": house.stock("Tomatoes"), "quantityReceived": kilos, "unitCostCents": cents, "expiryDate": "2026-12-30"});
    house
        .owner
        .post(&format!("{path}/deliveries"), json!({"items": [item], "confirm": true}))
        .await
        .expect(201);
}

/// Orders something and sends the order; its path.
async fn order_from(house: &House, supplier: &Value, item: &str, quantity: i64, cents: i64) -> String {
    let line =
        json!({"inventoryItemId": house.stock(item), "quantityOrdered": quantity, "unitCostCents": cents});
    let order = json!({"supplierId": supplier, "items": [line]});
    let order = house.owner.post("/inventory/purchase-orders", order).await.expect(201).json();
    let path = format!("/purchase-orders/{}", order["id"].as_str().unwrap());
    house.owner.post(&format!("{path}/send"), json!({})).await.expect(200);
    path
}

async fn plan(house: &House, who: &Value, date: &str, start: &str, end: &str) {
    let shift =
        json!({"employeeId": who, "date": date, "shiftType": "EVENING", "startTime": start, "endTime": end});
    house.owner.post("/shifts", shift).await.expect(201);
}

/// Friday: three orders and one that is cancelled, a discount, a drawer that is short, waste, a day's work.
async fn friday(house: &House, known: &mut Known) -> Value {
    let drawer =
        house.owner.post("/cash-sessions", json!({"openingFloatCents": 5_000})).await.expect(201).data();
    let [first, second, third] = FRIDAY;
    let first = house.place(&house.owner, house.counter(first)).await;
    let mut order = house.at_table(1, second);
    order["guestCount"] = json!(4);
    let second = house.place(&house.owner, order).await;
    let third = house.place(&house.owner, house.counter(third)).await;
    let gone = house.place(&house.owner, house.counter(&[("Dal", 2)])).await;
    let path = format!("/orders/{}/status", gone["id"].as_str().unwrap());
    house.owner.patch(&path, json!({"status": "CANCELLED", "reason": "walked out"})).await.expect(200);
    let path = format!("/orders/{}/discounts", second["id"].as_str().unwrap());
    let off = json!({"type": "FIXED", "value": 1_000, "reason": "regulars"});
    house.owner.post(&path, off).await.expect(201);
    known.put("discount.friday", 1_000);
    for (order, method, name) in
        [(&first, "CASH", "cash.friday"), (&second, "CARD", "card.friday"), (&third, "UPI", "upi.friday")]
    {
        known.put(name, pay(house, order, method).await);
    }
    let counted = 5_000 + known.0["cash.friday"].as_i64().unwrap() - 300;
    let path = format!("/cash-sessions/{}/close", drawer["id"].as_str().unwrap());
    house.owner.post(&path, json!({"countedCents": counted})).await.expect(200);
    known.put("short.friday", -300);
    waste(house, "Tomatoes", "0.5", "SPOILAGE").await;
    waste(house, "Milk", "1", "DROPPED").await;
    known.put("tomatoes.waste", 2_000);
    known.put("milk.waste", 6_000);
    let meera = hire(house, "E1", "Meera Nair", 10_000).await;
    punch(house, &meera, "CLOCK_IN", "2026-11-20T04:30:00Z").await;
    punch(house, &meera, "CLOCK_OUT", "2026-11-20T12:30:00Z").await;
    known.put("meera.minutes", 480);
    plan(house, &meera, "2026-11-22", "15:00", "23:00").await;
    let supplier = json!({"name": "Green Farms", "leadTimeDays": 2});
    let supplier = house.owner.post("/inventory/suppliers", supplier).await.expect(201).data()["id"].clone();
    buy_tomatoes(house, &supplier, 2, 4_500).await;
    supplier
}

/// Saturday, which is today: three orders, a void, waste, a ticket that took ten minutes, three guests' ratings, dearer
/// tomatoes; of the staff one is here, late, one is absent and then on leave.
async fn today(branch: &Branch, house: &House, supplier: &Value, known: &mut Known) {
    buy_tomatoes(house, supplier, 4, 5_000).await;
    order_from(house, supplier, "Rice", 10, 6_500).await;
    known.put("tomatoes.bought", 2 * 4_500);
    known.put("purchases.week", 2 * 4_500 + 4 * 5_000);
    known.put("dearer.today", 4 * 500);
    known.put("ordered.open", 65_000);
    let anil = hire(house, "E3", "Anil Joshi", 9_000).await;
    plan(house, &anil, "2026-11-21", "10:00", "18:00").await;
    let leave = json!({"employeeId": anil, "leaveType": "SICK", "fromDate": "2026-11-24", "toDate": "2026-11-25", "reason": "flu"});
    let leave = house.owner.post("/leave-requests", leave).await.expect(201).data();
    let path = format!("/leave-requests/{}/approve", leave["id"].as_str().unwrap());
    house.owner.post(&path, json!({})).await.expect(200);
    let ravi = hire(house, "E2", "Ravi Das", 12_000).await;
    plan(house, &ravi, "2026-11-21", "14:30", "22:30").await;
    punch(house, &ravi, "CLOCK_IN", "2026-11-21T09:30:00Z").await;
    waste(house, "Lentils", "0.25", "PREP_ERROR").await;
    house.place(&house.owner, house.counter(TODAY[0])).await;
    let sodas = house.place(&house.owner, house.counter(TODAY[1])).await;
    let kulfi = house.place(&house.owner, house.counter(&[("Kulfi", 2)])).await;
    let (id, line) = (kulfi["id"].as_str().unwrap(), kulfi["items"][0]["id"].as_str().unwrap());
    let void = json!({"quantity": 1, "reason": "changed their mind", "wasMade": false});
    house.owner.post(&format!("/orders/{id}/items/{line}/void"), void).await.expect(200);
    known.put("void.today", 12_000);
    let tickets =
        house.owner.get(&format!("/kitchen/tickets?orderId={}", sodas["id"].as_str().unwrap())).await;
    let ticket = tickets.data()[0]["id"].as_str().unwrap().to_owned();
    for verb in ["start", "ready"] {
        branch.pass(300_000);
        house.owner.post(&format!("/kitchen/tickets/{ticket}/{verb}"), json!({})).await.expect(200);
    }
    known.put("soda.seconds", 600);
    for rating in [5, 4, 2] {
        branch.give_feedback(json!({"rating": rating})).await.expect(201);
    }
    known.put("rating", serde_json::from_str::<Value>("3.67").unwrap());
}

/// Everything that follows from the two days.
fn work_out(house: &House, known: &mut Known) {
    let week = [FRIDAY, TODAY].concat();
    let (minutes_today, labour) = (130, [80_000, 26_000]);
    let waste = [8_000, 3_000];
    for (name, orders, off, waste, labour) in [
        ("friday", &FRIDAY[..], 1_000, waste[0], labour[0]),
        ("today", &TODAY[..], 0, waste[1], labour[1]),
        ("week", &week[..], 1_000, waste[0] + waste[1], labour[0] + labour[1]),
    ] {
        let gross = sum(orders, |dish| house.price(dish));
        let (net, cogs, count) = (gross - off, sum(orders, cost), orders.len() as i64);
        known.put(&format!("gross.{name}"), gross);
        known.put(&format!("net.{name}"), net);
        known.put(&format!("orders.{name}"), count);
        known.put(&format!("average.{name}"), (net * 2 + count) / (count * 2));
        known.put(&format!("cogs.{name}"), cogs);
        known.put(&format!("foodcost.{name}"), percent(cogs, net));
        known.put(&format!("waste.{name}"), waste);
        known.put(&format!("labour.{name}"), labour);
        known.put(&format!("labourshare.{name}"), percent(labour, net));
        known.put(&format!("prime.{name}"), percent(cogs + labour, net));
        known.put(&format!("grossprofit.{name}"), net - cogs - waste);
        known.put(&format!("profit.{name}"), net - cogs - waste - labour);
        for (short, dish) in [
            ("bc", "Butter Chicken"),
            ("dal", "Dal"),
            ("soda", "Lemon Soda"),
            ("tikka", "Paneer Tikka"),
            ("kulfi", "Kulfi"),
            ("lassi", "Lassi"),
        ] {
            let portions = portions(orders, dish);
            known.put(&format!("{short}.{name}"), portions);
            known.put(&format!("{short}revenue.{name}"), portions * house.price(dish));
            known.put(&format!("{short}margin.{name}"), portions * (house.price(dish) - cost(dish)));
        }
    }
    // Dal and Paneer Tikka shared the discount of their order: its parts are not worked out here.
    known.put("tikkarevenue.friday", 64_000 - 640);
    let net = |name: &str| known.0[&format!("net.{name}")].as_i64().unwrap();
    let change = percent(net("today") - net("friday"), net("friday"));
    known.put("change.today", change);
    // Nothing of today has a bill yet: no tax is owed of it.
    known.put("tax.today", 0);
    known.put("guests.friday", 4);
    known.put("minutes.week", 480 + minutes_today);
    known.put("orders.open", 6);
    known.put("hour.friday", "18:00–19:00");
    for (name, value) in [("zero", 0), ("one", 1), ("three", 3), ("hundred", 100)] {
        known.put(name, value);
    }
    stock_left(known);
}

/// What is left in the store, and its value: what was there less what the recipes took and what was thrown away.
fn stock_left(known: &mut Known) {
    let grams = |start: i64, taken: i64| serde_json::from_str::<Value>(&decimal(start - taken, 3)).unwrap();
    let sold = |dish: &str| portions(&FRIDAY, dish) + portions(&TODAY, dish);
    known.put("paneer.left", grams(5_000, sold("Paneer Tikka") * 150));
    known.put("chicken.left", grams(6_000, sold("Butter Chicken") * 180));
    known.put("rice.left", grams(10_000, sold("Steamed Rice") * 120));
    // Chicken, and the older paneer.
    known.put("expiring.tomorrow", 2);
    let opening =
        60_000 + 80_000 + 126_000 + 96_000 + 40_000 + 120_000 + 100_000 + 150_000 + 100_000 + 50_000 + 72_000;
    let cogs = known.0["cogs.week"].as_i64().unwrap();
    let bought = known.0["purchases.week"].as_i64().unwrap();
    known.put("stock.value", opening + bought - cogs - known.0["waste.week"].as_i64().unwrap());
    // Lentils allow the fewest: 8 kg less 0.25 kg of waste, at 90 g a portion.
    known.put("dal.portions", (8_000 - 250 - sold("Dal") * 90) / 90);
}

#[tokio::test]
async fn managers_get_the_right_figures_and_nobody_gets_anothers() {
    let branch = Branch::start().await;
    let house = House::open(&branch).await;
    let mut known = Known(HashMap::new());
    let supplier = friday(&house, &mut known).await;
    branch.at("2026-11-21T11:30:00Z");
    today(&branch, &house, &supplier, &mut known).await;
    work_out(&house, &mut known);
    let roles =
        [Role::Owner, Role::Accountant, Role::Kitchen, Role::Waiter, Role::Cashier, Role::Storekeeper];
    let clients: HashMap<String, Client> =
        roles.map(|role| (role.name().to_lowercase(), branch.sign_in(role))).into();
    let (mut wrong, mut asked) = (Vec::new(), 0);
    let lines = include_str!("questions.txt").lines().filter(|line| !line.starts_with('#'));
    for line in lines {
        let parts: Vec<&str> = line.split('|').map(str::trim).collect();
        let [role, question, wanted] = parts[..] else { panic!("{line}") };
        let answer = ask(&clients[role], question).await;
        asked += 1;
        let sources = answer["sources"].as_array().unwrap();
        if wanted == "refused" {
            let refused = text(&answer).starts_with("You may not see this") && answer["facts"] == json!([]);
            if !refused || !sources.iter().any(|source| source["status"] == 403) {
                wrong.push(format!("{question} as {role}: {answer}"));
            }
            continue;
        }
        let facts = answer["facts"].as_array().unwrap();
        let value =
            |label: &str| facts.iter().find(|fact| fact["label"] == label).map(|_| fact(&answer, label));
        for (label, name) in wanted.split(';').filter_map(|part| part.split_once('=')) {
            let expected = known.0.get(name.trim()).unwrap_or_else(|| panic!("{name} is not known"));
            let found = value(label.trim());
            if found.as_ref() != Some(expected) {
                wrong.push(format!(
                    "{question}: {} is {found:?}, should be {expected}: {}",
                    label.trim(),
                    text(&answer)
                ));
            }
        }
        if sources.is_empty() || sources.iter().any(|source| source["status"] != 200) {
            wrong.push(format!("{question}: {answer}"));
        }
    }
    let found = house.owner.get("/ai/suggestions").await.expect(200).data();
    let kinds: Vec<_> = found["suggestions"].as_array().unwrap().iter().map(|s| s["kind"].clone()).collect();
    assert_eq!(kinds, ["LATE_TICKETS", "EXPIRING_STOCK", "UNHAPPY_GUESTS"], "{found:#}");
    assert!(asked >= 60, "only {asked} questions");
    assert!(wrong.is_empty(), "{} of {asked}:\n{}", wrong.len(), wrong.join("\n"));
}
