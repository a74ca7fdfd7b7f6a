//! A box that takes another's place, from an empty data directory: first what it needs to open for business, then, behind the
//! guests' backs, the last weeks and the rest. Every page can be fetched again. Never overwrites what the new box has written since.

use super::adoption::take_up;
use super::apply::{Packed, is_constraint};
use super::exchange::Exchange;
use super::steps::STEP;
use super::store::{self, Peer};
use super::{Bugs, Enrolment, Hub, HubError, derived, life};
use crate::access::Actor;
use crate::data_dir::DataDir;
use crate::db::{Db, DbError, Env, Options, Source, Tx};
use crate::resources::inventory::store::levels::{Carried, LedgerSums};
use crate::resources::{inventory, menu, outlets};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rusqlite::{Connection, ToSql};
use std::io::Read;
use std::sync::Arc;
use tiffin_common::frame::{Changes, Op, OpKind, Ops, Position};
use tiffin_common::registry::{self, RETIRED};
use tiffin_common::sync::{Phase, SnapshotPage, SnapshotQuery, StockCard};

/// Most bytes of one page, decompressed.
const PAGE_BYTES: u64 = 256 * 1024 * 1024;

/// Why a box could not be filled so far that it opens. It can be begun again.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// Head office.
    #[error(transparent)]
    Hub(#[from] HubError),
    /// The database.
    #[error("{0}")]
    Db(#[from] DbError),
    /// The database's schema.
    #[error("{0}")]
    Schema(String),
    /// A page that cannot be read.
    #[error("head office sent {0}")]
    Page(&'static str),
    /// There is nothing of the outlet in its rows: what a newer program sent, it keeps until it is upgraded.
    #[error(
        "head office has no rows of this outlet that it can read: if the box had a newer program than head office, upgrade that, and begin again"
    )]
    Nothing,
}

impl From<rusqlite::Error> for RestoreError {
    fn from(error: rusqlite::Error) -> Self {
        RestoreError::Db(error.into())
    }
}

/// Fills the empty data directory with what an outlet needs to open for business. Begun again, it begins from the start. Answers
/// how many rows there are.
///
/// # Errors
/// See [`RestoreError`].
pub async fn open_for_business(
    hub: &Hub,
    data: &DataDir,
    enrolment: &Enrolment,
    env: Env,
    bugs: Bugs,
) -> Result<u64, RestoreError> {
    clear(data);
    let (mut after, mut count, mut cursor, mut stock) = (None, 0, None, Vec::new());
    {
        // Without the triggers of the change log, which a server installs: head office has these rows. Without foreign keys: a
        // row may come before the one it names.
        let mut conn = Connection::open(data.database())?;
        conn.pragma_update(None, "journal_mode", "WAL")?;
        tiffin_migrations::migrate_edge(&mut conn)
            .map_err(|error| RestoreError::Schema(error.to_string()))?;
        conn.pragma_update(None, "foreign_keys", false)?;
        loop {
            let page = hub.snapshot(&SnapshotQuery { phase: Phase::A, after: after.clone() }).await?;
            count += insert_page(&mut conn, &page)?;
            cursor = page.cursor.or(cursor);
            stock.extend(page.stock);
            match page.next {
                Some(next) if Some(&next) != after.as_ref() => after = Some(next),
                Some(_) => return Err(RestoreError::Page("the same page twice")),
                None => break,
            }
        }
        if store::find_outlet_card(&conn)?.is_none() {
            return Err(RestoreError::Nothing);
        }
    }
    let at = cursor.or(enrolment.replaces).map(Position::from).ok_or(RestoreError::Nothing)?;
    let options = Options { continues: Some(at), ..Options::new(data.database()) };
    let db = Db::open(&options, env)?;
    let found = Enrolment { replaces: Some(at.into()), ..enrolment.clone() };
    db.write(move |tx| begin(tx, &found, &stock, bugs)).await?;
    Ok(count)
}

/// What an earlier attempt left.
fn clear(data: &DataDir) {
    for end in ["db", "db-wal", "db-shm"] {
        // Whatever cannot be removed shows when the database is opened.
        let _ = std::fs::remove_file(data.database().with_extension(end));
    }
}

