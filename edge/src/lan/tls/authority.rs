//! The local authority: tablets that install it believe the certificates it signs for this box. It may vouch for `.local`,
//! `localhost`, names that were given when it was made, and private addresses alone, so that a stolen key opens nothing in the
//! internet. Its key leaves the folder for
//! head office alone, which keeps it sealed for the box that takes this one's place; it is in no backup.

use super::{Card, Result, TlsError, Wanted, files};
use crate::db::Env;
use crate::lan::addresses::{PRIVATE, is_private};
use crate::secrets::AUTHORITY;
use rcgen::{
    BasicConstraints, CertificateParams, CidrSubnet, DistinguishedName, DnType, ExtendedKeyUsagePurpose,
    GeneralSubtree, IsCa, Issuer, KeyPair, KeyUsagePurpose, NameConstraints, SanType, SerialNumber,
};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use tiffin_common::Millis;
use time::OffsetDateTime;

/// Its certificate alone, for tablets.
const PUBLIC: &str = "tiffin-ca.crt";

/// The server's certificate and key.
const SERVER: &str = "server.pem";

const DAY_MS: i64 = 86_400_000;

/// How long an authority holds.
const AUTHORITY_DAYS: i64 = 3_650;

/// How long a server's certificate holds. Apple's systems take none of more than 398 days, the day it begins earlier included.
const SERVER_DAYS: i64 = 397;

/// No box was ever set up before this: 2026-01-01.
pub(super) const EARLIEST: Millis = Millis::new(1_767_225_600_000);

/// What names below this are everybody's own.
const LOCAL: [&str; 2] = ["local", "localhost"];

/// The local authority.
pub struct Authority {
    folder: PathBuf,
    key: KeyPair,
    card: Card,
    pem: String,
}

impl Authority {
    /// Makes one in `folder`, in place of whichever was there: every tablet then has to install the new one. `names` are those
    /// it may vouch for besides the local ones.
    ///
    /// # Errors
    /// When the clock cannot be right, a name is none, or the files cannot be written.
    pub fn make(folder: &Path, title: &str, names: &[String], env: &Env) -> Result<Authority> {
        let now = env.clock.now();
        if now < EARLIEST {
            return Err(TlsError::Clock(now.to_string()));
        }
        let mut below: Vec<String> = LOCAL.map(str::to_owned).to_vec();
        for name in names {
            below.push(checked(name)?);
        }
        let subtrees = below.into_iter().map(GeneralSubtree::DnsName);
        let nets = PRIVATE.iter().map(|(net, bits)| CidrSubnet::from_addr_prefix(*net, *bits));
        let permitted_subtrees = subtrees.chain(nets.map(GeneralSubtree::IpAddress)).collect();
        let mut params = base(title, env, AUTHORITY_DAYS);
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        params.name_constraints = Some(NameConstraints { permitted_subtrees, excluded_subtrees: Vec::new() });
        let key = KeyPair::generate()?;
        let pem = params.self_signed(&key)?.pem();
        // What the one before signed is nobody's any more.
        let server = folder.join(SERVER);
        if server.exists() {
            std::fs::remove_file(&server).map_err(TlsError::file(&server))?;
        }
        files::write(&folder.join(AUTHORITY), &format!("{pem}{}", key.serialize_pem()))?;
        files::write(&folder.join(PUBLIC), &pem)?;
        Authority::load(folder)?.ok_or_else(|| TlsError::damaged(folder, "the authority is gone"))
    }

    /// The one in `folder`; none when none was made.
    ///
    /// # Errors
    /// When it is there and cannot be read. It is not replaced: tablets know it.
    pub fn load(folder: &Path) -> Result<Option<Authority>> {
        let path = folder.join(AUTHORITY);
        if !path.exists() {
            return Ok(None);
        }
        let certificate = files::certificates(&path)?.remove(0);
        let key = KeyPair::try_from(&files::key(&path)?).map_err(|error| TlsError::damaged(&path, error))?;
        let card = Card::read(&certificate, &path)?;
        let text = std::fs::read_to_string(&path).map_err(TlsError::file(&path))?;
        let end = "-----END CERTIFICATE-----";
        let pem = text.split_inclusive(end).next().unwrap_or_default().to_owned() + "\n";
        Ok(Some(Authority { folder: folder.to_owned(), key, card, pem }))
    }

    /// The certificate of the authority in `folder`, as text and as what it says; none when none was made. For pages: the key
    /// is not touched.
    ///
    /// # Errors
    /// When it is there and cannot be read.
    pub fn public(folder: &Path) -> Result<Option<(String, Card)>> {
        let path = folder.join(PUBLIC);
        if !path.exists() {
            return Ok(None);
        }
        let card = Card::read(&files::certificates(&path)?.remove(0), &path)?;
        Ok(Some((std::fs::read_to_string(&path).map_err(TlsError::file(&path))?, card)))
    }

