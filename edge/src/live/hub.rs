//! Those who follow, and the one worker that reads for all of them what a commit changed. A row is read once and written once for all who
//! see the same of it in one language, whatever their number. Whoever takes nothing for too long is cut off: nobody waits for anybody.
//!
//! Nobody misses anything between joining and the first event: who joins is told where the worker stands, reads what came before that by
//! themselves, and gets all that comes after. The worker runs while somebody follows.

use super::changes::{self, Change, Kind, Most, Topic};
use super::position::{Position, START};
use super::rows::{self, Event, Eyes, Pen};
use crate::db::{self, Db, Source, Topic as Commit};
use crate::http::Result;
use crate::http::sse::{Shown, stopped};
use crate::resources::orders;
use crate::state::{AppState, PublicUrl};
use futures_util::future::BoxFuture;
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex as Lock, MutexGuard as LockGuard, PoisonError};
use std::time::Duration;
use tiffin_common::{Millis, Uuid};
use tokio::sync::{Mutex, Notify, mpsc, watch};
use tokio::time::Instant;

/// Events that wait for one listener; for one more it is cut off.
const QUEUE: usize = 512;

/// What is looked at and told at once: of a commit that changes a whole menu one part after another, so that who reads keeps up.
const AT_ONCE: Most = Most { rows: 256, changes: 128 };

/// Of the log that who resumes is read again, and rows that they are sent: beyond that, the lists are read sooner.
const SINCE: Most = Most { rows: 4_000, changes: usize::MAX };
const RESUMED: usize = 400;

/// How often it is looked whether the state of the branch is another one, and what the clock has changed; and a net under the wake-ups.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Streams of guests at once.
const GUESTS: usize = 200;

/// Looks at the state of the branch: as it is shown, and the part of it whose change is told.
pub type LookAtStatus = Arc<dyn Fn() -> BoxFuture<'static, Result<(Shown, String)>> + Send + Sync>;

/// All who follow this branch. Cheap to clone; all clones are one.
#[derive(Clone)]
pub struct Live(Arc<Inner>);

struct Inner {
    db: Db,
    stopping: watch::Receiver<bool>,
    public_url: PublicUrl,
    status: LookAtStatus,
    /// Held while the worker looks and tells, so that nobody joins in the middle of it.
    room: Mutex<Room>,
    /// Where everything before has been told.
    told: watch::Sender<Position>,
    phones: Lock<HashMap<Uuid, Arc<Notify>>>,
}

#[derive(Default)]
struct Room {
    /// Up to when it is told what the clock changes; none while nobody follows.
    looked_at: Option<Millis>,
    listeners: Vec<Listener>,
    status: Option<String>,
}

/// Who follows.
#[derive(Debug)]
pub enum Who {
    /// Somebody who is signed in.
    Staff(Eyes),
    /// A guest's phone.
    Guest(orders::Guest),
}

impl Who {
    fn eyes(&self) -> Option<&Eyes> {
        if let Who::Staff(eyes) = self { Some(eyes) } else { None }
    }

    /// Whether rows of `topic` can be news for them.
    fn may_follow(&self, topic: Topic) -> bool {
        match self {
            Who::Staff(eyes) => eyes.topics.contains(&topic),
            Who::Guest(_) => matches!(topic, Topic::Orders | Topic::Tables | Topic::Menu),
        }
    }
}

struct Listener {
    who: Arc<Who>,
    to: mpsc::Sender<Arc<Event>>,
    is_cut: Arc<AtomicBool>,
}

/// What who has joined gets.
pub struct Joined {
    /// What they have to be told first.
    pub first: Vec<Arc<Event>>,
    /// What comes after.
    pub events: mpsc::Receiver<Arc<Event>>,
    /// Whether they took nothing for too long, or the log they followed is another one: the lists have to be read again.
    pub is_cut: Arc<AtomicBool>,
    /// Where everything before has been told.
    pub told: watch::Receiver<Position>,
}

impl Live {
    /// Nobody follows yet.
    pub fn new(state: &AppState, status: LookAtStatus) -> Live {
        Live(Arc::new(Inner {
            db: state.db.clone(),
            stopping: state.stopping.0.clone(),
            public_url: state.public_url.clone(),
            status,
            room: Mutex::default(),
            told: watch::Sender::new(START),
            phones: Lock::default(),
        }))
    }

