//! The certificate of a running server: taken from given files or from the local authority, looked at again and again, replaced
//! without a stop. Never lets go of one that works because the next one does not.

use super::authority::EARLIEST;
use super::{Authority, Card, Result, TlsError, Wanted, files};
use crate::config::TlsFiles;
use crate::db::Env;
use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs::{default_provider, sign::any_supported_type};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::version::{TLS12, TLS13};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};
use tiffin_common::Millis;
use tokio::sync::watch;

/// How often a running server looks at its certificate, its files and its addresses.
const LOOK_EVERY: Duration = Duration::from_secs(10);

/// Where a server's certificate comes from.
pub struct Settings {
    /// A certificate that somebody gave; none: the local authority's.
    pub files: Option<TlsFiles>,
    /// The folder of the local authority.
    pub folder: PathBuf,
    /// What the authority is called, when it has to be made.
    pub title: String,
    /// For what a certificate is wanted at this moment.
    pub wanted: Box<dyn Fn() -> Wanted + Send + Sync>,
}

/// What a look at the certificate brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Looked {
    /// It is good.
    Same,
    /// Another one serves from now on.
    Replaced,
}

/// The certificate of a running server. Cheap to clone; all clones are one.
#[derive(Clone)]
pub struct Keeper(Arc<Inner>);

struct Inner {
    settings: Settings,
    env: Env,
    current: RwLock<Current>,
}

struct Current {
    certified: Arc<CertifiedKey>,
    card: Card,
    stamp: Vec<Option<SystemTime>>,
}

impl Keeper {
    /// Opens it. Where there is neither a given certificate nor an authority, an authority is made.
    ///
    /// # Errors
    /// When a file cannot be read, used or written.
    pub fn open(settings: Settings, env: Env) -> Result<Keeper> {
        let current = match &settings.files {
            Some(files) => given(files)?,
            None => {
                let authority = match Authority::load(&settings.folder)? {
                    Some(authority) => authority,
                    None => Authority::make(&settings.folder, &settings.title, &[], &env)?,
                };
                authority.publish()?;
                match own(&authority) {
                    Ok(current) => current,
                    // None yet, or not this authority's: a new one can be made at any time.
                    Err(_) => {
                        authority.issue(&authority.may((settings.wanted)()), &env)?;
                        own(&authority)?
                    }
                }
            }
        };
        let keeper = Keeper(Arc::new(Inner { settings, env, current: RwLock::new(current) }));
        keeper.look()?;
        Ok(keeper)
    }

