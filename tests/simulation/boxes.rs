//! Boxes that another takes the place of, and which may turn out to be alive; and head offices that lack what no branch keeps any more and
//! are filled from one. Never decides what is wrong in the end.

use crate::office::Office;
use crate::site::Site;
use crate::versions;
use crate::wire::{Carrier, Direct};
use crate::world::World;
use edge::data_dir::DataDir;
use edge::db::Env;
use edge::sync::joining::{self, Application, JoinError};
use edge::sync::{Bugs, Hub, Settings};
use rusqlite::OptionalExtension;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tiffin_common::{Clock, Uuid};
use tiffin_tests::trade::Ledger;
use tiffin_tests::{Dice, oracle};
use tokio::sync::Mutex;

/// How long people try before they call for help.
const PATIENCE: Duration = Duration::from_secs(900);

/// Within this time a box that another took the place of finds that head office lacks what it once told it.
const SAYS_IT_AGAIN: Duration = Duration::from_secs(300);

/// Between two tries.
const AGAIN: Duration = Duration::from_secs(3);

/// A box whose place another took.
pub struct Dead {
    /// The place.
    pub number: usize,
    /// The box, as it was: it still thinks that it is the branch's.
    pub site: Arc<Site>,
    /// Whether somebody started it again.
    pub is_back: bool,
}

fn application(code: String, replace: bool, reseed: bool) -> Application {
    let hub_url = "http://hub.local".to_owned();
    Application { hub_url, code, replace, reseed, authority: None, insecure: true }
}

/// Head office without a network, if it runs.
fn directly(office: &Office) -> Option<Hub> {
    let app = office.app()?;
    Some(Hub::new(Arc::new(Direct::new(sync_hub::app::router(app)))))
}

/// One who tries to take the place of an outlet's box.
struct Newcomer {
    office: Arc<Office>,
    folder: PathBuf,
    outlet: Uuid,
    network: String,
    env: Env,
    bugs: Bugs,
}

impl Newcomer {
    /// What `edge enroll --replace` does on an empty directory.
    async fn take_place(&self) -> Result<(), String> {
        let app = self.office.app().ok_or("head office does not answer")?;
        let hub = directly(&self.office).ok_or("head office does not answer")?;
        let code = self.office.code(&app, Some(self.outlet)).await;
        let data = DataDir::at(&self.folder);
        let said = |error: JoinError| error.to_string();
        let found = joining::take_place(&hub, &data, &application(code, true, false), &self.env)
            .await
            .map_err(said)?;
        // The rows come over the network as it is.
        let key = Some(found.key.reveal().to_owned());
        for _ in 0..50 {
            let hub = Hub::new(Arc::new(Carrier::new(&self.network, key.clone())));
            match joining::fill(&hub, &data, &found, self.env.clone(), self.bugs).await {
                Ok(_) => return Ok(()),
                Err(_) => tokio::time::sleep(AGAIN).await,
            }
        }
        Err("it is not filled".to_owned())
    }
}

impl World {
    /// Whether every branch has the disk that it began with, as it went on.
    pub(super) fn are_first_disks(&self) -> bool {
        !self.disk_put_back && self.dead.is_empty()
    }

