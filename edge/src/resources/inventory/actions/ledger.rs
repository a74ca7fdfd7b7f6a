//! The one way stock changes: a movement in the ledger and the levels it is summed in, together. Tells the staff when an item
//! falls to its threshold or below nothing. Never decides what moves.

use super::availability;
use crate::access::Actor;
use crate::db::Tx;
use crate::resources::inventory::rules::{Cause, Kind, Result, StockError, portions};
use crate::resources::inventory::store::levels::Level;
use crate::resources::inventory::store::movements::Movement;
use crate::resources::inventory::store::{levels, movements};
use crate::resources::notifications::{self, Audience, Notice, Severity};
use crate::resources::outlets::rules::Outlet;
use chrono::NaiveDate;
use std::collections::{BTreeMap, BTreeSet};
use tiffin_common::{Quantity, UnitCost, Uuid};

/// A change to be posted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Posting {
    pub(super) item: Uuid,
    pub(super) batch: Option<Uuid>,
    pub(super) kind: Kind,
    pub(super) delta: Quantity,
    pub(super) unit_cost: UnitCost,
    /// With the sign of the delta, in millionths of a cent.
    pub(super) cost_micros: i64,
    pub(super) reverses: Option<Uuid>,
}

/// The levels of the items of one action: read once, changed in memory with every posting, written once by [`Ledger::close`].
pub(super) struct Ledger<'a, 'c> {
    pub(super) tx: &'a Tx<'c>,
    pub(super) actor: &'a Actor,
    /// The business date of this moment.
    pub(super) date: NaiveDate,
    outlet: &'a Outlet,
    items: BTreeMap<Uuid, Entry>,
    batches: BTreeMap<Uuid, Quantity>,
    keeps: BTreeSet<Uuid>,
    /// Movements to be written.
    movements: Vec<Movement>,
    /// All movements, in their order.
    posted: Vec<Uuid>,
    /// The id of the next movement, where it is not to be a new one.
    pub(super) named: Option<Uuid>,
}

struct Entry {
    before: Level,
    now: Level,
}

impl<'a, 'c> Ledger<'a, 'c> {
    /// Reads the levels of `items`.
    pub(super) fn open(tx: &'a Tx<'c>, actor: &'a Actor, outlet: &'a Outlet, items: &[Uuid]) -> Result<Self> {
        let date = outlet.business_date(tx.now());
        let found = levels::list(tx, actor.outlet_id, items, date)?;
        let items =
            found.into_iter().map(|(id, level)| (id, Entry { before: level.clone(), now: level })).collect();
        Ok(Ledger {
            tx,
            actor,
            date,
            outlet,
            items,
            batches: BTreeMap::new(),
            keeps: BTreeSet::new(),
            movements: Vec::new(),
            posted: Vec::new(),
            named: None,
        })
    }

    /// How the item stands now, postings included.
    pub(super) fn level(&self, item: Uuid) -> Result<&Level> {
        self.items.get(&item).map(|entry| &entry.now).ok_or(StockError::NotFound("inventory item"))
    }

    /// Notes what a unit of the item costs from now on.
    pub(super) fn cost_now(&mut self, item: Uuid, unit_cost: UnitCost) -> Result<()> {
        let entry = self.items.get_mut(&item).ok_or(StockError::NotFound("inventory item"))?;
        entry.now.last_unit_cost = unit_cost;
        Ok(())
    }

    /// Notes that something will be left of a batch: it need not be looked at again.
    pub(super) fn keeps(&mut self, batch: Uuid) {
        self.keeps.insert(batch);
    }

    /// Counts a movement in; it is written with the others.
    pub(super) fn post(&mut self, posting: Posting, cause: &Cause) -> Result<()> {
        if posting.delta == Quantity::ZERO && posting.cost_micros == 0 {
            return Ok(());
        }
        let entry = self.items.get_mut(&posting.item).ok_or(StockError::NotFound("inventory item"))?;
        let level = &mut entry.now;
        let before = level.on_hand;
        level.on_hand = before.plus(posting.delta)?;
        match posting.batch {
            Some(batch) => {
                let change = self.batches.entry(batch).or_default();
                *change = change.plus(posting.delta)?;
            }
            None => {
                level.deficit = level.deficit.minus(posting.delta)?;
                let cost = level.deficit_cost_micros.checked_sub(posting.cost_micros);
                level.deficit_cost_micros = cost.ok_or(tiffin_common::Overflow)?;
            }
        }
        let movement = Movement {
            id: self.named.take().unwrap_or_else(|| self.tx.new_id()),
            stock_item_id: posting.item,
            kind: posting.kind,
            batch_id: posting.batch,
            batch_number: None,
            quantity_delta: posting.delta,
            quantity_before: before,
            quantity_after: level.on_hand,
            unit_cost: posting.unit_cost,
            cost_micros: posting.cost_micros,
            cause_type: cause.kind.to_owned(),
            cause_id: cause.id,
            order_id: cause.order_id,
            order_item_id: cause.order_item_id,
            reverses_id: posting.reverses,
            reason: cause.reason.clone(),
            note: cause.note.clone(),
            actor_id: self.actor.account_id,
            business_date: self.date,
            at: self.tx.now(),
            clock_suspect: self.tx.is_clock_doubtful(),
        };
        self.posted.push(movement.id);
        self.movements.push(movement);
        Ok(())
    }

