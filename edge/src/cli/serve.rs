//! `edge serve`: from the data directory to a listening server, and an orderly stop. Never serves a branch that another
//! process writes, never waits for head office.

use super::init::{self, SampleArgs};
use super::{Failure, Out, banner, not_initialised};
use crate::app;
use crate::config::{Config, LogFormat, Network, ServerFlags};
use crate::data_dir::{DataDir, Lock};
use crate::db::{Db, DbError, Env};
use crate::http::limit::Limits;
use crate::http::observe::Frame;
use crate::http::shutdown::Shutdown;
use crate::service_manager::{self, Answer};
use crate::{keep, serve};
use std::io::IsTerminal;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tracing_subscriber::EnvFilter;

/// How often a waiting server looks whether `edge init` is done.
const LOOK_EVERY: Duration = Duration::from_millis(500);

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    sample: SampleArgs,
    #[command(flatten)]
    pub(super) settings: ServerFlags,
}

pub(super) fn run(args: &Args, config: &Config, out: Out<'_>) -> Result<(), Failure> {
    start_log(config.log.format);
    let data = DataDir::open(&config.store.data_dir)?;
    // Before anything takes a damaged branch for none.
    keep::examine(&data)?;
    if args.sample.sample_data && !data.is_initialised() {
        init::run(&init::Args::sample(args.sample.clone()), config, out)?;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let shutdown = Shutdown::new();
        serve::stop_on_signals(shutdown.clone())?;
        listen(config, &data, &shutdown, out).await
    })
}

/// Binds, waits for a branch if there is none, and serves it until told to stop.
async fn listen(config: &Config, data: &DataDir, shutdown: &Shutdown, out: Out<'_>) -> Result<(), Failure> {
    let address = config.network.listen;
    let listener = TcpListener::bind(address).await;
    let listener = listener.map_err(|error| Failure::new(format!("cannot listen on {address}: {error}")))?;
    let bound = listener.local_addr()?;
    let lock = if data.is_initialised() {
        data.lock()?
    } else {
        announce_waiting(out, bound, data)?;
        match wait_for_branch(&listener, config, data, shutdown).await? {
            Some(lock) => lock,
            None => return Ok(()),
        }
    };
    service_manager::status("Opening the database");
    keep::prepare(data, &config.backups, &Env::system())?;
    let url = public_url(&config.network, bound.port());
    let state = app::open(config, data, Env::system(), &url, shutdown)?;
    let mut workers = app::start_workers(&state, config);
    let open = format!("Open at {}", banner::addresses(bound).join(" and "));
    workers.spawn(attend(open, state.db.clone(), shutdown.receiver()));
    banner::print(out, bound, &config.network, &state.db)?;
    tracing::info!(address = %bound, data_dir = %data.path().display(), "serving");
    serve::run(&listener, app::router(state), (&config.network).into(), shutdown).await;
    workers.join_all().await;
    drop(lock);
    tracing::info!("stopped");
    Ok(())
}

/// Tells the service manager that the branch is open and that its writer answers.
async fn attend(text: String, db: Db, stopping: watch::Receiver<bool>) {
    let ask = || {
        let db = db.clone();
        async move {
            match db.write(|_| Ok::<_, DbError>(())).await {
                Ok(()) => Answer::Ready,
                Err(DbError::Unavailable(_)) => Answer::Gone,
                Err(_) => Answer::Refused,
            }
        }
    };
    service_manager::attend(&text, ask, stopping).await;
}

/// What clients call this server by: the configured address, or the one this machine has in its network.
pub(super) fn public_url(network: &Network, port: u16) -> String {
    if let Some(url) = &network.public_url {
        return url.as_str().to_owned();
    }
    let ip = match network.listen.ip() {
        ip if ip.is_unspecified() => banner::network_address().unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST)),
        ip => ip,
    };
    format!("http://{}", SocketAddr::new(ip, port))
}

fn announce_waiting(out: Out<'_>, bound: SocketAddr, data: &DataDir) -> Result<(), Failure> {
    let Failure(reason) = not_initialised(data);
    writeln!(out, "Listening at {}, but {reason}", banner::addresses(bound).join(" and "))?;
    let directory = data.path().display();
    writeln!(out, "  edge init --data-dir {directory} --outlet-code BLR1 --outlet-name 'My Restaurant' \\")?;
    writeln!(out, "    --timezone Asia/Kolkata --currency INR --owner-email me@example.com")?;
    writeln!(
        out,
        "The branch opens by itself as soon as that is done. (A whole sample restaurant: --sample-data)"
    )?;
    out.flush()?;
    Ok(())
}

