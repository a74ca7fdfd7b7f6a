//! The streams over HTTP.

use super::changes::Topic;
use super::hub::{Joined, Live, Seat, Who};
use super::position::Position;
use super::rows::{Event, Eyes};
use crate::access::{Access, Cx, Permission, get_here};
use crate::db::{Db, Source};
use crate::http::client::ClientAddress;
use crate::http::limit::Class;
use crate::http::sse::{self, HEARTBEAT, LIFE, stopped};
use crate::http::{Code, Path, Problem, Query, Result, language, several};
use crate::resources::kitchen::rules::Sight;
use crate::resources::kitchen::{KitchenError, Watching};
use crate::resources::{auth, kitchen, notifications, orders, outlets};
use crate::state::Routes;
use axum::extract::{Extension, State};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::response::sse::Event as Frame;
use futures_util::stream;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tiffin_common::{Uuid, id_of_hash};
use tokio::sync::watch;
use tokio::time::Instant;

/// `/stream`, the stream of a table's guests, and those of before: the same events, of one topic each, as bare rows.
pub fn routes() -> Routes {
    let staff = get_here("/stream", Access::SignedIn, follow)
        .summary("Rows as they change, as their GETs show them; resumes after Last-Event-ID")
        .produces("text/event-stream");
    let guests = get_here("/orders/tables/{token}/stream", Access::Public, follow_table)
        .summary("What the present party at the table ordered, as it changes; one stream a phone")
        .produces("text/event-stream")
        .limited(Class::QrMenu);
    let tickets = get_here("/kitchen/stream", Permission::KitchenFollow, follow_kitchen)
        .summary("Tickets as they happen; resumes after Last-Event-ID")
        .produces("text/event-stream");
    let notices = get_here("/notifications/stream", Permission::NotificationsRead, follow_notifications)
        .summary("Notifications as they happen; resumes after Last-Event-ID")
        .produces("text/event-stream");
    Routes::all([
        Routes::group("stream", [staff]),
        Routes::group("orders", [guests]),
        Routes::group("kitchen", [tickets]),
        Routes::group("notifications", [notices]),
    ])
}

/// What to follow.
#[apply(filters!)]
pub struct FollowRows {
    /// Some of orders, tables, tickets, menu, notifications and status, with commas between them; all that the caller may see when absent.
    #[schemars(length(max = 100))]
    topics: Option<String>,
    /// The language that tickets and the menu are read in, one of the outlet's `languages`; absent: of a display the one that its station's
    /// cooks read, and of the menu else the first of `Accept-Language` that is one of them.
    #[schemars(length(max = 40))]
    lang: Option<String>,
}

impl Topic {
    /// The right that its GETs want; none: whoever is signed in.
    fn wants(self) -> Option<Permission> {
        match self {
            Topic::Orders => Some(Permission::OrdersRead),
            Topic::Tables => Some(Permission::TablesRead),
            Topic::Tickets => Some(Permission::KitchenFollow),
            Topic::Menu => Some(Permission::MenuRead),
            Topic::Notifications => Some(Permission::NotificationsRead),
            Topic::Status => None,
        }
    }
}

/// Streams what changes.
async fn follow(
    cx: Cx,
    Extension(live): Extension<Live>,
    headers: HeaderMap,
    Query(query): Query<FollowRows>,
) -> Result<Response> {
    let mut topics = several("topics", query.topics.as_deref(), Topic::of_name, Topic::ALL)?;
    match topics.is_empty() {
        true => {
            let may = |topic: &Topic| topic.wants().is_none_or(|right| cx.principal.holds(right));
            topics.extend(Topic::ALL.iter().copied().filter(may));
        }
        false => topics.iter().filter_map(|topic| topic.wants()).try_for_each(|right| cx.demand(right))?,
    }
    follow_topics(cx, live, &headers, Wanted { topics, station: None, lang: query.lang, is_bare: false })
        .await
}

