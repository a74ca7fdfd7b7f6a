//! The assistant, asked of every month for whatever is money, against the books kept by hand. No answer may be another than theirs, and
//! none of these questions is refused.

use super::arithmetic::{DISHES, half_away};
use super::figures::money;
use super::ledger::{Day, Ledger, Money};
use super::returns::Range;
use serde_json::{Value, json};
use tiffin_tests::Client;

/// A question without its month, the label of the fact that answers it, and what that has to be.
type Question = (String, String, i64);

/// All questions of a range.
fn questions(books: &Ledger, range: Range<'_>) -> Vec<Question> {
    let sum = |pick: fn(&Day) -> i64| books.sum(range.from, range.to, pick);
    let (net, orders) = (sum(Day::net), sum(|day| day.orders));
    let (cogs, waste) = (sum(|day| day.cogs), sum(|day| day.waste));
    let mut all = vec![
        ("how much tax do we have to pay for", "Tax", sum(Day::net_tax)),
        ("how much gst did we collect", "Tax", sum(Day::net_tax)),
        ("sales", "Net sales", net),
        ("gross sales", "Gross sales", sum(|day| day.sold.subtotal)),
        ("how many orders", "Orders", orders),
        ("average order value", "Average bill", half_away(net, orders)),
        ("tips", "Tips", sum(Day::tips)),
        ("how much discount did we give", "Discounts", sum(|day| day.sold.discount)),
        ("refunds", "Refunds", sum(|day| day.refunds)),
        ("service charge", "Service charge", sum(Day::service)),
        ("what was voided", "Voided", sum(|day| day.voided)),
        ("value of cancelled orders", "Cancelled", sum(|day| day.called_off)),
        ("cost of goods sold", "Cost of goods sold", cogs),
        ("what did we waste", "Waste", waste),
        ("gross profit", "Gross profit", net + sum(Day::service) - cogs - waste),
        ("was the cash over or short", "Over or short", sum(|day| day.over_short)),
        ("what did we buy", "Purchases", 0),
    ];
    let moved = money(books, range);
    let by = |method: &str| moved.get(method).map_or(0, Money::net);
    all.extend([
        ("how many payments came in", "Payments, net", moved.values().map(Money::net).sum()),
        ("payments by method", "CARD", by("CARD")),
        ("how much cash did we take", "CASH", by("CASH")),
        ("upi collection", "UPI", by("UPI")),
    ]);
    let mut all: Vec<Question> = all
        .into_iter()
        .map(|(question, label, known)| (question.to_owned(), label.to_owned(), known))
        .collect();
    all.extend(by_type(books, range));
    all.extend(of_dishes(books, range));
    all
}

fn by_type(books: &Ledger, range: Range<'_>) -> Vec<Question> {
    let mut all = Vec::new();
    for (kind, asked, name) in [
        ("TAKEAWAY", "takeaway", "Takeaway"),
        ("DELIVERY", "delivery", "Delivery"),
        ("DINE_IN", "dine in", "Dine-in"),
        ("COUNTER", "counter", "Counter"),
    ] {
        let of = |day: &Day| day.types.get(kind).copied().unwrap_or_default();
        let sum = |pick: fn((i64, i64, i64)) -> i64| books.sum(range.from, range.to, |day| pick(of(day)));
        let (orders, net, guests) = (sum(|of| of.0), sum(|of| of.1), sum(|of| of.2));
        all.push((format!("{asked} sales"), format!("{name} sales"), net));
        all.push((format!("how many {asked} orders"), format!("{name} orders"), orders));
        if guests > 0 {
            let average = half_away(net, guests);
            all.push(("average per guest".to_owned(), "Average per guest".to_owned(), average));
        }
    }
    all
}

fn of_dishes(books: &Ledger, range: Range<'_>) -> Vec<Question> {
    let mut all = Vec::new();
    for dish in &DISHES {
        let sold = |day: &Day| day.dishes.get(dish.name).copied().unwrap_or_default();
        let revenue = books.sum(range.from, range.to, |day| sold(day).1);
        let cost =
            books.sum(range.from, range.to, |day| day.costs.get(dish.name).copied().unwrap_or_default());
        all.push((
            format!("how many {} did we sell", dish.name),
            dish.name.to_owned(),
            books.sum(range.from, range.to, |day| sold(day).0),
        ));
        all.push((format!("sales of {}", dish.name), format!("{}, revenue", dish.name), revenue));
        all.push((format!("margin on {}", dish.name), format!("{}, margin", dish.name), revenue - cost));
    }
    all
}

/// Asks all of it of the month that is called `month`.
pub async fn check(client: &Client, books: &Ledger, month: &str, range: Range<'_>) {
    let mut wrong = Vec::new();
    for (question, label, known) in questions(books, range) {
        let question = format!("{question} {month}");
        let answer = client.post("/ai/ask", json!({"question": question})).await.expect(200).data();
        let fact = answer["facts"].as_array().unwrap().iter().find(|fact| fact["label"] == *label);
        let said: Option<&Value> = fact.map(|fact| &fact["value"]);
        // What did not happen may be said without a number, by an answer from the books all the same.
        let is_nothing = known == 0 && said.is_none() && answer["sources"] != json!([]);
        if said != Some(&json!(known)) && !is_nothing {
            wrong.push(format!("{question}: {label} is {known}, but {said:?}: {}", answer["answer"]));
        }
    }
    assert!(wrong.is_empty(), "{} wrong: {wrong:#?}", wrong.len());
}
