//! Questions that one figure of the summary answers: sales, orders, guests, average bill, food and labour cost, profit, …

use super::super::answer::{Fact, Statement};
use super::super::call::Call;
use super::super::figures::{self, Figures, change, count, money, percent, quantity, several};
use super::super::period::Period;
use super::super::plan::Plan;
use super::topic::{Heard, Topic, sentence, within};
use serde_json::Value;
use tiffin_common::Quantity;

/// What a figure of the summary is.
#[derive(Clone, Copy)]
enum Kind {
    Money,
    Count(&'static str),
    Percent,
    Number(&'static str),
}

/// A figure of the summary: its topic, where it stands, what it is called.
type Figure = (&'static str, &'static str, &'static str, Kind);

const FIGURES: &[Figure] = &[
    ("sales", "/netRevenueCents", "Net sales", Kind::Money),
    ("gross sales", "/grossRevenueCents", "Gross sales", Kind::Money),
    ("orders", "/ordersCount", "Orders", Kind::Count("orders")),
    ("average bill", "/averageOrderValueCents", "Average bill", Kind::Money),
    ("guests", "/guestsCount", "Guests", Kind::Count("guests")),
    ("food cost", "/cogsPercentage", "Food cost", Kind::Percent),
    ("cost of goods", "/cogsCents", "Cost of goods sold", Kind::Money),
    ("labour cost", "/laborCostPercentage", "Labour cost", Kind::Percent),
    ("prime cost", "/primeCostPercentage", "Prime cost", Kind::Percent),
    ("profit", "/profitAndLoss/operatingProfitCents", "Operating profit", Kind::Money),
    ("gross profit", "/profitAndLoss/grossProfitCents", "Gross profit", Kind::Money),
    ("tips", "/profitAndLoss/tipsCents", "Tips", Kind::Money),
    ("service charge", "/profitAndLoss/serviceChargeCents", "Service charge", Kind::Money),
    ("refunds", "/refundCents", "Refunds", Kind::Money),
    ("table turns", "/tableTurns", "Table turns", Kind::Number("turns")),
    ("seating time", "/averageTurnMinutes", "Average stay at a table", Kind::Count("minutes")),
];

/// Figures that explain another one, and are told with it.
const BESIDE: &[(&str, &[&str])] = &[
    ("sales", &["orders", "average bill", "gross sales", "refunds"]),
    ("orders", &["sales", "average bill"]),
    ("average bill", &["sales", "orders"]),
    ("food cost", &["cost of goods", "sales"]),
    ("cost of goods", &["food cost"]),
    ("prime cost", &["food cost", "labour cost"]),
    ("profit", &["sales", "gross profit", "cost of goods"]),
    ("gross profit", &["sales", "cost of goods"]),
    ("table turns", &["seating time"]),
];

const fn figure(name: &'static str) -> Topic {
    Topic { name, asks: summaries, tells: tell, ..Topic::PLAIN }
}

pub(super) static TOPICS: &[Topic] = &[
    figure("sales"),
    figure("gross sales"),
    figure("orders"),
    figure("average bill"),
    figure("guests"),
    figure("food cost"),
    figure("cost of goods"),
    figure("labour cost"),
    figure("prime cost"),
    figure("profit"),
    figure("gross profit"),
    figure("tips"),
    figure("service charge"),
    figure("refunds"),
    figure("table turns"),
    figure("seating time"),
];

/// The summary of the period, and of what it is compared with.
pub(super) fn summaries(plan: &Plan) -> Vec<Call> {
    let summary = |period: &Period| within(Call::get("/analytics/summary"), period);
    [Some(&plan.period), plan.against.as_ref()].into_iter().flatten().map(summary).collect()
}

fn known(topic: &str) -> Option<&'static Figure> {
    FIGURES.iter().find(|(name, ..)| *name == topic)
}

/// The figure as a fact, and as a plain number to compare.
fn fact(of: &Figure, label: &str, summary: &Value, heard: &Heard<'_>) -> Option<(Fact, i64)> {
    let (_, at, _, kind) = *of;
    Some(match kind {
        Kind::Money => (money(label, summary.cents(at)?, heard.currency), summary.count(at)?),
        Kind::Count(unit) => (count(label, summary.count(at)?, unit), summary.count(at)?),
        Kind::Percent => (percent(label, summary.decimal(at)?), summary.decimal(at)?.get()),
        Kind::Number(unit) => (quantity(label, summary.decimal(at)?, unit), summary.decimal(at)?.get()),
    })
}

fn tell(heard: &Heard<'_>) -> Option<Statement> {
    let plan = heard.plan;
    let figure = known(&plan.topic)?;
    let (label, summary) = (figure.2, heard.body(0));
    let (main, now) = fact(figure, label, summary, heard)?;
    let mut text = match figure.0 {
        "sales" => sales(heard, &main)?,
        "orders" => format!("{} {}.", sentence_count(&main), plan.period.name),
        _ => format!("{label} {}: {}.", plan.period.name, main.text),
    };
    let mut facts = vec![main];
    if let Some(against) = &plan.against {
        let (fact, before) = fact(figure, &format!("{label} {}", against.name), heard.body(1), heard)?;
        text.push_str(&compared(figure, now, before, &fact, against));
        facts.push(fact);
        if let Some((size, _)) = change(now, before).filter(|_| !matches!(figure.3, Kind::Percent)) {
            facts.push(percent("Change", size));
        }
    }
    let beside = BESIDE.iter().find(|(name, _)| *name == figure.0).map_or(&[][..], |(_, beside)| *beside);
    for name in beside {
        let figure = known(name)?;
        facts.push(fact(figure, figure.2, summary, heard)?.0);
    }
    if !["sales", "orders"].contains(&figure.0) && !beside.is_empty() {
        let rest: Vec<String> = facts
            .iter()
            .skip(facts.len().saturating_sub(beside.len()))
            .map(|f| format!("{} {}", f.label.to_lowercase(), f.text))
            .collect();
        text.push_str(&sentence(&format!(" {}.", figures::listed(&rest))));
    }
    Some(Statement::text(text).facts(facts))
}

fn sentence_count(fact: &Fact) -> String {
    fact.text.clone()
}

fn sales(heard: &Heard<'_>, net: &Fact) -> Option<String> {
    let summary = heard.body(0);
    let show = |at: &str| summary.cents(at).map(|amount| heard.currency.show(amount));
    let orders = summary.count("/ordersCount")?;
    if orders == 0 && summary.count("/netRevenueCents") == Some(0) {
        return Some(format!("There were no sales {}.", heard.plan.period.name));
    }
    Some(format!(
        "Net sales {}: {} from {}, on average {}. Gross {}, less discounts of {} and refunds of {}.",
        heard.plan.period.name,
        net.text,
        several(orders, "orders"),
        show("/averageOrderValueCents")?,
        show("/grossRevenueCents")?,
        show("/discountCents")?,
        show("/refundCents")?,
    ))
}

/// A sentence that sets the figure beside that of another period.
fn compared(figure: &Figure, now: i64, before: i64, fact: &Fact, against: &Period) -> String {
    let percent_points = matches!(figure.3, Kind::Percent);
    if percent_points {
        let difference = Quantity::from_millionths(now.saturating_sub(before));
        let size = Quantity::from_millionths(difference.get().saturating_abs());
        let words = match difference.get() {
            0 => "the same as".to_owned(),
            1.. => format!("{size} points more than"),
            _ => format!("{size} points less than"),
        };
        return format!(" That is {words} {} ({}).", against.name, fact.text);
    }
    match change(now, before) {
        Some((_, words)) => format!(" That is {words} {} ({}).", against.name, fact.text),
        None => format!(" {}: {}.", sentence(&against.name), fact.text),
    }
}
