//! Simulated trade: planned days carried out by the same actions as HTTP, at the moments they would have happened. Never
//! writes a table itself; the same seed gives the same rows.

mod branch;
mod mishaps;
mod money;
mod service;
mod staff;
mod store_room;

use super::data::Restaurant;
use super::plan::{self, Visit};
use super::seed::{Result, SampleError, Seeded, lay_roster, making};
use super::timeline::{self, Event};
use crate::access::Role;
use crate::db::{Db, Tx};
use crate::resources::attendance::actions::Added;
use crate::resources::notifications;
use branch::Branch;
use chrono::{Datelike, Days, NaiveDate, Weekday};
use service::Live;
use staff::Tap;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use tiffin_common::clock::ManualClock;
use tiffin_common::{Clock, Millis};
use tokio::runtime::Runtime;

/// Happenings of one action of the writer. Few: SQLite remembers every page an action has changed, and walks that list with
/// each of its statements.
const TOGETHER: usize = 2;

/// Actions that share a commit.
const AT_ONCE: usize = 28;

const HOUR: i64 = 60 * plan::MINUTE;

/// A branch that trades day after day.
pub struct Trade {
    db: Db,
    clock: Arc<ManualClock>,
    branch: Arc<Branch>,
    runtime: Runtime,
    date: NaiveDate,
    days: u32,
    orders: u64,
    /// What staff forgot to punch the day before.
    forgotten: Vec<Added>,
}

impl Trade {
    /// Trade that begins on the business date `clock` stands at, whose opening stock is fresh. Not for async threads.
    ///
    /// # Errors
    /// When no runtime can be had.
    pub fn new(
        db: Db,
        clock: Arc<ManualClock>,
        restaurant: Arc<Restaurant>,
        seeded: Seeded,
        seed: u64,
    ) -> std::io::Result<Trade> {
        let date = seeded.outlet.business_date(clock.now());
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        let branch = Arc::new(Branch { restaurant, seeded, seed });
        Ok(Trade { db, clock, branch, runtime, date, days: 0, orders: 0, forgotten: Vec::new() })
    }

    /// Orders placed so far.
    pub fn orders(&self) -> u64 {
        self.orders
    }

    /// Trades one business date, from the morning's delivery to the close.
    pub fn day(&mut self) -> Result<()> {
        let date = self.date;
        let visits = plan::day(&self.branch.restaurant, date, self.days, self.branch.seed).visits;
        let events = timeline::of(&visits);
        self.morning()?;
        let midnight = self.midnight();
        let opens = midnight.after(7 * HOUR);
        let mut taps = VecDeque::from(self.staff()?);
        self.punch(&mut taps, opens)?;
        self.write(opens, move |branch, tx| {
            money::open_drawer(branch, &tx.at(opens)).map_err(|e| e.on(date))
        })?;
        let service = Arc::new(Service {
            branch: Arc::clone(&self.branch),
            date,
            midnight,
            live: Mutex::new(visits.iter().map(|_| Live::default()).collect()),
            visits,
        });
        for at_once in events.chunks(TOGETHER * AT_ONCE) {
            let at = midnight.after(at_once.first().map_or(0, |event| event.at));
            self.punch(&mut taps, at)?;
            self.clock.set(at);
            let actions = at_once.chunks(TOGETHER).map(|events| {
                let (service, events) = (Arc::clone(&service), events.to_vec());
                self.db.write(move |tx| service.carry_out(tx, &events))
            });
            // They are queued in this order before the first is answered.
            let done = self.runtime.block_on(futures_util::future::join_all(actions));
            done.into_iter().collect::<Result<()>>()?;
        }
        let live = service.live.lock().unwrap_or_else(PoisonError::into_inner);
        self.orders += live.iter().filter(|live| live.order.is_some()).count() as u64;
        drop(live);
        self.punch(&mut taps, midnight.after(27 * HOUR))?;
        self.evening(midnight.after(27 * HOUR))?;
        self.date = date.succ_opt().unwrap_or(date);
        self.days += 1;
        Ok(())
    }

