//! A bill on paper: what stands on it, line by line. The same rows become plain text, HTML and printer bytes. Never computes
//! an amount: every figure is the bill's own.

mod html;

pub use html::{POLICY, html};

use super::bill::BillCombo;
use super::invoices::{Bill, BillLine, InvoiceKind};
use crate::paper::Row;
use crate::resources::outlets::rules::profile::Mark;
use crate::resources::outlets::rules::{Profile, TaxScheme};
use chrono_tz::Tz;
use tiffin_common::{Bps, Cents, currency};

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
    /// The payments; of a credit note what was given back.
    pub payments: Vec<Paid>,
    /// Still to be paid.
    pub due: Cents,
    /// Given back.
    pub refunded: Cents,
    /// What the guest shows that the bill is theirs.
    pub code: Option<String>,
    /// Of an order whose operator makes the bill: the number of its slip, empty while it has none.
    pub slip: Option<String>,
    /// What the guest is called.
    pub guest: Option<String>,
    /// Where the guest is, as far as they said.
    pub address: Option<String>,
}

/// The rows of `bill`, its times in `zone`. A bill without a number is a preview and says so.
pub fn rows(bill: &Bill, settlement: &Settlement, zone: Tz) -> Vec<Row> {
    let paper = Paper { bill, profile: Profile::of(&bill.outlet.country) };
    let mut rows = Vec::with_capacity(32);
    paper.head(settlement, zone, &mut rows);
    rows.push(Row::Rule);
    let mut combo = None;
    for line in &bill.lines {
        match &line.combo {
            Some(of) => {
                if combo.replace(of.order_item_id) != Some(of.order_item_id) {
                    paper.combo(of, line.quantity, &mut rows);
                }
                paper.component(line, of, &mut rows);
            }
            None => paper.line(line, &mut rows),
        }
    }
    // A credit note of an amount has no lines.
    if !bill.lines.is_empty() {
        rows.push(Row::Rule);
    }
    paper.sums(&mut rows);
    if bill.kind == InvoiceKind::Invoice {
        paper.paid(settlement, &mut rows);
    } else {
        let back = |paid: &Paid| Row::Pair(format!("Given back: {}", paid.method), paper.money(paid.amount));
        rows.extend(settlement.payments.iter().map(back));
    }
    rows.push(Row::Rule);
    rows.extend(settlement.code.iter().map(|code| Row::Pair("Receipt code".into(), code.clone())));
    rows.push(Row::Centre("Thank you".into()));
    rows
}

fn lines(text: &str) -> impl Iterator<Item = Row> {
    text.lines().map(|line| Row::Plain(line.to_owned()))
}

/// A bill as its country wants it on paper.
struct Paper<'a> {
    bill: &'a Bill,
    profile: &'static Profile,
}

