//! Which connections are open, what each waits for, and which must go: one that dawdles, and, where somebody has too many, those
//! that have been silent longest. Never ends one that is being answered or whose client is just asking, and never refuses a new one, which
//! has a moment to say something.

use super::bounds::{Bounds, body_time};
use crate::http::client::{Carried, network_of};
use ipnet::IpNet;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

/// How often connections are looked at; half the shortest time that one may take, where that is less.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// How long a connection that was answered stays in any case: the next request may be on its way. A new one, and one whose request is on its
/// way, have the time of a head from the last byte on.
const GRACE_MS: u64 = 1_000;

/// How long a client may leave an answer unread.
const UNREAD_MS: u64 = 30_000;

/// What a connection waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Phase {
    /// The client, to ask something.
    Idle,
    /// The rest of a request's head.
    Head,
    /// The rest of a request's body.
    Body,
    /// This server, to answer; or the client, to take the answer.
    Answer,
}

/// One open connection. Times are milliseconds since the table was made.
#[derive(Debug)]
pub(super) struct Connection {
    /// Whose it is: an address, or the network that one customer of a provider has; none for a trusted proxy's.
    who: Option<IpAddr>,
    began: Instant,
    phase: AtomicU8,
    since: AtomicU64,
    /// When its client said something last.
    heard_at: AtomicU64,
    /// Bytes of the body so far.
    received: AtomicU64,
    /// Since when the client takes nothing of what is written; 0: it does.
    unread: AtomicU64,
    /// Whether it has had an answer.
    answered: AtomicBool,
    /// Whether it carries many requests at once (HTTP/2): each of them looks after its own time then.
    carries_many: AtomicBool,
    /// Requests that are being answered.
    running: AtomicUsize,
    /// Since when the answers of many have been left where they are, each; 0: it waits for this server.
    left: Mutex<Vec<Arc<AtomicU64>>>,
    carried: Carried,
    ended: Notify,
}

impl Connection {
    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX).max(1)
    }

    /// It waits for something else from now on.
    pub(super) fn turn(&self, phase: Phase) {
        if phase == Phase::Answer {
            self.answered.store(true, Ordering::Relaxed);
        }
        self.received.store(0, Ordering::Relaxed);
        let now = self.now();
        self.since.store(now, Ordering::Relaxed);
        self.heard_at.store(now, Ordering::Relaxed);
        self.phase.store(phase as u8, Ordering::Relaxed);
    }

    fn is(&self, phase: Phase) -> bool {
        self.phase.load(Ordering::Relaxed) == phase as u8
    }

    /// From now on it carries many requests at once.
    pub(super) fn carry_many(&self) {
        self.carries_many.store(true, Ordering::Relaxed);
    }

    /// Whether it carries many requests at once.
    pub(super) fn carries_many(&self) -> bool {
        self.carries_many.load(Ordering::Relaxed)
    }

    /// A request came, whose body is awaited or not.
    pub(super) fn begin(self: &Arc<Self>, has_body: bool) -> Running {
        self.running.fetch_add(1, Ordering::Relaxed);
        self.turn(if has_body && !self.carries_many() { Phase::Body } else { Phase::Answer });
        let left = Arc::new(AtomicU64::new(0));
        if self.carries_many() {
            self.left().push(Arc::clone(&left));
        }
        Running { connection: Arc::clone(self), left }
    }

    fn left(&self) -> MutexGuard<'_, Vec<Arc<AtomicU64>>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes came. Of one that carries many, what comes between its requests is no beginning of another one.
    pub(super) fn heard(&self) {
        let is_between = self.carries_many() && self.answered.load(Ordering::Relaxed);
        match self.is(Phase::Idle) {
            true if is_between => {}
            true => self.turn(Phase::Head),
            false => self.heard_at.store(self.now(), Ordering::Relaxed),
        }
    }

    /// Bytes of a body came.
    pub(super) fn took(&self, bytes: usize) {
        self.received.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Whether the client takes what is written.
    pub(super) fn wrote(&self, is_taken: bool) {
        match (is_taken, self.unread.load(Ordering::Relaxed)) {
            (true, 0) => {}
            (true, _) => self.unread.store(0, Ordering::Relaxed),
            (false, 0) => self.unread.store(self.now(), Ordering::Relaxed),
            (false, _) => {}
        }
    }

    /// What its requests carry.
    pub(super) fn carried(&self) -> Carried {
        self.carried.clone()
    }

    /// Waits until it must go. One that was told so while its next request came stays, for that is being answered: whoever has too many is
    /// looked at again soon.
    pub(super) async fn ended(&self) {
        loop {
            self.ended.notified().await;
            if !self.is(Phase::Answer) || self.is_left(self.now()) {
                return;
            }
        }
    }

    fn end(&self) {
        self.ended.notify_one();
    }

    fn is_stranger(&self) -> bool {
        !self.carried.is_vouched()
    }

    /// Whether its client has been silent for so long that it may have to make room.
    fn waits_long(&self, now: u64, limits: &Limits) -> bool {
        let is_between = self.is(Phase::Idle) && self.answered.load(Ordering::Relaxed);
        let grace = if is_between { GRACE_MS } else { limits.head };
        now.saturating_sub(self.heard_at.load(Ordering::Relaxed)) > grace
    }

    /// Whether its client leaves an answer where it is.
    fn is_left(&self, now: u64) -> bool {
        let is_left = |since: u64| since > 0 && now.saturating_sub(since) > UNREAD_MS;
        is_left(self.unread.load(Ordering::Relaxed))
            || self.left().iter().any(|since| is_left(since.load(Ordering::Relaxed)))
    }

    /// Whether it took longer than it may.
    fn dawdles(&self, now: u64, limits: &Limits) -> bool {
        let took = now.saturating_sub(self.since.load(Ordering::Relaxed));
        if self.is_left(now) {
            return true;
        }
        match self.phase.load(Ordering::Relaxed) {
            phase if phase == Phase::Idle as u8 => took > limits.idle,
            phase if phase == Phase::Head as u8 => took > limits.head,
            phase if phase == Phase::Body as u8 => took > body_time(self.received.load(Ordering::Relaxed)),
            _ => false,
        }
    }
}

