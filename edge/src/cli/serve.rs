//! `edge serve`: from the data directory to a listening server, and an orderly stop. Never serves a branch that another
//! process writes, never waits for head office but for two seconds after the start.

use super::doors::Doors;
use super::init::{self, SampleArgs};
use super::open::prepared;
use super::{Failure, Out, banner, waiting};
use crate::app;
use crate::config::{Config, LogFormat, ServerFlags};
use crate::data_dir::{DataDir, leave_mark};
use crate::db::{Db, DbError, Env};
use crate::http::client::TlsTrust;
use crate::http::shutdown::Shutdown;
use crate::lan::mdns::{self, Announcement};
use crate::lan::pages::own_outlet;
use crate::lan::tls::Keeper;
use crate::resources::outlets;
use crate::service_manager::{self, Answer};
use crate::state::{AppState, CertificateWatch};
use crate::sync::Enrolment;
use crate::{health, root, serve};
use std::io::IsTerminal;
use tokio::sync::watch;
use tracing_subscriber::EnvFilter;

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
    health::examine_to_serve(&data)?;
    if args.sample.sample_data && !data.is_initialised() {
        init::run(&init::Args::sample(args.sample.clone()), config, &Env::system(), out)?;
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
    let network = &config.network;
    let doors = Doors::bind(network).await?;
    let name = watch::Sender::new(None);
    let trust = TlsTrust::default();
    let reach = doors.reach(network, name.subscribe(), trust.clone());
    let lock = if data.is_initialised() {
        data.lock()?
    } else {
        match waiting::wait(&doors, config, data, &reach, shutdown, out).await? {
            Some(lock) => lock,
            None => return Ok(()),
        }
    };
    root::close_to_others(data.path());
    if !waiting::room(&doors, config, data, &reach, shutdown).await {
        return Ok(());
    }
    service_manager::status("Opening the database");
    let env = prepared(data, config)?;
    trust_office(config, data)?;
    let state = app::open(config, data, env, &reach.address(), shutdown)?;
    leave_mark(data.path(), &state.db.read_blocking(own_outlet)?.unwrap_or_default());
    let host = state.db.read_blocking(|from| mdns::host(from, config.lan.mdns_name.as_deref()))?;
    let keeper = doors.keeper(config, data, &host, &reach)?;
    let certificate = CertificateWatch(keeper.as_ref().map(Keeper::end));
    if let Some(keeper) = keeper.as_ref().filter(|_| network.tls.staff_plain_http.is_none()) {
        let believed = keeper.authority().map_or_else(|| "given".to_owned(), |card| card.fingerprint);
        let shown = state.db.read_blocking(|from| outlets::store::find_believed_authority(from))?;
        trust.begin(believed, shown.as_deref());
    }
    let state = AppState { certificate, trust, ..state };
    app::ask_head_office(&state, config).await;
    let mut workers = app::start_workers(&state, config);
    if health::is_large(data) {
        workers.spawn(health::guard::look_on(state.db.clone(), shutdown.receiver()));
    }
    let open = format!("Open at {}", banner::addresses(doors.plain_at).join(" and "));
    workers.spawn(attend(open, state.db.clone(), shutdown.receiver()));
    if let Some(keeper) = &keeper {
        workers.spawn(keeper.clone().run(shutdown.receiver()));
    }
    let announcement = Announcement { plain: doors.plain_at, tls: doors.tls_at, host };
    if config.lan.mdns && mdns::is_open(&announcement) {
        workers.spawn(mdns::run(state.db.clone(), announcement, name, shutdown.receiver()));
    }
    banner::print(out, doors.plain_at, &reach, keeper.as_ref(), &state.db)?;
    tracing::info!(address = %doors.plain_at, data_dir = %data.path().display(), "serving");
    let db = state.db.clone();
    doors.serve(state, reach, keeper.as_ref(), network, shutdown).await?;
    workers.join_all().await;
    db.close();
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
                // What is read is read, and who waits for the start waits for that.
                Err(DbError::Full) => Answer::ReadsOnly,
                Err(DbError::Unavailable(_)) => Answer::Gone,
                Err(_) => Answer::Refused,
            }
        }
    };
    service_manager::attend(&text, ask, stopping).await;
}

/// The certificate authority of head office that is configured goes before the one of the enrolment.
fn trust_office(config: &Config, data: &DataDir) -> Result<(), Failure> {
    let Some(authority) = &config.lan.hub_ca else { return Ok(()) };
    let authority = std::fs::canonicalize(authority)
        .map_err(|error| Failure::new(format!("{}: {error}", authority.display())))?;
    if let Some(enrolment) = Enrolment::load(data.path())?
        && enrolment.authority.as_ref() != Some(&authority)
    {
        Enrolment { authority: Some(authority), ..enrolment }.save(data.path())?;
    }
    Ok(())
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
    use std::io::Write;
    use std::net::SocketAddr;
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
            crate::secrets::load_or_create(data.path(), &*Env::system().random).unwrap();
            let db = Db::open(&Options::new(data.database()), Env::system()).unwrap();
            let new = outlets::rules::NewOutlet::sample("BLR1");
            let actor = Actor::system(Uuid::nil());
            db.write(move |tx| outlets::actions::set_up(tx, &actor, new).map_err(|e| e.to_string().into()))
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
        let log = std::fs::metadata(data.database().with_extension("db-wal"));
        assert_eq!(log.map_or(0, |log| log.len()), 0, "it leaves one file");
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
