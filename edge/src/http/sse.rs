//! Server-sent events from an event table: resumable by `Last-Event-ID`, with nothing missed and nothing sent twice. Never
//! knows what an event is about; a resource says how its table is read.
//!
//! A stream begins with `hello`, whose id is the position it begins at, so that a client that is cut off before the first
//! event loses nothing. A `Last-Event-ID` older than what is kept, or newer than anything ever sent (the database was
//! restored), begins with `reset`: the client must read the lists again. One that is no number counts as none: from now.
//! A stream ends when the server stops, and after the life of an access token at the latest: whoever was signed out does
//! not come back.

use crate::db::{self, Db, Source, Topic};
use crate::http::Result;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::sse::{Event as Frame, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, stream};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// How often an idle stream says that it is alive (contract section 7).
pub const HEARTBEAT: Duration = Duration::from_secs(15);

/// The longest a stream lives: as long as an access token.
pub const LIFE: Duration = Duration::from_secs(15 * 60);

/// Looked again although nothing woke us: a net under the wake-ups.
const POLL: Duration = Duration::from_secs(10);

/// Rows looked at in one read.
const BATCH: usize = 100;

/// One event to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Its number: the client's `Last-Event-ID`.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// JSON.
    pub data: String,
}

/// What one read found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Batch {
    /// What this client gets.
    pub events: Vec<Event>,
    /// The number of the last row looked at, also of those this client does not get; none when there was no row.
    pub position: Option<i64>,
}

/// Which events there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The number of the oldest event kept.
    pub oldest: Option<i64>,
    /// The highest number ever given.
    pub newest: i64,
}

/// A table of events, as one client sees it.
pub trait EventLog: Clone + Send + Sync + 'static {
    /// What wakes the stream.
    const TOPIC: Topic;

    /// Which events there are.
    fn bounds(&self, conn: &dyn Source) -> db::Result<Bounds>;

    /// Looks at the first `limit` rows after `position`.
    fn after(&self, conn: &dyn Source, position: i64, limit: usize) -> db::Result<Batch>;
}

/// A row as its GET shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Changes with every change of it.
    pub version: i64,
    /// The row, written as JSON.
    pub json: String,
}

impl Shown {
    /// `row` in that version.
    pub fn of(version: i64, row: &impl serde::Serialize) -> Shown {
        let json = serde_json::to_string(row).unwrap_or_else(|error| {
            tracing::error!(%error, "a row could not be written as JSON");
            "null".to_owned()
        });
        Shown { version, json }
    }
}

/// The position a client wants to resume after, from `Last-Event-ID`.
pub fn last_event_id(headers: &HeaderMap) -> Option<i64> {
    headers.get("last-event-id")?.to_str().ok()?.trim().parse().ok().filter(|id| *id >= 0)
}

/// Streams `log` from after `resume`, or from now.
///
/// # Errors
/// The store's, before the stream has begun.
pub async fn stream<L: EventLog>(
    db: Db,
    stopping: watch::Receiver<bool>,
    resume: Option<i64>,
    log: L,
) -> Result<Response> {
    let feed = Feed::begin(db, stopping, resume, log).await?;
    let frames = stream::unfold(feed, |mut feed| async move {
        let event = feed.next().await?;
        let frame = Frame::default().id(event.id.to_string()).event(event.name).data(event.data);
        Some((Ok::<_, Infallible>(frame), feed))
    });
    let heartbeat =
        KeepAlive::new().interval(HEARTBEAT).event(Frame::default().event("heartbeat").data("{}"));
    Ok(unbuffered(Sse::new(frames).keep_alive(heartbeat).into_response()))
}

/// Sends `frames`, which keep the connection alive by themselves.
pub fn answer<S>(frames: S) -> Response
where
    S: stream::Stream<Item = Frame> + Send + 'static,
{
    unbuffered(Sse::new(frames.map(Ok::<_, Infallible>)).into_response())
}

/// Proxies that gather a body before passing it on would hold events back.
fn unbuffered(mut response: Response) -> Response {
    let buffering = HeaderName::from_static("x-accel-buffering");
    response.headers_mut().insert(buffering, HeaderValue::from_static("no"));
    response
}

