//! The printers' worker: one queue and one task per address, so that a dead printer delays nobody else. It takes no input: it wakes,
//! looks at the paper that waits, and sends what is due; what is too old expires instead of coming out late. Never decides what is
//! printed, and never takes silence for success where the printer could have said so.

use super::line::{Line, Patience, Says};
use super::rules::{Job, JobKind, Printer, PrinterFields, Profile, Result};
use super::{actions, store};
use crate::config::Printers;
use crate::db::{self, Db, Topic, Tx};
use crate::http::sse::stopped;
use crate::paper::{Fonts, at, bytes, drawer_kick, in_language};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use tiffin_common::Millis;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Looked again although nothing woke us.
const POLL: Duration = Duration::from_secs(5);

/// The first and the longest pause between attempts.
const PAUSE_MS: std::ops::RangeInclusive<i64> = 1_000..=30_000;

/// After so many attempts the fallback prints.
const FALL_BACK_AFTER: i64 = 3;

/// For so long after one piece of paper went to the fallback the next goes there after its first attempt: nobody waits for each anew.
const KNOWN_OFF_MS: i64 = 5 * 60_000;

/// Of a printer that always answers when it can print.
const SILENT: &str = "It does not say how it is";

/// What printing takes: where printers may be, how long they may take, and who is told of paper that came out.
#[derive(Clone)]
pub struct Press {
    reach: Printers,
    base: Arc<str>,
    patience: Patience,
    came_out: fn(&Tx<'_>, &Job) -> db::Result<()>,
}

impl Press {
    /// Prints at `reach`, with codes below the address `base`; `came_out` is called in the transaction that notes that paper came out.
    pub fn new(reach: Printers, base: Arc<str>, came_out: fn(&Tx<'_>, &Job) -> db::Result<()>) -> Press {
        Press { reach, base, patience: Patience::default(), came_out }
    }

    /// The same, with another patience.
    #[must_use]
    pub fn with(self, patience: Patience) -> Press {
        Press { patience, ..self }
    }

    /// The bytes of a job for a printer. Drawing takes time: it is done where nobody else waits.
    async fn bytes(&self, job: &Job, fields: &PrinterFields) -> Result<Vec<u8>, String> {
        if job.kind == JobKind::Drawer {
            return Ok(drawer_kick());
        }
        let language = job.language.as_deref().or(fields.language.as_deref());
        let (sheet, form) = (in_language(at(job.sheet(), &self.base), language), fields.form_in(language));
        let draw = move || bytes(&sheet, &form, &mut Fonts::shared());
        tokio::task::spawn_blocking(draw).await.map_err(|error| format!("It cannot be drawn ({error})"))
    }
}

/// Prints until `stopping`.
pub async fn run(db: Db, press: Press, mut stopping: watch::Receiver<bool>) {
    let mut changes = db.changes(Topic::Printing);
    let mut known = HashSet::new();
    // Dropping the set at the end stops the printers' tasks.
    let mut tasks = JoinSet::new();
    loop {
        changes.borrow_and_update();
        match db.read(|conn| store::list_open_queues(conn)).await {
            Ok(queues) => {
                for address in queues {
                    if known.insert(address.clone()) {
                        tasks.spawn(drain(db.clone(), address, press.clone()));
                    }
                }
            }
            Err(error) => tracing::warn!(%error, "the print queue cannot be read"),
        }
        tokio::select! {
            () = stopped(&mut stopping) => return,
            () = tokio::time::sleep(POLL) => {}
            Ok(()) = changes.changed() => {}
        }
    }
}

/// One printer's queue, for ever: an idle task costs nothing and never misses a job.
async fn drain(db: Db, address: String, press: Press) {
    let mut changes = db.changes(Topic::Printing);
    loop {
        changes.borrow_and_update();
        let wait = match step(&db, &address, &press).await {
            Ok(Step::Done) => continue,
            Ok(Step::Wait(wait)) => wait,
            Err(error) => {
                tracing::warn!(%error, address, "paper could not be looked after");
                POLL
            }
        };
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            Ok(()) = changes.changed() => {}
        }
    }
}

/// What one look at a printer's queue came to.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// A job left the queue.
    Done,
    /// Nothing to do for so long.
    Wait(Duration),
}

/// Deals with the oldest job of the queue at `address`.
pub async fn step(db: &Db, address: &str, press: &Press) -> Result<Step> {
    let queue = address.to_owned();
    let found = db
        .read(move |conn| -> Result<_> {
            let Some(job) = store::find_next_job(conn, &queue)? else { return Ok(None) };
            let printers = store::list_all(conn, job.outlet_id)?;
            Ok(Some((job, printers)))
        })
        .await?;
    let Some((job, printers)) = found else { return Ok(Step::Wait(POLL)) };
    let now = db.env().clock.now();
    if now >= job.expires_at {
        db.write(move |tx| actions::expired(tx, &job)).await?;
        return Ok(Step::Done);
    }
    if now < job.next_attempt_at {
        return Ok(Step::Wait(millis(job.next_attempt_at.since(now))));
    }
    let printer = printers.iter().find(|printer| match job.printer_id {
        Some(id) => printer.id == id,
        None => printer.fields.address == job.printer_address,
    });
    if job.kind == JobKind::Drawer && job.may_be_printed() {
        db.write(move |tx| actions::given_up(tx, &job, "The drawer may have opened, and does so once"))
            .await?;
        return Ok(Step::Done);
    }
    let fields = printer
        .map_or_else(|| PrinterFields::unlisted(&job.printer_address), |printer| printer.fields.clone());
    match send(db, &job, &fields, press).await {
        Ok(confirmed) => {
            let came_out = press.came_out;
            db.write(move |tx| -> Result<()> {
                store::set_job_printed(tx, job.id, confirmed)?;
                Ok(came_out(tx, &job)?)
            })
            .await?;
            Ok(Step::Done)
        }
        Err(error) => fail(db, job, printer.cloned(), printers, error).await,
    }
}

