//! How much of the exchange is done at once, decided in memory before any SQL: fresh sales never wait behind a backlog, and what a
//! cut-off box has still to hand in comes last. A place is given back exactly once, whatever becomes of its request.

use crate::bugs::Bugs;
use crate::config::Exchange;
use edge::db::Env;
use edge::http::{Code, Problem};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tiffin_common::sync::Class;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What boxes still have to hand in that may not speak for their outlet any more: at work at once, and waiting.
const SALVAGE: (usize, usize) = (1, 4);

/// Bytes that one permit of the memory stands for.
const UNIT: usize = 1024;

/// Bytes that decompressed rows may take at once.
const DECODED: usize = 256 << 20;

/// What a request wants to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Push rows.
    Push(Class),
    /// Greet, pull, fetch.
    Reading,
}

/// See the module. Cheap to clone.
#[derive(Clone)]
pub struct Admission(Arc<Inner>);

struct Inner {
    live: Gate,
    backlog: Gate,
    salvage: Gate,
    reading: Gate,
    bytes: Arc<Semaphore>,
    total_units: u64,
    decoded: Arc<Semaphore>,
    turned_away: AtomicU64,
    bugs: Bugs,
}

/// Those at work and those who wait.
struct Gate {
    all: usize,
    places: Arc<Semaphore>,
    turns: Arc<Semaphore>,
}

impl Gate {
    fn new((permits, waiting): (usize, usize)) -> Gate {
        let all = permits + waiting;
        Gate { all, places: Arc::new(Semaphore::new(all)), turns: Arc::new(Semaphore::new(permits)) }
    }

    fn taken(&self) -> u64 {
        self.all.saturating_sub(self.places.available_permits()) as u64
    }
}

/// How much is going on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Load {
    /// Pushes of fresh rows, at work or waiting.
    pub live: u64,
    /// Pushes of a backlog, at work or waiting.
    pub backlog: u64,
    /// Pushes of what is only kept.
    pub salvage: u64,
    /// Pulls, snapshots and greetings, at work or waiting.
    pub reading: u64,
    /// Bytes of pushes in memory, in whole kilobytes.
    pub bytes: u64,
    /// Requests that were told to come back.
    pub turned_away: u64,
}

impl Admission {
    /// With the configured bounds.
    pub fn new(bounds: &Exchange) -> Admission {
        Admission::with_bugs(bounds, Bugs::default())
    }

    /// The same with known bugs put back: for tests that must find them.
    pub fn with_bugs(bounds: &Exchange, bugs: Bugs) -> Admission {
        Admission(Arc::new(Inner {
            live: Gate::new((bounds.live_permits, bounds.live_waiting)),
            backlog: Gate::new((bounds.backlog_permits, bounds.backlog_waiting)),
            salvage: Gate::new(SALVAGE),
            reading: Gate::new((bounds.reading_permits, bounds.reading_waiting)),
            bytes: Arc::new(Semaphore::new(units(bounds.bytes_in_flight) as usize)),
            total_units: units(bounds.bytes_in_flight).into(),
            decoded: Arc::new(Semaphore::new(units(DECODED) as usize)),
            turned_away: AtomicU64::new(0),
            bugs,
        }))
    }

    fn gate(&self, work: Work) -> &Gate {
        match work {
            Work::Push(Class::Live) => &self.0.live,
            Work::Push(Class::Backlog) => &self.0.backlog,
            Work::Push(Class::Salvage) => &self.0.salvage,
            Work::Reading => &self.0.reading,
        }
    }

    /// A place for `work`, at once or not at all.
    ///
    /// # Errors
    /// 503 with when to come back.
    pub fn enter(&self, work: Work, env: &Env) -> Result<Permit, Problem> {
        let gate = self.gate(work);
        let Ok(permit) = Arc::clone(&gate.places).try_acquire_owned() else {
            return Err(self.turn_away(work, env));
        };
        Ok(Permit { permit: Some(permit), turns: Arc::clone(&gate.turns), bugs: self.0.bugs })
    }

    /// Tells a client to come back later: at different times, or they would all come back at once.
    pub fn turn_away(&self, work: Work, env: &Env) -> Problem {
        self.0.turned_away.fetch_add(1, Ordering::Relaxed);
        let (least, spread) = match work {
            Work::Push(Class::Live) => (1, 3),
            Work::Reading => (2, 10),
            Work::Push(Class::Backlog) => (5, 25),
            Work::Push(Class::Salvage) => (60, 120),
        };
        let [dice]: [u8; 1] = env.random_bytes();
        let seconds = least + u64::from(dice) * spread / 256;
        Problem::new(Code::Unavailable).detail("Head office is busy; come back later").retry_after(seconds)
    }

    /// Room for `bytes` of a body. Waits for it; none when the process ends.
    pub async fn hold(&self, bytes: usize) -> Option<Held> {
        acquire(&self.0.bytes, bytes).await
    }