    /// A branch's box is lost, and another takes its place.
    pub fn replace_box(&mut self, number: usize) {
        let site = Arc::clone(&self.sites[number]);
        self.crash(&site.name);
        let name = format!("{}-dead{}", site.name, self.dead.len());
        let folder = self.place(&name);
        std::fs::rename(&site.folder, &folder).unwrap();
        std::fs::create_dir_all(&site.folder).unwrap();
        // Nothing comes from a head office that cannot read what it was sent: it says so, and is upgraded.
        if self.office.behind.get() > 0 && oracle::rows_of(&self.replica(site.outlet))["outlets"].is_empty() {
            self.upgrade_office();
        }
        // What head office never heard of is known to the lost box alone.
        let held = oracle::rows_of(&self.replica(site.outlet));
        let mut all = site.ledger.blocking_lock();
        let before = all.clone();
        oracle::forget_what_is_lost(&mut all, &held);
        let lost = Ledger {
            orders: only(&before.orders, |id| !all.orders.contains_key(id)),
            payments: only(&before.payments, |id| !all.payments.contains_key(id)),
            invoices: only(&before.invoices, |id| !all.invoices.contains_key(id)),
            ..Ledger::default()
        };
        drop(all);
        let dead = site.cloned(&name, folder);
        *dead.ledger.blocking_lock() = lost;
        let dead = Dead { number, site: Arc::new(dead), is_back: false };
        self.dead.push(dead);
        self.forget_arrived(number);
        let done = Arc::new(AtomicBool::new(false));
        let (told, office) = (Arc::clone(&done), Arc::clone(&self.office));
        let random = Dice::fork(self.seed(), &format!("{name} replaced"));
        let env = Env::new(Arc::clone(&site.clock) as Arc<dyn Clock>, Arc::new(random)).inline();
        let (folder, outlet, network) = (site.folder.clone(), site.outlet, site.network());
        let bugs = (self.mistakes().branch)(Settings::default()).bugs;
        let program = site.behind.program();
        let newcomer = Newcomer { office, folder, outlet, network, env, bugs };
        self.client(async move {
            while versions::played(program, newcomer.take_place()).await.is_err() {
                tokio::time::sleep(AGAIN).await;
            }
            told.store(true, Ordering::SeqCst);
        });
        if self.until(PATIENCE, |_| done.load(Ordering::SeqCst)).is_none() {
            self.problems.push(format!("{}: no other box could take its place", site.name));
        }
        self.start(&site.name);
    }

    /// Somebody finds the lost box and starts it.
    pub fn revive(&mut self, which: usize) {
        let dead = &mut self.dead[which];
        if dead.is_back {
            return;
        }
        dead.is_back = true;
        let site = Arc::clone(&dead.site);
        self.add_network(&site.name);
        self.cursors.allow_another_history(&site.name);
        self.sim.host(site.name.clone(), move || Arc::clone(&site).live());
    }

    /// All boxes that were lost are found, tell what they have, and it is taken over; answers what is wrong.
    pub(super) fn take_over_all(&mut self) -> Vec<String> {
        (0..self.dead.len()).for_each(|which| self.revive(which));
        for dead in &self.dead {
            dead.site.working.store(false, Ordering::SeqCst);
        }
        if !self.dead.is_empty() {
            self.pass(SAYS_IT_AGAIN);
        }
        if self.until(PATIENCE, |world| world.untold().is_empty()).is_none() {
            return vec![format!("boxes whose place was taken have not told all: {:?}", self.untold())];
        }
        for outlet in self.dead.iter().map(|dead| self.sites[dead.number].outlet).collect::<Vec<_>>() {
            let Some(app) = self.office.app() else { continue };
            self.client(async move {
                // There may be nothing to take over.
                let _nothing = app.hub.take_over(outlet, "head office".into(), None).await;
            });
        }
        self.pass(Duration::from_secs(5));
        let open = "SELECT count(*) FROM hub_takeovers WHERE done_at IS NULL";
        let is_done = |world: &World| {
            let outlets = world.dead.iter().map(|dead| world.sites[dead.number].outlet);
            outlets.into_iter().all(|outlet| number(&world.replica(outlet), open) == 0)
        };
        if self.until(PATIENCE, is_done).is_none() {
            return vec!["what other boxes had is not taken over".to_owned()];
        }
        for dead in &self.dead {
            let lost = dead.site.ledger.blocking_lock();
            let mut ledger = self.sites[dead.number].ledger.blocking_lock();
            ledger.orders.extend(lost.orders.clone());
            ledger.payments.extend(lost.payments.clone());
            ledger.invoices.extend(lost.invoices.clone());
            ledger.problems.extend(lost.problems.clone());
        }
        Vec::new()
    }

