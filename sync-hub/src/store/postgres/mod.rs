//! The store on PostgreSQL: one database for all outlets and for any number of hub processes. Schema `merged` has the outlets' rows,
//! `hub` what head office keeps beside them, `branch` shows the rows of one outlet (the transaction's) under the branch's names,
//! `compat` gives the words that PostgreSQL lacks. Never trusts a commit whose answer was lost: the caller asks for the cursor.

mod apply;
mod columns;
mod days;
mod error;
mod fold;
mod plan;
mod settings;
mod source;
mod sums;
mod text;
mod tls;
mod value;
mod wait;
mod wakes;
mod walk;

pub use settings::Settings;

use self::apply::PgOutlet;
use self::error::{no_connection, said};
use self::settings::{Connect, Place};
use self::source::{PgSource, Texts};
use self::wait::Waiter;
use self::wakes::Wakes;
use self::walk::Walk;
use super::{OutletTx, Store, StoreError, Wake};
use deadpool_postgres::{Client, Object, Pool};
use edge::db::{DbError, Source, Sql};
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};
use tiffin_common::Uuid;
use tokio::sync::broadcast;
use tokio_postgres::SimpleQueryMessage;

/// The lock under which the registry is written, one unit of work after the other, as on SQLite.
const REGISTRY_LOCK: i64 = 0x7469_6666_696E_0001;
/// The lock of the process that takes the nightly backup.
pub const NIGHTS_LOCK: i64 = 0x7469_6666_696E_0002;
/// How long a replica that could not be reached is left alone.
const PATIENCE: Duration = Duration::from_secs(5);

/// Head office's store on PostgreSQL. Its methods may be called on any thread; they block it.
pub struct PgStore {
    connect: Connect,
    pool: Pool,
    place: Place,
    replica: Option<Replica>,
    texts: Texts,
    wakes: Wakes,
    waiter: Waiter,
}

/// A server that follows the first one.
struct Replica {
    pool: Pool,
    /// When it last could not be reached, in milliseconds since `born`; -1: it could.
    failed: AtomicI64,
    born: Instant,
}

impl PgStore {
    /// Connects, brings the schema up to date (one process at a time) and starts listening for the other processes. Blocks.
    ///
    /// `me` is an id of this process alone.
    ///
    /// # Errors
    /// When a URL is wrong, the database cannot be reached, or a migration fails.
    pub fn open(settings: &Settings, me: Uuid) -> Result<PgStore, DbError> {
        let unavailable = |text: String| DbError::Unavailable(text);
        let waiter = Waiter::start().map_err(|error| unavailable(error.to_string()))?;
        let connect = settings.connect(&settings.url).map_err(unavailable)?;
        waiter.wait(migrate(&connect, settings.partitions))?;
        let place = Place::default();
        let pool = settings.pool(&connect, Some(&place)).map_err(unavailable)?;
        let replica = settings.read_url.as_deref().map(|url| {
            let pool = settings.connect(url).and_then(|connect| settings.pool(&connect, None));
            pool.map(|pool| Replica { pool, failed: AtomicI64::new(-1), born: Instant::now() })
        });
        let replica = replica.transpose().map_err(unavailable)?;
        let wakes = Wakes::start(waiter.runtime(), connect.clone(), me);
        let store = PgStore { connect, pool, place, replica, texts: Texts::default(), wakes, waiter };
        // So that it is known what server this is.
        drop(store.lease(&store.pool).map(|mut lease| lease.give_back()));
        Ok(store)
    }

    /// Connections that are open, and those of them that do nothing.
    pub fn connections(&self) -> (usize, usize) {
        let status = self.pool.status();
        (status.size, status.available)
    }

    fn lease(&self, pool: &Pool) -> Result<Lease, StoreError> {
        let client = self.waiter.wait(pool.get()).map_err(|error| no_connection(&error))?;
        Ok(Lease { client: Some(client) })
    }

