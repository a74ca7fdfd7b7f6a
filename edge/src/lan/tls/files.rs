//! Keys and certificates in files: read as PEM, written whole and readable by their owner alone. Never prints a key.

use super::{Result, TlsError};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::fs::{self, DirBuilder, Permissions};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;

/// The certificates in the file at `path`, the server's own first; at least one.
pub(super) fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    certificates_of(&fs::read(path).map_err(TlsError::file(path))?, path)
}

/// The certificates in `text`, which is or shall be in the file at `path`.
pub(super) fn certificates_of(text: &[u8], path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(text).collect();
    let found = found.map_err(|error| TlsError::damaged(path, error))?;
    if found.is_empty() { Err(TlsError::damaged(path, "there is no certificate in it")) } else { Ok(found) }
}

/// The private key in the file at `path`.
pub(super) fn key(path: &Path) -> Result<PrivateKeyDer<'static>> {
    let text = fs::read(path).map_err(TlsError::file(path))?;
    PrivateKeyDer::from_pem_slice(&text)
        .map_err(|_| TlsError::damaged(path, "there is no private key in it that could be used"))
}

/// Replaces the file at `path`, durably: readable by its owner alone, in a folder that nobody else may enter.
pub(super) fn write(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().unwrap_or(path);
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(TlsError::file(folder))?;
    fs::set_permissions(folder, Permissions::from_mode(0o700)).map_err(TlsError::file(folder))?;
    crate::sync::write_whole(folder, path, text.as_bytes()).map_err(TlsError::file(path))
}
