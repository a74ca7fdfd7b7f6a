//! The nightly backup of a head office on SQLite: taken once the time (UTC) has passed, or as soon as the server is on again; then outdated ones go.
//! Never holds up the exchange or the stop.

use super::{KeepError, postgres, sqlite};
use crate::app::App;
use edge::db::Env;
use edge::keep::{Backup, BackupError, Destinations, Reason, Rules, backup, nightly};
use std::path::PathBuf;
use std::time::Duration;
use tiffin_common::Millis;
use tokio::sync::oneshot;

/// How often it looks.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// How long it waits after a backup that failed.
const AFTER_FAILURE: Duration = Duration::from_secs(3_600);

/// What is backed up.
#[derive(Debug, Clone)]
pub struct Source {
    /// The data directory.
    pub data: PathBuf,
    /// PostgreSQL, where that is the store.
    pub database_url: Option<edge::config::Secret>,
}

impl Source {
    /// Takes a backup now. On PostgreSQL the second place is copied to by hand.
    ///
    /// # Errors
    /// See [`KeepError`].
    pub fn take(&self, to: &Destinations, reason: Reason, env: &Env) -> Result<Backup, KeepError> {
        match &self.database_url {
            Some(url) => postgres::take(url.reveal(), to.instead.as_ref().unwrap_or(&to.own), reason, env),
            None => sqlite::take(&self.data, to, reason, env),
        }
    }
}

/// Works until the server stops.
pub async fn run(app: App) {
    let mut stopping = app.stopping.0.clone();
    let began = app.env().clock.now();
    let mut wait = LOOK_EVERY;
    loop {
        tokio::select! {
            () = edge::http::sse::stopped(&mut stopping) => return,
            () = tokio::time::sleep(wait) => {}
        }
        wait = tokio::select! {
            () = edge::http::sse::stopped(&mut stopping) => return,
            wait = look(&app, began) => wait,
        };
    }
}

/// Takes a backup if one is due; when to look again.
async fn look(app: &App, began: Millis) -> Duration {
    let (config, env) = (&app.config, app.env().clone());
    // A database server has its own keepers, and any number of these processes.
    let is_here = config.store.database_url.is_none();
    let Some(at) = config.backups.at.0.filter(|_| is_here) else { return LOOK_EVERY };
    let to = Destinations::of(&config.store.data_dir, config.backups.second.clone());
    let now = env.clock.now();
    let nights = backup::list(&to.own).into_iter().filter(|backup| backup.reason == Reason::Nightly);
    let newest = nights.map(|backup| backup.taken_at).filter(|at| *at <= now).max();
    // Without any there was none to miss, unless head office has been here for longer than this process.
    let since = newest.or(founded(app).await).unwrap_or(began);
    if !nightly::is_due(now, at, chrono_tz::UTC, since) {
        return LOOK_EVERY;
    }
    let source = Source { data: config.store.data_dir.clone(), database_url: None };
    let rules = Rules { days: config.backups.keep_days, ..Rules::default() };
    match take(source, to, rules, env).await {
        Ok(backup) => {
            tracing::info!(backup = %backup.path.display(), bytes = backup.bytes, "the nightly backup is taken");
            if let Some(reason) = &backup.not_copied {
                tracing::error!(reason, "the nightly backup is not in the second place");
            }
            LOOK_EVERY
        }
        Err(error) => {
            tracing::error!(%error, "the nightly backup failed; it is tried again in an hour");
            AFTER_FAILURE
        }
    }
}

async fn founded(app: &App) -> Option<Millis> {
    let sql = "SELECT created_at FROM hub_meta WHERE id = 1";
    app.look(move |from| Ok(edge::db::opt(from, sql, [], |row| row.get(0))?)).await.ok().flatten()
}

/// On a thread that nobody waits for at a stop.
async fn take(source: Source, to: Destinations, rules: Rules, env: Env) -> Result<Backup, KeepError> {
    let (done, taken) = oneshot::channel();
    let work = move || {
        let backup = source.take(&to, Reason::Nightly, &env);
        for folder in std::iter::once(&to.own).chain(&to.second).filter(|_| backup.is_ok()) {
            if let Err(error) = backup::rotate(folder, rules) {
                tracing::warn!(%error, "an outdated backup could not be deleted");
            }
        }
        let _stopped = done.send(backup);
    };
    let failed = |error: std::io::Error| KeepError::from(BackupError::File { path: "backup".into(), error });
    std::thread::Builder::new().name("backup".into()).spawn(work).map_err(failed)?;
    taken.await.unwrap_or_else(|_| Err(failed(std::io::Error::other("it was stopped"))))
}