    /// Room for `bytes` of decompressed rows. Waits for it; none when the process ends.
    pub async fn hold_decoded(&self, bytes: usize) -> Option<Held> {
        acquire(&self.0.decoded, bytes.min(DECODED)).await
    }

    /// How much is going on.
    pub fn load(&self) -> Load {
        let inner = &*self.0;
        let free = inner.bytes.available_permits() as u64;
        Load {
            live: inner.live.taken(),
            backlog: inner.backlog.taken(),
            salvage: inner.salvage.taken(),
            reading: inner.reading.taken(),
            bytes: inner.total_units.saturating_sub(free) * UNIT as u64,
            turned_away: inner.turned_away.load(Ordering::Relaxed),
        }
    }
}

fn units(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX)
}

/// Memory that is accounted for, until it is dropped.
#[derive(Debug)]
pub struct Held(OwnedSemaphorePermit);

impl Held {
    /// Both as one.
    pub fn and(&mut self, more: Held) {
        self.0.merge(more.0);
    }
}

async fn acquire(from: &Arc<Semaphore>, bytes: usize) -> Option<Held> {
    Arc::clone(from).acquire_many_owned(units(bytes)).await.ok().map(Held)
}

/// A place among those who wait or work.
#[derive(Debug)]
pub struct Permit {
    permit: Option<OwnedSemaphorePermit>,
    turns: Arc<Semaphore>,
    bugs: Bugs,
}

impl Permit {
    /// Waits for this one's turn, in the order of coming. None when the process ends.
    pub async fn turn(mut self) -> Option<Turn> {
        let turn = Arc::clone(&self.turns).acquire_owned().await.ok()?;
        Some(Turn { _place: self.permit.take(), _turn: turn })
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if self.bugs.leaky_gate()
            && let Some(permit) = self.permit.take()
        {
            permit.forget();
        }
    }
}

/// The right to work now; place and turn are given back when it is dropped.
#[derive(Debug)]
pub struct Turn {
    _place: Option<OwnedSemaphorePermit>,
    _turn: OwnedSemaphorePermit,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn admission() -> (Admission, Env) {
        let small = [
            ("live-permits", "1"),
            ("live-waiting", "1"),
            ("backlog-permits", "1"),
            ("backlog-waiting", "1"),
        ];
        (Admission::new(&Config::with(small).unwrap().exchange), Env::system())
    }

    #[tokio::test]
    async fn fresh_rows_pass_while_the_backlog_is_full() {
        let (admission, env) = admission();
        let backlog = Work::Push(Class::Backlog);
        let at_work = admission.enter(backlog, &env).unwrap().turn().await.unwrap();
        let waiting = admission.enter(backlog, &env).unwrap();
        assert_eq!(admission.enter(backlog, &env).unwrap_err().code(), Code::Unavailable);
        let live = admission.enter(Work::Push(Class::Live), &env).unwrap().turn().await.unwrap();
        let load = admission.load();
        assert_eq!((load.live, load.backlog, load.turned_away), (1, 2, 1));
        drop((at_work, live));
        let turn = waiting.turn().await.unwrap();
        drop(turn);
        assert_eq!(Load { turned_away: 0, ..admission.load() }, Load::default());
    }

    #[tokio::test]
    async fn a_place_is_given_back_once_wherever_its_request_ends() {
        let (admission, env) = admission();
        for _ in 0..10 {
            let work = Work::Push(Class::Live);
            let at_work = admission.enter(work, &env).unwrap().turn().await.unwrap();
            let waits = tokio::spawn(admission.enter(work, &env).unwrap().turn());
            tokio::task::yield_now().await;
            waits.abort();
            let _ = waits.await;
            drop(at_work);
            drop(admission.enter(work, &env).unwrap());
            assert_eq!(admission.load().live, 0);
        }
    }

    // A release has no switches.
    #[cfg(debug_assertions)]
    #[tokio::test]
    async fn the_mistake_that_leaks_places_closes_the_gate() {
        let config = Config::with([("live-permits", "1"), ("live-waiting", "1")]).unwrap();
        let leaky = Bugs { leaky_gate: true, ..Bugs::default() };
        let (admission, env) = (Admission::with_bugs(&config.exchange, leaky), Env::system());
        for _ in 0..2 {
            drop(admission.enter(Work::Push(Class::Live), &env).unwrap());
        }
        assert!(admission.enter(Work::Push(Class::Live), &env).is_err());
    }

    #[test]
    fn nobody_is_told_to_come_back_at_once_and_not_all_at_the_same_time() {
        let (admission, env) = admission();
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..200 {
            let problem = admission.turn_away(Work::Push(Class::Backlog), &env);
            let response = axum::response::IntoResponse::into_response(problem);
            let seconds: u64 = response.headers()["retry-after"].to_str().unwrap().parse().unwrap();
            assert!((5..30).contains(&seconds), "{seconds}");
            seen.insert(seconds);
        }
        assert!(seen.len() > 5, "{seen:?}");
    }
}