/// Which tickets a display follows.
#[apply(filters!)]
pub struct FollowKitchen {
    /// One station; all when absent or an EXPO station.
    station_id: Option<Uuid>,
    /// One of the outlet's `languages`; absent: the one that the station's cooks read, where one station is asked about, or a display of one
    /// asks.
    #[schemars(length(max = 40))]
    lang: Option<String>,
}

/// Streams tickets, as displays of before follow them.
async fn follow_kitchen(
    cx: Cx,
    Extension(live): Extension<Live>,
    headers: HeaderMap,
    Query(query): Query<FollowKitchen>,
) -> Result<Response> {
    let topics = vec![Topic::Tickets];
    let wanted = Wanted { topics, station: query.station_id, lang: query.lang, is_bare: true };
    follow_topics(cx, live, &headers, wanted).await
}

/// Streams notifications, as screens of before follow them.
async fn follow_notifications(
    cx: Cx,
    Extension(live): Extension<Live>,
    headers: HeaderMap,
) -> Result<Response> {
    let topics = vec![Topic::Notifications];
    follow_topics(cx, live, &headers, Wanted { topics, station: None, lang: None, is_bare: true }).await
}

/// What somebody who is signed in wants to follow.
struct Wanted {
    topics: Vec<Topic>,
    /// The station that is asked about.
    station: Option<Uuid>,
    /// The language that is asked for.
    lang: Option<String>,
    /// Whether events are the bare rows, as the streams of before have them.
    is_bare: bool,
}

async fn follow_topics(cx: Cx, live: Live, headers: &HeaderMap, wanted: Wanted) -> Result<Response> {
    let Wanted { topics, station: asked, lang, is_bare } = wanted;
    let (role, account) = (Some(cx.principal.role), Some(cx.principal.account_id));
    let wanted_by = headers.clone();
    let look = move |conn: &dyn Source, outlet| -> Result<_, KitchenError> {
        let sight = kitchen::sight(conn, outlet, role, account)?;
        let station = kitchen::actions::station_in(conn, outlet, sight, asked)?;
        let language = kitchen::language_of(conn, outlet, (role, account), asked, lang.as_deref())?;
        // As `GET /menu` is read by who asks for no language and stands at no station.
        let menu_language = match (&language, &lang) {
            (None, None) => {
                let house = outlets::store::find(conn, outlet)?;
                language::choose(&house.languages, None, &wanted_by).map(str::to_owned)
            }
            (language, _) => language.clone(),
        };
        Ok((sight, station, auth::actions::reach(conn, role, account)?, (language, menu_language)))
    };
    let (sight, station, reach, (language, menu_language)) = cx.read(look).await?;
    let clock = Arc::clone(&cx.db.env().clock);
    let watching = topics.contains(&Topic::Tickets);
    let watching = watching.then(|| Watching::begin(&cx.principal, cx.outlet_id, station, clock));
    let eyes = Eyes {
        outlet: cx.outlet_id,
        topics,
        sees_guests: cx.principal.holds(Permission::GuestsRead),
        manages_tables: cx.principal.holds(Permission::TablesWrite),
        reach,
        station,
        is_board: sight == Sight::Board,
        language,
        menu_language,
        audiences: notifications::actions::audiences(&cx.actor()),
    };
    let joined = live.join(Who::Staff(eyes), last_position(headers)).await?;
    Ok(answer(Flow::new(joined, live.stopping(), Held { watching, seat: None }, is_bare)))
}

/// Who follows at a table.
#[apply(filters!)]
pub struct FollowTable {
    /// The phone's own token.
    #[schemars(length(min = 16, max = 64))]
    guest_token: Option<String>,
}

