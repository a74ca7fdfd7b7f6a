//! Reports of sales and money. Never a cost of stock but in the profit and loss.

use super::weight_cells;
use crate::report_row;
use crate::resources::analytics::rules::figures::{ProfitAndLoss, Sums};
use crate::resources::analytics::rules::money::{Hundredths, parts_of_micros, percent};
use crate::resources::analytics::rules::report::{Cell, Column, Table, Unit};
use crate::resources::analytics::rules::rows::{
    DiscountKey, Discounted, Money, Names, Revenue, Taxed, Voided,
};
use crate::resources::menu::rules::weights::Weights;
use crate::resources::orders::rules::PaymentMethod;
use chrono::NaiveDate;
use std::collections::BTreeMap;
use tiffin_common::{Bps, Overflow};

const SALES: &[Column] = &[
    Column::new("businessDate", "Business date", Unit::Date),
    Column::new("ordersCount", "Orders", Unit::Count),
    Column::new("guestsCount", "Guests", Unit::Count),
    Column::new("grossRevenueCents", "Gross revenue", Unit::Cents),
    Column::new("discountCents", "Discounts", Unit::Cents),
    Column::new("refundCents", "Refunds", Unit::Cents),
    Column::new("netRevenueCents", "Net revenue", Unit::Cents),
    Column::new("serviceChargeCents", "Service charge", Unit::Cents),
    Column::new("taxCents", "Tax", Unit::Cents),
    Column::new("roundingCents", "Rounding", Unit::Cents),
    Column::new("totalCents", "Total", Unit::Cents),
];

/// Sales by business date. The total is net revenue + service charge + tax + rounding: what the guests owe, less refunds.
///
/// # Errors
/// [`Overflow`].
pub fn sales(days: &BTreeMap<NaiveDate, Sums>) -> Result<Table, Overflow> {
    let mut rows = Vec::with_capacity(days.len());
    for (date, sums) in days {
        let Revenue { orders, guests, gross, discount, .. } = sums.revenue;
        let (net, tax, service, rounding) = (sums.net()?, sums.tax()?, sums.service()?, sums.rounding()?);
        let total = net.plus(service)?.plus(tax)?.plus(rounding)?;
        let refund = sums.refunded.amount;
        rows.push(report_row![
            *date, orders, guests, gross, discount, refund, net, service, tax, rounding, total
        ]);
    }
    Table::new(SALES, rows)
}

const PAYMENTS: &[Column] = &[
    Column::new("method", "Method", Unit::Text),
    Column::new("paymentsCount", "Payments", Unit::Count),
    Column::new("amountCents", "Amount", Unit::Cents),
    Column::new("tipCents", "Tips", Unit::Cents),
    Column::new("refundsCount", "Refunds", Unit::Count),
    Column::new("refundedCents", "Given back", Unit::Cents),
    Column::new("netCents", "Net", Unit::Cents),
];

/// Money that moved, by method; the net is amount + tips − given back.
///
/// # Errors
/// [`Overflow`].
pub fn payments(methods: &BTreeMap<PaymentMethod, Money>) -> Result<Table, Overflow> {
    let mut methods = Vec::from_iter(methods);
    methods.sort_by_key(|(method, _)| method.name());
    let mut rows = Vec::with_capacity(methods.len());
    for (method, Money { payments, amount, tip, refunds, refunded }) in methods {
        let net = amount.plus(*tip)?.minus(*refunded)?;
        rows.push(report_row![method.name(), *payments, *amount, *tip, *refunds, *refunded, net]);
    }
    Table::new(PAYMENTS, rows)
}

const TAX: &[Column] = &[
    Column::new("name", "Tax", Unit::Text),
    Column::new("rate", "Rate", Unit::Percent),
    Column::new("taxableCents", "Taxable", Unit::Cents),
    Column::new("taxCents", "Tax amount", Unit::Cents),
    Column::new("creditedTaxableCents", "Taxable of credit notes", Unit::Cents),
    Column::new("creditedTaxCents", "Tax of credit notes", Unit::Cents),
    Column::new("netTaxableCents", "Net taxable", Unit::Cents),
    Column::new("netTaxCents", "Net tax", Unit::Cents),
];

/// Tax by component and rate, less credit notes.
///
/// # Errors
/// [`Overflow`].
pub fn tax(taxes: &BTreeMap<(String, Bps), Taxed>) -> Result<Table, Overflow> {
    let mut rows = Vec::with_capacity(taxes.len());
    for ((name, rate), sums) in taxes {
        rows.push(report_row![
            name.as_str(),
            Hundredths::new(rate.get()),
            sums.taxable,
            sums.tax,
            sums.credited_taxable,
            sums.credited_tax,
            sums.taxable.minus(sums.credited_taxable)?,
            sums.tax.minus(sums.credited_tax)?
        ]);
    }
    Table::new(TAX, rows)
}