    /// Turns true when the process is asked to stop.
    pub(super) fn stopping(&self) -> watch::Receiver<bool> {
        self.0.stopping.clone()
    }

    /// Follows from now on, or from after `resume`.
    pub(super) async fn join(&self, who: Who, resume: Option<Position>) -> Result<Joined> {
        let inner = &self.0;
        let wants_status = matches!(&who, Who::Staff(eyes) if eyes.topics.contains(&Topic::Status));
        let who = Arc::new(who);
        let (to, events) = mpsc::channel(QUEUE);
        let is_cut = Arc::new(AtomicBool::new(false));
        let listener = Listener { who: Arc::clone(&who), to, is_cut: Arc::clone(&is_cut) };
        let stands = {
            let mut room = inner.room.lock().await;
            if room.looked_at.is_none() {
                let head = inner.db.read(|conn| Position::head(conn)).await?;
                inner.told.send_replace(head);
                room.looked_at = Some(inner.db.env().clock.now());
                tokio::spawn(run(Arc::clone(inner)));
            }
            room.listeners.push(listener);
            *inner.told.borrow()
        };
        let mut first = match resume {
            None => vec![Event::mark(stands, "hello")],
            Some(last) => match inner.since(&who, last, stands).await? {
                Some(events) => std::iter::once(Event::mark(last, "hello")).chain(events).collect(),
                None => vec![Event::mark(stands, "reset")],
            },
        };
        if wants_status {
            first.push(Event::status(stands, &(inner.status)().await?.0));
        }
        Ok(Joined { first, events, is_cut, told: inner.told.subscribe() })
    }

    /// Lets a guest's phone follow, in the place of what it followed before; none where too many do.
    pub(super) fn seat(&self, phone: Uuid) -> Option<Seat> {
        let mut phones = self.0.phones();
        if phones.len() >= GUESTS && !phones.contains_key(&phone) {
            return None;
        }
        let ends = Arc::new(Notify::new());
        if let Some(before) = phones.insert(phone, Arc::clone(&ends)) {
            before.notify_one();
        }
        Some(Seat { inner: Arc::clone(&self.0), phone, ends })
    }
}

/// A guest's phone that follows, until this is dropped.
pub(super) struct Seat {
    inner: Arc<Inner>,
    phone: Uuid,
    /// Somebody else took its place.
    pub(super) ends: Arc<Notify>,
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut phones = self.inner.phones();
        if phones.get(&self.phone).is_some_and(|there| Arc::ptr_eq(there, &self.ends)) {
            phones.remove(&self.phone);
        }
    }
}

/// What one listener is told: events, and whether that was the last.
#[derive(Default)]
struct Told {
    events: Vec<Arc<Event>>,
    is_over: bool,
}

/// What a look found: how far it went, whether there is more, and what each listener is told.
type Looked = Option<(Position, bool, Vec<Told>)>;

impl Inner {
    fn phones(&self) -> LockGuard<'_, HashMap<Uuid, Arc<Notify>>> {
        self.phones.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pen(&self) -> Pen {
        Pen { public_url: self.public_url.clone(), now: self.db.env().clock.now() }
    }

    /// What `who` is to be told of what happened after `last` and not after `stands`; none where that cannot be said, or is too much.
    async fn since(
        &self,
        who: &Arc<Who>,
        last: Position,
        stands: Position,
    ) -> Result<Option<Vec<Arc<Event>>>> {
        if last > stands {
            return Ok(None);
        }
        let (who, pen) = (Arc::clone(who), self.pen());
        self.db
            .read(move |conn| -> Result<_> {
                let Some(part) = changes::after(conn, last, SINCE)? else { return Ok(None) };
                let mut told = Told::default();
                // What changed again since is told by the worker.
                let is_missed = |change: &Change| change.at <= stands && who.may_follow(change.kind.topic());
                let mut missed: Vec<Change> = part.changes.into_iter().filter(is_missed).collect();
                if part.goes_on || missed.len() > RESUMED {
                    return Ok(None);
                }
                // What the clock did has no place in the log: all that depends on it is told again.
                for outlet in outlets_of_menus([&who]) {
                    missed.extend(changes::by_the_clock(conn, outlet, stands, (None, pen.now))?);
                }
                for change in &missed {
                    tell(conn, &pen, change, std::slice::from_ref(&who), std::slice::from_mut(&mut told))?;
                }
                Ok(Some(told.events))
            })
            .await
    }

