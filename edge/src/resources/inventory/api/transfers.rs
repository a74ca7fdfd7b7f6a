//! `/inventory/transfers` over HTTP.

use crate::access::Cx;
use crate::db::Source;
use crate::http::{Created, Data, Id, Json, Paged, Paging, Query, Result, Updated};
use crate::resources::inventory::actions;
use crate::resources::inventory::rules::StockError;
use crate::resources::inventory::rules::transfers::{
    Arrival, Destination, Direction, NewTransfer, NewTransferItem, Transfer, TransferLine, TransferStatus,
};
use crate::resources::inventory::store::transfers;
use crate::resources::outlets::{self, rules::Outlet};
use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::Serialize;
use tiffin_common::quantity::{cents_adding_up, micro_cents_to_cents};
use tiffin_common::{Cents, Millis, Overflow, Quantity, UnitCost, Uuid};

/// One of the two outlets of a transfer.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TransferOutlet {
    id: Uuid,
    code: Option<String>,
    name: Option<String>,
}

view! {
    /// Stock sent from one outlet to another.
    #[schemars(rename = "StockTransfer")]
    pub struct TransferView of t: Transfer | Overflow, outlet: Uuid, known: &[Outlet] {
        id: Uuid,
        /// `TR-{code}-{yymmdd}-{nnn}`: code of the sending outlet, day, and a count from 001.
        transfer_number: String,
        status: TransferStatus = t.status(),
        /// As this outlet sees it.
        direction: Direction = if t.outlet_id == outlet { Direction::Out } else { Direction::In },
        from_outlet: TransferOutlet = named(known, t.outlet_id, t.from_outlet_code, t.from_outlet_name),
        to_outlet: TransferOutlet = named(known, t.to_outlet_id, t.to_outlet_code, t.to_outlet_name),
        /// How many lines it has.
        lines_count: i64,
        cost_cents: Cents = micro_cents_to_cents(t.cost_micros)?,
        note: Option<String>,
        /// The sender's trading day.
        business_date: NaiveDate,
        sent_at: Millis,
        sent_by: String = t.sent_by_name,
        received_at: Option<Millis>,
        received_by: Option<String> = t.received_by_name,
        receipt_note: Option<String>,
        /// When it was asked back; whether it still could be, head office says.
        cancel_requested_at: Option<Millis> = t.recalled_at,
        cancelled_at: Option<Millis>,
        cancelled_by: Option<String> = t.cancelled_by_name,
        cancel_reason: Option<String>,
    }
}

view! {
    /// What was taken of one batch.
    #[schemars(rename = "StockTransferLine")]
    pub struct TransferLineView of line: TransferLine | Overflow, cents: Cents {
        id: Uuid,
        line_number: i64,
        /// The sender's stock item; the receiver may know it by another id.
        inventory_item_id: Uuid = line.stock_item_id,
        name: String,
        sku: Option<String>,
        quantity: Quantity,
        unit: String,
        batch_number: String,
        expiry_date: Option<NaiveDate>,
        unit_cost_cents: UnitCost = line.unit_cost,
        cost_cents: Cents = cents,
        /// How much came; null while it is on its way.
        quantity_received: Option<Quantity> = line.received,
        /// What did not come.
        shortfall_quantity: Quantity = line.shortfall()?.0,
    }
}

/// A transfer with its lines.
#[apply(answer!)]
#[schemars(rename = "StockTransferDetail")]
pub struct TransferDetail {
    #[serde(flatten)]
    transfer: TransferView,
    /// What did not come had cost so much.
    shortfall_cost_cents: Cents,
    /// What was sent, batch by batch.
    lines: Vec<TransferLineView>,
}

/// The outlet by what stands in the transfer, or as one of those that are known here.
fn named(known: &[Outlet], id: Uuid, code: Option<String>, name: Option<String>) -> TransferOutlet {
    let other = known.iter().find(|outlet| outlet.id == id);
    let (code, name) =
        (code.or_else(|| other.map(|o| o.code.clone())), name.or_else(|| other.map(|o| o.name.clone())));
    TransferOutlet { id, code, name }
}

/// The transfer as `outlet` sees it, with its lines.
///
/// # Errors
/// The store's, or a number that leaves its range.
pub fn detail(conn: &dyn Source, outlet: Uuid, transfer: Transfer) -> Result<TransferDetail, StockError> {
    let lines = transfers::list_lines(conn, &transfer)?;
    let cents = cents_adding_up(lines.iter().map(|line| line.cost_micros))?;
    let mut short = 0i64;
    for line in &lines {
        short = short.checked_add(line.shortfall()?.1).ok_or(Overflow)?;
    }
    let lines = lines.into_iter().zip(cents).map(|(line, cents)| TransferLineView::of(line, cents));
    let lines = lines.collect::<Result<_, _>>()?;
    let transfer = TransferView::of(transfer, outlet, &outlets::store::list(conn)?)?;
    Ok(TransferDetail { transfer, shortfall_cost_cents: micro_cents_to_cents(short)?, lines })
}

/// Which transfers.
#[apply(request!)]
pub struct ListTransfers {
    /// To this outlet, or from it.
    direction: Option<Direction>,
    /// Only transfers of this status.
    status: Option<TransferStatus>,
    #[serde(flatten)]
    paging: Paging,
}