impl Paper<'_> {
    fn money(&self, amount: Cents) -> String {
        currency::major(amount, &self.bill.outlet.currency)
    }

    /// What bills are called, with its article.
    fn article(&self) -> String {
        let title = self.profile.title(self.bill.outlet.tax_scheme);
        let article = if title.starts_with(['A', 'E', 'I', 'O', 'U']) { "AN" } else { "A" };
        format!("{article} {title}")
    }

    /// The business that the bill is made out to.
    fn buyer(&self, tax_id: &str, rows: &mut Vec<Row>) {
        let bill = self.bill;
        rows.extend(bill.customer_legal_name.iter().map(|name| Row::Pair("Bill to".into(), name.clone())));
        rows.extend(bill.customer_address.iter().flat_map(|address| lines(address)));
        rows.push(Row::Pair(format!("Buyer's {}", self.profile.tax_id.label), tax_id.to_owned()));
    }

    fn title(&self) -> String {
        let title = self.profile.title(self.bill.outlet.tax_scheme);
        match (self.bill.kind, self.bill.number.is_empty()) {
            (InvoiceKind::Invoice, true) => format!("PREVIEW - NOT {}", self.article()),
            (InvoiceKind::Invoice, false) => title.to_owned(),
            (InvoiceKind::CreditNote, _) => self.profile.titles.credit.clone(),
        }
    }

    fn head(&self, settlement: &Settlement, zone: Tz, rows: &mut Vec<Row>) {
        let (bill, outlet) = (self.bill, &self.bill.outlet);
        rows.push(Row::Title(outlet.name.clone()));
        let address = outlet.address.iter().flat_map(|address| address.lines());
        rows.extend(address.map(|line| Row::Centre(line.to_owned())));
        rows.extend(outlet.phone.iter().map(|phone| Row::Centre(format!("Tel {phone}"))));
        let is_registered = matches!(outlet.tax_scheme, TaxScheme::Regular | TaxScheme::Composition);
        let tax_id = outlet.tax_id.iter().filter(|_| is_registered);
        rows.extend(tax_id.map(|id| Row::Centre(format!("{} {id}", self.profile.tax_id.label))));
        let licence = self.profile.licence_label.iter().zip(&outlet.licence_number);
        rows.extend(licence.map(|(label, id)| Row::Centre(format!("{label} {id}"))));
        rows.push(Row::Rule);
        rows.push(Row::Centre(match settlement.slip {
            Some(_) => format!("ORDER SLIP - NOT {}", self.article()),
            None => self.title(),
        }));
        let legend =
            self.profile.composition.as_ref().filter(|_| outlet.tax_scheme == TaxScheme::Composition);
        rows.extend(legend.map(|composition| Row::Centre(composition.legend.clone())));
        let number = settlement.slip.as_ref().unwrap_or(&bill.number);
        if !number.is_empty() {
            rows.push(Row::Pair("No.".into(), number.clone()));
        }
        if let Some(reference) = &bill.refers_to {
            rows.push(Row::Pair("For invoice".into(), reference.number.clone()));
        }
        let local = bill.at.to_utc().with_timezone(&zone);
        rows.push(Row::Pair("Date".into(), local.format("%d-%m-%Y %H:%M").to_string()));
        rows.push(Row::Pair("Order".into(), bill.order_number.clone()));
        rows.extend(bill.table_number.iter().map(|table| Row::Pair("Table".into(), table.clone())));
        match &bill.customer_tax_id {
            Some(id) => self.buyer(id, rows),
            None => {
                rows.extend(settlement.guest.iter().map(|name| Row::Pair("Guest".into(), name.clone())));
                rows.extend(settlement.address.iter().flat_map(|address| lines(address)));
            }
        }
        rows.extend(bill.reason.iter().map(|reason| Row::Pair("Reason".into(), reason.clone())));
    }

    /// The mark that stands behind what is taxed as `line` is.
    fn mark(&self, line: &BillLine) -> Option<&Mark> {
        self.profile.mark(self.bill.supplies.get(line.supply)?.rate().ok()?)
    }

    fn line(&self, line: &BillLine, rows: &mut Vec<Row>) {
        let mark = self.mark(line).map(|mark| format!(" {}", mark.mark)).unwrap_or_default();
        rows.push(Row::Plain(format!("{}{mark}", line.name)));
        rows.extend(line.modifiers.iter().map(|name| Row::Plain(format!("  + {name}"))));
        let code = self.code(line);
        let amount = match line.weight.zip(line.weight_unit) {
            Some((weight, unit)) => unit.said(weight),
            None => line.quantity.to_string(),
        };
        let apart = line.modifiers_cents.map(|cents| format!(" + {}", self.money(cents))).unwrap_or_default();
        rows.push(Row::Pair(
            format!("  {amount} x {}{apart}{code}", self.money(line.unit_price_cents)),
            self.money(line.gross_cents),
        ));
    }

    /// The code of what was sold, as its country wants it printed.
    fn code(&self, line: &BillLine) -> String {
        let code = self.profile.item_code.as_ref().zip(line.hsn_sac.as_ref());
        code.map(|(of, code)| format!("  {} {code}", of.label)).unwrap_or_default()
    }

    /// A combo; its components stand below it.
    fn combo(&self, combo: &BillCombo, quantity: i64, rows: &mut Vec<Row>) {
        rows.push(Row::Plain(combo.name.clone()));
        rows.push(Row::Pair(
            format!("  {quantity} x {}", self.money(combo.unit_price_cents)),
            self.money(combo.price_cents),
        ));
    }

    /// A component of a combo, with what it asks on top.
    fn component(&self, line: &BillLine, combo: &BillCombo, rows: &mut Vec<Row>) {
        let mark = self.mark(line).map(|mark| format!(" {}", mark.mark)).unwrap_or_default();
        let name = format!("  - {}{mark}{}", line.name, self.code(line));
        rows.push(match combo.extra_cents {
            Cents::ZERO => Row::Plain(name),
            extra => Row::Pair(name, self.money(extra)),
        });
        rows.extend(line.modifiers.iter().map(|name| Row::Plain(format!("    + {name}"))));
    }

    fn sums(&self, rows: &mut Vec<Row>) {
        let bill = self.bill;
        let mut pair = |name: &str, amount: Cents| {
            if amount != Cents::ZERO {
                rows.push(Row::Pair(name.to_owned(), self.money(amount)));
            }
        };
        pair("Subtotal", bill.subtotal_cents);
        pair("Discount", Cents::ZERO.minus(bill.discount_cents).unwrap_or_default());
        pair("Service charge", bill.service_charge_cents);
        for tax in &bill.taxes {
            let name = format!("{} {} on {}", tax.name, percent(tax.rate_bps), self.money(tax.taxable_cents));
            rows.push(Row::Pair(name, self.money(tax.tax_cents)));
        }
        if bill.rounding_cents != Cents::ZERO {
            rows.push(Row::Pair("Rounding".into(), self.money(bill.rounding_cents)));
        }
        let total = match bill.kind {
            InvoiceKind::Invoice => "TOTAL",
            InvoiceKind::CreditNote => "CREDITED",
        };
        rows.push(Row::Strong(format!("{total} {}", bill.outlet.currency), self.money(bill.total_cents)));
        if bill.prices_include_tax && bill.tax_cents != Cents::ZERO {
            let text = self.profile.included_text.as_deref().unwrap_or("Prices include tax");
            rows.push(Row::Centre(text.to_owned()));
        }
        let marks = self.profile.marks.iter();
        let used = marks.filter(|mark| {
            let has = |line| self.mark(line).is_some_and(|of_line| of_line.rate_bps == mark.rate_bps);
            bill.lines.iter().any(has)
        });
        rows.extend(used.map(|mark| Row::Plain(format!("{} ({})", mark.text, percent(mark.rate_bps)))));
    }

    fn paid(&self, settlement: &Settlement, rows: &mut Vec<Row>) {
        for payment in &settlement.payments {
            rows.push(Row::Pair(payment.method.to_owned(), self.money(payment.amount)));
            if payment.tip != Cents::ZERO {
                rows.push(Row::Pair("  Tip".into(), self.money(payment.tip)));
            }
            if let Some(tendered) = payment.tendered.filter(|_| payment.change != Cents::ZERO) {
                rows.push(Row::Pair("  Given".into(), self.money(tendered)));
                rows.push(Row::Pair("  Change".into(), self.money(payment.change)));
            }
        }
        if settlement.refunded != Cents::ZERO {
            rows.push(Row::Pair("Given back".into(), self.money(settlement.refunded)));
        }
        if settlement.due != Cents::ZERO {
            rows.push(Row::Strong("DUE".into(), self.money(settlement.due)));
        }
    }
}

/// What a phone reads of the bill: number, date, currency, total and, where there is one, the receipt code.
pub fn code(bill: &Bill, settlement: &Settlement) -> Option<String> {
    let mut parts =
        vec![bill.number.clone(), bill.business_date.to_string(), bill.outlet.currency.to_string()];
    parts.push(currency::major(bill.total_cents, &bill.outlet.currency));
    parts.extend(settlement.code.clone());
    (!bill.number.is_empty()).then(|| parts.join(" "))
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
    fn rates_are_written_for_people() {
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
        let page = html("Bill", None, &rows);
        assert!(page.contains("Fish &amp; &lt;Chips&gt;") && !page.contains("<Chips>"));
    }
}