/// One client's place in the log.
struct Feed<L> {
    db: Db,
    log: L,
    changes: watch::Receiver<u64>,
    stopping: watch::Receiver<bool>,
    position: i64,
    queue: VecDeque<Event>,
    ends_at: Instant,
}

impl<L: EventLog> Feed<L> {
    async fn begin(db: Db, stopping: watch::Receiver<bool>, resume: Option<i64>, log: L) -> db::Result<Self> {
        // Register for the wake-up before looking: what is committed in between is not missed.
        let changes = db.changes(L::TOPIC);
        let bounds = {
            let log = log.clone();
            db.read(move |conn| log.bounds(conn)).await?
        };
        let (position, name) = match resume {
            Some(last) if !is_whole(bounds, last) => (bounds.newest, "reset"),
            Some(last) => (last, "hello"),
            None => (bounds.newest, "hello"),
        };
        let first =
            Event { id: position, name: name.to_owned(), data: format!("{{\"position\":{position}}}") };
        let queue = VecDeque::from([first]);
        Ok(Feed { db, log, changes, stopping, position, queue, ends_at: Instant::now() + LIFE })
    }

    /// The next event, as soon as there is one; none when the stream is over.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if *self.stopping.borrow() || Instant::now() >= self.ends_at {
                return None;
            }
            if let Some(event) = self.queue.pop_front() {
                return Some(event);
            }
            self.changes.borrow_and_update();
            if self.look().await? {
                continue;
            }
            let wake = self.ends_at.min(Instant::now() + POLL);
            tokio::select! {
                () = stopped(&mut self.stopping) => return None,
                () = changed(&mut self.changes) => {}
                () = tokio::time::sleep_until(wake) => {}
            }
        }
    }

    /// Reads the next batch; whether there was any row. None when the store failed: the client comes back with the
    /// last id it has.
    async fn look(&mut self) -> Option<bool> {
        let (log, position) = (self.log.clone(), self.position);
        let read = self.db.read(move |conn| log.after(conn, position, BATCH)).await;
        let batch = read.inspect_err(|error| tracing::warn!(%error, "an event stream cannot read")).ok()?;
        self.queue.extend(batch.events);
        if let Some(position) = batch.position {
            self.position = position;
        }
        Some(batch.position.is_some())
    }
}

/// Whether everything after `last` is still there.
fn is_whole(bounds: Bounds, last: i64) -> bool {
    let first_kept = bounds.oldest.unwrap_or(bounds.newest.saturating_add(1));
    last <= bounds.newest && last.saturating_add(1) >= first_kept
}

