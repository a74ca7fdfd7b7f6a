//! Why TLS cannot be had.

use std::path::{Path, PathBuf};

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

/// What the keeping of certificates answers, or why it failed.
pub type Result<T, E = TlsError> = std::result::Result<T, E>;

impl TlsError {
    /// Said of the file or folder at `path`.
    pub(super) fn file(path: &Path) -> impl FnOnce(std::io::Error) -> TlsError + use<> {
        let path = path.to_owned();
        move |source| TlsError::File { path, source }
    }

    /// What is wrong with the file at `path`.
    pub(super) fn damaged(path: &Path, reason: impl std::fmt::Display) -> TlsError {
        TlsError::Damaged { path: path.to_owned(), reason: reason.to_string() }
    }
}
