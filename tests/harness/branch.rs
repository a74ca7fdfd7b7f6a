//! A branch in this process: the whole application on a temporary folder, with a clock that tests set.

use crate::{Client, Dice, HeadOffice, Reply, set_up};
use edge::access::{Principal, Role};
use edge::app;
use edge::config::{Config, Sources};
use edge::data_dir::DataDir;
use edge::db::{Db, Env, OsRandom, Row, Source, list, one, opt};
use edge::http::shutdown::Shutdown;
use edge::serve::{self, Bounds};
use edge::state::AppState;
use edge::sync::{Settings, Worker, outlet_of};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;
use tiffin_common::clock::ManualClock;
use tiffin_common::frame::{Hash, Header, Kind};
use tiffin_common::older::{play, played};
use tiffin_common::sync::OutletCard;
use tiffin_common::sync::batch::Frame;
use tiffin_common::{Clock, Millis, Uuid};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// The moment every branch begins at: a Friday, 18:00 in Kolkata.
pub const START: &str = "2026-11-20T12:30:00.000Z";

/// Rate limits are off, and printers may be here, unless a test is about that.
const UNLIMITED: [(&str, &str); 11] = [
    ("limit-general", "off"),
    ("limit-login", "off"),
    ("limit-pin", "off"),
    ("limit-qr-menu", "off"),
    ("limit-qr-order", "off"),
    ("limit-feedback", "off"),
    ("limit-forgot-password", "off"),
    ("limit-pairing", "off"),
    ("limit-qr-call", "off"),
    // Printers of tests are in this machine.
    ("printer-networks", "10.0.0.0/8,192.168.0.0/16,127.0.0.0/8"),
    ("printer-ports", "1-65535"),
];

/// A running branch, as `edge init` made it: by default with one empty outlet, `BLR1`. Stops when dropped.
pub struct Branch {
    /// The outlet.
    pub outlet_id: Uuid,
    /// The store, for looking behind the API.
    pub db: Db,
    /// The clock of the branch.
    pub clock: Arc<ManualClock>,
    state: AppState,
    base: String,
    shutdown: Shutdown,
    server: JoinHandle<()>,
    folder: TempDir,
}

