//! A simulated branch: the real application on its own directory and clock, its people at work, and its exchange with head
//! office. What is in memory dies with a crash; what is on disk, and what its guests were told, stays.

use crate::clock::WallClock;
use crate::errands::Errand;
use crate::mistakes::Mistakes;
use crate::place::Template;
use crate::transfers;
use crate::versions::{self, Behind};
use crate::wire::Carrier;
use axum::Router;
use axum::body::Body;
use edge::access::{Principal, Role};
use edge::app;
use edge::config::{Config, Sources};
use edge::data_dir::DataDir;
use edge::db::{ClockWatch, Env, Random};
use edge::doctor;
use edge::http::shutdown::Shutdown;
use edge::state::AppState;
use edge::sync::joining::{self, Application};
use edge::sync::{self, CarrierError, Enrolment, Hub, HubClient, Settings, Worker};
use http_body_util::BodyExt;
use serde_json::Value;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tiffin_common::{Clock, Uuid};
use tiffin_tests::trade::{Ledger, Shift, Till, Told};
use tiffin_tests::{Dice, oracle};
use tokio::sync::Mutex;

/// Longest pause between two actions, in milliseconds.
const PAUSE: u64 = 4_000;

/// How often a program that does not start is started again.
const MOST_STARTS: u32 = 100;

/// What outlives a crash.
pub struct Site {
    /// Its host's name.
    pub name: String,
    /// Its outlet.
    pub outlet: Uuid,
    /// Its data directory.
    pub folder: PathBuf,
    /// The clock on its wall.
    pub clock: Arc<WallClock>,
    /// What its guests were told.
    pub ledger: Arc<Mutex<Ledger>>,
    /// Whether its people work.
    pub working: AtomicBool,
    /// Whether its storekeeper sends stock to the other branches, and takes in theirs.
    pub sends: AtomicBool,
    /// What its manager is to do next, besides.
    pub errands: Mutex<VecDeque<Errand>>,
    /// Which program it has.
    pub behind: Behind,
    mistakes: Mistakes,
    seed: u64,
    starts: AtomicU64,
    /// Whether its next start is the last one again: the machine is put back together with its memory.
    remembers: AtomicBool,
    /// Whether rows of it went wrong at head office.
    pub damaged: AtomicBool,
    /// The start that it then did over again.
    pub remembered_start: std::sync::Mutex<Option<Uuid>>,
    /// Whether that was so at some time: what it made before and after cannot be told apart by the ids.
    pub remembered: AtomicBool,
}

/// Makes the branch in `folder` one of head office's, as `edge enroll` does.
pub async fn enrol(folder: &Path, hub: &Hub, code: String, clock: Arc<dyn Clock>, dice: Dice) {
    let hub_url = "http://hub.local".to_owned();
    let application =
        Application { hub_url, code, replace: false, reseed: false, authority: None, insecure: true };
    let env = Env::new(clock, Arc::new(dice));
    joining::join(hub, &DataDir::at(folder), &application, &env).await.unwrap();
}

impl Site {
    /// A branch that has not started yet.
    pub fn new(
        name: &str,
        template: &Template,
        folder: PathBuf,
        clock: Arc<WallClock>,
        seed: u64,
        mistakes: Mistakes,
    ) -> Site {
        Site {
            name: name.to_owned(),
            outlet: template.outlet,
            folder,
            clock,
            ledger: Arc::default(),
            working: AtomicBool::new(true),
            sends: AtomicBool::new(false),
            errands: Mutex::default(),
            behind: Behind::by(template.behind),
            mistakes,
            seed,
            starts: AtomicU64::new(0),
            remembers: AtomicBool::new(false),
            damaged: AtomicBool::new(false),
            remembered_start: std::sync::Mutex::default(),
            remembered: AtomicBool::new(false),
        }
    }

    /// The same box on a copy of its disk, its key included: another machine.
    #[must_use]
    pub fn cloned(&self, name: &str, folder: PathBuf) -> Site {
        Site {
            name: name.to_owned(),
            outlet: self.outlet,
            folder,
            clock: Arc::clone(&self.clock),
            ledger: Arc::default(),
            working: AtomicBool::new(true),
            sends: AtomicBool::new(false),
            errands: Mutex::default(),
            behind: Behind::by(self.behind.get()),
            mistakes: self.mistakes,
            seed: self.seed ^ 1,
            starts: AtomicU64::new(0),
            remembers: AtomicBool::new(false),
            damaged: AtomicBool::new(false),
            remembered_start: std::sync::Mutex::default(),
            remembered: AtomicBool::new(false),
        }
    }

    /// The host in front of it.
    pub fn network(&self) -> String {
        format!("net-{}", self.name)
    }

    /// Its next start is its last one over again.
    pub fn remember(&self) {
        self.remembered.store(true, Ordering::SeqCst);
        self.remembers.store(true, Ordering::SeqCst);
    }

    /// Lives until it crashes.
    pub async fn live(self: Arc<Self>) -> turmoil::Result {
        versions::played(self.behind.program(), self.run()).await
    }

