//! The nightly backup: taken once the outlet's clock has passed the time, or as soon as the box is on again; then outdated ones go.
//! It takes no input: it wakes, looks whether one is due, and is safe to repeat. Never holds up the branch or its stop.

use super::error::{BackupError, Result};
use super::names::{Backup, Reason};
use super::rotation::Rules;
use super::taking::{self, Destinations};
use crate::config;
use crate::db::{self, Db, Source, Tx, opt};
use crate::http::sse::stopped;
use crate::resources::notifications::actions::notify;
use crate::resources::notifications::{Audience, Notice, Severity};
use crate::resources::outlets;
use chrono::{Days, NaiveTime, TimeDelta, TimeZone};
use chrono_tz::Tz;
use std::path::Path;
use std::time::Duration;
use tiffin_common::{Millis, Uuid};
use tokio::sync::{oneshot, watch};

/// How often it looks, and how long after the start it looks first: the branch opens before anything else.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// How long it waits after a backup that failed.
const AFTER_FAILURE: Duration = Duration::from_secs(3_600);

/// When, where to, and how many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Where backups go.
    pub to: Destinations,
    /// The time of day; none: never.
    pub at: Option<NaiveTime>,
    /// How many are kept.
    pub rules: Rules,
}

impl Settings {
    /// As configured, for the data directory `data`.
    pub fn of(data: &Path, config: &config::Backups) -> Settings {
        let rules = Rules { days: config.keep_days, ..Rules::default() };
        Settings { to: Destinations::of(data, config.second.clone()), at: config.at.0, rules }
    }
}

/// What became of a look.
#[derive(Debug)]
pub enum Night {
    /// None is due.
    NotYet,
    /// One was taken.
    Taken(Backup),
    /// One was due and failed; the managers know.
    Failed,
}

/// Works until `stopping`.
pub async fn run(db: Db, settings: Settings, mut stopping: watch::Receiver<bool>) {
    let mut wait = LOOK_EVERY;
    loop {
        tokio::select! {
            () = stopped(&mut stopping) => return,
            () = tokio::time::sleep(wait) => {}
        }
        let night = tokio::select! {
            // A copy that is half made is swept by the next one.
            () = stopped(&mut stopping) => return,
            night = look(&db, &settings) => night,
        };
        wait = match night {
            Ok(Night::NotYet | Night::Taken(_)) => LOOK_EVERY,
            Ok(Night::Failed) => AFTER_FAILURE,
            Err(error) => {
                tracing::warn!(%error, "whether a backup is due could not be seen");
                LOOK_EVERY
            }
        };
    }
}

/// Takes a backup if one is due. One that fails is no error but [`Night::Failed`].
pub async fn look(db: &Db, settings: &Settings) -> db::Result<Night> {
    let Some(at) = settings.at else { return Ok(Night::NotYet) };
    let Some((outlet, timezone, began)) = db.read(|from| own(from)).await? else { return Ok(Night::NotYet) };
    let newest = taking::list(&settings.to.own).into_iter().map(|backup| (backup.reason, backup.taken_at));
    let now = db.env().clock.now();
    let newest =
        newest.filter(|(reason, at)| *reason == Reason::Nightly && *at <= now).map(|(_, at)| at).max();
    if !is_due(now, at, timezone, newest.unwrap_or(began)) {
        return Ok(Night::NotYet);
    }
    let taken = take(db, settings.clone()).await;
    let (taken, complaint) = judge(taken);
    if let Some(complaint) = complaint {
        db.write(move |tx| complaint.tell(tx, outlet)).await?;
    }
    Ok(taken.map_or(Night::Failed, Night::Taken))
}

