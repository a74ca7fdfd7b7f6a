//! Rows of `stocktakes` and `stocktake_lines`.

use crate::access::Actor;
use crate::db::{self, Columns, Page, Row, Source, Tx, list as rows, opt, page};
use crate::resources::inventory::rules::stocktakes::{
    Counted, Stocktake, StocktakeLine, StocktakeStatus, Uncounted,
};
use chrono::NaiveDate;
use rusqlite::params;
use tiffin_common::{Quantity, Uuid};

/// Stocktakes, and how many items they have and how many of those are counted, for which the rest holds.
macro_rules! stocktakes {
    ($rest:literal) => {
        select!(
            Stocktake as t,
            "(SELECT count(*) FROM stocktake_lines l WHERE l.stocktake_id = t.id AND l.batch_id IS NULL) AS items_count,
             (SELECT count(DISTINCT l.stock_item_id) FROM stocktake_lines l
              WHERE l.stocktake_id = t.id AND l.counted_quantity IS NOT NULL) AS counted_count",
            concat!("WHERE ", $rest)
        )
    };
}

fn read(row: &Row<'_>) -> db::Result<Stocktake> {
    let (items_count, counted_count) = (row.get("items_count")?, row.get("counted_count")?);
    Ok(Stocktake { items_count, counted_count, ..Stocktake::read(row)? })
}

/// The outlet's stocktake of that id.
pub fn find(conn: &dyn Source, outlet: Uuid, id: Uuid) -> db::Result<Option<Stocktake>> {
    opt(conn, stocktakes!("t.id = ?1 AND t.outlet_id = ?2"), [id, outlet], read)
}

/// A page of stocktakes, the newest first.
pub fn list(
    conn: &dyn Source,
    outlet: Uuid,
    status: Option<StocktakeStatus>,
    paging: (u32, u32),
) -> db::Result<Page<Stocktake>> {
    let sql = stocktakes!(
        "t.outlet_id = ?1 AND (?2 IS NULL OR t.status = ?2) ORDER BY t.opened_at DESC, t.id DESC"
    );
    let count = "SELECT count(*) FROM stocktakes t WHERE t.outlet_id = ?1 AND (?2 IS NULL OR t.status = ?2)";
    page(conn, (sql, count), params![outlet, status], paging, read)
}

/// The lines of a stocktake by the items' names, each item before its batches. A batch whose count was replaced is left out.
pub fn list_lines(conn: &dyn Source, outlet: Uuid, stocktake: Uuid) -> db::Result<Vec<StocktakeLine>> {
    let sql = select!(
        StocktakeLine as l,
        "s.name, s.category, s.unit, b.batch_number, l.expected_quantity, l.counted_quantity, l.counted_at,
         l.counted_by_name",
        "JOIN stock_items s ON s.id = l.stock_item_id LEFT JOIN stock_batches b ON b.id = l.batch_id
         WHERE l.stocktake_id = ?1 AND l.outlet_id = ?2 AND (l.batch_id IS NULL OR l.counted_quantity IS NOT NULL)
         ORDER BY s.name, l.stock_item_id, l.batch_id IS NOT NULL, b.batch_number"
    );
    rows(conn, sql, [stocktake, outlet], |row| {
        let count = match row.get("counted_at")? {
            Some(at) => Some(Counted {
                expected: row.get("expected_quantity")?,
                counted: row.get("counted_quantity")?,
                at,
                by_name: row.get("counted_by_name")?,
            }),
            None => None,
        };
        Ok(StocktakeLine {
            name: row.get("name")?,
            category: row.get("category")?,
            unit: row.get("unit")?,
            batch_number: row.get("batch_number")?,
            count,
            ..StocktakeLine::read(row)?
        })
    })
}

/// The items that open stocktakes of the outlet cover, with the names of the item and the stocktake.
pub fn list_being_counted(conn: &dyn Source, outlet: Uuid) -> db::Result<Vec<(Uuid, String, String)>> {
    let sql = "SELECT l.stock_item_id, s.name AS item, t.name AS stocktake FROM stocktakes t
                 JOIN stocktake_lines l ON l.stocktake_id = t.id AND l.batch_id IS NULL
                 JOIN stock_items s ON s.id = l.stock_item_id
               WHERE t.outlet_id = ?1 AND t.status = 'OPEN' ORDER BY s.name";
    rows(conn, sql, [outlet], |row| Ok((row.get("stock_item_id")?, row.get("item")?, row.get("stocktake")?)))
}

