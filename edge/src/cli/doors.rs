//! Where `edge serve` listens, in clear and with TLS, and what opens there. Never decides what is answered.

use super::{Failure, Result};
use crate::app;
use crate::config::{Config, Network, PlainHttp};
use crate::data_dir::DataDir;
use crate::db::Env;
use crate::doctor;
use crate::http::client::TlsTrust;
use crate::http::shutdown::Shutdown;
use crate::lan::pages::{self, Clear};
use crate::lan::tls::{Keeper, Settings, TlsError, folder, wanted};
use crate::lan::{Pages, Reach};
use crate::serve::{self, Door};
use crate::state::AppState;
use std::net::SocketAddr;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// What `edge serve` listens on.
pub(super) struct Doors {
    pub(super) plain: TcpListener,
    tls: Option<TcpListener>,
    pub(super) plain_at: SocketAddr,
    pub(super) tls_at: Option<SocketAddr>,
}

impl Doors {
    /// Binds what is configured.
    ///
    /// # Errors
    /// When an address is taken or not this machine's.
    pub(super) async fn bind(network: &Network) -> Result<Doors> {
        let bind = async |at: SocketAddr| {
            let bound = TcpListener::bind(at).await;
            bound.map_err(|error| cannot_listen(at, &error))
        };
        let plain = bind(network.listen).await?;
        let tls = match network.tls.listen {
            Some(at) => Some(bind(at).await?),
            None => None,
        };
        let tls_at = tls.as_ref().map(TcpListener::local_addr).transpose()?;
        Ok(Doors { plain_at: plain.local_addr()?, plain, tls, tls_at })
    }

    /// How clients call what listens here.
    pub(super) fn reach(
        &self,
        network: &Network,
        name: watch::Receiver<Option<String>>,
        trust: TlsTrust,
    ) -> Reach {
        Reach::new(network, (self.plain_at, self.tls_at), name, trust)
    }

    /// The certificate of the door with TLS; none where there is no such door, or the clock cannot be right. `host` is what the
    /// box announces, before `.local`.
    ///
    /// # Errors
    /// When it cannot be had.
    pub(super) fn keeper(
        &self,
        config: &Config,
        data: &DataDir,
        host: &str,
        reach: &Reach,
    ) -> Result<Option<Keeper>, TlsError> {
        if self.tls.is_none() {
            return Ok(None);
        }
        let settings = Settings {
            files: config.network.tls.files(),
            folder: folder(data.path()),
            title: authority_title(host),
            wanted: Box::new(wanted(&config.network, vec![format!("{host}.local")], {
                let reach = reach.clone();
                move || reach.name()
            })),
        };
        match Keeper::open(settings, Env::system()) {
            // The restaurant opens all the same; the clock comes with the network, TLS with the next start.
            Err(error @ TlsError::Clock(_)) => {
                tracing::warn!(%error, "no TLS");
                Ok(None)
            }
            opened => opened.map(Some),
        }
    }

    /// Answers at all doors until the signal to stop.
    ///
    /// # Errors
    /// When TLS cannot be had.
    pub(super) async fn serve(
        &self,
        state: AppState,
        reach: Reach,
        keeper: Option<&Keeper>,
        network: &Network,
        shutdown: &Shutdown,
    ) -> Result<()> {
        let (hosts, public_url) = (state.frame.hosts.clone(), state.public_url.0.clone());
        let trust = state.trust.clone();
        let pages = Pages::new(state.db.clone(), reach);
        let app = app::router_with(state, pages);
        let mut doors = Vec::new();
        if let (Some(listener), Some(keeper)) = (&self.tls, keeper) {
            let app = pages::with_hsts(app.clone(), network.tls.files().is_some());
            doors.push(Door { listener, tls: Some(keeper.server_config()?), app });
        }
        let plain = match self.tls_at.filter(|_| network.tls.is_sent_to(true)) {
            Some(tls) => {
                let refuses = network.tls.staff_plain_http == Some(PlainHttp::Refuse);
                let awaits = network.tls.staff_plain_http.is_none().then_some(trust);
                pages::to_tls(app, Clear { hosts, port: tls.port(), refuses, awaits, public_url })
            }
            None => app,
        };
        doors.push(Door { listener: &self.plain, tls: None, app: plain });
        serve::run_all(doors, network.into(), shutdown).await;
        Ok(())
    }
}

/// Why an address cannot be had, and who has it.
fn cannot_listen(at: SocketAddr, error: &std::io::Error) -> Failure {
    let who = match error.kind() {
        std::io::ErrorKind::AddrInUse => match doctor::network::holder(at.port()) {
            Some(who) => format!(": {who} listens there. Stop that, or choose another port with --listen"),
            None => ". Who listens there says: edge doctor".to_owned(),
        },
        _ => String::new(),
    };
    Failure::new(format!("cannot listen on {at}: {error}{who}"))
}

/// What the local authority of a box is called on tablets.
pub(super) fn authority_title(host: &str) -> String {
    format!("Tiffin {}", host.to_uppercase())
}
