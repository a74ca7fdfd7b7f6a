//! `/hub/analytics`: the figures of many outlets, worked out for each by the branch's own code and added up. A total is the sum of
//! what the outlets say, to the cent; currencies are never added to each other.

use super::chain::{self, Answer, ChainError, Fresh};
use super::daily;
use super::dates::{ChainDates, questions, whole_cents};
use super::guard::Cx;
use crate::registry::outlets::Outlet;
use crate::state::Routes;
use chrono::NaiveDate;
use edge::access::{Permission, get};
use edge::db::Source;
use edge::http::{Data, Problem, Query};
use edge::resources::analytics::rules::rows::Open;
use edge::resources::analytics::rules::{AnalyticsError, Growth, Headline, Plus, ProfitAndLoss, Range, Sums};
use edge::resources::analytics::store::{self, Question};
use futures_util::{StreamExt, pin_mut};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use tiffin_common::{Cents, Millis, Overflow, Uuid};

pub(super) fn routes() -> Routes {
    Routes::group(
        "hub",
        [
            get("/hub/analytics/summary", Permission::AnalyticsRead, get_summary)
                .summary("The figures of the whole chain, with each outlet's own beside them")
                .query::<ChainDates>()
                .returns::<ChainSummary>(),
            get("/hub/analytics/daily", Permission::AnalyticsRead, daily::get_daily)
                .summary("The figures of the whole chain on each business date")
                .query::<ChainDates>()
                .returns::<daily::ChainDaily>(),
            get("/hub/analytics/compare", Permission::AnalyticsRead, get_compare)
                .summary("Outlets side by side, those with the highest net revenue first")
                .query::<ChainDates>()
                .returns::<ChainCompare>(),
        ],
    )
}

/// Figures with their profit and loss, beside the period before.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Figures {
    #[serde(flatten)]
    headline: Headline,
    /// From revenue to operating profit.
    profit_and_loss: ProfitAndLoss,
    /// Beside the period before.
    comparison: Comparison,
    /// Orders without a bill, in the figures of the outlets' present dates: they may still change them.
    open_orders: i64,
    /// What they put into the gross.
    open_orders_gross_cents: Cents,
    /// What they put into the tax.
    open_orders_tax_cents: Cents,
}

/// The period beside the one before.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "ChainComparison")]
struct Comparison {
    /// The figures of the period before.
    previous: Headline,
    /// From the previous period to this one.
    change: Growth,
}

/// What figures are made of: of one outlet, or of several added up.
#[derive(Debug, Clone, Copy, Default)]
struct Parts {
    now: Sums,
    before: Sums,
    tables: i64,
    open: Open,
}

impl Parts {
    fn of(from: &dyn Source, now: &Question, before: &Question) -> Result<Parts, ChainError> {
        Ok(Parts {
            now: whole_cents(now.sum(from)?)?,
            before: whole_cents(before.sum(from)?)?,
            tables: store::count_tables(from, now.outlet.id)?,
            open: now.sum_open(from).map_err(AnalyticsError::from)?,
        })
    }

    fn add(&mut self, other: &Parts) -> Result<(), Overflow> {
        self.now = self.now.plus(other.now)?;
        self.before = self.before.plus(other.before)?;
        self.tables = self.tables.checked_add(other.tables).ok_or(Overflow)?;
        self.open = self.open.plus(other.open)?;
        Ok(())
    }

    fn figures(&self) -> Result<Figures, Overflow> {
        let headline = Headline::of(&self.now, self.tables)?;
        let previous = Headline::of(&self.before, self.tables)?;
        Ok(Figures {
            profit_and_loss: ProfitAndLoss::of(&self.now)?,
            comparison: Comparison { change: Growth::of(&headline, &previous)?, previous },
            headline,
            open_orders: self.open.orders,
            open_orders_gross_cents: self.open.gross,
            open_orders_tax_cents: self.open.tax,
        })
    }
}

/// The figures of the chain.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ChainSummary {
    /// TODAY, YESTERDAY, THIS_WEEK, THIS_MONTH, LAST_MONTH or CUSTOM.
    period: &'static str,
    /// The first business date of any outlet; none without outlets.
    from: Option<NaiveDate>,
    /// The last business date, included.
    to: Option<NaiveDate>,
    /// When they were worked out.
    generated_at: Millis,
    /// The currency of the figures here; none when the outlets have several, which are never added up.
    currency: Option<String>,
    /// All outlets together, where they have one currency.
    #[serde(flatten)]
    figures: Option<Figures>,
    /// All outlets of each currency together.
    by_currency: Vec<OfCurrency>,
    /// Each outlet's own figures, and how fresh they are.
    outlets: Vec<OfOutlet>,
}

/// The outlets of one currency together.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OfCurrency {
    currency: String,
    /// How many outlets there are figures of.
    outlets_count: i64,
    #[serde(flatten)]
    figures: Figures,
}

