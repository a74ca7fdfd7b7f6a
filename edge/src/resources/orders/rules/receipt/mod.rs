//! A bill on paper: what stands on it, line by line. The same rows become plain text, HTML and printer bytes. Never computes
//! an amount: every figure is the bill's own.

mod html;

pub use html::{POLICY, html};

use super::invoices::{Bill, BillLine, InvoiceKind};
use crate::paper::Row;
use chrono_tz::Tz;
use tiffin_common::{Bps, Cents};

/// A payment on a receipt.
#[derive(Debug, Clone)]
pub struct Paid {
    /// Such as CASH.
    pub method: &'static str,
    /// What it settled.
    pub amount: Cents,
    /// On top.
    pub tip: Cents,
    /// Notes and coins handed over.
    pub tendered: Option<Cents>,
    /// Handed back.
    pub change: Cents,
}

/// What stands beside the bill on a receipt.
#[derive(Debug, Clone)]
pub struct Settlement {
    /// The payments.
    pub payments: Vec<Paid>,
    /// Still to be paid.
    pub due: Cents,
    /// Given back.
    pub refunded: Cents,
    /// What the guest shows that the bill is theirs.
    pub code: Option<String>,
    /// What the guest is called.
    pub guest: Option<String>,
}

/// The rows of `bill`, its times in `zone`. A bill without a number is a preview and says so.
pub fn rows(bill: &Bill, settlement: &Settlement, zone: Tz) -> Vec<Row> {
    let mut rows = Vec::with_capacity(32);
    head(bill, settlement.guest.as_deref(), zone, &mut rows);
    rows.push(Row::Rule);
    for line in &bill.lines {
        line_rows(line, &mut rows);
    }
    rows.push(Row::Rule);
    sums(bill, &mut rows);
    if bill.kind == InvoiceKind::Invoice {
        paid(settlement, &mut rows);
    }
    rows.push(Row::Rule);
    rows.extend(settlement.code.iter().map(|code| Row::Pair("Receipt code".into(), code.clone())));
    rows.push(Row::Centre("Thank you".into()));
    rows
}

fn head(bill: &Bill, guest: Option<&str>, zone: Tz, rows: &mut Vec<Row>) {
    rows.push(Row::Title(bill.outlet.name.clone()));
    let outlet = &bill.outlet;
    rows.extend(
        outlet.address.iter().flat_map(|address| address.lines()).map(|line| Row::Centre(line.to_owned())),
    );
    rows.extend(outlet.phone.iter().map(|phone| Row::Centre(format!("Tel {phone}"))));
    rows.extend(outlet.tax_id.iter().map(|id| Row::Centre(format!("GSTIN {id}"))));
    rows.extend(outlet.licence_number.iter().map(|id| Row::Centre(format!("FSSAI {id}"))));
    rows.push(Row::Rule);
    let title = match (bill.kind, bill.number.is_empty()) {
        (InvoiceKind::Invoice, true) => "PREVIEW - NOT A TAX INVOICE",
        (InvoiceKind::Invoice, false) => "TAX INVOICE",
        (InvoiceKind::CreditNote, _) => "CREDIT NOTE",
    };
    rows.push(Row::Centre(title.into()));
    if !bill.number.is_empty() {
        rows.push(Row::Pair("No.".into(), bill.number.clone()));
    }
    if let Some(reference) = &bill.refers_to {
        rows.push(Row::Pair("For invoice".into(), reference.number.clone()));
    }
    let local = bill.at.to_utc().with_timezone(&zone);
    rows.push(Row::Pair("Date".into(), local.format("%d-%m-%Y %H:%M").to_string()));
    rows.push(Row::Pair("Order".into(), bill.order_number.clone()));
    rows.extend(bill.table_number.iter().map(|table| Row::Pair("Table".into(), table.clone())));
    rows.extend(guest.map(|name| Row::Pair("Guest".into(), name.to_owned())));
    rows.extend(bill.reason.iter().map(|reason| Row::Plain(format!("Reason: {reason}"))));
}

fn line_rows(line: &BillLine, rows: &mut Vec<Row>) {
    rows.push(Row::Plain(line.name.clone()));
    rows.extend(line.modifiers.iter().map(|name| Row::Plain(format!("  + {name}"))));
    let hsn = line.hsn_sac.as_ref().map(|code| format!("  HSN {code}")).unwrap_or_default();
    rows.push(Row::Pair(
        format!("  {} x {}{hsn}", line.quantity, money(line.unit_price_cents)),
        money(line.gross_cents),
    ));
}

