//! How suppliers keep their word.

use super::super::rules::PurchaseError;
use super::super::store;
use crate::access::Cx;
use crate::http::{Data, Id, Result};
use crate::resources::inventory::rules::SupplierPerformance;
use crate::resources::inventory::store::suppliers;

/// The figures of one supplier.
pub async fn get_supplier_performance(cx: Cx, Id(id): Id) -> Result<Data<SupplierPerformance>> {
    let now = cx.db.env().clock.now();
    cx.get(move |conn, outlet| -> Result<_, PurchaseError> {
        suppliers::find(conn, outlet, id)?.ok_or(PurchaseError::NotFound("supplier"))?;
        Ok(store::find_performance(conn, outlet, id, now)?)
    })
    .await
}
