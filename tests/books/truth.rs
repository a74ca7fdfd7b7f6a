//! What must hold of the rows after every step, and what the readings must say of a date: each by SQL of this test's own.

use super::shop::Shop;
use edge::db::{Row, list};
use serde_json::Value;
use tiffin_tests::Client;

/// Rows that break a rule: the rule's name, and SQL that finds what breaks it (a text each).
const RULES: &[(&str, &str)] = &[
    (
        "an order is its lines and its rounding",
        "SELECT o.order_number || ': ' || o.total_cents || ' but ' || l.sum FROM orders o JOIN
           (SELECT o.id, o.rounding_cents + coalesce(sum(i.subtotal_cents - i.discount_cents + i.service_charge_cents + i.tax_cents), 0) AS sum
            FROM orders o LEFT JOIN order_items i ON i.order_id = o.id GROUP BY o.id) l ON l.id = o.id
         WHERE l.sum <> o.total_cents",
    ),
    (
        "a line's taxes are its tax",
        "SELECT l.name FROM order_items l LEFT JOIN (SELECT order_item_id, sum(tax_cents) AS tax FROM order_taxes GROUP BY 1) t
           ON t.order_item_id = l.id WHERE l.tax_cents <> coalesce(t.tax, 0) AND l.quantity > 0",
    ),
    (
        "a document's parts are its total",
        "SELECT number || ': ' || total_cents FROM invoices
         WHERE total_cents <> (body ->> 'subtotalCents') - (body ->> 'discountCents') + (body ->> 'serviceChargeCents')
             + (body ->> 'taxCents') + (body ->> 'roundingCents')
           OR total_cents <> (body ->> 'totalCents') OR tax_cents <> (body ->> 'taxCents')
           OR tax_cents <> (SELECT coalesce(sum(j.value ->> 'taxCents'), 0) FROM json_each(body, '$.taxes') j)
           OR (total_cents < 0) OR tax_cents < 0",
    ),
    (
        "a bill's lines are its total",
        "SELECT number FROM invoices i WHERE kind = 'INVOICE'
           AND total_cents <> (SELECT coalesce(sum(j.value ->> 'amountCents'), 0) FROM json_each(i.body, '$.lines') j)",
    ),
    (
        "a bill is its order",
        "SELECT i.number || ': ' || i.total_cents || ' but ' || o.total_cents FROM orders o JOIN invoices i ON i.id = o.invoice_id
         WHERE (o.slip_id IS NULL AND i.total_cents <> o.total_cents) OR i.tax_cents <> o.tax_cents OR i.business_date <> o.revenue_date",
    ),
    (
        "a slip, and the bill of the goods beside it, are their order",
        "SELECT s.number || ': ' || s.total_cents || ' but ' || o.total_cents FROM orders o JOIN order_slips s ON s.id = o.slip_id
           LEFT JOIN invoices i ON i.id = o.invoice_id
         WHERE s.total_cents + coalesce(i.total_cents, 0) <> o.total_cents OR s.business_date <> o.revenue_date
         UNION ALL SELECT s.number || ' gives back too much' FROM order_slips s WHERE s.kind = 'SLIP'
           AND s.total_cents < (SELECT coalesce(sum(total_cents), 0) FROM order_slips r WHERE r.refers_to_id = s.id)",
    ),
    (
        "documents are tenders, bad debt and what is open",
        "SELECT o.order_number || ' ' || o.status || ': documents ' || d.sum || ', tenders ' || t.sum || ', written off '
             || o.written_off_cents || ', due ' || (o.total_cents - o.paid_cents - o.credited_cents - o.written_off_cents)
         FROM orders o
         JOIN (SELECT o.id, coalesce(sum(CASE i.kind WHEN 'INVOICE' THEN i.total_cents ELSE -i.total_cents END), 0)               
                 + (SELECT coalesce(sum(CASE s.kind WHEN 'SLIP' THEN s.total_cents ELSE -s.total_cents END), 0) FROM order_slips s
                    WHERE s.order_id = o.id) AS sum
               FROM orders o LEFT JOIN invoices i ON i.order_id = o.id GROUP BY o.id) d ON d.id = o.id
         JOIN (SELECT o.id, (SELECT coalesce(sum(amount_cents), 0) FROM payments p WHERE p.order_id = o.id)
                 + (SELECT coalesce(sum(new_amount_cents - old_amount_cents), 0) FROM payment_corrections c WHERE c.order_id = o.id)
                 - (SELECT coalesce(sum(amount_cents), 0) FROM refunds r WHERE r.order_id = o.id) AS sum FROM orders o) t ON t.id = o.id
         -- What an operator gives back of an order that was paid to the house, the house owes to the operator.
         WHERE (o.slip_id IS NULL AND o.total_cents - o.paid_cents - o.credited_cents - o.written_off_cents < 0)
           OR CASE WHEN o.status = 'CANCELLED' THEN d.sum <> 0 OR t.sum <> 0
                WHEN o.invoice_id IS NULL AND o.slip_id IS NULL THEN d.sum <> 0
                  OR o.total_cents <> t.sum + (o.total_cents - o.paid_cents - o.credited_cents - o.written_off_cents)
                ELSE d.sum <> t.sum + o.written_off_cents + (o.total_cents - o.paid_cents - o.credited_cents - o.written_off_cents) END",
    ),
    (
        "what is completed is billed and owes nothing, or sold nothing",
        "SELECT order_number FROM orders WHERE status = 'COMPLETED'
           AND (CASE WHEN slip_id IS NULL THEN total_cents - paid_cents - credited_cents - written_off_cents <> 0
                  ELSE total_cents - paid_cents - credited_cents - written_off_cents > 0 END
             OR (invoice_id IS NULL AND slip_id IS NULL AND total_cents <> 0))",
    ),
    (
        "nothing is entered on a date that is closed",
        "SELECT 'invoice' FROM invoices x JOIN day_closes d ON d.business_date = x.business_date WHERE x.at > d.at
         UNION ALL SELECT 'slip' FROM order_slips x JOIN day_closes d ON d.business_date = x.business_date WHERE x.at > d.at
         UNION ALL SELECT 'payment' FROM payments x JOIN day_closes d ON d.business_date = x.business_date WHERE x.at > d.at
         UNION ALL SELECT 'refund' FROM refunds x JOIN day_closes d ON d.business_date = x.business_date WHERE x.at > d.at
         UNION ALL SELECT 'correction' FROM payment_corrections x JOIN day_closes d ON d.business_date = x.business_date WHERE x.at > d.at
         UNION ALL SELECT 'write-off' FROM write_offs x JOIN day_closes d ON d.business_date = x.business_date WHERE x.at > d.at
         UNION ALL SELECT 'void' FROM order_item_voids x JOIN day_closes d ON d.business_date = x.business_date WHERE x.at > d.at
         UNION ALL SELECT 'stock' FROM stock_movements x JOIN day_closes d ON d.business_date = x.business_date WHERE x.at > d.at",
    ),
];

