//! What was confirmed to guests, looked up in the rows of a branch or of head office, by code that shares nothing with the product. Never
//! decides who is right where the two differ.

use crate::oracle::{Rows, columns, money_in};
use crate::trade::Ledger;
use rusqlite::types::Value;
use std::collections::{BTreeMap, BTreeSet};
use tiffin_common::Uuid;
use tiffin_common::registry;

/// Confirmed orders, bills and payments that `rows` do not hold, whatever lies in a review list; orders that took more than they cost without
/// a word of it there; money and stock that hang on no order.
pub fn sales_problems(rows: &Rows, ledger: &Ledger) -> Vec<String> {
    let place = |table: &'static str, column: &str| {
        columns(registry::table_named(table).unwrap()).iter().position(|name| *name == column).unwrap()
    };
    let mut problems = Vec::new();
    let lost = ledger.orders.iter().filter(|(id, _)| !rows["orders"].contains_key(id));
    problems.extend(lost.map(|(_, number)| format!("order {number} was confirmed and is not there")));
    let (cents, of) = (place("payments", "amount_cents"), place("payments", "order_id"));
    for (id, paid) in &ledger.payments {
        let found = rows["payments"].get(id).map(|row| &row[cents]);
        if found != Some(&Value::Integer(*paid)) {
            problems.push(format!("a payment of {paid} cents was confirmed; now it is {found:?}"));
        }
    }
    let (order, number) = (place("invoices", "order_id"), place("invoices", "number"));
    let billed: BTreeSet<_> =
        rows["invoices"].values().map(|row| format!("{:?} {:?}", row[order], row[number])).collect();
    for (id, given) in &ledger.invoices {
        let wanted = format!("{:?} {:?}", Value::Blob(id.as_bytes().to_vec()), Value::Text(given.clone()));
        if !billed.contains(&wanted) {
            problems.push(format!("bill {given} was confirmed and is not there"));
        }
    }
    let mut taken: BTreeMap<Vec<u8>, i64> = BTreeMap::new();
    for row in rows["payments"].values() {
        if let (Value::Blob(order), Value::Integer(paid)) = (&row[of], &row[cents]) {
            *taken.entry(order.clone()).or_default() += paid;
        }
    }
    let (reason, subject) = (place("sync_reviews", "reason"), place("sync_reviews", "row_id"));
    let told = |order: &[u8]| {
        rows["sync_reviews"].values().any(|row| {
            row[subject] == Value::Blob(order.to_vec()) && row[reason] != Value::Text("NUMBER_TAKEN".into())
        })
    };
    let (total, printed) = (place("orders", "total_cents"), place("orders", "order_number"));
    for (order, paid) in taken {
        let Some(row) = rows["orders"].get(&Uuid::from_slice(&order).unwrap()) else { continue };
        if matches!(row[total], Value::Integer(total) if total < paid) && !told(&order) {
            problems.push(format!("order {:?} took {paid} cents of {:?}", row[printed], row[total]));
        }
    }
    match money_in(rows).strays {
        0 => {}
        strays => problems.push(format!("{strays} rows of money and stock hang on no order")),
    }
    problems
}
