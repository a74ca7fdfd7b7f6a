//! Rows of `stocktakes` and `stocktake_lines`.

use crate::access::Actor;
use crate::db::{self, Row, Source, Transaction, list as rows, one, opt};
use crate::resources::inventory::rules::stocktakes::{
    Counted, Stocktake, StocktakeLine, StocktakeStatus, Uncounted,
};
use rusqlite::params;
use rusqlite::types::Type;
use tiffin_common::{Quantity, Uuid};

const COLUMNS: &str = "t.id, t.name, t.status, t.category, t.blind, t.uncounted, t.business_date, t.opened_at, t.opened_by_name,
  t.ended_at, t.ended_by_name, t.note, t.variance_micros, t.version,
  (SELECT count(*) FROM stocktake_lines l WHERE l.stocktake_id = t.id AND l.batch_id IS NULL),
  (SELECT count(DISTINCT l.stock_item_id) FROM stocktake_lines l WHERE l.stocktake_id = t.id AND l.counted_quantity IS NOT NULL)
  FROM stocktakes t";

fn word<T>(row: &Row<'_>, column: usize, of_name: fn(&str) -> Option<T>) -> db::Result<T> {
    of_name(row.get_ref(column)?.as_str()?).ok_or_else(|| {
        db::DbError::from(rusqlite::Error::FromSqlConversionFailure(
            column,
            Type::Text,
            "an unknown name".into(),
        ))
    })
}

fn read(row: &Row<'_>) -> db::Result<Stocktake> {
    Ok(Stocktake {
        id: row.get(0)?,
        name: row.get(1)?,
        status: word(row, 2, StocktakeStatus::of_name)?,
        category: row.get(3)?,
        is_blind: row.get(4)?,
        uncounted: row.get::<_, Option<String>>(5)?.and_then(|name| Uncounted::of_name(&name)),
        business_date: row.get(6)?,
        opened_at: row.get(7)?,
        opened_by_name: row.get(8)?,
        ended_at: row.get(9)?,
        ended_by_name: row.get(10)?,
        note: row.get(11)?,
        variance_micros: row.get(12)?,
        version: row.get(13)?,
        items_count: row.get(14)?,
        counted_count: row.get(15)?,
    })
}

/// The outlet's stocktake of that id.
pub fn find(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Option<Stocktake>> {
    opt(conn, &format!("SELECT {COLUMNS} WHERE t.id = ?1 AND t.outlet_id = ?2"), [id, outlet], read)
}

/// A page of stocktakes, the newest first; and how many there are.
pub fn page(
    conn: &dyn Source,
    outlet: Uuid,
    status: Option<StocktakeStatus>,
    limit: u32,
    offset: u32,
) -> db::Result<(Vec<Stocktake>, i64)> {
    let holds = "t.outlet_id = ?1 AND (?2 IS NULL OR t.status = ?2)";
    let status = status.map(StocktakeStatus::name);
    let sql =
        format!("SELECT {COLUMNS} WHERE {holds} ORDER BY t.opened_at DESC, t.id DESC LIMIT ?3 OFFSET ?4");
    let found = rows(conn, &sql, params![outlet, status, limit, offset], read)?;
    let count = format!("SELECT count(*) FROM stocktakes t WHERE {holds}");
    Ok((found, one(conn, &count, params![outlet, status], |row| row.get(0))?))
}

/// The lines of a stocktake by the items' names, each item before its batches. A batch whose count was replaced is left out.
pub fn lines(conn: &dyn Source, outlet: Uuid, stocktake: Uuid) -> db::Result<Vec<StocktakeLine>> {
    let sql = "SELECT l.id, l.stock_item_id, s.name, s.category, s.unit, l.batch_id, b.batch_number, l.expected_quantity,
                 l.counted_quantity, l.counted_at, l.counted_by_name, l.times_counted, l.variance_quantity, l.variance_micros
               FROM stocktake_lines l JOIN stock_items s ON s.id = l.stock_item_id
                 LEFT JOIN stock_batches b ON b.id = l.batch_id
               WHERE l.stocktake_id = ?1 AND l.outlet_id = ?2 AND (l.batch_id IS NULL OR l.counted_quantity IS NOT NULL)
               ORDER BY s.name, l.stock_item_id, l.batch_id IS NOT NULL, b.batch_number";
    rows(conn, sql, [stocktake, outlet], |row| {
        let count = match (row.get(7)?, row.get(8)?, row.get(9)?) {
            (Some(expected), Some(counted), Some(at)) => {
                let by_name = row.get::<_, Option<String>>(10)?.unwrap_or_default();
                Some(Counted { expected, counted, at, by_name })
            }
            _ => None,
        };
        Ok(StocktakeLine {
            id: row.get(0)?,
            stock_item_id: row.get(1)?,
            name: row.get(2)?,
            category: row.get(3)?,
            unit: row.get(4)?,
            batch_id: row.get(5)?,
            batch_number: row.get(6)?,
            count,
            times_counted: row.get(11)?,
            variance_quantity: row.get(12)?,
            variance_micros: row.get(13)?,
        })
    })
}

/// The items that open stocktakes of the outlet cover, with the names of the item and the stocktake.
pub fn being_counted(conn: &dyn Source, outlet: Uuid) -> db::Result<Vec<(Uuid, String, String)>> {
    let sql = "SELECT l.stock_item_id, s.name, t.name FROM stocktakes t
                 JOIN stocktake_lines l ON l.stocktake_id = t.id AND l.batch_id IS NULL
                 JOIN stock_items s ON s.id = l.stock_item_id
               WHERE t.outlet_id = ?1 AND t.status = 'OPEN' ORDER BY s.name";
    rows(conn, sql, [outlet], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
}

/// A stocktake's first row.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct NewRow<'a> {
    pub(in super::super) name: &'a str,
    pub(in super::super) category: Option<&'a str>,
    pub(in super::super) is_blind: bool,
    pub(in super::super) note: Option<&'a str>,
    pub(in super::super) business_date: &'a str,
    pub(in super::super) items: &'a [Uuid],
}

pub(in super::super) fn insert(tx: &Transaction<'_>, actor: &Actor, new: &NewRow<'_>) -> db::Result<Uuid> {
    let id = tx.new_id();
    tx.execute(
        "INSERT INTO stocktakes (id, outlet_id, name, category, blind, business_date, opened_at, opened_by, opened_by_name, note)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        params![
            id,
            actor.outlet_id,
            new.name,
            new.category,
            new.is_blind,
            new.business_date,
            tx.now(),
            actor.account_id,
            actor.name,
            new.note
        ],
    )?;
    for item in new.items {
        insert_line(tx, actor.outlet_id, id, *item, None)?;
    }
    Ok(id)
}

