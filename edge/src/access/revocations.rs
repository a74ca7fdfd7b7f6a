//! Access tokens that must no longer be honoured although they have not expired: signed-out devices and changed accounts.
//! Never holds more than the lifetime of an access token.

use std::collections::HashMap;
use std::sync::{Arc, RwLock};
use tiffin_common::{Millis, Uuid};

/// Shared by the guard, which asks, and by the auth actions, which tell it after their commit.
#[derive(Debug, Clone, Default)]
pub struct Revocations {
    /// Session or account → tokens issued before or at this moment are void.
    until: Arc<RwLock<HashMap<Uuid, Millis>>>,
}

impl Revocations {
    /// Voids the tokens of `id` (a session or an account) issued up to `now`. Entries older than `keep_ms` are dropped.
    pub fn revoke(&self, id: Uuid, now: Millis, keep_ms: i64) {
        if let Ok(mut until) = self.until.write() {
            until.retain(|_, at| now.since(*at) <= keep_ms);
            until.insert(id, now);
        }
    }

    /// Whether a token of `id` issued at `issued_at` is void.
    pub fn is_revoked(&self, id: Uuid, issued_at: Millis) -> bool {
        self.until.read().is_ok_and(|until| until.get(&id).is_some_and(|at| issued_at <= *at))
    }
}
