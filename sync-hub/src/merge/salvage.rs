//! What boxes that may not speak for the outlet any more still had: read row by row, and handed to the outlet's box, which takes it over and
//! tells so in its log. Never makes a change of the outlet's rows: those are its box's.

use super::error::HubError;
use super::state::State;
use super::{Desk, history, rows};
use crate::store::OutletTx;
use edge::db::{Columns, Source, Sql, list, opt};
use edge::{insert, select, table};
use serde_json::{Map, Value as Json, json};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use tiffin_common::frame::{Body, Changes, DecodeError, Hash, Kind, Op, OpKind, Value};
use tiffin_common::registry::Table;
use tiffin_common::sync::SalvagePage;
use tiffin_common::sync::batch::{self, Frame};
use tiffin_common::{Millis, Uuid, words};

/// Bytes of the log that are looked through at a time.
const STEP: usize = 4 << 20;

/// Columns that no list shows.
const SECRET: [&str; 3] = ["password_hash", "pin_hash", "qr_token"];

words! {
    /// What has become of a row.
    pub enum Salvage {
        /// Nobody has decided on it.
        Waiting = "WAITING",
        /// The outlet's box is to take it over.
        Ordered = "ORDERED",
        /// The outlet's box has taken it over; what it could not take stands in its reviews.
        Taken = "TAKEN",
    }
}

table! {
    struct Chunk: hub_salvage {
        device: Uuid => device_id,
        at: Millis => received_at,
        body: Vec<u8>,
    }
}

table! {
    struct Takeover: hub_takeovers {
        id: Uuid,
        rows: Option<Vec<Uuid>> => json row_ids,
        at: Millis,
        done_at: Option<Millis>,
    }
}

impl Takeover {
    fn covers(&self, row: Uuid, received: Millis) -> bool {
        received <= self.at && self.rows.as_ref().is_none_or(|rows| rows.contains(&row))
    }
}

/// A row that such a box had changed.
#[derive(Debug, Clone)]
pub struct Salvaged {
    /// Its table.
    pub table: &'static Table,
    /// Its id.
    pub row: Uuid,
    /// The box that changed it.
    pub device: Uuid,
    /// What was done to it: it was made, changed or deleted.
    pub kind: OpKind,
    /// What the box's log says of its columns, the last word of each.
    pub values: Map<String, Json>,
    /// The log rows of that box that changed it first and last.
    pub seqs: (i64, i64),
    /// When it came.
    pub received: Millis,
    /// What has become of it.
    pub state: Salvage,
}

/// A log row of such a box.
struct Held {
    device: Uuid,
    received: Millis,
    frame: Frame,
}

/// Their log rows, in order, once each.
fn held(from: &dyn Source, outlet: Uuid) -> Result<Vec<Held>, HubError> {
    let sql = select!(Chunk, "WHERE outlet_id = ?1 ORDER BY device_id, first_seq, received_at");
    let (mut held, mut seen) = (Vec::new(), HashSet::new());
    for chunk in list(from, sql, [outlet], Chunk::read)? {
        let (batch, _) = batch::decode(&chunk.body, history::MOST)?;
        for frame in batch.frames {
            if seen.insert(frame.hash) {
                held.push(Held { device: chunk.device, received: chunk.at, frame });
            }
        }
    }
    held.sort_by_key(|held| (held.device, held.frame.header.seq));
    Ok(held)
}

/// The changes of a log row that the box made itself: what it had from head office, head office has.
fn changes(frame: &Frame) -> Result<Vec<Op<'_>>, DecodeError> {
    let is_own = matches!(frame.header.kind, Kind::Data | Kind::Proposal | Kind::Recovered | Kind::Repair);
    if !is_own {
        return Ok(Vec::new());
    }
    Ok(Body::decode(&frame.header, &frame.body)?.ops().to_vec())
}

fn takeovers(from: &dyn Source, outlet: Uuid) -> Result<Vec<Takeover>, HubError> {
    Ok(list(from, select!(Takeover, "WHERE outlet_id = ?1 ORDER BY at, id"), [outlet], Takeover::read)?)
}

