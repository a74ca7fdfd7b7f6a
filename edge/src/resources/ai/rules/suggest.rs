//! What to act on today: each finding with its weight, its figures and where they are from. Never advice without a figure.

use super::answer::{Fact, Source};
use super::call::{Call, Reply};
use super::figures::{Figures, count, listed, quantity, several};
use super::money::Currency;
use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// How many are given.
const GIVEN: usize = 3;

/// Something to act on.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Suggestion {
    /// What kind of thing, such as `LOW_STOCK`.
    pub kind: &'static str,
    /// What to do.
    pub title: String,
    /// Why.
    pub detail: String,
    /// The figures.
    pub facts: Vec<Fact>,
    /// The calls the figures are from.
    pub sources: Vec<Source>,
}

/// A finding: how pressing, and what.
type Found = Option<(u32, Suggestion)>;

/// What a finding is made from.
struct Seen<'a> {
    data: &'a Value,
    sources: Vec<Source>,
    today: NaiveDate,
    #[expect(dead_code, reason = "the findings about money use it")]
    currency: &'a Currency,
}

impl Seen<'_> {
    fn found(
        &self,
        weight: u32,
        kind: &'static str,
        title: String,
        detail: String,
        facts: Vec<Fact>,
    ) -> Found {
        Some((weight, Suggestion { kind, title, detail, facts, sources: self.sources.clone() }))
    }
}

type Detector = (fn(NaiveDate) -> Call, &'static [fn(&Seen<'_>) -> Found]);

const DETECTORS: &[Detector] = &[
    (|_| Call::get("/inventory/items"), &[low_stock, expiring, expired]),
    (
        |_| Call::get("/kitchen/tickets").with("status", "QUEUED,IN_PREPARATION").with("limit", 100),
        &[late_tickets],
    ),
];

/// The calls the findings need.
pub fn calls(today: NaiveDate) -> Vec<Call> {
    DETECTORS.iter().map(|(call, _)| call(today)).collect()
}

/// The most pressing findings. A call that the caller may not make finds nothing.
pub fn suggestions(asked: &[(Call, Reply)], today: NaiveDate, currency: &Currency) -> Vec<Suggestion> {
    let mut found: Vec<(u32, Suggestion)> = Vec::new();
    for ((call, reply), (_, detectors)) in asked.iter().zip(DETECTORS) {
        if !reply.is_success() {
            continue;
        }
        let seen =
            Seen { data: reply.data(), sources: vec![Source::of(call, reply.status)], today, currency };
        found.extend(detectors.iter().filter_map(|detect| detect(&seen)));
    }
    found.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
    found.into_iter().take(GIVEN).map(|(_, suggestion)| suggestion).collect()
}

/// The first few of `parts`, and how many more.
fn few(parts: &[String]) -> String {
    const FEW: usize = 4;
    let mut shown: Vec<String> = parts.iter().take(FEW).cloned().collect();
    if parts.len() > FEW {
        shown.push(format!("{} more", parts.len().saturating_sub(FEW)));
    }
    listed(&shown)
}

fn low_stock(seen: &Seen<'_>) -> Found {
    let low: Vec<&Value> = seen.data.each("/items").iter().filter(|item| item.says("/isLowStock")).collect();
    let number = i64::try_from(low.len()).ok().filter(|number| *number > 0)?;
    let mut facts = vec![count("Low items", number, "items")];
    let mut parts = Vec::new();
    for item in low {
        let (name, unit, stock) = (item.text("/name")?, item.text("/unit")?, item.decimal("/currentStock")?);
        parts.push(format!("{name} ({stock} {unit})"));
        facts.push(quantity(name, stock, unit));
    }
    facts.truncate(8);
    let weight = if seen.data.each("/items").iter().any(|item| {
        item.says("/isLowStock") && item.decimal("/currentStock").is_some_and(|q| !q.is_positive())
    }) {
        80
    } else {
        60
    };
    let title = format!("Order {}", several(number, "items").replace("item", "low stock item"));
    seen.found(weight, "LOW_STOCK", title, format!("At or below the minimum: {}.", few(&parts)), facts)
}

fn expiring(seen: &Seen<'_>) -> Found {
    let last = seen.today.checked_add_days(chrono::Days::new(2))?;
    let (mut parts, mut facts) = (Vec::new(), Vec::new());
    for item in seen.data.each("/items") {
        for batch in item.each("/activeBatches") {
            let Some(expires) = batch.text("/expiryDate").and_then(|date| date.parse::<NaiveDate>().ok())
            else {
                continue;
            };
            if expires > last {
                continue;
            }
            let (name, unit, left) = (item.text("/name")?, item.text("/unit")?, batch.decimal("/quantity")?);
            parts.push(format!("{left} {unit} of {name} ({})", expires.format("%A %-d %B")));
            facts.push(quantity(&format!("{name}, {expires}"), left, unit));
        }
    }
    let number = i64::try_from(parts.len()).ok().filter(|number| *number > 0)?;
    facts.truncate(8);
    let title = format!(
        "Use up {} that {} soon",
        several(number, "batches"),
        if number == 1 { "expires" } else { "expire" }
    );
    seen.found(70, "EXPIRING_STOCK", title, format!("{}.", few(&parts)), facts)
}

fn expired(seen: &Seen<'_>) -> Found {
    let (mut parts, mut facts) = (Vec::new(), Vec::new());
    for item in seen.data.each("/items") {
        let gone = item.decimal("/expiredQuantity")?;
        if gone.is_positive() {
            let (name, unit) = (item.text("/name")?, item.text("/unit")?);
            parts.push(format!("{gone} {unit} of {name}"));
            facts.push(quantity(&format!("{name}, expired"), gone, unit));
        }
    }
    let number = i64::try_from(parts.len()).ok().filter(|number| *number > 0)?;
    facts.truncate(8);
    let title = format!("Throw away and write off {}", several(number, "expired items"));
    seen.found(75, "EXPIRED_STOCK", title, format!("Still in the store: {}.", few(&parts)), facts)
}

fn late_tickets(seen: &Seen<'_>) -> Found {
    let late: Vec<&Value> = seen.data.as_array()?.iter().filter(|ticket| ticket.says("/isLate")).collect();
    let number = i64::try_from(late.len()).ok().filter(|number| *number > 0)?;
    let parts: Option<Vec<String>> = late
        .iter()
        .map(|t| Some(format!("{} at {}", t.text("/orderNumber")?, t.text("/stationName")?)))
        .collect();
    let title = format!("Look after {} in the kitchen", several(number, "late tickets"));
    let facts = vec![count("Late tickets", number, "tickets")];
    seen.found(90, "LATE_TICKETS", title, format!("Past their time: {}.", few(&parts?)), facts)
}
