//! Parties that change tables, and tables put together. Orders follow their party; nothing is cooked again.

use super::super::rules::{OrderError, OrderRecord, Result};
use super::super::store;
use crate::access::Actor;
use crate::db::Tx;
use crate::resources::audit::{self, Entry};
use crate::resources::tables::{Table, TableError};
use crate::resources::{kitchen, tables};
use tiffin_common::Uuid;

fn find(tx: &Tx<'_>, actor: &Actor, id: Uuid) -> Result<Option<Table>> {
    match tables::store::find(tx, actor.outlet_id, id) {
        Err(TableError::NotFound("table")) => Ok(None),
        found => Ok(Some(found?)),
    }
}

/// Moves the party at a table, with its open orders, to a free one. Answers the orders that moved.
///
/// # Errors
/// [`OrderError::NotFound`]; an offending `toTableId`; [`OrderError::State`] when nobody sits there, or the other is taken.
pub fn move_table(tx: &Tx<'_>, actor: &Actor, from: Uuid, to: Uuid) -> Result<Vec<OrderRecord>> {
    let from = find(tx, actor, from)?.ok_or(OrderError::NotFound("table"))?;
    let to =
        find(tx, actor, to)?.ok_or_else(|| OrderError::field("toTableId", "is no table of this outlet"))?;
    if from.id == to.id {
        return Err(OrderError::field("toTableId", "is the same table"));
    }
    let session = store::find_open_session(tx, actor.outlet_id, from.id)?
        .ok_or_else(|| OrderError::State(format!("Nobody sits at table {}", from.fields.number)))?;
    if store::find_open_session(tx, actor.outlet_id, to.id)?.is_some() {
        return Err(OrderError::State(format!("Table {} is taken: merge them instead", to.fields.number)));
    }
    tables::actions::move_session(tx, actor, session, to.id)?;
    let orders = reseat(tx, actor, session, session, &to)?;
    record(tx, actor, "table.transfer", &from, &to, &orders)?;
    Ok(orders)
}

/// Puts the parties at `others` together with the one at `into`: one seating, each keeping its orders. Answers the orders
/// that moved.
///
/// # Errors
/// [`OrderError::NotFound`]; offending `tableIds`; [`OrderError::State`] when nobody sits at any of them.
pub fn merge_tables(tx: &Tx<'_>, actor: &Actor, into: Uuid, others: &[Uuid]) -> Result<Vec<OrderRecord>> {
    let into = find(tx, actor, into)?.ok_or(OrderError::NotFound("table"))?;
    let mut tables_to_merge = Vec::with_capacity(others.len());
    let mut wrong = Vec::new();
    for (index, id) in others.iter().enumerate() {
        let name = format!("tableIds[{index}]");
        match find(tx, actor, *id)? {
            None => wrong.push(crate::http::FieldError::new(name, "is no table of this outlet")),
            Some(table) if table.id == into.id => {
                wrong.push(crate::http::FieldError::new(name, "is the same table"));
            }
            Some(table) => tables_to_merge.push(table),
        }
    }
    if !wrong.is_empty() {
        return Err(OrderError::Invalid(wrong));
    }
    let mut moved = Vec::new();
    let mut target = store::find_open_session(tx, actor.outlet_id, into.id)?;
    for table in tables_to_merge {
        let Some(session) = store::find_open_session(tx, actor.outlet_id, table.id)? else { continue };
        let orders = match target {
            None => {
                tables::actions::move_session(tx, actor, session, into.id)?;
                target = Some(session);
                reseat(tx, actor, session, session, &into)?
            }
            Some(target) => {
                // The orders leave first: the session closes with nothing open in it.
                let orders = reseat(tx, actor, session, target, &into)?;
                tables::actions::merge_sessions(tx, actor, target, &[session])?;
                orders
            }
        };
        record(tx, actor, "table.merge", &table, &into, &orders)?;
        moved.extend(orders);
    }
    if target.is_none() {
        return Err(OrderError::State("Nobody sits at any of these tables".into()));
    }
    Ok(moved)
}

/// Gives the open orders of `session` to `target` at `table`, and tells the kitchen where they go now.
fn reseat(
    tx: &Tx<'_>,
    actor: &Actor,
    session: Uuid,
    target: Uuid,
    table: &Table,
) -> Result<Vec<OrderRecord>> {
    let mut orders = store::list_of_session(tx, actor.outlet_id, session, true)?;
    for order in &mut orders {
        order.table_id = Some(table.id);
        order.table_number = Some(table.fields.number.clone());
        order.table_session_id = Some(target);
        store::update(tx, order)?;
        if order.dispatched_at.is_some() {
            kitchen::actions::retable(tx, actor, order.id, Some(&table.fields.number))?;
        }
    }
    Ok(orders)
}

fn record(
    tx: &Tx<'_>,
    actor: &Actor,
    action: &'static str,
    from: &Table,
    to: &Table,
    orders: &[OrderRecord],
) -> Result<()> {
    let numbers: Vec<&str> = orders.iter().map(|order| order.order_number.as_str()).collect();
    let entry = Entry::new(action, "table", Some(to.id))
        .before(&serde_json::json!({"table": from.fields.number, "orders": numbers}))
        .after(&serde_json::json!({"table": to.fields.number}));
    Ok(audit::actions::record(tx, actor, entry)?)
}
