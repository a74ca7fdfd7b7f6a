//! The papers of the staff, a part at a time. Never for anybody but the outlet's own box.

use super::request::{hub_problem, live, read_json, read_query, reading, whole};
use crate::state::AppState;
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use edge::http::Problem;
use edge::http::reply::bare;
use tiffin_common::sync::{PaperPart, PaperPlace};

pub(super) async fn get_papers(State(app): State<AppState>, headers: HeaderMap) -> Result<Response, Problem> {
    let device = live(&app, &headers).await?;
    let _turn = reading(&app).await?;
    app.hub.lacking_papers(device.outlet_id).await.map(bare).map_err(hub_problem)
}

pub(super) async fn post_paper(
    State(app): State<AppState>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Problem> {
    let device = live(&app, &headers).await?;
    let part: PaperPart = read_json(&whole(body)?)?;
    let _turn = reading(&app).await?;
    app.hub.take_paper(device.outlet_id, part).await.map(bare).map_err(hub_problem)
}

pub(super) async fn get_content(
    State(app): State<AppState>,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, Problem> {
    let device = live(&app, &headers).await?;
    let place: PaperPlace = read_query(&uri)?;
    let _turn = reading(&app).await?;
    app.hub.paper_part(device.outlet_id, place).await.map(bare).map_err(hub_problem)
}
