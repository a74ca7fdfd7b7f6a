//! Which displays follow which station, as this process sees it: of no use to another process or after a start, so it is kept nowhere
//! and stands beside the five files. Never decides what a display is sent.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use tiffin_common::{Clock, Millis, Uuid};

/// The outlet, and the station; none: all of the outlet's.
type Place = (Uuid, Option<Uuid>);

/// What was seen at a place.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    open: usize,
    last: Option<Millis>,
}

static SEEN: LazyLock<Mutex<HashMap<Place, Seen>>> = LazyLock::new(Mutex::default);

fn seen() -> MutexGuard<'static, HashMap<Place, Seen>> {
    // A count that somebody left half changed is still a count.
    SEEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A display that follows a place until this is dropped.
pub struct Watching {
    place: Place,
    clock: Arc<dyn Clock>,
}

impl Watching {
    /// A display of `outlet` begins to follow `station`; none: all of them.
    pub fn begin(outlet: Uuid, station: Option<Uuid>, clock: Arc<dyn Clock>) -> Watching {
        let place = (outlet, station);
        let mut all = seen();
        let there = all.entry(place).or_default();
        there.open = there.open.saturating_add(1);
        Watching { place, clock }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let now = self.clock.now();
        if let Some(there) = seen().get_mut(&self.place) {
            there.open = there.open.saturating_sub(1);
            there.last = Some(now);
        }
    }
}

/// How many displays follow `station` of `outlet` at `now`, and when one was last seen since the start.
pub fn watched(outlet: Uuid, station: Uuid, now: Millis) -> (usize, Option<Millis>) {
    let all = seen();
    let at = |place: Option<Uuid>| all.get(&(outlet, place)).copied().unwrap_or_default();
    let (own, whole) = (at(Some(station)), at(None));
    let open = own.open.saturating_add(whole.open);
    (open, if open > 0 { Some(now) } else { own.last.max(whole.last) })
}
