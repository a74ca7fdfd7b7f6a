//! Changes of head office that take effect later: the branch has them early and makes them by its own clock; here they are made
//! before anything that would tell the difference. Never made twice.

use super::edit::{self, Edit, Edited};
use super::error::HubError;
use super::rows;
use super::state::State;
use super::{Desk, lives};
use crate::store::OutletTx;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use edge::db::{Source, list, opt};
use edge::{insert, inserted, update, updated};
use tiffin_common::frame::DecodeError;
use tiffin_common::sync::{HelloRequest, ScheduledRow};
use tiffin_common::{Millis, Uuid};

/// Who edited what this database has forgotten.
const BEFORE: &str = "head office, before it was put back";

/// One change that takes effect later.
#[derive(Debug, Clone)]
pub struct Scheduled {
    /// Its own id: an entry that is there already is left as it is.
    pub id: Uuid,
    /// When.
    pub effective_at: Millis,
    /// One change, packed, as in [`Edit::changes`].
    pub change: Vec<u8>,
    /// Who, for people to read.
    pub editor: String,
    /// The publication that brings it.
    pub publication: Option<Uuid>,
}

/// Puts entries on the list.
///
/// # Errors
/// See [`crate::hub::Hub::schedule`].
pub fn schedule(tx: &mut dyn OutletTx, at: &Desk, entries: &[Scheduled]) -> Result<Edited, HubError> {
    let mut state = State::open(&*tx, at)?;
    let mut changed = 0;
    for entry in entries {
        let (table, row) = edit::check(at.outlet, &rows::one_op(&entry.change)?)?;
        // What the row was before, so that it is known when the change is taken back.
        edit::adopt(tx, at, &state, table, row)?;
        let Scheduled { id, effective_at, change, editor, publication } = entry;
        changed += inserted!(
            &*tx,
            hub_scheduled {
                outlet_id: at.outlet,
                id: id,
                effective_at: effective_at,
                op: change,
                editor: editor,
                publication: publication,
            },
            "ON CONFLICT (outlet_id, id) DO NOTHING"
        )?;
    }
    settle(tx, at, &mut state, changed)
}

/// Takes entries off the list. A branch that holds them may make them before it hears of it, or has: every row that they name comes to
/// it again, as head office has it.
pub fn unschedule(tx: &mut dyn OutletTx, at: &Desk, entries: &[Uuid]) -> Result<Edited, HubError> {
    let mut state = State::open(&*tx, at)?;
    let (now, mut changed) = (at.now(), 0);
    make_due(tx, at, &mut state, now)?;
    for id in entries {
        let taken = updated!(
            &*tx,
            hub_scheduled { cancelled_at: now }
                where { outlet_id: at.outlet, id: id; "applied_at IS NULL AND cancelled_at IS NULL" }
        )?;
        changed += taken;
        if taken > 0 && !at.bugs.cancel_is_silent() {
            let op = "SELECT op FROM hub_scheduled WHERE outlet_id = ?1 AND id = ?2";
            let op: Option<Vec<u8>> = opt(&*tx, op, [at.outlet, *id], |row| row.get(0))?;
            let op = op.unwrap_or_default();
            let (table, row) = edit::check(at.outlet, &rows::one_op(&op)?)?;
            edit::send_again(tx, at, &mut state, table, row)?;
        }
    }
    settle(tx, at, &mut state, changed)
}

/// While the list is in doubt a branch tells what it knows of it: what was taken back and is forgotten here, and what was published. That
/// may be told late or twice, or by a copy of the box, so the doubt ends when the branch has taken a version of this life.
pub(super) fn hear(
    tx: &mut dyn OutletTx,
    at: &Desk,
    state: &mut State,
    request: &HelloRequest,
) -> Result<(), HubError> {
    if !state.doubts_schedule {
        return Ok(());
    }
    let is_sure = lives::ends_doubt(&*tx, state, request.feed, request.mark.as_deref())?;
    // A program that does not remember what was taken back says it once, by what is left.
    let says_all = request.withdrawn.is_none() || at.bugs.any_greeting_counts();
    state.doubts_schedule = !is_sure && !says_all;
    let knows_more = lives::known_before(&*tx, state, request.feed)?.is_some();
    if !is_sure && knows_more {
        cancel(tx, at, request)?;
        list_again(tx, at, state, &request.scheduled)?;
        state.step();
        state.next_due = next(&*tx, at.outlet)?;
    }
    Ok(())
}

