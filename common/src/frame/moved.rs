//! What an older version wrote in one table, as the row of another that it is today. Never touches what this version writes.

use super::{Op, OpKind, Value};
use crate::registry::{self, KEY};

/// Orders and feedback once named their guest themselves: such a new row brings the guest's own, which has its id.
pub(super) fn guests(ops: &mut Vec<Op<'_>>) {
    let moved: Vec<_> = ops.iter().filter_map(guest_in).collect();
    ops.extend(moved);
}

fn guest_in<'a>(op: &Op<'a>) -> Option<Op<'a>> {
    let table = registry::table(op.table).filter(|_| op.kind == OpKind::Insert)?;
    if !matches!(table.name, "orders" | "feedback") {
        return None;
    }
    let value = |name: &str| op.value(table, name).filter(|value| *value != Value::Null);
    let (name, phone) = (value("retired_customer_name"), value("retired_customer_phone"));
    name.or(phone)?;
    let row = [(KEY, value(KEY)), ("outlet_id", value("outlet_id")), ("name", name), ("phone", phone)];
    let guests = registry::table_named("guests")?;
    let columns = guests.live_columns().filter_map(|(place, column)| {
        let (_, value) = row.iter().find(|(name, _)| *name == column)?;
        Some((place, (*value)?))
    });
    let columns = columns.collect();
    Some(Op { table: guests.no, kind: OpKind::Insert, key: Value::Null, saw: None, columns })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Uuid;

    fn order(kind: OpKind, columns: &[(&str, Value<'static>)]) -> Op<'static> {
        let table = registry::table_named("orders").unwrap();
        let place = |name: &str| table.column(name).unwrap();
        let columns = columns.iter().map(|(name, value)| (place(name), *value)).collect();
        Op { table: table.no, kind, key: Value::Null, saw: None, columns }
    }

    #[test]
    fn who_ordered_becomes_a_row_of_its_own() {
        let (id, outlet) = (Value::Id(Uuid::from_u128(1)), Value::Id(Uuid::from_u128(2)));
        let named =
            [("id", id), ("outlet_id", outlet), ("retired_customer_phone", Value::Text("98450 12345"))];
        let nobody = [("id", id), ("outlet_id", outlet), ("retired_customer_name", Value::Null)];
        let mut ops = vec![
            order(OpKind::Insert, &named),
            order(OpKind::Insert, &nobody),
            order(OpKind::Update, &named),
        ];
        guests(&mut ops);
        assert_eq!(ops.len(), 4);
        let guest = ops.last().unwrap();
        assert_eq!((guest.table, guest.kind), (registry::table_named("guests").unwrap().no, OpKind::Insert));
        assert_eq!(guest.columns, [(0, id), (1, outlet), (3, Value::Text("98450 12345"))]);
    }
}
