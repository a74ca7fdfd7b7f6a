//! Rows as head office or a lost part of the log has them, and what waits for a decision.

use crate::db::{Result, Source, Tx, list, one, opt};
use crate::log::{Job, RowKey, with_row};
use rusqlite::types::ToSql;
use rusqlite::{Connection, params};
use tiffin_common::digest::{bucket_of, ids_of_day};
use tiffin_common::frame::{Bucket, Value};
use tiffin_common::registry::{KEY, RETIRED, Table};
use tiffin_common::sync::OutletCard;
use tiffin_common::{Millis, Uuid};

/// Makes the row exactly `columns` (what is not named is null, or stays where the table allows no null); columns that this
/// version does not know are left out. Whether anything changed.
pub(in super::super) fn set_row(
    tx: &Tx<'_>,
    table: &'static Table,
    id: Uuid,
    columns: &[(usize, Value<'_>)],
) -> Result<bool> {
    let given = |column: usize| columns.iter().find(|(no, _)| *no == column).map(|(_, value)| value);
    let mut differing = Vec::new();
    let found = with_row(tx, table, id, |held| {
        for (column, name) in table.live_columns().filter(|(_, name)| *name != KEY) {
            let held = held.iter().find(|(no, _)| *no == column).map_or(&Value::Null, |(_, value)| value);
            match given(column) {
                Some(value) if !is_same(held, value) => differing.push((name, *value)),
                None if *held != Value::Null => differing.push((name, Value::Null)),
                _ => {}
            }
        }
    })?;
    if !found {
        return insert_row(tx, table, columns).map(|()| true);
    }
    if differing.iter().any(|(_, value)| *value == Value::Null) {
        let required = required(tx, table)?;
        differing.retain(|(name, value)| *value != Value::Null || !required.iter().any(|r| r == name));
    }
    if differing.is_empty() {
        return Ok(false);
    }
    set_columns(tx, table, id, &differing).map(|()| true)
}

/// Text and bytes compare as they are; an id equals its 16 bytes.
fn is_same(one: &Value<'_>, other: &Value<'_>) -> bool {
    match (one, other) {
        (Value::Id(id), Value::Blob(bytes)) | (Value::Blob(bytes), Value::Id(id)) => id.as_bytes() == bytes,
        _ => one == other,
    }
}

fn required(conn: &Connection, table: &Table) -> Result<Vec<String>> {
    let sql = "SELECT name FROM pragma_table_info(?1) WHERE \"notnull\" = 1";
    list(conn, sql, [table.name], |row| row.get(0))
}

fn insert_row(tx: &Tx<'_>, table: &Table, columns: &[(usize, Value<'_>)]) -> Result<()> {
    let known: Vec<(&str, &Value<'_>)> = columns
        .iter()
        .filter_map(|(column, value)| Some((*table.columns.get(*column)?, value)))
        .filter(|(name, _)| !name.starts_with(RETIRED))
        .collect();
    let names: Vec<_> = known.iter().map(|(name, _)| format!("\"{name}\"")).collect();
    let marks = vec!["?"; known.len()].join(", ");
    let sql = format!("INSERT INTO \"{}\" ({}) VALUES ({marks})", table.name, names.join(", "));
    let values: Vec<&dyn ToSql> = known.iter().map(|(_, value)| *value as &dyn ToSql).collect();
    tx.execute(&sql, values.as_slice()).map(drop)
}

/// Sets some columns of a row.
pub(in super::super) fn set_columns(
    tx: &Tx<'_>,
    table: &Table,
    id: Uuid,
    columns: &[(&str, Value<'_>)],
) -> Result<()> {
    let sets: Vec<_> = columns.iter().map(|(name, _)| format!("\"{name}\" = ?")).collect();
    let sql = format!("UPDATE \"{}\" SET {} WHERE \"{KEY}\" = ?", table.name, sets.join(", "));
    let mut values: Vec<&dyn ToSql> = columns.iter().map(|(_, value)| value as &dyn ToSql).collect();
    values.push(&id);
    tx.job(Job::Recover, || tx.execute(&sql, values.as_slice()))
}

/// Deletes a row; whether it was there.
pub(in super::super) fn delete_row(tx: &Tx<'_>, table: &Table, id: Uuid) -> Result<bool> {
    let sql = format!("DELETE FROM \"{}\" WHERE \"{KEY}\" = ?1", table.name);
    tx.job(Job::Recover, || tx.execute(&sql, [id]))?;
    Ok(tx.changed() > 0)
}

/// The other row that holds the same values in a unique index as the row `columns` would; with the index's columns.
pub(in super::super) fn find_rival(
    conn: &Connection,
    table: &'static Table,
    id: Uuid,
    columns: &[(usize, Value<'_>)],
) -> Result<Option<(Uuid, Vec<String>)>> {
    let indexes = "SELECT name FROM pragma_index_list(?1) WHERE \"unique\" = 1 AND origin <> 'pk'";
    for index in list(conn, indexes, [table.name], |row| row.get::<_, String>(0))? {
        let parts: Vec<Option<String>> =
            list(conn, "SELECT name FROM pragma_index_info(?1)", [&index], |row| row.get(0))?;
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        let of = |part: &String| {
            let column = table.column(part);
            columns.iter().find(|(no, _)| Some(*no) == column).map(|(_, value)| value as &dyn ToSql)
        };
        let Some(mut values) = parts.iter().map(of).collect::<Option<Vec<_>>>() else { continue };
        values.push(&id);
        let text = "SELECT coalesce(sql, '') FROM sqlite_schema WHERE type = 'index' AND name = ?1";
        let text: String = opt(conn, text, [&index], |row| row.get(0))?.unwrap_or_default();
        let only = text.split_once(" WHERE ").map_or(String::new(), |(_, only)| format!(" AND ({only})"));
        let same: Vec<_> = parts.iter().map(|part| format!("\"{part}\" = ?")).collect();
        let sql = format!(
            "SELECT \"{KEY}\" FROM \"{}\" WHERE {} AND \"{KEY}\" <> ?{only}",
            table.name,
            same.join(" AND ")
        );
        let mut statement = conn.prepare(&sql)?;
        let mut rows = statement.query(values.as_slice())?;
        if let Some(row) = rows.next()? {
            return Ok(Some((row.get(0)?, parts)));
        }
    }
    Ok(None)
}

/// A text column of a row.
pub(in super::super) fn find_text(
    conn: &Connection,
    table: &Table,
    id: Uuid,
    column: &str,
) -> Result<Option<String>> {
    let sql = format!("SELECT \"{column}\" FROM \"{}\" WHERE \"{KEY}\" = ?1", table.name);
    opt(conn, &sql, [id], |row| row.get::<_, Option<String>>(0)).map(Option::flatten)
}

/// When a notice of this kind was written or counted last, read or not.
pub(in super::super) fn find_told(from: &dyn Source, outlet: Uuid, kind: &str) -> Result<Option<Millis>> {
    let sql = "SELECT max(updated_at) FROM notifications WHERE outlet_id = ?1 AND dedupe_key = ?2";
    opt(from, sql, (outlet, kind), |row| row.get::<_, Option<Millis>>(0)).map(Option::flatten)
}

/// Another row whose columns `number` are those of row `id`, if there is one: two lives gave them out.
pub(in super::super) fn find_shared(
    from: &dyn Source,
    table: &Table,
    id: Uuid,
    number: [&str; 2],
) -> Result<Option<Uuid>> {
    let (name, [of, text]) = (table.name, number);
    let sql = format!(
        "SELECT o.id FROM \"{name}\" r JOIN \"{name}\" o ON o.outlet_id = r.outlet_id AND o.{of} = r.{of}
           AND o.{text} = r.{text} AND o.id <> r.id WHERE r.id = ?1 ORDER BY o.id DESC LIMIT 1"
    );
    opt(from, &sql, [id], |row| row.get(0))
}

/// Whether what an order says was paid is what its payments add up to, and no more than it costs: what came off it here was paid for in
/// what was lost.
pub(in super::super) fn is_paid_as_told(from: &dyn Source, order: Uuid) -> Result<bool> {
    let sql =
        "SELECT paid_cents = (SELECT coalesce(sum(amount_cents), 0) FROM payments WHERE order_id = orders.id)
             - (SELECT coalesce(sum(old_amount_cents - new_amount_cents), 0) FROM payment_corrections WHERE order_id = orders.id)
           AND paid_cents <= total_cents FROM orders WHERE id = ?1";
    Ok(opt(from, sql, [order], |row| row.get(0))?.unwrap_or(true))
}

/// How much of what a movement took is not back yet, in millionths; none where it is not here.
pub(in super::super) fn find_still_taken(from: &dyn Source, movement: Uuid) -> Result<Option<i64>> {
    let sql = "SELECT -quantity_delta
          - (SELECT coalesce(sum(quantity_delta), 0) FROM stock_movements WHERE reverses_id = ?1)
        FROM stock_movements WHERE id = ?1";
    opt(from, sql, [movement], |row| row.get(0))
}

/// Ids of all rows of a table that belong to `outlet` (its own id, for outlets).
pub(in super::super) fn list_ids(from: &dyn Source, table: &Table, outlet: Uuid) -> Result<Vec<Uuid>> {
    let owner = if table.columns.contains(&"outlet_id") { "outlet_id" } else { KEY };
    let sql = format!("SELECT \"{KEY}\" FROM \"{}\" WHERE \"{owner}\" = ?1", table.name);
    list(from, &sql, [outlet], |row| row.get(0))
}

/// The shared rows that head office has not decided on in what it knew of the log up to `decided_to`.
pub(in super::super) fn list_pending(from: &dyn Source, decided_to: i64) -> Result<Vec<RowKey>> {
    let sql = "SELECT table_no, row_id FROM sync_proposals WHERE seq > ?1";
    list(from, sql, [decided_to], |row| Ok((row.get("table_no")?, row.get("row_id")?)))
}

/// Head office has decided on everything up to `decided_to`.
pub(in super::super) fn delete_settled(tx: &Tx<'_>, decided_to: i64) -> Result<()> {
    tx.execute("DELETE FROM sync_proposals WHERE seq <= ?1", [decided_to]).map(drop)
}

/// Keeps a row of a snapshot until the row it names is there.
pub(in super::super) fn insert_postponed(tx: &Tx<'_>, op: &[u8]) -> Result<()> {
    insert!(tx, sync_postponed { op: op }).map(drop)
}

/// The first rows that wait after number `after`.
pub(in super::super) fn list_postponed(from: &dyn Source, after: i64) -> Result<Vec<(i64, Vec<u8>)>> {
    list(from, "SELECT id, op FROM sync_postponed WHERE id > ?1 ORDER BY id LIMIT 500", [after], |row| {
        Ok((row.get("id")?, row.get("op")?))
    })
}

/// How many rows wait.
pub(in super::super) fn count_postponed(from: &dyn Source) -> Result<i64> {
    one(from, "SELECT count(*) FROM sync_postponed", [], |row| row.get(0))
}

/// It waits no longer.
pub(in super::super) fn delete_postponed(tx: &Tx<'_>, id: i64) -> Result<()> {
    tx.execute("DELETE FROM sync_postponed WHERE id = ?1", [id]).map(drop)
}

/// The outlet this box stands for.
pub(in super::super) fn find_outlet_card(from: &dyn Source) -> Result<Option<OutletCard>> {
    let sql = "SELECT id, code, name, timezone, currency FROM outlets
        ORDER BY id = (SELECT outlet_id FROM box) DESC, id LIMIT 1";
    opt(from, sql, [], |row| Ok(read!(row => OutletCard { id, code, name, timezone, currency })))
}

/// Raises the counter of a series to `value` where it is lower.
pub(in super::super) fn set_counter(tx: &Tx<'_>, outlet: Uuid, series: &str, value: i64) -> Result<()> {
    // By its name in quotes: the counters are the orders' own, and only what was lost is put back here.
    let sql = "INSERT INTO \"counters\" (id, outlet_id, series, value) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (outlet_id, series) DO UPDATE SET value = max(value, excluded.value)";
    tx.execute(sql, params![tx.new_id(), outlet, series, value]).map(drop)
}

/// The newest counters, for the mark beside the database.
pub(in super::super) fn list_counters(from: &dyn Source) -> Result<Vec<(Uuid, String, i64)>> {
    // A counter's row is made with its first number: the newest are those that still count, with the yearly ones.
    let sql = "SELECT outlet_id, series, value FROM counters
        WHERE series NOT LIKE 'ORDER:%' OR id >= (SELECT id FROM (SELECT id FROM counters ORDER BY id DESC LIMIT 8) ORDER BY id LIMIT 1)";
    list(from, sql, [], |row| Ok((row.get("outlet_id")?, row.get("series")?, row.get("value")?)))
}

/// The counter of a series: its row and value.
pub(in super::super) fn find_counter(
    from: &dyn Source,
    outlet: Uuid,
    series: &str,
) -> Result<Option<(Uuid, i64)>> {
    let sql = "SELECT id, value FROM counters WHERE outlet_id = ?1 AND series = ?2";
    opt(from, sql, (outlet, series), |row| Ok((row.get("id")?, row.get("value")?)))
}

/// All outlets of this box.
pub(in super::super) fn list_outlets(from: &dyn Source) -> Result<Vec<Uuid>> {
    list(from, "SELECT id FROM outlets ORDER BY id", [], |row| row.get(0))
}

/// The account that a link between an account and an outlet names.
pub(in super::super) fn find_account(from: &dyn Source, link: Uuid) -> Result<Option<Uuid>> {
    opt(from, "SELECT account_id FROM account_outlets WHERE id = ?1", [link], |row| row.get(0))
}

/// The accounts of an employee.
pub(in super::super) fn list_accounts(from: &dyn Source, employee: Uuid) -> Result<Vec<Uuid>> {
    list(from, "SELECT id FROM accounts WHERE employee_id = ?1", [employee], |row| row.get(0))
}

/// Takes a row out of use that must stay, because others name it.
pub(in super::super) fn set_archived(tx: &Tx<'_>, table: &Table, id: Uuid) -> Result<()> {
    let sql = format!(
        "UPDATE \"{}\" SET archived_at = ?1 WHERE \"{KEY}\" = ?2 AND archived_at IS NULL",
        table.name
    );
    tx.execute(&sql, params![tx.now(), id]).map(drop)
}

/// Raises one counter to `value` where it is lower. A counter that is not there was refused, or its insert comes first.
pub(in super::super) fn set_counter_row(tx: &Tx<'_>, id: Uuid, value: i64) -> Result<()> {
    let sql = "UPDATE \"counters\" SET value = ?2 WHERE id = ?1 AND value < ?2";
    tx.execute(sql, params![id, value]).map(drop)
}

/// Shows every row of a table whose id lies in `ids` (every row, when there is no such bound), without what is null.
pub(in super::super) fn each_row(
    conn: &Connection,
    table: &'static Table,
    ids: Option<std::ops::Range<Uuid>>,
    mut show: impl FnMut(&[(usize, Value<'_>)]),
) -> Result<()> {
    let bound =
        if ids.is_some() { format!(" WHERE \"{KEY}\" >= ?1 AND \"{KEY}\" < ?2") } else { String::new() };
    let sql = format!("{}{bound}", crate::log::select(table));
    let mut statement = conn.prepare_cached(&sql)?;
    let mut rows = match ids {
        Some(ids) => statement.query(params![ids.start, ids.end])?,
        None => statement.query([])?,
    };
    while let Some(row) = rows.next()? {
        show(&crate::log::values(table, row)?);
    }
    Ok(())
}

/// The buckets that a table's rows are in.
pub(in super::super) fn list_buckets(from: &dyn Source, table: &'static Table) -> Result<Vec<Bucket>> {
    let next = format!("SELECT min(\"{KEY}\") FROM \"{}\" WHERE \"{KEY}\" >= ?1", table.name);
    let (mut buckets, mut after) = (Vec::new(), Uuid::nil());
    while let Some(id) = opt(from, &next, [after], |row| row.get::<_, Option<Uuid>>(0))?.flatten() {
        let bucket = bucket_of(table, id);
        buckets.push(bucket);
        match bucket.day.map(|day| ids_of_day(day).end) {
            Some(end) if end > id && end < Uuid::max() => after = end,
            _ => break,
        }
    }
    Ok(buckets)
}

/// A bucket is to be sent whole.
pub(in super::super) fn insert_reseed(tx: &Tx<'_>, bucket: Bucket) -> Result<()> {
    insert!(tx, sync_reseed { table_no: bucket.table, day: bucket.day }).map(drop)
}

/// The next bucket that is to be sent whole.
pub(in super::super) fn find_reseed(from: &dyn Source) -> Result<Option<(i64, Bucket)>> {
    opt(from, "SELECT id, table_no, day FROM sync_reseed ORDER BY id LIMIT 1", [], |row| {
        Ok((row.get("id")?, Bucket { table: row.get("table_no")?, day: row.get("day")? }))
    })
}

/// It was.
pub(in super::super) fn delete_reseed(tx: &Tx<'_>, id: i64) -> Result<()> {
    tx.execute("DELETE FROM sync_reseed WHERE id = ?1", [id]).map(drop)
}

/// The newest close of a business day.
pub(in super::super) fn find_last_close(from: &dyn Source) -> Result<Option<Uuid>> {
    opt(from, "SELECT id FROM day_closes ORDER BY id DESC LIMIT 1", [], |row| row.get(0))
}
