//! What a certificate says: for whom, until when, how it is recognised. Never decides whether to believe it.

use super::{Result, TlsError, files};
use std::net::IpAddr;
use std::path::Path;
use tiffin_common::Millis;
use x509_cert::Certificate;
use x509_cert::der::{Decode, asn1::Utf8StringRef};
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::ext::pkix::{NameConstraints, SubjectAltName};

/// Days before its end at which a certificate is renewed, or a given one is complained about.
pub const RENEW_DAYS: i64 = 30;

/// The object identifier of a common name.
const COMMON_NAME: &str = "2.5.4.3";

/// What a certificate says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// Whose it is.
    pub title: String,
    /// The names it holds for.
    pub names: Vec<String>,
    /// The addresses it holds for.
    pub addresses: Vec<IpAddr>,
    /// The names below which an authority may vouch.
    pub below: Vec<String>,
    /// From when it holds.
    pub from: Millis,
    /// Until when it holds.
    pub until: Millis,
    /// SHA-256 of it, as `AB:CD:…`.
    pub fingerprint: String,
}

impl Card {
    /// Reads the certificate `der`, which came from `path`.
    ///
    /// # Errors
    /// When it is none.
    pub fn read(der: &[u8], path: &Path) -> Result<Card> {
        let read = || -> Result<Card, x509_cert::der::Error> {
            let certificate = Certificate::from_der(der)?.tbs_certificate;
            let alternatives =
                certificate.get::<SubjectAltName>()?.map(|(_, names)| names.0).unwrap_or_default();
            let permitted =
                certificate.get::<NameConstraints>()?.and_then(|(_, names)| names.permitted_subtrees);
            let below = permitted.unwrap_or_default();
            let moment = |at: x509_cert::time::Time| {
                Millis::new(i64::try_from(at.to_unix_duration().as_millis()).unwrap_or(i64::MAX))
            };
            Ok(Card {
                title: title(&certificate),
                names: alternatives.iter().filter_map(dns_name).collect(),
                addresses: alternatives.iter().filter_map(address).collect(),
                below: below.iter().filter_map(|tree| dns_name(&tree.base)).collect(),
                from: moment(certificate.validity.not_before),
                until: moment(certificate.validity.not_after),
                fingerprint: fingerprint(der),
            })
        };
        read().map_err(|error| TlsError::damaged(path, format!("no certificate: {error}")))
    }

    /// Reads the first certificate in the file at `path`.
    ///
    /// # Errors
    /// When there is none.
    pub fn of_file(path: &Path) -> Result<Card> {
        Card::read(&files::certificates(path)?.remove(0), path)
    }

    /// Whether it ends soon, seen from `now`.
    pub fn ends_soon(&self, now: Millis) -> bool {
        self.until.get().saturating_sub(now.get()) < RENEW_DAYS * 86_400_000
    }
}

/// SHA-256 of `der` as people compare it: `AB:CD:…`.
fn fingerprint(der: &[u8]) -> String {
    let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, der);
    let pairs: Vec<String> = digest.as_ref().iter().map(|byte| format!("{byte:02X}")).collect();
    pairs.join(":")
}

fn title(certificate: &x509_cert::TbsCertificate) -> String {
    let attributes = certificate.subject.0.iter().flat_map(|name| name.0.iter());
    let common = attributes.filter(|attribute| attribute.oid.to_string() == COMMON_NAME);
    let text = |value: &x509_cert::der::Any| {
        let utf8 = value.decode_as::<Utf8StringRef<'_>>().map(|text| text.as_str().to_owned());
        utf8.unwrap_or_else(|_| String::from_utf8_lossy(value.value()).into_owned())
    };
    common.map(|attribute| text(&attribute.value)).next().unwrap_or_else(|| certificate.subject.to_string())
}

fn dns_name(name: &GeneralName) -> Option<String> {
    match name {
        GeneralName::DnsName(name) => Some(name.as_str().to_ascii_lowercase()),
        _ => None,
    }
}

fn address(name: &GeneralName) -> Option<IpAddr> {
    let GeneralName::IpAddress(bytes) = name else { return None };
    let bytes = bytes.as_bytes();
    let v4 = <[u8; 4]>::try_from(bytes).map(IpAddr::from);
    v4.or_else(|_| <[u8; 16]>::try_from(bytes).map(IpAddr::from)).ok()
}
