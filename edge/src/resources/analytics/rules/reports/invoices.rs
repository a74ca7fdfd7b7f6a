//! What suppliers want to be paid against what they brought. Never decides what belongs together: that is purchasing's rule.

use crate::report_row;
use crate::resources::analytics::rules::period::Range;
use crate::resources::analytics::rules::report::{Column, Table, Unit};
use crate::resources::purchase_orders::rules::invoices::{Billed, billed_by, matched};
use tiffin_common::{Cents, Overflow};

const SUPPLIER_INVOICES: &[Column] = &[
    Column::new("purchaseOrderId", "Purchase order id", Unit::Text),
    Column::new("poNumber", "Purchase order", Unit::Text),
    Column::new("supplier", "Supplier", Unit::Text),
    Column::new("ref", "Invoice", Unit::Text),
    Column::new("businessDate", "Date", Unit::Text),
    Column::new("totalCents", "Total", Unit::Cents),
    Column::new("taxCents", "Tax", Unit::Cents),
    Column::new("deliveredCents", "Delivered", Unit::Cents),
    Column::new("differenceCents", "Difference", Unit::Cents),
    Column::new("status", "Status", Unit::Text),
    Column::new("acceptedBy", "Accepted by", Unit::Text),
];

/// Invoices entered in the range, each with what came of it; and what came in the range that no invoice is for yet (`NO_INVOICE`).
///
/// # Errors
/// [`Overflow`].
pub fn supplier_invoices(orders: &[Billed], range: Range) -> Result<Table, Overflow> {
    let mut rows = Vec::new();
    let is_in = |date| (range.from..=range.to).contains(&date);
    for billed in orders {
        let order = &billed.order;
        let brought: Vec<_> = billed.deliveries.iter().map(|(_, brought)| brought.clone()).collect();
        for (invoice, found) in billed.invoices.iter().zip(matched(&billed.invoices, &brought)?) {
            if !is_in(invoice.business_date) {
                continue;
            }
            let accepted = invoice.accepted_by_name.clone().filter(|_| !found.is_open).unwrap_or_default();
            rows.push(report_row![
                order.id.to_string(),
                order.po_number.as_str(),
                order.supplier_name.as_str(),
                invoice.reference.as_str(),
                invoice.business_date.to_string(),
                invoice.total,
                invoice.tax,
                found.delivered,
                found.difference,
                found.status.name(),
                accepted
            ]);
        }
        let places = billed_by(&billed.invoices, &brought);
        for ((date, brought), place) in billed.deliveries.iter().zip(places) {
            if place.is_some() || !is_in(*date) {
                continue;
            }
            rows.push(report_row![
                order.id.to_string(),
                order.po_number.as_str(),
                order.supplier_name.as_str(),
                brought.reference.clone().unwrap_or_default(),
                date.to_string(),
                Cents::ZERO,
                Cents::ZERO,
                brought.total,
                Cents::ZERO.minus(brought.total)?,
                "NO_INVOICE",
                ""
            ]);
        }
    }
    Table::new(SUPPLIER_INVOICES, rows)
}
