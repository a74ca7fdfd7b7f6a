//! Questions about kinds of orders: to take away, delivered, at tables, called off; and what a guest at a table spends.

use super::super::answer::{Statement, Table, cell, whole};
use super::super::figures::{Figures, count, listed, money, several};
use super::sales::summaries;
use super::topic::{Heard, Topic, sentence};
use serde_json::Value;
use tiffin_common::Cents;

/// Topics of one type of order: their names, the type, and what it is called.
const TYPES: &[(&str, &str, &str)] = &[
    ("takeaway", "TAKEAWAY", "takeaway"),
    ("delivery orders", "DELIVERY", "delivery"),
    ("dine in", "DINE_IN", "dine-in"),
    ("counter", "COUNTER", "counter"),
];

const fn of_type(name: &'static str) -> Topic {
    Topic { name, asks: summaries, tells: one_type, ..Topic::PLAIN }
}

pub(super) static TOPICS: &[Topic] = &[
    of_type("takeaway"),
    of_type("delivery orders"),
    of_type("dine in"),
    of_type("counter"),
    Topic { name: "order types", asks: summaries, tells: all_types, ..Topic::PLAIN },
    Topic { name: "cancelled orders", asks: summaries, tells: cancelled, ..Topic::PLAIN },
    Topic { name: "per guest", asks: summaries, tells: per_guest, ..Topic::PLAIN },
];

/// Orders of a type, guests and sales; all nothing where there were none.
fn figures(summary: &Value, order_type: &str) -> Option<(i64, i64, Cents)> {
    summary.get("byOrderType")?.as_array()?;
    let of = summary.each("/byOrderType").iter().find(|of| of.text("/orderType") == Some(order_type));
    match of {
        Some(of) => Some((of.count("/ordersCount")?, of.count("/guestsCount")?, of.cents("/salesCents")?)),
        None => Some((0, 0, Cents::ZERO)),
    }
}

fn one_type(heard: &Heard<'_>) -> Option<Statement> {
    let plan = heard.plan;
    let (_, order_type, name) = TYPES.iter().find(|(topic, ..)| *topic == plan.topic)?;
    let (orders, guests, sales) = figures(heard.body(0), order_type)?;
    let label = sentence(name);
    let mut text = format!(
        "{label} {}: {} for {}, after discounts and without tax.",
        plan.period.name,
        several(orders, "orders"),
        heard.currency.show(sales)
    );
    let mut facts = vec![
        money(&format!("{label} sales"), sales, heard.currency),
        count(&format!("{label} orders"), orders, "orders"),
    ];
    if guests > 0 {
        facts.push(count(&format!("{label} guests"), guests, "guests"));
    }
    if let Some(against) = &plan.against {
        let (before, _, earlier) = figures(heard.body(1), order_type)?;
        let shown = heard.currency.show(earlier);
        text.push_str(&format!(" {}: {} for {shown}.", sentence(&against.name), several(before, "orders")));
        facts.push(money(&format!("{label} sales {}", against.name), earlier, heard.currency));
    }
    Some(Statement::text(text).facts(facts))
}

fn all_types(heard: &Heard<'_>) -> Option<Statement> {
    let mut table = Table::new(&[("Type", ""), ("Orders", "orders"), ("Sales", "cents")]);
    let (mut statement, mut parts) = (Statement::default(), Vec::new());
    for (_, order_type, name) in TYPES {
        let (orders, _, sales) = figures(heard.body(0), order_type)?;
        let label = sentence(name);
        table.push([cell(label.clone()), whole(orders), whole(sales.get())]);
        parts.push(format!("{name} {} ({})", heard.currency.show(sales), several(orders, "orders")));
        statement = statement.fact(money(&format!("{label} sales"), sales, heard.currency)).fact(count(
            &format!("{label} orders"),
            orders,
            "orders",
        ));
    }
    statement.text = format!(
        "Sales {} by type of order, after discounts and without tax: {}.",
        heard.plan.period.name,
        listed(&parts)
    );
    Some(statement.table(table))
}

fn cancelled(heard: &Heard<'_>) -> Option<Statement> {
    let summary = heard.body(0);
    let (number, amount) =
        (summary.count("/cancelledOrders/count")?, summary.cents("/cancelledOrders/amountCents")?);
    let when = &heard.plan.period.name;
    let mut text = match number {
        0 => format!("No order was cancelled {when}."),
        _ => format!(
            "{} {} cancelled {when}, worth {} on the menu.",
            several(number, "orders"),
            if number == 1 { "was" } else { "were" },
            heard.currency.show(amount)
        ),
    };
    let mut facts =
        vec![count("Cancelled orders", number, "orders"), money("Cancelled", amount, heard.currency)];
    if let Some(against) = &heard.plan.against {
        let before = heard.body(1).count("/cancelledOrders/count")?;
        text.push_str(&format!(" {}: {}.", sentence(&against.name), several(before, "orders")));
        facts.push(count(&format!("Cancelled orders {}", against.name), before, "orders"));
    }
    Some(Statement::text(text).facts(facts))
}

fn per_guest(heard: &Heard<'_>) -> Option<Statement> {
    let (_, guests, sales) = figures(heard.body(0), "DINE_IN")?;
    let when = &heard.plan.period.name;
    if guests <= 0 {
        return Some(Statement::text(format!("No guests were counted at tables {when}.")));
    }
    let average = sales.ratio(1, guests).ok()?;
    let text = format!(
        "A guest at a table spent {} on average {when}: {} of dine-in sales, after discounts and without tax, from {}.",
        heard.currency.show(average),
        heard.currency.show(sales),
        several(guests, "guests")
    );
    Some(Statement::text(text).facts([
        money("Average per guest", average, heard.currency),
        money("Dine-in sales", sales, heard.currency),
        count("Dine-in guests", guests, "guests"),
    ]))
}
