//! `/analytics/summary` and `/analytics/daily`.

use super::{Dates, Freshness, answer};
use crate::access::Cx;
use crate::db::Source;
use crate::http::reply::bare;
use crate::http::{Data, Query, Result};
use crate::resources::analytics::rules::rows::OperatorTaxed;
use crate::resources::analytics::rules::{
    AnalyticsError, Growth, Headline, Period, Plus, ProfitAndLoss, Range, Sums,
};
use crate::resources::analytics::store::{self, Question};
use crate::resources::outlets;
use axum::response::Response;
use chrono::NaiveDate;
use tiffin_common::Cents;

/// Which period.
#[apply(request!)]
pub struct GetSummary {
    /// A period by name, in business dates of the outlet; weeks begin on Monday.
    #[serde(default)]
    period: Period,
    /// Instead of a period: the first business date. The answer's period is then CUSTOM.
    #[serde(default)]
    from: Option<NaiveDate>,
    /// Instead of a period: the last business date, at most 400 days on.
    #[serde(default)]
    to: Option<NaiveDate>,
}

/// The figures of a period.
#[apply(answer!)]
pub struct Summary {
    /// TODAY, YESTERDAY, THIS_WEEK, THIS_MONTH, LAST_MONTH or CUSTOM.
    period: &'static str,
    /// Its first business date.
    from: NaiveDate,
    /// The last business date of the period, included.
    to: NaiveDate,
    /// What it came to.
    #[serde(flatten)]
    figures: Headline,
    /// Of it, what operators of channels billed: they owe its tax.
    operator_taxed: OperatorTaxed,
    /// From revenue to operating profit.
    profit_and_loss: ProfitAndLoss,
    /// The same orders by how they reach their guests.
    by_order_type: Vec<OfOrderType>,
    /// Orders that were called off on these dates; those that were merged into another are not among them.
    cancelled_orders: CancelledOrders,
    /// Beside the period before.
    comparison: Comparison,
    /// How fresh all of it is.
    #[serde(flatten)]
    freshness: Freshness,
}

/// What orders of one type came to.
#[apply(answer!)]
pub struct OfOrderType {
    /// DINE_IN, TAKEAWAY, DELIVERY or COUNTER.
    order_type: String,
    /// Orders that count as revenue.
    orders_count: i64,
    /// Guests, where they were counted on the order.
    guests_count: i64,
    /// As in the summary.
    gross_revenue_cents: Cents,
    /// As in the summary.
    discount_cents: Cents,
    /// grossRevenueCents − discountCents: before refunds, which are of no type.
    sales_cents: Cents,
}

/// Orders that were called off.
#[apply(answer!)]
pub struct CancelledOrders {
    /// How many orders of the period were called off.
    count: i64,
    /// What their lines would have cost.
    amount_cents: Cents,
}

/// The period beside the one before.
#[apply(answer!)]
pub struct Comparison {
    /// As many days before the period; for THIS_WEEK the same days of last week.
    previous: Previous,
    /// From the previous period to this one.
    change: Growth,
}

/// The figures of the period before.
#[apply(answer!)]
pub struct Previous {
    /// Its first business date.
    from: NaiveDate,
    /// The last business date of that period, included.
    to: NaiveDate,
    /// What it came to.
    #[serde(flatten)]
    figures: Headline,
}

/// The figures of a period, with its profit and loss, beside the period before.
pub async fn get_summary(cx: Cx, Query(query): Query<GetSummary>) -> Result<Response> {
    let now = cx.db.env().clock.now();
    let summary = cx.read(move |conn, outlet| -> Result<Summary, AnalyticsError> {
        let outlet = outlets::store::find(conn, outlet)?;
        let today = outlet.business_date(now);
        let (period, range, before) = if query.from.is_none() && query.to.is_none() {
            let range = query.period.range(today);
            (query.period.name(), range, query.period.before(range))
        } else {
            let range = Range::of(query.from, query.to, today).map_err(AnalyticsError::Invalid)?;
            ("CUSTOM", range, range.before())
        };
        let question = Question::find(conn, &outlet, range, now)?;
        summarise(conn, period, &question, &Question::find(conn, &outlet, before, now)?)
    });
    Ok(bare(summary.await?))
}

fn summarise(
    conn: &dyn Source,
    period: &'static str,
    question: &Question,
    before: &Question,
) -> Result<Summary, AnalyticsError> {
    let tables = store::count_tables(conn, question.outlet.id)?;
    let sums = question.sum(conn)?;
    let figures = Headline::of(&sums, tables)?;
    let previous = Headline::of(&before.sum(conn)?, tables)?;
    let by_order_type =
        store::reports::sum_order_types(conn, question)?.into_iter().map(|(order_type, of)| {
            Ok(OfOrderType {
                order_type,
                orders_count: of.orders,
                guests_count: of.guests,
                gross_revenue_cents: of.gross,
                discount_cents: of.discount,
                sales_cents: of.gross.minus(of.discount)?,
            })
        });
    let (count, amount_cents) = store::reports::sum_cancelled(conn, question)?;
    Ok(Summary {
        period,
        from: question.range.from,
        to: question.range.to,
        operator_taxed: store::reports::sum_operator_taxed(conn, question)?,
        profit_and_loss: ProfitAndLoss::of(&sums)?,
        by_order_type: by_order_type.collect::<Result<_, AnalyticsError>>()?,
        cancelled_orders: CancelledOrders { count, amount_cents },
        comparison: Comparison {
            change: Growth::of(&figures, &previous)?,
            previous: Previous { from: before.range.from, to: before.range.to, figures: previous },
        },
        figures,
        freshness: Freshness::of(conn, question)?,
    })
}

/// The figures of each day of a range.
#[apply(answer!)]
pub struct Daily {
    /// The first business date.
    from: NaiveDate,
    /// The last business date, included.
    to: NaiveDate,
    /// Every date of the range in its order, also those without trade. Each is rounded by itself: costs may differ from the totals
    /// by the cents of rounding.
    days: Vec<Day>,
    /// The whole range, as the summary of it has it.
    totals: Headline,
    /// How fresh all of it is.
    #[serde(flatten)]
    freshness: Freshness,
}

/// The figures of a business date.
#[apply(answer!)]
pub struct Day {
    /// The business date of these figures.
    #[schemars(with = "String")]
    business_date: NaiveDate,
    /// What it came to.
    #[serde(flatten)]
    figures: Headline,
}

/// The figures of each day of a range.
pub async fn get_daily(cx: Cx, Query(dates): Query<Dates>) -> Result<Data<Daily>> {
    let daily = answer(&cx, dates, |conn, question| {
        let tables = store::count_tables(conn, question.outlet.id)?;
        let mut totals = Sums::default();
        let mut days = Vec::new();
        for (business_date, sums) in question.sum_days(conn)? {
            totals = totals.plus(sums)?;
            days.push(Day { business_date, figures: Headline::of(&sums, tables)? });
        }
        Ok(Daily {
            from: question.range.from,
            to: question.range.to,
            days,
            totals: Headline::of(&totals, tables)?,
            freshness: Freshness::of(conn, question)?,
        })
    });
    Ok(Data::new(daily.await?))
}
