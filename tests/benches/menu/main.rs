//! What a large menu costs: the sample restaurant as it is, with 600 dishes, and with 600 dishes, four price lists and three languages. In
//! turns, in one run: reading the menu and taking the same orders; then, how long a first day's files take. Times wander
//! with what else runs, the processor's much less. Never asserts a time.
//!
//!     cargo bench -p tiffin-tests --bench menu

mod files;
mod place;

use place::Place;
use reqwest::Method;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tiffin_tests::Client;
use tokio::task::JoinSet;

const ROUNDS: usize = 3;
const READS: usize = 100;
const CHANGES: usize = 10;
const SELLING: Duration = Duration::from_secs(4);

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        files::take_in().await;
        let places = [Place::sample().await, Place::large().await, Place::full().await];
        let names: Vec<&str> = places.iter().map(|place| place.name).collect();
        println!("{}; ratios are to the one before", names.join(", "));
        for (what, path) in READINGS {
            in_turns(&places, what, async |place| read(place, path).await).await;
        }
        in_turns(&places, "nothing has changed (304)", unchanged).await;
        in_turns(&places, "after a change", changed).await;
        for tills in [1, 64] {
            let what = format!("POST /orders, {tills} at once");
            in_turns(&places, &what, async |place| take_orders(place, tills).await).await;
        }
    });
}

/// How a menu is asked for; `TABLE` and `CHANNEL` are the place's.
const READINGS: [(&str, &str); 4] = [
    ("GET /menu", "/menu"),
    ("in Hindi", "/menu?lang=hi"),
    ("at a table", "/menu?orderType=DINE_IN&tableId=TABLE"),
    ("of a channel", "/menu?channelId=CHANNEL"),
];

/// What one place took, in its turns.
#[derive(Default)]
struct Taken {
    /// Milliseconds of each request.
    times: Vec<f64>,
    /// Milliseconds of the processor for all of them, server and client.
    processor: f64,
}

/// Milliseconds of the processor that this process has taken.
fn processor() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    let ticks = |field: usize| fields[field].parse::<f64>().unwrap();
    (ticks(11) + ticks(12)) * 10.0
}

/// Lets the places take turns at `ask`, and prints the p50, the p99 and the processor's time of each, and each as a multiple of the place
/// before it.
async fn in_turns(places: &[Place; 3], what: &str, ask: impl AsyncFn(&Place) -> Vec<f64>) {
    let mut taken: [Taken; 3] = Default::default();
    for _ in 0..ROUNDS {
        for (place, taken) in places.iter().zip(&mut taken) {
            let before = processor();
            taken.times.extend(ask(place).await);
            taken.processor += processor() - before;
        }
    }
    taken.iter_mut().for_each(|one| one.times.sort_by(f64::total_cmp));
    let at = |one: &Taken, part: usize| one.times[(one.times.len() - 1) * part / 100];
    let row = |name: &str, [one, two, three]: [f64; 3]| {
        let ratios = (two / one, three / two);
        format!("{name} {one:>6.2} {two:>6.2} {three:>6.2} ms ({:>4.2}, {:>4.2})", ratios.0, ratios.1)
    };
    let (p50, p99) = (taken.each_ref().map(|one| at(one, 50)), taken.each_ref().map(|one| at(one, 99)));
    let each = taken.each_ref().map(|one| one.processor / one.times.len() as f64);
    println!("{what:>26}  {}  {}  {}", row("p50", p50), row("p99", p99), row("CPU", each));
}

async fn timed(client: &Client, path: &str, status: u16) -> f64 {
    let begin = Instant::now();
    client.get(path).await.expect(status);
    begin.elapsed().as_secs_f64() * 1e3
}

async fn read(place: &Place, path: &str) -> Vec<f64> {
    let path = path.replace("TABLE", &place.table).replace("CHANNEL", &place.channel);
    let mut times = Vec::new();
    for _ in 0..READS {
        times.push(timed(&place.reader, &path, 200).await);
    }
    times
}

async fn unchanged(place: &Place) -> Vec<f64> {
    let tag = place.reader.get("/menu").await.expect(200).header("etag").to_owned();
    let knowing = place.reader.clone().with_header("if-none-match", &tag);
    let mut times = Vec::new();
    for _ in 0..READS {
        times.push(timed(&knowing, "/menu", 304).await);
    }
    times
}

/// A dish sells out and comes back: the menu is put together anew each time.
async fn changed(place: &Place) -> Vec<f64> {
    let mut times = Vec::new();
    for number in 0..CHANGES {
        let path = format!("/menu/items/{}/availability", place.dish);
        let status = ["OUT_OF_STOCK", "IN_STOCK"][number % 2];
        place.owner.put(&path, json!({"status": status})).await.expect(200);
        times.push(timed(&place.reader, "/menu", 200).await);
    }
    times
}

async fn take_orders(place: &Place, tills: usize) -> Vec<f64> {
    let mut selling = JoinSet::new();
    for till in 0..tills {
        let (client, orders): (Client, Vec<Value>) = (place.owner.clone(), place.orders.clone());
        selling.spawn(async move {
            let (end, mut taken) = (Instant::now() + SELLING, Vec::new());
            while Instant::now() < end {
                let order = &orders[(till + taken.len()) % orders.len()];
                let request = client.request(Method::POST, "/orders").json(order);
                let begin = Instant::now();
                client.send(request).await.expect(201);
                taken.push(begin.elapsed().as_secs_f64() * 1e3);
            }
            taken
        });
    }
    selling.join_all().await.concat()
}
