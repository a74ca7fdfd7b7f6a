//! Reads of every figure, all of one answer in one snapshot; and the kept days. Never decides what a figure means beyond
//! `families`, and never writes another resource's table.

pub mod days;
pub mod families;
pub mod names;
pub mod reaches;
pub mod reports;
pub mod stock;

pub use days::{Plan, forget_days, keep, newest_missing};

use super::rules::{AnalyticsError, Range, Sums};
use crate::db::{self, DbError, Source, one};
use crate::resources::outlets::rules::Outlet;
use chrono::NaiveDate;
use families::{MONEY, REFUNDS, SALES, STOCK, TABLES};
use rusqlite::params;
use std::collections::BTreeMap;
use tiffin_common::{Cents, Millis, Overflow, Uuid};

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
    pub fn new(conn: &dyn Source, outlet: &Outlet, range: Range, now: Millis) -> db::Result<Question> {
        Ok(Question { outlet: outlet.clone(), range, now, plan: Plan::of(conn, outlet.id, range)? })
    }

    /// The sums of the whole range.
    ///
    /// # Errors
    /// A sum that leaves its range.
    pub fn sums(&self, conn: &dyn Source) -> Result<Sums, AnalyticsError> {
        let mut sums = Sums::default();
        for day in self.by_day(conn)?.values() {
            sums.add(day)?;
        }
        Ok(sums)
    }

    /// The sums of each date of the range, days without trade included.
    ///
    /// # Errors
    /// A sum that leaves its range.
    pub fn by_day(&self, conn: &dyn Source) -> Result<BTreeMap<String, Sums>, AnalyticsError> {
        let mut days: BTreeMap<String, Sums> =
            self.range.dates().map(|date| (date.to_string(), Sums::default())).collect();
        let key = ["business_date"];
        let sums = ["orders", "guests", "gross", "discount", "service", "tax", "rounding"];
        let date = |row: &crate::db::Row<'_>| row.get::<_, String>(0);
        for (date, [orders, guests, gross, discount, service, tax, rounding]) in
            self.plan.read(conn, &SALES, &key, sums, date)?
        {
            let day = days.entry(date).or_default();
            (day.orders, day.guests) = (orders, guests);
            (day.gross, day.discount) = (Cents::new(gross), Cents::new(discount));
            (day.service, day.tax) = (Cents::new(service), Cents::new(tax));
            day.rounding = Cents::new(rounding);
        }
        for (date, [amount, tax]) in self.plan.read(conn, &REFUNDS, &key, ["amount", "tax"], date)? {
            let day = days.entry(date).or_default();
            (day.refund, day.refund_tax) = (Cents::new(amount), Cents::new(tax));
        }
        for (date, [tip]) in self.plan.read(conn, &MONEY, &key, ["tip"], date)? {
            days.entry(date).or_default().tips = Cents::new(tip);
        }
        for (date, [sessions, closed, seated]) in
            self.plan.read(conn, &TABLES, &key, ["sessions", "closed", "seated_ms"], date)?
        {
            let day = days.entry(date).or_default();
            (day.sessions, day.closed, day.seated_ms) = (sessions, closed, seated);
        }
        self.add_stock(conn, &mut days)?;
        for (date, cost) in reports::labor_by_day(conn, self)? {
            let day = days.entry(date).or_default();
            day.labor = day.labor.plus(cost)?;
        }
        Ok(days)
    }

    fn add_stock(&self, conn: &dyn Source, days: &mut BTreeMap<String, Sums>) -> Result<(), AnalyticsError> {
        let kinds = self.plan.read(conn, &STOCK, &["business_date", "kind"], ["cost"], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
        })?;
        for ((date, kind), [cost]) in kinds {
            let day = days.entry(date).or_default();
            let sum = match kind.as_str() {
                "SALE" | "RETURN" | "SETTLEMENT" => &mut day.sold_micros,
                "WASTE" => &mut day.waste_micros,
                "STOCKTAKE" | "ADJUSTMENT" => &mut day.counted_micros,
                _ => continue,
            };
            *sum = sum.checked_add(cost).ok_or(Overflow)?;
        }
        Ok(())
    }

    /// What is still open of the range: its figures may change.
    pub fn open_orders(&self, conn: &dyn Source) -> Result<i64, DbError> {
        let sql =
            "SELECT count(*) FROM orders WHERE outlet_id = ?1 AND status NOT IN ('COMPLETED', 'CANCELLED')
                   AND +business_date BETWEEN ?2 AND ?3";
        let range = (self.range.from.to_string(), self.range.to.to_string());
        one(conn, sql, params![self.outlet.id, range.0, range.1], |row| row.get(0))
    }

    /// The business date of the moment it is asked.
    pub fn today(&self) -> NaiveDate {
        self.outlet.business_date(self.now)
    }
}

/// How many tables the outlet has.
pub fn table_count(conn: &dyn Source, outlet: Uuid) -> db::Result<i64> {
    let sql = "SELECT count(*) FROM dining_tables WHERE outlet_id = ?1 AND archived_at IS NULL";
    one(conn, sql, [outlet], |row| row.get(0))
}

#[cfg(test)]
mod tests;
