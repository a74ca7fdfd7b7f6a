//! The outlets of the chain as every box is told of them: kept in memory, looked up again when the registry changed. Whoever waits hears
//! at once of another list. Never looks by itself.

use std::sync::Arc;
use tiffin_common::sync::{ChainCard, OutletCard};
use tokio::sync::watch;

/// See the module. Clones share it.
#[derive(Clone)]
pub struct Chain(watch::Sender<Option<Arc<ChainCard>>>);

impl Default for Chain {
    fn default() -> Self {
        Chain(watch::Sender::new(None))
    }
}

impl Chain {
    /// The list as it was last looked up, and word of each other one.
    pub fn listen(&self) -> watch::Receiver<Option<Arc<ChainCard>>> {
        self.0.subscribe()
    }

    /// Whether it was never looked up.
    pub fn is_unknown(&self) -> bool {
        self.0.borrow().is_none()
    }

    /// These are the outlets, in the order of the registry.
    pub fn set(&self, outlets: Vec<OutletCard>) {
        let mut hasher = blake3::Hasher::new();
        for OutletCard { id, code, name, timezone, currency } in &outlets {
            hasher.update(id.as_bytes());
            for text in [code, name, timezone, currency] {
                hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
            }
        }
        let mark: String = hasher.finalize().to_hex().chars().take(16).collect();
        self.0.send_if_modified(|known| {
            if known.as_ref().is_some_and(|known| known.mark == mark) {
                return false;
            }
            *known = Some(Arc::new(ChainCard { mark, outlets }));
            true
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiffin_common::Uuid;

    #[test]
    fn whoever_listens_hears_of_another_list_alone() {
        let chain = Chain::default();
        let mut heard = chain.listen();
        let card = |name: &str| OutletCard {
            id: Uuid::from_u128(1),
            code: "BLR1".into(),
            name: name.into(),
            timezone: "Asia/Kolkata".into(),
            currency: "INR".into(),
        };
        assert!(chain.is_unknown());
        chain.set(vec![card("One")]);
        assert!(heard.has_changed().unwrap() && !chain.is_unknown());
        let first = heard.borrow_and_update().clone().unwrap();
        chain.set(vec![card("One")]);
        assert!(!heard.has_changed().unwrap());
        chain.set(vec![card("Two")]);
        assert!(heard.has_changed().unwrap());
        assert_ne!(heard.borrow().as_ref().unwrap().mark, first.mark);
    }
}
