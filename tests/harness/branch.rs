//! A branch in this process: the whole application on a temporary folder, with a clock that tests set.

use crate::Client;
use edge::access::{Actor, Principal, Role};
use edge::app;
use edge::config::{Config, Sources};
use edge::data_dir::DataDir;
use edge::db::{Db, DbError, Env, OsRandom, Row, list, one};
use edge::http::shutdown::Shutdown;
use edge::resources::outlets;
use edge::serve::{self, Bounds};
use edge::state::AppState;
use std::sync::Arc;
use tempfile::TempDir;
use tiffin_common::clock::ManualClock;
use tiffin_common::frame::{Hash, Header, Kind};
use tiffin_common::sync::batch::Frame;
use tiffin_common::{Clock, Millis, Uuid};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// The moment every branch begins at: a Friday, 18:00 in Kolkata.
pub const START: &str = "2026-11-20T12:30:00.000Z";

/// A running branch with one empty outlet, `BLR1`. Stops when dropped.
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
        self.db.read(move |from| Ok::<_, DbError>(list(from, sql, [after], frame)?)).await.unwrap()
    }

    /// A branch without rate limits.
    pub async fn start() -> Branch {
        let limits = [
            "limit-general",
            "limit-login",
            "limit-pin",
            "limit-qr-menu",
            "limit-qr-order",
            "limit-feedback",
            "limit-forgot-password",
        ];
        Branch::with(limits.map(|flag| (flag, "off"))).await
    }

    /// A branch with these settings (flags without dashes).
    pub async fn with(settings: impl IntoIterator<Item = (&'static str, &'static str)>) -> Branch {
        Branch::coded("BLR1", settings).await
    }

    /// A branch whose outlet has that code.
    pub async fn coded(
        code: &'static str,
        settings: impl IntoIterator<Item = (&'static str, &'static str)>,
    ) -> Branch {
        let folder = tempfile::tempdir().unwrap();
        let data = DataDir::open(folder.path()).unwrap();
        let flags = settings.into_iter().map(|(flag, value)| (flag, value.to_owned())).collect();
        let config = Config::resolve(&Sources { flags, ..Sources::default() }).unwrap();
        let clock = Arc::new(ManualClock::new(START.parse().unwrap()));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let shutdown = Shutdown::new();
        let env = Env::new(Arc::clone(&clock) as Arc<dyn Clock>, Arc::new(OsRandom));
        let state = app::open(&config, &data, env, &base, &shutdown).unwrap();
        let db = state.db.clone();
        let outlet_id = make_outlet(&db, code).await;
        db.write(move |tx| outlets::store::set_box_outlet(tx, outlet_id).map_err(DbError::from))
            .await
            .unwrap();
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
        make_outlet(&self.db, code).await
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
        };
        let token = self.state.tokens.issue(&principal, id(), 24 * 3_600_000).unwrap();
        self.anonymous().with_token(token).with_account(principal.account_id).with_outlet(outlet)
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
        self.db.read(move |conn| one(conn, sql, [], |row| row.get(0)).map_err(DbError::from)).await.unwrap()
    }

    /// The application's parts.
    pub fn state(&self) -> &AppState {
        &self.state
    }

    /// Where its data lies.
    pub fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }
}

impl Drop for Branch {
    fn drop(&mut self) {
        self.shutdown.trigger();
        self.server.abort();
    }
}

async fn make_outlet(db: &Db, code: &'static str) -> Uuid {
    db.write(move |tx| {
        let new = outlets::rules::NewOutlet::sample(code);
        outlets::actions::create(tx, &Actor::system(Uuid::nil()), new).map(|outlet| outlet.id)
    })
    .await
    .map_err(|error: outlets::rules::OutletError| error.to_string())
    .unwrap()
}
