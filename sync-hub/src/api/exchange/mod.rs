//! `/sync/v1`: the exchange with the boxes. The outlet comes from the key alone. What may be done at once is decided in memory
//! before any SQL. Never a user's token, never a decision about rows: that is the hub's.

mod body;
mod enrol;
mod papers;
mod push;
mod refusals;
mod request;

use crate::state::{AppState, Routes};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use edge::access::{Access, get_here, post};
use edge::http::client::Carried;
use edge::http::limit::{self, Class as Limit};
use edge::http::observe;
use edge::http::reply::bare;
use edge::http::{Code, Problem};
use refusals::PushProblem;
use request::{check_version, hub_problem, known, live, read_json, read_query, reading, whole};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;
use std::time::Duration;
use tiffin_common::sync::{
    CLASS_HEADER, ChainCard, Class, Dismissed, EnrolRequest, Enrolled, FRAMES_TYPE, FramesQuery, Hello,
    HelloRequest, PaperPart, PaperPlace, PapersLacking, PullQuery, PullReply, PushReply, SalvagePage,
    SnapshotPage, SnapshotQuery,
};
use tokio::time::{Instant, timeout_at};

/// Largest body of a greeting or an enrolment, in bytes.
const SMALL: usize = 256 * 1024;

/// The longest a pull may wait, in seconds.
const LONGEST_WAIT: u32 = 50;

/// Rows of a log, as a push carries them: for the document alone.
struct Frames;

impl JsonSchema for Frames {
    fn schema_name() -> Cow<'static, str> {
        "Frames".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "format": "binary",
            "description": "Consecutive rows of the outlet's log, packed: not text, and not JSON",
        })
    }
}

/// The routes with what the published document says of them. They stand beside the prefix of the others.
pub fn table() -> Routes {
    Routes::group(
        "exchange",
        [
            post("/sync/v1/enrol", Access::Public, enrol::post_enrol)
                .summary("Enrol a box with a one-time code")
                .takes::<EnrolRequest>()
                .typed::<Enrolled>(StatusCode::OK)
                .refuses(refusals::ENROL)
                .limited(Limit::Login),
            post("/sync/v1/hello", Access::Device, post_hello)
                .summary("Say how the box stands, and hear how head office does")
                .takes::<HelloRequest>()
                .typed::<Hello>(StatusCode::OK)
                .refuses(refusals::HELLO),
            post("/sync/v1/push", Access::Device, push::post_push)
                .summary("Send rows of the outlet's log")
                .header::<Class>(CLASS_HEADER, "How urgent the rows are; a backlog when absent")
                .takes_as::<Frames>(FRAMES_TYPE)
                .typed::<PushReply>(StatusCode::OK)
                .refuses_with::<PushProblem>(refusals::PUSH, StatusCode::CONFLICT),
            get_here("/sync/v1/pull", Access::Device, get_pull)
                .summary("Fetch what head office changed of the shared rows, or wait for it")
                .query::<PullQuery>()
                .typed::<PullReply>(StatusCode::OK)
                .refuses(refusals::READING),
            get_here("/sync/v1/frames", Access::Device, get_frames)
                .summary("Fetch rows of the outlet's own log that the box has lost")
                .query::<FramesQuery>()
                .produces(FRAMES_TYPE)
                .refuses(refusals::READING),
            get_here("/sync/v1/snapshot", Access::Device, get_snapshot)
                .summary("Fetch a page of the outlet's rows, for a box that takes another's place")
                .query::<SnapshotQuery>()
                .typed::<SnapshotPage>(StatusCode::OK)
                .refuses(refusals::READING),
            get_here("/sync/v1/salvage", Access::Device, get_salvage)
                .summary("Fetch what the box is to take over of what another box of the outlet had")
                .typed::<SalvagePage>(StatusCode::OK)
                .refuses(refusals::READING),
            get_here("/sync/v1/dismissed", Access::Device, get_dismissed)
                .summary("Ask who of the staff may not sign in any more, with a key that has ended")
                .typed::<Dismissed>(StatusCode::OK)
                .refuses(refusals::DISMISSED),
            get_here("/sync/v1/papers", Access::Device, papers::get_papers)
                .summary("Ask which papers of the staff head office lacks")
                .typed::<PapersLacking>(StatusCode::OK)
                .refuses(refusals::READING),
            post("/sync/v1/papers", Access::Device, papers::post_paper)
                .summary("Send a part of a paper of the staff")
                .takes::<PaperPart>()
                .typed::<PaperPlace>(StatusCode::OK)
                .refuses(refusals::PAPERS),
            get_here("/sync/v1/papers/content", Access::Device, papers::get_content)
                .summary("Fetch a part of a paper of the staff that the box has lost")
                .query::<PaperPlace>()
                .typed::<PaperPart>(StatusCode::OK)
                .refuses(refusals::READING),
        ],
    )
}