    /// What to accept connections with; it follows the certificate by itself.
    ///
    /// # Errors
    /// When the cryptography refuses.
    pub fn server_config(&self) -> Result<Arc<ServerConfig>> {
        let builder = ServerConfig::builder_with_provider(Arc::new(default_provider()));
        let builder = builder.with_protocol_versions(&[&TLS13, &TLS12])?.with_no_client_auth();
        let mut config = builder.with_cert_resolver(Arc::clone(&self.0) as Arc<dyn ResolvesServerCert>);
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Arc::new(config))
    }

    /// What the certificate in use says.
    pub fn card(&self) -> Card {
        self.0.current.read().unwrap_or_else(PoisonError::into_inner).card.clone()
    }

    /// Until when the certificate in use holds, asked at any time.
    pub fn end(&self) -> Arc<dyn Fn() -> Millis + Send + Sync> {
        let keeper = self.clone();
        Arc::new(move || keeper.card().until)
    }

    /// Whether the certificate was given, not made here.
    pub fn is_given(&self) -> bool {
        self.0.settings.files.is_some()
    }

    /// What the certificate of the local authority says, if this server has one.
    pub fn authority(&self) -> Option<Card> {
        let own = Authority::public(&self.0.settings.folder).ok().flatten().filter(|_| !self.is_given());
        own.map(|(_, card)| card)
    }

    /// Renews or reloads the certificate if that is due.
    ///
    /// # Errors
    /// When that fails; the one in use stays in use.
    pub fn look(&self) -> Result<Looked> {
        let Inner { settings, env, current } = &*self.0;
        let card = self.card();
        let fresh = match &settings.files {
            Some(files) => {
                let stamp = current.read().unwrap_or_else(PoisonError::into_inner).stamp.clone();
                if stamp == stamp_of(files) {
                    return Ok(Looked::Same);
                }
                given(files)?
            }
            None => {
                let Some(authority) = Authority::load(&settings.folder)? else { return Ok(Looked::Same) };
                let wanted = authority.may((settings.wanted)());
                let covers = wanted.names.iter().all(|name| card.names.contains(name))
                    && wanted.addresses.iter().all(|ip| card.addresses.contains(ip));
                // `edge tls init` may have made another authority since; its file is gone then.
                let now = env.clock.now();
                // A clock that ran ahead made it; a clock without battery that stands before every box says nothing.
                let is_of_later = card.from > now && now >= EARLIEST;
                let is_good = covers && !card.ends_soon(now) && !is_of_later;
                if is_good && authority.server_file().exists() {
                    return Ok(Looked::Same);
                }
                authority.issue(&wanted, env)?;
                own(&authority)?
            }
        };
        *current.write().unwrap_or_else(PoisonError::into_inner) = fresh;
        Ok(Looked::Replaced)
    }

    /// Looks again and again until the signal to stop.
    pub async fn run(self, mut stopping: watch::Receiver<bool>) {
        let mut reported = String::new();
        loop {
            tokio::select! {
                () = crate::http::sse::stopped(&mut stopping) => return,
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
            let keeper = self.clone();
            let looked = tokio::task::spawn_blocking(move || keeper.look()).await;
            let trouble = match looked {
                Ok(Ok(Looked::Same)) | Err(_) => String::new(),
                Ok(Ok(Looked::Replaced)) => {
                    let card = self.card();
                    tracing::info!(until = %card.until, names = ?card.names, addresses = ?card.addresses,
                        "the server has a new certificate");
                    String::new()
                }
                Ok(Err(error)) => error.to_string(),
            };
            if !trouble.is_empty() && reported != trouble {
                tracing::warn!(error = %trouble, "the certificate could not be renewed; the old one goes on");
            }
            reported = trouble;
        }
    }
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Keeper(…)")
    }
}

impl ResolvesServerCert for Inner {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner).certified))
    }
}

/// The certificate that somebody gave.
fn given(files: &TlsFiles) -> Result<Current> {
    let stamp = stamp_of(files);
    Ok(Current { stamp, ..read(&files.certificate, &files.key)? })
}

/// The certificate that `authority` signed, if it is there and its own.
fn own(authority: &Authority) -> Result<Current> {
    let path = authority.server_file();
    read(&path, &path)
}

fn read(certificate: &Path, key: &Path) -> Result<Current> {
    let chain = files::certificates(certificate)?;
    let own = chain.first().map(|own| Card::read(own, certificate)).transpose()?;
    let card = own.ok_or_else(|| TlsError::damaged(certificate, "there is no certificate in it"))?;
    let signing = any_supported_type(&files::key(key)?).map_err(|error| TlsError::damaged(key, error))?;
    let certified = CertifiedKey::new(chain, signing);
    certified.keys_match().map_err(|_| TlsError::damaged(key, "it is not the key of the certificate"))?;
    Ok(Current { certified: Arc::new(certified), card, stamp: Vec::new() })
}

