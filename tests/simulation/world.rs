//! One simulated chain: a head office, branches, and a bad network in front of each; time that only the test moves; and what is
//! wrong in the end, in words.

use crate::checks;
use crate::clock::{Flow, WallClock};
use crate::mistakes::Mistakes;
use crate::office::Office;
use crate::place::Template;
use crate::site::{self, Site};
use crate::wire::{Carrier, Direct, Listener, PORT};
use edge::http::shutdown::Shutdown;
use edge::sync::Hub;
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tiffin_common::sync::Class;
use tiffin_common::{Millis, Uuid};
use tiffin_tests::disk::copy;
use tiffin_tests::oracle::{self, Cursors};
use tiffin_tests::proxy::{Network, Weather};
use tiffin_tests::{Dice, Lite};
use tokio::sync::Mutex;
use turmoil::net::TcpStream;

/// When every simulation begins.
pub const START: &str = "2026-11-20T13:30:00.000Z";

/// How long head office and the branches get to become equal when all is well again.
const HEALING: Duration = Duration::from_secs(600);

/// Between a message's leaving the network's host and its being worked on.
const UNDER_WAY: Duration = Duration::from_millis(200);

/// How fine time is.
const TICK: Duration = Duration::from_millis(20);

/// A light-weight branch with its key; its "disk" outlives crashes.
pub struct LiteSite {
    /// Its host's name.
    pub name: String,
    /// The branch.
    pub lite: Mutex<Lite>,
    /// Whether it trades.
    pub trading: AtomicBool,
    key: String,
    seed: u64,
}

impl LiteSite {
    async fn live(self: Arc<Self>) -> turmoil::Result {
        let hub = Hub::new(Arc::new(Carrier::new(&format!("net-{}", self.name), Some(self.key.clone()))));
        self.lite.lock().await.start();
        let dice =
            Dice::fork(self.seed, &format!("{} after {}", self.name, self.lite.lock().await.log.len()));
        loop {
            tokio::time::sleep(Duration::from_millis(dice.between(100, 3_000))).await;
            let mut lite = self.lite.lock().await;
            if self.trading.load(Ordering::SeqCst) {
                let movements = if dice.happens(5) { 2_000 } else { dice.between(1, 20) };
                lite.trade(movements as i64);
            }
            let most = *dice.pick(&[1, 3, 50, 1_000]);
            // What went wrong is tried again next time.
            let _error = lite.exchange(&hub, most, Class::Live).await;
        }
    }
}

/// See the module.
pub struct World {
    pub(super) sim: turmoil::Sim<'static>,
    flow: Flow,
    /// Draws what happens.
    pub dice: Dice,
    /// Head office.
    pub office: Arc<Office>,
    /// Light-weight branches.
    pub lites: Vec<Arc<LiteSite>>,
    /// Branches.
    pub sites: Vec<Arc<Site>>,
    /// The network in front of each branch, light-weight ones first.
    pub networks: Vec<Network>,
    /// What head office said of cursors.
    pub cursors: Arc<Cursors>,
    pub(super) edits: u64,
    /// What was seen to be wrong on the way.
    pub problems: Vec<String>,
    /// The codes that head office gave each site's dishes, in their order; and which of them was the newest that arrived.
    pub(super) codes: BTreeMap<(usize, Uuid), (Vec<String>, usize)>,
    seed: u64,
    mistakes: Mistakes,
    folder: tempfile::TempDir,
}

impl World {
    /// A chain without branches.
    pub fn new(seed: u64, mistakes: Mistakes) -> World {
        let folder = in_memory();
        let flow = Flow::default();
        let start: Millis = START.parse().unwrap();
        let place = folder.path().join("hub");
        let office = Arc::new(Office::new(place, WallClock::new(&flow, start), seed, mistakes));
        let sim = turmoil::Builder::new()
            .rng_seed(seed)
            .tick_duration(TICK)
            .simulation_duration(Duration::from_secs(48 * 3_600))
            .min_message_latency(Duration::from_millis(5))
            .max_message_latency(Duration::from_millis(120))
            .tcp_capacity(100_000)
            .build();
        World {
            sim,
            flow,
            dice: Dice::fork(seed, "world"),
            office,
            lites: Vec::new(),
            sites: Vec::new(),
            networks: Vec::new(),
            cursors: Arc::default(),
            edits: 0,
            problems: Vec::new(),
            codes: BTreeMap::new(),
            seed,
            mistakes,
            folder,
        }
    }

