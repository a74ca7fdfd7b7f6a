//! Questions about where money goes: why food cost rose, what was thrown away, what stock is missing.

use super::super::answer::Statement;
use super::super::call::Call;
use super::super::figures::{Figures, change, count, listed, money, percent, several, share};
use super::super::names::matching;
use super::super::period::Period;
use super::super::plan::Plan;
use super::report::Report;
use super::topic::{Days, Heard, Subject, Topic, sentence, within};
use serde_json::Value;
use tiffin_common::money::round_div;
use tiffin_common::{Cents, Quantity};

pub(super) static TOPICS: &[Topic] = &[
    Topic { name: "why food cost", days: Days::Week, asks: why_calls, tells: why, ..Topic::PLAIN },
    Topic {
        name: "waste",
        subject: Subject::Optional,
        days: Days::Week,
        asks: |plan| {
            [Some(&plan.period), plan.against.as_ref()]
                .into_iter()
                .flatten()
                .map(|period| within(Call::get("/waste-logs/summary"), period))
                .collect()
        },
        then: None,
        tells: waste,
    },
    Topic {
        name: "stock variance",
        days: Days::Week,
        asks: |plan| vec![within(Call::get("/analytics/reports/variance"), &plan.period)],
        tells: variance,
        ..Topic::PLAIN
    },
];

fn before(plan: &Plan) -> Option<Period> {
    plan.against.clone().or_else(|| plan.period.before())
}

fn why_calls(plan: &Plan) -> Vec<Call> {
    let Some(before) = before(plan) else { return Vec::new() };
    ["/analytics/summary", "/analytics/reports/purchases", "/waste-logs/summary"]
        .into_iter()
        .flat_map(|endpoint| {
            [within(Call::get(endpoint), &plan.period), within(Call::get(endpoint), &before)]
        })
        .collect()
}

/// A change of what an ingredient cost: its name, unit, the two unit costs, and what the change came to.
struct Dearer<'a> {
    item: &'a str,
    unit: &'a str,
    before: Quantity,
    now: Quantity,
    effect: Cents,
}

/// Cents with decimals as whole cents.
fn cents(amount: Quantity) -> Option<Cents> {
    round_div(amount.get().into(), 1_000_000).ok().map(Cents::new)
}

/// What was bought at another price than before, the dearest change first.
fn dearer<'a>(now: &'a Report<'a>, before: &'a Report<'a>) -> Option<Vec<Dearer<'a>>> {
    let mut found = Vec::new();
    for row in now.rows() {
        let (id, item) = (row.text("inventoryItemId")?, row.text("item")?);
        let Some(earlier) = before.rows().find(|row| row.text("inventoryItemId") == Some(id)) else {
            continue;
        };
        let (now, before) = (row.decimal("averageUnitCostCents")?, earlier.decimal("averageUnitCostCents")?);
        let effect =
            i128::from(now.get().checked_sub(before.get())?) * i128::from(row.decimal("quantity")?.get());
        let effect = Cents::new(round_div(effect, 1_000_000_000_000).ok()?);
        if effect.get() > 0 {
            found.push(Dearer { item, unit: row.text("unit")?, before, now, effect });
        }
    }
    found.sort_by_key(|change| std::cmp::Reverse(change.effect));
    Some(found)
}

