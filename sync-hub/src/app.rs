//! The application: every route behind its guard, inside the layers that all requests pass, and the workers beside them. Never
//! listens: that is `serve`.

use crate::state::AppState;
use crate::store::Wake;
use crate::{api, backup, courier, days, noted, retention, screens, upgraded};
use axum::Router;
use axum::extract::{ConnectInfo, DefaultBodyLimit, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use edge::app::{docs, problems, system};
use edge::http::client::OverTls;
use edge::http::limit::{self, Class};
use edge::http::{Code, Problem, compress, finish, host, observe};
use ipnet::IpNet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior};

/// How often the registry is looked at although nothing woke us: a net under the wake-ups.
const LOOK_EVERY: Duration = Duration::from_secs(30);

/// How often what boxes said of themselves is written down.
const NOTE_EVERY: Duration = Duration::from_secs(5);

/// Starts what works without a request; it ends by itself at the signal to stop. Call inside the async runtime.
pub fn start_workers(app: &AppState) -> JoinSet<()> {
    let mut workers = JoinSet::new();
    workers.spawn(limit::sweep_until(app.limits.clone(), app.stopping.0.clone()));
    workers.spawn(limit::sweep_until(app.box_limits.clone(), app.stopping.0.clone()));
    workers.spawn(watch_registry(app.clone()));
    workers.spawn(note_presences(app.clone()));
    workers.spawn(api::live::watch(app.clone()));
    workers.spawn(backup::nightly::run(app.clone()));
    workers.spawn(days::run(app.clone()));
    workers.spawn(courier::run(app.clone()));
    workers.spawn(retention::run(app.clone()));
    workers.spawn(upgraded::run(app.clone()));
    workers.spawn(noted::run(app.clone()));
    workers.spawn(app.desk.clone().run(app.stopping.0.clone()));
    workers
}

/// Hears of what other processes changed: keys that ended, people who were signed out.
async fn watch_registry(app: AppState) {
    let mut stopping = app.stopping.0.clone();
    let mut wakes = app.stores().store().wakes();
    // One clock for all looks: chains that never pause would put off each new one.
    let mut looks = tokio::time::interval_at(Instant::now() + LOOK_EVERY, LOOK_EVERY);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = edge::http::sse::stopped(&mut stopping) => return,
            _ = looks.tick() => {}
            wake = wakes.recv() => match wake {
                Ok(Wake::Registry) | Err(RecvError::Lagged(_)) => {}
                Ok(_) => continue,
                Err(RecvError::Closed) => return,
            },
        }
        app.keyring.forget();
        if let Err(error) = app.recall().await {
            tracing::warn!(%error, "signed-out sessions could not be read");
        }
        if let Err(error) = app.learn_chain().await {
            tracing::warn!(%error, "the outlets could not be listed");
        }
    }
}

async fn note_presences(app: AppState) {
    let mut stopping = app.stopping.0.clone();
    loop {
        let stops = tokio::select! {
            () = edge::http::sse::stopped(&mut stopping) => true,
            () = tokio::time::sleep(NOTE_EVERY) => false,
        };
        if let Err(error) = app.note_presences().await {
            tracing::warn!(%error, "what the boxes say could not be written down");
        }
        if stops {
            return;
        }
    }
}

/// The whole application.
pub fn router(app: AppState) -> Router {
    router_with(app, Router::new())
}

/// The whole application, with `pages` of its network.
pub fn router_with(app: AppState, pages: Router<AppState>) -> Router {
    let people = api::all_routes(&app.desk).into_router_behind(&app, &app.limits, api::guard::layer(&app));
    let reading = app.reading.clone().layer(from_fn_with_state(app.clone(), api::exports::note));
    let people = people.merge(reading.with_state::<AppState>(()));
    let router = Router::new()
        .nest("/api/v1", people.clone())
        .nest("/v1", people)
        .merge(api::system::routes(&app))
        .merge(docs::routes())
        .merge(problems::routes())
        .merge(screens::routes())
        .merge(pages)
        .route("/health", axum::routing::get(system::get_health))
        .layer(compress::layer())
        .layer(DefaultBodyLimit::max(app.frame.bodies.limit_bytes))
        .layer(from_fn_with_state(app.frame.clone(), observe::bound))
        .layer(from_fn_with_state((app.limits.clone(), Class::General), limit::enforce))
        .merge(api::exchange::routes(&app))
        .fallback(async || Problem::new(Code::NotFound).detail("No such route"));
    let plain = Plain {
        allowed: app.config.allow_plain_http,
        proxies: app.config.network.trusted_proxies.clone().into(),
    };
    router
        .layer(from_fn_with_state(plain, over_tls))
        .layer(from_fn_with_state(app.frame.hosts.clone(), host::check))
        .layer(from_fn_with_state(Arc::clone(&app.public_url.0), finish::write_problems))
        .layer(from_fn_with_state(app.frame.clone(), observe::observe))
        .layer(from_fn_with_state((app.tokens.clone(), app.revocations.clone()), edge::access::recognise))
        .with_state(app)
}

/// Who may call without TLS.
#[derive(Clone)]
struct Plain {
    allowed: bool,
    proxies: Arc<[IpNet]>,
}

/// Refuses other machines without TLS: keys and passwords must not cross a network in clear. A proxy on this machine, or a trusted
/// one, speaks TLS with them. The certificate of the local authority is there for all: who does not trust it yet has no TLS.
async fn over_tls(State(plain): State<Plain>, request: Request, next: Next) -> Response {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|peer| peer.0.ip().to_canonical());
    let is_safe = plain.allowed
        || request.extensions().get::<OverTls>().is_some()
        || request.uri().path() == "/certificate"
        || request.uri().path().starts_with("/certificate/")
        || peer.is_none_or(|peer| peer.is_loopback() || plain.proxies.iter().any(|net| net.contains(&peer)));
    if is_safe {
        return next.run(request).await;
    }
    let detail = "This head office takes no plain HTTP from other machines: turn TLS on with --tls-listen, put a TLS \
                  proxy in front of it and name it in trusted-proxies, or allow it with --allow-plain-http";
    Problem::new(Code::TlsRequired).detail(detail).into_response()
}
