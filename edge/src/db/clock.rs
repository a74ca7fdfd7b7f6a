//! The box's time. It is the machine's clock as long as that can be right; else it goes on from the newest moment on record, by what has
//! passed since. It never runs back over what was recorded, unless a person says what time it is. Never sets the machine's clock.

use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::{self, Display, Formatter};
use std::sync::{Arc, Mutex, PoisonError};
use tiffin_common::{Clock, Millis, words};

/// This program was made after that: a clock before it has lost its battery, or was never set.
pub const MADE: Millis = Millis::new(1_793_491_200_000);

/// A step back up to this is a time server at work.
const STEP_MS: i64 = 10_000;

/// A clock that is farther ahead of all records leapt, or the box was off for longer than that: somebody must say so.
pub const LEAP_MS: i64 = 7 * 24 * 3_600_000;

/// Two clocks that differ by less agree.
const AGREE_MS: i64 = 600_000;

words! {
    /// Why the machine's clock is not followed.
    pub enum ClockFault {
        /// It stands before what was recorded, or before this program was made.
        Behind = "BEHIND",
        /// It stands more than seven days after the newest record.
        Ahead = "AHEAD",
    }
}

/// The machine's clock is not followed; in words for a person who can set it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClockDoubt {
    /// Whether it stands before all records or long after them.
    pub fault: ClockFault,
    /// What the machine's clock says.
    pub machine: Millis,
    /// Since when, by the box's own time.
    pub since: Millis,
}

impl Display for ClockDoubt {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        let ClockDoubt { fault, machine, since } = self;
        let word = match fault {
            ClockFault::Behind => "before what was recorded already",
            ClockFault::Ahead => "more than a week after everything that was recorded",
        };
        write!(to, "It says {machine}, {word}. Time goes on from {since}.")
    }
}

struct State {
    /// The newest moment that was told, and what had passed then.
    told: Millis,
    passed: i64,
    /// How far the machine's clock is off, as a person said.
    offset: i64,
    doubt: Option<ClockDoubt>,
}

/// Milliseconds that have passed since some moment, however the clock was set meanwhile.
pub type Passing = Box<dyn Fn() -> i64 + Send + Sync>;

/// Holds the machine's clock against what is known of time.
pub struct ClockWatch {
    machine: Arc<dyn Clock>,
    passing: Passing,
    state: Mutex<State>,
}

impl ClockWatch {
    /// Watches over `machine`. `newest` is the newest moment on record, `offset` what a person said that the machine's clock is off by,
    /// in milliseconds.
    pub fn new(machine: Arc<dyn Clock>, passing: Passing, newest: Option<Millis>, offset: i64) -> ClockWatch {
        let told = newest.unwrap_or_else(|| machine.now()).max(MADE);
        let state = State { told, passed: passing(), offset, doubt: None };
        ClockWatch { machine, passing, state: Mutex::new(state) }
    }

    /// Whether the machine's clock is followed; why not.
    pub fn doubt(&self) -> Option<ClockDoubt> {
        self.look(|state, _| state.doubt)
    }

    /// Milliseconds that have passed since some moment, however the machine's clock was set meanwhile.
    pub fn passed(&self) -> i64 {
        (self.passing)()
    }

    /// Another clock, which is kept right, says that it is `moment`. It settles what is doubtful, and is not believed alone where it is
    /// farther from all records than the machine's may be.
    pub fn hear(&self, moment: Millis) {
        self.look(|state, machine| {
            let agrees = machine.since(moment).abs() <= AGREE_MS && moment.since(state.told) >= -STEP_MS;
            let is_near = (0..=LEAP_MS).contains(&moment.since(state.told));
            if agrees {
                (state.told, state.offset, state.doubt) = (machine.max(state.told), 0, None);
            } else if state.doubt.is_some() && is_near {
                state.told = moment;
            }
        });
    }

    /// A person says that it is `now`. Answers how far the machine's clock is off, in milliseconds: that holds until it is right.
    pub fn set(&self, now: Millis) -> i64 {
        self.look(|state, machine| {
            let offset = now.since(machine);
            (state.told, state.offset, state.doubt) = (now, offset, None);
            offset
        })
    }

    /// Brings the state up to date, and lets `work` have it with what the machine's clock says.
    fn look<T>(&self, work: impl FnOnce(&mut State, Millis) -> T) -> T {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (machine, passed) = (self.machine.now(), (self.passing)());
        // What it must be by what has passed.
        let own = state.told.after(passed.saturating_sub(state.passed).max(0));
        if state.offset != 0 && machine.since(own).abs() <= AGREE_MS {
            state.offset = 0;
        }
        let said = machine.after(state.offset);
        let fault = match said.since(own) {
            ahead if ahead < -STEP_MS => Some(ClockFault::Behind),
            ahead if ahead > LEAP_MS => Some(ClockFault::Ahead),
            _ => None,
        };
        (state.told, state.doubt) = match fault {
            None => (said.max(state.told), None),
            Some(fault) => {
                let since = state.doubt.map_or(own, |doubt| doubt.since);
                (own, Some(ClockDoubt { fault, machine, since }))
            }
        };
        state.passed = passed;
        work(&mut state, machine)
    }
}

