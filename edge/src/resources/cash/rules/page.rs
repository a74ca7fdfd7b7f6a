//! A day's report as a page to read and to print, on A4 or on a roll of 80 mm. Never computes an amount; runs no script. Pure.

use super::printed::{Money, Reading, percent};
use super::reconcile::ReconciledKind;
use super::report::ZReport;
use crate::http::html::document;
use chrono::NaiveDate;
use maud::{Markup, html};
use tiffin_common::Cents;

const STYLE: &str = "body{font:14px/1.35 system-ui,sans-serif;color:#000;background:#fff;max-width:46rem;margin:1rem auto;padding:0 .75rem}\
h1{font-size:1.35rem;margin:0}h2{font-size:1rem;margin:1rem 0 .2rem;border-bottom:1px solid #000;break-after:avoid}\
header p{margin:.1rem 0}table{width:100%;border-collapse:collapse;break-inside:avoid}\
th{font-weight:600;text-align:right}th:first-child{text-align:left}td{padding:.1rem 0;vertical-align:top}\
td+td{text-align:right;white-space:nowrap;padding-left:.75rem;font-variant-numeric:tabular-nums}\
tr.sum td{font-weight:700;border-top:1px solid #000}.warn{font-weight:700;border:2px solid #000;padding:.3rem}\
main{columns:17rem 2;column-gap:2rem}section{break-inside:avoid}section:first-child h2{margin-top:0}\
@media (max-width:30rem){body{font-size:12px;margin:0;padding:0 .25rem}h1{font-size:1.1rem}}\
@media print{body{margin:0;padding:0;max-width:none;font-size:9.5pt}@page{margin:4mm}}";

/// Who and what a page is of.
#[derive(Debug, Clone, Copy)]
pub struct Of<'a> {
    /// The outlet's name.
    pub house: &'a str,
    /// Its currency.
    pub currency: &'a str,
    /// The business date.
    pub date: NaiveDate,
    /// Of a closed day, or one that goes on.
    pub reading: Reading,
    /// When it was closed, or this was read, on the outlet's clock.
    pub at: &'a str,
}

/// Rows of names and amounts.
struct Pairs<'a> {
    money: Money<'a>,
    rows: Vec<(String, String, bool)>,
}

