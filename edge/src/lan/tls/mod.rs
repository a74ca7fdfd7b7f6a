//! TLS in the local network: a certificate that somebody gave, or one of a local authority, kept fresh while the server runs.
//! Never older than TLS 1.2, never another cryptography than aws-lc-rs.

mod authority;
mod card;
mod error;
mod files;
mod keeper;
mod tell;
mod wanted;

pub use authority::Authority;
pub use card::{Card, RENEW_DAYS};
pub use error::{Result, TlsError};
pub use keeper::{Keeper, Looked, Settings};
pub use tell::{made, standing};
pub use wanted::{Wanted, wanted};

use std::path::{Path, PathBuf};

/// The folder of keys and certificates below a data directory.
pub fn folder(data_dir: &Path) -> PathBuf {
    data_dir.join(crate::secrets::TLS_FOLDER)
}

/// Keeps certificates that somebody gave as text at `path`.
///
/// # Errors
/// When there is none among it, or the file cannot be written.
pub fn keep_certificates(path: &Path, pem: &str) -> Result<()> {
    for certificate in files::certificates_of(pem.as_bytes(), path)? {
        Card::read(&certificate, path)?;
    }
    files::write(path, pem)
}
