//! Simulated trade: planned days carried out by the same actions as HTTP, at the moments they would have happened. Never
//! writes a table itself; the same seed gives the same rows.

mod money;
mod service;
mod store_room;

use super::data::Restaurant;
use super::plan;
use super::seed::{SampleError, Seeded, making};
use super::timeline::{self, Event};
use crate::access::Role;
use crate::db::Db;
use crate::resources::{kitchen, notifications};
use chrono::NaiveDate;
use service::Live;
use std::sync::Arc;
use tiffin_common::clock::ManualClock;
use tiffin_common::{Clock, Millis};

/// Happenings that share a commit: enough to make a year fast, few enough that a row of the change log stays small.
const TOGETHER: usize = 48;

const HOUR: i64 = 60 * plan::MINUTE;

/// What every step needs to know, and never changes.
struct Branch {
    restaurant: Arc<Restaurant>,
    seeded: Seeded,
    seed: u64,
}

/// A branch that trades day after day.
pub struct Trade {
    db: Db,
    clock: Arc<ManualClock>,
    branch: Arc<Branch>,
    date: NaiveDate,
    days: u32,
    orders: u64,
}

impl Trade {
    /// Trade that begins on the business date `clock` stands at, whose opening stock is fresh.
    pub fn new(
        db: Db,
        clock: Arc<ManualClock>,
        restaurant: Arc<Restaurant>,
        seeded: Seeded,
        seed: u64,
    ) -> Trade {
        let date = seeded.outlet.business_date(clock.now());
        Trade { db, clock, branch: Arc::new(Branch { restaurant, seeded, seed }), date, days: 0, orders: 0 }
    }

    /// Orders placed so far.
    pub fn orders(&self) -> u64 {
        self.orders
    }

    /// Trades one business date, from the morning's delivery to the close.
    ///
    /// # Errors
    /// The first refusal.
    pub fn day(&mut self) -> Result<(), SampleError> {
        let date = self.date;
        let visits = plan::day(&self.branch.restaurant, date, self.days, self.branch.seed).visits;
        let events = timeline::of(&visits);
        self.orders += visits.len() as u64;
        self.morning()?;
        let midnight = self.midnight();
        let opens = midnight.after(7 * HOUR);
        self.write(opens, move |branch, tx| {
            money::open_drawer(branch, &tx.at(opens)).map_err(|e| e.on(date))
        })?;
        let visits = Arc::new(visits);
        let mut live: Vec<Live> = visits.iter().map(|_| Live::default()).collect();
        for together in events.chunks(TOGETHER) {
            let (steps, visits) = (together.to_vec(), Arc::clone(&visits));
            let begins = midnight.after(together.first().map_or(0, |event| event.at));
            live = self.write(begins, move |branch, tx| {
                for Event { at, visit, step } in steps {
                    let (Some(planned), Some(live)) = (visits.get(visit), live.get_mut(visit)) else {
                        continue;
                    };
                    service::step(branch, &tx.at(midnight.after(at)), planned, live, step)
                        .map_err(|error| error.on(date))?;
                }
                Ok(live)
            })?;
        }
        self.evening(midnight.after(27 * HOUR))?;
        self.date = date.succ_opt().unwrap_or(date);
        self.days += 1;
        Ok(())
    }

    /// Throws away what has expired and takes the morning's deliveries of the present date.
    ///
    /// # Errors
    /// The first refusal.
    pub fn morning(&mut self) -> Result<(), SampleError> {
        let (date, days) = (self.date, self.days);
        let at = self.branch.seeded.outlet.business_day().start(date).after(plan::MINUTE);
        self.write(at, move |branch, tx| {
            let tx = tx.at(at);
            store_room::throw_away_expired(branch, &tx, date)?;
            if days > 0 {
                store_room::restock(branch, &tx, date, days)?;
            }
            Ok(())
        })
    }

    fn evening(&self, at: Millis) -> Result<(), SampleError> {
        let date = self.date;
        self.write(at, move |branch, tx| {
            let tx = tx.at(at);
            money::close_day(branch, &tx, date).map_err(|error| error.on(date))?;
            let manager = branch.seeded.actor(Role::Manager);
            notifications::actions::read_all(&tx, &manager).map_err(making("notifications"))?;
            kitchen::actions::forget(&tx, at).map_err(making("kitchen events"))?;
            Ok(())
        })
    }

    /// Local midnight of the present date, within the hour that clocks are changed by.
    fn midnight(&self) -> Millis {
        use chrono::Timelike;
        let outlet = &self.branch.seeded.outlet;
        let seconds = i64::from(outlet.business_day_starts_at.num_seconds_from_midnight());
        outlet.business_day().start(self.date).after(-1000 * seconds)
    }

    /// One commit, with the clock standing at `at`.
    fn write<T: Send + 'static>(
        &self,
        at: Millis,
        change: impl FnOnce(&Branch, &crate::db::Transaction<'_>) -> Result<T, SampleError> + Send + 'static,
    ) -> Result<T, SampleError> {
        self.clock.set(at);
        let branch = Arc::clone(&self.branch);
        self.db.write_blocking(move |tx| change(&branch, tx))
    }
}

impl SampleError {
    /// The failure with the business date it happened on.
    fn on(self, date: NaiveDate) -> SampleError {
        SampleError(format!("{date}: {}", self.0))
    }
}
