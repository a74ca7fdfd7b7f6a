//! What is to be seen: each branch as it is and as head office has it, side by side. Reads only.

use crate::process;
use crate::trade::{Sold, Trade};
use crate::world::{self, World, text};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tiffin_tests::Client;
use tokio::sync::Mutex;

/// The longest a backlog may take to drain once trade has stopped.
const PATIENCE: Duration = Duration::from_secs(120);

/// One branch at one moment.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// Its name.
    pub name: &'static str,
    /// Whether its internet works.
    pub link_up: bool,
    /// Orders it sold since the demo began.
    pub orders: u64,
    /// What they came to, in cents.
    pub cents: u64,
    /// How long the last order took, in microseconds.
    pub micros: u64,
    /// Orders that failed.
    pub failed: u64,
    /// Log rows that head office has not confirmed, by the branch's own word.
    pub waiting: Option<i64>,
    /// What the branch says of its last digest.
    pub digest: String,
    /// Whether head office thinks it is there.
    pub online: Option<bool>,
    /// Bytes it sent up.
    pub bytes_up: u64,
}

struct Watched {
    name: &'static str,
    code: &'static str,
    /// Signed in anew whenever its branch does not know it any more.
    till: Mutex<Client>,
    data: std::path::PathBuf,
    link: crate::link::Link,
    sold: Arc<Sold>,
}

impl Watched {
    /// What the branch says of its exchange with head office; null when it says nothing.
    async fn exchange(&self) -> Value {
        let mut till = self.till.lock().await;
        let mut told = fetch(&till, "/status").await["sync"].take();
        if told.is_null()
            && let Ok(fresh) = world::sign_in(&till, "/auth/login", "cashier@sample.test").await
        {
            *till = fresh;
            told = fetch(&till, "/status").await["sync"].take();
        }
        told
    }
}

/// Looks at everybody.
pub struct Watch {
    branches: Vec<Watched>,
    admin: Client,
    hub_data: std::path::PathBuf,
}

impl Watch {
    /// Of `world` and its `trade`.
    pub fn new(world: &World, trade: &Trade) -> Watch {
        let branches = world.branches.iter().zip(&trade.sold).map(|(branch, sold)| Watched {
            name: branch.name,
            code: branch.code,
            till: Mutex::new(Client::new(&branch.base)),
            data: branch.data.clone(),
            link: branch.link.clone(),
            sold: Arc::clone(sold),
        });
        Watch { branches: branches.collect(), admin: world.admin.clone(), hub_data: world.hub_data.clone() }
    }

    /// Everybody now.
    pub async fn look(&self) -> Vec<Seen> {
        let outlets = fetch(&self.admin, "/hub/outlets").await;
        let outlets = outlets.as_array().cloned().unwrap_or_default();
        let mut seen = Vec::new();
        for branch in &self.branches {
            let sync = branch.exchange().await;
            let outlet = outlets.iter().find(|outlet| outlet["code"] == branch.code);
            let figure = |figure: &std::sync::atomic::AtomicU64| figure.load(Ordering::Relaxed);
            seen.push(Seen {
                name: branch.name,
                link_up: branch.link.is_up(),
                orders: figure(&branch.sold.orders),
                cents: figure(&branch.sold.cents),
                micros: figure(&branch.sold.micros),
                failed: figure(&branch.sold.failed),
                waiting: sync["rowsWaiting"].as_i64(),
                digest: sync["digest"].as_str().unwrap_or("–").to_owned(),
                online: outlet.and_then(|outlet| outlet["online"].as_bool()),
                bytes_up: branch.link.bytes_up(),
            });
        }
        seen
    }

    /// Waits until nothing is left to send, then compares every row of every branch with head office's.
    pub async fn settle(&self) -> Result<Verdict, String> {
        let deadline = Instant::now() + PATIENCE;
        while !self.look().await.iter().all(|seen| seen.waiting == Some(0)) {
            if Instant::now() > deadline {
                return Err("a backlog did not drain".to_owned());
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        let mut lines = Vec::new();
        for branch in &self.branches {
            let arguments =
                ["verify", "--edge-data-dir", text(&branch.data), "--hub-data-dir", text(&self.hub_data)];
            let failed = branch.sold.failed.load(Ordering::Relaxed);
            let compared = process::run("sync-hub", &arguments);
            lines.push((branch.name, branch.sold.orders.load(Ordering::Relaxed), failed, compared));
        }
        Ok(Verdict(lines))
    }
}

/// What `path` answers, unwrapped; null when there is no answer.
async fn fetch(client: &Client, path: &str) -> Value {
    let reply = client.try_send(client.request(reqwest::Method::GET, path)).await;
    reply.ok().filter(|reply| reply.status == 200).map_or(Value::Null, |reply| reply.data())
}

/// What the comparison gave: for each branch its orders, how many failed, and what was found.
pub struct Verdict(Vec<(&'static str, u64, u64, Result<String, String>)>);

impl Verdict {
    /// Whether every row agrees and no order failed.
    pub fn is_good(&self) -> bool {
        self.0.iter().all(|(_, _, failed, compared)| *failed == 0 && compared.is_ok())
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (name, orders, failed, compared) in &self.0 {
            let outcome = match compared {
                Ok(said) => said.lines().last().unwrap_or_default(),
                Err(said) => said.as_str(),
            };
            writeln!(f, "{name}: {orders} orders, {failed} failed. {outcome}")?;
        }
        f.write_str(if self.is_good() {
            "Every row of every branch is at head office, and equal."
        } else {
            "NOT GOOD"
        })
    }
}