fn insert_page(conn: &mut Connection, page: &SnapshotPage) -> Result<u64, RestoreError> {
    let rows = unpack(&page.rows)?;
    let tx = conn.transaction()?;
    let mut count = 0;
    for op in Ops::of(&rows) {
        let op = op.map_err(|_| RestoreError::Page("a row that cannot be read"))?;
        if let (Some(table), OpKind::Insert) = (registry::table(op.table), op.kind) {
            let known = op.columns.iter().filter_map(|(no, value)| Some((*table.columns.get(*no)?, value)));
            let known: Vec<_> = known.filter(|(name, _)| !name.starts_with(RETIRED)).collect();
            let names: Vec<_> = known.iter().map(|(name, _)| format!("\"{name}\"")).collect();
            let marks = vec!["?"; known.len()].join(", ");
            let sql = format!(
                "INSERT INTO \"{}\" ({}) VALUES ({marks}) ON CONFLICT DO NOTHING",
                table.name,
                names.join(", ")
            );
            let values: Vec<&dyn ToSql> = known.iter().map(|(_, value)| *value as &dyn ToSql).collect();
            count += tx.prepare_cached(&sql)?.execute(values.as_slice())? as u64;
        }
    }
    tx.commit()?;
    Ok(count)
}

/// Packed changes out of a message's text.
pub(super) fn unpack(text: &str) -> Result<Vec<u8>, RestoreError> {
    let wrong = || RestoreError::Page("a page that cannot be read");
    let packed = STANDARD.decode(text).map_err(|_| wrong())?;
    if packed.is_empty() {
        return Ok(Vec::new());
    }
    let mut rows = Vec::new();
    let reader = zstd::Decoder::new(packed.as_slice()).map_err(|_| wrong())?;
    reader.take(PAGE_BYTES).read_to_end(&mut rows).map_err(|_| wrong())?;
    Ok(rows)
}

/// What is derived, and that the rest is still to come.
fn begin(tx: &Tx<'_>, enrolment: &Enrolment, stock: &[StockCard], bugs: Bugs) -> Result<(), DbError> {
    let outlet = enrolment.outlet.id;
    outlets::actions::assign_box(tx, outlet)?;
    let carried: Vec<Carried> = stock
        .iter()
        .map(|card| Carried {
            item: card.item,
            batch: card.batch,
            quantity: card.quantity,
            cost_micros: card.cost_micros,
        })
        .collect();
    inventory::actions::carry_levels(tx, outlet, &carried).map_err(DbError::unavailable)?;
    inventory::actions::rebuild_needs(tx, &Actor::system(outlet))?;
    menu::store::next_revision(tx, outlet)?;
    if bugs.replaced_box_counts_on() {
        return take_up(tx, &Enrolment { lives: 0, ..enrolment.clone() }).map(drop);
    }
    // The box that was there may have sold what head office never heard of.
    life::begin(tx, 1)?;
    take_up(tx, enrolment).map(drop)
}

/// Fetches and writes the next page of the phase that is being filled. What head office refuses is the inner error.
pub(super) async fn fill_one(
    exchange: &Exchange,
    hub: &Hub,
    peer: &Peer,
) -> Result<Result<(), HubError>, DbError> {
    let Some((phase, after)) = peer.restore.clone() else { return Ok(Ok(())) };
    let page = match hub.snapshot(&SnapshotQuery { phase, after: after.clone() }).await {
        Ok(page) => page,
        Err(error) => return Ok(Err(error)),
    };
    if page.next.is_some() && page.next == after {
        return Ok(Err(HubError::NotOurs("the same page twice".into())));
    }
    let rows = unpack(&page.rows).map_err(DbError::unavailable)?;
    let is_end = page.next.is_none();
    write_all(exchange, rows.into()).await?;
    exchange.db().write(move |tx| turn(tx, phase, page.next.as_deref())).await?;
    if is_end {
        insert_postponed(exchange).await?;
    }
    if is_end && phase == Phase::C {
        // Sales keep them as they go: adding up a year's ledger is for a reader, and only where it says otherwise do tills wait.
        let are_right = exchange.db().read(are_levels_right).await?;
        let sums = if are_right { Vec::new() } else { exchange.db().read(derived::sum_ledgers).await? };
        exchange.db().write(move |tx| finish(tx, &sums)).await?;
    }
    Ok(Ok(()))
}

