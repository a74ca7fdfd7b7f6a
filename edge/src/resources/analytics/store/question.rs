//! A question about a range of dates: what every answer begins with, and the sums that the figures of a period follow from.

use super::days::Plan;
use super::families::{Family, MONEY, OPEN, REFUNDS, SALES, STOCK, TABLES};
use crate::db::{self, Columns, DbError, Row, Source, one};
use crate::resources::analytics::rules::rows::{Money, Moved, Open, Parties, Plus, Refunded, Revenue};
use crate::resources::analytics::rules::{AnalyticsError, Range, Sums};
use crate::resources::attendance::{self, rules::timesheet::TimesheetDay};
use crate::resources::inventory::rules::Kind;
use crate::resources::outlets::rules::Outlet;
use chrono::NaiveDate;
use rusqlite::params;
use std::collections::BTreeMap;
use tiffin_common::Millis;

/// What every question about a range of dates needs: the outlet, the dates, the moment, and where the figures stand.
#[derive(Debug, Clone)]
pub struct Question {
    /// The outlet.
    pub outlet: Outlet,
    /// Its business dates.
    pub range: Range,
    /// When it is asked.
    pub now: Millis,
    plan: Plan,
}

impl Question {
    /// About `range` of `outlet`.
    pub fn find(conn: &dyn Source, outlet: &Outlet, range: Range, now: Millis) -> db::Result<Question> {
        let plan = Plan::find(conn, outlet.id, range, outlet.business_date(now))?;
        Ok(Question { outlet: outlet.clone(), range, now, plan })
    }

    /// The sums of a family over the range by `keys`.
    pub(super) fn sum_by<K: Ord, S: Columns + Plus>(
        &self,
        conn: &dyn Source,
        family: &Family,
        keys: &[&str],
        key_of: impl Fn(&Row<'_>) -> db::Result<K>,
    ) -> db::Result<BTreeMap<K, S>> {
        self.plan.sum_by(conn, family, keys, key_of)
    }

    /// The sums of the whole range.
    ///
    /// # Errors
    /// A sum that leaves its range.
    pub fn sum(&self, conn: &dyn Source) -> Result<Sums, AnalyticsError> {
        let days = self.sum_days(conn)?;
        Ok(days.into_values().try_fold(Sums::default(), Sums::plus)?)
    }

    /// The sums of each date of the range, days without trade included.
    ///
    /// # Errors
    /// A sum that leaves its range.
    pub fn sum_days(&self, conn: &dyn Source) -> Result<BTreeMap<NaiveDate, Sums>, AnalyticsError> {
        let mut days = BTreeMap::from_iter(self.range.dates().map(|date| (date, Sums::default())));
        for (date, revenue) in self.sum_by_date::<Revenue>(conn, &SALES)? {
            days.entry(date).or_default().revenue = revenue;
        }
        for (date, refunded) in self.sum_by_date::<Refunded>(conn, &REFUNDS)? {
            days.entry(date).or_default().refunded = refunded;
        }
        for (date, money) in self.sum_by_date::<Money>(conn, &MONEY)? {
            days.entry(date).or_default().money = money;
        }
        for (date, parties) in self.sum_by_date::<Parties>(conn, &TABLES)? {
            days.entry(date).or_default().parties = parties;
        }
        let key = |row: &Row<'_>| Ok((row.get("business_date")?, row.get("kind")?));
        for ((date, kind), moved) in
            self.sum_by::<(NaiveDate, Kind), Moved>(conn, &STOCK, &["business_date", "kind"], key)?
        {
            let day = days.entry(date).or_default();
            let sum = match kind {
                Kind::Sale | Kind::Return | Kind::Settlement => &mut day.sold_micros,
                Kind::Waste => &mut day.waste_micros,
                Kind::Stocktake | Kind::Adjustment => &mut day.counted_micros,
                Kind::Opening | Kind::Receipt | Kind::TransferIn | Kind::TransferOut | Kind::Production => {
                    continue;
                }
            };
            *sum = sum.plus(moved.cost_micros)?;
        }
        for worked in self.list_worked(conn)? {
            let day = days.entry(worked.business_date).or_default();
            day.labor = day.labor.plus(worked.cost)?;
        }
        Ok(days)
    }

    fn sum_by_date<S: Columns + Plus>(
        &self,
        conn: &dyn Source,
        family: &Family,
    ) -> db::Result<BTreeMap<NaiveDate, S>> {
        self.sum_by(conn, family, &["business_date"], |row| row.get("business_date"))
    }

    /// The timesheets: not kept, there are few of them, and attendance has its own definition of an hour.
    pub fn list_worked(&self, conn: &dyn Source) -> Result<Vec<TimesheetDay>, DbError> {
        let Range { from, to } = self.range;
        attendance::store::list_timesheet_days(conn, &self.outlet, from, to, self.now)
    }

    /// The orders that have no bill yet, in the figures of the present date alone; none where that is not in the range.
    pub fn sum_open(&self, conn: &dyn Source) -> db::Result<Open> {
        if self.plan.open_on().is_none() {
            return Ok(Open::default());
        }
        one(conn, OPEN, params![self.outlet.id], |row| Ok(read!(row => Open { orders, gross, tax })))
    }

    /// The business date of the moment it is asked.
    pub fn today(&self) -> NaiveDate {
        self.outlet.business_date(self.now)
    }
}