fn why(heard: &Heard<'_>) -> Option<Statement> {
    let (plan, against) = (heard.plan, before(heard.plan)?);
    let (now, then) = (heard.body(0), heard.body(1));
    let (share_now, share_then) = (now.decimal("/cogsPercentage")?, then.decimal("/cogsPercentage")?);
    let difference = share_now.minus(share_then).ok()?;
    let size = Quantity::from_millionths(difference.get().checked_abs()?);
    let mut text = match difference.get() {
        1.. => format!(
            "Food cost was {share_now} % of net sales {}, {size} points more than {} ({share_then} %).",
            plan.period.name, against.name
        ),
        0 => format!(
            "Food cost is not up: {share_now} % of net sales {}, as {}.",
            plan.period.name, against.name
        ),
        _ => format!(
            "Food cost is not up: {share_now} % of net sales {}, {size} points less than {} ({share_then} %).",
            plan.period.name, against.name
        ),
    };
    let show = |amount| heard.currency.show(amount);
    let mut statement = Statement::default().facts([
        percent("Food cost", share_now),
        percent(&format!("Food cost {}", against.name), share_then),
        money("Cost of goods sold", now.cents("/cogsCents")?, heard.currency),
    ]);
    let (bought, earlier) = (Report::of(heard.body(2))?, Report::of(heard.body(3))?);
    let changes = dearer(&bought, &earlier)?;
    let mut parts = Vec::new();
    for change in changes.iter().take(3) {
        let (now, before) = (show(cents(change.now)?), show(cents(change.before)?));
        parts.push(format!(
            "{} {now} instead of {before} a {} ({} more for what was bought)",
            change.item,
            change.unit,
            show(change.effect)
        ));
        statement =
            statement.fact(money(&format!("{}, dearer by", change.item), change.effect, heard.currency));
    }
    text.push_str(&if parts.is_empty() {
        " Nothing that was bought has become dearer.".to_owned()
    } else {
        format!(" Dearer purchases: {}.", listed(&parts))
    });
    let (waste, waste_then) = (heard.body(4).cents("/costCents")?, heard.body(5).cents("/costCents")?);
    text.push_str(&format!(" Waste cost {} against {}.", show(waste), show(waste_then)));
    statement = statement.facts([
        money("Waste", waste, heard.currency),
        money(&format!("Waste {}", against.name), waste_then, heard.currency),
    ]);
    let given =
        |summary: &Value| share(summary.count("/discountCents")?, summary.count("/grossRevenueCents")?);
    if let (Some(given_now), Some(given_then)) = (given(now), given(then)) {
        text.push_str(&format!(" Discounts took {given_now} % of gross sales against {given_then} %."));
        statement = statement.facts([
            percent("Discounts of gross sales", given_now),
            percent(&format!("Discounts of gross sales {}", against.name), given_then),
        ]);
    }
    text.push_str(" What remains is the mix of dishes that were sold.");
    statement.text = text;
    Some(statement)
}

/// `PREP_ERROR` as `prep error`.
pub(super) fn spoken(name: &str) -> String {
    name.to_lowercase().replace('_', " ")
}