/// A stocktake's first row.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct NewRow<'a> {
    pub(in super::super) name: &'a str,
    pub(in super::super) category: Option<&'a str>,
    pub(in super::super) is_blind: bool,
    pub(in super::super) note: Option<&'a str>,
    pub(in super::super) business_date: NaiveDate,
    pub(in super::super) items: &'a [Uuid],
}

pub(in super::super) fn insert(tx: &Tx<'_>, actor: &Actor, new: &NewRow<'_>) -> db::Result<Uuid> {
    let id = tx.new_id();
    insert!(
        tx,
        stocktakes {
            id: id,
            outlet_id: actor.outlet_id,
            name: new.name,
            category: new.category,
            blind: new.is_blind,
            note: new.note,
            business_date: new.business_date,
            opened_at: tx.now(),
            opened_by: actor.account_id,
            opened_by_name: actor.name,
        }
    )?;
    for item in new.items {
        insert_line(tx, actor.outlet_id, id, *item, None)?;
    }
    Ok(id)
}

fn insert_line(
    tx: &Tx<'_>,
    outlet: Uuid,
    stocktake: Uuid,
    item: Uuid,
    batch: Option<Uuid>,
) -> db::Result<()> {
    insert!(
        tx,
        stocktake_lines {
            id: tx.new_id(),
            outlet_id: outlet,
            stocktake_id: stocktake,
            stock_item_id: item,
            batch_id: batch
        }
    )
}

/// Puts a count on the line of the item, or of its batch.
pub(in super::super) fn set_count(
    tx: &Tx<'_>,
    actor: &Actor,
    stocktake: Uuid,
    (item, batch): (Uuid, Option<Uuid>),
    (expected, counted): (Quantity, Quantity),
) -> db::Result<()> {
    let sql = "UPDATE stocktake_lines SET expected_quantity = ?4, counted_quantity = ?5, counted_at = ?6, counted_by = ?7,
                 counted_by_name = ?8, times_counted = times_counted + 1
               WHERE stocktake_id = ?1 AND stock_item_id = ?2 AND batch_id IS ?3";
    let values = params![stocktake, item, batch, expected, counted, tx.now(), actor.account_id, actor.name];
    tx.execute(sql, values)?;
    if tx.changed() == 0 {
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
pub(in super::super) fn set_item_uncounted(tx: &Tx<'_>, stocktake: Uuid, item: Uuid) -> db::Result<()> {
    tx.execute(&format!("{UNCOUNT} AND batch_id IS NULL"), [stocktake, item])
}

/// The counts of the item's batches that may still be used on `date` no longer stand: the item was counted as a whole.
pub(in super::super) fn set_batches_uncounted(
    tx: &Tx<'_>,
    stocktake: Uuid,
    item: Uuid,
    date: NaiveDate,
) -> db::Result<()> {
    let sql = format!(
        "{UNCOUNT} AND batch_id IN
           (SELECT id FROM stock_batches WHERE stock_item_id = ?2 AND coalesce(expiry_date, ?3) >= ?3)"
    );
    tx.execute(&sql, params![stocktake, item, date])
}

pub(in super::super) fn set_variance(
    tx: &Tx<'_>,
    line: Uuid,
    quantity: Quantity,
    micros: i64,
) -> db::Result<()> {
    update!(tx, stocktake_lines { variance_quantity: quantity, variance_micros: micros } where { id: line })
}

pub(in super::super) fn set_closed(
    tx: &Tx<'_>,
    actor: &Actor,
    stocktake: Uuid,
    uncounted: Uncounted,
    variance_micros: i64,
) -> db::Result<()> {
    set_ended(tx, actor, stocktake, StocktakeStatus::Closed)?;
    update!(tx, stocktakes { uncounted: uncounted, variance_micros: variance_micros } where { id: stocktake })
}

/// How a stocktake ended, when, and by whom.
pub(in super::super) fn set_ended(
    tx: &Tx<'_>,
    actor: &Actor,
    stocktake: Uuid,
    status: StocktakeStatus,
) -> db::Result<()> {
    update!(tx, stocktakes {
        status: status, ended_at: tx.now(), ended_by: actor.account_id, ended_by_name: actor.name; "version = version + 1"
    } where { id: stocktake, outlet_id: actor.outlet_id })
}
