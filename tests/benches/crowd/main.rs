//! What a till waits for an order while another address holds 512 half-sent requests, opened anew whenever one is closed, and what it
//! waits without them: p99 of `POST /orders` in turns, in one run. Never asserts a time: absolute figures wander, ratios are what counts.
//!
//!     cargo bench -p tiffin-tests --bench crowd

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
const HALVES: [&str; 2] = [
    "GET /health HTTP/1.1\r\nhos",
    "POST /api/v1/auth/login HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{",
];

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let branch = Branch::start().await;
        let house = House::open(&branch).await;
        let order = json!({"orderType": "COUNTER", "items": [house.line("Dal", 1), house.line("Lassi", 1)]});
        let address: SocketAddr = branch.base().trim_start_matches("http://").parse().unwrap();
        println!("{:>6} {:>12} {:>12} {:>12} {:>10}", "round", "", "orders", "p50 ms", "p99 ms");
        let mut sums = [0.0; 2];
        for round in 0..ROUNDS {
            for (crowded, sum) in sums.iter_mut().enumerate() {
                let opened = Arc::new(AtomicU64::new(0));
                let crowd = (crowded == 1).then(|| stand_about(address, &opened));
                let mut taken = sell(&house.owner, &order).await;
                drop(crowd);
                taken.sort_by(f64::total_cmp);
                let at = |part: usize| taken[(taken.len() - 1) * part / 100];
                *sum += at(99);
                let (name, count) = (["alone", "crowded"][crowded], taken.len());
                let opened = opened.load(Ordering::Relaxed);
                println!(
                    "{round:>6} {name:>12} {count:>12} {:>12.1} {:>10.1}  {opened} half-sent",
                    at(50),
                    at(99)
                );
            }
        }
        println!("p99 crowded / alone: {:.2}", sums[1] / sums[0]);
    });
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

/// How long each order of some tills took, in milliseconds.
async fn sell(owner: &Client, order: &Value) -> Vec<f64> {
    let mut tills = JoinSet::new();
    for _ in 0..TILLS {
        let (owner, order) = (owner.clone(), order.clone());
        tills.spawn(async move {
            let (end, mut taken) = (Instant::now() + ROUND, Vec::new());
            while Instant::now() < end {
                let begin = Instant::now();
                owner.post("/orders", order.clone()).await.expect(201);
                taken.push(begin.elapsed().as_secs_f64() * 1e3);
            }
            taken
        });
    }
    tills.join_all().await.concat()
}
