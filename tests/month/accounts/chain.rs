//! What head office says of the whole chain, against the books of its houses added up: the summary with each house beside it and the
//! period before, the days, the comparison, the dishes and the losses.

use super::arithmetic::half_away;
use super::figures::{cents, equal, headline, money};
use super::ledger::{Day, Ledger};
use super::returns::Range;
use super::shop::{Shop, date};
use chrono::{Duration, NaiveDate};
use serde_json::Value;
use std::collections::BTreeMap;
use tiffin_tests::Client;

/// What an average is of: never a sum of averages.
const AVERAGE: &str = "averageOrderValueCents";

/// The books of all houses together.
fn together(shops: &[Shop], range: Range<'_>) -> Vec<(&'static str, i64)> {
    let all: Vec<_> = shops.iter().map(|shop| headline(&shop.books, range)).collect();
    let sum = |at: usize| all.iter().map(|figures| figures[at].1).sum::<i64>();
    let named = |wanted: &str| sum(all[0].iter().position(|(name, _)| *name == wanted).unwrap());
    let (net, orders) = (named("netRevenueCents"), named("ordersCount"));
    let average = if orders > 0 { half_away(net, orders) } else { 0 };
    let known = all[0].iter().enumerate();
    known.map(|(at, (name, _))| (*name, if *name == AVERAGE { average } else { sum(at) })).collect()
}

/// Those that a list of dates has, too: no profit and loss.
fn plain(known: &[(&'static str, i64)]) -> Vec<(&'static str, i64)> {
    known.iter().filter(|(name, _)| !name.contains('.')).copied().collect()
}

/// As many dates directly before.
fn before(range: Range<'_>) -> (NaiveDate, NaiveDate) {
    let (from, to) = (date(range.from), date(range.to));
    (from - (to - from) - Duration::days(1), from - Duration::days(1))
}

/// Every figure of the chain of dates that are over.
pub async fn check(client: &Client, shops: &[Shop], range: Range<'_>) {
    let ask =
        async |name: &str| client.get(&format!("/hub/{name}{}", range.query())).await.expect(200).data();
    let known = together(shops, range);
    let summary = ask("analytics/summary?").await;
    equal(&summary, &known, "the chain");
    check_houses(&summary["outlets"], shops, range);
    let (from, to) = before(range);
    let (from, to) = (from.to_string(), to.to_string());
    let earlier = plain(&together(shops, Range { from: &from, to: &to }));
    equal(&summary["comparison"]["previous"], &earlier, "the chain before");
    check_compare(&ask("analytics/compare?").await, shops, range);
    check_days(&ask("analytics/daily?").await, shops, range);
    check_dishes(&ask("analytics/top-sellers?limit=100&").await, shops, range);
    check_losses(&ask("losses?").await, shops, range);
}

fn house<'s>(list: &'s Value, shop: &Shop) -> &'s Value {
    let found = list.as_array().unwrap().iter().find(|outlet| outlet["code"] == shop.house.code);
    found.unwrap_or_else(|| panic!("no {} in {list}", shop.house.code))
}

/// Each house beside the chain.
fn check_houses(list: &Value, shops: &[Shop], range: Range<'_>) {
    for shop in shops {
        let what = format!("{} in the chain", shop.house.code);
        equal(house(list, shop), &headline(&shop.books, range), &what);
    }
}

/// The highest net revenue first.
fn check_compare(shown: &Value, shops: &[Shop], range: Range<'_>) {
    check_houses(&shown["outlets"], shops, range);
    equal(&shown["byCurrency"][0], &together(shops, range), "rupees");
    let net = |shop: &&Shop| shop.books.sum(range.from, range.to, Day::net);
    let mut ranked: Vec<&Shop> = shops.iter().collect();
    ranked.sort_by_key(|shop| (-net(shop), shop.house.code));
    let known: Vec<&str> = ranked.iter().map(|shop| shop.house.code).collect();
    let codes: Vec<&str> =
        shown["outlets"].as_array().unwrap().iter().map(|outlet| outlet["code"].as_str().unwrap()).collect();
    assert_eq!(codes, known, "side by side");
}

fn check_days(shown: &Value, shops: &[Shop], range: Range<'_>) {
    let days = shown["days"].as_array().unwrap();
    let dates = date(range.from).iter_days().take_while(|day| *day <= date(range.to));
    for day in dates.map(|day| day.to_string()) {
        let found = days.iter().find(|shown| shown["businessDate"] == *day);
        let known = plain(&together(shops, Range { from: &day, to: &day }));
        match found {
            Some(found) => equal(found, &known, &format!("{day} of the chain")),
            None => assert!(known.iter().all(|(_, cents)| *cents == 0), "{day} is not listed: {known:?}"),
        }
    }
    equal(&shown["totals"][0], &plain(&together(shops, range)), "all days of the chain");
}

/// Dishes of one name are one.
fn check_dishes(shown: &Value, shops: &[Shop], range: Range<'_>) {
    let mut known: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    for shop in shops {
        for (_, day) in shop.books.days.range(range.from.to_owned()..=range.to.to_owned()) {
            for (dish, (quantity, net)) in &day.dishes {
                let sum = known.entry((*dish).to_owned()).or_default();
                *sum = (sum.0 + quantity, sum.1 + net);
            }
        }
    }
    let items = shown["currencies"][0]["items"].as_array().unwrap();
    let sold = |item: &Value| (cents(item, "quantity"), cents(item, "revenueCents"));
    let mut shown: BTreeMap<String, (i64, i64)> =
        items.iter().map(|item| (item["name"].as_str().unwrap().to_owned(), sold(item))).collect();
    known.retain(|_, sold| *sold != (0, 0));
    shown.retain(|_, sold| *sold != (0, 0));
    assert_eq!(shown, known, "the dishes of the chain");
}

/// What went back, was given up and lacked in the drawers, house beside house.
fn check_losses(shown: &Value, shops: &[Shop], range: Range<'_>) {
    for shop in shops {
        let losses = &house(&shown["outlets"], shop)["losses"];
        let sum = |pick: fn(&Day) -> i64| shop.books.sum(range.from, range.to, pick);
        assert_eq!(cents(losses, "grossRevenueCents"), sum(|day| day.sold.subtotal), "{losses:#}");
        let refunded: i64 = money(&shop.books, range).values().map(|of| of.refunded).sum();
        for (kind, known) in [
            ("REFUND", refunded),
            ("WRITE_OFF", sum(|day| day.written_off)),
            ("PAY_OUT", taken_out(&shop.books, range)),
            ("DRAWER_DIFFERENCE", -sum(|day| day.over_short)),
        ] {
            let found = losses["kinds"].as_array().unwrap().iter().find(|of| of["kind"] == kind);
            let shown = found.map_or(0, |of| cents(of, "amountCents"));
            assert_eq!(shown, known, "{kind} of {}", shop.house.code);
        }
    }
}

/// Cash that was taken out of drawers, for tips or to buy something.
fn taken_out(books: &Ledger, range: Range<'_>) -> i64 {
    let vouchers =
        books.journal.iter().filter(|((day, _), _)| (range.from..=range.to).contains(&day.as_str()));
    let bought: i64 = vouchers.filter_map(|(_, accounts)| accounts.get("Cash paid out")).sum();
    bought + books.sum(range.from, range.to, |day| day.tips_out)
}