    /// Adds light-weight branches, enrolled. Before [`open`](World::open).
    pub fn add_lites(&mut self, count: u64) {
        let office = Arc::clone(&self.office);
        let seed = self.seed;
        let made = outside(async move {
            let app = office.open(&Shutdown::new());
            let direct = Hub::new(Arc::new(Direct::new(sync_hub::app::router(app.clone()))));
            let mut made = Vec::new();
            for number in 0..count {
                let lite = Lite::new(seed, number);
                let code = office.code(&app, None).await;
                let enrolled = lite.enrol(&direct, &code).await.unwrap();
                made.push((lite, enrolled.key));
            }
            made
        });
        for (lite, key) in made {
            let name = format!("lite{}", self.lites.len());
            let (lite, trading) = (Mutex::new(lite), AtomicBool::new(true));
            self.lites.push(Arc::new(LiteSite { name, lite, trading, key, seed }));
        }
    }

    /// Adds branches made from `templates`, enrolled. Before [`open`](World::open).
    pub fn add_sites(&mut self, templates: &[Template]) {
        let office = Arc::clone(&self.office);
        for (number, template) in templates.iter().enumerate() {
            let name = format!("site{number}");
            let folder = self.place(&name);
            template.unpack(&folder);
            let (office, place) = (Arc::clone(&office), folder.clone());
            let dice = Dice::fork(self.seed, &format!("enrolment of {name}"));
            let clock = Arc::new(WallClock::new(&self.flow, START.parse().unwrap()));
            let wall = Arc::clone(&clock);
            outside(async move {
                let app = office.open(&Shutdown::new());
                let direct = Hub::new(Arc::new(Direct::new(sync_hub::app::router(app.clone()))));
                let code = office.code(&app, None).await;
                site::enrol(&place, &direct, code, wall, dice).await;
            });
            let site = Site::new(&name, template.outlet, folder, clock, self.seed, self.mistakes);
            self.sites.push(Arc::new(site));
        }
    }

    /// Everybody starts.
    pub fn open(&mut self) {
        let office = Arc::clone(&self.office);
        self.sim.host("hub", move || Arc::clone(&office).live());
        for lite in self.lites.clone() {
            self.add_network(&lite.name);
            self.sim.host(lite.name.clone(), move || Arc::clone(&lite).live());
        }
        for site in self.sites.clone() {
            self.add_network(&site.name);
            self.sim.host(site.name.clone(), move || Arc::clone(&site).live());
        }
    }

    /// Somebody copies a branch's disk while it is off, and starts both boxes; answers the copy.
    pub fn clone_disk(&mut self, number: usize) -> Arc<Site> {
        let site = Arc::clone(&self.sites[number]);
        self.crash(&site.name);
        let name = format!("{}-copy", site.name);
        let folder = self.place(&name);
        copy(&site.folder, &folder);
        let copied = Arc::new(site.cloned(&name, folder));
        self.add_network(&name);
        self.sim.host(name, {
            let copied = Arc::clone(&copied);
            move || Arc::clone(&copied).live()
        });
        self.start(&site.name);
        copied
    }

    fn add_network(&mut self, name: &str) {
        let dice = Dice::fork(self.seed, &format!("network of {name}"));
        let network = Network::new(name, dice).seen_by(self.cursors.clone());
        self.networks.push(network.clone());
        self.sim.host(format!("net-{name}"), move || {
            let network = network.clone();
            async move {
                let mut listener = Listener::bind().await?;
                loop {
                    let (client, _) = axum::serve::Listener::accept(&mut listener).await;
                    if network.is_up() {
                        tokio::spawn(network.clone().carry(client, || TcpStream::connect(("hub", PORT))));
                    }
                }
            }
        });
    }

    /// Lets time pass.
    pub fn pass(&mut self, time: Duration) {
        let until = self.sim.elapsed() + time;
        while self.sim.elapsed() < until {
            self.flow.set(self.sim.elapsed());
            self.sim.step().unwrap();
        }
    }

    /// Lets time pass until `done`, at most `limit`; answers how long it took.
    pub fn until(&mut self, limit: Duration, mut done: impl FnMut(&World) -> bool) -> Option<Duration> {
        let begin = self.sim.elapsed();
        while self.sim.elapsed() < begin + limit {
            self.pass(Duration::from_secs(1));
            if done(self) {
                return Some(self.sim.elapsed() - begin);
            }
        }
        None
    }

    /// Pulls the plug of a host while something is under way: just after `count` has gone up.
    pub fn crash_amid(&mut self, host: &str, count: impl Fn(&Cursors) -> u64) {
        let before = count(&self.cursors);
        for _ in 0..1_000 {
            if count(&self.cursors) > before {
                break;
            }
            self.pass(TICK);
        }
        self.pass(UNDER_WAY);
        self.crash(host);
    }

