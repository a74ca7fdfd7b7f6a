//! Lets go of what is old, outlet by outlet and a little at a time. It takes no input, and is safe to repeat in as many processes as there
//! are. Never decides what is old enough: the outlets' part of head office does.

use crate::desk::HQ;
use crate::hub::HubError;
use crate::registry::outlets;
use crate::state::AppState;
use crate::store::StoreError;
use edge::http::sse::stopped;
use std::time::Duration;
use tiffin_common::Millis;

/// How often it looks.
const EVERY: Duration = Duration::from_secs(3_600);

/// The pause between two units of work: the boxes go first.
const PAUSE: Duration = Duration::from_millis(20);

/// The least that publications are kept, in days: who compares with last year sees what was changed then.
const PUBLICATION_DAYS: u32 = 400;

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

/// One round over everything.
pub async fn step(app: &AppState) {
    publications(app).await;
    let before = days_ago(app, app.config.log_days);
    let all = app.look(|from| Ok(outlets::list(from)?)).await;
    let outlets = all.unwrap_or_default().into_iter().map(|outlet| outlet.card.id);
    for outlet in outlets.chain([HQ]) {
        loop {
            match app.hub.let_go(outlet, before).await {
                Ok(0) => break,
                Ok(_) => tokio::time::sleep(PAUSE).await,
                Err(HubError::Store(StoreError::NoOutlet)) => break,
                Err(error) => {
                    tracing::warn!(%error, %outlet, "what is old could not be let go of");
                    break;
                }
            }
        }
    }
}

async fn publications(app: &AppState) {
    let before = days_ago(app, app.config.log_days.max(PUBLICATION_DAYS));
    loop {
        match app.desk.let_go(before).await {
            Ok(0) => return,
            Ok(_) => tokio::time::sleep(PAUSE).await,
            Err(error) => return tracing::warn!(%error, "old publications could not be let go of"),
        }
    }
}

fn days_ago(app: &AppState, days: u32) -> Millis {
    app.env().clock.now().after(i64::from(days).saturating_mul(-86_400_000))
}
