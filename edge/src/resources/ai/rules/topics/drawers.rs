//! What lies in the cash drawers now: what they began with and what went through them, never what was paid in all.

use super::super::answer::{Statement, Table, cell, whole};
use super::super::call::Call;
use super::super::figures::{Figures, count, listed, money, several};
use super::topic::{Heard, Topic};
use serde_json::Value;
use tiffin_common::Cents;

pub(super) static TOPICS: &[Topic] = &[Topic {
    name: "cash in drawer",
    asks: |_| vec![Call::get("/cash-sessions").with("status", "OPEN").with("limit", 100)],
    then: Some(each_drawer),
    tells: held,
    ..Topic::PLAIN
}];

fn each_drawer(heard: &Heard<'_>) -> Vec<Call> {
    let drawers = heard.body(0).as_array().map(Vec::as_slice).unwrap_or_default();
    let ids = drawers.iter().filter_map(|drawer| drawer.text("/id"));
    ids.map(|id| Call::get("/cash-sessions/{id}").with("id", id)).collect()
}

fn held(heard: &Heard<'_>) -> Option<Statement> {
    heard.body(0).as_array()?;
    let drawers: Vec<&Value> = heard.data.iter().skip(1).collect();
    if drawers.is_empty() {
        return Some(Statement::text("No cash drawer is open.").fact(count("Open drawers", 0, "drawers")));
    }
    let mut table = Table::new(&[("Drawer", ""), ("Began with", "cents"), ("Should be in it", "cents")]);
    let (mut sum, mut parts, mut hidden) = (Cents::ZERO, Vec::new(), 0i64);
    for drawer in &drawers {
        let name = drawer.text("/drawer")?;
        match drawer.cents("/currentExpectedCents") {
            Some(amount) => {
                sum = sum.plus(amount).ok()?;
                parts.push(format!("{name} {}", heard.currency.show(amount)));
                let float = drawer.count("/openingFloatCents")?;
                table.push([cell(name), whole(float), whole(amount.get())]);
            }
            None => hidden = hidden.checked_add(1)?,
        }
    }
    if parts.is_empty() {
        let text = "Whoever counts a drawer is not told what should be in it before the count.";
        return Some(Statement::text(text).fact(count("Open drawers", hidden, "drawers")));
    }
    let mut text =
        format!("There should be {} in the open drawers: {}.", heard.currency.show(sum), listed(&parts));
    if hidden > 0 {
        text.push_str(&format!(" {} yours to count, and not in it.", several(hidden, "drawers")));
    }
    let number = i64::try_from(drawers.len()).ok()?;
    let facts = [money("Cash in drawers", sum, heard.currency), count("Open drawers", number, "drawers")];
    Some(Statement::text(text).facts(facts).table(table))
}
