//! An outlet's rows for a box that replaces another, in the order in which it needs them: A to open for business, B for the last
//! weeks, C for the rest. Together they are every row; what the box has by then comes again in vain.

mod phases;

use super::error::HubError;
use super::history;
use super::rows;
use super::state::State;
use edge::db::{Source, list};
use rusqlite::ToSql;
use tiffin_common::digest;
use tiffin_common::frame::{Changes, Op, OpKind, Value};
use tiffin_common::registry::{TABLES, Table};
use tiffin_common::sync::{Phase, SnapshotPage, SnapshotQuery, StockCard};
use tiffin_common::{Millis, Uuid};

/// Packed bytes of a page, before compression: what is lost when the link breaks.
const PAGE: usize = 256 << 10;

/// Rows that are read at once.
const ROWS: i64 = 2_000;

/// How long ago phase B begins, in milliseconds before the end of the log.
const RECENT_MS: i64 = 45 * 86_400_000;

/// Where a page begins: after this row of this table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct After {
    table: u16,
    id: Uuid,
}

impl After {
    fn parse(text: &str) -> Option<After> {
        let (table, id) = text.split_once(':')?;
        Some(After { table: table.parse().ok()?, id: id.parse().ok()? })
    }
}

/// One page.
///
/// # Errors
/// See [`crate::hub::Hub::snapshot`].
pub fn snapshot(from: &dyn Source, outlet: Uuid, query: &SnapshotQuery) -> Result<SnapshotPage, HubError> {
    let state = State::load(from, outlet)?;
    let after = match &query.after {
        Some(text) => {
            let parsed = After::parse(text);
            Some(parsed.ok_or_else(|| HubError::Invalid("after is from no page".to_owned()))?)
        }
        None => None,
    };
    // By the logical clock, which never goes back: between B and C the line may only move towards C.
    let recent = recent(state.hlc.wall());
    let mut changes = Changes::default();
    let mut next = None;
    for table in TABLES {
        let begin = match after {
            Some(after) if table.no < after.table => continue,
            Some(after) if table.no == after.table => after.id,
            _ => Uuid::nil(),
        };
        if let Some(id) = fill(from, table, query.phase, begin, recent, &mut changes)? {
            next = Some(format!("{}:{id}", table.no));
            break;
        }
    }
    // Rows of a newer branch wait for an upgrade: the position is that of the rows.
    let cursor = history::at(from, &state, state.applied_to)?;
    Ok(SnapshotPage {
        cursor: cursor.map(Into::into),
        rows: rows::compressed(&changes)?,
        count: changes.count(),
        stock: if query.phase == Phase::A && next.is_none() { stock(from)? } else { Vec::new() },
        next,
    })
}

/// What the ledger gives for each batch, and for what was taken without one: its rows come later.
fn stock(from: &dyn Source) -> Result<Vec<StockCard>, HubError> {
    let sql = "SELECT stock_item_id, batch_id, sum(quantity_delta) AS quantity, sum(cost_micros) AS cost FROM stock_movements
        GROUP BY stock_item_id, batch_id HAVING sum(quantity_delta) <> 0 OR sum(cost_micros) <> 0";
    Ok(list(from, sql, [], |row| {
        Ok(StockCard {
            item: row.get("stock_item_id")?,
            batch: row.get("batch_id")?,
            quantity: row.get("quantity")?,
            cost_micros: row.get("cost")?,
        })
    })?)
}

/// The first id of the last weeks.
fn recent(end: Millis) -> Uuid {
    let start = Millis::new(end.get().saturating_sub(RECENT_MS));
    chrono::DateTime::from_timestamp_millis(start.get())
        .map_or(Uuid::nil(), |start| digest::ids_of_day(start.date_naive()).start)
}

/// The id before this one.
fn before(id: Uuid) -> Uuid {
    Uuid::from_u128(id.as_u128().saturating_sub(1))
}

/// Adds rows of a table after `begin`; answers the last one's id when the page is full.
fn fill(
    from: &dyn Source,
    table: &'static Table,
    phase: Phase,
    begin: Uuid,
    recent: Uuid,
    changes: &mut Changes,
) -> Result<Option<Uuid>, HubError> {
    let Some(of) = phases::of(table, phase) else { return Ok(None) };
    let sql = rows::select(table, &format!("WHERE id > ?1 AND {of} ORDER BY id LIMIT {ROWS}"));
    let columns: Vec<(usize, &str)> = table.live_columns().collect();
    // The last weeks begin with this one.
    let mut begin = if phase == Phase::B { begin.max(before(recent)) } else { begin };
    loop {
        let range: [&dyn ToSql; 2] = [&begin, &recent];
        let params = if phase == Phase::C { &range[..] } else { &range[..1] };
        let (mut last, mut read, mut full) = (None, 0, false);
        let mut failed = None;
        from.rows(&sql, params, &mut |row| {
            let mut values = Vec::with_capacity(columns.len());
            for (place, (column, _)) in columns.iter().enumerate() {
                match Value::try_from(row.get_ref(place)?) {
                    Ok(Value::Null) => {}
                    Ok(value) => values.push((*column, value)),
                    Err(error) => failed = Some(error),
                }
            }
            changes.push(&Op {
                table: table.no,
                kind: OpKind::Insert,
                key: Value::Null,
                saw: None,
                columns: values,
            });
            read += 1;
            last = Some(row.get::<_, Uuid>(0)?);
            full = changes.bytes().len() >= PAGE;
            Ok(!full)
        })?;
        if let Some(error) = failed {
            return Err(error.into());
        }
        match last {
            Some(id) if full => return Ok(Some(id)),
            Some(id) if read == ROWS => begin = id,
            _ => return Ok(None),
        }
    }
}
