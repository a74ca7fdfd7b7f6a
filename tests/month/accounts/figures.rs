//! The Z-report, the summary, the dashboard, the reports of money and the assistant against the books kept by hand.

use super::arithmetic::half_away;
use super::ledger::{Day, Ledger, Money};
use super::returns::{Range, report};
use super::shop::{Sale, Shop};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tiffin_tests::Client;

pub fn cents(of: &Value, name: &str) -> i64 {
    of[name].as_i64().unwrap_or_else(|| panic!("{name} in {of}"))
}

#[track_caller]
pub fn equal(shown: &Value, known: &[(&str, i64)], what: &str) {
    for (name, known) in known {
        let shown = shown.pointer(&format!("/{}", name.replace('.', "/"))).unwrap_or(&Value::Null);
        assert_eq!(shown, known, "{name} of {what}");
    }
}

/// The Z-report of `date`, which has just been closed.
pub fn check_close(shop: &Shop, date: &str, report: &Value) {
    let none = Day::default();
    let day = shop.books.days.get(date).unwrap_or(&none);
    let documents = shop.books.documents(date, date);
    let sum = |is_credit: bool| {
        documents.iter().filter(|of| of.is_credit == is_credit).map(|of| of.amounts.total).sum::<i64>()
    };
    let count = |is_credit: bool| documents.iter().filter(|of| of.is_credit == is_credit).count() as i64;
    let sold = &day.sold;
    equal(
        report,
        &[
            ("sales.orderCount", day.orders),
            ("sales.guestCount", day.guests),
            ("sales.grossCents", sold.subtotal),
            ("sales.discountCents", sold.discount),
            ("sales.serviceChargeCents", sold.service),
            ("sales.taxCents", day.tax),
            ("sales.roundingCents", sold.rounding),
            ("netRevenueCents", day.net()),
            ("serviceChargeCents", day.service()),
            ("roundingCents", day.rounding()),
            ("tipCents", day.tips()),
            ("tipsPaidOut.amountCents", day.tips_out),
            ("corrections.count", day.corrections),
            ("reversals.count", day.reversals),
            ("writeOffs.amountCents", day.written_off),
            ("cancelled.count", day.cancelled),
            ("cash.overShortCents", day.over_short),
            ("losses.wasteCents", day.waste),
            ("losses.overShortCents", day.over_short),
            ("invoices.count", count(false)),
            ("invoices.totalCents", sum(false)),
            ("creditNotes.count", count(true)),
            ("creditNotes.totalCents", sum(true)),
            ("stockValueCents", shop.stock),
        ],
        &format!("the close of {date} at {}", shop.house.code),
    );
    let taxes = report["taxes"].as_array().unwrap().iter();
    let tax: i64 = taxes.map(|of| cents(of, "taxCents") - cents(of, "creditedTaxCents")).sum();
    assert_eq!(tax, day.net_tax(), "the tax of {date}");
    for (method, money) in day.money.iter().filter(|(_, money)| money.net() != 0) {
        let row = report["payments"].as_array().unwrap().iter().find(|row| row["method"] == *method);
        let row = row.unwrap_or_else(|| panic!("no {method} on {date}"));
        let known = [
            ("amountCents", money.amount),
            ("tipCents", money.tip),
            ("refundedCents", money.refunded),
            ("netCents", money.net()),
        ];
        equal(row, &known, &format!("{method} of {date}"));
    }
    let slips = |is_return: bool| {
        let of = shop.books.slips.iter().filter(|slip| slip.date == date && slip.is_return == is_return);
        of.map(|slip| slip.total).sum::<i64>()
    };
    equal(
        report,
        &[("operatorTaxed.amountCents", slips(false)), ("operatorReturned.amountCents", slips(true))],
        date,
    );
    assert_eq!(report["reconciliation"]["isReconciled"], true, "{date}: {:#}", report["reconciliation"]);
    let open = shop.sales.iter().filter(|sale| !sale.is_done).count();
    assert_eq!(report["openOrders"].as_array().unwrap().len(), open, "open after {date}");
}