    /// Looks once, and tells; whether there is more to look at.
    async fn look(&self, room: &mut Room) -> db::Result<bool> {
        room.listeners.retain(|listener| !listener.to.is_closed());
        let (from, pen, whos) = (*self.told.borrow(), self.pen(), room.whos());
        let read = move |conn: &dyn Source| -> db::Result<Looked> {
            let Some(part) = changes::after(conn, from, AT_ONCE)? else { return Ok(None) };
            let mut told: Vec<Told> = whos.iter().map(|_| Told::default()).collect();
            for change in &part.changes {
                tell(conn, &pen, change, &whos, &mut told).map_err(rows::why)?;
            }
            Ok(Some((part.end, part.goes_on, told)))
        };
        let Some((end, goes_on, told)) = self.db.read(read).await? else {
            // Another log: what was followed is not this one.
            self.told.send_replace(self.db.read(|conn| Position::head(conn)).await?);
            room.listeners.drain(..).for_each(|listener| listener.is_cut.store(true, Ordering::SeqCst));
            return Ok(false);
        };
        room.hand_out(told);
        self.told.send_replace(end);
        Ok(goes_on)
    }

    /// Tells of the dishes and price lists that the clock alone changed since the last look.
    async fn look_at_clock(&self, room: &mut Room) -> db::Result<()> {
        let (at, now, from) = (*self.told.borrow(), self.db.env().clock.now(), room.looked_at);
        let outlets = outlets_of_menus(&room.whos());
        let read = move |conn: &dyn Source| -> db::Result<Vec<Change>> {
            let of = |outlet| changes::by_the_clock(conn, outlet, at, (from, now));
            Ok(outlets.into_iter().map(of).collect::<db::Result<Vec<_>>>()?.concat())
        };
        for part in self.db.read(read).await?.chunks(AT_ONCE.changes) {
            let (part, pen, whos) = (part.to_vec(), self.pen(), room.whos());
            let read = move |conn: &dyn Source| -> db::Result<Vec<Told>> {
                let mut told: Vec<Told> = whos.iter().map(|_| Told::default()).collect();
                let mut each = part.iter();
                each.try_for_each(|change| tell(conn, &pen, change, &whos, &mut told)).map_err(rows::why)?;
                Ok(told)
            };
            room.hand_out(self.db.read(read).await?);
        }
        room.looked_at = Some(now);
        Ok(())
    }

    /// Tells of the state of the branch, where it is another one.
    async fn look_at_status(&self, room: &mut Room) {
        let wants = |listener: &Listener| matches!(&*listener.who, Who::Staff(eyes) if eyes.topics.contains(&Topic::Status));
        if !room.listeners.iter().any(wants) {
            room.status = None;
            return;
        }
        let (shown, told) = match (self.status)().await {
            Ok(found) => found,
            Err(problem) => return tracing::warn!(?problem, "the state of the branch cannot be read"),
        };
        let before = room.status.replace(told);
        if before.is_some() && before != room.status {
            let event = Event::status(*self.told.borrow(), &shown);
            let told = || Told { events: vec![Arc::clone(&event)], ..Told::default() };
            room.listeners.retain(|listener| !wants(listener) || listener.take(told()));
        }
    }
}

impl Room {
    fn whos(&self) -> Vec<Arc<Who>> {
        self.listeners.iter().map(|listener| Arc::clone(&listener.who)).collect()
    }

    /// Gives each listener what it is told.
    fn hand_out(&mut self, told: Vec<Told>) {
        let mut told = told.into_iter();
        self.listeners.retain(|listener| told.next().is_none_or(|told| listener.take(told)));
    }
}