    /// Writes the movements so far: something is about to read them, or to name them.
    pub(super) fn write(&mut self) -> Result<()> {
        movements::insert_all(self.tx, self.actor.outlet_id, &self.movements)?;
        self.movements.clear();
        Ok(())
    }

    /// The last movement, which is written.
    pub(super) fn last(&mut self) -> Result<Uuid> {
        self.write()?;
        self.posted.last().copied().ok_or(StockError::NotFound("movement"))
    }

    /// A posting at `unit_cost`, the cost following from it.
    pub(super) fn post_at_cost(
        &mut self,
        item: Uuid,
        batch: Option<Uuid>,
        kind: Kind,
        delta: Quantity,
        unit_cost: UnitCost,
        cause: &Cause,
    ) -> Result<()> {
        let cost_micros = unit_cost.cost_micros(delta)?;
        self.post(Posting { item, batch, kind, delta, unit_cost, cost_micros, reverses: None }, cause)
    }

    /// Meets the item's deficit from `batch` as far as `available` goes: a pair of movements that takes the deficit back at
    /// what it was booked at and takes the batch at what it cost. The difference corrects the cost of what was sold.
    pub(super) fn settle(
        &mut self,
        item: Uuid,
        batch: Uuid,
        unit_cost: UnitCost,
        available: Quantity,
    ) -> Result<()> {
        let level = self.level(item)?;
        let met = level.deficit.min(available);
        if !met.is_positive() {
            return Ok(());
        }
        let booked = crate::resources::inventory::rules::pick::share(
            level.deficit_cost_micros,
            met.get(),
            level.deficit.get(),
        )?;
        self.post_settlement(item, batch, unit_cost, met, booked)
    }

    /// The pair of movements that meets `met` of the deficit, booked at `booked` millionths of a cent, from `batch`; the other way round
    /// where both are negative.
    pub(super) fn post_settlement(
        &mut self,
        item: Uuid,
        batch: Uuid,
        unit_cost: UnitCost,
        met: Quantity,
        booked: i64,
    ) -> Result<()> {
        let micros = i128::from(booked) * i128::from(tiffin_common::quantity::MILLION);
        let booked_unit = tiffin_common::money::round_div(micros, i128::from(met.get()))?;
        let cause = Cause::new("SETTLEMENT", Some(batch));
        let back = Posting {
            item,
            batch: None,
            kind: Kind::Settlement,
            delta: met,
            unit_cost: UnitCost::from_millionths(booked_unit),
            cost_micros: booked,
            reverses: None,
        };
        self.post(back, &cause)?;
        self.post_at_cost(item, Some(batch), Kind::Settlement, met.negated(), unit_cost, &cause)
    }

    /// Writes movements and levels, tells the staff what fell, and lets the dishes follow: only where a level is, or was, too low for
    /// some dish are they looked at.
    pub(super) fn close(mut self) -> Result<Vec<Uuid>> {
        self.write()?;
        for (batch, delta) in &self.batches {
            if delta.is_positive() {
                levels::set_batch_increased(self.tx, *batch, *delta)?;
            } else if *delta != Quantity::ZERO {
                levels::set_batch_reduced(self.tx, *batch, delta.negated(), self.keeps.contains(batch))?;
            }
        }
        let mut scarce = Vec::new();
        for (item, entry) in &self.items {
            if entry.before != entry.now {
                levels::set(self.tx, self.actor.outlet_id, *item, &entry.now)?;
                self.tell(*item, entry)?;
                if portions::matters(entry.before.current()?, entry.now.current()?, entry.now.largest_need) {
                    scarce.push(*item);
                }
            }
        }
        if !scarce.is_empty() {
            availability::follow(self.tx, self.actor, self.outlet, Some(&scarce))?;
        }
        Ok(self.posted)
    }

    fn tell(&self, item: Uuid, entry: &Entry) -> Result<()> {
        let (before, now) = (&entry.before, &entry.now);
        let (name, unit) = (&now.name, &now.unit);
        if !before.deficit.is_positive() && now.deficit.is_positive() {
            let notice = Notice {
                kind: "NEGATIVE_STOCK",
                severity: Severity::Critical,
                title: format!("{name}: sold more than there is"),
                body: format!(
                    "{} {unit} were sold without stock. Count it, or enter what was delivered.",
                    now.deficit
                ),
                audience: Audience::Staff,
                entity: Some(("inventory_item", item)),
                dedupe_key: format!("NEGATIVE_STOCK:{item}"),
            };
            notifications::actions::notify(self.tx, self.actor.outlet_id, notice)?;
        }
        let (was, is) = (before.current()?, now.current()?);
        if was > now.threshold && is <= now.threshold {
            let notice = Notice {
                kind: "LOW_STOCK",
                severity: Severity::Warning,
                title: format!("{name} is low"),
                body: format!("{is} {unit} left; the minimum is {} {unit}.", now.threshold),
                audience: Audience::Staff,
                entity: Some(("inventory_item", item)),
                dedupe_key: format!("LOW_STOCK:{item}"),
            };
            notifications::actions::notify(self.tx, self.actor.outlet_id, notice)?;
        }
        Ok(())
    }
}
