//! `/analytics/top-sellers` and `/analytics/menu-engineering`.

use super::{Dates, Freshness, answer};
use crate::access::Cx;
use crate::http::{Data, Paging, Query, Result};
use crate::resources::analytics::rules::engineering::{
    DishFigures, MenuAnalysis, Order, RankBy, analyse, dishes, divide, rank,
};
use crate::resources::analytics::rules::reports::combos::{ComboFigures, by_combo};
use crate::resources::analytics::store::{names, reports};
use chrono::NaiveDate;

/// Which sellers.
#[apply(request!)]
pub struct GetTopSellers {
    /// The range.
    #[serde(flatten)]
    dates: Dates,
    /// By portions, revenue or margin.
    #[serde(default)]
    by: RankBy,
    /// `asc` begins with the worst sellers.
    #[serde(default)]
    order: Order,
    /// Rows of the list.
    #[serde(flatten)]
    paging: Paging,
}

/// Dishes by what they sold.
#[apply(answer!)]
pub struct TopSellers {
    /// The first business date.
    from: NaiveDate,
    /// The last business date, included.
    to: NaiveDate,
    /// This page of the dishes: those that sold or cost something and those on the menu that did not.
    items: Vec<DishFigures>,
    /// How many dishes there are.
    total: usize,
    /// Combos that sold anything, by name; what they sold is in their dishes' figures, too.
    combos: Vec<ComboFigures>,
    /// How fresh all of it is.
    #[serde(flatten)]
    freshness: Freshness,
}

/// Dishes by what they sold.
pub async fn get_top_sellers(cx: Cx, Query(query): Query<GetTopSellers>) -> Result<Data<TopSellers>> {
    let sellers = answer(&cx, query.dates, move |conn, question| {
        let sold = reports::sum_sold(conn, question)?;
        let names = names::list_dishes(conn, question.outlet.id)?;
        let mut list = dishes(&sold, &names)?;
        divide(&mut list, &reports::sum_variants(conn, question)?, &names)?;
        rank(&mut list, query.by, query.order);
        let total = list.len();
        let (skip, limit) = (query.paging.offset as usize, query.paging.limit as usize);
        Ok(TopSellers {
            from: question.range.from,
            to: question.range.to,
            items: list.into_iter().skip(skip).take(limit).collect(),
            total,
            combos: by_combo(&reports::sum_components(conn, question)?, &names)?,
            freshness: Freshness::of(conn, question)?,
        })
    });
    Ok(Data::new(sellers.await?))
}

/// Where the dishes stand on the menu.
#[apply(answer!)]
pub struct MenuEngineering {
    /// The first business date.
    from: NaiveDate,
    /// The last business date, included.
    to: NaiveDate,
    /// The dishes and the two lines that divide them.
    #[serde(flatten)]
    analysis: MenuAnalysis,
    /// How fresh all of it is.
    #[serde(flatten)]
    freshness: Freshness,
}

/// Where the dishes stand on the menu.
pub async fn get_menu_engineering(cx: Cx, Query(dates): Query<Dates>) -> Result<Data<MenuEngineering>> {
    let analysis = answer(&cx, dates, |conn, question| {
        let sold = reports::sum_sold(conn, question)?;
        Ok(MenuEngineering {
            from: question.range.from,
            to: question.range.to,
            analysis: analyse(
                &sold,
                &reports::sum_variants(conn, question)?,
                &names::list_dishes(conn, question.outlet.id)?,
            )?,
            freshness: Freshness::of(conn, question)?,
        })
    });
    Ok(Data::new(analysis.await?))
}