/// The outlets whose menus are followed.
fn outlets_of_menus<'a>(whos: impl IntoIterator<Item = &'a Arc<Who>>) -> BTreeSet<Uuid> {
    let outlet = |who: &Arc<Who>| match &**who {
        Who::Staff(eyes) => eyes.topics.contains(&Topic::Menu).then_some(eyes.outlet),
        Who::Guest(guest) => Some(guest.outlet),
    };
    whos.into_iter().filter_map(outlet).collect()
}

/// Adds to what each of `whos` is told what there is to tell of `change`.
fn tell(conn: &dyn Source, pen: &Pen, change: &Change, whos: &[Arc<Who>], told: &mut [Told]) -> Result<()> {
    let staff = whos.iter().filter_map(|who| who.eyes());
    let written = pen.write_for(conn, change, staff)?;
    let party = match whos.iter().any(|who| matches!(&**who, Who::Guest(_))) {
        true => rows::party_of(conn, change)?,
        false => None,
    };
    for (who, told) in whos.iter().zip(told) {
        match &**who {
            Who::Staff(eyes) => told.events.extend(written.to(eyes)),
            Who::Guest(guest) => {
                if party.is_some_and(|party| guest.is_of(party)) {
                    told.events.extend(rows::to_guest(conn, change, guest)?);
                }
                let prices_turned = change.kind == Kind::PriceList
                    && change.kind.outlet_of(conn, change.id)? == Some(guest.outlet);
                told.events.extend(prices_turned.then(|| Event::mark(change.at, "menu")));
                let is_their_table = change.kind == Kind::Table && change.id == guest.table;
                told.is_over = told.is_over || (is_their_table && !guest.still_sits(conn)?);
            }
        }
    }
    Ok(())
}

impl Listener {
    /// Hands it what it is told; whether it stays.
    fn take(&self, told: Told) -> bool {
        for event in told.events {
            if self.to.try_send(event).is_err() {
                self.is_cut.store(true, Ordering::SeqCst);
                return false;
            }
        }
        !told.is_over
    }
}

/// Reads for all until nobody follows any more.
async fn run(inner: Arc<Inner>) {
    let (mut commits, mut stopping) = (inner.db.changes(Commit::Sync), inner.stopping.clone());
    let mut status_at = Instant::now();
    loop {
        commits.borrow_and_update();
        let mut room = inner.room.lock().await;
        let goes_on = inner.look(&mut room).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "what changed cannot be read for those who follow");
            false
        });
        if Instant::now() >= status_at {
            inner.look_at_status(&mut room).await;
            if let Err(error) = inner.look_at_clock(&mut room).await {
                tracing::warn!(%error, "what the clock changed cannot be read for those who follow");
            }
            status_at = Instant::now() + LOOK_EVERY;
        }
        if room.listeners.is_empty() || *stopping.borrow() {
            // The next to come opens it again.
            *room = Room::default();
            return;
        }
        drop(room);
        if goes_on {
            continue;
        }
        tokio::select! {
            () = stopped(&mut stopping) => {}
            changed = commits.changed() => if changed.is_err() { tokio::time::sleep(LOOK_EVERY).await },
            () = tokio::time::sleep_until(status_at) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_takes_nothing_is_cut_off_and_keeps_nobody_waiting() {
        let (to, mut events) = mpsc::channel(2);
        let is_cut = Arc::new(AtomicBool::new(false));
        let eyes = Eyes {
            outlet: Uuid::nil(),
            topics: vec![Topic::Orders],
            sees_guests: false,
            manages_tables: false,
            reach: None,
            station: None,
            is_board: false,
            language: None,
            menu_language: None,
            audiences: String::new(),
        };
        let listener = Listener { who: Arc::new(Who::Staff(eyes)), to, is_cut: Arc::clone(&is_cut) };
        let told = |count: usize| Told {
            events: (0..count).map(|_| Event::mark(START, "hello")).collect(),
            ..Told::default()
        };
        assert!(listener.take(told(2)));
        assert!(!is_cut.load(Ordering::SeqCst));
        assert!(!listener.take(told(1)), "there is no room for one more");
        drop(listener);
        assert!(is_cut.load(Ordering::SeqCst));
        assert!(events.try_recv().is_ok() && events.try_recv().is_ok() && events.try_recv().is_err());
    }
}
