//! Questions about suppliers, what was bought and is on order, what can still be made, and what guests say.

use super::super::answer::{Statement, Table, cell, whole};
use super::super::call::Call;
use super::super::figures::{Figures, count, listed, money, named, percent, quantity, several};
use super::super::names::matching;
use super::report::Report;
use super::topic::{Days, Heard, Subject, Topic, sentence, within};
use serde_json::Value;
use std::collections::BTreeMap;
use tiffin_common::Cents;

pub(super) static TOPICS: &[Topic] = &[
    Topic {
        name: "purchase orders",
        asks: |_| {
            ["SENT", "PARTIALLY_RECEIVED"]
                .map(|status| Call::get("/purchase-orders").with("status", status).with("limit", 100))
                .into()
        },
        tells: on_order,
        ..Topic::PLAIN
    },
    Topic {
        name: "purchases",
        subject: Subject::Optional,
        days: Days::Week,
        asks: |plan| vec![within(Call::get("/analytics/reports/purchases"), &plan.period)],
        then: None,
        tells: purchases,
    },
    Topic {
        name: "suppliers",
        subject: Subject::Optional,
        days: Days::Today,
        asks: |_| vec![Call::get("/inventory/suppliers").with("limit", 100)],
        then: Some(performances),
        tells: suppliers,
    },
    Topic {
        name: "portions",
        subject: Subject::Optional,
        asks: |_| vec![Call::get("/inventory/portions").with("limit", 100)],
        tells: portions,
        ..Topic::PLAIN
    },
    Topic {
        name: "sold out",
        asks: |_| vec![Call::get("/inventory/portions").with("limit", 100)],
        tells: sold_out,
        ..Topic::PLAIN
    },
    Topic {
        name: "feedback",
        days: Days::Thirty,
        asks: |plan| vec![within(Call::get("/tickets/feedback/summary"), &plan.period)],
        tells: feedback,
        ..Topic::PLAIN
    },
];

fn on_order(heard: &Heard<'_>) -> Option<Statement> {
    let mut table = Table::new(&[
        ("Purchase order", ""),
        ("Supplier", ""),
        ("Status", ""),
        ("Expected on", ""),
        ("Total", "cents"),
    ]);
    let (mut parts, mut overdue, mut total) = (Vec::new(), 0i64, Cents::ZERO);
    for order in heard.body(0).as_array()?.iter().chain(heard.body(1).as_array()?) {
        let (number, supplier, expected) =
            (order.text("/poNumber")?, order.text("/supplierName")?, order.text("/expectedDeliveryDate")?);
        let late = order.says("/isOverdue");
        overdue = overdue.checked_add(i64::from(late))?;
        total = total.plus(order.cents("/totalCents")?).ok()?;
        parts.push(format!("{number} from {supplier} on {expected}{}", if late { " (overdue)" } else { "" }));
        table.push([
            cell(number),
            cell(supplier),
            cell(super::costs::spoken(order.text("/status")?)),
            cell(expected),
            whole(order.count("/totalCents")?),
        ]);
    }
    let size = i64::try_from(parts.len()).ok()?;
    let facts = [
        count("On order", size, "purchase orders"),
        count("Overdue", overdue, "purchase orders"),
        money("Worth", total, heard.currency),
    ];
    let text = match size {
        0 => "No delivery is expected: no purchase order is open.".to_owned(),
        _ => format!(
            "{} expected, worth {}: {}.",
            several(size, "deliveries"),
            heard.currency.show(total),
            listed(&parts)
        ),
    };
    Some(Statement::text(text).facts(facts).table(table))
}