fn are_levels_right(from: &dyn Source) -> Result<bool, DbError> {
    let is_right = |right, outlet| Ok(right && inventory::actions::are_levels_right(from, outlet)?);
    store::list_outlets(from)?.into_iter().try_fold(true, is_right)
}

/// Writes the rows of a page, some in each action: tills come between. What is written when it stops is known when the page comes again.
async fn write_all(exchange: &Exchange, rows: Arc<[u8]>) -> Result<(), DbError> {
    let mut written = 0;
    loop {
        let page = Arc::clone(&rows);
        let step = exchange.db().write(move |tx| write_some(tx, &page, written)).await?;
        written += step;
        if step < STEP as usize {
            return Ok(());
        }
    }
}

/// The same with those after the first `written`; answers how many.
fn write_some(tx: &Tx<'_>, rows: &[u8], written: usize) -> Result<usize, DbError> {
    let mut step = 0;
    for op in Ops::of(rows).skip(written).take(STEP as usize) {
        let op = op.map_err(DbError::unavailable)?;
        step += 1;
        if !insert_absent(tx, &op)? {
            let mut packed = Changes::default();
            packed.push(&op);
            store::insert_postponed(tx, packed.bytes())?;
        }
    }
    Ok(step)
}

/// A page is written: what comes next.
fn turn(tx: &Tx<'_>, phase: Phase, next: Option<&str>) -> Result<(), DbError> {
    match (next, phase) {
        (Some(next), _) => store::set_restore(tx, Some((phase, Some(next)))),
        (None, Phase::A) => store::set_restore(tx, Some((Phase::B, None))),
        (None, Phase::B) => store::set_restore(tx, Some((Phase::C, None))),
        // Until what is derived is right, this page may come again.
        (None, Phase::C) => Ok(()),
    }
}

/// Inserts a row that is not here, which head office has; false when a row it names is not here yet. Forgotten by the log one by one: a
/// row that is refused would have all before it packed anew.
fn insert_absent(tx: &Tx<'_>, op: &Op<'_>) -> Result<bool, DbError> {
    let (Some(table), Some(id)) = (registry::table(op.table), op.row_id()) else {
        return Ok(true);
    };
    if crate::log::with_row(tx, table, id, |_| ())? {
        return Ok(true);
    }
    match tx.unrecorded(|| store::set_row(tx, table, id, &op.columns)) {
        Ok(_) => Ok(true),
        Err(error) if is_constraint(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Inserts what had to wait and need not any more, some in each action, until nothing does.
async fn insert_postponed(exchange: &Exchange) -> Result<(), DbError> {
    loop {
        let (mut after, mut went) = (0, 0usize);
        while let Some((last, some)) = exchange.db().write(move |tx| insert_some_postponed(tx, after)).await?
        {
            after = last;
            went += some;
        }
        if went == 0 {
            return Ok(());
        }
    }
}

/// The same with the first of them after number `after`; answers the last one's number and how many went, or none when there are none.
fn insert_some_postponed(tx: &Tx<'_>, after: i64) -> Result<Option<(i64, usize)>, DbError> {
    let some = store::list_postponed(tx, after)?;
    let Some(last) = some.last().map(|(id, _)| *id) else { return Ok(None) };
    let mut went = 0;
    for (id, packed) in some {
        let packed = Packed(packed);
        let Some((op, ..)) = packed.op() else { continue };
        if insert_absent(tx, &op)? {
            store::delete_postponed(tx, id)?;
            went += 1;
        }
    }
    Ok(Some((last, went)))
}

/// Everything is here: levels that are not right are made from the sums of their ledger, where there are some.
fn finish(tx: &Tx<'_>, sums: &[LedgerSums]) -> Result<(), DbError> {
    for known in sums {
        inventory::actions::rebuild_levels(tx, known).map_err(DbError::unavailable)?;
    }
    for outlet in store::list_outlets(tx)? {
        if sums.is_empty() {
            inventory::actions::take_last_costs(tx, outlet)?;
        }
        inventory::actions::rebuild_needs(tx, &Actor::system(outlet))?;
        crate::resources::analytics::actions::forget_days(tx, outlet)?;
    }
    tracing::info!(
        waiting = store::count_postponed(tx)?,
        "this box holds everything head office holds of it"
    );
    store::set_restore(tx, None)?;
    super::follow::transfers(tx, &[], &[])
}
