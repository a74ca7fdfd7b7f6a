//! What the exchange with the boxes keeps in a process's memory: how much is done at once, the keys that are known, who spoke last,
//! who waits. Never authoritative: a process that starts without it goes on.

mod admission;
mod bells;
mod chain;
mod keyring;
mod presence;

pub use admission::{Admission, Held, Load, Turn, Work};
pub use bells::Bells;
pub use chain::Chain;
pub use keyring::Keyring;
pub use presence::{ONLINE_MS, Presences};