fn purchases(heard: &Heard<'_>) -> Option<Statement> {
    let (plan, report) = (heard.plan, Report::of(heard.body(0))?);
    let rows: Vec<_> = report.rows().collect();
    let show = |amount| heard.currency.show(amount);
    let table =
        report.table(&["supplier", "item", "quantity", "unit", "averageUnitCostCents", "costCents"])?;
    let found = matching(&plan.subject, &rows, |row| row.text("item").unwrap_or_default());
    let found = if found.is_empty() {
        matching(&plan.subject, &rows, |row| row.text("supplier").unwrap_or_default())
    } else {
        found
    };
    if !found.is_empty() {
        let (mut statement, mut parts) = (Statement::default(), Vec::new());
        for row in found {
            let (item, unit, cost) = (row.text("item")?, row.text("unit")?, row.cents("costCents")?);
            parts.push(format!("{} {unit} of {item} for {}", row.decimal("quantity")?, show(cost)));
            statement = statement.fact(money(item, cost, heard.currency));
        }
        statement.text = format!("Delivered {}: {}.", plan.period.name, listed(&parts));
        return Some(statement);
    }
    if !plan.subject.is_empty() {
        let (subject, when) = (&plan.subject, &plan.period.name);
        return Some(Statement::text(format!(
            "Nothing called “{subject}” was delivered {when}, and by nobody of that name."
        )));
    }
    let total = Cents::new(report.total("costCents")?);
    let mut by_supplier: BTreeMap<&str, i64> = BTreeMap::new();
    for row in &rows {
        let sum = by_supplier.entry(row.text("supplier")?).or_default();
        *sum = sum.checked_add(row.count("costCents")?)?;
    }
    let mut list: Vec<(&str, i64)> = by_supplier.into_iter().collect();
    list.sort_by_key(|(_, cost)| std::cmp::Reverse(*cost));
    let (mut statement, mut parts) =
        (Statement::default().fact(money("Purchases", total, heard.currency)), Vec::new());
    for (supplier, cost) in list {
        let name = if supplier.is_empty() { "no supplier" } else { supplier };
        parts.push(format!("{name} {}", show(Cents::new(cost))));
        statement = statement.fact(money(name, Cents::new(cost), heard.currency));
    }
    statement.text = if parts.is_empty() {
        format!("Nothing was delivered {}.", plan.period.name)
    } else {
        format!("Deliveries {} cost {}: {}.", plan.period.name, show(total), listed(&parts))
    };
    Some(statement.table(table))
}

/// The suppliers a question is about: those it names, or the first ten.
fn meant<'a>(heard: &'a Heard<'_>) -> Vec<&'a Value> {
    const MOST: usize = 10;
    let all = heard.body(0).as_array().map(Vec::as_slice).unwrap_or_default();
    let found = matching(&heard.plan.subject, all, |supplier| supplier.text("/name").unwrap_or_default());
    let found = if heard.plan.subject.is_empty() { all.iter().collect() } else { found };
    found.into_iter().take(MOST).collect()
}

fn performances(heard: &Heard<'_>) -> Vec<Call> {
    let call = |supplier: &Value| {
        Some(Call::get("/inventory/suppliers/{id}/performance").with("id", supplier.text("/id")?))
    };
    meant(heard).into_iter().filter_map(call).collect()
}

fn suppliers(heard: &Heard<'_>) -> Option<Statement> {
    let meant = meant(heard);
    if meant.is_empty() && !heard.plan.subject.is_empty() {
        heard.body(0).as_array()?;
        return Some(Statement::text(format!("There is no supplier called “{}”.", heard.plan.subject)));
    }
    if meant.is_empty() {
        return Some(Statement::text("There are no suppliers yet."));
    }
    let (mut statement, mut parts) = (Statement::default(), Vec::new());
    for (supplier, call) in meant.iter().zip(1..) {
        let (name, figures) = (supplier.text("/name")?, heard.body(call));
        let delivered = figures.count("/deliveredCount")?;
        let lead = supplier.count("/leadTimeDays");
        let promised = lead.map_or_else(String::new, |days| format!(", lead time {}", several(days, "days")));
        if delivered == 0 {
            parts.push(format!("{name}: nothing delivered yet{promised}."));
            continue;
        }
        let mut part = format!("{name}: {} delivered{promised}", several(delivered, "orders"));
        if let Some(share) = figures.decimal("/onTimePercentage") {
            part.push_str(&format!(", {share} % on time"));
            statement = statement.fact(percent(&format!("{name}, on time"), share));
        }
        if let (Some(promised), Some(actual)) =
            (figures.decimal("/averagePromisedDays"), figures.decimal("/averageActualDays"))
        {
            part.push_str(&format!(", on average after {actual} days instead of {promised}"));
            statement = statement.fact(quantity(&format!("{name}, delivery"), actual, "days"));
        }
        if let Some(share) = figures.decimal("/fillRatePercentage") {
            part.push_str(&format!(", {share} % of what was ordered came"));
            statement = statement.fact(percent(&format!("{name}, came of what was ordered"), share));
        }
        parts.push(format!("{part}."));
    }
    statement.text = parts.join(" ");
    Some(statement)
}

