//! The application: head office's parts, every route behind its guard, inside the layers that all requests pass. Never listens:
//! that is `serve`.

mod opening;

pub use opening::{OpenError, first_admin, lay_out, open_stores};

use crate::api;
use crate::api::exchange::{Admission, Bells, Keyring, Presences};
use crate::api::live::{self, Live};
use crate::config::Config;
use crate::desk::Desk;
use crate::hub::Hub;
use crate::reads;
use crate::registry::{self, Change, RegistryError, meta, sessions};
use crate::secrets::{self, Keys};
use crate::store::{Stores, Wake};
use axum::Router;
use axum::extract::{ConnectInfo, DefaultBodyLimit, FromRef, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use edge::access::{Principal, Revocations, Tokens, tokens};
use edge::app::{docs, problems, system};
use edge::config::{Ai, LimitRates};
use edge::db::{Env, Source};
use edge::http::client::OverTls;
use edge::http::limit::{self, Class, Limits};
use edge::http::observe::{self, Frame};
use edge::http::shutdown::Shutdown;
use edge::http::{Code, Problem, finish, host};
use edge::state::{AppState, BackupWatch, ByMail, CertificateWatch, PublicUrl, Secrets, Stopping};
use ipnet::IpNet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tiffin_common::Uuid;
use tokio::sync::Semaphore;
use tokio::sync::broadcast::error::RecvError;
use tokio::task::JoinSet;

/// How often the registry is looked at although nothing woke us: a net under the wake-ups.
const LOOK_EVERY: Duration = Duration::from_secs(30);

/// How often what boxes said of themselves is written down.
const NOTE_EVERY: Duration = Duration::from_secs(5);

/// Head office. Cheap to clone.
#[derive(Clone)]
pub struct App {
    /// What the outlets sent, and what goes to them.
    pub hub: Hub,
    /// The catalogue and its publications.
    pub desk: Desk,
    /// Access tokens of head office's people.
    pub tokens: Tokens,
    /// Voided access tokens.
    pub revocations: Revocations,
    /// Rate limits of people.
    pub limits: Limits,
    /// Rate limits of boxes: `General` counts all their requests, `Login` enrolments.
    pub box_limits: Limits,
    /// What is derived from the secret.
    pub keys: Keys,
    /// Where clients reach head office, without a trailing slash.
    pub public_url: PublicUrl,
    /// Turns true when the process is asked to stop: streams end.
    pub stopping: Stopping,
    /// What the layers around every handler need.
    pub frame: Frame,
    /// How much of the exchange is done at once.
    pub admission: Admission,
    /// The keys of boxes, as far as they are known without a look.
    pub keyring: Keyring,
    /// What boxes said of themselves.
    pub presences: Presences,
    /// Wakes the pulls that wait.
    pub bells: Bells,
    /// Tells screens what happens at the outlets.
    pub live: Live,
    /// The reading half of a branch's API, relative to its prefix.
    pub reading: Router,
    /// Outlets whose figures are worked out at once.
    pub figures: Arc<Semaphore>,
    /// How long the certificate holds.
    pub certificate: CertificateWatch,
    /// The settings.
    pub config: Arc<Config>,
}

impl FromRef<App> for Tokens {
    fn from_ref(app: &App) -> Self {
        app.tokens.clone()
    }
}

impl App {
    /// Head office over `stores`.
    ///
    /// # Errors
    /// When the secret is another one, or the registry cannot be read.
    pub fn open(
        config: Config,
        stores: Stores,
        env: Env,
        public_url: &str,
        shutdown: &Shutdown,
    ) -> Result<App, OpenError> {
        let keys = secrets::load_or_create(&config.store, &*env.random)?;
        let founding = env.clone();
        let meta =
            stores.registry_blocking(|sql| meta::found(&Change::begin(sql, &founding), &keys.check))?;
        if meta.secret_check != keys.check {
            return Err(OpenError::OtherSecret);
        }
        let box_rates =
            LimitRates { general: config.exchange_rate, login: config.enrol, ..LimitRates::default() };
        let hub = Hub::new(stores, env.clone(), meta.hub_epoch);
        let tokens = Tokens::new(&keys.token_key, Arc::clone(&env.clock));
        let limits = Limits::new(&config.limits);
        let frame = Frame::new(&config.network, config.bodies, config.metrics.token.clone(), env.clone());
        let revocations = Revocations::default();
        let alone = Ai { url: None, model: None, key: None, timeout: Duration::from_secs(1) };
        let as_branch = AppState {
            db: reads::db(hub.stores().clone(), env),
            tokens: tokens.clone(),
            revocations: revocations.clone(),
            limits: limits.clone(),
            // A branch's PINs are not checked here, and no session is renewed by its handlers.
            secrets: Secrets { pepper: keys.refresh_key.clone(), sealing_key: keys.refresh_key.clone() },
            public_url: PublicUrl(public_url.into()),
            by_mail: ByMail(false),
            stopping: Stopping(shutdown.receiver()),
            frame: frame.clone(),
            ai: alone,
            backups: BackupWatch::default(),
            certificate: CertificateWatch::default(),
        };
        let app = App {
            reading: reads::routes().into_router(&as_branch).with_state(as_branch),
            live: Live::default(),
            desk: Desk::new(hub.clone()),
            hub,
            tokens,
            revocations,
            limits,
            box_limits: Limits::new(&box_rates),
            keys,
            public_url: PublicUrl(public_url.into()),
            stopping: Stopping(shutdown.receiver()),
            frame,
            admission: Admission::new(&config.exchange),
            keyring: Keyring::default(),
            presences: Presences::default(),
            bells: Bells::default(),
            figures: Arc::new(Semaphore::new(config.analytics_permits)),
            // Who opens the door with TLS knows.
            certificate: CertificateWatch::default(),
            config: Arc::new(config),
        };
        app.recall_blocking()?;
        Ok(app)
    }

    /// Where everything is kept.
    pub fn stores(&self) -> &Stores {
        self.hub.stores()
    }

    /// Clock, ids and randomness.
    pub fn env(&self) -> &Env {
        self.hub.env()
    }

    /// Looks at the registry in one snapshot.
    ///
    /// # Errors
    /// The look's own, or the store's.
    pub async fn look<T, F>(&self, look: F) -> Result<T, RegistryError>
    where
        F: FnOnce(&dyn Source) -> Result<T, RegistryError> + Send + 'static,
        T: Send + 'static,
    {
        self.stores().run(move |stores| stores.read_registry_blocking(look)).await
    }

    /// Changes the registry in one transaction, and tells every process.
    ///
    /// # Errors
    /// The work's own, or the store's.
    pub async fn change<T, F>(&self, work: F) -> Result<T, RegistryError>
    where
        F: FnOnce(&Change<'_>) -> Result<T, RegistryError> + Send + 'static,
        T: Send + 'static,
    {
        let changed = self.change_quietly(work).await?;
        self.stores().store().wake(Wake::Registry);
        // The other processes hear of it; this one must not answer before it knows.
        self.keyring.forget();
        self.recall().await?;
        Ok(changed)
    }

    /// [`change`](Self::change) that concerns nobody else.
    ///
    /// # Errors
    /// As there.
    pub async fn change_quietly<T, F>(&self, work: F) -> Result<T, RegistryError>
    where
        F: FnOnce(&Change<'_>) -> Result<T, RegistryError> + Send + 'static,
        T: Send + 'static,
    {
        let env = self.env().clone();
        self.stores().run(move |stores| stores.registry_blocking(|sql| work(&Change::begin(sql, &env)))).await
    }

    /// An access token for `principal`.
    ///
    /// # Errors
    /// 500 when it cannot be signed.
    pub fn issue(&self, principal: &Principal) -> Result<String, Problem> {
        let now = self.env().clock.now();
        let at = self.revocations.issue_at(&[principal.session_id, principal.account_id], now);
        let jti = self.env().ids.next(now);
        self.tokens.issue_at(principal, jti, at, tokens::LIFETIME_MS)
    }

    fn recall_blocking(&self) -> Result<(), RegistryError> {
        let now = self.env().clock.now();
        let voided = self.stores().read_registry_blocking(|from| -> Result<_, RegistryError> {
            Ok(sessions::voided(from, now)?)
        })?;
        self.void(&voided);
        Ok(())
    }

    async fn recall(&self) -> Result<(), RegistryError> {
        let now = self.env().clock.now();
        let voided = self.look(move |from| Ok(sessions::voided(from, now)?)).await?;
        self.void(&voided);
        Ok(())
    }

    fn void(&self, voided: &[(Uuid, tiffin_common::Millis)]) {
        for (id, at) in voided {
            // Those known already must not void the tokens that were made since.
            if !self.revocations.is_revoked(*id, *at) {
                self.revocations.revoke(*id, *at, tokens::LIFETIME_MS);
            }
        }
    }

    /// Writes down what boxes said of themselves since the last time.
    ///
    /// # Errors
    /// The store's; nothing is lost then.
    pub async fn note_presences(&self) -> Result<(), RegistryError> {
        let noted = self.presences.take();
        if noted.is_empty() {
            return Ok(());
        }
        let rows = noted.clone();
        let written = self.change_quietly(move |change| {
            rows.iter().try_for_each(|(outlet, said)| registry::outlets::set_presence(change, *outlet, said))
        });
        written.await.inspect_err(|_| self.presences.put_back(noted))
    }
}

/// Starts what works without a request; it ends by itself at the signal to stop. Call inside the async runtime.
pub fn start_workers(app: &App) -> JoinSet<()> {
    let mut workers = JoinSet::new();
    workers.spawn(limit::sweep_until(app.limits.clone(), app.stopping.0.clone()));
    workers.spawn(limit::sweep_until(app.box_limits.clone(), app.stopping.0.clone()));
    workers.spawn(watch_registry(app.clone()));
    workers.spawn(note_presences(app.clone()));
    workers.spawn(live::watch(app.clone()));
    workers.spawn(crate::keep::nightly::run(app.clone()));
    workers.spawn(crate::days::run(app.clone()));
    workers.spawn(app.desk.clone().run(app.stopping.0.clone()));
    workers
}

/// Hears of what other processes changed: keys that ended, people who were signed out.
async fn watch_registry(app: App) {
    let mut stopping = app.stopping.0.clone();
    let mut wakes = app.stores().store().wakes();
    loop {
        let again = tokio::time::sleep(LOOK_EVERY);
        tokio::select! {
            () = edge::http::sse::stopped(&mut stopping) => return,
            () = again => {}
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
    }
}

async fn note_presences(app: App) {
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
pub fn router(app: App) -> Router {
    router_with(app, Router::new())
}

/// The whole application, with `pages` of its network.
pub fn router_with(app: App, pages: Router<App>) -> Router {
    let people = api::all_routes(&app.desk).into_router_behind(&app.limits, api::guard::layer(&app));
    let people = people.merge(app.reading.clone().with_state::<App>(()));
    let router = Router::new()
        .nest("/api/v1", people.clone())
        .nest("/v1", people)
        .merge(api::system::routes(&app))
        .merge(docs::routes())
        .merge(problems::routes())
        .merge(pages)
        .route("/health", axum::routing::get(system::get_health))
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
    Problem::new(Code::Forbidden).detail(detail).into_response()
}
