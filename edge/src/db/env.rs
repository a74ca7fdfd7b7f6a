//! Where time, ids and randomness come from. Never global: tests and simulations pass their own.

use super::Signer;
use super::clock::{ClockDoubt, ClockWatch};
use std::sync::Arc;
use std::time::Instant;
use tiffin_common::clock::SystemClock;
use tiffin_common::{Clock, Ids, Millis};

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
    /// What holds the clock against what is known of time; none where the clock is believed (tests, and who only looks).
    pub watch: Option<Arc<ClockWatch>>,
    /// What bills are signed with; none where nobody's bills are made (commands, head office, history that is made up).
    pub signer: Option<Arc<Signer>>,
}

impl Env {
    /// The machine's clock and randomness.
    pub fn system() -> Env {
        Env::new(Arc::new(SystemClock), Arc::new(OsRandom))
    }

    /// The machine's, with its clock held against `newest`, the newest moment on record, and `offset`, what a person said that it is off
    /// by, in milliseconds.
    pub fn watched(newest: Option<Millis>, offset: i64) -> Env {
        let start = Instant::now();
        let passing = move || i64::try_from(start.elapsed().as_millis()).unwrap_or(i64::MAX);
        let watch = Arc::new(ClockWatch::new(Arc::new(SystemClock), Box::new(passing), newest, offset));
        Env { watch: Some(Arc::clone(&watch)), ..Env::new(watch, Arc::new(OsRandom)) }
    }

    /// Why the machine's clock is not followed; none while it is.
    pub fn clock_doubt(&self) -> Option<ClockDoubt> {
        self.watch.as_ref().and_then(|watch| watch.doubt())
    }

    /// Ids are seeded from `random`.
    pub fn new(clock: Arc<dyn Clock>, random: Arc<dyn Random>) -> Env {
        let mut nonce = [0; 8];
        random.fill(&mut nonce);
        let ids = Arc::new(Ids::new(u64::from_le_bytes(nonce)));
        Env { clock, ids, random, inline: false, watch: None, signer: None }
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
