//! Who a box is, from its key alone. Keys that were looked up are remembered until anything at the registry changes. Never trusts
//! anything else of a request.

use super::admission::{Admission, Work};
use crate::registry::RegistryError;
use crate::registry::devices::{self, Device, Key};
use crate::store::Stores;
use axum::http::HeaderMap;
use edge::access::bearer;
use edge::db::Env;
use edge::http::{Code, Problem};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Most keys remembered: about 200 bytes each.
const MOST: usize = 50_000;

/// The keys that are known. Clones share it.
#[derive(Clone, Default)]
pub struct Keyring(Arc<Mutex<Known>>);

#[derive(Default)]
struct Known {
    /// By the hash of the whole key: the key itself is not kept.
    boxes: HashMap<[u8; 32], Device>,
    /// Counts the times everything was forgotten: what was looked up before must not be remembered after.
    times: u64,
}

impl Keyring {
    /// Forgets every key: one of them may have ended.
    pub fn forget(&self) {
        let mut known = self.known();
        known.boxes.clear();
        known.times = known.times.wrapping_add(1);
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The box that sends `headers`; one whose key has ended too, however it did.
    ///
    /// # Errors
    /// 401 for no key and an unknown one; 503 when too many ask.
    pub async fn identify(
        &self,
        stores: &Stores,
        admission: &Admission,
        env: &Env,
        headers: &HeaderMap,
    ) -> Result<Device, Problem> {
        let text = bearer(headers)?;
        let key = Key::parse(text).ok_or_else(unknown)?;
        let hash = *blake3::hash(text.as_bytes()).as_bytes();
        let (found, times) = {
            let known = self.known();
            (known.boxes.get(&hash).cloned(), known.times)
        };
        match found {
            Some(device) => Ok(device),
            None => {
                let turn = admission.enter(Work::Reading, env)?.turn().await;
                let device = stores.run(move |stores| {
                    stores.read_registry_blocking(|from| -> Result<_, RegistryError> {
                        Ok(devices::find(from, &key)?)
                    })
                });
                let device = device.await?;
                drop(turn);
                let device = device.ok_or_else(unknown)?;
                self.remember(hash, &device, times);
                Ok(device)
            }
        }
    }

    fn remember(&self, hash: [u8; 32], device: &Device, times: u64) {
        let mut known = self.known();
        if known.times == times {
            if known.boxes.len() >= MOST {
                known.boxes.clear();
            }
            known.boxes.insert(hash, device.clone());
        }
    }
}

fn unknown() -> Problem {
    Problem::new(Code::Unauthorized).detail("The box's key is not valid")
}
