//! Suppliers.

use super::now;
use crate::access::Cx;
use crate::db::{self, Source};
use crate::http::{Created, Data, Id, Json, Paged, Paging, Patch, Query, Replace, Result, Updated};
use crate::resources::inventory::actions;
use crate::resources::inventory::rules::{
    AgreedPrice, StockError, Supplier, SupplierDraft, SupplierPerformance,
};
use crate::resources::inventory::store::suppliers;
use tiffin_common::{Millis, Uuid};

view! {
    /// Somebody who delivers to the outlet.
    #[schemars(rename = "Supplier")]
    pub struct SupplierView of s: Supplier {
        id: Uuid,
        name: String = s.draft.name,
        contact_name: Option<String> = s.draft.contact_name,
        phone: Option<String> = s.draft.phone,
        email: Option<String> = s.draft.email,
        address: Option<String> = s.draft.address,
        tax_id: Option<String> = s.draft.tax_id,
        lead_time_days: i64 = s.draft.lead_time_days,
        /// What was agreed to be paid, which purchase orders begin with.
        agreed_prices: Vec<AgreedPrice> = s.draft.agreed_prices,
        version: i64,
        created_at: Millis,
        updated_at: Millis,
        /// How they keep their word; with the one record only.
        #[serde(skip_serializing_if = "Option::is_none")]
        performance: Option<SupplierPerformance> = None,
    }
}

/// Which suppliers.
#[apply(request!)]
pub struct ListSuppliers {
    /// Only those whose name contains it.
    #[schemars(length(min = 1, max = 120))]
    q: Option<String>,
    #[serde(flatten)]
    paging: Paging,
}

/// Suppliers by name.
pub async fn list_suppliers(cx: Cx, Query(query): Query<ListSuppliers>) -> Result<Paged<SupplierView>> {
    let paging = query.paging;
    cx.list(paging, move |conn, outlet| suppliers::list(conn, outlet, query.q.as_deref(), paging.into()))
        .await
}

/// One supplier.
pub async fn get_supplier(
    cx: Cx,
    Id(id): Id,
    performance: fn(&dyn Source, Uuid, Uuid, Millis) -> db::Result<SupplierPerformance>,
) -> Result<Data<SupplierView>> {
    let now = now(&cx);
    cx.get(move |conn, outlet| -> Result<SupplierView, StockError> {
        let found = suppliers::find(conn, outlet, id)?.ok_or(StockError::NotFound("supplier"))?;
        Ok(SupplierView { performance: Some(performance(conn, outlet, id, now)?), ..found.into() })
    })
    .await
}

/// A new supplier.
#[apply(request!)]
pub struct CreateSupplier {
    #[schemars(length(min = 1, max = 120))]
    name: String,
    #[schemars(length(max = 120))]
    contact_name: Option<String>,
    #[schemars(length(max = 40))]
    phone: Option<String>,
    #[schemars(length(max = 254))]
    email: Option<String>,
    #[schemars(length(max = 300))]
    address: Option<String>,
    #[schemars(length(max = 40))]
    tax_id: Option<String>,
    /// Days from order to delivery; 1 unless told otherwise.
    #[schemars(range(min = 0, max = 365))]
    lead_time_days: Option<i64>,
    /// What was agreed to be paid; each item once.
    #[serde(default)]
    #[schemars(length(max = 1_000))]
    agreed_prices: Vec<AgreedPrice>,
}

/// Makes a supplier.
pub async fn create_supplier(cx: Cx, Json(body): Json<CreateSupplier>) -> Result<Created<SupplierView>> {
    let draft = SupplierDraft {
        name: body.name,
        contact_name: body.contact_name,
        phone: body.phone,
        email: body.email,
        address: body.address,
        tax_id: body.tax_id,
        lead_time_days: body.lead_time_days.unwrap_or(1),
        agreed_prices: body.agreed_prices,
    };
    cx.create(move |tx, actor| actions::create_supplier(tx, actor, draft)).await
}

patch! {
    /// A change of a supplier.
    pub struct UpdateSupplier of SupplierDraft {
        #[schemars(length(min = 1, max = 120))]
        name: Replace<String>,
        #[schemars(length(max = 120))]
        contact_name: Patch<String>,
        #[schemars(length(max = 40))]
        phone: Patch<String>,
        #[schemars(length(max = 254))]
        email: Patch<String>,
        #[schemars(length(max = 300))]
        address: Patch<String>,
        #[schemars(length(max = 40))]
        tax_id: Patch<String>,
        #[schemars(range(min = 0, max = 365))]
        lead_time_days: Replace<i64>,
        /// In the place of all that was agreed.
        #[schemars(length(max = 1_000))]
        agreed_prices: Replace<Vec<AgreedPrice>>,
    }
}

/// Changes a supplier.
pub async fn update_supplier(
    cx: Cx,
    Id(id): Id,
    Json(body): Json<UpdateSupplier>,
) -> Result<Updated<SupplierView>> {
    cx.change(move |tx, actor, expected| {
        actions::update_supplier(tx, actor, id, expected, |draft| body.over(draft))
    })
    .await
}

/// Archives a supplier.
pub async fn delete_supplier(cx: Cx, Id(id): Id) -> Result<Updated<SupplierView>> {
    cx.change(move |tx, actor, expected| actions::archive_supplier(tx, actor, id, expected)).await
}