/// The routes, inside the layers that bound them. Whose key it is they ask themselves.
pub fn routes(app: &AppState) -> Router<AppState> {
    let frame = app.frame.clone().with_request_timeout(app.config.exchange.push_timeout);
    table()
        .into_router_behind(app, &app.box_limits, |_, handler| handler)
        // A push reads its body itself, within bounds of its own.
        .layer(DefaultBodyLimit::max(SMALL))
        .layer(from_fn_with_state(frame, observe::bound))
        .layer(from_fn_with_state((app.box_limits.clone(), Limit::General), limit::enforce))
        .layer(from_fn(vouch))
}

/// A connection on which a box was served is a box's.
async fn vouch(request: Request, next: Next) -> Response {
    let carried = request.extensions().get::<Carried>().cloned();
    let response = next.run(request).await;
    if let Some(carried) = carried.filter(|_| response.status().is_success()) {
        carried.vouch();
    }
    response
}

async fn post_hello(
    State(app): State<AppState>,
    headers: HeaderMap,
    body: Result<Bytes, axum::extract::rejection::BytesRejection>,
) -> Result<Response, Problem> {
    let device = live(&app, &headers).await?;
    let mut request: HelloRequest = read_json(&whole(body)?)?;
    check_version(request.protocol, request.schema)?;
    if request.device_id != device.device_id {
        return Err(Problem::new(Code::Forbidden).detail("The key belongs to another box"));
    }
    if let Some(authority) = request.tls_authority.take() {
        enrol::keep_authority(&app, device.outlet_id, authority).await?;
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
    if app.chain.is_unknown() {
        app.learn_chain().await?;
    }
    let mut chain = app.chain.listen();
    let mut rang = false;
    loop {
        let turn = reading(&app).await?;
        let mut reply: PullReply =
            app.hub.pull(device.outlet_id, query.clone()).await.map_err(hub_problem)?;
        drop(turn);
        let known = chain.borrow_and_update().clone();
        let news = known.filter(|known| query.chain.as_ref().is_some_and(|held| *held != known.mark));
        reply.chain = news.map(|known| ChainCard::clone(&known));
        // A box takes what it is answered for this head office's word: one that was put back first hears what the box has.
        let has_chain = reply.chain.is_some() && query.hub_epoch == Some(reply.hub_epoch);
        // What is to be taken over is told when it is ordered, and with every answer after that, but is no reason for one.
        let is_news = reply.reset || reply.feed != query.feed || !reply.rows.is_empty();
        if is_news || has_chain || (rang && reply.salvage) {
            return Ok(bare(reply));
        }
        let rings = async {
            tokio::select! {
                () = bell.rings() => true,
                changed = chain.changed() => changed.is_ok(),
                () = edge::http::sse::stopped(&mut stopping) => false,
            }
        };
        if !timeout_at(until, rings).await.unwrap_or(false) {
            app.presences.seen(device.outlet_id, device.device_id, app.env().clock.now());
            return Ok(bare(reply));
        }
        rang = true;
        // Its key may have ended while it waited.
        live(&app, &headers).await?;
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

/// What goes on being told to whoever lost the right to the rest: a stolen box learns nothing new, and an honest one lets nobody in who
/// was dismissed.
async fn get_dismissed(State(app): State<AppState>, headers: HeaderMap) -> Result<Response, Problem> {
    let device = known(&app, &headers).await?;
    let _turn = reading(&app).await?;
    app.hub.dismissed(device.outlet_id).await.map(bare).map_err(hub_problem)
}

async fn get_salvage(State(app): State<AppState>, headers: HeaderMap) -> Result<Response, Problem> {
    let device = live(&app, &headers).await?;
    let _turn = reading(&app).await?;
    app.hub.salvage(device.outlet_id).await.map(bare).map_err(hub_problem)
}
