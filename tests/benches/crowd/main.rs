//! What a till waits for an order while another address holds 512 half-sent requests, opened anew whenever one is closed, or while 300 guests
//! behind the tills' own address read the menu, and what it waits without them: p99 of `POST /orders` in turns, in one run, with the limits
//! a branch has by itself. Never asserts a time: absolute figures wander, ratios are what counts; but no till and no guest's connection may
//! be refused.
//!
//!     cargo bench -p tiffin-tests --bench crowd

use edge::access::Role;
use reqwest::Method;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tiffin_tests::{Branch, Client, House};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpSocket;
use tokio::task::JoinSet;

const TILLS: usize = 8;
const ROUNDS: usize = 4;
const ROUND: Duration = Duration::from_secs(4);
const CONNECTIONS: usize = 512;
const GUESTS: usize = 300;
const HALVES: [&str; 2] = [
    "GET /health HTTP/1.1\r\nhos",
    "POST /api/v1/auth/login HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{",
];

/// How many guests met an idle connection just as it was closed, and how many of them got no answer on a new one either.
static MET_CLOSED: AtomicU64 = AtomicU64::new(0);
static REFUSED: AtomicU64 = AtomicU64::new(0);

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        println!("{:>6} {:>12} {:>12} {:>12} {:>10}", "round", "", "orders", "p50 ms", "p99 ms");
        half_sent().await;
        full_house().await;
    });
}

/// The limits that a branch has by itself.
const AS_SHIPPED: [(&str, &str); 4] = [
    ("limit-general", "1000/60"),
    ("limit-qr-menu", "10/60"),
    ("limit-qr-order", "30/60"),
    ("limit-connections", "64"),
];

/// One phone holds half-sent requests.
async fn half_sent() {
    let branch = Branch::with(AS_SHIPPED).await;
    let house = House::open(&branch).await;
    let tills: Vec<Client> = (0..TILLS).map(|_| house.owner.clone()).collect();
    let address: SocketAddr = branch.base().trim_start_matches("http://").parse().unwrap();
    in_turns("half-sent", &house, &tills, |opened| stand_about(address, opened)).await;
}

/// A full house behind one address: guests read the menu as fast as they like, each on a connection of its own, and tills sell. A till that
/// is refused ends the run, a guest fails it at its end.
async fn full_house() {
    let branch = Branch::with(AS_SHIPPED).await;
    let house = House::open(&branch).await;
    let tills: Vec<Client> = (0..20).map(|_| branch.sign_in(Role::Cashier)).collect();
    let table = house.owner.get(&format!("/tables/{}", house.table(1))).await.expect(200).data();
    let menu = format!("/orders/tables/{}/menu", table["qrToken"].as_str().unwrap());
    in_turns("of guests", &house, &tills, |asked| {
        let mut guests = JoinSet::new();
        for _ in 0..GUESTS {
            let (guest, menu, asked) = (branch.anonymous(), menu.clone(), Arc::clone(asked));
            guests.spawn(async move {
                loop {
                    // Whose idle connection was just closed asks again on another one, as a phone does. A new one is never refused.
                    let ask = || guest.request(Method::GET, &menu).send();
                    if ask().await.is_err() {
                        MET_CLOSED.fetch_add(1, Ordering::Relaxed);
                        REFUSED.fetch_add(u64::from(ask().await.is_err()), Ordering::Relaxed);
                    }
                    asked.fetch_add(1, Ordering::Relaxed);
                    tokio::time::sleep(Duration::from_millis(1_000)).await;
                }
            });
        }
        guests
    })
    .await;
    let (met, refused) = (MET_CLOSED.load(Ordering::Relaxed), REFUSED.load(Ordering::Relaxed));
    println!("guests who met a closed connection and asked once more: {met}; who found none: {refused}");
    assert_eq!(refused, 0, "a guest's connection was refused");
}

/// Sells alone and with a crowd, in turns, and prints how long that took. `come` makes the crowd, which is gone when it is dropped, and
/// counts what it does.
async fn in_turns(
    what: &str,
    house: &House,
    tills: &[Client],
    come: impl Fn(&Arc<AtomicU64>) -> JoinSet<()>,
) {
    let order = json!({"orderType": "COUNTER", "items": [house.line("Dal", 1), house.line("Lassi", 1)]});
    let mut sums = [0.0; 2];
    for round in 0..ROUNDS {
        for (crowded, sum) in sums.iter_mut().enumerate() {
            let counted = Arc::new(AtomicU64::new(0));
            let crowd = (crowded == 1).then(|| come(&counted));
            let mut taken = sell(tills, &order).await;
            drop(crowd);
            taken.sort_by(f64::total_cmp);
            let at = |part: usize| taken[(taken.len() - 1) * part / 100];
            *sum += at(99);
            let (name, orders) = (["alone", "crowded"][crowded], taken.len());
            let counted = counted.load(Ordering::Relaxed);
            println!(
                "{round:>6} {name:>12} {orders:>12} {:>12.1} {:>10.1}  {counted} {what}",
                at(50),
                at(99)
            );
        }
    }
    println!("p99 crowded / alone: {:.2}", sums[1] / sums[0]);
}

/// Opens connections that ask half of something, for as long as what it answers is held.
fn stand_about(address: SocketAddr, opened: &Arc<AtomicU64>) -> JoinSet<()> {
    let mut crowd = JoinSet::new();
    for number in 0..CONNECTIONS {
        let opened = Arc::clone(opened);
        crowd.spawn(async move {
            loop {
                let socket = TcpSocket::new_v4().unwrap();
                socket.bind("127.0.0.2:0".parse().unwrap()).unwrap();
                let Ok(mut stream) = socket.connect(address).await else { continue };
                opened.fetch_add(1, Ordering::Relaxed);
                let _ = stream.write_all(HALVES[number % 2].as_bytes()).await;
                let _ = stream.read(&mut [0; 16]).await;
                // A phone that is thrown out comes again, as fast as a phone can.
                tokio::time::sleep(Duration::from_millis(250)).await;
            }
        });
    }
    crowd
}

/// How long each order of the tills took, in milliseconds.
async fn sell(tills: &[Client], order: &Value) -> Vec<f64> {
    let mut selling = JoinSet::new();
    for till in tills {
        let (till, order) = (till.clone(), order.clone());
        selling.spawn(async move {
            let (end, mut taken) = (Instant::now() + ROUND, Vec::new());
            while Instant::now() < end {
                let begin = Instant::now();
                till.post("/orders", order.clone()).await.expect(201);
                taken.push(begin.elapsed().as_secs_f64() * 1e3);
            }
            taken
        });
    }
    selling.join_all().await.concat()
}
