//! What many changes of rows come to: one for each row, so that a row that is changed ten times in a push is written once. Pure: knows
//! what the changes expect of the database, and leaves it to the caller to see whether it is so.

use super::columns::{Columns, Target, bit};
use crate::store::{Replay, Strictness, Unapplied};
use std::collections::HashMap;
use tiffin_common::Uuid;
use tiffin_common::frame::{Op, OpKind, Value};
use tiffin_common::registry;

/// What the first change of a row expects of the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expects {
    /// No such row.
    Absent,
    /// The row.
    Present,
    /// Either.
    Any,
}

/// What the row comes to.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum EndState<'a> {
    /// A whole row, by the places of its table's columns.
    Put(Vec<Value<'a>>),
    /// Some columns of the row, if it is there; ascending places.
    Patch(Vec<(usize, Value<'a>)>),
    /// Nothing.
    Gone,
}

/// All changes of one row.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Net<'a> {
    pub(super) expects: Expects,
    pub(super) end: EndState<'a>,
}

/// A row: its table's number and its id.
pub(super) type Key = (u16, Uuid);

/// The changes so far.
#[derive(Debug)]
pub(super) struct Fold<'a> {
    outlet: Uuid,
    pub(super) rows: HashMap<Key, Net<'a>>,
}

/// Why a log row was not taken in.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// It cannot be applied, whatever the database holds.
    Never(Unapplied),
    /// It depends on what the database holds: what was taken in must be applied first.
    First,
}

/// Whether a row is there, as far as the changes tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum There {
    Yes,
    No,
    /// Nothing was said about it.
    Untold,
    /// It was changed if it was there.
    Perhaps,
}

/// What one change asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Take,
    /// There is nothing to change, and that is as good.
    Skip,
}

impl<'a> Fold<'a> {
    pub(super) fn new(outlet: Uuid) -> Self {
        Fold { outlet, rows: HashMap::new() }
    }

    /// Takes in the changes of a log row, all of them or none.
    pub(super) fn add(&mut self, replay: &Replay<'a>) -> Result<(), Stop> {
        let mut seen: HashMap<Key, There> = HashMap::new();
        let mut steps = Vec::with_capacity(replay.ops.len());
        for op in replay.ops {
            let (columns, key) = self.check(op, replay.strictness)?;
            let there = seen.get(&key).copied().unwrap_or_else(|| self.there(key));
            let (step, now) = judge(op.kind, replay.strictness, there)
                .map_err(|stop| named(stop, op.kind, columns.table.name))?;
            seen.insert(key, now);
            steps.push((columns, key, step));
        }
        for (op, (columns, key, step)) in replay.ops.iter().zip(steps) {
            if step == Step::Take {
                self.take(op, columns, key, replay.strictness);
            }
        }
        Ok(())
    }

    fn there(&self, key: Key) -> There {
        match self.rows.get(&key) {
            None => There::Untold,
            Some(Net { end: EndState::Put(_), .. }) => There::Yes,
            Some(Net { end: EndState::Gone, .. }) => There::No,
            Some(Net { expects: Expects::Any, end: EndState::Patch(_) }) => There::Perhaps,
            Some(Net { end: EndState::Patch(_), .. }) => There::Yes,
        }
    }

    /// Whether the change makes sense by itself; its row.
    fn check(&self, op: &Op<'_>, strictness: Strictness) -> Result<(&'static Columns, Key), Stop> {
        let never = |text: String| Stop::Never(Unapplied(text));
        let table =
            registry::table(op.table).ok_or_else(|| never(format!("table {} is not known", op.table)))?;
        let columns = Columns::of(table).map_err(never)?;
        let (mut id, mut whose, name) = (op.key.id(), op.kind != OpKind::Insert, table.name);
        let mut given = 0;
        // A change of a row that may be missing is judged by the database.
        let whole = op.kind == OpKind::Insert || strictness == Strictness::Exact;
        for (number, value) in &op.columns {
            let wrong = || {
                let column = table.columns.get(*number).copied().unwrap_or("?");
                never(format!("{name}.{column} cannot hold what it is given"))
            };
            match columns.place(*number) {
                None => return Err(never(format!("{name} has no column {number} in this version"))),
                Some(Target::Retired) => {}
                // One outlet's key never writes another's rows.
                Some(Target::Outlet) if value.id() != Some(self.outlet) => {
                    return Err(never(format!("a row of {name} belongs to another outlet")));
                }
                Some(Target::Outlet) => whose = true,
                Some(Target::At(place)) if place == columns.key() => match (op.kind, value.id()) {
                    (OpKind::Insert, Some(new)) => {
                        id = Some(new);
                        given |= bit(place);
                    }
                    (_, same) if same.is_some() && same == id => {}
                    _ => return Err(wrong()),
                },
                Some(Target::At(place)) => {
                    let column = columns.all.get(place).ok_or_else(wrong)?;
                    if !column.holds.takes(value) || (whole && column.required && *value == Value::Null) {
                        return Err(wrong());
                    }
                    given |= bit(place);
                }
            }
        }
        let id = id.ok_or_else(|| never(format!("{:?} in {name} without an id", op.kind)))?;
        if name == "outlets" && id != self.outlet {
            return Err(never("a row of outlets is another outlet".to_owned()));
        }
        if op.kind == OpKind::Insert && columns.needed & !given != 0 {
            return Err(never(format!("a new row of {name} that is not whole")));
        }
        if !whose && name != "outlets" {
            return Err(never(format!("a row of {name} that belongs to no outlet")));
        }
        Ok((columns, (op.table, id)))
    }

