//! The clocks of a simulation: one flow of time, and a clock on each wall that may be wrong.

use edge::db::Passing;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use tiffin_common::{Clock, Millis};

/// The flow of time, in milliseconds since the simulation began.
#[derive(Debug, Clone, Default)]
pub struct Flow(Arc<AtomicI64>);

impl Flow {
    /// Says how far it has come.
    pub fn set(&self, elapsed: std::time::Duration) {
        self.0.store(i64::try_from(elapsed.as_millis()).unwrap(), Ordering::SeqCst);
    }
}

/// A clock on a wall.
#[derive(Debug)]
pub struct WallClock {
    flow: Flow,
    base: i64,
    wrong_by: AtomicI64,
}

impl WallClock {
    /// A clock that is right and shows `base` when the simulation begins.
    pub fn new(flow: &Flow, base: Millis) -> WallClock {
        WallClock { flow: flow.clone(), base: base.get(), wrong_by: AtomicI64::new(0) }
    }

    /// What passes, however wrong it is.
    pub fn passing(&self) -> Passing {
        let flow = self.flow.clone();
        Box::new(move || flow.0.load(Ordering::SeqCst))
    }

    /// From now on it is wrong by so many milliseconds.
    pub fn wrong_by(&self, ms: i64) {
        self.wrong_by.store(ms, Ordering::SeqCst);
    }

    /// Whether it is wrong.
    pub fn is_wrong(&self) -> bool {
        self.wrong_by.load(Ordering::SeqCst) != 0
    }
}

impl Clock for WallClock {
    fn now(&self) -> Millis {
        let elapsed = self.flow.0.load(Ordering::SeqCst);
        Millis::new(self.base + elapsed + self.wrong_by.load(Ordering::SeqCst))
    }
}
