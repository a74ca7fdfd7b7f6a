//! How suppliers keep their word, and what they take.

use super::super::rules::PurchaseError;
use super::super::store;
use crate::access::Cx;
use crate::http::{Data, Id, Result};
use crate::resources::inventory::rules::SupplierPerformance;
use crate::resources::inventory::store::{items, suppliers};
use chrono::NaiveDate;
use tiffin_common::{UnitCost, Uuid};

/// The figures of one supplier.
pub async fn get_supplier_performance(cx: Cx, Id(id): Id) -> Result<Data<SupplierPerformance>> {
    let now = cx.db.env().clock.now();
    cx.get(move |conn, outlet| -> Result<_, PurchaseError> {
        suppliers::find(conn, outlet, id)?.ok_or(PurchaseError::NotFound("supplier"))?;
        Ok(store::find_performance(conn, outlet, id, now)?)
    })
    .await
}

/// What a supplier takes for an item.
#[apply(answer!)]
pub struct SupplierPrice {
    inventory_item_id: Uuid,
    name: String,
    /// What the agreed price is of; null where none was agreed.
    agreed_unit: Option<String>,
    /// What was agreed for one such unit.
    agreed_unit_cost_cents: Option<UnitCost>,
    /// What the last price was of; null where nothing came in the last 400 days.
    last_unit: Option<String>,
    /// What was taken last for one such unit.
    last_unit_cost_cents: Option<UnitCost>,
    /// When it came last.
    last_delivered_on: Option<NaiveDate>,
}

/// What a supplier takes, by item.
pub async fn list_supplier_prices(cx: Cx, Id(id): Id) -> Result<Data<Vec<SupplierPrice>>> {
    let now = cx.db.env().clock.now();
    cx.get(move |conn, outlet| -> Result<_, PurchaseError> {
        let supplier = suppliers::find(conn, outlet, id)?.ok_or(PurchaseError::NotFound("supplier"))?;
        let (agreed, mut last) =
            (supplier.draft.agreed_prices, store::list_last_prices(conn, outlet, id, now)?);
        let mut list = Vec::new();
        for item in items::list(conn, outlet, None, None)? {
            let agreed = agreed.iter().find(|price| price.inventory_item_id == item.id);
            let last = last.remove(&item.id);
            if agreed.is_none() && last.is_none() {
                continue;
            }
            list.push(SupplierPrice {
                inventory_item_id: item.id,
                agreed_unit: agreed
                    .map(|price| price.unit.clone().unwrap_or_else(|| item.draft.unit.clone())),
                agreed_unit_cost_cents: agreed.map(|price| price.unit_cost_cents),
                last_unit: last.as_ref().map(|last| last.unit.clone()),
                last_unit_cost_cents: last.as_ref().map(|last| last.unit_cost),
                last_delivered_on: last.map(|last| last.business_date),
                name: item.draft.name,
            });
        }
        Ok(list)
    })
    .await
}
