//! Takes back a part of the log that this box has lost (its database is an old backup, or its disk lied) and head office holds:
//! what nobody has touched since is made again, the rest goes on record for a person. In steps, each an action of its own and whole
//! transactions of the lost log, so that tills sell between them; after the last both hold the same rows. So is taken over what another
//! box of the outlet had. Never overwrites what was done here since.

use super::apply::is_constraint;
use super::bugs::Bugs;
use super::exchange::{Exchange, outlet};
use super::own::Own;
use super::review::{Reason, is_bookkeeping, numbers_of};
use super::steps::{self, Action};
use super::store::{self, NewReview};
use super::trouble::Trouble;
use super::{Hub, derived, lost, notices, twice};
use crate::db::{self, DbError, Tx};
use crate::log::{RowKey, Whole};
use crate::resources::inventory::store::levels::LedgerSums;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tiffin_common::Uuid;
use tiffin_common::frame::{Hash, Op, OpKind, Position, Value};
use tiffin_common::registry::{self, RETIRED, Table};
use tiffin_common::sync::batch::Dictionary;

/// Rows of one `Recovered` log row.
const ROWS: usize = 500;

/// Fetches what was lost after `ancestor`, to its end, and takes it back; head office packs it with `dictionary`. After trouble it
/// is begun again from the start: what was taken back by then is not this box's own.
pub(super) async fn recover(
    exchange: &Exchange,
    hub: &Hub,
    ancestor: Option<Position>,
    lost_to: Position,
    dictionary: Dictionary,
) -> Result<(), Trouble> {
    let lost = lost::fetch(hub, ancestor, lost_to, dictionary).await?;
    let own = Own::since(ancestor.map_or(0, |at| at.seq), lost_to.epoch);
    let is_back = move |tx: &Tx<'_>, rows, reviews| -> Result<(), DbError> {
        store::set_recovered(tx, &lost_to)?;
        store::set_feed_forgotten(tx)?;
        tracing::warn!(rows, reviews, "took back what the log had lost");
        notices::recovered(tx, outlet(tx)?, rows, reviews)
    };
    take_in_steps(exchange, own, lost, lost_to, is_back).await
}

/// Takes `actions`, which the log tells by `origin`, whose last row is the end of them. `own` is what was done here since; `done` is part of
/// the last step and is told how many rows there were, and how many of them need a look.
pub(super) async fn take_in_steps<A: Action>(
    exchange: &Exchange,
    own: Own,
    actions: Vec<A>,
    origin: Position,
    done: impl Fn(&Tx<'_>, usize, usize) -> Result<(), DbError> + Copy + Send + 'static,
) -> Result<(), Trouble> {
    let actions = Arc::new(actions);
    let (mut taken, mut from) = (Taken::new(own, exchange.0.settings.bugs), 0);
    loop {
        let to = from + steps::next(actions.get(from..).unwrap_or_default());
        let (step, before) = (Arc::clone(&actions), taken);
        let is_last = to >= actions.len();
        let sums = if is_last { exchange.db().read(derived::sum_ledgers).await? } else { Vec::new() };
        let take = move |tx: &Tx<'_>| -> Result<Option<Taken>, DbError> {
            let taking = take_some(tx, before, step.get(from..to.min(step.len())).unwrap_or_default())?;
            if !is_last {
                return taking.record(unfinished(origin)).map(Some);
            }
            let (rows, reviews) = taking.finish(origin, &sums)?;
            done(tx, rows, reviews).map(|()| None)
        };
        match exchange.db().write(take).await? {
            Some(more) => (taken, from) = (more, to),
            None => return Ok(()),
        }
    }
}

/// Not the end of it, as head office sees it.
fn unfinished(origin: Position) -> Position {
    Position { seq: 0, hash: Hash::START, ..origin }
}

/// What is known from one step to the next.
struct Taken {
    own: Own,
    /// Every row that was touched by what was lost.
    touched: BTreeSet<RowKey>,
    /// Rows that could not be put back: their lost values, and why.
    refused: BTreeMap<RowKey, Reason>,
    /// The counters that were made in what was lost: here the same series may count in another row.
    series: BTreeMap<Uuid, (Uuid, String)>,
    /// Alarms that are here already, as another row.
    known: BTreeSet<RowKey>,
    /// Rows whose number another one has.
    shared: usize,
    bugs: Bugs,
}

