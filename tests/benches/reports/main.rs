//! Every answer of `/analytics` over a year of 300 orders a day, from the rows alone and from kept days, and what the triggers that
//! drop a kept day cost an order. Never asserts a time: absolute figures wander, ratios are what counts.
//!
//!     cargo bench -p tiffin-tests --bench reports

mod year;

use edge::access::{Actor, Role};
use edge::db::{DbError, Tx};
use edge::resources::analytics::worker;
use edge::resources::auth::rules::ApproverPin;
use edge::resources::orders;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tiffin_tests::{Branch, Client, House};

/// Orders of one round of the triggers' cost; rounds alternate, so that drift of the machine meets both alike.
const ORDERS: usize = 200;
const ROUNDS: usize = 7;

const PATHS: [&str; 16] = [
    "summary?",
    "daily?",
    "hourly?",
    "top-sellers?by=margin&",
    "menu-engineering?",
    "reports/sales?",
    "reports/payments?",
    "reports/tax?",
    "reports/discounts?",
    "reports/voids?",
    "reports/inventory?",
    "reports/variance?",
    "reports/waste?",
    "reports/labor?",
    "reports/purchases?",
    "reports/pnl?",
];

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let branch = Branch::start().await;
        let house = House::open(&branch).await;
        let order = house.place(&house.owner, house.counter(&[("Dal", 1)])).await;
        house.settle(&house.owner, &order).await;
        let begin = Instant::now();
        let built = branch.db.write(year::build).await.unwrap();
        println!("{built} in {:.0} s", begin.elapsed().as_secs_f64());
        let client = branch.sign_in(Role::Owner);
        let mut rows = Vec::new();
        for path in PATHS {
            rows.push(ask(&client, path, 1).await);
        }
        let (days, longest, begin) = keep(&branch).await;
        println!(
            "{days} days kept in {:.1} s, the longest in {longest:.1?}\n",
            begin.elapsed().as_secs_f64()
        );
        println!("{:<28} {:>14} {:>14}", "a year of", "from rows ms", "kept days ms");
        for (path, rows) in PATHS.iter().zip(rows) {
            let kept = ask(&client, path, 7).await;
            println!("{:<28} {:>14.0} {:>14.1}", path.trim_end_matches(['?', '&']), rows.1, kept.1);
            assert_eq!(rows.0, kept.0, "{path}");
        }
        triggers(&branch, &house).await;
    });
}

/// The answer, and how long it took: the median of `times`, milliseconds.
async fn ask(client: &Client, path: &str, times: usize) -> (Value, f64) {
    let path = format!("/analytics/{path}from={}&to={}", year::FIRST, year::LAST);
    let mut answer = Value::Null;
    let mut taken = Vec::new();
    for _ in 0..times {
        let begin = Instant::now();
        answer = client.get(&path).await.expect(200).json();
        taken.push(begin.elapsed().as_secs_f64() * 1e3);
    }
    (answer, median(taken))
}

async fn keep(branch: &Branch) -> (usize, Duration, Instant) {
    let (mut days, mut longest, all) = (0, Duration::ZERO, Instant::now());
    loop {
        let begin = Instant::now();
        if !worker::keep_one(&branch.db).await.unwrap() {
            return (days, longest, all);
        }
        (days, longest) = (days + 1, longest.max(begin.elapsed()));
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Orders through the writer with the triggers and without them.
async fn triggers(branch: &Branch, house: &House) {
    for item in ["Rice", "Lentils", "Tomatoes", "Cream", "Spice", "Milk"] {
        let plenty = json!({"inventoryItemId": house.stock(item), "quantityDelta": 100_000, "reason": "opening stock"});
        branch.sign_in(Role::Owner).post("/inventory/adjustments", plenty).await.expect(201);
    }
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        orders(branch, house, &mut with).await;
        let dropped = branch.db.write(drop_triggers).await.unwrap();
        orders(branch, house, &mut without).await;
        branch.db.write(move |tx| put_back(tx, &dropped)).await.unwrap();
    }
    let (with, without) = (median(with), median(without));
    println!(
        "\nan order's writes take {with:.3} ms with the triggers and {without:.3} ms without them: {:.1} %",
        with / without * 100.0
    );
}

/// Takes orders, and notes what each took the writer up to its commit, in milliseconds: the disk is not what is compared.
async fn orders(branch: &Branch, house: &House, taken: &mut Vec<f64>) {
    let line = |dish: &str| orders::rules::LineRequest {
        menu_item_id: house.dish(dish).parse().unwrap(),
        variant_id: None,
        sku: None,
        quantity: 1,
        weight: None,
        unit_price: None,
        modifiers: Vec::new(),
        components: Vec::new(),
        notes: None,
        course: None,
        seat_number: None,
        hold: false,
    };
    let command = orders::actions::command::PlaceOrder {
        guest_key: None,
        channel_id: None,
        external_id: None,
        channel: None,
        order_type: orders::rules::OrderType::Counter,
        source: orders::rules::Source::Pos,
        table_id: None,
        table_number: None,
        guest: orders::rules::Guest::default(),
        notes: None,
        guest_count: None,
        scheduled_for: None,
        lines: ["Steamed Rice", "Dal", "Lassi"].map(line).into(),
    };
    for _ in 0..ORDERS {
        let (actor, command) = (Actor::system(branch.outlet_id), command.clone());
        let placed = branch.db.write(move |tx| {
            let begin = Instant::now();
            orders::actions::place(tx, &actor, command, &ApproverPin::default())?;
            Ok(begin.elapsed().as_secs_f64() * 1e3)
        });
        let time: Result<f64, orders::rules::OrderError> = placed.await;
        taken.push(time.map_err(|error| error.to_string()).unwrap());
    }
}

fn drop_triggers(tx: &Tx<'_>) -> Result<Vec<String>, DbError> {
    let sql = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name GLOB 'analytics_*'";
    let found: Vec<(String, String)> =
        tx.prepare(sql)?.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
    for (name, _) in &found {
        tx.execute_batch(&format!("DROP TRIGGER {name}"))?;
    }
    Ok(found.into_iter().map(|(_, sql)| sql).collect())
}

fn put_back(tx: &Tx<'_>, triggers: &[String]) -> Result<(), DbError> {
    Ok(triggers.iter().try_for_each(|sql| tx.execute_batch(sql))?)
}