    /// Boxes that head office has not heard out, or that do not know that they are no longer the branch's.
    fn untold(&self) -> Vec<String> {
        // To open a database takes longer than to ask it: each is opened once, head office's where it has to be.
        let is_told = |dead: &&Dead| {
            let conn = oracle::open(&dead.site.folder.join("tiffin.db"));
            let sql = "SELECT standing, device_id, acked_seq, (SELECT max(seq) FROM sync_log) FROM sync_peer";
            let found = conn.query_row(sql, [], |row| {
                Ok((row.get::<_, String>(0)?, row.get(1)?, row.get(2)?, row.get::<_, i64>(3)?))
            });
            let (standing, device, acked, last) = found.unwrap();
            let salvaged = || salvaged(&oracle::open(&self.replica(dead.site.outlet)), device, acked);
            standing == "FENCED" && last <= salvaged()
        };
        self.dead.iter().filter(|dead| !is_told(dead)).map(|dead| dead.site.name.clone()).collect()
    }

    /// Branches that say that head office lacks what they no longer keep.
    pub fn lacking(&self) -> Vec<usize> {
        let says = |site: &Site| {
            let sql = "SELECT lacking_since IS NOT NULL FROM sync_peer";
            number(&site.folder.join("tiffin.db"), sql) == 1
        };
        (0..self.sites.len()).filter(|number| says(&self.sites[*number])).collect()
    }

    /// Somebody enrols a branch's box again so that it fills head office: `edge enroll --reseed` while it runs.
    pub fn reseed(&mut self, number: usize) {
        let site = Arc::clone(&self.sites[number]);
        let office = Arc::clone(&self.office);
        let random = Dice::fork(self.seed(), &format!("{} reseeded {}", site.name, self.edits));
        let env = Env::new(Arc::clone(&site.clock) as Arc<dyn Clock>, Arc::new(random)).inline();
        let done = Arc::new(Mutex::new(Err("head office does not answer".to_owned())));
        let (told, folder, program) = (Arc::clone(&done), site.folder.clone(), site.behind.program());
        self.client(async move {
            let Some((app, hub)) = office.app().zip(directly(&office)) else { return };
            let code = office.code(&app, None).await;
            let application = application(code, false, true);
            let data = DataDir::at(&folder);
            let joining = joining::join(&hub, &data, &application, &env);
            let joined = versions::played(program, joining).await;
            *told.lock().await = joined.map(drop).map_err(|error| error.to_string());
        });
        if self.until(PATIENCE, |_| done.blocking_lock().is_ok()).is_none() {
            let why = done.blocking_lock().clone();
            self.problems.push(format!("{}: it could not be enrolled again: {why:?}", site.name));
        }
    }
}

/// The last row of a box's log that head office has for review, with all rows after `acked`.
fn salvaged(copy: &rusqlite::Connection, device: Uuid, acked: i64) -> i64 {
    let sql = "SELECT first_seq, last_seq FROM hub_salvage WHERE device_id = ?1 ORDER BY first_seq";
    let mut bodies = copy.prepare(sql).unwrap();
    let bodies = bodies.query_map([device], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let follow = |end: i64, (first, last): (i64, i64)| if first <= end + 1 { end.max(last) } else { end };
    bodies.map(Result::unwrap).fold(acked, follow)
}

fn only<V: Clone>(
    all: &std::collections::BTreeMap<Uuid, V>,
    keep: impl Fn(&Uuid) -> bool,
) -> std::collections::BTreeMap<Uuid, V> {
    all.iter().filter(|(id, _)| keep(id)).map(|(id, value)| (*id, value.clone())).collect()
}

/// What a file's one number is; 0 where there is none.
pub fn number(path: &std::path::Path, sql: &str) -> i64 {
    let found = oracle::open(path).query_row(sql, [], |row| row.get::<_, Option<i64>>(0)).optional();
    found.unwrap().flatten().unwrap_or(0)
}
