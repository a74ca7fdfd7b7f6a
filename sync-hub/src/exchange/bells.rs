//! Wakes the pulls that wait for their outlet's feed: one listener for the whole process, a bell for each outlet. Never polls.

use crate::store::{Stores, Wake};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use tiffin_common::Uuid;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, watch};

type Ropes = HashMap<Uuid, watch::Sender<u64>>;

/// See the module. Clones share it.
#[derive(Clone, Default)]
pub struct Bells {
    ropes: Arc<Mutex<Ropes>>,
    listening: Arc<OnceLock<()>>,
}

/// Hears one outlet's bell. Look at the feed after taking it.
pub struct Bell {
    outlet: Uuid,
    heard: Option<watch::Receiver<u64>>,
    ropes: Arc<Mutex<Ropes>>,
}

impl Bells {
    /// The bell of `outlet`. Call inside the async runtime.
    pub fn of(&self, stores: &Stores, outlet: Uuid) -> Bell {
        self.listening.get_or_init(|| {
            tokio::spawn(ring(stores.store().wakes(), Arc::downgrade(&self.ropes)));
        });
        let mut ropes = lock(&self.ropes);
        let heard = ropes.entry(outlet).or_insert_with(|| watch::Sender::new(0)).subscribe();
        Bell { outlet, heard: Some(heard), ropes: Arc::clone(&self.ropes) }
    }
}

fn lock(ropes: &Mutex<Ropes>) -> MutexGuard<'_, Ropes> {
    ropes.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn ring(mut wakes: broadcast::Receiver<Wake>, ropes: Weak<Mutex<Ropes>>) {
    loop {
        let wake = wakes.recv().await;
        let Some(ropes) = ropes.upgrade() else { return };
        let ropes = lock(&ropes);
        let pull = |rope: &watch::Sender<u64>| rope.send_modify(|rung| *rung = rung.wrapping_add(1));
        match wake {
            Ok(Wake::Feed(outlet)) => ropes.get(&outlet).into_iter().for_each(pull),
            Ok(_) => {}
            // Something was missed: everybody looks.
            Err(RecvError::Lagged(_)) => ropes.values().for_each(pull),
            Err(RecvError::Closed) => return,
        }
    }
}

impl Bell {
    /// Waits until it rings; at once when it rang since the last time.
    pub async fn rings(&mut self) {
        let is_gone = match &mut self.heard {
            Some(heard) => heard.changed().await.is_err(),
            None => true,
        };
        if is_gone {
            std::future::pending::<()>().await;
        }
    }
}

impl Drop for Bell {
    fn drop(&mut self) {
        self.heard = None;
        let mut ropes = lock(&self.ropes);
        if ropes.get(&self.outlet).is_some_and(|rope| rope.receiver_count() == 0) {
            ropes.remove(&self.outlet);
        }
    }
}
