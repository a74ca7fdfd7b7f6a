//! Questions about what lies in the store: how much of it, what runs low, what expires, what it is worth.

use super::super::answer::{Statement, Table, cell, decimal, whole};
use super::super::call::Call;
use super::super::figures::{Figures, count, listed, money, quantity, several};
use super::super::names::matching;
use super::topic::{Days, Heard, Subject, Topic};
use chrono::NaiveDate;
use serde_json::Value;
use tiffin_common::{Cents, Quantity};

/// Days ahead in which a batch counts as expiring, unless the question says otherwise.
const SOON_DAYS: u64 = 3;

pub(super) static TOPICS: &[Topic] = &[
    Topic {
        name: "stock level",
        subject: Subject::Needed,
        asks: |_| vec![items()],
        tells: level,
        ..Topic::PLAIN
    },
    Topic {
        name: "low stock",
        asks: |_| vec![items().with("lowStockOnly", true)],
        tells: low,
        ..Topic::PLAIN
    },
    Topic { name: "expired", asks: |_| vec![items()], tells: expired, ..Topic::PLAIN },
    Topic { name: "expiring", days: Days::Ahead, asks: |_| vec![items()], tells: expiring, ..Topic::PLAIN },
    Topic { name: "stock value", asks: |_| vec![items()], tells: value, ..Topic::PLAIN },
];

fn items() -> Call {
    Call::get("/inventory/items")
}

fn level(heard: &Heard<'_>) -> Option<Statement> {
    let all = heard.body(0).get("items")?.as_array()?;
    let found = matching(&heard.plan.subject, all, |item| item.text("/name").unwrap_or_default());
    if found.is_empty() {
        return Some(Statement::text(format!("There is no stock item called “{}”.", heard.plan.subject)));
    }
    let mut statement = Statement::default();
    let mut table =
        Table::new(&[("Item", ""), ("Batch", ""), ("Quantity", ""), ("Unit", ""), ("Expires", "")]);
    let mut sentences = Vec::new();
    for item in found {
        let (name, unit) = (item.text("/name")?, item.text("/unit")?);
        let (stock, least) = (item.decimal("/currentStock")?, item.decimal("/minStockThreshold")?);
        let low = if item.says("/isLowStock") {
            format!(", which is low: the minimum is {least} {unit}")
        } else {
            String::new()
        };
        sentences.push(format!("There is {stock} {unit} of {name}{low}."));
        statement = statement.fact(quantity(name, stock, unit));
        let gone = item.decimal("/expiredQuantity").filter(|gone| gone.is_positive());
        if let Some(gone) = gone {
            sentences.push(format!("Another {gone} {unit} of {name} has expired and does not count."));
            statement = statement.fact(quantity(&format!("{name}, expired"), gone, unit));
        }
        for batch in item.each("/activeBatches") {
            let expiry = batch.text("/expiryDate").and_then(cell);
            table.push([
                cell(name),
                cell(batch.text("/batchNumber")?),
                decimal(batch.decimal("/quantity")?),
                cell(unit),
                expiry,
            ]);
        }
    }
    statement.text = sentences.join(" ");
    Some(statement.table(table))
}

fn low(heard: &Heard<'_>) -> Option<Statement> {
    let items = heard.body(0).get("items")?.as_array()?;
    if items.is_empty() {
        return Some(Statement::text("Nothing is low: every stock item is above its minimum.").fact(count(
            "Low items",
            0,
            "items",
        )));
    }
    let mut table = Table::new(&[("Item", ""), ("In stock", ""), ("Minimum", ""), ("Unit", "")]);
    let mut parts = Vec::new();
    for item in items {
        let (name, unit) = (item.text("/name")?, item.text("/unit")?);
        let (stock, least) = (item.decimal("/currentStock")?, item.decimal("/minStockThreshold")?);
        parts.push(format!("{name} ({stock} {unit}, minimum {least})"));
        table.push([cell(name), decimal(stock), decimal(least), cell(unit)]);
    }
    let number = i64::try_from(items.len()).ok()?;
    let shown = parts.len().min(10);
    let more = parts.len().saturating_sub(shown);
    parts.truncate(shown);
    if more > 0 {
        parts.push(format!("{more} more"));
    }
    let verb = if number == 1 { "is" } else { "are" };
    let text = format!("{} {verb} low: {}.", several(number, "items"), listed(&parts));
    Some(Statement::text(text).fact(count("Low items", number, "items")).table(table))
}

