//! The nightly backup of a head office: taken once the time (UTC) has passed, or as soon as a server is on again; then outdated ones
//! go. Of the processes that share a database on PostgreSQL one takes it, and the others see that it was taken. Never holds up the
//! exchange or the stop.

use super::{HubBackupError, postgres, sqlite, tools};
use crate::registry::nights::{self, Nights};
use crate::registry::{RegistryError, meta};
use crate::state::AppState;
use chrono::NaiveTime;
use edge::backup::{self, Backup, BackupError, Destinations, Reason, Rules, nightly};
use edge::db::{Env, opt};
use std::path::PathBuf;
use std::time::Duration;
use tiffin_common::Millis;
use tokio::sync::oneshot;

/// How often it looks.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// How long nobody tries after a backup that failed. Who failed waits for one look longer: another machine may be able to.
const AFTER_FAILURE: Duration = Duration::from_secs(3_600);
const AFTER_FAILURE_MS: i64 = 3_600_000;

/// How far another process's clock may be ahead: a backup of later than that counts for nothing.
const AHEAD_MS: i64 = 24 * 3_600_000;

/// What is backed up.
#[derive(Debug, Clone)]
pub struct Source {
    /// The data directory.
    pub data: PathBuf,
    /// PostgreSQL, where that is the store.
    pub database_url: Option<edge::config::Secret>,
}

impl Source {
    /// Takes a backup now.
    ///
    /// # Errors
    /// See [`HubBackupError`].
    pub fn take(&self, to: &Destinations, reason: Reason, env: &Env) -> Result<Backup, HubBackupError> {
        match &self.database_url {
            Some(url) => postgres::take(url.reveal(), to, reason, env),
            None => sqlite::take(&self.data, to, reason, env),
        }
    }
}

/// What became of a look.
#[derive(Debug)]
pub enum Night {
    /// None is due, or another process takes it.
    NotYet,
    /// One was taken.
    Taken(Backup),
    /// One was due and failed; it is in the log.
    Failed,
    /// One is due, and this machine cannot take it: why, and what to do.
    Unable(String),
}

/// Works until the server stops.
pub async fn run(app: AppState) {
    let mut stopping = app.stopping.0.clone();
    let began = app.env().clock.now();
    // Said at the start, not in the middle of the night, and once.
    let mut said = unable(&app).await.inspect(|why| complain(why)).is_some();
    let mut wait = LOOK_EVERY;
    loop {
        tokio::select! {
            () = edge::http::sse::stopped(&mut stopping) => return,
            () = tokio::time::sleep(wait) => {}
        }
        let night = tokio::select! {
            () = edge::http::sse::stopped(&mut stopping) => return,
            night = look(&app, began) => night,
        };
        wait = match night {
            Ok(Night::NotYet | Night::Taken(_)) => LOOK_EVERY,
            Ok(Night::Failed) => AFTER_FAILURE + LOOK_EVERY,
            Ok(Night::Unable(why)) => {
                if !std::mem::replace(&mut said, true) {
                    complain(&why);
                }
                LOOK_EVERY
            }
            Err(error) => {
                tracing::warn!(%error, "whether a backup is due could not be seen");
                LOOK_EVERY
            }
        };
    }
}

fn complain(why: &str) {
    tracing::error!(
        "THIS MACHINE TAKES NO NIGHTLY BACKUP: {why}. Where another machine of head office takes it, or none is wanted: backup-at = off"
    );
}

/// Why this machine can take no nightly backup although it should.
async fn unable(app: &AppState) -> Option<String> {
    let config = &app.config;
    if config.store.database_url.is_none() || config.backups.at.0.is_none() {
        return None;
    }
    let sql = "SELECT current_setting('server_version_num')";
    let version = app.look(move |from| Ok(opt(from, sql, [], |row| row.get::<_, String>(0))?)).await;
    let version = version.ok().flatten().and_then(|text| text.parse().ok());
    tokio::task::spawn_blocking(move || tools::unable(version)).await.ok().flatten()
}

