//! `/sync/v1`: the exchange with the boxes. The outlet comes from the key alone. What may be done at once is decided in memory
//! before any SQL. Never a user's token, never a decision about rows: that is the hub's.

mod body;
mod enrol;
mod push;
mod request;

use crate::exchange::{Turn, Work};
use crate::state::AppState;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, Uri, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use edge::http::limit::{self, Class as Limit};
use edge::http::observe;
use edge::http::reply::bare;
use edge::http::{Code, Problem};
use request::{check_version, hub_problem, live, read_json, whole};
use serde::de::DeserializeOwned;
use std::time::Duration;
use tiffin_common::sync::{FRAMES_TYPE, FramesQuery, HelloRequest, PullQuery, PullReply, SnapshotQuery};
use tokio::time::{Instant, timeout, timeout_at};

/// Largest body of a greeting or an enrolment, in bytes.
const SMALL: usize = 256 * 1024;

/// The longest a pull may wait, in seconds.
const LONGEST_WAIT: u32 = 50;

/// How long a request may wait for its turn.
const PATIENCE: Duration = Duration::from_secs(30);

/// The routes, inside the layers that bound them.
pub fn routes(app: &AppState) -> Router<AppState> {
    let small = || DefaultBodyLimit::max(SMALL);
    let frame = app.frame.clone().with_request_timeout(app.config.exchange.push_timeout);
    let enrol = limit::layer(post(enrol::post_enrol), app.box_limits.clone(), Limit::Login);
    Router::new()
        .route("/sync/v1/enrol", enrol.layer(small()))
        .route("/sync/v1/hello", post(post_hello).layer(small()))
        .route("/sync/v1/push", post(push::post_push).layer(DefaultBodyLimit::disable()))
        .route("/sync/v1/pull", get(get_pull))
        .route("/sync/v1/frames", get(get_frames))
        .route("/sync/v1/snapshot", get(get_snapshot))
        .layer(from_fn_with_state(frame, observe::bound))
        .layer(from_fn_with_state((app.box_limits.clone(), Limit::General), limit::enforce))
}

/// The right to read something now.
async fn reading(app: &AppState) -> Result<Turn, Problem> {
    let place = app.admission.enter(Work::Reading, app.env())?;
    let turn = timeout(PATIENCE, place.turn()).await.ok().flatten();
    turn.ok_or_else(|| app.admission.turn_away(Work::Reading, app.env()))
}

fn read_query<T: DeserializeOwned>(uri: &Uri) -> Result<T, Problem> {
    serde_urlencoded::from_str(uri.query().unwrap_or_default())
        .map_err(|_| Problem::new(Code::BadRequest).detail("A query parameter is invalid"))
}

async fn post_hello(
    State(app): State<AppState>,
    headers: HeaderMap,
    body: Result<Bytes, axum::extract::rejection::BytesRejection>,
) -> Result<Response, Problem> {
    let device = live(&app, &headers).await?;
    let request: HelloRequest = read_json(&whole(body)?)?;
    check_version(request.protocol, request.schema)?;
    if request.device_id != device.device_id {
        return Err(Problem::new(Code::Forbidden).detail("The key belongs to another box"));
    }
    app.presences.greeted(device.outlet_id, &request, app.env().clock.now());
    let _turn = reading(&app).await?;
    app.hub.hello(device.outlet_id, request).await.map(bare).map_err(hub_problem)
}

async fn get_pull(State(app): State<AppState>, headers: HeaderMap, uri: Uri) -> Result<Response, Problem> {
    let device = live(&app, &headers).await?;
    let query: PullQuery = read_query(&uri)?;
    let patience = Duration::from_secs(query.wait.unwrap_or(0).min(LONGEST_WAIT).into());
    let until = Instant::now() + patience;
    let mut stopping = app.stopping.0.clone();
    // Taken before the look, so that nothing falls between.
    let mut bell = app.bells.of(app.stores(), device.outlet_id);
    loop {
        let turn = reading(&app).await?;
        let asked = PullQuery { wait: None, ..query.clone() };
        let reply: PullReply = app.hub.pull(device.outlet_id, asked).await.map_err(hub_problem)?;
        drop(turn);
        if reply.reset || reply.feed != query.feed || !reply.rows.is_empty() {
            return Ok(bare(reply));
        }
        let rings = async {
            tokio::select! {
                () = bell.rings() => true,
                () = edge::http::sse::stopped(&mut stopping) => false,
            }
        };
        if !timeout_at(until, rings).await.unwrap_or(false) {
            app.presences.seen(device.outlet_id, device.device_id, app.env().clock.now());
            return Ok(bare(reply));
        }
    }
}

async fn get_frames(State(app): State<AppState>, headers: HeaderMap, uri: Uri) -> Result<Response, Problem> {
    let device = live(&app, &headers).await?;
    let query: FramesQuery = read_query(&uri)?;
    let _turn = reading(&app).await?;
    let bytes = app.hub.frames(device.outlet_id, query).await.map_err(hub_problem)?;
    Ok(([(header::CONTENT_TYPE, FRAMES_TYPE)], bytes).into_response())
}

async fn get_snapshot(
    State(app): State<AppState>,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, Problem> {
    let device = live(&app, &headers).await?;
    let query: SnapshotQuery = read_query(&uri)?;
    let _turn = reading(&app).await?;
    app.hub.snapshot(device.outlet_id, query).await.map(bare).map_err(hub_problem)
}
