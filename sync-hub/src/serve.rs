//! `sync-hub serve`: from the settings to a listening server, and an orderly stop. The accept loop is the branch's own.

use crate::app;
use crate::config::Config;
use crate::opening::{self, OpenError};
use crate::state::AppState;
use edge::config::Network;
use edge::db::Env;
use edge::http::client::TlsTrust;
use edge::http::shutdown::Shutdown;
use edge::lan::tls::{Keeper, Settings, TlsError, Wanted};
use edge::lan::{Reach, certificate};
use edge::serve::{self, Bounds, Door};
use edge::service_manager::{self, Answer};
use edge::state::CertificateWatch;
use std::net::SocketAddr;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// What its local authority is called.
pub const AUTHORITY: &str = "Tiffin head office";

/// Why head office cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// It cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Its certificate.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The address is taken or not this machine's.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
}

/// How clients call a server that listens on `plain` and, with TLS, on `tls`.
pub fn reach(network: &Network, plain: SocketAddr, tls: Option<SocketAddr>) -> Reach {
    Reach::new(network, (plain, tls), watch::Sender::new(None).subscribe(), TlsTrust::default())
}

/// For what head office wants a certificate of its local authority.
pub fn wanted(network: &Network) -> impl Fn() -> Wanted + Send + Sync + use<> {
    edge::lan::tls::wanted(network, Vec::new(), || None)
}

/// Tells the service manager that head office is open and that its store answers. A refusal is an answer: a database server that
/// is away does not come back by starting this process anew.
async fn attend(text: String, app: AppState, stopping: watch::Receiver<bool>) {
    let ask = || {
        let app = app.clone();
        async move {
            let answer = app.change_quietly(|_| Ok(())).await;
            if answer.is_ok() { Answer::Ready } else { Answer::Refused }
        }
    };
    service_manager::attend(&text, ask, stopping).await;
}

/// Serves head office until told to stop; `ready` hears how it is called, once it answers.
///
/// # Errors
/// See [`ServeError`].
pub async fn run(
    config: Config,
    env: Env,
    shutdown: &Shutdown,
    ready: impl FnOnce(SocketAddr, &Reach, &AppState),
) -> Result<(), ServeError> {
    let network = config.network.clone();
    let listener = bind(network.listen).await?;
    let secure = match network.tls.listen {
        Some(at) => Some(bind(at).await?),
        None => None,
    };
    let place = |listener: &TcpListener| {
        listener.local_addr().map_err(|source| ServeError::Listen { address: network.listen, source })
    };
    let (bound, secure_at) = (place(&listener)?, secure.as_ref().map(place).transpose()?);
    let reach = reach(&network, bound, secure_at);
    let folder = edge::lan::tls::folder(&config.store.data_dir);
    service_manager::status("Opening the database");
    let (url, signal, opening) = (reach.address(), shutdown.clone(), env.clone());
    let opened = tokio::task::spawn_blocking(move || {
        let stores = opening::open_stores(&config)?;
        AppState::open(config, stores, opening, &url, &signal)
    });
    let app = opened.await.unwrap_or(Err(OpenError::Stopped))?;
    let mut workers = app::start_workers(&app);
    workers.spawn(attend(format!("Open at http://{bound}"), app.clone(), shutdown.receiver()));
    ready(bound, &reach, &app);
    let pages = certificate::routes(folder.clone(), reach, env.clone());
    let keeper = match secure {
        Some(_) => {
            let (files, title, wanted) = (network.tls.files(), AUTHORITY.to_owned(), wanted(&network));
            Some(Keeper::open(Settings { files, folder, title, wanted: Box::new(wanted) }, env)?)
        }
        None => None,
    };
    let certificate = CertificateWatch(keeper.as_ref().map(Keeper::end));
    let router = app::router_with(AppState { certificate, ..app }, pages);
    let mut doors = Vec::new();
    if let (Some(listener), Some(keeper)) = (&secure, keeper) {
        let app = edge::lan::pages::with_hsts(router.clone(), network.tls.files().is_some());
        doors.push(Door { listener, tls: Some(keeper.server_config()?), app });
        workers.spawn(keeper.run(shutdown.receiver()));
    }
    doors.push(Door { listener: &listener, tls: None, app: router });
    tracing::info!(address = %bound, tls = ?secure_at, "serving");
    serve::run_all(doors, Bounds::from(&network), shutdown).await;
    workers.join_all().await;
    tracing::info!("stopped");
    Ok(())
}

async fn bind(address: SocketAddr) -> Result<TcpListener, ServeError> {
    TcpListener::bind(address).await.map_err(|source| ServeError::Listen { address, source })
}
