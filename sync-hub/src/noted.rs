//! Puts on record what commands did beside head office, as their notes in its data directory say. Never keeps a command from its work.

use crate::registry::audit::{self, Note};
use crate::registry::{Actor, RegistryError};
use crate::state::AppState;
use edge::http::sse::stopped;
use edge::noted;
use std::time::Duration;

/// How often it looks.
const EVERY: Duration = Duration::from_secs(5);

/// Looks until head office stops.
pub async fn run(app: AppState) {
    let mut stopping = app.stopping.0.clone();
    loop {
        if let Err(error) = step(&app).await {
            tracing::warn!(%error, "what commands did could not be put on record");
        }
        tokio::select! {
            () = stopped(&mut stopping) => return,
            () = tokio::time::sleep(EVERY) => {}
        }
    }
}

/// Puts on record what waits now.
///
/// # Errors
/// The registry's: what is not on record waits on.
pub async fn step(app: &AppState) -> Result<(), RegistryError> {
    for (path, said) in noted::waiting(&app.config.store.data_dir) {
        let put = app.change_quietly(move |change| {
            let actor = Actor::named(said.by.clone(), Some(said.device.clone()));
            let detail = serde_json::json!({"at": said.at, "told": said.detail});
            audit::record(change, &actor, Note::told(&said.action).detail(detail))
        });
        put.await?;
        noted::forget(&path);
    }
    Ok(())
}
