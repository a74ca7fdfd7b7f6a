//! Questions to many outlets at once: a few at a time, each answered from one snapshot of its own, with how fresh it is. Never adds
//! anything up.

use super::guard::Cx;
use crate::exchange::ONLINE_MS;
use crate::hub::HubError;
use crate::merge::{self, Standings};
use crate::registry::devices::{self, Device};
use crate::registry::outlets::{self, Outlet, Presence};
use crate::registry::{RegistryError, store_problem};
use crate::state::AppState;
use crate::store::StoreError;
use edge::db::Source;
use edge::http::{Code, Problem};
use edge::resources::analytics::rules::AnalyticsError;
use futures_util::stream::{self, Stream, StreamExt};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;
use tiffin_common::{Millis, Overflow, Uuid};

/// Why an outlet could not answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum ChainError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Analytics(#[from] AnalyticsError),
}

impl From<edge::db::DbError> for ChainError {
    fn from(error: edge::db::DbError) -> Self {
        ChainError::Store(error.into())
    }
}

impl From<Overflow> for ChainError {
    fn from(error: Overflow) -> Self {
        ChainError::Analytics(error.into())
    }
}

impl From<HubError> for ChainError {
    fn from(error: HubError) -> Self {
        match error {
            HubError::Store(error) => error.into(),
            other => {
                tracing::error!(error = %other, "an outlet's standing cannot be read");
                StoreError::GivenUp.into()
            }
        }
    }
}

impl From<ChainError> for Problem {
    fn from(error: ChainError) -> Self {
        match error {
            ChainError::Store(error) => store_problem(error),
            ChainError::Analytics(error) => error.into(),
        }
    }
}

/// How fresh an outlet's figures are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Fresh {
    /// Whether its box spoke within the last 90 seconds.
    online: bool,
    /// The log row that the figures are of; none before the first.
    position: Option<i64>,
    /// The branch's own clock at that row.
    as_of: Option<Millis>,
    /// Seconds since rows last came while some still wait at the branch or it is offline; 0 when nothing is missing.
    lag_seconds: Option<i64>,
}

impl Fresh {
    /// Whether its box spoke lately.
    pub(super) fn is_online(&self) -> bool {
        self.online
    }

    /// From what the box said and what head office holds.
    pub(super) fn of(presence: Option<&Presence>, standings: &Standings, now: Millis) -> Fresh {
        let online = presence.is_some_and(|said| now.since(said.last_seen_at) < ONLINE_MS);
        let is_whole = online && presence.and_then(|said| said.rows_waiting) == Some(0);
        let since = standings.pushed_at.map(|at| now.since(at).max(0) / 1000);
        Fresh {
            online,
            position: standings.cursor.map(|cursor| cursor.seq),
            as_of: standings.head_wall,
            lag_seconds: if is_whole { Some(0) } else { since },
        }
    }
}

/// An outlet and how fresh its part is.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct FreshOutlet {
    outlet_id: Uuid,
    code: String,
    name: String,
    #[serde(flatten)]
    fresh: Fresh,
}

impl FreshOutlet {
    pub(super) fn of(outlet: &Outlet, fresh: Fresh) -> FreshOutlet {
        let card = outlet.card.clone();
        FreshOutlet { outlet_id: card.id, code: card.code, name: card.name, fresh }
    }
}

/// What `app` last heard of an outlet's box: in this process or written down by another.
pub(super) fn presence(app: &AppState, outlet: &Outlet) -> Option<Presence> {
    let here = app.presences.of(outlet.card.id);
    match (here, outlet.presence.clone()) {
        (Some(here), Some(kept)) if kept.last_seen_at > here.last_seen_at => Some(kept),
        (Some(here), Some(kept)) => Some(Presence {
            device_id: here.device_id.or(kept.device_id),
            version: here.version.or(kept.version),
            schema: here.schema.or(kept.schema),
            rows_waiting: here.rows_waiting.or(kept.rows_waiting),
            clock_offset_ms: here.clock_offset_ms.or(kept.clock_offset_ms),
            last_seen_at: here.last_seen_at,
        }),
        (here, kept) => here.or(kept),
    }
}