fn state_of(takeovers: &[Takeover], row: Uuid, received: Millis) -> Salvage {
    let of: Vec<&Takeover> = takeovers.iter().filter(|takeover| takeover.covers(row, received)).collect();
    match of.iter().any(|takeover| takeover.done_at.is_some()) {
        _ if of.is_empty() => Salvage::Waiting,
        true => Salvage::Taken,
        false => Salvage::Ordered,
    }
}

/// The rows that boxes left behind had changed, as they first did.
pub fn salvaged(from: &dyn Source, outlet: Uuid) -> Result<Vec<Salvaged>, HubError> {
    let takeovers = takeovers(from, outlet)?;
    let mut rows: BTreeMap<(Uuid, u16, Uuid), Salvaged> = BTreeMap::new();
    for held in held(from, outlet)? {
        let seq = held.frame.header.seq;
        for op in changes(&held.frame)? {
            let (Some(table), Some(row)) = (rows::table_of(&op), op.row_id()) else { continue };
            let found = rows.entry((held.device, table.no, row)).or_insert_with(|| Salvaged {
                table,
                row,
                device: held.device,
                kind: op.kind,
                values: Map::new(),
                seqs: (seq, seq),
                received: held.received,
                state: Salvage::Waiting,
            });
            if op.kind == OpKind::Delete {
                found.kind = OpKind::Delete;
            }
            found.seqs.1 = seq;
            found.received = found.received.max(held.received);
            found.values.extend(shown(table, &op));
        }
    }
    let mut rows: Vec<Salvaged> = rows.into_values().collect();
    rows.iter_mut().for_each(|row| row.state = state_of(&takeovers, row.row, row.received));
    rows.sort_by_key(|row| (row.device, row.seqs.0));
    Ok(rows)
}

fn shown(table: &'static Table, op: &Op<'_>) -> Map<String, Json> {
    let named = op.columns.iter().filter_map(|(no, value)| Some((*table.columns.get(*no)?, value)));
    let json = |name: &str, value: &Value<'_>| match value {
        _ if SECRET.contains(&name) => json!("(secret)"),
        Value::Null => Json::Null,
        Value::Integer(integer) => json!(integer),
        Value::Real(real) => json!(real),
        Value::Text(text) => json!(text),
        Value::Id(id) => json!(id),
        Value::Blob(bytes) => json!(format!("{} bytes", bytes.len())),
    };
    named.map(|(name, value)| (name.to_owned(), json(name, value))).collect()
}

/// How many rows nobody has taken over yet.
pub fn count_open(from: &dyn Source, outlet: Uuid) -> Result<i64, HubError> {
    const NEWEST: &str = "SELECT max(received_at) FROM hub_salvage WHERE outlet_id = ?1";
    const WHOLE: &str =
        "SELECT max(at) FROM hub_takeovers WHERE outlet_id = ?1 AND row_ids IS NULL AND done_at IS NOT NULL";
    let newest: Option<Millis> = opt(from, NEWEST, [outlet], |row| row.get(0))?.flatten();
    let whole: Option<Millis> = opt(from, WHOLE, [outlet], |row| row.get(0))?.flatten();
    // Of an outlet that never had one, and where all was taken, nothing has to be read.
    if newest.is_none() || newest <= whole {
        return Ok(0);
    }
    let open = salvaged(from, outlet)?.iter().filter(|row| row.state != Salvage::Taken).count();
    Ok(i64::try_from(open).unwrap_or(i64::MAX))
}

