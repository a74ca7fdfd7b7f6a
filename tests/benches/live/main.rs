//! What a house of 80 tables and 600 dishes takes: from the answer of an order to its event at the last of 40 devices that each keep one
//! stream open, the memory meanwhile, and `GET /floor` and `GET /menu`. Never asserts a time.
//!
//!     cargo bench -p tiffin-tests --bench live

use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::{Duration, Instant};
use tiffin_tests::{Branch, Client, Events, House};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

const DEVICES: usize = 40;
const TABLES: usize = 80;
const DISHES: usize = 600;
const TOPICS: &str = "/stream?topics=orders,tables,tickets,menu,notifications,status";

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let branch = Branch::start().await;
        let house = House::open(&branch).await;
        enlarge(&house).await;
        let (orders, pause) = (setting("TIFFIN_ORDERS", 100), setting("TIFFIN_PAUSE_MS", 300));
        follow(&house, orders, Duration::from_millis(pause)).await;
        for path in ["/floor", "/menu"] {
            ask(&house.owner, path).await;
        }
    });
}

/// More tables and dishes, as a large house has them.
async fn enlarge(house: &House) {
    let dish = house.owner.get(&format!("/menu/items/{}", house.dish("Dal"))).await.expect(200).data();
    let category = &dish["categoryId"];
    for number in house_size(house, "/menu/items").await..DISHES {
        let dish = json!({"categoryId": category, "name": format!("Dish of the house {number}"), "priceCents": 12_300 + number,
            "description": "Slowly cooked with butter and cream, as in the north", "dietary": "VEG"});
        house.owner.post("/menu/items", dish).await.expect(201);
    }
    for number in house_size(house, "/tables").await..TABLES {
        let table = json!({"number": format!("X{number}"), "seats": 4, "area": "Hall"});
        house.owner.post("/tables", table).await.expect(201);
    }
}

async fn house_size(house: &House, path: &str) -> usize {
    let list = house.owner.get(path).await.expect(200).json();
    usize::try_from(list["meta"]["total"].as_i64().unwrap()).unwrap()
}

/// Memory of this process, server and clients, in MB.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap().to_owned();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
}

fn show(name: &str, mut taken: Vec<f64>) {
    taken.sort_by(f64::total_cmp);
    let at = |part: usize| taken[(taken.len() - 1) * part / 100];
    println!("{name:>44}: p50 {:>6.1} ms, p99 {:>6.1} ms, most {:>6.1} ms", at(50), at(99), at(100));
}

async fn follow(house: &House, orders: u64, pause: Duration) {
    let (told, mut events) = mpsc::unbounded_channel::<(String, Instant)>();
    let mut devices = JoinSet::new();
    for _ in 0..DEVICES {
        let mut stream = Events::open(&house.owner, TOPICS, None).await;
        let told = told.clone();
        devices.spawn(async move {
            loop {
                let event = stream.next().await;
                if event.name == "order" {
                    let _ = told.send((event.data["rowId"].as_str().unwrap().to_owned(), Instant::now()));
                }
            }
        });
    }
    let mut came: HashMap<String, Vec<Instant>> = HashMap::new();
    let (mut first, mut last, mut placed) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..orders {
        if number == orders / 10 {
            println!("memory after a tenth: {} MB", memory());
        }
        let begin = Instant::now();
        let order = house.place(&house.owner, order_of(house, number)).await;
        let answered = Instant::now();
        placed.push((answered - begin).as_secs_f64() * 1e3);
        let id = order["id"].as_str().unwrap().to_owned();
        while came.get(&id).is_none_or(|times| times.len() < DEVICES) {
            let (row, at) = events.recv().await.unwrap();
            came.entry(row).or_default().push(at);
        }
        let times = &came[&id];
        let after = |at: &Instant| at.saturating_duration_since(answered).as_secs_f64() * 1e3;
        let mut times: Vec<f64> = times.iter().take(DEVICES).map(after).collect();
        times.sort_by(f64::total_cmp);
        first.push(times[0]);
        last.push(times[DEVICES - 1]);
        tokio::time::sleep(pause).await;
    }
    println!("memory at the end:    {} MB, after {orders} orders", memory());
    show("POST /orders", placed);
    show("from the answer to the first device", first);
    show("from the answer to the last device", last);
}

fn order_of(house: &House, number: u64) -> Value {
    let mut order = house.at_table(1, &[("Steamed Rice", 1), ("Bottled Water", 1)]);
    if number >= 12 {
        order["tableNumber"] = json!(format!("X{}", 12 + number % (TABLES as u64 - 12)));
    } else {
        order["tableNumber"] = json!(format!("T{}", 1 + number));
    }
    order
}

async fn ask(client: &Client, path: &str) {
    let plain = client.get(path).await.expect(200).bytes.len();
    let packed = client.clone().with_header("Accept-Encoding", "gzip");
    let small = packed.get(path).await.expect(200).bytes.len();
    let mut taken = Vec::new();
    for _ in 0..100 {
        let begin = Instant::now();
        packed.get(path).await.expect(200);
        taken.push(begin.elapsed().as_secs_f64() * 1e3);
    }
    show(&format!("GET {path}, {} kB, gzip {} kB", plain / 1000, small / 1000), taken);
}
