//! `/hub/analytics/daily`: the chain on each business date. Each day is rounded by itself, as the outlets show it.

use super::chain::{self, FreshOutlet};
use super::dates::{ChainDates, questions, whole_cents};
use super::guard::Cx;
use edge::http::{Data, Problem, Query};
use edge::resources::analytics::rules::{Headline, Plus, Sums};
use edge::resources::analytics::store;
use futures_util::{StreamExt, pin_mut};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use tiffin_common::{Millis, Overflow};

/// The chain day by day.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ChainDaily {
    /// As in the summary.
    period: &'static str,
    /// When they were worked out.
    generated_at: Millis,
    /// Every business date of any outlet, for each currency.
    days: Vec<ChainDay>,
    /// The whole range, for each currency.
    totals: Vec<Total>,
    /// How fresh each outlet's part is.
    outlets: Vec<FreshOutlet>,
}

/// A business date of the outlets of one currency.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ChainDay {
    business_date: String,
    currency: String,
    #[serde(flatten)]
    figures: Headline,
}

/// The whole range of the outlets of one currency: the sum of their own totals.
#[derive(Debug, Serialize, JsonSchema)]
struct Total {
    currency: String,
    #[serde(flatten)]
    figures: Headline,
}

pub(super) async fn get_daily(cx: Cx, Query(dates): Query<ChainDates>) -> Result<Data<ChainDaily>, Problem> {
    let outlets = chain::asked(&cx, dates.outlet_ids.as_deref()).await?;
    let (now, asked) = (cx.app.env().clock.now(), dates.clone());
    let answers = chain::each(&cx.app, outlets, move |from, outlet| {
        let (question, _) = questions(from, outlet.card.id, &asked, now)?;
        let tables = store::count_tables(from, question.outlet.id)?;
        let mut total = Sums::default();
        let mut days = Vec::new();
        for (date, sums) in question.sum_days(from)? {
            total = total.plus(sums)?;
            days.push((date.to_string(), whole_cents(sums)?));
        }
        Ok((question.outlet.currency.clone(), tables, days, whole_cents(total)?))
    });
    pin_mut!(answers);
    let mut days: BTreeMap<(String, String), (i64, Sums)> = BTreeMap::new();
    let mut totals: BTreeMap<String, (i64, Sums)> = BTreeMap::new();
    let mut fresh = Vec::new();
    let add = |(tables, sum): &mut (i64, Sums), more: i64, sums: &Sums| -> Result<(), Overflow> {
        *tables += more;
        *sum = sum.plus(*sums)?;
        Ok(())
    };
    while let Some(answer) = answers.next().await {
        let answer = answer?;
        if let Some((currency, tables, of_days, total)) = answer.found {
            for (date, sums) in &of_days {
                add(days.entry((date.clone(), currency.clone())).or_default(), tables, sums)?;
            }
            add(totals.entry(currency).or_default(), tables, &total)?;
        }
        fresh.push(FreshOutlet::of(&answer.outlet, answer.fresh));
    }
    let day = |((business_date, currency), (tables, sums)): ((String, String), (i64, Sums))| {
        Ok(ChainDay { business_date, currency, figures: Headline::of(&sums, tables)? })
    };
    let total = |(currency, (tables, sums)): (String, (i64, Sums))| {
        Ok(Total { currency, figures: Headline::of(&sums, tables)? })
    };
    Ok(Data::new(ChainDaily {
        period: dates.name(),
        generated_at: now,
        days: days.into_iter().map(day).collect::<Result<_, Overflow>>()?,
        totals: totals.into_iter().map(total).collect::<Result<_, Overflow>>()?,
        outlets: fresh,
    }))
}