/// When the given files were last written.
fn stamp_of(files: &TlsFiles) -> Vec<Option<SystemTime>> {
    let written = |path: &PathBuf| std::fs::metadata(path).and_then(|meta| meta.modified()).ok();
    vec![written(&files.certificate), written(&files.key)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::OsRandom;
    use std::collections::BTreeSet;
    use std::net::IpAddr;
    use std::sync::Mutex;
    use tiffin_common::Clock;
    use tiffin_common::clock::{ManualClock, SystemClock};

    fn settings(folder: &Path, addresses: &Arc<Mutex<BTreeSet<IpAddr>>>) -> Settings {
        let addresses = Arc::clone(addresses);
        let names: BTreeSet<String> = ["blr1.local".to_owned()].into();
        let wanted = move || Wanted { names: names.clone(), addresses: addresses.lock().unwrap().clone() };
        Settings { files: None, folder: folder.to_owned(), title: "Tiffin".into(), wanted: Box::new(wanted) }
    }

    #[test]
    fn it_is_renewed_a_month_before_its_end_and_when_the_box_gets_another_address() {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::new(SystemClock.now()));
        let env = Env::new(Arc::clone(&clock) as Arc<dyn Clock>, Arc::new(OsRandom));
        let addresses = Arc::new(Mutex::new(BTreeSet::from(["192.168.1.20".parse().unwrap()])));
        let keeper = Keeper::open(settings(folder.path(), &addresses), env.clone()).unwrap();
        let first = keeper.card();
        clock.advance(366 * 86_400_000);
        assert_eq!((keeper.look().unwrap(), keeper.card()), (Looked::Same, first.clone()));
        clock.advance(2 * 86_400_000);
        assert_eq!(keeper.look().unwrap(), Looked::Replaced);
        let second = keeper.card();
        assert!(second.until > first.until);
        addresses.lock().unwrap().insert("192.168.1.77".parse().unwrap());
        assert_eq!(keeper.look().unwrap(), Looked::Replaced);
        assert!(keeper.card().addresses.contains(&"192.168.1.77".parse().unwrap()));
        // An address that is away for a moment is no reason.
        addresses.lock().unwrap().clear();
        assert_eq!(keeper.look().unwrap(), Looked::Same);
        // A restart finds the one that is there.
        let again = Keeper::open(settings(folder.path(), &addresses), env).unwrap();
        assert_eq!(again.card(), keeper.card());
    }

    #[test]
    fn a_wrong_clock_that_is_put_right_and_a_lost_file_are_made_good() {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::new(SystemClock.now()));
        let env = Env::new(Arc::clone(&clock) as Arc<dyn Clock>, Arc::new(OsRandom));
        let addresses = Arc::default();
        let keeper = Keeper::open(settings(folder.path(), &addresses), env.clone()).unwrap();
        // A clock that ran ahead and was put right; one that lost its battery is not listened to.
        let now = clock.now();
        clock.set(Millis::new(1_000));
        assert_eq!(keeper.look().unwrap(), Looked::Same);
        clock.set(Millis::new(now.get() - 30 * 86_400_000));
        assert_eq!((keeper.look().unwrap(), keeper.look().unwrap()), (Looked::Replaced, Looked::Same));
        // Its one file is enough to bring it back.
        std::fs::remove_file(folder.path().join("tiffin-ca.crt")).unwrap();
        std::fs::remove_file(folder.path().join("server.pem")).unwrap();
        let back = Keeper::open(settings(folder.path(), &addresses), env.clone()).unwrap();
        assert!(back.authority().is_some() && back.authority() == keeper.authority());
        Authority::make(folder.path(), "Another", &[], &env).unwrap();
        assert_eq!((keeper.look().unwrap(), keeper.look().unwrap()), (Looked::Replaced, Looked::Same));
    }

    #[test]
    fn given_files_are_taken_up_when_they_change_and_a_broken_one_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (env, nowhere) = (Env::system(), Arc::default());
        let other = Authority::make(&folder.path().join("other"), "Other", &[], &env).unwrap();
        let server = other.server_file();
        other.issue(&Wanted { names: ["a.local".to_owned()].into(), ..Wanted::default() }, &env).unwrap();
        let files = Some(TlsFiles { certificate: server.clone(), key: server.clone() });
        let settings = Settings { files, ..settings(folder.path(), &nowhere) };
        let keeper = Keeper::open(settings, env.clone()).unwrap();
        assert!(keeper.is_given() && keeper.card().names == ["a.local"]);
        let touch = |seconds: u64| {
            let file = std::fs::File::options().append(true).open(&server).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
        };
        other.issue(&Wanted { names: ["b.local".to_owned()].into(), ..Wanted::default() }, &env).unwrap();
        touch(1);
        assert_eq!(keeper.look().unwrap(), Looked::Replaced);
        assert_eq!(keeper.card().names, ["b.local"]);
        std::fs::write(&server, "rubbish").unwrap();
        assert!(keeper.look().is_err());
        assert_eq!(keeper.card().names, ["b.local"]);
        // No authority was made beside a given certificate.
        assert!(!folder.path().join("authority.pem").exists());
    }
}
