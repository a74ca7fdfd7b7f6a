//! What every stream of server-sent events shares. Never knows what an event is about.
//!
//! A stream ends when the server stops, and after the life of an access token at the latest: whoever was signed out does not come back.

use axum::http::{HeaderName, HeaderValue};
use axum::response::sse::{Event as Frame, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, stream};
use std::convert::Infallible;
use std::time::Duration;
use tokio::sync::watch;

/// How often an idle stream says that it is alive (contract section 7).
pub const HEARTBEAT: Duration = Duration::from_secs(15);

/// The longest a stream lives: as long as an access token.
pub const LIFE: Duration = Duration::from_secs(15 * 60);

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

/// Waits for the signal to stop. A sender that is gone gives no signal any more.
pub async fn stopped(stopping: &mut watch::Receiver<bool>) {
    if stopping.wait_for(|stop| *stop).await.is_err() {
        std::future::pending::<()>().await;
    }
}
