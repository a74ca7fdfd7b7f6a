//! What a question to the chain is about: which dates of which outlets, and to what its figures are rounded. Never asks it.

use super::chain::ChainError;
use chrono::NaiveDate;
use edge::db::Source;
use edge::resources::analytics::rules::{AnalyticsError, Period, Range, Sums, cents_of_micros};
use edge::resources::analytics::store::Question;
use edge::resources::outlets as branch;
use schemars::JsonSchema;
use serde::Deserialize;
use tiffin_common::{Millis, Overflow, Uuid};

/// Which dates of which outlets.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ChainDates {
    /// A period by name, in each outlet's own business dates; weeks begin on Monday.
    #[serde(default)]
    period: Period,
    /// Instead of a period: the first business date.
    #[serde(default)]
    from: Option<NaiveDate>,
    /// Instead of a period: the last business date, at most 400 days on.
    #[serde(default)]
    to: Option<NaiveDate>,
    /// Only these outlets, comma-separated.
    #[serde(default)]
    #[schemars(length(max = 40_000))]
    pub(super) outlet_ids: Option<String>,
}

impl ChainDates {
    pub(super) fn name(&self) -> &'static str {
        if self.from.is_none() && self.to.is_none() { self.period.name() } else { "CUSTOM" }
    }

    /// The dates on an outlet's business date `today`, and those they are compared with.
    fn ranges(&self, today: NaiveDate) -> Result<(Range, Range), AnalyticsError> {
        if self.from.is_none() && self.to.is_none() {
            let range = self.period.range(today);
            return Ok((range, self.period.before(range)));
        }
        let range = Range::of(self.from, self.to, today).map_err(AnalyticsError::Invalid)?;
        Ok((range, range.before()))
    }
}

/// The question about the dates of one outlet, and the one about the dates before.
pub(super) fn questions(
    from: &dyn Source,
    outlet: Uuid,
    dates: &ChainDates,
    now: Millis,
) -> Result<(Question, Question), ChainError> {
    let outlet = branch::store::find(from, outlet)?;
    let (range, before) = dates.ranges(outlet.business_date(now))?;
    Ok((Question::find(from, &outlet, range, now)?, Question::find(from, &outlet, before, now)?))
}

/// The same figures with costs in whole cents, as the outlet itself shows them: so that a total is the sum of what is shown.
pub(super) fn whole_cents(sums: Sums) -> Result<Sums, Overflow> {
    let whole = |micros: i64| cents_of_micros(micros)?.get().checked_mul(1_000_000).ok_or(Overflow);
    Ok(Sums {
        sold_micros: whole(sums.sold_micros)?,
        waste_micros: whole(sums.waste_micros)?,
        counted_micros: whole(sums.counted_micros)?,
        ..sums
    })
}
