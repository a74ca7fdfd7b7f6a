//! Carries what came of transfers from one outlet to the other: one unit of work after the other, each of one outlet. What is cut
//! off in between is carried again.

use super::Hub;
use crate::merge::{self, Desk, HubError, Parcel};
use crate::store::{StoreError, Stores, Wake};
use tiffin_common::Uuid;

impl Hub {
    /// Carries the parcels of `outlet`; answers how many there were.
    ///
    /// # Errors
    /// The store's, [`StoreError::NoOutlet`] among them while the other outlet has no room here: what was not carried stays.
    pub async fn carry(&self, outlet: Uuid) -> Result<usize, HubError> {
        let hub = self.clone();
        let carry = move |stores: &Stores| -> Result<usize, HubError> {
            let look = stores.read_outlet_blocking(outlet, |from| merge::parcels(from, outlet));
            let parcels = match look {
                Err(HubError::Store(StoreError::NoOutlet)) => Vec::new(),
                look => look?,
            };
            let mut failed = None;
            for parcel in &parcels {
                // One that cannot be carried holds up no other.
                if let Err(error) = hub.carry_one(stores, outlet, parcel) {
                    failed = Some(error);
                }
            }
            failed.map_or(Ok(parcels.len()), Err)
        };
        self.inner.stores.run(carry).await
    }

    fn carry_one(&self, stores: &Stores, outlet: Uuid, parcel: &Parcel) -> Result<(), HubError> {
        let (sender, transfer) = (parcel.sender, parcel.transfer);
        let sent = stores.read_outlet_blocking(sender, |from| merge::sent(from, sender, transfer));
        let sent = match sent {
            Err(HubError::Store(StoreError::NoOutlet)) => None,
            sent => sent?,
        };
        if let Some(sent) = sent {
            let at: Desk = self.desk(sent.receiver);
            let (fed, decision) =
                stores.outlet_blocking(sent.receiver, |tx| merge::deliver(tx, &at, &sent))?;
            if fed {
                stores.store().wake(Wake::Feed(sent.receiver));
            }
            if let Some(decision) = decision {
                let at = self.desk(sender);
                if stores.outlet_blocking(sender, |tx| merge::conclude(tx, &at, transfer, &decision))? {
                    stores.store().wake(Wake::Feed(sender));
                }
            }
        }
        stores.outlet_blocking(outlet, |tx| merge::done(&*tx, outlet, parcel))
    }
}
