//! The staff are told, once, of an order that did not come when it was promised.

use super::super::rules::Result;
use super::super::store;
use crate::db::Tx;
use crate::resources::notifications::{self, Audience, Notice, Severity};
use crate::resources::outlets;
use tiffin_common::Uuid;

/// Tells of every order of the outlet that is late and was not told of; answers how many.
pub fn tell_overdue(tx: &Tx<'_>, outlet_id: Uuid) -> Result<usize> {
    let today = outlets::store::find(tx, outlet_id)?.business_date(tx.now());
    let late = store::list_untold_overdue(tx, outlet_id, today)?;
    for order in &late {
        let (number, supplier) = (&order.po_number, &order.supplier_name);
        let notice = Notice {
            kind: "PO_OVERDUE",
            severity: Severity::Warning,
            title: format!("{supplier} is late with {number}"),
            body: format!("It was promised for {}. Ask them, or close it short.", order.expected_on),
            audience: Audience::Staff,
            entity: Some(("purchase_order", order.id)),
            dedupe_key: format!("PO_OVERDUE:{}", order.id),
        };
        notifications::actions::notify(tx, outlet_id, notice)?;
        store::set_overdue_told(tx, outlet_id, order.id)?;
    }
    Ok(late.len())
}