/// Whether the last time that was due lies after `newest`.
pub fn is_due(now: Millis, at: NaiveTime, timezone: Tz, newest: Millis) -> bool {
    let today = now.to_utc().with_timezone(&timezone).date_naive();
    let on = |days: u64| {
        let local = today.checked_sub_days(Days::new(days))?.and_time(at);
        let moment = timezone.from_local_datetime(&local).earliest();
        // An hour that the clocks leave out.
        let later = || timezone.from_local_datetime(&(local + TimeDelta::hours(1))).earliest();
        moment.or_else(later).map(|moment| Millis::new(moment.timestamp_millis()))
    };
    let last = [on(0), on(1)].into_iter().flatten().find(|moment| *moment <= now);
    last.is_some_and(|last| newest < last)
}

/// The outlet of this box, its timezone, and when the branch began.
fn own(from: &dyn Source) -> db::Result<Option<(Uuid, Tz, Millis)>> {
    let began =
        opt(from, "SELECT min(started_at) FROM sync_meta", [], |row| row.get::<_, Option<Millis>>(0))?;
    let outlet = outlets::store::list(from)?.into_iter().next();
    Ok(outlet.map(|outlet| (outlet.id, outlet.timezone, began.flatten().unwrap_or_default())))
}

/// On a thread that nobody waits for at a stop.
async fn take(db: &Db, settings: Settings) -> Result<Backup> {
    let (path, env) = (db.path().to_owned(), db.env().clone());
    let (done, taken) = oneshot::channel();
    let work = move || {
        let backup = taking::take(&path, &settings.to, Reason::Nightly, &env);
        for folder in std::iter::once(&settings.to.own).chain(&settings.to.second).filter(|_| backup.is_ok())
        {
            if let Err(error) = taking::rotate(folder, settings.rules) {
                tracing::warn!(%error, "an outdated backup could not be deleted");
            }
        }
        let _stopped = done.send(backup);
    };
    let spawned = std::thread::Builder::new().name("backup".into()).spawn(work);
    let failed = |error: std::io::Error| BackupError::File { path: "backup".into(), error };
    spawned.map_err(failed)?;
    taken.await.unwrap_or_else(|_| Err(failed(std::io::Error::other("it was stopped"))))
}

/// What the managers are told.
struct Complaint {
    kind: &'static str,
    severity: Severity,
    title: &'static str,
    body: String,
}

fn judge(taken: Result<Backup>) -> (Option<Backup>, Option<Complaint>) {
    match taken {
        Ok(backup) => {
            tracing::info!(backup = %backup.path.display(), bytes = backup.bytes, "the nightly backup is taken");
            let complaint = backup.not_copied.as_ref().map(|reason| {
                tracing::warn!(reason, "the nightly backup is not in the second place");
                Complaint {
                    kind: "BACKUP_NOT_COPIED",
                    severity: Severity::Warning,
                    title: "Last night's backup is on this box only",
                    body: format!(
                        "It could not be copied to the second place: {reason}. Is the stick plugged in?"
                    ),
                }
            });
            (Some(backup), complaint)
        }
        Err(error @ BackupError::Damaged(_)) => {
            tracing::error!(%error, "THE NIGHTLY BACKUP FOUND THE DATABASE DAMAGED: run edge doctor");
            let body = format!("{error}. Stop the server and put the last good backup back: edge restore.");
            let title = "The database is damaged";
            (None, Some(Complaint { kind: "DATABASE_DAMAGED", severity: Severity::Critical, title, body }))
        }
        Err(error) => {
            tracing::error!(%error, "the nightly backup failed");
            let body = format!("{error}. It is tried again every hour.");
            let title = "There is no backup of last night";
            (None, Some(Complaint { kind: "BACKUP_FAILED", severity: Severity::Critical, title, body }))
        }
    }
}

impl Complaint {
    fn tell(self, tx: &Tx<'_>, outlet: Uuid) -> db::Result<()> {
        let Complaint { kind, severity, title, body } = self;
        let (title, audience, dedupe_key) = (title.to_owned(), Audience::Managers, kind.to_owned());
        let notice = Notice { kind, severity, title, body, audience, entity: None, dedupe_key };
        notify(tx, outlet, notice)
    }
}

#[cfg(test)]
mod tests;
