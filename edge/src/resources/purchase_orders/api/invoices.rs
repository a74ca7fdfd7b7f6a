//! What suppliers want to be paid, and what goes back to them.

use super::super::actions::{self, NewInvoice, NewReturn};
use super::super::rules::PurchaseError;
use super::super::rules::returns::ReturnDraft;
use super::text;
use super::view::{PurchaseOrderDetail, detail};
use crate::access::Cx;
use crate::http::{Created, Id, Json, Path, Result, Updated};
use tiffin_common::{Cents, Quantity, UnitCost, Uuid};

/// An invoice of the order's supplier.
#[apply(request!)]
pub struct EnterInvoice {
    /// Its number; each once per supplier. Deliveries with the same `invoiceRef` are what it is held against.
    #[schemars(length(min = 1, max = 60))]
    r#ref: String,
    /// What is to be paid, with tax.
    #[schemars(range(min = 0, max = 1_000_000_000_000i64))]
    total_cents: Cents,
    /// The tax in it: what is left is what the deliveries cost.
    #[schemars(range(min = 0, max = 1_000_000_000_000i64))]
    tax_cents: Cents,
}

/// Enters a supplier's invoice.
pub async fn enter_invoice(
    cx: Cx,
    Id(id): Id,
    Json(body): Json<EnterInvoice>,
) -> Result<Created<PurchaseOrderDetail>> {
    let new = NewInvoice {
        reference: text(Some(body.r#ref)).unwrap_or_default(),
        total: body.total_cents,
        tax: body.tax_cents,
    };
    cx.create(move |tx, actor| -> Result<_, PurchaseError> {
        actions::enter_invoice(tx, actor, id, new)?;
        detail(tx, actor.outlet_id, id, tx.now())
    })
    .await
}

/// Why a difference is right.
#[apply(request!)]
pub struct AcceptInvoice {
    /// Why the difference is right.
    #[schemars(length(min = 1, max = 300))]
    reason: String,
}

/// Accepts that an invoice is for more or less than came.
pub async fn accept_invoice(
    cx: Cx,
    Path((id, invoice)): Path<(Uuid, Uuid)>,
    Json(body): Json<AcceptInvoice>,
) -> Result<Updated<PurchaseOrderDetail>> {
    cx.update(move |tx, actor| -> Result<_, PurchaseError> {
        let reason =
            text(Some(body.reason)).ok_or_else(|| PurchaseError::field("reason", "must not be blank"))?;
        actions::accept_invoice(tx, actor, id, invoice, &reason)?;
        detail(tx, actor.outlet_id, id, tx.now())
    })
    .await
}

/// Takes an invoice away that was entered wrongly.
pub async fn delete_invoice(
    cx: Cx,
    Path((id, invoice)): Path<(Uuid, Uuid)>,
) -> Result<Updated<PurchaseOrderDetail>> {
    cx.update(move |tx, actor| -> Result<_, PurchaseError> {
        actions::remove_invoice(tx, actor, id, invoice)?;
        detail(tx, actor.outlet_id, id, tx.now())
    })
    .await
}

/// Something of a batch that goes back.
#[apply(request!)]
pub struct CreateReturnItem {
    /// One of the batches that came with the order.
    batch_id: Uuid,
    /// More than 0, and no more than came of it and is left.
    #[schemars(range(min = 0))]
    quantity: Quantity,
    /// The unit of the quantity; the one it was delivered in where absent.
    #[serde(default)]
    #[schemars(length(min = 1, max = 20))]
    unit: Option<String>,
    /// What the supplier owes for one such unit, without tax; what was paid where absent.
    #[serde(default)]
    #[schemars(range(min = 0))]
    unit_cost_cents: Option<UnitCost>,
    /// Why it goes back.
    #[schemars(length(min = 1, max = 300))]
    reason: String,
}

/// What goes back to the supplier.
#[apply(request!)]
pub struct CreateReturn {
    /// Batch by batch.
    #[schemars(length(min = 1, max = 500))]
    items: Vec<CreateReturnItem>,
    #[serde(default)]
    #[schemars(length(max = 500))]
    note: Option<String>,
}

/// A purchase order after something went back.
#[apply(answer!)]
pub struct ReturnedPurchaseOrder {
    /// The debit note that was made, among the order's returns.
    return_id: Uuid,
    #[serde(flatten)]
    order: PurchaseOrderDetail,
}

/// Sends something back: a debit note, and its stock leaves.
pub async fn create_return(
    cx: Cx,
    Id(id): Id,
    Json(body): Json<CreateReturn>,
) -> Result<Created<ReturnedPurchaseOrder>> {
    let draft = |item: CreateReturnItem| ReturnDraft {
        batch_id: item.batch_id,
        quantity: item.quantity,
        unit: item.unit,
        unit_cost: item.unit_cost_cents,
        reason: item.reason,
    };
    let new = NewReturn { lines: body.items.into_iter().map(draft).collect(), note: text(body.note) };
    cx.create(move |tx, actor| -> Result<_, PurchaseError> {
        let return_id = actions::send_back(tx, actor, id, new)?;
        Ok(ReturnedPurchaseOrder { return_id, order: detail(tx, actor.outlet_id, id, tx.now())? })
    })
    .await
}
