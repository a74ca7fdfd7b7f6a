//! Records that only ever come to be: what else a box says of them is put aside. Never looks at what head office holds.

use tiffin_common::frame::{Op, OpKind};
use tiffin_common::registry;

/// Why the changes are none that a box makes of its records, if they are not: it deletes none, and settles of them what may be settled.
pub(super) fn breach(ops: &[Op<'_>]) -> Option<String> {
    ops.iter().find_map(|op| {
        let table = registry::table(op.table)?;
        let settled = registry::settled(table.name)?;
        let settles = |column: usize| table.columns.get(column).is_some_and(|name| settled.contains(name));
        let verb = match op.kind {
            OpKind::Insert => return None,
            OpKind::Update if op.columns.iter().all(|(column, _)| settles(*column)) => return None,
            OpKind::Update => "changed",
            OpKind::Delete => "deleted",
        };
        Some(format!("a row of {} was {verb}: such rows only come to be", table.name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiffin_common::frame::Value;

    fn op(table: &str, kind: OpKind, column: &str) -> Op<'static> {
        let table = registry::TABLES.iter().find(|of| of.name == table).unwrap();
        let column = table.column(column).unwrap();
        let columns = if kind == OpKind::Delete { vec![] } else { vec![(column, Value::Null)] };
        Op { table: table.no, kind, key: Value::Null, saw: None, columns }
    }

    #[test]
    fn records_come_to_be_and_are_settled_and_nothing_else() {
        for fine in [
            op("payments", OpKind::Insert, "amount_cents"),
            op("payments", OpKind::Update, "refunded_cents"),
            op("order_item_voids", OpKind::Update, "order_id"),
            op("orders", OpKind::Delete, "id"),
        ] {
            assert_eq!(breach(&[fine]), None);
        }
        for wrong in [
            op("payments", OpKind::Update, "amount_cents"),
            op("payments", OpKind::Delete, "id"),
            op("audit_log", OpKind::Update, "reason"),
            op("invoices", OpKind::Delete, "id"),
            op("cash_movements", OpKind::Delete, "id"),
        ] {
            assert!(breach(&[op("orders", OpKind::Update, "status"), wrong]).is_some());
        }
    }
}
