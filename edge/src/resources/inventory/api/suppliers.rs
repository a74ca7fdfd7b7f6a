//! Suppliers.

use super::now;
use crate::access::Cx;
use crate::db::{DbError, Source};
use crate::http::{Change, Data, Json, Paged, Paging, Patch, Path, Problem, Query};
use crate::resources::inventory::actions;
use crate::resources::inventory::rules::{StockError, Supplier, SupplierDraft, SupplierPerformance};
use crate::resources::inventory::store::suppliers;
use axum::response::Response;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tiffin_common::{Millis, Uuid};

/// Somebody who delivers to the outlet.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Supplier")]
pub struct SupplierView {
    id: Uuid,
    name: String,
    contact_name: Option<String>,
    phone: Option<String>,
    email: Option<String>,
    address: Option<String>,
    tax_id: Option<String>,
    lead_time_days: i64,
    version: i64,
    created_at: Millis,
    updated_at: Millis,
    /// How they keep their word; with the one record only.
    #[serde(skip_serializing_if = "Option::is_none")]
    performance: Option<SupplierPerformance>,
}

impl From<Supplier> for SupplierView {
    fn from(s: Supplier) -> Self {
        SupplierView {
            id: s.id,
            name: s.draft.name,
            contact_name: s.draft.contact_name,
            phone: s.draft.phone,
            email: s.draft.email,
            address: s.draft.address,
            tax_id: s.draft.tax_id,
            lead_time_days: s.draft.lead_time_days,
            version: s.version,
            created_at: s.created_at,
            updated_at: s.updated_at,
            performance: None,
        }
    }
}

/// Which suppliers.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListSuppliers {
    /// Only those whose name contains it.
    #[schemars(length(min = 1, max = 120))]
    q: Option<String>,
    #[serde(flatten)]
    paging: Paging,
}

/// Suppliers by name.
pub async fn list_suppliers(
    cx: Cx,
    Query(query): Query<ListSuppliers>,
) -> Result<Paged<SupplierView>, Problem> {
    let paging = query.paging;
    let found =
        cx.read(move |conn, outlet| suppliers::list(conn, outlet, query.q.as_deref(), paging.into())).await?;
    Ok(Paged::new(found.map(SupplierView::from), paging))
}

/// One supplier.
pub async fn get_supplier(
    cx: Cx,
    Path(id): Path<Uuid>,
    performance: fn(&dyn Source, Uuid, Uuid, Millis) -> Result<SupplierPerformance, DbError>,
) -> Result<Data<SupplierView>, Problem> {
    let now = now(&cx);
    let found = cx
        .read(move |conn, outlet| -> Result<SupplierView, StockError> {
            let found = suppliers::find(conn, outlet, id)?.ok_or(StockError::NotFound("supplier"))?;
            Ok(SupplierView { performance: Some(performance(conn, outlet, id, now)?), ..found.into() })
        })
        .await?;
    Ok(Data::new(found))
}

/// A new supplier.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
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
}

/// Makes a supplier.
pub async fn create_supplier(cx: Cx, Json(body): Json<CreateSupplier>) -> Result<Response, Problem> {
    let draft = SupplierDraft {
        name: body.name,
        contact_name: body.contact_name,
        phone: body.phone,
        email: body.email,
        address: body.address,
        tax_id: body.tax_id,
        lead_time_days: body.lead_time_days.unwrap_or(1),
    };
    cx.create(move |tx, actor| actions::create_supplier(tx, actor, draft).map(SupplierView::from)).await
}

/// A change of a supplier.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdateSupplier {
    #[serde(default)]
    #[schemars(length(min = 1, max = 120))]
    name: Change<String>,
    #[serde(default)]
    #[schemars(length(max = 120))]
    contact_name: Patch<String>,
    #[serde(default)]
    #[schemars(length(max = 40))]
    phone: Patch<String>,
    #[serde(default)]
    #[schemars(length(max = 254))]
    email: Patch<String>,
    #[serde(default)]
    #[schemars(length(max = 300))]
    address: Patch<String>,
    #[serde(default)]
    #[schemars(length(max = 40))]
    tax_id: Patch<String>,
    #[serde(default)]
    #[schemars(range(min = 0, max = 365))]
    lead_time_days: Change<i64>,
}

/// Changes a supplier.
pub async fn update_supplier(
    cx: Cx,
    Path(id): Path<Uuid>,
    Json(body): Json<UpdateSupplier>,
) -> Result<Response, Problem> {
    let expected = cx.expected_version();
    let change = move |current: SupplierDraft| SupplierDraft {
        name: body.name.apply(current.name),
        contact_name: body.contact_name.apply(current.contact_name),
        phone: body.phone.apply(current.phone),
        email: body.email.apply(current.email),
        address: body.address.apply(current.address),
        tax_id: body.tax_id.apply(current.tax_id),
        lead_time_days: body.lead_time_days.apply(current.lead_time_days),
    };
    cx.update(move |tx, actor| {
        actions::update_supplier(tx, actor, id, expected, change).map(SupplierView::from)
    })
    .await
}

/// Archives a supplier.
pub async fn delete_supplier(cx: Cx, Path(id): Path<Uuid>) -> Result<Response, Problem> {
    let expected = cx.expected_version();
    cx.update(move |tx, actor| actions::archive_supplier(tx, actor, id, expected).map(SupplierView::from))
        .await
}
