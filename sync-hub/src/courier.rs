//! Carries stock transfers from outlet to outlet. It takes no input: it wakes, looks for outlets of whose transfers something came, has
//! what follows told to both, and is safe to repeat, in as many processes as there are. Never decides: `merge::transfers` does.

use crate::registry::outlets;
use crate::state::AppState;
use crate::store::Wake;
use edge::http::sse::stopped;
use std::collections::BTreeSet;
use std::time::Duration;
use tiffin_common::Uuid;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

/// How often all outlets are looked at though nothing woke us: after an upgrade, or a process that ended in between.
const LOOK_EVERY: Duration = Duration::from_secs(600);

/// How long it waits before it tries again what failed.
const AGAIN: Duration = Duration::from_secs(5);

/// Which outlets are to be looked at.
#[derive(Debug, PartialEq, Eq)]
enum Due {
    All,
    Some(BTreeSet<Uuid>),
}

impl Due {
    fn add(&mut self, wake: Result<Wake, RecvError>) {
        match (wake, self) {
            (Ok(Wake::Parcels(outlet)), Due::Some(outlets)) => drop(outlets.insert(outlet)),
            (Err(RecvError::Lagged(_)), due) => *due = Due::All,
            _ => {}
        }
    }

    fn is_empty(&self) -> bool {
        matches!(self, Due::Some(outlets) if outlets.is_empty())
    }
}

/// Works until the server stops.
pub async fn run(app: AppState) {
    let mut stopping = app.stopping.0.clone();
    let mut wakes = app.stores().store().wakes();
    let mut due = Due::All;
    loop {
        let failed = tokio::select! {
            () = stopped(&mut stopping) => return,
            failed = carry(&app, &due) => failed,
        };
        let wait = if failed.is_empty() { LOOK_EVERY } else { AGAIN };
        due = failed;
        let rest = tokio::time::sleep(wait);
        tokio::pin!(rest);
        loop {
            tokio::select! {
                () = stopped(&mut stopping) => return,
                () = &mut rest => {
                    if due.is_empty() {
                        due = Due::All;
                    }
                    break;
                }
                wake = wakes.recv() => {
                    if wake == Err(RecvError::Closed) {
                        return;
                    }
                    let is_ours = matches!(wake, Ok(Wake::Parcels(_)) | Err(RecvError::Lagged(_)));
                    due.add(wake);
                    if is_ours {
                        break;
                    }
                }
            }
        }
        loop {
            match wakes.try_recv() {
                Ok(wake) => due.add(Ok(wake)),
                Err(TryRecvError::Lagged(missed)) => due.add(Err(RecvError::Lagged(missed))),
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            }
        }
    }
}

/// Carries what is due; answers what could not be.
async fn carry(app: &AppState, due: &Due) -> Due {
    let outlets = match due {
        Due::Some(outlets) => outlets.clone(),
        Due::All => match app.look(|from| Ok(outlets::list(from)?)).await {
            Ok(all) => all.into_iter().map(|outlet| outlet.card.id).collect(),
            Err(error) => {
                tracing::warn!(%error, "the outlets could not be listed");
                return Due::All;
            }
        },
    };
    let mut failed = BTreeSet::new();
    for outlet in outlets {
        loop {
            match app.hub.carry(outlet).await {
                // What comes meanwhile wakes us again.
                Ok(0) => break,
                Ok(parcels) => tracing::debug!(%outlet, parcels, "transfers were carried"),
                Err(error) => {
                    tracing::warn!(%error, %outlet, "a transfer could not be carried");
                    failed.insert(outlet);
                    break;
                }
            }
        }
    }
    Due::Some(failed)
}
