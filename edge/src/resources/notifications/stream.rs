//! `GET /notifications/stream`: every notification the caller may see, when it is made, repeated or ticked off. An event
//! names the row; the row is read when it is sent.

use super::api::Notification;
use super::{actions, store};
use crate::access::Cx;
use crate::db::{self, Source, Topic};
use crate::http::Result;
use crate::http::sse::{self, Batch, Bounds, Event, EventLog};
use crate::state::Stopping;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use tiffin_common::Uuid;

/// Streams notifications.
pub(super) async fn stream_notifications(
    cx: Cx,
    State(stopping): State<Stopping>,
    headers: HeaderMap,
) -> Result<Response> {
    let log = Notifications { outlet: cx.outlet_id, audiences: actions::audiences(&cx.actor()) };
    sse::stream(cx.db.clone(), stopping.0, sse::last_event_id(&headers), log).await
}

#[derive(Clone)]
struct Notifications {
    outlet: Uuid,
    audiences: String,
}

impl EventLog for Notifications {
    const TOPIC: Topic = Topic::Notifications;

    fn bounds(&self, conn: &dyn Source) -> db::Result<Bounds> {
        store::find_event_bounds(conn)
    }

    fn after(&self, conn: &dyn Source, position: i64, limit: usize) -> db::Result<Batch> {
        let mut batch = Batch::default();
        for (id, outlet, notification) in store::list_events(conn, position, limit)? {
            batch.position = Some(id);
            if outlet != self.outlet {
                continue;
            }
            if let Some(found) = store::find(conn, outlet, notification, &self.audiences)? {
                let data = serde_json::to_string(&Notification::from(found)).unwrap_or_default();
                batch.events.push(Event { id, name: "notification".to_owned(), data });
            }
        }
        Ok(batch)
    }
}
