//! Access tokens that must no longer be honoured although they have not expired: signed-out devices and changed accounts.
//! Never holds more than the lifetime of an access token.

use super::tokens::LIFETIME_MS;
use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, RwLock};
use tiffin_common::{Millis, Uuid, id_of_hash};
use tokio::sync::watch;

/// Shared by the guard, which asks, and by the auth actions, which tell it after their commit.
#[derive(Debug, Clone, Default)]
pub struct Revocations {
    /// Session or account → tokens issued before or at this moment are void.
    until: Arc<RwLock<HashMap<Uuid, Millis>>>,
    /// The newest moment a token was issued at: a clock that was set back must not spare the tokens made before.
    newest: Arc<AtomicI64>,
    /// Moves with every revocation: what goes on beyond its first byte looks again.
    changed: Arc<watch::Sender<()>>,
}

/// What stands among the revocations for those who entered a PIN on the signed-in device `session`: one turn ends where the next begins.
pub fn pin_turn(session: Uuid) -> Uuid {
    id_of_hash(&blake3::derive_key("tiffin 2026-11 the turns of PINs on a device", session.as_bytes()))
}

impl Revocations {
    /// Voids the tokens of `id` (a session or an account) issued up to `now`. Entries older than `keep_ms` are dropped.
    pub fn revoke(&self, id: Uuid, now: Millis, keep_ms: i64) {
        let newest = Millis::new(self.newest.load(Ordering::SeqCst));
        if let Ok(mut until) = self.until.write() {
            until.retain(|_, at| now.since(*at) <= keep_ms);
            let at = until.entry(id).or_insert(now);
            *at = (*at).max(now).max(newest);
        }
        self.changed.send_replace(());
    }

    /// Ends when `is_over` holds, which is asked now and after each revocation.
    pub async fn until(&self, is_over: impl Fn(&Revocations) -> bool) {
        let mut changed = self.changed.subscribe();
        while !is_over(self) {
            if changed.changed().await.is_err() {
                return;
            }
        }
    }

    /// When tokens of `id` that were issued at `issued_at` became void; none while they hold.
    pub fn void_since(&self, id: Uuid, issued_at: Millis) -> Option<Millis> {
        self.until.read().ok()?.get(&id).copied().filter(|at| issued_at <= *at)
    }

    /// Voids the tokens of all of `ids` issued up to `now`.
    pub fn revoke_all(&self, ids: impl IntoIterator<Item = Uuid>, now: Millis) {
        for id in ids {
            self.revoke(id, now, LIFETIME_MS);
        }
    }

    /// Whether a token of `id` issued at `issued_at` is void.
    pub fn is_revoked(&self, id: Uuid, issued_at: Millis) -> bool {
        self.void_since(id, issued_at).is_some()
    }

    /// The moment a new token of `ids` is issued at: now, or just after their revocation when that is not past yet (the same
    /// millisecond, or a clock that was set back).
    pub fn issue_at(&self, ids: &[Uuid], now: Millis) -> Millis {
        let Ok(until) = self.until.read() else { return now };
        let at = ids.iter().filter_map(|id| until.get(id)).fold(now, |at, revoked| at.max(revoked.after(1)));
        self.newest.fetch_max(at.get(), Ordering::SeqCst);
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_made_after_the_revocation_holds_even_in_the_same_millisecond() {
        let (revocations, id, now) = (Revocations::default(), Uuid::from_u128(1), Millis::new(1_000));
        assert_eq!(revocations.issue_at(&[id], now), now);
        revocations.revoke_all([id], now);
        assert!(revocations.is_revoked(id, now));
        assert!(!revocations.is_revoked(id, revocations.issue_at(&[id], now)));
        assert!(!revocations.is_revoked(Uuid::from_u128(2), now));
    }

    #[test]
    fn a_second_revocation_or_a_clock_set_back_spares_no_token_made_before() {
        let (revocations, id, now) = (Revocations::default(), Uuid::from_u128(1), Millis::new(1_000_000));
        revocations.revoke_all([id], now);
        let issued_at = revocations.issue_at(&[id], now);
        revocations.revoke_all([id], now);
        assert!(revocations.is_revoked(id, issued_at));
        let issued_at = revocations.issue_at(&[id], now);
        revocations.revoke_all([id], now.after(-60_000));
        assert!(revocations.is_revoked(id, issued_at));
    }
}
