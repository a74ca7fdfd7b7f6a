//! Log rows become rows: the outlet's own tables are made exactly what its log says, row by row of the log or not at all. Never
//! lets one log row that cannot be applied hold up the others, never applies what a newer version wrote.

use super::error::HubError;
use super::proposal::Touched;
use super::refill::{self, Forgotten};
use super::state::State;
use super::{Desk, append_only, digests, history, lives, proposal, quarantine, salvage, transfers, withheld};
use crate::derived;
use crate::store::{OutletTx, Replay, StoreError, Strictness, Unapplied};
use std::collections::HashMap;
use tiffin_common::Uuid;
use tiffin_common::frame::{Body, Bucket, Kind, Op, OpKind, Position, Value};
use tiffin_common::registry::{self, KEY};
use tiffin_common::sync::batch::Frame;

/// Changes that are made in one go: bounds what a giant backlog takes in memory.
const MOST: usize = 50_000;

/// Log rows of one unit of work of [`catch_up`].
const CATCH_UP_BYTES: usize = 4 << 20;

/// A log row that waits to be applied.
struct Waiting<'f> {
    frame: &'f Frame,
    ops: Vec<Op<'f>>,
    strictness: Strictness,
    effect: Effect,
}

/// What is to be done with a log row besides its changes.
#[derive(Debug, Clone, Copy)]
enum Effect {
    /// Nothing.
    Nothing,
    /// Head office decides on its shared rows, of which the branch had seen this version of the feed.
    Propose(i64),
    /// The shared rows among it are compared with head office's.
    Recover,
    /// It came with a version of the feed that head office has forgotten: its rows are taken in again.
    Refill(Forgotten),
    /// Other rows of the bucket are deleted, but for records.
    Repair(Bucket),
}

/// Applies `frames`, which follow what was applied. `known` tells the last row of each process start that had come before, in
/// whatever lineage: head office has decided on the proposals of those.
pub(super) fn frames(
    tx: &mut dyn OutletTx,
    at: &Desk,
    state: &mut State,
    frames: &[Frame],
    known: &HashMap<Uuid, i64>,
) -> Result<(), HubError> {
    let newest = tiffin_migrations::edge_schema_version();
    let mut run =
        Run { at, waiting: Vec::new(), changes: 0, touched: Touched::default(), recipes: false, known };
    let first = frames.first().map_or(state.applied_to, |frame| frame.header.seq - 1);
    if first > state.applied_to {
        // Rows before them wait for an upgrade; these wait behind them.
        frames.last().into_iter().for_each(|frame| state.head_wall = Some(frame.header.wall));
        return Ok(());
    }
    for frame in frames {
        let header = &frame.header;
        state.head_wall = Some(header.wall);
        state.hlc = state.hlc.max(header.hlc);
        if header.schema > newest {
            state.schema = header.schema;
            break;
        }
        match Body::decode(header, &frame.body) {
            Ok(body) => run.take(tx, state, frame, body)?,
            Err(error) => quarantine::put_aside(tx, at, header, &error.to_string())?,
        }
        state.applied_to = header.seq;
        if run.changes > MOST {
            run.flush(tx, state)?;
        }
    }
    if let Some(last) = frames.last() {
        state.head_wall = Some(last.header.wall);
    }
    run.flush(tx, state)?;
    if run.recipes {
        derived::settle(&*tx, at.outlet).map_err(StoreError::from)?;
    }
    let touched = std::mem::take(&mut run.touched);
    proposal::echo(tx, at, state, &touched)
}

struct Run<'f, 'a> {
    at: &'a Desk,
    waiting: Vec<Waiting<'f>>,
    changes: usize,
    touched: Touched,
    /// Whether what a portion takes may have changed.
    recipes: bool,
    known: &'a HashMap<Uuid, i64>,
}