    /// Begins a transaction with `begin`, whose last statement must answer a row.
    fn begin(&self, pool: &Pool, begin: &str) -> Result<Lease, StoreError> {
        let mut lease = self.lease(pool)?;
        let answers = self.waiter.wait(lease.client()?.simple_query(begin)).map_err(|error| said(&error));
        // The last statement's rows stand between the last two completions.
        let mut found = false;
        let mut last = false;
        for answer in answers? {
            match answer {
                SimpleQueryMessage::Row(_) => found = true,
                SimpleQueryMessage::CommandComplete(_) => last = std::mem::take(&mut found),
                _ => {}
            }
        }
        if last {
            return Ok(lease);
        }
        self.end(&mut lease, "ROLLBACK")?;
        Err(StoreError::NoOutlet)
    }

    /// Ends the transaction; the connection goes back to the pool.
    fn end(&self, lease: &mut Lease, how: &str) -> Result<(), StoreError> {
        self.waiter.wait(lease.client()?.batch_execute(how)).map_err(|error| said(&error))?;
        lease.give_back();
        Ok(())
    }

    /// Commits after good work, undoes after bad.
    fn settle(&self, lease: &mut Lease, outcome: Result<(), StoreError>) -> Result<(), StoreError> {
        match outcome {
            // A transaction in which something failed would answer COMMIT with a silent rollback; the probe makes it an error.
            Ok(()) => self.end(lease, "SELECT 1; COMMIT"),
            Err(error) => {
                // Where this fails the connection is dropped, which undoes as well.
                let _ = self.end(lease, "ROLLBACK");
                Err(error)
            }
        }
    }

    fn source<'c>(&'c self, client: &'c Client) -> PgSource<'c> {
        PgSource { waiter: &self.waiter, client, texts: &self.texts }
    }

    fn look(
        &self,
        pool: &Pool,
        begin: &str,
        look: &mut dyn FnMut(&dyn Source) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut lease = self.begin(pool, begin)?;
        let outcome = look(&self.source(lease.client()?));
        self.settle(&mut lease, outcome)
    }
}

/// A connection in a transaction. One that is not given back (an error, a panic) is closed, which undoes its work.
struct Lease {
    client: Option<Client>,
}

impl Lease {
    fn client(&self) -> Result<&Client, StoreError> {
        self.client.as_ref().ok_or(StoreError::GivenUp)
    }

    fn give_back(&mut self) {
        self.client = None;
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        drop(self.client.take().map(Object::take));
    }
}

async fn migrate(connect: &Connect, partitions: Option<u16>) -> Result<(), DbError> {
    let (mut client, connection) = connect.one().await.map_err(|error| said(&error))?;
    let line = tokio::spawn(connection);
    let outcome = tiffin_migrations::migrate_hub_postgres(&mut client, partitions).await;
    drop(client);
    let _ = line.await;
    outcome.map_err(|error| DbError::Unavailable(error.to_string()))
}

/// An id as a literal.
fn literal(outlet: Uuid) -> String {
    format!("'\\x{}'", outlet.simple())
}

fn of_outlet(outlet: Uuid) -> String {
    format!("SELECT set_config('tiffin.outlet', '{}', true)", outlet.simple())
}

fn snapshot_of(outlet: Uuid) -> String {
    format!(
        "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {}; SELECT 1 FROM merged.rooms WHERE outlet_id = {}",
        of_outlet(outlet),
        literal(outlet)
    )
}

impl Store for PgStore {
    fn registry(&self, work: &mut dyn FnMut(&dyn Sql) -> Result<(), StoreError>) -> Result<(), StoreError> {
        let begin = format!("BEGIN; SELECT pg_advisory_xact_lock({REGISTRY_LOCK})");
        let mut lease = self.begin(&self.pool, &begin)?;
        let outcome = work(&self.source(lease.client()?));
        self.settle(&mut lease, outcome)
    }

