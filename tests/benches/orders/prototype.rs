//! The same rows behind HTTP and nothing else: what a server without sign-in, checks, prices or a log could do at most.

use super::group::Group;
use super::plan::Plan;
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use bytes::Bytes;
use std::path::Path;
use std::sync::Arc;
use tokio::net::TcpListener;

pub(super) async fn serve(plan: &Path, database: &Path, address: &str) {
    let plan = Arc::new(Plan::read(plan));
    let group = Group::start(Arc::clone(&plan), database);
    let router = Router::new()
        .route("/ready", get(async || "ready"))
        .route("/api/v1/orders", post(place))
        .with_state((group, plan));
    let listener = TcpListener::bind(address).await.unwrap();
    let listener = listener.tap_io(|stream| stream.set_nodelay(true).unwrap());
    axum::serve(listener, router).await.unwrap();
}

async fn place(
    State((group, plan)): State<(Group, Arc<Plan>)>,
    headers: HeaderMap,
    body: Bytes,
) -> impl IntoResponse {
    assert!(!body.is_empty());
    let order = headers["x-order"].to_str().unwrap().parse().unwrap();
    group.write(order).await;
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (StatusCode::CREATED, kind, plan.orders[order].answer.clone())
}