fn insert_line(
    tx: &Transaction<'_>,
    outlet: Uuid,
    stocktake: Uuid,
    item: Uuid,
    batch: Option<Uuid>,
) -> db::Result<()> {
    tx.execute(
        "INSERT INTO stocktake_lines (id, outlet_id, stocktake_id, stock_item_id, batch_id) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![tx.new_id(), outlet, stocktake, item, batch],
    )
    .map(drop)
}

/// Puts a count on the line of the item, or of its batch.
pub(in super::super) fn set_count(
    tx: &Transaction<'_>,
    actor: &Actor,
    stocktake: Uuid,
    (item, batch): (Uuid, Option<Uuid>),
    (expected, counted): (Quantity, Quantity),
) -> db::Result<()> {
    let sql = "UPDATE stocktake_lines SET expected_quantity = ?4, counted_quantity = ?5, counted_at = ?6, counted_by = ?7,
                 counted_by_name = ?8, times_counted = times_counted + 1
               WHERE stocktake_id = ?1 AND stock_item_id = ?2 AND batch_id IS ?3";
    let values = params![stocktake, item, batch, expected, counted, tx.now(), actor.account_id, actor.name];
    if tx.execute(sql, values)? == 0 {
        insert_line(tx, actor.outlet_id, stocktake, item, batch)?;
        tx.execute(sql, values)?;
    }
    Ok(())
}

const UNCOUNT: &str =
    "UPDATE stocktake_lines SET expected_quantity = NULL, counted_quantity = NULL, counted_at = NULL,
  counted_by = NULL, counted_by_name = NULL
  WHERE stocktake_id = ?1 AND stock_item_id = ?2 AND counted_quantity IS NOT NULL";

/// The count of the whole item no longer stands: a batch of it was counted apart.
pub(in super::super) fn uncount_item(tx: &Transaction<'_>, stocktake: Uuid, item: Uuid) -> db::Result<()> {
    tx.execute(&format!("{UNCOUNT} AND batch_id IS NULL"), [stocktake, item]).map(drop)
}

/// The counts of the item's batches that may still be used on `date` no longer stand: the item was counted as a whole.
pub(in super::super) fn uncount_batches(
    tx: &Transaction<'_>,
    stocktake: Uuid,
    item: Uuid,
    date: &str,
) -> db::Result<()> {
    let sql = format!(
        "{UNCOUNT} AND batch_id IN
           (SELECT id FROM stock_batches WHERE stock_item_id = ?2 AND coalesce(expiry_date, ?3) >= ?3)"
    );
    tx.execute(&sql, params![stocktake, item, date]).map(drop)
}

pub(in super::super) fn set_variance(
    tx: &Transaction<'_>,
    line: Uuid,
    quantity: Quantity,
    micros: i64,
) -> db::Result<()> {
    let sql = "UPDATE stocktake_lines SET variance_quantity = ?2, variance_micros = ?3 WHERE id = ?1";
    tx.execute(sql, params![line, quantity, micros]).map(drop)
}

pub(in super::super) fn set_closed(
    tx: &Transaction<'_>,
    actor: &Actor,
    stocktake: Uuid,
    uncounted: Uncounted,
    variance_micros: i64,
) -> db::Result<()> {
    end(tx, actor, stocktake, StocktakeStatus::Closed)?;
    let sql = "UPDATE stocktakes SET uncounted = ?2, variance_micros = ?3 WHERE id = ?1";
    tx.execute(sql, params![stocktake, uncounted.name(), variance_micros]).map(drop)
}

pub(in super::super) fn set_cancelled(
    tx: &Transaction<'_>,
    actor: &Actor,
    stocktake: Uuid,
) -> db::Result<()> {
    end(tx, actor, stocktake, StocktakeStatus::Cancelled)
}

fn end(tx: &Transaction<'_>, actor: &Actor, stocktake: Uuid, status: StocktakeStatus) -> db::Result<()> {
    tx.execute(
        "UPDATE stocktakes SET status = ?3, ended_at = ?4, ended_by = ?5, ended_by_name = ?6, version = version + 1
         WHERE id = ?1 AND outlet_id = ?2",
        params![stocktake, actor.outlet_id, status.name(), tx.now(), actor.account_id, actor.name],
    )
    .map(drop)
}