/// The outlets that a question is about: those named, or all the caller may see.
///
/// # Errors
/// 400 for an id that is none, 403 for an outlet that is not the caller's.
pub(super) async fn asked(cx: &Cx, ids: Option<&str>) -> Result<Vec<Outlet>, Problem> {
    let mut all = cx.app.look(|from| Ok(outlets::list(from)?)).await.map_err(Problem::from)?;
    if let Some(visible) = cx.visible() {
        all.retain(|outlet| visible.contains(&outlet.card.id));
    }
    let Some(ids) = ids else { return Ok(all) };
    let wrong = || {
        Problem::new(Code::BadRequest)
            .detail("outletIds must be ids, comma-separated")
            .with_field("outletIds", "must be ids, comma-separated")
    };
    let mut wanted = Vec::new();
    for part in ids.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        wanted.push(Uuid::try_parse(part).map_err(|_| wrong())?);
    }
    let is_known = |id: &Uuid| all.iter().any(|outlet| outlet.card.id == *id);
    if !wanted.iter().all(is_known) {
        return Err(Problem::new(Code::OutletForbidden));
    }
    all.retain(|outlet| wanted.contains(&outlet.card.id));
    Ok(all)
}

/// The outlet, when the caller may see it.
pub(super) async fn covered(cx: &Cx, id: Uuid) -> Result<(Outlet, Vec<Device>), Problem> {
    cx.cover(id)?;
    let found = cx.app.look(move |from| Ok((outlets::find(from, id)?, devices::of_outlet(from, id)?)));
    let (outlet, boxes) = found.await?;
    Ok((outlet.ok_or_else(|| Problem::not_found("outlet"))?, boxes))
}

/// What is told when how an outlet stands cannot be read.
pub(super) fn refused(error: HubError) -> Problem {
    match error {
        HubError::Store(error) => store_problem(error),
        HubError::NotFound(what) => Problem::not_found(what),
        other => {
            tracing::error!(error = %other, "an outlet's standing cannot be read");
            Problem::new(Code::Internal)
        }
    }
}

/// One outlet's answer.
pub(super) struct Answer<T> {
    pub(super) outlet: Outlet,
    pub(super) fresh: Fresh,
    /// None while head office holds no row of the outlet.
    pub(super) found: Option<T>,
}

/// Asks `outlets`, a few at a time, in their order. Each answer can be added up and dropped before the next.
pub(super) fn each<T, F>(
    app: &AppState,
    outlets: Vec<Outlet>,
    look: F,
) -> impl Stream<Item = Result<Answer<T>, Problem>> + use<T, F>
where
    F: Fn(&dyn Source, &Outlet) -> Result<T, ChainError> + Send + Sync + 'static,
    T: Send + 'static,
{
    let (look, at_once) = (Arc::new(look), app.config.analytics_permits);
    let app = app.clone();
    stream::iter(outlets).map(move |outlet| one(app.clone(), outlet, Arc::clone(&look))).buffered(at_once)
}

async fn one<T, F>(app: AppState, outlet: Outlet, look: Arc<F>) -> Result<Answer<T>, Problem>
where
    F: Fn(&dyn Source, &Outlet) -> Result<T, ChainError> + Send + Sync + 'static,
    T: Send + 'static,
{
    let busy = || Problem::new(Code::Unavailable).retry_after(1);
    let _turn = Arc::clone(&app.figures).acquire_owned().await.map_err(|_| busy())?;
    let asked = outlet.clone();
    let read = app.stores().run(move |stores| {
        stores.read_outlet_blocking(asked.card.id, |from| -> Result<_, ChainError> {
            let standings = merge::standings(from, asked.card.id)?;
            let found = standings.cursor.is_some().then(|| look(from, &asked)).transpose()?;
            Ok((standings, found))
        })
    });
    let (standings, found) = match read.await {
        Err(ChainError::Store(StoreError::NoOutlet)) => (Standings::default(), None),
        read => read?,
    };
    let presence = presence(&app, &outlet);
    let fresh = Fresh::of(presence.as_ref(), &standings, app.env().clock.now());
    Ok(Answer { outlet, fresh, found })
}

impl From<RegistryError> for ChainError {
    fn from(error: RegistryError) -> Self {
        match error {
            RegistryError::Store(error) => error.into(),
            _ => StoreError::GivenUp.into(),
        }
    }
}
