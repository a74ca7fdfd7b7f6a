//! TLS in the local network: a certificate that somebody gave, or one of a local authority, kept fresh while the server runs.
//! Never older than TLS 1.2, never another cryptography than aws-lc-rs.

mod authority;
mod card;
mod files;
mod keeper;
mod tell;
mod wanted;

pub use authority::Authority;
pub use card::Card;
pub use keeper::{Keeper, Looked, Settings};
pub use tell::{made, standing};
pub use wanted::{Wanted, wanted};

use std::path::{Path, PathBuf};

/// The folder of keys and certificates below a data directory.
pub fn folder(data_dir: &Path) -> PathBuf {
    data_dir.join("tls")
}

/// Keeps certificates that somebody gave as text at `path`.
///
/// # Errors
/// When there is none among it, or the file cannot be written.
pub fn keep_certificates(path: &Path, pem: &str) -> Result<(), TlsError> {
    for certificate in files::certificates_of(pem.as_bytes(), path)? {
        Card::read(&certificate, path)?;
    }
    files::write(path, pem)
}

/// Days before its end at which a certificate is renewed, or a given one is complained about.
pub const RENEW_DAYS: i64 = 30;

/// Why TLS cannot be had. The text is for the person who starts the process.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The file system refuses.
    #[error("{path}: {source}")]
    File {
        /// Which file.
        path: PathBuf,
        /// What it says.
        source: std::io::Error,
    },
    /// A file is there, but it is not what it should be.
    #[error("{path}: {reason}")]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A certificate could not be made.
    #[error("the certificate could not be made: {0}")]
    Make(#[from] rcgen::Error),
    /// The cryptography refuses.
    #[error("TLS cannot be had: {0}")]
    Refused(#[from] rustls::Error),
    /// A name that no authority could vouch for.
    #[error("{0} is no name such as pos.example.com")]
    Name(String),
    /// A certificate of long ago would be of no use to anybody.
    #[error("this machine's clock says {0}; set it first, or no tablet will believe the certificate")]
    Clock(String),
}

impl TlsError {
    /// Said of the file or folder at `path`.
    fn file(path: &Path) -> impl FnOnce(std::io::Error) -> TlsError + use<> {
        let path = path.to_owned();
        move |source| TlsError::File { path, source }
    }

    /// What is wrong with the file at `path`.
    fn damaged(path: &Path, reason: impl std::fmt::Display) -> TlsError {
        TlsError::Damaged { path: path.to_owned(), reason: reason.to_string() }
    }
}