/// A request that is being answered, until this is dropped.
pub(super) struct Running {
    pub(super) connection: Arc<Connection>,
    left: Arc<AtomicU64>,
}

impl Running {
    /// Whether the next piece of its answer waits for the client, or for this server.
    pub(super) fn waits_for_client(&self, waits: bool) {
        self.left.store(if waits { self.connection.now() } else { 0 }, Ordering::Relaxed);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let connection = &self.connection;
        if connection.carries_many() {
            connection.left().retain(|left| !Arc::ptr_eq(left, &self.left));
        }
        if connection.running.fetch_sub(1, Ordering::Relaxed) == 1 {
            connection.turn(Phase::Idle);
        }
    }
}

/// What a connection may take, in milliseconds, and how many there may be.
#[derive(Debug)]
struct Limits {
    idle: u64,
    head: u64,
    all: usize,
    /// Of one address, that have not carried a request of somebody who is signed in.
    strangers: Option<usize>,
    proxies: Vec<IpNet>,
}

/// The open connections of a server.
#[derive(Debug)]
pub(super) struct Connections {
    began: Instant,
    limits: Limits,
    open: Mutex<Vec<Arc<Connection>>>,
    left: Notify,
}

impl Connections {
    pub(super) fn new(bounds: &Bounds) -> Connections {
        let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let limits = Limits {
            idle: ms(bounds.idle_timeout),
            head: ms(bounds.header_read_timeout),
            all: bounds.max_connections.max(1),
            strangers: bounds.limit_connections,
            proxies: bounds.trusted_proxies.clone(),
        };
        Connections { began: Instant::now(), limits, open: Mutex::default(), left: Notify::new() }
    }

    fn open(&self) -> MutexGuard<'_, Vec<Arc<Connection>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a connection of `peer` in, as soon as there is room; whoever has too many loses the one that has been silent longest.
    pub(super) async fn admit(self: &Arc<Self>, peer: IpAddr) -> Place {
        let peer = peer.to_canonical();
        let is_proxy = self.limits.proxies.iter().any(|net| net.contains(&peer));
        let who = (!is_proxy).then(|| network_of(peer));
        loop {
            let left = self.left.notified();
            if let Some(connection) = self.enter(who) {
                return Place { connection, table: Arc::clone(self) };
            }
            // What is being answered now may be waiting soon.
            let _ = tokio::time::timeout(LOOK_EVERY, left).await;
        }
    }

