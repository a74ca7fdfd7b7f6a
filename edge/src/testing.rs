//! A store on a temporary folder with a clock and a random source that tests steer. Never compiled into the binary.

use crate::access::{Actor, Role};
use crate::db::{ClockWatch, Db, DbError, Env, Options, Random, Signer, Tx, one};
use crate::resources::outlets;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use tempfile::TempDir;
use tiffin_common::clock::ManualClock;
use tiffin_common::{Millis, Uuid};

/// The moment every fixture begins at: a Friday, 18:00 in Kolkata.
pub(crate) const START: &str = "2026-11-20T12:30:00.000Z";

/// A branch with one outlet and nothing else.
pub(crate) struct Fixture {
    pub(crate) db: Db,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) outlet_id: Uuid,
    _folder: TempDir,
}

/// Random bytes that are the same in every run.
#[derive(Default)]
pub(crate) struct Counting(AtomicU64);

impl Random for Counting {
    fn fill(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            let n = self.0.fetch_add(1, Ordering::Relaxed);
            let word = blake3::hash(&n.to_le_bytes());
            chunk.copy_from_slice(&word.as_bytes()[..chunk.len()]);
        }
    }
}

impl Fixture {
    /// An outlet `BLR1` in Kolkata, prices without tax, no service charge, no rounding.
    pub(crate) fn new() -> Fixture {
        Fixture::made(false)
    }

    /// The same, whose store works on its caller's thread: for tests in the async runtime.
    pub(crate) fn inline() -> Fixture {
        Fixture::made(true)
    }

    /// The same, whose clock is held against what `passed`, in milliseconds.
    pub(crate) fn watched(passed: &Arc<AtomicI64>) -> Fixture {
        let clock = Arc::new(ManualClock::new(START.parse::<Millis>().unwrap()));
        let passed = Arc::clone(passed);
        let passing = Box::new(move || passed.load(Ordering::Relaxed));
        let watch = Arc::new(ClockWatch::new(clock.clone(), passing, None, 0));
        let env = Env::new(watch.clone(), Arc::new(Counting::default())).inline();
        Fixture::over(clock, Env { watch: Some(watch), ..env })
    }

    fn made(inline: bool) -> Fixture {
        let clock = Arc::new(ManualClock::new(START.parse::<Millis>().unwrap()));
        let env = Env { inline, ..Env::new(clock.clone(), Arc::new(Counting::default())) };
        Fixture::over(clock, env)
    }

    fn over(clock: Arc<ManualClock>, env: Env) -> Fixture {
        let folder = tempfile::tempdir().unwrap();
        let env = Env { signer: Signer::of(&[7; 32]).map(Arc::new), ..env };
        let db = Db::open(&Options::new(folder.path().join("tiffin.db")), env).unwrap();
        let outlet_id = db
            .write_blocking(|tx| {
                let new = outlets::rules::NewOutlet::sample("BLR1");
                outlets::actions::set_up(tx, &Actor::system(Uuid::nil()), new).map(|outlet| outlet.id)
            })
            .map_err(|error: outlets::rules::OutletError| error.to_string())
            .unwrap();
        Fixture { db, clock, outlet_id, _folder: folder }
    }

    /// Another outlet on the same box.
    pub(crate) fn second_outlet(&self) -> Uuid {
        let new = outlets::rules::NewOutlet::sample("BLR2");
        self.write(move |tx, actor| outlets::actions::create(tx, actor, new)).unwrap().id
    }

    /// The box itself as actor.
    pub(crate) fn actor(&self) -> Actor {
        Actor::system(self.outlet_id)
    }

    /// An actor of `role`, without an account row.
    pub(crate) fn actor_as(&self, role: Role) -> Actor {
        Actor { role: Some(role), name: role.name().to_owned(), ..self.actor() }
    }

    /// One action as the box itself.
    pub(crate) fn write<T, E>(
        &self,
        change: impl FnOnce(&Tx<'_>, &Actor) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<DbError> + Send + 'static,
    {
        let actor = self.actor();
        self.db.write_blocking(move |tx| change(tx, &actor))
    }

    /// The number in the first column of the first row of `sql`.
    pub(crate) fn number(&self, sql: &str) -> i64 {
        self.db.read_blocking(|conn| one(conn, sql, [], |row| row.get(0))).unwrap()
    }

    /// The steps by which SQLite would answer `sql`.
    pub(crate) fn plan(&self, sql: &str) -> Vec<String> {
        let conn = rusqlite::Connection::open(self.db.path()).unwrap();
        let mut statement = conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let nulls = vec![None::<i64>; statement.parameter_count()];
        let steps = statement.query_map(rusqlite::params_from_iter(nulls), |row| row.get(3)).unwrap();
        steps.collect::<rusqlite::Result<_>>().unwrap()
    }
}
