//! Questions that one figure of the summary answers: sales, orders, guests, average bill, food and labour cost, profit, …

use super::super::answer::{Fact, Statement};
use super::super::call::Call;
use super::super::figures::{self, Figures, change, count, money, percent, quantity, several};
use super::super::period::Period;
use super::super::plan::Plan;
use super::topic::{Days, Heard, Subject, Topic, sentence, within};
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

const fn figure(name: &'static str, phrases: &'static [&'static str], example: &'static str) -> Topic {
    let (subject, days) = (Subject::None, Days::Today);
    Topic { name, phrases, subject, days, example, asks: summaries, then: None, tells: tell }
}

pub(super) static TOPICS: &[Topic] = &[
    figure(
        "sales",
        &[
            "sale",
            "revenue",
            "taking",
            "turnover",
            "income",
            "earning",
            "net sale|revenue",
            "how much make|made|earn|earned|sell|sold|take|took|taken",
            "how we doing|perform|performing",
            "how business|day|week|month|service",
            "business today",
            "compare|compared",
            "much money|cash come|came|in",
        ],
        "What were our sales yesterday?",
    ),
    figure("gross sales", &["gross sale|revenue|taking"], "What are gross sales this month?"),
    figure(
        "orders",
        &[
            "how many order|bill|ticket|check|cover sold|today|taken|there",
            "how many order|bill|sale",
            "number of order|bill|sale",
            "order count|volume|number",
            "count of order|bill",
        ],
        "How many orders did we have this week?",
    ),
    figure(
        "average bill",
        &[
            "average|mean|avg order|bill|check|ticket|sale|spend|value|basket",
            "aov",
            "spend per guest|head|order|bill|cover",
            "basket|ticket|bill size|value",
        ],
        "What is the average bill?",
    ),
    figure(
        "guests",
        &[
            "guest",
            "cover",
            "customer|people|pax|diner",
            "footfall",
            "how many guest|customer|people|cover|diner",
        ],
        "How many guests did we have yesterday?",
    ),
    figure(
        "food cost",
        &["food cost|costs|percent|percentage", "cogs", "ingredient cost", "cost of food"],
        "What is our food cost percentage this month?",
    ),
    figure(
        "cost of goods",
        &["cost good|goods", "cost of sale", "cogs amount|cents|total"],
        "What was the cost of goods sold last week?",
    ),
    figure(
        "labour cost",
        &[
            "labour|labor|staff|wage|payroll|salary cost|percent|percentage|bill|spend",
            "labour|labor",
            "payroll|wage",
            "spend|spending|spent on staff|labour|labor|wage",
        ],
        "What is our labour cost this week?",
    ),
    figure("prime cost", &["prime cost"], "What is our prime cost?"),
    figure(
        "profit",
        &[
            "profit",
            "profit loss",
            "pnl|p&l",
            "operating profit|result|income",
            "bottom line",
            "how much profit make|made",
            "are profitable",
            "lose|losing|lost money",
        ],
        "Did we make a profit last month?",
    ),
    figure("gross profit", &["gross profit|margin"], "What was gross profit this week?"),
    figure("tips", &["tip", "gratuity", "how much tip"], "How much did we get in tips today?"),
    figure("service charge", &["service charge|fee"], "How much service charge did we take?"),
    figure(
        "refunds",
        &["refund", "refunded", "money give|given|gave back", "credit note"],
        "How much did we refund this week?",
    ),
    figure(
        "table turns",
        &[
            "table turn|turnover|rotation",
            "turn per table",
            "how often|many table turn|turned",
            "turnover velocity|rate",
        ],
        "How are our table turns?",
    ),
    figure(
        "seating time",
        &[
            "how long guest|party|table|people stay|sit|seated|occupied|spend",
            "seating|dining|stay|turn time|duration|minute",
        ],
        "How long do guests stay at a table?",
    ),
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