/// What the rules say of the rows as they are.
pub async fn broken(shop: &Shop) -> Vec<String> {
    let mut found = Vec::new();
    for (rule, sql) in RULES {
        let text = |row: &Row<'_>| row.get::<_, String>(0);
        let wrong = shop.branch.db.read(move |conn| list(conn, sql, [], text)).await.unwrap();
        found.extend(wrong.into_iter().map(|what| format!("{rule}: {what}")));
    }
    found
}

/// What documents, tenders and open orders come to on a date.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Sums {
    net: i64,
    service: i64,
    tax: i64,
    rounding: i64,
    total: i64,
    money: i64,
    tips: i64,
    written_off: i64,
}

/// Bills less credit notes of the date `?1`, and slips less what operators gave back.
const DOCUMENTS: &str =
    "SELECT coalesce(sum(s * ((body ->> 'subtotalCents') - (body ->> 'discountCents'))), 0),
     coalesce(sum(s * (body ->> 'serviceChargeCents')), 0), coalesce(sum(s * tax_cents), 0),
     coalesce(sum(s * (body ->> 'roundingCents')), 0), coalesce(sum(s * total_cents), 0)
   FROM (SELECT CASE kind WHEN 'INVOICE' THEN 1 ELSE -1 END AS s, body, tax_cents, total_cents FROM invoices WHERE business_date = ?1
     UNION ALL SELECT CASE kind WHEN 'SLIP' THEN 1 ELSE -1 END, json_object('subtotalCents', total_cents, 'discountCents', 0,
       'serviceChargeCents', 0, 'roundingCents', 0), 0, total_cents FROM order_slips WHERE business_date = ?1)";