impl Taken {
    fn new(own: Own, bugs: Bugs) -> Taken {
        let (touched, refused, series, known) = Default::default();
        Taken { own, touched, refused, series, known, shared: 0, bugs }
    }
}

/// One step of it.
struct Taking<'t, 'c> {
    tx: &'t Tx<'c>,
    outlet: Uuid,
    taken: Taken,
    /// The rows that this step touched.
    step: BTreeSet<RowKey>,
}

/// Takes some of the actions.
fn take_some<'t, 'c>(
    tx: &'t Tx<'c>,
    taken: Taken,
    actions: &[impl Action],
) -> Result<Taking<'t, 'c>, DbError> {
    let mut taking = Taking::new(tx, taken)?;
    for action in actions {
        let (ops, is_whole) = action.read()?;
        taking.take_all(&ops, is_whole)?;
    }
    Ok(taking)
}

/// Takes back some of what was lost after row `ancestor`, as a box does that then stops.
#[cfg(test)]
pub(super) fn take_step(
    tx: &Tx<'_>,
    ancestor: i64,
    lost: &[impl Action],
    origin: Position,
) -> Result<(), DbError> {
    let taken = Taken::new(Own::since(ancestor, origin.epoch), Bugs::default());
    take_some(tx, taken, lost)?.record(unfinished(origin)).map(drop)
}

impl<'t, 'c> Taking<'t, 'c> {
    fn new(tx: &'t Tx<'c>, mut taken: Taken) -> Result<Taking<'t, 'c>, DbError> {
        taken.own.read_on(tx)?;
        Ok(Taking { tx, outlet: outlet(tx)?, taken, step: BTreeSet::new() })
    }

    /// Puts what this step touched on record in the log.
    fn record(self, origin: Position) -> Result<Taken, DbError> {
        let Taking { tx, step: mut rows, taken, .. } = self;
        rows.extend(tx.take_touched()?.into_iter().map(|touched| touched.row));
        let rows: Vec<RowKey> = rows.into_iter().collect();
        let last = rows.len().saturating_sub(1) / ROWS * ROWS;
        let (before, end) = rows.split_at(last);
        for piece in before.chunks(ROWS) {
            tx.record_whole(Whole::Recovered(unfinished(origin)), piece)?;
        }
        tx.record_whole(Whole::Recovered(origin), end)?;
        Ok(taken)
    }

    /// Compares what nobody could refuse, puts what is left on record in the log and makes anew what is derived; answers how many rows
    /// there are, and how many of them need a look.
    fn finish(mut self, origin: Position, sums: &[LedgerSums]) -> Result<(usize, usize), DbError> {
        self.compare_payments()?;
        self.compare_numbers()?;
        let tx = self.tx;
        let taken = self.record(origin)?;
        derived::derive(tx, sums)?;
        Ok((taken.touched.len(), taken.refused.len().saturating_add(taken.shared)))
    }