/// Streams the orders of a table's party.
async fn follow_table(
    State(db): State<Db>,
    Extension(live): Extension<Live>,
    Extension(client): Extension<ClientAddress>,
    Path(token): Path<String>,
    headers: HeaderMap,
    Query(query): Query<FollowTable>,
) -> Result<Response> {
    let phone = match &query.guest_token {
        Some(own) => id_of_hash(blake3::hash(own.as_bytes()).as_bytes()),
        None => id_of_hash(blake3::hash(format!("{} {token}", client.ip).as_bytes()).as_bytes()),
    };
    let look = move |conn: &dyn Source| orders::sitting(conn, &token, query.guest_token.as_deref());
    let guest = db.read(look).await?;
    let seat = live.seat(phone).ok_or_else(|| {
        Problem::new(Code::RateLimited).detail("Too many guests follow their orders").retry_after(30)
    })?;
    let joined = live.join(Who::Guest(guest), last_position(&headers)).await?;
    Ok(answer(Flow::new(joined, live.stopping(), Held { watching: None, seat: Some(seat) }, false)))
}

/// The place that a client was told of last; one that cannot be read counts as one that is gone.
fn last_position(headers: &HeaderMap) -> Option<Position> {
    let text = headers.get("last-event-id")?.to_str().unwrap_or_default();
    if text.trim().is_empty() {
        return None;
    }
    Some(Position::parse(text).unwrap_or(Position { seq: i64::MAX, told: 0, mark: 0 }))
}

/// What is held as long as the stream is there.
struct Held {
    watching: Option<Watching>,
    seat: Option<Seat>,
}

/// One client's stream.
struct Flow {
    first: VecDeque<Arc<Event>>,
    joined: Joined,
    stopping: watch::Receiver<bool>,
    held: Held,
    /// Whether its events are bare rows.
    is_bare: bool,
    beat_at: Instant,
    ends_at: Instant,
    is_over: bool,
}

impl Flow {
    fn new(mut joined: Joined, stopping: watch::Receiver<bool>, held: Held, is_bare: bool) -> Flow {
        let first = std::mem::take(&mut joined.first).into();
        let (beat_at, ends_at) = (Instant::now() + HEARTBEAT, Instant::now() + LIFE);
        Flow { first, joined, stopping, held, is_bare, beat_at, ends_at, is_over: false }
    }

    /// The next event, as soon as there is one; none when the stream is over.
    async fn next(&mut self) -> Option<Frame> {
        while !self.is_over && !*self.stopping.borrow() && Instant::now() < self.ends_at {
            if let Some(event) = self.first.pop_front() {
                return Some(self.send(&event));
            }
            let Held { watching, seat } = &mut self.held;
            let taken = async {
                match seat {
                    Some(seat) => seat.ends.notified().await,
                    None => std::future::pending().await,
                }
            };
            // A display that was put at another station begins anew there.
            let moved = async {
                match watching {
                    Some(watching) => watching.moved().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = stopped(&mut self.stopping) => return None,
                () = taken => return None,
                () = moved => {
                    self.is_over = true;
                    return Some(Event::mark(*self.joined.told.borrow(), "reset").frame(self.is_bare));
                }
                event = self.joined.events.recv() => {
                    if let Some(event) = event {
                        return Some(self.send(&event));
                    }
                    self.is_over = true;
                    let is_cut = self.joined.is_cut.load(Ordering::SeqCst);
                    let stands = *self.joined.told.borrow();
                    return is_cut.then(|| Event::mark(stands, "reset").frame(self.is_bare));
                }
                () = tokio::time::sleep_until(self.beat_at.min(self.ends_at)) => {
                    // What was told before that place has come by now, or is in the queue: the place may be kept when nothing is.
                    let stands = *self.joined.told.borrow();
                    if Instant::now() >= self.beat_at && self.joined.events.is_empty() {
                        return Some(self.send(&Event::mark(stands, "heartbeat")));
                    }
                }
            }
        }
        None
    }

    fn send(&mut self, event: &Event) -> Frame {
        self.beat_at = Instant::now() + HEARTBEAT;
        event.frame(self.is_bare)
    }
}

fn answer(flow: Flow) -> Response {
    sse::answer(stream::unfold(flow, |mut flow| async move {
        let frame = flow.next().await?;
        Some((frame, flow))
    }))
}