/// Notes a failed attempt, or hands the paper to the fallback.
async fn fail(
    db: &Db,
    job: Job,
    printer: Option<Printer>,
    printers: Vec<Printer>,
    error: String,
) -> Result<Step> {
    tracing::warn!(address = job.printer_address, error, "a printer does not print");
    let pause = backoff_ms(job.attempts);
    let next: Millis = db.env().clock.now().after(pause);
    let other = printer.as_ref().and_then(|printer| printer.fields.fallback_printer_id);
    let other = other.and_then(|id| printers.into_iter().find(|printer| printer.id == id));
    let has_moved = db
        .write(move |tx| -> Result<bool> {
            actions::failed(tx, &job, &error, next)?;
            match (printer, other) {
                (Some(from), Some(to)) if is_given_up(tx, &job, &from)? => {
                    actions::moved(tx, &job, &to, &from.fields.name)
                }
                _ => Ok(false),
            }
        })
        .await?;
    Ok(if has_moved { Step::Done } else { Step::Wait(millis(pause)) })
}

/// Whether a job that has just failed at `from` goes to its fallback: once, and after fewer attempts where `from` is known to be off.
fn is_given_up(tx: &Tx<'_>, job: &Job, from: &Printer) -> Result<bool> {
    if job.kind == JobKind::Drawer || job.fell_back_from.is_some() {
        return Ok(false);
    }
    let since = tx.now().after(-KNOWN_OFF_MS);
    let is_off = || store::has_fallen_back(tx, job.outlet_id, &from.fields.name, since);
    Ok(job.attempts.saturating_add(1) >= FALL_BACK_AFTER || is_off()?)
}

fn backoff_ms(attempts: i64) -> i64 {
    let doubled = PAUSE_MS.start().checked_shl(u32::try_from(attempts.clamp(0, 16)).unwrap_or(16));
    doubled.unwrap_or(*PAUSE_MS.end()).min(*PAUSE_MS.end())
}

fn millis(ms: i64) -> Duration {
    Duration::from_millis(ms.max(1).unsigned_abs()).min(Duration::from_secs(60))
}

/// Sends a job; answers whether the printer said that it came out, or why it may not have, for people.
async fn send(db: &Db, job: &Job, fields: &PrinterFields, press: &Press) -> Result<bool, String> {
    let mut line = Line::open(fields.target(), &press.reach, press.patience).await?;
    let said = match fields.profile {
        Profile::Mute => Says::Nothing,
        Profile::Generic | Profile::Epson => line.says().await,
    };
    if let Says::Trouble(what) = said {
        return Err(what.to_owned());
    }
    if said == Says::Nothing && fields.profile == Profile::Epson {
        // It always answers when it can print: what were sent now nobody could tell of.
        return Err(SILENT.to_owned());
    }
    let answers = said == Says::Ready;
    // A piece of paper ends with its cut, and nothing else comes from this queue: one more is this job.
    let counts = answers && fields.profile == Profile::Epson && fields.cutter && job.kind != JobKind::Drawer;
    let cuts = if counts { line.cuts().await } else { None };
    if counts && cuts.is_none() {
        // It waits for paper before it answers, or has no such counter. What it says too late would be taken for the answer to
        // something else: the line is another one.
        drop(line);
        line = Line::open(fields.target(), &press.reach, press.patience).await?;
        match line.says().await {
            Says::Ready => {}
            Says::Trouble(what) => return Err(what.to_owned()),
            Says::Nothing => return Err(SILENT.to_owned()),
        }
    }
    if job.may_be_printed()
        && let (Some(before), Some(now)) = (job.cuts_before, cuts)
        && before.checked_add(1) == Some(now)
    {
        return Ok(true);
    }
    let bytes = press.bytes(job, fields).await?;
    let id = job.id;
    db.write(move |tx| store::set_job_sent(tx, id, cuts))
        .await
        .map_err(|error: db::DbError| error.to_string())?;
    line.send(&bytes).await?;
    if !answers {
        line.hang_up().await?;
        return Ok(false);
    }
    if line.is_through().await {
        return match line.says().await {
            Says::Ready | Says::Nothing => Ok(true),
            Says::Trouble(what) => Err(what.to_owned()),
        };
    }
    // Not every printer knows the question that is answered in turn.
    match line.says().await {
        Says::Ready if fields.profile == Profile::Generic => Ok(false),
        Says::Ready => Err("It does not say whether the paper came out".to_owned()),
        Says::Trouble(what) => Err(what.to_owned()),
        Says::Nothing => Err("The line broke before it said that the paper came out".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_are_bounded() {
        assert_eq!([0, 1, 4, 5, 400].map(backoff_ms), [1_000, 2_000, 16_000, 30_000, 30_000]);
    }
}
