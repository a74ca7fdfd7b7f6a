//! `/hub/inventory/low-stock` and `/hub/recall`: asked of each outlet through the branch's own routes, as the caller. Never adds
//! stock of two outlets.

use super::chain::{self, FreshOutlet};
use super::guard::Cx;
use crate::state::{AppState, Routes};
use axum::Router;
use axum::body::Body;
use axum::http::{Request, header};
use edge::access::{Permission, get};
use edge::http::{Data, Problem, Query};
use edge::resources::inventory::store::batches;
use futures_util::{StreamExt, pin_mut};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashSet;
use tiffin_common::Uuid;
use tower::Service;

/// Most bytes of one outlet's answer: a stock list of some thousand items.
const ANSWER_BYTES: usize = 16 << 20;

pub(super) fn routes() -> Routes {
    Routes::group(
        "hub",
        [
            get("/hub/inventory/low-stock", Permission::InventoryRead, get_low_stock)
                .summary("What is at or below its minimum, at each outlet")
                .query::<OfOutlets>()
                .returns::<LowStock>(),
            get("/hub/recall", Permission::InventoryRead, get_recall)
                .summary(
                    "Where a batch is, where it came from and which orders it went into, at every outlet",
                )
                .query::<GetRecall>()
                .returns::<Recall>(),
        ],
    )
}

/// Which outlets.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OfOutlets {
    /// Only these outlets, comma-separated.
    #[serde(default)]
    #[schemars(length(max = 40_000))]
    outlet_ids: Option<String>,
}

/// What is low.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct LowStock {
    /// What runs low at each outlet.
    outlets: Vec<LowAt>,
    /// Items over all outlets.
    total_count: usize,
}

/// What is low at an outlet.
#[derive(Debug, Serialize, JsonSchema)]
struct LowAt {
    #[serde(flatten)]
    outlet: FreshOutlet,
    /// Items as GET /inventory/items has them.
    items: Vec<Value>,
}

/// Which batch.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct GetRecall {
    /// The number printed on it.
    #[schemars(length(min = 1, max = 120))]
    batch_number: String,
    #[serde(flatten)]
    of: OfOutlets,
}

/// Where a batch is.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Recall {
    batch_number: String,
    /// The outlets that have or had it, or what was made of it.
    found: Vec<RecalledAt>,
    /// Every outlet that was asked, and how fresh its answer is.
    outlets: Vec<FreshOutlet>,
}

/// A batch at an outlet.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RecalledAt {
    outlet_id: Uuid,
    /// As GET /inventory/batches/{id}/trace has it.
    trace: Value,
}

/// Asks the branch's own route of `outlet`, as the caller.
async fn ask(app: &AppState, token: &str, outlet: Uuid, path: &str) -> Result<Value, Problem> {
    let failed = |error: &dyn std::fmt::Display| {
        tracing::error!(%error, path, "an outlet's own route cannot be asked");
        Problem::new(edge::http::Code::Internal)
    };
    let request = Request::get(path)
        .header(header::AUTHORIZATION, token)
        .header("x-outlet-id", outlet.to_string())
        .body(Body::empty())
        .map_err(|error| failed(&error))?;
    let mut router: Router = app.reading.clone();
    let response = router.call(request).await.map_err(|error| failed(&error))?;
    let status = response.status();
    let bytes =
        axum::body::to_bytes(response.into_body(), ANSWER_BYTES).await.map_err(|error| failed(&error))?;
    if !status.is_success() {
        return Err(failed(&status));
    }
    serde_json::from_slice(&bytes).map_err(|error| failed(&error))
}

/// A token of the caller's own for the questions to the outlets: this request's may end while they are asked.
fn token(cx: &Cx) -> Result<String, Problem> {
    cx.app.issue(&cx.principal).map(|token| format!("Bearer {token}"))
}

async fn get_low_stock(cx: Cx, Query(query): Query<OfOutlets>) -> Result<Data<LowStock>, Problem> {
    let outlets = chain::asked(&cx, query.outlet_ids.as_deref()).await?;
    let token = token(&cx)?;
    let answers = chain::each(&cx.app, outlets, |_, _| Ok(()));
    pin_mut!(answers);
    let (mut list, mut total_count) = (Vec::new(), 0);
    while let Some(answer) = answers.next().await {
        let answer = answer?;
        let id = answer.outlet.card.id;
        let items = match answer.found {
            None => Vec::new(),
            Some(()) => {
                let mut found = ask(&cx.app, &token, id, "/inventory/items?lowStockOnly=true").await?;
                found["items"].as_array_mut().map(std::mem::take).unwrap_or_default()
            }
        };
        total_count += items.len();
        list.push(LowAt { outlet: FreshOutlet::of(&answer.outlet, answer.fresh), items });
    }
    Ok(Data::new(LowStock { outlets: list, total_count }))
}

async fn get_recall(cx: Cx, Query(query): Query<GetRecall>) -> Result<Data<Recall>, Problem> {
    let token = token(&cx)?;
    let (mut found, mut fresh) = (Vec::new(), Vec::new());
    // What was made of it may have gone to other outlets, under the number it got where it was made.
    let mut numbers = vec![query.batch_number.clone()];
    let mut covered: HashSet<(Uuid, Uuid)> = HashSet::new();
    let mut next = 0;
    while let Some(number) = numbers.get(next).cloned() {
        next += 1;
        let outlets = chain::asked(&cx, query.of.outlet_ids.as_deref()).await?;
        let answers = chain::each(&cx.app, outlets, move |from, outlet| {
            Ok(batches::list_of_lot(from, outlet.card.id, &number)?)
        });
        pin_mut!(answers);
        while let Some(answer) = answers.next().await {
            let answer = answer?;
            let outlet_id = answer.outlet.card.id;
            for batch in answer.found.iter().flatten() {
                if !covered.insert((outlet_id, *batch)) {
                    continue;
                }
                let path = format!("/inventory/batches/{batch}/trace?limit=100");
                let mut answer = ask(&cx.app, &token, outlet_id, &path).await?;
                let trace = answer["data"].take();
                for made in trace["madeInto"].as_array().into_iter().flatten() {
                    let id = made["batchId"].as_str().and_then(|id| id.parse().ok());
                    covered.extend(id.map(|id| (outlet_id, id)));
                    let number = made["batchNumber"].as_str().unwrap_or_default();
                    if !number.is_empty() && !numbers.iter().any(|known| known == number) {
                        numbers.push(number.to_owned());
                    }
                }
                found.push(RecalledAt { outlet_id, trace });
            }
            if next == 1 {
                fresh.push(FreshOutlet::of(&answer.outlet, answer.fresh));
            }
        }
    }
    Ok(Data::new(Recall { batch_number: query.batch_number, found, outlets: fresh }))
}
