//! A day's report as rows of paper. Never computes an amount: every figure is the report's own. Pure.

use super::report::{CashSum, ZReport};
use crate::paper::Row;
use chrono::NaiveDate;
use tiffin_common::{Bps, Cents, currency};

/// Which report it is.
#[derive(Debug, Clone, Copy)]
pub enum Reading {
    /// Of a day that goes on.
    X,
    /// Of a closed day, with its number.
    Z(i64),
}

/// The report of `date` as paper, its amounts in `currency`.
pub fn rows(house: &str, currency: &str, date: NaiveDate, reading: Reading, report: &ZReport) -> Vec<Row> {
    let money = Money(currency);
    let mut rows = vec![Row::Title(house.to_owned())];
    rows.push(Row::Bold(match reading {
        Reading::X => "X REPORT - THE DAY IS OPEN".into(),
        Reading::Z(number) => format!("Z REPORT {number}"),
    }));
    rows.push(Row::Pair("Business date".into(), date.to_string()));
    rows.push(Row::Rule);
    sales(report, &money, &mut rows);
    rows.push(Row::Rule);
    for tax in &report.taxes {
        rows.push(money.pair(&format!("{} {} %", tax.name, percent(tax.rate_bps)), tax.tax_cents));
    }
    for of_method in &report.payments {
        let name = format!("{} ({})", of_method.method.name(), of_method.payment_count);
        rows.push(money.pair(&name, of_method.net_cents));
    }
    rows.push(money.pair("Tips", report.tip_cents));
    rows.push(money.pair("Tips paid out", report.tips_paid_out.amount_cents));
    rows.push(Row::Rule);
    let counted = [
        ("Discounts", report.discounts.count, report.discounts.amount_cents),
        ("Voids", report.voids.count, report.voids.amount_cents),
        ("Refunds", report.refunds.count, report.refunds.amount_cents),
        ("Reversed", report.reversals.count, report.reversals.amount_cents),
        ("Put right", report.corrections.count, report.corrections.amount_cents),
        ("Written off", report.write_offs.count, report.write_offs.amount_cents),
        ("Cancelled", report.cancelled.count, report.cancelled.amount_cents),
        ("Bills", report.invoices.count, report.invoices.total_cents),
        ("Credit notes", report.credit_notes.count, report.credit_notes.total_cents),
    ];
    rows.extend(counted.map(|(name, count, amount)| money.pair(&format!("{name} ({count})"), amount)));
    let numbers = report.invoices.first_number.as_ref().zip(report.invoices.last_number.as_ref());
    rows.extend(numbers.map(|(first, last)| Row::Plain(format!("{first} - {last}"))));
    rows.push(Row::Rule);
    cash(&report.cash, &money, &mut rows);
    rows.push(Row::Rule);
    let known = &report.reconciliation;
    rows.push(Row::Bold(if known.is_reconciled { "RECONCILED".into() } else { "NOT RECONCILED".into() }));
    let shown = known.lines.iter().filter(|line| line.amount_cents != Cents::ZERO);
    rows.extend(shown.map(|line| money.pair(&line.name, line.amount_cents)));
    rows
}

fn sales(report: &ZReport, money: &Money<'_>, rows: &mut Vec<Row>) {
    for of_type in &report.sales_by_type {
        let name = of_type.order_type.name().replace('_', " ");
        let name = format!("{name} ({})", of_type.sales.order_count);
        rows.push(money.pair(&name, of_type.sales.total_cents));
    }
    rows.push(money.pair("Net revenue", report.net_revenue_cents));
    rows.push(money.pair("Service charge", report.service_charge_cents));
    rows.push(money.pair("Tax", report.sales.tax_cents));
    rows.push(money.pair("Rounding", report.rounding_cents));
    rows.push(Row::Strong(format!("TOTAL {}", money.0), money.show(report.sales.total_cents)));
}

fn cash(cash: &CashSum, money: &Money<'_>, rows: &mut Vec<Row>) {
    for drawer in &cash.sessions {
        rows.push(Row::Bold(format!("Drawer {} {}", drawer.drawer, drawer.status.name())));
        rows.push(money.pair("  Expected", drawer.expected_cents));
        rows.extend(drawer.counted_cents.map(|counted| money.pair("  Counted", counted)));
        rows.extend(drawer.over_short_cents.map(|over| money.pair("  Over or short", over)));
    }
    rows.push(money.pair("Cash outside drawers", cash.outside_drawers_cents));
}

/// Rows of amounts in a currency.
pub struct Money<'a>(pub &'a str);

impl Money<'_> {
    /// An amount with the currency's decimals.
    pub fn show(&self, amount: Cents) -> String {
        currency::major(amount, self.0)
    }

    fn pair(&self, name: &str, amount: Cents) -> Row {
        Row::Pair(name.to_owned(), self.show(amount))
    }
}

/// `250` basis points as `2.50`.
pub fn percent(rate: Bps) -> String {
    format!("{}.{:02}", rate.get() / 100, rate.get() % 100)
}