/// What is on its way and has no bill.
const OPEN: &str =
    "SELECT coalesce(sum(subtotal_cents - discount_cents), 0), coalesce(sum(service_charge_cents), 0),
     coalesce(sum(tax_cents), 0), coalesce(sum(rounding_cents), 0), coalesce(sum(total_cents), 0)
   FROM orders WHERE invoice_id IS NULL AND slip_id IS NULL AND status NOT IN ('COMPLETED', 'CANCELLED') AND ?1 = ?1";

/// Money of the date `?1`.
const MONEY: &str = "SELECT coalesce(sum(amount), 0), coalesce(sum(tip), 0), (SELECT coalesce(sum(amount_cents), 0) FROM write_offs
     WHERE business_date = ?1), 0, 0 FROM (
     SELECT amount_cents AS amount, tip_cents AS tip FROM payments WHERE business_date = ?1
     UNION ALL SELECT new_amount_cents - old_amount_cents, new_tip_cents - old_tip_cents FROM payment_corrections WHERE business_date = ?1
     UNION ALL SELECT -amount_cents, 0 FROM refunds WHERE business_date = ?1)";

async fn five(shop: &Shop, sql: &'static str, date: &str) -> [i64; 5] {
    let date = date.to_owned();
    let read = |row: &Row<'_>| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?]);
    shop.branch.db.read(move |conn| list(conn, sql, [date], read)).await.unwrap().remove(0)
}

async fn sums(shop: &Shop, date: &str) -> Sums {
    let [net, service, tax, rounding, total] = five(shop, DOCUMENTS, date).await;
    let [money, tips, written_off, ..] = five(shop, MONEY, date).await;
    Sums { net, service, tax, rounding, total, money, tips, written_off }
}

fn cents(of: &Value, name: &str) -> i64 {
    of[name].as_i64().unwrap_or_else(|| panic!("{name} in {of}"))
}

async fn totals(client: &Client, name: &str, date: &str) -> Value {
    let path = format!("/analytics/reports/{name}?from={date}&to={date}");
    client.get(&path).await.expect(200).data()["totals"].take()
}

/// The summary and the reports of a date against the rows.
pub async fn of_readings(shop: &Shop, date: &str, today: &str) {
    let client = shop.accountant();
    let known = sums(shop, date).await;
    let mut shown = known;
    if date == today {
        let [net, service, tax, rounding, total] = five(shop, OPEN, date).await;
        shown = Sums {
            net: known.net + net,
            service: known.service + service,
            tax: known.tax + tax,
            rounding: known.rounding + rounding,
            total: known.total + total,
            ..known
        };
    }
    let summary = client.get(&format!("/analytics/summary?from={date}&to={date}")).await.expect(200).json();
    let lines = &summary["profitAndLoss"];
    let payments = totals(&client, "payments", date).await;
    let said = Sums {
        net: cents(&summary, "netRevenueCents"),
        service: cents(lines, "serviceChargeCents"),
        tax: cents(&summary, "taxCents"),
        rounding: cents(lines, "roundingCents"),
        total: cents(&totals(&client, "sales", date).await, "totalCents"),
        money: cents(&payments, "netCents") - cents(&payments, "tipCents"),
        tips: cents(lines, "tipsCents"),
        written_off: known.written_off,
    };
    assert_eq!(said, shown, "the readings of {date}, asked on {today}");
    assert_eq!(cents(&totals(&client, "tax", date).await, "netTaxCents"), known.tax, "the tax of {date}");
    of_books(&client, date).await;
}

