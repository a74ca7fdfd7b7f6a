//! What was found wrong with the database file while it is open. From then on nothing is read from it or written to it: every
//! answer could be wrong, and every write could make it worse. Never looks for damage itself.

use std::sync::{Arc, OnceLock};

/// The damage, if any. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Damage(Arc<OnceLock<String>>);

impl Damage {
    /// Notes what was found; whether it is the first.
    pub fn note(&self, what: impl Into<String>) -> bool {
        self.0.set(what.into()).is_ok()
    }

    /// What was found.
    pub fn found(&self) -> Option<&str> {
        self.0.get().map(String::as_str)
    }
}
