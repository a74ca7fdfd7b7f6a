//! What goes on meanwhile, at a steady rate: other outlets that send fresh orders to head office, and a till that takes orders at the
//! branch. Each is late when it was due, not when the one before was done: whoever waits is counted.

use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tiffin_common::sync::Class;
use tiffin_tests::chain::{Carrier, Counts, Day, Outlet};
use tiffin_tests::{Client, Edge, first_of_hub, sample};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval};

/// How long things took.
#[derive(Debug, Clone, Default)]
pub(super) struct Took(Arc<Mutex<Vec<Duration>>>);

impl Took {
    pub(super) fn add(&self, took: Duration) {
        self.0.lock().unwrap().push(took);
    }

    /// What was added since this was asked last.
    pub(super) fn take(&self) -> Figures {
        let mut all = std::mem::take(&mut *self.0.lock().unwrap());
        all.sort_unstable();
        let at = |percent: usize| {
            let place = all.len().saturating_sub(1) * percent / 100;
            all.get(place).map_or(0.0, |took| took.as_secs_f64() * 1e3)
        };
        Figures { count: all.len(), p50: at(50), p99: at(99), most: at(100) }
    }
}

/// Of many durations, in milliseconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Figures {
    count: usize,
    p50: f64,
    pub(super) p99: f64,
    most: f64,
}

impl std::fmt::Display for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Figures { count, p50, p99, most } = self;
        write!(f, "p50 {p50:.1} ms, p99 {p99:.1} ms, most {most:.0} ms ({count})")
    }
}

/// Outlets that send a push each `gap`: days of other outlets, one after another.
pub(super) struct Others {
    took: Took,
    thread: std::thread::JoinHandle<()>,
    /// They go on until it is dropped.
    _stop: oneshot::Sender<()>,
}

impl Others {
    /// `count` of them at a time, each another outlet with each of its days.
    pub(super) fn open(day: Day, base: &str, count: u64, gap: Duration) -> Others {
        let (day, took) = (Arc::new(day), Took::default());
        let carrier = Carrier { http: reqwest::Client::new(), base: base.to_owned(), key: None };
        let (stop, mut stopped) = oneshot::channel();
        let kept = took.clone();
        let base = base.to_owned();
        let days = (0..count).map(move |place| {
            let (day, carrier, took) = (Arc::clone(&day), carrier.clone(), kept.clone());
            let base = base.clone();
            async move {
                for life in 0.. {
                    let (day, number) = (Arc::clone(&day), place + count * life);
                    let made = tokio::task::spawn_blocking(move || Outlet::new(&day, number, true));
                    // A code holds for a quarter of an hour.
                    let code = super::code(&first_of_hub(&Client::new(&base)).await, None).await;
                    sell_for_a_day(&made.await.unwrap(), &carrier, &code, gap, &took).await;
                }
            }
        });
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                tokio::select! {
                    _ = &mut stopped => {}
                    _ = futures_util::future::join_all(days) => {}
                }
            });
        });
        Others { took, thread, _stop: stop }
    }

    /// How long pushes took since this was asked last, from when each was due to its confirmation.
    pub(super) fn take(&self) -> Figures {
        assert!(!self.thread.is_finished(), "an outlet could not go on");
        self.took.take()
    }
}

async fn sell_for_a_day(outlet: &Outlet, carrier: &Carrier, code: &str, gap: Duration, took: &Took) {
    let (hub, counts) = (outlet.enrol(carrier, code).await, Counts::default());
    outlet.greet(&hub, &counts).await;
    let mut ticks = interval(gap);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
    for push in 0..outlet.pushes() {
        let due = ticks.tick().await;
        outlet.push(&hub, push, Class::Live, &counts).await;
        took.add(due.elapsed());
    }
}

/// A till that takes an order each `gap`.
pub(super) struct Till {
    /// From when each order was due to its answer.
    pub(super) took: Took,
    stop: oneshot::Sender<()>,
    /// How many it took, and cents.
    task: JoinHandle<(i64, i64)>,
}

impl Till {
    /// At the branch that `edge` serves, with `lines` of its menu.
    pub(super) async fn open(edge: &Edge, lines: Vec<Value>, gap: Duration) -> Till {
        let (took, (stop, mut stopped)) = (Took::default(), oneshot::channel());
        let (mut owner, base, kept) = (sample::owner(edge).await, edge.base().to_owned(), took.clone());
        let task = tokio::spawn(async move {
            let (mut taken, mut signed_in) = ((0, 0), Instant::now());
            let mut ticks = interval(gap);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
            loop {
                let due = tokio::select! {
                    _ = &mut stopped => return taken,
                    due = ticks.tick() => due,
                };
                let order = owner.post("/orders", json!({"orderType": "COUNTER", "items": lines})).await;
                kept.add(due.elapsed());
                let order = order.expect(201).json();
                let cents = order["totalAmountCents"].as_i64().unwrap();
                taken = (taken.0 + 1, taken.1 + cents);
                // Nobody leaves without paying.
                let path = sample::pay(&owner, &order).await;
                owner.patch(&format!("{path}/status"), json!({"status": "COMPLETED"})).await.expect(200);
                // A sign-in lasts for a quarter of an hour.
                if signed_in.elapsed() > Duration::from_secs(600) {
                    (owner, signed_in) = (sample::owner_at(&Client::new(&base)).await, Instant::now());
                    ticks.reset();
                }
            }
        });
        Till { took, stop, task }
    }

    /// Closes it; how many orders it took, and cents.
    pub(super) async fn close(self) -> (i64, i64) {
        // It listens until it has ended.
        let _ = self.stop.send(());
        self.task.await.unwrap()
    }
}