fn sums(bill: &Bill, rows: &mut Vec<Row>) {
    let mut pair = |name: &str, amount: Cents| {
        if amount != Cents::ZERO {
            rows.push(Row::Pair(name.to_owned(), money(amount)));
        }
    };
    pair("Subtotal", bill.subtotal_cents);
    pair("Discount", Cents::ZERO.minus(bill.discount_cents).unwrap_or_default());
    pair("Service charge", bill.service_charge_cents);
    for tax in &bill.taxes {
        let name = format!("{} {} on {}", tax.name, percent(tax.rate_bps), money(tax.taxable_cents));
        rows.push(Row::Pair(name, money(tax.tax_cents)));
    }
    if bill.rounding_cents != Cents::ZERO {
        rows.push(Row::Pair("Rounding".into(), money(bill.rounding_cents)));
    }
    let total = match bill.kind {
        InvoiceKind::Invoice => "TOTAL",
        InvoiceKind::CreditNote => "REFUNDED",
    };
    rows.push(Row::Strong(format!("{total} {}", bill.outlet.currency), money(bill.total_cents)));
    if bill.prices_include_tax && bill.tax_cents != Cents::ZERO {
        rows.push(Row::Plain("Prices include tax".into()));
    }
}

fn paid(settlement: &Settlement, rows: &mut Vec<Row>) {
    for payment in &settlement.payments {
        rows.push(Row::Pair(payment.method.to_owned(), money(payment.amount)));
        if payment.tip != Cents::ZERO {
            rows.push(Row::Pair("  Tip".into(), money(payment.tip)));
        }
        if let Some(tendered) = payment.tendered.filter(|_| payment.change != Cents::ZERO) {
            rows.push(Row::Pair("  Given".into(), money(tendered)));
            rows.push(Row::Pair("  Change".into(), money(payment.change)));
        }
    }
    if settlement.refunded != Cents::ZERO {
        rows.push(Row::Pair("Given back".into(), money(settlement.refunded)));
    }
    if settlement.due != Cents::ZERO {
        rows.push(Row::Strong("DUE".into(), money(settlement.due)));
    }
}

/// What a phone reads of the bill: number, date, currency, total and, where there is one, the receipt code.
pub fn code(bill: &Bill, settlement: &Settlement) -> Option<String> {
    let mut parts =
        vec![bill.number.clone(), bill.business_date.to_string(), bill.outlet.currency.to_string()];
    parts.push(money(bill.total_cents));
    parts.extend(settlement.code.clone());
    (!bill.number.is_empty()).then(|| parts.join(" "))
}

/// `1234.50`; every currency of the outlets has a hundredth.
pub fn money(amount: Cents) -> String {
    let sign = if amount < Cents::ZERO { "-" } else { "" };
    let cents = amount.get().unsigned_abs();
    format!("{sign}{}.{:02}", cents / 100, cents % 100)
}

/// `2.5%`.
fn percent(rate: Bps) -> String {
    let (whole, part) = (rate.get() / 100, rate.get() % 100);
    let number = format!("{whole}.{part:02}");
    format!("{}%", number.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::{TEXT_COLUMNS, text};

    #[test]
    fn amounts_and_rates_are_written_for_people() {
        assert_eq!(money(Cents::new(123_450)), "1234.50");
        assert_eq!(money(Cents::new(-5)), "-0.05");
        assert_eq!(percent(Bps::new(250)), "2.5%");
        assert_eq!(percent(Bps::new(500)), "5%");
        assert_eq!(percent(Bps::new(1_000)), "10%");
    }

    #[test]
    fn both_forms_show_the_same_and_html_is_escaped() {
        let rows = vec![
            Row::Title("Fish & <Chips>".into()),
            Row::Pair(
                "Very long name of a dish that does not fit on one line of paper".into(),
                "10.00".into(),
            ),
            Row::Rule,
            Row::Strong("TOTAL INR".into(), "10.00".into()),
        ];
        let plain = text(&rows);
        assert!(plain.lines().all(|line| line.chars().count() <= TEXT_COLUMNS), "{plain}");
        assert!(plain.contains("TOTAL INR") && plain.contains("10.00"));
        let page = html("Bill", false, &rows);
        assert!(page.contains("Fish &amp; &lt;Chips&gt;") && !page.contains("<Chips>"));
    }
}
