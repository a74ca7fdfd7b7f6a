//! Head office's state: handles of the lower layers, and how the registry is looked at and changed. Never a route, never logic of
//! a handler.

use crate::config::Config;
use crate::desk::Desk;
use crate::exchange::{Admission, Bells, Chain, Keyring, Presences};
use crate::hub::Hub;
use crate::live::Live;
use crate::opening::{self, OpenError};
use crate::reads;
use crate::registry::{self, Change, RegistryError, sessions};
use crate::secrets::Keys;
use crate::store::{Stores, Wake};
use axum::Router;
use axum::extract::FromRef;
use edge::access::{Principal, Revocations, Tokens, tokens};
use edge::config::LimitRates;
use edge::db::{Env, Source};
use edge::http::Problem;
use edge::http::limit::Limits;
use edge::http::observe::Frame;
use edge::http::shutdown::Shutdown;
use edge::state::{BackupWatch, CertificateWatch, PublicUrl, Reading, Stopping};
use std::sync::Arc;
use tiffin_common::Uuid;
use tokio::sync::Semaphore;

/// The routes of this application.
pub type Routes = edge::access::Routes<AppState>;

/// Head office. Cheap to clone.
#[derive(Clone)]
pub struct AppState {
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
    /// The outlets of the chain, as the boxes are told of them.
    pub chain: Chain,
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

impl FromRef<AppState> for Tokens {
    fn from_ref(state: &AppState) -> Self {
        state.tokens.clone()
    }
}

impl AppState {
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
    ) -> Result<AppState, OpenError> {
        let (keys, hub_epoch) = opening::found(&config, &stores, &env)?;
        let box_rates =
            LimitRates { general: config.exchange_rate, login: config.enrol, ..LimitRates::default() };
        let hub = Hub::new(stores, env.clone(), hub_epoch);
        let tokens = Tokens::new(&keys.token_key, &keys.token_key, Arc::clone(&env.clock));
        let limits = Limits::new(&config.limits);
        let frame = Frame::new(&config.network, config.bodies, config.metrics.token.clone(), env.clone());
        let revocations = Revocations::default();
        let reading = reads::Mount {
            rows: Reading {
                db: reads::db(hub.stores().clone(), env),
                public_url: PublicUrl(public_url.into()),
                // Head office's own backups are no branch's.
                backups: BackupWatch::default(),
            },
            tokens: tokens.clone(),
            revocations: revocations.clone(),
            limits: limits.clone(),
        };
        let state = AppState {
            reading: reads::router(reading),
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
            chain: Chain::default(),
            figures: Arc::new(Semaphore::new(config.analytics_permits)),
            // Who opens the door with TLS knows.
            certificate: CertificateWatch::default(),
            config: Arc::new(config),
        };
        state.recall_blocking()?;
        Ok(state)
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
    pub async fn look<T, F>(&self, look: F) -> Result<T, RegistryError>
    where
        F: FnOnce(&dyn Source) -> Result<T, RegistryError> + Send + 'static,
        T: Send + 'static,
    {
        self.stores().run(move |stores| stores.read_registry_blocking(look)).await
    }

    /// Changes the registry in one transaction, and tells every process.
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
    pub async fn change_quietly<T, F>(&self, work: F) -> Result<T, RegistryError>
    where
        F: FnOnce(&Change<'_>) -> Result<T, RegistryError> + Send + 'static,
        T: Send + 'static,
    {
        let env = self.env().clone();
        self.stores().run(move |stores| stores.registry_blocking(|sql| work(&Change::begin(sql, &env)))).await
    }

    /// Looks the outlets of the chain up again.
    ///
    /// # Errors
    /// The store's: what is known stays.
    pub async fn learn_chain(&self) -> Result<(), RegistryError> {
        let all = self.look(|from| Ok(registry::outlets::list(from)?)).await?;
        self.chain.set(all.into_iter().map(|outlet| outlet.card).collect());
        Ok(())
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

    /// Voids the access tokens of sessions that ended, in this process or another.
    pub async fn recall(&self) -> Result<(), RegistryError> {
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
    /// Nothing is lost then.
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