/// Takes off the list what a branch was told to drop, for good: a copy of it that comes later brings none of it back.
fn cancel(tx: &mut dyn OutletTx, at: &Desk, request: &HelloRequest) -> Result<(), HubError> {
    const WAITING: &str =
        "SELECT id FROM hub_scheduled WHERE outlet_id = ?1 AND applied_at IS NULL AND cancelled_at IS NULL";
    let now = at.now();
    let dropped = match &request.withdrawn {
        Some(withdrawn) => withdrawn.clone(),
        // It does not remember: what it no longer has was taken back or made.
        None => {
            let waiting: Vec<Uuid> = list(&*tx, WAITING, [at.outlet], |row| row.get(0))?;
            let is_held = |id: &Uuid| request.scheduled.iter().any(|held| held.id == *id);
            waiting.into_iter().filter(|id| !is_held(id)).collect()
        }
    };
    for id in dropped {
        insert!(
            &*tx,
            hub_scheduled {
                outlet_id: at.outlet,
                id: id,
                effective_at: now,
                op: Vec::<u8>::new(),
                editor: BEFORE,
                cancelled_at: now,
            },
            "ON CONFLICT (outlet_id, id) DO UPDATE SET cancelled_at = excluded.cancelled_at
               WHERE hub_scheduled.applied_at IS NULL AND hub_scheduled.cancelled_at IS NULL"
        )?;
    }
    Ok(())
}

/// Puts on the list what a branch holds of it and nobody here knows.
fn list_again(
    tx: &mut dyn OutletTx,
    at: &Desk,
    state: &State,
    held: &[ScheduledRow],
) -> Result<(), HubError> {
    let now = at.now();
    for held in held.iter().filter(|held| held.effective_at > now) {
        let op = STANDARD.decode(&held.op).map_err(|_| DecodeError("a change that is not base64"))?;
        let (table, row) = edit::check(at.outlet, &rows::one_op(&op)?)?;
        edit::adopt(tx, at, state, table, row)?;
        insert!(
            &*tx,
            hub_scheduled {
                outlet_id: at.outlet,
                id: held.id,
                effective_at: held.effective_at,
                op: op,
                editor: BEFORE,
            },
            "ON CONFLICT (outlet_id, id) DO NOTHING"
        )?;
    }
    Ok(())
}

/// A list that changed is a step of the feed, so that a branch that waits hears of it and its log shows that it has it.
fn settle(tx: &mut dyn OutletTx, at: &Desk, state: &mut State, changed: usize) -> Result<Edited, HubError> {
    if changed > 0 {
        state.step();
    }
    state.next_due = next(&*tx, at.outlet)?;
    state.save(&*tx, &at.env)?;
    Ok(Edited { feed: state.feed, changed })
}

fn next(from: &dyn Source, outlet: Uuid) -> edge::db::Result<Option<Millis>> {
    const NEXT: &str = "SELECT min(effective_at) FROM hub_scheduled
        WHERE outlet_id = ?1 AND applied_at IS NULL AND cancelled_at IS NULL";
    Ok(opt(from, NEXT, [outlet], |row| row.get(0))?.flatten())
}

/// Makes the changes whose time has come.
pub fn run_due(tx: &mut dyn OutletTx, at: &Desk, now: Millis) -> Result<usize, HubError> {
    let mut state = State::open(&*tx, at)?;
    let made = make_due(tx, at, &mut state, now)?;
    if made > 0 {
        state.save(&*tx, &at.env)?;
    }
    Ok(made)
}

/// [`run_due`] within a unit of work that saves the state.
pub(super) fn make_due(
    tx: &mut dyn OutletTx,
    at: &Desk,
    state: &mut State,
    now: Millis,
) -> Result<usize, HubError> {
    const DUE: &str = "SELECT id, effective_at, op, editor, publication FROM hub_scheduled
        WHERE outlet_id = ?1 AND applied_at IS NULL AND cancelled_at IS NULL AND effective_at <= ?2
        ORDER BY effective_at, id";
    // A head office that was put back does not know what was taken back since: the branch does.
    if state.doubts_schedule || state.next_due.is_none_or(|due| due > now) {
        return Ok(0);
    }
    let due = list(&*tx, DUE, (at.outlet, now), |row| {
        let edit = Edit {
            at: Some(row.get("effective_at")?),
            made_at: None,
            changes: row.get("op")?,
            editor: row.get("editor")?,
            publication: row.get("publication")?,
        };
        Ok((row.get::<_, Uuid>("id")?, edit))
    })?;
    for (id, change) in &due {
        match edit::make(tx, at, state, change) {
            Ok(_) => {}
            // The row was never there: nothing to change, and nothing that another time would bring.
            Err(HubError::Invalid(reason)) => tracing::warn!(%id, reason, "a scheduled change is void"),
            Err(error) => return Err(error),
        }
        update!(&*tx, hub_scheduled { applied_at: now } where { outlet_id: at.outlet, id: id })?;
    }
    state.next_due = next(&*tx, at.outlet)?;
    // The list is shorter.
    state.step();
    Ok(due.len())
}
