//! Questions about dishes and hours: what sells best and worst, how one dish does, what earns, when it is busy.

use super::super::answer::{Statement, Table, cell, whole};
use super::super::call::Call;
use super::super::figures::{Figures, count, listed, money, named, percent, several};
use super::super::names::matching;
use super::super::plan::{By, Plan};
use super::topic::{Days, Heard, Subject, Topic, sentence, within};
use serde_json::Value;

pub(super) static TOPICS: &[Topic] = &[
    Topic {
        name: "dish sales",
        subject: Subject::Needed,
        asks: |plan| {
            let by = plan.by.unwrap_or(By::Quantity).name();
            vec![within(Call::get("/analytics/top-sellers"), &plan.period).with("by", by).with("limit", 100)]
        },
        tells: dish,
        ..Topic::PLAIN
    },
    Topic {
        name: "best sellers",
        days: Days::Week,
        asks: |plan| vec![ranking(plan)],
        tells: ranked,
        ..Topic::PLAIN
    },
    Topic {
        name: "menu engineering",
        days: Days::Thirty,
        asks: |plan| vec![within(Call::get("/analytics/menu-engineering"), &plan.period)],
        tells: engineering,
        ..Topic::PLAIN
    },
    Topic {
        name: "busiest hour",
        days: Days::Week,
        asks: |plan| vec![within(Call::get("/analytics/hourly"), &plan.period)],
        tells: hours,
        ..Topic::PLAIN
    },
    Topic {
        name: "best day",
        days: Days::Week,
        asks: |plan| vec![within(Call::get("/analytics/daily"), &plan.period)],
        tells: days,
        ..Topic::PLAIN
    },
];

fn ranking(plan: &Plan) -> Call {
    let by = plan.by.unwrap_or(By::Quantity).name();
    let call =
        within(Call::get("/analytics/top-sellers"), &plan.period).with("by", by).with("limit", plan.top());
    if plan.worst { call.with("order", "asc") } else { call }
}

fn ranked(heard: &Heard<'_>) -> Option<Statement> {
    let (plan, items) = (heard.plan, heard.body(0).get("items")?.as_array()?);
    let sold = |item: &&Value| item.count("/quantity").is_some_and(|n| n != 0);
    if !items.iter().any(|item| sold(&item)) && !plan.worst {
        return Some(Statement::text(format!("Nothing was sold {}.", plan.period.name)));
    }
    let by = plan.by.unwrap_or(By::Quantity);
    let mut statement = Statement::default();
    let mut parts = Vec::new();
    for item in items {
        let name = item.text("/name")?;
        let fact = match by {
            By::Quantity => count(name, item.count("/quantity")?, "portions"),
            By::Revenue => money(name, item.cents("/revenueCents")?, heard.currency),
            By::Margin => money(name, item.cents("/marginCents")?, heard.currency),
        };
        parts.push(format!("{name} ({})", fact.text));
        statement = statement.fact(fact);
    }
    let (side, by) = (if plan.worst { "Worst" } else { "Best" }, by.name());
    statement.text = format!("{side} sellers {} by {by}: {}.", plan.period.name, listed(&parts));
    Some(statement.table(table(items)?))
}

fn table(items: &[Value]) -> Option<Table> {
    let columns = [
        ("Dish", ""),
        ("Portions", "portions"),
        ("Revenue", "cents"),
        ("Ingredients", "cents"),
        ("Margin", "cents"),
    ];
    let mut table = Table::new(&columns);
    for item in items {
        let sums = ["/quantity", "/revenueCents", "/cogsCents", "/marginCents"]
            .map(|at| item.count(at).and_then(whole));
        table.push([cell(item.text("/name")?)].into_iter().chain(sums));
    }
    Some(table)
}

fn dish(heard: &Heard<'_>) -> Option<Statement> {
    let (plan, body) = (heard.plan, heard.body(0));
    let combos = body.get("combos").and_then(Value::as_array).into_iter().flatten();
    let items: Vec<Value> = body.get("items")?.as_array()?.iter().chain(combos).cloned().collect();
    let found: Vec<Value> = matching(&plan.subject, &items, |item| item.text("/name").unwrap_or_default())
        .into_iter()
        .cloned()
        .collect();
    if found.is_empty() {
        return Some(Statement::text(format!("There is no dish called “{}”.", plan.subject)));
    }
    let (mut statement, mut sentences) = (Statement::default(), Vec::new());
    for item in &found {
        let name = item.text("/name")?;
        let (sold, unit) = match item.count("/combosCount") {
            Some(combos) => (combos, "combos"),
            None => (item.count("/quantity")?, "portions"),
        };
        let (revenue, cogs, margin) =
            (item.cents("/revenueCents")?, item.cents("/cogsCents")?, item.cents("/marginCents")?);
        let share = item.decimal("/marginPercentage")?;
        let show = |amount| heard.currency.show(amount);
        sentences.push(format!(
            "{name}: {} sold {} for {}; ingredients {}, margin {} ({share} %).",
            several(sold, unit),
            plan.period.name,
            show(revenue),
            show(cogs),
            show(margin)
        ));
        statement = statement.facts([
            count(name, sold, unit),
            money(&format!("{name}, revenue"), revenue, heard.currency),
            money(&format!("{name}, margin"), margin, heard.currency),
            percent(&format!("{name}, margin"), share),
        ]);
    }
    statement.text = sentences.join(" ");
    Some(if found.len() > 1 { statement.table(table(&found)?) } else { statement })
}