    /// Puts its certificate where tablets find it, if it is not there: a box that was moved may have kept the authority alone.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn publish(&self) -> Result<()> {
        let path = self.public_file();
        if path.exists() { Ok(()) } else { files::write(&path, &self.pem) }
    }

    /// What its certificate says.
    pub fn card(&self) -> &Card {
        &self.card
    }

    /// Its certificate, for tablets: PEM.
    pub fn pem(&self) -> &str {
        &self.pem
    }

    /// Where its public certificate lies.
    pub fn public_file(&self) -> PathBuf {
        self.folder.join(PUBLIC)
    }

    /// Where the server's certificate and key lie.
    pub fn server_file(&self) -> PathBuf {
        self.folder.join(SERVER)
    }

    /// The names it was given besides the local ones.
    pub fn given_names(&self) -> impl Iterator<Item = &String> {
        self.card.below.iter().filter(|name| !LOCAL.contains(&name.as_str()))
    }

    /// What of `wanted` it may vouch for, with the names it was given.
    pub fn may(&self, wanted: Wanted) -> Wanted {
        let is_below = |name: &String| {
            self.card.below.iter().any(|tree| {
                name == tree || name.strip_suffix(tree.as_str()).is_some_and(|rest| rest.ends_with('.'))
            })
        };
        let names = wanted.names.into_iter().chain(self.given_names().cloned());
        Wanted {
            names: names.filter(is_below).collect(),
            addresses: wanted.addresses.into_iter().filter(|ip| is_private(*ip)).collect(),
        }
    }

    /// Signs a certificate for `wanted` and keeps it, with a key of its own, in [`server_file`](Self::server_file).
    ///
    /// # Errors
    /// When it cannot be made or written.
    pub fn issue(&self, wanted: &Wanted, env: &Env) -> Result<()> {
        let title = wanted.names.first().map_or(self.card.title.as_str(), String::as_str);
        let mut params = base(title, env, SERVER_DAYS);
        params.is_ca = IsCa::ExplicitNoCa;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.use_authority_key_identifier_extension = true;
        let names = wanted.names.iter().map(|name| name.as_str().try_into().map(SanType::DnsName));
        let addresses = wanted.addresses.iter().map(|ip| Ok(SanType::IpAddress(*ip)));
        params.subject_alt_names = names.chain(addresses).collect::<Result<_, rcgen::Error>>()?;
        let key = KeyPair::generate()?;
        // An issuer is known by its name and the identifier of its key: both follow from what is here.
        let issuer = Issuer::new(base(&self.card.title, env, AUTHORITY_DAYS), &self.key);
        let certificate = params.signed_by(&key, &issuer)?;
        files::write(&self.server_file(), &format!("{}{}", certificate.pem(), key.serialize_pem()))
    }
}

/// A certificate that begins a day ago, since tablets' clocks are not exact either.
fn base(title: &str, env: &Env, days: i64) -> CertificateParams {
    let now = env.clock.now().get();
    let at = |ms: i64| OffsetDateTime::from_unix_timestamp(ms / 1000).unwrap_or(OffsetDateTime::UNIX_EPOCH);
    let mut name = DistinguishedName::new();
    name.push(DnType::CommonName, title);
    let mut serial: [u8; 16] = env.random_bytes();
    // Positive, and as long every time.
    serial[0] = serial[0] & 0x3f | 0x40;
    let mut params = CertificateParams::default();
    params.distinguished_name = name;
    params.serial_number = Some(SerialNumber::from_slice(&serial));
    params.not_before = at(now.saturating_sub(DAY_MS));
    params.not_after = at(now.saturating_add(days * DAY_MS));
    params
}

/// A DNS name, lower case.
fn checked(name: &str) -> Result<String> {
    let name = name.trim().trim_end_matches('.').to_ascii_lowercase();
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !label.starts_with('-')
    };
    let is_name = name.len() <= 253 && name.split('.').all(is_label) && name.parse::<IpAddr>().is_err();
    if is_name { Ok(name) } else { Err(TlsError::Name(name)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn it_is_made_once_kept_private_and_vouches_for_local_names_and_addresses_alone() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("tls");
        assert!(Authority::load(&folder).unwrap().is_none() && Authority::public(&folder).unwrap().is_none());
        let made =
            Authority::make(&folder, "Tiffin BLR1", &["POS.example.com".into()], &Env::system()).unwrap();
        let read = Authority::load(&folder).unwrap().unwrap();
        assert_eq!((read.card(), read.card().title.as_str()), (made.card(), "Tiffin BLR1"));
        assert_eq!(
            Authority::public(&folder).unwrap().unwrap(),
            (read.pem().to_owned(), read.card().clone())
        );
        let mode = |name: &str| std::fs::metadata(folder.join(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(""), mode(AUTHORITY)), (0o700, 0o600));
        let text = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        let ips = |ips: &[&str]| ips.iter().map(|ip| ip.parse().unwrap()).collect::<BTreeSet<IpAddr>>();
        let asked = Wanted {
            names: text(&["blr1.local", "localhost", "bank.com", "evillocal"]),
            addresses: ips(&["192.168.1.20", "8.8.8.8", "127.0.0.1"]),
        };
        let may = made.may(asked);
        assert_eq!(may.names, text(&["blr1.local", "localhost", "pos.example.com"]));
        assert_eq!(may.addresses, ips(&["192.168.1.20", "127.0.0.1"]));
        made.issue(&may, &Env::system()).unwrap();
        let server = files::certificates(&made.server_file()).unwrap().remove(0);
        let card = Card::read(&server, &made.server_file()).unwrap();
        assert_eq!(card.names, ["blr1.local", "localhost", "pos.example.com"]);
        assert!(card.until.get() - card.from.get() <= 398 * DAY_MS && card.addresses.len() == 2);
        assert_eq!(mode(SERVER), 0o600);
    }

    #[test]
    fn what_is_no_name_is_refused_and_a_dead_clock_makes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        for wrong in ["", "two words", "a..b", "10.0.0.1", "-a.example"] {
            let made = Authority::make(folder.path(), "T", &[wrong.to_owned()], &Env::system());
            assert!(matches!(made, Err(TlsError::Name(_))), "{wrong}");
        }
        let dead = tiffin_common::clock::ManualClock::new(Millis::new(86_400_000));
        let env = Env::new(std::sync::Arc::new(dead), std::sync::Arc::new(crate::db::OsRandom));
        assert!(matches!(Authority::make(folder.path(), "T", &[], &env), Err(TlsError::Clock(_))));
    }
}