/// Answers 503 until `edge init` is done, then hands over the lock; `None` when told to stop first.
async fn wait_for_branch(
    listener: &TcpListener,
    config: &Config,
    data: &DataDir,
    shutdown: &Shutdown,
) -> Result<Option<Lock>, Failure> {
    let enough = Shutdown::new();
    let frame = Frame::new(&config.network, config.bodies, config.metrics.token.clone(), Env::system());
    let url = public_url(&config.network, listener.local_addr()?.port());
    let waiting = app::waiting(&frame, Limits::new(&config.limits), &url);
    let look = async {
        let found = loop {
            if shutdown.is_triggered() {
                break None;
            }
            // `edge init` holds the lock until everything is there.
            if data.is_initialised()
                && let Ok(lock) = data.lock()
            {
                break Some(lock);
            }
            tokio::select! {
                () = shutdown.wait() => {}
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
        };
        enough.trigger();
        found
    };
    let attend = service_manager::attend("Waiting to be set up", async || Answer::Ready, enough.receiver());
    let (found, (), ()) =
        tokio::join!(look, serve::run(listener, waiting, (&config.network).into(), &enough), attend);
    Ok(found)
}

/// Logs to standard error: what `RUST_LOG` says, else requests and everything of note.
pub fn start_log(format: LogFormat) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // A log that is already running (tests) stays.
    let _ = match format {
        LogFormat::Text => log.with_ansi(std::io::stderr().is_terminal()).try_init(),
        LogFormat::Json => log.json().flatten_event(true).try_init(),
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::Actor;
    use crate::config::Sources;
    use crate::db::Options;
    use crate::resources::outlets;
    use std::io::Write;
    use std::sync::{Arc, Mutex};
    use tiffin_common::Uuid;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    /// What was printed, readable while the server runs.
    #[derive(Clone, Default)]
    struct Printed(Arc<Mutex<String>>);

    impl Write for Printed {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().push_str(&String::from_utf8_lossy(bytes));
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    impl Printed {
        /// The first address after `words`, once it is printed.
        async fn address(&self, words: &str) -> SocketAddr {
            loop {
                let text = self.0.lock().unwrap().clone();
                let address = text.split_once(words).and_then(|(_, rest)| rest.split_once("http://"));
                if let Some((_, rest)) = address {
                    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ':').unwrap();
                    return rest[..end].parse().unwrap();
                }
                tokio::task::yield_now().await;
            }
        }
    }

    async fn ready(address: SocketAddr) -> bool {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = b"GET /ready HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
        stream.write_all(request).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer.starts_with("HTTP/1.1 200 ")
    }

    #[tokio::test]
    async fn a_server_without_a_branch_opens_as_soon_as_one_is_made() {
        let folder = tempfile::tempdir().unwrap();
        let data = DataDir::open(folder.path()).unwrap();
        let flags = [("listen", "127.0.0.1:0".to_owned())].into();
        let config = Config::resolve(&Sources { flags, ..Sources::default() }).unwrap();
        let (shutdown, printed) = (Shutdown::new(), Printed::default());
        let script = async {
            let address = printed.address("Listening at").await;
            assert!(!ready(address).await);
            let lock = data.lock().unwrap();
            let db = Db::open(&Options::new(data.database()), Env::system()).unwrap();
            let new = outlets::rules::NewOutlet::sample("BLR1");
            let actor = Actor::system(Uuid::nil());
            db.write(move |tx| outlets::actions::create(tx, &actor, new).map_err(|e| e.to_string().into()))
                .await
                .map_err(|error: Words| error.0)
                .unwrap();
            assert!(!ready(address).await, "init is still at work");
            drop((db, lock));
            assert_eq!(printed.address("open at").await, address);
            assert!(ready(address).await);
            assert!(matches!(data.lock(), Err(crate::data_dir::DataDirError::InUse(_))));
            shutdown.trigger();
        };
        let mut out = printed.clone();
        let (served, ()) = tokio::join!(listen(&config, &data, &shutdown, &mut out), script);
        assert!(served.is_ok());
        data.lock().unwrap();
    }

    struct Words(String);

    impl From<String> for Words {
        fn from(text: String) -> Self {
            Words(text)
        }
    }

    impl From<crate::db::DbError> for Words {
        fn from(error: crate::db::DbError) -> Self {
            Words(error.to_string())
        }
    }
}