impl Clock for ClockWatch {
    fn now(&self) -> Millis {
        self.look(|state, _| state.told)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicI64, Ordering};
    use tiffin_common::clock::ManualClock;

    const NOW: Millis = Millis::new(1_795_000_000_000);
    const HOUR: i64 = 3_600_000;
    const DAY: i64 = 24 * HOUR;
    /// 1970, and 2036.
    const DEAD: Millis = Millis::new(600_000);
    const FAR: Millis = Millis::new(2_090_000_000_000);

    struct Box {
        machine: Arc<ManualClock>,
        passed: Arc<AtomicI64>,
        watch: ClockWatch,
    }

    impl Box {
        fn new(machine: Millis, newest: Option<Millis>, offset: i64) -> Box {
            let (machine, passed) = (Arc::new(ManualClock::new(machine)), Arc::new(AtomicI64::new(0)));
            let passing = Arc::clone(&passed);
            let passing = std::boxed::Box::new(move || passing.load(Ordering::SeqCst));
            let watch = ClockWatch::new(machine.clone(), passing, newest, offset);
            Box { machine, passed, watch }
        }

        /// So much passes, on the machine's clock too.
        fn pass(&self, ms: i64) {
            self.machine.advance(ms);
            self.passed.fetch_add(ms, Ordering::SeqCst);
        }

        fn fault(&self) -> Option<ClockFault> {
            self.watch.doubt().map(|doubt| doubt.fault)
        }
    }

    #[test]
    fn time_goes_on_from_the_newest_record_until_the_clock_is_right() {
        for (wrong, fault) in [
            (DEAD, ClockFault::Behind),
            (NOW.after(-3 * 365 * DAY), ClockFault::Behind),
            (FAR, ClockFault::Ahead),
        ] {
            let there = Box::new(wrong, Some(NOW), 0);
            there.pass(HOUR);
            assert_eq!((there.watch.now(), there.fault()), (NOW.after(HOUR), Some(fault)));
            assert_eq!(there.watch.doubt().unwrap().machine, wrong.after(HOUR));
            there.pass(HOUR);
            assert_eq!(there.watch.now(), NOW.after(2 * HOUR));
            there.machine.set(NOW.after(5 * HOUR));
            assert_eq!((there.watch.now(), there.fault()), (NOW.after(5 * HOUR), None));
        }
    }

    #[test]
    fn a_clock_that_leaps_while_it_runs_is_not_followed() {
        let there = Box::new(NOW, Some(NOW), 0);
        for wrong in [DEAD, FAR] {
            there.machine.set(wrong);
            there.pass(1_000);
            assert!(there.fault().is_some());
        }
        assert_eq!(there.watch.now(), NOW.after(2_000));
        there.machine.set(NOW.after(-9_000));
        assert_eq!(
            (there.watch.now(), there.fault()),
            (NOW.after(2_000), Some(ClockFault::Behind)),
            "eleven seconds"
        );
        there.machine.set(NOW.after(-5_000));
        assert_eq!(
            (there.watch.now(), there.fault()),
            (NOW.after(2_000), None),
            "a time server's step: it stands"
        );
        there.pass(8_000);
        assert_eq!(there.watch.now(), NOW.after(3_000));
    }

    #[test]
    fn a_person_says_what_time_it_is_and_that_outlives_a_start() {
        let there = Box::new(FAR, Some(NOW), 0);
        assert!(there.fault().is_some());
        let offset = there.watch.set(NOW.after(10 * DAY));
        there.pass(HOUR);
        assert_eq!((there.watch.now(), there.fault()), (NOW.after(10 * DAY + HOUR), None));
        // The same machine after a start: its clock went on being as wrong.
        let again = Box::new(FAR.after(2 * HOUR), Some(NOW.after(10 * DAY + HOUR)), offset);
        assert_eq!((again.watch.now(), again.fault()), (NOW.after(10 * DAY + 2 * HOUR), None));
        again.machine.set(NOW.after(10 * DAY + 2 * HOUR));
        assert_eq!(
            (again.watch.now(), again.fault()),
            (NOW.after(10 * DAY + 2 * HOUR), None),
            "it is right again"
        );
    }

    #[test]
    fn who_was_closed_for_long_is_believed_with_another_clock() {
        let there = Box::new(NOW.after(30 * DAY), Some(NOW), 0);
        assert_eq!(there.fault(), Some(ClockFault::Ahead));
        there.watch.hear(FAR);
        assert_eq!(there.fault(), Some(ClockFault::Ahead), "which is wrong itself");
        there.watch.hear(NOW.after(30 * DAY + 5_000));
        assert_eq!((there.watch.now(), there.fault()), (NOW.after(30 * DAY), None));
        let dead = Box::new(DEAD, Some(NOW), 0);
        dead.watch.hear(NOW.after(3 * DAY));
        assert_eq!((dead.watch.now(), dead.fault()), (NOW.after(3 * DAY), Some(ClockFault::Behind)));
    }

    #[test]
    fn a_new_box_is_not_older_than_its_program() {
        assert_eq!(Box::new(DEAD, None, 0).watch.now(), MADE);
        assert_eq!(Box::new(NOW.after(900 * DAY), None, 0).watch.now(), NOW.after(900 * DAY));
    }
}
