//! `/hub/transfers`: stock between the outlets, as their senders have it. Reads each outlet's copy; never decides on one.

use super::chain::{self, ChainError, FreshOutlet};
use super::guard::Cx;
use crate::state::Routes;
use crate::store::StoreError;
use edge::access::{Permission, get};
use edge::db::Source;
use edge::http::{Data, Problem, Query};
use edge::resources::inventory::rules::StockError;
use edge::resources::inventory::rules::transfers::{Direction, Transfer, TransferStatus};
use edge::resources::inventory::store::transfers;
use edge::resources::inventory::{TransferDetail, transfer_detail};
use futures_util::{StreamExt, pin_mut};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tiffin_common::quantity::micro_cents_to_cents;
use tiffin_common::{Cents, Overflow, Uuid};

/// Transfers of one outlet and status that are shown at most.
const MOST: u32 = 200;

pub(super) fn routes() -> Routes {
    Routes::group(
        "hub",
        [get("/hub/transfers", Permission::InventoryRead, get_transfers)
            .summary("Stock on its way between outlets, or what became of it")
            .query::<GetTransfers>()
            .returns::<Transfers>()],
    )
}

/// Which transfers.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct GetTransfers {
    /// Only what these outlets sent, comma-separated.
    #[serde(default)]
    #[schemars(length(max = 40_000))]
    outlet_ids: Option<String>,
    /// Only these; where absent, what is on its way: SENT and CANCEL_REQUESTED.
    #[serde(default)]
    status: Option<TransferStatus>,
}

/// Transfers of the chain.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Transfers {
    /// How many are on their way, whatever was asked for.
    in_transit_count: i64,
    /// What those had cost.
    in_transit_cost_cents: Cents,
    /// What each outlet sent, and how fresh that is.
    outlets: Vec<SentBy>,
}

/// What an outlet sent.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SentBy {
    #[serde(flatten)]
    outlet: FreshOutlet,
    /// How many of these are on their way, whatever was asked for.
    in_transit_count: i64,
    in_transit_cost_cents: Cents,
    /// With their lines, the newest first, at most 200 of a status.
    transfers: Vec<TransferDetail>,
}

/// What was found at one outlet.
#[derive(Default)]
struct Found {
    count: i64,
    micros: i64,
    transfers: Vec<TransferDetail>,
}

fn look(from: &dyn Source, outlet: Uuid, status: Option<TransferStatus>) -> Result<Found, ChainError> {
    let (count, micros) = transfers::sum_in_transit(from, outlet)?;
    let on_its_way = [TransferStatus::Sent, TransferStatus::CancelRequested];
    let wanted = status.as_ref().map_or(&on_its_way[..], std::slice::from_ref);
    let mut found: Vec<Transfer> = Vec::new();
    for status in wanted {
        let page = transfers::list(from, outlet, Some(Direction::Out), Some(*status), (MOST, 0))?;
        found.extend(page.items);
    }
    let detailed = found.into_iter().map(|transfer| transfer_detail(from, outlet, transfer));
    let transfers = detailed.collect::<Result<_, StockError>>().map_err(|error| match error {
        StockError::Db(error) => error.into(),
        _ => ChainError::Store(StoreError::GivenUp),
    })?;
    Ok(Found { count, micros, transfers })
}

async fn get_transfers(cx: Cx, Query(query): Query<GetTransfers>) -> Result<Data<Transfers>, Problem> {
    let asked = chain::asked(&cx, query.outlet_ids.as_deref()).await?;
    let status = query.status;
    let answers = chain::each(&cx.app, asked, move |from, outlet| look(from, outlet.card.id, status));
    pin_mut!(answers);
    let overflow = |error: Overflow| Problem::from(ChainError::from(error));
    let (mut outlets, mut count, mut micros) = (Vec::new(), 0i64, 0i64);
    while let Some(answer) = answers.next().await {
        let answer = answer?;
        let found = answer.found.unwrap_or_default();
        count = count.saturating_add(found.count);
        micros = micros.checked_add(found.micros).ok_or(Overflow).map_err(overflow)?;
        outlets.push(SentBy {
            outlet: FreshOutlet::of(&answer.outlet, answer.fresh),
            in_transit_count: found.count,
            in_transit_cost_cents: micro_cents_to_cents(found.micros).map_err(overflow)?,
            transfers: found.transfers,
        });
    }
    let in_transit_cost_cents = micro_cents_to_cents(micros).map_err(overflow)?;
    Ok(Data::new(Transfers { in_transit_count: count, in_transit_cost_cents, outlets }))
}
