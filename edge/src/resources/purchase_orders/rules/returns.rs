//! What goes back to a supplier, checked against what they brought. Never more of a batch than came of it and has not gone back before.

use super::lines::measure;
use super::prices::{larger_cost, stock_cost};
use super::record::{Delivery, DeliveryLine, OrderLine};
use crate::http::Checks;
use crate::resources::inventory::rules::StockItem;
use crate::resources::inventory::rules::units::{self, Ratio};
use chrono::NaiveDate;
use std::collections::HashMap;
use tiffin_common::{Cents, Millis, Overflow, Quantity, UnitCost, Uuid};

/// Something of a batch that goes back, as a client names it.
#[derive(Debug, Clone)]
pub struct ReturnDraft {
    /// The batch.
    pub batch_id: Uuid,
    /// How much.
    pub quantity: Quantity,
    /// Of which unit; the one it was delivered in where absent.
    pub unit: Option<String>,
    /// What the supplier owes for one such unit; what was paid where absent.
    pub unit_cost: Option<UnitCost>,
    /// Why.
    pub reason: String,
}

table! {
    /// A debit note: what went back at one time.
    pub struct PurchaseReturn: purchase_returns {
        /// Id: the cause of its movements of stock.
        pub id: Uuid,
        /// `DN/{outletCode}/{fiscalYear}-{nnn}`.
        pub number: String,
        /// A note.
        pub note: Option<String>,
        /// The sum of its lines, without tax.
        pub total: Cents => total_cents,
        /// What the supplier's invoices charged on that.
        pub tax: Cents => tax_cents,
        /// Its business date.
        pub business_date: NaiveDate,
        /// When.
        pub at: Millis,
        /// Who sent it back.
        pub by_name: String,
        /// What went back.
        pub lines: Vec<ReturnLine> => none,
    }
}

table! {
    /// What went back of one batch.
    pub struct ReturnLine: purchase_return_lines {
        /// Id.
        pub id: Uuid,
        /// The order's line.
        pub order_line_id: Uuid => purchase_order_line_id,
        /// The batch.
        pub batch_id: Uuid,
        /// Its number.
        pub batch_number: String,
        /// How much, in `unit`.
        pub quantity: Quantity,
        /// What it goes back in.
        pub unit: String,
        /// What the supplier owes for one such unit.
        pub unit_cost: UnitCost,
        /// For all of it.
        pub total: Cents => total_cents,
        /// How much, in the item's unit.
        pub stock_quantity: Quantity,
        /// Why.
        pub reason: String,
    }
}

/// What an order's deliveries brought, by batch; and what of it has gone back, in the item's unit.
#[derive(Debug)]
pub struct Brought<'a> {
    /// The order's lines.
    pub lines: &'a [OrderLine],
    /// What came.
    pub deliveries: &'a [Delivery],
    /// What went back before.
    pub returns: &'a [PurchaseReturn],
}

impl Brought<'_> {
    fn came(&self, batch: Uuid) -> impl Iterator<Item = &DeliveryLine> {
        self.deliveries.iter().flat_map(|delivery| &delivery.lines).filter(move |line| line.batch_id == batch)
    }

    /// What of a batch can still go back.
    fn left(&self, batch: Uuid) -> Result<Quantity, Overflow> {
        let mut left = Quantity::ZERO;
        for line in self.came(batch) {
            left = left.plus(line.stock_quantity)?;
        }
        for line in self.returns.iter().flat_map(|back| &back.lines).filter(|line| line.batch_id == batch) {
            left = left.minus(line.stock_quantity)?;
        }
        Ok(left)
    }

    /// The stock item of a batch.
    pub fn item_of(&self, batch: Uuid) -> Option<Uuid> {
        let came = self.came(batch).next()?;
        let line = self.lines.iter().find(|line| line.id == came.order_line_id)?;
        Some(line.ordered.stock_item_id)
    }
}

