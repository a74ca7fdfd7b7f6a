//! What to act on today: each finding with its weight, its figures and where they are from. Never advice without a figure.

use super::answer::{Fact, Source};
use super::call::{Call, Reply};
use super::figures::{Figures, count, listed, money, percent, quantity, several};
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
    /// Why it is worth doing today.
    pub detail: String,
    /// The figures that it rests on.
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
    (|_| Call::get("/analytics/summary").with("period", "THIS_WEEK"), &[food_cost]),
    (|today| since(Call::get("/waste-logs/summary"), today, 6), &[waste]),
    (|today| since(Call::get("/tickets/feedback/summary"), today, 29), &[unhappy_guests]),
    (
        |today| since(Call::get("/attendance"), today, 13).with("needsReview", true).with("limit", 100),
        &[open_punches],
    ),
    (|_| Call::get("/purchase-orders").with("status", "SENT").with("limit", 100), &[overdue_deliveries]),
];

/// `call` over the days from `days` ago to today.
fn since(call: Call, today: NaiveDate, days: u64) -> Call {
    let from = today.checked_sub_days(chrono::Days::new(days)).unwrap_or(today);
    call.with("from", from.to_string()).with("to", today.to_string())
}

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

/// Points of food cost above last week's that are worth a look, in millionths.
const NOTABLE_RISE: i64 = 1_000_000;

fn food_cost(seen: &Seen<'_>) -> Found {
    let previous = seen.data.pointer("/comparison/previous")?;
    let (now, before) = (seen.data.decimal("/cogsPercentage")?, previous.decimal("/cogsPercentage")?);
    let rise = now.minus(before).ok()?;
    if !before.is_positive() || rise.get() < NOTABLE_RISE {
        return None;
    }
    let title = format!("Find out why food cost rose by {rise} points");
    let detail = format!("It is {now} % of net sales this week, {before} % on the same days of last week.");
    let facts = vec![
        percent("Food cost this week", now),
        percent("Food cost on the same days of last week", before),
        money("Cost of goods sold", seen.data.cents("/cogsCents")?, seen.currency),
    ];
    seen.found(68, "FOOD_COST_UP", title, detail, facts)
}

fn waste(seen: &Seen<'_>) -> Found {
    let item = seen.data.each("/byItem").first()?;
    let (name, cost) = (item.text("/name")?, item.cents("/costCents")?);
    let all = seen.data.cents("/costCents")?;
    if cost.get() <= 0 {
        return None;
    }
    let detail = format!(
        "{} of {} thrown away in the last 7 days was {name}.",
        seen.currency.show(cost),
        seen.currency.show(all)
    );
    let facts =
        vec![money(&format!("{name}, waste"), cost, seen.currency), money("Waste", all, seen.currency)];
    seen.found(40, "WASTE", format!("Throw away less {name}"), detail, facts)
}

fn unhappy_guests(seen: &Seen<'_>) -> Found {
    let (low, calls) = (seen.data.count("/lowRatingsOpen")?, seen.data.count("/callbacksOpen")?);
    if low == 0 && calls == 0 {
        return None;
    }
    let detail = format!(
        "{} of 1 or 2 nobody has dealt with, {} to call back.",
        several(low, "ratings"),
        several(calls, "guests")
    );
    let facts = vec![count("Low ratings", low, "ratings"), count("Callbacks", calls, "guests")];
    seen.found(65, "UNHAPPY_GUESTS", "Answer guests who were not happy".to_owned(), detail, facts)
}

fn open_punches(seen: &Seen<'_>) -> Found {
    let mut names: Vec<String> = seen
        .data
        .as_array()?
        .iter()
        .filter_map(|punch| punch.text("/employeeName").map(str::to_owned))
        .collect();
    names.sort();
    names.dedup();
    let number = i64::try_from(names.len()).ok().filter(|number| *number > 0)?;
    let title = "Complete attendance that was never ended".to_owned();
    let detail = format!("Until then it counts as no work: {}.", few(&names));
    seen.found(50, "ATTENDANCE_REVIEW", title, detail, vec![count("Employees", number, "employees")])
}