impl Branch {
    /// Its log after row `after`.
    pub async fn log(&self, after: i64) -> Vec<Frame> {
        let sql = "SELECT seq, epoch, kind, hlc, wall_ms, schema_v, n, body, hash FROM sync_log
            WHERE seq > ?1 ORDER BY seq";
        let frame = |row: &Row<'_>| {
            let header = Header {
                seq: row.get(0)?,
                epoch: row.get(1)?,
                kind: Kind::from_number(row.get(2)?).unwrap(),
                hlc: row.get(3)?,
                wall: row.get(4)?,
                schema: row.get(5)?,
                count: row.get(6)?,
            };
            Ok(Frame { header, body: row.get(7)?, hash: Hash(row.get(8)?) })
        };
        self.db.read(move |from| list(from, sql, [after], frame)).await.unwrap()
    }

    /// A branch without rate limits.
    pub async fn start() -> Branch {
        Branch::with(UNLIMITED).await
    }

    /// A branch with these settings (flags without dashes).
    pub async fn with(settings: impl IntoIterator<Item = (&'static str, &'static str)>) -> Branch {
        Branch::made(&["--outlet-name", "Outlet BLR1"], settings).await
    }

    /// A branch without rate limits whose outlet has that code.
    pub async fn coded(code: &str) -> Branch {
        let name = format!("Outlet {code}");
        Branch::made(&["--outlet-code", code, "--outlet-name", &name], UNLIMITED).await
    }

    /// The same, each time with the same ids and secrets: as `dice` determines them.
    pub async fn repeated(code: &str, dice: Dice) -> Branch {
        let name = format!("Outlet {code}");
        let clock = Arc::new(ManualClock::new(START.parse().unwrap()));
        let env = Env::new(Arc::clone(&clock) as Arc<dyn Clock>, Arc::new(dice)).inline();
        Branch::made_in(&["--outlet-code", code, "--outlet-name", &name], UNLIMITED, clock, env).await
    }

    /// The sample restaurant that `edge init --sample-data` makes with these arguments, without rate limits.
    pub async fn sample(arguments: &[&str]) -> Branch {
        Branch::made(&[&["--sample-data"], arguments].concat(), UNLIMITED).await
    }

    /// A branch that `edge init` makes with these arguments.
    pub async fn made(
        arguments: &[&str],
        settings: impl IntoIterator<Item = (&'static str, &'static str)>,
    ) -> Branch {
        let clock = Arc::new(ManualClock::new(START.parse().unwrap()));
        let env = env(&clock);
        Branch::made_in(arguments, settings, clock, env).await
    }

    async fn made_in(
        arguments: &[&str],
        settings: impl IntoIterator<Item = (&'static str, &'static str)>,
        clock: Arc<ManualClock>,
        env: Env,
    ) -> Branch {
        let folder = tempfile::tempdir().unwrap();
        run(set_up::init, &folder, arguments, env.clone()).await;
        Branch::open_in(folder, clock, env, settings).await
    }

    /// A branch that takes the place of the box of `outlet`, by `edge enroll --replace`. The rest of its rows comes while a worker runs.
    pub async fn replacing(outlet: Uuid, hub: &HeadOffice) -> Branch {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::new(START.parse().unwrap()));
        let code = hub.code(Some(outlet)).await;
        run(set_up::enroll, &folder, &["--replace", "--hub", hub.base(), "--code", &code], env(&clock)).await;
        Branch::open(folder, clock, UNLIMITED).await
    }

    /// Makes it belong to `hub`, by `edge enroll`; a worker takes that up.
    pub async fn enroll(&self, hub: &HeadOffice) {
        self.enroll_by(hub.base(), hub).await;
    }

    /// Makes it belong to `hub`, which it reaches at `url`.
    pub async fn enroll_by(&self, url: &str, hub: &HeadOffice) {
        let code = hub.code(None).await;
        run(set_up::enroll, &self.folder, &["--hub", url, "--code", &code], env(&self.clock)).await;
    }

    /// What head office is told of its outlet.
    pub async fn card(&self) -> OutletCard {
        self.db.read(|from| outlet_of(from)).await.unwrap().expect("the branch has an outlet")
    }

    /// The worker that exchanges its rows with head office. It moves only when it is told to.
    pub fn worker(&self) -> Worker {
        let (folder, revocations) = (self.folder().to_owned(), self.state.revocations.clone());
        Worker::new(self.db.clone(), folder, revocations, Settings::default())
    }

    /// Serves what lies in `folder`.
    pub async fn open(
        folder: TempDir,
        clock: Arc<ManualClock>,
        settings: impl IntoIterator<Item = (&'static str, &'static str)>,
    ) -> Branch {
        let env = env(&clock);
        Branch::open_in(folder, clock, env, settings).await
    }

    async fn open_in(
        folder: TempDir,
        clock: Arc<ManualClock>,
        env: Env,
        settings: impl IntoIterator<Item = (&'static str, &'static str)>,
    ) -> Branch {
        let data = DataDir::open(folder.path()).unwrap();
        let flags = settings.into_iter().map(|(flag, value)| (flag, value.to_owned())).collect();
        let config = Config::resolve(&Sources { flags, ..Sources::default() }).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let shutdown = Shutdown::new();
        let state = app::open(&config, &data, env, &base, &shutdown).unwrap();
        let db = state.db.clone();
        let own = db.read(|from| outlet_of(from)).await.unwrap();
        let outlet_id = own.expect("the branch has an outlet").id;
        let router = app::router(state.clone());
        let bounds = Bounds::from(&config.network);
        let server = tokio::spawn({
            let shutdown = shutdown.clone();
            async move { serve::run(&listener, router, bounds, &shutdown).await }
        });
        Branch { outlet_id, db, clock, state, base, shutdown, server, folder }
    }

    /// Another outlet on the same box.
    pub async fn second_outlet(&self) -> Uuid {
        self.outlet("BLR2").await
    }

    /// One more outlet on the same box, of that code.
    pub async fn outlet(&self, code: &'static str) -> Uuid {
        let new = json!({"code": code, "name": format!("Outlet {code}")});
        let made = self.sign_in(Role::SuperAdmin).post("/outlets", new).await.expect(201).data();
        made["id"].as_str().unwrap().parse().unwrap()
    }

    /// A client without a token.
    pub fn anonymous(&self) -> Client {
        Client::new(&self.base)
    }

    /// A client signed in with `role` at this outlet.
    pub fn sign_in(&self, role: Role) -> Client {
        self.sign_in_at(role, self.outlet_id)
    }

    /// A client signed in with `role` as an employee of this outlet.
    pub fn sign_in_as(&self, role: Role, employee: &str) -> Client {
        self.client(role, self.outlet_id, Some(employee.parse().unwrap()))
    }

    /// A client signed in with `role` at another outlet.
    pub fn sign_in_at(&self, role: Role, outlet: Uuid) -> Client {
        self.client(role, outlet, None)
    }

    fn client(&self, role: Role, outlet: Uuid, employee_id: Option<Uuid>) -> Client {
        let now = self.clock.now();
        let id = || self.db.env().ids.next(now);
        let principal = Principal {
            account_id: id(),
            session_id: id(),
            employee_id,
            name: role.name().to_owned(),
            role,
            outlets: vec![outlet],
            by_pin: false,
        };
        let token = self.state.tokens.issue(&principal, id(), 24 * 3_600_000).unwrap();
        self.anonymous().with_token(token).with_account(principal.account_id).with_outlet(outlet)
    }

    /// What a guest says at a table of this outlet where nobody has sat yet; one is made where there is none.
    pub async fn give_feedback(&self, words: Value) -> Reply {
        let outlet = self.outlet_id;
        let free = move |from: &dyn Source| {
            let sql = "SELECT qr_token FROM dining_tables t WHERE outlet_id = ?1 AND qr_token IS NOT NULL
              AND NOT EXISTS (SELECT 1 FROM table_sessions s WHERE s.table_id = t.id) ORDER BY id DESC LIMIT 1";
            opt(from, sql, [outlet], |row| row.get::<_, String>(0))
        };
        let token = match self.db.read(free).await.unwrap() {
            Some(token) => token,
            None => {
                let table = json!({"number": "F1", "seats": 2});
                let made = self.sign_in(Role::Owner).post("/tables", table).await.expect(201).data();
                made["qrToken"].as_str().unwrap().to_owned()
            }
        };
        let mut body = words;
        body["tableToken"] = json!(token);
        self.anonymous().post("/tickets/feedback", body).await
    }

    /// Where the branch answers: `http://127.0.0.1:…`.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Lets `ms` milliseconds pass.
    pub fn pass(&self, ms: i64) {
        self.clock.advance(ms);
    }

    /// Sets the clock.
    pub fn at(&self, moment: &str) {
        self.clock.set(moment.parse::<Millis>().unwrap());
    }

    /// The number in the first column of the first row of `sql`.
    pub async fn number(&self, sql: &'static str) -> i64 {
        self.db.read(move |conn| one(conn, sql, [], |row| row.get(0))).await.unwrap()
    }

    /// The application's parts.
    pub fn state(&self) -> &AppState {
        &self.state
    }

    /// Where its data lies.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Branch {
    fn drop(&mut self) {
        self.shutdown.trigger();
        self.server.abort();
    }
}

/// Runs a command of `edge` on `folder`.
async fn run(command: fn(&Path, &[String], &Env) -> String, folder: &TempDir, arguments: &[&str], env: Env) {
    let folder = folder.path().to_owned();
    let arguments: Vec<String> = arguments.iter().map(|word| (*word).to_owned()).collect();
    // Of an older program its commands are older, too.
    let older = played();
    let command = move || {
        play(older);
        command(&folder, &arguments, &env)
    };
    tokio::task::spawn_blocking(command).await.unwrap();
}

fn env(clock: &Arc<ManualClock>) -> Env {
    Env::new(Arc::clone(clock) as Arc<dyn Clock>, Arc::new(OsRandom))
}