/// A batch with an expiry date, as far as the list of items shows it.
struct Batch<'a> {
    item: &'a str,
    unit: &'a str,
    number: &'a str,
    quantity: Quantity,
    expires: NaiveDate,
}

fn batches(items: &[Value]) -> Option<Vec<Batch<'_>>> {
    let mut found = Vec::new();
    for item in items {
        for batch in item.each("/activeBatches") {
            let Some(expires) = batch.text("/expiryDate") else { continue };
            found.push(Batch {
                item: item.text("/name")?,
                unit: item.text("/unit")?,
                number: batch.text("/batchNumber")?,
                quantity: batch.decimal("/quantity")?,
                expires: expires.parse().ok()?,
            });
        }
    }
    found.sort_by_key(|batch| batch.expires);
    Some(found)
}

fn expiring(heard: &Heard<'_>) -> Option<Statement> {
    let all = batches(heard.body(0).get("items")?.as_array()?)?;
    let period = &heard.plan.period;
    let soon = heard.today.checked_add_days(chrono::Days::new(SOON_DAYS))?;
    let named = period.name != "today";
    let (from, to) = if named { (period.from.max(heard.today), period.to) } else { (heard.today, soon) };
    let when = if named { period.name.clone() } else { format!("by {}", soon.format("%A %-d %B")) };
    let found: Vec<_> = all.into_iter().filter(|batch| (from..=to).contains(&batch.expires)).collect();
    if found.is_empty() {
        return Some(Statement::text(format!("Nothing in stock expires {when}.")).fact(count(
            "Expiring batches",
            0,
            "batches",
        )));
    }
    let mut table =
        Table::new(&[("Item", ""), ("Batch", ""), ("Quantity", ""), ("Unit", ""), ("Expires", "")]);
    let mut statement =
        Statement::default().fact(count("Expiring batches", i64::try_from(found.len()).ok()?, "batches"));
    let mut parts = Vec::new();
    for batch in &found {
        let day = batch.expires.format("%A %-d %B");
        parts.push(format!("{} {} of {} on {day}", batch.quantity, batch.unit, batch.item));
        statement = statement.fact(quantity(
            &format!("{}, {}", batch.item, batch.expires),
            batch.quantity,
            batch.unit,
        ));
        let expires = batch.expires.to_string();
        table.push([
            cell(batch.item),
            cell(batch.number),
            decimal(batch.quantity),
            cell(batch.unit),
            cell(expires),
        ]);
    }
    statement.text = format!("What expires {when}: {}.", listed(&parts));
    Some(statement.table(table))
}

fn expired(heard: &Heard<'_>) -> Option<Statement> {
    let items = heard.body(0).get("items")?.as_array()?;
    let mut table = Table::new(&[("Item", ""), ("Expired", ""), ("Unit", "")]);
    let (mut statement, mut parts) = (Statement::default(), Vec::new());
    for item in items {
        let gone = item.decimal("/expiredQuantity")?;
        if !gone.is_positive() {
            continue;
        }
        let (name, unit) = (item.text("/name")?, item.text("/unit")?);
        parts.push(format!("{gone} {unit} of {name}"));
        statement = statement.fact(quantity(&format!("{name}, expired"), gone, unit));
        table.push([cell(name), decimal(gone), cell(unit)]);
    }
    statement.text = if parts.is_empty() {
        "Nothing that is in stock has expired.".to_owned()
    } else {
        format!("Expired, and to be thrown away: {}.", listed(&parts))
    };
    Some(statement.table(table))
}

fn value(heard: &Heard<'_>) -> Option<Statement> {
    let items = heard.body(0).get("items")?.as_array()?;
    let mut rows = Vec::new();
    for item in items {
        rows.push((item.text("/name")?, item.cents("/stockValueCents")?));
    }
    let total = Cents::sum(rows.iter().map(|(_, value)| *value)).ok()?;
    rows.sort_by_key(|(_, value)| std::cmp::Reverse(*value));
    let mut table = Table::new(&[("Item", ""), ("Value", "cents")]);
    for (name, value) in &rows {
        table.push([cell(*name), whole(value.get())]);
    }
    let show = |amount| heard.currency.show(amount);
    let largest: Vec<String> =
        rows.iter().take(3).map(|(name, value)| format!("{name} ({})", show(*value))).collect();
    let most =
        if largest.is_empty() { String::new() } else { format!(" Most of it lies in {}.", listed(&largest)) };
    let text =
        format!("The stock that may still be used is worth {}, at what was paid for it.{most}", show(total));
    Some(Statement::text(text).fact(money("Stock value", total, heard.currency)).table(table))
}