const DISCOUNTS: &[Column] = &[
    Column::new("reason", "Reason", Unit::Text),
    Column::new("type", "Type", Unit::Text),
    Column::new("givenBy", "Given by", Unit::Text),
    Column::new("approvedBy", "Approved by", Unit::Text),
    Column::new("discountsCount", "Discounts", Unit::Count),
    Column::new("amountCents", "Amount", Unit::Cents),
];

/// Discounts by reason and who gave and approved them, the largest sums first.
///
/// # Errors
/// [`Overflow`].
pub fn discounts(
    discounts: BTreeMap<DiscountKey, Discounted>,
    accounts: &Names,
    employees: &Names,
) -> Result<Table, Overflow> {
    let mut list: Vec<_> = discounts.into_iter().collect();
    list.sort_by_key(|(_, given)| std::cmp::Reverse(given.amount));
    let rows = list.into_iter().map(|(key, given)| {
        let (by, approver) = (accounts.get(key.by), employees.get(key.approver));
        report_row![key.reason, key.kind.name(), by, approver, given.discounts, given.amount]
    });
    Table::new(DISCOUNTS, rows.collect())
}

const VOIDS: &[Column] = &[
    Column::new("reason", "Reason", Unit::Text),
    Column::new("made", "Made", Unit::Text),
    Column::new("voidedBy", "Voided by", Unit::Text),
    Column::new("approvedBy", "Approved by", Unit::Text),
    Column::new("voidsCount", "Voids", Unit::Count),
    Column::new("quantity", "Portions", Unit::Count),
    Column::new("amountCents", "Amount", Unit::Cents),
    Column::new("costCents", "Cost", Unit::Cents),
    Column::new("kind", "Kind", Unit::Text),
    Column::new("weight", "Weight", Unit::Quantity),
    Column::new("weightUnit", "Unit of weight", Unit::Text),
];

/// Portions taken off orders by kind (VOID, LESS, CANCEL), reason, whether they had been made (YES, NO) and by whom, the largest sums
/// first, with what those weighed that are sold by weight. A weighed line that weighs less now is a void of no portion. Amounts are menu
/// prices; the cost is that of what was thrown away.
///
/// # Errors
/// [`Overflow`].
pub fn voids(mut voids: Vec<Voided>, accounts: &Names, employees: &Names) -> Result<Table, Overflow> {
    voids.sort_by_key(|void| std::cmp::Reverse(void.amount));
    let micros: Vec<i64> = voids.iter().map(|void| void.cost_micros).collect();
    let mut rows = Vec::with_capacity(voids.len());
    for (void, cost) in voids.into_iter().zip(parts_of_micros(&micros)?) {
        let made = if void.was_made { "YES" } else { "NO" };
        let (by, approver) = (accounts.get(void.by_id), employees.get(void.approver_id));
        let kind = void.kind.name();
        let [weight, unit] = weight_cells(Weights { grams: void.grams, ounces: void.ounces }, None)?;
        let (count, quantity, amount) = (void.count, void.quantity, void.amount);
        rows.push(report_row![
            void.reason,
            made,
            by,
            approver,
            count,
            quantity,
            amount,
            cost,
            kind,
            weight,
            unit
        ]);
    }
    Table::new(VOIDS, rows)
}

const PNL: &[Column] = &[
    Column::new("key", "Key", Unit::Text),
    Column::new("line", "Line", Unit::Text),
    Column::new("amountCents", "Amount", Unit::Cents),
    Column::new("percentOfNetRevenue", "Share of net revenue", Unit::Percent),
];

/// Profit and loss, line by line, with the names of the summary's `profitAndLoss`.
///
/// # Errors
/// [`Overflow`].
pub fn pnl(sums: &Sums) -> Result<Table, Overflow> {
    let p = ProfitAndLoss::of(sums)?;
    let lines = [
        ("grossRevenueCents", "Gross revenue", p.gross_revenue_cents),
        ("discountCents", "Discounts", p.discount_cents),
        ("refundCents", "Refunds", p.refund_cents),
        ("netRevenueCents", "Net revenue", p.net_revenue_cents),
        ("serviceChargeCents", "Service charge", p.service_charge_cents),
        ("cogsCents", "Cost of goods sold", p.cogs_cents),
        ("foodWasteCents", "Food waste", p.food_waste_cents),
        ("stockVarianceCents", "Stock variance", p.stock_variance_cents),
        ("grossProfitCents", "Gross profit", p.gross_profit_cents),
        ("laborCostCents", "Labor", p.labor_cost_cents),
        ("primeCostCents", "Prime cost", p.prime_cost_cents),
        ("roundingCents", "Rounding", p.rounding_cents),
        ("operatingProfitCents", "Operating profit", p.operating_profit_cents),
        ("taxCents", "Tax collected", p.tax_cents),
        ("tipsCents", "Tips", p.tips_cents),
    ];
    let mut rows: Vec<Vec<Cell>> = Vec::with_capacity(lines.len());
    for (key, label, amount) in lines {
        rows.push(report_row![key, label, amount, percent(amount, p.net_revenue_cents)?]);
    }
    Ok(Table::of_lines(PNL, rows))
}
