//! A head office in this process, with a clock that tests set. Never listens beyond loopback.

use crate::postgres::Database;
use crate::{Branch, Client, set_up};
use edge::access::{Principal, Role};
use edge::db::{Env, OsRandom};
use edge::http::shutdown::Shutdown;
use edge::serve::{self, Bounds};
use std::sync::Arc;
use sync_hub::app;
use sync_hub::config::Config;
use sync_hub::opening::open_stores;
use sync_hub::registry::{Actor, codes};
use sync_hub::state::AppState;
use tempfile::TempDir;
use tiffin_common::clock::ManualClock;
use tiffin_common::frame::Hash;
use tiffin_common::sync::batch::{self, Batch};
use tiffin_common::sync::{Class, EnrolRequest, FRAMES_TYPE, OutletCard, PROTOCOL};
use tiffin_common::{Clock, Millis, Uuid};
use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};

/// Head office in this process, as `sync-hub init` made it: on SQLite in a temporary folder unless a database is given (or
/// `TIFFIN_TEST_STORE=postgres`). Stops when dropped.
pub struct HeadOffice {
    /// Its parts, for looking behind the API.
    pub app: AppState,
    /// Its clock.
    pub clock: Arc<ManualClock>,
    base: String,
    shutdown: Shutdown,
    server: JoinHandle<()>,
    workers: JoinSet<()>,
    folder: TempDir,
    database: Option<Arc<Database>>,
}

/// Rate limits are off unless a test is about them.
const UNLIMITED: [(&str, &str); 4] =
    [("limit-general", "off"), ("limit-login", "off"), ("limit-enrol", "off"), ("limit-exchange", "off")];

impl HeadOffice {
    /// Without rate limits.
    pub async fn start() -> HeadOffice {
        HeadOffice::with(UNLIMITED).await
    }

    /// With these settings (flags without dashes).
    pub async fn with(settings: impl IntoIterator<Item = (&'static str, &'static str)>) -> HeadOffice {
        let database = if on_postgres() { Some(database().await) } else { None };
        HeadOffice::begin(settings, database).await
    }

    /// On a PostgreSQL database of its own, without rate limits.
    pub async fn on_postgres() -> HeadOffice {
        HeadOffice::begin(UNLIMITED, Some(database().await)).await
    }

    async fn begin(
        settings: impl IntoIterator<Item = (&'static str, &'static str)>,
        database: Option<Arc<Database>>,
    ) -> HeadOffice {
        let folder = tempfile::tempdir().unwrap();
        let data_dir = folder.path().to_str().unwrap().to_owned();
        let place = [("data-dir", data_dir.as_str())].into_iter();
        let place = place.chain(database.iter().map(|database| ("database-url", database.url.as_str())));
        let given: Vec<_> = settings.into_iter().collect();
        let config = Config::with(place.chain(given.iter().copied())).unwrap();
        let clock = Arc::new(ManualClock::new(crate::branch::START.parse::<Millis>().unwrap()));
        let env = Env::new(Arc::clone(&clock) as Arc<dyn Clock>, Arc::new(OsRandom));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let shutdown = Shutdown::new();
        let (url, signal, bounds) = (base.clone(), shutdown.clone(), Bounds::from(&config.network));
        let app = tokio::task::spawn_blocking(move || {
            set_up::head_office(&config, &env);
            let stores = open_stores(&config).unwrap();
            AppState::open(config, stores, env, &url, &signal).unwrap()
        });
        let app = app.await.unwrap();
        let workers = app::start_workers(&app);
        let (router, signal) = (app::router(app.clone()), shutdown.clone());
        let server = tokio::spawn(async move { serve::run(&listener, router, bounds, &signal).await });
        HeadOffice { app, clock, base, shutdown, server, workers, folder, database }
    }

    /// From now on it does nothing that it is not asked for.
    #[must_use]
    pub fn without_workers(mut self) -> HeadOffice {
        self.workers.abort_all();
        self
    }

    /// Whether these bytes lie anywhere in its database in clear.
    pub fn holds(&self, needle: &[u8]) -> bool {
        let files = std::fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let files = files.filter(|path| path.is_file()).map(|path| std::fs::read(path).unwrap());
        let dump = self.database.iter().map(|database| database.dump().into_bytes());
        let hex: String = needle.iter().map(|byte| format!("{byte:02x}")).collect();
        let is_in = |bytes: &[u8], needle: &[u8]| bytes.windows(needle.len()).any(|part| part == needle);
        files.chain(dump).any(|bytes| is_in(&bytes, needle) || is_in(&bytes, hex.as_bytes()))
    }

    /// Where it answers: `http://127.0.0.1:…`.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// A client without a token.
    pub fn anonymous(&self) -> Client {
        Client::new(&self.base)
    }