    fn take(&mut self, op: &Op<'a>, columns: &'static Columns, key: Key, strictness: Strictness) {
        let first = match (strictness, op.kind) {
            (Strictness::Exact, OpKind::Insert) => Expects::Absent,
            (Strictness::Exact, OpKind::Update | OpKind::Delete) => Expects::Present,
            _ => Expects::Any,
        };
        let given = op.columns.iter().filter_map(|(number, value)| match columns.place(*number) {
            Some(Target::At(place)) => Some((place, *value)),
            _ => None,
        });
        match op.kind {
            OpKind::Insert => {
                let mut row: Vec<Value<'a>> = columns.all.iter().map(|c| c.default.value()).collect();
                given.for_each(|(place, value)| set(&mut row, place, value));
                let net = self.rows.entry(key).or_insert(Net { expects: first, end: EndState::Gone });
                net.end = EndState::Put(row);
            }
            OpKind::Delete => {
                let net = self.rows.entry(key).or_insert(Net { expects: first, end: EndState::Gone });
                net.end = EndState::Gone;
            }
            OpKind::Update => {
                let fresh = || Net { expects: first, end: EndState::Patch(Vec::new()) };
                let given = given.filter(|(place, _)| *place != columns.key());
                match &mut self.rows.entry(key).or_insert_with(fresh).end {
                    EndState::Put(row) => given.for_each(|(place, value)| set(row, place, value)),
                    EndState::Patch(patch) => given.for_each(|(place, value)| {
                        match patch.binary_search_by_key(&place, |(place, _)| *place) {
                            Ok(found) => patch[found].1 = value,
                            Err(gap) => patch.insert(gap, (place, value)),
                        }
                    }),
                    // Judged before: a change of what is gone is not taken.
                    EndState::Gone => {}
                }
            }
        }
    }
}

fn set<'a>(row: &mut [Value<'a>], place: usize, value: Value<'a>) {
    if let Some(column) = row.get_mut(place) {
        *column = value;
    }
}

/// Whether a change fits to what is there, and what is there after it.
fn judge(kind: OpKind, strictness: Strictness, there: There) -> Result<(Step, There), Stop> {
    let misfit = |what: &str| Err(Stop::Never(Unapplied(what.to_owned())));
    match (strictness, kind, there) {
        (Strictness::Exact, OpKind::Insert, There::Yes) => misfit("that is already there"),
        (Strictness::Exact, OpKind::Update | OpKind::Delete, There::No) => misfit("that is not there"),
        (Strictness::Exact, _, There::Perhaps) => Err(Stop::First),
        (Strictness::Images, OpKind::Update, _) => misfit("which is no image of a row"),
        (_, OpKind::Insert, _) => Ok((Step::Take, There::Yes)),
        (_, OpKind::Delete, _) => Ok((Step::Take, There::No)),
        (Strictness::Lenient, OpKind::Update, There::No) => Ok((Step::Skip, There::No)),
        (Strictness::Lenient, OpKind::Update, There::Untold | There::Perhaps) => {
            Ok((Step::Take, There::Perhaps))
        }
        (_, OpKind::Update, _) => Ok((Step::Take, There::Yes)),
    }
}

fn named(stop: Stop, kind: OpKind, table: &str) -> Stop {
    match stop {
        Stop::Never(Unapplied(what)) => {
            Stop::Never(Unapplied(format!("{kind:?} of a row of {table} {what}")))
        }
        Stop::First => Stop::First,
    }
}

#[cfg(test)]
mod tests;
