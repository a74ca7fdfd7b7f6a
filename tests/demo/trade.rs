//! Waiters and guests: orders that are placed and paid at every branch, through its API like any till's. Never touches head
//! office: a branch sells whether that is there or not.

use crate::world::{self, World};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tiffin_common::Uuid;
use tiffin_tests::Client;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// What one branch has sold since the demo began.
#[derive(Default)]
pub struct Sold {
    /// Paid orders.
    pub orders: AtomicU64,
    /// What they came to, in cents.
    pub cents: AtomicU64,
    /// How long the last order took to be confirmed, in microseconds.
    pub micros: AtomicU64,
    /// Orders that were refused or got no answer: there should be none.
    pub failed: AtomicU64,
}

/// The trade of all branches.
pub struct Trade {
    /// One for each branch, in their order.
    pub sold: Vec<Arc<Sold>>,
    stop: watch::Sender<bool>,
    waiters: Vec<JoinHandle<()>>,
}

/// Sessions last a quarter of an hour; a waiter signs in again before.
const SESSION: Duration = Duration::from_secs(10 * 60);

/// Starts `pace` orders a minute at every branch.
pub fn start(world: &World, pace: u64) -> Trade {
    let (stop, stopping) = watch::channel(false);
    let mut trade = Trade { sold: Vec::new(), stop, waiters: Vec::new() };
    for branch in &world.branches {
        let sold = Arc::new(Sold::default());
        let waiter = serve(Client::new(&branch.base), Arc::clone(&sold), pace, stopping.clone());
        trade.sold.push(sold);
        trade.waiters.push(tokio::spawn(waiter));
    }
    trade
}

impl Trade {
    /// Lets every waiter finish the order at hand.
    pub async fn stop(self) {
        self.stop.send_replace(true);
        for waiter in self.waiters {
            // A waiter that failed has said so already.
            let _ = waiter.await;
        }
    }
}

async fn serve(till: Client, sold: Arc<Sold>, pace: u64, mut stopping: watch::Receiver<bool>) {
    let mut ticks = tokio::time::interval(Duration::from_millis(60_000 / pace.max(1)));
    let mut till: (Client, Instant, Vec<(String, i64)>) = (till, Instant::now(), Vec::new());
    for number in 0usize.. {
        tokio::select! {
            _ = stopping.wait_for(|stop| *stop) => return,
            _ = ticks.tick() => {}
        }
        if till.2.is_empty() || till.1.elapsed() > SESSION {
            match sign_in(&till.0).await {
                Ok(fresh) => till = fresh,
                Err(reason) => eprintln!("{reason}"),
            }
        }
        match order(&till.0, &till.2, number).await {
            Some((cents, took)) => {
                sold.orders.fetch_add(1, Ordering::Relaxed);
                sold.cents.fetch_add(cents, Ordering::Relaxed);
                sold.micros.store(u64::try_from(took.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
            }
            None => {
                sold.failed.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

/// Signs in as the cashier and reads what can be ordered without a question: dishes with their prices.
async fn sign_in(till: &Client) -> Result<(Client, Instant, Vec<(String, i64)>), String> {
    let till = world::sign_in(till, "/auth/login", "cashier@sample.test").await?;
    let menu = till.get("/menu").await.data();
    let items =
        menu["categories"].as_array().into_iter().flatten().filter_map(|c| c["items"].as_array()).flatten();
    let plain = |item: &&Value| {
        item["modifierGroups"].as_array().is_none_or(Vec::is_empty) && item["isAvailable"] != json!(false)
    };
    let dishes = items
        .filter(plain)
        .filter_map(|item| Some((item["id"].as_str()?.to_owned(), item["priceCents"].as_i64()?)));
    let dishes: Vec<_> = dishes.collect();
    if dishes.is_empty() {
        Err("there is nothing on the menu".to_owned())
    } else {
        Ok((till, Instant::now(), dishes))
    }
}

/// One order of two dishes, paid; what it came to and how long its confirmation took.
async fn order(till: &Client, dishes: &[(String, i64)], number: usize) -> Option<(u64, Duration)> {
    let dish = |at: usize| dishes.get(at % dishes.len().max(1));
    let line = |(id, price): &(String, i64), quantity: usize| json!({ "menuItemId": id, "quantity": quantity, "unitPriceCents": price });
    let items = [line(dish(number * 7)?, 1 + number % 2), line(dish(number * 13 + 5)?, 1)];
    let began = Instant::now();
    let body = json!({ "orderType": "COUNTER", "items": items });
    let placed = till.post_keyed("/orders", &Uuid::now_v7().to_string(), body).await;
    let took = began.elapsed();
    let order = placed.json();
    let (id, total) = (order["id"].as_str()?, order["totalAmountCents"].as_i64()?);
    let method = if number.is_multiple_of(3) {
        json!({ "method": "CASH", "amountCents": total, "tenderedCents": total })
    } else {
        json!({ "method": "CARD", "amountCents": total })
    };
    let paid = till.post_keyed(&format!("/orders/{id}/payments"), &Uuid::now_v7().to_string(), method).await;
    (paid.status == 201).then(|| (total.unsigned_abs(), took))
}