/// What the books say of a range.
pub fn headline(books: &Ledger, range: Range<'_>) -> Vec<(&'static str, i64)> {
    let sum = |pick: fn(&Day) -> i64| books.sum(range.from, range.to, pick);
    let (orders, net) = (sum(|day| day.orders), sum(Day::net));
    vec![
        ("grossRevenueCents", sum(|day| day.sold.subtotal)),
        ("discountCents", sum(|day| day.sold.discount)),
        ("refundCents", sum(|day| day.refunds)),
        ("netRevenueCents", net),
        ("taxCents", sum(Day::net_tax)),
        ("ordersCount", orders),
        ("guestsCount", sum(|day| day.guests)),
        ("averageOrderValueCents", if orders > 0 { half_away(net, orders) } else { 0 }),
        ("cogsCents", sum(|day| day.cogs)),
        ("foodWasteCents", sum(|day| day.waste)),
        ("profitAndLoss.serviceChargeCents", sum(Day::service)),
        ("profitAndLoss.roundingCents", sum(Day::rounding)),
        ("profitAndLoss.tipsCents", sum(Day::tips)),
    ]
}

/// The money of a range by method.
pub fn money(books: &Ledger, range: Range<'_>) -> BTreeMap<&'static str, Money> {
    let mut sums: BTreeMap<&'static str, Money> = BTreeMap::new();
    for (_, day) in books.days.range(range.from.to_owned()..=range.to.to_owned()) {
        for (method, of) in &day.money {
            let sum = sums.entry(method).or_default();
            sum.payments += of.payments;
            sum.amount += of.amount;
            sum.tip += of.tip;
            sum.refunds += of.refunds;
            sum.refunded += of.refunded;
        }
    }
    sums
}

/// Summary, days, and the reports of sales, money, tips, corrections, servers, channels and dishes, of dates that are over.
pub async fn check(client: &Client, books: &Ledger, range: Range<'_>) {
    let summary = client.get(&format!("/analytics/summary?{}", range.query())).await.expect(200).json();
    equal(&summary, &headline(books, range), "the summary");
    let daily = client.get(&format!("/analytics/daily?{}", range.query())).await.expect(200).data();
    let sales = report(client, "sales", range).await;
    let none = Day::default();
    for shown in daily["days"].as_array().unwrap() {
        let date = shown["businessDate"].as_str().unwrap();
        let day = books.days.get(date).unwrap_or(&none);
        let known = [
            ("ordersCount", day.orders),
            ("grossRevenueCents", day.sold.subtotal),
            ("netRevenueCents", day.net()),
            ("cogsCents", day.cogs),
        ];
        equal(shown, &known, date);
        let row = json!([
            date,
            day.orders,
            day.guests,
            day.sold.subtotal,
            day.sold.discount,
            day.refunds,
            day.net(),
            day.service(),
            day.net_tax(),
            day.rounding(),
            day.total()
        ]);
        let shown = sales["rows"].as_array().unwrap().iter().find(|row| row[0] == date);
        assert_eq!(shown.unwrap_or(&json!([date, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])), &row, "sales of {date}");
    }
    let sum = |pick: fn(&Day) -> i64| books.sum(range.from, range.to, pick);
    assert_eq!(sales["totals"]["totalCents"], sum(Day::total));
    let payments = report(client, "payments", range).await;
    let known: Vec<Value> = money(books, range)
        .iter()
        .map(|(method, of)| {
            json!([method, of.payments, of.amount, of.tip, of.refunds, of.refunded, of.net()])
        })
        .collect();
    assert_eq!(payments["rows"], json!(known), "payments");
    let (tips, corrected) = (sum(Day::tips), sum(|day| day.tips_corrected));
    let known = [
        ("receivedCents", tips - corrected),
        ("correctedCents", corrected),
        ("paidOutCents", sum(|day| day.tips_out)),
    ];
    equal(&report(client, "tips", range).await["totals"], &known, "tips");
    let notes: i64 = books
        .documents(range.from, range.to)
        .iter()
        .filter(|of| of.is_credit)
        .map(|of| of.amounts.total)
        .sum();
    let put_right = sum(|day| day.corrected) - sum(|day| day.written_off) - notes;
    assert_eq!(report(client, "corrections", range).await["totals"]["amountCents"], put_right, "corrections");
    let known = [
        ("ordersCount", sum(|day| day.orders)),
        ("coversCount", sum(|day| day.guests)),
        ("grossRevenueCents", sum(|day| day.sold.subtotal)),
        ("discountCents", sum(|day| day.sold.discount)),
        ("refundCents", sum(|day| day.refunds)),
        ("netRevenueCents", sum(Day::net)),
        ("tipCents", tips),
    ];
    equal(&report(client, "servers", range).await["totals"], &known, "servers");
    check_channel(&report(client, "channels", range).await, books, range);
    check_dishes(client, books, range).await;
}

fn check_channel(shown: &Value, books: &Ledger, range: Range<'_>) {
    let mut sums = [0_i64; 8];
    for (_, day) in books.days.range(range.from.to_owned()..=range.to.to_owned()) {
        sums.iter_mut().zip(day.channel).for_each(|(sum, of)| *sum += of);
    }
    let [orders, gross, discount, tax, total, commission, paid, back] = sums;
    let row = json!([
        "Swiggy",
        "OPERATOR",
        orders,
        gross,
        discount,
        tax,
        total,
        commission,
        paid,
        paid - commission,
        back
    ]);
    let known = if sums != [0; 8] { json!([row]) } else { json!([]) };
    assert_eq!(shown["rows"], known, "the channel");
}

async fn check_dishes(client: &Client, books: &Ledger, range: Range<'_>) {
    let mut known: BTreeMap<&str, (i64, i64)> = BTreeMap::new();
    for (_, day) in books.days.range(range.from.to_owned()..=range.to.to_owned()) {
        for (dish, (quantity, net)) in &day.dishes {
            let sum = known.entry(dish).or_default();
            *sum = (sum.0 + quantity, sum.1 + net);
        }
    }
    let shown =
        client.get(&format!("/analytics/top-sellers?limit=100&{}", range.query())).await.expect(200).data();
    let shown: BTreeMap<&str, (i64, i64)> = shown["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (item["name"].as_str().unwrap(), (cents(item, "quantity"), cents(item, "revenueCents"))))
        .collect();
    // What sold nothing is listed, too.
    let is_sold = |(_, sold): &(&&str, &(i64, i64))| **sold != (0, 0);
    let (shown, known): (Vec<_>, Vec<_>) =
        (shown.iter().filter(is_sold).collect(), known.iter().filter(is_sold).collect());
    assert_eq!(shown, known, "the dishes");
}

/// The dashboard and the summary of the present date, on which open orders count, too.
pub async fn check_today(shop: &Shop) {
    let today = shop.today();
    let none = Day::default();
    let day = shop.books.days.get(&today).unwrap_or(&none);
    let open: Vec<&Sale> = shop.sales.iter().filter(|sale| !sale.is_done && sale.bill.is_none()).collect();
    let (gross, tax) = open.iter().fold((0, 0), |sum, sale| (sum.0 + sale.gross(), sum.1 + sale.tax()));
    let dashboard = shop.owner.get("/dashboard").await.expect(200).data();
    assert_eq!(dashboard["businessDate"], today);
    let count = day.orders + open.len() as i64;
    equal(
        &dashboard,
        &[("sales.todayCents", day.sold.subtotal + gross), ("sales.ordersCount", count)],
        "the dashboard",
    );
    let summary = shop.owner.get("/analytics/summary").await.expect(200).json();
    let known = [
        ("grossRevenueCents", day.sold.subtotal + gross),
        ("taxCents", day.net_tax() + tax),
        ("openOrders", open.len() as i64),
        ("openOrdersGrossCents", gross),
        ("openOrdersTaxCents", tax),
    ];
    equal(&summary, &known, "today's summary");
}