    /// The changes of one action; of stock that was put on the shelf in it and here, too, only what is here.
    fn take_all(&mut self, ops: &[Op<'_>], is_whole: bool) -> Result<(), DbError> {
        let movements = twice::movements(ops);
        let mut twice = twice::given_back(self.tx, &movements)?;
        if !self.taken.bugs.transfers_come_twice() {
            twice.extend(twice::taken_in(&self.taken.own, &movements));
        }
        for op in ops {
            match registry::table(op.table).zip(op.row_id()) {
                Some((table, id)) if twice.contains(&(table.no, id)) && !self.is_there(table, id)? => {
                    self.taken.touched.insert((table.no, id));
                    self.step.insert((table.no, id));
                    self.refuse(table, id, &op.columns, Reason::ChangedSince)?;
                }
                _ => self.take(op, is_whole)?,
            }
        }
        Ok(())
    }

    /// One lost change.
    fn take(&mut self, op: &Op<'_>, is_whole: bool) -> Result<(), DbError> {
        let (Some(table), Some(id)) = (registry::table(op.table), op.row_id()) else { return Ok(()) };
        let row = (table.no, id);
        self.taken.touched.insert(row);
        self.step.insert(row);
        if self.taken.known.contains(&row) {
            return Ok(());
        }
        if table.name == "counters" {
            return self.count(table, id, op);
        }
        let own = self.taken.own.columns(&row).filter(|_| !self.taken.bugs.recovery_overwrites());
        let held = self.is_there(table, id)?;
        match (op.kind, held, own) {
            (OpKind::Insert, false, None) => self.insert(table, id, op),
            // It was there before, or was deleted here since: a whole row is what it became.
            (OpKind::Insert, false, Some(_)) => self.refuse(table, id, &op.columns, Reason::DeletedSince),
            (OpKind::Insert, true, None) if is_whole || self.taken.bugs.recovery_overwrites() => {
                self.outcome(store::set_row(self.tx, table, id, &op.columns).map(drop), table, id, op)
            }
            (OpKind::Insert, true, None) => Ok(()),
            (OpKind::Insert | OpKind::Update, true, Some(columns)) => self.merge(table, id, op, columns),
            (OpKind::Update, true, None) => self.set(table, id, op, &op.columns),
            // Its insert was refused: what became of it goes the same way.
            (OpKind::Update, false, _) => {
                let reason = self.taken.refused.get(&row).copied().unwrap_or(Reason::DeletedSince);
                self.refuse(table, id, &op.columns, reason)
            }
            (OpKind::Delete, true, None) => {
                self.outcome(store::delete_row(self.tx, table, id).map(drop), table, id, op)
            }
            (OpKind::Delete, true, Some(_)) => self.refuse(table, id, &[], Reason::ChangedSince),
            (OpKind::Delete, false, _) => Ok(()),
        }
    }

    fn is_there(&self, table: &'static Table, id: Uuid) -> Result<bool, DbError> {
        Ok(crate::log::with_row(self.tx, table, id, |_| ())?)
    }

    fn insert(&mut self, table: &'static Table, id: Uuid, op: &Op<'_>) -> Result<(), DbError> {
        self.outcome(store::set_row(self.tx, table, id, &op.columns).map(drop), table, id, op)?;
        if self.taken.bugs.numbers_refuse_rows()
            && let Some(number) = numbers_of(table).first()
            && store::find_shared(self.tx, table, id, *number)?.is_some()
        {
            store::delete_row(self.tx, table, id)?;
            self.refuse(table, id, &op.columns, Reason::NumberTaken)?;
        }
        Ok(())
    }

    fn set(
        &mut self,
        table: &'static Table,
        id: Uuid,
        op: &Op<'_>,
        columns: &[(usize, Value<'_>)],
    ) -> Result<(), DbError> {
        let named: Vec<_> = columns
            .iter()
            .filter_map(|(no, value)| Some((*table.columns.get(*no)?, *value)))
            .filter(|(name, _)| !name.starts_with(RETIRED) && *name != registry::KEY)
            .collect();
        if named.is_empty() {
            return Ok(());
        }
        self.outcome(store::set_columns(self.tx, table, id, &named), table, id, op)
    }

    /// A row that was changed here since: the columns nobody touched are put back, the others stay.
    fn merge(
        &mut self,
        table: &'static Table,
        id: Uuid,
        op: &Op<'_>,
        own: Option<BTreeSet<usize>>,
    ) -> Result<(), DbError> {
        let is_own = |no: &usize| own.as_ref().is_none_or(|own| own.contains(no));
        let free: Vec<_> = op.columns.iter().filter(|(no, _)| !is_own(no)).copied().collect();
        let mut differs = false;
        crate::log::with_row(self.tx, table, id, |held| {
            let same = |(no, value): &&(usize, Value<'_>)| {
                held.iter().find(|(column, _)| column == no).map_or(&Value::Null, |(_, value)| value) == value
            };
            differs = op
                .columns
                .iter()
                .filter(|(no, _)| is_own(no) && !is_bookkeeping(table, *no))
                .any(|c| !same(&c));
        })?;
        self.set(table, id, op, &free)?;
        if differs { self.refuse(table, id, &op.columns, Reason::ChangedSince) } else { Ok(()) }
    }

    /// An order that was paid here and in what was lost has taken the money twice, though both say the same of it.
    fn compare_payments(&mut self) -> Result<(), DbError> {
        let Some(orders) = registry::table_named("orders").filter(|_| !self.taken.bugs.recovery_overwrites())
        else {
            return Ok(());
        };
        // The other payment may be of a box that this one took the place of: then it is not in this log.
        let touched = self.taken.touched.iter().filter(|row| row.0 == orders.no);
        for row in touched.copied().collect::<Vec<_>>() {
            // That both have a bill of their own says less than that both took the money.
            let is_out = self.taken.refused.get(&row).is_some_and(|reason| *reason != Reason::ChangedSince);
            if !is_out && !store::is_paid_as_told(self.tx, row.1)? {
                self.refuse(orders, row.1, &[], Reason::PaidTwice)?;
            }
        }
        Ok(())
    }

    /// Bills and orders whose number was given out here, too, while nobody knew: both stay, and a person is told.
    fn compare_numbers(&mut self) -> Result<(), DbError> {
        let rows: Vec<RowKey> =
            self.taken.touched.iter().filter(|row| !self.taken.own.has(row)).copied().collect();
        for (no, id) in rows {
            let Some(table) = registry::table(no) else { continue };
            for number in numbers_of(table) {
                if let Some(rival) = store::find_shared(self.tx, table, id, *number)?
                    && !self.taken.touched.contains(&(no, rival))
                {
                    self.shared(table, id, rival)?;
                }
            }
        }
        Ok(())
    }

    /// Puts a row and the one with the same number on the list.
    fn shared(&mut self, table: &'static Table, id: Uuid, rival: Uuid) -> Result<(), DbError> {
        self.taken.shared = self.taken.shared.saturating_add(1);
        let mut review = Ok(());
        crate::log::with_row(self.tx, table, id, |lost| {
            let (outlet, reason) = (self.outlet, Reason::NumberTaken);
            let new = NewReview { outlet, table, row: id, reason, lost: &lost, kept: Some(rival) };
            review = store::insert_review(self.tx, &new);
        })?;
        review
    }

    /// Numbers that were given out are never given out again: the higher of the two goes on.
    fn count(&mut self, table: &'static Table, id: Uuid, op: &Op<'_>) -> Result<(), DbError> {
        let of = |name: &str| op.value(table, name);
        let Some(Value::Integer(value)) = of("value") else { return Ok(()) };
        match (of("outlet_id"), of("series")) {
            (Some(Value::Id(outlet)), Some(Value::Text(series))) => {
                self.taken.series.insert(id, (outlet, series.to_owned()));
                match store::find_counter(self.tx, outlet, series)? {
                    Some(_) => store::set_counter(self.tx, outlet, series, value)?,
                    None => store::set_row(self.tx, table, id, &op.columns).map(drop)?,
                }
            }
            _ => match self.taken.series.get(&id) {
                Some((outlet, series)) => store::set_counter(self.tx, *outlet, series, value)?,
                None => store::set_counter_row(self.tx, id, value)?,
            },
        }
        Ok(())
    }

    /// What a row refuses goes on record; what the store refuses ends the attempt.
    fn outcome(
        &mut self,
        outcome: db::Result<()>,
        table: &'static Table,
        id: Uuid,
        op: &Op<'_>,
    ) -> Result<(), DbError> {
        match outcome {
            Ok(()) => Ok(()),
            Err(DbError::Taken { .. }) if table.name == "notifications" => {
                self.taken.known.insert((table.no, id));
                Ok(())
            }
            Err(error) if is_constraint(&error) => {
                let taken = matches!(error, DbError::Taken { .. });
                self.refuse(table, id, &op.columns, if taken { Reason::NumberTaken } else { Reason::Refused })
            }
            Err(error) => Err(error),
        }
    }

    fn refuse(
        &mut self,
        table: &'static Table,
        row: Uuid,
        lost: &[(usize, Value<'_>)],
        reason: Reason,
    ) -> Result<(), DbError> {
        self.taken.refused.entry((table.no, row)).or_insert(reason);
        store::insert_review(
            self.tx,
            &NewReview { outlet: self.outlet, table, row, reason, lost, kept: None },
        )
    }
}
