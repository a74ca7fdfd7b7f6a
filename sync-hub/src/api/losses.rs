//! `/hub/losses`: what took money or food off the books, outlet beside outlet. Never adds up outlets of different currencies.

use super::chain::{self, ChainError, FreshOutlet};
use super::dates::{ChainDates, questions};
use super::guard::Cx;
use crate::state::Routes;
use edge::access::{Permission, get};
use edge::http::{Data, Problem, Query};
use edge::resources::analytics::api::losses::{LossGroup, LossOfKind, LossSumView, ledger};
use edge::resources::analytics::rules::{AnalyticsError, Hundredths, percent};
use futures_util::{StreamExt, pin_mut};
use schemars::JsonSchema;
use serde::Serialize;
use tiffin_common::Cents;

pub(super) fn routes() -> Routes {
    Routes::group(
        "hub",
        [get("/hub/losses", Permission::AuditRead, list_losses)
            .summary("Voids, discounts, refunds and cash that left the drawers, outlet beside outlet")
            .query::<ChainDates>()
            .returns::<ChainLosses>()],
    )
}

/// The losses of the chain.
#[derive(Debug, Serialize, JsonSchema)]
struct ChainLosses {
    /// Each outlet's, the one that loses the largest share of its sales first.
    outlets: Vec<OutletLosses>,
}

/// One outlet's losses.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OutletLosses {
    #[serde(flatten)]
    outlet: FreshOutlet,
    /// Null while head office holds no row of it.
    losses: Option<Losses>,
}

/// What one outlet lost.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Losses {
    /// What money is in.
    currency: String,
    /// Its gross revenue of these dates.
    gross_revenue_cents: Cents,
    /// The losses' amount in percent of it.
    percent_of_gross: Hundredths,
    /// All of it.
    total: LossSumView,
    /// What the 28 days before came to on average, for as many days as these.
    usual: LossSumView,
    /// What each kind of loss comes to; those that did not happen are left out.
    kinds: Vec<LossOfKind>,
    /// People, and people with one approver, that stand out in their own outlet.
    unusual: Vec<LossGroup>,
}

async fn list_losses(cx: Cx, Query(dates): Query<ChainDates>) -> Result<Data<ChainLosses>, Problem> {
    let outlets = chain::asked(&cx, dates.outlet_ids.as_deref()).await?;
    let now = cx.app.env().clock.now();
    let answers = chain::each(&cx.app, outlets, move |from, outlet| -> Result<_, ChainError> {
        let (question, _) = questions(from, outlet.card.id, &dates, now)?;
        let gross = question.sum(from)?.revenue.gross;
        let found = ledger(from, &question)?;
        let groups = found.people.into_iter().chain(found.pairs);
        Ok(Losses {
            currency: found.currency,
            gross_revenue_cents: gross,
            percent_of_gross: percent(found.total.amount_cents, gross).map_err(AnalyticsError::from)?,
            total: found.total,
            usual: found.usual,
            kinds: found.kinds,
            unusual: groups.filter(|group| group.is_unusual).collect(),
        })
    });
    pin_mut!(answers);
    let mut list = Vec::new();
    while let Some(answer) = answers.next().await {
        let answer = answer?;
        let outlet = FreshOutlet::of(&answer.outlet, answer.fresh);
        list.push(OutletLosses { outlet, losses: answer.found });
    }
    list.sort_by_key(|outlet| {
        std::cmp::Reverse(outlet.losses.as_ref().map(|losses| losses.percent_of_gross))
    });
    Ok(Data::new(ChainLosses { outlets: list }))
}