    fn read_registry(
        &self,
        look: &mut dyn FnMut(&dyn Source) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.look(&self.pool, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT 1", look)
    }

    fn create_outlet(&self, outlet: Uuid) -> Result<(), StoreError> {
        let mut lease = self.lease(&self.pool)?;
        let sql = format!("INSERT INTO merged.rooms VALUES ({}) ON CONFLICT DO NOTHING", literal(outlet));
        self.end(&mut lease, &sql)
    }

    fn outlet(
        &self,
        outlet: Uuid,
        work: &mut dyn FnMut(&mut dyn OutletTx) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let begin = format!(
            "BEGIN; {}; SELECT 1 FROM merged.rooms WHERE outlet_id = {} FOR UPDATE",
            of_outlet(outlet),
            literal(outlet)
        );
        let mut lease = self.begin(&self.pool, &begin)?;
        let outcome = work(&mut PgOutlet::new(self.source(lease.client()?), outlet));
        self.settle(&mut lease, outcome)
    }

    fn read_outlet(
        &self,
        outlet: Uuid,
        look: &mut dyn FnMut(&dyn Source) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.look(&self.pool, &snapshot_of(outlet), look)
    }

    fn walk_outlet(
        &self,
        outlet: Uuid,
        look: &mut dyn FnMut(&dyn Source) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut lease = self.begin(&self.pool, &snapshot_of(outlet))?;
        let source = self.source(lease.client()?);
        let patient = "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0";
        self.waiter.wait(source.batch(patient))?;
        let outcome = look(&Walk::of(source));
        self.settle(&mut lease, outcome)
    }

    fn read_reports(
        &self,
        outlet: Uuid,
        look: &mut dyn FnMut(&dyn Source) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let begin = snapshot_of(outlet);
        if let Some(replica) = self.replica.as_ref().filter(|replica| replica.may_be_asked()) {
            // Once the look has begun it is not begun again: an error of it is its caller's.
            match self.begin(&replica.pool, &begin) {
                Ok(mut lease) => {
                    replica.failed.store(-1, Ordering::Relaxed);
                    let outcome = look(&self.source(lease.client()?));
                    return self.settle(&mut lease, outcome);
                }
                // It may not have heard of the outlet yet.
                Err(StoreError::NoOutlet) => {}
                Err(error) => {
                    tracing::warn!(%error, "the replica does not answer; reports come from the primary");
                    replica.rest();
                }
            }
        }
        self.look(&self.pool, &begin, look)
    }

    fn reports_behind_ms(&self) -> Option<i64> {
        let replica = self.replica.as_ref().filter(|replica| replica.may_be_asked())?;
        let mut behind = None;
        let asked = self.look(&replica.pool, "BEGIN READ ONLY; SELECT 1", &mut |from| {
            from.rows(BEHIND, &[], &mut |row| {
                behind = Some(row.get::<_, i64>(0)?);
                Ok(false)
            })?;
            Ok(())
        });
        if asked.is_err() {
            replica.rest();
        }
        behind
    }

    fn place(&self) -> Option<String> {
        self.place.get()
    }

    fn alone(&self) -> Result<Option<Box<dyn Send>>, StoreError> {
        // A connection of its own: the server lets the lock go with it, however this process ends.
        let ask = async {
            let (client, line) = self.connect.one().await?;
            tokio::spawn(line);
            client.batch_execute("SET idle_session_timeout = 0").await?;
            let row = client.query_one("SELECT pg_try_advisory_lock($1)", &[&NIGHTS_LOCK]).await?;
            Ok(row.get::<_, bool>(0).then_some(client))
        };
        let client = self.waiter.wait(ask).map_err(|error| said(&error))?;
        Ok(client.map(|client| Box::new(client) as Box<dyn Send>))
    }

    fn wake(&self, wake: Wake) {
        self.wakes.wake(wake);
    }

    fn wakes(&self) -> broadcast::Receiver<Wake> {
        self.wakes.listen()
    }
}

/// How far a replica is behind: nothing when it has replayed all that it received, else the age of what it replayed last.
const BEHIND: &str = "SELECT CASE WHEN NOT pg_is_in_recovery() OR pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0
  ELSE coalesce(CAST(1000 * extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()) AS bigint), 0) END";

impl Replica {
    fn may_be_asked(&self) -> bool {
        let failed = self.failed.load(Ordering::Relaxed);
        failed < 0 || self.now() - failed > i64::try_from(PATIENCE.as_millis()).unwrap_or(i64::MAX)
    }

    fn rest(&self) {
        self.failed.store(self.now(), Ordering::Relaxed);
    }

    fn now(&self) -> i64 {
        i64::try_from(self.born.elapsed().as_millis()).unwrap_or(i64::MAX)
    }
}