fn engineering(heard: &Heard<'_>) -> Option<Statement> {
    let items = heard.body(0).get("items")?.as_array()?;
    let mut table = Table::new(&[
        ("Dish", ""),
        ("Class", ""),
        ("Portions", "portions"),
        ("Margin a portion", "cents"),
        ("Margin", "cents"),
    ]);
    for item in items {
        let sums = ["/quantity", "/contributionMarginCents", "/marginCents"]
            .map(|at| item.count(at).and_then(whole));
        table.push([cell(item.text("/name")?), cell(item.text("/class")?)].into_iter().chain(sums));
    }
    let (mut statement, mut sentences) = (Statement::default(), Vec::new());
    for (class, meaning) in [
        ("DOG", "Neither popular nor earning, so the first to drop"),
        ("PLOWHORSE", "Popular but earning little, so worth a higher price"),
        ("PUZZLE", "Earning well but seldom ordered, so worth promoting"),
        ("STAR", "Popular and earning well"),
    ] {
        let names: Option<Vec<String>> = items
            .iter()
            .filter(|item| item.text("/class") == Some(class))
            .map(|item| item.text("/name").map(str::to_owned))
            .collect();
        let names = names?;
        statement = statement.fact(count(
            &sentence(&class.to_lowercase()),
            i64::try_from(names.len()).ok()?,
            "dishes",
        ));
        if !names.is_empty() {
            sentences.push(format!("{meaning}: {}.", listed(&names)));
        }
    }
    statement.text = if sentences.is_empty() {
        format!("Nothing was sold {}.", heard.plan.period.name)
    } else {
        format!("{} {}", sentence(&format!("{}.", heard.plan.period.name)), sentences.join(" "))
    };
    Some(statement.table(table))
}

/// The elements with the largest and the smallest of a figure; the earliest of equals.
fn extremes<'a>(all: &[&'a Value], at: &str) -> Option<(&'a Value, &'a Value)> {
    let largest = all.iter().rev().max_by_key(|element| element.count(at))?;
    let smallest = all.iter().min_by_key(|element| element.count(at))?;
    Some((largest, smallest))
}

fn hours(heard: &Heard<'_>) -> Option<Statement> {
    let hours = heard.body(0).get("hours")?.as_array()?;
    let open: Vec<&Value> =
        hours.iter().filter(|hour| hour.count("/ordersCount").is_some_and(|n| n > 0)).collect();
    let when = &heard.plan.period.name;
    let Some((busiest, quietest)) = extremes(&open, "/ordersCount") else {
        return Some(Statement::text(format!("Nothing was sold {when}.")));
    };
    let clock = |hour: &Value| {
        hour.count("/hour").map(|h| format!("{h:02}:00–{:02}:00", h.saturating_add(1).rem_euclid(24)))
    };
    let orders = busiest.count("/ordersCount")?;
    let revenue = busiest.cents("/revenueCents")?;
    let text = format!(
        "The busiest hour {when} was {} with {} and {} of sales; the quietest with any order was {} with {}.",
        clock(busiest)?,
        several(orders, "orders"),
        heard.currency.show(revenue),
        clock(quietest)?,
        several(quietest.count("/ordersCount")?, "orders")
    );
    let mut table = Table::new(&[("Hour", ""), ("Orders", "orders"), ("Revenue", "cents")]);
    for hour in &open {
        table.push([
            cell(clock(hour)?),
            whole(hour.count("/ordersCount")?),
            whole(hour.count("/revenueCents")?),
        ]);
    }
    Some(
        Statement::text(text)
            .facts([
                named("Busiest hour", &clock(busiest)?, "hour"),
                count("Orders in it", orders, "orders"),
                money("Sales in it", revenue, heard.currency),
            ])
            .table(table),
    )
}

fn days(heard: &Heard<'_>) -> Option<Statement> {
    let days: Vec<&Value> = heard.body(0).get("days")?.as_array()?.iter().collect();
    let (best, worst) = extremes(&days, "/netRevenueCents")?;
    let name = |day: &Value| {
        day.text("/businessDate")?
            .parse()
            .ok()
            .map(|date: chrono::NaiveDate| date.format("%A %-d %B").to_string())
    };
    let show = |day: &Value| day.cents("/netRevenueCents").map(|amount| heard.currency.show(amount));
    let text = format!(
        "The best day {} was {} with net sales of {} from {}; the weakest was {} with {}.",
        heard.plan.period.name,
        name(best)?,
        show(best)?,
        several(best.count("/ordersCount")?, "orders"),
        name(worst)?,
        show(worst)?
    );
    let mut table = Table::new(&[("Date", ""), ("Orders", "orders"), ("Net sales", "cents")]);
    for day in &days {
        table.push([
            cell(day.text("/businessDate")?),
            whole(day.count("/ordersCount")?),
            whole(day.count("/netRevenueCents")?),
        ]);
    }
    let facts = [
        money(&format!("Net sales on {}", name(best)?), best.cents("/netRevenueCents")?, heard.currency),
        money(&format!("Net sales on {}", name(worst)?), worst.cents("/netRevenueCents")?, heard.currency),
    ];
    Some(Statement::text(text).facts(facts).table(table))
}
