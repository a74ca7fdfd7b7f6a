//! What has to be there before head office can be served: its store, laid out as configured, and somebody who can sign in. Never
//! serves.

use crate::config::Config;
use crate::registry::{self, Actor, Change, RegistryError, meta};
use crate::secrets::{self, Keys, SecretsError};
use crate::store::postgres::{self, PgStore};
use crate::store::sqlite::{self, SqliteStore};
use crate::store::{StoreError, Stores};
use edge::backup;
use edge::data_dir::{leave_mark, mark};
use edge::db::Env;
use edge::root::close_to_others;
use edge::space;
use std::path::{Path, PathBuf};
use tiffin_common::Uuid;

/// Why head office cannot be opened. The text is for the person who starts the process.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The secret.
    #[error(transparent)]
    Secrets(#[from] SecretsError),
    /// The database.
    #[error("the database cannot be opened: {0}")]
    Store(#[from] StoreError),
    /// The registry.
    #[error("{0}")]
    Registry(#[from] RegistryError),
    /// Another secret than this head office was made with.
    #[error(
        "this head office was made with another secret: what it sealed could not be opened. Start it with the right one \
         (--secrets-dir or TIFFIN_HUB_SECRET)"
    )]
    OtherSecret,
    /// The secret is not there, of a head office that was made with one.
    #[error(
        "{} is not there, and this head office was made with a secret: what it sealed could not be opened.\n\
         Is the disk it was on mounted? Lost, it comes back from where it was kept apart:\n  sync-hub restore --secrets FILE\n\
         On a further machine of this head office copy the first one's there, or name it (--secrets-dir or TIFFIN_HUB_SECRET). Nothing \
         new was made in its place.", .0.display()
    )]
    SecretLost(PathBuf),
    /// The database is not there, and something says that it was.
    #[error(
        "{} is not there, but {} tells of a head office: nothing new is begun in its place.\n\
         Is the disk that holds it mounted? If it is lost, put a backup back:\n  sync-hub restore FILE\n\
         For a new head office on this machine move that away first.", database.display(), witness.display()
    )]
    Lost {
        /// The file.
        database: PathBuf,
        /// What tells of it.
        witness: PathBuf,
    },
    /// Partitions are PostgreSQL's.
    #[error("--partitions needs --database-url: on SQLite every outlet has a file of its own")]
    NoPartitions,
    /// The process ends.
    #[error("the start was stopped")]
    Stopped,
}

/// Lays out the outlets' tables of an empty PostgreSQL database in so many partitions. Blocks.
///
/// # Errors
/// On SQLite, whose outlets are files of their own; when the database has another layout, or rows.
pub fn lay_out(config: &Config, partitions: u32) -> Result<(), OpenError> {
    let url = config.store.database_url.as_ref().ok_or(OpenError::NoPartitions)?;
    let partitions = u16::try_from(partitions).unwrap_or(u16::MAX);
    let settings =
        postgres::Settings { partitions: Some(partitions), ..postgres::Settings::new(url.reveal()) };
    PgStore::open(&settings, process()).map(drop).map_err(|error| StoreError::from(error).into())
}

/// Opens the configured store. On PostgreSQL and SQLite alike it blocks: call it outside the async runtime's threads.
///
/// # Errors
/// When it cannot be opened.
pub fn open_stores(config: &Config) -> Result<Stores, OpenError> {
    let store = &config.store;
    let Some(url) = &store.database_url else {
        look_for_lost(&store.data_dir)?;
        if store.data_dir.join(sqlite::REGISTRY).exists() {
            close_to_others(&store.data_dir);
        }
        let room = space::room(&store.data_dir, config.room);
        let opened = SqliteStore::open(&store.data_dir, sqlite::Limits::default())?;
        leave_mark(&store.data_dir, "head office");
        return Ok(Stores::new(opened.within(room)));
    };
    let settings = postgres::Settings {
        read_url: store.read_database_url.as_ref().map(|url| url.reveal().to_owned()),
        connections: config.pool_size,
        ..postgres::Settings::new(url.reveal())
    };
    Ok(Stores::new(PgStore::open(&settings, process()).map_err(StoreError::from)?))
}

/// Looks whether the database in `folder` is gone: nothing is there, and a backup or the mark beside it tells that it was.
///
/// # Errors
/// [`OpenError::Lost`].
pub fn look_for_lost(folder: &Path) -> Result<(), OpenError> {
    let database = folder.join(sqlite::REGISTRY);
    let newest = backup::newest(&backup::folder(folder)).map(|backup| backup.path);
    match newest.into_iter().chain([mark(folder)]).find(|path| path.exists()) {
        Some(witness) if !database.exists() => Err(OpenError::Lost { database, witness }),
        _ => Ok(()),
    }
}

/// Makes this a head office with its secret, if it is none yet, and answers its keys and its epoch. Blocks.
///
/// # Errors
/// When the secret is gone, or another one: nothing was made then.
pub fn found(config: &Config, stores: &Stores, env: &Env) -> Result<(Keys, Uuid), OpenError> {
    let known = stores.read_registry_blocking(|from| meta::find(from).map_err(RegistryError::from))?;
    if known.is_some() && secrets::look(&config.store)?.is_none() {
        return Err(OpenError::SecretLost(secrets::file(&config.store)));
    }
    let keys = secrets::load_or_create(&config.store, &*env.random)?;
    let meta = stores.registry_blocking(|sql| meta::found(&Change::begin(sql, env), &keys.check))?;
    if meta.secret_check != keys.check {
        return Err(OpenError::OtherSecret);
    }
    Ok((keys, meta.hub_epoch))
}

/// An id for this process alone.
fn process() -> Uuid {
    Uuid::from_bytes(Env::system().random_bytes())
}

/// Makes the first super-admin; does nothing when there is anybody.
///
/// # Errors
/// What the user lacks.
pub fn first_admin(
    stores: &Stores,
    env: &Env,
    email: &str,
    password_hash: &str,
) -> Result<bool, RegistryError> {
    stores.registry_blocking(|sql| {
        let change = Change::begin(sql, env);
        if registry::users::any(sql)? {
            return Ok(false);
        }
        let wanted = registry::users::Wanted {
            email: email.to_owned(),
            name: "Administrator".into(),
            role: edge::access::Role::SuperAdmin,
            is_active: true,
            outlets: Vec::new(),
        };
        registry::users::create(&change, &Actor::command_line(), &wanted, password_hash)?;
        Ok(true)
    })
}
