//! Access tokens that must no longer be honoured although they have not expired: signed-out devices, changed accounts, and turns of PINs
//! that ended or were left alone. Never holds more than the longest lifetime of an access token.

use super::tokens::{PIN_IDLE_MS, PIN_LIFETIME_MS};
use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, RwLock};
use std::time::Duration;
use tiffin_common::{Millis, Uuid, id_of_hash};
use tokio::sync::watch;

/// How often a stream looks whether its turn is over, besides.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Shared by the guard, which asks, and by the auth actions, which tell it after their commit.
#[derive(Debug, Clone, Default)]
pub struct Revocations {
    /// Session or account → tokens issued before or at this moment are void.
    until: Arc<RwLock<HashMap<Uuid, Millis>>>,
    /// The newest moment a token was issued at: a clock that was set back must not spare the tokens made before.
    newest: Arc<AtomicI64>,
    /// The turn of a PIN → when whoever entered it was heard of last.
    heard: Arc<RwLock<HashMap<Uuid, Millis>>>,
    /// Since when this process hears at all: who was heard of before a restart is not known.
    listens_since: Arc<AtomicI64>,
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

    /// Ends when `is_over` holds, which is asked now, after each revocation, and every few seconds: a turn that is left alone ends by
    /// itself.
    pub async fn until(&self, is_over: impl Fn(&Revocations) -> bool) {
        let mut changed = self.changed.subscribe();
        while !is_over(self) {
            if let Ok(Err(_)) = tokio::time::timeout(LOOK_EVERY, changed.changed()).await {
                return;
            }
        }
    }

    /// From now on it is heard who uses their turn.
    pub fn listen(&self, now: Millis) {
        self.listens_since.store(now.get(), Ordering::SeqCst);
    }

    /// Whoever's `turn` it is was heard of.
    pub fn hear(&self, turn: Uuid, now: Millis) {
        if let Ok(mut heard) = self.heard.write() {
            heard.retain(|_, at| now.since(*at) <= PIN_LIFETIME_MS);
            heard.insert(turn, now);
        }
    }

    /// When the `turn` that was begun at `issued_at` ended because nobody was heard of for too long; none while it goes on.
    pub fn left_alone_since(&self, turn: Uuid, issued_at: Millis, now: Millis) -> Option<Millis> {
        let heard = self.heard.read().ok()?.get(&turn).copied();
        let known = heard.unwrap_or(Millis::new(self.listens_since.load(Ordering::SeqCst)));
        let ends = known.max(issued_at).after(PIN_IDLE_MS);
        (ends <= now).then_some(ends)
    }

    /// When tokens of `id` that were issued at `issued_at` became void; none while they hold.
    pub fn void_since(&self, id: Uuid, issued_at: Millis) -> Option<Millis> {
        self.until.read().ok()?.get(&id).copied().filter(|at| issued_at <= *at)
    }

    /// Voids the tokens of all of `ids` issued up to `now`.
    pub fn revoke_all(&self, ids: impl IntoIterator<Item = Uuid>, now: Millis) {
        for id in ids {
            self.revoke(id, now, PIN_LIFETIME_MS);
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
    fn a_turn_ends_when_nobody_was_heard_of_and_a_restart_makes_it_no_longer_than_that() {
        let (revocations, turn) = (Revocations::default(), Uuid::from_u128(1));
        let at = |ms| Millis::new(1_000_000 + ms);
        assert_eq!(revocations.left_alone_since(turn, at(0), at(PIN_IDLE_MS - 1)), None);
        revocations.hear(turn, at(PIN_IDLE_MS - 1));
        assert_eq!(revocations.left_alone_since(turn, at(0), at(PIN_IDLE_MS)), None);
        let end = at(2 * PIN_IDLE_MS - 1);
        assert_eq!(revocations.left_alone_since(turn, at(0), end), Some(end));
        let restarted = Revocations::default();
        restarted.listen(end);
        assert_eq!(restarted.left_alone_since(turn, at(0), end), None);
        assert_eq!(
            restarted.left_alone_since(turn, at(0), end.after(PIN_IDLE_MS)),
            Some(end.after(PIN_IDLE_MS))
        );
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
