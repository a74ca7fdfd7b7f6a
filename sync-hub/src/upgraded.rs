//! After head office's upgrade: what newer boxes had sent becomes rows, outlet by outlet. It takes no input, and is safe to repeat. Never
//! waits for a box to push again: it may be the one that is to be replaced.

use crate::hub::HubError;
use crate::registry::outlets;
use crate::state::AppState;
use crate::store::StoreError;
use edge::http::sse::stopped;

/// Goes once through all outlets.
pub async fn run(app: AppState) {
    let mut stopping = app.stopping.0.clone();
    tokio::select! {
        () = stopped(&mut stopping) => {}
        () = step(&app) => {}
    }
}

async fn step(app: &AppState) {
    let all = app.look(|from| Ok(outlets::list(from)?)).await;
    for outlet in all.unwrap_or_default().into_iter().map(|outlet| outlet.card.id) {
        match app.hub.catch_up(outlet).await {
            Ok(0) | Err(HubError::Store(StoreError::NoOutlet)) => {}
            Ok(rows) => tracing::info!(%outlet, rows, "what a newer box had sent is read"),
            Err(error) => tracing::warn!(%error, %outlet, "what a newer box had sent could not be read"),
        }
    }
}
