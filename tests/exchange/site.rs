//! A branch as a process of its own, behind a bad network, with people at work. Its data directory outlives it.

use crate::office;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tiffin_common::{Millis, Uuid};
use tiffin_tests::oracle::{self, Cursors};
use tiffin_tests::proxy::{Network, Proxy};
use tiffin_tests::trade::{Ledger, Shift};
use tiffin_tests::{Client, Dice, Edge, HubProcess, sample};

/// See the module.
pub struct Site {
    /// Its outlet's code.
    pub code: &'static str,
    /// Its outlet.
    pub outlet: Uuid,
    /// Its data directory.
    pub data: PathBuf,
    /// What is between it and head office.
    pub proxy: Proxy,
    /// What its guests were told.
    pub ledger: Ledger,
    edge: Option<Edge>,
    client: Option<Client>,
    seed: u64,
    lives: u64,
}

impl Site {
    /// A sample restaurant, not yet started.
    pub async fn make(folder: &Path, code: &'static str, seed: u64, cursors: &Arc<Cursors>) -> Site {
        let data = folder.join(code);
        sample::init(&data, code);
        let conn = oracle::open(&data.join("tiffin.db"));
        let outlet = conn.query_row("SELECT id FROM outlets", [], |row| row.get(0)).unwrap();
        let network = Network::new(code, Dice::fork(seed, code)).seen_by(cursors.clone());
        let proxy = Proxy::start(network).await;
        let ledger = Ledger::default();
        Site { code, outlet, data, proxy, ledger, edge: None, client: None, seed, lives: 0 }
    }

    /// Enrols it with head office by a code of `admin`; with `replace`, in the place of the box it had.
    pub async fn enrol(&self, admin: &Client, replace: bool) {
        let code = office::code(admin, replace.then_some(self.outlet)).await;
        let mut arguments = vec![
            "enroll",
            "--data-dir",
            self.data.to_str().unwrap(),
            "--hub",
            self.proxy.base(),
            "--code",
            &code,
        ];
        arguments.extend(replace.then_some("--replace"));
        let arguments: Vec<String> = arguments.into_iter().map(str::to_owned).collect();
        let run = move || Edge::run(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        // The proxy answers on this runtime meanwhile.
        tokio::task::spawn_blocking(run).await.unwrap();
    }

    /// A branch that head office has taken in, and that is open: behind the network of its own.
    pub async fn join(folder: &Path, seed: u64, hub: &HubProcess, admin: &Client) -> Site {
        let mut site = Site::make(folder, "BLR1", seed, &Arc::new(Cursors::default())).await;
        site.proxy.to(&[hub.base()]);
        site.enrol(admin, false).await;
        site.start().await;
        site
    }

    /// Starts it, and signs the owner in.
    pub async fn start(&mut self) {
        let edge = Edge::serve(&self.data, &[]).await;
        self.client = Some(sample::owner(&edge).await);
        self.edge = Some(edge);
        self.lives += 1;
    }

    /// The same with a clock that goes on from `moment`.
    pub async fn start_at(&mut self, moment: Millis) {
        let moment = moment.to_utc().format("%Y-%m-%d %H:%M:%S").to_string();
        let edge = Edge::serve_at(&moment, &self.data, &[]).await;
        self.client = Some(sample::owner(&edge).await);
        self.edge = Some(edge);
        self.lives += 1;
    }

    /// The owner, signed in.
    pub fn owner(&self) -> &Client {
        self.client.as_ref().unwrap()
    }

    /// Pulls the plug.
    pub fn kill(&mut self) {
        if let Some(edge) = self.edge.take() {
            edge.kill();
        }
    }

    /// Works until `answers` more were given, and counts them.
    pub async fn trade(&mut self, answers: u64, counted: &AtomicU64) {
        let life = format!("{}-{}-{}", self.code, self.seed, self.lives);
        let mut shift = Shift::new(&life, Dice::fork(self.seed, &life));
        let client = self.client.clone().unwrap();
        let goal = self.ledger.confirmed + answers;
        while self.ledger.confirmed < goal {
            let before = self.ledger.confirmed;
            assert!(shift.act(&client, &mut self.ledger).await, "{}: the branch does not answer", self.code);
            counted.fetch_add(self.ledger.confirmed - before, Ordering::SeqCst);
        }
        self.lives += 1;
    }

    /// Where its pages are.
    pub fn base(&self) -> &str {
        self.edge.as_ref().unwrap().base()
    }

    /// How the exchange stands, as every screen shows it.
    pub async fn exchange(&self) -> Value {
        self.owner().get("/status").await.expect(200).data()["sync"].clone()
    }

    /// Waits until head office has confirmed everything.
    pub async fn wait_until_confirmed(&self) {
        let deadline = Instant::now() + Duration::from_secs(180);
        loop {
            let sync = self.exchange().await;
            if sync["rowsWaiting"] == 0 {
                return;
            }
            assert!(Instant::now() < deadline, "{}: still waiting after three minutes: {sync}", self.code);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// The branch's database.
    pub fn database(&self) -> PathBuf {
        self.data.join("tiffin.db")
    }

    /// The number of its last log row.
    pub fn head(&self) -> i64 {
        let conn = oracle::open(&self.database());
        conn.query_row("SELECT coalesce(max(seq), 0) FROM sync_log", [], |row| row.get(0)).unwrap()
    }
}

/// Asks again and again, for two minutes, until `look` finds something.
pub async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_secs(120);
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(Instant::now() < deadline, "never: {what}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