/// The accountant's reports of a date among themselves: the journal balances, channels owe what their report says, and what they keep of
/// slips is in it.
async fn of_books(client: &Client, date: &str) {
    let path = |name: &str| format!("/analytics/reports/{name}?from={date}&to={date}");
    let journal = client.get(&path("journal")).await.expect(200).data();
    assert_eq!(journal["totals"]["debit"], journal["totals"]["credit"], "the journal of {date}");
    let balance = |is: fn(&str) -> bool| -> i64 {
        let rows = journal["rows"].as_array().unwrap().iter().filter(|row| is(row[2].as_str().unwrap()));
        rows.map(|row| row[3].as_i64().unwrap() - row[4].as_i64().unwrap()).sum()
    };
    let channels = totals(client, "channels", date).await;
    let said = (balance(|name| name.ends_with(" receivable")), balance(|name| name == "Commission"));
    assert_eq!(
        said,
        (cents(&channels, "payoutCents"), cents(&channels, "commissionCents")),
        "channels on {date}"
    );
}

/// The report of a closed date against the rows, and that nothing was entered for it since.
pub async fn of_close(shop: &Shop, date: &str) {
    let report = shop.accountant().get(&format!("/day-close/{date}")).await.expect(200).data();
    let known = sums(shop, date).await;
    let sum = |list: &str, name: &str| -> i64 {
        report[list].as_array().unwrap().iter().map(|row| cents(row, name)).sum()
    };
    let said = Sums {
        net: cents(&report, "netRevenueCents"),
        service: cents(&report, "serviceChargeCents"),
        tax: sum("taxes", "taxCents") - sum("taxes", "creditedTaxCents"),
        rounding: cents(&report, "roundingCents"),
        total: cents(&report["invoices"], "totalCents") - cents(&report["creditNotes"], "totalCents")
            + cents(&report["operatorTaxed"], "amountCents")
            - cents(&report["operatorReturned"], "amountCents"),
        money: sum("payments", "netCents") - sum("payments", "tipCents"),
        tips: cents(&report, "tipCents"),
        written_off: cents(&report["writeOffs"], "amountCents"),
    };
    assert_eq!(said, known, "the close of {date}");
    let reconciled = &report["reconciliation"];
    assert_eq!(reconciled["isReconciled"], true, "{date}: {reconciled:#}");
    let line = |kind: &str| -> i64 {
        let lines = reconciled["lines"].as_array().unwrap().iter();
        lines.filter(|line| line["kind"] == kind).map(|line| cents(line, "amountCents")).sum()
    };
    let documents =
        ["BILLS", "CREDIT_NOTES", "OPERATOR_SLIPS", "OPERATOR_RETURNS"].map(line).iter().sum::<i64>();
    assert_eq!(documents, known.total, "the documents of {date}");
    assert_eq!((line("TENDER"), line("TIPS")), (known.money, known.tips), "the tenders of {date}");
    assert_eq!(
        documents + line("OPEN_BEFORE"),
        line("TENDER") + line("WRITE_OFFS") + line("OPEN_AFTER"),
        "{date}: {reconciled:#}"
    );
    assert_eq!(
        line("DRAWER") + line("OUTSIDE_DRAWERS") + line("SLIPS") + line("CHANNEL_PAYOUTS"),
        known.money + known.tips,
        "where the money of {date} is: {reconciled:#}"
    );
    let later = &report["afterClose"];
    let later = later.as_object().unwrap();
    assert!(later.values().all(|figure| *figure == 0), "{date} is closed: {later:?}");
}