/// The figures of one outlet.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OfOutlet {
    outlet_id: Uuid,
    code: String,
    name: String,
    currency: String,
    /// Its first business date.
    from: Option<NaiveDate>,
    /// The last business date at this outlet, included.
    to: Option<NaiveDate>,
    /// Its figures; none while head office holds no row of it.
    #[serde(flatten)]
    figures: Option<Figures>,
    #[serde(flatten)]
    fresh: Fresh,
}

/// Figures of several outlets of one currency, and of how many.
type Totals = BTreeMap<String, (i64, Parts)>;

fn add_to(totals: &mut Totals, currency: &str, parts: &Parts) -> Result<(), Overflow> {
    let (count, sum) = totals.entry(currency.to_owned()).or_default();
    *count += 1;
    sum.add(parts)
}

/// What one outlet found.
struct Found {
    range: Range,
    currency: String,
    parts: Parts,
}

fn find(from: &dyn Source, outlet: &Outlet, dates: &ChainDates, now: Millis) -> Result<Found, ChainError> {
    let (question, before) = questions(from, outlet.card.id, dates, now)?;
    let parts = Parts::of(from, &question, &before)?;
    Ok(Found { range: question.range, currency: question.outlet.currency.clone(), parts })
}

async fn summarise(cx: &Cx, dates: &ChainDates) -> Result<(Vec<OfOutlet>, Totals), Problem> {
    let outlets = chain::asked(cx, dates.outlet_ids.as_deref()).await?;
    let (now, asked) = (cx.app.env().clock.now(), dates.clone());
    let answers = chain::each(&cx.app, outlets, move |from, outlet| find(from, outlet, &asked, now));
    pin_mut!(answers);
    let (mut rows, mut totals) = (Vec::new(), Totals::new());
    while let Some(answer) = answers.next().await {
        let Answer { outlet, fresh, found } = answer?;
        let currency = found.as_ref().map_or(outlet.card.currency, |found| found.currency.clone());
        if let Some(found) = &found {
            add_to(&mut totals, &currency, &found.parts)?;
        }
        rows.push(OfOutlet {
            outlet_id: outlet.card.id,
            code: outlet.card.code,
            name: outlet.card.name,
            currency,
            from: found.as_ref().map(|found| found.range.from),
            to: found.as_ref().map(|found| found.range.to),
            figures: found.map(|found| found.parts.figures()).transpose()?,
            fresh,
        });
    }
    Ok((rows, totals))
}

fn by_currency(totals: &Totals) -> Result<Vec<OfCurrency>, Overflow> {
    totals
        .iter()
        .map(|(currency, (count, parts))| {
            let currency = currency.clone();
            Ok(OfCurrency { currency, outlets_count: *count, figures: parts.figures()? })
        })
        .collect()
}

/// The one currency there is.
fn only(totals: &Totals) -> Option<(&String, &Parts)> {
    match totals.len() {
        1 => totals.iter().next().map(|(currency, (_, parts))| (currency, parts)),
        _ => None,
    }
}

async fn get_summary(cx: Cx, Query(dates): Query<ChainDates>) -> Result<Data<ChainSummary>, Problem> {
    let (outlets, totals) = summarise(&cx, &dates).await?;
    let whole = only(&totals);
    Ok(Data::new(ChainSummary {
        period: dates.name(),
        from: outlets.iter().filter_map(|outlet| outlet.from).min(),
        to: outlets.iter().filter_map(|outlet| outlet.to).max(),
        generated_at: cx.app.env().clock.now(),
        currency: whole.map(|(currency, _)| currency.clone()),
        figures: whole.map(|(_, parts)| parts.figures()).transpose()?,
        by_currency: by_currency(&totals)?,
        outlets,
    }))
}

/// Outlets side by side.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ChainCompare {
    /// As in the summary.
    period: &'static str,
    /// When they were worked out.
    generated_at: Millis,
    /// All outlets of each currency together.
    by_currency: Vec<OfCurrency>,
    /// The outlets, currency by currency, those with the highest net revenue first.
    outlets: Vec<OfOutlet>,
}

async fn get_compare(cx: Cx, Query(dates): Query<ChainDates>) -> Result<Data<ChainCompare>, Problem> {
    let (mut outlets, totals) = summarise(&cx, &dates).await?;
    outlets.sort_by_cached_key(|outlet| {
        let net = outlet.figures.as_ref().map(|figures| figures.headline.net_revenue_cents);
        (outlet.currency.clone(), std::cmp::Reverse(net), outlet.code.clone())
    });
    let generated_at = cx.app.env().clock.now();
    let by_currency = by_currency(&totals)?;
    Ok(Data::new(ChainCompare { period: dates.name(), generated_at, by_currency, outlets }))
}
