//! `GET /kitchen/stream`: what displays follow. An event names the ticket; the ticket is read when it is sent, so a display
//! always gets the present state. Never sends what the display's station has no part in.

use super::api::{KitchenTicket, sight_of};
use super::displays::Watching;
use super::rules::KitchenError;
use super::{actions, store};
use crate::access::{Cx, Principal};
use crate::db::{self, Source, Topic};
use crate::http::sse::{self, Batch, Bounds, Event, EventLog};
use crate::http::{Query, Result};
use crate::resources::auth::{self, rules::Reach};
use crate::state::Stopping;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use std::sync::Arc;
use tiffin_common::{Clock, Uuid};

/// Which tickets a display follows.
#[apply(request!)]
pub struct FollowKitchen {
    /// One station; all when absent or an EXPO station.
    #[serde(default)]
    station_id: Option<Uuid>,
}

/// Streams ticket events.
pub(super) async fn stream_kitchen(
    cx: Cx,
    State(stopping): State<Stopping>,
    headers: HeaderMap,
    Query(filter): Query<FollowKitchen>,
) -> Result<Response> {
    let (who, asked) = (cx.principal.clone(), filter.station_id);
    let (station, reach) = {
        let who = who.clone();
        let look = move |conn: &dyn Source, outlet| -> Result<_, KitchenError> {
            let reach = auth::actions::reach(conn, Some(who.role), Some(who.account_id))?;
            Ok((actions::station_in(conn, outlet, sight_of(conn, outlet, &who)?, asked)?, reach))
        };
        cx.read(look).await?
    };
    let clock = Arc::clone(&cx.db.env().clock);
    let watching = Arc::new(Watching::begin(&who, cx.outlet_id, station, Arc::clone(&clock)));
    let log = Tickets { outlet: cx.outlet_id, who, asked, reach, clock, watching };
    sse::stream(cx.db.clone(), stopping.0, sse::last_event_id(&headers), log).await
}

#[derive(Clone)]
struct Tickets {
    outlet: Uuid,
    who: Principal,
    asked: Option<Uuid>,
    /// Another system follows the orders within its reach alone.
    reach: Option<Reach>,
    clock: Arc<dyn Clock>,
    /// The display is there as long as its stream.
    watching: Arc<Watching>,
}

impl EventLog for Tickets {
    const TOPIC: Topic = Topic::Kitchen;

    fn bounds(&self, conn: &dyn Source) -> db::Result<Bounds> {
        store::find_event_bounds(conn)
    }

    fn after(&self, conn: &dyn Source, position: i64, limit: usize) -> db::Result<Batch> {
        let now = self.clock.now();
        let mut batch = Batch::default();
        let events = store::list_events(conn, position, limit)?;
        batch.position = events.last().map(|row| row.seq);
        // Somebody may have put the display at another station meanwhile.
        let sight = sight_of(conn, self.outlet, &self.who)?;
        let station = match actions::station_in(conn, self.outlet, sight, self.asked) {
            Ok(station) => station,
            Err(KitchenError::Db(error)) => return Err(error),
            Err(_) => return Ok(batch),
        };
        self.watching.follow(station);
        for row in events {
            if row.outlet != self.outlet || station.is_some_and(|own| own != row.station) {
                continue;
            }
            if let Some(ticket) = store::find_ticket(conn, row.outlet, row.ticket)? {
                if !auth::actions::is_within(conn, row.outlet, self.reach.as_ref(), ticket.order_id)? {
                    continue;
                }
                let ticket = KitchenTicket::of(sight.of_ticket(ticket), now);
                let data = serde_json::to_string(&ticket).unwrap_or_default();
                batch.events.push(Event { id: row.seq, name: row.event, data });
            }
        }
        Ok(batch)
    }
}