fn overdue_deliveries(seen: &Seen<'_>) -> Found {
    let late: Vec<&Value> = seen.data.as_array()?.iter().filter(|order| order.says("/isOverdue")).collect();
    let number = i64::try_from(late.len()).ok().filter(|number| *number > 0)?;
    let parts: Option<Vec<String>> = late
        .iter()
        .map(|o| Some(format!("{} from {}", o.text("/poNumber")?, o.text("/supplierName")?)))
        .collect();
    let title = format!("Ask after {}", several(number, "overdue deliveries"));
    let detail = format!("Promised for a day that has passed: {}.", few(&parts?));
    seen.found(
        55,
        "OVERDUE_DELIVERIES",
        title,
        detail,
        vec![count("Overdue deliveries", number, "deliveries")],
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn found(answers: &[(&str, Value)]) -> Vec<Suggestion> {
        let today = NaiveDate::from_ymd_opt(2026, 11, 20).unwrap();
        let answer = |call: &Call| answers.iter().find(|(endpoint, _)| *endpoint == call.endpoint);
        let reply = |call: Call| match answer(&call) {
            Some((_, body)) => (call, Reply { status: 200, body: body.clone() }),
            None => (call, Reply { status: 403, body: Value::Null }),
        };
        let asked: Vec<_> = calls(today).into_iter().map(reply).collect();
        suggestions(&asked, today, &Currency("INR".into()))
    }

    #[test]
    fn the_three_most_pressing_findings_are_told_with_their_figures() {
        let summary = json!({"cogsPercentage": 34.25, "cogsCents": 100, "comparison": {"previous": {"cogsPercentage": 30}}});
        let waste = json!({"costCents": 9_000, "byItem": [{"name": "Milk", "costCents": 6_000}]});
        let orders =
            json!([{"isOverdue": true, "poNumber": "PO-1", "supplierName": "Farm"}, {"isOverdue": false}]);
        let feedback = json!({"lowRatingsOpen": 1, "callbacksOpen": 2});
        let found = found(&[
            ("/analytics/summary", summary),
            ("/waste-logs/summary", waste),
            ("/purchase-orders", json!({"success": true, "data": orders})),
            ("/tickets/feedback/summary", json!({"success": true, "data": feedback})),
        ]);
        let kinds: Vec<_> = found.iter().map(|suggestion| suggestion.kind).collect();
        assert_eq!(kinds, ["FOOD_COST_UP", "UNHAPPY_GUESTS", "OVERDUE_DELIVERIES"]);
        assert_eq!(found[0].title, "Find out why food cost rose by 4.25 points");
        assert_eq!(found[1].detail, "1 rating of 1 or 2 nobody has dealt with, 2 guests to call back.");
        assert_eq!(found[2].sources[0].endpoint, "/purchase-orders");
    }

    #[test]
    fn what_is_in_order_is_not_told() {
        let summary = json!({"cogsPercentage": 30.5, "cogsCents": 1, "comparison": {"previous": {"cogsPercentage": 30}}});
        let items = json!({"items": [{"name": "Rice", "isLowStock": false, "expiredQuantity": 0, "activeBatches": []}]});
        let waste = json!({"costCents": 0, "byItem": []});
        assert_eq!(
            found(&[
                ("/analytics/summary", summary),
                ("/inventory/items", items),
                ("/waste-logs/summary", waste)
            ]),
            []
        );
        let one = json!({"costCents": 100, "byItem": [{"name": "Milk", "costCents": 100}]});
        assert_eq!(
            found(&[("/waste-logs/summary", one)])[0].detail,
            "₹1.00 of ₹1.00 thrown away in the last 7 days was Milk."
        );
    }
}
