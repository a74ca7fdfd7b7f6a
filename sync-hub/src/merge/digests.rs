//! The comparison of what a branch says it holds with what is held here, at exactly the position of its log row; and what became
//! of it. Always from the rows themselves, never from a sum that was kept.

use super::Desk;
use super::error::HubError;
use super::proposal::Touched;
use super::rows;
use super::state::State;
use super::{older, wants, withheld};
use crate::store::OutletTx;
use chrono::NaiveDate;
use edge::db::{Result, Source, list, opt};
use edge::insert;
use rusqlite::params;
use tiffin_common::Uuid;
use tiffin_common::digest::{self, RowSum};
use tiffin_common::frame::{Bucket, DigestEntry, Header, Op, OpKind, Value};
use tiffin_common::registry::{self, Owner, Table};
use tiffin_common::sync::BucketCard;

/// Buckets that a branch is told of at once.
const MOST_BAD: i64 = 64;

/// The day of a bucket, by the number it is stored under; 0 stands for the whole table, as does what is wanted of it.
pub(super) fn day_of(number: i32) -> Option<NaiveDate> {
    if number == 0 || number == wants::WANTED { None } else { NaiveDate::from_num_days_from_ce_opt(number) }
}

/// What is held of a bucket, as far as these columns tell.
fn sum(
    from: &dyn Source,
    table: &'static Table,
    bucket: Bucket,
    columns: &[(usize, &'static str)],
) -> Result<RowSum> {
    let ids = bucket.day.map_or(Uuid::nil()..Uuid::max(), digest::ids_of_day);
    let sql = rows::select_of(table, columns, "WHERE id >= ?1 AND id < ?2");
    let mut sum = RowSum::default();
    let mut is_readable = true;
    from.rows(&sql, &[&ids.start, &ids.end], &mut |row| {
        let values = columns.iter().enumerate().filter_map(|(place, (column, _))| {
            let value = row.get_ref(place).ok().and_then(|value| Value::try_from(value).ok());
            is_readable &= value.is_some();
            Some((*column, value?))
        });
        sum.add(digest::row_hash(table, values));
        Ok(is_readable)
    })?;
    // A text that is no text is a row that nobody can have sent.
    if is_readable { Ok(sum) } else { Ok(RowSum { count: u64::MAX, sum: 0 }) }
}

/// Compares.
pub(super) fn compare(
    tx: &mut dyn OutletTx,
    at: &Desk,
    state: &mut State,
    header: &Header,
    entries: &[DigestEntry],
    touched: &mut Touched,
) -> std::result::Result<(), HubError> {
    let is_of_today = header.schema == tiffin_migrations::edge_schema_version();
    let now = at.now();
    let mut all = true;
    for entry in entries {
        let Some(table) = registry::table(entry.bucket.table) else { continue };
        let Some(columns) = older::columns(table, header.schema) else { continue };
        // Until the branch has told all, rows that it lost are still here, or others are not here yet.
        if state.lost.is_some() && !came_whole(&*tx, state, table, entry.bucket, header.seq)? {
            continue;
        }
        let held = sum(&*tx, table, entry.bucket, &columns)?;
        let ours = withheld::as_told(&*tx, at.outlet, (table, entry.bucket), held, &columns)?;
        let theirs = RowSum::from(entry);
        let ok = ours == theirs;
        if !ok {
            tracing::warn!(outlet = %at.outlet, table = table.name, day = ?entry.bucket.day, ?ours, ?theirs, "digest BAD");
        }
        all &= ok;
        note(tx, at.outlet, entry.bucket, header.seq, ok, (theirs.count, ours.count), now)?;
        if ok && is_of_today && state.lost.is_none() {
            wants::compare(tx, at, state, table, header.seq, touched)?;
        }
    }
    if all && state.lost.is_none() {
        state.agreed = Some((now, header.seq));
    }
    Ok(())
}

/// Whether all of the outlet's rows come again, and those of this bucket came whole with the log row before: its sum is of just these.
fn came_whole(from: &dyn Source, state: &State, table: &Table, bucket: Bucket, seq: i64) -> Result<bool> {
    const CAME: &str =
        "SELECT 1 FROM hub_digests WHERE outlet_id = ?1 AND table_no = ?2 AND day = ?3 AND seq = ?4";
    if !state.is_sent_again() || table.owner != Owner::Outlet {
        return Ok(false);
    }
    let key = params![state.outlet, bucket.table, rows::number_of(bucket), seq - 1];
    opt(from, CAME, key, |_| Ok(())).map(|found| found.is_some())
}

/// All rows have come again and were compared as they came: that both ends agree is known unless a bucket differed.
pub(super) fn agree(from: &dyn Source, at: &Desk, state: &mut State, seq: i64) -> Result<()> {
    if bad(from, state.outlet)?.is_empty() {
        state.agreed = Some((at.now(), seq));
    }
    Ok(())
}

fn note(
    tx: &mut dyn OutletTx,
    outlet: Uuid,
    bucket: Bucket,
    seq: i64,
    ok: bool,
    (theirs, ours): (u64, u64),
    now: tiffin_common::Millis,
) -> Result<()> {
    let clip = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    insert!(
        &*tx,
        hub_digests {
            outlet_id: outlet,
            table_no: bucket.table,
            day: rows::number_of(bucket),
            seq: seq,
            at: now,
            ok: ok,
            branch_rows: clip(theirs),
            hub_rows: clip(ours),
        },
        "ON CONFLICT (outlet_id, table_no, day) DO UPDATE SET seq = excluded.seq, at = excluded.at, ok = excluded.ok,
           branch_rows = excluded.branch_rows, hub_rows = excluded.hub_rows"
    )?;
    Ok(())
}

/// After the rows of a repair were made what they are: deletes the bucket's others, unless they are records, which only come to be.
pub(super) fn repair(
    tx: &mut dyn OutletTx,
    at: &Desk,
    header: &Header,
    bucket: Bucket,
    ops: &[Op<'_>],
) -> std::result::Result<(), HubError> {
    let Some(table) = registry::table(bucket.table) else { return Ok(()) };
    let kept = ops.iter().filter(|op| op.kind == OpKind::Insert && op.table == bucket.table);
    let keep: Vec<Uuid> = kept.filter_map(Op::row_id).collect();
    if registry::settled(table.name).is_none() {
        tx.prune(table, bucket, &keep)?;
    }
    let count = keep.len() as u64;
    note(tx, at.outlet, bucket, header.seq, true, (count, count), at.now())?;
    Ok(())
}

/// The buckets that differed when they were last compared.
pub(super) fn bad(from: &dyn Source, outlet: Uuid) -> Result<Vec<BucketCard>> {
    const BAD: &str = "SELECT table_no, day FROM hub_digests WHERE outlet_id = ?1 AND ok = 0 AND day <> ?3 ORDER BY table_no LIMIT ?2";
    list(from, BAD, (outlet, MOST_BAD, wants::WANTED), |row| {
        Ok(BucketCard { table: row.get("table_no")?, day: day_of(row.get("day")?) })
    })
}