/// A box that may speak for the outlet again has sent `rows`, which follow from each other, itself: nobody is to take them over.
pub(super) fn forget_pushed(
    sql: &dyn Sql,
    outlet: Uuid,
    device: Uuid,
    rows: &[Frame],
) -> Result<(), HubError> {
    const OF: &str = "SELECT epoch, first_seq, last_seq, last_hash, body FROM hub_salvage
        WHERE outlet_id = ?1 AND device_id = ?2 AND last_seq BETWEEN ?3 AND ?4";
    const GO: &str = "DELETE FROM hub_salvage
        WHERE outlet_id = ?1 AND epoch = ?2 AND first_seq = ?3 AND last_seq = ?4 AND last_hash = ?5";
    let (Some(from), Some(to)) = (rows.first(), rows.last()) else { return Ok(()) };
    let of = list(sql, OF, (outlet, device, from.header.seq, to.header.seq), |row| {
        let key = (row.get::<_, Uuid>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?);
        Ok((key, row.get::<_, Vec<u8>>(3)?, row.get::<_, Vec<u8>>(4)?))
    })?;
    for ((epoch, first, last), hash, body) in of {
        // The chain vouches for the rows before it.
        let end = batch::decode(&body, history::MOST)?.0.frames.last().map(|frame| frame.hash);
        if rows.iter().any(|row| row.header.seq == last && Some(row.hash) == end) {
            sql.execute(GO, &[&outlet, &epoch, &first, &last, &hash])?;
        }
    }
    Ok(())
}

/// Orders the outlet's box to take over `rows`, with what belongs to them, or all there are; answers how many wait for it now.
///
/// # Errors
/// [`HubError::NotFound`] when none of them waits.
pub fn take_over(
    tx: &mut dyn OutletTx,
    at: &Desk,
    by: &str,
    rows: Option<Vec<Uuid>>,
) -> Result<usize, HubError> {
    let waiting: Vec<Uuid> = salvaged(&*tx, at.outlet)?
        .iter()
        .filter(|row| row.state == Salvage::Waiting)
        .map(|row| row.row)
        .collect();
    let rows = rows.map(|rows| with_kin(&*tx, at.outlet, rows)).transpose()?;
    let count = waiting.iter().filter(|row| rows.as_ref().is_none_or(|rows| rows.contains(row))).count();
    if count == 0 {
        return Err(HubError::NotFound("salvaged row that waits"));
    }
    let now = at.now();
    let id = at.env.ids.next(now);
    let rows = rows.map(|rows| json!(rows).to_string());
    insert!(&*tx, hub_takeovers { outlet_id: at.outlet, id: id, row_ids: rows, at: now, by_name: by })?;
    Ok(count)
}

/// `rows` with the rows among the salvaged that they name, such as the order of a payment, and with all that hangs on such an order.
fn with_kin(from: &dyn Source, outlet: Uuid, rows: Vec<Uuid>) -> Result<Vec<Uuid>, HubError> {
    let held = held(from, outlet)?;
    let mut kin: BTreeMap<Uuid, BTreeSet<Uuid>> = BTreeMap::new();
    let mut known = BTreeSet::new();
    for held in &held {
        for op in changes(&held.frame)? {
            let (Some(table), Some(row)) = (rows::table_of(&op), op.row_id()) else { continue };
            known.insert(row);
            for (no, value) in &op.columns {
                let Some(id) = value.id() else { continue };
                kin.entry(row).or_default().insert(id);
                if table.columns.get(*no).is_some_and(|name| *name == "order_id") {
                    kin.entry(id).or_default().insert(row);
                }
            }
        }
    }
    let (mut found, mut next) = (BTreeSet::new(), rows);
    while let Some(row) = next.pop() {
        if known.contains(&row) && found.insert(row) {
            next.extend(kin.get(&row).into_iter().flatten());
        }
    }
    Ok(found.into_iter().collect())
}

/// Whether the outlet's box has something to take over.
pub(super) fn is_ordered(from: &dyn Source, outlet: Uuid) -> edge::db::Result<bool> {
    const OPEN: &str = "SELECT 1 FROM hub_takeovers WHERE outlet_id = ?1 AND done_at IS NULL LIMIT 1";
    Ok(opt(from, OPEN, [outlet], |_| Ok(()))?.is_some())
}

