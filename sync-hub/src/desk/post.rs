//! The unit of work at head office's own outlet: what the bench wrote goes into its log as a branch's rows do, together with the
//! publication and the answer. All of it or none, and only when nobody else wrote meanwhile.

use super::bench::Written;
use super::parts;
use super::publications::{self, Draft};
use super::rows::{RowChange, unpack};
use super::{DeskError, HQ};
use crate::merge;
use crate::store::OutletTx;
use bytes::Bytes;
use edge::db::{Source, Sql, opt};
use edge::http::idempotency::{Idempotency, KEPT_MS};
use edge::http::{Code, Problem};
use edge::insert;
use rusqlite::params;
use std::collections::BTreeSet;
use tiffin_common::frame::{Body, Hash, Header, Kind, Position};
use tiffin_common::sync::batch::{Batch, Frame, encode};
use tiffin_common::sync::{Class, Pacing};
use tiffin_common::{Hlc, Millis, Uuid};

/// An answer, as it is kept for its idempotency key.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The JSON.
    pub body: Vec<u8>,
    /// The publication that was made.
    pub publication: Option<Uuid>,
}

/// Who may publish where.
#[derive(Debug, Clone, Default)]
pub struct Reach {
    /// Outlets the publication may go to: the user's, of the catalogue's currency.
    pub outlets: BTreeSet<Uuid>,
    /// Whether these are all outlets there are: what a change concerns beyond them does not count.
    pub whole: bool,
}

/// What an edit leaves.
pub struct Posting {
    /// The end of the log as the bench has it.
    pub expected: Option<Position>,
    /// What the bench wrote since.
    pub written: Vec<Written>,
    /// The process start that writes.
    pub epoch: Uuid,
    /// The box that writes: one per process.
    pub device: Uuid,
    /// The publication to make of it, and where it may go; none: the change stays in the catalogue.
    pub publication: Option<(Draft, Reach)>,
    /// The publication that this takes back.
    pub cancels: Option<(Uuid, String)>,
    /// The key and whose it is, with the answer to keep.
    pub answer: Option<(Idempotency, Uuid, Answer)>,
}

/// What came of it.
#[derive(Debug, Clone, Copy)]
pub struct Posted {
    /// The end of the log.
    pub head: Option<Position>,
    /// Whether a publication was made: not when no row of the catalogue changed.
    pub published: bool,
}

/// Does it.
///
/// # Errors
/// [`DeskError::Overtaken`] when the log does not end where the bench thinks; a refusal when the publication may not go where it would.
pub fn post(
    tx: &mut dyn OutletTx,
    at: &merge::Desk,
    pacing: Pacing,
    posting: &Posting,
) -> Result<Posted, DeskError> {
    if head(tx)? != posting.expected {
        return Err(DeskError::Overtaken);
    }
    let mut changes = changes_of(&posting.written)?;
    if let Some((draft, _)) = &posting.publication {
        changes.extend(draft.settings.clone());
    }
    let before = publications::before(tx, &changes)?;
    let audience = match &posting.publication {
        Some((draft, reach)) if !changes.is_empty() || draft.kind == publications::Kind::Catalogue => {
            Some((draft, to_whom(tx, draft, reach, &changes)?))
        }
        _ => None,
    };
    let mut head = posting.expected;
    if !posting.written.is_empty() {
        let hlc = opt(&*tx, "SELECT hlc FROM hub_state WHERE outlet_id = ?1", [HQ], |row| row.get(0))?;
        let batch = batch(posting, hlc.unwrap_or(Hlc::ZERO))?;
        head = end_of(&batch).or(head);
        let body = Bytes::from(encode(&batch)?);
        let at = at.clone();
        let push = merge::Push::new(at, posting.device, Class::Live, body, (batch, false), pacing);
        merge::push(tx, &push)?;
    }
    if let Some((draft, outlets)) = &audience {
        let outlets: Vec<Uuid> = outlets.iter().copied().collect();
        publications::insert(&*tx, draft, &outlets, &changes, &before)?;
    }
    if let Some((id, by)) = &posting.cancels
        && publications::cancel(&*tx, *id, at.env.clock.now(), by)? == 0
    {
        return Err(Problem::new(Code::InvalidTransition)
            .detail("The publication was taken back already")
            .into());
    }
    if let Some((key, owner, answer)) = &posting.answer {
        let publication = answer.publication.filter(|_| audience.is_some());
        let answer = Answer { publication, ..answer.clone() };
        keep(&*tx, key, *owner, &answer, at.env.clock.now())?;
    }
    Ok(Posted { head, published: audience.is_some() })
}

/// The end of head office's own log.
pub fn head(from: &dyn Source) -> Result<Option<Position>, DeskError> {
    let sql = "SELECT epoch, seq, hash FROM hub_state WHERE outlet_id = ?1 AND epoch IS NOT NULL";
    Ok(opt(from, sql, [HQ], |row| {
        Ok(Position { epoch: row.get("epoch")?, seq: row.get("seq")?, hash: row.get("hash")? })
    })?)
}

