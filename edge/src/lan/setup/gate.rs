//! The code that opens the setup page: made anew at each start, kept in memory alone, compared in constant time. Guessing is
//! slowed for each device, and after many wrong codes in all another code holds, so that nobody can lock the owner out.

use crate::db::Env;
use std::collections::HashMap;
use std::net::IpAddr;

/// Letters and digits that are not mistaken for each other; 32, so that each takes five bits of chance evenly.
const LETTERS: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/// Letters of a code: 40 bits.
const LENGTH: usize = 8;

/// Wrong codes that one device may send in [`PAUSE_MS`].
const TRIES: u32 = 10;

/// How long a device that sent too many must wait.
const PAUSE_MS: i64 = 600_000;

/// Wrong codes of all devices together that one code outlives.
const TRIES_IN_ALL: u32 = 1_000;

/// The code and the tries.
pub struct Gate {
    code: String,
    hash: blake3::Hash,
    wrong: u32,
    devices: HashMap<IpAddr, (u32, i64)>,
}

/// What comes of a try.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Admitted {
    /// It is the code.
    Yes,
    /// It is not; `renewed`: and another holds from now on.
    No { renewed: bool },
    /// This device has tried too often.
    Later { seconds: u64 },
}

impl Gate {
    /// A new code.
    pub fn new(env: &Env) -> Gate {
        let code = make(env);
        Gate { hash: fingerprint(&code), code, wrong: 0, devices: HashMap::new() }
    }

    /// The code, as it is printed.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// Compares `code` for the device `client`.
    pub(super) fn admit(&mut self, client: IpAddr, code: &str, env: &Env) -> Admitted {
        let now = env.clock.now().get();
        self.devices.retain(|_, (_, since)| now.saturating_sub(*since) < PAUSE_MS && *since <= now);
        let (tries, since) = self.devices.get(&client).copied().unwrap_or((0, now));
        if tries >= TRIES {
            let left = since.saturating_add(PAUSE_MS).saturating_sub(now);
            return Admitted::Later { seconds: u64::try_from(left / 1000).unwrap_or(0).max(1) };
        }
        // Hashes are compared in constant time.
        if fingerprint(code) == self.hash {
            return Admitted::Yes;
        }
        self.devices.insert(client, (tries + 1, since));
        self.wrong += 1;
        let renewed = self.wrong >= TRIES_IN_ALL;
        if renewed {
            let devices = std::mem::take(&mut self.devices);
            *self = Gate { devices, ..Gate::new(env) };
        }
        Admitted::No { renewed }
    }
}

fn make(env: &Env) -> String {
    let chance: [u8; LENGTH] = env.random_bytes();
    let mut code = String::new();
    for (place, byte) in chance.into_iter().enumerate() {
        if place == LENGTH / 2 {
            code.push('-');
        }
        code.push(char::from(LETTERS.get(usize::from(byte & 31)).copied().unwrap_or(b'A')));
    }
    code
}

/// People write codes in small letters, with spaces or without the hyphen.
fn fingerprint(code: &str) -> blake3::Hash {
    let plain: String =
        code.chars().filter(char::is_ascii_alphanumeric).take(64).map(|c| c.to_ascii_uppercase()).collect();
    blake3::hash(plain.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Counting;
    use std::sync::Arc;
    use tiffin_common::Millis;
    use tiffin_common::clock::ManualClock;

    fn env() -> (Env, Arc<ManualClock>) {
        let clock = Arc::new(ManualClock::new(Millis::new(1_000_000_000)));
        (Env::new(clock.clone(), Arc::new(Counting::default())), clock)
    }

    #[test]
    fn the_code_is_new_each_time_and_forgives_how_it_is_written() {
        let (env, _) = env();
        let (mut gate, other) = (Gate::new(&env), Gate::new(&env));
        assert_ne!(gate.code(), other.code());
        assert_eq!((gate.code().len(), gate.code().find('-')), (9, Some(4)));
        let (code, client) = (gate.code().to_owned(), IpAddr::from([10, 0, 0, 1]));
        for written in [code.clone(), code.to_lowercase(), code.replace('-', " "), code.replace('-', "")] {
            assert_eq!(gate.admit(client, &written, &env), Admitted::Yes);
        }
        for wrong in ["", "AAAA-AAAA", &code[..8], &format!("{code}A")] {
            assert_eq!(gate.admit(client, wrong, &env), Admitted::No { renewed: false }, "{wrong}");
        }
    }

    #[test]
    fn guessing_is_slowed_and_ends_the_code_but_shuts_nobody_else_out() {
        let (env, clock) = env();
        let mut gate = Gate::new(&env);
        let (guesser, owner) = (IpAddr::from([10, 0, 0, 66]), IpAddr::from([10, 0, 0, 1]));
        let code = gate.code().to_owned();
        for _ in 0..TRIES {
            assert_eq!(gate.admit(guesser, "AAAA-AAAA", &env), Admitted::No { renewed: false });
        }
        assert_eq!(gate.admit(guesser, &code, &env), Admitted::Later { seconds: 600 });
        assert_eq!(gate.admit(owner, &code, &env), Admitted::Yes);
        clock.advance(PAUSE_MS);
        assert_eq!(gate.admit(guesser, &code, &env), Admitted::Yes);
        let many =
            (0..TRIES_IN_ALL).map(|n| gate.admit(IpAddr::from([10, 1, (n >> 8) as u8, n as u8]), "X", &env));
        assert!(many.collect::<Vec<_>>().contains(&Admitted::No { renewed: true }));
        assert_eq!(gate.admit(owner, &code, &env), Admitted::No { renewed: false });
    }
}