    fn enter(&self, who: Option<IpAddr>) -> Option<Arc<Connection>> {
        let mut open = self.open();
        if open.len() >= self.limits.all {
            let now = self.now();
            // Whoever has too many first; then whoever has been silent for a while.
            let crowds = self.crowds(&open);
            let longest = longest_waiting(&open, |c| c.is_stranger() && crowds.contains_key(&c.who))
                .or_else(|| longest_waiting(&open, |c| c.is_stranger() && c.waits_long(now, &self.limits)))
                .or_else(|| longest_waiting(&open, |c| c.is(Phase::Idle) && c.waits_long(now, &self.limits)));
            if let Some(found) = longest {
                found.end();
            }
            return None;
        }
        let connection = Connection {
            who,
            began: self.began,
            phase: AtomicU8::new(Phase::Idle as u8),
            since: AtomicU64::new(0),
            heard_at: AtomicU64::new(0),
            received: AtomicU64::new(0),
            unread: AtomicU64::new(0),
            answered: AtomicBool::new(false),
            carries_many: AtomicBool::new(false),
            running: AtomicUsize::new(0),
            left: Mutex::default(),
            carried: Carried::default(),
            ended: Notify::new(),
        };
        connection.turn(Phase::Idle);
        let connection = Arc::new(connection);
        open.push(Arc::clone(&connection));
        Some(connection)
    }

    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// The addresses with more connections than strangers may have, and by how many.
    fn crowds(&self, open: &[Arc<Connection>]) -> HashMap<Option<IpAddr>, usize> {
        let Some(most) = self.limits.strangers.filter(|most| open.len() > *most) else {
            return HashMap::new();
        };
        let mut counts: HashMap<Option<IpAddr>, usize> = HashMap::new();
        for connection in open.iter().filter(|c| c.who.is_some() && c.is_stranger()) {
            *counts.entry(connection.who).or_default() += 1;
        }
        counts.retain(|_, count| *count > most);
        counts.values_mut().for_each(|count| *count -= most);
        counts
    }

    /// Ends, of every crowd, those that have been silent longest.
    fn thin_out(&self) {
        let (open, now) = (self.open(), self.now());
        for (who, surplus) in self.crowds(&open) {
            let is_one = |c: &&Arc<Connection>| {
                c.who == who && c.is_stranger() && !c.is(Phase::Answer) && c.waits_long(now, &self.limits)
            };
            let mut waiting: Vec<&Arc<Connection>> = open.iter().filter(is_one).collect();
            waiting.sort_by_key(|c| c.heard_at.load(Ordering::Relaxed));
            waiting.iter().take(surplus).for_each(|c| c.end());
        }
    }

    /// Ends what dawdles, and what is too many, for as long as it is polled.
    pub(super) async fn watch(&self) {
        let shortest = Duration::from_millis(self.limits.head.min(self.limits.idle) / 2);
        let mut ticks = tokio::time::interval(LOOK_EVERY.min(shortest).max(Duration::from_millis(10)));
        loop {
            ticks.tick().await;
            let now = self.now();
            self.thin_out();
            for connection in self.open().iter().filter(|c| c.dawdles(now, &self.limits)) {
                connection.end();
            }
        }
    }
}

/// Of those that wait for their client, the one whose client has been silent longest.
fn longest_waiting(
    open: &[Arc<Connection>],
    wanted: impl Fn(&Connection) -> bool,
) -> Option<&Arc<Connection>> {
    let waiting = open.iter().filter(|c| !c.is(Phase::Answer) && wanted(c));
    waiting.min_by_key(|c| c.heard_at.load(Ordering::Relaxed))
}

/// An open connection's entry, which ends with it.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) connection: Arc<Connection>,
    table: Arc<Connections>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.table.open().retain(|c| !Arc::ptr_eq(c, &self.connection));
        self.table.left.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_request_that_comes_as_its_connection_shall_end_is_answered_first() {
        let table = Arc::new(Connections::new(&Bounds {
            max_connections: 8,
            limit_connections: None,
            trusted_proxies: Vec::new(),
            header_read_timeout: Duration::from_secs(5),
            idle_timeout: Duration::from_secs(60),
            shutdown_grace: Duration::ZERO,
        }));
        let place = table.admit(IpAddr::from([192, 168, 1, 30])).await;
        let connection = &place.connection;
        let is_ended =
            async || tokio::time::timeout(Duration::from_millis(20), connection.ended()).await.is_ok();
        // Told while idle; the request was faster than the word.
        connection.end();
        let running = connection.begin(false);
        assert!(!is_ended().await);
        drop(running);
        connection.end();
        assert!(is_ended().await);
    }
}