    async fn run(&self) -> turmoil::Result {
        let start = self.starts.fetch_add(1, Ordering::SeqCst);
        let life = format!("{}-{start}", self.name);
        let is_again = self.remembers.swap(false, Ordering::SeqCst);
        let before = is_again.then(|| format!("{}-{}", self.name, start - 1));
        let data = DataDir::open(&self.folder)?;
        // Disks of the simulation are small, and may be filled to the last byte.
        let flags = [("limit-general", "off"), ("disk-warn-bytes", "0"), ("disk-stop-bytes", "0")];
        let flags = flags.map(|(name, value)| (name, value.to_owned())).into();
        let config =
            Config::resolve(&Sources { flags, ..Sources::default() }).map_err(|error| error.to_string())?;
        let shutdown = Shutdown::new();
        let mut tries = 0;
        let state = loop {
            // What runs it tries again where it does not start: its disk may be full.
            match app::open(
                &config,
                &data,
                self.env(&life, before.as_deref()),
                "http://branch.local",
                &shutdown,
            ) {
                Ok(state) => break state,
                Err(error) if tries >= MOST_STARTS => return Err(error.into()),
                Err(_) => tokio::time::sleep(Duration::from_secs(2)).await,
            }
            tries += 1;
        };
        let mut worker = self.worker(&state);
        // As a server does before it opens its doors.
        let _unanswered = tokio::time::timeout(Duration::from_secs(2), worker.ask()).await;
        let exchange = sync::run(worker, state.stopping.0.clone());
        let work = self.work(&state, &life);
        tokio::join!(exchange, work);
        Ok(())
    }

    /// Its clock is held against what is on record, as a server holds it.
    fn env(&self, life: &str, before: Option<&str>) -> Env {
        let again = Mutex::new(before.map(|before| Dice::fork(self.seed, before)));
        let random = Arc::new(Memory { again, since: Dice::fork(self.seed, life) });
        let conn = oracle::open(&self.folder.join("tiffin.db"));
        let offset = conn.query_row("SELECT clock_offset_ms FROM box", [], |row| row.get(0));
        let newest = doctor::database::newest_moment(&conn);
        let machine = Arc::clone(&self.clock) as Arc<dyn Clock>;
        let watch =
            Arc::new(ClockWatch::new(machine, self.clock.passing(), newest, offset.unwrap_or_default()));
        Env { watch: Some(Arc::clone(&watch)), ..Env::new(watch, random) }.inline()
    }

    fn worker(&self, state: &AppState) -> Worker {
        let network = self.network();
        let way = move |found: &Enrolment| -> Result<Arc<dyn HubClient>, CarrierError> {
            Ok(Arc::new(Carrier::new(&network, Some(found.key.reveal().to_owned()))))
        };
        let (digest_every, tidy_every) = (Duration::from_secs(120), Duration::from_secs(20));
        let settings = Settings { digest_every, tidy_every, ..Settings::default() };
        let settings = (self.mistakes.branch)(settings);
        let (folder, revocations) = (self.folder.clone(), state.revocations.clone());
        Worker::by(Box::new(way), state.db.clone(), folder, revocations, settings)
    }

    async fn work(&self, state: &AppState, life: &str) {
        let till = Counter { router: app::router(state.clone()), state: state.clone(), outlet: self.outlet };
        let dice = Dice::fork(self.seed, &format!("{life} at work"));
        let mut shift = Shift::new(life, Dice::fork(self.seed, &format!("{life} shift")));
        loop {
            tokio::time::sleep(Duration::from_millis(dice.between(50, PAUSE))).await;
            if self.working.load(Ordering::SeqCst) {
                shift.act(&till, &mut *self.ledger.lock().await).await;
            }
            while let Some(errand) = self.errands.lock().await.pop_front() {
                errand.run(&till, &mut *self.ledger.lock().await).await;
            }
            if self.sends.load(Ordering::SeqCst) && dice.happens(300) {
                transfers::act(&till, &dice).await;
            }
        }
    }
}

/// What a process start draws first, of which its rows' ids and then its own id are made, comes again where it is put back with its memory.
/// What it draws afterwards does not.
#[derive(Debug)]
struct Memory {
    again: Mutex<Option<Dice>>,
    since: Dice,
}

impl Random for Memory {
    fn fill(&self, bytes: &mut [u8]) {
        let Some(mut again) = self.again.try_lock().ok().filter(|again| again.is_some()) else {
            return self.since.fill(bytes);
        };
        if let Some(again) = again.as_ref() {
            again.fill(bytes);
        }
        if bytes.len() == size_of::<Uuid>() {
            *again = None;
        }
    }
}

/// Calls the branch's router without a network: the LAN is not what is simulated.
struct Counter {
    router: Router,
    state: AppState,
    outlet: Uuid,
}

impl Counter {
    /// A token that is valid at this moment, whatever moment the clock shows.
    fn token(&self) -> String {
        let env = self.state.db.env();
        let id = || env.ids.next(env.clock.now());
        let principal = Principal {
            account_id: id(),
            session_id: id(),
            employee_id: None,
            name: "Owner".to_owned(),
            role: Role::Owner,
            outlets: vec![self.outlet],
            by_pin: false,
        };
        self.state.tokens.issue(&principal, id(), 60_000).unwrap()
    }
}

impl Till for Counter {
    fn call<'a>(&'a self, method: &'static str, path: String, key: Option<String>, body: Value) -> Told<'a> {
        Box::pin(async move {
            let mut request = hyper::Request::builder()
                .method(method)
                .uri(format!("/api/v1{path}"))
                .header("authorization", format!("Bearer {}", self.token()))
                .header("host", "branch.local")
                .header("x-outlet-id", self.outlet.to_string());
            if let Some(key) = key {
                request = request.header("idempotency-key", key);
            }
            let request = if body.is_null() {
                request.body(Body::empty())
            } else {
                request.header("content-type", "application/json").body(Body::from(body.to_string()))
            };
            let mut router = self.router.clone();
            let response = tower::Service::call(&mut router, request.unwrap()).await.ok()?;
            let status = response.status().as_u16();
            let bytes = response.into_body().collect().await.ok()?.to_bytes();
            Some((status, serde_json::from_slice(&bytes).unwrap_or_default()))
        })
    }
}
