//! Where time, ids and randomness come from. Never global: tests and simulations pass their own.

use std::sync::Arc;
use tiffin_common::clock::SystemClock;
use tiffin_common::{Clock, Ids};

/// A source of random bytes.
pub trait Random: Send + Sync + 'static {
    /// Fills `bytes`.
    fn fill(&self, bytes: &mut [u8]);
}

/// The operating system's random source.
#[derive(Debug, Clone, Copy, Default)]
pub struct OsRandom;

impl Random for OsRandom {
    #[expect(
        clippy::expect_used,
        reason = "without randomness no token may be made; there is nothing to go on with"
    )]
    fn fill(&self, bytes: &mut [u8]) {
        getrandom::fill(bytes).expect("the operating system gives random bytes");
    }
}

/// Clock, ids and randomness of one process start.
#[derive(Clone)]
pub struct Env {
    /// The present.
    pub clock: Arc<dyn Clock>,
    /// New ids.
    pub ids: Arc<Ids>,
    /// Secrets, tokens, nonces.
    pub random: Arc<dyn Random>,
    /// Whether the store works on its caller's thread instead of threads of its own: slower, but a simulation with one thread
    /// then repeats exactly.
    pub inline: bool,
}

impl Env {
    /// The machine's clock and randomness.
    pub fn system() -> Env {
        Env::new(Arc::new(SystemClock), Arc::new(OsRandom))
    }

    /// Ids are seeded from `random`.
    pub fn new(clock: Arc<dyn Clock>, random: Arc<dyn Random>) -> Env {
        let mut nonce = [0; 8];
        random.fill(&mut nonce);
        Env { clock, ids: Arc::new(Ids::new(u64::from_le_bytes(nonce))), random, inline: false }
    }

    /// The same, with the store's work on its caller's thread.
    #[must_use]
    pub fn inline(self) -> Env {
        Env { inline: true, ..self }
    }

    /// `N` random bytes.
    pub fn random_bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.random.fill(&mut bytes);
        bytes
    }
}
