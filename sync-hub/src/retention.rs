//! Lets go of what is old, outlet by outlet and a little at a time. It takes no input, and is safe to repeat in as many processes as there
//! are. Never decides what is old enough: the outlets' part of head office does.

use crate::registry::{RegistryError, outlets};
use crate::state::AppState;
use edge::http::sse::stopped;
use std::time::Duration;

/// How often it looks.
const EVERY: Duration = Duration::from_secs(3_600);

/// The pause between two units of work: the boxes go first.
const PAUSE: Duration = Duration::from_millis(20);

/// Lets go of what is older than the setting `log-retention-days` says.
pub async fn run(app: AppState) {
    let mut stopping = app.stopping.0.clone();
    loop {
        let work = async {
            step(&app).await;
            tokio::time::sleep(EVERY).await;
        };
        tokio::select! {
            () = stopped(&mut stopping) => return,
            () = work => {}
        }
    }
}

async fn step(app: &AppState) {
    let keep = i64::from(app.config.log_days).saturating_mul(86_400_000);
    let before = app.env().clock.now().after(keep.saturating_neg());
    let all = app
        .hub
        .stores()
        .run(|stores| stores.read_registry_blocking(|from| outlets::list(from).map_err(RegistryError::from)));
    for outlet in all.await.unwrap_or_default() {
        loop {
            match app.hub.let_go(outlet.card.id, before).await {
                Ok(0) => break,
                Ok(_) => tokio::time::sleep(PAUSE).await,
                Err(error) => {
                    tracing::warn!(%error, outlet = %outlet.card.id, "what is old could not be let go of");
                    break;
                }
            }
        }
    }
}
