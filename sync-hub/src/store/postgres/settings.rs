//! How to reach PostgreSQL: addresses, TLS, limits, and the state every connection begins with. Never keeps a password anywhere
//! but in the driver's own configuration.

use super::tls::Tls;
use deadpool_postgres::{Hook, HookError, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime, Timeouts};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, Config, Connection, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

/// How to open the store.
#[derive(Clone)]
pub struct Settings {
    /// The database, as libpq writes it: `postgres://user:password@host:port/name?sslmode=verify-full&sslrootcert=/path`.
    pub url: String,
    /// A replica of it that answers reports.
    pub read_url: Option<String>,
    /// Most connections that this process opens to each.
    pub connections: usize,
    /// How long a unit of work waits for a connection, and for its outlet's lock.
    pub wait: Duration,
    /// Most time for one statement.
    pub statement: Duration,
    /// Hash partitions of a database that is empty; none: plain tables.
    pub partitions: Option<u16>,
}

impl Settings {
    /// The usual ones for the database at `url`.
    pub fn new(url: impl Into<String>) -> Settings {
        Settings {
            url: url.into(),
            read_url: None,
            connections: 16,
            wait: Duration::from_secs(10),
            statement: Duration::from_secs(60),
            partitions: None,
        }
    }

    /// What every connection begins with.
    fn session(&self) -> String {
        format!(
            "SET search_path = compat, branch, hub, pg_catalog; SET statement_timeout = {}; SET lock_timeout = {}; \
             SET idle_in_transaction_session_timeout = {}; SET client_min_messages = warning; SET jit = off; \
             SET bytea_output = hex",
            self.statement.as_millis(),
            self.wait.as_millis(),
            self.statement.as_millis(),
        )
    }

    /// The way to the server at `url`.
    pub(crate) fn connect(&self, url: &str) -> Result<Connect, String> {
        let (url, tls) = Tls::of(url);
        let mut config: Config = url.parse().map_err(|error: tokio_postgres::Error| error.to_string())?;
        if config.get_application_name().is_none() {
            config.application_name("tiffin-hub");
        }
        config
            .connect_timeout(Duration::from_secs(10))
            .tcp_user_timeout(Duration::from_secs(30))
            .keepalives_idle(Duration::from_secs(30));
        Ok(Connect { config, tls: tls.connector()? })
    }

    /// Connections to the server; where `place` is given, each new one keeps there what the server is.
    pub(super) fn pool(&self, connect: &Connect, place: Option<&Place>) -> Result<Pool, String> {
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = Manager::from_config(connect.config.clone(), connect.tls.clone(), recycling);
        let (session, place) = (self.session(), place.cloned());
        let prepare = Hook::async_fn(move |client: &mut deadpool_postgres::ClientWrapper, _| {
            let (session, place) = (session.clone(), place.clone());
            Box::pin(async move {
                client.batch_execute(&session).await.map_err(HookError::Backend)?;
                if let Some(place) = place {
                    place.look(client).await;
                }
                Ok(())
            })
        });
        Pool::builder(manager)
            .max_size(self.connections.max(1))
            .runtime(Runtime::Tokio1)
            .timeouts(Timeouts {
                wait: Some(self.wait),
                create: Some(Duration::from_secs(15)),
                recycle: Some(Duration::from_secs(5)),
            })
            .post_create(prepare)
            .build()
            .map_err(|error| error.to_string())
    }
}

/// What the server is that was reached last: its system identifier and timeline, which tell a promoted standby and a cluster that was put
/// back from the one before.
#[derive(Debug, Clone, Default)]
pub(super) struct Place(Arc<Mutex<Option<String>>>);

impl Place {
    pub(super) fn get(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Keeps what it is; a role that may not ask leaves it as it was.
    async fn look(&self, client: &Client) {
        const PLACE: &str = "SELECT (SELECT system_identifier FROM pg_control_system())::text
            || ' ' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)";
        match client.query_one(PLACE, &[]).await {
            Ok(row) => *self.0.lock().unwrap_or_else(PoisonError::into_inner) = row.get(0),
            Err(error) => tracing::debug!(%error, "what PostgreSQL server this is may not be asked"),
        }
    }
}

/// The way to one server.
#[derive(Clone)]
pub(crate) struct Connect {
    config: Config,
    tls: MakeRustlsConnect,
}

/// What drives a connection: to be spawned beside it.
pub(crate) type Line = Connection<Socket, <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream>;

impl Connect {
    /// A connection outside the pool.
    pub(crate) async fn one(&self) -> Result<(Client, Line), tokio_postgres::Error> {
        self.config.connect(self.tls.clone()).await
    }
}
