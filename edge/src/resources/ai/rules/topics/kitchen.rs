//! Questions about the kitchen: what is late now, what is being cooked, how long things take.

use super::super::answer::{Statement, Table, cell, whole};
use super::super::call::Call;
use super::super::figures::{Figures, count, listed, several};
use super::super::names::matching;
use super::topic::{Heard, Subject, Topic, within};
use serde_json::Value;

pub(super) static TOPICS: &[Topic] = &[
    Topic { name: "late tickets", asks: |_| vec![tickets()], tells: late, ..Topic::PLAIN },
    Topic { name: "kitchen queue", asks: |_| vec![tickets()], tells: queue, ..Topic::PLAIN },
    Topic {
        name: "preparation times",
        subject: Subject::Optional,
        asks: |plan| vec![within(Call::get("/kitchen/stats"), &plan.period)],
        tells: times,
        ..Topic::PLAIN
    },
];

/// What the kitchen still has to do.
fn tickets() -> Call {
    Call::get("/kitchen/tickets").with("status", "QUEUED,IN_PREPARATION").with("limit", 100)
}

/// The tickets, each of which must say whether it is late.
fn open<'a>(heard: &'a Heard<'_>) -> Option<&'a Vec<Value>> {
    let tickets = heard.body(0).as_array()?;
    tickets.iter().all(|ticket| ticket.get("isLate").is_some_and(Value::is_boolean)).then_some(tickets)
}

fn late(heard: &Heard<'_>) -> Option<Statement> {
    let open = open(heard)?;
    let late: Vec<&Value> = open.iter().filter(|ticket| ticket.says("/isLate")).collect();
    let number = i64::try_from(late.len()).ok()?;
    let all = i64::try_from(open.len()).ok()?;
    let facts = [count("Late tickets", number, "tickets"), count("Open tickets", all, "tickets")];
    if late.is_empty() {
        return Some(Statement::text(format!("No ticket is late; {} open.", are(all))).facts(facts));
    }
    let mut table = Table::new(&[
        ("Ticket", ""),
        ("Order", ""),
        ("Station", ""),
        ("Table", ""),
        ("Should be ready at", ""),
    ]);
    let mut parts = Vec::new();
    for ticket in &late {
        let (order, station) = (ticket.text("/orderNumber")?, ticket.text("/stationName")?);
        parts.push(format!("{order} at {station}"));
        let target = ticket.text("/targetReadyAt").and_then(cell);
        let table_number = ticket.text("/tableNumber").and_then(cell);
        table.push([whole(ticket.count("/ticketNumber")?), cell(order), cell(station), table_number, target]);
    }
    let verb = if number == 1 { "is" } else { "are" };
    let text = format!("{} {verb} late, of {all} open: {}.", several(number, "tickets"), listed(&parts));
    Some(Statement::text(text).facts(facts).table(table))
}

fn are(number: i64) -> String {
    format!("{} {}", several(number, "tickets"), if number == 1 { "is" } else { "are" })
}

fn queue(heard: &Heard<'_>) -> Option<Statement> {
    let open = open(heard)?;
    let number =
        |wanted: &dyn Fn(&Value) -> bool| i64::try_from(open.iter().filter(|t| wanted(t)).count()).ok();
    let waiting = number(&|ticket| ticket.text("/status") == Some("QUEUED"))?;
    let cooking = number(&|ticket| ticket.text("/status") == Some("IN_PREPARATION"))?;
    let late = number(&|ticket| ticket.says("/isLate"))?;
    let text = format!(
        "The kitchen has {}: {waiting} waiting and {cooking} in preparation. {late} of them late.",
        several(waiting.checked_add(cooking)?, "open tickets")
    );
    Some(Statement::text(text).facts([
        count("Waiting", waiting, "tickets"),
        count("In preparation", cooking, "tickets"),
        count("Late", late, "tickets"),
    ]))
}

/// Whole seconds as a fact and in words.
fn lasting(seconds: i64) -> String {
    format!("{} min {:02} s", seconds.div_euclid(60), seconds.rem_euclid(60))
}

fn times(heard: &Heard<'_>) -> Option<Statement> {
    let (stats, plan) = (heard.body(0), heard.plan);
    let when = &plan.period.name;
    let items = stats.get("items")?.as_array()?;
    if !plan.subject.is_empty() {
        let found = matching(&plan.subject, items, |item| item.text("/name").unwrap_or_default());
        if !found.is_empty() {
            return dishes(&found, when);
        }
    }
    let stations = stats.get("stations")?.as_array()?;
    if stations.iter().all(|station| station.count("/ticketsCount") == Some(0)) {
        return Some(Statement::text(format!("The kitchen finished no ticket {when}.")));
    }
    let mut table = Table::new(&[
        ("Station", ""),
        ("Tickets", "tickets"),
        ("Wait", "seconds"),
        ("Preparation", "seconds"),
        ("In all", "seconds"),
        ("Late", "tickets"),
    ]);
    let (mut statement, mut parts) = (Statement::default(), Vec::new());
    for station in stations.iter().filter(|station| station.count("/ticketsCount") != Some(0)) {
        let name = station.text("/name")?;
        let (tickets, total, late) = (
            station.count("/ticketsCount")?,
            station.count("/averageTotalSeconds")?,
            station.count("/lateCount")?,
        );
        parts.push(format!("{name} {} ({}, {late} late)", lasting(total), several(tickets, "tickets")));
        statement = statement.fact(count(&format!("{name}, from firing to ready"), total, "seconds"));
        table.push([
            cell(name),
            whole(tickets),
            whole(station.count("/averageWaitSeconds")?),
            whole(station.count("/averagePreparationSeconds")?),
            whole(total),
            whole(late),
        ]);
    }
    let slowest = items.first().and_then(|item| {
        Some(format!(
            " The slowest dish was {}, {} from firing to ready.",
            item.text("/name")?,
            lasting(item.count("/averageTotalSeconds")?)
        ))
    });
    statement.text = format!(
        "From firing to ready, tickets took on average {when}: {}.{}",
        parts.join("; "),
        slowest.unwrap_or_default()
    );
    Some(statement.table(table))
}

fn dishes(found: &[&Value], when: &str) -> Option<Statement> {
    let (mut statement, mut parts) = (Statement::default(), Vec::new());
    for item in found {
        let (name, total, cook) = (
            item.text("/name")?,
            item.count("/averageTotalSeconds")?,
            item.count("/averagePreparationSeconds")?,
        );
        parts.push(format!(
            "{name} took {} from firing to ready, {} of it at the stove ({})",
            lasting(total),
            lasting(cook),
            several(item.count("/linesCount")?, "lines")
        ));
        statement = statement.fact(count(&format!("{name}, from firing to ready"), total, "seconds"));
    }
    statement.text = format!("On average {when}, {}.", listed(&parts));
    Some(statement)
}