impl<'f> Run<'f, '_> {
    fn take(
        &mut self,
        tx: &mut dyn OutletTx,
        state: &mut State,
        frame: &'f Frame,
        body: Body<'f>,
    ) -> Result<(), HubError> {
        let header = &frame.header;
        let strict = if state.lost.is_some() { Strictness::Lenient } else { Strictness::Exact };
        let (ops, strictness, effect) = match body {
            Body::EpochStart(_) => return Ok(()),
            Body::Schema { to, .. } => {
                state.schema = to;
                return Ok(());
            }
            Body::Digest(entries) => {
                self.flush(tx, state)?;
                return digests::compare(tx, self.at, state, header, &entries, &mut self.touched);
            }
            Body::Data(ops) => (ops, strict, Effect::Nothing),
            Body::Proposal(ops) => {
                let is_known = self.known.get(&header.epoch).is_some_and(|last| *last >= header.seq);
                (ops, strict, if is_known { Effect::Recover } else { Effect::Propose(state.pulled) })
            }
            Body::Pulled { feed, ops } => {
                let feed = feed.min(lives::LAST_FEED);
                if feed > state.feed {
                    lives::notice(&*tx, self.at, state, feed, None)?;
                }
                state.pulled = state.pulled.max(feed);
                let forgotten = lives::known_before(&*tx, state, feed)?.filter(|_| !self.at.bugs.no_refill());
                let effect =
                    forgotten.map_or(Effect::Nothing, |after| Effect::Refill(Forgotten { feed, after }));
                (ops, Strictness::Images, effect)
            }
            Body::Recovered { origin, ops } => {
                if is_end(state, &origin) {
                    if state.is_sent_again() {
                        digests::agree(&*tx, self.at, state, header.seq).map_err(StoreError::from)?;
                    }
                    state.lost = None;
                }
                // The last of what a takeover brought names a row.
                if origin.seq > 0 {
                    salvage::settle(&*tx, self.at, origin.epoch).map_err(StoreError::from)?;
                }
                (ops, Strictness::Images, Effect::Recover)
            }
            // All buckets follow: rows change meanwhile that are not here yet, until the log tells that they are.
            Body::Repair { bucket, .. } if bucket == Bucket::ALL => {
                state.send_again();
                return Ok(());
            }
            Body::Repair { bucket, ops } => {
                // Held against what is here now.
                self.flush(tx, state)?;
                let ops = withheld::admit(tx, self.at, state, header, bucket, ops)?;
                (ops, Strictness::Images, Effect::Repair(bucket))
            }
        };
        // What is taken back or sent again are rows as they are, not what somebody made of them; of a repair the records were looked at.
        let is_made = matches!(effect, Effect::Nothing | Effect::Propose(_)) && header.kind != Kind::Pulled;
        let breach = if is_made { append_only::breach(&ops) } else { None };
        if let Some(reason) = foreign(self.at.outlet, &ops).or(breach) {
            return quarantine::put_aside(tx, self.at, header, &reason);
        }
        self.changes += ops.len();
        self.recipes |= ops.iter().any(|op| derived::matters_no(op.table));
        self.waiting.push(Waiting { frame, ops, strictness, effect });
        if matches!(effect, Effect::Repair(_)) { self.flush(tx, state) } else { Ok(()) }
    }

    fn flush(&mut self, tx: &mut dyn OutletTx, state: &mut State) -> Result<(), HubError> {
        let waiting = std::mem::take(&mut self.waiting);
        self.changes = 0;
        if waiting.is_empty() {
            return Ok(());
        }
        for row in &waiting {
            transfers::note(&*tx, self.at, state, &row.ops)?;
        }
        let replays: Vec<Replay<'_>> =
            waiting.iter().map(|row| Replay { ops: &row.ops, strictness: row.strictness }).collect();
        let outcomes = tx.apply(&replays)?;
        drop(replays);
        for (row, outcome) in waiting.iter().zip(outcomes) {
            let header = &row.frame.header;
            if let Err(Unapplied(reason)) = outcome {
                quarantine::put_aside(tx, self.at, header, &reason)?;
                continue;
            }
            match row.effect {
                Effect::Nothing => {}
                Effect::Propose(base) => {
                    proposal::propose(tx, self.at, state, header, base, &row.ops, &mut self.touched)?;
                }
                Effect::Recover => self.touched.of(&row.ops),
                Effect::Refill(forgotten) => {
                    refill::refill(tx, self.at, state, header, forgotten, &row.ops, &mut self.touched)?;
                }
                Effect::Repair(bucket) => {
                    self.touched.of(&row.ops);
                    digests::repair(tx, self.at, header, bucket, &row.ops)?;
                    refill::drop_others(tx, self.at, state, header, bucket, &row.ops)?;
                }
            }
        }
        Ok(())
    }
}

/// Whether what was lost is taken back with this.
fn is_end(state: &State, origin: &Position) -> bool {
    state.lost.is_some_and(|(epoch, seq)| origin.epoch == epoch && origin.seq >= seq)
}

/// Why the changes are not this outlet's own, if they are not.
fn foreign(outlet: Uuid, ops: &[Op<'_>]) -> Option<String> {
    ops.iter().find_map(|op| {
        let table = registry::table(op.table)?;
        if op.kind == OpKind::Delete {
            return None;
        }
        let owner = if table.columns.contains(&"outlet_id") { "outlet_id" } else { KEY };
        let (_, value) = op
            .columns
            .iter()
            .find(|(column, _)| table.columns.get(*column).is_some_and(|name| *name == owner))?;
        let own = match value {
            Value::Id(id) => *id == outlet,
            Value::Blob(bytes) => *bytes == outlet.as_bytes(),
            _ => false,
        };
        (!own).then(|| format!("a row of {} that belongs to another outlet", table.name))
    })
}

/// Applies what is in the raw log and was not applied, as far as this version can.
pub(super) fn behind(tx: &mut dyn OutletTx, at: &Desk, state: &mut State) -> Result<u64, HubError> {
    let mut applied = 0;
    while state.applied_to < state.seq {
        let before = state.applied_to;
        let held = history::between(&*tx, at.outlet, state.lineage, before, state.seq, CATCH_UP_BYTES)?;
        frames(tx, at, state, &held.frames, &HashMap::new())?;
        if state.applied_to == before {
            break;
        }
        applied += (state.applied_to - before).unsigned_abs();
    }
    Ok(applied)
}

/// Applies what is in the raw log and could not be applied before; answers how many log rows.
pub fn catch_up(tx: &mut dyn OutletTx, at: &Desk) -> Result<u64, HubError> {
    let mut state = State::open(&*tx, at)?;
    let applied = behind(tx, at, &mut state)?;
    if applied > 0 {
        state.save(&*tx, &at.env)?;
    }
    Ok(applied)
}
