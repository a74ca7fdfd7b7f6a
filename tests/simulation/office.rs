//! A simulated head office: the real application on its own directory and clock. What is in memory dies with a crash.

use crate::clock::WallClock;
use crate::mistakes::Mistakes;
use crate::versions::Behind;
use crate::wire::Listener;
use edge::db::Env;
use edge::http::shutdown::Shutdown;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use sync_hub::app;
use sync_hub::config::Config;
use sync_hub::opening::open_stores;
use sync_hub::registry::{Actor, codes};
use sync_hub::state::AppState;
use tiffin_common::{Clock, Uuid};
use tiffin_tests::{Dice, set_up};

/// What outlives a crash.
pub struct Office {
    /// Its data directory.
    pub folder: PathBuf,
    /// The clock on its wall.
    pub clock: Arc<WallClock>,
    /// Which program it has.
    pub behind: Behind,
    mistakes: Mistakes,
    /// The application while it runs.
    running: Mutex<Option<AppState>>,
    seed: u64,
    starts: AtomicU64,
}

impl Office {
    /// A head office, as `sync-hub init` made it, that has not started yet.
    pub fn new(folder: PathBuf, clock: WallClock, seed: u64, mistakes: Mistakes) -> Office {
        let (clock, behind, running) = (Arc::new(clock), Behind::default(), Mutex::default());
        let office = Office { folder, clock, behind, mistakes, running, seed, starts: AtomicU64::new(0) };
        set_up::head_office(&office.config(), &office.env("office made"));
        office
    }

    fn config(&self) -> Config {
        let off = ["limit-general", "limit-login", "limit-enrol", "limit-exchange"].map(|flag| (flag, "off"));
        let folder = self.folder.to_str().unwrap();
        let settings = [("data-dir", folder), ("allow-plain-http", "yes")];
        let room = [("disk-warn-bytes", "0"), ("disk-stop-bytes", "0")];
        Config::with(settings.into_iter().chain(room).chain(off)).unwrap()
    }

    fn env(&self, life: &str) -> Env {
        let clock = Arc::clone(&self.clock) as Arc<dyn Clock>;
        Env::new(clock, Arc::new(Dice::fork(self.seed, life))).inline()
    }

    /// Opens it, outside the simulation or inside.
    pub fn open(&self, shutdown: &Shutdown) -> AppState {
        let start = self.starts.fetch_add(1, Ordering::SeqCst);
        let (config, env) = (self.config(), self.env(&format!("office {start}")));
        let stores = open_stores(&config).unwrap().inline();
        let mut app = AppState::open(config, stores, env, "http://hub.local", shutdown).unwrap();
        app.hub = (self.mistakes.office)(app.hub);
        app
    }

    /// A one-time code for a new box, or for one more box of `outlet`.
    pub async fn code(&self, app: &AppState, outlet: Option<Uuid>) -> String {
        let made = app.change(move |change| codes::create(change, &Actor::command_line(), outlet)).await;
        made.unwrap().0
    }

    /// The application, if it runs.
    pub fn app(&self) -> Option<AppState> {
        self.running.lock().unwrap().clone()
    }

    /// What is in memory is gone.
    pub fn forget(&self) {
        *self.running.lock().unwrap() = None;
    }

    /// Lives until it crashes.
    pub async fn live(self: Arc<Self>) -> turmoil::Result {
        let shutdown = Shutdown::new();
        let app = self.open(&shutdown);
        let _workers = app::start_workers(&app);
        *self.running.lock().unwrap() = Some(app.clone());
        axum::serve(Listener::bind().await?, app::router(app)).await?;
        Ok(())
    }
}