/// The changes of the catalogue's rows among what was written.
fn changes_of(written: &[Written]) -> Result<Vec<RowChange>, DeskError> {
    let mut changes = Vec::new();
    for row in written.iter().filter(|row| matches!(row.kind, Kind::Data | Kind::Proposal)) {
        changes.extend(unpack(&row.body)?.into_iter().filter(|change| parts::part(change.table).is_some()));
    }
    Ok(changes)
}

/// The outlets that a publication of `changes` goes to.
fn to_whom(
    from: &dyn Source,
    draft: &Draft,
    reach: &Reach,
    changes: &[RowChange],
) -> Result<BTreeSet<Uuid>, DeskError> {
    if let Some(named) = &draft.named {
        return Ok(named.iter().copied().collect());
    }
    let Some(outlets) = publications::audience(from, changes)? else { return Ok(reach.outlets.clone()) };
    if reach.whole || outlets.is_subset(&reach.outlets) {
        return Ok(outlets.intersection(&reach.outlets).copied().collect());
    }
    let detail = "The change concerns outlets that are not of your account; name yours in outletIds";
    Err(Problem::new(Code::Forbidden).detail(detail).into())
}

/// What was written as rows of head office's own log: in an epoch of this process, which begins with a row of its own after anybody
/// else's.
fn batch(posting: &Posting, hlc: Hlc) -> Result<Batch, DeskError> {
    let before = posting.expected;
    let previous = before.map_or(Hash::START, |position| position.hash);
    let mut log = Log {
        frames: Vec::new(),
        seq: before.map_or(0, |position| position.seq),
        hash: previous,
        hlc,
        epoch: posting.epoch,
        schema: tiffin_migrations::edge_schema_version(),
    };
    let wall = posting.written.first().map_or(Millis::new(0), |row| row.wall);
    if before.is_none_or(|position| position.epoch != posting.epoch) {
        log.add(Kind::EpochStart, wall, 0, Body::epoch_start(before.as_ref()));
        if before.is_none() {
            let schema = Body::schema(0, log.schema);
            log.add(Kind::Schema, wall, 0, schema);
        }
    }
    for row in posting.written.iter().filter(|row| matches!(row.kind, Kind::Data | Kind::Proposal)) {
        log.add(row.kind, row.wall, row.count, row.body.clone());
    }
    Ok(Batch { previous, frames: log.frames })
}

struct Log {
    frames: Vec<Frame>,
    seq: i64,
    hash: Hash,
    hlc: Hlc,
    epoch: Uuid,
    schema: u32,
}

impl Log {
    fn add(&mut self, kind: Kind, wall: Millis, count: u32, body: Vec<u8>) {
        self.seq += 1;
        self.hlc = self.hlc.tick(wall);
        let Log { seq, hlc, epoch, schema, .. } = *self;
        let header = Header { seq, epoch, kind, hlc, wall, schema, count };
        self.hash = self.hash.next(&header, &body);
        self.frames.push(Frame { header, body, hash: self.hash });
    }
}

fn end_of(batch: &Batch) -> Option<Position> {
    let last = batch.frames.last()?;
    Some(Position { epoch: last.header.epoch, seq: last.header.seq, hash: last.hash })
}

/// The answer that was given to this key, if it was used.
///
/// # Errors
/// 422 when it stood for another request.
pub fn answered(
    from: &dyn Source,
    key: &Idempotency,
    owner: Uuid,
    now: Millis,
) -> Result<Option<Answer>, DeskError> {
    let sql = "SELECT request_hash, status, body, publication_id FROM hub_desk_answers
               WHERE outlet_id = ?1 AND account_id = ?2 AND key = ?3 AND created_at > ?4";
    let found = opt(from, sql, (HQ, owner, &key.key, now.after(-KEPT_MS)), |row| {
        let answer = Answer {
            status: row.get("status")?,
            body: row.get("body")?,
            publication: row.get("publication_id")?,
        };
        Ok((row.get::<_, Vec<u8>>("request_hash")?, answer))
    })?;
    match found {
        Some((hash, _)) if hash != key.request_hash => Err(Problem::new(Code::IdempotencyKeyReused).into()),
        found => Ok(found.map(|(_, answer)| answer)),
    }
}

fn keep(sql: &dyn Sql, key: &Idempotency, owner: Uuid, answer: &Answer, now: Millis) -> edge::db::Result<()> {
    let Answer { status, body, publication } = answer;
    let old = "DELETE FROM hub_desk_answers WHERE outlet_id = ?1 AND created_at <= ?2";
    sql.execute(old, params![HQ, now.after(-KEPT_MS)])?;
    insert!(
        sql,
        hub_desk_answers {
            outlet_id: HQ,
            account_id: owner,
            key: key.key,
            request_hash: key.request_hash.as_slice(),
            status: status,
            body: body,
            publication_id: publication,
            created_at: now,
        }
    )?;
    Ok(())
}
