//! `/hub/analytics/top-sellers`: dishes of one name, over all outlets that sell them. Currencies are kept apart.

use super::chain::{self, ChainError, FreshOutlet};
use super::dates::{ChainDates, questions};
use super::guard::Cx;
use crate::state::Routes;
use edge::access::{Permission, get};
use edge::http::{Data, Paging, Problem, Query};
use edge::resources::analytics::rules::engineering::{DishFigures, Order, RankBy, dishes, divide, rank};
use edge::resources::analytics::store::{names, reports};
use futures_util::{StreamExt, pin_mut};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tiffin_common::Overflow;

pub(super) fn routes() -> Routes {
    Routes::group(
        "hub",
        [get("/hub/analytics/top-sellers", Permission::AnalyticsRead, get_top_sellers)
            .summary("Dishes by what they sold at all outlets; with order=asc the worst sellers")
            .query::<GetChainSellers>()
            .returns::<ChainSellers>()],
    )
}

/// Which sellers.
#[derive(Debug, Deserialize, JsonSchema)]
struct GetChainSellers {
    #[serde(flatten)]
    dates: ChainDates,
    /// By portions, revenue or margin.
    #[serde(default)]
    by: RankBy,
    /// `asc` begins with the worst sellers.
    #[serde(default)]
    order: Order,
    #[serde(flatten)]
    paging: Paging,
}

/// Dishes by what they sold.
#[derive(Debug, Serialize, JsonSchema)]
struct ChainSellers {
    /// For each currency a list of its own.
    currencies: Vec<OfCurrency>,
    /// How fresh each outlet's part is.
    outlets: Vec<FreshOutlet>,
}

/// The dishes of the outlets of one currency.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SellersOfCurrency")]
struct OfCurrency {
    currency: String,
    /// This page of the dishes. Dishes of one name are one here; the id is that of one outlet's.
    items: Vec<DishFigures>,
    /// How many dishes there are.
    total: usize,
}

/// The dishes of one currency, by name.
type Menu = BTreeMap<String, DishFigures>;

fn add(menu: &mut Menu, dish: DishFigures) -> Result<(), Overflow> {
    let key = dish.name.trim().to_lowercase();
    let Some(sum) = menu.get_mut(&key) else {
        menu.insert(key, dish);
        return Ok(());
    };
    sum.add(&dish)
}

async fn get_top_sellers(
    cx: Cx,
    Query(query): Query<GetChainSellers>,
) -> Result<Data<ChainSellers>, Problem> {
    let outlets = chain::asked(&cx, query.dates.outlet_ids.as_deref()).await?;
    let (now, dates) = (cx.app.env().clock.now(), query.dates.clone());
    let answers = chain::each(&cx.app, outlets, move |from, outlet| -> Result<_, ChainError> {
        let (question, _) = questions(from, outlet.card.id, &dates, now)?;
        let sold = reports::sum_sold(from, &question)
            .map_err(edge::resources::analytics::rules::AnalyticsError::from)?;
        let names = names::list_dishes(from, question.outlet.id)?;
        let mut list = dishes(&sold, &names)?;
        let by_size = reports::sum_variants(from, &question)
            .map_err(edge::resources::analytics::rules::AnalyticsError::from)?;
        divide(&mut list, &by_size, &names)?;
        Ok((question.outlet.currency.clone(), list))
    });
    pin_mut!(answers);
    let (mut menus, mut fresh) = (BTreeMap::<String, Menu>::new(), Vec::new());
    while let Some(answer) = answers.next().await {
        let answer = answer?;
        if let Some((currency, list)) = answer.found {
            let menu = menus.entry(currency).or_default();
            list.into_iter().try_for_each(|dish| add(menu, dish))?;
        }
        fresh.push(FreshOutlet::of(&answer.outlet, answer.fresh));
    }
    let page = |(currency, menu): (String, Menu)| {
        let mut items: Vec<DishFigures> = menu.into_values().collect();
        rank(&mut items, query.by, query.order);
        let total = items.len();
        let (skip, take) = (query.paging.offset as usize, query.paging.limit as usize);
        OfCurrency { currency, items: items.into_iter().skip(skip).take(take).collect(), total }
    };
    Ok(Data::new(ChainSellers { currencies: menus.into_iter().map(page).collect(), outlets: fresh }))
}
