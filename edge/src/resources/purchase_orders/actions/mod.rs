//! What can happen to a purchase order. Stock comes in by the store room's own action, so that the ledger knows of it.

mod auto;
mod deliver;
mod invoice;
mod overdue;
mod send_back;
mod steps;
#[cfg(test)]
mod tests;
mod write;

pub use auto::{Drafted, Scope, Skipped, draft_low_stock};
pub use deliver::{NewDelivery, deliver};
pub use invoice::{NewInvoice, accept_invoice, enter_invoice, remove_invoice};
pub use overdue::tell_overdue;
pub use send_back::{NewReturn, send_back};
pub use steps::{close, send};
pub use write::{DraftChange, NewPurchaseOrder, create, update};

use super::rules::{PurchaseError, PurchaseOrder, Result};
use super::store;
use crate::access::Actor;
use crate::db::{self, Tx};
use crate::resources::inventory::rules::StockItem;
use crate::resources::inventory::store::items;
use tiffin_common::Uuid;

fn find(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<PurchaseOrder> {
    store::find(tx, actor.outlet_id, id)?.ok_or(PurchaseError::NotFound("purchase order"))
}

/// The outlet's live items of `ids`, in their order.
fn found_items(
    tx: &Tx<'_>,
    actor: &Actor,
    ids: impl Iterator<Item = Uuid>,
) -> db::Result<Vec<Option<StockItem>>> {
    ids.map(|id| items::find(tx, actor.outlet_id, id)).collect()
}
