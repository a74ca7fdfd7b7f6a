//! What a large menu costs: the sample restaurant as it is, with 600 dishes, and with 600 dishes, four price lists and three languages. In
//! turns, in one run: reading the menu and taking the same orders; then, how long a first day's files take. Never asserts a time.
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
const READS: usize = 60;
const CHANGES: usize = 10;
const SELLING: Duration = Duration::from_secs(4);

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        files::take_in().await;
        let places = [Place::sample().await, Place::large().await, Place::full().await];
        let names: Vec<&str> = places.iter().map(|place| place.name).collect();
        println!("{:>34}   {}; ratios are to the one before", "", names.join(", "));
        for (what, path) in READINGS {
            read(&places, what, path).await;
        }
        unchanged(&places).await;
        changed(&places).await;
        for tills in [1, 64] {
            sell(&places, tills).await;
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

/// Milliseconds that each of the places took, in turns.
type Taken = [Vec<f64>; 3];

/// The p50 and p99 of each place, and each as a multiple of the place before it.
fn show(what: &str, mut taken: Taken) {
    taken.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
    let at = |place: usize, part: usize| taken[place][(taken[place].len() - 1) * part / 100];
    let row = |part: usize| {
        let [one, two, three] = [0, 1, 2].map(|place| at(place, part));
        format!("p{part} {one:>6.2} {two:>6.2} {three:>6.2} ms ({:>4.2}, {:>4.2})", two / one, three / two)
    };
    println!("{what:>34}   {}   {}", row(50), row(99));
}

async fn timed(client: &Client, path: &str, status: u16) -> f64 {
    let begin = Instant::now();
    client.get(path).await.expect(status);
    begin.elapsed().as_secs_f64() * 1e3
}

async fn read(places: &[Place; 3], what: &str, path: &str) {
    let mut taken = Taken::default();
    for _ in 0..ROUNDS {
        for (place, times) in places.iter().zip(&mut taken) {
            let path = path.replace("TABLE", &place.table).replace("CHANNEL", &place.channel);
            for _ in 0..READS {
                times.push(timed(&place.reader, &path, 200).await);
            }
        }
    }
    show(what, taken);
}

async fn unchanged(places: &[Place; 3]) {
    let mut taken = Taken::default();
    for _ in 0..ROUNDS {
        for (place, times) in places.iter().zip(&mut taken) {
            let tag = place.reader.get("/menu").await.expect(200).header("etag").to_owned();
            let knowing = place.reader.clone().with_header("if-none-match", &tag);
            for _ in 0..READS {
                times.push(timed(&knowing, "/menu", 304).await);
            }
        }
    }
    show("nothing has changed (304)", taken);
}

/// A dish sells out and comes back: the menu is put together anew each time.
async fn changed(places: &[Place; 3]) {
    let mut taken = Taken::default();
    for _ in 0..ROUNDS {
        for (place, times) in places.iter().zip(&mut taken) {
            for number in 0..CHANGES {
                let path = format!("/menu/items/{}/availability", place.dish);
                let status = ["OUT_OF_STOCK", "IN_STOCK"][number % 2];
                place.owner.put(&path, json!({"status": status})).await.expect(200);
                times.push(timed(&place.reader, "/menu", 200).await);
            }
        }
    }
    show("after a change", taken);
}

async fn sell(places: &[Place; 3], tills: usize) {
    let mut taken = Taken::default();
    let mut counts = [0; 3];
    for _ in 0..ROUNDS {
        for (i, place) in places.iter().enumerate() {
            let round = take_orders(place, tills).await;
            counts[i] += round.len();
            taken[i].extend(round);
        }
    }
    show(&format!("POST /orders, {tills} at once"), taken);
    println!("{:>34}   orders taken: {counts:?}", "");
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