/// The lines that `drafts` name, each with an id of `new_id`; `items` are those of their batches and what is left there. Offending fields
/// go to `checks`; their lines are left out.
///
/// # Errors
/// When a number leaves the range.
pub fn checked(
    drafts: &[ReturnDraft],
    brought: &Brought<'_>,
    items: &HashMap<Uuid, (StockItem, Quantity)>,
    checks: &mut Checks,
    new_id: &dyn Fn() -> Uuid,
) -> Result<Vec<ReturnLine>, Overflow> {
    let mut lines: Vec<ReturnLine> = Vec::with_capacity(drafts.len());
    for (i, draft) in drafts.iter().enumerate() {
        let path = format!("items[{i}]");
        let Some(came) = brought.came(draft.batch_id).next() else {
            checks.add(format!("{path}.batchId"), "did not come with this purchase order");
            continue;
        };
        checks.require(!draft.reason.trim().is_empty(), format!("{path}.reason"), "must not be blank");
        let Some((item, on_shelf)) = items.get(&draft.batch_id) else {
            checks.add(format!("{path}.batchId"), "is of an item that is archived");
            continue;
        };
        let unit = draft.unit.as_deref().unwrap_or(&came.unit);
        let Some(measured) = measure(draft.quantity, Some(unit), item, &path, "quantity", checks)? else {
            continue;
        };
        let mut before = Quantity::ZERO;
        for line in lines.iter().filter(|line| line.batch_id == draft.batch_id) {
            before = before.plus(line.stock_quantity)?;
        }
        let most = brought.left(draft.batch_id)?.min(*on_shelf).minus(before)?;
        if measured.stock_quantity > most {
            let reason =
                format!("is more than can go back of {}: {most} {}", came.batch_number, item.draft.unit);
            checks.add(format!("{path}.quantity"), reason);
            continue;
        }
        let unit_cost = match draft.unit_cost {
            Some(cost) => cost,
            None if measured.unit == came.unit => came.unit_cost,
            None => paid(came, item, measured.factor)?,
        };
        lines.push(ReturnLine {
            id: new_id(),
            order_line_id: came.order_line_id,
            batch_id: draft.batch_id,
            batch_number: came.batch_number.clone(),
            quantity: draft.quantity,
            total: unit_cost.cost(draft.quantity)?,
            unit: measured.unit,
            unit_cost,
            stock_quantity: measured.stock_quantity,
            reason: draft.reason.trim().to_owned(),
        });
    }
    Ok(lines)
}

/// What was paid for one of a unit `factor` times as large as the item's.
fn paid(came: &DeliveryLine, item: &StockItem, factor: Ratio) -> Result<UnitCost, Overflow> {
    let of = units::factor(&came.unit, &item.draft.unit, &item.draft.unit_conversions).unwrap_or(Ratio::ONE);
    larger_cost(stock_cost(came.unit_cost, of)?, factor)
}

/// `DN/{outletCode}/{fiscalYear}-{nnn}`; in a later life of the box its letter stands before the last part.
pub fn number(outlet_code: &str, fiscal_year: &str, letter: Option<char>, serial: i64) -> String {
    format!("DN/{outlet_code}/{fiscal_year}{}{serial:03}", letter.unwrap_or('-'))
}

/// The counter that debit notes of a fiscal year are numbered from.
pub fn series(fiscal_year: &str, letter: Option<char>) -> String {
    match letter {
        Some(letter) => format!("DEBIT_NOTE:{fiscal_year}:{letter}"),
        None => format!("DEBIT_NOTE:{fiscal_year}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_debit_note_is_numbered_by_fiscal_year_and_life() {
        assert_eq!(number("BLR1", "2627", None, 7), "DN/BLR1/2627-007");
        assert_eq!(number("BLR1", "2627", Some('A'), 1234), "DN/BLR1/2627A1234");
        assert_eq!(series("2627", None), "DEBIT_NOTE:2627");
        assert_eq!(series("2627", Some('A')), "DEBIT_NOTE:2627:A");
    }
}