fn waste(heard: &Heard<'_>) -> Option<Statement> {
    let (plan, summary) = (heard.plan, heard.body(0));
    let show = |amount| heard.currency.show(amount);
    let items = summary.get("byItem")?.as_array()?;
    let found = matching(&plan.subject, items, |item| item.text("/name").unwrap_or_default());
    if !plan.subject.is_empty() && found.is_empty() {
        return Some(Statement::text(format!(
            "Nothing called “{}” was thrown away {}.",
            plan.subject, plan.period.name
        )));
    }
    let mut table =
        super::super::answer::Table::new(&[("Item", ""), ("Quantity", ""), ("Unit", ""), ("Cost", "cents")]);
    for item in if found.is_empty() { items.iter().collect() } else { found.clone() } {
        use super::super::answer::{cell, decimal, whole};
        table.push([
            cell(item.text("/name")?),
            decimal(item.decimal("/quantity")?),
            cell(item.text("/unit")?),
            whole(item.count("/costCents")?),
        ]);
    }
    if let [item] = found.as_slice() {
        let (name, cost) = (item.text("/name")?, item.cents("/costCents")?);
        let text = format!(
            "{} {} of {name} were thrown away {}, which had cost {}.",
            item.decimal("/quantity")?,
            item.text("/unit")?,
            plan.period.name,
            show(cost)
        );
        return Some(
            Statement::text(text).fact(money(&format!("{name}, waste"), cost, heard.currency)).table(table),
        );
    }
    let (cost, entries) = (summary.cents("/costCents")?, summary.count("/entriesCount")?);
    let mut statement = Statement::default()
        .facts([money("Waste", cost, heard.currency), count("Entries", entries, "entries")]);
    let mut text = format!("Waste {}: {} in {}.", plan.period.name, show(cost), several(entries, "entries"));
    if let Some(against) = &plan.against {
        let earlier = heard.body(1).cents("/costCents")?;
        text.push_str(&match change(cost.get(), earlier.get()) {
            Some((_, words)) => format!(" That is {words} {} ({}).", against.name, show(earlier)),
            None => format!(" {}: {}.", sentence(&against.name), show(earlier)),
        });
        statement = statement.fact(money(&format!("Waste {}", against.name), earlier, heard.currency));
    }
    let mut reasons = Vec::new();
    for reason in summary.each("/byReason") {
        let (name, cost) = (spoken(reason.text("/reason")?), reason.cents("/costCents")?);
        reasons.push(format!("{name} {}", show(cost)));
        statement = statement.fact(money(&sentence(&name), cost, heard.currency));
    }
    let worst: Option<Vec<String>> = items
        .iter()
        .take(3)
        .map(|item| Some(format!("{} ({})", item.text("/name")?, show(item.cents("/costCents")?))))
        .collect();
    let worst = worst?;
    if !reasons.is_empty() {
        text.push_str(&format!(" By reason: {}.", listed(&reasons)));
    }
    if !worst.is_empty() {
        text.push_str(&format!(" Most of it: {}.", listed(&worst)));
    }
    statement.text = text;
    Some(statement.table(table))
}

fn variance(heard: &Heard<'_>) -> Option<Statement> {
    let report = Report::of(heard.body(0))?;
    let show = |amount| heard.currency.show(amount);
    let [theory, waste, counted, unexplained, actual] =
        ["theoreticalCents", "wasteCents", "countDifferenceCents", "unexplainedCents", "actualCents"]
            .map(|key| report.total(key).map(Cents::new));
    let (theory, waste, counted, unexplained, actual) = (theory?, waste?, counted?, unexplained?, actual?);
    let mut rows: Vec<(i64, &str)> = Vec::new();
    for row in report.rows() {
        let gap = row.count("countDifferenceCents")?.checked_add(row.count("unexplainedCents")?)?;
        rows.push((gap, row.text("item")?));
    }
    rows.sort_by_key(|(gap, _)| std::cmp::Reverse(*gap));
    let worst: Vec<String> = rows
        .iter()
        .filter(|(gap, _)| *gap > 0)
        .take(3)
        .map(|(gap, item)| format!("{item} ({})", show(Cents::new(*gap))))
        .collect();
    let mut text = format!(
        "{} the recipes account for {} of ingredients; {} were used. Of the difference {} is recorded waste, {} count differences and {} corrections nobody explained.",
        sentence(&plan_name(heard.plan)),
        show(theory),
        show(actual),
        show(waste),
        show(counted),
        show(unexplained)
    );
    if !worst.is_empty() {
        text.push_str(&format!(" Most is missing of {}.", listed(&worst)));
    }
    let facts = [
        ("Theoretical use", theory),
        ("Actual use", actual),
        ("Recorded waste", waste),
        ("Count differences", counted),
        ("Unexplained", unexplained),
    ];
    let statement =
        Statement::text(text).facts(facts.map(|(label, amount)| money(label, amount, heard.currency)));
    Some(statement.table(report.table(&[
        "item",
        "unit",
        "theoreticalQuantity",
        "actualQuantity",
        "wasteQuantity",
        "countDifferenceQuantity",
        "unexplainedQuantity",
        "unexplainedCents",
    ])?))
}

fn plan_name(plan: &Plan) -> String {
    plan.period.name.clone()
}