    /// Pulls the plug of a host.
    pub fn crash(&mut self, host: &str) {
        if host == "hub" {
            self.office.forget();
        }
        self.sim.crash(host);
    }

    /// Starts a host again from what is on its disk.
    pub fn start(&mut self, host: &str) {
        self.sim.bounce(host);
    }

    /// The weather of all networks.
    pub fn weather(&self, weather: Weather) {
        self.networks.iter().for_each(|network| network.weather(weather));
    }

    /// A folder of this world.
    pub fn place(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Head office's copy of an outlet.
    pub fn replica(&self, outlet: Uuid) -> PathBuf {
        self.office.folder.join("outlets").join(format!("{outlet}.db"))
    }

    /// Lets nobody trade any more, then heals everything, and answers what is wrong once it had time.
    pub fn settle(&mut self) -> Vec<String> {
        for lite in &self.lites {
            lite.trading.store(false, Ordering::SeqCst);
        }
        for site in &self.sites {
            site.working.store(false, Ordering::SeqCst);
        }
        // The last thing that is written may fail to arrive, too.
        self.pass(Duration::from_secs(20));
        self.weather(Weather::CALM);
        for network in &self.networks {
            network.set_up(true);
        }
        if self.until(HEALING, |world| world.behind().is_empty()).is_none() {
            return vec![format!("still not equal after ten minutes: {:?}", self.behind())];
        }
        let mut problems = std::mem::take(&mut self.problems);
        // Duplicates may still be on their way: they must change nothing.
        self.pass(Duration::from_secs(300));
        if self.until(HEALING, |world| world.behind().is_empty()).is_none() {
            problems.push(format!("no longer equal after a while: {:?}", self.behind()));
        }
        for site in self.sites.clone() {
            problems.extend(checks::site_problems(&site, &self.replica(site.outlet)));
        }
        problems.extend(self.taken_back());
        problems.extend(self.cursors.problems());
        for lite in self.lites.clone() {
            let lite = lite.lite.blocking_lock();
            problems.extend(cash_problems(&self.replica(lite.outlet), &lite));
        }
        problems
    }

    /// Who has something that head office has not, or the other way round.
    fn behind(&self) -> Vec<String> {
        let lites = self.lites.iter().filter(|lite| !caught_up(lite)).map(|lite| lite.name.clone());
        let sites = self.sites.iter().filter(|site| !checks::is_settled(site, &self.replica(site.outlet)));
        lites.chain(sites.map(|site| site.name.clone())).collect()
    }

    /// What became of the requests, all networks together.
    pub fn fates(&self) -> std::collections::BTreeMap<&'static str, u64> {
        let mut all = std::collections::BTreeMap::new();
        for (name, count) in self.networks.iter().flat_map(Network::fates) {
            *all.entry(name).or_default() += count;
        }
        all
    }
}

fn caught_up(lite: &LiteSite) -> bool {
    lite.lite.try_lock().is_ok_and(|lite| lite.confirmed == lite.log.len() as i64)
}

/// Compares a light-weight branch's books with head office's copy.
pub fn cash_problems(replica: &Path, lite: &Lite) -> Vec<String> {
    let conn: Connection = oracle::open(replica);
    let number = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap_or(-1);
    let count = number("SELECT count(*) FROM cash_movements");
    let cents = number("SELECT coalesce(sum(amount_cents), 0) FROM cash_movements");
    let counter = number("SELECT coalesce(sum(value), 0) FROM counters");
    let log = number("SELECT coalesce(sum(last_seq - first_seq + 1), 0) FROM hub_log");
    let mut problems = Vec::new();
    let expected = [("movements", lite.movements), ("cents", lite.cents), ("counter", lite.movements)];
    for ((what, expected), found) in expected.into_iter().zip([count, cents, counter]) {
        if expected != found {
            problems.push(format!("{}: {what} {found} at head office, {expected} here", lite.code));
        }
    }
    let refused = number("SELECT count(*) FROM hub_quarantine");
    if refused != 0 {
        problems.push(format!("{}: {refused} log rows in quarantine", lite.code));
    }
    if log != lite.log.len() as i64 {
        problems.push(format!("{}: {log} raw log rows at head office, {} here", lite.code, lite.log.len()));
    }
    problems
}

/// A folder in memory where the system has one: no power cut is simulated below the file system, so nothing need be synced.
pub fn in_memory() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

/// Runs `work` on a runtime of its own, before the simulation.
pub fn outside<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}
