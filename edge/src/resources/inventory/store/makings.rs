//! What was made of which batches, both ways, out of the ledger. Never writes: a making's rows are movements and a batch.

use crate::db::{self, Source, list as rows, one, opt};
use crate::resources::inventory::rules::making::{MadeBatch, Origin};
use chrono::{NaiveDate, TimeDelta};
use rusqlite::params;
use tiffin_common::{Millis, Quantity, Uuid};

/// What went into a batch that was made here, and into what that was made of; nothing for one that was not.
pub fn list_origins(conn: &dyn Source, outlet: Uuid, batch: Uuid) -> db::Result<Vec<Origin>> {
    let mut all: Vec<Origin> = Vec::new();
    let mut open = vec![batch];
    while let Some(batch) = open.pop() {
        if all.iter().any(|known| known.made_batch_id == batch) {
            continue;
        }
        let Some(at) = find_made_at(conn, outlet, batch)? else { continue };
        for origin in list_origins_of(conn, outlet, at, batch)? {
            open.extend(origin.batch_id);
            all.push(origin);
        }
    }
    Ok(all)
}

/// When the batch was made here.
fn find_made_at(conn: &dyn Source, outlet: Uuid, batch: Uuid) -> db::Result<Option<Millis>> {
    let sql = "SELECT received_at FROM stock_batches WHERE id = ?1 AND outlet_id = ?2 AND source_type = 'PRODUCTION'";
    opt(conn, sql, [batch, outlet], |row| row.get("received_at"))
}

/// The rows of one making (?1) of an outlet (?2): on the business dates (?3 to ?7) that its moment can have been on.
macro_rules! making {
    () => {
        "m.cause_id = ?1 AND m.outlet_id = ?2 AND m.business_date IN (?3, ?4, ?5, ?6, ?7) AND m.kind = 'PRODUCTION'"
    };
}

/// Every date that is a business date somewhere at `at`, and those beside them: a day may have been closed early.
fn dates(at: Millis) -> [NaiveDate; 5] {
    let date = at.to_utc().date_naive();
    [-2, -1, 0, 1, 2].map(|days| date.checked_add_signed(TimeDelta::days(days)).unwrap_or(date))
}

/// The statement that finds what was taken for a batch.
pub(in super::super) const ORIGINS: &str = concat!(
    "SELECT m.stock_item_id, s.name, s.unit, -sum(m.quantity_delta) AS quantity, m.batch_id, b.batch_number,
       b.expiry_date, b.supplier_id, p.name AS supplier_name
     FROM stock_movements m JOIN stock_items s ON s.id = m.stock_item_id
       LEFT JOIN stock_batches b ON b.id = m.batch_id LEFT JOIN suppliers p ON p.id = b.supplier_id
     WHERE ",
    making!(),
    " AND m.quantity_delta < 0
     GROUP BY m.stock_item_id, s.name, s.unit, m.batch_id, b.batch_number, b.expiry_date, b.supplier_id, p.name
     ORDER BY min(m.id)"
);

fn list_origins_of(
    conn: &dyn Source,
    outlet: Uuid,
    at: Millis,
    made_batch_id: Uuid,
) -> db::Result<Vec<Origin>> {
    let [a, b, c, d, e] = dates(at);
    rows(conn, ORIGINS, params![made_batch_id, outlet, a, b, c, d, e], |row| {
        Ok(Origin {
            made_batch_id,
            stock_item_id: row.get("stock_item_id")?,
            name: row.get("name")?,
            unit: row.get("unit")?,
            quantity: row.get("quantity")?,
            batch_id: row.get("batch_id")?,
            batch_number: row.get("batch_number")?,
            expiry_date: row.get("expiry_date")?,
            supplier_id: row.get("supplier_id")?,
            supplier_name: row.get("supplier_name")?,
        })
    })
}

/// Every batch that something of this one went into, the first made first; what was made of those is among them.
pub fn list_made(conn: &dyn Source, outlet: Uuid, item: Uuid, batch: Uuid) -> db::Result<Vec<MadeBatch>> {
    let mut all: Vec<MadeBatch> = Vec::new();
    let mut open: Vec<(MadeBatch, Quantity)> = list_made_of(conn, outlet, item, batch)?;
    // The first made first: what others are made of is whole before it is spread over them.
    while let Some(next) =
        (0..open.len()).min_by_key(|place| open.get(*place).map(|(made, _)| (made.at, made.batch_id)))
    {
        let (mut made, used) = open.swap_remove(next);
        made.holds = used;
        let mut place = 0;
        while place < open.len() {
            if open.get(place).is_some_and(|(other, _)| other.batch_id == made.batch_id) {
                made.holds = made.holds.plus(open.swap_remove(place).1)?;
            } else {
                place += 1;
            }
        }
        for (further, taken) in list_made_of(conn, outlet, made.stock_item_id, made.batch_id)? {
            open.push((further, made.share(taken)));
        }
        all.push(made);
    }
    Ok(all)
}

/// The batches that a batch itself went into, each with how much of it.
fn list_made_of(
    conn: &dyn Source,
    outlet: Uuid,
    item: Uuid,
    batch: Uuid,
) -> db::Result<Vec<(MadeBatch, Quantity)>> {
    let sql = concat!(
        "SELECT b.id, b.batch_number, b.stock_item_id, s.name, s.unit, b.received_at, t.quantity FROM (
           SELECT m.cause_id, -sum(m.quantity_delta) AS quantity FROM ",
        super::movements::of_item!(),
        " f JOIN stock_movements m ON m.id = f.id
           WHERE m.batch_id = ?3 AND m.kind = 'PRODUCTION' AND m.quantity_delta < 0 GROUP BY m.cause_id) t
         JOIN stock_batches b ON b.id = t.cause_id JOIN stock_items s ON s.id = b.stock_item_id ORDER BY b.id"
    );
    let found = rows(conn, sql, [item, outlet, batch], |row| {
        let made = MadeBatch {
            batch_id: row.get("id")?,
            batch_number: row.get("batch_number")?,
            stock_item_id: row.get("stock_item_id")?,
            name: row.get("name")?,
            unit: row.get("unit")?,
            made: Quantity::ZERO,
            holds: Quantity::ZERO,
            at: row.get("received_at")?,
        };
        Ok((made, row.get("quantity")?))
    })?;
    found
        .into_iter()
        .map(|(made, used)| {
            let quantity = sum_made(conn, outlet, &made)?;
            Ok((MadeBatch { made: quantity, ..made }, used))
        })
        .collect()
}

/// How much of a batch was made.
fn sum_made(conn: &dyn Source, outlet: Uuid, made: &MadeBatch) -> db::Result<Quantity> {
    let sql = concat!(
        "SELECT coalesce(sum(m.quantity_delta), 0) AS made FROM stock_movements m WHERE ",
        making!(),
        " AND m.quantity_delta > 0"
    );
    let [a, b, c, d, e] = dates(made.at);
    one(conn, sql, params![made.batch_id, outlet, a, b, c, d, e], |row| row.get("made"))
}
