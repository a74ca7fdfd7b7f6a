//! What a box is still told that may not speak for its outlet. Never anything that it does not need to keep people out.

use super::Hub;
use crate::merge::{self, HubError};
use crate::store::Stores;
use tiffin_common::Uuid;
use tiffin_common::sync::Dismissed;

impl Hub {
    /// Who of the outlet's staff may not sign in any more.
    pub async fn dismissed(&self, outlet: Uuid) -> Result<Dismissed, HubError> {
        let look =
            move |stores: &Stores| stores.read_outlet_blocking(outlet, |from| merge::dismissed(from, outlet));
        self.inner.stores.run(look).await
    }
}
