//! What a command hears from: why it could not do its work, and where it prints. Never ends the process.

use std::io::Write;

/// Why a command could not do its work, for the person who gave it.
#[derive(Debug)]
pub struct Failure(pub String);

/// What a command answers, or why it could not do its work.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure(error.to_string())
    }
}

impl Failure {
    /// A failure in words.
    pub fn new(text: impl Into<String>) -> Self {
        Failure(text.into())
    }
}

/// What a command prints goes here: standard output, or a buffer in tests.
pub type Out<'a> = &'a mut dyn Write;
