//! Takes over, on head office's word, what a box had that spoke for this outlet before: as a recovery does, so nothing that was done here
//! since is overwritten, and the log tells that it was done. Never decides what is taken over.

use super::exchange::Exchange;
use super::trouble::Trouble;
use super::{Hub, derived, recovery, restore};
use crate::db::Tx;
use std::sync::atomic::Ordering;
use tiffin_common::frame::{Hash, Position};

/// Fetches what is to be taken over, if anything is, and takes it. Done twice, the second time changes nothing.
pub(super) async fn take_over(exchange: &Exchange, hub: &Hub) -> Result<(), Trouble> {
    if !exchange.0.salvage.swap(false, Ordering::SeqCst) {
        return Ok(());
    }
    let page = hub.salvage().await?;
    let Some(id) = page.id else { return Ok(()) };
    let rows = restore::unpack(&page.rows).map_err(|_| Trouble::Nonsense("salvage that cannot be read"))?;
    let (bugs, after) = (exchange.0.settings.bugs, page.after);
    let origin = Position { epoch: id, seq: after.saturating_add(1), hash: Hash::START };
    let sums = exchange.db().read(derived::sum_ledgers).await?;
    let take = move |tx: &Tx<'_>| recovery::take_over(tx, after, &rows, origin, bugs, &sums);
    exchange.db().write(take).await?;
    exchange.0.wake_push.notify_one();
    Ok(())
}
