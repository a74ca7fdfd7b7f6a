//! Entries of waste over HTTP.

use super::super::actions;
use super::super::rules::WasteDraft;
use crate::access::Cx;
use crate::db::Source;
use crate::http::{Created, Data, Id, Json, Paged, Paging, Problem, Query, Result, Updated};
use crate::resources::inventory::rules::{StockError, WasteLog, WasteReason};
use crate::resources::inventory::store::{levels, waste};
use chrono::NaiveDate;
use tiffin_common::quantity::{cents_adding_up, micro_cents_to_cents};
use tiffin_common::{Cents, Millis, Overflow, Quantity, Uuid};

view! {
    /// Something that was thrown away: exactly one of `inventoryItemId` and `menuItemId` is set.
    pub struct WasteLogEntry of log: WasteLog | Overflow {
        id: Uuid,
        /// The stock item; null where a dish was thrown away.
        inventory_item_id: Option<Uuid> = log.stock_item_id,
        /// The dish; null where a stock item was thrown away.
        menu_item_id: Option<Uuid>,
        /// The variant of the dish.
        variant_id: Option<Uuid>,
        /// As it was called.
        name: String,
        quantity: Quantity,
        /// `portions` for a dish.
        unit: String,
        batch_number: Option<String>,
        /// Why it was thrown away.
        reason: WasteReason,
        note: Option<String>,
        /// Where the dish is made.
        station_id: Option<Uuid>,
        /// The order it was taken off after it was made.
        order_id: Option<Uuid>,
        order_item_id: Option<Uuid>,
        /// What it had cost.
        cost_cents: Cents = micro_cents_to_cents(log.cost_micros)?,
        business_date: NaiveDate,
        logged_at: Millis = log.at,
        logged_by_id: Option<Uuid> = log.by_id,
        logged_by: String = log.by_name,
        clock_suspect: bool,
        /// The entry was wrong: everything is back in its batch.
        is_reversed: bool = log.reversed_at.is_some(),
        reversed_at: Option<Millis>,
        reversed_by: Option<String> = log.reversed_by_name,
        reversal_reason: Option<String>,
    }
}

/// What an entry took out of one batch.
#[apply(answer!)]
pub struct WasteIngredient {
    inventory_item_id: Uuid,
    name: String,
    quantity: Quantity,
    unit: String,
    /// None: it had been sold without stock.
    batch_id: Option<Uuid>,
    cost_cents: Cents,
}

/// An entry with the batches it took from.
#[apply(answer!)]
pub struct WasteLogDetail {
    #[serde(flatten)]
    log: WasteLogEntry,
    /// Their costs add up to the entry's.
    ingredients: Vec<WasteIngredient>,
}

fn detail(conn: &dyn Source, outlet: Uuid, log: WasteLog) -> Result<WasteLogDetail, StockError> {
    let taken = waste::list_taken(conn, outlet, &log)?;
    let items: Vec<Uuid> = taken.iter().map(|part| part.item).collect();
    let names = levels::list(conn, outlet, &items, log.business_date)?;
    let cents = cents_adding_up(taken.iter().map(|part| part.cost_micros))?;
    let ingredients = taken.into_iter().zip(cents).map(|(part, cost_cents)| {
        let (name, unit) =
            names.get(&part.item).map(|level| (level.name.clone(), level.unit.clone())).unwrap_or_default();
        WasteIngredient {
            inventory_item_id: part.item,
            name,
            quantity: part.quantity,
            unit,
            batch_id: part.batch,
            cost_cents,
        }
    });
    let ingredients = ingredients.collect();
    Ok(WasteLogDetail { log: log.try_into()?, ingredients })
}

/// Which entries.
#[apply(request!)]
pub struct ListWasteLogs {
    /// From this business date.
    from: Option<NaiveDate>,
    /// To this business date.
    to: Option<NaiveDate>,
    /// Only for this reason.
    reason: Option<WasteReason>,
    /// Only of this stock item, thrown away as such.
    inventory_item_id: Option<Uuid>,
    /// Only of this dish.
    menu_item_id: Option<Uuid>,
    #[serde(flatten)]
    paging: Paging,
}

/// What was thrown away, the newest first.
pub async fn list_waste_logs(cx: Cx, Query(query): Query<ListWasteLogs>) -> Result<Paged<WasteLogEntry>> {
    let paging = query.paging;
    let filter = waste::WasteFilter {
        from: query.from,
        to: query.to,
        reason: query.reason,
        stock_item_id: query.inventory_item_id,
        menu_item_id: query.menu_item_id,
    };
    cx.list(paging, move |conn, outlet| -> Result<_, StockError> {
        let logs = waste::list(conn, outlet, &filter, paging.into())?;
        Ok(logs.try_map(WasteLogEntry::try_from)?)
    })
    .await
}

/// One entry of the waste log.
pub async fn get_waste_log(cx: Cx, Id(id): Id) -> Result<Data<WasteLogDetail>> {
    cx.get(move |conn, outlet| -> Result<_, StockError> {
        let log = waste::find(conn, outlet, id)?.ok_or(StockError::NotFound("waste log"))?;
        detail(conn, outlet, log)
    })
    .await
}

/// Something to throw away: exactly one of `inventoryItemId` and `menuItemId`. Never more than there is.
#[apply(request!)]
pub struct CreateWasteLog {
    /// The stock item; or name a dish.
    inventory_item_id: Option<Uuid>,
    /// A dish: what its recipe takes is thrown away.
    menu_item_id: Option<Uuid>,
    /// The variant of the dish; its default one where absent.
    variant_id: Option<Uuid>,
    /// How much; of a dish: portions.
    #[schemars(range(min = 0, max = 1_000_000))]
    quantity: Quantity,
    /// Unit of the quantity; the item's where absent.
    #[schemars(length(min = 1, max = 20))]
    unit: Option<String>,
    /// Only from this batch, expired or not. Otherwise batches go in their usual order, never an expired one, except for the
    /// reason EXPIRED: then those go first.
    #[schemars(length(min = 1, max = 60))]
    batch_number: Option<String>,
    /// Why it is thrown away.
    reason: WasteReason,
    #[schemars(length(max = 500))]
    note: Option<String>,
}

/// Throws something away.
pub async fn create_waste_log(cx: Cx, Json(body): Json<CreateWasteLog>) -> Result<Created<WasteLogDetail>> {
    let draft = WasteDraft {
        inventory_item_id: body.inventory_item_id,
        menu_item_id: body.menu_item_id,
        variant_id: body.variant_id,
        quantity: body.quantity,
        unit: body.unit,
        batch_number: body.batch_number,
        reason: body.reason,
        note: body.note,
    };
    let draft = draft.checked().map_err(Problem::invalid)?;
    cx.create(move |tx, actor| -> Result<_, StockError> {
        let log = actions::log(tx, actor, draft)?;
        detail(tx, actor.outlet_id, log)
    })
    .await
}

/// Why an entry is undone.
#[apply(request!)]
pub struct ReverseWasteLog {
    #[schemars(length(min = 1, max = 300))]
    reason: String,
}

/// Undoes a wrong entry.
pub async fn reverse_waste_log(
    cx: Cx,
    Id(id): Id,
    Json(body): Json<ReverseWasteLog>,
) -> Result<Updated<WasteLogDetail>> {
    cx.update(move |tx, actor| -> Result<_, StockError> {
        let log = actions::reverse(tx, actor, id, &body.reason)?;
        detail(tx, actor.outlet_id, log)
    })
    .await
}