    /// Throws away what has expired and takes the morning's deliveries of the present date; on Mondays, plans the next week.
    pub fn morning(&mut self) -> Result<()> {
        let (date, days) = (self.date, self.days);
        let at = self.branch.seeded.outlet.business_day().start(date).after(plan::MINUTE);
        self.write(at, move |branch, tx| {
            let tx = tx.at(at);
            store_room::throw_away_expired(branch, &tx, date)?;
            store_room::take_deliveries(branch, &tx, date, days)?;
            if days > 0 && date.weekday() == Weekday::Mon {
                lay_roster(&tx, &branch.seeded.actor(Role::Manager), date + Days::new(7))?;
            }
            Ok(())
        })
    }

    /// Puts right what staff forgot the day before; answers the punches of the present date.
    fn staff(&mut self) -> Result<Vec<Tap>> {
        let (date, forgotten) = (self.date, std::mem::take(&mut self.forgotten));
        let at = self.branch.seeded.outlet.business_day().start(date).after(2 * plan::MINUTE);
        let day = self.write(at, move |branch, tx| {
            staff::put_right(branch, tx, &forgotten).map_err(|error| error.on(date))?;
            staff::day(branch, tx, date)
        })?;
        self.forgotten = day.forgotten;
        Ok(day.taps)
    }

    /// Carries out the punches of `taps` before `until`.
    fn punch(&self, taps: &mut VecDeque<Tap>, until: Millis) -> Result<()> {
        let due: Vec<Tap> = std::iter::from_fn(|| taps.pop_front_if(|tap| tap.at < until)).collect();
        let Some(first) = due.first() else { return Ok(()) };
        let date = self.date;
        self.write(first.at, move |branch, tx| {
            staff::carry_out(branch, tx, &due).map_err(|error| error.on(date))
        })
    }

    fn evening(&self, at: Millis) -> Result<()> {
        let (date, days) = (self.date, self.days);
        self.write(at, move |branch, tx| {
            let tx = tx.at(at);
            mishaps::waste(branch, &tx, days).map_err(|error| error.on(date))?;
            if days % 7 == 6 {
                mishaps::stocktake(branch, &tx, days).map_err(|error| error.on(date))?;
            }
            money::close_day(branch, &tx, date).map_err(|error| error.on(date))?;
            let manager = branch.seeded.actor(Role::Manager);
            notifications::actions::read_all(&tx, &manager).map_err(making("notifications"))?;
            store_room::order(branch, &tx, date.succ_opt().unwrap_or(date))
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
        change: impl FnOnce(&Branch, &Tx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.clock.set(at);
        let branch = Arc::clone(&self.branch);
        self.db.write_blocking(move |tx| change(&branch, tx))
    }
}

/// One day's guests and what has become of their orders.
struct Service {
    branch: Arc<Branch>,
    date: NaiveDate,
    midnight: Millis,
    visits: Vec<Visit>,
    live: Mutex<Vec<Live>>,
}

impl Service {
    /// Carries out `events`, each at its moment.
    fn carry_out(&self, tx: &Tx<'_>, events: &[Event]) -> Result<()> {
        let mut live = self.live.lock().unwrap_or_else(PoisonError::into_inner);
        for event in events {
            let (Some(visit), Some(live)) = (self.visits.get(event.visit), live.get_mut(event.visit)) else {
                continue;
            };
            service::step(&self.branch, &tx.at(self.midnight.after(event.at)), visit, live, event.step)
                .map_err(|error| error.on(self.date))?;
        }
        Ok(())
    }
}

impl SampleError {
    /// The failure with the business date it happened on.
    fn on(self, date: NaiveDate) -> SampleError {
        SampleError(format!("{date}: {}", self.0))
    }
}
