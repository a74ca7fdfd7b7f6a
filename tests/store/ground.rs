//! The stores under test, each with a head office on it.

use edge::db::{Env, OsRandom, Source, list, one};
use rusqlite::ToSql;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use sync_hub::hub::{Hub, HubError};
use sync_hub::store::postgres::{PgStore, Settings};
use sync_hub::store::{StoreError, Stores, sqlite};
use tiffin_common::{Clock, Millis, Uuid};

use crate::log::BEGIN;

/// A clock that the test sets.
#[derive(Debug, Default)]
pub struct Hands(AtomicI64);

impl Clock for Hands {
    fn now(&self) -> Millis {
        Millis::new(self.0.load(Ordering::SeqCst))
    }
}

/// Head office on one of the stores.
pub struct Ground {
    pub hub: Hub,
    pub outlet: Uuid,
    hands: Arc<Hands>,
    _kept: Box<dyn std::any::Any>,
}

impl Ground {
    pub fn of(stores: Stores, kept: impl std::any::Any) -> Ground {
        let hands = Arc::new(Hands::default());
        let env = Env::new(Arc::clone(&hands) as Arc<dyn Clock>, Arc::new(OsRandom));
        let (hub, outlet) = (Hub::new(stores, env, Uuid::from_u128(77)), crate::log::new_id());
        hub.stores().store().create_outlet(outlet).unwrap();
        let ground = Ground { hub, outlet, hands, _kept: Box::new(kept) };
        ground.at(BEGIN);
        ground
    }

    pub fn sqlite() -> Ground {
        let folder = tempfile::tempdir().unwrap();
        let store = sqlite::SqliteStore::open(folder.path(), sqlite::Limits::default()).unwrap();
        Ground::of(Stores::new(store), folder)
    }

    pub fn postgres() -> Ground {
        Ground::postgres_with(None)
    }

    /// With the tables spread over that many partitions.
    pub fn postgres_with(partitions: Option<u16>) -> Ground {
        let database = tiffin_tests::postgres::Database::new();
        let settings = Settings { partitions, ..Settings::new(&database.url) };
        let store = PgStore::open(&settings, Uuid::from_u128(1)).unwrap();
        Ground::of(Stores::new(store), database)
    }

    /// Sets head office's clock.
    pub fn at(&self, ms: i64) {
        self.hands.0.store(ms, Ordering::SeqCst);
    }

    /// The first value of the first row of `sql` over the outlet's tables.
    pub fn number(&self, sql: &str) -> i64 {
        self.look(|from| one(from, sql, [], |row| row.get(0)))
    }

    pub fn look<T>(&self, look: impl FnOnce(&dyn Source) -> edge::db::Result<T>) -> T {
        let seen: Result<T, StoreError> =
            self.hub.stores().read_outlet_blocking(self.outlet, |from| Ok(look(from)?));
        seen.unwrap()
    }

    /// Runs statements behind the product's back.
    pub fn tamper(&self, sql: &str, params: &[&dyn ToSql]) {
        let done: Result<usize, HubError> = self.hub.stores().outlet_blocking(self.outlet, |tx| {
            tx.execute(sql, params).map_err(|e| StoreError::from(e).into())
        });
        done.unwrap();
    }

    /// Everything head office holds of the outlet that a repeated request must not change.
    pub fn everything(&self) -> Vec<String> {
        let texts = [
            "SELECT hex(id) || ' ' || series || ' ' || value FROM counters ORDER BY id",
            "SELECT hex(id) || ' ' || name || ' ' || version || ' ' || sort_order FROM menu_categories ORDER BY id",
            "SELECT seq || ' ' || hex(hash) || ' ' || applied_to || ' ' || lineage || ' ' || feed || ' ' || pulled || ' ' || chunks FROM hub_state",
            "SELECT chunk || ' ' || first_seq || ' ' || last_seq || ' ' || lineage FROM hub_log ORDER BY chunk",
            "SELECT hex(row_id) || ' ' || feed || ' ' || deleted || ' ' || hex(row) || ' ' || groups FROM hub_master ORDER BY row_id",
            "SELECT hex(id) || ' ' || winner FROM hub_conflicts ORDER BY id",
            "SELECT hex(epoch) || ' ' || seq || ' ' || reason FROM hub_quarantine ORDER BY seq",
        ];
        self.look(|from| {
            let mut all = Vec::new();
            for sql in texts {
                all.extend(list(from, sql, [], |row| row.get::<_, String>(0))?);
            }
            Ok(all)
        })
    }
}

/// Runs a test that speaks with head office.
pub fn run<T>(test: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test)
}

/// A test over every store. Those on PostgreSQL share the process's cluster, each on a database of its own.
macro_rules! every_store {
    ($($(#[$meta:meta])* async fn $name:ident($ground:ident) $body:block)*) => {
        mod over {
            use super::*;
            $($(#[$meta])* pub async fn $name($ground: &$crate::ground::Ground) $body)*
        }
        mod sqlite {
            $(#[test] fn $name() {
                let ground = $crate::ground::Ground::sqlite();
                $crate::ground::run(super::over::$name(&ground));
            })*
        }
        #[test]
        fn all_of_it_on_postgresql() {
            $({
                println!("{}", stringify!($name));
                let ground = $crate::ground::Ground::postgres();
                $crate::ground::run(over::$name(&ground));
            })*
        }
    };
}
