//! One simulated chain: a head office, branches, and a bad network in front of each; time that only the test moves; and what is
//! wrong in the end, in words.

use crate::boxes::Dead;
use crate::checks;
use crate::clock::{Flow, WallClock};
use crate::edits::{Look, Mark, Track};
use crate::lites::{self, LiteSite};
use crate::mistakes::Mistakes;
use crate::office::Office;
use crate::place::Template;
use crate::site::{self, Site};
use crate::versions;
use crate::wire::{Direct, Listener, PORT};
use edge::http::shutdown::Shutdown;
use edge::sync::Hub;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tiffin_common::{Millis, Uuid, older};
use tiffin_tests::disk::{SmallDisk, copy};
use tiffin_tests::oracle::Cursors;
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
    /// What head office alone changes, and what of it has arrived.
    pub(super) marks: BTreeMap<Mark, Track>,
    /// Dishes whose price was to change and was not to, after all.
    pub(super) cancelled: Vec<(usize, Uuid)>,
    /// Whether head office's disk was put back at some time.
    pub(super) put_back: bool,
    /// Whether a branch's was.
    pub(super) disk_put_back: bool,
    /// Boxes that another took the place of.
    pub dead: Vec<Dead>,
    /// How much time has been left out.
    leapt: Duration,
    /// Disks of their own, by host.
    disks: BTreeMap<String, SmallDisk>,
    is_small: bool,
    seed: u64,
    mistakes: Mistakes,
    folder: tempfile::TempDir,
}

impl World {
    /// A chain without branches.
    pub fn new(seed: u64, mistakes: Mistakes) -> World {
        World::made(seed, mistakes, false)
    }

    /// The same where head office and each branch have a disk of their own, which can be filled.
    pub fn on_small_disks(seed: u64, mistakes: Mistakes) -> World {
        World::made(seed, mistakes, true)
    }

    fn made(seed: u64, mistakes: Mistakes, is_small: bool) -> World {
        // Another run may have ended with older programs.
        older::play(None);
        let folder = in_memory();
        let flow = Flow::default();
        let start: Millis = START.parse().unwrap();
        let mut disks = BTreeMap::new();
        let place = place_of("hub", folder.path(), &mut disks, is_small);
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
            marks: BTreeMap::new(),
            cancelled: Vec::new(),
            put_back: false,
            disk_put_back: false,
            dead: Vec::new(),
            leapt: Duration::ZERO,
            disks,
            is_small,
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
    pub fn add_sites(&mut self, templates: &[&Template]) {
        let office = Arc::clone(&self.office);
        for (number, template) in templates.iter().enumerate() {
            let name = format!("site{number}");
            let folder = place_of(&name, self.folder.path(), &mut self.disks, self.is_small);
            template.unpack(&folder);
            let (office, place) = (Arc::clone(&office), folder.clone());
            let dice = Dice::fork(self.seed, &format!("enrolment of {name}"));
            let clock = Arc::new(WallClock::new(&self.flow, START.parse().unwrap()));
            let wall = Arc::clone(&clock);
            let program = versions::program(template.behind);
            outside(async move {
                let app = office.open(&Shutdown::new());
                let direct = Hub::new(Arc::new(Direct::new(sync_hub::app::router(app.clone()))));
                let code = office.code(&app, None).await;
                versions::played(program, site::enrol(&place, &direct, code, wall, dice)).await;
            });
            let site = Site::new(&name, template, folder, clock, self.seed, self.mistakes);
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

    pub(super) fn add_network(&mut self, name: &str) {
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
            self.flow.set(self.sim.elapsed() + self.leapt);
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

    /// Time passes in which nothing happens.
    pub fn leap(&mut self, time: Duration) {
        self.leapt += time;
    }

    /// A host's own disk fills up, until at most so many bytes are left.
    pub fn fill_disk(&self, host: &str, leaves: u64) {
        self.disks[host].fill(leaves);
    }

    /// There is room on it again.
    pub fn empty_disk(&self, host: &str) {
        self.disks[host].empty();
    }

    /// What was put into the programs.
    pub fn mistakes(&self) -> Mistakes {
        self.mistakes
    }

    /// What determines everything.
    pub fn seed(&self) -> u64 {
        self.seed
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

    /// Lets nobody trade any more, then heals everything, and answers what is wrong once it had time, or was so before.
    pub fn settle(&mut self) -> Vec<String> {
        if !self.problems.is_empty() {
            return std::mem::take(&mut self.problems);
        }
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
        let mut problems = self.take_over_all();
        if self.until(HEALING, |world| world.behind().is_empty()).is_none() {
            problems.push(format!("still not equal after ten minutes: {:?}", self.behind()));
            return problems;
        }
        // Duplicates may still be on their way: they must change nothing.
        self.pass(Duration::from_secs(300));
        if self.until(HEALING, |world| world.behind().is_empty()).is_none() {
            problems.push(format!("no longer equal after a while: {:?}", self.behind()));
        }
        for site in self.sites.clone() {
            problems.extend(checks::site_problems(&site, &self.replica(site.outlet)));
            if !self.put_back && self.are_first_disks() {
                problems.extend(checks::clock_problems(&site, &self.replica(site.outlet)));
            }
            if !self.put_back && !self.disk_put_back {
                problems.extend(checks::number_problems(&site));
            }
        }
        let mut look = Look::default();
        problems.extend(self.taken_back(&mut look));
        problems.extend(self.passed_over(&mut look));
        problems.extend(self.not_cancelled());
        problems.extend(self.cursors.problems());
        for lite in self.lites.clone() {
            let lite = lite.lite.blocking_lock();
            problems.extend(lites::cash_problems(&self.replica(lite.outlet), &lite));
        }
        problems
    }

    /// Who has something that head office has not, or the other way round.
    fn behind(&self) -> Vec<String> {
        let lites = self.lites.iter().filter(|lite| !lites::caught_up(lite)).map(|lite| lite.name.clone());
        let sites = self.sites.iter().filter_map(|site| checks::unsettled(site, &self.replica(site.outlet)));
        lites.chain(sites).collect()
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

/// Where a host has its data.
fn place_of(name: &str, folder: &Path, disks: &mut BTreeMap<String, SmallDisk>, is_small: bool) -> PathBuf {
    if !is_small {
        return folder.join(name);
    }
    let disk = disks.entry(name.to_owned()).or_insert_with(|| SmallDisk::new(192));
    disk.path().join("data")
}

/// A folder in memory where the system has one: no power cut is simulated below the file system, so nothing need be synced.
pub fn in_memory() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

/// Runs `work` on a runtime of its own, before the simulation.
pub fn outside<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}