/// Waits for a change. A sender that is gone changes nothing any more.
async fn changed(changes: &mut watch::Receiver<u64>) {
    if changes.changed().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Waits for the signal to stop. A sender that is gone gives no signal any more.
pub async fn stopped(stopping: &mut watch::Receiver<bool>) {
    if stopping.wait_for(|stop| *stop).await.is_err() {
        std::future::pending::<()>().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::{list, one};
    use crate::testing::Fixture;
    use rusqlite::params;

    /// Every second row of `notification_events` is not for this client.
    #[derive(Clone)]
    struct Log;

    impl EventLog for Log {
        const TOPIC: Topic = Topic::Notifications;

        fn bounds(&self, conn: &dyn Source) -> db::Result<Bounds> {
            one(
                conn,
                "SELECT (SELECT min(seq) FROM notification_events),
                        coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'notification_events'), 0)",
                [],
                |row| Ok(Bounds { oldest: row.get(0)?, newest: row.get(1)? }),
            )
        }

        fn after(&self, conn: &dyn Source, position: i64, limit: usize) -> db::Result<Batch> {
            let sql = "SELECT seq FROM notification_events WHERE seq > ?1 ORDER BY seq LIMIT ?2";
            let seqs: Vec<i64> = list(conn, sql, params![position, limit as i64], |row| row.get(0))?;
            let event = |id: &i64| Event { id: *id, name: "n".into(), data: "{}".into() };
            let events = seqs.iter().filter(|id| *id % 2 == 1).map(event).collect();
            Ok(Batch { events, position: seqs.last().copied() })
        }
    }

    fn add(fixture: &Fixture, events: usize) {
        fixture
            .write(move |tx, actor| -> db::Result<()> {
                for _ in 0..events {
                    let sql = "INSERT INTO notification_events (outlet_id, notification_id, at) VALUES (?1, ?2, ?3)";
                    tx.execute(sql, params![actor.outlet_id, tx.new_id(), tx.now()])?;
                }
                tx.signal(Topic::Notifications);
                Ok(())
            })
            .unwrap();
    }

    /// A store, the signal to stop, and the runtime streams live on (the fixture itself may not be used on one).
    struct World {
        fixture: Fixture,
        stop: watch::Sender<bool>,
        runtime: tokio::runtime::Runtime,
    }

    impl World {
        fn new() -> World {
            let runtime = tokio::runtime::Runtime::new().unwrap();
            World { fixture: Fixture::new(), stop: watch::Sender::new(false), runtime }
        }

        fn feed(&self, resume: Option<i64>) -> Feed<Log> {
            let begin = Feed::begin(self.fixture.db.clone(), self.stop.subscribe(), resume, Log);
            self.runtime.block_on(begin).unwrap()
        }

        fn take(&self, feed: &mut Feed<Log>) -> (String, i64) {
            let next = async { tokio::time::timeout(Duration::from_secs(5), feed.next()).await };
            let event = self.runtime.block_on(next).unwrap().unwrap();
            (event.name, event.id)
        }
    }

    #[test]
    fn a_stream_resumes_with_nothing_missed_and_nothing_twice() {
        let world = World::new();
        let mut first = world.feed(None);
        assert_eq!(world.take(&mut first), ("hello".into(), 0));
        add(&world.fixture, 250);
        for id in (1..=101).step_by(2) {
            assert_eq!(world.take(&mut first), ("n".into(), id));
        }
        drop(first);
        let mut second = world.feed(Some(101));
        assert_eq!(world.take(&mut second), ("hello".into(), 101));
        for id in (103..=249).step_by(2) {
            assert_eq!(world.take(&mut second), ("n".into(), id));
        }
        add(&world.fixture, 1);
        assert_eq!(world.take(&mut second), ("n".into(), 251));
        let mut fresh = world.feed(None);
        assert_eq!(world.take(&mut fresh), ("hello".into(), 251));
    }

    #[test]
    fn a_position_that_is_gone_or_never_was_resets_the_client() {
        let world = World::new();
        add(&world.fixture, 10);
        world
            .fixture
            .write(|tx, _| tx.execute("DELETE FROM notification_events WHERE seq <= 5", []))
            .unwrap();
        for (resume, expected) in
            [(3, ("reset", 10)), (5, ("hello", 5)), (10, ("hello", 10)), (11, ("reset", 10))]
        {
            let mut feed = world.feed(Some(resume));
            assert_eq!(world.take(&mut feed), (expected.0.to_owned(), expected.1), "{resume}");
        }
    }

    #[test]
    fn a_stream_ends_when_the_server_stops() {
        let world = World::new();
        let mut feed = world.feed(None);
        world.take(&mut feed);
        let waiting = world.runtime.spawn(async move { feed.next().await });
        world.stop.send_replace(true);
        let ended = async { tokio::time::timeout(Duration::from_secs(5), waiting).await };
        assert_eq!(world.runtime.block_on(ended).unwrap().unwrap(), None);
    }

    #[test]
    fn an_id_that_is_no_number_means_from_now() {
        let id = |text: &'static str| {
            last_event_id(&HeaderMap::from_iter([(
                HeaderName::from_static("last-event-id"),
                HeaderValue::from_static(text),
            )]))
        };
        assert_eq!((id("42"), id("-1"), id("abc"), id("")), (Some(42), None, None, None));
        assert_eq!(last_event_id(&HeaderMap::new()), None);
    }
}
