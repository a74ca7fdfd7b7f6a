//! Routes about the process itself: is it up, is it ready, how does it do, what does it offer. Never a token, never a secret.

use super::merged::merge;
use super::{all_routes as people, exchange};
use crate::desk::Desk;
use crate::reads;
use crate::registry::nights;
use crate::state::AppState;
use axum::Router;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, header};
use axum::response::IntoResponse;
use axum::routing::get;
use edge::access::openapi::{self, About};
use edge::app::figures;
use edge::backup;
use edge::http::client::ClientAddress;
use edge::http::metrics::Figures;
use edge::http::{Code, Data, Problem};
use edge::space;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::{Arc, OnceLock};
use tiffin_common::Millis;

/// Head office's API, for its document.
pub const HEAD_OFFICE: About = About {
    title: "Tiffin Head Office API",
    description: "Head office: every outlet's rows, read by the branch's own routes, and what is published back to them. \
        What a client should know before it calls a route stands in the [guide](/docs/guide).",
    server: "This head office",
};

/// The OpenAPI document of a head office at `public_url`: its own routes, the desk's, the branch's that it answers, and the exchange with
/// the boxes.
pub fn document(desk: &Desk, public_url: &str) -> Value {
    let mut whole = openapi::document(&people(desk), &HEAD_OFFICE, public_url);
    let branch = openapi::document(&reads::routes::<AppState>(), &HEAD_OFFICE, public_url);
    let mut boxes = openapi::document(&exchange::table(), &HEAD_OFFICE, public_url);
    let beside =
        json!([{"url": public_url, "description": "This head office, beside the prefixes of its API"}]);
    let paths = boxes["paths"].as_object_mut().into_iter().flatten();
    for (_, operation) in paths.filter_map(|(_, path)| path.as_object_mut()).flatten() {
        operation["servers"] = beside.clone();
    }
    merge(&mut whole, branch, "Branch");
    merge(&mut whole, boxes, "Box");
    whole
}

/// System routes.
pub fn routes(app: &AppState) -> Router<AppState> {
    let (text, url, desk): (Arc<OnceLock<bytes::Bytes>>, _, _) =
        (Arc::default(), app.public_url.clone(), app.desk.clone());
    let document = get(async move || {
        let write = || document(&desk, &url.0).to_string().into();
        ([(header::CONTENT_TYPE, "application/json")], text.get_or_init(write).clone())
    });
    Router::new()
        .route("/ready", get(get_ready))
        .route("/metrics", get(get_metrics))
        .route("/openapi.json", document.clone())
        .route("/api/v1/openapi.json", document.clone())
        .route("/v1/openapi.json", document)
}

/// `{"status": …}`.
#[derive(Debug, Serialize, JsonSchema)]
struct Word {
    status: &'static str,
}

/// The registry must take a transaction: it stands for the store.
async fn get_ready(State(app): State<AppState>) -> Result<Data<Word>, Problem> {
    app.change_quietly(|_| Ok(())).await.map_err(|error| {
        tracing::warn!(%error, "not ready");
        Problem::new(Code::Unavailable).detail("The database does not take writes").retry_after(5)
    })?;
    Ok(Data::new(Word { status: "ready" }))
}

/// When the newest nightly backup was taken, by whichever process of the database.
async fn taken_by_any(app: &AppState) -> Option<Millis> {
    app.config.store.database_url.as_ref()?;
    let known = app.look(|from| Ok(nights::find(from)?)).await;
    known.ok()?.taken.map(|taken| taken.at)
}

async fn get_metrics(
    State(app): State<AppState>,
    Extension(client): Extension<ClientAddress>,
    headers: HeaderMap,
) -> Result<impl IntoResponse, Problem> {
    app.frame.may_read_metrics(&client, &headers)?;
    let load = app.admission.load();
    let newest = backup::newest(&backup::folder(&app.config.store.data_dir));
    let newest = newest.map(|backup| backup.taken_at).max(taken_by_any(&app).await);
    let last_backup = newest.map_or(0, |at| at.get().unsigned_abs() / 1_000);
    let mut all = Figures::default();
    all.gauge("tiffin_hub_live_pushes", "Pushes of fresh rows at work or waiting", load.live);
    all.gauge("tiffin_hub_backlog_pushes", "Pushes of a backlog at work or waiting", load.backlog);
    all.gauge("tiffin_hub_readings", "Pulls, snapshots and greetings at work or waiting", load.reading);
    all.gauge("tiffin_hub_push_bytes", "Bytes of pushes in memory", load.bytes);
    let turned_away = "Requests of boxes told to come back later";
    all.counter("tiffin_hub_turned_away_total", turned_away, load.turned_away);
    all.gauge("tiffin_hub_backup_last_timestamp_seconds", "When the newest backup was taken", last_backup);
    figures::process(&mut all);
    figures::certificate(&mut all, &app.certificate);
    // The disk of a database server is not this machine's to judge.
    if app.config.store.database_url.is_none() {
        figures::disk(&mut all, space::room(&app.config.store.data_dir, app.config.room).look());
    }
    Ok(app.frame.metrics.answer(all))
}
