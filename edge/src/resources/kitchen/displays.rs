//! Which displays follow which station, as this process sees it: of no use to another process or after a start, so it is kept nowhere
//! and stands beside the five files. Never decides what a display is sent.

use crate::access::{Permission, Principal};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use tiffin_common::{Clock, Millis, Uuid};
use tokio::sync::broadcast;

/// Where somebody looks, or who.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Post {
    /// Displays at the outlet that follow a station; none: all of the outlet's.
    Station(Uuid, Option<Uuid>),
    /// A paired device, by its account.
    Device(Uuid),
}

/// What was seen there.
#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    open: usize,
    last: Option<Millis>,
}

static SEEN: LazyLock<Mutex<HashMap<Post, Seen>>> = LazyLock::new(Mutex::default);

fn seen() -> MutexGuard<'static, HashMap<Post, Seen>> {
    // A count that somebody left half changed is still a count.
    SEEN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn come(all: &mut HashMap<Post, Seen>, post: Post) {
    let there = all.entry(post).or_default();
    there.open = there.open.saturating_add(1);
}

fn go(all: &mut HashMap<Post, Seen>, post: Post, now: Millis) {
    if let Some(there) = all.get_mut(&post) {
        there.open = there.open.saturating_sub(1);
        there.last = Some(now);
    }
}

/// Tells of devices, by their accounts, that somebody put at another station.
static MOVED: LazyLock<broadcast::Sender<Uuid>> = LazyLock::new(|| broadcast::Sender::new(64));

/// The device of that account was put at another station: what it follows there begins anew.
pub fn move_display(account: Uuid) {
    // Nobody follows anything: nobody needs to know.
    let _ = MOVED.send(account);
}

/// Somebody who follows the kitchen until this is dropped.
pub struct Watching {
    outlet: Uuid,
    /// What they follow; none for whoever cannot acknowledge anything: they look, they do not watch.
    station: Option<Option<Uuid>>,
    device: Option<Uuid>,
    moves: broadcast::Receiver<Uuid>,
    clock: Arc<dyn Clock>,
}

impl Watching {
    /// `who` begins to follow `station` of `outlet`; none: all of them.
    pub fn begin(who: &Principal, outlet: Uuid, station: Option<Uuid>, clock: Arc<dyn Clock>) -> Watching {
        let station = who.holds(Permission::KitchenOperate).then_some(station);
        let device = who.role.is_device().then_some(who.account_id);
        let mut all = seen();
        if let Some(station) = station {
            come(&mut all, Post::Station(outlet, station));
        }
        if let Some(device) = device {
            come(&mut all, Post::Device(device));
        }
        drop(all);
        Watching { outlet, station, device, moves: MOVED.subscribe(), clock }
    }

    /// Waits until the device is put at another station; for ever where it is none.
    pub async fn moved(&mut self) {
        loop {
            match self.moves.recv().await {
                Ok(account) if Some(account) != self.device => {}
                // Of those that were missed one may have been its own.
                Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => return,
                Err(broadcast::error::RecvError::Closed) => std::future::pending().await,
            }
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let now = self.clock.now();
        let mut all = seen();
        if let Some(station) = self.station {
            go(&mut all, Post::Station(self.outlet, station), now);
        }
        if let Some(device) = self.device {
            go(&mut all, Post::Device(device), now);
        }
    }
}

/// How many displays follow `station` of `outlet` at `now`, and when one was last seen since the start.
pub fn watched(outlet: Uuid, station: Uuid, now: Millis) -> (usize, Option<Millis>) {
    let all = seen();
    let at = |station| all.get(&Post::Station(outlet, station)).copied().unwrap_or_default();
    let (own, whole) = (at(Some(station)), at(None));
    let open = own.open.saturating_add(whole.open);
    (open, if open > 0 { Some(now) } else { own.last.max(whole.last) })
}

/// Whether the paired device of that account follows the kitchen, and when it last did since the start.
pub fn heard_of(account: Uuid, now: Millis) -> (bool, Option<Millis>) {
    let there = seen().get(&Post::Device(account)).copied().unwrap_or_default();
    (there.open > 0, if there.open > 0 { Some(now) } else { there.last })
}