/// What the outlet's box is to take over next.
///
/// # Errors
/// See [`crate::hub::Hub::salvage`].
pub fn page(from: &dyn Source, outlet: Uuid) -> Result<SalvagePage, HubError> {
    let takeovers = takeovers(from, outlet)?;
    let next = takeovers.iter().find(|takeover| takeover.done_at.is_none());
    let Some(takeover) = next else { return Ok(nothing()) };
    let (mut packed, mut actions, mut taken) = (Changes::default(), Vec::new(), Taken::default());
    // What each box had of the outlet's log: the rows of one come one after the other.
    let mut parted: BTreeMap<Uuid, i64> = BTreeMap::new();
    let held = held(from, outlet)?;
    for Held { device, received, frame } in held.iter().filter(|held| held.received <= takeover.at) {
        let after = *parted.entry(*device).or_insert(frame.header.seq - 1);
        taken.frames.insert(frame.hash);
        let before = packed.count();
        for op in changes(frame)? {
            let Some(row) = op.row_id().filter(|row| takeover.covers(*row, *received)) else { continue };
            // What was taken over before has gone on since.
            if state_of(&takeovers, row, *received) != Salvage::Taken {
                packed.push(&op);
                let since = taken.rows.entry((op.table, row)).or_insert(after);
                *since = after.min(*since);
            }
        }
        actions.extend(Some(packed.count() - before).filter(|count| *count > 0));
    }
    let after = parted.into_values().min().unwrap_or_default();
    let changed = changed_since(from, outlet, (after, takeover.id), &taken)?;
    let (rows, changed) = (rows::compressed(&packed)?, rows::compressed(&changed)?);
    Ok(SalvagePage { id: Some(takeover.id), after, rows, actions, changed })
}

fn nothing() -> SalvagePage {
    SalvagePage { id: None, after: 0, rows: String::new(), actions: Vec::new(), changed: String::new() }
}

/// What is handed over at once.
#[derive(Default)]
struct Taken {
    /// With the last row of the outlet's log that the box had which changed it; the first one, where several did.
    rows: BTreeMap<(u16, Uuid), i64>,
    /// The log rows that tell of them.
    frames: HashSet<Hash>,
}

/// Which rows of `taken` the outlet's log, read after row `after`, changed since they parted from it, without the values. Its box need not have
/// that part of the log: it may have been filled from here since, or have let go of it. What it has taken over as `takeover` already, and did not
/// come to the end of, does not count.
fn changed_since(
    from: &dyn Source,
    outlet: Uuid,
    (after, takeover): (i64, Uuid),
    taken: &Taken,
) -> Result<Changes, HubError> {
    let state = State::load(from, outlet)?;
    let (mut changed, mut reached) = (Changes::default(), after);
    loop {
        let log = history::between(from, outlet, state.lineage, reached, state.seq, STEP)?;
        let Some(last) = log.frames.last() else { return Ok(changed) };
        reached = last.header.seq;
        // A box that was asked for more than head office lacked has sent again what is the outlet's.
        for frame in log.frames.iter().filter(|frame| !taken.frames.contains(&frame.hash)) {
            let body = Body::decode(&frame.header, &frame.body)?;
            if matches!(&body, Body::Recovered { origin, .. } if origin.epoch == takeover) {
                continue;
            }
            for op in body.ops() {
                let since = op.row_id().and_then(|row| taken.rows.get(&(op.table, row)));
                if since.is_some_and(|since| frame.header.seq > *since) {
                    changed.push(&without_values(op));
                }
            }
        }
    }
}

fn without_values<'a>(op: &Op<'a>) -> Op<'a> {
    let bare = Op { saw: None, columns: Vec::new(), ..op.clone() };
    match op.kind {
        OpKind::Update => {
            Op { columns: op.columns.iter().map(|(no, _)| (*no, Value::Null)).collect(), ..bare }
        }
        // What is made is told like what is deleted: the whole row.
        OpKind::Insert | OpKind::Delete => {
            Op { kind: OpKind::Delete, key: op.row_id().map_or(op.key, Value::Id), ..bare }
        }
    }
}

/// The outlet's log tells that its box has taken over what `id` names, if it names a takeover.
pub(super) fn settle(sql: &dyn Sql, at: &Desk, id: Uuid) -> edge::db::Result<()> {
    const DONE: &str =
        "UPDATE hub_takeovers SET done_at = ?3 WHERE outlet_id = ?1 AND id = ?2 AND done_at IS NULL";
    sql.execute(DONE, &[&at.outlet, &id, &at.now()]).map(drop)
}
