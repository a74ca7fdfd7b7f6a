//! The application: every route behind its guard, under both prefixes, inside the layers that all requests pass. Never
//! listens: that is `serve`.

pub mod docs;
pub mod figures;
pub mod problems;
mod reviews;
pub mod system;

use crate::access::{self, Revocations, Tokens};
use crate::backup::nightly;
use crate::config::Config;
use crate::data_dir::DataDir;
use crate::db::{self, Db, DbError, Env, Options};
use crate::health::guard;
use crate::http::client::TlsTrust;
use crate::http::limit::{self, Class, Limits};
use crate::http::observe::Frame;
use crate::http::shutdown::Shutdown;
use crate::http::{Code, Problem, compress, finish, host, observe};
use crate::lan::{Pages, Reach, disown, guests, pairing, receipts, screens};
use crate::live::{self, Live};
use crate::resources::auth::api::Desk;
use crate::resources::auth::rules::SealedCode;
use crate::resources::{
    ai, analytics, devices, inventory, kitchen, notifications, orders, outlets, printers, purchase_orders,
};
use crate::secrets::SecretsError;
use crate::state::{AppState, ByMail, CertificateWatch, PublicUrl, Routes, Stopping};
use crate::ui::{self, Bundle};
use crate::{backup, clock, noted, retention, space};
use crate::{resources, secrets, sync};
use axum::Router;
use axum::extract::{DefaultBodyLimit, Extension, FromRef};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::get;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// Why the application cannot be opened. The text is for the person who starts the process.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The secrets.
    #[error(transparent)]
    Secrets(#[from] SecretsError),
    /// The database.
    #[error("the database cannot be opened: {0}")]
    Store(#[from] DbError),
}

/// Opens the branch in `data`. `public_url` is where clients reach it; the caller holds the directory's lock.
///
/// # Errors
/// When a secret or the database cannot be read or made.
pub fn open(
    config: &Config,
    data: &DataDir,
    env: Env,
    public_url: &str,
    shutdown: &Shutdown,
) -> Result<AppState, OpenError> {
    // A branch has had its secrets since it was made: they are never made anew behind its back.
    let keys = match data.is_initialised() {
        true => secrets::load(data.path())?,
        false => secrets::load_or_create(data.path(), &*env.random)?,
    };
    let env = Env { signer: secrets::signer(data.path(), &*env.random)?, ..env };
    let readers = u32::try_from(config.read_pool_size).unwrap_or(u32::MAX);
    let room = space::room(data.path(), config.room);
    let db = Db::open(&Options { readers, room, ..Options::new(data.database()) }, env.clone())?;
    sync::watch_for_old_backup(&db, data.path())?;
    assign_forgotten(&db, data)?;
    let revocations = Revocations::default();
    db.read_blocking(|conn| resources::auth::actions::recall(conn, &revocations, env.clock.now()))?;
    let backups = backup::watch(&db, nightly::Settings::of(data.path(), &config.backups))?;
    Ok(AppState {
        backups,
        db,
        tokens: Tokens::new(&keys.token_key, &keys.secrets.pepper, Arc::clone(&env.clock)),
        revocations,
        limits: Limits::new(&config.limits),
        secrets: keys.secrets,
        public_url: PublicUrl(public_url.into()),
        by_mail: ByMail(config.mail.server.is_some()),
        stopping: Stopping(shutdown.receiver()),
        frame: Frame::new(&config.network, config.bodies, config.metrics.token.clone(), env),
        ai: config.ai.clone(),
        printers: config.printers.clone(),
        // Who opens the door with TLS knows.
        certificate: CertificateWatch::default(),
        trust: TlsTrust::default(),
    })
}

/// A box that an earlier version set up was never told which outlet it is: it is told now. What cannot be written now (the disk is full)
/// keeps nobody from opening: the next start tries again.
fn assign_forgotten(db: &Db, data: &DataDir) -> db::Result<()> {
    if db.read_blocking(|from| outlets::store::find_box_outlet(from))?.is_some() {
        return Ok(());
    }
    let enrolled = match sync::Enrolment::load(data.path()) {
        Ok(enrolment) => enrolment.map(|enrolment| enrolment.outlet.id),
        Err(error) => {
            tracing::warn!(%error, "this box cannot be told which outlet it is: its enrolment cannot be read");
            return Ok(());
        }
    };
    match db.write_blocking(move |tx| outlets::actions::assign_forgotten_box(tx, enrolled)) {
        Ok(Some(outlet)) => tracing::info!(%outlet, "this box knows its outlet from now on"),
        Ok(None) => {}
        Err(error) => tracing::warn!(%error, "this box could not be told which outlet it is"),
    }
    Ok(())
}

/// The longest that head office is waited for, after a start only.
const PATIENCE: Duration = Duration::from_secs(2);

/// Asks head office, where there is one, how its copy and this box stand to each other, before anything that has a number is written: a box
/// that was put back, copied or replaced learns it in time. Goes on without an answer; nothing waits for head office after that.
pub async fn ask_head_office(state: &AppState, config: &Config) {
    let Some(folder) = state.db.path().parent() else { return };
    let (folder, settings) = (folder.to_owned(), sync_settings(config));
    let mut worker = sync::Worker::new(state.db.clone(), folder, state.revocations.clone(), settings);
    if tokio::time::timeout(PATIENCE, worker.ask()).await.is_err() {
        tracing::info!("head office does not answer: going on without it");
    }
}

/// Starts what works without a request; it ends by itself at the signal to stop. Call inside the async runtime.
pub fn start_workers(state: &AppState, config: &Config) -> JoinSet<()> {
    let stopping = || state.stopping.0.clone();
    let mut workers = Workers::default();
    workers.spawn(kitchen::worker::run(state.db.clone(), config.ack_timeout, stopping()));
    workers.spawn(devices::worker::run(state.db.clone(), stopping()));
    let (reach, base) = (state.printers.clone(), Arc::clone(&state.public_url.0));
    let press = printers::worker::Press::new(reach, base, kitchen::actions::paper_came_out);
    workers.spawn(printers::worker::run(state.db.clone(), press, stopping()));
    workers.spawn(orders::worker::run(state.db.clone(), stopping()));
    workers.spawn(inventory::worker::run(state.db.clone(), stopping()));
    workers.spawn(analytics::worker::run(state.db.clone(), stopping()));
    workers.spawn(purchase_orders::worker::run(state.db.clone(), stopping()));
    let key = Arc::clone(&state.secrets.sealing_key);
    let unseal = Arc::new(move |text: &str| SealedCode::unseal(text, &key));
    workers.spawn(notifications::mail::run(state.db.clone(), config.mail.clone(), unseal, stopping()));
    if let Some(folder) = state.db.path().parent() {
        let nights = nightly::Settings::of(folder, &config.backups);
        workers.spawn(backup::erased::run(state.db.clone(), nights.to.clone(), stopping()));
        workers.spawn(noted::run(state.db.clone(), folder.to_owned(), stopping()));
        workers.spawn(nightly::run(state.db.clone(), nights, stopping()));
        let (folder, settings) = (folder.to_owned(), sync_settings(config));
        let worker = sync::Worker::new(state.db.clone(), folder, state.revocations.clone(), settings);
        workers.spawn(sync::run(worker, stopping()));
    }
    workers.spawn(space::watch(state.db.clone(), stopping()));
    workers.spawn(retention::run(state.db.clone(), stopping()));
    workers.spawn(clock::run(state.db.clone(), stopping()));
    workers.spawn(limit::sweep_until(state.limits.clone(), stopping()));
    workers.0
}

/// How long after the one before it a worker begins. All at once they would have every reader open its connection, which is memory, and
/// keep the first who ask waiting.
const APART: Duration = Duration::from_millis(20);

/// What works without a request, one beginning after the other.
#[derive(Default)]
struct Workers(JoinSet<()>);

impl Workers {
    fn spawn(&mut self, work: impl Future<Output = ()> + Send + 'static) {
        let wait = APART.saturating_mul(u32::try_from(self.0.len()).unwrap_or(u32::MAX));
        self.0.spawn(async move {
            tokio::time::sleep(wait).await;
            work.await;
        });
    }
}

fn sync_settings(config: &Config) -> sync::Settings {
    let keep_log = Duration::from_secs(u64::from(config.log_days).saturating_mul(86_400));
    sync::Settings { keep_log, ..sync::Settings::default() }
}

/// Every route of the API, relative to its prefix: what is served, listed and documented.
pub fn routes() -> Routes {
    Routes::all([resources::routes(), live::routes(), reviews::routes(), system::api_routes()])
}

/// The whole application, for who calls it by its public address alone.
pub fn router(state: AppState) -> Router {
    let pages = Pages::new(state.db.clone(), Reach::at(&state.public_url.0));
    router_with(state, pages)
}

/// The whole application, with the pages of a box in its network.
pub fn router_with(state: AppState, pages: Pages) -> Router {
    let assistant = ai::Assistant::new(&state, routes());
    let live = Live::new(&state, system::look_at_status(&state));
    let api = routes().into_router(&state);
    let (db, bundle) = (state.db.clone(), Bundle::new(&[ui::branch()]));
    let router = Router::new()
        .nest("/api/v1", api.clone())
        .nest("/v1", api)
        .merge(system::routes(&state.public_url, routes))
        .merge(docs::routes())
        .merge(problems::routes())
        .merge(pages.routes())
        .merge(screens::routes(&state.db, &bundle))
        .merge(guests::routes(state.db.clone(), state.limits.clone(), bundle))
        .merge(receipts::routes(state.db.clone(), state.limits.clone()))
        .merge(pairing::routes(Desk::from_ref(&state), state.trust.clone(), state.limits.clone()))
        .fallback(async || Problem::new(Code::NotFound).detail("No such route"))
        .with_state(state.clone())
        .layer(from_fn(observe::name_route));
    // What all requests pass stands once before all routes: around each of them it would take megabytes, and be copied with every request,
    // layer by layer.
    let router = Router::new()
        .fallback_service(router)
        .layer(Extension(assistant))
        .layer(Extension(live))
        .layer(from_fn_with_state(db.clone(), guard::watch));
    let router = disown(router, db);
    let known = (state.tokens.clone(), state.revocations.clone());
    framed(router, &state.frame, state.limits, state.public_url.0)
        .layer(from_fn_with_state(known, access::recognise))
}

/// What is served while there is no branch: alive, not ready, and why; `setup` is how it gets one.
pub fn waiting(frame: &Frame, limits: Limits, public_url: &str, setup: Router) -> Router {
    let not_ready = async || {
        let detail = "There is no branch in this server's data directory yet. Open the link on its screen, or make one with: edge init";
        Problem::new(Code::Unavailable).detail(detail).retry_after(5)
    };
    let router = Router::new().route("/health", get(system::get_health)).merge(setup).fallback(not_ready);
    framed(router, frame, limits, public_url.into())
}

/// What is served while the disk is so full that the database cannot even be read: alive, and why nothing else.
pub fn full(frame: &Frame, limits: Limits, public_url: &str) -> Router {
    let full = async || Problem::from(DbError::Full);
    framed(
        Router::new().route("/health", get(system::get_health)).fallback(full),
        frame,
        limits,
        public_url.into(),
    )
}

/// Puts `router` inside the layers that all requests pass, outermost last: observed, given an error body, checked for its
/// host, counted, bounded.
pub fn framed<S>(router: Router<S>, frame: &Frame, limits: Limits, public_url: Arc<str>) -> Router<S>
where
    S: Clone + Send + Sync + 'static,
{
    router
        .layer(compress::layer())
        .layer(DefaultBodyLimit::max(frame.bodies.limit_bytes))
        .layer(from_fn_with_state(frame.clone(), observe::bound))
        .layer(from_fn_with_state((limits, Class::General), limit::enforce))
        .layer(from_fn_with_state(frame.hosts.clone(), host::check))
        .layer(from_fn_with_state(public_url, finish::write_problems))
        .layer(from_fn_with_state(frame.clone(), observe::observe))
}

#[cfg(test)]
mod tests;