/// Transfers from and to this outlet, the newest first.
pub async fn list_transfers(cx: Cx, Query(query): Query<ListTransfers>) -> Result<Paged<TransferView>> {
    let paging = query.paging;
    cx.list(paging, move |conn, outlet| -> Result<_, StockError> {
        let found = transfers::list(conn, outlet, query.direction, query.status, paging.into())?;
        let known = outlets::store::list(conn)?;
        Ok(found.try_map(|transfer| TransferView::of(transfer, outlet, &known))?)
    })
    .await
}

/// One transfer with its lines.
pub async fn get_transfer(cx: Cx, Id(id): Id) -> Result<Data<TransferDetail>> {
    cx.get(move |conn, outlet| -> Result<_, StockError> {
        let transfer = transfers::find(conn, outlet, id)?.ok_or(StockError::NotFound("transfer"))?;
        detail(conn, outlet, transfer)
    })
    .await
}

view! {
    /// An outlet that stock can be sent to.
    pub struct TransferDestination of other: Destination {
        id: Uuid,
        code: String,
        name: String,
        /// Whether head office delivers there; else it is an outlet of this very box.
        is_elsewhere: bool,
    }
}

/// The other outlets of the chain, by code, as far as head office has told of them.
pub async fn list_transfer_outlets(cx: Cx) -> Result<Data<Vec<TransferDestination>>> {
    cx.get(move |conn, outlet| -> Result<Vec<TransferDestination>, StockError> {
        Ok(actions::destinations(conn, outlet)?.into_iter().map(TransferDestination::from).collect())
    })
    .await
}

/// Stock to send to another outlet.
#[apply(request!)]
pub struct CreateTransfer {
    to_outlet_id: Uuid,
    /// What to send, from which batches.
    #[schemars(length(min = 1, max = 200))]
    items: Vec<CreateTransferItem>,
    #[schemars(length(max = 500))]
    note: Option<String>,
}

/// So much of an item: from its batches in their order, or from one of them. Never what has expired.
#[apply(request!)]
pub struct CreateTransferItem {
    inventory_item_id: Uuid,
    #[schemars(range(min = 0))]
    quantity: Quantity,
    /// Unit of the quantity; the item's where absent.
    #[schemars(length(min = 1, max = 20))]
    unit: Option<String>,
    #[schemars(length(min = 1, max = 60))]
    batch_number: Option<String>,
}

/// Sends stock to another outlet.
pub async fn create_transfer(cx: Cx, Json(body): Json<CreateTransfer>) -> Result<Created<TransferDetail>> {
    let items = body.items.into_iter().map(|item| NewTransferItem {
        stock_item_id: item.inventory_item_id,
        quantity: item.quantity,
        unit: item.unit,
        batch_number: item.batch_number,
    });
    let new = NewTransfer { to_outlet_id: body.to_outlet_id, items: items.collect(), note: body.note };
    cx.create(move |tx, actor| -> Result<_, StockError> {
        let outlet = outlets::store::find(tx, actor.outlet_id)?;
        let sent = actions::send_transfer(tx, actor, &outlet, &new)?;
        detail(tx, actor.outlet_id, sent)
    })
    .await
}

/// What came. A line that is not named has come as it was sent.
#[apply(request!)]
pub struct ReceiveTransfer {
    /// What really came, line by line; all of it where absent.
    #[serde(default)]
    #[schemars(length(max = 1000))]
    items: Vec<ReceiveTransferItem>,
    #[schemars(length(max = 500))]
    note: Option<String>,
}

/// What came of a line.
#[apply(request!)]
pub struct ReceiveTransferItem {
    /// The line; where absent, `inventoryItemId` says whose lines are meant.
    line_id: Option<Uuid>,
    /// In the line's unit; all of it where absent.
    #[schemars(range(min = 0))]
    quantity_received: Option<Quantity>,
    /// Without a line: the item as the transfer's lines name it. With one: this outlet's item, found by id, sku, or name and unit,
    /// or else made, where absent.
    inventory_item_id: Option<Uuid>,
}

/// Takes a transfer in at the outlet it was sent to; again: it stays as it is.
pub async fn receive_transfer(
    cx: Cx,
    Id(id): Id,
    Json(body): Json<ReceiveTransfer>,
) -> Result<Updated<TransferDetail>> {
    let arrivals = body.items.into_iter().map(|item| Arrival {
        line_id: item.line_id,
        quantity: item.quantity_received,
        stock_item_id: item.inventory_item_id,
    });
    let arrivals: Vec<Arrival> = arrivals.collect();
    cx.update(move |tx, actor| -> Result<_, StockError> {
        let outlet = outlets::store::find(tx, actor.outlet_id)?;
        let got = actions::receive_transfer(tx, actor, &outlet, id, &arrivals, body.note.as_deref())?;
        detail(tx, actor.outlet_id, got)
    })
    .await
}

/// Why a transfer is called back.
#[apply(request!)]
pub struct CancelTransfer {
    #[schemars(length(max = 300))]
    reason: Option<String>,
}

/// Calls a transfer back before it has come. One to another box is CANCEL_REQUESTED until head office has decided.
pub async fn cancel_transfer(
    cx: Cx,
    Id(id): Id,
    Json(body): Json<CancelTransfer>,
) -> Result<Updated<TransferDetail>> {
    cx.update(move |tx, actor| -> Result<_, StockError> {
        let outlet = outlets::store::find(tx, actor.outlet_id)?;
        let back = actions::cancel_transfer(tx, actor, &outlet, id, body.reason.as_deref())?;
        detail(tx, actor.outlet_id, back)
    })
    .await
}
