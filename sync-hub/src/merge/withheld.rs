//! Records that a box has lost or changed behind its own back: a repair neither deletes nor changes them here, a person is told, and from
//! then on the comparison knows them. Never keeps a record from coming, and never hands one out.

use super::Desk;
use super::error::HubError;
use super::quarantine;
use super::rows::{self, Cell, Image};
use super::state::State;
use crate::store::OutletTx;
use edge::db::{Result, Source, list};
use edge::insert;
use std::collections::{BTreeMap, BTreeSet};
use tiffin_common::digest::{self, RowSum};
use tiffin_common::frame::{Bucket, Header, Op, OpKind};
use tiffin_common::registry::{self, Table};
use tiffin_common::{Uuid, text};

/// Rows that a reason names.
const MOST_NAMED: usize = 5;

/// What the box holds instead of each record that stays here: the hash of its row, or nothing.
type Withheld = BTreeMap<Uuid, Option<u128>>;

/// Takes out of `ops`, all rows that a box holds of `bucket`, those that change a record which is held here; records that the box lacks
/// stay, too. Tells a person of those it has not told of. What it answers may be made.
pub(super) fn admit<'f>(
    tx: &mut dyn OutletTx,
    at: &Desk,
    state: &State,
    header: &Header,
    bucket: Bucket,
    ops: Vec<Op<'f>>,
) -> std::result::Result<Vec<Op<'f>>, HubError> {
    let found = registry::table(bucket.table).and_then(|table| Some((table, registry::settled(table.name)?)));
    let Some((table, settled)) = found else { return Ok(ops) };
    let held = held(&*tx, table, bucket)?;
    let named: BTreeSet<Uuid> = ops.iter().filter_map(Op::row_id).collect();
    let lost = held.keys().filter(|id| !named.contains(*id)).map(|id| (*id, None));
    let mut withheld: Withheld = lost.collect();
    let mut fit = Vec::with_capacity(ops.len());
    for op in ops {
        let image = Image::of_op(table, &op);
        let row = op.row_id().and_then(|id| Some((id, held.get(&id)?)));
        match (op.kind, row) {
            (OpKind::Delete, Some((id, _))) => drop(withheld.insert(id, None)),
            (OpKind::Insert, Some((id, held))) if !is_same(table, settled, held, &image, header) => {
                let theirs = digest::row_hash(table, op.columns.iter().copied());
                withheld.insert(id, Some(theirs));
            }
            _ => fit.push(op),
        }
    }
    // A box that lost a part of its log tells first what it took back of it.
    if state.lost.is_none_or(|(epoch, _)| epoch == at.outlet) {
        keep(tx, at, header, (table, bucket), &withheld)?;
    }
    Ok(fit)
}

/// The rows of `bucket` that are held here.
fn held(from: &dyn Source, table: &'static Table, bucket: Bucket) -> Result<BTreeMap<Uuid, Image>> {
    let ids = bucket.day.map_or(Uuid::nil()..Uuid::max(), digest::ids_of_day);
    let sql = rows::select(table, "WHERE id >= ?1 AND id < ?2");
    let rows = list(from, &sql, (ids.start, ids.end), |row| Ok((row.get(0)?, rows::read(table, row)?)))?;
    Ok(rows.into_iter().collect())
}

/// Whether a record is what it was, but for what may be settled of it. An older box knows fewer columns.
fn is_same(table: &Table, settled: &[&str], held: &Image, told: &Image, header: &Header) -> bool {
    let is_older = header.schema < tiffin_migrations::edge_schema_version();
    let equal = |ours: &Cell, theirs: &Cell| match (ours, theirs) {
        (Cell::Text(ours), Cell::Text(theirs)) => text::clean(ours) == text::clean(theirs),
        (_, Cell::Null) if is_older => true,
        _ => ours == theirs,
    };
    let mut kept = table.live_columns().filter(|(_, name)| !settled.contains(name));
    kept.all(|(column, _)| equal(held.get(column), told.get(column)))
}

/// Keeps what is `withheld` of a bucket instead of what was, and puts the log row aside where there is more of it.
fn keep(
    tx: &mut dyn OutletTx,
    at: &Desk,
    header: &Header,
    (table, bucket): (&'static Table, Bucket),
    withheld: &Withheld,
) -> std::result::Result<(), HubError> {
    const GO: &str = "DELETE FROM hub_withheld WHERE outlet_id = ?1 AND table_no = ?2 AND day = ?3";
    let day = rows::number_of(bucket);
    let known = of(&*tx, at.outlet, bucket)?;
    tx.execute(GO, &[&at.outlet, &bucket.table, &day])?;
    for (id, theirs) in withheld {
        insert!(
            &*tx,
            hub_withheld {
                outlet_id: at.outlet,
                table_no: bucket.table,
                day: day,
                row_id: id,
                theirs: theirs.map(|hash| hash.to_be_bytes().to_vec()),
                seq: header.seq,
                at: at.now(),
            }
        )?;
    }
    let new: Withheld =
        withheld.iter().filter(|(id, it)| known.get(*id) != Some(*it)).map(|(id, it)| (*id, *it)).collect();
    if new.is_empty() { Ok(()) } else { quarantine::put_aside(tx, at, header, &reason(table, &new)) }
}

fn reason(table: &Table, new: &Withheld) -> String {
    let lost = new.values().filter(|theirs| theirs.is_none()).count();
    let ids: Vec<String> = new.keys().take(MOST_NAMED).map(Uuid::to_string).collect();
    format!(
        "of {} the box lacks {lost} rows and holds {} otherwise ({}): such rows only come to be, so they stay here as they are",
        table.name,
        new.len().saturating_sub(lost),
        ids.join(", ")
    )
}

/// What is withheld of `bucket`.
fn of(from: &dyn Source, outlet: Uuid, bucket: Bucket) -> Result<Withheld> {
    const ALL: &str =
        "SELECT row_id, theirs FROM hub_withheld WHERE outlet_id = ?1 AND table_no = ?2 AND day = ?3";
    let all = list(from, ALL, (outlet, bucket.table, rows::number_of(bucket)), |row| {
        let theirs: Option<Vec<u8>> = row.get("theirs")?;
        let hash = theirs.and_then(|bytes| Some(u128::from_be_bytes(bytes.try_into().ok()?)));
        Ok((row.get("row_id")?, hash))
    })?;
    Ok(all.into_iter().collect())
}

/// Makes of `sum`, of the rows that are held here, what the box must say that has what it has: without the records it lacks, and with its
/// own of those it changed; as far as these columns tell.
pub(super) fn as_told(
    from: &dyn Source,
    outlet: Uuid,
    (table, bucket): (&'static Table, Bucket),
    mut sum: RowSum,
    columns: &[(usize, &'static str)],
) -> std::result::Result<RowSum, HubError> {
    if registry::settled(table.name).is_none() {
        return Ok(sum);
    }
    for (id, theirs) in of(from, outlet, bucket)? {
        let Some(ours) = rows::replica(from, table, id)? else { continue };
        let ours = columns.iter().map(|(column, _)| (*column, ours.get(*column).value()));
        sum.remove(digest::row_hash(table, ours));
        theirs.into_iter().for_each(|theirs| sum.add(theirs));
    }
    Ok(sum)
}
