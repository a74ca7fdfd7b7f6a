//! Whether a branch holds of the shared rows what head office wants it to: compared whenever the branch sums a table up. What differs
//! though it has arrived comes to it again. Never compares what is still on its way.

use super::Desk;
use super::error::HubError;
use super::proposal::{self, Touched};
use super::rows::{self, Cell, Image};
use super::state::State;
use crate::store::OutletTx;
use edge::db::{Source, list, opt};
use edge::insert;
use std::collections::HashMap;
use tiffin_common::frame::OpKind;
use tiffin_common::registry::{Owner, Table};
use tiffin_common::{Millis, Uuid};

/// Where the verdict on a table stands among those on its buckets: no day has this number.
pub(super) const WANTED: i32 = -1;

/// A row that the branch cannot write as it is wanted comes to it again at most this often.
const AGAIN_MS: i64 = 86_400_000;

/// Compares the rows of `table`; those that differ come again.
pub(super) fn compare(
    tx: &mut dyn OutletTx,
    at: &Desk,
    state: &State,
    table: &'static Table,
    seq: i64,
    touched: &mut Touched,
) -> Result<(), HubError> {
    if table.owner != Owner::Shared || at.bugs.cancel_is_silent() {
        return Ok(());
    }
    let mut astray = astray(&*tx, at, state, table)?;
    // What the branch did to them is still to be answered.
    astray.retain(|id| !touched.has(table, *id));
    let now = at.now();
    const LAST: &str =
        "SELECT at FROM hub_digests WHERE outlet_id = ?1 AND table_no = ?2 AND day = ?3 AND ok = 0";
    let last: Option<Millis> = opt(&*tx, LAST, (at.outlet, table.no, WANTED), |row| row.get(0))?;
    if !astray.is_empty() {
        if last.is_some_and(|last| (0..AGAIN_MS).contains(&now.since(last))) {
            return Ok(());
        }
        let (outlet, rows) = (at.outlet, astray.len());
        tracing::warn!(%outlet, table = table.name, rows, "a branch does not hold what head office wants: sent again");
    }
    insert!(
        &*tx,
        hub_digests {
            outlet_id: at.outlet,
            table_no: table.no,
            day: WANTED,
            seq: seq,
            at: now,
            ok: astray.is_empty(),
            branch_rows: astray.len() as i64,
            hub_rows: 0,
        },
        "ON CONFLICT (outlet_id, table_no, day) DO UPDATE SET seq = excluded.seq, at = excluded.at, ok = excluded.ok,
           branch_rows = excluded.branch_rows"
    )?;
    astray.into_iter().for_each(|id| touched.row(table, id));
    Ok(())
}

/// Rows that differ, bookkeeping aside, though the branch's log shows that they have arrived.
fn astray(from: &dyn Source, at: &Desk, state: &State, table: &'static Table) -> Result<Vec<Uuid>, HubError> {
    const WANTED: &str =
        "SELECT row_id, row FROM hub_master WHERE outlet_id = ?1 AND table_no = ?2 AND feed <= ?3";
    let held: HashMap<Uuid, Image> =
        list(from, &rows::select(table, ""), [], |row| Ok((row.get(0)?, rows::read(table, row)?)))?
            .into_iter()
            .collect();
    let wanted = list(from, WANTED, (at.outlet, table.no, state.pulled), |row| {
        Ok((row.get::<_, Uuid>("row_id")?, row.get::<_, Vec<u8>>("row")?))
    })?;
    let read = if at.bugs.new_columns_are_empty() { Image::of_op } else { Image::of_packed };
    let mut astray = Vec::new();
    for (id, packed) in wanted {
        let op = rows::one_op(&packed)?;
        let differs = match (op.kind, held.get(&id)) {
            (OpKind::Insert, Some(held)) => !proposal::same(table, &read(table, &op), held),
            (OpKind::Insert, None) => true,
            // A row that others name stays, out of use.
            (_, Some(held)) => {
                table.column("archived_at").is_none_or(|column| *held.get(column) == Cell::Null)
            }
            (_, None) => false,
        };
        if differs {
            astray.push(id);
        }
    }
    Ok(astray)
}