impl<'a> Pairs<'a> {
    fn new(currency: &'a str) -> Pairs<'a> {
        Pairs { money: Money(currency), rows: Vec::new() }
    }

    fn amount(&mut self, name: impl Into<String>, amount: Cents) {
        self.rows.push((name.into(), self.money.show(amount), false));
    }

    /// What is nothing mostly is left out then.
    fn rare(&mut self, name: impl Into<String>, amount: Cents) {
        if amount != Cents::ZERO {
            self.amount(name, amount);
        }
    }

    fn counted(&mut self, name: &str, count: i64, amount: Cents) {
        if count != 0 || amount != Cents::ZERO {
            self.amount(format!("{name} ({count})"), amount);
        }
    }

    fn text(&mut self, name: impl Into<String>, text: impl Into<String>) {
        self.rows.push((name.into(), text.into(), false));
    }

    fn sum(&mut self, name: impl Into<String>, amount: Cents) {
        self.rows.push((name.into(), self.money.show(amount), true));
    }

    fn section(self, title: &str) -> Markup {
        html! {
            @if !self.rows.is_empty() {
                section {
                    h2 { (title) }
                    table { tbody {
                        @for (name, amount, is_sum) in &self.rows {
                            tr.sum[*is_sum] { td { (name) } td { (amount) } }
                        }
                    } }
                }
            }
        }
    }
}

/// The page of `report`.
pub fn page(of: &Of<'_>, report: &ZReport) -> String {
    let title = match of.reading {
        Reading::X => "X report: the day is open".to_owned(),
        Reading::Z(number) => format!("Z report {number}"),
    };
    let body = html! {
        header {
            h1 { (of.house) }
            p { strong { (title) } ", business date " (of.date.format("%A %-d %B %Y")) }
            p { (of.at) ", amounts in " (of.currency) }
        }
        main {
            (sales(of, report))
            (taxes(of, report))
            (money(of, report))
            (documents(of, report))
            (taken_off(of, report))
            (drawers(of, report))
            (reconciled(of, report))
            (open(of, report))
        }
    };
    let head = html! { meta name="viewport" content="width=device-width,initial-scale=1"; };
    document(&format!("{title} {}", of.date), STYLE, head, body).into_string()
}

fn sales(of: &Of<'_>, report: &ZReport) -> Markup {
    let mut pairs = Pairs::new(of.currency);
    for part in &report.sales_by_type {
        let name = spoken(part.order_type.name());
        pairs.amount(format!("{name} ({})", part.sales.order_count), part.sales.total_cents);
    }
    let sales = &report.sales;
    pairs.text("Orders, guests", format!("{}, {}", sales.order_count, sales.guest_count));
    pairs.amount("Gross, without tax", sales.gross_cents);
    pairs.amount("Discounts", Cents::ZERO.minus(sales.discount_cents).unwrap_or_default());
    pairs.amount("Service charge", sales.service_charge_cents);
    pairs.amount("Tax", sales.tax_cents);
    pairs.amount("Rounding", sales.rounding_cents);
    pairs.sum("Billed", sales.total_cents);
    pairs.amount("Net revenue after credit notes", report.net_revenue_cents);
    pairs.amount("Service charge after credit notes", report.service_charge_cents);
    pairs.section("Sales")
}

fn taxes(of: &Of<'_>, report: &ZReport) -> Markup {
    let show = |amount: Cents| Money(of.currency).show(amount);
    html! {
        @if !report.taxes.is_empty() {
            section {
                h2 { "Tax, by documents" }
                table {
                    thead { tr { th { "Tax" } th { "On" } th { "Credited" } th { "Tax" } } }
                    tbody {
                        @for tax in &report.taxes {
                            tr {
                                td { (tax.name) " " (percent(tax.rate_bps)) " %" }
                                td { (show(tax.taxable_cents)) }
                                td { (show(tax.credited_tax_cents)) }
                                td { (show(tax.tax_cents.minus(tax.credited_tax_cents).unwrap_or_default())) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn money(of: &Of<'_>, report: &ZReport) -> Markup {
    let mut pairs = Pairs::new(of.currency);
    for method in &report.payments {
        pairs.amount(format!("{} ({})", method.method.name(), method.payment_count), method.net_cents);
    }
    pairs.amount("Tips in these", report.tip_cents);
    pairs.counted("Tips paid out", report.tips_paid_out.count, report.tips_paid_out.amount_cents);
    pairs.section("Money, tips included")
}

fn documents(of: &Of<'_>, report: &ZReport) -> Markup {
    let mut pairs = Pairs::new(of.currency);
    for (name, documents) in [("Bills", &report.invoices), ("Credit notes", &report.credit_notes)] {
        pairs.amount(format!("{name} ({})", documents.count), documents.total_cents);
        if let (Some(first), Some(last)) = (&documents.first_number, &documents.last_number) {
            pairs.text("  from", first.clone());
            pairs.text("  to", last.clone());
        }
    }
    let (taxed, returned) = (&report.operator_taxed, &report.operator_returned);
    pairs.counted("Billed by operators of channels", taxed.count, taxed.amount_cents);
    pairs.counted("Given back by operators", returned.count, returned.amount_cents);
    pairs.section("Documents")
}

fn taken_off(of: &Of<'_>, report: &ZReport) -> Markup {
    let mut pairs = Pairs::new(of.currency);
    let (losses, voids) = (&report.losses, &report.voids);
    pairs.counted("Discounts", report.discounts.count, report.discounts.amount_cents);
    pairs.counted("Voids", voids.count, voids.amount_cents);
    pairs.rare("  of these made, at cost", voids.cost_cents);
    pairs.counted("Cancelled orders", report.cancelled.count, report.cancelled.amount_cents);
    pairs.counted("Refunds", report.refunds.count, report.refunds.amount_cents);
    pairs.counted("Payments that did not hold", report.reversals.count, report.reversals.amount_cents);
    pairs.counted("Payments put right, in tips", report.corrections.count, report.corrections.amount_cents);
    pairs.counted("Written off", report.write_offs.count, report.write_offs.amount_cents);
    pairs.counted("Paid out of drawers", losses.pay_outs.count, losses.pay_outs.amount_cents);
    pairs.counted("Put into drawers", losses.pay_ins.count, losses.pay_ins.amount_cents);
    if losses.no_sale_count != 0 {
        pairs.text("Drawer opened without a sale", losses.no_sale_count.to_string());
    }
    pairs.rare("Thrown away, at cost", losses.waste_cents);
    pairs.section("Taken off, put right, lost")
}

fn drawers(of: &Of<'_>, report: &ZReport) -> Markup {
    let mut pairs = Pairs::new(of.currency);
    for drawer in &report.cash.sessions {
        let name = format!("Drawer {} of {}", drawer.drawer, drawer.opened_by);
        pairs.text(name, spoken(drawer.status.name()));
        pairs.amount("Expected", drawer.expected_cents);
        if let (Some(counted), Some(over_short)) = (drawer.counted_cents, drawer.over_short_cents) {
            pairs.amount("Counted", counted);
            pairs.sum("Over or short", over_short);
        }
    }
    pairs.rare("Cash outside drawers", report.cash.outside_drawers_cents);
    pairs.section("Drawers")
}

fn reconciled(of: &Of<'_>, report: &ZReport) -> Markup {
    let known = &report.reconciliation;
    let mut documents = Pairs::new(of.currency);
    let mut places = Pairs::new(of.currency);
    for line in &known.lines {
        let is_place = matches!(
            line.kind,
            ReconciledKind::Drawer
                | ReconciledKind::OutsideDrawers
                | ReconciledKind::Slips
                | ReconciledKind::ChannelPayouts
                | ReconciledKind::Tips
        );
        let pairs = if is_place { &mut places } else { &mut documents };
        pairs.rare(line.name.clone(), line.amount_cents);
    }
    html! {
        (documents.section("Documents = tenders + open"))
        (places.section("Tenders and tips = drawers + slips"))
        @if !known.is_reconciled {
            p.warn {
                "Not reconciled: documents " (Money(of.currency).show(known.documents_difference_cents))
                ", money " (Money(of.currency).show(known.places_difference_cents))
            }
        }
    }
}

fn open(of: &Of<'_>, report: &ZReport) -> Markup {
    let mut pairs = Pairs::new(of.currency);
    for order in &report.open_orders {
        pairs.amount(
            format!("{} of {}, due", order.order_number, Money(of.currency).show(order.total_cents)),
            order.due_cents,
        );
    }
    for drawer in &report.open_drawers {
        pairs.text(format!("Drawer {}", drawer.drawer), "not counted");
    }
    pairs.section("Open")
}

/// `DINE_IN` as `Dine in`.
fn spoken(name: &str) -> String {
    let text = name.to_lowercase().replace('_', " ");
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
