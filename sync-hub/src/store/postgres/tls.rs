//! TLS to PostgreSQL: what `sslmode` and `sslrootcert` of a URL mean, as libpq has it. Never falls back to clear text where the
//! URL asks for TLS.

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use rustls_platform_verifier::BuilderVerifierExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_postgres_rustls::MakeRustlsConnect;

/// How far the server's certificate is believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Belief {
    /// Whatever it says: encrypted, but to whom?
    Anything,
    /// Signed by somebody we trust, for whatever name.
    Authority,
    /// Signed for the very name of the URL.
    Name,
}

/// What a URL says about TLS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tls {
    pub(super) belief: Belief,
    pub(super) root: Option<PathBuf>,
}

impl Tls {
    /// Takes out of `url` what the driver does not know: `sslmode=verify-ca`, `verify-full` and `sslrootcert`.
    pub(super) fn of(url: &str) -> (String, Tls) {
        let Some((base, query)) = url.split_once('?') else {
            return (url.to_owned(), Tls { belief: Belief::Anything, root: None });
        };
        let (mut kept, mut belief, mut root) = (Vec::new(), Belief::Anything, None);
        for pair in query.split('&') {
            match pair.split_once('=') {
                Some(("sslmode", "verify-ca")) => {
                    belief = Belief::Authority;
                    kept.push("sslmode=require".to_owned());
                }
                Some(("sslmode", "verify-full")) => {
                    belief = Belief::Name;
                    kept.push("sslmode=require".to_owned());
                }
                Some(("sslrootcert", path)) => root = Some(PathBuf::from(path.replace("%2F", "/"))),
                _ => kept.push(pair.to_owned()),
            }
        }
        // As libpq: an authority that is named is to be used.
        if root.is_some() && belief == Belief::Anything {
            belief = Belief::Authority;
        }
        let url = if kept.is_empty() { base.to_owned() } else { format!("{base}?{}", kept.join("&")) };
        (url, Tls { belief, root })
    }

    /// The connector.
    ///
    /// # Errors
    /// When the authority's file cannot be read, or the system has none.
    pub(super) fn connector(&self) -> Result<MakeRustlsConnect, String> {
        let provider = Arc::new(aws_lc_rs::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?;
        let config = match (self.belief, &self.root) {
            (Belief::Anything, _) => builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(Anyone(provider)))
                .with_no_client_auth(),
            (Belief::Name, None) => {
                builder.with_platform_verifier().map_err(|error| error.to_string())?.with_no_client_auth()
            }
            (Belief::Name, Some(path)) => builder.with_root_certificates(roots(path)?).with_no_client_auth(),
            (Belief::Authority, Some(path)) => {
                let inner =
                    WebPkiServerVerifier::builder_with_provider(Arc::new(roots(path)?), provider).build();
                let inner = inner.map_err(|error| error.to_string())?;
                builder
                    .dangerous()
                    .with_custom_certificate_verifier(Arc::new(AnyName(inner)))
                    .with_no_client_auth()
            }
            (Belief::Authority, None) => return Err("sslmode=verify-ca needs sslrootcert".to_owned()),
        };
        Ok(MakeRustlsConnect::new(config))
    }
}

fn roots(path: &Path) -> Result<RootCertStore, String> {
    let wrong = |error: &dyn std::fmt::Display| format!("sslrootcert {}: {error}", path.display());
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(path).map_err(|error| wrong(&error))? {
        let certificate = certificate.map_err(|error| wrong(&error))?;
        roots.add(certificate).map_err(|error| wrong(&error))?;
    }
    if roots.is_empty() { Err(wrong(&"there is no certificate in it")) } else { Ok(roots) }
}

/// Believes every certificate; the handshake's signatures are still checked.
#[derive(Debug)]
struct Anyone(Arc<CryptoProvider>);

impl ServerCertVerifier for Anyone {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

/// Believes what the authority signed, for whatever name.
#[derive(Debug)]
struct AnyName(Arc<WebPkiServerVerifier>);

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match self.0.verify_server_cert(certificate, between, name, ocsp, now) {
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            answer => answer,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_urls_words_are_libpqs() {
        let plain = "postgres://u@h/d";
        assert_eq!(Tls::of(plain), (plain.to_owned(), Tls { belief: Belief::Anything, root: None }));
        let (url, tls) = Tls::of("postgres://u@h/d?sslmode=verify-full&application_name=x");
        assert_eq!(
            (url.as_str(), tls.belief),
            ("postgres://u@h/d?sslmode=require&application_name=x", Belief::Name)
        );
        let (url, tls) = Tls::of("postgres://u@h/d?sslmode=require&sslrootcert=%2Fetc%2Fca.pem");
        assert_eq!(url, "postgres://u@h/d?sslmode=require");
        assert_eq!(tls, Tls { belief: Belief::Authority, root: Some("/etc/ca.pem".into()) });
        assert!(
            Tls::of("postgres://u@h/d?sslmode=verify-ca")
                .1
                .connector()
                .err()
                .unwrap()
                .contains("sslrootcert")
        );
    }
}
