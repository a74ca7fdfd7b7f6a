//! `sync-hub serve`: from the settings to a listening server, and an orderly stop. The accept loop is the branch's own.

use crate::app::{self, App, OpenError};
use crate::config::Config;
use edge::config::Network;
use edge::db::Env;
use edge::http::shutdown::Shutdown;
use edge::serve::{self, Bounds};
use edge::service_manager::{self, Answer};
use std::net::SocketAddr;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// Why head office cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// It cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The address is taken or not this machine's.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
}

/// What clients call this server by: the configured address, or the one it listens on.
pub fn public_url(network: &Network, bound: SocketAddr) -> String {
    network.public_url.as_ref().map_or_else(|| format!("http://{bound}"), |url| url.as_str().to_owned())
}

/// Tells the service manager that head office is open and that its store answers. A refusal is an answer: a database server that
/// is away does not come back by starting this process anew.
async fn attend(text: String, app: App, stopping: watch::Receiver<bool>) {
    let ask = || {
        let app = app.clone();
        async move {
            let answer = app.change_quietly(|_| Ok(())).await;
            if answer.is_ok() { Answer::Ready } else { Answer::Refused }
        }
    };
    service_manager::attend(&text, ask, stopping).await;
}

/// Serves head office until told to stop; `ready` hears where, once it answers.
///
/// # Errors
/// See [`ServeError`].
pub async fn run(
    config: Config,
    env: Env,
    shutdown: &Shutdown,
    ready: impl FnOnce(SocketAddr, &App),
) -> Result<(), ServeError> {
    let address = config.network.listen;
    let failed = |source| ServeError::Listen { address, source };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    let (url, bounds) = (public_url(&config.network, bound), Bounds::from(&config.network));
    service_manager::status("Opening the database");
    let (signal, opening) = (shutdown.clone(), env.clone());
    let opened = tokio::task::spawn_blocking(move || {
        let stores = app::open_stores(&config)?;
        App::open(config, stores, opening, &url, &signal)
    });
    let app = opened.await.unwrap_or(Err(OpenError::Stopped))?;
    let mut workers = app::start_workers(&app);
    workers.spawn(attend(format!("Open at http://{bound}"), app.clone(), shutdown.receiver()));
    ready(bound, &app);
    tracing::info!(address = %bound, "serving");
    serve::run(&listener, app::router(app), bounds, shutdown).await;
    workers.join_all().await;
    tracing::info!("stopped");
    Ok(())
}