/// Takes a backup if one is due and no other process does. `began` is when this process did. One that fails is no
/// error but [`Night::Failed`].
pub async fn look(app: &AppState, began: Millis) -> Result<Night, RegistryError> {
    let (config, env) = (&app.config, app.env().clone());
    let Some(at) = config.backups.at.0 else { return Ok(Night::NotYet) };
    if !is_due(app, at, began).await? {
        return Ok(Night::NotYet);
    }
    if let Some(why) = unable(app).await {
        return Ok(Night::Unable(why));
    }
    let alone = app.stores().run(|stores| stores.store().alone()).await?;
    // Another process may have been the one between the look and now.
    if alone.is_none() || !is_due(app, at, began).await? {
        return Ok(Night::NotYet);
    }
    let to = Destinations::of(&config.store.data_dir, config.backups.second.clone());
    let source =
        Source { data: config.store.data_dir.clone(), database_url: config.store.database_url.clone() };
    let rules = Rules { days: config.backups.keep_days, ..Rules::default() };
    let taken = take(source, to, rules, env).await;
    report(&taken);
    if config.store.database_url.is_some()
        && let Err(error) = note(app, &taken).await
    {
        // Without a note of it every look would take one more.
        tracing::error!(%error, "the other processes could not be told of the nightly backup");
        return Ok(Night::Failed);
    }
    drop(alone);
    Ok(taken.map_or(Night::Failed, Night::Taken))
}

/// Whether the last time that was due has passed since the newest, and nobody failed just now.
async fn is_due(app: &AppState, at: NaiveTime, began: Millis) -> Result<bool, RegistryError> {
    let (now, store) = (app.env().clock.now(), &app.config.store);
    let is_shared = store.database_url.is_some();
    let (founded, shared) = app
        .look(move |from| {
            let shared = if is_shared { nights::find(from)? } else { Nights::default() };
            Ok((meta::founded_at(from)?, shared))
        })
        .await?;
    if shared.failed.is_some_and(|(at, _)| (0..AFTER_FAILURE_MS).contains(&now.since(at))) {
        return Ok(false);
    }
    let own = backup::list(&backup::folder(&store.data_dir)).into_iter();
    let own = own.filter(|backup| backup.reason == Reason::Nightly).map(|backup| backup.taken_at);
    // Clocks differ: what another process took a little later than now must not be taken again for that.
    let others = shared.taken.map(|taken| taken.at).filter(|at| at.since(now) <= AHEAD_MS);
    let newest = own.filter(|at| *at <= now).chain(others).max();
    // Without any there was none to miss, unless head office has been here for longer than this process.
    Ok(nightly::is_due(now, at, chrono_tz::UTC, newest.or(founded).unwrap_or(began)))
}

fn report(taken: &Result<Backup, HubBackupError>) {
    match taken {
        Ok(backup) => {
            tracing::info!(backup = %backup.path.display(), bytes = backup.bytes, "the nightly backup is taken");
            if let Some(reason) = &backup.not_copied {
                tracing::error!(reason, "the nightly backup is not in the second place");
            }
        }
        Err(error) => tracing::error!(%error, "the nightly backup failed; it is tried again in an hour"),
    }
}

/// Lets the other processes know.
async fn note(app: &AppState, taken: &Result<Backup, HubBackupError>) -> Result<(), RegistryError> {
    let taken = match taken {
        Ok(backup) => Ok(backup.clone()),
        Err(error) => Err(error.to_string()),
    };
    app.change_quietly(move |change| match &taken {
        Ok(backup) => nights::note_taken(change, backup, &machine()),
        Err(why) => nights::note_failed(change, why),
    })
    .await
}

/// What this machine is called.
fn machine() -> String {
    let names = ["/proc/sys/kernel/hostname", "/etc/hostname"].into_iter().map(std::fs::read_to_string);
    let names = names.filter_map(Result::ok).map(|name| name.trim().to_owned());
    names.into_iter().find(|name| !name.is_empty()).unwrap_or_else(|| "another machine".to_owned())
}

/// On a thread that nobody waits for at a stop.
async fn take(source: Source, to: Destinations, rules: Rules, env: Env) -> Result<Backup, HubBackupError> {
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
    let failed =
        |error: std::io::Error| HubBackupError::from(BackupError::File { path: "backup".into(), error });
    std::thread::Builder::new().name("backup".into()).spawn(work).map_err(failed)?;
    taken.await.unwrap_or_else(|_| Err(failed(std::io::Error::other("it was stopped"))))
}