fn portions(heard: &Heard<'_>) -> Option<Statement> {
    let (plan, all) = (heard.plan, heard.body(0).as_array()?);
    let found = matching(&plan.subject, all, |dish| dish.text("/name").unwrap_or_default());
    if !plan.subject.is_empty() && found.is_empty() {
        return Some(Statement::text(format!("No dish with a recipe is called “{}”.", plan.subject)));
    }
    let shown: Vec<&Value> = if found.is_empty() { all.iter().take(plan.top()).collect() } else { found };
    let mut table = Table::new(&[("Dish", ""), ("Portions", "portions"), ("Limited by", "")]);
    let (mut statement, mut parts) = (Statement::default(), Vec::new());
    for dish in shown {
        let name = dish.text("/name")?;
        let limit = dish.text("/limitingItem/name");
        let by = limit.map_or_else(String::new, |item| format!(", limited by {item}"));
        match dish.count("/portionsLeft") {
            Some(left) => {
                parts.push(format!("{name} {left}{by}"));
                statement = statement.fact(count(name, left, "portions"));
            }
            None => parts.push(format!("{name} without limit, as nothing that is counted goes in")),
        }
        table.push([cell(name), dish.count("/portionsLeft").and_then(whole), limit.and_then(cell)]);
    }
    statement.text = if parts.is_empty() {
        "No dish has a recipe yet.".to_owned()
    } else {
        format!("Portions the stock suffices for: {}.", parts.join("; "))
    };
    Some(statement.table(table))
}

fn sold_out(heard: &Heard<'_>) -> Option<Statement> {
    let mut names = Vec::new();
    for dish in heard.body(0).as_array()? {
        if dish.text("/availability/status").or(dish.text("/availability")) == Some("OUT_OF_STOCK") {
            names.push(dish.text("/name")?.to_owned());
        }
    }
    let size = i64::try_from(names.len()).ok()?;
    let text = if names.is_empty() {
        "No dish with a recipe is sold out.".to_owned()
    } else {
        format!("Sold out: {}.", listed(&names))
    };
    Some(Statement::text(text).fact(count("Sold out", size, "dishes")))
}

fn feedback(heard: &Heard<'_>) -> Option<Statement> {
    let (summary, when) = (heard.body(0), &heard.plan.period.name);
    let number = summary.count("/count")?;
    let Some(average) = summary.decimal("/averageRating") else {
        return Some(
            Statement::text(format!("Nobody left feedback {when}.")).fact(count("Feedback", 0, "guests")),
        );
    };
    let mut statement = Statement::default()
        .facts([quantity("Average rating", average, "of 5"), count("Feedback", number, "guests")]);
    let mut text =
        format!("The average rating {when} is {average} of 5, from {}.", several(number, "guests"));
    for (at, label) in
        [("/averageFood", "food"), ("/averageService", "service"), ("/averageCleanliness", "cleanliness")]
    {
        if let Some(average) = summary.decimal(at) {
            text.push_str(&format!(" {} {average}.", sentence(label)));
            statement = statement.fact(quantity(&sentence(label), average, "of 5"));
        }
    }
    if let Some(score) = summary.count("/nps/score") {
        text.push_str(&format!(" The net promoter score is {score}."));
        statement = statement.fact(named("Net promoter score", &score.to_string(), "score"));
    }
    let (low, waiting) = (summary.count("/lowRatingsOpen")?, summary.count("/callbacksOpen")?);
    text.push_str(&format!(
        " {} of 1 or 2 nobody has dealt with; {} for a call.",
        several(low, "ratings"),
        if waiting == 1 { "1 guest waits".to_owned() } else { format!("{waiting} guests wait") }
    ));
    statement.text = text;
    Some(
        statement
            .facts([count("Low ratings open", low, "ratings"), count("Callbacks open", waiting, "guests")]),
    )
}