    /// Its database, where it is on PostgreSQL.
    pub fn database(&self) -> Option<Arc<Database>> {
        self.database.clone()
    }

    /// A client signed in as a super-admin.
    pub fn admin(&self) -> Client {
        self.sign_in(Role::SuperAdmin, &[])
    }

    /// A client signed in with `role` for these outlets.
    pub fn sign_in(&self, role: Role, outlets: &[Uuid]) -> Client {
        let now = self.clock.now();
        let id = || self.app.env().ids.next(now);
        let principal = Principal {
            account_id: id(),
            session_id: id(),
            employee_id: None,
            name: role.name().to_owned(),
            role,
            outlets: outlets.to_vec(),
            by_pin: false,
        };
        let token = self.app.tokens.issue(&principal, id(), 24 * 3_600_000).unwrap();
        self.anonymous().with_token(token).with_account(principal.account_id)
    }

    /// A one-time code for a new box, or for the replacement of an outlet's.
    pub async fn code(&self, outlet: Option<Uuid>) -> String {
        let made = self.app.change(move |change| codes::create(change, &Actor::command_line(), outlet)).await;
        made.unwrap().0
    }

    /// Lets `ms` milliseconds pass.
    pub fn pass(&self, ms: i64) {
        self.clock.advance(ms);
    }

    /// What a box asks with to become an outlet's.
    pub fn request(&self, code: &str, outlet: Option<&OutletCard>) -> EnrolRequest {
        EnrolRequest {
            code: code.to_owned(),
            device_id: self.app.env().ids.next(self.clock.now()),
            outlet: outlet.cloned(),
            replace: false,
            reseed: false,
            protocol: PROTOCOL,
            schema: tiffin_migrations::edge_schema_version(),
            version: "1.0.0".into(),
            wall: self.clock.now(),
            pepper: None,
        }
    }

    /// A box of a new outlet with this code.
    pub async fn box_of(&self, outlet_code: &str) -> BoxClient {
        let card = OutletCard {
            id: self.app.env().ids.next(self.clock.now()),
            code: outlet_code.into(),
            name: format!("Outlet {outlet_code}"),
            timezone: "Asia/Kolkata".into(),
            currency: "INR".into(),
        };
        let request = self.request(&self.code(None).await, Some(&card));
        self.enrol(&request).await
    }

    /// Enrols a box.
    pub async fn enrol(&self, request: &EnrolRequest) -> BoxClient {
        let body = serde_json::to_value(request).unwrap();
        let enrolled = self.anonymous().post("/sync/v1/enrol", body).await.expect(200).json();
        let outlet: OutletCard = serde_json::from_value(enrolled["outlet"].clone()).unwrap();
        BoxClient {
            outlet,
            device_id: request.device_id,
            enrolled: enrolled.clone(),
            client: self.anonymous().with_token(enrolled["key"].as_str().unwrap().to_owned()),
        }
    }
}

/// Whether head offices that name no store are on PostgreSQL: `tests/run` runs their tests on both.
fn on_postgres() -> bool {
    std::env::var("TIFFIN_TEST_STORE").is_ok_and(|store| store == "postgres")
}

async fn database() -> Arc<Database> {
    Arc::new(tokio::task::spawn_blocking(Database::new).await.unwrap())
}

impl Drop for HeadOffice {
    fn drop(&mut self) {
        self.shutdown.trigger();
        self.server.abort();
    }
}

/// A box with its key, speaking bare HTTP.
#[derive(Clone)]
pub struct BoxClient {
    /// The outlet it stands for.
    pub outlet: OutletCard,
    /// The box.
    pub device_id: Uuid,
    /// The answer it got when it enrolled.
    pub enrolled: serde_json::Value,
    /// Sends its key.
    pub client: Client,
}

impl BoxClient {
    /// Pushes the body of a batch.
    pub async fn push(&self, class: Class, body: Vec<u8>) -> crate::Reply {
        let request = self.client.request(reqwest::Method::POST, "/sync/v1/push");
        let request = request.header("content-type", FRAMES_TYPE).header("x-tiffin-class", class.name());
        self.client.send(request.body(body)).await
    }

    /// Pushes everything that head office does not hold of `branch` yet.
    pub async fn push_all(&self, branch: &Branch) {
        let mut after = 0;
        loop {
            let mut frames = branch.log((after - 1).max(0)).await;
            let previous = if after > 0 { frames.remove(0).hash } else { Hash::START };
            frames.truncate(400);
            let Some(seq) = frames.last().map(|frame| frame.header.seq) else { return };
            let body = batch::encode(&Batch { previous, frames }).unwrap();
            let reply = self.push(Class::Backlog, body).await.expect(200).json();
            assert_eq!(reply["cursor"]["seq"], seq);
            after = seq;
        }
    }

    /// Its key.
    pub fn key(&self) -> &str {
        self.client.token().unwrap()
    }
}
