//! How long to wait before the next attempt: exponential, with full jitter, so that a thousand boxes do not come back at once.
//! Only success that is durable at the other end starts it anew. Never waits by itself.

use crate::db::Env;
use std::time::Duration;

/// The longest first wait.
const FIRST_MS: u64 = 500;

/// The longest wait there is: when the internet comes back, people look at the screen.
const LONGEST_MS: u64 = 20_000;

/// The longest that head office, or whoever answers in its place, can ask for.
const LONGEST_FLOOR: Duration = Duration::from_secs(300);

/// Failures since the last success.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Retry {
    failures: u32,
}

impl Retry {
    /// One more failure: how long to wait now. `floor` is what head office asked for; the jitter comes on top of it.
    pub(super) fn next(&mut self, env: &Env, floor: Option<Duration>) -> Duration {
        let longest = FIRST_MS.saturating_mul(1 << self.failures.min(10)).min(LONGEST_MS);
        self.failures = self.failures.saturating_add(1);
        let jitter = u64::from_le_bytes(env.random_bytes()) % (longest + 1);
        // Never quite at once: a refusal that comes at once must not become a busy loop.
        floor.unwrap_or(Duration::from_millis(20)).min(LONGEST_FLOOR) + Duration::from_millis(jitter)
    }

    /// It went well.
    pub(super) fn reset(&mut self) {
        self.failures = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_a_bound_are_scattered_and_start_anew_after_success() {
        let env = Env::system();
        let mut retry = Retry::default();
        for _ in 0..40 {
            let wait = retry.next(&env, None);
            assert!(wait <= Duration::from_millis(LONGEST_MS + 20), "{wait:?}");
        }
        let waits: std::collections::BTreeSet<_> = (0..20).map(|_| retry.next(&env, None)).collect();
        assert!(waits.len() > 10, "no jitter: {waits:?}");
        let floor = Duration::from_secs(120);
        assert!((0..20).all(|_| retry.next(&env, Some(floor)) >= floor));
        let day = Some(Duration::from_secs(86_400));
        assert!(
            retry.next(&env, day) <= LONGEST_FLOOR + Duration::from_millis(LONGEST_MS),
            "no word stops it for a day"
        );
        retry.reset();
        assert!(retry.next(&env, None) <= Duration::from_millis(FIRST_MS + 20));
    }
}
